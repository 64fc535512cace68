#include "arrow/decimal_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace mollify {
namespace {

using Limbs = std::array<std::uint32_t, 8>;  // the lowest first

void negate(Limbs& limbs) noexcept {
  std::uint64_t carry = 1;
  for (std::uint32_t& limb : limbs) {
    carry += static_cast<std::uint32_t>(~limb);
    limb = static_cast<std::uint32_t>(carry);
    carry >>= 32U;
  }
}

std::size_t count_used(const Limbs& limbs) noexcept {
  std::size_t used = limbs.size();
  while (used > 0 && limbs[used - 1] == 0) --used;
  return used;
}

/// Divides by 10^9; returns what is left.
std::uint32_t take_nine_digits(Limbs& limbs, std::size_t used) noexcept {
  constexpr std::uint64_t kDivisor = 1'000'000'000;
  std::uint64_t left = 0;
  for (std::size_t i = used; i-- > 0;) {
    left = left << 32U | limbs[i];
    limbs[i] = static_cast<std::uint32_t>(left / kDivisor);
    left %= kDivisor;
  }
  return static_cast<std::uint32_t>(left);
}

}  // namespace

void append_decimal(const void* integer, DecimalForm form, std::string& text) {
  Limbs limbs{};
  const std::size_t held = form.bytes / sizeof(std::uint32_t);
  std::memcpy(limbs.data(), integer, form.bytes);
  if constexpr (std::endian::native == std::endian::big) {
    std::reverse(limbs.begin(), limbs.begin() + held);
  }
  if (limbs[held - 1] >> 31U != 0) {
    for (std::size_t i = held; i < limbs.size(); ++i) limbs[i] = ~std::uint32_t{0};
    negate(limbs);
    text += '-';
  }
  std::array<char, 81> buffer{};  // 2^255 has 77 digits
  std::size_t first = buffer.size();
  for (std::size_t used = count_used(limbs); used > 0; used = count_used(limbs)) {
    std::uint32_t nine = take_nine_digits(limbs, used);
    for (int i = 0; i < 9; ++i) {
      buffer[--first] = static_cast<char>('0' + nine % 10);
      nine /= 10;
    }
  }
  while (first < buffer.size() && buffer[first] == '0') ++first;
  const std::string_view digits(buffer.data() + first, buffer.size() - first);
  if (form.scale <= 0) {
    text += digits.empty() ? "0" : digits;
    if (!digits.empty()) text.append(static_cast<std::size_t>(-form.scale), '0');
    return;
  }
  const auto after_point = static_cast<std::size_t>(form.scale);
  if (digits.size() <= after_point) {
    text.append("0.").append(after_point - digits.size(), '0').append(digits);
    return;
  }
  const std::size_t before_point = digits.size() - after_point;
  text.append(digits.substr(0, before_point)).append(1, '.').append(digits.substr(before_point));
}

}  // namespace mollify
