#include "kernel/search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
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

template <class Mass>
double sum_of_validated(std::span<const Mass> masses) {
  require_between("the number of outcomes", masses.size(), 1, Band::kMostOutcomes);
  double sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] > 0) || !std::isfinite(masses[i])) {
      throw InvalidInput("the reference mass of outcome " + std::to_string(i) +
                         " must be finite and positive, but is " +
                         detail::shortest(static_cast<double>(masses[i])));
    }
    sum += static_cast<double>(masses[i]);
  }
  if (!std::isfinite(sum)) throw InvalidInput("the reference masses must have a finite sum");
  return sum;
}

/// A hair above the shares of the total where there is room for that, and otherwise just below.
template <class Mass>
Band make_uneven(const BandSpec& spec, std::span<const Mass> masses, double mass_sum,
                 const detail::LowersOf<Mass>& lowers_of, const ExpBound& bound) {
  if (masses.size() == 1) return Band::make(1, spec.total, bound, spec.total);
  std::vector<std::uint64_t> lowers(masses.size());
  for (const bool is_generous : {true, false}) {
    const auto total = static_cast<double>(spec.total);
    const uint128 sum = lowers_of({spec.floor, mass_sum, total, is_generous}, masses.data(),
                                  masses.size(), lowers.data());
    if (sum <= spec.total) break;
  }
  return Band::make(std::move(lowers), bound, spec.total);
}

}  // namespace

double detail::validated_mass_sum(std::span<const double> masses) {
  return sum_of_validated(masses);
}

Band make_band(const BandSpec& spec) {
  const ExpBound bound(spec.epsilon);
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
  if (!(spec.floor > 0) || !(spec.floor < 1)) {
    throw InvalidInput("the band's floor b must be above 0 and below 1, but is " +
                       detail::shortest(spec.floor));
  }
  const auto& lanes = detail::fastest<detail::BandLanes>();
  if (!spec.reference.empty()) {
    // In their order, as ever, for certificates hash what comes of the sum.
    const double sum = sum_of_validated(spec.reference);
    return make_uneven(spec, spec.reference, sum, lanes.lowers_of_doubles, bound);
  }
  if (!spec.float_reference.empty()) {
    double sum = lanes.sum_of_floats(spec.float_reference.data(), count);
    if (std::isnan(sum)) sum = sum_of_validated(spec.float_reference);  // says what is wrong
    return make_uneven(spec, spec.float_reference, sum, lanes.lowers_of_floats, bound);
  }
  if (count == 1) return Band::make(1, spec.total, bound, spec.total);
  const double share = spec.floor / static_cast<double>(count) * static_cast<double>(spec.total);
  const auto lower_of = [](double x) {
    return static_cast<std::uint64_t>(std::clamp(x, 1.0, 0x1p62));
  };
  std::uint64_t lower = lower_of(std::ceil(share * (1 + 0x1p-39)));
  if (uint128{lower} * count > spec.total) lower = lower_of(std::floor(share));
  return Band::make(count, lower, bound, spec.total);
}

// -----------------------------------------------------------------------------------------------
// Newton's method on what the numerators of all outcomes hold beyond their lower bounds.

