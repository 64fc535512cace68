#include "own_means.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "kernel/core/invalid_input.h"
#include "marginals.h"
#include "records/units.h"
#include "space/field_text.h"

namespace mollify::cli {
namespace {

std::optional<double> number_in(const Value& value, double min, double max) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return read_number_of(*text, min, max);
  }
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/// The numbers of one column, and the middles of its cells.
class ColumnNumbers {
 public:
  /// Requires integers or numbers.
  explicit ColumnNumbers(const Column& column) : column_(column) {
    if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
      min_ = static_cast<double>(integers->min());
      max_ = static_cast<double>(integers->max());
      are_whole_ = true;
    } else {
      const auto& numbers = std::get<NumberCells>(column.cells());
      min_ = numbers.min();
      max_ = numbers.max();
    }
    const auto declared = [this](const std::optional<std::string>& value) {
      return value ? read_number_of(*value, min_, max_) : std::nullopt;
    };
    null_ = declared(column.mapping().null_value);
    outside_ = declared(column.mapping().outside_value);
  }

  /// As the column reads it; none of what becomes a null that is a category.
  [[nodiscard]] std::optional<double> read(const Value& value) const {
    switch (column_.read(value).verdict) {
      case Verdict::kNull:
        if (column_.mapping().null_is_category) return std::nullopt;
        return null_ ? *null_ : outside_.value_or(min_);
      case Verdict::kOutside:
      case Verdict::kUnreadable:
        // Declared and no number: null.
        if (column_.mapping().outside_value) return outside_;
        break;
      case Verdict::kValue:
        break;
    }
    const double number = number_in(value, min_, max_).value_or(min_);
    if (std::isnan(number)) return min_;
    return std::clamp(are_whole_ ? std::round(number) : number, min_, max_);
  }

  [[nodiscard]] double middle(const Value& value) const {
    return number_of_level(column_, column_.encode(value)).value_or(0);
  }

 private:
  const Column& column_;
  std::optional<double> outside_;
  std::optional<double> null_;
  double min_ = 0;
  double max_ = 0;
  bool are_whole_ = false;
};

/// Of the numbers of one column in one unit.
struct Sums {
  double weight = 0;
  double numbers = 0;  ///< from the first number on, so that squares do not cancel
  double squares = 0;
  double middles = 0;

  void add(const Sums& other, double factor) {
    weight += factor * other.weight;
    numbers += factor * other.numbers;
    squares += factor * other.squares;
    middles += factor * other.middles;
  }
};

}  // namespace

bool OwnMean::is_moved() const { return has_bins && std::abs(in_bins - mean) > deviation / 10; }

std::vector<std::optional<OwnMean>> own_means(const Source& source, const Domain& domain,
                                              const std::optional<std::string>& unit,
                                              const std::optional<Roster>& roster) {
  std::vector<std::optional<OwnMean>> means(domain.columns().size());
  try {
    source.require_repeatable();
  } catch (const InvalidInput&) {
    return means;
  }
  std::vector<std::string> names;
  std::vector<std::size_t> places;  // in the domain
  std::vector<ColumnNumbers> columns;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (!is_numeric(column.cells())) continue;
    names.push_back(column.name());
    places.push_back(i);
    columns.emplace_back(column);
  }
  const std::size_t width = columns.size();
  Units units(roster);
  std::vector<double> records;  // of each unit
  std::vector<Sums> sums;       // of each of its columns
  std::vector<std::optional<double>> first(width);
  source.visit(wanted_columns(source, names, unit), [&](const Block& block) {
    std::span<const std::uint32_t> of;
    if (unit) of = units.of(block.columns.back());
    records.resize(unit ? units.size() : 1);
    sums.resize(records.size() * width);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::size_t at = unit ? of[row] : 0;
      if (unit && of[row] == Units::kNobody) continue;
      const double weight = block.counts.empty() ? 1 : static_cast<double>(block.counts[row]);
      records[at] += weight;
      for (std::size_t i = 0; i < width; ++i) {
        const Value value = block.columns[i][row];
        const auto number = columns[i].read(value);
        if (!number) continue;
        if (!first[i]) first[i] = *number;
        const double moved = *number - *first[i];
        sums[at * width + i].add({1, moved, moved * moved, columns[i].middle(value)}, weight);
      }
    }
  });
  for (std::size_t i = 0; i < width; ++i) {
    Sums all;
    for (std::size_t at = 0; at < records.size(); ++at) {
      if (records[at] > 0) all.add(sums[at * width + i], 1 / records[at]);
    }
    if (!(all.weight > 0)) continue;
    const double moved = all.numbers / all.weight;
    means[places[i]] =
        OwnMean{.mean = *first[i] + moved,
                .deviation = std::sqrt(std::max(0.0, all.squares / all.weight - moved * moved)),
                .in_bins = all.middles / all.weight,
                .has_bins = has_bins(domain.columns()[places[i]])};
  }
  return means;
}

bool has_bins(const Column& column) {
  const Cells& cells = column.cells();
  if (has_private_bins(cells)) return true;
  if (const auto* integers = std::get_if<IntegerCells>(&cells)) return !integers->ungrouped();
  if (const auto* dates = std::get_if<DateCells>(&cells)) return !dates->cells().ungrouped();
  const auto* numbers = std::get_if<NumberCells>(&cells);
  return numbers != nullptr && numbers->declares_bins();
}

std::string within_bins(const Domain& domain) {
  const auto& columns = domain.columns();
  return std::any_of(columns.begin(), columns.end(), has_bins) ? "within the declared bins, " : "";
}

}  // namespace mollify::cli
