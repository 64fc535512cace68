#include "methods/gaussian/centre.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include "accounting/composition.h"
#include "base/directed_rounding.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "methods/central/samplers.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The median of integers in a declared range, privately, and how far in rank it may be off.

namespace {

std::uint64_t distance_of(std::uint64_t less, std::uint64_t greater, std::uint64_t half) {
  const std::uint64_t most = std::max(less, greater);
  return most > half ? most - half : 0;
}

/// More than Boost's incomplete beta functions may err by, relatively, up to 2^32 trials.
constexpr double kBetaError = 1e-6;

/// P(M >= m) for M of n trials of probability q.
double at_least_up(double n, double q, double m) {
  if (m <= 0) return 1;
  if (m > n || q <= 0) return 0;
  return std::fmin(
      1, boost::math::ibeta(m, n - m + 1, std::fmin(1, q * (1 + 1e-13))) * (1 + kBetaError));
}

/// P(M <= m).
double at_most_up(double n, double q, double m) {
  if (m < 0) return 0;
  if (m >= n || q <= 0) return 1;
  return std::fmin(1, boost::math::ibetac(m + 1, n - m, q * (1 - 1e-13)) * (1 + kBetaError));
}

}  // namespace

PrivateMedian::PrivateMedian(std::int64_t first, std::int64_t last, Ratio rate)
    : first_(first), last_(last), choice_(rate) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 61U;
  refuse_if(first < -kLimit || first > last || last >= kLimit, "not-ascending", "mean-range",
            "a median needs -2^61 <= first <= last < 2^61, but the range is from {} to {}", first,
            last);
}

std::vector<PrivateMedian::Interval> PrivateMedian::intervals(
    std::span<const std::int64_t> values) const {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  for (std::int64_t& value : sorted) value = std::clamp(value, first_, last_);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size(), half = n / 2;
  std::vector<Interval> result;
  std::int64_t next = first_;  // of the integers not yet in an interval
  const auto add = [&](std::int64_t end, std::size_t less, std::size_t greater) {
    result.push_back(
        {next, {static_cast<std::uint64_t>(end - next), distance_of(less, greater, half)}});
    next = end;
  };
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && sorted[end] == sorted[begin]) ++end;
    if (next < sorted[begin]) add(sorted[begin], begin, n - begin);
    add(sorted[begin] + 1, begin, n - end);
    begin = end;
  }
  if (next <= last_) add(last_ + 1, n, 0);
  return result;
}

std::int64_t PrivateMedian::draw(std::span<const std::int64_t> values, SecureRandom& random) const {
  const std::vector<Interval> all = intervals(values);
  std::vector<ChoiceTerm> terms;
  terms.reserve(all.size());
  for (const Interval& interval : all) terms.push_back(interval.term);
  const ChosenOutcome chosen = choice_.draw(terms, random);
  return all[chosen.term].first + static_cast<std::int64_t>(chosen.position);
}

double median_beyond_up(std::uint64_t records, double outcomes, Ratio rate, double beyond) {
  const std::uint64_t half = records / 2;
  const auto n = static_cast<double>(records), h = static_cast<double>(half);
  const double eta = static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator);
  const double c = outcomes / 2;
  const double log_c = std::log(c);
  // Any rank K gives an upper bound, so its rounding does not matter.
  const double rank = std::fmax(0, std::ceil(log_c / eta));
  const double needed = h + rank;
  if (needed > n) return 1;
  // In terms of the values beyond, M = n - N.
  const double first = at_least_up(n, beyond, n - needed + 1);
  const double kept = std::exp(-eta);
  const double mean = kept + beyond * (1 - kept);
  const double log_mean = mean < 0.5 ? std::log(mean) : std::log1p((1 - beyond) * std::expm1(-eta));
  const double exponent = log_c + eta * h + n * log_mean;
  const double rounding = 0x1p-48 * (std::abs(log_c) + eta * h + n * std::abs(log_mean) + 1);
  double second = 1;
  if (exponent < 600) {
    second = mul_up(exp_up(exponent + rounding),
                    at_most_up(n, beyond / mean * (1 - 0x1p-50), n - needed));
  } else {
    // The probability is beyond the doubles: the first summand and a geometric series above the
    // others, whose ratio falls.
    const double missed = n - needed;
    const double ratio = missed / (needed + 1) * (1 - beyond) / beyond * kept;
    const double mass =
        boost::math::ibeta_derivative(missed + 1, needed + 1, beyond) / (n + 1) * (1 + kBetaError);
    if (ratio < 1) second = exp_up(log_c - eta * rank + rounding) * mass / (1 - ratio);
  }
  return std::clamp(2 * (first + second) * (1 + 0x1p-50), 1e-300, 1.0);
}