namespace detail {
namespace {

const Passes<double>& passes(const double*) { return fastest<SearchLanes>().of_double; }
const Passes<float>& passes(const float*) { return fastest<SearchLanes>().of_float; }

/// What the numerators hold beyond their lower bounds, all together.
double excess_of(const Bounds& bounds) {
  return static_cast<double>(bounds.total - bounds.lower_sum);
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

/// A slope above 0 tells that t is the root already.
struct Start {
  double t;
  double slope;
};

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

  /// Steps from start.t on, and tells the slope there, until Newton's step is at most `shortest` of
  /// t or none changes it. False after `most_steps` without that.
  template <class ExcessAt>
  bool run(ExcessAt excess_at, double wanted, double shortest, int most_steps, Start& start) {
    double t = start.t, slope = start.slope;
    bool is_done = false;
    for (int step = 0; step < most_steps && !is_done; ++step) {
      const Excess at = excess_at(t);
      const double last = t;
      t = next(t, wanted - at.sum, at.slope);
      slope = at.slope;
      const double length = std::abs(t - last);
      is_at_rest_ = length <= 0x1p-40 * last;
      is_done = t == last || (is_newton_ && length <= shortest * last);
    }
    start = {t, slope};
    return is_done;
  }

  /// Whether the last step was so short that no other would change t.
  bool is_at_rest() const { return is_at_rest_; }

 private:
  double slack_;
  double below_ = 0;
  double above_ = std::numeric_limits<double>::infinity();
  double last_missing_ = std::numeric_limits<double>::infinity();
  double missing_before_last_ = std::numeric_limits<double>::infinity();
  double widening_ = 2;
  bool is_newton_ = true;  // or there was no step
  bool is_at_rest_ = false;
};

/// Whether the bounds are the same for all and let one outcome take all the excess, but for their
/// shortfall.
bool one_may_take_all(const Bounds& bounds) {
  return bounds.lowers == nullptr &&
         excess_of(bounds) <=
             static_cast<double>(bounds.upper - bounds.lower) + shortfall_of(bounds);
}

/// Whether the scores are in a range where neither they nor any t must be rescaled.
bool is_plain(const Survey& survey) { return survey.greatest > 0x1p-200 && survey.sum < 0x1p200; }

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

// -----------------------------------------------------------------------------------------------
// Where Newton's method begins.

/// Where one outcome alone can hold all the excess, none need be clipped from above, and t is known
/// from the outcomes above their lower bounds, those whose score is above lower / t: then
/// t * sum(scores) = excess + count * lower. Newton's steps on that threshold only rise from the
/// second on, and end when the number of scores above it stays [Michelot 1986].
template <class Score>
Start start_from_active(const Bounds& bounds, const Score* scores, double guess) {
  const auto lower = static_cast<double>(bounds.lower);
  const double excess_in_lowers = excess_of(bounds) / lower;
  const double shortest = short_step_of(bounds);
  double threshold = lower / guess;
  double count = -1;
  for (int step = 0; step < 40; ++step) {  // as a rule two or three
    const Active active = passes(scores).active(bounds, scores, threshold);
    const double next = active.sum / (active.count + excess_in_lowers);
    const bool is_close =
        active.count == count || std::abs(next - threshold) <= shortest * threshold;
    if (!(next > 0)) break;
    if (is_close) return {lower / next, active.sum};
    threshold = next;
    count = active.count;
  }
  return {guess, 0};
}

/// Some runs of outcomes, evenly spread, taken for all: their excess stands to that of all as their
/// lower bounds do.
template <class Score>
struct Sample {
  static constexpr std::size_t kRun = 128;
  static constexpr std::size_t kSize = 32 * kRun;
  static constexpr std::size_t kWorthIt = 2 * kSize;

  std::vector<Score> scores;
  std::vector<std::uint64_t> lowers;
  Bounds bounds;
  Survey survey{};

