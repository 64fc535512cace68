#include "space/decimal_lattice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace mollify {
namespace {

double power_of_ten(int exponent) noexcept {  // requires 0 <= exponent <= 22; exact
  static constexpr std::array<double, DecimalLattice::kMaxExponent + 1> kPowers = {
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return kPowers[static_cast<std::size_t>(exponent)];
}

}  // namespace

double DecimalLattice::in_steps(double value) const noexcept {
  return exponent_ < 0 ? value * power_of_ten(-exponent_) : value / power_of_ten(exponent_);
}

// One correctly rounded operation on two exact doubles: the double nearest to the written number.
double DecimalLattice::value(std::int64_t multiple) const noexcept {
  const auto exact = static_cast<double>(multiple);
  return exponent_ < 0 ? exact / power_of_ten(-exponent_) : exact * power_of_ten(exponent_);
}

std::int64_t DecimalLattice::multiple(double value) const noexcept {
  // Two roundings of m < 2^51 are less than half a step; beyond, one or two steps.
  const auto near = static_cast<std::int64_t>(std::round(in_steps(value)));
  for (const std::int64_t step : {0, -1, 1, -2, 2}) {
    if (this->value(near + step) == value) return near + step;
  }
  return near;
}

std::int64_t DecimalLattice::ceiling(double bound) const noexcept {
  auto multiple = static_cast<std::int64_t>(std::ceil(in_steps(bound)));
  while (value(multiple - 1) >= bound) --multiple;
  while (value(multiple) < bound) ++multiple;
  return multiple;
}

void DecimalLattice::write(std::int64_t multiple, std::string& text) const {
  const auto size = static_cast<std::uint64_t>(multiple < 0 ? -multiple : multiple);
  if (multiple < 0) text += '-';
  if (exponent_ >= 0) {
    fmt::format_to(std::back_inserter(text), "{}", size);
    if (size != 0) text.append(static_cast<std::size_t>(exponent_), '0');
    text += ".0";
    return;
  }
  // At least one digit stands before the point: pad to one digit more than there are decimals.
  const int decimals = -exponent_;
  const std::size_t begin = text.size();
  fmt::format_to(std::back_inserter(text), "{:0{}}", size, decimals + 1);
  text.insert(std::max(begin, text.size() - static_cast<std::size_t>(decimals)), 1, '.');
}

}  // namespace mollify
