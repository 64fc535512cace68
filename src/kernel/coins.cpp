#include "kernel/coins.h"

#include <algorithm>
#include <bit>
#include <string>

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Certified brackets of e^-x, in integers alone.

namespace {

constexpr uint128 kUnit = uint128{1} << 127;

/// e^(-1/256) in units of 2^-127, within 32: the alternating series has 14 terms before they
/// vanish, each short by less than 2, and the rest is less than 1.
constexpr uint128 root() {
  uint128 sum = kUnit, term = kUnit;
  for (unsigned j = 1; term != 0; ++j) {
    term /= 256 * j;
    sum = j % 2 == 1 ? sum - term : sum + term;
  }
  return sum;
}

/// 1, base, base^2, ... in units of 2^-127. A product of two numbers of at most 1 that are within c
/// and d of the truth is within c + d + 2.
template <std::size_t kSize>
constexpr std::array<uint128, kSize> powers(uint128 base) {
  std::array<uint128, kSize> result{};
  result[0] = kUnit;
  for (std::size_t i = 1; i < kSize; ++i) result[i] = times_127(result[i - 1], base);
  return result;
}

/// It in units of 2^-63, cut.
template <std::size_t kSize>
constexpr std::array<std::uint64_t, kSize> cut(const std::array<uint128, kSize>& values) {
  std::array<std::uint64_t, kSize> result{};
  for (std::size_t i = 0; i < kSize; ++i) result[i] = static_cast<std::uint64_t>(values[i] >> 64);
  return result;
}

/// e^(-a/256) within (32 + 2) a units of 2^-127, so e^-1 within 2^14 and e^-i within 2^20: cut to
/// 2^-63, all are within 1 of the truth, rounding and the cut together.
constexpr std::array<uint128, 256> kFractions = powers<256>(root());
constexpr uint128 kInverseE = times_127(kFractions[255], kFractions[1]);

}  // namespace

constexpr std::array<std::uint64_t, 256> kExpFractions = cut(kFractions);
constexpr std::array<std::uint64_t, kFirstEmptyWhole> kExpWholes =
    cut(powers<kFirstEmptyWhole>(kInverseE));

ScaledExp exp_minus(const Natural& scaled, std::size_t scale) {
  const Natural one(1);
  // x >= (45/64) scale - 2^-scale implies e^-x < 2^-scale, since 45/64 > ln 2 by .01.
  if (scaled * Natural(64) >= Natural(45 * scale) << scale) return {Natural(), one};
  // From here on errors are in units of 2^-scale. y = x / 2^halvings lies in [cut - 1, cut + 2),
  // and cut is below 1/2.
  const std::size_t length = scaled.bit_length() + 1;
  const std::size_t halvings = length > scale ? length - scale : 0;
  const Natural cut = scaled >> halvings;
  // e^-cut by its alternating series. If a term is short by at most 2, the next one is short by at
  // most (2 * 1/2 + 1)/j + 1 <= 3, and by at most 2 from the third on: 4 for each is ample. 8 are
  // for y - cut (2, the slope being at most 1 as y >= 0) and for the terms after the last (1: the
  // first of them).
  Natural power = one << scale;  // e^-y so far
  Natural term = power;
  Natural error(8);
  for (std::uint64_t j = 1; term != Natural(); ++j) {
    term = ((term * cut) >> scale) / Natural(j);
    power = j % 2 == 1 ? power - term : power + term;
    error = error + Natural(4);
  }
  // If p <= 1 is known within e, its square, cut, is within 2 e + e^2 / 2^scale + 1 <= 2 e + 2;
  // here e < 2^(scale / 2), since it is below 2^15 for 64 bits and grows like bits^2.
  for (std::size_t i = 0; i < halvings; ++i) {
    power = (power * power) >> scale;
    error = error + error + Natural(2);
  }
  return {power, error};
}

