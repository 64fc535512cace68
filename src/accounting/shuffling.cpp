#include "accounting/shuffling.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accounting/excess.h"
#include "accounting/kept_searches.h"
#include "base/directed_rounding.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The certified upper bound of shuffled randomized response.

DeltaBounds privacy_blanket(const ShuffledResponse& response, double epsilon, double interest,
                            bool only_decides) {
  validate(response);
  require_total_epsilon(epsilon);
  if (response.outcomes == 1 || epsilon >= response.epsilon0) return {0.0, 0.0};
  const double k = static_cast<double>(response.outcomes);
  const double n = static_cast<double>(response.records);
  const double s = response.rate;
  // From here on E and E0 are exactly these doubles.
  const double e = exp_down(epsilon);
  const double e0 = exp_up(response.epsilon0);
  const double one = s / (e0 + (k - 1.0));
  const Atom gain{e0 - e, one};
  const std::array<Atom, 2> losses = {
      {{std::fma(-e0, e, 1.0), one}, {1.0 - e, (k - 2.0) * one + (1.0 - s)}}};
  const MeanExcess excess = mean_excess(gain, losses, response.records, interest * n, only_decides);
  return {std::max(0.0, div_down(excess.lower, n)), std::min(1.0, div_up(excess.upper, n))};
}

// -----------------------------------------------------------------------------------------------
// The certified upper bound of shuffled randomized response on m of n records.

double subset_odds_down(const ShuffledSubset& response, double epsilon) {
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double more = std::max(0.0, std::nextafter(exp_down(epsilon) - 1.0, 0.0));
  // Two roundings, each by half a unit in the last place.
  const double odds = 1.0 + std::nextafter(std::nextafter(more * (n / m), 0.0), 0.0);
  return std::max(1.0, std::nextafter(odds, 0.0));
}

double subset_odds_up(const ShuffledSubset& response, double epsilon) {
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double more = std::nextafter(exp_up(epsilon) - 1.0, HUGE_VAL);
  const double product = std::nextafter(std::nextafter(more * (n / m), HUGE_VAL), HUGE_VAL);
  return std::nextafter(1.0 + product, HUGE_VAL);
}

DeltaBounds subset_blanket(const ShuffledSubset& response, double epsilon, double interest,
                           bool only_decides) {
  validate(response);
  require_total_epsilon(epsilon);
  if (response.chosen == response.records) {
    return privacy_blanket({response.records, response.outcomes, response.epsilon0}, epsilon,
                           interest, only_decides);
  }
  const double e = subset_odds_down(response, epsilon);
  const double e0 = exp_up(response.epsilon0);
  if (response.outcomes == 1 || e >= e0) return {0.0, 0.0};
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double k = static_cast<double>(response.outcomes);
  const double q = m / n;
  const double others = (n - m) / n;
  const double more = e - 1.0;
  const double one = 1.0 / (e0 + (k - 1.0));
  // Sums of negative numbers, so that nothing cancels.
  const std::array<Atom, 3> losses = {{{-((e0 - 1.0) + q * more * e0 + others * more), one},
                                       {-more, (k - 2.0) * one},
                                       {-others * more, (e0 - 1.0) * one}}};
  const MeanExcess joint =
      mean_excess({e0 - e, one}, losses, response.chosen, interest * n, only_decides);
  if (joint.upper <= interest * n) return {0.0, div_up(joint.upper, n)};
  const DeltaBounds apart =
      privacy_blanket({response.chosen, response.outcomes, response.epsilon0},
                      std::max(0.0, ln_down(e)), interest * n / m, only_decides);
  return {std::min(-div_up(mul_up(-apart.lower, m), n), div_down(std::max(0.0, joint.lower), n)),
          std::min({1.0, div_up(mul_up(apart.upper, m), n), div_up(joint.upper, n)})};
}

// -----------------------------------------------------------------------------------------------
// What is shuffled.

void validate(const ShuffledResponse& response) {
  require_between({"the number of records", "n", "records"}, response.records, 1, kMostRecords);
  require_between({"the number of outcomes", "k", "outcomes"}, response.outcomes, 1,
                  kMostReportOutcomes);
  require_in(positive_up_to(kGreatestReportEpsilon), "epsilon0", response.epsilon0);
  require_in(positive_up_to(1), {"the sampling rate", "rate"}, response.rate);
}

void validate(const ShuffledSubset& response) {
  validate(ShuffledResponse{response.records, response.outcomes, response.epsilon0});
  require_between({"the number of chosen records", "chosen", "records"}, response.chosen, 1,
                  response.records);
}

