#include "domain/column.h"

#include <algorithm>
#include <array>
#include <cmath>
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

/// `[-9, -8]`, which are nulls, or `{-9: refused, -8: "does not apply"}`.
void read_missing_codes(const Settings& settings, Mapping& declared) {
  const Setting* const codes = settings.find("missing");
  if (codes == nullptr) return;
  const bool have_labels = codes->kind == Setting::Kind::kMapping;
  if (codes->is_scalar()) {
    settings.refuse("wrong-type", "missing",
                    "must be a list of codes, which become null, or a mapping of codes to labels, "
                    "but is neither");
  }
  if (codes->items.empty()) {
    settings.refuse("empty-input", "missing",
                    "must hold at least one code, such as [-9], but is empty: leave it out",
                    {WayOut::declare("missing"), WayOut::leave("missing")});
  }
  declared.missing_are_nulls = !have_labels;
  const auto text_of_item = [&](const Setting& item) -> const std::string& {
    if (!item.is_scalar())
      settings.refuse("wrong-type", "missing", "must hold codes and labels alone");
    return item.text;
  };
  for (std::size_t i = 0; i < codes->items.size(); i += have_labels ? 2 : 1) {
    MissingCode& made = declared.missing.emplace_back(MissingCode{text_of_item(codes->items[i])});
    if (have_labels && !codes->items[i + 1].null) made.label = text_of_item(codes->items[i + 1]);
  }
}

Setting setting_of_missing(const Mapping& mapping) {
  Setting codes{.kind =
                    mapping.missing_are_nulls ? Setting::Kind::kSequence : Setting::Kind::kMapping};
  for (const MissingCode& one : mapping.missing) {
    codes.items.push_back(Setting::word(one.code));
    if (!mapping.missing_are_nulls) codes.items.push_back(Setting::value(one.label));
  }
  return codes;
}

Mapping mapping_of(const Settings& settings, const Cells& cells) {
  Mapping declared;
  read_missing_codes(settings, declared);
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

std::vector<std::uint32_t> spike_cells(const Cells& cells) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.spike_cells(); }) return one.spike_cells();
        return std::vector<std::uint32_t>();
      },
      cells);
}

bool has_values_of_its_own(const Cells& cells) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.declared().values; }) {
          return !one.declared().values.empty() || !one.declared().spikes.empty();
        }
        return false;
      },
      cells);
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
      size_(cell_count_ + (mapping_.null_is_category ? 1 : 0)) {
  declare_missing();
}

void Column::declare_missing() {
  const std::optional<int> exponent = schema().exponent;
  const auto refuse = [&](Code fault, const std::string& code, std::string_view what) {
    refuse_input(fault, "missing", "column \"{}\": missing codes must be {}, but one is \"{}\"",
                 name_, what, code);
  };
  for (const MissingCode& declared : mapping_.missing) {
    const std::string& code = declared.code;
    require_declarable(code, {"a missing code", "missing"});
    require_declarable(declared.label, {"a missing code's label", "missing"});
    SameValueBuffer buffer;
    const auto same = same_value_text(code, buffer);
    const Value value = std::visit(
        [&](const auto& cells) -> Value {
          using Made = std::decay_t<decltype(cells)>;
          if constexpr (std::is_same_v<Made, IntegerCells>) {
            if (const auto integer = read_integer(code)) return *integer;
          } else if constexpr (std::is_same_v<Made, NumberCells>) {
            const auto number = read_number(code);
            const auto is_written = [&](const DecimalLattice& lattice) {
              return std::fabs(lattice.in_steps(*number)) <= DecimalLattice::kMaxMultiple &&
                     lattice.value(lattice.multiple(*number)) == *number;
            };
            if (number && (!exponent || is_written(DecimalLattice(*exponent)))) return *number;
          } else if constexpr (std::is_same_v<Made, DateCells>) {
            if (const auto place = cells.place_of(code)) return cells.moment_at(*place);
          }
          return {};
        },
        cells_);
    if (!kind_of(cells_).bounded) {
      refuse_input("contradicting-parameters", "missing", {WayOut::leave("missing")},
                   "column \"{}\": missing codes are for numbers, days and times, but its type is "
                   "{}: a word is a value of its own, or null if it is not declared",
                   name_, kind_of(cells_).name);
    }
    const bool is_moment = std::holds_alternative<Moment>(value);
    if ((!same && !is_moment) || std::holds_alternative<std::monostate>(value))
      refuse("wrong-type", code, "values of the column's type that it can write");
    if (place_of_missing(value)) refuse("duplicate-value", code, "distinct");
    const Reading found = std::visit(
        [&](const auto& cells) { return read_as(cells, std::string_view(code)); }, cells_);
    if (found.verdict == Verdict::kValue) {
      refuse_input(
          "contradicting-parameters", "missing",
          "column \"{}\": missing codes must lie outside of the column's range, but \"{}\" "
          "is in it: let the range end before it",
          name_, code);
    }
    missing_.insert(is_moment ? std::string_view(code) : *same);
    if (const auto* moment = std::get_if<Moment>(&value)) {
      missing_places_.push_back(std::get<DateCells>(cells_).place_of(*moment).value_or(0));
    }
    missing_values_.push_back(value);
    std::string& text = missing_texts_.emplace_back();
    if (const auto* number = std::get_if<double>(&value); number != nullptr && exponent) {
      DecimalLattice(*exponent).write(DecimalLattice(*exponent).multiple(*number), text);
    } else {
      TextBuffer written;
      std::visit(
          [&](const auto& typed) {
            if constexpr (requires { text_of(typed, written); }) text = text_of(typed, written);
          },
          value);
    }
  }
  if (!mapping_.missing_are_nulls) size_ += static_cast<std::uint32_t>(mapping_.missing.size());
}

