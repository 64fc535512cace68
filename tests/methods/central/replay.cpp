// Central samplers with noise under frozen words: the noise is the kernel's for what was paid, a
// neighbour moves each noised statistic by what was paid for, and a worst pair by nearly all of it.
#include "replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "accounting/gaussian.h"
#include "kernel/noise.h"
#include "methods/central/samplers.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "methods/gaussian/small_gaussian_design.h"

namespace mollify {

namespace {

using test::FrozenRandom;
using test::NoisedStatistic;
using test::ReplayedLoss;
using test::Transcript;

constexpr double kTight = 0.95;

void expect_tight(const std::string& what, const Privacy& budget, long double seen,
                  long double promised, double tight = kTight) {
  std::printf("%s, %s: %.4Lf of the promise\n", what.c_str(), budget.text().c_str(),
              seen / promised);
  EXPECT_LE(seen, promised * (1 + 1e-9L)) << what;
  EXPECT_GE(seen, promised * tight) << what;
}

/// The noise of a design on this many coordinates, as the kernel draws it.
std::vector<std::int64_t> noise_of_kernel(PrivacyNotion notion, Ratio scale, std::size_t count,
                                          SecureRandom& random) {
  std::vector<std::int64_t> noise(count);
  if (notion == PrivacyNotion::kPure) {
    EuclideanLaplace(count, scale).draw(noise, random);
  } else {
    DiscreteGaussian(scale).draw(noise, random);
  }
  return noise;
}

NoisedStatistic noised(std::vector<long double> values, PrivacyNotion notion, Ratio scale) {
  return {std::move(values),
          notion == PrivacyNotion::kPure ? test::Noise::kEuclideanLaplace : test::Noise::kGaussian,
          test::value_of_ratio(scale)};
}

/// The least epsilon at which a discrete Gaussian and itself moved keep delta, by the sum over all
/// integers.
long double epsilon_of_shift(long double variance, std::int64_t moved, long double delta) {
  const auto reach = static_cast<std::int64_t>(14 * std::sqrt(variance)) + moved;
  long double all = 0;
  const auto weight = [&](std::int64_t z) {
    return std::exp(-static_cast<long double>(z * z) / (2 * variance));
  };
  for (std::int64_t z = -reach; z <= reach; ++z) all += weight(z);
  long double low = 0;
  long double high = 100;
  for (int i = 0; i < 60; ++i) {
    const long double epsilon = (low + high) / 2;
    long double excess = 0;
    for (std::int64_t z = -reach; z <= reach; ++z) {
      excess += std::max(0.0L, weight(z) - std::exp(epsilon) * weight(z - moved)) / all;
    }
    (excess <= delta ? high : low) = epsilon;
  }
  return high;
}

/// Outputs less their noise are the rows' sums: every coordinate of every run has the kernel's
/// noise of the design's scale, and no other.
TEST(GaussianReplay, EverySumHasTheNoiseOfTheDesign) {
  for (const PrivacyNotion notion :
       {PrivacyNotion::kPure, PrivacyNotion::kConcentrated, PrivacyNotion::kApproximate}) {
    const GaussianDesign design = test::design_of({.dimension = 3,
                                                   .plus = 3,
                                                   .minus = 1,
                                                   .radius = 50,
                                                   .notion = notion,
                                                   .noise = {300, 7},
                                                   .outputs = 4});
    const GaussianSampler sampler(design, Whitening::identity(3));
    std::vector<std::int64_t> sums;
    for (int i = 0; i < 12; ++i) sums.push_back(100 * i - 300);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      FrozenRandom random(seed);
      FrozenRandom again(seed);
      const std::vector<double> released = sampler.release(sums, std::vector<double>(3), random);
      for (std::size_t run = 0; run < 4; ++run) {
        const auto noise = noise_of_kernel(notion, design.noise, 3, again);
        for (std::size_t j = 0; j < 3; ++j) {
          const double dither = static_cast<double>(again.word() >> 11) * 0x1p-53 - 0.5;
          EXPECT_NEAR(released[3 * run + j],
                      (static_cast<double>(sums[3 * run + j] + noise[j]) + dither) / 2, 1e-9);
        }
      }
    }
  }
}

/// Replays a sampler on a table and on one whose first row lies at the other end of everything.
ReplayedLoss replayed_gaussian(const GaussianSampler& sampler, std::uint64_t seed) {
  const GaussianDesign& design = sampler.design();
  const std::size_t d = design.request.dimension;
  const PrivacyNotion notion = design.guarantee.notion;
  std::vector<double> rows(design.request.records * d);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::sin(static_cast<double>(i));
  rows[0] = 1e9;
  std::vector<double> other = rows;
  other[0] = -1e9;
  const long double cell =
      std::ldexp(1.0L / static_cast<long double>(design.weights.divisor), design.step_exponent);
  return test::replayed_loss(
      [&](const std::vector<double>& table, SecureRandom& random) {
        std::vector<long double> values;
        for (const double x : sampler.draw(MemoryTable(d, table), random)) {
          values.push_back(static_cast<long double>(x) / cell);
        }
        // A row is in one run at most, so noise of one norm is paid for all runs together.
        return Transcript{noised(std::move(values), notion, design.noise)};
      },
      rows, other, seed);
}

long double spent_of(const ReplayedLoss& loss, PrivacyNotion notion) {
  switch (notion) {
    case PrivacyNotion::kPure:
      return loss.epsilon;
    case PrivacyNotion::kConcentrated:
      return loss.rho();
    case PrivacyNotion::kApproximate:
    case PrivacyNotion::kGaussian:
      break;
  }
  return loss.mu_squared;
}

/// Small lattices, all of whose integers are known: the replayed change is exact.
TEST(GaussianReplay, AuditsOfSmallDesignsMeetThePromise) {
  for (const PrivacyNotion notion :
       {PrivacyNotion::kPure, PrivacyNotion::kConcentrated, PrivacyNotion::kApproximate}) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{3}}) {
      const GaussianDesign design =
          test::design_of({.dimension = d,
                           .plus = 3,
                           .minus = 1,
                           .radius = 500,
                           .notion = notion,
                           .noise = {notion == PrivacyNotion::kPure ? 400U : 90'000U, 1},
                           .outputs = 2});
      const GaussianSampler sampler(design, Whitening::identity(d));
      long double most = 0;
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        most = std::max(most, spent_of(replayed_gaussian(sampler, seed), notion));
      }
      const Privacy& said = design.guarantee;
      if (notion != PrivacyNotion::kApproximate) {
        expect_tight("a Gaussian sample", said, most, said.parameter());
        continue;
      }
      const long double variance = test::value_of_ratio(design.noise);
      const auto moved = static_cast<std::int64_t>(std::llround(std::sqrt(most * variance)));
      expect_tight("a Gaussian sample", said, epsilon_of_shift(variance, moved, said.delta),
                   said.epsilon);
    }
  }
}