void require_total_epsilon(double epsilon) { require_in(kNotNegative, "epsilon", epsilon); }

void require_total_delta(double delta) { require_in(kInsideOne, "delta", delta); }

// -----------------------------------------------------------------------------------------------
// The papers' closed form for shuffled randomized response, inside its regime only.

std::optional<double> shuffle_closed_form_epsilon(std::uint64_t records, std::uint64_t outcomes,
                                                  double epsilon0, double delta) {
  validate(ShuffledResponse{records, outcomes, epsilon0});
  require_total_delta(delta);
  const double n = static_cast<double>(records);
  const double k = static_cast<double>(outcomes);
  const double e0 = exp_up(epsilon0);
  const double logarithm = ln_up(div_up(4.0, delta));
  if (!(mul_up(16.0 * logarithm, e0) <= n)) return std::nullopt;
  const double root = std::sqrt(2.0 * (k + 1.0) * logarithm) / std::sqrt((e0 + k - 1.0) * k * n);
  const double excess = (e0 - 1.0) * (4.0 * root + 4.0 * (k + 1.0) / (k * n));
  // Some twenty roundings of positive numbers, and log1p: far less than 2^-45.
  return std::min(epsilon0, std::log1p(excess) * (1.0 + 0x1p-45));
}

// -----------------------------------------------------------------------------------------------
// How much privacy shuffling adds to k-ary randomized response, certified on both sides.

namespace {

/// Each of these is a long sum, and searches ask for many.
double upper(const ShuffledResponse& response, double epsilon, double interest = 0) {
  keep_going();
  return privacy_blanket(response, epsilon, interest).upper;
}

double upper(const ShuffledSubset& response, double epsilon, double interest = 0) {
  keep_going();
  return subset_blanket(response, epsilon, interest).upper;
}

double lower(const ShuffledResponse& response, double epsilon, double interest = 0) {
  keep_going();
  return attained_delta_down(response, epsilon, interest);
}

double lower(const ShuffledSubset& response, double epsilon, double interest = 0) {
  keep_going();
  return subset_attained_delta_down(response, epsilon, interest);
}

template <class Response>
double least_epsilon(const Response& response, double delta) {
  validate(response);
  require_total_delta(delta);
  const auto value = [&](double epsilon) { return upper(response, epsilon, delta); };
  if (value(0.0) <= delta) return 0.0;
  return narrow({response.epsilon0, 0.0}, delta, value).at_most;
}

template <class Response>
double attained_epsilon(const Response& response, double delta) {
  validate(response);
  require_total_delta(delta);
  const auto value = [&](double epsilon) { return lower(response, epsilon, delta); };
  if (value(0.0) <= delta) return 0.0;
  return narrow({response.epsilon0, 0.0}, delta, value).above;
}

/// The greatest epsilon0 at which value is at most delta; at `pure` it is 0.
template <class Value>
double greatest_report_epsilon(double pure, double delta, const Value& value) {
  if (value(kGreatestReportEpsilon) <= delta) return kGreatestReportEpsilon;
  return narrow({pure, kGreatestReportEpsilon}, delta, value).at_most;
}

KeptSearches<6>& kept_searches() {
  static KeptSearches<6> kept;
  return kept;
}

void require_report_epsilon(double epsilon) {
  require_in(positive_up_to(kGreatestReportEpsilon), "epsilon", epsilon);
}

}  // namespace

DeltaBounds shuffle_delta(const ShuffledResponse& response, double epsilon) {
  return {lower(response, epsilon), upper(response, epsilon)};
}

DeltaBounds subset_delta(const ShuffledSubset& response, double epsilon) {
  return {lower(response, epsilon), upper(response, epsilon)};
}

double shuffle_epsilon_up(const ShuffledResponse& response, double delta) {
  return least_epsilon(response, delta);
}

double subset_epsilon_up(const ShuffledSubset& response, double delta) {
  return least_epsilon(response, delta);
}

double shuffle_epsilon_down(const ShuffledResponse& response, double delta) {
  return attained_epsilon(response, delta);
}

double subset_epsilon_down(const ShuffledSubset& response, double delta) {
  return attained_epsilon(response, delta);
}

double shuffle_epsilon0_down(std::uint64_t records, std::uint64_t outcomes, double epsilon,
                             double delta, double rate) {
  require_report_epsilon(epsilon);
  require_total_delta(delta);
  validate(ShuffledResponse{records, outcomes, epsilon, rate});
  const auto n = static_cast<double>(records);
  return kept_searches().get({n, n, static_cast<double>(outcomes), epsilon, delta, rate}, [&] {
    return greatest_report_epsilon(epsilon, delta, [&](double epsilon0) {
      return upper(ShuffledResponse{records, outcomes, epsilon0, rate}, epsilon, delta);
    });
  });
}