std::optional<bool> is_below_exp_minus(const Natural& drawn, std::size_t bits,
                                       const Natural& scaled) {
  const std::size_t scale = bits + kGuardBits;
  // x >= (45/64) bits - 2^-scale implies e^-x < 2^-bits, since 45/64 > ln 2 by .01: only drawn = 0
  // is not above.
  if (scaled * Natural(64) >= Natural(45 * bits) << scale) {
    if (drawn == Natural()) return std::nullopt;
    return false;
  }
  const auto [power, error] = exp_minus(scaled, scale);
  const Natural first = drawn << kGuardBits, end = (drawn + Natural(1)) << kGuardBits;
  if (end + error <= power) return true;
  if (first >= power + error) return false;
  return std::nullopt;
}

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The exponential mechanism over integer distances, exactly.

namespace detail {
namespace {

/// 2^m e^-x = M / 2^64 with M from least to most; x >= 0.
struct FloatingExp {
  std::uint64_t least;
  uint128 most;    // at most 2^64
  unsigned shift;  // m
};

/// From x = 256 on, 2^62 e^-x < 2^-300 is far less than one unit of an enclosure, which is at least
/// 2^-88 and so are all such levels together.
constexpr std::uint64_t kFirstWeightless = 256;

/// Proof. x lies in [X, X + 1]/2^64. m = floor(floor(X / 2^40) q / 2^56) with q = floor(2^32/ln 2)
/// is at most X / (2^64 ln 2), and above x / ln 2 - 1.01: 0 <= y = x - m ln 2 < 0.71. m ln 2 2^64
/// lies in [v, v + 2] for v = m H + floor(m L / 2^64), H and L being the first 128 digits of ln 2.
/// So y 2^64 lies in [X - v - 2, X - v + 1], and e^-x = 2^-m e^-y. QED
FloatingExp floating_exp(uint128 x) {
  constexpr std::uint64_t kInverse = 6196328018;  // floor(2^32 / ln 2)
  constexpr std::uint64_t kHigh = 0xB17217F7D1CF79AB, kLow = 0xC9E3B39803F2F6AF;  // of ln 2
  const uint128 shift = ((x >> 40) * kInverse) >> 56;
  const uint128 rest = x - (shift * kHigh + ((shift * kLow) >> 64));
  const auto begin = static_cast<std::uint64_t>(rest < 2 ? 0 : rest - 2);
  const ExpBracket bracket = exp_minus(Exponent{0, begin, 3});
  return {bracket.least, uint128{bracket.last} + 1, static_cast<unsigned>(shift)};
}

unsigned bit_length(uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high)
                                         : std::bit_width(static_cast<std::uint64_t>(x)));
}

/// floor(a b / 2^64); b < 2^128 and a <= 2^64, and the result fits.
uint128 scaled_product(uint128 a, uint128 b) {
  return a * (b >> 64) + ((a * static_cast<std::uint64_t>(b)) >> 64);
}

}  // namespace

ExponentialLevels::ExponentialLevels(std::span<const ChoiceTerm> terms, Ratio rate) : rate_(rate) {
  uint128 sum = 0;
  counts_.reserve(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    counts_.push_back(terms[i].count);
    sum += terms[i].count;
    if (terms[i].count != 0) order_.push_back({terms[i].distance, i});
  }
  if (sum < 1 || sum > Ratio::kGreatest) {
    throw InvalidInput("out-of-range",
                       "the counts of a choice must sum to 1 to 2^62, but " +
                           std::string(sum < 1 ? "are all 0" : "sum to more"),
                       "counts");
  }
  std::sort(order_.begin(), order_.end(), [](const Ordered& a, const Ordered& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.term < b.term;
  });
  const std::uint64_t nearest = order_.front().distance;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint64_t excess = order_[i].distance - nearest;
    if (levels_.empty() || levels_.back().excess != excess) levels_.push_back({excess, 0, i});
    levels_.back().count += counts_[order_[i].term];
  }
  enclose();
}