  /// Of at least kSize outcomes.
  Sample(const Bounds& all, const Score* from) : scores(kSize), bounds(all.part(0, kSize)) {
    if (all.lowers != nullptr) lowers.resize(kSize);
    bounds.lower_sum = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      const std::size_t at = all.size / kSize * (i - i % kRun) + i % kRun;
      scores[i] = from[at];
      bounds.lower_sum += all.lower_at(at);
      if (!lowers.empty()) lowers[i] = all.lowers[at];
    }
    if (!lowers.empty()) bounds.lowers = lowers.data();
    const double share = static_cast<double>(bounds.lower_sum) / static_cast<double>(all.lower_sum);
    bounds.total = bounds.lower_sum + static_cast<std::uint64_t>(excess_of(all) * share);
    survey = passes(from).survey(bounds, scores.data());
  }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  Excess excess_at(double t) const {
    return passes(scores.data()).excess(bounds, scores.data(), t);
  }
  /// About the t at which the excess is `part` of what it should be, from a first guess on.
  double root(double part, double t) const {
    Start start{t, 0};
    RootSearch(slack_of(bounds))
        .run([this](double at) { return excess_at(at); }, part * excess_of(bounds), 0x1p-5, 40,
             start);
    return start.t;
  }
  double root() const { return root(1, first_guess(bounds, survey)); }
  /// Whether these scores can hold what they should.
  bool holds() const { return is_plain(survey) && survey.room > excess_of(bounds); }
};

/// Many scores under one pair of bounds: a sample tells between which t's the root is, but for four
/// standard deviations of one in which so many count. Few scores meet a bound between them, and
/// after one look at all scores these few are searched alone.
Start start_from_few(const Bounds& bounds, const float* scores) {
  // Memory is taken whether it will be used or not, for that depends on the scores.
  const std::size_t room = bounds.size + 8;
  const std::unique_ptr<float[]> few(new float[room]);
  const Sample<float> sample(bounds, scores);
  if (!sample.holds()) return {0, 0};
  const auto lower = static_cast<double>(bounds.lower);
  const double t = sample.root();
  const double count = passes(scores).active(sample.bounds, sample.scores.data(), lower / t).count;
  const double doubt = 4 / std::sqrt(count + 1);
  const double most = sample.root(1 + doubt, t);
  const double least = 8 * count < Sample<float>::kSize ? 0 : sample.root(1 - doubt, t);
  if (!(least < most && lower / most > 0x1p-100)) return {0, 0};  // beyond single precision
  const Narrowed seen = fastest<SearchLanes>().narrow(bounds, scores, least, most, few.get(), room);
  const Bounds of_few = bounds.part(0, seen.copied);
  const double full = static_cast<double>(bounds.upper - bounds.lower) * seen.upper_count;
  Start start{least > 0 ? t : most, 0};
  const auto excess_at = [&](double at) {
    Excess excess = passes(scores).excess(of_few, few.get(), at);
    excess.sum += full + (seen.free_sum * at - lower * seen.free_count);
    excess.slope += seen.free_sum;
    return excess;
  };
  RootSearch(slack_of(bounds)).run(excess_at, excess_of(bounds), 0x1p-45, 60, start);
  // Elsewhere others meet their bounds, too. An infinite score counts alone.
  const bool is_root = start.t >= least && start.t <= most;
  return is_root && std::isfinite(seen.greatest) ? start : Start{0, 0};
}

/// Other scores, or none: the scores' sum tells where to begin, unless a sample tells that many
/// meet their bounds there.
template <class Score>
Start start_of_many(const Bounds& bounds, const Score* scores) {
  if constexpr (std::is_same_v<Score, float>) {
    if (bounds.lowers == nullptr) {
      const Start start = start_from_few(bounds, scores);
      if (start.slope > 0) return start;
    }
  }
  const Sample<Score> sample(bounds, scores);
  Bounds same = bounds;  // for a look at the scores alone
  same.lowers = nullptr;
  const Survey seen = passes(scores).survey(same, scores);
  if (!is_plain(seen) || !sample.holds()) return {0, 0};
  const double guess = first_guess(bounds, seen);
  const double part = sample.excess_at(guess).sum / excess_of(sample.bounds);
  const bool is_near = bounds.lowers != nullptr && part > 0.5 && part < 2;
  return {is_near ? guess : sample.root(), 0};
}

// -----------------------------------------------------------------------------------------------
// The projection of scores on a band.

/// The search that `fit` asks: tries scales until the numerators are the projection.
template <class Score>
class Projection {
 public:
  ScoreScale first(const Bounds& bounds, std::span<const Score> scores) {
    bounds_ = &bounds;
    scores_ = scores.data();
    wanted_ = excess_of(bounds);
    slack_ = slack_of(bounds);
    newton_ = RootSearch(slack_);
    if (bounds.size >= Sample<Score>::kWorthIt) {
      start_ = start_of_many(bounds, scores_);
      if (start_.t > 0 && !(start_.slope > 0)) approach();
      if (start_.slope > 0) return here();
      newton_ = RootSearch(slack_);
      is_last_ = false;
    }
    Survey seen = survey();
    if (seen.greatest != 0 && !is_plain(seen)) {
      // Others that are plain have the same law. They are made a block at a time in each pass, for
      // a release may not depend on whether there is memory for scores like these.
      exponent_ = std::isinf(seen.greatest) ? kInfiniteAlone : -std::ilogb(seen.greatest);
      seen = survey();
    }
    // With no positive score all outcomes are of one kind: they share by their lower bounds.
    if (seen.room <= wanted_ || seen.sum == 0) {
      is_last_ = true;
      return {std::numeric_limits<double>::infinity(), exponent_};
    }
    start_ = {first_guess(bounds, seen), 0};
    if (exponent_ == 0 && one_may_take_all(bounds)) {
      start_ = start_from_active(bounds, scores_, start_.t);
    }
    if (!(start_.slope > 0)) approach();
    return here();
  }

