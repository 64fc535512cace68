#include "methods/central/support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "base/directed_rounding.h"
#include "base/names.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "methods/central/samplers.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The first of many questions whose answer is large.

namespace {

double threshold_scale_of(double epsilon, std::uint64_t sensitivity) {
  require_between({"epsilon of above-threshold", "epsilon"}, epsilon, 1e-6, 100);
  require_between({"the sensitivity of a question", ""}, sensitivity, 1, 1000);
  return div_up(2 * static_cast<double>(sensitivity), epsilon);
}

}  // namespace

AboveThreshold::AboveThreshold(double epsilon, std::uint64_t sensitivity)
    : epsilon_(epsilon),
      threshold_scale_(threshold_scale_of(epsilon, sensitivity)),
      threshold_noise_(DiscreteLaplace::at_least(threshold_scale())),
      answer_noise_(DiscreteLaplace::at_least(answer_scale())) {}

std::optional<std::size_t> AboveThreshold::draw(
    std::size_t questions, const std::function<std::int64_t(std::size_t)>& answer,
    std::int64_t threshold, SecureRandom& random) const {
  const int128 noisy_threshold = threshold + threshold_noise_.draw_exact(random);
  for (std::size_t i = 0; i < questions; ++i) {
    if (answer(i) + answer_noise_.draw_exact(random) >= noisy_threshold) return i;
  }
  return std::nullopt;
}

// -----------------------------------------------------------------------------------------------
// Where the records lie in a large domain of integers, found privately.

namespace {

constexpr double kMiss = SupportFinder::kMiss;  // beta

void check(const SupportHint& hint, std::uint64_t outcome_count, std::uint64_t record_count,
           double epsilon, std::uint64_t most_width) {
  require_between({"the number of outcomes", "k", "outcomes"}, outcome_count, 1,
                  SupportFinder::kMostIntegers);
  require_between({"the number of records", "n", "records"}, record_count, 1,
                  SupportFinder::kMostIntegers);
  require_between({"epsilon of a support hint", "epsilon"}, epsilon, 3e-6, 100);
  refuse_if(most_width < 1, "out-of-range", "support",
            "the greatest width of an interval must not be 0");
  const SupportRow& row = row_of(hint.kind);
  if (row.require != nullptr) row.require(hint.parameter, outcome_count);
}

std::size_t stage_count(const SupportRow& row) {
  return 1U + (row.covers ? 1U : 0U) + (row.finds_width ? 1U : 0U);
}

/// x as an integer, at most `most`.
std::uint64_t capped(double x, std::uint64_t most) {
  return x < static_cast<double>(most) ? static_cast<std::uint64_t>(x) : most;
}

/// How often each outcome occurs in a domain.
class RecordsByOutcome {
 public:
  RecordsByOutcome(const OutcomeHistogram& histogram, std::uint64_t outcome_count)
      : outcome_count_(outcome_count) {
    const auto inside =
        std::lower_bound(histogram.keys.begin(), histogram.keys.end(), outcome_count);
    outcomes_.assign(histogram.keys.begin(), inside);
    sums_.push_back(0);
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      sums_.push_back(sums_.back() + static_cast<std::int64_t>(histogram.counts[i]));
    }
    const auto strays = static_cast<std::int64_t>(mollify::record_count(histogram)) - sums_.back();
    if (strays == 0) return;
    if (outcomes_.empty() || outcomes_.front() != 0) {
      outcomes_.insert(outcomes_.begin(), 0);
      sums_.insert(sums_.begin(), 0);
    }
    for (std::size_t i = 1; i < sums_.size(); ++i) sums_[i] += strays;
  }

  OutcomeInterval domain() const { return {0, outcome_count_ - 1}; }

  /// The interval and `more` integers on either side, inside the domain.
  OutcomeInterval widened(OutcomeInterval interval, std::uint64_t more) const {
    return {interval.first - std::min(more, interval.first),
            interval.last + std::min(more, outcome_count_ - 1 - interval.last)};
  }

