// Mechanisms of several stages under frozen words: each is drawn once more, by hand, from the
// kernel's noise and choices at its stage's price, and a worst pair is distinguished by nearly the
// whole promise.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/coins.h"
#include "methods/central/samplers.h"
#include "methods/central/support.h"
#include "methods/gaussian/centre.h"
#include "replay.h"

namespace mollify {

namespace {

using test::FrozenRandom;
using CellColumn = std::vector<std::int64_t>;

/// How far each integer of a range is from being a median.
std::vector<std::uint64_t> median_distances(CellColumn values, CentreDesign::Cells range) {
  for (std::int64_t& value : values) value = std::clamp(value, range.first, range.last);
  std::sort(values.begin(), values.end());
  const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
  std::vector<std::uint64_t> distances;
  for (std::int64_t y = range.first; y <= range.last; ++y) {
    const auto [begin, end] = std::equal_range(values.begin(), values.end(), y);
    const auto most = std::max({begin - values.begin(), values.end() - end, half});
    distances.push_back(static_cast<std::uint64_t>(most - half));
  }
  return distances;
}

std::int64_t median_by_hand(const CellColumn& values, CentreDesign::Cells range, Ratio rate,
                            SecureRandom& random) {
  std::vector<ChoiceTerm> terms;
  for (const std::uint64_t distance : median_distances(values, range)) {
    terms.push_back({1, distance});
  }
  return range.first + static_cast<std::int64_t>(ExponentialChoice(rate).draw(terms, random).term);
}

/// Shifts, then noisy counts of joint coarse cells in the order in which they occur first.
std::vector<CentreDesign::Cells> ranges_by_hand(const std::vector<CellColumn>& columns,
                                                const CentreDesign::Histogram& stage,
                                                SecureRandom& random) {
  const std::int64_t width = std::int64_t{1} << stage.coarse_bits;
  CellColumn shifts;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    shifts.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(width))));
  }
  std::vector<CellColumn> seen;
  std::map<CellColumn, std::int64_t> counts;
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    CellColumn coarse;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      coarse.push_back(static_cast<std::int64_t>(std::floor(
          static_cast<double>(columns[j][row] + shifts[j]) / static_cast<double>(width))));
    }
    if (counts[coarse]++ == 0) seen.push_back(coarse);
  }
  const DiscreteLaplace noise = DiscreteLaplace::at_least(2 / stage.epsilon);
  CellColumn found(columns.size());
  std::optional<std::int64_t> most;
  for (const CellColumn& coarse : seen) {
    const std::int64_t count = counts[coarse] + noise.draw(random);
    if (count < stage.threshold) continue;
    if (most && (count < *most || (count == *most && found < coarse))) continue;
    most = count;
    found = coarse;
  }
  std::vector<CentreDesign::Cells> ranges;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::int64_t first = found[j] * width - shifts[j];
    ranges.push_back({first, first + width - 1});
  }
  return ranges;
}

CentreRequest request_of(const Privacy& budget, bool has_range) {
  CentreRequest request{
      .records = 300, .dimension = 2, .budget = budget, .ranges = {}, .failure = 0.1};
  if (has_range) request.ranges = {{-40, 60}, {-5, 5}};
  return request;
}

/// The centre of rows is the medians of their cells, each at the design's rate, within declared
/// ranges or those that a histogram of the design's noise and threshold shows.
TEST(CoarseCentreReplay, EveryStageHasTheNoiseOfTheDesign) {
  const std::pair<Privacy, bool> cases[] = {{Privacy::pure(2), true},
                                            {Privacy::concentrated(0.1), true},
                                            {Privacy::approximate(1, 1e-2), true},
                                            {Privacy::approximate(1, 1e-2), false}};
  for (const auto& [budget, has_range] : cases) {
    const CentreDesign design = design_centre(request_of(budget, has_range));
    ASSERT_EQ(design.histogram.has_value(), !has_range);
    CoarseCentre centre(design);
    std::vector<CellColumn> columns(2);
    for (int i = 0; i < 300; ++i) {
      const std::vector<double> row = {std::sin(7 * i) + (i % 11 == 0 ? 1e9 : 3),
                                       std::sin(11 * i) - (i % 5 == 0 ? 1e9 : 0)};
      centre.add(row);
      for (std::size_t j = 0; j < 2; ++j) {
        columns[j].push_back(CoarseCentre::cell_of(row[j], design.cell_exponent));
      }
    }
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      FrozenRandom random(seed);
      FrozenRandom again(seed);
      const std::vector<double> found = centre.find(random);
      const auto ranges =
          has_range ? design.cells : ranges_by_hand(columns, *design.histogram, again);
      for (std::size_t j = 0; j < 2; ++j) {
        const std::int64_t cell = median_by_hand(columns[j], ranges[j], design.rate, again);
        EXPECT_EQ(found[j], std::ldexp(static_cast<double>(cell) + 0.5, design.cell_exponent))
            << budget.text();
      }
      EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
    }
  }
}

