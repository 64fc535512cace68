#include "projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "projection_lanes.h"

namespace mollify::detail {
namespace {

const Lanes& lanes() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return kAvx2Lanes;
#endif
  return kBaselineLanes;
}

template <class Score>
const Passes<Score>& passes();
template <>
const Passes<double>& passes<double>() {
  return lanes().of_double;
}
template <>
const Passes<float>& passes<float>() {
  return lanes().of_float;
}

/// floor(a * b / c) for b <= c and a < 2^63, without a product above 128 bits.
std::uint64_t share_floor(std::uint64_t a, uint128 b, uint128 c) {
  while ((b >> 64) != 0) {
    b >>= 1;
    c = (c + 1) >> 1;
  }
  const uint128 product = static_cast<uint128>(a) * static_cast<std::uint64_t>(b);
  return static_cast<std::uint64_t>(product / c);
}

/// Moves numerators inside their bounds until they sum to the total. `sum` is their exact sum.
void settle(const Bounds& bounds, uint128 sum, std::span<std::uint64_t> numerators,
            std::span<std::uint64_t> block_sums) {
  const bool raise = sum < bounds.total;
  uint128 missing = raise ? bounds.total - sum : sum - bounds.total;
  const auto room = [&](std::size_t i) {
    return raise ? bounds.upper_at(i) - numerators[i] : numerators[i] - bounds.lower_at(i);
  };
  const auto move = [&](std::size_t i, std::uint64_t step) {
    numerators[i] = raise ? numerators[i] + step : numerators[i] - step;
    block_sums[i / kBlock] = raise ? block_sums[i / kBlock] + step : block_sums[i / kBlock] - step;
    missing -= step;
  };
  // What truncation left over is some units an outcome: a billionth of a few numerators takes it.
  for (std::size_t i = 0; i < numerators.size() && missing != 0; ++i) {
    const std::uint64_t step = std::min(room(i), (numerators[i] >> 30) + 1);
    move(i, missing < step ? static_cast<std::uint64_t>(missing) : step);
  }
  if (missing == 0) return;
  // The scores were so extreme that floating point came nowhere near: share out by room.
  uint128 all_room = 0;
  for (std::size_t i = 0; i < numerators.size(); ++i) all_room += room(i);
  const uint128 to_share = missing;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    move(i, share_floor(room(i), to_share, all_room));
  }
  for (std::size_t i = 0; i < numerators.size() && missing != 0; ++i) {
    const std::uint64_t step = room(i);
    move(i, missing < step ? static_cast<std::uint64_t>(missing) : step);
  }
}

/// t with sum clip(t score) = total, as near as doubles come; at least one score is positive and
/// the outcomes with one can hold what the others' lower bounds leave.
template <class Score>
double solve(const Bounds& bounds, const Score* scores, const Survey& survey) {
  const double total = static_cast<double>(bounds.total);
  const double tolerance = total * 0x1p-46 + static_cast<double>(bounds.size);
  double below = 0;
  double above = std::numeric_limits<double>::infinity();
  double t = total / survey.sum;
  constexpr int kMostSteps = 200;  // Newton takes about five; the rest is for hostile scores
  for (int step = 0; step < kMostSteps; ++step) {
    const ClippedSum at = passes<Score>().clipped_sum(bounds, scores, t);
    const double missing = total - at.sum;
    const bool near = std::abs(missing) <= tolerance;
    (missing > 0 ? below : above) = t;
    double next = t + missing / at.slope;
    if (near) return at.slope > 0 && next > 0 && std::isfinite(next) ? next : t;
    if (!(next > below) || !(next < above) || !std::isfinite(next)) {
      // All clipped, or a step over a kink: halve the bracket by ratio, or widen it by squaring.
      if (above == std::numeric_limits<double>::infinity()) {
        next = t * std::exp2(std::exp2(step));
      } else {
        next = below > 0 ? std::sqrt(below) * std::sqrt(above) : above * 0x1p-8;
      }
      if (!std::isfinite(next)) next = std::sqrt(t) * 0x1p511;
      if (!(next > below) || !(next < above)) return t;
    }
    t = next;
  }
  return t;
}

template <class Score>
void project_scores(const Bounds& bounds, std::span<const Score> scores,
                    std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums);

/// Scores whose greatest is so large or small that products with t could overflow, or infinite:
/// the same law from scores in a range where nothing can.
template <class Score>
void project_rescaled(const Bounds& bounds, std::span<const Score> scores, double greatest,
                      std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  std::vector<double> tame(scores.size());
  const int exponent = std::isinf(greatest) ? 0 : std::ilogb(greatest);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double score = static_cast<double>(scores[i]);
    if (std::isinf(greatest)) {
      tame[i] = std::isinf(score) && score > 0 ? 1 : 0;
    } else {
      tame[i] = score > 0 ? std::scalbn(score, -exponent) : 0;
    }
  }
  project_scores<double>(bounds, tame, numerators, block_sums);
}

/// Outcomes with a score at their upper bounds, the others in proportion to their lower ones.
template <class Score>
uint128 saturate(const Bounds& bounds, std::span<const Score> scores, bool any_score,
                 std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  uint128 taken = 0;
  uint128 floor_sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (any_score && scores[i] > 0) {
      taken += bounds.upper_at(i);
    } else {
      floor_sum += bounds.lower_at(i);
    }
  }
  const uint128 rest = taken < bounds.total ? bounds.total - taken : 0;
  std::fill(block_sums.begin(), block_sums.end(), 0);
  uint128 sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::uint64_t lower = bounds.lower_at(i);
    const std::uint64_t upper = bounds.upper_at(i);
    std::uint64_t n = upper;
    if (!(any_score && scores[i] > 0)) {
      n = lower == 0 ? 0
                     : std::clamp(static_cast<std::uint64_t>(static_cast<uint128>(lower) * rest /
                                                             floor_sum),
                                  lower, upper);
    }
    numerators[i] = n;
    block_sums[i / kBlock] += n;
    sum += n;
  }
  return sum;
}

template <class Score>
void project_scores(const Bounds& bounds, std::span<const Score> scores,
                    std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  const Passes<Score>& pass = passes<Score>();
  const Survey survey = pass.survey(bounds, scores.data());
  if (survey.greatest > 0 && !(survey.greatest > 0x1p-200 && survey.sum < 0x1p200)) {
    project_rescaled(bounds, scores, survey.greatest, numerators, block_sums);
    return;
  }
  uint128 sum = 0;
  if (survey.greatest == 0 || survey.capacity <= static_cast<double>(bounds.total)) {
    sum = saturate(bounds, scores, survey.greatest > 0, numerators, block_sums);
  } else {
    const double t = solve(bounds, scores.data(), survey);
    sum = pass.round(bounds, scores.data(), t, numerators.data(), block_sums.data());
  }
  settle(bounds, sum, numerators, block_sums);
}

}  // namespace

void project(const Bounds& bounds, std::span<const double> scores,
             std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  project_scores(bounds, scores, numerators, block_sums);
}

void project(const Bounds& bounds, std::span<const float> scores,
             std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  project_scores(bounds, scores, numerators, block_sums);
}

}  // namespace mollify::detail