// -----------------------------------------------------------------------------------------------
// A private coarse centre of rows of numbers.

CoarseCentre::CoarseCentre(CentreDesign design) : design_(std::move(design)) {
  refuse_if(design_ != design_centre(design_.request), "internal-error", {},
            "a coarse centre needs a design as design_centre makes it");
  cells_.resize(design_.request.dimension);
}

std::int64_t CoarseCentre::cell_of(double score, int cell_exponent) {
  constexpr double kLimit = 0x1p51;
  if (std::isnan(score)) return 0;
  // A power of two: ldexp is exact unless the result underflows, and then the floor is right unless
  // a negative number becomes 0.
  const double scaled = std::ldexp(score, -cell_exponent);
  return static_cast<std::int64_t>(std::clamp(std::floor(scaled), -kLimit, kLimit));
}

void CoarseCentre::add(std::span<const double> whitened_rows) {
  const std::size_t d = cells_.size();
  refuse_if(whitened_rows.size() % d != 0, "wrong-shape", {},
            "rows of a coarse centre have {} numbers each, but {} were given", d,
            whitened_rows.size());
  constexpr std::size_t kMostRows = 0xFFFFFFFF;
  refuse_if(whitened_rows.size() / d > kMostRows - cells_.front().size(), "out-of-range", "n",
            "a coarse centre takes at most 4294967295 rows, but more were given");
  for (std::size_t i = 0; i < whitened_rows.size(); ++i) {
    cells_[i % d].push_back(cell_of(whitened_rows[i], design_.cell_exponent));
  }
}

namespace {

/// The most frequent joint coarse cell of those that a stable histogram releases, the least of them
/// in lexicographic order; all zeros if it releases none. The histogram counts numbers of distinct
/// vectors in place of the vectors. The numbers depend on the data, but neither the law of each
/// vector's release nor the choice among releases depends on them.
std::vector<std::int64_t> frequent_vector(const std::vector<std::vector<std::int64_t>>& columns,
                                          const CentreDesign::Histogram& parameters,
                                          SecureRandom& random) {
  const std::size_t d = columns.size(), n = columns.front().size();
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers;
  std::vector<const std::vector<std::int64_t>*> vectors;
  std::vector<std::uint32_t> records;
  records.reserve(n);
  std::vector<std::int64_t> row(d);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 4096 == 0) keep_going();
    for (std::size_t j = 0; j < d; ++j) row[j] = columns[j][i];
    const auto [at, is_new] = numbers.try_emplace(row, static_cast<std::uint32_t>(vectors.size()));
    if (is_new) vectors.push_back(&at->first);
    records.push_back(at->second);
  }
  const std::vector<std::int64_t>* most_frequent = nullptr;
  int128 most = 0;
  const StableHistogram histogram(parameters.epsilon, parameters.delta, parameters.threshold);
  for (const NoisyCount& one : histogram.draw(counts_of(records), random)) {
    const std::vector<std::int64_t>* vector = vectors[one.outcome];
    if (most_frequent == nullptr || one.count > most ||
        (one.count == most && *vector < *most_frequent)) {
      most = one.count;
      most_frequent = vector;
    }
  }
  return most_frequent == nullptr ? std::vector<std::int64_t>(d) : *most_frequent;
}

}  // namespace

