#include "formats/draft_cuts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "domain/numbers.h"

namespace mollify {

namespace {

constexpr std::size_t kTimesEach = 5;
/// A value of one record in this many gets a cell of its own, and the most frequent one of all.
constexpr std::size_t kOneInOfSpike = 10;
constexpr std::size_t kOneInOfOutstanding = 50;
constexpr std::size_t kTimesOfOthers = 4;
/// Sentinels such as -9 and -8 are few, come again, and a gap divides them from the
/// others that is a quarter as wide as all of these.
constexpr std::size_t kMostSentinels = 5;
constexpr std::size_t kOthersEach = 10;
constexpr std::size_t kTimesOfOne = 5;
constexpr double kFarOfRest = 0.25;
/// In deviations: how far all cells together may move the mean, and how far one may.
constexpr double kMostMoved = 0.01;
constexpr double kMostMovedByOne = 0.02;
constexpr std::size_t kMostCells = 40;
/// An edge is a number of few digits within this part of a gap without values.
constexpr double kPartOfGap = 1.0 / 200;
/// Narrower cells, in parts of the greatest number, would need more digits than people write.
constexpr double kNarrowest = 1e-10;

/// A number near the value with few digits, nearer than a quarter of the way to either neighbour.
double rounded_between(double before, double value, double after) {
  const double room = std::min(value - before, after - value) / 2;
  const int exponent = static_cast<int>(std::floor(std::log10(room)));
  if (exponent < 0) return std::stod(fmt::format("{:.{}f}", value, std::min(-exponent, 300)));
  const double step = std::pow(10, exponent);
  return std::round(value / step) * step;
}

/// The number of fewest digits above `low` and at most `high`.
double shortest_in(double low, double high) {
  int exponent = static_cast<int>(std::ceil(std::log10(high - low))) + 1;
  for (; exponent >= -DecimalLattice::kMaxExponent; --exponent) {
    if (exponent > DecimalLattice::kMaxExponent) continue;
    const DecimalLattice lattice(exponent);
    const double steps = std::floor(lattice.in_steps(high));
    if (std::fabs(steps) > DecimalLattice::kMaxMultiple) break;
    const double found = lattice.value(static_cast<std::int64_t>(steps));
    if (found > low && found <= high) return found;
  }
  return high;
}

/// Numbers, ascending, and how many of the file each represents.
struct Represented {
  std::vector<double> numbers{};
  std::vector<double> rows{};

  void add(double number, double of_file) {
    numbers.push_back(number);
    rows.push_back(of_file);
  }
};

/// A sample alone does not tell the mean of a long tail: of the least and the greatest numbers all are
/// taken, and each of the sample between them represents the others.
Represented represented(const PlacesWithoutCodes& places) {
  Represented all;
  const auto each = static_cast<double>(places.stride);
  const bool is_sample = places.stride > 1;
  const double low = is_sample && !places.lows.empty() ? places.lows.back() : places.min;
  const double high = is_sample && !places.highs.empty() ? places.highs.front() : places.max;
  for (const double number : places.lows)
    if (is_sample && number < low) all.add(number, 1);
  for (const double number : places.sorted)
    if (!is_sample || (number >= low && number <= high)) all.add(number, each);
  for (const double number : places.highs)
    if (is_sample && number > high) all.add(number, 1);
  return all;
}

/// The cells of a range while they are cut: [starts[i], starts[i + 1]).
class Cutting {
 public:
  /// `is_spike(number)`: of numbers that are a cell by themselves.
  template <class IsSpike>
  Cutting(const Represented& all, const IsSpike& is_spike, double step) : step_(step) {
    const std::vector<double>& sorted = all.numbers;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      all_ += all.rows[i];
      center_ += sorted[i] * all.rows[i];
    }
    center_ /= std::max(all_, 1.0);
    double squares = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      squares += (sorted[i] - center_) * (sorted[i] - center_) * all.rows[i];
    deviation_ = std::sqrt(squares / std::max(all_, 1.0));
    // Numbers that are one, as far as doubles tell.
    constexpr double kOfOne = 1e-12;
    if (deviation_ < kOfOne * std::fabs(center_)) deviation_ = 0;
    if (step == 0 && !sorted.empty())
      narrowest_ = kNarrowest * std::max(std::fabs(sorted.front()), std::fabs(sorted.back()));
    sums_.push_back(0);
    rows_.push_back(0);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (is_spike(sorted[i])) continue;
      rest_.push_back(sorted[i]);
      sums_.push_back(sums_.back() + (sorted[i] - center_) * all.rows[i]);
      rows_.push_back(rows_.back() + all.rows[i]);
    }
  }