  std::int64_t count_in(OutcomeInterval interval) const {
    const auto begin = std::lower_bound(outcomes_.begin(), outcomes_.end(), interval.first);
    const auto end = std::upper_bound(outcomes_.begin(), outcomes_.end(), interval.last);
    return sums_[static_cast<std::size_t>(end - outcomes_.begin())] -
           sums_[static_cast<std::size_t>(begin - outcomes_.begin())];
  }

  std::int64_t fullest_cell(std::uint64_t width) const {
    const OutcomeHistogram counted = cells(width);
    const auto most = std::max_element(counted.counts.begin(), counted.counts.end());
    return most == counted.counts.end() ? 0 : static_cast<std::int64_t>(*most);
  }

  /// How many records lie in each cell of this width.
  OutcomeHistogram cells(std::uint64_t width) const {
    OutcomeHistogram cells;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      const auto cell = static_cast<std::uint32_t>(outcomes_[i] / width);
      if (cells.keys.empty() || cells.keys.back() != cell) {
        cells.keys.push_back(cell);
        cells.counts.push_back(0);
      }
      cells.counts.back() += static_cast<std::uint64_t>(sums_[i + 1] - sums_[i]);
    }
    return cells;
  }

 private:
  std::uint64_t outcome_count_;
  std::vector<std::uint32_t> outcomes_;  // distinct, ascending
  std::vector<std::int64_t> sums_;       // of the records of all outcomes before each, and of all
};

/// The heaviest cell that the histogram shows.
std::optional<OutcomeInterval> find_anchor(const RecordsByOutcome& records, std::uint64_t width,
                                           const StableHistogram& histogram, SecureRandom& random) {
  const std::vector<NoisyCount> counts = histogram.draw(records.cells(width), random);
  if (counts.empty()) return std::nullopt;
  const auto heaviest =
      std::max_element(counts.begin(), counts.end(),
                       [](const NoisyCount& a, const NoisyCount& b) { return a.count < b.count; });
  const std::uint64_t first = heaviest->outcome * width;
  return OutcomeInterval{first, std::min(first + width - 1, records.domain().last)};
}

/// All outcomes that the histogram shows; beyond `most` those that it shows most of.
std::vector<std::uint32_t> heavy_outcomes(std::vector<NoisyCount> counts, std::uint64_t most) {
  if (counts.size() > most) {
    const auto end = counts.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(counts.begin(), end, counts.end(),
                     [](const NoisyCount& a, const NoisyCount& b) { return a.count > b.count; });
    counts.erase(end, counts.end());
  }
  std::vector<std::uint32_t> outcomes;
  outcomes.reserve(counts.size());
  for (const NoisyCount& count : counts) outcomes.push_back(count.outcome);
  std::sort(outcomes.begin(), outcomes.end());
  return outcomes;
}

std::uint64_t middle(OutcomeInterval interval) {
  return interval.first + (interval.last - interval.first) / 2;
}

/// At most `most` integers of the interval, about half of them on either side of `center`.
OutcomeInterval cut(OutcomeInterval interval, std::uint64_t center, std::uint64_t most) {
  const std::uint64_t before = std::min((most - 1) / 2, center - interval.first);
  const std::uint64_t first = center - before;
  return {first, first + std::min(most - 1, interval.last - first)};
}

/// How far below its target a threshold must be, so that an answer on target passes with 1 - beta.
std::int64_t allowance(const AboveThreshold& above) {
  return static_cast<std::int64_t>(
      std::ceil((above.threshold_scale() + above.answer_scale()) * std::log(2 / kMiss)));
}

/// 2^0, 2^1, ... up to the first that is at least the domain's width.
std::size_t doublings(const RecordsByOutcome& records) {
  return static_cast<std::size_t>(std::bit_width(records.domain().last)) + 1;
}

/// The cells' width at which the fullest holds about half of the records.
std::optional<std::uint64_t> find_cell_width(const RecordsByOutcome& records, std::int64_t count,
                                             const AboveThreshold& above, SecureRandom& random) {
  const auto fullest = [&](std::size_t j) { return records.fullest_cell(std::uint64_t{1} << j); };
  const std::optional<std::size_t> found =
      above.draw(doublings(records), fullest, count / 2 - allowance(above), random);
  if (!found.has_value()) return std::nullopt;
  return std::uint64_t{1} << *found;
}

