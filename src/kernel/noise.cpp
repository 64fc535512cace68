#include "kernel/noise.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Laplace noise on the integers, exactly.

namespace detail {
namespace {

/// The ratio, if its numbers are from 1 to 2^62 and it is at most 2^bits.
Ratio checked(Ratio ratio, const std::string& what, const char* parameter, unsigned bits = 62) {
  const auto [numerator, denominator] = ratio;
  if (numerator >= 1 && numerator <= Ratio::kGreatest && denominator >= 1 &&
      denominator <= Ratio::kGreatest && numerator <= static_cast<uint128>(denominator) << bits) {
    return ratio;
  }
  throw InvalidInput("out-of-range",
                     what + " must be a ratio of numbers from 1 to 2^62 and at most 2^" +
                         std::to_string(bits) + ", but is " + std::to_string(numerator) + "/" +
                         std::to_string(denominator),
                     parameter);
}

}  // namespace

ProperFractions::ProperFractions(std::uint64_t denominator)
    : denominator_(denominator), shift_(std::countl_zero(denominator)) {
  const uint128 reciprocal = (uint128{1} << (127 - shift_)) / denominator;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  reciprocal_ = reciprocal < kMost ? static_cast<std::uint64_t>(reciprocal) : kMost;
}

LaplaceOnIntegers::LaplaceOnIntegers(Ratio scale)
    : scale_(checked(scale, "a scale of noise", "scale")),
      parts_(scale.numerator > scale.denominator ? scale.numerator : 1),
      divisor_(scale.numerator > scale.denominator ? scale.denominator : 1),
      step_(scale.numerator > scale.denominator ? Fraction{1, 1}
                                                : Fraction{scale.denominator, scale.numerator}),
      fractions_(parts_),
      below_both_sides_(2 * parts_) {}

}  // namespace detail

DiscreteLaplace::DiscreteLaplace(Ratio scale)
    : law_(detail::checked(scale, "a scale of noise", "scale", 39)) {}

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

// -----------------------------------------------------------------------------------------------
// Gaussian noise on the integers, exactly.