  /// Begins a cell, unless it or the one before would be too narrow.
  void cut_at(double edge) {
    const auto place = std::lower_bound(starts_.begin(), starts_.end(), edge);
    if (place != starts_.end() && *place - edge <= narrowest_) return;
    if (place != starts_.begin() && edge - *std::prev(place) <= narrowest_) return;
    starts_.insert(place, edge);
  }

  /// Cuts the cell that moves the mean most until all together move it little.
  void refine() {
    std::set<double> whole;  // starts of cells that no cut makes better
    while (starts_.size() <= kMostCells && deviation_ > 0) {
      double all = 0;
      std::vector<double> moved;
      for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
        moved.push_back(moved_by(starts_[i], starts_[i + 1]));
        all += moved.back();
      }
      std::optional<std::size_t> worst;
      for (std::size_t i = 0; i < moved.size(); ++i) {
        const bool adds = std::fabs(all) > kMostMoved && (moved[i] > 0) == (all > 0);
        if ((!adds && std::fabs(moved[i]) <= kMostMovedByOne) || whole.contains(starts_[i]))
          continue;
        if (!worst || std::fabs(moved[i]) > std::fabs(moved[*worst])) worst = i;
      }
      if (!worst) return;
      if (!split(starts_[*worst], starts_[*worst + 1])) whole.insert(starts_[*worst]);
    }
  }

  [[nodiscard]] const std::vector<double>& starts() const { return starts_; }

 private:
  [[nodiscard]] std::size_t before(double edge) const {
    return static_cast<std::size_t>(std::lower_bound(rest_.begin(), rest_.end(), edge) -
                                    rest_.begin());
  }

  /// By how many deviations a cell moves the mean, because it is written evenly.
  [[nodiscard]] double moved_by(double low, double high) const {
    const std::size_t first = before(low), last = before(high);
    const double middle = low / 2 + (high - step_) / 2 - center_;
    const double held = sums_[last] - sums_[first];
    return ((rows_[last] - rows_[first]) * middle - held) / all_ / deviation_;
  }

  /// A place to cut before the value, where none lies from `low` on; and after it.
  [[nodiscard]] double before_value(double low, double value) const {
    return step_ > 0 ? value : shortest_in(value - (value - low) * kPartOfGap, value);
  }
  [[nodiscard]] double after_value(double value, double high) const {
    if (step_ == 0) return shortest_in(value, value + (high - value) * kPartOfGap);
    return step_ < 1 ? of_few_decimals(value + step_) : value + step_;
  }

  /// Cuts once, or on both sides of a gap, where the parts move the mean least. False if the
  /// whole is better.
  bool split(double low, double high) {
    const std::size_t first = before(low), last = before(high);
    double best = std::fabs(moved_by(low, high));
    std::optional<std::pair<double, double>> found;
    const auto consider = [&](double left, double right) {
      const double moved = std::fabs(moved_by(low, left)) + std::fabs(moved_by(right, high));
      // A gap is a cell more, which must be worth it.
      if (moved >= (left == right ? best : best / 2)) return;
      best = moved;
      found = {left, right};
    };
    for (std::size_t i = first; i <= last; ++i) {
      const double below = i == first ? low : rest_[i - 1], above = i == last ? high : rest_[i];
      if (above - below <= narrowest_) continue;
      const double left = i == first ? low : after_value(below, above);
      const double right = i == last ? high : before_value(below, above);
      const auto is_inside = [&](double edge) {
        return edge - low > narrowest_ && high - edge > narrowest_;
      };
      if (is_inside(right)) consider(right, right);
      if (is_inside(left)) consider(left, left);
      if (is_inside(left) && is_inside(right) && right - left > narrowest_) consider(left, right);
    }
    if (!found) return false;
    const std::size_t cells = starts_.size();
    cut_at(found->first);
    cut_at(found->second);
    return starts_.size() > cells;
  }

  std::vector<double> rest_{};
  double step_;
  double all_ = 0;
  double center_ = 0, deviation_ = 0;
  double narrowest_ = 0;
  std::vector<double> sums_{};  // of the rest before each place, less the mean
  std::vector<double> rows_{};  // how many rows these are
  std::vector<double> starts_{};
};

