#include "measures/truncated_normal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include "base/refusal.h"
#include "core/ranges.h"

namespace mollify {

namespace {

constexpr double kInverseSqrtTwoPi = 0.398942280401432677939946059934;

/// P(Z > z) for a standard normal Z.
double upper_tail(double z) { return 0.5 * std::erfc(z * (1 / std::numbers::sqrt2)); }

/// P(low < Z < high), as a difference of the tails that are small.
double normal_mass(double low, double high) {
  if (!(low < high)) return 0;
  if (low > 0) return upper_tail(low) - upper_tail(high);
  if (high < 0) return upper_tail(-high) - upper_tail(-low);
  return 1 - upper_tail(high) - upper_tail(-low);
}

/// The z with P(Z > z) = tail, for a tail of at most 1/2.
double from_upper_tail(double tail) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * tail);
}

/// exp(x) for -700 < x < 700, to 3e-13 relative, in operations that all processors have on vectors:
/// x = n ln 2 + r with |r| <= ln(2)/2, e^r by its Taylor polynomial of degree 10, n put into the
/// exponent's bits.
double plain_exp(double x) {
  constexpr double kInverseLn2 = 1.4426950408889634074;
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;  // 42 bits, so that n kLn2High is exact
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer in the last bits
  const double shifted = x * kInverseLn2 + kShift;
  const double n = shifted - kShift;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) +
                               (std::bit_cast<std::uint64_t>(shifted) << 52));
}

constexpr std::size_t kIntervals = 64;
/// Cells wider than this, in deviations, are not taken at their middle.
constexpr double kNarrow = 1.0 / 16;
/// Beyond this many deviations the density is below 1e-300; within, plain_exp is in its range.
constexpr double kFar = 37;

/// The factor from the density at the middle times the width to a cell's mass, for squares of the
/// middle and of the width in deviations: 1 + w^2/24 H2(z) + w^4/1920 H4(z) + ..., H the Hermite
/// polynomials.
double curvature_correction(double z2, double w2) {
  return 1 + w2 * ((z2 - 1) * (1.0 / 24) + w2 * ((z2 - 6) * z2 + 3) * (1.0 / 1920));
}

/// The masses of narrow cells between standardised edges, all within kFar. A constant count, so
/// that the compiler uses vectors without being asked to.
void narrow_masses(const std::array<double, kIntervals + 1>& edges, double weight,
                   std::array<double, kIntervals>& masses) {
  for (std::size_t j = 0; j < kIntervals; ++j) {
    const double width = edges[j + 1] - edges[j];
    const double middle = 0.5 * (edges[j + 1] + edges[j]);
    const double z2 = middle * middle;
    masses[j] = weight * width * plain_exp(-0.5 * z2) * curvature_correction(z2, width * width);
  }
}

/// Masses of cells of equal width, from the density at the first middle: from one middle to the
/// next it is multiplied by a ratio, and the ratio by e^(-width^2).
void equal_masses(double first_edge, double width, double weight,
                  std::array<double, kIntervals>& masses) {
  const double w2 = width * width;
  double z = first_edge + 0.5 * width;
  double mass = weight * width * std::exp(-0.5 * z * z);
  double ratio = std::exp(-(z + 0.5 * width) * width);
  const double ratio_of_ratios = std::exp(-w2);
  for (double& found : masses) {
    found = mass * curvature_correction(z * z, w2);
    mass *= ratio;
    ratio *= ratio_of_ratios;
    z += width;
  }
}

}  // namespace

TruncatedNormal::TruncatedNormal(double mean, double variance, const Interval& support)
    : mean_(mean), deviation_(std::sqrt(variance)), support_(support) {
  refuse_if(!std::isfinite(mean), "out-of-range", "mean",
            "a normal law's mean must be finite, but is {:g}", mean);
  require_in(kPositive, {"a normal law's variance", "variance"}, variance);
  normaliser_ =
      standardised_mass((support.low - mean) / deviation_, (support.high - mean) / deviation_);
  refuse_if(!(normaliser_ >= 1e-290), "not-representable", "mean",
            "a normal law must have a mass of at least 1e-290 on its support, but the law of mean "
            "{:g} and variance {:g} has {:g} on [{:g}, {:g}]",
            mean, variance, normaliser_, support.low, support.high);
}

