#include "core/band.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A rational number that is certainly at most e^epsilon.

static_assert(std::numeric_limits<double>::is_iec559);

/// The series of e^y for y = x / 2^6 < 1/2 in units of 2^-127, and six squarings.
///
/// Proof. y is exact: x is a double of at least 2^-20. Everything is cut, so never too large. If a
/// term is short by at most 2 units, the next one is short by at most (2 y + 1)/j + 1 <= 2 from the
/// second on, and the first by 2. There are fewer than 64 terms until they vanish, and the rest is
/// below 4 units: the sum, which is at least 1, is short by less than 2^8 units, or 2^-119 of
/// itself. The square of a number that is short by a share s is short by 2 s and the cut, 2^-125.
/// So s is below 2^6 (2^-119 + 2^-126) + 2^-119 < 2^-112 in the end. QED
CutExp cut_exp(double x) {
  constexpr int kDigits = 53, kSquarings = 6;
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), kDigits));
  const uint128 y = uint128{mantissa} << (127 - kDigits - kSquarings + exponent);
  uint128 sum = 0;
  uint128 term = uint128{1} << 127;
  for (unsigned j = 1; term != 0; ++j) {
    sum += term;
    term = times_127(term, y) / j;
  }
  CutExp power{sum >> 1, 126};
  for (int i = 0; i < kSquarings; ++i) {
    power = {times_127(power.digits, power.digits), 2 * power.scale - 127};
    if (power.digits >> 126 == 0) power = {power.digits << 1, power.scale + 1};
  }
  return power;
}

ExpBound::ExpBound(double epsilon) : epsilon_(std::fmin(epsilon, kGreatestEpsilon)) {
  require_in(kPositive, "epsilon", epsilon);
  if (epsilon < kLeastEpsilon) {
    MOLLIFY_REFUSE(InvalidInput(
        "out-of-range",
        "epsilon of one draw must be at least 1e-6, but is " + detail::shortest(epsilon), "epsilon",
        {}, {{"given", epsilon}, {"least", kLeastEpsilon}}));
  }
  const auto [digits, scale] = cut_exp(epsilon_);
  const uint128 lowered = digits - (digits >> 40) - 1;
  const int cut = lowered >> 126 != 0 ? 127 - 53 : 126 - 53;
  mantissa_ = static_cast<std::uint64_t>(lowered >> cut);
  shift_ = scale - cut;
}

double ExpBound::value() const { return std::ldexp(static_cast<double>(mantissa_), -shift_); }

// -----------------------------------------------------------------------------------------------
// The band.

namespace {

/// The exact sum of up to 2^32 numbers, from those modulo 2^64 and of their high halves. How many
/// they are is best known to the compiler.
template <std::size_t kExtent>
uint128 sum_of(std::span<const std::uint64_t, kExtent> numbers) {
  std::uint64_t sum = 0, high = 0;
  for (const std::uint64_t number : numbers) {
    sum += number;
    high += number >> 32;
  }
  return (uint128{high} << 32) + (sum - (high << 32));
}

}  // namespace

Band::Band(const ExpBound& bound, std::size_t outcome_count, std::uint64_t total)
    : bound_(bound), outcome_count_(outcome_count), total_(total) {
  require_between({"the number of outcomes", "k", "outcomes"}, outcome_count, 1, kMostOutcomes);
  if (total < 1 || total > kGreatestTotal) {
    MOLLIFY_REFUSE(InvalidInput("out-of-range",
                                "the total must be from 1 to 2^62, but is " + std::to_string(total),
                                "total"));
  }
}

void Band::require_room(uint128 lower_sum, uint128 upper_sum) const {
  if (lower_sum <= total_ && total_ <= upper_sum) return;
  MOLLIFY_REFUSE(InvalidInput(
      "not-representable",
      "no table of " + std::to_string(total_) + " parts fits a band of " +
          std::to_string(outcome_count_) + " outcomes at epsilon = " + detail::shortest(epsilon()) +
          (lower_sum > total_ ? ": the lower bounds sum to more than the whole"
                              : ": the upper bounds sum to less than the whole")));
}

Band Band::make(std::size_t outcome_count, std::uint64_t lower, const ExpBound& bound,
                std::uint64_t total) {
  Band band(bound, outcome_count, total);
  band.lower_ = lower;
  band.upper_ = bound.times_floor(lower, total);
  band.require_room(uint128{lower} * outcome_count, uint128{band.upper_} * outcome_count);
  return band;
}

Band Band::make(std::vector<std::uint64_t> lowers, const ExpBound& bound, std::uint64_t total) {
  Band band(bound, lowers.size(), total);
  band.lowers_ = std::move(lowers);
  const std::size_t k = band.outcome_count_;
  band.prefix_.reserve(k / kRun + 2);
  uint128 lower_sum = 0;
  for (std::size_t begin = 0; begin < k; begin += kRun) {
    band.prefix_.push_back(static_cast<std::uint64_t>(lower_sum));  // exact if there is room
    const std::span<const std::uint64_t> rest = std::span(band.lowers_).subspan(begin);
    lower_sum += rest.size() < kRun ? sum_of(rest) : sum_of(rest.first<kRun>());
  }
  band.prefix_.push_back(static_cast<std::uint64_t>(lower_sum));
  // Rounding takes less than 1 from each upper bound. If that might count, they are added up.
  uint128 upper_sum = 0;
  const bool has_room =
      lower_sum <= total && bound.times_floor(band.prefix_.back(), total + k) == total + k;
  for (std::size_t i = 0; i < k && !has_room; ++i) upper_sum += band.upper(i);
  band.require_room(lower_sum, has_room ? total : upper_sum);
  return band;
}

std::size_t Band::outcome_at(std::uint64_t position) const {
  if (is_uniform()) return static_cast<std::size_t>(position / lower_);
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  std::size_t i = (static_cast<std::size_t>(after - prefix_.begin()) - 1) * kRun;
  for (position -= *(after - 1); position >= lowers_[i]; ++i) position -= lowers_[i];
  return i;
}

}  // namespace mollify
