#include "kernel/search/projection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernel/search/projection_lanes.h"

namespace mollify::detail {
namespace {

const Lanes& lanes() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
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

/// The bounds of `size` outcomes from `begin` on.
Bounds part_of(const Bounds& bounds, std::size_t begin, std::size_t size) {
  Bounds part = bounds;
  if (bounds.lowers != nullptr) {
    part.lowers += begin;
    part.uppers += begin;
  }
  part.size = size;
  return part;
}

/// What the numerators hold beyond their lower bounds, all together.
double excess_of(const Bounds& bounds) {
  return static_cast<double>(bounds.total - bounds.lower_sum);
}

Excess& operator+=(Excess& all, const Excess& part) {
  all.sum += part.sum;
  all.slope += part.slope;
  return all;
}

/// By how much one outcome alone may fail to hold the excess of a minimax band, which is made for
/// it to do so: lower bounds are rounded down, and Ebar lies 2^-40 below e^epsilon.
double shortfall_of(const Bounds& bounds) {
  return static_cast<double>(bounds.size) + 0x1p-38 * static_cast<double>(bounds.upper);
}

/// How much may be missing without being seen in any numerator.
double slack_of(const Bounds& bounds) {
  return 2 + std::min(shortfall_of(bounds), 0x1p-32 * static_cast<double>(bounds.lower));
}

/// Scores in a range where no product with t can overflow, and the passes over them.
template <class Score>
class PlainScores {
 public:
  PlainScores(const Bounds& bounds, const Score* scores) : bounds_(bounds), scores_(scores) {}

  const Bounds& bounds() const { return bounds_; }
  bool is_positive(std::size_t i) const { return static_cast<double>(scores_[i]) > kLeastScore; }
  Excess excess(double t) const { return passes<Score>().excess(bounds_, scores_, t); }
  uint128 round(double t, std::uint64_t* numerators, std::uint64_t* block_sums) const {
    return passes<Score>().round(bounds_, scores_, t, numerators, block_sums);
  }

 private:
  const Bounds& bounds_;
  const Score* scores_;
};

/// Scores of which the greatest is very large, very small or infinite, as others that are not but
/// have the same law: divided by a power of two, or 1 for the infinite ones and 0 for the finite.
/// They are made a block at a time in each pass, for a release may not depend on whether there is
/// memory for scores like these.
template <class Score>
class RescaledScores {
 public:
  RescaledScores(const Bounds& bounds, const Score* scores, double greatest)
      : bounds_(bounds),
        scores_(scores),
        infinite_(std::isinf(greatest)),
        exponent_(infinite_ ? 0 : std::ilogb(greatest)) {}

  const Bounds& bounds() const { return bounds_; }
  bool is_positive(std::size_t i) const { return rescaled(i) > kLeastScore; }

  Survey survey() const {
    Survey all{0, 0, 0};
    for (std::size_t begin = 0; begin < bounds_.size; begin += kBlock) {
      const Block block(*this, begin);
      const Survey part = passes<double>().survey(block.bounds, block.scores);
      all.sum += part.sum;
      all.greatest = std::max(all.greatest, part.greatest);
      all.capacity += part.capacity;
    }
    return all;
  }

  Excess excess(double t) const {
    Excess all{0, 0};
    for (std::size_t begin = 0; begin < bounds_.size; begin += kBlock) {
      const Block block(*this, begin);
      all += passes<double>().excess(block.bounds, block.scores, t);
    }
    return all;
  }

  uint128 round(double t, std::uint64_t* numerators, std::uint64_t* block_sums) const {
    uint128 sum = 0;
    for (std::size_t begin = 0; begin < bounds_.size; begin += kBlock) {
      const Block block(*this, begin);
      sum += passes<double>().round(block.bounds, block.scores, t, numerators + begin,
                                    block_sums + begin / kBlock);
    }
    return sum;
  }