namespace detail {

GaussianOnIntegers::GaussianOnIntegers(Ratio variance)
    : variance_(checked(variance, "a variance", "variance", 60)),
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

// -----------------------------------------------------------------------------------------------
// Noise on the integer lattice whose density falls with the Euclidean norm, exactly.

namespace detail {
namespace {

/// Rates of inner nodes are integers in units of 2^-40 of the leaf's.
constexpr unsigned kUnitBits = 40;

Natural squared(const Natural& value) { return value * value; }

EuclideanLaplaceTree::Rate rate_of(const Natural& numerator, const Natural& denominator) {
  // No shift is negative: the root's rate is at most 2^62, and none is greater.
  auto exponent = static_cast<unsigned>(62 + denominator.bit_length() - numerator.bit_length());
  Natural mantissa = (numerator << exponent) / denominator;
  if (mantissa.bit_length() < 63) mantissa = (numerator << ++exponent) / denominator;
  return {numerator, denominator, mantissa.low_word(), exponent};
}

/// r1^2 + r2^2 <= r^2.
bool is_fair(const EuclideanLaplaceTree::Rate& all, const EuclideanLaplaceTree::Rate& first,
             const EuclideanLaplaceTree::Rate& second) {
  const Natural parts =
      squared(first.numerator * second.denominator) + squared(second.numerator * first.denominator);
  return parts * squared(all.denominator) <=
         squared(all.numerator * first.denominator * second.denominator);
}

/// The rate of a size, and those of all that halving it comes to, in units of 2^-40 of the leaf's:
/// the least integers that keep the inequality, 2^40 sqrt(size) except for some units.
std::uint64_t add_size(std::size_t size, std::map<std::size_t, std::uint64_t>& rates) {
  const auto found = rates.find(size);
  if (found != rates.end()) return found->second;
  const uint128 first = add_size(size / 2, rates);
  const uint128 second = add_size(size - size / 2, rates);
  return rates[size] = ceil_sqrt(first * first + second * second);
}

std::map<std::size_t, std::uint64_t> rates_up_to(std::size_t dimension) {
  require_between({"the dimension of noise", "dimension"}, dimension, 1,
                  EuclideanLaplace::kGreatestDimension);
  std::map<std::size_t, std::uint64_t> rates = {{1, std::uint64_t{1} << kUnitBits}};
  add_size(dimension, rates);
  return rates;
}

/// P/Q for a leaf where the root has `rate` units: the least P with rate 2^-40 Q/P <= q/p. Q is the
/// power of two that gives P about 40 binary digits, or 2^62.
Ratio leaf_scale(Ratio scale, std::uint64_t rate) {
  if (rate == std::uint64_t{1} << kUnitBits) return scale;  // the root is a leaf
  const int digits = static_cast<int>(std::bit_width(scale.numerator)) -
                     static_cast<int>(std::bit_width(scale.denominator)) +
                     static_cast<int>(std::bit_width(rate >> kUnitBits)) / 2;
  const auto shift = static_cast<unsigned>(std::clamp(40 - digits, 0, 62));
  const Natural part = Natural(rate) * Natural(scale.numerator) << shift;
  const Natural unit = Natural(scale.denominator) << kUnitBits;
  return {((part + unit - Natural(1)) / unit).low_word(), std::uint64_t{1} << shift};
}

/// floor(c sqrt(square) 2^bits), short by less than 2: the root by less than 1, the quotient by
/// that over the denominator and less than 1.
Natural product(const EuclideanLaplaceTree::Rate& rate, const Natural& square, std::size_t bits) {
  return (squared(rate.numerator) * square << (2 * bits)).floor_sqrt() / rate.denominator;
}

/// c |y| lies in [least, least + slack] / 2^64.
struct Product {
  bool is_known;
  uint128 least;
  uint128 slack;
};

/// Proof. With C and R the mantissas, c |y| = (C + e)(R + f) 2^-s for 0 <= e, f < 1 and s the sum
/// of the shifts, and C + R + 1 < 2^64; so in units of 2^-64 it is short by less than 2^(128 - s),
/// and by 1 for the cut. For s >= 68 it is below 2^126 / 2^4 and the slack below 2^61.
Product product(const EuclideanLaplaceTree::Rate& rate, const ScaledRoot& norm) {
  if (norm.root == 0) return {true, 0, 0};
  const unsigned shift = rate.exponent + norm.shift;
  if (shift < 68) return {false, 0, 0};
  return {true, (static_cast<uint128>(rate.mantissa) * norm.root) >> (shift - 64),
          (shift < 128 ? uint128{1} << (128 - shift) : 1) + 1};
}

Natural squared_norm(std::span<const SignedSize> coordinates) {
  Natural sum;
  for (const SignedSize& coordinate : coordinates) {
    sum = sum + squared(Natural(coordinate.size));
  }
  return sum;
}

}  // namespace

EuclideanLaplaceTree::EuclideanLaplaceTree(std::size_t dimension, Ratio scale)
    : EuclideanLaplaceTree(rates_up_to(dimension),
                           checked(scale, "a scale of noise", "scale", 39)) {}

EuclideanLaplaceTree::EuclideanLaplaceTree(const std::map<std::size_t, std::uint64_t>& rates,
                                           Ratio scale)
    : scale_(scale), leaf_(leaf_scale(scale, rates.rbegin()->second)) {
  const auto index_of = [&](std::size_t size) {
    return static_cast<std::size_t>(std::distance(rates.begin(), rates.find(size)));
  };
  const Natural leaf_numerator(leaf_.scale().denominator);
  const Natural leaf_denominator = Natural(leaf_.scale().numerator) << kUnitBits;
  for (const auto& [size, rate] : rates) {
    const bool is_root = size == rates.rbegin()->first;
    const Rate exact = is_root ? rate_of(Natural(scale.denominator), Natural(scale.numerator))
                               : rate_of(leaf_numerator * Natural(rate), leaf_denominator);
    if (size == 1) {
      nodes_.push_back({size, exact, 0, 0});
      continue;
    }
    const Node& first = nodes_[index_of(size / 2)];
    const Node& second = nodes_[index_of(size - size / 2)];
    if (!is_fair(exact, first.rate, second.rate)) {
      throw std::logic_error("the rates of Euclidean-Laplace noise are out of order");
    }
    nodes_.push_back({size, exact, index_of(size / 2), index_of(size - size / 2)});
  }
}

/// x lies between r |y| at its least less both others at their most, and the reverse; it is not
/// negative, by Cauchy and Schwarz. All sums are below 2^124, and the width below 2^63.
[[gnu::flatten]] ExpBracket EuclideanLaplaceTree::Excess::bracket() const {
  constexpr ExpBracket kUnknown = {0, ~std::uint64_t{0}};
  if (!all.is_known) return kUnknown;
  const Product whole = product(node.rate, all.root);
  const Product one = product(tree.nodes_[node.first].rate, first.root);
  const Product other = product(tree.nodes_[node.second].rate, second.root);
  if (!whole.is_known || !one.is_known || !other.is_known) return kUnknown;
  const uint128 most = whole.least + whole.slack - (one.least + other.least);
  const uint128 taken = one.least + one.slack + other.least + other.slack;
  const uint128 least = whole.least > taken ? whole.least - taken : 0;
  return exp_minus({static_cast<std::uint64_t>(least >> 64), static_cast<std::uint64_t>(least),
                    static_cast<std::uint64_t>(most - least)});
}

/// With four more digits the difference is within 4 of the truth, and 0 is no further from it than
/// a negative number: within 1/4 + 1/2 once it is rounded.
Natural EuclideanLaplaceTree::Excess::scaled(std::size_t bits) const {
  constexpr std::size_t kMore = 4;
  const Natural first_square = squared_norm(coordinates.first(tree.nodes_[node.first].size));
  const Natural second_square = squared_norm(coordinates.subspan(tree.nodes_[node.first].size));
  const Natural taken = product(tree.nodes_[node.first].rate, first_square, bits + kMore) +
                        product(tree.nodes_[node.second].rate, second_square, bits + kMore);
  const Natural whole = product(node.rate, first_square + second_square, bits + kMore);
  if (whole <= taken) return {};
  return (whole - taken + (Natural(1) << (kMore - 1))) >> kMore;
}

}  // namespace detail

EuclideanLaplace::EuclideanLaplace(std::size_t dimension, Ratio scale) : law_(dimension, scale) {}

EuclideanLaplace EuclideanLaplace::at_least(std::size_t dimension, double scale) {
  return {dimension, Ratio::at_least({"a scale of noise", "scale"}, scale)};
}

void EuclideanLaplace::draw(std::span<std::int64_t> noise, SecureRandom& random) const {
  if (noise.size() != dimension()) {
    throw InvalidInput("wrong-shape", "a vector of this noise must have " +
                                          std::to_string(dimension()) + " coordinates, but has " +
                                          std::to_string(noise.size()));
  }
  std::vector<detail::SignedSize> coordinates(dimension());
  law_.sample(coordinates, detail::Decisions<SecureRandom>{random});
  std::transform(coordinates.begin(), coordinates.end(), noise.begin(),
                 [](const detail::SignedSize& z) { return z.wrapped(); });
}

}  // namespace mollify
