// mollify plan --model central --family gaussian: records, budget and accuracy of Gaussian samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"

namespace mollify::cli {

/// The options of such a plan beside those of every central plan, as given; all but one of n,
/// dimension, the budget, delta, count and alpha, where delta is 0 and count 1 unless given or in
/// question.
struct GaussianPlanOptions {
  std::optional<std::string> family;
  std::optional<std::uint64_t> dimension;
  std::optional<double> rho, mean_bound, mean_range, covariance_bound;
  bool paper_variance = false;

  /// Taken from the options of central plans.
  std::optional<std::uint64_t> n, count;
  std::optional<double> epsilon, delta, alpha;
  bool strong = false;
  bool curve = false;

  /// Adds --family, --dimension, --rho, --mean-bound, --mean-range, --covariance-bound and
  /// --paper-variance to the command.
  void add_to(CLI::App& command);
  /// The first of these options that is given; none if none is.
  std::optional<std::string> first_given() const;
};

/// Solves for the one that is missing and prints; returns the exit status.
int run_gaussian_plan(const GaussianPlanOptions& options, bool as_json);

}  // namespace mollify::cli
