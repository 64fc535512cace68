// What a release needs, or can do, before any data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/domain.h"
#include "mollify/namespace.h"
#include "mollify/release.h"

namespace MOLLIFY_NAMESPACE {

/// What one mechanism needs.
struct PlanWay {
  std::string mechanism;  ///< "minimax", "subset-rr", "gaussian", ...
  /// What was asked for: the least n, epsilon, rho, delta or alpha, the greatest k, dimension or
  /// count; none where the mechanism cannot serve.
  std::optional<double> value{};
  double alpha = 1;                 ///< the total variation that it promises there
  bool independent_outputs = true;  ///< whether its records are drawn independently
  std::string why{};                ///< in one sentence: how it serves, or why it cannot
};

/// Total variation at some number of records.
struct PlanPoint {
  std::uint64_t records;
  std::vector<std::optional<double>> alphas;  ///< of each way; none where nothing is promised
};

/// The answer for one unknown.
struct PlanAnswer {
  std::string unknown{};  ///< "n", "k", "dimension", "epsilon", "rho", "delta", "count" or "alpha"
  std::vector<PlanWay> ways{};
  /// Where in these the best one is, among those with independent outputs; none if there is none.
  std::optional<std::size_t> best{};
  std::vector<PlanPoint> curve{};  ///< where it was asked for
};

struct Plan {
  /// One; but two, epsilon and rho, where the budget is unknown and the method is gaussian,
  /// gaussian-model or marginals.
  std::vector<PlanAnswer> answers{};
  /// What `mollify plan --json` prints, and what it prints without.
  std::string json{};
  std::string text{};
};

/// All that a question may hold, with the names of the command's flags.
[[nodiscard]] std::vector<SpecPart> plan_parts();

/// The plan for a question, in JSON: parts of a release's spec, "n", "k" or "dimension", "alpha"
/// and others that docs/guide/planning.md tells. One is left out, or named as the "unknown", and
/// found:
///
///     {"method": "central", "k": 100, "count": 10, "privacy": {"epsilon": 1, "delta": 1e-9},
///      "alpha": 0.1}
///
/// Milliseconds to some seconds. Throws InvalidInput, one sentence naming `name` (or parameters, if
/// it is empty), for a question without exactly one unknown, or with parts or numbers that no
/// release can have.
[[nodiscard]] Plan plan(std::string_view question, const std::string& name = "the question",
                        const PublicTexts& texts = {});
/// The plans for several questions, which differ in their budgets alone: all answers, in their
/// order, and one list and one table of them. At least one.
[[nodiscard]] Plan plans(std::span<const std::string> questions,
                         const std::string& name = "the question", const PublicTexts& texts = {});
/// The same for a question that names no domain, about this one.
[[nodiscard]] Plan plan(std::string_view question, const Domain& domain,
                        const PublicTexts& texts = {});

}  // namespace MOLLIFY_NAMESPACE