  bool again(ScoreScale& scale, int128 missing_parts) noexcept {
    auto& [t, slope] = start_;
    const auto low = static_cast<std::int64_t>(missing_parts);  // as a rule all, and fast
    const double missing =
        low == missing_parts ? static_cast<double>(low) : static_cast<double>(missing_parts);
    // Good enough if spreading what is missing over the outcomes that are not clipped is not seen.
    if (is_last_ || std::abs(missing) <= 0x1p-36 * t * slope + slack_) return false;
    if (newton_.is_at_rest()) {
      // The sum of doubles can tell no more: correct it by the exact one.
      if (!(slope > 0)) return false;
      t = std::max(t + missing / slope, 0.0);
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
  ScoreScale here() const { return {start_.t * (1 - 0x1p-42), exponent_}; }

  /// Steps until one is so short that rounding is worth its while.
  void approach() {
    const auto excess_at = [this](double t) { return excess(t); };
    is_last_ = !newton_.run(excess_at, wanted_, short_step_of(*bounds_), kMostSteps, start_);
  }

  Survey survey() const {
    return sum_of(Survey{0, 0, 0}, [](const Bounds& bounds, const auto* scores) {
      return passes(scores).survey(bounds, scores);
    });
  }
  Excess excess(double t) const {
    return sum_of(Excess{0, 0}, [t](const Bounds& bounds, const auto* scores) {
      return passes(scores).excess(bounds, scores, t);
    });
  }

  /// What a pass tells of all scores.
  template <class Sum, class Pass>
  Sum sum_of(Sum sum, Pass pass) const {
    if (exponent_ == 0) return pass(*bounds_, scores_);
    for (std::size_t begin = 0; begin < bounds_->size; begin += kBlock) {
      const Bounds block = bounds_->part(begin, std::min(kBlock, bounds_->size - begin));
      double scores[kBlock];
      for (std::size_t i = 0; i < block.size; ++i) {
        scores[i] = rescaled(static_cast<double>(scores_[begin + i]), exponent_);
      }
      sum = both(sum, pass(block, scores));
    }
    return sum;
  }
  static Survey both(const Survey& a, const Survey& b) {
    return {a.sum + b.sum, std::max(a.greatest, b.greatest), a.room + b.room};
  }
  static Excess both(const Excess& a, const Excess& b) {
    return {a.sum + b.sum, a.slope + b.slope};
  }

  const Bounds* bounds_ = nullptr;
  const Score* scores_ = nullptr;
  int exponent_ = 0;
  double wanted_ = 0;
  double slack_ = 0;
  Start start_{0, 0};
  RootSearch newton_{0};
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
  std::map<std::uint32_t, double> sum_of;
  for (std::size_t j = 0; j < outcomes.size(); ++j) sum_of[outcomes[j]] += scores[j];
  std::vector<std::uint32_t> ascending;
  std::vector<double> sums;
  for (const auto& [outcome, sum] : sum_of) {
    ascending.push_back(outcome);
    sums.push_back(sum);
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
