#include "domain/number_scales.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/directed_rounding.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The multiples of a power of ten, as doubles and as texts.

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
  // At least one digit comes before the point: pad to one digit more than there are decimals.
  const int decimals = -exponent_;
  const std::size_t begin = text.size();
  fmt::format_to(std::back_inserter(text), "{:0{}}", size, decimals + 1);
  text.insert(std::max(begin, text.size() - static_cast<std::size_t>(decimals)), 1, '.');
}

// -----------------------------------------------------------------------------------------------
// Logarithm and exponential that are the same on every machine.

namespace {

/// ln 2 in two parts: the first has 32 digits, so that its products with exponents are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// ln((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...) for |s| <= 0.18: the omitted terms are below
/// 2^-54 of it.
double log_of_odds(double s) {
  const double square = s * s;
  double sum = 0;
  for (int power = 21; power >= 3; power -= 2) sum = square * (sum + 1.0 / power);
  return 2 * (s + s * sum);
}

}  // namespace

double same_log(double x) {
  constexpr double kRootOfHalf = 0.70710678118654752;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kRootOfHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double log = log_of_odds((mantissa - 1) / (mantissa + 1));
  return exponent * kLn2High + (log + exponent * kLn2Low);
}

double same_log1p(double x) {
  if (x > -0.29 && x < 0.41) return log_of_odds(x / (2 + x));
  return same_log(1 + x);
}

double same_exp(double x) {
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const double halvings = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  // At most 0.35 in size.
  const double rest = (x - halvings * kLn2High) - halvings * kLn2Low;
  double series = 1;
  for (int power = 14; power >= 1; --power) series = 1 + rest / power * series;
  return std::ldexp(series, static_cast<int>(halvings));
}

// -----------------------------------------------------------------------------------------------
// Cells whose widths follow the size of their numbers.

namespace {

/// The width of the cells of the octave in which an integer of at least 1 lies, if octaves have
/// 2^log_cells of them.
std::int64_t width_at(std::int64_t size, std::uint64_t log_cells) {
  const auto octave =
      static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(size))) - 1;
  return std::int64_t{1} << (octave > log_cells ? octave - log_cells : 0U);
}

/// Where the next cell begins.
std::int64_t start_after(std::int64_t integer, std::uint64_t log_cells) {
  if (integer >= 0) {
    const std::int64_t width = width_at(std::max<std::int64_t>(integer, 1), log_cells);
    return (integer / width + 1) * width;
  }
  const std::int64_t size = -integer - 1;
  if (size == 0) return 0;
  const std::int64_t width = width_at(size, log_cells);
  return -(size / width * width);
}

std::optional<std::vector<std::int64_t>> starts_with(std::int64_t first, std::int64_t last,
                                                     std::uint64_t log_cells, std::size_t most) {
  std::vector<std::int64_t> starts;
  for (std::int64_t start = first; start <= last; start = start_after(start, log_cells)) {
    if (starts.size() == most) return std::nullopt;
    starts.push_back(start);
  }
  return starts;
}

}  // namespace

std::vector<std::int64_t> dyadic_starts(std::int64_t first, std::int64_t last, std::size_t most) {
  constexpr std::uint64_t kOctaves = 62;
  const std::uint64_t log_cells = halve_whole(0, kOctaves + 1, [&](std::uint64_t finer) {
    return starts_with(first, last, finer, most).has_value();
  });
  return *starts_with(first, last, log_cells, most);
}

}  // namespace mollify
