#include "domain/column.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/words.h"
#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// One declared column of the public domain.

namespace {

struct KindRow {
  const ColumnKind* kind;
  Cells (*declare)(const ColumnKind&, const Settings&);
};

template <class AnyCells>
constexpr KindRow row_of(const ColumnKind& kind) {
  if constexpr (AreCells<AnyCells>) {
    return {&kind, [](const ColumnKind& one, const Settings& settings) -> Cells {
              return AnyCells::declare(one, settings);
            }};
  } else {
    return {&kind, nullptr};  // the compiler has said already what is wrong
  }
}

/// Every kind of column.
constexpr std::array kKinds = {
    row_of<Categories>(Categories::kCategorical), row_of<Categories>(Categories::kOrdinal),
    row_of<BooleanWords>(BooleanWords::kKind),    row_of<IntegerCells>(IntegerCells::kKind),
    row_of<NumberCells>(NumberCells::kKind),      row_of<DateCells>(DateCells::kDate),
    row_of<DateCells>(DateCells::kDatetime)};

constexpr std::string_view kNullWord = "category";
constexpr std::string_view kOutsideWord = "clip";

/// A column's cell for a value: from its text, unless it finds the cell without writing one.
template <class AnyCells, class Typed>
Reading read_as(const AnyCells& cells, const Typed& value) noexcept {
  if constexpr (std::is_same_v<Typed, std::monostate>) {
    return cells.read(std::string_view());
  } else if constexpr (std::is_same_v<Typed, bool>) {
    return cells.read(std::string_view(value ? "true" : "false"));
  } else if constexpr (requires { cells.read(value); }) {
    return cells.read(value);
  } else {
    TextBuffer buffer;
    return cells.read(text_of(value, buffer));
  }
}

/// In quotes a word of the format is a value, if the column has it.
bool is_format_word(const Setting& setting, std::string_view word, const Cells& cells) {
  if (setting.is_word(word)) return true;
  const auto verdict = std::visit(
      [&](const auto& declared) { return declared.read(std::string_view(setting.text)).verdict; },
      cells);
  return setting.text == word && verdict != Verdict::kValue;
}

Mapping mapping_of(const Settings& settings, const Cells& cells) {
  Mapping declared;
  if (settings.has("null")) {
    const std::string value = settings.get<std::string>("null");
    declared.null_is_category = is_format_word(*settings.find("null"), kNullWord, cells);
    if (!declared.null_is_category) declared.null_value = value;
  }
  if (const Setting* const outside = settings.find("outside")) {
    if (outside->null) {
      declared.outside_value = "";  // as a field would write it
    } else if (const std::string value = settings.get<std::string>("outside");
               !is_format_word(*outside, kOutsideWord, cells)) {
      declared.outside_value = value;
    } else {
      declared.clips = true;
    }
  }
  return declared;
}

}  // namespace

std::span<const ColumnKind* const> column_kinds() noexcept {
  static constexpr auto kAll = [] {
    std::array<const ColumnKind*, kKinds.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kKinds[i].kind;
    return all;
  }();
  return kAll;
}

const ColumnKind& kind_of(const Cells& cells) noexcept {
  return std::visit([](const auto& one) -> const ColumnKind& { return one.kind(); }, cells);
}

bool has_private_bins(const Cells& cells) noexcept {
  const auto* const integers = std::get_if<IntegerCells>(&cells);
  const auto* const numbers = std::get_if<NumberCells>(&cells);
  return (integers != nullptr && integers->has_private_bins()) ||
         (numbers != nullptr && numbers->has_private_bins());
}

bool is_continuous(const Cells& cells) noexcept {
  constexpr std::uint32_t kMostLevels = 32;
  if (std::holds_alternative<NumberCells>(cells)) return true;
  return kind_of(cells).bounded &&
         std::visit([](const auto& one) { return one.size(); }, cells) > kMostLevels;
}

Column::Column(std::string name, Cells cells, Mapping mapping)
    : name_(std::move(name)),
      cells_(std::move(cells)),
      mapping_(std::move(mapping)),
      cell_count_(std::visit([](const auto& type) { return type.size(); }, cells_)),
      size_(cell_count_ + (mapping_.null_is_category ? 1 : 0)) {}

Column Column::declare(const std::string& name, const Setting& mapping) {
  const Settings settings(mapping);
  const std::string subject = fmt::format("column \"{}\": ", name);
  std::optional<Cells> cells;
  Mapping mapped;
  try {
    const auto type = settings.get<std::string>("type");
    const auto row = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const KindRow& one) { return one.kind->name == type; });
    if (row == kKinds.end()) {
      std::vector<std::string> types;
      for (const ColumnKind* const kind : column_kinds()) types.emplace_back(kind->name);
      settings.refuse("unknown-name", "type",
                      fmt::format("must be {}, but is \"{}\"{}", choice_words(types), type,
                                  did_you_mean(type, types)),
                      {WayOut::declare("type", nearest_name(type, types))});
    }
    std::vector<std::string_view> known = {"type"};
    for (const ColumnKey& key : row->kind->keys) known.push_back(key.name);
    known.insert(known.end(), {"null", "outside"});
    settings.require_known(known, fmt::format("type {}", type));
    cells = row->declare(*row->kind, settings);
    mapped = mapping_of(settings, *cells);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(refused, subject + refused.what(), Concern::of_column(name));
  }
  return make(name, std::move(*cells), std::move(mapped));
}

