#include "projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
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
  // What truncation left over is some units an outcome: 2^-32 of a few numerators takes it.
  for (std::size_t i = 0; i < numerators.size() && missing != 0; ++i) {
    const std::uint64_t step = std::min(room(i), (numerators[i] >> 32) + 1);
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

/// A bracket around t, the root of sum clip(t score) = total, and Newton's steps inside it.
class RootSearch {
 public:
  explicit RootSearch(double total) : total_(total) {}

  /// The next t to try after sum and slope at `t`; the same t if doubles lie no closer.
  double next(double t, const ClippedSum& at) {
    const double missing = total_ - at.sum;
    if (missing == 0) return t;
    (missing > 0 ? below_ : above_) = t;
    const double newton = t + missing / at.slope;
    if (newton > below_ && newton < above_) return newton;
    // All clipped, or a step over a kink: widen the bracket, ever faster, or halve it by ratio.
    double fallback = 0;
    if (std::isinf(above_)) {
      widening_ *= widening_;
      fallback = std::min(t * widening_, 0x1p1000);
    } else {
      fallback = below_ > 0 ? std::sqrt(below_) * std::sqrt(above_) : above_ * 0x1p-8;
    }
    return fallback > below_ && fallback < above_ ? fallback : t;
  }

 private:
  double total_;
  double below_ = 0;
  double above_ = std::numeric_limits<double>::infinity();
  double widening_ = 2;
};

/// The projection where some score is positive and the outcomes with one can hold what the others'
/// lower bounds leave. `t` is a first guess. Returns the numerators' exact sum.
template <class Score>
uint128 search_and_round(const Bounds& bounds, const Score* scores, double t,
                         std::uint64_t* numerators, std::uint64_t* block_sums) {
  const Passes<Score>& pass = passes<Score>();
  // A hair below the total, so that what is left is to be added: nearly every outcome has room
  // above it, while few have room below.
  const double total = static_cast<double>(bounds.total) * (1 - 0x1p-40);
  const double size = static_cast<double>(bounds.size);
  const double tolerance = total * 0x1p-38 + size;
  RootSearch search(total);
  int roundings = 0;
  constexpr int kMostSteps = 200;  // Newton takes about four; the rest is for hostile scores
  for (int step = 0; step < kMostSteps; ++step) {
    const ClippedSum at = pass.clipped_sum(bounds, scores, t);
    const double next = search.next(t, at);
    // So short a step hardly crosses a kink: it is exact, and rounding is the check that it was.
    if (at.slope > 0 && size * std::abs(next - t) <= 0.5 * t) {
      const uint128 sum = pass.round(bounds, scores, next, numerators, block_sums);
      const double missing = static_cast<double>(bounds.total) - static_cast<double>(sum);
      if (next == t || std::abs(missing) <= tolerance || ++roundings == 4) return sum;
    }
    if (next == t) break;
    t = next;
  }
  return pass.round(bounds, scores, t, numerators, block_sums);
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
      n = lower == 0
              ? 0
              : std::clamp(
                    static_cast<std::uint64_t>(static_cast<uint128>(lower) * rest / floor_sum),
                    lower, upper);
    }
    numerators[i] = n;
    block_sums[i / kBlock] += n;
    sum += n;
  }
  return sum;
}

/// What is known of the scores before the search, and its first guess.
struct Start {
  Survey survey;
  double t;
};

/// Every sixteenth group of the outcomes, in their order, with its part of the total: the total
/// stands to the sample's lower bounds as it does to all of them.
template <class Score>
struct Sample {
  std::vector<Score> scores;
  std::vector<std::uint64_t> lowers, uppers;
  Bounds bounds;
  double total;

  Sample(const Bounds& all, const Score* all_scores) : bounds(all) {
    constexpr std::size_t kGroup = 64;
    constexpr std::size_t kStride = 16 * kGroup;
    for (std::size_t i = 0; i + kGroup <= all.size; i += kStride) {
      scores.insert(scores.end(), all_scores + i, all_scores + i + kGroup);
      if (all.lowers == nullptr) continue;
      lowers.insert(lowers.end(), all.lowers + i, all.lowers + i + kGroup);
      uppers.insert(uppers.end(), all.uppers + i, all.uppers + i + kGroup);
    }
    bounds.size = scores.size();
    double lower_sum = static_cast<double>(all.lower) * static_cast<double>(bounds.size);
    if (all.lowers != nullptr) {
      bounds.lowers = lowers.data();
      bounds.uppers = uppers.data();
      lower_sum = 0;
      for (const std::uint64_t lower : lowers) lower_sum += static_cast<double>(lower);
    }
    total = static_cast<double>(all.total) * (lower_sum / all.lower_sum);
  }

  /// About the root of the sample's clipped sum.
  template <class ClippedSumAt>
  double root(double t, ClippedSumAt clipped_sum_at) const {
    RootSearch search(total);
    for (int step = 0; step < 40; ++step) {
      const double next = search.next(t, clipped_sum_at(t));
      if (std::abs(next - t) <= 0x1p-12 * t) return next;
      t = next;
    }
    return t;
  }
};

constexpr std::size_t kWorthSampling = 8192;

template <class Score>
Start first_look(const Bounds& bounds, std::span<const Score> scores) {
  const Passes<Score>& pass = passes<Score>();
  const Survey survey = pass.survey(bounds, scores.data());
  const double guess = static_cast<double>(bounds.total) / survey.sum;
  if (scores.size() < kWorthSampling || !std::isfinite(guess)) return {survey, guess};
  const Sample<Score> sample(bounds, scores.data());
  return {survey, sample.root(guess, [&](double t) {
            return pass.clipped_sum(sample.bounds, sample.scores.data(), t);
          })};
}

/// Many single-precision scores: the sample, and one look at all of them that both surveys and
/// makes a step, in single precision too.
Start first_look_coarse(const Bounds& bounds, std::span<const float> scores) {
  const double total = static_cast<double>(bounds.total);
  const Sample<float> sample(bounds, scores.data());
  const auto look_at_sample = [&](double t) {
    return lanes().coarse_look(sample.bounds, sample.scores.data(), t);
  };
  const double guess = sample.root(sample.total / look_at_sample(1).survey.sum,
                                   [&](double t) { return look_at_sample(t).clipped; });
  const CoarseLook all = lanes().coarse_look(bounds, scores.data(), guess);
  const double t = RootSearch(total).next(guess, all.clipped);
  return {all.survey, t > 0 && std::isfinite(t) ? t : total / all.survey.sum};
}

template <class Score>
void project_scores(const Bounds& bounds, std::span<const Score> scores,
                    std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  const Start start = [&] {
    if constexpr (std::is_same_v<Score, float>) {
      const bool coarse = bounds.lowers == nullptr && scores.size() % 8 == 0;
      if (coarse && scores.size() >= kWorthSampling) return first_look_coarse(bounds, scores);
    }
    return first_look(bounds, scores);
  }();
  const Survey& survey = start.survey;
  if (survey.greatest > 0 && !(survey.greatest > 0x1p-200 && survey.sum < 0x1p200)) {
    project_rescaled(bounds, scores, survey.greatest, numerators, block_sums);
    return;
  }
  uint128 sum = 0;
  if (survey.greatest == 0 || survey.capacity <= static_cast<double>(bounds.total)) {
    sum = saturate(bounds, scores, survey.greatest > 0, numerators, block_sums);
  } else {
    sum = search_and_round(bounds, scores.data(), start.t, numerators.data(), block_sums.data());
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
