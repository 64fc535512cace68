#include "methods/answers/asked_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"
#include "domain/possible.h"
#include "methods/answers/questions.h"

namespace mollify {

namespace {

std::size_t place_of(const Domain& domain, const std::string& name) {
  std::vector<std::string> known;
  for (const Column& column : domain.columns()) known.push_back(column.name());
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  Concern concern("question");
  concern.column = printable(name);
  refuse_input("unknown-column", concern, {WayOut::set("question")},
               "the table has no column \"{}\", which the question asks about; it has {}{}",
               printable(name), list_words(known), did_you_mean(name, known));
}

std::optional<double> number_in(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::string text_of(const Column& column, std::uint32_t cell, std::uint64_t point) {
  std::string text;
  column.write(cell, point, text);
  return text.empty() ? "null" : text;
}

/// "north", or "10 to 19" of many values.
std::string words_of(const AskedValues& single, std::uint32_t first, std::uint32_t last) {
  const std::string& from = single.first[first];
  const std::string& to = single.last[last];
  return from == to ? from : from + " to " + to;
}

/// A list for people: neighbours as "10 to 19" where values have an order.
std::string words_of(const AskedValues& single, const std::vector<std::uint32_t>& values) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && single.is_run && values[end] == values[end - 1] + 1 &&
           !single.groups[values[end]].is_null) {
      ++end;
    }
    // "10 to 19", but "3, 4".
    const bool has_points = single.first[values[begin]] != single.last[values[begin]];
    if (end - begin > (has_points ? 1U : 2U)) {
      words.push_back(words_of(single, values[begin], values[end - 1]));
    } else {
      for (std::size_t at = begin; at < end; ++at) {
        words.push_back(words_of(single, values[at], values[at]));
      }
    }
    begin = end;
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

AskedValues::Range range_of(const Column& column, std::uint32_t cell) {
  const double first = number_in(column.value(cell, 0)).value_or(0);
  const double last = number_in(column.value(cell, column.points(cell) - 1)).value_or(first);
  return {std::min(first, last), (first + last) / 2, std::max(first, last)};
}

/// How many rows have each value by itself, if that was measured.
class SingleCounts {
 public:
  SingleCounts(const Measurements& measurements, const AskedColumn& single)
      : measurements_(measurements) {
    const auto told = told_apart(measurements, {single});
    if (told && told->front() == single) joint_.emplace(measurements, *told);
  }

  [[nodiscard]] bool are_known() const { return joint_.has_value(); }
  [[nodiscard]] double of(std::uint32_t value) const {
    return joint_ ? joint_->counts()[value] : 0;
  }
  /// How many rows have one of these, and at most how many.
  [[nodiscard]] double of(const std::vector<std::uint32_t>& values) const {
    double sum = 0;
    for (const std::uint32_t value : values) sum += of(value);
    return sum;
  }
  [[nodiscard]] double at_most(const std::vector<std::uint32_t>& values) const {
    if (values.empty()) return 0;
    if (!joint_) return std::numeric_limits<double>::infinity();
    std::vector<double> weights(joint_->counts().size());
    for (const std::uint32_t value : values) weights[value] = 1;
    const double error = std::sqrt(joint_->sum(weights).variance(measurements_));
    return std::max(0.0, of(values) + kNormal975 * error);
  }