/// The least of the other values and, one step on, the greatest, if spikes far from them are the
/// ends of the range: no cell then reaches from a spike to them. Ascending.
std::vector<double> ends_beside_spikes(const std::vector<double>& rest,
                                       const std::vector<double>& spikes, double min, double max,
                                       double step) {
  constexpr double kPartsOfSpread = 1000;
  std::vector<double> ends;
  if (rest.empty() || spikes.empty()) return ends;
  const double spread = rest.back() - rest.front();
  const double above = rest.back() + (step > 0 ? step : spread / kPartsOfSpread);
  if (spikes.front() == min && rest.front() - min > kFarOfRest * spread)
    ends.push_back(rest.front());
  if (spikes.back() == max && max - above > kFarOfRest * spread) ends.push_back(above);
  return ends;
}

/// The beginnings of cells that hold equally many of the sorted numbers, or of equally wide ones.
std::vector<double> first_edges(const std::vector<double>& rest, double min, double max) {
  std::vector<double> edges = {min};
  for (std::uint32_t i = 1; i < kFirstCells && !rest.empty(); ++i) {
    const double level = static_cast<double>(i) / kFirstCells;
    const double value =
        rest.size() < kLeastForQuantiles
            ? min + level * (max - min)
            : rest[static_cast<std::size_t>(level * static_cast<double>(rest.size() - 1) + 0.5)];
    if (value > edges.back() && value < max) edges.push_back(value);
  }
  edges.push_back(max);
  std::vector<double> rounded;
  for (std::size_t i = 1; i + 1 < edges.size(); ++i)
    rounded.push_back(rounded_between(edges[i - 1], edges[i], edges[i + 1]));
  return rounded;
}

}  // namespace

double of_few_decimals(double number) {
  return DecimalLattice(1 - static_cast<int>(kMostDecimals))
      .value(std::llround(number * kPartsOfOne));
}

bool is_written_like_a_code(double value, bool with_last_digits) {
  constexpr double kLeastOfTwoDigits = 10;
  if (std::fabs(value) < kLeastOfTwoDigits) return false;
  std::string digits = fmt::format("{}", std::fabs(value));
  std::erase(digits, '.');
  const std::string_view first = std::string_view(digits).substr(0, digits.size() - 1);
  if (digits.front() < '7' || first.find_first_not_of(digits.front()) != std::string_view::npos)
    return false;
  const bool is_whole = value == std::floor(value);
  return digits.back() == digits.front() ||
         (with_last_digits && is_whole && digits.front() == '9' && digits.back() >= '6');
}

std::vector<double> NumberSample::sorted() const {
  std::vector<double> numbers = kept_;
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

namespace {

/// Different values, ascending, and how often each comes.
using Counts = std::vector<std::pair<double, std::size_t>>;

Counts counts_of(const std::vector<double>& sorted) {
  Counts counts;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    counts.emplace_back(*at, static_cast<std::size_t>(end - at));
    at = end;
  }
  return counts;
}

/// The places of the first and the end of the values that are not few ones at an end, divided from
/// the others by a gap. `may_be(place)`, `is_far(gap, first, last of the others)`.
template <class MayBe, class IsFar>
std::pair<std::size_t, std::size_t> without_far_ends(const Counts& counts, std::size_t most,
                                                     const MayBe& may_be, const IsFar& is_far) {
  std::size_t first = 0, last = counts.size();
  const auto gap_above = [&](std::size_t at) { return counts[at + 1].first - counts[at].first; };
  for (std::size_t n = 1; n <= most && may_be(counts.size() - n); ++n) {
    const std::size_t below = counts.size() - n - 1;
    if (is_far(gap_above(below), 0, below)) last = below + 1;
  }
  for (std::size_t n = 0; n < most && n + 1 < last && may_be(n); ++n) {
    if (is_far(gap_above(n), n + 1, last - 1)) first = n + 1;
  }
  return {first, last};
}

/// Whether the gap is a quarter as wide as all others.
auto is_far_from_rest(const Counts& counts) {
  return [&counts](double gap, std::size_t first, std::size_t last) {
    return gap > kFarOfRest * (counts[last].first - counts[first].first);
  };
}

}  // namespace

void PlacesSeen::see(double place) {
  sample_.see(place);
  if (different_.size() <= kMostOnGrid) ++different_[place];
  if (lows_.size() <= kMostSentinels || place < *lows_.rbegin()) lows_.insert(place);
  if (lows_.size() > kMostSentinels + 1) lows_.erase(std::prev(lows_.end()));
  if (highs_.size() <= kMostSentinels || place > *highs_.begin()) highs_.insert(place);
  if (highs_.size() > kMostSentinels + 1) highs_.erase(highs_.begin());
}

