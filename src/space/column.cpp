#include "space/column.h"

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// What a column makes of a value: of its text, unless it knows the same without writing one.
template <class AnyCells>
Reading read_as(const AnyCells& cells, std::string_view text) noexcept {
  return cells.read(text);
}
template <class AnyCells>
Reading read_as(const AnyCells& cells, std::monostate /*null*/) noexcept {
  return cells.read(std::string_view());
}
template <class AnyCells>
Reading read_as(const AnyCells& cells, bool truth) noexcept {
  return cells.read(std::string_view(truth ? "true" : "false"));
}
template <class AnyCells, class Number>
Reading read_as(const AnyCells& cells, Number number) noexcept {
  if constexpr (std::is_same_v<AnyCells, IntegerCells> || std::is_same_v<AnyCells, NumberCells>) {
    return cells.read(number);
  } else {
    TextBuffer buffer;
    return cells.read(text_of(number, buffer));
  }
}

// Length first, so that no text can imitate the end of another.
std::string counted(std::string_view text) { return fmt::format("{}:{}", text.size(), text); }

}  // namespace

std::string_view type_name(const Cells& cells) noexcept {
  return std::visit(Overloaded{[](const Categories& categories) -> std::string_view {
                                 return categories.ordered() ? "ordinal" : "categorical";
                               },
                               [](const DateCells& dates) -> std::string_view {
                                 return dates.declared().grain == Grain::kDay ? "date" : "datetime";
                               },
                               [](const BooleanWords&) -> std::string_view { return "boolean"; },
                               [](const IntegerCells&) -> std::string_view { return "integer"; },
                               [](const NumberCells&) -> std::string_view { return "number"; }},
                    cells);
}

bool is_numeric(const Cells& cells) noexcept {
  return std::holds_alternative<NumberCells>(cells) || std::holds_alternative<IntegerCells>(cells);
}

bool has_private_bins(const Cells& cells) noexcept {
  const auto* const integers = std::get_if<IntegerCells>(&cells);
  const auto* const numbers = std::get_if<NumberCells>(&cells);
  return (integers != nullptr && integers->has_private_bins()) ||
         (numbers != nullptr && numbers->has_private_bins());
}

bool is_ordered(const Cells& cells) noexcept {
  const auto* categories = std::get_if<Categories>(&cells);
  return is_numeric(cells) || std::holds_alternative<DateCells>(cells) ||
         (categories != nullptr && categories->ordered());
}

bool is_continuous(const Cells& cells) noexcept {
  constexpr std::uint32_t kMostLevels = 32;
  if (const auto* dates = std::get_if<DateCells>(&cells)) return dates->size() > kMostLevels;
  if (const auto* integers = std::get_if<IntegerCells>(&cells)) {
    return integers->size() > kMostLevels;
  }
  return std::holds_alternative<NumberCells>(cells);
}

Column::Column(std::string name, Cells cells, Mapping mapping)
    : name_(std::move(name)),
      cells_(std::move(cells)),
      mapping_(std::move(mapping)),
      cell_count_(std::visit([](const auto& type) { return type.size(); }, cells_)),
      size_(cell_count_ + (mapping_.null_is_category ? 1 : 0)) {}

Column Column::make(std::string name, Cells cells, Mapping mapping) {
  if (name.empty()) throw InvalidInput("a column must have a name, but one has none");
  require_declarable(name, "a column's name");
  // YAML parsers accept keys of up to 1024 characters, quoted.
  constexpr std::size_t kMaxNameBytes = 500;
  if (name.size() > kMaxNameBytes) {
    throw InvalidInput(fmt::format("a column's name must have at most {} bytes, but one has {}",
                                   kMaxNameBytes, name.size()));
  }
  Column column(std::move(name), std::move(cells), std::move(mapping));

  const auto declared_cell = [&column](const std::string& value, std::string_view key) {
    const Reading reading = column.read(value);
    if (reading.verdict == Verdict::kNull && key == "outside") {
      throw InvalidInput(fmt::format(
          "column \"{}\": outside can be null only beside null: category, which makes null a value",
          column.name_));
    }
    if (reading.verdict != Verdict::kValue) {
      const std::string word = key == "null" ? "category" : "clip";
      refuse_name(fmt::format("column \"{}\": {}", column.name_, key),
                  fmt::format("{} (or the word {})", column.expectation(), word), value,
                  std::vector<std::string>{word});
    }
    return reading.cell;
  };
  const Mapping& declared = column.mapping_;
  if (declared.outside_value) {
    const bool becomes_null =
        declared.null_is_category && column.read(*declared.outside_value).verdict == Verdict::kNull;
    column.outside_outcome_ = becomes_null ? column.cell_count_  // the null category
                                           : declared_cell(*declared.outside_value, "outside");
  }
  if (declared.null_is_category && declared.null_value) {
    throw InvalidInput(
        fmt::format("column \"{}\": null must be either a category or a value, but is declared as "
                    "both",
                    column.name_));
  }
  if (declared.null_is_category) {
    if (column.read("").verdict != Verdict::kNull) {
      throw InvalidInput(
          fmt::format("column \"{}\": a null category is written as an empty field, but the empty "
                      "text is a declared value",
                      column.name_));
    }
    column.null_outcome_ = column.cell_count_;
  } else if (declared.null_value) {
    column.null_outcome_ = declared_cell(*declared.null_value, "null");
  } else {
    column.null_outcome_ = column.outside_outcome_.value_or(0);
  }
  return column;
}

