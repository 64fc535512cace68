#include "methods/central/design.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "refusal.h"

namespace mollify {

namespace {

TEST(CentralMechanism, NamesGoBothWays) {
  for (const auto& [mechanism, name] : names<CentralMechanism>()) {
    EXPECT_EQ(name_of(*named<CentralMechanism>(name)), name);
  }
  EXPECT_FALSE(named<CentralMechanism>("laplace"));
}

TEST(CentralDesign, SaysOfSeveralOutputsAloneThatTheyShareErrors) {
  const auto designed = [](std::uint64_t outputs) {
    return design_central(CentralMechanism::kHistogram, {500, 4, outputs, Privacy::pure(1)});
  };
  for (const std::uint64_t outputs : {1U, 2U}) {
    const CentralDesign design = designed(outputs);
    EXPECT_EQ(design.why.find("share") == std::string::npos, design.independent_outputs) << outputs;
    EXPECT_EQ(design.independent_outputs, outputs == 1);
  }
}

std::string design_refusal(CentralMechanism mechanism, const CentralRequest& request) {
  return test::refusal_of([&] { (void)design_central(mechanism, request); });
}

TEST(CentralDesign, RefusesInOneSentence) {
  using enum CentralMechanism;
  EXPECT_EQ(design_refusal(kSubsampledRr, {0, 2, 1, Privacy::pure(1)}),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(design_refusal(kSubsampledRr, {5, 0, 1, Privacy::pure(1)}),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(design_refusal(kSubsampledRr, {5, 2, 0, Privacy::pure(1)}),
            "the number of outputs must be at least 1, but is 0");
  EXPECT_EQ(design_refusal(kSubsampledRr, {5, 2, 1, Privacy::pure(-1)}),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(design_refusal(kSubsampledRr, {5, 2, 1, Privacy::approximate(1, 1)}),
            "delta must be at least 0 and below 1, but is 1");
  Privacy two_notions = Privacy::pure(1);
  two_notions.rho = 1;
  EXPECT_EQ(design_refusal(kProduct, {5, 2, 1, two_notions}),
            "a budget is epsilon, epsilon and delta, or rho, but what another notion has is given");
  EXPECT_EQ(design_refusal(kProduct, {5, 2, 1, Privacy::gaussian(1)}),
            "a budget of the central model is in epsilon, delta or rho, but is in mu");
  EXPECT_EQ(design_refusal(kProduct, {5, 2, 1, Privacy::concentrated(0)}),
            "rho must be finite and positive, but is 0");
  EXPECT_EQ(design_refusal(kDsRoo, {5, 2, 1, Privacy::concentrated(1)}),
            "mechanism ds-roo spends epsilon and delta, but the budget is rho; mechanism product "
            "spends rho");
  EXPECT_EQ(design_refusal(kSubsampledRr, {5, 2, 6, Privacy::pure(1)}),
            "method central releases at most as many records as the table has, 5, but 6 are asked "
            "for: lower --count, or use method marginals, which releases any number of rows at one "
            "cost");
  EXPECT_EQ(design_refusal(kSubsetRr, {5, 2, 2, Privacy::pure(1)}),
            "--delta is missing: mechanism subset-rr needs one above 0; subsampled-rr needs none");
  EXPECT_EQ(
      design_refusal(kShuffledRr, {5, 2, 2, Privacy::approximate(1, 1e-6)}),
      "mechanism shuffled-rr releases a report of each record, so as many outputs as there are "
      "records; subset-rr releases fewer");
  EXPECT_EQ(
      design_refusal(kPoissonRr, {5, 2, 2, Privacy::approximate(1, 1e-6)}),
      "mechanism poisson-rr cannot be sure of 2 reports from 5 records; it needs some hundred "
      "records more than outputs, and subset-rr does not");
  EXPECT_EQ(design_refusal(kProduct, {5, 6, 1, Privacy::pure(1)}),
            "mechanism product needs 2^d outcomes, one for each vector of d bits, but there are 6");
  EXPECT_EQ(design_refusal(kProduct, {9, 4, 1, Privacy::concentrated(1e-6)}),
            "mechanism product with 2 bits needs more than 9 records for each output, or a rho "
            "above 1e-06, because means are clipped below 1/3");
}

/// The project's table of total variation at delta = 1e-6.
TEST(CentralDesign, ReachesTheTotalVariationThatIsClaimed) {
  const Privacy budget = Privacy::approximate(1, 1e-6);
  EXPECT_LE(design_central(CentralMechanism::kShuffledRr, {10'000, 20, 10'000, budget})
                .total_variation_up,
            .069);
  EXPECT_LE(
      design_central(CentralMechanism::kSubsetRr, {10'000, 20, 1000, budget}).total_variation_up,
      .0060);
  EXPECT_LE(design_poisson({10'000, 20, 1, budget}, .1).total_variation_up, .0060);
  EXPECT_LE(design_poisson({100'000, 1000, 1, budget}, .1).total_variation_up, .030);
}

TEST(CentralDesign, ChoosesTheLeastTotalVariation) {
  for (const CentralRequest& request :
       std::vector<CentralRequest>{{1000, 5, 10, Privacy::pure(1)},
                                   {1000, 5, 1, Privacy::approximate(.1, 1e-6)},
                                   {1000, 16, 100, Privacy::approximate(1, 1e-6)},
                                   {1000, 5, 1000, Privacy::approximate(1, 1e-6)}}) {
    const CentralDesign best = best_central_design(request);
    EXPECT_TRUE(best.independent_outputs);
    std::size_t options = 0;
    for (const CentralOption& option : central_options(request)) {
      EXPECT_EQ(option.design.has_value(), option.refusal.empty());
      if (!option.design) continue;
      ++options;
      if (option.design->independent_outputs && option.mechanism != CentralMechanism::kProduct) {
        EXPECT_LE(best.total_variation_up, option.design->total_variation_up);
      }
      EXPECT_EQ(*option.design, design_central(option.mechanism, request));
      if (option.mechanism == best.mechanism) {
        EXPECT_EQ(best.total_variation_up, option.design->total_variation_up);
      }
    }
    EXPECT_GE(options, 3u);
    EXPECT_EQ(best.why.find(std::string(name_of(best.mechanism))), 0u);
  }
  EXPECT_EQ(best_central_design({1000, 5, 10, Privacy::pure(1)}).mechanism,
            CentralMechanism::kSubsampledRr);
  EXPECT_EQ(best_central_design({1000, 5, 1000, Privacy::approximate(1, 1e-6)}).mechanism,
            CentralMechanism::kShuffledRr);
  EXPECT_THROW((void)best_central_design({5, 5, 6, Privacy::pure(1)}), InvalidInput);
}

TEST(CentralDesign, HoldsItsGuaranteeToWhatWasAskedFor) {
  for (const CentralOption& option : central_options({300, 8, 3, Privacy::approximate(.7, 1e-5)})) {
    if (!option.design) continue;
    EXPECT_LE(option.design->guarantee.epsilon, .7);
    EXPECT_LE(option.design->guarantee.delta, 1e-5);
  }
  const CentralDesign product =
      design_central(CentralMechanism::kProduct, {900, 8, 3, Privacy::concentrated(.1)});
  EXPECT_EQ(product.guarantee.notion, Privacy::Notion::kConcentrated);
  EXPECT_LE(product.guarantee.rho, .1);
  EXPECT_EQ(product.runs, 3u);
}

// A release with a hint designs its sampler after it has looked at the records: it may not refuse.
TEST(CentralDesign, ServesEverySmallerDomainThatAHintMayFind) {
  int served = 0;
  for (const std::uint64_t records : {4U, 60U, 3000U}) {
    for (const Privacy& budget : {Privacy::approximate(1e-4, 0), Privacy::approximate(.5, 1e-12),
                                  Privacy::approximate(3, 1e-3)}) {
      for (const CentralOption& option : central_options({records, 5000, 3, budget})) {
        if (!option.design || option.mechanism == CentralMechanism::kProduct) continue;
        const Privacy& guarantee = option.design->guarantee;
        for (const std::uint64_t width : {1U, 2U, 3U, 64U, 4999U, 5000U}) {
          const CentralRequest found{records, width, 3, guarantee};
          const CentralDesign design = design_central(option.mechanism, found);
          EXPECT_LE(design.guarantee.epsilon, guarantee.epsilon);
          EXPECT_LE(design.guarantee.delta, guarantee.delta);
          EXPECT_LE(design.total_variation_up, option.design->total_variation_up + 1e-9)
              << name_of(option.mechanism) << " " << width;
          ++served;
        }
      }
    }
  }
  EXPECT_GT(served, 150);
}

TEST(CentralDesign, ServesTheEndsOfItsRange) {
  for (const double epsilon : {30., 1e4}) {
    for (const CentralOption& option :
         central_options({2, 2, 2, Privacy::approximate(epsilon, 1e-9)})) {
      if (option.mechanism == CentralMechanism::kPoissonRr) continue;
      ASSERT_TRUE(option.design) << option.refusal;
      EXPECT_LE(option.design->guarantee.epsilon, epsilon);
    }
  }
  const Privacy little = Privacy::approximate(1e-6, .5);
  EXPECT_GE(*design_central(CentralMechanism::kShuffledRr, {2, 2, 2, little}).epsilon0, 1e-6);
}

}  // namespace

}  // namespace mollify
