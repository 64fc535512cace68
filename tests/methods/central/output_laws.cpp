// Draws against exact laws: for records that are fixed, and for records drawn from a distribution.
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "methods/central/design.h"
#include "methods/central/exact_law.h"
#include "sanitized.h"

namespace mollify {

namespace {

/// Small samplers of every kind, of independent outputs.
std::vector<std::unique_ptr<CentralSampler>> small_samplers() {
  std::vector<std::unique_ptr<CentralSampler>> samplers;
  const auto design = [&](CentralMechanism mechanism, std::uint64_t n, std::uint64_t k,
                          std::uint64_t m, const Privacy& budget) {
    samplers.push_back(make_central_sampler(design_central(mechanism, {n, k, m, budget})));
  };
  design(CentralMechanism::kSubsampledRr, 6, 3, 1, Privacy::pure(1));
  design(CentralMechanism::kSubsampledRr, 6, 3, 3, Privacy::pure(1));
  design(CentralMechanism::kDsRoo, 7, 2, 1, Privacy::pure(.5));
  design(CentralMechanism::kDsRoo, 7, 3, 2, Privacy::pure(1));
  design(CentralMechanism::kSubsetRr, 6, 3, 2, Privacy::approximate(1, .05));
  design(CentralMechanism::kShuffledRr, 4, 3, 4, Privacy::approximate(1, .05));
  design(CentralMechanism::kProduct, 5, 4, 1, Privacy::pure(1));
  design(CentralMechanism::kProduct, 8, 4, 2, Privacy::concentrated(1));
  return samplers;
}

constexpr int kDrawsOfEach = test::whole_or_sanitized(40'000, 8'000);

/// The order is drawn with the rest, so that the multiset is all there is to it.
TEST(OutputLaws, OfFixedRecordsAreTheEnumeratedOnes) {
  std::vector<std::unique_ptr<CentralSampler>> samplers = small_samplers();
  const RandomizedResponse response(3, 1);
  samplers.push_back(
      std::make_unique<PoissonSampler>(response, PoissonSubsample(.4), 4, std::nullopt, Privacy{}));
  samplers.push_back(
      std::make_unique<PoissonSampler>(response, PoissonSubsample(.4), 4, 2, Privacy{}));
  samplers.push_back(std::make_unique<ProductSampler>(2, 5, 3, 1));
  SecureRandom random;
  for (const auto& sampler : samplers) {
    const auto n = static_cast<unsigned>(sampler->record_count());
    const auto k = static_cast<unsigned>(sampler->outcome_count());
    test::Counts counts(k);
    for (unsigned i = 0; i < n; ++i) ++counts[i % 3 % k];
    const std::vector<std::uint32_t> records = test::records_of(counts);
    const test::Multisets multisets(k, n);
    std::vector<std::uint64_t> seen(multisets.count());
    for (int i = 0; i < kDrawsOfEach; ++i) {
      std::size_t id = 0;
      for (const std::uint32_t y : sampler->draw(records, random)) id = multisets.after(id, y);
      ++seen[id];
    }
    EXPECT_TRUE(test::follows(exact_law(*sampler, multisets, counts), seen));
  }
}

TEST(OutputLaws, OfRecordsFromADistributionAreIndependentAndAlike) {
  SecureRandom random;
  for (const auto& sampler : small_samplers()) {
    const auto m = static_cast<std::size_t>(*sampler->output_count());
    const auto k = static_cast<std::uint32_t>(sampler->outcome_count());
    // P: record x with probability (x + 1) / (1 + ... + k).
    const std::uint32_t parts = k * (k + 1) / 2;
    const auto record = [&] {
      auto position = static_cast<std::uint32_t>(random.below(parts));
      std::uint32_t x = 0;
      while (position > x) position -= ++x;
      return x;
    };
    std::vector<std::uint64_t> joint(static_cast<std::size_t>(std::pow(k, m)));
    std::vector<std::vector<std::uint64_t>> pairs;
    for (std::size_t i = 0; i < m * (m - 1) / 2; ++i) pairs.emplace_back(k * k);
    std::vector<std::uint32_t> records(sampler->record_count());
    for (int draw = 0; draw < kDrawsOfEach; ++draw) {
      for (std::uint32_t& x : records) x = record();
      const std::vector<std::uint32_t> outputs = sampler->draw(records, random);
      std::size_t all = 0, pair = 0;
      for (std::size_t i = 0; i < m; ++i) {
        all = all * k + outputs[i];
        for (std::size_t j = 0; j < i; ++j) ++pairs[pair++][outputs[j] * k + outputs[i]];
      }
      ++joint[all];
    }
    // P-hat by enumeration of the data sets.
    const auto n = static_cast<unsigned>(sampler->record_count());
    const test::Multisets datasets(k, n), multisets(k, static_cast<unsigned>(m));
    std::vector<double> p, expected(k);
    for (std::uint32_t x = 0; x < k; ++x) p.push_back((x + 1.) / parts);
    for (std::size_t id = 0; id < datasets.count(); ++id) {
      if (datasets.size(id) != n) continue;
      const double weight = test::multinomial(datasets.counts(id), p);
      const test::MultisetLaw law = exact_law(*sampler, multisets, datasets.counts(id));
      for (std::size_t i = 0; i < law.size(); ++i) {
        for (std::uint32_t y = 0; y < k; ++y) {
          expected[y] += weight * law[i] * multisets.counts(i)[y] / static_cast<double>(m);
        }
      }
    }
    std::vector<double> product = {1};
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<double> longer;
      for (const double before : product) {
        for (const double each : expected) longer.push_back(before * each);
      }
      product = std::move(longer);
      if (i == 1) {
        for (const auto& pair : pairs) EXPECT_TRUE(test::follows(product, pair));
      }
    }
    EXPECT_TRUE(test::follows(product, joint));
  }
}

}  // namespace

}  // namespace mollify
