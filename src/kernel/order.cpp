#include "kernel/order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How many records a row of coins passes over before the next one that it keeps.

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

/// Whether a is less than b, of equal lengths.
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

// -----------------------------------------------------------------------------------------------
// Uniformly random parts of records, known only by how often each value occurs.

namespace {

/// floor(rate 2^64) 2^-64.
double kept_rate(double rate) {
  if (!(rate >= 0x1p-64 && rate <= 1)) {
    MOLLIFY_REFUSE(InvalidInput(
        "out-of-range",
        "the rate of a subsample must be from 2^-64 to 1, but is " + detail::shortest(rate),
        "rate"));
  }
  return std::ldexp(std::floor(std::ldexp(rate, 64)), -64);
}

/// 2^64 less the threshold T of this rate.
std::uint64_t words_not_kept(double rate) {
  return rate == 1 ? 0 : -static_cast<std::uint64_t>(std::ldexp(rate, 64));
}

}  // namespace

RecordsLeft::RecordsLeft(std::span<const std::uint64_t> counts)
    : sums_(counts.size() + 1),
      greatest_step_(std::bit_floor(counts.size())),
      size_(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) {
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    sums_[i] += counts[i - 1];
    const std::size_t next = i + (i & -i);
    if (next < sums_.size()) sums_[next] += sums_[i];
  }
}

std::size_t RecordsLeft::take_at(std::uint64_t position) {
  std::size_t before = 0;  // values that are passed over
  for (std::size_t step = greatest_step_; step > 0; step /= 2) {
    const std::size_t at = before + step;
    if (at >= sums_.size()) continue;
    if (sums_[at] <= position) {
      position -= sums_[at];
      before = at;
    } else {
      --sums_[at];  // the value is one of those that it sums
    }
  }
  --size_;
  return before;
}

PoissonSubsample::PoissonSubsample(double rate)
    : rate_(kept_rate(rate)), gap_(words_not_kept(rate_)) {}

std::vector<std::uint32_t> PoissonSubsample::draw(std::span<const std::uint64_t> counts,
                                                  SecureRandom& random) const {
  const std::uint64_t records = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<std::uint32_t> kept;
  kept.reserve(static_cast<std::size_t>(rate_ * static_cast<double>(records)));
  std::size_t value = 0;
  std::uint64_t end = counts.empty() ? 0 : counts[0];  // of that value's records
  for (std::uint64_t record = gap_.draw(records, random); record < records;) {
    while (record >= end) end += counts[++value];
    kept.push_back(static_cast<std::uint32_t>(value));
    ++record;
    record += gap_.draw(records - record, random);
  }
  return kept;
}

}  // namespace mollify
