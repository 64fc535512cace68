#include "accounting/shuffle_amplification.h"

#include <algorithm>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "accounting/monotone_search.h"
#include "accounting/privacy_blanket.h"
#include "accounting/shuffle_lower_bound.h"
#include "accounting/subset_blanket.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

double upper(const ShuffledResponse& response, double epsilon, double interest = 0) {
  return privacy_blanket(response, epsilon, interest).upper;
}

double upper(const ShuffledSubset& response, double epsilon, double interest = 0) {
  return subset_blanket(response, epsilon, interest).upper;
}

double lower(const ShuffledResponse& response, double epsilon, double interest = 0) {
  return attained_delta_down(response, epsilon, interest);
}

double lower(const ShuffledSubset& response, double epsilon, double interest = 0) {
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
  require_total_delta(delta);
  if (value(kGreatestReportEpsilon) <= delta) return kGreatestReportEpsilon;
  return narrow({pure, kGreatestReportEpsilon}, delta, value).at_most;
}

void require_report_epsilon(double epsilon) {
  if (!(epsilon > 0.0 && epsilon <= kGreatestReportEpsilon)) {
    throw InvalidInput(fmt::format("epsilon must be positive and at most {}, but is {}",
                                   kGreatestReportEpsilon, epsilon));
  }
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
  return greatest_report_epsilon(epsilon, delta, [&](double epsilon0) {
    return upper(ShuffledResponse{records, outcomes, epsilon0, rate}, epsilon, delta);
  });
}

double subset_epsilon0_down(std::uint64_t records, std::uint64_t chosen, std::uint64_t outcomes,
                            double epsilon, double delta) {
  require_report_epsilon(epsilon);
  const ShuffledSubset any{records, chosen, outcomes, epsilon};
  validate(any);
  const double pure = std::min(ln_down(subset_odds_down(any, epsilon)), kGreatestReportEpsilon);
  return greatest_report_epsilon(pure, delta, [&](double epsilon0) {
    return upper(ShuffledSubset{records, chosen, outcomes, epsilon0}, epsilon, delta);
  });
}

std::optional<std::uint64_t> shuffle_records_up(std::uint64_t outcomes, double epsilon0,
                                                double epsilon, double delta, double rate) {
  require_total_epsilon(epsilon);
  require_total_delta(delta);
  const auto fits = [&](std::uint64_t records) {
    return upper(ShuffledResponse{records, outcomes, epsilon0, rate}, epsilon, delta) <= delta;
  };
  if (fits(1)) return 1;
  std::uint64_t good = 2;
  while (!fits(good)) {
    if (good == kMostRecords) return std::nullopt;
    good *= 2;
  }
  for (std::uint64_t bad = good / 2; good - bad > 1;) {
    const std::uint64_t middle = bad + (good - bad) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace mollify
