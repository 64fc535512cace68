#include "space/column.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/declared_word.h"

namespace mollify {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// Length first, so that no text can imitate the end of another.
std::string counted(std::string_view text) { return fmt::format("{}:{}", text.size(), text); }

}  // namespace

std::string_view type_name(const Cells& cells) noexcept {
  return std::visit(Overloaded{[](const Categories&) -> std::string_view { return "categorical"; },
                               [](const BooleanWords&) -> std::string_view { return "boolean"; },
                               [](const IntegerCells&) -> std::string_view { return "integer"; },
                               [](const NumberCells&) -> std::string_view { return "number"; }},
                    cells);
}

bool is_numeric(const Cells& cells) noexcept {
  return std::holds_alternative<NumberCells>(cells) || std::holds_alternative<IntegerCells>(cells);
}

bool is_continuous(const Cells& cells) noexcept {
  constexpr std::uint32_t kMostLevels = 32;
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
    if (reading.verdict != Verdict::kValue) {
      throw InvalidInput(fmt::format("column \"{}\": {} must be {}, but is \"{}\"", column.name_,
                                     key, column.expectation(), value));
    }
    return reading.cell;
  };
  const Mapping& declared = column.mapping_;
  if (declared.outside_value) {
    column.outside_outcome_ = declared_cell(*declared.outside_value, "outside");
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

Reading Column::read(std::string_view text) const noexcept {
  return std::visit([text](const auto& cells) { return cells.read(text); }, cells_);
}

bool Column::declares_nulls() const noexcept {
  return mapping_.null_is_category || mapping_.null_value.has_value();
}

std::uint32_t Column::encode(std::string_view text) const noexcept {
  const Reading reading = read(text);
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

std::uint64_t Column::points(std::uint32_t outcome) const noexcept {
  if (outcome >= cell_count_) return 1;
  return std::visit([outcome](const auto& cells) { return cells.points(outcome); }, cells_);
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
                 },
                 [&](const NumberCells& cells) {
                   // Hexadecimal: exact, and the same from every library.
                   fmt::format_to(out, " {:a} {:a} {}", cells.min(), cells.max(), cells.size());
                   if (!cells.declares_bins()) text += " unbinned";
                 }},
      cells_);
  if (mapping_.null_is_category || mapping_.null_value) {
    fmt::format_to(out, " null {}", null_outcome_);
  }
  if (outside_outcome_) fmt::format_to(out, " outside {}", *outside_outcome_);
  return text;
}

}  // namespace mollify
