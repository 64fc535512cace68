// mollify plan --model central: how many records, how much budget, how much accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command.h"

namespace mollify::cli {

/// The options of a central plan as given; all but one of n, k, epsilon, delta, count and alpha,
/// where delta is 0 and count 1 unless given or in question.
struct CentralPlanOptions {
  std::optional<std::uint64_t> n, count;
  std::optional<double> delta, alpha;
  bool strong = false;
  bool curve = false;

  /// Adds --n, --delta, --alpha, --strong and --curve to the command.
  void add_to(CLI::App& command);
  /// The first of these options that is given; none if none is.
  std::optional<std::string> first_given() const;
};

/// Solves for the one that is missing and prints; returns the exit status.
int run_central_plan(const CentralPlanOptions& options, std::optional<std::uint64_t> k,
                     std::optional<double> epsilon, bool as_json);

}  // namespace mollify::cli
