#include "methods/answers/asked_values.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"
#include "domain/possible.h"

namespace mollify {

namespace {

std::size_t place_of(const Domain& domain, const std::string& name) {
  std::vector<std::string> known;
  for (const Column& column : domain.columns()) known.push_back(column.name());
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  refuse_input("unknown-column", "question", {},
               "the table has no column \"{}\", which the question asks about; it has {}{}", name,
               list_words(known), did_you_mean(name, known));
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

/// "north", or "10 to 19" of a cell with many values.
std::string cell_words(const Column& column, std::uint32_t cell) {
  const std::string first = text_of(column, cell, 0);
  const std::uint64_t points = column.points(cell);
  return points == 1 ? first : first + " to " + text_of(column, cell, points - 1);
}

bool is_none(const Column& column, std::uint32_t cell) { return cell >= column.cell_count(); }

/// Words and numbers of groups of the column's own cells; `shares` of each cell in its group.
void describe(const Column& column, const CellGroups& groups, std::span<const double> shares,
              AskedValues& made) {
  std::vector<std::vector<std::uint32_t>> cells(groups.count);
  for (std::uint32_t cell = 0; cell < groups.of.size(); ++cell) {
    cells[groups.of[cell]].push_back(cell);
  }
  const bool has_numbers = is_numeric(column.cells());
  for (const std::vector<std::uint32_t>& group : cells) {
    std::vector<std::uint32_t> values;
    std::copy_if(group.begin(), group.end(), std::back_inserter(values),
                 [&](std::uint32_t cell) { return !is_none(column, cell); });
    made.is_null.push_back(values.empty());
    const bool is_run = values.size() > 2 && is_ordered(column.cells()) &&
                        values.back() - values.front() + 1 == values.size();
    std::vector<std::string> words;
    if (is_run) {
      words.push_back(text_of(column, values.front(), 0) + " to " +
                      text_of(column, values.back(), column.points(values.back()) - 1));
    }
    for (const std::uint32_t cell : group) {
      if (!is_run || is_none(column, cell)) words.push_back(cell_words(column, cell));
    }
    made.words.push_back(fmt::format("{}", fmt::join(words, ", ")));
    if (!has_numbers) continue;
    AskedValues::Range range;
    double sum = 0, weight = 0;
    for (const std::uint32_t cell : values) {
      const double low = number_in(column.value(cell, 0)).value_or(0);
      const double high = number_in(column.value(cell, column.points(cell) - 1)).value_or(0);
      if (cell == values.front()) range = {low, 0, high};
      range.low = std::min({range.low, low, high});
      range.high = std::max({range.high, low, high});
      const double share = shares.empty() ? 1 : std::max(shares[cell], 0.0) + 1e-9;
      sum += share * (low + high) / 2;
      weight += share;
    }
    range.middle = weight > 0 ? sum / weight : 0;
    made.ranges.push_back(range);
  }
}

}  // namespace

AskedValues asked_values(const Domain& domain, const std::string& name) {
  const std::size_t place = place_of(domain, name);
  const Column& column = domain.columns()[place];
  AskedValues made{.name = name, .cells = {place, {}}};
  CellGroups single{{}, column.size()};
  for (std::uint32_t cell = 0; cell < column.size(); ++cell) single.of.push_back(cell);
  describe(column, single, {}, made);
  if (domain.possible() == nullptr || !domain.possible()->follows(place)) {
    made.cells.groups = std::move(single);
    return made;
  }
  // Nothing was asked about it: its values are groups of those of the column that it follows from.
  std::vector<std::size_t> path;
  while (domain.possible()->follows(made.cells.column)) {
    path.push_back(made.cells.column);
    made.cells.column = domain.possible()->source_of(made.cells.column);
  }
  CellGroups& groups = made.cells.groups;
  groups = {{}, 0};
  std::vector<std::optional<std::uint32_t>> group_of_value(column.size());
  AskedValues seen{.name = name, .cells = {made.cells.column, {}}};
  for (std::uint32_t cell = 0; cell < domain.columns()[made.cells.column].size(); ++cell) {
    std::uint32_t value = cell;
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      value = domain.possible()->following_cell(*at, value);
    }
    std::optional<std::uint32_t>& group = group_of_value[value];
    if (!group) {
      group = groups.count++;
      seen.words.push_back(made.words[value]);
      seen.is_null.push_back(made.is_null[value]);
      if (!made.ranges.empty()) seen.ranges.push_back(made.ranges[value]);
    }
    groups.of.push_back(*group);
  }
  seen.cells.groups = std::move(groups);
  return seen;
}

AskedValues put_together(const Domain& domain, const AskedValues& asked, const CellGroups& groups,
                         std::span<const double> weights) {
  const std::size_t place = place_of(domain, asked.name);
  if (groups == asked.cells.groups && groups.count == asked.words.size()) {
    if (asked.cells.column != place || weights.empty()) return asked;
  }
  AskedValues made{.name = asked.name, .cells = {asked.cells.column, groups}};
  if (asked.cells.column == place) {
    describe(domain.columns()[place], groups, weights, made);
    return made;
  }
  // Of a column that follows: the groups of its values.
  std::vector<std::vector<std::string>> words(groups.count);
  made.is_null.assign(groups.count, true);
  std::vector<std::uint32_t> told(asked.words.size(), groups.count);
  for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
    const std::uint32_t value = asked.cells.groups.of[cell];
    const std::uint32_t group = groups.of[cell];
    if (told[value] == group) continue;
    told[value] = group;
    words[group].push_back(asked.words[value]);
    made.is_null[group] = made.is_null[group] && asked.is_null[value];
    if (asked.ranges.empty()) continue;
    made.ranges.resize(groups.count, {1, 0, -1});
    AskedValues::Range& range = made.ranges[group];
    const AskedValues::Range& more = asked.ranges[value];
    range = range.low > range.high ? more
                                   : AskedValues::Range{std::min(range.low, more.low), 0,
                                                        std::max(range.high, more.high)};
    range.middle = (range.low + range.high) / 2;
  }
  for (const auto& one : words) made.words.push_back(fmt::format("{}", fmt::join(one, ", ")));
  return made;
}

std::uint32_t group_of(const Domain& domain, const AskedValues& asked, const std::string& value) {
  const std::size_t place = place_of(domain, asked.name);
  const Column& column = domain.columns()[place];
  const Value field = value == "null" ? Value() : Value(std::string_view(value));
  const Verdict verdict = column.read(field).verdict;
  if (verdict != Verdict::kValue && verdict != Verdict::kNull) {
    refuse_input("unknown-value", "question", {},
                 "\"{}\" must be {}, but the question asks for \"{}\"{}", asked.name,
                 column.expectation(), value, did_you_mean(column, value));
  }
  const std::uint32_t cell = column.encode(field);
  if (asked.cells.column == place) return asked.cells.groups.of[cell];
  const std::string words = cell_words(column, cell);
  const auto found = std::find(asked.words.begin(), asked.words.end(), words);
  refuse_if(found == asked.words.end(), "unknown-value", "question",
            "no value of another column makes \"{}\" be \"{}\"", asked.name, value);
  return static_cast<std::uint32_t>(found - asked.words.begin());
}

}  // namespace mollify
