// What every plan of the central model has: a question with one unknown, before any data.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/names.h"
#include "accounting/privacy.h"

namespace mollify {

/// What a plan solves for; all else is given.
enum class PlanUnknown {
  kRecords,    ///< the least n
  kOutcomes,   ///< the greatest k, of finite samples
  kDimension,  ///< the greatest d, of Gaussian samples
  kEpsilon,    ///< the least epsilon, at the budget's delta
  kRho,        ///< the least rho
  kDelta,      ///< the least delta, at the budget's epsilon
  kOutputs,    ///< the greatest m
  kAlpha,      ///< the least total variation
};

constexpr auto names_of(PlanUnknown) {
  return std::array{Named{PlanUnknown::kRecords, "n"},
                    Named{PlanUnknown::kOutcomes, "k"},
                    Named{PlanUnknown::kDimension, "dimension"},
                    Named{PlanUnknown::kEpsilon, "epsilon"},
                    Named{PlanUnknown::kRho, "rho"},
                    Named{PlanUnknown::kDelta, "delta"},
                    Named{PlanUnknown::kOutputs, "count"},
                    Named{PlanUnknown::kAlpha, "alpha"}};
}

/// "the least number of records n", ...
[[nodiscard]] const char* words_of(PlanUnknown unknown);

/// Whether it is a number of things.
[[nodiscard]] bool is_whole(PlanUnknown unknown);

/// A request with the accuracy that it must have.
template <class Request>
struct PlanQuestion {
  /// The field of the unknown is not read.
  Request request;
  /// Total variation, above 0 and below 1; not read where it is the unknown.
  double alpha = 0;
  /// Whether alpha bounds the joint law of all outputs (m times the law of one) or each output's.
  bool strong = false;
};

/// InvalidInput for an alpha that no release can have, unless it is the unknown.
void require_alpha(PlanUnknown unknown, double alpha);

/// The request with a value for the unknown; as it is for alpha, which it does not hold.
template <class Request>
[[nodiscard]] Request with(Request request, PlanUnknown unknown, double value) {
  switch (unknown) {
    case PlanUnknown::kRecords:
      request.records = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kOutcomes:
      if constexpr (requires { request.outcomes; }) {
        request.outcomes = static_cast<std::uint64_t>(value);
      }
      break;
    case PlanUnknown::kDimension:
      if constexpr (requires { request.dimension; }) {
        request.dimension = static_cast<std::size_t>(value);
      }
      break;
    case PlanUnknown::kEpsilon:
      request.budget = Privacy::approximate(value, request.budget.delta);
      break;
    case PlanUnknown::kRho:
      request.budget = Privacy::concentrated(value);
      break;
    case PlanUnknown::kDelta:
      request.budget = Privacy::approximate(request.budget.epsilon, value);
      break;
    case PlanUnknown::kOutputs:
      request.outputs = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kAlpha:
      break;
  }
  return request;
}

/// The value of the unknown in a request whose design has this alpha: the reverse of `with`.
template <class Request>
[[nodiscard]] double value_in(const Request& request, PlanUnknown unknown, double alpha) {
  switch (unknown) {
    case PlanUnknown::kRecords:
      return static_cast<double>(request.records);
    case PlanUnknown::kOutcomes:
      if constexpr (requires { request.outcomes; }) return static_cast<double>(request.outcomes);
      break;
    case PlanUnknown::kDimension:
      if constexpr (requires { request.dimension; }) return static_cast<double>(request.dimension);
      break;
    case PlanUnknown::kEpsilon:
      return request.budget.epsilon;
    case PlanUnknown::kRho:
      return request.budget.rho;
    case PlanUnknown::kDelta:
      return request.budget.delta;
    case PlanUnknown::kOutputs:
      return static_cast<double>(request.outputs);
    case PlanUnknown::kAlpha:
      break;
  }
  return alpha;
}

/// Where a question stops to be served: `easy` is likeliest to be.
struct PlanSpan {
  double easy;
  double hard;
};

/// Halves the span of an unknown between an end that serves and one that does not, until whole
/// numbers are neighbours and others within 1e-5 of each other; returns the last one that serves.
template <class Serves>
double last_that_serves(PlanUnknown unknown, PlanSpan span, const Serves& serves) {
  const bool whole = is_whole(unknown);
  while (whole ? std::abs(span.easy - span.hard) > 1
               : std::abs(std::log(span.easy / span.hard)) > 1e-5) {
    const double middle = whole ? std::floor(0.5 * (span.easy + span.hard))
                                : std::sqrt(span.easy) * std::sqrt(span.hard);
    (serves(middle) ? span.easy : span.hard) = middle;
  }
  return span.easy;
}

/// Total variation at some number of records.
struct CurvePoint {
  std::uint64_t records;
  /// Of each mechanism; none where nothing is promised.
  std::vector<std::optional<double>> alphas;
  /// The index of the least one with independent outputs; none if there is none.
  std::optional<std::size_t> best;
};

/// n/32, n/16, ..., 32 n, as far as there are at least as many records as outputs, and at most
/// 2^39.
[[nodiscard]] std::vector<std::uint64_t> curve_records(std::uint64_t records,
                                                       std::uint64_t outputs);

/// No plan asks for more records.
inline constexpr std::uint64_t kMostPlannedRecords = std::uint64_t{1} << 39U;

}  // namespace mollify