/// ln of the law that an exponential choice has.
std::vector<long double> log_choice_law(const std::vector<std::uint64_t>& distances,
                                        long double eta) {
  std::vector<long double> logs;
  long double all = 0;
  for (const std::uint64_t distance : distances) {
    logs.push_back(-eta * static_cast<long double>(distance));
    all += std::exp(logs.back());
  }
  for (long double& log : logs) log -= std::log(all);
  return logs;
}

/// Nearly all of a range lies below the median. A row that moves from its low end to its high one
/// takes all of that farther from the median, and brings a cell above nearer to it.
TEST(CoarseCentreReplay, AnAuditMeetsThePromise) {
  for (const double epsilon : {1.0, 4.0}) {
    CentreRequest request{.records = 3000,
                          .dimension = 2,
                          .budget = Privacy::pure(epsilon),
                          .ranges = {{-30, 30}},
                          .failure = 0.1};
    const CentreDesign design = design_centre(request);
    const CentreDesign::Cells range = design.cells.front();
    const std::int64_t high = range.last - 2;
    const CellColumn one = {range.first, high, high, high, high + 1};
    CellColumn other = one;
    other.front() = range.last;
    const long double eta = test::value_of_ratio(design.rate);
    const auto p = log_choice_law(median_distances(one, range), eta);
    const auto q = log_choice_law(median_distances(other, range), eta);
    long double most = 0;
    for (std::size_t y = 0; y < p.size(); ++y) most = std::max(most, std::abs(p[y] - q[y]));
    const long double told = 2 * most / design.guarantee.epsilon;  // of both coordinates
    std::printf("a coarse centre, %s: %.4Lf of the promise\n", design.guarantee.text().c_str(),
                told);
    EXPECT_LE(told, 1 + 1e-12L);
    EXPECT_GE(told, 0.95L);
  }
}

TEST(AboveThresholdReplay, EveryAnswerHasTheNoiseThatWasPaidFor) {
  for (const std::uint64_t sensitivity : {1U, 3U}) {
    for (const double epsilon : {0.5, 2.0}) {
      const AboveThreshold above(epsilon, sensitivity);
      const double scale = 2 * static_cast<double>(sensitivity) / epsilon;
      const DiscreteLaplace of_threshold = DiscreteLaplace::at_least(scale);
      const DiscreteLaplace of_answer = DiscreteLaplace::at_least(2 * scale);
      const auto answer = [](std::size_t i) { return static_cast<std::int64_t>(2 * i); };
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        FrozenRandom random(seed);
        FrozenRandom again(seed);
        const std::int64_t threshold = 12 + of_threshold.draw(again);
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < 10 && !found; ++i) {
          if (answer(i) + of_answer.draw(again) >= threshold) found = i;
        }
        EXPECT_EQ(above.draw(10, answer, 12, random), found);
        EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
      }
    }
  }
}

/// The first answers rise by one and the last one falls: that the last alone passes tells all.
TEST(AboveThresholdReplay, AnAuditMeetsThePromise) {
  constexpr int kBefore = 100;
  for (const double epsilon : {0.5, 2.0}) {
    const AboveThreshold above(epsilon);
    const auto t1 = static_cast<long double>(above.threshold_scale());
    const auto t2 = static_cast<long double>(above.answer_scale());
    const auto at_least = [&](std::int64_t z) {
      const auto x = static_cast<long double>(z);
      const long double a = std::exp(-1 / t2);
      return z > 0 ? std::exp(-x / t2) / (1 + a) : 1 - std::exp((x - 1) / t2) / (1 + a);
    };
    const auto last_passes = [&](std::int64_t before, std::int64_t last) {
      long double sum = 0;
      const auto reach = static_cast<std::int64_t>(60 * t1);
      for (std::int64_t r = -reach; r <= reach; ++r) {
        sum += std::exp(-std::abs(static_cast<long double>(r)) / t1) *
               std::pow(1 - at_least(r - before), kBefore) * at_least(r - last);
      }
      return sum;
    };
    const long double told = std::log(last_passes(0, 1) / last_passes(1, 0)) / epsilon;
    std::printf("above-threshold, epsilon %g: %.4Lf of the promise\n", epsilon, told);
    EXPECT_LE(told, 1 + 1e-12L);
    EXPECT_GE(told, 0.95L);
  }
}

/// A support finder's stages once more, each at the budget that it states.
class SupportByHand {
 public:
  SupportByHand(SupportHint hint, std::uint64_t size, std::vector<std::uint32_t> records,
                const SupportFinder& finder)
      : hint_(hint), size_(size), records_(std::move(records)), stages_(finder.stages()) {}

