// What several Gaussian-DP releases cost together.
#pragma once

#include <cstdint>

namespace mollify {

/// A mu with which `releases` releases compose to at most total-Gaussian-DP: total /
/// sqrt(releases), rounded down (n releases of mu compose to sqrt(n) mu, Dong, Roth, Su 2022,
/// Corollary 3.3). InvalidInput unless total is finite and positive and there is at least one
/// release.
double mu_per_draw_down(double total, std::uint64_t releases);

}  // namespace mollify