std::vector<double> CoarseCentre::find(SecureRandom& random) const {
  const std::size_t d = cells_.size();
  std::vector<CentreDesign::Cells> ranges = design_.cells;
  if (design_.histogram) {
    const unsigned bits = design_.histogram->coarse_bits;
    std::vector<std::int64_t> shifts;
    std::vector<std::vector<std::int64_t>> coarse = cells_;
    for (std::size_t j = 0; j < d; ++j) {
      shifts.push_back(static_cast<std::int64_t>(random.below(std::uint64_t{1} << bits)));
      for (std::int64_t& cell : coarse[j]) cell = (cell + shifts[j]) >> bits;
    }
    const auto found = frequent_vector(coarse, *design_.histogram, random);
    for (std::size_t j = 0; j < d; ++j) {
      const std::int64_t first = found[j] * (std::int64_t{1} << bits) - shifts[j];
      ranges.push_back({first, first + (std::int64_t{1} << bits) - 1});
    }
  }
  std::vector<double> centre;
  for (std::size_t j = 0; j < d; ++j) {
    keep_going();
    const PrivateMedian median(ranges[j].first, ranges[j].last, design_.rate);
    const std::int64_t cell = median.draw(cells_[j], random);
    centre.push_back(std::ldexp(static_cast<double>(cell) + 0.5, design_.cell_exponent));
  }
  return centre;
}

// -----------------------------------------------------------------------------------------------
// From public numbers to a private coarse centre of a Gaussian, and how far off it may be.

namespace {

constexpr std::uint64_t kMostCentreRecords = (std::uint64_t{1} << 32U) - 1;
/// Cells of a declared range lie within -2^51 and 2^51.
constexpr double kMostCells = 0x1p51;
/// Farther from the mean than this many deviations no bound here looks.
constexpr double kFarthest = 37;

void require_in(const char* name, double value, double least, double greatest) {
  require_between({fmt::format("{} of a coarse centre", name), ""}, value, least, greatest);
}

void check(const CentreRequest& request) {
  require_between({"the number of records of a coarse centre", "n", "records"}, request.records, 1,
                  kMostCentreRecords);
  require_between({"the dimension of a coarse centre", "dimension"}, request.dimension, 1, 1024);
  const Privacy& budget = request.budget;
  require_central_budget(budget);
  const bool is_rho = budget.notion == PrivacyNotion::kConcentrated;
  if (is_rho) {
    require_in("rho", budget.rho, 1e-12, 1000);
  } else {
    require_in("epsilon", budget.epsilon, 1e-6, 100);
    if (budget.delta != 0) require_in("delta", budget.delta, 1e-100, 0.5);
  }
  require_in("the deviation", request.deviation, 1e-100, 1e100);
  require_in("the probability of failure", request.failure, 1e-100, 0.5);
  if (request.ranges.empty()) {
    if (is_rho || budget.delta == 0) {
      throw InvalidInput(
          "missing-parameter",
          "without a delta the coarse centre needs declared ranges of the mean, but has none",
          "mean-range", {WayOut::set("mean-range"), WayOut::set("delta")});
    }
  } else if (request.ranges.size() != 1 && request.ranges.size() != request.dimension) {
    refuse_input("wrong-shape", "mean-range",
                 "a coarse centre of {} coordinates needs one range or {}, but has {}",
                 request.dimension, request.dimension, request.ranges.size());
  }
  for (const RealRange& range : request.ranges) {
    const double limit = kMostCells / 4 * request.deviation;
    refuse_if(!(range.low >= -limit && range.low < range.high && range.high <= limit),
              "not-ascending", "mean-range",
              "a range of the mean must be of numbers low < high within 2^49 deviations of 0, but "
              "is from {} to {}",
              range.low, range.high);
  }
}

/// P(N(0, 1) > z), rounded up; z from 0 to 37.
double normal_tail_up(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2) * (1 + 1e-12); }

/// The least z, except for rounding up, with normal_tail_up(z) <= tail; none if beyond 37.
std::optional<double> normal_quantile_up(double tail) {
  if (normal_tail_up(kFarthest) > tail) return std::nullopt;
  return halve({.serves = kFarthest, .fails = 0}, {.most = 60},
               [tail](double z) { return normal_tail_up(z) <= tail; })
      .serves;
}