/// Designs as releases use them, with and without public noise.
TEST(GaussianReplay, AuditsOfDesignsMeetThePromise) {
  for (const Privacy& budget :
       {Privacy::pure(1), Privacy::concentrated(0.1), Privacy::approximate(1, 1e-6)}) {
    const GaussianDesign design = design_gaussian(
        {.records = 3000, .dimension = 2, .outputs = 2, .budget = budget, .mean_bound = 1});
    const GaussianSampler sampler(design, Whitening::identity(2));
    long double most = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      most = std::max(most, spent_of(replayed_gaussian(sampler, seed), budget.notion));
    }
    const Privacy& said = design.guarantee;
    if (budget.notion != PrivacyNotion::kApproximate) {
      expect_tight("a designed Gaussian sample", said, most, said.parameter());
      continue;
    }
    // On a lattice this fine the discrete Gaussian is the continuous one.
    const auto scaled = static_cast<std::int64_t>(1000 * std::sqrt(most));
    expect_tight("a designed Gaussian sample", said, epsilon_of_shift(1e6L, scaled, said.delta),
                 said.epsilon);
  }
}

/// One run of a shared Gaussian: what each round summed up, and the last round's noisy entries,
/// found again from the model.
struct MeasuredMoments {
  std::vector<MomentMeasure> asked;
  std::vector<std::vector<std::int64_t>> entries;
  std::vector<long double> noisy;
};

