#include "kernel/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/invalid_input.h"
#include "core/lanes.h"
#include "core/ranges.h"
#include "kernel/search_lanes.h"

namespace mollify {
namespace detail {
namespace {

const Passes<double>& passes(std::span<const double>) { return fastest<SearchLanes>().of_double; }
const Passes<float>& passes(std::span<const float>) { return fastest<SearchLanes>().of_float; }

// -----------------------------------------------------------------------------------------------
// Which lower bounds a band has.

/// A hair above the shares of the total where there is room for that, and otherwise just below.
template <class Mass>
Band make_uneven(const BandSpec& spec, std::span<const Mass> masses, const ExpBound& bound,
                 std::vector<std::uint64_t> lowers) {
  const double sum = validated_mass_sum(masses), total = static_cast<double>(spec.total);
  if (masses.size() == 1) return Band::make(1, spec.total, bound, spec.total);
  lowers.resize(masses.size());
  for (const bool is_generous : {true, false}) {
    const LowerRule rule{spec.floor, sum, total, is_generous};
    passes(masses).lowers(rule, masses.data(), masses.size(), lowers.data());
    // As a rule there is room, without any counting.
    if (1.001 * spec.floor * total + static_cast<double>(masses.size()) <= total) break;
    if (std::accumulate(lowers.begin(), lowers.end(), uint128{0}) <= spec.total) break;
  }
  return Band::make(std::move(lowers), bound, spec.total);
}

Band make_even(const BandSpec& spec, std::size_t count, const ExpBound& bound) {
  if (count == 1) return Band::make(1, spec.total, bound, spec.total);
  const double share = spec.floor / static_cast<double>(count) * static_cast<double>(spec.total);
  const auto lower_of = [](double x) { return static_cast<std::uint64_t>(std::max(x, 1.0)); };
  std::uint64_t lower = lower_of(std::ceil(share * (1 + 0x1p-39)));
  if (uint128{lower} * count > spec.total) lower = lower_of(std::floor(share));
  return Band::make(count, lower, bound, spec.total);
}

}  // namespace
}  // namespace detail

/// In their order, as ever, for certificates hash what comes of the sum.
double detail::validated_mass_sum(std::span<const double> masses) {
  require_between({"the number of outcomes", "k", "outcomes"}, masses.size(), 1,
                  Band::kMostOutcomes);
  double sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] > 0) || !std::isfinite(masses[i])) {
      MOLLIFY_REFUSE(InvalidInput("not-a-distribution",
                                  "the reference mass of outcome " + std::to_string(i) +
                                      " must be finite and positive, but is " + shortest(masses[i]),
                                  "reference"));
    }
    sum += masses[i];
  }
  if (!std::isfinite(sum))
    MOLLIFY_REFUSE(InvalidInput("not-a-distribution", "the reference masses must have a finite sum",
                                "reference"));
  return sum;
}

/// In any order. Under bounds 1 and 2, a survey finds as much room as masses are positive.
double detail::validated_mass_sum(std::span<const float> masses) {
  const Band ones = Band::make(masses.size(), 1, ExpBound(1), masses.size());
  const Survey seen = passes(masses).survey(Bounds(ones), masses.data());
  const auto count = static_cast<double>(masses.size());
  if (seen.room == count && std::isfinite(seen.sum)) return seen.sum;
  return validated_mass_sum(std::vector<double>(masses.begin(), masses.end()));  // to say why not
}

Band make_band(const BandSpec& spec, std::vector<std::uint64_t> memory) {
  const ExpBound bound(spec.epsilon);
  const std::size_t given = std::max(spec.reference.size(), spec.float_reference.size());
  const std::size_t count = given == 0 ? spec.outcome_count : given;
  if (spec.outcome_count != 0 && spec.outcome_count != count) {
    MOLLIFY_REFUSE(InvalidInput("wrong-shape",
                                "the reference must have one mass for each of the " +
                                    std::to_string(spec.outcome_count) + " outcomes, but has " +
                                    std::to_string(count),
                                "reference"));
  }
  if (!spec.reference.empty() && !spec.float_reference.empty()) {
    MOLLIFY_REFUSE(InvalidInput(
        "contradicting-parameters",
        "the reference must be given once, but is in double and single precision", "reference"));
  }
  require_between({"the number of outcomes", "k", "outcomes"}, count, 1, Band::kMostOutcomes);
  require_in(kInsideOne, {"the band's floor b", "floor"}, spec.floor);
  if (!spec.reference.empty()) {
    return detail::make_uneven(spec, spec.reference, bound, std::move(memory));
  }
  if (!spec.float_reference.empty()) {
    return detail::make_uneven(spec, spec.float_reference, bound, std::move(memory));
  }
  return detail::make_even(spec, count, bound);
}