  OutcomeInterval find(SecureRandom& random) const {
    std::size_t stage = 0;
    std::uint64_t width = hint_.kind == SupportKind::kWidth         ? 10
                          : hint_.kind == SupportKind::kSubGaussian ? 6
                                                                    : 1;
    const OutcomeInterval all{0, size_ - 1};
    const auto count = static_cast<std::int64_t>(records_.size());
    if (hint_.kind == SupportKind::kContiguous) {
      const AboveThreshold above(stages_[stage++].guarantee.epsilon);
      const auto found = above.draw(
          kDoublings,
          [&](std::size_t j) {
            std::int64_t most = 0;
            for (std::uint64_t first = 0; first < size_; first += std::uint64_t{1} << j) {
              most = std::max(most, inside({first, first + (std::uint64_t{1} << j) - 1}));
            }
            return most;
          },
          count / 2 - allowance(above), random);
      if (!found) return all;
      width = std::uint64_t{1} << *found;
    }
    std::vector<std::uint32_t> cells;
    for (const std::uint32_t x : records_) cells.push_back(static_cast<std::uint32_t>(x / width));
    const Privacy& paid = stages_[stage++].guarantee;
    const auto shown = StableHistogram(paid.epsilon, paid.delta).draw(counts_of(cells), random);
    if (shown.empty()) return all;
    NoisyCount heaviest = shown.front();
    for (const NoisyCount& one : shown) {
      if (one.count > heaviest.count) heaviest = one;
    }
    const OutcomeInterval anchor{heaviest.outcome * width,
                                 std::min(heaviest.outcome * width + width - 1, size_ - 1)};
    if (hint_.kind == SupportKind::kWidth) return around(anchor, 10);
    if (hint_.kind == SupportKind::kSubGaussian) {
      const double reach = 6 * std::sqrt(2 * std::log(2000 * static_cast<double>(count)));
      return around(anchor, static_cast<std::uint64_t>(std::ceil(reach)));
    }
    const AboveThreshold above(stages_[stage++].guarantee.epsilon);
    EXPECT_EQ(stage, stages_.size());
    const auto found = above.draw(
        kDoublings,
        [&](std::size_t i) { return inside(around(anchor, (std::uint64_t{1} << i) - 1)); },
        count - allowance(above), random);
    return found ? around(anchor, (std::uint64_t{1} << *found) - 1) : all;
  }

  static constexpr std::size_t kDoublings = 11;  // of 1000 outcomes: 1, 2, ..., 1024

 private:
  static std::int64_t allowance(const AboveThreshold& above) {
    return static_cast<std::int64_t>(std::ceil(3 * above.threshold_scale() * std::log(2 / 1e-3)));
  }
  std::int64_t inside(OutcomeInterval interval) const {
    return std::count_if(records_.begin(), records_.end(), [&](std::uint32_t x) {
      return interval.first <= x && x <= interval.last;
    });
  }
  OutcomeInterval around(OutcomeInterval interval, std::uint64_t more) const {
    return {interval.first > more ? interval.first - more : 0,
            std::min(interval.last + more, size_ - 1)};
  }

  SupportHint hint_;
  std::uint64_t size_;
  std::vector<std::uint32_t> records_;
  std::vector<SupportFinder::Stage> stages_;
};

TEST(SupportFinderReplay, EveryStageHasTheNoiseThatWasPaidFor) {
  std::vector<std::uint32_t> records;
  for (std::uint32_t i = 0; i < 300; ++i) records.push_back(400 + i * i % 40 + (i % 50 == 0) * 500);
  for (const SupportHint hint :
       {SupportHint{SupportKind::kContiguous, 0}, SupportHint{SupportKind::kBounded, 0},
        SupportHint{SupportKind::kWidth, 10}, SupportHint{SupportKind::kSubGaussian, 3}}) {
    std::size_t found = 0;
    for (const double epsilon : {1.0, 3.0}) {
      const SupportFinder finder(hint, 1000, records.size(), epsilon, 1e-2);
      const SupportByHand by_hand(hint, 1000, records, finder);
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        FrozenRandom random(seed);
        FrozenRandom again(seed);
        const OutcomeInterval interval = finder.find(counts_of(records), random).hull();
        EXPECT_EQ(interval, by_hand.find(again)) << to_text(hint) << ", " << epsilon;
        EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
        found += interval.width() < 1000 ? 1U : 0U;
      }
    }
    EXPECT_GT(found, 10U) << to_text(hint) << " finds nothing";
  }
  // All outcomes that a histogram of the whole budget shows.
  const SupportFinder finder({SupportKind::kHeavy, 0}, 1000, records.size(), 3, 1e-2);
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    FrozenRandom random(seed);
    FrozenRandom again(seed);
    const FoundSupport support = finder.find(counts_of(records), random);
    const auto shown = StableHistogram(3, 1e-2).draw(counts_of(records), again);
    if (!shown.empty()) {
      EXPECT_EQ(support.size(), shown.size());
      EXPECT_EQ(support.hull(), (OutcomeInterval{shown.front().outcome, shown.back().outcome}));
    }
    EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
    most = std::max(most, shown.size());
  }
  EXPECT_GT(most, 1U);
}

}  // namespace

}  // namespace mollify