double subset_epsilon0_down(std::uint64_t records, std::uint64_t chosen, std::uint64_t outcomes,
                            double epsilon, double delta) {
  require_report_epsilon(epsilon);
  const ShuffledSubset any{records, chosen, outcomes, epsilon};
  validate(any);
  require_total_delta(delta);
  if (chosen == records) return shuffle_epsilon0_down(records, outcomes, epsilon, delta);
  const double pure = std::min(ln_down(subset_odds_down(any, epsilon)), kGreatestReportEpsilon);
  const auto n = static_cast<double>(records);
  const auto m = static_cast<double>(chosen);
  return kept_searches().get({n, m, static_cast<double>(outcomes), epsilon, delta, 1}, [&] {
    return greatest_report_epsilon(pure, delta, [&](double epsilon0) {
      return upper(ShuffledSubset{records, chosen, outcomes, epsilon0}, epsilon, delta);
    });
  });
}

std::optional<std::uint64_t> shuffle_records_up(std::uint64_t outcomes, double epsilon0,
                                                double epsilon, double delta, double rate) {
  require_total_epsilon(epsilon);
  require_total_delta(delta);
  return least_whole(1, kMostRecords, [&](std::uint64_t records) {
    return upper(ShuffledResponse{records, outcomes, epsilon0, rate}, epsilon, delta) <= delta;
  });
}

// -----------------------------------------------------------------------------------------------
// What two data sets really attain under shuffled randomized response.

namespace {

/// n times the delta of the pair, over q, where `e` is E and q the part of the records that is
/// chosen without replacement (1 for all), `others` is 1 - q, `terms` the number of reports.
double attained_excess(double k, double e0, double e, double q, double others, double rate,
                       std::uint64_t terms, double interest) {
  const double one = rate / (e0 + (k - 1.0));
  const double same = e0 * one;
  // Losses are written as sums of negative numbers, so that nothing cancels.
  const double dropped = 1.0 - rate;
  const Atom gain{e0 - e, one};
  // c = x': its report is worth (1 - E'E0)/E0 - (1 - q)(E - 1) = 1/E0 - E, any other one 1 - E.
  const std::array<Atom, 2> equal = {
      {{-((1.0 - 1.0 / e0) + (e - 1.0)), same}, {1.0 - e, (k - 2.0) * one + dropped}}};
  double best = mean_excess(gain, equal, terms, interest).lower;
  // c = x: (E0 - E')/E0 - (1 - q)(E - 1), rounded down where it is a difference of sums.
  const double more = e - 1.0;
  const double common = -more * (q / e0 + others);
  const double opposite = -((e0 - 1.0) + q * more * e0 + others * more);
  const Atom own{
      others == 0.0 ? (e0 - e) / e0 : (1.0 - 1.0 / e0) * (1.0 - 0x1p-50) + common * (1.0 + 0x1p-50),
      same};
  if (own.value > 0.0) {
    const std::array<Atom, 2> rest = {{{opposite, one}, {-more, (k - 2.0) * one + dropped}}};
    best = std::max(best, mean_excess(own, rest, terms, interest).lower);
  }
  if (k >= 3.0) {
    const std::array<Atom, 3> third = {
        {{opposite, one}, {common, same}, {-more, (k - 3.0) * one + dropped}}};
    best = std::max(best, mean_excess(gain, third, terms, interest).lower);
  }
  return std::max(0.0, best);
}

}  // namespace

double attained_delta_down(const ShuffledResponse& response, double epsilon, double interest) {
  validate(response);
  require_total_epsilon(epsilon);
  const double e = exp_up(epsilon);
  const double e0 = exp_down(response.epsilon0);
  if (response.outcomes == 1 || e >= e0) return 0.0;
  const double excess =
      attained_excess(static_cast<double>(response.outcomes), e0, e, 1.0, 0.0, response.rate,
                      response.records, interest * static_cast<double>(response.records));
  return div_down(excess, static_cast<double>(response.records));
}

double subset_attained_delta_down(const ShuffledSubset& response, double epsilon, double interest) {
  validate(response);
  require_total_epsilon(epsilon);
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double e = subset_odds_up(response, epsilon);
  const double e0 = exp_down(response.epsilon0);
  if (response.outcomes == 1 || !(e < e0)) return 0.0;
  const double excess = attained_excess(static_cast<double>(response.outcomes), e0, e, m / n,
                                        (n - m) / n, 1.0, response.chosen, interest * n);
  return div_down(excess, n);
}

}  // namespace mollify