template <class Typed>
std::optional<std::size_t> Column::place_of_missing(const Typed& value) const noexcept {
  if constexpr (std::is_same_v<Typed, Value>) {
    return std::visit([this](const auto& typed) { return this->place_of_missing(typed); }, value);
  } else if constexpr (std::is_same_v<Typed, std::monostate> || std::is_same_v<Typed, bool>) {
    return std::nullopt;
  } else {
    TextBuffer written;
    const auto text_or_moment = [&] {
      if constexpr (std::is_same_v<Typed, std::string_view> || std::is_same_v<Typed, Moment>) {
        return value;
      } else {
        return text_of(value, written);
      }
    }();
    // One moment has several texts, and a day is a code with any clock.
    if (const auto* days = std::get_if<DateCells>(&cells_)) {
      const auto place = days->place_of(text_or_moment);
      const auto found =
          std::find(missing_places_.begin(), missing_places_.end(), place.value_or(0));
      if (!place || found == missing_places_.end()) return std::nullopt;
      return static_cast<std::size_t>(found - missing_places_.begin());
    }
    SameValueBuffer buffer;
    std::string_view text;
    if constexpr (std::is_same_v<Typed, Moment>) {
      text = text_of(value, written);
    } else {
      text = text_or_moment;
    }
    const auto same = same_value_text(text, buffer);
    const std::uint32_t found = same ? missing_.find(*same) : StringIndex::kAbsent;
    return found == StringIndex::kAbsent ? std::nullopt : std::optional<std::size_t>(found);
  }
}

template <class Typed>
Reading Column::read_typed(const Typed& value) const noexcept {
  if (missing_.size() > 0) {
    if (const auto place = place_of_missing(value)) {
      if (mapping_.missing_are_nulls) return Reading{Verdict::kNull, 0};
      return Reading{Verdict::kValue, cell_count_ + static_cast<std::uint32_t>(*place)};
    }
  }
  return std::visit([&](const auto& cells) { return read_as(cells, value); }, cells_);
}

namespace {

Column column_of(const std::string& name, const Settings& settings) {
  const std::string subject = fmt::format("column {}: ", in_quotes(name));
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
    known.insert(known.end(), {"missing", "null", "outside"});
    settings.require_known(known, fmt::format("type {}", type));
    cells = row->declare(*row->kind, settings);
    mapped = mapping_of(settings, *cells);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(refused, subject + refused.what(), Concern::of_column(name));
  }
  return Column::make(name, std::move(*cells), std::move(mapped));
}

/// What `make` gives. Whatever sets a key of a column declares it.
template <class Make>
Column as_declared(const Make& make) {
  try {
    return make();
  } catch (const InvalidInput& refused) {
    std::vector<WayOut> ways = refused.ways_out();
    for (WayOut& way : ways) {
      if (way.action == WayOut::Action::kSet) way.action = WayOut::Action::kDeclare;
    }
    Concern concern(refused.parameter());
    concern.column = refused.column();
    concern.line = refused.line();
    throw InvalidInput(refused.code(), refused.what(), std::move(concern), std::move(ways),
                       refused.quantities());
  }
}

}  // namespace

Column Column::declare(const std::string& name, const Setting& mapping) {
  return as_declared([&] { return column_of(name, Settings(mapping)); });
}