/// 1 / scale, or below it by a relative 2^-52 at most: `scale` is at least 2^-10.
Ratio rate_of_scale(double scale) {
  const Ratio ratio = Ratio::at_least({"the scale of a median", "scale"}, scale);
  return {ratio.denominator, ratio.numerator};
}

/// d medians of 2 eta each: 2 d eta <= epsilon.
Ratio pure_rate(std::size_t dimension, double epsilon) {
  return rate_of_scale(div_up(2 * static_cast<double>(dimension), epsilon));
}

/// d medians of eta^2 / 2 each: d eta^2 / 2 <= rho.
Ratio concentrated_rate(std::size_t dimension, double rho) {
  const double square = div_up(static_cast<double>(dimension), 2 * rho);
  return rate_of_scale(std::nextafter(std::sqrt(square), std::numeric_limits<double>::infinity()));
}

/// The greater of the two rates that (epsilon, delta) allows.
Ratio approximate_rate(std::size_t dimension, double epsilon, double delta) {
  const Ratio pure = pure_rate(dimension, epsilon);
  const double rho = concentrated_rho_down(epsilon, delta * kRoomForRounding);
  if (!(rho >= 1e-12)) return pure;
  const Ratio concentrated = concentrated_rate(dimension, rho);
  const bool is_greater = static_cast<uint128>(concentrated.numerator) * pure.denominator >
                          static_cast<uint128>(pure.numerator) * concentrated.denominator;
  return is_greater ? concentrated : pure;
}

/// The parts of a budget that a design spends.
struct Stages {
  std::optional<CentreDesign::Histogram> histogram = std::nullopt;
  Ratio rate;
};

/// P(n + Z < T) for the noise Z of the histogram: all n records share one cell, and it is not
/// released.
double suppressed_up(std::uint64_t records, const StableHistogram& histogram) {
  const auto excess = static_cast<std::int64_t>(records) - histogram.threshold();
  if (excess < 0) return 1;
  const double a_down = exp_down(-div_up(1, histogram.scale()));
  const double exponent = div_down(static_cast<double>(excess) + 1, histogram.scale());
  return div_up(exp_up(-exponent), std::nextafter(1 + a_down, 1));
}

/// The histogram takes the least epsilon that releases n records of one cell with probability at
/// least 1 - suppressed, and the medians take what is left.
std::optional<Stages> two_stages(const CentreRequest& request, double first_delta,
                                 double second_delta) {
  const double epsilon = request.budget.epsilon, allowed = request.failure / 16;
  const auto suppressed = [&](double first) {
    return suppressed_up(request.records, StableHistogram(first, first_delta));
  };
  if (suppressed(epsilon) > allowed) return std::nullopt;
  const double first = halve({.serves = epsilon, .fails = 0}, {.share = 1e-4}, [&](double middle) {
                         return middle >= 1e-6 && suppressed(middle) <= allowed;
                       }).serves;
  double rest = epsilon - first;
  while (rest > 0 && add_up(rest, first) > epsilon) rest = std::nextafter(rest, 0.0);
  if (!(rest >= 1e-6)) return std::nullopt;
  Stages stages;
  stages.histogram = {.epsilon = first,
                      .delta = first_delta,
                      .threshold = StableHistogram(first, first_delta).threshold()};
  stages.rate = second_delta > 0 ? approximate_rate(request.dimension, rest, second_delta)
                                 : pure_rate(request.dimension, rest);
  return stages;
}

/// All ways of spending the budget.
std::vector<Stages> ways_to_spend(const CentreRequest& request) {
  const Privacy& budget = request.budget;
  const std::size_t d = request.dimension;
  if (budget.notion == PrivacyNotion::kConcentrated) {
    return {{.rate = concentrated_rate(d, budget.rho)}};
  }
  if (budget.delta == 0) return {{.rate = pure_rate(d, budget.epsilon)}};
  if (!request.ranges.empty()) {
    return {{.rate = approximate_rate(d, budget.epsilon, budget.delta)}};
  }
  std::vector<Stages> ways;
  for (const double second : {0.0, budget.delta / 2}) {
    const auto stages = two_stages(request, budget.delta - second, second);
    if (stages) ways.push_back(*stages);
  }
  return ways;
}

