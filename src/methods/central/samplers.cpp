#include "methods/central/samplers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "accounting/composition.h"
#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "domain/numbers.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The one shape of every sampler in the central model.

namespace {

/// Counts records of outcomes from k on as records of 0.
OutcomeHistogram with_strays_as_first(OutcomeHistogram histogram, std::uint64_t outcomes) {
  const auto inside = std::lower_bound(histogram.keys.begin(), histogram.keys.end(), outcomes);
  const auto kept = static_cast<std::size_t>(inside - histogram.keys.begin());
  const std::uint64_t strays =
      std::accumulate(histogram.counts.begin() + static_cast<std::ptrdiff_t>(kept),
                      histogram.counts.end(), std::uint64_t{0});
  histogram.keys.resize(kept);
  histogram.counts.resize(kept);
  if (strays == 0) return histogram;
  if (kept == 0 || histogram.keys.front() != 0) {
    histogram.keys.insert(histogram.keys.begin(), 0);
    histogram.counts.insert(histogram.counts.begin(), 0);
  }
  histogram.counts.front() += strays;
  return histogram;
}

}  // namespace

std::vector<std::uint32_t> CentralSampler::draw(const OutcomeHistogram& histogram,
                                                SecureRandom& random) const {
  const uint128 records = mollify::record_count(histogram);
  refuse_if(records != record_count() && !has_weights(), "wrong-shape", {},
            "a draw must be from the {} records of its design, but has {}", record_count(),
            records);
  if (!histogram.keys.empty() && histogram.keys.back() >= outcome_count()) {
    return draw_of(with_strays_as_first(histogram, outcome_count()), random);
  }
  return draw_of(histogram, random);
}

// -----------------------------------------------------------------------------------------------
// m of n records, each through randomized response, in a random order.

SubsetSampler::SubsetSampler(const RandomizedResponse& response, std::uint64_t records,
                             std::uint64_t chosen, const Privacy& guarantee)
    : CentralSampler(response.outcome_count(), records, chosen, guarantee), response_(response) {
  refuse_if(chosen < 1 || chosen > records, "out-of-range", "chosen",
            "the number of chosen records must be from 1 to all {}, but is {}", records, chosen);
}

double SubsetSampler::total_variation_up() const { return mollify::total_variation_up(response_); }

std::vector<std::uint32_t> SubsetSampler::draw_of(const OutcomeHistogram& histogram,
                                                  SecureRandom& random) const {
  RecordsLeft records(histogram.counts);
  std::vector<std::uint32_t> outputs(*output_count());
  for (std::uint32_t& output : outputs) {
    const std::uint32_t value = histogram.keys[records.take(random)];
    output = static_cast<std::uint32_t>(response_.draw(value, random));
  }
  return outputs;
}

double total_variation_up(const RandomizedResponse& response) {
  return share_up(uint128{response.outcome_count() - 1} * response.other(), response.total());
}

// -----------------------------------------------------------------------------------------------
// A random part of the records, each through randomized response, in a random order.

PoissonSampler::PoissonSampler(const RandomizedResponse& response,
                               const PoissonSubsample& subsample, std::uint64_t records,
                               std::optional<std::uint64_t> outputs, const Privacy& guarantee)
    : CentralSampler(response.outcome_count(), records, outputs, guarantee),
      response_(response),
      subsample_(subsample) {
  require_in({.least = 1}, {"the number of outputs", "count", "records"}, outputs.value_or(1));
}

double PoissonSampler::total_variation_up() const {
  const double response = mollify::total_variation_up(response_);
  if (!output_count()) return response;
  const double sum = response + binomial_below_up(record_count(), rate(), *output_count());
  return std::fmin(1, std::nextafter(sum, std::numeric_limits<double>::infinity()));
}

std::vector<std::uint32_t> PoissonSampler::draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const {
  std::vector<std::uint32_t> reports = subsample_.draw(histogram.counts, random);
  for (std::uint32_t& value : reports) {
    value = static_cast<std::uint32_t>(response_.draw(histogram.keys[value], random));
  }
  if (const auto outputs = output_count()) {
    while (reports.size() < *outputs) {
      reports.push_back(static_cast<std::uint32_t>(random.below(outcome_count())));
    }
  }
  shuffle(reports, random);
  reports.resize(output_count().value_or(reports.size()));
  return reports;
}