OutcomeInterval find_cover(const RecordsByOutcome& records, OutcomeInterval anchor,
                           std::int64_t count, const AboveThreshold& above, SecureRandom& random) {
  const auto around = [&](std::size_t i) {
    return records.widened(anchor, (std::uint64_t{1} << i) - 1);
  };
  const auto held = [&](std::size_t i) { return records.count_in(around(i)); };
  const std::optional<std::size_t> found =
      above.draw(doublings(records), held, count - allowance(above), random);
  return found.has_value() ? around(*found) : records.domain();
}

}  // namespace

// The kinds of hints.

namespace {

/// The integers of a cell at least.
double least_of_cell(const IntegerCells& cells) {
  return std::floor(static_cast<double>(cells.count()) / cells.size());
}

void require_width(double parameter, std::uint64_t most) {
  if (parameter >= 1 && parameter <= static_cast<double>(most) &&
      parameter == std::floor(parameter)) {
    return;
  }
  const bool is_whole = parameter == std::floor(parameter);
  refuse_input(is_whole ? Code("out-of-range") : Code("wrong-type"), "support", {},
               quantities_of(parameter, {.least = 1, .most = static_cast<double>(most)}),
               "the width of the support must be an integer from 1 to {}, but is {}", most,
               parameter);
}

constexpr SupportRow kHintRows[] = {
    {.kind = SupportKind::kContiguous, .name = "contiguous", .finds_width = true, .covers = true},
    {.kind = SupportKind::kBounded,
     .name = "bounded",
     .covers = true,
     .mass = [](double outcomes, double) { return 1 / outcomes; }},
    {.kind = SupportKind::kHeavy,
     .name = "heavy",
     .finds_outcomes = true,
     .mass = [](double outcomes, double share) { return share / outcomes; },
     .order = "k ln(k/(beta delta))/(alpha epsilon)"},
    {.kind = SupportKind::kWidth,
     .name = "width",
     .letter = "W",
     .k = [](double width) { return width; },
     .require = require_width,
     .in_cells =
         [](double width, const IntegerCells& cells) {
           require_width(width, cells.count());
           const double met = std::ceil((width - 1) / least_of_cell(cells)) + 1;
           return std::fmin(met, static_cast<double>(cells.size()));
         },
     .width = [](double width) { return width; },
     .reach = [](double width, double) { return width; }},
    {.kind = SupportKind::kSubGaussian,
     .name = "subgaussian",
     .letter = "S",
     .is_likely = true,
     .mass = [](double, double) { return (1 - 2 * std::exp(-2)) / 3; },
     .order = "ln(1/(beta delta))/epsilon",
     .k = [](double) { return 1.0; },  // cells of the proxy's size: some have a fixed share
     .require =
         [](double proxy, std::uint64_t) {
           require_in(kPositive, {"a sub-Gaussian proxy", "support"}, proxy);
         },
     .in_cells =
         [](double proxy, const IntegerCells& cells) {
           return cells.ungrouped() ? proxy : proxy / least_of_cell(cells) + 1;
         },
     .width = [](double proxy) { return std::ceil(2 * proxy); },
     .reach =
         [](double proxy, double records) {
           return std::ceil(2 * proxy * std::sqrt(2 * std::log(2 * records / kMiss)));
         }},
};

static_assert(std::size(kHintRows) == static_cast<std::size_t>(SupportKind::kSubGaussian) + 1);
static_assert([] {
  for (std::size_t i = 0; i < std::size(kHintRows); ++i) {
    if (static_cast<std::size_t>(kHintRows[i].kind) != i) return false;
    for (const bool is_declared : {kHintRows[i].k != nullptr, kHintRows[i].require != nullptr,
                                   kHintRows[i].in_cells != nullptr, kHintRows[i].width != nullptr,
                                   kHintRows[i].reach != nullptr}) {
      if (is_declared == kHintRows[i].letter.empty()) return false;
    }
  }
  return true;
}());

}  // namespace