DeclaredSettings Column::settings(bool spells_defaults_out) const {
  DeclaredSettings settings = {{"type", Setting::word(std::string(kind_of(cells_).name))}};
  for (auto& setting : std::visit([](const auto& one) { return one.settings(); }, cells_)) {
    settings.push_back(std::move(setting));
  }
  if (mapping_.null_is_category) {
    settings.emplace_back("null", Setting::word(std::string(kNullWord)));
  } else if (mapping_.null_value) {
    settings.emplace_back("null", Setting::value(*mapping_.null_value));
  } else if (spells_defaults_out) {
    std::string value;
    const std::uint32_t cell = encode(std::string_view());
    const auto* const numbers = std::get_if<NumberCells>(&cells_);
    if (numbers != nullptr && cell == 0) {
      value = fmt::format("{}", numbers->min());  // as it stands beside `min`
    } else {
      write(cell, 0, value);
    }
    settings.emplace_back("null", Setting::value(value));
  }
  if (mapping_.outside_value && mapping_.null_is_category && mapping_.outside_value->empty()) {
    settings.emplace_back("outside", Setting{.null = true, .text = "null"});
  } else if (mapping_.outside_value) {
    settings.emplace_back("outside", Setting::value(*mapping_.outside_value));
  } else if (mapping_.clips || spells_defaults_out) {
    settings.emplace_back("outside", Setting::word(std::string(kOutsideWord)));
  }
  return settings;
}

ColumnSchema Column::schema() const {
  ColumnSchema schema{.name = name_};
  std::visit([&](const auto& cells) { cells.describe(schema); }, cells_);
  schema.nullable = size_ > cell_count_;
  return schema;
}

Column Column::make(std::string name, Cells cells, Mapping mapping) {
  refuse_if(name.empty(), "malformed-text", {}, "a column must have a name, but one has none");
  require_declarable(name, {"a column's name", ""});
  // YAML parsers accept keys of up to 1024 characters, quoted.
  constexpr std::size_t kMaxNameBytes = 500;
  refuse_if(name.size() > kMaxNameBytes, "out-of-range", {},
            "a column's name must have at most {} bytes, but one has {}", kMaxNameBytes,
            name.size());
  Column column(std::move(name), std::move(cells), std::move(mapping));

  const auto declared_cell = [&column](const std::string& value, std::string_view key) {
    const Reading reading = column.read(value);
    if (reading.verdict == Verdict::kNull && key == "outside") {
      refuse_input(
          "contradicting-parameters", "outside", {WayOut::set("null", "category")},
          "column \"{}\": outside can be null only with null: category, which makes null a value",
          column.name_);
    }
    if (reading.verdict != Verdict::kValue) {
      const std::string word = key == "null" ? "category" : "clip";
      refuse_name({fmt::format("column \"{}\": {}", column.name_, key), key},
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
  refuse_if(declared.null_is_category && declared.null_value, "contradicting-parameters", "null",
            "column \"{}\": null must be either a category or a value, but is declared as both",
            column.name_);
  if (declared.null_is_category) {
    refuse_if(column.read("").verdict != Verdict::kNull, "contradicting-parameters", "null",
              "column \"{}\": a null category is written as an empty field, but the empty text is "
              "a declared value",
              column.name_);
    column.null_outcome_ = column.cell_count_;
  } else if (declared.null_value) {
    column.null_outcome_ = declared_cell(*declared.null_value, "null");
  } else {
    column.null_outcome_ = column.outside_outcome_.value_or(0);
  }
  return column;
}

Reading Column::read(const Value& value) const noexcept {
  return std::visit([](const auto& cells, const auto& typed) { return read_as(cells, typed); },
                    cells_, value);
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

template <class Rows>
void Column::encode(const Rows& values, std::span<std::uint32_t> outcomes) const noexcept {
  std::visit(
      [&](const auto& cells) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          outcomes[i] = mapped(read_as(cells, values[i]));
        }
      },
      cells_);
}
template void Column::encode(const std::span<const std::int64_t>&,
                             std::span<std::uint32_t>) const noexcept;
template void Column::encode(const std::span<const double>&,
                             std::span<std::uint32_t>) const noexcept;
template void Column::encode(const std::span<const std::string_view>&,
                             std::span<std::uint32_t>) const noexcept;
template void Column::encode(const Moments&, std::span<std::uint32_t>) const noexcept;

void Column::encode(std::span<const std::uint8_t> truths,
                    std::span<std::uint32_t> outcomes) const noexcept {
  const std::uint32_t of_false = encode(false);
  const std::uint32_t of_true = encode(true);
  for (std::size_t i = 0; i < truths.size(); ++i) outcomes[i] = truths[i] == 0 ? of_false : of_true;
}

std::uint64_t Column::points(std::uint32_t outcome) const noexcept {
  if (outcome >= cell_count_) return 1;
  return std::visit([outcome](const auto& cells) { return cells.points(outcome); }, cells_);
}

Value Column::value(std::uint32_t outcome, std::uint64_t point) const noexcept {
  if (outcome >= cell_count_) return {};
  return std::visit([&](const auto& cells) -> Value { return cells.value(outcome, point); },
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
  // The length first, so that no name can imitate the end of another.
  std::string text = fmt::format("{} {}:{}", kind_of(cells_).name, name_.size(), name_);
  std::visit([&](const auto& cells) { cells.add_canonical(text); }, cells_);
  if (mapping_.null_is_category || mapping_.null_value) {
    text += fmt::format(" null {}", null_outcome_);
  }
  if (outside_outcome_) text += fmt::format(" outside {}", *outside_outcome_);
  return text;
}

}  // namespace mollify