// -----------------------------------------------------------------------------------------------
// Newton's method on what the numerators of all outcomes hold beyond their lower bounds.

namespace detail {
namespace {

/// The numerators' excess over their lower bounds, all together.
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

/// The place of the search, and the slope of the excess there; above 0 once the root is found.
struct Root {
  double t = 0, slope = 0;
};

/// Newton's steps, inside a bracket, to where the excess is a part of the numerators' sum: from
/// root.t on until one is at most `shortest` of t, or none changes it. False after a number of
/// steps that only hostile scores take; as a rule there are about four.
template <class ExcessAt>
bool find_root(const Bounds& bounds, ExcessAt excess_at, double shortest, Root& root,
               double part = 1) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double wanted = part * excess_of(bounds), slack = slack_of(bounds);
  double below = 0, above = kInfinity, last = kInfinity, before_last = kInfinity, widening = 2;
  for (int step = 0; step < 200; ++step) {
    const double t = root.t;
    const Excess at = excess_at(t);
    const double missing = wanted - at.sum, newton = t + missing / at.slope;
    const double length = std::abs(newton - t);
    root.slope = at.slope;
    if (std::abs(missing) <= slack || newton == t) return true;
    (missing > 0 ? below : above) = t;
    // Newton crawls where it meets one kink after the other; then half as good is not good enough.
    const bool crawls = std::abs(missing) > 0.5 * before_last && !(length <= 0x1p-20 * t);
    if (newton > below && newton < above && !crawls) {
      before_last = last;
      last = std::abs(missing);
      root.t = newton;
      if (length <= shortest * t) return true;
      continue;
    }
    before_last = last = kInfinity;
    // All clipped, or a step over a kink: widen the bracket, ever faster, or halve it by ratio.
    double next = std::sqrt(below) * std::sqrt(above);
    if (below == 0 || std::isinf(above)) {
      widening *= widening;
      next = below == 0 ? above / widening : std::min(below * widening, 0x1p1000);
    }
    if (!(next > below && next < above)) return true;
    root.t = next;
  }
  return false;
}

/// Whether the scores are in a range where neither they nor any t must be rescaled.
bool is_plain(const Survey& survey) { return survey.greatest > 0x1p-200 && survey.sum < 0x1p200; }

/// The scale by the scores' sum, if the bounds are not the same for all. If they are, that is as a
/// rule too much where the excess is small, because it then comes from few outcomes: from the t at
/// which the first of them leaves its lower bound, the excess grows about like the square. It is
/// taken to be 0.3 of the total at the t that the sum asks for, or what half of the room holds. If
/// one outcome may take all, the root is not beyond where the greatest does; if both guesses are
/// near each other, it is well before either.
double first_guess(const Bounds& bounds, const Survey& survey) {
  const auto total = static_cast<double>(bounds.total);
  const double guess = total / survey.sum;
  if (bounds.lowers != nullptr) return guess;
  const double origin = static_cast<double>(bounds.lower) / survey.greatest;
  const auto room = static_cast<double>(bounds.upper - bounds.lower);
  const double excess = excess_of(bounds);
  const double part = excess / std::min(0.3 * total, 0.5 * room * static_cast<double>(bounds.size));
  const double beyond = (guess - origin) * std::sqrt(std::min(part, 1.0));
  if (excess > room + shortfall_of(bounds) || !(beyond > 0)) return origin + beyond;
  const double alone = excess / survey.greatest;
  return origin + beyond * (alone / (beyond + alone));
}

// -----------------------------------------------------------------------------------------------
// Where Newton's method begins if there are many scores.

/// Some runs of outcomes, evenly spread, used for all: excesses are in proportion to lower
/// bounds.
template <class Score>
struct Sample {
  static constexpr std::size_t kRun = 128;
  static constexpr std::size_t kSize = 32 * kRun;

