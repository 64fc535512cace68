// Pearson's test that draws follow stated probabilities, at a stated false-alarm rate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace mollify::test {

inline constexpr double kFalseAlarmRate = 1e-6;

/// Whether `observed` counts fit the probabilities: sum (o - e)^2 / e stays below the quantile of
/// chi-square at 1 - 1e-6. Outcomes that expect fewer than ten draws are taken together. Prints
/// what it saw. An outcome of probability zero may not occur at all.
::testing::AssertionResult follows(std::span<const double> probabilities,
                                   std::span<const std::uint64_t> observed);

/// The probabilities of integer numerators.
std::vector<double> probabilities_of(std::span<const std::uint64_t> numerators);

}  // namespace mollify::test