Reading Column::read(const Value& value) const noexcept {
  return std::visit([](const auto& cells, auto typed) { return read_as(cells, typed); }, cells_,
                    value);
}

bool Column::declares_nulls() const noexcept {
  return mapping_.null_is_category || mapping_.null_value.has_value();
}

std::uint32_t Column::mapped(Reading reading) const noexcept {
  switch (reading.verdict) {
    case Verdict::kValue:
      return reading.cell;
    case Verdict::kNull:
      return null_outcome_;
    case Verdict::kOutside:
    case Verdict::kUnreadable:
      break;
  }
  return outside_outcome_.value_or(reading.cell);
}

std::uint32_t Column::encode(const Value& value) const noexcept { return mapped(read(value)); }

template <class T>
void Column::encode_all(std::span<const T> values,
                        std::span<std::uint32_t> outcomes) const noexcept {
  std::visit(
      [&](const auto& cells) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          outcomes[i] = mapped(read_as(cells, values[i]));
        }
      },
      cells_);
}

void Column::encode(std::span<const std::int64_t> values,
                    std::span<std::uint32_t> outcomes) const noexcept {
  encode_all(values, outcomes);
}

void Column::encode(std::span<const double> values,
                    std::span<std::uint32_t> outcomes) const noexcept {
  encode_all(values, outcomes);
}

void Column::encode(std::span<const std::uint8_t> truths,
                    std::span<std::uint32_t> outcomes) const noexcept {
  const std::uint32_t of_false = encode(false);
  const std::uint32_t of_true = encode(true);
  for (std::size_t i = 0; i < truths.size(); ++i) outcomes[i] = truths[i] == 0 ? of_false : of_true;
}

void Column::encode(std::span<const std::string_view> values,
                    std::span<std::uint32_t> outcomes) const noexcept {
  encode_all(values, outcomes);
}

std::uint64_t Column::points(std::uint32_t outcome) const noexcept {
  if (outcome >= cell_count_) return 1;
  return std::visit([outcome](const auto& cells) { return cells.points(outcome); }, cells_);
}

bool Column::must_be_written(std::uint32_t outcome) const noexcept {
  return outcome < cell_count_ && std::holds_alternative<DateCells>(cells_);
}

Value Column::value(std::uint32_t outcome, std::uint64_t point) const noexcept {
  if (outcome >= cell_count_) return {};
  return std::visit(
      Overloaded{[&](const Categories& categories) -> Value { return categories.value(outcome); },
                 [&](const BooleanWords& words) -> Value {
                   if (words.are_false_and_true()) return outcome == 1;
                   return std::string_view(words.word(outcome));
                 },
                 [](const DateCells&) -> Value { return {}; },
                 [&](const auto& cells) -> Value { return cells.value(outcome, point); }},
      cells_);
}

void Column::write(std::uint32_t outcome, std::uint64_t point, std::string& text) const {
  if (outcome >= cell_count_) return;  // the null category is an empty field
  std::visit([&](const auto& cells) { cells.write(outcome, point, text); }, cells_);
}

std::string Column::expectation() const {
  return std::visit([](const auto& cells) { return cells.expectation(); }, cells_);
}

std::string Column::canonical_text() const {
  std::string text = fmt::format("{} {}", type_name(cells_), counted(name_));
  const auto out = std::back_inserter(text);
  std::visit(
      Overloaded{[&](const Categories& categories) {
                   for (std::uint32_t cell = 0; cell < categories.size(); ++cell) {
                     fmt::format_to(out, " {}", counted(categories.value(cell)));
                   }
                 },
                 [&](const BooleanWords& words) {
                   fmt::format_to(out, " {} {}", counted(words.word(0)), counted(words.word(1)));
                 },
                 [&](const IntegerCells& cells) {
                   fmt::format_to(out, " {} {} {}", cells.min(), cells.max(), cells.size());
                   if (!cells.declares_bins() && !cells.ungrouped()) text += " unbinned";
                   if (cells.has_private_bins()) text += " private";
                   if (!cells.declared_edges().empty()) {
                     fmt::format_to(out, " edges {}", fmt::join(cells.declared_edges(), " "));
                   }
                 },
                 [&](const DateCells& dates) {
                   // Where its cells begin, whatever words declare them.
                   const IntegerCells& cells = dates.cells();
                   fmt::format_to(out, " {} {} {} {}", cells.min(), cells.max(), cells.size(),
                                  dates.declared().zone.value_or("clock"));
                   if (dates.declared().period) {
                     fmt::format_to(out, " {}", name_of(*dates.declared().period));
                   }
                 },
                 [&](const NumberCells& cells) {
                   // Hexadecimal: exact, and the same from every library.
                   fmt::format_to(out, " {:a} {:a} {}", cells.min(), cells.max(), cells.size());
                   if (!cells.declares_bins()) text += " unbinned";
                   if (cells.has_private_bins()) text += " private";
                   for (const double edge : cells.declared_edges()) {
                     fmt::format_to(out, " edge {:a}", edge);
                   }
                   if (cells.spike()) fmt::format_to(out, " spike {:a}", *cells.spike());
                 }},
      cells_);
  if (mapping_.null_is_category || mapping_.null_value) {
    fmt::format_to(out, " null {}", null_outcome_);
  }
  if (outside_outcome_) fmt::format_to(out, " outside {}", *outside_outcome_);
  return text;
}

}  // namespace mollify