/// The least z, to 2^-30, with which a median is off by more than z deviations with probability at
/// most `allowed`.
std::optional<double> least_deviations(std::uint64_t records, double outcomes, Ratio rate,
                                       double allowed) {
  const auto is_enough = [&](double z) {
    return median_beyond_up(records, outcomes, rate, normal_tail_up(z)) <= allowed;
  };
  if (!is_enough(kFarthest)) return std::nullopt;
  return halve({.serves = kFarthest, .fails = 0}, {.most = 36}, is_enough).serves;
}

/// The boundaries of cells between records that a histogram of coarse cells is for.
double cuts(const CentreDesign& design) {
  return std::ceil(2 * design.histogram->deviations * design.request.deviation /
                   std::ldexp(1, design.cell_exponent) * (1 + 0x1p-50));
}

/// The cells of a median, and the probability that the mean is not in them.
struct FirstStage {
  std::vector<CentreDesign::Cells> cells;
  double outcomes = 0;  ///< at most, of a coordinate
  double failure = 0;
};

/// None if there are too many cells.
std::optional<FirstStage> first_stage_of(const CentreDesign& design) {
  const CentreRequest& request = design.request;
  FirstStage stage;
  if (const auto& histogram = design.histogram) {
    const auto d = static_cast<double>(request.dimension);
    const auto n = static_cast<double>(request.records);
    const StableHistogram stable(histogram->epsilon, histogram->delta, histogram->threshold);
    stage.outcomes = std::ldexp(1, static_cast<int>(histogram->coarse_bits));
    // A record farther off than assumed in some coordinate; the cells within are cut by a boundary
    // of coarse cells; or theirs is not released.
    stage.failure = (2 * n * d * normal_tail_up(histogram->deviations) +
                     d * cuts(design) / stage.outcomes + suppressed_up(request.records, stable)) *
                    (1 + 0x1p-48);
    return stage;
  }
  for (const RealRange& range : request.ranges) {
    const double first = std::floor(std::ldexp(range.low, -design.cell_exponent));
    const double last = std::ceil(std::ldexp(range.high, -design.cell_exponent)) - 1;
    // Either end: a certificate may state a range far from zero.
    if (!(std::abs(first) <= kMostCells && std::abs(last) <= kMostCells)) return std::nullopt;
    stage.outcomes = std::fmax(stage.outcomes, last - first + 1);
    stage.cells.push_back({static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)});
  }
  stage.cells.resize(request.dimension, stage.cells.front());
  return stage;
}

/// The design with cells of 2^exponent; none if the records are too few, or the cells too many.
std::optional<CentreDesign> design_with(const CentreRequest& request, const Stages& stages,
                                        int exponent) {
  const auto d = static_cast<double>(request.dimension);
  const auto n = static_cast<double>(request.records);
  CentreDesign design;
  design.request = request;
  design.cell_exponent = exponent;
  design.histogram = stages.histogram;
  design.rate = stages.rate;
  if (design.histogram) {
    const auto within = normal_quantile_up(request.failure / 16 / (2 * n * d));
    if (!within) return std::nullopt;
    design.histogram->deviations = *within;
    const double most = request.failure / 8;
    const double all_cuts = d * cuts(design);
    unsigned bits = 1;
    while (bits <= 50 && !(all_cuts * std::ldexp(1, -static_cast<int>(bits)) <= most)) ++bits;
    if (bits > 50) return std::nullopt;
    design.histogram->coarse_bits = bits;
  }
  const auto first = first_stage_of(design);
  if (!first) return std::nullopt;
  const double allowed = (request.failure - first->failure) / d * (1 - 0x1p-48);
  const auto z = least_deviations(request.records, first->outcomes, design.rate, allowed);
  if (!z) return std::nullopt;
  design.deviations = *z;
  if (!settle_centre(design)) return std::nullopt;
  design.failure_up = std::fmin(request.failure, design.failure_up);
  return design;
}

