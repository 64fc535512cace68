#include "kernel/naturals.h"

#include <algorithm>
#include <string>

#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Natural numbers of any size, for the comparisons that 128 bits do not settle.

namespace {

constexpr std::size_t kLimbBits = 32;

std::uint32_t limb_of(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

Natural::Natural(uint128 value) {
  if (value >> kLimbBits != 0) limbs_.reserve(sizeof value / sizeof(std::uint32_t));
  for (; value != 0; value >>= kLimbBits) {
    limbs_.push_back(limb_of(static_cast<std::uint64_t>(value)));
  }
}

void Natural::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

std::size_t Natural::bit_length() const {
  if (limbs_.empty()) return 0;
  std::size_t length = kLimbBits * (limbs_.size() - 1);
  for (std::uint32_t top = limbs_.back(); top != 0; top >>= 1) ++length;
  return length;
}

std::uint64_t Natural::low_word() const {
  const std::uint64_t low = limbs_.empty() ? 0 : limbs_[0];
  const std::uint64_t high = limbs_.size() < 2 ? 0 : limbs_[1];
  return high << kLimbBits | low;
}

Natural Natural::operator<<(std::size_t bits) const {
  Natural result;
  if (limbs_.empty()) return result;
  const std::size_t whole = bits / kLimbBits, rest = bits % kLimbBits;
  result.limbs_.assign(limbs_.size() + whole + 1, 0);
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint64_t shifted = static_cast<std::uint64_t>(limbs_[i]) << rest;
    result.limbs_[i + whole] |= limb_of(shifted);
    result.limbs_[i + whole + 1] = limb_of(shifted >> kLimbBits);
  }
  result.trim();
  return result;
}

Natural Natural::operator>>(std::size_t bits) const {
  Natural result;
  const std::size_t whole = bits / kLimbBits, rest = bits % kLimbBits;
  if (whole >= limbs_.size()) return result;
  result.limbs_.reserve(limbs_.size() - whole);
  for (std::size_t i = whole; i < limbs_.size(); ++i) {
    const std::uint64_t above = i + 1 < limbs_.size() ? limbs_[i + 1] : 0;
    result.limbs_.push_back(limb_of((above << kLimbBits | limbs_[i]) >> rest));
  }
  result.trim();
  return result;
}

Natural Natural::operator+(const Natural& other) const {
  const std::size_t size = std::max(limbs_.size(), other.limbs_.size());
  Natural result;
  result.limbs_.reserve(size + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < size; ++i) {
    carry += i < limbs_.size() ? limbs_[i] : 0;
    carry += i < other.limbs_.size() ? other.limbs_[i] : 0;
    result.limbs_.push_back(limb_of(carry));
    carry >>= kLimbBits;
  }
  result.limbs_.push_back(limb_of(carry));
  result.trim();
  return result;
}

Natural Natural::operator-(const Natural& other) const {
  Natural result = *this;
  result.subtract(other);
  return result;
}

void Natural::subtract(const Natural& other) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint64_t taken = borrow + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] = limb_of(limbs_[i] - taken);
  }
  trim();
}

void Natural::append(std::uint32_t bit) {
  for (std::uint32_t& limb : limbs_) {
    const std::uint32_t top = limb >> (kLimbBits - 1);
    limb = limb << 1 | bit;
    bit = top;
  }
  if (bit != 0) limbs_.push_back(bit);
}

Natural Natural::operator*(const Natural& other) const {
  Natural result;
  result.limbs_.assign(limbs_.size() + other.limbs_.size(), 0);
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < other.limbs_.size(); ++j) {
      carry += static_cast<std::uint64_t>(limbs_[i]) * other.limbs_[j] + result.limbs_[i + j];
      result.limbs_[i + j] = limb_of(carry);
      carry >>= kLimbBits;
    }
    result.limbs_[i + other.limbs_.size()] = limb_of(carry);
  }
  result.trim();
  return result;
}

Natural Natural::operator/(const Natural& divisor) const {
  Natural quotient;
  quotient.limbs_.assign(limbs_.size(), 0);
  if (divisor.limbs_.size() <= 2) {
    const uint128 word = divisor.low_word();
    uint128 remainder = 0;
    for (std::size_t i = limbs_.size(); i-- > 0;) {
      remainder = remainder << kLimbBits | limbs_[i];
      quotient.limbs_[i] = limb_of(static_cast<std::uint64_t>(remainder / word));
      remainder %= word;
    }
  } else {
    Natural remainder;
    remainder.limbs_.reserve(divisor.limbs_.size() + 1);
    for (std::size_t bit = bit_length(); bit-- > 0;) {
      remainder.append(limbs_[bit / kLimbBits] >> (bit % kLimbBits) & 1);
      if (remainder < divisor) continue;
      remainder.subtract(divisor);
      quotient.limbs_[bit / kLimbBits] |= std::uint32_t{1} << (bit % kLimbBits);
    }
  }
  quotient.trim();
  return quotient;
}

// Digit by digit: (2 r + 1)^2 = 4 r^2 + (4 r + 1), so the next digit of the root is 1 if what is
// left of the number's next two digits holds 4 r + 1.
Natural Natural::floor_sqrt() const {
  Natural root, rest;
  const auto digit = [&](std::size_t place) {
    const std::size_t limb = place / kLimbBits;
    return limb < limbs_.size() ? limbs_[limb] >> (place % kLimbBits) & 1 : 0;
  };
  for (std::size_t pair = (bit_length() + 1) / 2; pair-- > 0;) {
    rest.append(digit(2 * pair + 1));
    rest.append(digit(2 * pair));
    Natural step = root;
    step.append(0);
    step.append(1);
    const bool fits = step <= rest;
    if (fits) rest.subtract(step);
    root.append(fits ? 1 : 0);
  }
  return root;
}

std::strong_ordering Natural::operator<=>(const Natural& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

// -----------------------------------------------------------------------------------------------
// Public rational numbers.

Ratio Ratio::at_least(const Called& what, double value) {
  if (!(value > 0 && value <= 0x1p62)) {
    MOLLIFY_REFUSE(InvalidInput("out-of-range",
                                std::string(what.words) +
                                    " must be positive and at most 2^62, but is " +
                                    detail::shortest(value),
                                what.parameter));
  }
  // The denominator 2^shift brings all 53 binary digits before the point, where 2^62 is enough.
  int exponent = 0;
  std::frexp(value, &exponent);
  const int shift = exponent > 53 ? 0 : exponent < 53 - 62 ? 62 : 53 - exponent;
  Ratio ratio;
  ratio.numerator = static_cast<std::uint64_t>(std::ceil(std::ldexp(value, shift)));
  ratio.denominator = std::uint64_t{1} << shift;
  while (ratio.numerator % 2 == 0 && ratio.denominator > 1) {
    ratio.numerator /= 2;
    ratio.denominator /= 2;
  }
  return ratio;
}

}  // namespace mollify
