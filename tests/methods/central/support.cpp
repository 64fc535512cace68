#include "methods/central/support.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "accounting/composition.h"
#include "chi_square.h"
#include "core/invalid_input.h"
#include "methods/central/design.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Above threshold.

namespace {

/// P(Z >= z) of the discrete Laplace of scale t.
double laplace_at_least(std::int64_t z, double t) {
  const double a = std::exp(-1 / t);
  return z > 0 ? std::exp(-static_cast<double>(z) / t) / (1 + a)
               : 1 - std::exp(-static_cast<double>(1 - z) / t) / (1 + a);
}

/// The probability that each question, or none, is released, summed over the threshold's noise.
std::vector<double> law_of_answers(const AboveThreshold& above, std::int64_t threshold,
                                   const std::vector<std::int64_t>& answers) {
  std::vector<double> law(answers.size() + 1);
  const auto reach = static_cast<std::int64_t>(45 * above.threshold_scale()) + 5;
  for (std::int64_t r = -reach; r <= reach; ++r) {
    const double t = above.threshold_scale();
    double left = laplace_at_least(r, t) - laplace_at_least(r + 1, t);
    if (r > 0) left = std::tanh(0.5 / t) * std::exp(-static_cast<double>(r) / t);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const double passes = laplace_at_least(threshold + r - answers[i], above.answer_scale());
      law[i] += left * passes;
      left *= 1 - passes;
    }
    law.back() += left;
  }
  return law;
}

TEST(AboveThreshold, KeepsItsPromiseOnAllSmallAnswers) {
  constexpr std::int64_t kThreshold = 2;
  std::int64_t pairs = 0;
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    const AboveThreshold above(epsilon);
    const double most = std::exp(epsilon) * (1 + 1e-9);
    double worst = 0;
    // Three questions with answers from 0 to 4, and all neighbours' answers, from -1 to 5.
    std::map<std::vector<std::int64_t>, std::vector<double>> laws;
    for (int code = 0; code < 343; ++code) {
      const std::vector<std::int64_t> answers = {code % 7 - 1, code / 7 % 7 - 1, code / 49 - 1};
      laws[answers] = law_of_answers(above, kThreshold, answers);
    }
    for (int code = 0; code < 125; ++code) {
      const std::vector<std::int64_t> answers = {code % 5, code / 5 % 5, code / 25};
      const std::vector<double>& law = laws.at(answers);
      for (int change = 0; change < 27; ++change, ++pairs) {
        const std::vector<double>& other =
            laws.at({answers[0] + change % 3 - 1, answers[1] + change / 3 % 3 - 1,
                     answers[2] + change / 9 - 1});
        for (std::size_t i = 0; i < law.size(); ++i) {
          worst = std::max(worst, law[i] / other[i]);
        }
      }
    }
    EXPECT_LE(worst, most);
    std::printf("epsilon %g: realised %.4f\n", epsilon, std::log(worst));
  }
  EXPECT_EQ(pairs, 3 * 125 * 27);
}

TEST(AboveThreshold, DrawsFollowTheLaw) {
  SecureRandom random;
  for (const double epsilon : {0.7, 4.0}) {
    const AboveThreshold above(epsilon, 2);
    const std::vector<std::int64_t> answers = {0, 3, 9, 12};
    std::vector<std::uint64_t> counts(answers.size() + 1);
    for (int i = 0; i < 100'000; ++i) {
      std::size_t asked = 0;
      const std::optional<std::size_t> found = above.draw(
          answers.size(), [&](std::size_t j) { return ++asked, answers[j]; }, 10, random);
      ASSERT_EQ(asked, found.value_or(answers.size() - 1) + 1);
      ++counts[found.value_or(answers.size())];
    }
    EXPECT_TRUE(test::follows(law_of_answers(above, 10, answers), counts));
  }
}

TEST(AboveThreshold, ScalesItsNoiseWithTheSensitivity) {
  for (const std::uint64_t sensitivity : {1U, 3U, 1000U}) {
    const AboveThreshold above(0.5, sensitivity);
    EXPECT_EQ(above.threshold_scale(), 4 * static_cast<double>(sensitivity));
    EXPECT_EQ(above.answer_scale(), 8 * static_cast<double>(sensitivity));
  }
}

std::string above_refusal(double epsilon, std::uint64_t sensitivity) {
  return test::refusal_of([&] { static_cast<void>(AboveThreshold(epsilon, sensitivity)); });
}

TEST(AboveThreshold, RefusesInOneSentence) {
  EXPECT_EQ(above_refusal(-1, 1), "epsilon of above-threshold must be from 1e-6 to 100, but is -1");
  EXPECT_EQ(above_refusal(1, 0), "the sensitivity of a question must be from 1 to 1000, but is 0");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Support hint.

namespace {

constexpr std::uint64_t kHuge = std::uint64_t{1} << 32;
constexpr double kHintDelta = 1e-9;

std::size_t outside(OutcomeInterval interval, const std::vector<std::uint32_t>& records) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(),
                    [&](std::uint32_t x) { return x < interval.first || x > interval.last; }));
}