bool PlacesSeen::are_few(std::uint64_t nulls) const {
  if (different_.empty() || different_.size() > kMostListed) return false;
  return count() + nulls >= kLeastForCuts || kTimesEach * different_.size() <= count();
}

PlacesWithoutCodes PlacesSeen::without_codes(RowsOfCode rows_of_code, bool by_neighbours) const {
  PlacesWithoutCodes rest{.sorted = sorted(),
                          .stride = sample_.stride(),
                          .lows = sample_.lows(),
                          .highs = sample_.highs(),
                          .min = min(),
                          .max = max()};
  if (different_.size() <= kMostOnGrid) rest.different = different_;
  const Counts counts = counts_of(rest.sorted);
  constexpr std::size_t kFewestOthers = 2;
  if (counts.size() <= kFewestOthers) return rest;
  std::vector<double> gaps;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i)
    gaps.push_back(counts[i + 1].first - counts[i].first);
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const double usual = *middle;
  const bool are_few = counts.size() <= kOthersEach;
  // Of those that are not written like codes.
  const auto other = std::find_if(counts.begin(), counts.end(),
                                  [&](const auto& one) { return !rows_of_code(one.first, 0); });
  const double least = other == counts.end() ? -kNone : other->first;
  // 97 and 98 are codes if 99 is: refused, not known, no answer.
  const auto end_of_run = [&](std::size_t at) {
    if (!by_neighbours) return counts[at].first;
    const bool descends = counts[at].first < 0;
    for (std::size_t to = at; is_written_like_a_code(counts[to].first, true);) {
      if (descends ? to == 0 : to + 1 == counts.size()) return counts[to].first;
      const std::size_t next = descends ? to - 1 : to + 1;
      if (std::fabs(counts[next].first) != std::fabs(counts[to].first) + 1) return counts[to].first;
      to = next;
    }
    return counts[at].first;
  };
  const auto may_be = [&](std::size_t at) {
    const auto rows = rows_of_code(end_of_run(at), least);
    // Of few values, only their neighbours show that one is far.
    return rows && counts[at].second >= *rows && (*rows == 1 || by_neighbours || !are_few);
  };
  // Others are hundreds, and -9 is not.
  const auto is_off_their_step = [&](std::size_t first, std::size_t last) {
    constexpr std::int64_t kLeastStep = 10;
    std::int64_t step = 0;
    for (std::size_t i = first; i <= last; ++i) {
      if (std::fabs(counts[i].first) > kMostExact) return false;
      const auto whole = static_cast<std::int64_t>(counts[i].first);
      step = std::gcd(step, whole);
      if (static_cast<double>(whole) != counts[i].first) return false;
      if (step != 0 && step < kLeastStep) return false;
    }
    const std::size_t code = first > 0 ? first - 1 : last + 1;
    return step != 0 && static_cast<std::int64_t>(counts[code].first) % step != 0;
  };
  const auto is_far = [&](double gap, std::size_t first, std::size_t last) {
    if (by_neighbours && !are_few && is_off_their_step(first, last)) return true;
    // A greatest number may be written like a code: scores end at 99.
    const bool may_judge = by_neighbours && (first > 0 || are_few);
    const bool is_far_from_next = may_judge && gap > static_cast<double>(kTimesOfOthers) * usual;
    const bool judges_by_rest = !by_neighbours || !are_few;
    return is_far_from_next || (judges_by_rest && is_far_from_rest(counts)(gap, first, last));
  };
  const auto [first, last] = without_far_ends(
      counts, std::min(kMostSentinels, counts.size() - kFewestOthers), may_be, is_far);
  const auto is_code = [&, from = counts[first].first, to = counts[last - 1].first](double place) {
    return place < from || place > to;
  };
  if (first == 0 && last == counts.size()) return rest;
  // Of all values, and not of the sample alone.
  const auto low = std::find_if_not(lows_.begin(), lows_.end(), is_code);
  const auto high = std::find_if_not(highs_.rbegin(), highs_.rend(), is_code);
  if (low == lows_.end() || high == highs_.rend()) return rest;
  std::set_union(lows_.begin(), low, high.base(), highs_.end(), std::back_inserter(rest.codes));
  const auto is_sampled = [&](double code) {
    return std::binary_search(rest.sorted.begin(), rest.sorted.end(), code);
  };
  // A rare value beyond the sampled ones is not known to come again.
  if (!std::all_of(rest.codes.begin(), rest.codes.end(), is_sampled)) {
    rest.codes.clear();
    return rest;
  }
  rest.min = *low;
  rest.max = *high;
  std::erase_if(rest.sorted, is_code);
  std::erase_if(rest.lows, is_code);
  std::erase_if(rest.highs, is_code);
  std::erase_if(rest.different, [&](const auto& one) { return is_code(one.first); });
  return rest;
}

