// A column: its kind, its cells, its words.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "domain/numbers.h"
#include "domain/same_value.h"
#include "domain/settings.h"
#include "domain/times.h"
#include "domain/words.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// One declared column of the public domain.

/// What the class of a kind's cells must have.
template <class Made>
concept AreCells = requires(const Made& cells, const ColumnKind& row, const Settings& declared,
                            std::string& text, ColumnSchema& schema, std::uint32_t cell,
                            std::uint64_t point) {
  // Throws InvalidInput, "min must be at most max, ...".
  { Made::declare(row, declared) } -> std::same_as<Made>;
  { cells.kind() } -> std::same_as<const ColumnKind&>;
  // `declare` makes equal cells of them.
  { cells.settings() } -> std::same_as<DeclaredSettings>;
  // Appends what they mean, for the domain's hash.
  cells.add_canonical(text);
  // Sets the type of released values.
  cells.describe(schema);
  { cells.size() } -> std::same_as<std::uint32_t>;
  // Total, O(length). Perhaps also of an integer, a double or a Moment: as of its text.
  { cells.read(std::string_view()) } -> std::same_as<Reading>;
  // How many values a cell is written as, at least one.
  { cells.points(cell) } -> std::same_as<std::uint64_t>;
  // One of them: of `describe`'s type, or a text.
  { cells.value(cell, point) } -> std::convertible_to<Value>;
  // Appends it as text, which is read into the cell.
  cells.write(cell, point, text);
  // "an integer from 0 to 100", for messages.
  { cells.expectation() } -> std::same_as<std::string>;
};

namespace detail {

/// A variant of those classes that are cells. If a class is not, the compiler says which member it
/// lacks. The class is then left out of the variant, so that no other code fails to compile.
template <class... Fit>
struct CellsOf {
  using Variant = std::variant<Fit...>;

  template <class Made>
  constexpr auto operator+(std::type_identity<Made>) const {
    static_assert(AreCells<Made>);
    if constexpr (AreCells<Made>) {
      return CellsOf<Fit..., Made>();
    } else {
      return *this;
    }
  }
};

template <class... Made>
using CheckedCells = typename decltype((CellsOf<>() + ... + std::type_identity<Made>()))::Variant;

}  // namespace detail

/// The possible values of a column: a finite number of cells.
using Cells = detail::CheckedCells<Categories, BooleanWords, IntegerCells, NumberCells, DateCells>;

/// Every kind, in the order in which documents list them.
[[nodiscard]] std::span<const ColumnKind* const> column_kinds() noexcept;

[[nodiscard]] const ColumnKind& kind_of(const Cells& cells) noexcept;

/// True for integers and numbers.
[[nodiscard]] inline bool is_numeric(const Cells& cells) noexcept { return kind_of(cells).numeric; }

/// True where cells lie in an order: for integers and numbers, days and times, and ordinals.
[[nodiscard]] inline bool is_ordered(const Cells& cells) noexcept { return kind_of(cells).ordered; }

/// True where a value is a place on an axis rather than one of a few levels: for numbers, and for
/// other ordered cells but words, if there are more than 32.
[[nodiscard]] bool is_continuous(const Cells& cells) noexcept;

/// The cells of declared spikes, ascending.
[[nodiscard]] std::vector<std::uint32_t> spike_cells(const Cells& cells);

/// True for numbers and integers with spikes or a list of values.
[[nodiscard]] bool has_values_of_its_own(const Cells& cells);

/// True for numbers whose bins a release finds privately.
[[nodiscard]] bool has_private_bins(const Cells& cells) noexcept;

/// A number, day or time that means "none", and why: -9 for "refused".
struct MissingCode {
  std::string code;     ///< as a value is written
  std::string label{};  ///< for people; empty if none is declared

  friend bool operator==(const MissingCode&, const MissingCode&) = default;
};

/// How a column maps what is not one of its values. Declared, hence public.
struct Mapping {
  /// Null is an outcome of its own, written as an empty field. Column::make sets it if no
  /// `null_value` is declared, unless the empty text is a value of the column: nulls are that then.
  bool null_is_category = false;
  /// The value nulls become, as a field would write it.
  std::optional<std::string> null_value{};
  /// The value which all outside or unreadable becomes; a null with a null category. Without it
  /// (`outside: clip`), numbers, days and times beyond a bound go to the domain's nearest value, and
  /// all else is mapped like a null.
  std::optional<std::string> outside_value{};
  /// The default of `outside`, spelled out: `outside: clip`.
  bool clips = false;
  /// Codes outside of the column's range that mean "none": each an outcome of its own that is
  /// written as the code, or all of them nulls.
  std::vector<MissingCode> missing{};
  bool missing_are_nulls = false;