 private:
  const Measurements& measurements_;
  std::optional<JointEstimate> joint_;
};

/// A part of a group's rows that is small enough to name the group by its other part.
constexpr double kFew = 0.1;

bool are_few(double others, double main) { return others <= kFew * main; }

/// Numbers and nulls that were counted together: the group is named by one of the two.
void describe_numbers(const AskedValues& single, const SingleCounts& counts,
                      const std::vector<std::uint32_t>& values, AskedValues::Group& group) {
  std::vector<std::uint32_t> numbers, nulls;
  for (const std::uint32_t value : values) {
    (single.groups[value].is_null ? nulls : numbers).push_back(value);
  }
  group.is_null = numbers.empty();
  double sum = 0, weight = 0;
  for (const std::uint32_t value : numbers) {
    const AskedValues::Range& range = single.groups[value].range;
    if (value == numbers.front()) group.range = range;
    group.range.low = std::min(group.range.low, range.low);
    group.range.high = std::max(group.range.high, range.high);
    const double share = counts.are_known() ? std::max(counts.of(value), 0.0) + 1e-9 : 1;
    sum += share * range.middle;
    weight += share;
  }
  if (weight > 0) group.range.middle = sum / weight;
  for (const std::uint32_t value : numbers) {
    const double middle = single.groups[value].range.middle;
    group.spread = std::max(group.spread, std::abs(middle - group.range.middle));
  }
  group.words = words_of(single, values);
  if (nulls.empty() || numbers.empty()) return;
  group.others = counts.at_most(nulls);
  if (are_few(group.others, counts.of(numbers))) {
    group.words = words_of(single, numbers);
    group.with = words_of(single, nulls);
  } else if (const double few = counts.at_most(numbers); are_few(few, counts.of(nulls))) {
    group.is_null = true;
    group.others = few;
    group.words = words_of(single, nulls);
    group.with = words_of(single, numbers);
  }
}

void describe_words(const AskedValues& single, const SingleCounts& counts,
                    const std::vector<std::uint32_t>& values, AskedValues::Group& group) {
  group.words = words_of(single, values);
  group.is_null = std::all_of(values.begin(), values.end(),
                              [&](std::uint32_t value) { return single.groups[value].is_null; });
  if (values.size() == 1 || !counts.are_known()) return;
  const std::uint32_t main = *std::max_element(
      values.begin(), values.end(),
      [&](std::uint32_t a, std::uint32_t b) { return counts.of(a) < counts.of(b); });
  std::vector<std::uint32_t> others;
  std::copy_if(values.begin(), values.end(), std::back_inserter(others),
               [&](std::uint32_t value) { return value != main; });
  const double most = counts.at_most(others);
  if (!are_few(most, counts.of(main))) return;
  group.words = words_of(single, main, main);
  group.with = words_of(single, others);
  group.others = most;
  group.is_null = single.groups[main].is_null;
}

}  // namespace

std::vector<std::string> AskedValues::together() const {
  std::vector<std::string> told;
  std::vector<std::string> single;
  for (std::size_t value = 0; value < first.size(); ++value) {
    const auto at = static_cast<std::uint32_t>(value);
    single.push_back(words_of(*this, at, at));
  }
  for (const Group& group : groups) {
    if (!group.with.empty()) {
      told.push_back(fmt::format("{}: {}, with few that are {}", name, group.words, group.with));
    } else if (std::find(single.begin(), single.end(), group.words) == single.end()) {
      told.push_back(fmt::format("{}: {}", name, group.words));
    }
  }
  return told;
}

AskedValues asked_values(const Domain& domain, const std::string& name) {
  const std::size_t place = place_of(domain, name);
  const Column& column = domain.columns()[place];
  AskedValues made{.name = name, .cells = {place, {{}, 0}}};
  made.has_numbers = is_numeric(column.cells());
  made.is_run = is_ordered(column.cells());
  const auto add = [&](std::uint32_t cell) {
    made.first.push_back(text_of(column, cell, 0));
    made.last.push_back(text_of(column, cell, column.points(cell) - 1));
    const auto value = static_cast<std::uint32_t>(made.groups.size());
    AskedValues::Group& group = made.groups.emplace_back();
    group.words = words_of(made, value, value);
    group.is_null = cell >= column.cell_count();
    if (made.has_numbers && !group.is_null) group.range = range_of(column, cell);
    return value;
  };
  if (domain.possible() == nullptr || !domain.possible()->follows(place)) {
    for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
      made.cells.groups.of.push_back(add(cell));
    }
    made.cells.groups.count = column.size();
    return made;
  }
  // Nothing was asked about it: its values are groups of the values that they follow from.
  made.is_run = false;
  std::vector<std::size_t> path;
  while (domain.possible()->follows(made.cells.column)) {
    path.push_back(made.cells.column);
    made.cells.column = domain.possible()->source_of(made.cells.column);
  }
  std::vector<std::optional<std::uint32_t>> group_of_value(column.size());
  for (std::uint32_t cell = 0; cell < domain.columns()[made.cells.column].size(); ++cell) {
    std::uint32_t value = cell;
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      value = domain.possible()->following_cell(*at, value);
    }
    if (!group_of_value[value]) group_of_value[value] = add(value);
    made.cells.groups.of.push_back(*group_of_value[value]);
  }
  made.cells.groups.count = static_cast<std::uint32_t>(made.groups.size());
  return made;
}

AskedValues put_together(const Measurements& measurements, const AskedValues& single,
                         const CellGroups& groups) {
  AskedValues made = single;
  if (groups == single.cells.groups) return made;
  made.cells.groups = groups;
  made.groups.assign(groups.count, {});
  std::vector<std::vector<std::uint32_t>> values(groups.count);
  std::vector<bool> is_seen(single.groups.size());
  for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
    const std::uint32_t value = single.cells.groups.of[cell];
    if (is_seen[value]) continue;
    is_seen[value] = true;
    values[groups.of[cell]].push_back(value);
  }
  const SingleCounts counts(measurements, single.cells);
  for (std::uint32_t group = 0; group < groups.count; ++group) {
    std::sort(values[group].begin(), values[group].end());
    (single.has_numbers ? describe_numbers : describe_words)(single, counts, values[group],
                                                             made.groups[group]);
  }
  return made;
}

std::uint32_t group_of(const Domain& domain, const AskedValues& single, const std::string& value) {
  const std::size_t place = place_of(domain, single.name);
  const Column& column = domain.columns()[place];
  const Value field = value == "null" ? Value() : Value(std::string_view(value));
  const Verdict verdict = column.read(field).verdict;
  if (verdict != Verdict::kValue && verdict != Verdict::kNull) {
    refuse_question("unknown-value", "\"{}\" must be {}, but the question asks for \"{}\"{}",
                    single.name, column.expectation(), printable(value),
                    did_you_mean(column, value));
  }
  const std::uint32_t cell = column.encode(field);
  if (single.cells.column == place) return single.cells.groups.of[cell];
  const std::string first = text_of(column, cell, 0);
  const auto found = std::find(single.first.begin(), single.first.end(), first);
  if (found == single.first.end()) {
    refuse_question("unknown-value", "\"{}\" follows from another column, and is never \"{}\"",
                    single.name, printable(value));
  }
  return static_cast<std::uint32_t>(found - single.first.begin());
}

std::uint32_t group_for(const AskedValues& asked, const AskedValues& single, std::uint32_t value) {
  const std::size_t cell = static_cast<std::size_t>(
      std::find(single.cells.groups.of.begin(), single.cells.groups.of.end(), value) -
      single.cells.groups.of.begin());
  const std::uint32_t group = asked.cells.groups.of[cell];
  const std::string& wanted = single.groups[value].words;
  const AskedValues::Group& found = asked.groups[group];
  if (found.words != wanted) {
    refuse_question(
        "not-available-here",
        "\"{}\" of \"{}\" was counted together with other values: {}{}; release the table "
        "with the question among its questions",
        wanted, asked.name, found.words, found.with.empty() ? "" : ", " + found.with);
  }
  return group;
}

}  // namespace mollify