 private:
  struct Block {
    double scores[kBlock];
    Bounds bounds;
    Block(const RescaledScores& all, std::size_t begin)
        : bounds(part_of(all.bounds_, begin, std::min(kBlock, all.bounds_.size - begin))) {
      for (std::size_t i = 0; i < bounds.size; ++i) scores[i] = all.rescaled(begin + i);
    }
  };

  double rescaled(std::size_t i) const {
    const auto score = static_cast<double>(scores_[i]);
    if (!(score > 0)) return 0;
    if (infinite_) return std::isinf(score) ? 1 : 0;
    return std::scalbn(score, -exponent_);
  }

  const Bounds& bounds_;
  const Score* scores_;
  bool infinite_;
  int exponent_;
};

/// Moves numerators inside their bounds until they sum to the total. `sum` is their exact sum.
void settle(const Bounds& bounds, uint128 sum, std::span<std::uint64_t> numerators,
            std::span<std::uint64_t> block_sums) {
  const bool raise = sum < bounds.total;
  uint128 missing = raise ? bounds.total - sum : sum - bounds.total;
  // What rounding left over is some units an outcome, so 2^-32 of the first few takes it. Where the
  // scores were so extreme that floating point came nowhere near, each round takes twice as much,
  // until a numerator may double or fall to its lower bound at once: that ends, because the bounds
  // leave room for all that is missing.
  for (int shift = 32; missing != 0; shift = std::max(shift - 1, 0)) {
    for (std::size_t i = 0; i < numerators.size() && missing != 0; ++i) {
      const std::uint64_t n = numerators[i];
      const std::uint64_t room = raise ? bounds.upper_at(i) - n : n - bounds.lower_at(i);
      std::uint64_t step = std::min(room, (n >> shift) + 1);
      if (missing < step) step = static_cast<std::uint64_t>(missing);
      numerators[i] = raise ? n + step : n - step;
      block_sums[i / kBlock] += raise ? step : -step;
      missing -= step;
    }
  }
}

/// A bracket around the root of an increasing function of t > 0, and Newton's steps inside it.
class RootSearch {
 public:
  /// What is missing counts as nothing up to `slack`.
  explicit RootSearch(double slack) : slack_(slack) {}

  /// The next t to try, after what is missing at `t` and the slope there; the same t if nothing is
  /// missing or doubles lie no closer.
  double next(double t, double missing, double slope) {
    is_newton_ = true;
    const double newton = t + missing / slope;
    if (std::abs(missing) <= slack_ || newton == t) return t;
    (missing > 0 ? below_ : above_) = t;
    // Newton crawls where it meets one kink after the other; then half as good is not good enough.
    const bool crawls =
        std::abs(missing) > 0.5 * missing_before_last_ && !(std::abs(newton - t) <= 0x1p-20 * t);
    is_newton_ = newton > below_ && newton < above_ && !crawls;
    if (is_newton_) {
      missing_before_last_ = last_missing_;
      last_missing_ = std::abs(missing);
      return newton;
    }
    missing_before_last_ = last_missing_ = std::numeric_limits<double>::infinity();
    // All clipped, or a step over a kink: widen the bracket, ever faster, or halve it by ratio.
    double fallback = std::sqrt(below_) * std::sqrt(above_);
    if (below_ == 0 || std::isinf(above_)) {
      widening_ *= widening_;
      fallback = below_ == 0 ? above_ / widening_ : std::min(below_ * widening_, 0x1p1000);
    }
    return fallback > below_ && fallback < above_ ? fallback : t;
  }

  /// Whether the last step was Newton's, or none at all.
  bool is_newton() const { return is_newton_; }