double binomial_below_up(std::uint64_t trials, double rate, std::uint64_t count) {
  if (count == 0) return 0;
  const double mean = static_cast<double>(trials) * rate;
  const double distance = mean - static_cast<double>(count - 1);
  // Rounding of the mean moves the distance by 2^-52 of the mean; a distance of which that is more
  // than 1e-10 proves nothing here.
  if (!(distance > mean * 0x1p-18)) return 1;
  const double exponent =
      distance * distance / (2 * (mean * (1 - rate) + rate * distance / 3)) * (1 - 1e-9);
  return std::fmin(1, exp_up(-exponent));
}

std::optional<double> poisson_rate_for(std::uint64_t records, std::uint64_t outputs,
                                       double failure) {
  const double rate = halve({.serves = 1, .fails = 0}, {.most = 60}, [&](double middle) {
                        return binomial_below_up(records, middle, outputs) <= failure;
                      }).serves;
  if (rate == 1) return std::nullopt;
  return rate;
}

// -----------------------------------------------------------------------------------------------
// Samples of product distributions on {0, 1}^d, coordinate by coordinate, with pure privacy.

namespace {

unsigned validated(unsigned coordinates) {
  require_between({"the number of coordinates", "", "coordinates"}, coordinates, 1, 24);
  return coordinates;
}

}  // namespace

ProductSampler::ProductSampler(unsigned coordinates, std::uint64_t records, std::uint64_t outputs,
                               double epsilon)
    // Above 30 for each coordinate, randomized response gives less than asked for.
    : CentralSampler(std::uint64_t{1} << validated(coordinates), records, outputs,
                     Privacy::pure(std::fmin(epsilon, ExpBound::kGreatestEpsilon * coordinates))),
      response_(2, epsilon_per_draw_down(epsilon, coordinates), records, outputs),
      coordinates_(coordinates) {}

double ProductSampler::total_variation_up() const {
  return std::fmin(1, mul_up(coordinates_, mollify::total_variation_up(response_)));
}

std::vector<std::uint32_t> ProductSampler::draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const {
  std::vector<std::uint32_t> outputs(*output_count());
  for (unsigned j = 0; j < coordinates_; ++j) {
    const std::uint64_t ones = ones_of(histogram, j);
    RecordsLeft bits(std::array{record_count() - ones, ones});
    for (std::uint32_t& output : outputs) {
      const std::size_t bit = response_.draw(bits.take(random), random);
      output |= static_cast<std::uint32_t>(bit) << j;
    }
  }
  return outputs;
}

std::uint64_t ones_of(const OutcomeHistogram& histogram, unsigned coordinate) {
  std::uint64_t ones = 0;
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    if ((histogram.keys[i] >> coordinate & 1U) != 0) ones += histogram.counts[i];
  }
  return ones;
}

// -----------------------------------------------------------------------------------------------
// Many outputs from any sampler of one.

DisjointRuns::DisjointRuns(std::unique_ptr<const CentralSampler> single, std::uint64_t records,
                           std::uint64_t runs)
    : CentralSampler(single->outcome_count(), records, runs, single->guarantee()),
      single_(std::move(single)) {
  refuse_if(
      single_->output_count() != std::uint64_t{1}, "not-for-this-mechanism", "count",
      "disjoint runs are made of a sampler of one output, but this has another number of them");
  const std::uint64_t each = single_->record_count();
  refuse_if(runs < 1 || records / runs < each, "too-few-records", {},
            "{} disjoint runs on {} records each do not fit into {} records", runs, each, records);
  // A draw takes each record by itself. Counted tables may have more than would ever end.
  constexpr std::uint64_t kMostTaken = std::uint64_t{1} << 32U;
  refuse_if(records > kMostTaken && runs > 1, "too-much-work", "n",
            "disjoint runs take at most {} records one by one, but there are {}: release one "
            "record, or use another mechanism",
            kMostTaken, records);
}

