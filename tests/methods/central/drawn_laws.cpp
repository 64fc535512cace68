// Every finite sampler without noise of its own, also with several outputs: the law of what it
// draws, word by word, is the one that the enumerations of brute_force.cpp are about, for every
// table of a few records.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/order.h"
#include "methods/central/design.h"
#include "methods/central/exact_law.h"
#include "methods/central/support.h"
#include "replay.h"

namespace mollify {

namespace {

using test::Counts;
using test::Multisets;
using OutputLaw = test::DrawnLaw<std::vector<std::uint32_t>>;

struct SmallSampler {
  std::string name;
  std::unique_ptr<CentralSampler> sampler;
};

std::vector<SmallSampler> drawn_samplers() {
  std::vector<SmallSampler> samplers;
  const auto design = [&](CentralMechanism mechanism, std::uint64_t n, std::uint64_t k,
                          std::uint64_t m, const Privacy& budget) {
    samplers.push_back({std::string(name_of(mechanism)),
                        make_central_sampler(design_central(mechanism, {n, k, m, budget}))});
  };
  const Privacy pure = Privacy::pure(1);
  design(CentralMechanism::kSubsampledRr, 4, 3, 1, pure);
  design(CentralMechanism::kSubsampledRr, 3, 2, 2, pure);
  design(CentralMechanism::kRevealOrObscure, 4, 3, 1, pure);
  design(CentralMechanism::kDsRoo, 4, 3, 1, pure);
  design(CentralMechanism::kDsRoo, 4, 2, 2, pure);
  design(CentralMechanism::kProduct, 3, 4, 1, pure);
  design(CentralMechanism::kProduct, 2, 4, 2, pure);
  design(CentralMechanism::kSubsetRr, 4, 2, 2, Privacy::approximate(1, 0.05));
  design(CentralMechanism::kShuffledRr, 3, 2, 3, Privacy::approximate(1, 0.05));
  samplers.push_back({"clipped means", std::make_unique<ClippedMeans>(2, 5, 1)});
  // Every record is kept, which is more than are released.
  const RandomizedResponse response(2, 1);
  const PoissonSubsample all(1);
  samplers.push_back({"poisson-rr, all",
                      std::make_unique<PoissonSampler>(response, all, 3, std::nullopt, Privacy{})});
  samplers.push_back(
      {"poisson-rr, 2", std::make_unique<PoissonSampler>(response, all, 3, 2, Privacy{})});
  return samplers;
}

/// The multiset of the outputs has the enumerated law, and all orders of it are as likely.
void expect_enumerated(const OutputLaw& drawn, const test::MultisetLaw& expected,
                       const Multisets& multisets) {
  std::vector<long double> shares(multisets.count());
  std::vector<std::vector<long double>> orders(multisets.count());
  for (const auto& [outputs, share] : drawn) {
    std::size_t id = 0;
    for (const std::uint32_t y : outputs) id = multisets.after(id, y);
    shares[id] += share;
    orders[id].push_back(share);
  }
  for (std::size_t id = 0; id < shares.size(); ++id) {
    EXPECT_NEAR(static_cast<double>(shares[id]), expected[id], 1e-13);
    std::vector<double> ones(multisets.outcomes(), 1);
    if (shares[id] == 0) continue;
    EXPECT_EQ(static_cast<double>(orders[id].size()),
              std::round(test::multinomial(multisets.counts(id), ones)));
    const auto [least, most] = std::minmax_element(orders[id].begin(), orders[id].end());
    EXPECT_NEAR(static_cast<double>(*least), static_cast<double>(*most), 1e-15);
  }
}

TEST(DrawnLaws, OfEveryTableAreTheEnumeratedOnes) {
  for (const auto& [name, sampler] : drawn_samplers()) {
    const auto n = static_cast<unsigned>(sampler->record_count());
    const auto k = static_cast<unsigned>(sampler->outcome_count());
    const Multisets tables(k, n);
    const auto most = static_cast<unsigned>(
        dynamic_cast<const PoissonSampler*>(sampler.get()) != nullptr ? n
                                                                      : *sampler->output_count());
    const Multisets multisets(k, most);
    std::vector<OutputLaw> laws(tables.count());
    for (std::size_t id = 0; id < tables.count(); ++id) {
      if (tables.size(id) != n) continue;
      const std::vector<std::uint32_t> records = test::records_of(tables.counts(id));
      laws[id] = test::drawn_law(
          [&, &drawn = *sampler](SecureRandom& random) { return drawn.draw(records, random); });
      SCOPED_TRACE(name);
      expect_enumerated(laws[id], exact_law(*sampler, multisets, tables.counts(id)), multisets);
    }
    const Privacy promised = sampler->guarantee();
    if (promised.notion != PrivacyNotion::kPure || promised.epsilon == 0) continue;
    long double told = 0;
    test::for_all_neighbours(tables, n, [&](std::size_t one, std::size_t other) {
      told = std::max(told, test::greatest_log_ratio(laws[one], laws[other]));
    });
    std::printf("%s, n = %u, k = %u, %s: %.4Lf of the promise\n", name.c_str(), n, k,
                promised.text().c_str(), told / promised.epsilon);
    EXPECT_LE(told, promised.epsilon * (1 + 1e-12L)) << name;
    EXPECT_GE(told, promised.epsilon * 0.95L) << name;
  }
}

/// A Poisson sample keeps records at its own rate: the words of the kernel's coins come first. Of
/// exactly m outputs those that lack are uniform, and the order is drawn last.
TEST(DrawnLaws, OfAPoissonSampleBeginWithItsCoins) {
  const RandomizedResponse response(3, 1);
  const PoissonSubsample coins(0.3);
  const OutcomeHistogram table{{0, 1, 2}, {20, 15, 5}};
  for (const std::size_t exactly : {0U, 5U, 30U}) {
    const std::optional<std::uint64_t> outputs =
        exactly == 0 ? std::nullopt : std::optional(std::uint64_t{exactly});
    const PoissonSampler sampler(response, coins, 40, outputs, Privacy{});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      test::FrozenRandom random(seed);
      test::FrozenRandom again(seed);
      std::vector<std::uint32_t> reports = coins.draw(table.counts, again);
      for (std::uint32_t& value : reports) {
        value = static_cast<std::uint32_t>(response.draw(value, again));
      }
      while (reports.size() < exactly) {
        reports.push_back(static_cast<std::uint32_t>(again.below(3)));
      }
      shuffle(reports, again);
      if (exactly > 0) reports.resize(exactly);
      EXPECT_EQ(sampler.draw(table, random), reports);
      EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
    }
  }
}

/// Every record outside of the outcomes that were found has a uniform draw of its own.
TEST(DrawnLaws, OfRecordsOutsideAFoundSupportAreUniform) {
  const FoundSupport support(std::vector<std::uint32_t>{3, 7});
  const auto law = test::drawn_law([&](SecureRandom& random) {
    const OutcomeHistogram places = support.map_into({{1, 3, 9}, {1, 5, 2}}, random);
    return places.counts.front();
  });
  const std::vector<long double> expected = {0.125L, 0.375L, 0.375L, 0.125L};
  ASSERT_EQ(law.size(), expected.size());
  for (const auto& [count, share] : law) {
    EXPECT_NEAR(static_cast<double>(share), static_cast<double>(expected[count - 5]), 1e-15);
  }
}

}  // namespace

}  // namespace mollify
