#include "kernel/noise/discrete_gaussian.h"

#include <string>

#include "kernel/core/invalid_input.h"
#include "kernel/noise/square_root.h"

namespace mollify {

namespace detail {
namespace {

Ratio checked_variance(Ratio variance) {
  if (variance.numerator < 1 || variance.numerator > Ratio::kGreatest || variance.denominator < 1 ||
      variance.denominator > Ratio::kGreatest ||
      variance.numerator > static_cast<uint128>(variance.denominator) * (std::uint64_t{1} << 60)) {
    throw InvalidInput(
        "a variance must be a ratio of numbers from 1 to 2^62 and at most 2^60, but is " +
        std::to_string(variance.numerator) + "/" + std::to_string(variance.denominator));
  }
  return variance;
}

}  // namespace

GaussianOnIntegers::GaussianOnIntegers(Ratio variance)
    : variance_(checked_variance(variance)),
      candidates_({floor_sqrt(variance.numerator / variance.denominator) + 1, 1}) {
  const std::uint64_t t = candidates_.scale().numerator;
  step_ = t * variance.denominator;
  denominator_ = Natural(step_) * Natural(t) * Natural(variance.numerator) << 1;
  limit_bits_ = 0;
  while (Natural(1) << (2 * limit_bits_) < denominator_ << 6) ++limit_bits_;
  factor_ = ((Natural(1) << (2 * limit_bits_ + 56)) / denominator_).low_word();
}

Natural GaussianOnIntegers::scaled(uint128 size, std::size_t bits) const {
  const Natural product = Natural(size) * Natural(step_), center(variance_.numerator);
  const Natural a = product > center ? product - center : center - product;
  return (a * a << bits) / denominator_;
}

}  // namespace detail

DiscreteGaussian::DiscreteGaussian(Ratio variance) : law_(variance) {}

DiscreteGaussian DiscreteGaussian::at_least(double variance) {
  return DiscreteGaussian(Ratio::at_least("a variance", variance));
}

std::int64_t DiscreteGaussian::draw(SecureRandom& random) const {
  return law_.sample(detail::Decisions<SecureRandom>{random}).wrapped();
}

void DiscreteGaussian::draw(std::span<std::int64_t> noise, SecureRandom& random) const {
  for (std::int64_t& z : noise) z = draw(random);
}

std::int64_t DiscreteGaussian::perturb(std::int64_t value, SecureRandom& random) const {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) +
                                   static_cast<std::uint64_t>(draw(random)));
}

}  // namespace mollify