std::vector<std::uint32_t> DisjointRuns::draw_of(const OutcomeHistogram& histogram,
                                                 SecureRandom& random) const {
  RecordsLeft records(histogram.counts);
  std::vector<std::uint32_t> outputs;
  outputs.reserve(*output_count());
  for (std::uint64_t run = 0; run < *output_count(); ++run) {
    Tally<std::uint32_t> part;
    for (std::uint64_t i = 0; i < single_->record_count(); ++i) {
      part.add(histogram.keys[records.take(random)]);
    }
    outputs.push_back(single_->draw(part.take(), random).front());
  }
  return outputs;
}

double strong_total_variation_up(double weak, std::uint64_t outputs) {
  refuse_if(!(weak >= 0), "out-of-range", {}, "a total variation must be at least 0, but is {}",
            weak);
  return std::fmin(1, mul_up(weak, integer_up(outputs)));
}

// -----------------------------------------------------------------------------------------------
// Data-specific reveal-or-obscure.

namespace {

/// The least integer from 0 to `greatest` that satisfies a condition which holds from there on, and
/// at `greatest`; soon if the guess is near it.
template <class Condition>
std::uint64_t least_that(std::uint64_t greatest, std::uint64_t guess, const Condition& holds) {
  std::uint64_t good = greatest;
  std::uint64_t bad = std::min(guess, greatest);
  for (std::uint64_t step = 1; holds(bad); step *= 2) {
    good = bad;
    if (good == 0) return 0;
    bad = good > step ? good - step : 0;
  }
  for (std::uint64_t step = 1; good - bad > step; step *= 2) {
    if (holds(bad + step)) return halve_whole(bad + step, bad, holds);
    bad += step;
  }
  return halve_whole(good, bad, holds);
}

}  // namespace

DsRoo::DsRoo(std::uint64_t outcomes, std::uint64_t records, double epsilon)
    : CentralSampler(outcomes, records, 1, Privacy::pure(ExpBound(epsilon).epsilon())),
      bound_(epsilon) {
  require_between({"the number of outcomes", "k", "outcomes"}, outcomes, 1, Band::kMostOutcomes);
  require_between({"the number of records", "n", "records"}, records, 1,
                  RandomizedResponse::kMostRecords);
  if (outcomes == 1) {
    obscured_.push_back(0);
    return;
  }
  obscured_.push_back(least_that(
      kTotal, 0, [&](std::uint64_t first) { return same_least_holds(0, first, bound_); }));
  const std::uint64_t steps = std::min(records / outcomes, kMostSteps);
  for (std::uint64_t least = 0; least < steps && obscured_.back() > 0; ++least) {
    const std::uint64_t before = obscured_.back();
    obscured_.push_back(
        least_that(before, about_least_after(least, before),
                   [&](std::uint64_t after) { return step_holds(least, before, after, bound_); }));
  }
}

bool DsRoo::same_least_holds(std::uint64_t least, std::uint64_t obscured,
                             const ExpBound& bound) const {
  return bound.allows(numerator_for(obscured, uint128{least} + 1),
                      numerator_for(obscured, uint128{least}));
}

template <class Holds>
bool DsRoo::all_of_step(std::uint64_t least, const Holds& holds) const {
  const auto within = [&](uint128 count_before, uint128 count_after) {
    const Cell first{false, count_before};
    const Cell second{true, count_after};
    return holds(first, second) && holds(second, first);
  };
  const uint128 j = least;
  const uint128 greatest = record_count() - j - (outcome_count() - 2) * (j + 1);
  // The ends of each range decide, and the others follow: h rises with c, so (j + 1, j + 1) follows
  // from the first two; h_(j+1) rises no slower than h_j, so (r, r - 1) from the second and (r, r).
  return holds(Cell{true, j + 2}, Cell{true, j + 1}) && within(j, j + 1) && within(j + 2, j + 1) &&
         within(greatest, greatest);
}

