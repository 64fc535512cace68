#include "kernel/order/geometric_gap.h"

#include <algorithm>

#include "kernel/core/wide.h"

namespace mollify {
namespace detail {
namespace {

/// All words of x^2, twice as many.
FractionWords whole_square(const FractionWords& x) {
  FractionWords square(2 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const uint128 sum = uint128{x[i]} * x[j] + square[i + j] + carry;  // below 2^128
      square[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64U);
    }
    square[i + x.size()] = carry;
  }
  return square;
}

}  // namespace

FractionWords square_down(const FractionWords& x) {
  FractionWords square = whole_square(x);
  square.erase(square.begin(), square.begin() + static_cast<std::ptrdiff_t>(x.size()));
  return square;
}

FractionWords square_up(const FractionWords& x) {
  const FractionWords square = whole_square(x);
  const auto middle = square.begin() + static_cast<std::ptrdiff_t>(x.size());
  FractionWords up(middle, square.end());
  if (std::all_of(square.begin(), middle, [](std::uint64_t word) { return word == 0; })) return up;
  // The greatest fraction's square is two units below 1: this stays below 1.
  for (std::uint64_t& word : up) {
    if (++word != 0) break;
  }
  return up;
}

}  // namespace detail

namespace {

/// Whether a is less than b, of as many words.
bool is_less(const detail::FractionWords& a, const detail::FractionWords& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

struct SecureCoins {
  const GeometricGap& gap;
  SecureRandom& random;

  bool power(std::size_t i) {
    return gap.is_below_power(i, random.word(), [this] { return random.word(); });
  }
  bool fair() { return random.word() >> 63U != 0; }
};

}  // namespace

GeometricGap::GeometricGap(std::uint64_t tails) : tails_(tails) {
  constexpr std::size_t kMostLevels = 41;
  detail::FractionWords down{0, tails};
  detail::FractionWords up = down;
  for (;;) {
    first_words_.push_back({down[1], up[1]});
    if (up[1] < std::uint64_t{1} << 63U || levels() == kMostLevels) return;
    down = detail::square_down(down);
    up = detail::square_up(up);
  }
}

int GeometricGap::compared_with_power(std::size_t i, const detail::FractionWords& read) const {
  detail::FractionWords down(read.size());
  down.back() = tails_;
  detail::FractionWords up = down;
  for (std::size_t level = 0; level < i; ++level) {
    down = detail::square_down(down);
    up = detail::square_up(up);
  }
  if (is_less(read, down)) return -1;
  return is_less(read, up) ? 0 : 1;
}

std::uint64_t GeometricGap::draw(std::uint64_t most, SecureRandom& random) const {
  SecureCoins coins{*this, random};
  return detail::gap_with(coins, levels(), most);
}

}  // namespace mollify