/// Each w_l is C_l M_l 2^-(m_l + 64), M_l enclosed. With T the greatest number of binary digits of
/// C_l M_l 2^-m_l, all are given in units of 2^(T - 88): fewer than 2^40 sums of at most 2^88 + 1
/// fit in 128 digits, and W, at least half of the greatest, is at least 2^86 units.
void ExponentialLevels::enclose() {
  constexpr int kDigits = 88;
  std::vector<FloatingExp> factors;
  int greatest = 0;
  for (const Level& level : levels_) {
    const uint128 product = static_cast<uint128>(level.excess) * rate_.numerator;
    const uint128 whole = product / rate_.denominator;
    if (whole >= kFirstWeightless) break;
    const uint128 rest = (product % rate_.denominator) << 64;
    factors.push_back(floating_exp((whole << 64) + rest / rate_.denominator));
    const FloatingExp& factor = factors.back();
    greatest = std::max(greatest, static_cast<int>(bit_length(level.count * factor.most)) -
                                      static_cast<int>(factor.shift));
  }
  Enclosure sum{0, 0};
  sums_.reserve(factors.size());
  for (std::size_t l = 0; l < factors.size(); ++l) {
    const uint128 least = static_cast<uint128>(levels_[l].count) * factors[l].least;
    const uint128 most = levels_[l].count * factors[l].most;
    const int shift = static_cast<int>(factors[l].shift) + greatest - kDigits;
    if (shift >= 128) {
      sum.most += 1;
    } else if (shift >= 0) {
      sum.least += least >> shift;
      sum.most += (most >> shift) + 1;
    } else {
      sum.least += least << -shift;
      sum.most += most << -shift;
    }
    sums_.push_back(sum);
  }
}

/// U in [first, last + 1]/2^64.
std::optional<std::size_t> ExponentialLevels::find(std::uint64_t first, std::uint64_t last) const {
  const uint128 most_weight = sums_.back().most + (sums_.size() < levels_.size() ? 1 : 0);
  const uint128 begin = scaled_product(first, sums_.back().least);  // at most U W
  const uint128 end = scaled_product(uint128{last} + 1, most_weight) + 1;
  const auto found = std::partition_point(sums_.begin(), sums_.end(),
                                          [end](const Enclosure& sum) { return sum.least < end; });
  // The last level ends where U ends, at 1.
  if (found == sums_.end() && sums_.size() < levels_.size()) return std::nullopt;
  const auto level = found == sums_.end() ? found - 1 : found;
  if (level != sums_.begin() && (level - 1)->most > begin) return std::nullopt;
  return static_cast<std::size_t>(level - sums_.begin());
}

std::optional<std::size_t> ExponentialLevels::find_slowly(const Natural& drawn,
                                                          std::size_t bits) const {
  // W >= 1 and the counts sum to at most 2^62, so 62 digits more make W as precise as a single
  // e^-x.
  const std::size_t scale = bits + kGuardBits + 62;
  std::vector<Natural> least, most;
  Natural below, above;
  for (const Level& level : levels_) {
    const Natural excess = Natural(level.excess) * Natural(rate_.numerator);
    const auto [value, error] = exp_minus((excess << scale) / Natural(rate_.denominator), scale);
    const Natural count(level.count);
    if (value > error) below = below + count * (value - error);
    above = above + count * (value + error);
    least.push_back(below);
    most.push_back(above);
  }
  const Natural begin = drawn * below, end = (drawn + Natural(1)) * above;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const bool is_last = l + 1 == levels_.size();
    if (!is_last && (least[l] << bits) < end) continue;
    if (l > 0 && (most[l - 1] << bits) > begin) return std::nullopt;
    return l;
  }
  return std::nullopt;
}

ChosenOutcome ExponentialLevels::outcome(std::size_t level, std::uint64_t position) const {
  std::size_t i = levels_[level].begin;
  while (position >= counts_[order_[i].term]) position -= counts_[order_[i++].term];
  return {order_[i].term, position};
}

}  // namespace detail

ExponentialChoice::ExponentialChoice(Ratio rate) : rate_(rate) {
  if (rate.numerator < 1 || rate.numerator > Ratio::kGreatest || rate.denominator < 1 ||
      rate.denominator > Ratio::kGreatest) {
    throw InvalidInput(
        "out-of-range",
        "numerator and denominator of a rate must be from 1 to 2^62, but the rate is " +
            std::to_string(rate.numerator) + "/" + std::to_string(rate.denominator),
        "rate");
  }
}

ChosenOutcome ExponentialChoice::draw(std::span<const ChoiceTerm> terms,
                                      SecureRandom& random) const {
  const detail::ExponentialLevels levels(terms, rate_);
  const std::size_t level = levels.draw(random);
  return levels.outcome(level, random.below(levels.count(level)));
}

}  // namespace mollify