  std::vector<Score> scores;
  std::vector<std::uint64_t> lowers;
  Bounds bounds;
  Survey survey{};

  /// Of at least kSize outcomes.
  Sample(const Bounds& all, std::span<const Score> from)
      : scores(kSize), bounds(all.part(0, kSize)) {
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

  /// Whether these scores can hold what they should.
  bool holds() const { return is_plain(survey) && survey.room > excess_of(bounds); }

  Excess excess_at(double t) const {
    return passes(std::span(scores)).excess(bounds, scores.data(), t);
  }
  /// About the t at which the excess is `part` of its aim, from a guess on.
  double root(double part, double t) const {
    Root root{t};
    find_root(
        bounds, [this](double at) { return excess_at(at); }, 0x1p-5, root, part);
    return root.t;
  }
  double root() const { return root(1, first_guess(bounds, survey)); }
};

/// Many scores under one pair of bounds: a sample tells between which t's the root is, except for
/// four standard deviations of one in which this many count. Few scores meet a bound between them,
/// and after one look at all scores these few are searched alone.
Root root_of_few(const Bounds& bounds, std::span<const float> scores) {
  // Memory is taken whether it will be used or not, for that depends on the scores.
  const std::size_t room = bounds.size + 8;
  const auto few = std::make_unique_for_overwrite<float[]>(room);
  const Sample<float> sample(bounds, scores);
  if (!sample.holds()) return {};
  const auto lower = static_cast<double>(bounds.lower);
  const double t = sample.root();
  const auto count = static_cast<double>(std::ranges::count_if(
      sample.scores, [&](float score) { return static_cast<double>(score) > lower / t; }));
  const double doubt = 4 / std::sqrt(count + 1);
  const double most = sample.root(1 + doubt, t);
  const double least = 8 * count < Sample<float>::kSize ? 0 : sample.root(1 - doubt, t);
  if (!(least < most && lower / most > 0x1p-100)) return {};  // beyond single precision
  const Narrowed seen =
      fastest<SearchLanes>().narrow(bounds, scores.data(), least, most, few.get(), room);
  const Bounds of_few = bounds.part(0, seen.copied);
  const double full = static_cast<double>(bounds.upper - bounds.lower) * seen.upper_count;
  const auto excess_at = [&](double at) {
    Excess excess = passes(scores).excess(of_few, few.get(), at);
    excess.sum += full + (seen.free_sum * at - lower * seen.free_count);
    excess.slope += seen.free_sum;
    return excess;
  };
  Root root{least > 0 ? t : most};
  find_root(bounds, excess_at, 0x1p-45, root);
  // Elsewhere others meet their bounds, too. An infinite score counts alone.
  const bool is_finite = std::isfinite(passes(scores).survey(of_few, few.get()).sum);
  return is_finite && root.t >= least && root.t <= most ? root : Root{};
}

// -----------------------------------------------------------------------------------------------
// The projection of scores on a band.

Survey operator+(const Survey& a, const Survey& b) {
  return {a.sum + b.sum, std::max(a.greatest, b.greatest), a.room + b.room};
}
Excess operator+(const Excess& a, const Excess& b) { return {a.sum + b.sum, a.slope + b.slope}; }

/// The search that `fit` asks: tries scales until the numerators are the projection.
template <class Score>
class Projection {
 public:
  ScoreScale first(const Bounds& bounds, std::span<const Score> scores) {
    bounds_ = &bounds;
    scores_ = scores;
    // Newton's step is exact if it crosses no kink. So short a step crosses few, and their effect
    // is of the order of its square. Rounding then finds the missing part exactly.
    const double shortest = std::max(0.25 / static_cast<double>(bounds.size), 0x1p-19);
    Survey known{};
    const bool are_many = bounds.size >= 2 * Sample<Score>::kSize;
    if (are_many) {
      known = search_many(shortest);
      if (root_.slope > 0) return here();
    }
    const auto look = [](const Bounds& part, auto of) {
      return passes(of).survey(part, of.data());
    };
    // A survey under one pair of bounds does for others if there is no positive score.
    const bool is_known = are_many && (bounds.lowers == nullptr || known.sum == 0);
    Survey seen = is_known ? known : over_all(look);
    if (seen.greatest != 0 && !is_plain(seen)) {
      // Other plain scores have the same law, 2 and 0 next to infinite ones. They are made a block
      // at a time in each pass: a release may not depend on whether there is memory for them.
      exponent_ = std::isinf(seen.greatest) ? -3000 : -std::ilogb(seen.greatest);
      seen = over_all(look);
    }
    // With no positive score all outcomes are of one kind: they share by their lower bounds.
    if (seen.room <= excess_of(bounds) || seen.sum == 0) {
      is_last_ = true;
      return {std::numeric_limits<double>::infinity(), exponent_};
    }
    root_.t = first_guess(bounds, seen);
    approach(shortest);
    return here();
  }