 private:
  double slack_;
  double below_ = 0;
  double above_ = std::numeric_limits<double>::infinity();
  double last_missing_ = std::numeric_limits<double>::infinity();
  double missing_before_last_ = std::numeric_limits<double>::infinity();
  double widening_ = 2;
  bool is_newton_ = true;
};

/// About the t at which excess_at(t) is `wanted`, from a first guess on: the first whose distance
/// from the next is at most `tolerance` of it, but no more than a number of steps.
template <class ExcessAt>
double root(ExcessAt excess_at, double wanted, double slack, double t, double tolerance,
            int most_steps) {
  RootSearch search(slack);
  for (int step = 0; step < most_steps; ++step) {
    const Excess at = excess_at(t);
    const double next = search.next(t, wanted - at.sum, at.slope);
    const bool close = std::abs(next - t) <= tolerance * t;
    t = next;
    if (close) break;
  }
  return t;
}

/// What is known of the scores before the search, and its first guess. A positive slope tells that
/// the guess is the root already.
struct Start {
  Survey survey;
  double t;
  double slope;
};

/// Newton's step is exact if it crosses no kink. One so short crosses few, and what they spoil is
/// of the order of its square. Rounding then tells what is missing exactly.
double short_step(const Bounds& bounds) {
  return std::max(0.25 / static_cast<double>(bounds.size), 0x1p-19);
}

/// As a conversion does it, but nearly always by one instruction.
double to_double(uint128 x) {
  const auto low = static_cast<std::int64_t>(x);
  return x >> 63 == 0 ? static_cast<double>(low) : static_cast<double>(x);
}

/// The projection where some score is positive and the outcomes with one can hold what the others'
/// lower bounds leave. Returns the numerators' exact sum.
template <class Scores>
uint128 search_and_round(const Scores& scores, const Start& start, std::uint64_t* numerators,
                         std::uint64_t* block_sums) {
  const uint128 total = scores.bounds().total;
  const double wanted = excess_of(scores.bounds());
  const double slack = slack_of(scores.bounds());
  const double shortest = short_step(scores.bounds());
  uint128 sum = 0;
  double missing = 0;
  // A hair below, so that what is missing is to be added: nearly every outcome has room above it,
  // while of many only one or two may have room below.
  const auto round_at = [&](double t) {
    sum = scores.round(t * (1 - 0x1p-42), numerators, block_sums);
    missing = sum < total ? to_double(total - sum) : -to_double(sum - total);
  };
  // Good enough if spreading what is missing over the outcomes that are not clipped is not seen.
  const auto is_good = [&](double t, double slope) {
    return std::abs(missing) <= 0x1p-36 * t * slope + slack;
  };
  double t = start.t;
  if (start.slope > 0) {
    round_at(t);
    if (is_good(t, start.slope)) return sum;
  }
  RootSearch search(slack);
  constexpr int kMostSteps = 200;  // Newton takes about four; the rest is for hostile scores
  for (int step = 0; step < kMostSteps; ++step) {
    const Excess at = scores.excess(t);
    const double last = t;
    t = search.next(t, wanted - at.sum, at.slope);
    const bool is_short = search.is_newton() && std::abs(t - last) <= shortest * last;
    if (t != last && !is_short) continue;
    round_at(t);
    if (is_good(t, at.slope)) return sum;
    if (std::abs(t - last) > 0x1p-40 * last) continue;
    // The sum of doubles can tell no more: correct it by the exact one.
    if (at.slope > 0) round_at(std::max(t + missing / at.slope, 0.0));
    return sum;
  }
  round_at(t);
  return sum;
}

/// Outcomes with a score at their upper bounds, the others in proportion to their lower ones.
template <class Scores>
uint128 saturate(const Scores& scores, std::uint64_t* numerators, std::uint64_t* block_sums) {
  const Bounds& bounds = scores.bounds();
  uint128 taken = 0;
  uint128 floor_sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    if (scores.is_positive(i)) {
      taken += bounds.upper_at(i);
    } else {
      floor_sum += bounds.lower_at(i);
    }
  }
  const uint128 rest = taken < bounds.total ? bounds.total - taken : 0;
  uint128 sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    const std::uint64_t lower = bounds.lower_at(i);
    std::uint64_t n = bounds.upper_at(i);
    if (!scores.is_positive(i)) {
      const uint128 share = lower == 0 ? 0 : lower * rest / floor_sum;
      n = static_cast<std::uint64_t>(std::clamp<uint128>(share, lower, n));
    }
    if (i % kBlock == 0) block_sums[i / kBlock] = 0;
    numerators[i] = n;
    block_sums[i / kBlock] += n;
    sum += n;
  }
  return sum;
}

