#include "kernel/noise/discrete_laplace.h"

#include <bit>
#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {

namespace detail {
namespace {

Ratio checked_scale(Ratio scale) {
  if (scale.numerator < 1 || scale.numerator > Ratio::kGreatest || scale.denominator < 1 ||
      scale.denominator > Ratio::kGreatest) {
    throw InvalidInput(
        "numerator and denominator of a scale must be from 1 to 2^62, but the scale is " +
        std::to_string(scale.numerator) + "/" + std::to_string(scale.denominator));
  }
  return scale;
}

}  // namespace

ProperFractions::ProperFractions(std::uint64_t denominator)
    : denominator_(denominator), shift_(std::countl_zero(denominator)) {
  const uint128 reciprocal = (uint128{1} << (127 - shift_)) / denominator;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  reciprocal_ = reciprocal < kMost ? static_cast<std::uint64_t>(reciprocal) : kMost;
}

LaplaceOnIntegers::LaplaceOnIntegers(Ratio scale)
    : scale_(checked_scale(scale)),
      parts_(scale.numerator > scale.denominator ? scale.numerator : 1),
      divisor_(scale.numerator > scale.denominator ? scale.denominator : 1),
      step_(scale.numerator > scale.denominator ? Fraction{1, 1}
                                                : Fraction{scale.denominator, scale.numerator}),
      fractions_(parts_),
      below_both_sides_(2 * parts_) {}

}  // namespace detail

DiscreteLaplace::DiscreteLaplace(Ratio scale) : law_(scale) {
  if (scale.numerator > static_cast<uint128>(scale.denominator) * (std::uint64_t{1} << 39)) {
    throw InvalidInput("a scale of noise must be at most 2^39, but is " +
                       std::to_string(scale.numerator) + "/" + std::to_string(scale.denominator));
  }
}

DiscreteLaplace DiscreteLaplace::at_least(double scale) {
  return DiscreteLaplace(Ratio::at_least("a scale of noise", scale));
}

std::int64_t DiscreteLaplace::draw(SecureRandom& random) const {
  return law_.sample(detail::Decisions<SecureRandom>{random}).wrapped();
}

void DiscreteLaplace::draw(std::span<std::int64_t> noise, SecureRandom& random) const {
  for (std::int64_t& z : noise) z = draw(random);
}

int128 DiscreteLaplace::draw_exact(SecureRandom& random) const {
  return law_.sample(detail::Decisions<SecureRandom>{random}).exact();
}

std::int64_t DiscreteLaplace::perturb(std::int64_t value, SecureRandom& random) const {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) +
                                   static_cast<std::uint64_t>(draw(random)));
}

}  // namespace mollify