bool DsRoo::step_holds(std::uint64_t least, std::uint64_t before, std::uint64_t after,
                       const ExpBound& bound) const {
  const auto numerator_of = [&](const Cell& cell) {
    return numerator_for(cell.is_after ? after : before, cell.count);
  };
  return all_of_step(least, [&](const Cell& larger, const Cell& smaller) {
    return bound.allows(numerator_of(larger), numerator_of(smaller));
  });
}

std::uint64_t DsRoo::about_least_after(std::uint64_t least, std::uint64_t before) const {
  using Real = long double;
  const auto n = static_cast<Real>(record_count());
  const auto k = static_cast<Real>(outcome_count());
  const auto most = static_cast<Real>(before);
  const Real factor = bound_.value();
  Real found = 0;
  static_cast<void>(all_of_step(least, [&](const Cell& larger, const Cell& smaller) {
    const auto slack = [&](Real after) {
      const auto numerator_of = [&](const Cell& cell) {
        const Real copies = static_cast<Real>(static_cast<std::uint64_t>(cell.count)) * k;
        return static_cast<Real>(kTotal) * copies + (cell.is_after ? after : most) * (n - copies);
      };
      return factor * numerator_of(smaller) - numerator_of(larger);
    };
    const Real at_none = slack(0);
    if (at_none < 0) found = std::max(found, most * (at_none / (at_none - slack(most))));
    return true;
  }));
  return static_cast<std::uint64_t>(std::min(most, std::ceil(found)));
}

bool DsRoo::satisfies(const ExpBound& bound) const {
  if (outcome_count() == 1) return true;
  if (!same_least_holds(0, obscured_[0], bound)) return false;
  // After the last one all are the same; one step more is the hardest of those.
  for (std::uint64_t least = 0;
       least < record_count() / outcome_count() && least < obscured_.size(); ++least) {
    if (!step_holds(least, obscured(least), obscured(least + 1), bound)) return false;
  }
  return true;
}

double DsRoo::total_variation_up() const {
  return share_up(uint128{outcome_count() - 1} * obscured_[0], uint128{outcome_count()} * kTotal);
}

std::uint64_t DsRoo::least_count(const OutcomeHistogram& histogram) const {
  if (histogram.keys.size() < outcome_count()) return 0;
  return *std::min_element(histogram.counts.begin(), histogram.counts.end());
}

std::vector<std::uint32_t> DsRoo::draw_of(const OutcomeHistogram& histogram,
                                          SecureRandom& random) const {
  const bool is_obscured = random.below(kTotal) < obscured(least_count(histogram));
  const auto uniform = static_cast<std::uint32_t>(random.below(outcome_count()));
  std::uint64_t position = random.below(record_count());  // of a record, outcome after outcome
  std::size_t i = 0;
  while (position >= histogram.counts[i]) position -= histogram.counts[i++];
  return {is_obscured ? uniform : histogram.keys[i]};
}

// -----------------------------------------------------------------------------------------------
// Draws from a noisy histogram.

namespace {

double validated(double epsilon) {
  require_in({.least = 1e-6}, "epsilon", epsilon);
  return epsilon;
}

double next_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

}  // namespace

HistogramSampler::HistogramSampler(std::uint64_t outcomes, std::uint64_t records,
                                   std::uint64_t outputs, double epsilon,
                                   std::optional<std::uint64_t> greatest_weight)
    : CentralSampler(outcomes, records, outputs, Privacy::pure(validated(epsilon))),
      greatest_weight_(greatest_weight),
      noise_(DiscreteLaplace::at_least(
          div_up(2 * static_cast<double>(greatest_weight.value_or(1)), epsilon))) {
  require_between({"the greatest weight, in steps,", "greatest-weight"},
                  greatest_weight.value_or(1), 1, WeightColumn::kMostSteps);
  constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 40;
  require_between({"the number of outcomes", "k", "outcomes"}, outcomes, 1, Band::kMostOutcomes);
  require_between({"the number of records", "n", "records"}, records, 1, kMostCounted);
  require_in({.least = 1}, {"the number of outputs", "count", "records"}, outputs);
}