/// Whether the bounds are the same for all and let one outcome take all the excess, but for their
/// shortfall.
bool one_may_take_all(const Bounds& bounds) {
  return bounds.lowers == nullptr &&
         excess_of(bounds) <=
             static_cast<double>(bounds.upper - bounds.lower) + shortfall_of(bounds);
}

/// The t at which the greatest score alone takes all the excess, infinity if it may not.
double greatest_root(const Bounds& bounds, const Survey& survey) {
  return one_may_take_all(bounds)
             ? (static_cast<double>(bounds.lower) + excess_of(bounds)) / survey.greatest
             : std::numeric_limits<double>::infinity();
}

/// What the scores' sum asks for, if the bounds are not the same for all. If they are, that is as a
/// rule too much where the excess is small, because it then is that of few outcomes: from the t at
/// which the first of them leaves its lower bound, the excess grows about like the square. It is
/// taken to be 0.3 of the total at the t that the sum asks for, or what half of the room holds.
/// Where one outcome may take all, the root is not beyond where the greatest does; if both guesses
/// are near each other, it is well before either.
double first_guess(const Bounds& bounds, const Survey& survey) {
  const auto total = static_cast<double>(bounds.total);
  const double guess = total / survey.sum;
  if (bounds.lowers != nullptr) return guess;
  const double origin = static_cast<double>(bounds.lower) / survey.greatest;
  const double half_room =
      0.5 * static_cast<double>(bounds.upper - bounds.lower) * static_cast<double>(bounds.size);
  const double part = excess_of(bounds) / std::min(0.3 * total, half_room);
  const double beyond = (guess - origin) * std::sqrt(std::min(part, 1.0));
  if (!one_may_take_all(bounds) || !(beyond > 0)) return origin + beyond;
  const double alone = excess_of(bounds) / survey.greatest;
  return origin + beyond * (alone / (beyond + alone));
}

/// Some runs of outcomes, evenly spread, taken for all: their excess stands to that of all as their
/// lower bounds do.
template <class Score>
class Sample {
 public:
  static constexpr std::size_t kRun = 128;
  static constexpr std::size_t kRuns = 32;
  static constexpr std::size_t kSize = kRun * kRuns;
  static constexpr std::size_t kWorthIt = 2 * kSize;

  Sample(const Bounds& all, const Score* scores)
      : all_(all), scores_(scores), whole_(all), survey_{0, 0, 0} {
    whole_.size = kSize;
    whole_.lower_sum = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const Bounds bounds = bounds_of(run);
      for (std::size_t i = 0; i < kRun; ++i) whole_.lower_sum += bounds.lower_at(i);
      const Survey part = is_coarse() ? lanes().coarse_survey(bounds, floats_of(run))
                                      : passes<Score>().survey(bounds, scores_of(run));
      survey_.sum += part.sum;
      survey_.greatest = std::max(survey_.greatest, part.greatest);
      survey_.capacity += part.capacity;
    }
    const double share = static_cast<double>(whole_.lower_sum) / static_cast<double>(all.lower_sum);
    whole_.total = whole_.lower_sum + static_cast<std::uint64_t>(excess_of(all) * share);
  }

  /// About the t at which the excess is `part` of what it should be, from a first guess on.
  double root(double part, double t) const {
    const auto excess_at = [&](double at) {
      Excess sum{0, 0};
      for (std::size_t run = 0; run < kRuns; ++run) {
        sum += is_coarse() ? lanes().coarse_excess(bounds_of(run), floats_of(run), at)
                           : passes<Score>().excess(bounds_of(run), scores_of(run), at);
      }
      return sum;
    };
    return detail::root(excess_at, part * excess_of(whole_), slack_of(whole_), t, 0x1p-8, 40);
  }
  /// `guess` itself if the sample's scores cannot hold what they should.
  double root(double guess) const {
    const bool holds = survey_.capacity > static_cast<double>(whole_.total);
    return holds ? root(1, first_guess(whole_, survey_)) : guess;
  }

  /// How many scores are above `least`.
  std::size_t count_above(double least) const {
    std::size_t count = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const Score* scores = scores_of(run);
      for (std::size_t i = 0; i < kRun; ++i) {
        count += static_cast<double>(scores[i]) > least ? 1U : 0U;
      }
    }
    return count;
  }

 private:
  bool is_coarse() const { return std::is_same_v<Score, float> && all_.lowers == nullptr; }
  std::size_t begin(std::size_t run) const { return all_.size / kRuns * run; }
  Bounds bounds_of(std::size_t run) const { return part_of(all_, begin(run), kRun); }
  const Score* scores_of(std::size_t run) const { return scores_ + begin(run); }
  const float* floats_of(std::size_t run) const {
    if constexpr (std::is_same_v<Score, float>) return scores_of(run);
    return nullptr;
  }

  const Bounds& all_;
  const Score* scores_;
  Bounds whole_;
  Survey survey_;
};

