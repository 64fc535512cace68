#include "kernel/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/invalid_input.h"
#include "core/lanes.h"
#include "kernel/search_lanes.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Which lower bounds a band has.

namespace {

using detail::BandLanes;
using detail::fastest;

std::size_t validated_count(const BandSpec& spec) {
  const std::size_t given = std::max(spec.reference.size(), spec.float_reference.size());
  const std::size_t count = given == 0 ? spec.outcome_count : given;
  if (spec.outcome_count != 0 && spec.outcome_count != count) {
    throw InvalidInput("the reference must have one mass for each of the " +
                       std::to_string(spec.outcome_count) + " outcomes, but has " +
                       std::to_string(count));
  }
  if (!spec.reference.empty() && !spec.float_reference.empty()) {
    throw InvalidInput("the reference must be given once, but is in double and single precision");
  }
  require_between("the number of outcomes", count, 1, Band::kMostOutcomes);
  return count;
}

std::uint64_t lower_for(double share, std::uint64_t total, bool is_generous) {
  const double scaled = share * static_cast<double>(total);
  const double rounded = is_generous ? std::ceil(scaled * (1 + 0x1p-39)) : std::floor(scaled);
  return rounded >= 1 ? static_cast<std::uint64_t>(std::fmin(rounded, 0x1p63)) : 1;
}

/// Sums of doubles are made in their order, as ever, for certificates hash what comes of them.
double mass_sum_of(std::span<const double> masses) { return detail::validated_mass_sum(masses); }
double mass_sum_of(std::span<const float> masses) {
  const double sum = fastest<BandLanes>().sum_of_floats(masses.data(), masses.size());
  return std::isnan(sum) ? detail::validated_mass_sum(masses) : sum;  // which says what is wrong
}

uint128 lowers_of(const detail::LowerRule& rule, std::span<const double> masses,
                  std::vector<std::uint64_t>& lowers) {
  return fastest<BandLanes>().lowers_of_doubles(rule, masses.data(), masses.size(), lowers.data());
}
uint128 lowers_of(const detail::LowerRule& rule, std::span<const float> masses,
                  std::vector<std::uint64_t>& lowers) {
  return fastest<BandLanes>().lowers_of_floats(rule, masses.data(), masses.size(), lowers.data());
}

/// A hair above the shares of the total where there is room for that, and otherwise just below.
template <class Mass>
Band make_uneven(const BandSpec& spec, std::span<const Mass> masses, const ExpBound& bound) {
  detail::LowerRule rule{spec.floor, mass_sum_of(masses), static_cast<double>(spec.total), true};
  if (masses.size() == 1) return Band::make(1, spec.total, bound, spec.total);
  std::vector<std::uint64_t> lowers(masses.size());
  if (lowers_of(rule, masses, lowers) > spec.total) {
    rule.is_generous = false;
    lowers_of(rule, masses, lowers);
  }
  return Band::make(std::move(lowers), bound, spec.total);
}

}  // namespace

Band make_band(const BandSpec& spec) {
  const ExpBound bound(spec.epsilon);
  const std::size_t count = validated_count(spec);
  if (!(spec.floor > 0) || !(spec.floor < 1)) {
    throw InvalidInput("the band's floor b must be above 0 and below 1, but is " +
                       detail::shortest(spec.floor));
  }
  if (!spec.reference.empty()) return make_uneven(spec, spec.reference, bound);
  if (!spec.float_reference.empty()) return make_uneven(spec, spec.float_reference, bound);
  if (count == 1) return Band::make(1, spec.total, bound, spec.total);
  const double share = spec.floor / static_cast<double>(count);
  std::uint64_t lower = lower_for(share, spec.total, true);
  if (uint128{lower} * count > spec.total) lower = lower_for(share, spec.total, false);
  return Band::make(count, lower, bound, spec.total);
}

// -----------------------------------------------------------------------------------------------
// The projection of scores on a band.

namespace detail {
namespace {

const SearchLanes& lanes() { return fastest<SearchLanes>(); }

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

/// Newton's step is exact if it crosses no kink. One so short crosses few, and what they spoil is
/// of the order of its square. Rounding then tells what is missing exactly.
double short_step_of(const Bounds& bounds) {
  return std::max(0.25 / static_cast<double>(bounds.size), 0x1p-19);
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
    return detail::root([&](double at) { return excess_at(at); }, part * excess_of(whole_),
                        slack_of(whole_), t, 0x1p-8, 40);
  }
  /// `guess` itself if the sample's scores cannot hold what they should.
  double root(double guess) const {
    const bool holds = survey_.capacity > static_cast<double>(whole_.total);
    return holds ? root(1, first_guess(whole_, survey_)) : guess;
  }