const SupportRow& row_of(SupportKind kind) noexcept {
  return kHintRows[static_cast<std::size_t>(kind)];
}

std::string to_text(const SupportHint& hint) {
  const SupportRow& row = row_of(hint.kind);
  return row.letter.empty() ? std::string(row.name)
                            : fmt::format("{}={}", row.name, hint.parameter);
}

SupportHint parse_support_hint(const std::string& text) {
  std::string expected;
  std::vector<std::string> names;
  for (const SupportRow& row : kHintRows) {
    const std::size_t length = row.name.size();
    if (row.letter.empty() && text == row.name) return {row.kind, 0};
    if (!row.letter.empty() && text.starts_with(row.name) && text.substr(length, 1) == "=") {
      if (const auto number = read_number(std::string_view(text).substr(length + 1))) {
        return {row.kind, *number};
      }
    }
    const char* const between = &row == std::end(kHintRows) - 1 ? " or " : ", ";
    expected += fmt::format("{}{}{}{}", expected.empty() ? "" : between, row.name,
                            row.letter.empty() ? "" : "=", row.letter);
    names.emplace_back(row.name);
  }
  refuse_name("support", expected, text, names);
}

SupportHint hint_in_cells(const SupportHint& hint, const IntegerCells& cells) {
  const auto in_cells = row_of(hint.kind).in_cells;
  return in_cells == nullptr ? hint : SupportHint{hint.kind, in_cells(hint.parameter, cells)};
}

OutcomeHistogram FoundSupport::map_into(const OutcomeHistogram& histogram,
                                        SecureRandom& random) const {
  OutcomeHistogram places;
  const auto add = [&places](std::uint32_t place, std::uint64_t count) {
    if (places.keys.empty() || places.keys.back() != place) {
      places.keys.push_back(place);
      places.counts.push_back(0);
    }
    places.counts.back() += count;
  };
  if (outcomes_.empty()) {
    for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
      const std::uint64_t inside =
          std::clamp<std::uint64_t>(histogram.keys[i], interval_.first, interval_.last);
      add(static_cast<std::uint32_t>(inside - interval_.first), histogram.counts[i]);
    }
    return places;
  }
  // Each record outside goes to a place of its own draw. With a counts column there may be too many
  // for that; then they are dealt out in turn, and one record more is still one more in one place.
  // The number of all records decides, which neighbours share.
  constexpr std::uint64_t kMostDrawn = std::uint64_t{1} << 30U;
  const bool deals = mollify::record_count(histogram) > kMostDrawn;
  std::uint64_t dealt = 0;
  std::vector<std::uint64_t> counts(outcomes_.size());
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    const auto found = std::lower_bound(outcomes_.begin(), outcomes_.end(), histogram.keys[i]);
    if (found != outcomes_.end() && *found == histogram.keys[i]) {
      counts[static_cast<std::size_t>(found - outcomes_.begin())] += histogram.counts[i];
      continue;
    }
    if (deals) {
      dealt += histogram.counts[i];
      continue;
    }
    for (std::uint64_t record = 0; record < histogram.counts[i]; ++record) {
      ++counts[random.below(outcomes_.size())];
    }
  }
  for (std::size_t place = 0; place < counts.size(); ++place) {
    counts[place] += dealt / counts.size() + (place < dealt % counts.size() ? 1 : 0);
  }
  for (std::size_t place = 0; place < counts.size(); ++place) {
    if (counts[place] > 0) add(static_cast<std::uint32_t>(place), counts[place]);
  }
  return places;
}

std::vector<std::uint32_t> FoundSupport::map_back(std::span<const std::uint32_t> places) const {
  std::vector<std::uint32_t> outcomes;
  outcomes.reserve(places.size());
  for (const std::uint32_t place : places) {
    outcomes.push_back(outcomes_.empty() ? static_cast<std::uint32_t>(interval_.first + place)
                                         : outcomes_[place]);
  }
  return outcomes;
}