  /// True if the domain says what becomes of a value that is not one of the column's.
  [[nodiscard]] bool declares_outside() const noexcept { return clips || outside_value; }

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// A named, finite column: texts of fields to outcomes 0 … size() - 1 and back. Immutable.
///
/// `encode` is total: it is defined for every value and every byte string, throws for none, and its
/// time depends on the text's length alone. A value of another type is what its text is. Cells come
/// first, missing codes with outcomes of their own next, the null category, if there is one, last.
class Column {
 public:
  /// A column as a domain file declares it: `settings` maps its `type`, the keys of that kind, and
  /// perhaps `null` and `outside`, to values. Throws InvalidInput, naming the column, for a wrong
  /// declaration, with the setting's line if one alone is to blame.
  ///
  /// `null: category` and `outside: clip` are words of the format, in quotes also if the column
  /// does not have them as values.
  [[nodiscard]] static Column declare(const std::string& name, const Setting& settings);

  /// Throws InvalidInput, naming the column, unless the name is a line of 1 to 500 bytes of UTF-8
  /// text, the mapping's values are values of the domain, at most one null policy is declared, and,
  /// with a null category, the empty text is not itself a declared value. Missing codes must be
  /// distinct values of the column's type, of numbers, days or times, that it can write, and lie
  /// outside of its range: a cell with a code in it would be written as the code.
  ///
  /// The default bends nothing: see Mapping.
  [[nodiscard]] static Column make(std::string name, Cells cells, Mapping mapping = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Cells& cells() const noexcept { return cells_; }
  [[nodiscard]] const Mapping& mapping() const noexcept { return mapping_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// True for an outcome that is written as a missing code.
  [[nodiscard]] bool is_missing_code(std::uint32_t outcome) const noexcept {
    return outcome >= cell_count_ && !(mapping_.null_is_category && outcome + 1 == size_);
  }
  /// The outcomes that are cells. The others are missing codes and the null category.
  [[nodiscard]] std::uint32_t cell_count() const noexcept { return cell_count_; }
  [[nodiscard]] std::uint32_t codes_and_nulls() const noexcept { return size_ - cell_count_; }

  /// Its declaration, as for `declare`; defaults may be spelled out.
  [[nodiscard]] DeclaredSettings settings(bool spells_defaults_out = false) const;
  /// The type of its released values.
  [[nodiscard]] ColumnSchema schema() const;

  /// How the value matches the declaration, before any mapping.
  [[nodiscard]] Reading read(const Value& value) const noexcept;

  /// The outcome of a value, mapped as declared.
  [[nodiscard]] std::uint32_t encode(const Value& value) const noexcept {
    return mapped(read(value));
  }
  /// Cells of many values, none of them null; truths are bytes, and 0 is false. Requires
  /// outcomes.size() == values.size().
  void encode(std::span<const std::uint8_t> truths,
              std::span<std::uint32_t> outcomes) const noexcept;
  /// The values are a span of integers, doubles or texts, or Moments.
  template <class Rows>
  void encode(const Rows& values, std::span<std::uint32_t> outcomes) const noexcept;

  /// How many texts an outcome can be written as; at least one. Requires outcome < size().
  [[nodiscard]] std::uint64_t points(std::uint32_t outcome) const noexcept;

  /// The `point`-th value of the outcome: an integer, a number, a day or instant, a truth if the
  /// words are false and true, else a word, or a null; `encode` maps it back to the outcome. Valid
  /// as long as the column. Requires outcome < size() and point < points(outcome).
  [[nodiscard]] Value value(std::uint32_t outcome, std::uint64_t point) const noexcept;
  /// Appends it as text.
  void write(std::uint32_t outcome, std::uint64_t point, std::string& text) const;

  /// The allowed values, for messages: "an integer from 0 to 100".
  [[nodiscard]] std::string expectation() const;

  /// Two columns with the same canonical text have the same name and encode and decode alike. The
  /// text is the same on every machine.
  [[nodiscard]] std::string canonical_text() const;

 private:
  Column(std::string name, Cells cells, Mapping mapping);

  [[nodiscard]] std::uint32_t mapped(Reading reading) const noexcept;
  void declare_missing();
  /// The place of the missing code that the value is, in the order of their declaration.
  template <class Typed>
  [[nodiscard]] std::optional<std::size_t> place_of_missing(const Typed& value) const noexcept;
  template <class Typed>
  [[nodiscard]] Reading read_typed(const Typed& value) const noexcept;

  std::string name_;
  Cells cells_;
  Mapping mapping_;
  std::uint32_t cell_count_;
  std::uint32_t size_;
  StringIndex missing_;  // texts of values that codes write; of days and times their places
  std::vector<std::int64_t> missing_places_;  // of codes of days and times
  std::vector<Value> missing_values_;         // released
  std::vector<std::string> missing_texts_;
  std::uint32_t null_outcome_ = 0;
  std::optional<std::uint32_t> outside_outcome_;
};

}  // namespace mollify