  /// Whether the excess at t is not even half of what it should be, or more than its double.
  bool is_far(double t) const {
    const double part = excess_at(t).sum / excess_of(whole_);
    return !(part > 0.5 && part < 2);
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
  Excess excess_at(double t) const {
    Excess sum{0, 0};
    for (std::size_t run = 0; run < kRuns; ++run) {
      sum += is_coarse() ? lanes().coarse_excess(bounds_of(run), floats_of(run), t)
                         : passes<Score>().excess(bounds_of(run), scores_of(run), t);
    }
    return sum;
  }
  bool is_coarse() const { return std::is_same_v<Score, float> && all_.lowers == nullptr; }
  std::size_t begin(std::size_t run) const { return all_.size / kRuns * run; }
  Bounds bounds_of(std::size_t run) const { return all_.part(begin(run), kRun); }
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
  const double shortest = short_step_of(bounds);
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

/// Where few outcomes can leave their lower bounds, those alone are searched; `memory` has room for
/// them. Each t of `most` is probably above the root.
Start start_from_candidates(const Bounds& bounds, const float* scores, const Survey& survey,
                            const std::array<double, 2>& most, float* memory) {
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
      const Excess excess = passes<float>().excess(candidates, memory, at);
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
Start first_look_at_many(const Bounds& bounds, const float* scores, float* memory) {
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

/// The same where each outcome has bounds of its own. All outcomes are seen at two t's, just below
/// and just above a guess; the few groups that meet a bound in between are listed, and if the root
/// is there, they alone are looked at again. If it is not, a secant tells the next guess. The first
/// is what the scores' sum asks for, which few bounds change, unless a sample tells that they do.
Start first_look_at_many_own(const Bounds& bounds, const float* scores, std::uint32_t* listed) {
  Survey survey = lanes().coarse_survey(bounds, scores);
  const double wanted = excess_of(bounds);
  double t = first_guess(bounds, survey);
  const Sample<float> sample(bounds, scores);
  if (t < 0x1p900 && sample.is_far(t)) t = sample.root(t);
  double width = 0x1p-5;
  constexpr int kMostTries = 8;  // as a rule one or two
  for (int i = 0; i < kMostTries && t > 0x1p-900 && t < 0x1p900; ++i) {
    const double least = t * (1 - width);
    const double most = t * (1 + width);
    const Stretch stretch = lanes().stretch(bounds, scores, least, most, listed);
    const double linear_slope = (stretch.linear_at_most - stretch.linear_at_least) / (most - least);
    const double missing = wanted - stretch.linear_at_least - stretch.listed_at_least;
    const double over = stretch.linear_at_most + stretch.listed_at_most - wanted;
    const double secant = least + (most - least) * missing / (missing + over);
    if (missing >= 0 && over > 0) {
      double slope = 0;
      const auto excess_at = [&](double at) {
        Excess excess = lanes().listed_excess(bounds, scores, listed, stretch.listed_count, at);
        excess.slope += linear_slope;
        excess.sum += stretch.linear_at_least + linear_slope * (at - least);
        slope = excess.slope;
        return excess;
      };
      survey.capacity = std::numeric_limits<double>::infinity();  // as it holds the excess
      t = root(excess_at, wanted, slack_of(bounds), secant, 0x1p-45, 60);
      return {survey, t, slope};
    }
    const double step = std::abs(secant - t) / t;
    width = std::clamp(step * step, 0x1p-11, 0x1p-5);
    t = std::clamp(secant, t / 8, t * 8);
  }
  return first_look(bounds, scores);
}

template <class Score>
Start begin_search(const Bounds& bounds, const Score* scores) {
  if constexpr (std::is_same_v<Score, float>) {
    if (bounds.size >= Sample<float>::kWorthIt && bounds.size % 8 == 0) {
      // Memory is taken whether it will be used or not, for that depends on the scores.
      if (bounds.lowers != nullptr) {
        const std::unique_ptr<std::uint32_t[]> listed(new std::uint32_t[bounds.size / 8]);
        return first_look_at_many_own(bounds, scores, listed.get());
      }
      const std::unique_ptr<float[]> memory(new float[bounds.size + 8]);
      return first_look_at_many(bounds, scores, memory.get());
    }
  }
  return first_look(bounds, scores);
}

/// As a conversion does it, but nearly always by one instruction.
double to_double(int128 x) {
  const auto low = static_cast<std::int64_t>(x);
  return low == x ? static_cast<double>(low) : static_cast<double>(x);
}

/// The search that `fit` asks: tries scales until the numerators are the projection.
template <class Score>
class Projection {
 public:
  ScoreScale first(const Bounds& bounds, std::span<const Score> scores) {
    bounds_ = &bounds;
    scores_ = scores.data();
    Start start = begin_search(bounds, scores_);
    const double greatest = start.survey.greatest;
    if (greatest != 0 && !is_plain(start.survey)) {
      // Others that are plain have the same law. They are made a block at a time in each pass, for
      // a release may not depend on whether there is memory for scores like these.
      exponent_ = std::isinf(greatest) ? kInfiniteAlone : -std::ilogb(greatest);
      start.survey = rescaled_survey();
      start.t = first_guess(bounds, start.survey);
      start.slope = 0;
    }
    const bool saturates = start.survey.capacity <= static_cast<double>(bounds.total);
    // With no positive score all outcomes are of one kind: they share by their lower bounds.
    if (saturates || start.survey.sum == 0) {
      is_last_ = true;
      return {std::numeric_limits<double>::infinity(), exponent_};
    }
    wanted_ = excess_of(bounds);
    slack_ = slack_of(bounds);
    newton_ = RootSearch(slack_);
    t_ = start.t;
    slope_ = start.slope;
    if (!(slope_ > 0)) approach();
    return here();
  }

  bool again(ScoreScale& scale, int128 missing_parts) noexcept {
    const double missing = to_double(missing_parts);
    // Good enough if spreading what is missing over the outcomes that are not clipped is not seen.
    if (is_last_ || std::abs(missing) <= 0x1p-36 * t_ * slope_ + slack_) return false;
    if (is_at_rest_) {
      // The sum of doubles can tell no more: correct it by the exact one.
      if (!(slope_ > 0)) return false;
      t_ = std::max(t_ + missing / slope_, 0.0);
      is_last_ = true;
    } else {
      approach();
    }
    scale = here();
    return true;
  }

 private:
  static constexpr int kInfiniteAlone = -3000;  // the greatest finite number becomes 0
  static constexpr int kMostSteps = 200;  // Newton takes about four; the rest is for hostile scores

  /// A hair below, so that what is missing is to be added: nearly every outcome has room above it,
  /// while of many only one or two may have room below.
  ScoreScale here() const { return {t_ * (1 - 0x1p-42), exponent_}; }

  /// Steps until one is so short that rounding is worth its while.
  void approach() {
    const double shortest = short_step_of(*bounds_);
    for (; steps_ < kMostSteps; ++steps_) {
      const Excess at =
          exponent_ == 0 ? passes<Score>().excess(*bounds_, scores_, t_) : rescaled_excess(t_);
      const double last = t_;
      t_ = newton_.next(t_, wanted_ - at.sum, at.slope);
      slope_ = at.slope;
      is_at_rest_ = std::abs(t_ - last) <= 0x1p-40 * last;
      const bool is_short = newton_.is_newton() && std::abs(t_ - last) <= shortest * last;
      if (t_ == last || is_short) return;
    }
    is_last_ = true;
  }

  template <class Pass>
  void for_each_rescaled_block(Pass pass) const {
    for (std::size_t begin = 0; begin < bounds_->size; begin += kBlock) {
      const Bounds block = bounds_->part(begin, std::min(kBlock, bounds_->size - begin));
      double scores[kBlock];
      for (std::size_t i = 0; i < block.size; ++i) {
        scores[i] = rescaled(static_cast<double>(scores_[begin + i]), exponent_);
      }
      pass(block, scores);
    }
  }

  Survey rescaled_survey() const {
    Survey all{0, 0, 0};
    for_each_rescaled_block([&](const Bounds& block, const double* scores) {
      const Survey part = passes<double>().survey(block, scores);
      all.sum += part.sum;
      all.greatest = std::max(all.greatest, part.greatest);
      all.capacity += part.capacity;
    });
    return all;
  }

  Excess rescaled_excess(double t) const {
    Excess all{0, 0};
    for_each_rescaled_block([&](const Bounds& block, const double* scores) {
      all += passes<double>().excess(block, scores, t);
    });
    return all;
  }

  const Bounds* bounds_ = nullptr;
  const Score* scores_ = nullptr;
  int exponent_ = 0;
  double wanted_ = 0;
  double slack_ = 0;
  double t_ = 0;
  double slope_ = 0;
  RootSearch newton_{0};
  int steps_ = 0;
  bool is_at_rest_ = false;  // the last step was so short that no other would change t
  bool is_last_ = false;
};

}  // namespace
}  // namespace detail

void project(Table& table, std::span<const double> scores) {
  table.assign(scores, detail::Projection<double>());
}
void project(Table& table, std::span<const float> scores) {
  table.assign(scores, detail::Projection<float>());
}

void project(SparseTable& table, std::span<const std::uint32_t> outcomes,
             std::span<const double> scores) {
  outcomes = outcomes.first(std::min(outcomes.size(), scores.size()));
  if (std::adjacent_find(outcomes.begin(), outcomes.end(), std::greater_equal<>()) ==
      outcomes.end()) {
    table.assign(outcomes, scores, detail::Projection<double>());
    return;
  }
  std::vector<std::pair<std::uint32_t, double>> scored;
  for (std::size_t j = 0; j < outcomes.size(); ++j) scored.emplace_back(outcomes[j], scores[j]);
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> ascending;
  std::vector<double> sums;
  for (const auto& [outcome, score] : scored) {
    if (!ascending.empty() && ascending.back() == outcome) {
      sums.back() += score;
    } else {
      ascending.push_back(outcome);
      sums.push_back(score);
    }
  }
  table.assign(ascending, sums, detail::Projection<double>());
}

Table projected(const Band& band, std::span<const double> scores) {
  return Table(band, scores, detail::Projection<double>());
}
Table projected(const Band& band, std::span<const float> scores) {
  return Table(band, scores, detail::Projection<float>());
}

}  // namespace mollify