std::vector<long double> last_noisy_entries(const MomentDesign& design,
                                            const MomentMeasure& measure,
                                            const SharedGaussian& model) {
  const std::size_t d = design.request.dimension;
  const auto n = static_cast<long double>(design.request.records);
  std::vector<long double> mean(d);
  std::vector<long double> second(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      mean[i] +=
          static_cast<long double>(measure.forward[i * d + j]) *
          (static_cast<long double>(model.mean[j]) - static_cast<long double>(measure.centre[j]));
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < d; ++b) {
          second[i * d + j] += static_cast<long double>(measure.forward[i * d + a]) *
                               static_cast<long double>(model.covariance[a * d + b]) *
                               static_cast<long double>(measure.forward[j * d + b]);
        }
      }
    }
  }
  std::vector<long double> entries;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) {
      entries.push_back((i == j ? 5 : 7) * n * (second[i * d + j] + mean[i] * mean[j]));
    }
    entries.push_back(7 * n * static_cast<long double>(design.offset) * mean[i]);
  }
  return entries;
}

MeasuredMoments measured(const MomentSampler& sampler, const std::vector<double>& rows,
                         SecureRandom& random) {
  MeasuredMoments run;
  const SharedGaussian model = sampler.measure(
      [&](const MomentMeasure& measure) {
        MomentSums sums(sampler.design(), measure);
        sums.add(rows);
        run.asked.push_back(measure);
        run.entries.push_back(sums.entries());
        return run.entries.back();
      },
      random);
  run.noisy = last_noisy_entries(sampler.design(), run.asked.back(), model);
  return run;
}

/// Rows that fill a square evenly, so that no direction is special.
std::vector<double> square_rows(std::size_t n) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.push_back(std::sin(static_cast<double>(7 * i)));
    rows.push_back(std::sin(static_cast<double>(11 * i) + 1));
  }
  return rows;
}

/// Every round has the kernel's noise of its own scale. A release that ends after a round shows the
/// round's noise, and asks what the whole release has asked up to there.
TEST(SharedGaussianReplay, EveryRoundHasTheNoiseOfTheDesign) {
  constexpr std::size_t kRows = 20'000;
  const std::vector<double> rows = square_rows(kRows);
  const auto numbers_of = [](const MomentMeasure& measure) {
    return std::pair(measure.centre, measure.forward);
  };
  for (const Privacy& budget :
       {Privacy::pure(3), Privacy::concentrated(1), Privacy::approximate(3, 1e-6)}) {
    const MomentDesign whole = design_moments({kRows, 2, budget});
    ASSERT_GT(whole.rounds.size(), 1U);
    FrozenRandom random(1);
    const MeasuredMoments all =
        measured(MomentSampler(whole, {-1.5, -1.5}, {1.5, 1.5}), rows, random);
    ASSERT_EQ(all.asked.size(), whole.rounds.size());
    FrozenRandom again(1);
    for (std::size_t k = 0; k < whole.rounds.size(); ++k) {
      MomentDesign design = whole;
      design.rounds.resize(k + 1);
      FrozenRandom part(1);
      const MeasuredMoments run =
          measured(MomentSampler(design, {-1.5, -1.5}, {1.5, 1.5}), rows, part);
      ASSERT_EQ(run.asked.size(), k + 1);
      for (std::size_t before = 0; before <= k; ++before) {
        EXPECT_EQ(numbers_of(run.asked[before]), numbers_of(all.asked[before])) << budget.text();
      }
      const auto noise = noise_of_kernel(budget.notion, design.rounds[k].noise, 5, again);
      const long double deviation = entry_deviation(design, design.rounds[k]);
      for (std::size_t i = 0; i < noise.size(); ++i) {
        const auto exact = static_cast<long double>(run.entries.back()[i]);
        EXPECT_NEAR(static_cast<double>((run.noisy[i] - exact) / deviation),
                    static_cast<double>(static_cast<long double>(noise[i]) / deviation), 1e-5)
            << budget.text() << ", round " << k << ", entry " << i;
      }
    }
  }
}

