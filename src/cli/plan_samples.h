// mollify plan --model central: how many records, how much budget, how much accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command.h"

namespace mollify::cli {

/// The options of a plan of the central model as given: all but one of n, k or dimension, the
/// budget and alpha, where delta is 0 and count 1 unless given or in question.
struct SamplePlanOptions {
  std::optional<std::string> family;
  std::optional<std::uint64_t> n, dimension;
  std::optional<double> delta, alpha, rho, mean_bound, mean_range, covariance_bound;
  bool strong = false;
  bool curve = false;
  bool paper_variance = false;

  /// Taken from the options of all plans.
  std::optional<std::uint64_t> k, count;
  std::optional<double> epsilon;

  /// Adds all but --k, --count and --epsilon to the command.
  void add_to(CLI::App& command);
  /// The first given of those that are for the central model, or for Gaussian samples alone.
  std::optional<std::string> first_given() const;
  std::optional<std::string> first_gaussian_given() const;
};

/// Solves for the one that is missing and prints; returns the exit status.
int run_finite_plan(const SamplePlanOptions& options, bool as_json);
int run_gaussian_plan(const SamplePlanOptions& options, bool as_json);

}  // namespace mollify::cli
