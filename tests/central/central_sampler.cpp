#include "central/central_sampler.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "central/central_design.h"
#include "records/keyed_units.h"
#include "records/release_key.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {
namespace {

/// Designs of every mechanism, small and large.
const std::vector<CentralDesign>& designs_of_every_mechanism() {
  static const std::vector<CentralDesign> kDesigns = [] {
    std::vector<CentralDesign> designs;
    for (const auto& [n, k, m] : std::vector<std::array<std::uint64_t, 3>>{
             {1, 1, 1}, {1, 2, 1}, {7, 8, 3}, {7, 8, 7}, {1000, 3, 1}, {1000, 4096, 500}}) {
      for (const double delta : {0.0, 1e-3}) {
        for (CentralOption& option : central_options({n, k, m, Privacy::approximate(1, delta)})) {
          if (option.design) designs.push_back(std::move(*option.design));
        }
      }
    }
    designs.push_back(design_poisson({100, 3, 1, Privacy::approximate(1, 1e-3)}, .5));
    designs.push_back(
        design_central(CentralMechanism::kProduct, {1000, 8, 5, Privacy::concentrated(.1)}));
    return designs;
  }();
  return kDesigns;
}

TEST(CentralSampler, HasTheShapeOfItsDesign) {
  SecureRandom random;
  std::size_t served = 0;
  for (const CentralDesign& design : designs_of_every_mechanism()) {
    const std::unique_ptr<CentralSampler> sampler = make_central_sampler(design);
    EXPECT_EQ(sampler->record_count(), design.records);
    EXPECT_EQ(sampler->outcome_count(), design.outcomes);
    EXPECT_EQ(sampler->output_count(), design.outputs);
    EXPECT_EQ(sampler->guarantee(), design.guarantee);
    EXPECT_EQ(sampler->total_variation_up(), design.total_variation_up);
    EXPECT_EQ(sampler->outputs_are_independent(), design.independent_outputs);
    EXPECT_GE(design.total_variation_up, 0);
    EXPECT_LE(design.total_variation_up, 1);
    EXPECT_FALSE(design.why.empty());
    const std::vector<std::uint32_t> records(design.records, 0);
    const std::vector<std::uint32_t> outputs = sampler->draw(records, random);
    if (design.outputs) {
      EXPECT_EQ(outputs.size(), *design.outputs);
    }
    for (const std::uint32_t output : outputs) EXPECT_LT(output, design.outcomes);
    ++served;
  }
  std::printf("%zu designs\n", served);
}

TEST(CentralSampler, IsTotal) {
  SecureRandom random;
  for (const CentralDesign& design : designs_of_every_mechanism()) {
    const std::unique_ptr<CentralSampler> sampler = make_central_sampler(design);
    std::vector<std::uint32_t> records(design.records, ~std::uint32_t{0});
    records.back() = static_cast<std::uint32_t>(design.outcomes);
    for (const std::uint32_t output : sampler->draw(records, random)) {
      EXPECT_LT(output, design.outcomes);
    }
  }
}

// For the same words a list of records and its counts give the same outputs, whatever its order: so
// their laws are the same, exactly. Every list of up to 7 records of 5 outcomes, and of up to 5 of
// 4, which alone are bits; every mechanism.
TEST(CentralSampler, DrawsAlikeFromRecordsAndFromTheirCounts) {
  constexpr std::size_t kMost = test::whole_or_sanitized(7, 4);
  const ReleaseKey key;
  KeyedUnits words(key, "");
  std::size_t tried = 0;
  std::set<CentralMechanism> mechanisms;
  for (std::size_t i = 1; i <= kMost + 5; ++i) {
    const std::size_t n = i <= kMost ? i : i - kMost;
    const std::uint32_t outcomes = i <= kMost ? 5 : 4;
    std::vector<std::unique_ptr<CentralSampler>> samplers;
    for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{n}}) {
      const CentralRequest request{n, outcomes, m, Privacy::approximate(1, 1e-3)};
      for (const CentralOption& option : central_options(request)) {
        if (!option.design) continue;
        mechanisms.insert(option.mechanism);
        samplers.push_back(make_central_sampler(*option.design));
      }
    }
    samplers.push_back(
        make_central_sampler(design_poisson({n, outcomes, 1, Privacy::approximate(1, 1e-3)}, .5)));
    mechanisms.insert(CentralMechanism::kPoissonRr);
    std::vector<std::uint32_t> records(n, 0);
    for (bool is_new = true; is_new;) {
      OutcomeHistogram histogram;
      for (std::uint32_t x = 0; x < outcomes; ++x) {
        const auto count = std::count(records.begin(), records.end(), x);
        if (count == 0) continue;
        histogram.keys.push_back(x);
        histogram.counts.push_back(static_cast<std::uint64_t>(count));
      }
      for (const auto& sampler : samplers) {
        const auto outputs = sampler->draw(records, words.before_law());
        ASSERT_EQ(outputs, sampler->draw(histogram, words.before_law()));
        ++tried;
      }
      is_new = false;
      for (std::uint32_t& record : records) {
        if (++record < outcomes) {
          is_new = true;
          break;
        }
        record = 0;
      }
    }
  }
  std::printf("%zu mechanisms, %zu pairs of draws\n", mechanisms.size(), tried);
  EXPECT_EQ(mechanisms.size(), names<CentralMechanism>().size());
}