  bool again(ScoreScale& scale, int128 missing_parts) noexcept {
    // Good enough if spreading what is missing over the outcomes that are not clipped is not seen.
    const double unseen = 0x1p-36 * root_.t * root_.slope + slack_of(*bounds_);
    if (is_last_ || std::abs(static_cast<double>(missing_parts)) <= unseen) return false;
    approach(0x1p-45);
    is_last_ = true;
    scale = here();
    return true;
  }

 private:
  /// From where the scores' sum or else a sample sees the root, unless scores are beyond either: then
  /// it returns a survey of them under the bounds of the first outcome, if these are the same for all.
  Survey search_many(double shortest) {
    if constexpr (std::is_same_v<Score, float>) {
      if (bounds_->lowers == nullptr) root_ = root_of_few(*bounds_, scores_);
      if (root_.slope > 0) return {};
    }
    const Sample<Score> sample(*bounds_, scores_);
    Bounds same = *bounds_;  // for a look at the scores alone
    same.lowers = nullptr;
    const Survey seen = passes(scores_).survey(same, scores_.data());
    if (!sample.holds() || !is_plain(seen)) return seen;
    const double guess = first_guess(*bounds_, seen);
    const double part = sample.excess_at(guess).sum / excess_of(sample.bounds);
    root_.t = bounds_->lowers != nullptr && part > 0.5 && part < 2 ? guess : sample.root();
    approach(shortest);
    return seen;
  }

  /// A hair below, so that the missing part is added: nearly every outcome has room above it, while
  /// of many only one or two may have room below.
  ScoreScale here() const { return {root_.t * (1 - 0x1p-42), exponent_}; }

  void approach(double shortest) {
    const auto excess_at = [this](double t) {
      return over_all([t](const Bounds& bounds, auto scores) {
        return passes(scores).excess(bounds, scores.data(), t);
      });
    };
    is_last_ = !find_root(*bounds_, excess_at, shortest, root_);
  }

  /// A pass's facts about all scores.
  template <class Pass>
  auto over_all(Pass pass) const {
    if (exponent_ == 0) return pass(*bounds_, scores_);
    decltype(pass(*bounds_, scores_)) sum{};
    const Rescaling rescaled(exponent_);
    for (std::size_t begin = 0; begin < bounds_->size; begin += kBlock) {
      const Bounds block = bounds_->part(begin, std::min(kBlock, bounds_->size - begin));
      double scores[kBlock];
      for (std::size_t i = 0; i < block.size; ++i) {
        scores[i] = rescaled(static_cast<double>(scores_[begin + i]));
      }
      sum = sum + pass(block, std::span<const double>(scores));
    }
    return sum;
  }

  const Bounds* bounds_ = nullptr;
  std::span<const Score> scores_;
  int exponent_ = 0;
  Root root_;
  bool is_last_ = false;
};

}  // namespace
}  // namespace detail

void project(Table& table, std::span<const double> scores) { project(table, table.band(), scores); }
void project(Table& table, std::span<const float> scores) { project(table, table.band(), scores); }
void project(Table& table, const Band& band, std::span<const double> scores) {
  table.assign(band, scores, detail::Projection<double>());
}
void project(Table& table, const Band& band, std::span<const float> scores) {
  table.assign(band, scores, detail::Projection<float>());
}

void project(SparseTable& table, std::span<const std::uint32_t> outcomes,
             std::span<const double> scores) {
  outcomes = outcomes.first(std::min(outcomes.size(), scores.size()));
  if (std::ranges::adjacent_find(outcomes, std::greater_equal<>()) == outcomes.end()) {
    return table.assign(outcomes, scores, detail::Projection<double>());
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