/// Replays all rounds on a neighbour, each with the question that the first table was asked. The
/// two rows that are exchanged lie so that their lifted vectors (x, b) are at right angles.
TEST(SharedGaussianReplay, AuditsMeetThePromise) {
  constexpr std::size_t kRows = 20'000;
  for (const Privacy& budget :
       {Privacy::pure(3), Privacy::concentrated(1), Privacy::approximate(3, 1e-6)}) {
    const MomentDesign design = design_moments({kRows, 2, budget});
    const MomentSampler sampler(design, {-1.5, -1.5}, {1.5, 1.5});
    std::vector<double> rows = square_rows(kRows);
    std::vector<double> other = rows;
    rows[0] = 1e9;
    rows[1] = 0;
    other[0] = -0.25e9;
    other[1] = std::sqrt(15.0) / 4 * 1e9;
    std::vector<MomentMeasure> asked;
    const auto loss = test::replayed_loss(
        [&](const std::vector<double>& table, SecureRandom& random) {
          const MeasuredMoments run = measured(sampler, table, random);
          if (asked.empty()) asked = run.asked;
          Transcript transcript;
          for (std::size_t k = 0; k < design.rounds.size(); ++k) {
            MomentSums sums(design, asked[k]);
            sums.add(table);
            const auto entries = sums.entries();
            transcript.push_back(
                noised({entries.begin(), entries.end()}, budget.notion, design.rounds[k].noise));
            if (budget.notion == PrivacyNotion::kApproximate) {
              transcript.back().scale -= static_cast<long double>(kLatticePart);
            }
          }
          return transcript;
        },
        rows, other, 3);
    expect_tight("a shared Gaussian", budget, spent_of(loss, budget.notion), design.amount);
  }
}

/// A stable histogram of two frequent outcomes: both noisy counts are released.
TEST(FiniteReplay, AStableHistogramMeetsThePromise) {
  const StableHistogram histogram(1, 1e-6);
  const auto released = [&](const OutcomeHistogram& counts, SecureRandom& random) {
    std::vector<long double> values;
    for (const NoisyCount& one : histogram.draw(counts, random)) {
      values.push_back(static_cast<long double>(one.count));
    }
    EXPECT_EQ(values.size(), 2U);
    return Transcript{
        {std::move(values), test::Noise::kLaplace, static_cast<long double>(histogram.scale())}};
  };
  const OutcomeHistogram one{{3, 9}, {100, 100}};
  const OutcomeHistogram other{{3, 9}, {99, 101}};
  expect_tight("a stable histogram", histogram.guarantee(),
               test::replayed_loss(released, one, other, 4).epsilon, 1);
  FrozenRandom random(4);
  FrozenRandom again(4);
  const DiscreteLaplace noise = DiscreteLaplace::at_least(2);
  for (const NoisyCount& count : histogram.draw(one, random)) {
    EXPECT_EQ(static_cast<std::int64_t>(count.count), 100 + noise.draw(again));
  }
}

/// Several outputs are draws of one histogram, and every count has noise for its price.
TEST(FiniteReplay, AHistogramIsDrawnFromNoisyCountsAlone) {
  const HistogramSampler records(3, 1000, 4, 0.5);
  const HistogramSampler weights(3, 1000, 4, 0.5, 30);
  const std::pair<const HistogramSampler&, OutcomeHistogram> cases[] = {
      {records, {{0, 1, 2}, {300, 300, 400}}},
      {records, {{0, 2}, {1, 999}}},
      {weights, {{0, 1, 2}, {3000, 1, 12'000}}},
      {weights, {{0, 1, 2}, {200, 90, 160}}},  // about as much as the noise
      {weights, {{1}, {1}}}};
  for (const auto& [sampler, table] : cases) {
    const std::int64_t weight = sampler.has_weights() ? 30 : 1;
    const std::int64_t most = sampler.has_weights() ? (std::int64_t{1} << 62U) / 3 : 1000;
    const DiscreteLaplace noise =
        DiscreteLaplace::at_least(static_cast<double>(2 * weight) / sampler.guarantee().epsilon);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      FrozenRandom random(seed);
      FrozenRandom again(seed);
      std::array<std::int64_t, 3> counts{};
      noise.draw(counts, again);
      for (std::size_t i = 0; i < table.keys.size(); ++i) {
        counts[table.keys[i]] += static_cast<std::int64_t>(table.counts[i]);
      }
      std::uint64_t sum = 0;
      for (std::int64_t& count : counts) {
        count = std::clamp(count, std::int64_t{0}, most);
        sum += static_cast<std::uint64_t>(count);
      }
      std::vector<std::uint32_t> outputs;
      for (int i = 0; i < 4; ++i) {
        if (sum == 0) {
          outputs.push_back(static_cast<std::uint32_t>(again.below(3)));
          continue;
        }
        auto position = static_cast<std::int64_t>(again.below(sum));
        std::uint32_t outcome = 0;
        while (position >= counts[outcome]) position -= counts[outcome++];
        outputs.push_back(outcome);
      }
      EXPECT_EQ(sampler.draw(table, random), outputs);
      EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
    }
  }
}

}  // namespace

}  // namespace mollify