SupportFinder::SupportFinder(SupportHint hint, std::uint64_t outcome_count,
                             std::uint64_t record_count, double epsilon, double delta,
                             std::uint64_t most_width)
    : hint_(hint),
      outcome_count_(outcome_count),
      record_count_(record_count),
      epsilon_(epsilon),
      delta_(delta),
      most_width_(most_width) {
  check(hint, outcome_count, record_count, epsilon, most_width);
  const SupportRow& row = row_of(hint.kind);
  stage_epsilon_ = epsilon_per_draw_down(epsilon, stage_count(row));
  const StableHistogram histogram(stage_epsilon_, delta);
  const AboveThreshold above(stage_epsilon_);
  if (row.finds_width) {
    stages_.push_back({"above-threshold for the width of cells", above.guarantee()});
  }
  stages_.push_back({"stable histogram of cells", histogram.guarantee()});
  if (row.covers) {
    stages_.push_back({"above-threshold for the covering interval", above.guarantee()});
  }
}

std::uint64_t SupportFinder::cell_width() const {
  const auto width = row_of(hint_.kind).width;
  return width == nullptr ? 1 : capped(width(hint_.parameter), outcome_count_);
}

std::uint64_t SupportFinder::reach() const {
  const auto reach = row_of(hint_.kind).reach;
  if (reach == nullptr) return 0;
  return capped(reach(hint_.parameter, static_cast<double>(record_count_)), outcome_count_);
}

std::uint64_t SupportFinder::least_records() const {
  return static_cast<std::uint64_t>(StableHistogram(stage_epsilon_, delta_).threshold());
}

std::uint64_t SupportFinder::least_size() const {
  const std::uint64_t found =
      record_count_ < least_records() ? outcome_count_ : cell_width() + 2 * reach();
  return std::min({found, outcome_count_, most_width_});
}

double SupportFinder::uncovered() const { return 1 + 12 / stage_epsilon_ * std::log(66 / kMiss); }

double SupportFinder::records_to_find(std::uint64_t outcomes, double share) const {
  const StableHistogram histogram(stage_epsilon_, delta_);
  // A count with which an outcome is missed with half of the probability `miss` at most.
  const auto count = [&](double miss) {
    return static_cast<double>(histogram.threshold()) + histogram.scale() * std::log(1 / miss);
  };
  // The other half is for an outcome of this mass that occurs less than half as often as expected.
  const auto of_mass = [&](double mass, double miss) {
    return std::ceil(std::fmax(8 / mass * std::log(2 / miss), 2 / mass * count(miss)));
  };
  const auto all = static_cast<double>(outcomes);
  const SupportRow& row = row_of(hint_.kind);
  if (row.mass != nullptr) {
    return of_mass(row.mass(all, share), row.finds_outcomes ? kMiss / all : kMiss);
  }
  // If the width is found, the fullest cell has half of the records less uncovered() or more.
  return std::ceil(2 * (row.finds_width ? count(kMiss) + uncovered() + 1 : count(kMiss)));
}

SupportFinder::Expected SupportFinder::expected(std::uint64_t outcomes) const {
  require_between({"the number of outcomes of the support", "", "outcomes"}, outcomes, 1,
                  outcome_count_);
  const auto count = static_cast<double>(record_count_);
  // The covering interval reaches this far: the first 2^i that is at least s.
  const std::uint64_t reached = std::bit_ceil(outcomes);
  const SupportRow& row = row_of(hint_.kind);
  const auto failures = static_cast<double>(stage_count(row) + (row.is_likely ? 1 : 0));
  Expected expected{.records = static_cast<std::uint64_t>(
                        std::fmin(records_to_find(outcomes), static_cast<double>(1ULL << 62U))),
                    .size = cell_width() + 2 * reach(),
                    .failure = failures * kMiss};
  if (row.finds_outcomes) {
    expected.size = outcomes;
    expected.outside = std::fmin(1, div_up(static_cast<double>(expected.records), count));
  }
  if (row.covers) {
    expected.size = (row.finds_width ? reached : 1) + 2 * (reached - 1);
    expected.outside = std::fmin(1, div_up(std::ceil(uncovered()), count));
  }
  expected.size = std::min(expected.size, outcome_count_);
  refuse_if(expected.size > most_width_, "too-many-outcomes", "support",
            "the support may have {} outcomes, but a draw takes {} at most", expected.size,
            most_width_);
  return expected;
}

