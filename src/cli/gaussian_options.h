// The options of Gaussian samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace mollify::cli {

/// As given; nothing is checked.
struct GaussianOptions {
  std::optional<std::string> family, covariance;
  std::optional<double> covariance_bound, mean_bound;
  std::vector<std::string> logarithms;
  bool paper_variance = false;

  /// Adds --family, --covariance, --covariance-bound, --mean-bound, --log and --paper-variance.
  void add_to(CLI::App& command);

  /// Whether a Gaussian is asked for. Throws InvalidInput for any other family, for a family
  /// outside model central, and for options of the family that are given without it.
  bool chosen(const std::string& model) const;
};

}  // namespace mollify::cli
