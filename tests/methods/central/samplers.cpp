#include "methods/central/samplers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "methods/central/design.h"
#include "methods/central/exact_law.h"
#include "not_finite.h"
#include "records/keyed_units.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Central sampler.

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

// -----------------------------------------------------------------------------------------------
// Clipped means.

namespace {

TEST(ClippedMeans, ClipsAsLittleAsTheBudgetAllows) {
  for (const unsigned d : {1u, 5u, 24u}) {
    for (const std::uint64_t n : {10u, 1000u, 1'000'000u}) {
      for (const double rho : {1e-6, 1e-3, .1, 10.}) {
        const std::optional<std::uint64_t> clip = ClippedMeans::least_clip(d, n, rho);
        if (!clip) {
          EXPECT_GT(ClippedMeans(d, n, (n + 2) / 3 - 1).guarantee().rho, rho);
          continue;
        }
        EXPECT_LE(ClippedMeans(d, n, *clip).guarantee().rho, rho);
        if (*clip > 1) {
          EXPECT_GT(ClippedMeans(d, n, *clip - 1).guarantee().rho, rho);
        }
      }
    }
  }
}

/// |E clip(X) / n - p| of one bit, exactly.
double bias_of(std::uint64_t n, std::uint64_t clip, double p) {
  const auto trials = static_cast<double>(n);
  const boost::math::binomial count(trials, p);
  double mean = 0;
  for (std::uint64_t c = 0; c <= n; ++c) {
    mean += pdf(count, static_cast<double>(c)) *
            static_cast<double>(std::clamp(c, clip, n - clip)) / trials;
  }
  return std::fabs(mean - p);
}

TEST(ClippedMeans, AreAsNearToTheirDistributionAsStated) {
  for (const std::uint64_t n : {6u, 30u, 200u}) {
    for (const std::uint64_t clip : {std::uint64_t{1}, n / 6, (n + 2) / 3 - 1}) {
      for (const double p : {1. / 3, .4, .5, .6, 2. / 3}) {
        EXPECT_LE(bias_of(n, clip, p), ClippedMeans(1, n, clip).total_variation_up() + 1e-13);
      }
    }
  }
}

std::string clipped_refusal(unsigned coordinates, std::uint64_t records, std::uint64_t clip) {
  return test::refusal_of([&] { ClippedMeans(coordinates, records, clip); });
}

TEST(ClippedMeans, RefuseInOneSentence) {
  EXPECT_EQ(clipped_refusal(25, 9, 2), "the number of coordinates must be from 1 to 24, but is 25");
  EXPECT_EQ(clipped_refusal(2, 3, 1),
            "the number of records must be from 4 to 1099511627776, but is 3");
  EXPECT_EQ(clipped_refusal(2, 9, 3),
            "the clipped count must be from 1 to less than a third of the 9 records, but is 3");
  EXPECT_EQ(clipped_refusal(2, 10, 3), "accepted");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Disjoint runs.

namespace {

TEST(DisjointRuns, GivesEachRunRecordsOfItsOwn) {
  // At epsilon 30 a run reveals one of its records: no record twice, and each as often.
  const std::uint32_t n = 10;
  const DisjointRuns sampler(std::make_unique<DsRoo>(1000, 3, 30), n, 3);
  std::vector<std::uint32_t> records(n);
  for (std::uint32_t i = 0; i < n; ++i) records[i] = i;
  SecureRandom random;
  std::vector<int> seen(n);
  for (int draw = 0; draw < 1000; ++draw) {
    const std::vector<std::uint32_t> outputs = sampler.draw(records, random);
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_TRUE(outputs[0] != outputs[1] && outputs[0] != outputs[2] && outputs[1] != outputs[2]);
    for (const std::uint32_t output : outputs) ++seen[output];
  }
  // Bin(1000, .3): six standard deviations are 87.
  for (const int count : seen) EXPECT_NEAR(count, 300, 87);
}

std::string runs_refusal(std::uint64_t each, std::uint64_t records, std::uint64_t runs) {
  return test::refusal_of(
      [&] { DisjointRuns(std::make_unique<DsRoo>(2, each, 1), records, runs); });
}

TEST(DisjointRuns, RefusesInOneSentence) {
  EXPECT_EQ(runs_refusal(3, 9, 3), "accepted");
  EXPECT_EQ(runs_refusal(3, 8, 3), "3 disjoint runs on 3 records each do not fit into 8 records");
  EXPECT_EQ(runs_refusal(3, 8, 0), "0 disjoint runs on 3 records each do not fit into 8 records");
  auto two = std::make_unique<DisjointRuns>(std::make_unique<DsRoo>(2, 1, 1), 2, 2);
  EXPECT_THROW(DisjointRuns(std::move(two), 8, 2), InvalidInput);
}

TEST(MultiSampling, StrongIsAFactorOfWeakRoundedUp) {
  EXPECT_EQ(strong_total_variation_up(.01, 10), .1);
  EXPECT_EQ(strong_total_variation_up(.3, 10), 1);
  EXPECT_GE(strong_total_variation_up(.1, 3), .1 * 3);
  EXPECT_THROW((void)strong_total_variation_up(-.1, 3), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Ds roo.

namespace {

TEST(DsRoo, BeginsLikeOneChosenRecordAndFalls) {
  for (const double epsilon : {1e-3, .1, 1., 5.}) {
    for (const std::uint64_t n : {1u, 20u, 1000u, 100'000u}) {
      for (const std::uint64_t k : {2u, 3u, 50u}) {
        const DsRoo sampler(k, n, epsilon);
        const auto whole = static_cast<double>(DsRoo::kTotal);
        const double first = static_cast<double>(sampler.obscured(0)) / whole;
        const auto outcomes = static_cast<double>(k);
        const double excess = static_cast<double>(n) * std::expm1(epsilon);
        EXPECT_NEAR(first * (outcomes + excess) / outcomes, 1, 1e-8);
        EXPECT_NEAR(sampler.total_variation_up(), first * (1 - 1 / outcomes), 1e-12);
        for (std::uint64_t j = 0; j < n / k; ++j) {
          EXPECT_LE(sampler.obscured(j + 1), sampler.obscured(j));
        }
        EXPECT_TRUE(sampler.satisfies(ExpBound(epsilon)));
        if (n >= 20) {
          EXPECT_FALSE(sampler.satisfies(ExpBound(epsilon * .999)));
        }
      }
    }
  }
}

/// From the recursion solved by hand in decimals, to four digits.
TEST(DsRoo, HasTheKnownSequence) {
  const DsRoo sampler(3, 20, .3);
  const double expected[] = {.3001, .2681, .2037, .0997, 0, 0, 0};
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(static_cast<double>(sampler.obscured(j)) / static_cast<double>(DsRoo::kTotal),
                expected[j], 5e-5);
  }
}

/// How often an outcome occurs in n records of a share.
double binomial(std::uint64_t n, std::uint64_t times, double share) {
  const auto of = static_cast<double>(n);
  const auto in = static_cast<double>(times);
  return std::exp(std::lgamma(of + 1) - std::lgamma(in + 1) - std::lgamma(of - in + 1) +
                  in * std::log(share) + (of - in) * std::log1p(-share));
}

/// The exact total variation of one output from P on three outcomes, over all tables of n records.
double distance_of_ds_roo(const DsRoo& sampler, const std::array<double, 3>& p) {
  const std::uint64_t n = sampler.record_count();
  std::array<double, 3> excess{};  // of the law over P: E[q (1/k - c/n)]
  for (std::uint64_t a = 0; a <= n; ++a) {
    for (std::uint64_t b = 0; a + b <= n; ++b) {
      const std::array<std::uint64_t, 3> counts{a, b, n - a - b};
      const double probability = binomial(n, a, p[0]) * binomial(n - a, b, p[1] / (1 - p[0]));
      const std::uint64_t least = *std::min_element(counts.begin(), counts.end());
      const double q =
          static_cast<double>(sampler.obscured(least)) / static_cast<double>(DsRoo::kTotal);
      for (std::size_t x = 0; x < 3; ++x) {
        excess[x] +=
            probability * q * (1.0 / 3 - static_cast<double>(counts[x]) / static_cast<double>(n));
      }
    }
  }
  double distance = 0;
  for (const double one : excess) distance += std::max(one, 0.0);
  return distance;
}

// docs/theory/central.md: alpha holds for every P, and a P that covers all outcomes is far nearer.
TEST(DsRoo, ComesExponentiallyNearToWhatCoversAllOutcomes) {
  constexpr std::array kP = {.2, .3, .5};
  for (const double epsilon : {.5, 1.}) {
    double before = 1;
    for (const std::uint64_t n : {10U, 20U, 40U, 80U}) {
      const DsRoo sampler(3, n, epsilon);
      const double exact = distance_of_ds_roo(sampler, kP);
      const auto weight = [&](std::uint64_t least) {
        return static_cast<double>(sampler.obscured(least)) / static_cast<double>(DsRoo::kTotal) *
               (1.0 / 3 - static_cast<double>(least) / static_cast<double>(n));
      };
      double bound = 0;
      double at_most = 0;  // the probability that the rarest outcome occurs so often at most
      for (std::uint64_t least = 0; least <= n / 3; ++least) {
        at_most += binomial(n, least, kP[0]);
        bound += 2 * (weight(least) - weight(least + 1)) * std::min(1.0, 3 * at_most);
      }
      std::printf("epsilon %.1f, %2llu records: alpha %.4f, %.2e of (.2, .3, .5), at most %.2e\n",
                  epsilon, static_cast<unsigned long long>(n), sampler.total_variation_up(), exact,
                  bound);
      EXPECT_LE(exact, bound * (1 + 1e-9));
      EXPECT_LE(bound, sampler.total_variation_up());
      if (n > 10) {  // twice the records: at most about the square
        EXPECT_LT(exact, std::pow(before, 1.3));
      }
      before = exact;
      // What alpha is the least bound for.
      EXPECT_NEAR(distance_of_ds_roo(sampler, {1 - 2e-9, 1e-9, 1e-9}), sampler.total_variation_up(),
                  1e-6);
    }
  }
}

// Falling to 0 would take minutes at this epsilon. After its last step the sequence stays, which is
// as private.
TEST(DsRoo, StaysAfterManySteps) {
  const double epsilon = 1e-5;
  const DsRoo sampler(2, std::uint64_t{1} << 40U, epsilon);
  const std::uint64_t last = sampler.obscured(DsRoo::kMostSteps);
  EXPECT_LT(last, sampler.obscured(DsRoo::kMostSteps - 1));
  EXPECT_GT(last, 0U);
  EXPECT_EQ(sampler.obscured(DsRoo::kMostSteps + 1), last);
  EXPECT_EQ(sampler.obscured(std::uint64_t{1} << 39U), last);
  EXPECT_TRUE(sampler.satisfies(ExpBound(epsilon)));
  EXPECT_FALSE(sampler.satisfies(ExpBound(epsilon * .99)));
}

std::string ds_roo_refusal(std::uint64_t outcomes, std::uint64_t records, double epsilon) {
  return test::refusal_of([&] { DsRoo(outcomes, records, epsilon); });
}

TEST(DsRoo, RefusesInOneSentence) {
  EXPECT_EQ(ds_roo_refusal(0, 5, 1), "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(ds_roo_refusal(2, 0, 1),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(ds_roo_refusal(2, 5, -1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(ds_roo_refusal(1, 1, 1), "accepted");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Histogram sampler.

namespace {

/// Noise beyond 500 is left out; at scale 4 its probability is below 1e-54.
constexpr int kWindow = 500;

/// The law of the multiset of outputs, by all noises in the window.
test::MultisetLaw law_of_histogram(const HistogramSampler& sampler,
                                   const test::Multisets& multisets, const test::Counts& counts) {
  const auto n = static_cast<int>(sampler.record_count());
  const auto m = static_cast<unsigned>(*sampler.output_count());
  const double t = static_cast<double>(sampler.noise().scale().numerator) /
                   static_cast<double>(sampler.noise().scale().denominator);
  // The law of each clipped count, from 0 to n.
  std::vector<std::vector<double>> clipped;
  for (const unsigned count : counts) {
    std::vector<double> law(static_cast<std::size_t>(n) + 1);
    for (int z = -kWindow; z <= kWindow; ++z) {
      const int value = std::clamp(static_cast<int>(count) + z, 0, n);
      law[static_cast<std::size_t>(value)] += std::tanh(.5 / t) * std::exp(-std::abs(z) / t);
    }
    clipped.push_back(law);
  }
  test::MultisetLaw law(multisets.count());
  std::vector<std::size_t> values(counts.size());
  for (;;) {
    double weight = 1;
    for (std::size_t x = 0; x < values.size(); ++x) weight *= clipped[x][values[x]];
    const auto sum =
        static_cast<double>(std::accumulate(values.begin(), values.end(), std::size_t{0}));
    std::vector<double> p;
    for (const std::size_t value : values) {
      p.push_back(sum > 0 ? static_cast<double>(value) / sum
                          : 1 / static_cast<double>(values.size()));
    }
    for (std::size_t id = 0; id < law.size(); ++id) {
      if (multisets.size(id) == m) law[id] += weight * test::multinomial(multisets.counts(id), p);
    }
    std::size_t x = 0;
    while (x < values.size() && values[x] == static_cast<std::size_t>(n)) values[x++] = 0;
    if (x == values.size()) return law;
    ++values[x];
  }
}

TEST(HistogramSampler, KeepsEpsilonAndItsTotalVariation) {
  for (const double epsilon : {.5, 1., 3.}) {
    for (const unsigned n : {3u, 6u}) {
      for (const unsigned k : {2u, 3u}) {
        for (const unsigned m : {1u, 2u, 4u}) {
          const HistogramSampler sampler(k, n, m, epsilon);
          const test::Multisets datasets(k, n), multisets(k, m);
          std::vector<test::MultisetLaw> laws(datasets.count());
          const std::vector<double> p =
              k == 2 ? std::vector<double>{.2, .8} : std::vector<double>{.1, .2, .7};
          test::MultisetLaw average(multisets.count());
          for (std::size_t id = 0; id < datasets.count(); ++id) {
            if (datasets.size(id) != n) continue;
            laws[id] = law_of_histogram(sampler, multisets, datasets.counts(id));
            const double weight = test::multinomial(datasets.counts(id), p);
            for (std::size_t i = 0; i < average.size(); ++i) average[i] += weight * laws[id][i];
          }
          double realised = 0, joint = 0;
          test::for_all_neighbours(datasets, n, [&](std::size_t d, std::size_t replaced) {
            realised = std::fmax(realised, test::greatest_log_ratio(laws[d], laws[replaced]));
          });
          EXPECT_LE(realised, epsilon);
          for (std::size_t i = 0; i < average.size(); ++i) {
            if (multisets.size(i) != m) continue;
            joint += std::fabs(average[i] - test::multinomial(multisets.counts(i), p)) / 2;
          }
          EXPECT_LE(joint, m * sampler.total_variation_up());
        }
      }
    }
  }
}

/// The probabilities that m outputs of two outcomes are all the first, by all noises in the window.
std::vector<double> laws_of_weights(const HistogramSampler& sampler, std::array<int, 2> counts) {
  const double t = static_cast<double>(sampler.noise().scale().numerator) /
                   static_cast<double>(sampler.noise().scale().denominator);
  const auto chance = [&](int z) { return std::tanh(.5 / t) * std::exp(-std::abs(z) / t); };
  std::vector<double> all(3);
  for (int a = -kWindow; a <= kWindow; ++a) {
    const double x = std::max(0, counts[0] + a);
    for (int b = -kWindow; b <= kWindow; ++b) {
      const double y = std::max(0, counts[1] + b);
      const double first = x + y > 0 ? x / (x + y) : .5;
      const double weight = chance(a) * chance(b);
      all[0] += weight * first * first;
      all[1] += weight * 2 * first * (1 - first);
      all[2] += weight * (1 - first) * (1 - first);
    }
  }
  return all;
}

/// Two rows of any weights up to 3. One is replaced by any other row, so the total is not public.
TEST(HistogramSampler, KeepsEpsilonWhateverTheWeights) {
  constexpr std::uint64_t kGreatest = 3;
  for (const double epsilon : {.5, 2.}) {
    const HistogramSampler sampler(2, 2, 2, epsilon, kGreatest);
    ASSERT_TRUE(sampler.has_weights());
    std::map<std::array<int, 2>, std::vector<double>> laws;
    const auto law_of = [&](std::array<int, 2> counts) -> const std::vector<double>& {
      std::vector<double>& law = laws[counts];
      if (law.empty()) law = laws_of_weights(sampler, counts);
      return law;
    };
    // Rows by code: outcome 0 with weight 0 to 3, then outcome 1.
    const auto add = [](std::array<int, 2> counts, int row) {
      counts[static_cast<std::size_t>(row / 4)] += row % 4;
      return counts;
    };
    double realised = 0;
    for (int kept = 0; kept < 8; ++kept) {
      for (int one = 0; one < 8; ++one) {
        for (int other = 0; other < 8; ++other) {
          const std::vector<double>& p = law_of(add(add({0, 0}, kept), one));
          const std::vector<double>& q = law_of(add(add({0, 0}, kept), other));
          for (std::size_t i = 0; i < p.size(); ++i) {
            realised = std::fmax(realised, std::log(p[i] / q[i]));
          }
        }
      }
    }
    std::printf("weights, epsilon %g: %.4f of the promise\n", epsilon, realised / epsilon);
    EXPECT_LE(realised, epsilon);
    EXPECT_GE(realised, .6 * epsilon);
  }
}

/// Any total is drawn from, also none and one of more rows than are assumed.
TEST(HistogramSampler, DrawsByWeight) {
  SecureRandom random;
  const HistogramSampler sampler(3, 10, 50'000, 1, 2000);
  const OutcomeHistogram weights{.keys = {0, 2},
                                 .counts = {std::uint64_t{1} << 40U, std::uint64_t{3} << 40U}};
  std::vector<std::uint64_t> seen(3);
  for (const std::uint32_t y : sampler.draw(weights, random)) ++seen[y];
  EXPECT_EQ(seen[1], 0U);
  seen.erase(seen.begin() + 1);
  EXPECT_TRUE(test::follows(std::vector<double>{.25, .75}, seen));
  EXPECT_EQ(sampler.draw(OutcomeHistogram{}, random).size(), 50'000U);
}

/// A weight of n greatest ones is off by what n rows without weights are.
TEST(HistogramSampler, StatesTheNoiseOfWeights) {
  EXPECT_NEAR(HistogramSampler(10, 1'000, 1, 0.5, 2000).total_variation_up(), 10 * 4 / 1e3, 1e-12);
  EXPECT_NEAR(HistogramSampler(10, 1'000, 7, 0.5, 2000).total_variation_up(), 10 * 4 / 1e3, 1e-12);
}

TEST(HistogramSampler, DrawsFollowTheEnumeratedLaw) {
  SecureRandom random;
  for (const unsigned m : {1u, 3u}) {
    const HistogramSampler sampler(3, 4, m, 1);
    const test::Counts counts = {3, 0, 1};
    const test::Multisets multisets(3, m);
    std::vector<std::uint64_t> seen(multisets.count());
    const std::vector<std::uint32_t> records = test::records_of(counts);
    for (int i = 0; i < 50'000; ++i) {
      std::size_t id = 0;
      for (const std::uint32_t y : sampler.draw(records, random)) id = multisets.after(id, y);
      ++seen[id];
    }
    EXPECT_TRUE(test::follows(law_of_histogram(sampler, multisets, counts), seen));
  }
}

// Noise of scale 2 moves no count far: outcome 1 is drawn with probability below 1e-6.
TEST(HistogramSampler, DrawsFromAsManyRecordsAsThereMayBe) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  SecureRandom random;
  const HistogramSampler sampler(3, kMost, 50'000, 1);
  const OutcomeHistogram records{.keys = {0, 2}, .counts = {kMost / 4, kMost / 4 * 3}};
  std::vector<std::uint64_t> seen(3);
  for (const std::uint32_t y : sampler.draw(records, random)) ++seen[y];
  EXPECT_EQ(seen[1], 0U);
  seen.erase(seen.begin() + 1);
  EXPECT_TRUE(test::follows(std::vector<double>{.25, .75}, seen));
}

// For one output the noise of k counts, 2/epsilon each, as a share of n.
TEST(HistogramSampler, StatesTheNoiseOfAllCounts) {
  EXPECT_NEAR(HistogramSampler(10, 1'000, 1, 0.5).total_variation_up(), 10 * 4 / 1e3, 1e-12);
  EXPECT_NEAR(HistogramSampler(3, 1'000'000, 1, 2).total_variation_up(), 3 * 1 / 1e6, 1e-15);
}

std::string histogram_refusal(std::uint64_t outcomes, std::uint64_t records, std::uint64_t outputs,
                              double epsilon) {
  return test::refusal_of([&] { HistogramSampler(outcomes, records, outputs, epsilon); });
}

TEST(HistogramSampler, RefusesInOneSentence) {
  EXPECT_EQ(histogram_refusal(2, 5, 50, 1), "accepted");
  EXPECT_EQ(histogram_refusal(1U << 24U, std::uint64_t{1} << 40U, 1, 1), "accepted");
  EXPECT_EQ(histogram_refusal(0, 5, 1, 1),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(histogram_refusal(2, 0, 1, 1),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(histogram_refusal(2, 5, 0, 1), "the number of outputs must be at least 1, but is 0");
  EXPECT_EQ(histogram_refusal(2, 5, 1, 0), "epsilon must be finite and at least 1e-6, but is 0");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Poisson sampler.

namespace {

TEST(PoissonSampler, BoundsTheShortfallFromAbove) {
  for (const std::uint64_t n : {10u, 1000u, 1'000'000u, 1'000'000'000u}) {
    for (const double rate : {1e-3, .1, .5, .9}) {
      const boost::math::binomial count(static_cast<double>(n), rate);
      for (const double share : {.2, .5, .9, .99, 1.}) {
        const auto m = static_cast<std::uint64_t>(share * rate * static_cast<double>(n));
        if (m == 0) continue;
        EXPECT_GE(binomial_below_up(n, rate, m), cdf(count, static_cast<double>(m - 1)))
            << "n " << n << " rate " << rate << " m " << m;
      }
    }
  }
  EXPECT_EQ(binomial_below_up(100, .5, 0), 0);
  EXPECT_EQ(binomial_below_up(100, .5, 80), 1);
}

TEST(PoissonSampler, FindsTheLeastRateThatIsSure) {
  for (const std::uint64_t n : {1000u, 10'000u, 1'000'000'000u}) {
    for (const std::uint64_t m : {1u, 100u, 800u}) {
      const std::optional<double> rate = poisson_rate_for(n, m, 1e-12);
      ASSERT_TRUE(rate);
      EXPECT_LE(binomial_below_up(n, *rate, m), 1e-12);
      EXPECT_GT(binomial_below_up(n, *rate * (1 - 1e-9), m), 1e-12);
      EXPECT_GT(*rate * static_cast<double>(n), static_cast<double>(m));
    }
  }
  EXPECT_FALSE(poisson_rate_for(100, 100, 1e-12));
  EXPECT_FALSE(poisson_rate_for(5, 1, 1e-12));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Stable histogram.

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

/// The exact law of the released count of an outcome with this count: nothing, the counts from T to
/// T + reach - 1, and all greater ones together. No tail is forgotten: from the greatest count on
/// all probabilities have the same ratio under any two laws.
std::vector<Wide> law_of_count(double scale, std::int64_t threshold, int count, int reach) {
  std::vector<Wide> law(static_cast<std::size_t>(reach) + 2);
  if (count == 0) {
    law[0] = 1;
    return law;
  }
  const Wide a = exp(-1 / Wide(scale));
  // P(Z >= z) for z >= 0; P(Z >= z) = 1 - P(Z >= 1 - z) below.
  const auto at_least = [&](std::int64_t z) -> Wide {
    return z > 0 ? Wide(pow(a, z) / (1 + a)) : Wide(1 - pow(a, 1 - z) / (1 + a));
  };
  law[0] = 1 - at_least(threshold - count);
  for (int i = 0; i < reach; ++i) {
    law[static_cast<std::size_t>(i) + 1] =
        at_least(threshold - count + i) - at_least(threshold - count + i + 1);
  }
  law.back() = at_least(threshold - count + reach);
  return law;
}

/// The least delta with P(S) <= e^epsilon Q(S) + delta for all S, if x and y are independent with
/// the laws px, py under P and qx, qy under Q.
Wide least_delta(const Wide& e, const std::vector<Wide>& px, const std::vector<Wide>& py,
                 const std::vector<Wide>& qx, const std::vector<Wide>& qy) {
  Wide sum = 0;
  for (std::size_t i = 0; i < px.size(); ++i) {
    const Wide most = e * qx[i];
    for (std::size_t j = 0; j < py.size(); ++j) {
      const Wide excess = px[i] * py[j] - most * qy[j];
      if (excess > 0) sum += excess;
    }
  }
  return sum;
}

// All counts (x, y) that become (x - 1, y + 1), and back.
TEST(StableHistogram, KeepsItsPromiseOnAllSmallCounts) {
  constexpr int kMostRecords = 4, kReach = 5;
  const Wide rounding("1e-40");  // 50 digits are kept
  int pairs = 0;
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
    const Wide e = exp(Wide(epsilon));
    for (const double delta : {0.5, 0.2, 0.05, 1e-6}) {
      const StableHistogram histogram(epsilon, delta);
      std::vector<std::vector<Wide>> laws;
      for (int count = 0; count <= kMostRecords; ++count) {
        laws.push_back(law_of_count(histogram.scale(), histogram.threshold(), count, kReach));
      }
      Wide worst = 0;
      for (std::size_t x = 1; x < laws.size(); ++x) {
        for (std::size_t y = 0; y + 1 < laws.size(); ++y, ++pairs) {
          worst = std::max({worst, least_delta(e, laws[x], laws[y], laws[x - 1], laws[y + 1]),
                            least_delta(e, laws[x - 1], laws[y + 1], laws[x], laws[y])});
        }
      }
      // The theorem's p, charged once though two outcomes change.
      const Wide a = exp(-1 / Wide(histogram.scale()));
      const Wide alone = pow(a, histogram.threshold() - 1) / (1 + a);
      EXPECT_LE(alone, Wide(delta));
      EXPECT_LE(worst, alone + rounding) << epsilon << ", " << delta;
    }
  }
  std::printf("%d pairs of data sets\n", pairs);
}

TEST(StableHistogram, ThresholdIsTheLeast) {
  for (const double epsilon : {0.01, 0.3, 1.0, 4.0}) {
    for (const double delta : {0.1, 1e-3, 1e-6, 1e-12, 1e-100}) {
      const StableHistogram histogram(epsilon, delta);
      const Wide a = exp(-1 / Wide(histogram.scale()));
      const auto holds = [&](std::int64_t threshold) {
        const Wide tail = pow(a, threshold - 1);
        return threshold >= 2 && tail <= Wide(delta) * (1 + a) && tail <= 1 - a * a;
      };
      EXPECT_TRUE(holds(histogram.threshold()));
      EXPECT_FALSE(holds(histogram.threshold() - 1));
      EXPECT_GE(Wide(histogram.scale()) * Wide(epsilon), 2);
    }
  }
}

TEST(StableHistogram, DrawsFollowTheLaw) {
  SecureRandom random;
  const StableHistogram histogram(1.5, 0.05);
  constexpr int kReach = 12;
  // Counts 1 of outcome 4 000 000 000, 3 of 7 and 5 of 9.
  const OutcomeHistogram records =
      counts_of(std::vector<std::uint32_t>{9, 7, 9, 4'000'000'000, 9, 7, 9, 7, 9});
  std::vector<std::vector<std::uint64_t>> counts(3, std::vector<std::uint64_t>(kReach + 2));
  constexpr int kReleases = 100'000;
  for (int i = 0; i < kReleases; ++i) {
    std::uint32_t last = 0;
    std::vector<bool> seen(3);
    for (const NoisyCount& one : histogram.draw(records, random)) {
      ASSERT_LT(last, one.outcome);
      last = one.outcome;
      const std::size_t which = one.outcome == 7 ? 1 : one.outcome == 9 ? 2 : 0;
      seen[which] = true;
      const auto above = static_cast<std::int64_t>(one.count) - histogram.threshold();
      ASSERT_GE(above, 0);
      ++counts[which][static_cast<std::size_t>(std::min<std::int64_t>(above, kReach)) + 1];
    }
    for (std::size_t which = 0; which < 3; ++which) counts[which][0] += seen[which] ? 0u : 1u;
  }
  for (std::size_t which = 0; which < 3; ++which) {
    std::vector<double> law;
    for (const Wide& p : law_of_count(histogram.scale(), histogram.threshold(),
                                      which == 0   ? 1
                                      : which == 1 ? 3
                                                   : 5,
                                      kReach)) {
      law.push_back(static_cast<double>(p));
    }
    EXPECT_TRUE(test::follows(law, counts[which]));
  }
  EXPECT_TRUE(histogram.draw({}, random).empty());
}

template <class Make>
std::string hint_refusal(Make make) {
  return test::refusal_of(make);
}

TEST(StableHistogram, RefusesInOneSentence) {
  EXPECT_EQ(hint_refusal([] { static_cast<void>(StableHistogram(0, 0.1)); }),
            "epsilon of a stable histogram must be from 1e-6 to 100, but is 0");
  EXPECT_EQ(hint_refusal([] { static_cast<void>(StableHistogram(1, test::kNan)); }),
            "delta of a stable histogram must be from 1e-300 to 0.5, but is nan");
}

}  // namespace

}  // namespace mollify