DeclaredSettings Column::settings(bool spells_defaults_out) const {
  DeclaredSettings settings = {{"type", Setting::word(std::string(kind_of(cells_).name))}};
  for (auto& setting : std::visit([](const auto& one) { return one.settings(); }, cells_)) {
    settings.push_back(std::move(setting));
  }
  if (!mapping_.missing.empty()) settings.emplace_back("missing", setting_of_missing(mapping_));
  if (mapping_.null_is_category) {
    settings.emplace_back("null", Setting::word(std::string(kNullWord)));
  } else {
    settings.emplace_back("null", Setting::value(*mapping_.null_value));
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
  schema.nullable = mapping_.null_is_category;
  return schema;
}

Column Column::make(std::string name, Cells cells, Mapping mapping) {
  refuse_if(name.empty(), "malformed-text", {}, "a column must have a name, but one has none");
  require_declarable(name, {"a column's name", ""});
  // YAML parsers accept keys of up to 1024 characters, quoted.
  constexpr std::size_t kMaxNameBytes = 500;
  refuse_outside({.most = static_cast<double>(kMaxNameBytes)}, static_cast<double>(name.size()),
                 "columns", "a column's name must have at most {} bytes, but one has {}",
                 kMaxNameBytes, name.size());
  if (!mapping.null_is_category && !mapping.null_value) {
    const bool is_value = std::visit(
        [](const auto& one) { return one.read(std::string_view()).verdict == Verdict::kValue; },
        cells);
    if (is_value) mapping.null_value = "";
    mapping.null_is_category = !is_value;
  }
  Column column(std::move(name), std::move(cells), std::move(mapping));

  const auto declared_cell = [&column](const std::string& value, std::string_view key) {
    const Reading reading = column.read(value);
    if (reading.verdict == Verdict::kNull && key == "outside") {
      Concern concern(key);
      concern.column = column.name_;
      refuse_input(
          "contradicting-parameters", concern, {WayOut::declare("null", "category")},
          "column \"{}\": outside can be null only with null: category, which makes null a value",
          column.name_);
    }
    if (reading.verdict != Verdict::kValue) {
      const std::string word = key == "null" ? "category" : "clip";
      const std::vector<std::string> words{word};
      Concern concern(key);
      concern.column = column.name_;
      refuse_input("unknown-name", concern, {WayOut::declare(key, nearest_name(value, words))},
                   "column \"{}\": {} must be {} (or the word {}), but is \"{}\"{}", column.name_,
                   key, column.expectation(), word, value, did_you_mean(value, words));
    }
    const bool is_on_step = std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.is_on_step(value); }) return one.is_on_step(value);
          return true;
        },
        column.cells_);
    if (!is_on_step && reading.cell < column.cell_count_) {
      std::string nearest;
      column.write(reading.cell, 0, nearest);
      Concern concern(key);
      concern.column = column.name_;
      refuse_input("unknown-value", concern, {WayOut::declare(key, nearest)},
                   "column \"{}\": {} must be a multiple of the step, such as {}, but is \"{}\"",
                   column.name_, key, nearest, value);
    }
    return reading.cell;
  };
  const Mapping& declared = column.mapping_;
  if (declared.outside_value) {
    const bool becomes_null =
        declared.null_is_category && column.read(*declared.outside_value).verdict == Verdict::kNull;
    column.outside_outcome_ = becomes_null ? column.size_ - 1  // the null category
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
    column.null_outcome_ = column.size_ - 1;
  } else {
    column.null_outcome_ = declared_cell(*declared.null_value, "null");
  }
  // Of words none is near: one that is not declared is as good as none.
  if (!declared.outside_value && !kind_of(column.cells_).bounded)
    column.outside_outcome_ = column.null_outcome_;
  return column;
}

Reading Column::read(const Value& value) const noexcept {
  return std::visit([this](const auto& typed) { return read_typed(typed); }, value);
}

std::uint32_t Column::mapped(Reading reading) const noexcept {
  switch (reading.verdict) {
    case Verdict::kValue:
      return reading.cell;
    case Verdict::kNull:
      return null_outcome_;
    case Verdict::kOutside:
    case Verdict::kNotWhole:
      return outside_outcome_.value_or(reading.cell);
    case Verdict::kUnreadable:
      break;
  }
  return outside_outcome_.value_or(null_outcome_);
}

template <class Rows>
void Column::encode(const Rows& values, std::span<std::uint32_t> outcomes) const noexcept {
  if (missing_.size() > 0) {
    for (std::size_t i = 0; i < values.size(); ++i) outcomes[i] = mapped(read_typed(values[i]));
    return;
  }
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
  if (is_missing_code(outcome)) return missing_values_[outcome - cell_count_];
  if (outcome >= cell_count_) return {};
  return std::visit([&](const auto& cells) -> Value { return cells.value(outcome, point); },
                    cells_);
}

void Column::write(std::uint32_t outcome, std::uint64_t point, std::string& text) const {
  if (is_missing_code(outcome)) text += missing_texts_[outcome - cell_count_];
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
  text += fmt::format(" null {}", null_outcome_);
  if (outside_outcome_) text += fmt::format(" outside {}", *outside_outcome_);
  if (missing_.size() > 0) text += mapping_.missing_are_nulls ? " missing as nulls" : " missing";
  for (std::size_t i = 0; i < missing_.size(); ++i) text += fmt::format(" {}", missing_[i]);
  return text;
}

}  // namespace mollify