/// Where one outcome alone can hold all the excess, none need be clipped from above, and t is known
/// from the outcomes above their lower bounds, those whose score is above lower / t: then
/// t * sum(scores) = excess + count * lower. Newton's steps on that threshold only rise from the
/// second on, and end when the number of scores above it stays [Michelot 1986].
template <class Score>
Start start_from_active(const Bounds& bounds, const Score* scores, const Survey& survey,
                        double guess) {
  const auto lower = static_cast<double>(bounds.lower);
  const double excess_in_lowers = excess_of(bounds) / lower;
  const double shortest = short_step(bounds);
  double threshold = lower / guess;
  double count = -1;
  constexpr int kMostSteps = 40;  // as a rule two or three
  for (int step = 0; step < kMostSteps; ++step) {
    const Active active = passes<Score>().active(bounds.size, scores, threshold);
    const double next = active.sum / (active.count + excess_in_lowers);
    const bool is_close =
        active.count == count || std::abs(next - threshold) <= shortest * threshold;
    if (!(next > 0)) break;
    if (is_close) return {survey, lower / next, active.sum};
    threshold = next;
    count = active.count;
  }
  return {survey, guess, 0};
}

/// Whether the scores are in a range where neither they nor any t must be rescaled.
bool is_plain(const Survey& survey) { return survey.greatest > 0x1p-200 && survey.sum < 0x1p200; }

template <class Score>
Start first_look(const Bounds& bounds, const Score* scores) {
  const Survey survey = passes<Score>().survey(bounds, scores);
  const double guess = first_guess(bounds, survey);
  if (bounds.size < Sample<Score>::kWorthIt) {
    return is_plain(survey) && one_may_take_all(bounds)
               ? start_from_active(bounds, scores, survey, guess)
               : Start{survey, guess, 0};
  }
  if (!(guess < 0x1p900)) return {survey, guess, 0};
  return {survey, Sample<Score>(bounds, scores).root(guess), 0};
}

/// Where few outcomes can leave their lower bounds, those alone are searched. They are kept in the
/// memory of the numerators until these are known. Each t of `most` is probably above the root.
Start start_from_candidates(const Bounds& bounds, const float* scores, const Survey& survey,
                            const std::array<double, 2>& most, std::uint64_t* memory) {
  const auto* gathered = static_cast<const float*>(static_cast<const void*>(memory));
  double t = most[0];
  double slope = 0;
  // The candidates' root is at least that of all outcomes: if it is beyond the t they were chosen
  // for, choosing again for that root misses none.
  for (int choice = 0; choice < 3; ++choice) {
    const double chosen_for = choice < 2 ? most[static_cast<std::size_t>(choice)] : t;
    Bounds candidates = bounds;
    candidates.size =
        lanes().gather(bounds, scores, static_cast<double>(bounds.lower) / chosen_for, memory);
    const auto excess_at = [&](double at) {
      const Excess excess = passes<float>().excess(candidates, gathered, at);
      slope = excess.slope;
      return excess;
    };
    t = root(excess_at, excess_of(bounds), slack_of(bounds), chosen_for, 0x1p-45, 60);
    if (t <= chosen_for) break;
  }
  return {survey, t, slope};
}

