#include "methods/local/law.h"

#include <random>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "kernel/public_matrix.h"
#include "kernel/search.h"
#include "kernel/sparse_law.h"

namespace mollify {

namespace {

using boost::multiprecision::cpp_int;
using Weights = std::vector<std::uint64_t>;

cpp_int entry_of(const RandomizedResponse& channel, std::size_t x, std::size_t j) {
  return x == j ? channel.kept() : channel.other();
}
template <class Channel>
cpp_int entry_of(const Channel& channel, std::size_t x, std::size_t j) {
  return cpp_int(test::uint256_t(channel.entry(x, j)));
}

/// The law against weights times rows, entry by entry.
template <class Channel>
void expect_mixture_of_rows(const Channel& channel, const Weights& weights) {
  const Law law = law_of(channel, weights);
  cpp_int weight_sum = 0;
  for (const std::uint64_t weight : weights) weight_sum += weight;
  const cpp_int total(test::uint256_t(channel.total()));
  EXPECT_EQ(cpp_int(law.denominator), weight_sum * total);
  cpp_int sum = 0;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    cpp_int expected = 0;
    for (std::size_t x = 0; x < weights.size(); ++x) {
      expected += weights[x] * entry_of(channel, x, j);
    }
    EXPECT_EQ(cpp_int(law.numerators[j]), expected) << j;
    EXPECT_NEAR(law.probabilities[j],
                expected.convert_to<double>() / (weight_sum * total).convert_to<double>(), 1e-15);
    sum += expected;
  }
  EXPECT_EQ(sum, weight_sum * total);
}

TEST(Law, OfAChannelIsTheMixtureOfItsRows) {
  std::mt19937_64 random(1);
  for (const double epsilon : {1e-6, 1.0, 30.0}) {
    for (const std::size_t k : {1U, 2U, 3U, 12U, 50U}) {
      // Outcomes alike make the staircase's moves tie, and leave rests over.
      const auto h = test::uneven_masses(k, k == 50 ? 0 : 20, random);
      std::vector<double> rows;
      for (std::size_t i = 0; i < 3 * k; ++i) rows.push_back(h[i % k] * (i < k ? 1 : 1 + 1e-7));
      for (int trial = 0; trial < 5; ++trial) {
        // As large as weights may be: just below 2^62 in all.
        Weights weights(k), row_weights(3);
        for (auto& weight : weights) weight = trial == 0 ? 0 : random() % ((1ULL << 62) / k);
        for (auto& weight : row_weights) weight = random() % ((1ULL << 62) / 3);
        if (trial == 0) weights[k - 1] = (1ULL << 62) - 1;
        expect_mixture_of_rows(RandomizedResponse(k, epsilon), weights);
        expect_mixture_of_rows(MixtureChannel::pure(h, epsilon), weights);
        expect_mixture_of_rows(StaircaseChannel::make(h, epsilon), weights);
        expect_mixture_of_rows(MatrixChannel::make(rows, k, epsilon), row_weights);
      }
    }
  }
}

TEST(Law, OfATableIsItsNumerators) {
  const std::vector<double> h = {1, 2, 3};
  const Band band = make_band({.outcome_count = 3, .reference = h, .floor = 0.5, .epsilon = 1});
  const std::vector<double> scores = {5, 0, 1};
  const Table table = projected(band, scores);
  const Law law = law_of(table);
  EXPECT_EQ(law.denominator, "4611686018427387904");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(law.numerators[i], std::to_string(table.numerators()[i]));
    EXPECT_EQ(law.probabilities[i], static_cast<double>(table.numerators()[i]) / 0x1p62);
  }
}

TEST(Law, OfASparseTableIsItsProbabilities) {
  const std::vector<double> h = {1, 2, 3, 4, 5};
  const Band band = make_band({.outcome_count = 5, .reference = h, .floor = 0.5, .epsilon = 1});
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4};
  for (std::size_t scored = 0; scored <= 5; ++scored) {
    const std::vector<double> scores(scored, 1);
    SparseTable table(band);
    project(table, std::span(all).first(scored), scores);
    const Law law = law_of(table);
    cpp_int sum = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto [numerator, denominator] = test::probability(table, i);
      EXPECT_EQ(cpp_int(law.numerators[i]) * cpp_int(test::uint256_t(denominator)),
                cpp_int(law.denominator) * cpp_int(test::uint256_t(numerator)));
      sum += cpp_int(law.numerators[i]);
    }
    EXPECT_EQ(sum, cpp_int(law.denominator)) << scored << " scored";
  }
}

}  // namespace

}  // namespace mollify
