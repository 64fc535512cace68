// What a release in the central model needs, before any data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// Numbers of a release of `count` records from n records over k outcomes, by the command's names.
/// Exactly one of n, k, epsilon (with delta, or rho for both), count and alpha is left out: it is
/// what is asked for.
struct PlanQuestion {
  std::optional<std::uint64_t> n{};  ///< to 2^39
  std::optional<std::uint64_t> k{};  ///< to 2^24
  std::optional<double> epsilon{};   ///< from 1e-6 to 30
  std::optional<double> delta{};     ///< none: pure
  std::optional<double> rho{};       ///< in place of epsilon and delta
  std::optional<std::uint64_t> count{};
  /// How far a record's law may be from the data's in total variation, above 0 and below 1; of all
  /// records together where `strong`.
  std::optional<double> alpha{};
  bool strong = false;
};

/// What one mechanism needs.
struct PlanAnswer {
  std::string mechanism;
  /// What was asked for: the least n, epsilon or alpha, the greatest k or count, to within 1e-6
  /// of itself; none where the mechanism cannot serve.
  std::optional<double> value{};
  double alpha = 1;                  ///< what it promises there
  bool independent_outputs = false;  ///< whether its records are drawn independently
  std::string why;                   ///< in one sentence: how it serves, or why it cannot
};

struct Plan {
  std::string unknown;  ///< "n", "k", "epsilon", "count" or "alpha"
  std::vector<PlanAnswer> answers;
  /// Where in these the best one is, among those with independent outputs; none if there is none.
  std::optional<std::size_t> best{};
};

/// Milliseconds to a second. Throws InvalidInput for a question without exactly one unknown, or
/// with numbers that no release can have.
[[nodiscard]] Plan plan(const PlanQuestion& question);

}  // namespace MOLLIFY_NAMESPACE