double TruncatedNormal::standardised_mass(double low, double high) const {
  return normal_mass(low, high) / normaliser_;
}

double TruncatedNormal::density(double x) const {
  if (!support_.contains(x)) return 0;
  const double z = (x - mean_) / deviation_;
  return kInverseSqrtTwoPi / (deviation_ * normaliser_) * std::exp(-0.5 * z * z);
}

double TruncatedNormal::mass(const Interval& interval) const {
  return standardised_mass((std::max(interval.low, support_.low) - mean_) / deviation_,
                           (std::min(interval.high, support_.high) - mean_) / deviation_);
}

double TruncatedNormal::quantile(double share, const Interval& within) const {
  const double low = std::clamp(within.low, support_.low, support_.high);
  const double high = std::clamp(within.high, support_.low, support_.high);
  double from = (low - mean_) / deviation_;
  double to = (high - mean_) / deviation_;
  // On the right of the mean tails are measured from above, elsewhere from below, mirrored.
  const bool mirrored = !(from > 0);
  if (mirrored) {
    share = 1 - share;
    std::swap(from, to);
    from = -from;
    to = -to;
  }
  const double tail_from = upper_tail(from);
  const double tail_to = upper_tail(to);
  if (!(tail_from - tail_to >= 1e-300)) {
    if (!std::isfinite(low)) return high;
    if (!std::isfinite(high)) return low;
    return low + (mirrored ? 1 - share : share) * (high - low);
  }
  const double tail = tail_from + share * (tail_to - tail_from);
  double z = to;
  if (tail >= 1e-300) z = tail <= 0.5 ? from_upper_tail(tail) : -from_upper_tail(1 - tail);
  const double x = mean_ + deviation_ * (mirrored ? -z : z);
  return std::clamp(x, low, high);
}

void TruncatedNormal::add_cell_masses(std::span<const double> edges, bool equal_width,
                                      double weight, std::span<double> masses) const {
  const double inverse = 1 / deviation_;
  const double scale = weight / normaliser_;
  const double narrow_scale = scale * kInverseSqrtTwoPi;
  const std::size_t count = masses.size();
  // An edge as a number of deviations, the outermost ones moved to the support's ends.
  const auto standardised = [&](std::size_t j) {
    const double edge = j == 0       ? support_.low
                        : j == count ? support_.high
                                     : std::clamp(edges[j], support_.low, support_.high);
    return (edge - mean_) * inverse;
  };
  const auto is_moved = [&](std::size_t j) {
    return standardised(j) != (edges[j] - mean_) * inverse;
  };
  std::array<double, kIntervals + 1> block;
  std::array<double, kIntervals> found;
  for (std::size_t begin = 0; begin < count; begin += kIntervals) {
    const std::size_t size = std::min(kIntervals, count - begin);
    const double first = standardised(begin);
    const double last = standardised(begin + size);
    if (last < -kFar - 1 || first > kFar + 1) continue;  // nothing that a double holds
    const double width = (last - first) / static_cast<double>(size);
    const bool near = first > -kFar && last < kFar;
    if (equal_width && near && width <= kNarrow && !is_moved(begin) && !is_moved(begin + size)) {
      equal_masses(first, width, narrow_scale, found);
    } else {
      double widest = 0;
      block[0] = first;
      for (std::size_t j = 0; j < size; ++j) {
        block[j + 1] = standardised(begin + j + 1);
        widest = std::max(widest, block[j + 1] - block[j]);
      }
      if (near && widest <= kNarrow) {
        for (std::size_t j = size; j < kIntervals; ++j) block[j + 1] = block[j];
        narrow_masses(block, narrow_scale, found);
      } else {
        for (std::size_t j = 0; j < size; ++j) {
          found[j] = scale * normal_mass(block[j], block[j + 1]);
        }
      }
    }
    for (std::size_t j = 0; j < size; ++j) masses[begin + j] += found[j];
  }
}

}  // namespace mollify