namespace {

/// The place of the first of the greatest values that are written like codes and that a gap divides
/// from the others, wider than most gaps; the end of the values without them.
std::size_t first_code_of(const Counts& counts) {
  std::size_t first = counts.size();
  while (first > 0 && is_written_like_a_code(counts[first - 1].first, true)) --first;
  if (first == 0 || first == counts.size() || first <= kOthersEach) return counts.size();
  std::vector<double> gaps;
  for (std::size_t i = 1; i < first; ++i) gaps.push_back(counts[i].first - counts[i - 1].first);
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const double gap = counts[first].first - counts[first - 1].first;
  return gap > static_cast<double>(kTimesOfOthers) * *middle ? first : counts.size();
}

}  // namespace

std::vector<double> spikes_of(const std::vector<double>& sorted) {
  const Counts counts = counts_of(sorted);
  const std::size_t first_code = first_code_of(counts);
  const auto comes_again = [&](std::size_t at) { return counts[at].second >= kTimesOfOne; };
  const auto [first, last] =
      without_far_ends(counts, std::min(kMostSentinels, counts.size() / kOthersEach), comes_again,
                       is_far_from_rest(counts));
  std::size_t most_frequent = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].second > counts[most_frequent].second) most_frequent = i;
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // The most frequent one, and those that come many times as often as most.
    const bool is_usual = counts[i].second * counts.size() < kTimesOfOthers * sorted.size();
    const bool is_outstanding = i == most_frequent || !is_usual;
    const bool is_code =
        i >= first_code || (!is_usual && is_written_like_a_code(counts[i].first, true));
    const std::size_t one_in = is_outstanding ? kOneInOfOutstanding : kOneInOfSpike;
    const bool is_frequent = comes_again(i) && counts[i].second * one_in >= sorted.size();
    if (is_frequent || (is_code && comes_again(i)) || i < first || i >= last)
      values.push_back(counts[i].first);
  }
  return values;
}

NumberCuts cuts_of(const PlacesWithoutCodes& places, double step) {
  const std::vector<double>& sorted = places.sorted;
  const double min = places.min, max = places.max;
  const std::vector<double> spikes = spikes_of(sorted);
  NumberCuts cuts{};
  std::set_union(spikes.begin(), spikes.end(), places.frequent.begin(), places.frequent.end(),
                 std::back_inserter(cuts.spikes));
  const auto is_spike = [&](double number) {
    return std::binary_search(cuts.spikes.begin(), cuts.spikes.end(), number);
  };
  std::vector<double> rest = sorted;
  std::erase_if(rest, is_spike);
  // A lattice of integers, or of multiples of the step, which has few decimals.
  const auto next = [step](double number) {
    return step < 1 ? of_few_decimals(number + step) : number + step;
  };
  const auto multiple_from = [step](double number) {
    if (step == 0) return number;
    const double multiple = std::ceil(number / step - 1e-9) * step;
    return step < 1 ? of_few_decimals(multiple) : multiple;
  };
  Cutting cutting(represented(places), is_spike, step);
  cutting.cut_at(min);
  // The last cell holds its end.
  cutting.cut_at(step > 0 ? next(max)
                          : max + 2 * kNarrowest * std::max(std::fabs(min), std::fabs(max)));
  std::vector<double> edges = first_edges(rest, min, max);
  const std::vector<double> ends = ends_beside_spikes(rest, cuts.spikes, min, max, step);
  edges.insert(edges.end(), ends.begin(), ends.end());
  for (const double edge : edges) {
    const double start = multiple_from(edge);
    if (start > min && start <= max) cutting.cut_at(start);
  }
  std::set<double> of_spikes;
  for (const double spike : cuts.spikes) {
    of_spikes.insert(spike);
    if (step > 0) of_spikes.insert(next(spike));
  }
  for (const double start : of_spikes) {
    if (start > min && start <= max) cutting.cut_at(start);
  }
  cutting.refine();
  cuts.edges = {min};
  for (const double start : cutting.starts()) {
    if (start > min && start < max && !of_spikes.contains(start)) cuts.edges.push_back(start);
    // The greatest value alone is a spike, and no cell of edges.
    if (start == max && !of_spikes.contains(max)) cuts.spikes.push_back(max);
  }
  cuts.edges.push_back(max);
  return cuts;
}

}  // namespace mollify
