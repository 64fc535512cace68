// RapidCheck generators of distributions, from nearly uniform to nearly degenerate, zeros included.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <vector>

namespace mollify::test {

std::vector<double> normalised(std::vector<double> masses);

/// Masses e^u with u uniform in a range of `spread` nats, so ratios up to e^spread occur.
rc::Gen<std::vector<double>> positive_distribution(std::size_t k, int spread);

/// A distribution with about a third of the outcomes at zero, never all.
rc::Gen<std::vector<double>> distribution_with_zeros(std::size_t k, int spread);

}  // namespace mollify::test