std::optional<SupportFinder::Outside> SupportFinder::outside(std::uint64_t size) const {
  if (size == outcome_count_) return Outside{};
  const SupportRow& row = row_of(hint_.kind);
  if (row.finds_outcomes) return std::nullopt;
  return Outside{row.covers ? capped(std::ceil(uncovered()), record_count_) : 0,
                 row.covers || row.is_likely ? kMiss : 0};
}

bool SupportFinder::can_find(OutcomeInterval hull, std::uint64_t size) const {
  const OutcomeInterval all{0, outcome_count_ - 1};
  if (hull.first > hull.last || hull.last > all.last) return false;
  if (hull == all && size == outcome_count_) return true;
  const SupportRow& row = row_of(hint_.kind);
  if (row.finds_outcomes) {
    return size >= std::min<std::uint64_t>(hull.width(), 2) && size <= hull.width() &&
           size <= record_count_;
  }
  if (size != hull.width()) return false;
  // Whether it is a cell of this width and `more` integers on either side. An end inside the domain
  // determines the cell.
  const auto is_around = [&](std::uint64_t width, std::uint64_t more) {
    if (hull.first == 0 && hull.last < more) return false;
    const std::uint64_t from = hull.first > 0 ? hull.first + more : hull.last - more;
    const std::uint64_t first = from / width * width;
    if (first > all.last) return false;
    const std::uint64_t last = std::min(first + width - 1, all.last);
    return hull ==
           OutcomeInterval{first - std::min(first, more), last + std::min(more, all.last - last)};
  };
  if (reach() > 0) return is_around(cell_width(), reach());
  const auto doublings = static_cast<std::size_t>(std::bit_width(all.last)) + 1;
  for (std::size_t j = 0; j < (row.finds_width ? doublings : 1); ++j) {
    for (std::size_t i = 0; i < doublings; ++i) {
      if (is_around(std::uint64_t{1} << j, (std::uint64_t{1} << i) - 1)) return true;
    }
  }
  return false;
}

FoundSupport SupportFinder::find(const OutcomeHistogram& histogram, SecureRandom& random) const {
  const uint128 records = mollify::record_count(histogram);
  refuse_if(records != record_count_, "wrong-shape", "n",
            "the number of records must be {}, but is {}", record_count_, records);
  const RecordsByOutcome sorted(histogram, outcome_count_);
  const auto count = static_cast<std::int64_t>(record_count_);
  const StableHistogram stable(stage_epsilon_, delta_);
  const AboveThreshold above(stage_epsilon_);

  const OutcomeInterval all = sorted.domain();
  const FoundSupport nothing(cut(all, middle(all), most_width_));
  const SupportRow& row = row_of(hint_.kind);
  if (row.finds_outcomes) {
    std::vector<std::uint32_t> heavy =
        heavy_outcomes(stable.draw(sorted.cells(1), random), most_width_);
    return heavy.empty() ? nothing : FoundSupport(std::move(heavy));
  }

  std::uint64_t width = cell_width();
  if (row.finds_width) {
    const std::optional<std::uint64_t> found = find_cell_width(sorted, count, above, random);
    if (!found.has_value()) return nothing;
    width = *found;
  }
  const std::optional<OutcomeInterval> anchor = find_anchor(sorted, width, stable, random);
  if (!anchor.has_value()) return nothing;

  const OutcomeInterval interval = reach() > 0 ? sorted.widened(*anchor, reach())
                                               : find_cover(sorted, *anchor, count, above, random);
  return FoundSupport(cut(interval, middle(*anchor), most_width_));
}

}  // namespace mollify