/// Many single-precision scores under one pair of bounds: a sample tells how many outcomes can
/// leave their lower bounds. If they are many, the first steps are made in single precision, which
/// is twice as fast and good for all but the last.
Start first_look_at_many(const Bounds& bounds, const float* scores, std::uint64_t* memory) {
  const Survey survey = lanes().coarse_survey(bounds, scores);
  const double guess = first_guess(bounds, survey);
  if (!(guess > 0x1p-100 && guess < 0x1p100)) return {survey, guess, 0};  // beyond single precision
  const Sample<float> sample(bounds, scores);
  const auto lower = static_cast<double>(bounds.lower);
  const double t = sample.root(guess);
  // Four standard deviations of a sample in which so many count.
  const double safe_part =
      1 + 4 / std::sqrt(static_cast<double>(sample.count_above(lower / t)) + 1);
  const double most = sample.root(safe_part, t);
  if (sample.count_above(lower / most) < Sample<float>::kSize / 8) {
    const double one_takes_all = greatest_root(bounds, survey);
    return start_from_candidates(bounds, scores, survey, {std::min(one_takes_all, most), most},
                                 memory);
  }
  const auto excess_at = [&](double at) { return lanes().coarse_excess(bounds, scores, at); };
  return {survey, root(excess_at, excess_of(bounds), slack_of(bounds), t, 0x1p-12, 4), 0};
}

template <class Score>
Start begin_search(const Bounds& bounds, const Score* scores, std::uint64_t* memory) {
  if constexpr (std::is_same_v<Score, float>) {
    const bool many = bounds.size >= Sample<float>::kWorthIt && bounds.size % 8 == 0;
    if (many && bounds.lowers == nullptr) return first_look_at_many(bounds, scores, memory);
  }
  return first_look(bounds, scores);
}

template <class Scores>
void project_scores(const Scores& scores, const Start& start, std::span<std::uint64_t> numerators,
                    std::span<std::uint64_t> block_sums) {
  const Bounds& bounds = scores.bounds();
  const bool saturates = start.survey.capacity <= static_cast<double>(bounds.total);
  // With no positive score all outcomes are of one kind: they share by their lower bounds.
  const uint128 sum = saturates || start.survey.sum == 0
                          ? saturate(scores, numerators.data(), block_sums.data())
                          : search_and_round(scores, start, numerators.data(), block_sums.data());
  settle(bounds, sum, numerators, block_sums);
}

template <class Score>
void project_any(const Bounds& bounds, std::span<const Score> scores,
                 std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  const Start start = begin_search(bounds, scores.data(), numerators.data());
  const double greatest = start.survey.greatest;
  if (greatest == 0 || is_plain(start.survey)) {
    project_scores(PlainScores(bounds, scores.data()), start, numerators, block_sums);
    return;
  }
  const RescaledScores rescaled(bounds, scores.data(), greatest);
  const Survey survey = rescaled.survey();
  project_scores(rescaled, {survey, first_guess(bounds, survey), 0}, numerators, block_sums);
}

}  // namespace

void project(const Bounds& bounds, std::span<const double> scores,
             std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  project_any(bounds, scores, numerators, block_sums);
}

void project(const Bounds& bounds, std::span<const float> scores,
             std::span<std::uint64_t> numerators, std::span<std::uint64_t> block_sums) {
  project_any(bounds, scores, numerators, block_sums);
}

}  // namespace mollify::detail