OutcomeInterval found(SupportHint hint, const std::vector<std::uint32_t>& records,
                      std::uint64_t k = kHuge) {
  SecureRandom random;
  return SupportFinder(hint, k, records.size(), 1, kHintDelta, k)
      .find(counts_of(records), random)
      .hull();
}

// Each case is far from the edge of the utility statements: a failure of one of them has
// probability below 1e-6.
TEST(SupportHint, FindsWhereRecordsLie) {
  std::mt19937_64 random(20);
  constexpr std::size_t kRecords = 20'000;
  std::vector<std::uint32_t> uniform(kRecords), gaussian(kRecords), scattered(kRecords);
  std::normal_distribution<double> bell(3e9, 1000);
  for (std::size_t i = 0; i < kRecords; ++i) {
    uniform[i] = static_cast<std::uint32_t>(1'000'000'000 + random() % 5000);
    gaussian[i] = static_cast<std::uint32_t>(bell(random));
    scattered[i] = static_cast<std::uint32_t>(77'000 + 1000 * (random() % 7));
  }
  const OutcomeInterval width = found({SupportKind::kWidth, 5000}, uniform);
  EXPECT_EQ(outside(width, uniform), 0u);
  EXPECT_EQ(width.width(), 15'000u);

  const OutcomeInterval contiguous = found({SupportKind::kContiguous}, uniform);
  EXPECT_LE(outside(contiguous, uniform), 1000u);
  EXPECT_LE(contiguous.width(), 100'000u);

  const OutcomeInterval bounded = found({SupportKind::kBounded}, scattered);
  EXPECT_LE(outside(bounded, scattered), 1000u);
  EXPECT_LE(bounded.width(), 20'000u);

  const OutcomeInterval bell_shaped = found({SupportKind::kSubGaussian, 1000}, gaussian);
  EXPECT_EQ(outside(bell_shaped, gaussian), 0u);
  EXPECT_LE(bell_shaped.width(), 30'000u);
  std::printf("widths: %llu of 5000, %llu of 5000, %llu of 6001, %llu of sigma 1000\n",
              static_cast<unsigned long long>(width.width()),
              static_cast<unsigned long long>(contiguous.width()),
              static_cast<unsigned long long>(bounded.width()),
              static_cast<unsigned long long>(bell_shaped.width()));
}

TEST(SupportHint, IsTheWholeDomainWhereNothingIsFound) {
  const std::vector<std::uint32_t> few = {5, 4'000'000'000, 70'000};
  const OutcomeInterval all{0, kHuge - 1};
  // Whether a cell of one record is shown has probability below 1e-9.
  EXPECT_EQ(found({SupportKind::kWidth, 10}, few), all);
  EXPECT_EQ(found({SupportKind::kSubGaussian, 0.3}, few), all);
  EXPECT_EQ(found({SupportKind::kBounded}, few), all);
}

TEST(SupportHint, IsNeverWiderThanASamplerTakes) {
  SecureRandom random;
  const std::vector<std::uint32_t> few = {5, 4'000'000'000, 70'000};
  const std::vector<std::uint32_t> many(5000, 4'294'967'290);
  for (const SupportKind kind : {SupportKind::kContiguous, SupportKind::kBounded,
                                 SupportKind::kWidth, SupportKind::kSubGaussian}) {
    const OutcomeInterval nothing = SupportFinder({kind, 1e9}, kHuge, few.size(), 1, kHintDelta)
                                        .find(counts_of(few), random)
                                        .hull();
    EXPECT_LE(nothing.width(), SupportFinder::kMostWidth);
    for (const std::uint64_t most : {1u, 2u, 7u, 1u << 24U}) {
      const OutcomeInterval interval =
          SupportFinder({kind, 1e9}, kHuge, many.size(), 1, kHintDelta, most)
              .find(counts_of(many), random)
              .hull();
      EXPECT_LE(interval.width(), most);
      EXPECT_LE(interval.last, kHuge - 1);
    }
    // Around the anchor, which is the one value here.
    const OutcomeInterval one = SupportFinder({kind, 1}, kHuge, many.size(), 1, kHintDelta, 5)
                                    .find(counts_of(many), random)
                                    .hull();
    EXPECT_EQ(outside(one, many), 0u);
  }
}

// A hint, then a sampler on what it found, both within one budget.
TEST(SupportHint, MakesALargeDomainSmallForASampler) {
  std::mt19937_64 twister(21);
  std::vector<std::uint32_t> records(50'000);
  for (std::uint32_t& x : records) {
    x = static_cast<std::uint32_t>(700'000'000 + twister() % 1000);
  }
  SecureRandom random;
  const SupportFinder finder({SupportKind::kWidth, 1000}, kHuge, records.size(), 0.5, kHintDelta);
  const FoundSupport support = finder.find(counts_of(records), random);
  const OutcomeInterval interval = support.hull();
  const CentralDesign design = best_central_design({.records = records.size(),
                                                    .outcomes = support.size(),
                                                    .outputs = 20,
                                                    .budget = Privacy::pure(0.5)});
  const std::vector<std::uint32_t> rows = support.map_back(
      make_central_sampler(design)->draw(support.map_into(counts_of(records), random), random));
  EXPECT_EQ(rows.size(), 20u);
  for (const std::uint32_t row : rows) {
    EXPECT_TRUE(interval.first <= row && row <= interval.last);
  }
  const Privacy parts[] = {finder.guarantee(), design.guarantee};
  EXPECT_LE(composed_up(parts).epsilon, 1 + 1e-12);
  EXPECT_EQ(composed_up(parts).delta, kHintDelta);
}

// What is said before of the data that suit a hint best: so many equal records are found likelier
// than not, P(Z >= 0) > 1/2, and the support has so many outcomes. Of 10 000 finds of least_records
// records half or more find a support, up to 4.9 deviations of 50.
TEST(SupportHint, SaysWhatSuitsItBest) {
  constexpr std::uint64_t kDomain = 100'000;
  SecureRandom random;
  for (const SupportHint hint :
       {SupportHint{SupportKind::kWidth, 10}, SupportHint{SupportKind::kSubGaussian, 3},
        SupportHint{SupportKind::kHeavy, 0}, SupportHint{SupportKind::kBounded, 0}}) {
    const auto finder = [&](std::uint64_t records) {
      return SupportFinder(hint, kDomain, records, 1, kHintDelta);
    };
    const std::uint64_t least = finder(1).least_records();
    EXPECT_EQ(finder(least - 1).least_size(), kDomain);
    const OutcomeHistogram many{{50'000}, {100'000}};
    EXPECT_EQ(finder(100'000).find(many, random).size(), finder(100'000).least_size())
        << to_text(hint);
    constexpr int kTries = 10'000;
    int found = 0;
    for (int i = 0; i < kTries; ++i) {
      const OutcomeHistogram few{{50'000}, {least}};
      found += finder(least).find(few, random).size() < kDomain ? 1 : 0;
    }
    std::cout << to_text(hint) << ": " << found << " of " << kTries << " found\n";
    EXPECT_GT(found, kTries / 2 - 245);
  }
}

TEST(SupportHint, StaysInsideTheDomain) {
  const std::vector<std::uint32_t> first(5000, 0), last(5000, 99), beyond(5000, 1234);
  for (const SupportKind kind : {SupportKind::kContiguous, SupportKind::kBounded,
                                 SupportKind::kWidth, SupportKind::kSubGaussian}) {
    for (const std::vector<std::uint32_t>* records : {&first, &last, &beyond}) {
      const OutcomeInterval interval = found({kind, 3}, *records, 100);
      EXPECT_LE(interval.first, interval.last);
      EXPECT_LE(interval.last, 99u);
      // Values outside the domain count as 0.
      const std::uint64_t mode = records == &last ? 99 : 0;
      EXPECT_TRUE(interval.first <= mode && mode <= interval.last);
    }
    EXPECT_EQ(found({kind, 1}, std::vector<std::uint32_t>(3, 0), 1), (OutcomeInterval{0, 0}));
  }
}

TEST(SupportHint, MapsRecordsToTheNearestEndAndBack) {
  const std::vector<std::uint32_t> records = {0, 9, 10, 11, 20, 21, 4'000'000'000};
  SecureRandom random;
  const FoundSupport interval(OutcomeInterval{10, 20});
  const OutcomeHistogram places = interval.map_into(counts_of(records), random);
  EXPECT_EQ(places.keys, (std::vector<std::uint32_t>{0, 1, 10}));
  EXPECT_EQ(places.counts, (std::vector<std::uint64_t>{3, 1, 3}));
  EXPECT_EQ(interval.map_back(places.keys), (std::vector<std::uint32_t>{10, 11, 20}));
  const FoundSupport all(OutcomeInterval{0, kHuge - 1});
  EXPECT_EQ(all.map_back(all.map_into(counts_of(records), random).keys), records);
}

/// How many records have other places in two tables of equally many.
std::uint64_t moved(const std::vector<std::uint64_t>& one,
                    const std::vector<std::uint64_t>& other) {
  std::uint64_t more = 0;
  for (std::size_t place = 0; place < one.size(); ++place) {
    more += one[place] > other[place] ? one[place] - other[place] : 0;
  }
  return more;
}

// A counts column may give more records than can be drawn one by one: they are dealt out. All
// tables of 2^30 + 6 records with 0 to 3 of them in two places and in two outcomes outside, the
// others in the third place or outside, and each table with one record replaced.
TEST(SupportHint, DealsOutManyRecordsAndMovesOneForAReplacedOne) {
  const std::vector<std::uint32_t> keys = {1, 2, 5, 6, 8};  // 2, 5 and 6 are the support
  const FoundSupport support(std::vector<std::uint32_t>{2, 5, 6});
  constexpr std::uint64_t kRecords = (std::uint64_t{1} << 30U) + 6;
  SecureRandom random;
  const auto placed = [&](const std::vector<std::uint64_t>& counts) {
    OutcomeHistogram table;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (counts[i] == 0) continue;
      table.keys.push_back(keys[i]);
      table.counts.push_back(counts[i]);
    }
    const OutcomeHistogram found = support.map_into(table, random);
    std::vector<std::uint64_t> places(support.size());
    for (std::size_t i = 0; i < found.keys.size(); ++i) places[found.keys[i]] = found.counts[i];
    return places;
  };
  std::uint64_t tables = 0, neighbours = 0;
  for (const std::size_t most : {std::size_t{0}, std::size_t{3}}) {  // outside, or in the support
    for (unsigned digits = 0; digits < 256; ++digits) {
      std::vector<std::uint64_t> counts(keys.size());
      std::uint64_t left = kRecords;
      for (std::size_t i = 0, shift = 0; i < keys.size(); ++i) {
        if (i == most) continue;
        counts[i] = digits >> shift & 3U;
        left -= counts[i];
        shift += 2;
      }
      counts[most] = left;
      const std::vector<std::uint64_t> places = placed(counts);
      ASSERT_EQ(std::accumulate(places.begin(), places.end(), std::uint64_t{0}), kRecords);
      ++tables;
      for (std::size_t from = 0; from < keys.size(); ++from) {
        for (std::size_t to = 0; to < keys.size(); ++to) {
          if (counts[from] == 0 || from == to) continue;
          std::vector<std::uint64_t> neighbour = counts;
          --neighbour[from];
          ++neighbour[to];
          ASSERT_LE(moved(places, placed(neighbour)), 1U) << from << " " << to;
          ++neighbours;
        }
      }
    }
  }
  EXPECT_EQ(tables, 512U);
  EXPECT_EQ(neighbours, 8192U);
}

// [Cheu, Nayak 2024, Appendix B.2, option 1]: seven outcomes far apart, and some that are rare.
TEST(SupportHint, FindsHeavyOutcomesAnywhere) {
  std::vector<std::uint32_t> records, heavy;
  for (std::uint32_t i = 0; i < 7; ++i) heavy.push_back(600'000'000 * i + 11);
  for (std::uint32_t i = 0; i < 7000; ++i) records.push_back(heavy[i % 7]);
  for (std::uint32_t i = 0; i < 300; ++i) records.push_back(5000 + i);
  SecureRandom random;
  const SupportFinder finder({SupportKind::kHeavy}, kHuge, records.size(), 1, kHintDelta);
  const FoundSupport support = finder.find(counts_of(records), random);
  // A count of 1000 is missed, and one of 1 shown, with probability below 1e-9.
  EXPECT_EQ(support.size(), 7u);
  EXPECT_EQ(support.hull(), (OutcomeInterval{11, 3'600'000'011}));
  const OutcomeHistogram places = support.map_into(counts_of(records), random);
  EXPECT_EQ(support.map_back(places.keys), heavy);
  EXPECT_EQ(record_count(places), records.size());
  // 1000 each, and of 300 uniform draws 43 on average: below 8 or above 96 with probability 1e-9.
  for (const std::uint64_t count : places.counts) {
    EXPECT_GE(count, 1008u);
    EXPECT_LE(count, 1096u);
  }
  // The sampler's limit bounds it, and if nothing is heavy it is all of the domain.
  const FoundSupport two =
      SupportFinder({SupportKind::kHeavy}, kHuge, records.size(), 1, kHintDelta, 2)
          .find(counts_of(records), random);
  EXPECT_EQ(two.size(), 2u);
  const std::vector<std::uint32_t> few = {5, 70'000};
  EXPECT_EQ(SupportFinder({SupportKind::kHeavy}, 100'000, few.size(), 1, kHintDelta)
                .find(counts_of(few), random)
                .size(),
            100'000u);
  EXPECT_EQ(finder.stages().size(), 1u);
  EXPECT_EQ(parse_support_hint("heavy"), (SupportHint{SupportKind::kHeavy, 0}));
  EXPECT_EQ(to_text({SupportKind::kHeavy, 0}), "heavy");
}

// -----------------------------------------------------------------------------------------------
// How many records a search takes, and how many it leaves outside.

/// P(c + Z < T), Z discrete Laplace of the histogram's scale; an outcome that does not occur is
/// never shown.
double missed_at(std::uint64_t count, const StableHistogram& histogram) {
  if (count == 0) return 1;
  return 1 - laplace_at_least(histogram.threshold() - static_cast<std::int64_t>(count),
                              histogram.scale());
}

/// The probability that an outcome of this mass is not found among n independent records, exactly.
double missed_of_mass(std::uint64_t n, double mass, const StableHistogram& histogram) {
  double missed = 0;
  for (std::uint64_t c = 0; c <= n; ++c) {
    const auto whole = static_cast<double>(n);
    const auto here = static_cast<double>(c);
    const double logarithm = std::lgamma(whole + 1) - std::lgamma(here + 1) -
                             std::lgamma(whole - here + 1) + here * std::log(mass) +
                             (mass < 1 ? (whole - here) * std::log1p(-mass)
                              : c < n  ? -1e9
                                       : 0);
    missed += std::exp(logarithm) * missed_at(c, histogram);
    if (here > mass * whole && logarithm < -60) break;
  }
  return missed;
}

// Lemma 28 and Lemma 29 with the constants of docs/theory/central.md, exactly: among the records
// that they ask for, one of s equally likely outcomes is missed with probability beta at most, and
// each outcome of mass share/s with beta/s.
TEST(SupportSearch, TakesTheRecordsOfTheLemmas) {
  double most = 0;
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const double delta : {1e-9, 1e-6, 1e-2}) {
      for (const std::uint64_t outcomes : {1U, 2U, 7U, 40U}) {
        const auto finder = [&](SupportKind kind, std::uint64_t records) {
          return SupportFinder({kind, 0}, kHuge, records, epsilon, delta);
        };
        const auto all = static_cast<double>(outcomes);
        const SupportFinder heavy = finder(SupportKind::kHeavy, 1000);
        for (const double share : {1.0, 0.1}) {
          const double records = heavy.records_to_find(outcomes, share);
          const StableHistogram one(epsilon, delta);
          const double missed =
              missed_of_mass(static_cast<std::uint64_t>(records), share / all, one);
          EXPECT_LE(missed, SupportFinder::kMiss / all) << epsilon << " " << delta << " " << all;
          most = std::max(most, missed * all / SupportFinder::kMiss);
          // Fewer records miss outcomes of greater mass.
          EXPECT_NEAR(finder(SupportKind::kHeavy, static_cast<std::uint64_t>(records))
                          .expected(outcomes)
                          .outside,
                      share, 0.01 * share);
        }
        const std::uint64_t records =
            finder(SupportKind::kBounded, 1000).expected(outcomes).records;
        // The first of two stages has half of the budget.
        const double missed = missed_of_mass(records, 1 / all, StableHistogram(epsilon / 2, delta));
        EXPECT_LE(missed, SupportFinder::kMiss);
        most = std::max(most, missed / SupportFinder::kMiss);
      }
    }
  }
  std::cout << "missed with at most " << most << " of the probability that is stated\n";
}

/// Independent records: a share spread evenly over 999, 1000, ..., and the rest at 5000.
OutcomeHistogram spread(std::uint64_t records, std::uint64_t outcomes, double share,
                        std::mt19937_64& twister) {
  std::map<std::uint32_t, std::uint64_t> counts;
  std::bernoulli_distribution is_spread(share);
  for (std::uint64_t i = 0; i < records; ++i) {
    ++counts[is_spread(twister) ? 999 + static_cast<std::uint32_t>(twister() % outcomes) : 5000];
  }
  OutcomeHistogram histogram;
  for (const auto& [outcome, count] : counts) {
    histogram.keys.push_back(outcome);
    histogram.counts.push_back(count);
  }
  return histogram;
}

// With the least records that are promised to be enough, evenly spread over the support, which is
// the worst case. A search fails with probability 1/1000 to 3/1000 at most. Of kTries searches,
// 13, 18 and 22 or more fail with probability below 1e-6.
TEST(SupportSearch, FindsWhatIsExpected) {
  constexpr std::uint64_t kDomain = 100'000;
  constexpr std::uint64_t kOutcomes = 6;
  constexpr int kTries = 2000;
  SecureRandom random;
  std::mt19937_64 twister(28);
  for (const SupportHint hint :
       {SupportHint{SupportKind::kWidth, 6}, SupportHint{SupportKind::kSubGaussian, 2},
        SupportHint{SupportKind::kHeavy, 0}, SupportHint{SupportKind::kBounded, 0},
        SupportHint{SupportKind::kContiguous, 0}}) {
    const auto finder = [&](std::uint64_t records) {
      return SupportFinder(hint, kDomain, records, 1, kHintDelta);
    };
    // Outcomes of mass share/s, where there is another bound for each share.
    constexpr double kShare = 0.5;
    const bool is_heavy = hint.kind == SupportKind::kHeavy;
    const auto records =
        static_cast<std::uint64_t>(finder(1).records_to_find(kOutcomes, is_heavy ? kShare : 1));
    const SupportFinder tried = finder(records);
    const SupportFinder::Expected expected = tried.expected(kOutcomes);
    int failures = 0;
    std::uint64_t most_outside = 0;
    for (int i = 0; i < kTries; ++i) {
      // The rest of the mass has one outcome, so that the others are as rare as they may be.
      const OutcomeHistogram data = spread(records, kOutcomes, is_heavy ? kShare : 1, twister);
      const FoundSupport support = tried.find(data, random);
      const OutcomeInterval hull = support.hull();
      EXPECT_TRUE(tried.can_find(hull, support.size()));
      std::uint64_t outside = 0;
      for (std::size_t at = 0; at < data.keys.size(); ++at) {
        const bool inside =
            is_heavy ? support.map_back(support.map_into({{data.keys[at]}, {1}}, random).keys) ==
                           std::vector{data.keys[at]}
                     : hull.first <= data.keys[at] && data.keys[at] <= hull.last;
        outside += inside ? 0 : data.counts[at];
      }
      const double bound = is_heavy ? 0 : expected.outside * static_cast<double>(records);
      const std::uint64_t size = is_heavy ? expected.size + 1 : expected.size;
      failures += support.size() > size || static_cast<double>(outside) > bound ? 1 : 0;
      most_outside = std::max(most_outside, outside);
    }
    std::cout << to_text(hint) << ": " << records << " records, " << failures << " of " << kTries
              << " searches failed, at most " << most_outside << " records outside, "
              << expected.size << " outcomes\n";
    const double ways = expected.failure / SupportFinder::kMiss;
    EXPECT_LT(failures, ways < 1.5 ? 13 : ways < 2.5 ? 18 : 22);
  }
}

// [Cheu, Nayak 2024, Appendix B.3, the example]: X = shift + Bin(N, p) lies within
// sqrt(N ln(2/alpha)/2) of its mean except with probability alpha (Hoeffding), and its mode within
// 1 of that. Exact sums say so of every p; a search for that width finds it. Of 300 searches 7 or
// more fail with probability below 1e-6.
TEST(SupportSearch, FindsShiftedBinomials) {
  constexpr std::uint64_t kDomain = 1'000'000;
  constexpr double kAlpha = 0.01;
  SecureRandom random;
  std::mt19937_64 twister(29);
  for (const int trials : {50, 400}) {
    const auto half = static_cast<int>(std::ceil(std::sqrt(trials * std::log(2 / kAlpha) / 2))) + 1;
    const SupportHint hint{SupportKind::kWidth, 2.0 * half + 1};
    double least_inside = 1;
    for (const double p : {.02, .3, .5, .97}) {
      const int mode = static_cast<int>(std::floor((trials + 1) * p));
      double inside = 0;
      for (int x = std::max(0, mode - half); x <= std::min(trials, mode + half); ++x) {
        inside += std::exp(std::lgamma(trials + 1.0) - std::lgamma(x + 1.0) -
                           std::lgamma(trials - x + 1.0) + x * std::log(p) +
                           (trials - x) * std::log1p(-p));
      }
      least_inside = std::min(least_inside, inside);
    }
    EXPECT_GE(least_inside, 1 - kAlpha);
    const auto records = 2 * static_cast<std::uint64_t>(
                                 SupportFinder(hint, kDomain, 1, 1, kHintDelta).records_to_find(1));
    const SupportFinder finder(hint, kDomain, records, 1, kHintDelta);
    int failures = 0;
    constexpr int kTries = 300;
    for (int i = 0; i < kTries; ++i) {
      const auto shift = static_cast<std::uint32_t>(twister() % (kDomain - 1000));
      std::binomial_distribution<int> drawn(trials, i % 2 == 0 ? .3 : .5);
      std::map<std::uint32_t, std::uint64_t> counts;
      for (std::uint64_t j = 0; j < records; ++j) {
        ++counts[shift + static_cast<std::uint32_t>(drawn(twister))];
      }
      OutcomeHistogram data;
      for (const auto& [outcome, count] : counts) {
        data.keys.push_back(outcome);
        data.counts.push_back(count);
      }
      const OutcomeInterval hull = finder.find(data, random).hull();
      std::uint64_t outside = 0;
      for (std::size_t at = 0; at < data.keys.size(); ++at) {
        if (data.keys[at] < hull.first || data.keys[at] > hull.last) outside += data.counts[at];
      }
      const bool wide = hull.width() > finder.expected(1).size;
      failures += wide || static_cast<double>(outside) > kAlpha * static_cast<double>(records);
    }
    std::cout << "Bin(" << trials << ", p): width " << 2 * half + 1 << " holds " << least_inside
              << ", " << records << " records, " << failures << " of " << kTries
              << " searches failed, " << finder.expected(1).size << " of " << kDomain
              << " outcomes\n";
    EXPECT_LT(failures, 7);
  }
}

// By hand: epsilon 1, delta 1e-9 (t = 2, T = 42) and s = 8.
TEST(SupportSearch, HasTheNumbersOfTheTheory) {
  const auto finder = [](SupportHint hint) {
    return SupportFinder(hint, 1'000'000, 50'000, 1, 1e-9);
  };
  const double t = 2;
  const auto threshold = static_cast<double>(StableHistogram(1, 1e-9).threshold());
  const auto width = finder({SupportKind::kWidth, 5000});
  EXPECT_EQ(width.expected(1).records, std::ceil(2 * (threshold + t * std::log(1000))));
  EXPECT_EQ(width.expected(1).size, 15'000U);
  EXPECT_EQ(width.expected(1).outside, 0);
  const auto heavy = finder({SupportKind::kHeavy, 0}).expected(8);
  EXPECT_EQ(heavy.records, std::ceil(2 * 8 * (threshold + t * std::log(8000))));
  EXPECT_EQ(heavy.size, 8U);
  EXPECT_NEAR(heavy.outside, static_cast<double>(heavy.records) / 50'000, 1e-12);
  // Two stages with epsilon 1/2 each, and a covering interval of 8 - 1 to either side.
  const auto bounded = finder({SupportKind::kBounded, 0}).expected(8);
  const auto rarer = static_cast<double>(StableHistogram(0.5, 1e-9).threshold());
  EXPECT_EQ(bounded.records, std::ceil(2 * 8 * (rarer + 4 * std::log(1000))));
  EXPECT_EQ(bounded.size, 15U);
  EXPECT_NEAR(bounded.outside, std::ceil(1 + 24 * std::log(66'000)) / 50'000, 1e-12);
  EXPECT_EQ(finder({SupportKind::kContiguous, 0}).expected(8).size, 22U);
  EXPECT_EQ(finder({SupportKind::kContiguous, 0}).expected(9).size, 46U);
  EXPECT_EQ(finder({SupportKind::kBounded, 0}).expected(1'000'000).size, 1'000'000U);
  EXPECT_THROW(
      static_cast<void>(
          SupportFinder({SupportKind::kBounded, 0}, kHuge, 50'000, 1, 1e-9).expected(1 << 24U)),
      InvalidInput);
  EXPECT_EQ(finder({SupportKind::kHeavy, 0}).outside(5), std::nullopt);
  EXPECT_EQ(finder({SupportKind::kHeavy, 0}).outside(1'000'000)->records, 0U);
  EXPECT_EQ(width.outside(15'000)->failure, 0);
  EXPECT_EQ(finder({SupportKind::kSubGaussian, 3}).outside(500)->failure, 1e-3);
  EXPECT_EQ(finder({SupportKind::kBounded, 0}).outside(15)->records,
            static_cast<std::uint64_t>(std::ceil(1 + 24 * std::log(66'000))));
}

// Every interval of a small domain that a definition makes, and no other.
TEST(SupportSearch, KnowsWhatItCanFind) {
  constexpr std::uint64_t kDomain = 21;
  for (const SupportHint hint :
       {SupportHint{SupportKind::kWidth, 3}, SupportHint{SupportKind::kSubGaussian, 0.1},
        SupportHint{SupportKind::kBounded, 0}, SupportHint{SupportKind::kContiguous, 0}}) {
    const SupportFinder finder(hint, kDomain, 1, 1, kHintDelta);
    std::map<std::pair<std::uint64_t, std::uint64_t>, bool> made{{{0, kDomain - 1}, true}};
    const auto make = [&](std::uint64_t width, std::uint64_t more) {
      for (std::uint64_t first = 0; first < kDomain; first += width) {
        made[{first - std::min(first, more), std::min(first + width - 1 + more, kDomain - 1)}] =
            true;
      }
    };
    if (hint.kind == SupportKind::kWidth) make(3, 3);
    if (hint.kind == SupportKind::kSubGaussian) make(1, 1);  // .2 sqrt(2 ln 2000) = .78
    for (std::uint64_t more = 1; more <= 32; more *= 2) {
      if (hint.kind == SupportKind::kBounded) make(1, more - 1);
      for (std::uint64_t width = 1; width <= 32; width *= 2) {
        if (hint.kind == SupportKind::kContiguous) make(width, more - 1);
      }
    }
    for (std::uint64_t first = 0; first < kDomain; ++first) {
      for (std::uint64_t last = first; last < kDomain + 2; ++last) {
        EXPECT_EQ(finder.can_find({first, last}, last - first + 1), made.contains({first, last}))
            << to_text(hint) << " " << first << " " << last;
      }
    }
    EXPECT_FALSE(finder.can_find({0, kDomain - 1}, kDomain - 1));
    EXPECT_FALSE(finder.can_find({2, 1}, 0));
  }
  const SupportFinder heavy({SupportKind::kHeavy, 0}, kDomain, 5, 1, kHintDelta);
  EXPECT_TRUE(heavy.can_find({3, 9}, 5));
  EXPECT_TRUE(heavy.can_find({0, 20}, 21));
  EXPECT_TRUE(heavy.can_find({3, 3}, 1));
  EXPECT_FALSE(heavy.can_find({3, 9}, 6));  // of 5 records
  EXPECT_FALSE(heavy.can_find({3, 9}, 1));  // two ends are two outcomes
  EXPECT_FALSE(heavy.can_find({3, 6}, 5));
  EXPECT_FALSE(heavy.can_find({3, 21}, 2));
}

TEST(SupportHint, StagesComposeToTheBudget) {
  for (const double epsilon : {3e-6, 0.1, 1.0, 7.3}) {
    for (const SupportKind kind : {SupportKind::kContiguous, SupportKind::kBounded,
                                   SupportKind::kWidth, SupportKind::kSubGaussian}) {
      const SupportFinder finder({kind, 1}, 1000, 1000, epsilon, kHintDelta);
      std::vector<Privacy> parts;
      for (const SupportFinder::Stage& stage : finder.stages()) {
        EXPECT_FALSE(stage.name.empty());
        parts.push_back(stage.guarantee);
      }
      const std::size_t expected = kind == SupportKind::kContiguous ? 3
                                   : kind == SupportKind::kBounded  ? 2
                                                                    : 1;
      EXPECT_EQ(parts.size(), expected);
      const Privacy whole = composed_up(parts);
      EXPECT_NEAR(whole.epsilon, epsilon, 1e-12 * epsilon);
      EXPECT_EQ(whole.delta, kHintDelta);
      EXPECT_EQ(finder.guarantee().epsilon, epsilon);
    }
  }
}

std::string support_refusal(SupportHint hint, std::uint64_t k, std::uint64_t n, double epsilon) {
  return test::refusal_of(
      [&] { static_cast<void>(SupportFinder(hint, k, n, epsilon, kHintDelta)); });
}

TEST(SupportHint, RefusesInOneSentence) {
  const SupportHint hint{};
  EXPECT_EQ(support_refusal(hint, 0, 1, 1),
            "the number of outcomes must be from 1 to 4294967296, but is 0");
  EXPECT_EQ(support_refusal(hint, 1, 0, 1),
            "the number of records must be from 1 to 4294967296, but is 0");
  EXPECT_EQ(support_refusal(hint, 1, 1, test::kNan),
            "epsilon of a support hint must be from 3e-6 to 100, but is nan");
  EXPECT_THROW(SupportFinder(hint, 1, 1, 1, kHintDelta, 0), InvalidInput);
  EXPECT_EQ(support_refusal({SupportKind::kWidth, 2.5}, 10, 1, 1),
            "the width of the support must be an integer from 1 to 10, but is 2.5");
  EXPECT_EQ(support_refusal({SupportKind::kSubGaussian, test::kInfinity}, 10, 1, 1),
            "a sub-Gaussian proxy must be finite and positive, but is inf");
}

TEST(SupportHint, CountsIntegersHoweverTheyAreCut) {
  const auto width = [](double given, std::uint64_t bins) {
    return hint_in_cells({SupportKind::kWidth, given}, IntegerCells::make(0, 99'999, bins))
        .parameter;
  };
  EXPECT_EQ(width(1, 100'000), 1);
  EXPECT_EQ(width(5000, 100'000), 5000);
  EXPECT_EQ(width(1, 1000), 1);
  EXPECT_EQ(width(2, 1000), 2);
  EXPECT_EQ(width(100, 1000), 2);
  EXPECT_EQ(width(102, 1000), 3);
  EXPECT_EQ(width(100'000, 1000), 1000);
  EXPECT_THROW((void)width(0, 1000), InvalidInput);
  EXPECT_THROW((void)width(1.5, 1000), InvalidInput);
  EXPECT_THROW((void)width(100'001, 1000), InvalidInput);
  // As many cells as any interval of W integers meets.
  const IntegerCells cells = IntegerCells::make(0, 40, 7);
  for (int given = 1; given <= 41; ++given) {
    const double most = hint_in_cells({SupportKind::kWidth, 1.0 * given}, cells).parameter;
    for (int first = 0; first + given <= 41; ++first) {
      const auto cell = [&](int integer) { return cells.read(std::to_string(integer)).cell; };
      EXPECT_LE(cell(first + given - 1) - cell(first) + 1, most) << first << " " << given;
    }
  }
  EXPECT_EQ(
      hint_in_cells({SupportKind::kSubGaussian, 30}, IntegerCells::make(0, 99, 100)).parameter, 30);
  EXPECT_EQ(hint_in_cells({SupportKind::kSubGaussian, 30}, IntegerCells::make(0, 99, 10)).parameter,
            4);
}

}  // namespace

}  // namespace mollify