double HistogramSampler::total_variation_up() const {
  const auto n = static_cast<double>(record_count());
  const auto k = static_cast<double>(outcome_count());
  const double scale = next_up(div_up(static_cast<double>(noise_.scale().numerator),
                                      static_cast<double>(noise_.scale().denominator)));
  const double noise = div_up(mul_up(k, scale), n);
  if (greatest_weight_) return std::fmin(1, div_up(noise, static_cast<double>(*greatest_weight_)));
  const double same_record = div_up(next_up(static_cast<double>(*output_count() - 1)), 2 * n);
  const double sampling = next_up(std::sqrt(div_up(k - 1, n))) / 2;
  return std::fmin(1,
                   next_up(noise + (output_count() == 1 ? 0 : std::fmin(same_record, sampling))));
}

std::uint64_t HistogramSampler::greatest_count() const {
  return greatest_weight_ ? (std::uint64_t{1} << 62U) / outcome_count() : record_count();
}

std::vector<std::uint32_t> HistogramSampler::draw_of(const OutcomeHistogram& histogram,
                                                     SecureRandom& random) const {
  std::vector<std::int64_t> counts(outcome_count());
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    counts[histogram.keys[i]] = static_cast<std::int64_t>(histogram.counts[i]);
  }
  // With weights no sum is above 2^62. Else no count is above n, so no sum is above k n <= 2^64, and all but the last are at most
  // (k - 1) n < 2^64. The last one is 2^64, and wraps to 0, only if every count is n: then all
  // outcomes are alike, as they are where every count is 0.
  std::vector<std::uint64_t> sums(outcome_count() + 1);
  for (std::size_t x = 0; x < outcome_count(); ++x) {
    const std::int64_t noisy = noise_.perturb(counts[x], random);
    const auto most = static_cast<std::int64_t>(greatest_count());
    sums[x + 1] = sums[x] + static_cast<std::uint64_t>(std::clamp(noisy, std::int64_t{0}, most));
  }
  std::vector<std::uint32_t> outputs(*output_count());
  for (std::uint32_t& output : outputs) {
    if (sums.back() == 0) {
      output = static_cast<std::uint32_t>(random.below(outcome_count()));
      continue;
    }
    const std::uint64_t position = random.below(sums.back());
    const auto next = std::upper_bound(sums.begin(), sums.end(), position);
    output = static_cast<std::uint32_t>(next - sums.begin() - 1);
  }
  return outputs;
}

// -----------------------------------------------------------------------------------------------
// A histogram over a domain of any size that tells nothing of rare outcomes.

namespace {

double checked_epsilon(double epsilon) {
  require_between({"epsilon of a stable histogram", "epsilon"}, epsilon, 1e-6, 100);
  return epsilon;
}

double checked_delta(double delta) {
  require_between({"delta of a stable histogram", "delta"}, delta, 1e-300, 0.5);
  return delta;
}

/// T - 1 must be at least t ln(1 / (delta (1 + a))) and t ln(1 / (1 - a^2)). Of both logarithms
/// machines find the same except for 2^-28: 1 - a^2 is 10^-6 at least, and a alike to 2^-50.
std::int64_t least_threshold(double scale, double delta) {
  // The greatest relative loss of the three sums and differences of doubles below.
  constexpr double kRounding = 0x1p-50;
  const double a_down = exp_down(-div_up(1, scale)), a_up = exp_up(-div_down(1, scale));
  const double tail = ln_up(div_up(1, delta)) - ln_down((1 + a_down) * (1 - kRounding));
  const double ratio = -ln_down((1 - mul_up(a_up, a_up)) * (1 - kRounding));
  const double logarithm = std::max(tail, ratio);
  constexpr double kRoom = 0x1p-24;
  const double distance = mul_up(scale, logarithm + std::abs(logarithm) * kRounding + kRoom);
  return 1 + std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(distance)));
}

