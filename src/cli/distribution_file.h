// Distributions in files, for the commands that take one directly.
#pragma once

#include <string>
#include <vector>

namespace mollify::cli {

/// Masses and their outcomes' names, in the file's order; normalised.
struct NamedDistribution {
  std::vector<std::string> outcomes;
  std::vector<double> masses;
  double sum = 1;  ///< of the masses as they were given
};

/// Reads a JSON array of numbers (outcomes are named 0, 1, ...) or a CSV file with the columns
/// outcome and p. Throws InvalidInput, in one sentence, unless there is at least one outcome, their
/// names differ, and the masses are finite, not negative, and not all zero.
NamedDistribution read_distribution(const std::string& path);

/// The masses of `given` in the order of `like`'s outcomes. Throws InvalidInput if they are not the
/// same outcomes.
std::vector<double> masses_in_order(const NamedDistribution& given, const NamedDistribution& like,
                                    const std::string& path);

}  // namespace mollify::cli
