// The papers' closed form for shuffled randomized response, inside its regime only.
#pragma once

#include <cstdint>
#include <optional>

namespace mollify {

/// Rounded up and at most epsilon0 [Feldman et al. 2021; Cheu, Nayak 2024, Lemma 12],
///
///     ln(1 + (E0 - 1)(4 sqrt(2 (k + 1) ln(4/delta)) / sqrt((E0 + k - 1) k n) + 4 (k + 1)/(k n))).
///
/// None outside the regime epsilon0 <= ln(n/(16 ln(4/delta))) in which it is proved.
/// InvalidInput as `validate`, and for delta not above 0 and below 1. O(1).
[[nodiscard]] std::optional<double> shuffle_closed_form_epsilon(std::uint64_t records,
                                                                std::uint64_t outcomes,
                                                                double epsilon0, double delta);

}  // namespace mollify