// 2^40 records and 2^24 outcomes are a histogram like any other.
TEST(CentralSampler, DrawsFromCountsOfMoreRecordsThanFitInMemory) {
  SecureRandom random;
  constexpr std::uint64_t kRecords = std::uint64_t{1} << 39U;
  constexpr std::uint64_t kOutcomes = std::uint64_t{1} << test::whole_or_sanitized(20U, 17U);
  OutcomeHistogram histogram;
  for (std::uint32_t x = 0; x < kOutcomes; x += 2) {
    histogram.keys.push_back(x);
    histogram.counts.push_back(kRecords / (kOutcomes / 2));
  }
  for (const CentralMechanism mechanism :
       {CentralMechanism::kSubsampledRr, CentralMechanism::kSubsetRr, CentralMechanism::kPoissonRr,
        CentralMechanism::kHistogram, CentralMechanism::kProduct, CentralMechanism::kDsRoo}) {
    const std::uint64_t outputs = mechanism == CentralMechanism::kDsRoo ? 1 : 1000;
    const bool is_pure =
        mechanism != CentralMechanism::kSubsetRr && mechanism != CentralMechanism::kPoissonRr;
    const auto sampler = make_central_sampler(
        design_central(mechanism, {kRecords, kOutcomes, outputs,
                                   is_pure ? Privacy::pure(1) : Privacy::approximate(1, 1e-13)}));
    const std::vector<std::uint32_t> released = sampler->draw(histogram, random);
    EXPECT_EQ(released.size(), outputs);
    // At such sizes nearly every output is a record's outcome, which is even; of product's
    // coordinates each flips a bit more often.
    std::uint64_t even = 0;
    for (const std::uint32_t x : released) {
      EXPECT_LT(x, kOutcomes);
      even += x % 2 == 0 ? 1 : 0;
    }
    EXPECT_GE(even, outputs - outputs / 10) << name_of(mechanism);
  }
}

TEST(CentralSampler, RefusesAnotherNumberOfRecordsThanItsDesigns) {
  SecureRandom random;
  const auto sampler = make_central_sampler(
      design_central(CentralMechanism::kSubsampledRr, {10, 3, 1, Privacy::pure(1)}));
  EXPECT_EQ(test::refusal_of([&] {
              static_cast<void>(sampler->draw(OutcomeHistogram{{0, 2}, {4, 5}}, random));
            }),
            "a draw must be from the 10 records of its design, but has 9");
}

}  // namespace
}  // namespace mollify