/// Whether the theorem allows it.
bool is_allowed(std::int64_t threshold, double scale, double delta) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53U;
  if (threshold < 2 || threshold > kMost) return false;
  const double a_down = exp_down(-div_up(1, scale)), a_up = exp_up(-div_down(1, scale));
  const double tail = exp_up(-div_down(static_cast<double>(threshold - 1), scale));
  return div_up(tail, std::nextafter(1 + a_down, 1)) <= delta &&
         tail <= -add_up(mul_up(a_up, a_up), -1);
}

}  // namespace

StableHistogram::StableHistogram(double epsilon, double delta)
    : epsilon_(checked_epsilon(epsilon)),
      delta_(checked_delta(delta)),
      scale_(div_up(2, epsilon)),
      threshold_(least_threshold(scale_, delta)),
      noise_(DiscreteLaplace::at_least(scale_)) {}

StableHistogram::StableHistogram(double epsilon, double delta, std::int64_t threshold)
    : StableHistogram(epsilon, delta) {
  refuse_if(!is_allowed(threshold, scale_, delta_), "certificate-altered", {},
            "the threshold of a stable histogram must keep its delta, but does not");
  threshold_ = threshold;
}

std::vector<NoisyCount> StableHistogram::draw(const OutcomeHistogram& histogram,
                                              SecureRandom& random) const {
  std::vector<NoisyCount> released;
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    const int128 count = int128{histogram.counts[i]} + noise_.draw_exact(random);
    if (count >= threshold_) released.push_back({histogram.keys[i], count});
  }
  return released;
}

// -----------------------------------------------------------------------------------------------
// One sample of a product distribution on {0, 1}^d under concentrated privacy.

namespace {

std::uint64_t checked(std::uint64_t clip, std::uint64_t records) {
  require_between({"the number of records", "n", "records"}, records, 4,
                  RandomizedResponse::kMostRecords);
  refuse_if(clip < 1 || clip >= (records + 2) / 3, "out-of-range", "clip",
            "the clipped count must be from 1 to less than a third of the {} records, but is {}",
            records, clip);
  return clip;
}

double rho_up(unsigned coordinates, std::uint64_t records, std::uint64_t clip) {
  const double t = integer_down(clip);
  // ln(1 + x) of x = n / (t (n - t - 1)), with more than same_log1p can be off.
  const double x = div_up(integer_up(records), -mul_up(-t, integer_down(records - clip - 1)));
  const double eta = mul_up(same_log1p(x), 1 + 0x1p-49);
  return mul_up(mul_up(eta, eta), coordinates / 8.0);
}

}  // namespace

ClippedMeans::ClippedMeans(unsigned coordinates, std::uint64_t records, std::uint64_t clip)
    : CentralSampler(std::uint64_t{1} << validated(coordinates), records, 1,
                     Privacy::concentrated(rho_up(coordinates, records, checked(clip, records)))),
      coordinates_(coordinates),
      clip_(clip) {}

std::optional<std::uint64_t> ClippedMeans::least_clip(unsigned coordinates, std::uint64_t records,
                                                      double rho) {
  if (records < 4) return std::nullopt;
  return least_whole(1, (records + 2) / 3 - 1,
                     [&](std::uint64_t clip) { return rho_up(coordinates, records, clip) <= rho; });
}

double ClippedMeans::total_variation_up() const {
  const auto n = static_cast<double>(record_count());
  const double share = share_up(clip_, record_count());
  // The subtractions err by less than 2^-52, the products by a relative 2^-50.
  const double distance = std::fmax(0, 1.0 / 3 - share - 0x1p-52);
  const double exponent = 2 * n * distance * distance * (1 - 0x1p-40);
  const double each = mul_up(share, exp_up(-exponent));
  return std::fmin(1, mul_up(coordinates_, each));
}

std::vector<std::uint32_t> ClippedMeans::draw_of(const OutcomeHistogram& histogram,
                                                 SecureRandom& random) const {
  std::uint32_t output = 0;
  for (unsigned j = 0; j < coordinates_; ++j) {
    const std::uint64_t clipped = std::clamp(ones_of(histogram, j), clip_, record_count() - clip_);
    if (random.below(record_count()) < clipped) output |= std::uint32_t{1} << j;
  }
  return {output};
}

}  // namespace mollify