/// Without a value if there are too few records.
std::optional<CentreDesign> best_design(const CentreRequest& request) {
  std::optional<CentreDesign> best;
  for (const Stages& stages : ways_to_spend(request)) {
    const int finest = std::ilogb(request.deviation) - 12;
    double before = std::numeric_limits<double>::infinity();
    for (int exponent = finest + 15; exponent >= finest; --exponent) {
      const auto design = design_with(request, stages, exponent);
      if (design && (!best || design->radius < best->radius)) best = design;
      if (design && design->radius > before) break;  // from here on they are too many
      before = design ? design->radius : before;
    }
  }
  if (best) best->guarantee = request.budget;
  return best;
}

/// The least n that is enough; InvalidInput if none up to the limit is.
std::uint64_t least_records(CentreRequest request) {
  const auto least = least_whole(1, kMostCentreRecords, [&](std::uint64_t records) {
    request.records = records;
    return best_design(request).has_value();
  });
  if (least) return *least;
  refuse_input("no-answer", "n",
               "no number of records up to {} gives a coarse centre with this budget and "
               "probability of failure",
               kMostCentreRecords);
}

/// Whether medians of this rate keep an epsilon and delta, whichever way that is counted.
bool medians_keep(std::size_t dimension, Ratio rate, double epsilon, double delta) {
  const auto d = static_cast<double>(dimension);
  const double scale = div_down(integer_down(rate.denominator), integer_up(rate.numerator));
  if (!(epsilon > 0 && delta >= 0)) return false;
  if (div_up(2 * d, epsilon) <= scale) return true;
  const double rho = div_up(d, -mul_up(-2 * scale, scale));
  return delta > 0 && concentrated_delta_up(rho, epsilon) <= delta;
}

}  // namespace

bool settle_centre(CentreDesign& design) {
  const CentreRequest& request = design.request;
  const auto d = static_cast<double>(request.dimension);
  auto first = first_stage_of(design);
  if (!first) return false;
  design.cells = std::move(first->cells);
  design.coordinate_error = add_up(mul_up(design.deviations, request.deviation) * (1 + 0x1p-50),
                                   std::ldexp(1, design.cell_exponent - 1));
  design.radius = mul_up(std::nextafter(std::sqrt(d), 2 * d), design.coordinate_error);
  const double off = median_beyond_up(request.records, first->outcomes, design.rate,
                                      normal_tail_up(design.deviations));
  design.failure_up = add_up(first->failure, mul_up(d, off));
  return true;
}

void check_centre_design(const CentreDesign& design) {
  check(design.request);
  const Privacy& said = design.guarantee;
  const std::size_t d = design.request.dimension;
  const auto keeps = [&] {
    if (said.notion == PrivacyNotion::kConcentrated) {
      // d eta^2 / 2 <= rho, of the scale 1 / eta.
      const double scale =
          div_down(integer_down(design.rate.denominator), integer_up(design.rate.numerator));
      return !design.histogram && sqrt_up(div_up(static_cast<double>(d), 2 * said.rho)) <= scale;
    }
    const auto& histogram = design.histogram;
    if (!histogram) return medians_keep(d, design.rate, said.epsilon, said.delta);
    static_cast<void>(StableHistogram(histogram->epsilon, histogram->delta, histogram->threshold));
    return medians_keep(d, design.rate, -add_up(histogram->epsilon, -said.epsilon),
                        -add_up(histogram->delta, -said.delta));
  };
  const bool has_cells =
      design.histogram ? design.histogram->coarse_bits >= 1 && design.histogram->coarse_bits <= 50
                       : !design.request.ranges.empty();
  refuse_if(said.notion != design.request.budget.notion || !has_cells || !keeps(),
            "certificate-altered", {},
            "the numbers of a coarse centre must keep its guarantee, but do not");
}

std::optional<CentreDesign> find_centre_design(const CentreRequest& request) {
  check(request);
  return best_design(request);
}

CentreDesign design_centre(const CentreRequest& request) {
  if (const auto design = find_centre_design(request)) return *design;
  const std::uint64_t least = least_records(request);
  refuse_input("too-few-records", "n", {WayOut::have("records", std::to_string(least))},
               "a coarse centre with this budget and probability of failure needs at least {} "
               "records, but has {}",
               least, request.records);
}

}  // namespace mollify
