// The papers' closed form for shuffled randomized response, inside its regime only.
#pragma once

#include <cstdint>
#include <optional>

namespace mollify {

/// epsilon = ln(1 + (E0 - 1)(4 sqrt(2 (k + 1) ln(4/delta)) / sqrt((E0 + k - 1) k n) + 4 (k + 1)/(k
/// n))) [Feldman et al. 2021; Cheu, Nayak 2024, Lemma 12], rounded up and at most
/// epsilon0. None outside the regime epsilon0 <= ln(n/(16 ln(4/delta))) in which it is proved.
/// InvalidInput as `validate`, and for delta not above 0 and below 1. O(1).
std::optional<double> shuffle_closed_form_epsilon(std::uint64_t records, std::uint64_t outcomes,
                                                  double epsilon0, double delta);

/// The greatest epsilon0, but for rounding, inside the regime whose closed form is at most epsilon:
/// none if the regime is empty. InvalidInput for epsilon not finite and positive.
std::optional<double> shuffle_closed_form_epsilon0(std::uint64_t records, std::uint64_t outcomes,
                                                   double epsilon, double delta);

}  // namespace mollify
