// What a record can be: public, and declared before any data is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// How a column maps what is not one of its values.
struct Mapping {
  /// Null is a value of its own, written as an empty field.
  bool null_is_category = false;
  /// The value that nulls become, as a field would write it. With neither of the two, nulls are
  /// mapped like what is unreadable.
  std::optional<std::string> null_value{};
  /// The value that all else becomes; empty, for null, beside a null category. Without it numbers
  /// go to the nearest value of the domain, and everything else to the first one.
  std::optional<std::string> outside_value{};
  /// That default, spelled out, as `outside: clip` in a file. No warning asks for it then.
  bool clips = false;
};

/// A named column of finitely many values. Immutable, cheap to copy, safe to share between threads.
///
/// The functions that make one throw InvalidInput, naming the column, for a name that is not one
/// line of 1 to 500 bytes of UTF-8 text and for a mapping to what is no value of the column.
class Column {
 public:
  /// 1 to 2^24 distinct words, each one line of UTF-8 text. Words are compared byte
  /// for byte; a number is every text that writes it (1, 1.0, 01), so no two may write the same.
  [[nodiscard]] static Column categorical(std::string name, const std::vector<std::string>& values,
                                          Mapping mapping = {});

  /// Two words, read with or without the case of their letters; beside the usual ones (false, f,
  /// no, 0 and true, t, yes, 1) all of these.
  [[nodiscard]] static Column boolean(std::string name, std::string false_word = "false",
                                      std::string true_word = "true", Mapping mapping = {});

  /// The integers min ... max, fewer than 2^63, in `bins` groups of near-equal size: 1 to 2^24, at
  /// most one for each integer, which is the default as far as it goes.
  [[nodiscard]] static Column integer(std::string name, std::int64_t min, std::int64_t max,
                                      std::optional<std::uint64_t> bins = std::nullopt,
                                      Mapping mapping = {});

  /// The numbers min ... max, both finite, in `bins` cells of equal width: 1 to 2^24. Without
  /// `bins` a number is kept to about six digits.
  [[nodiscard]] static Column number(std::string name, double min, double max,
                                     std::optional<std::uint64_t> bins = std::nullopt,
                                     Mapping mapping = {});

  /// As categorical, and the order of the words means something: scorers use it.
  [[nodiscard]] static Column ordinal(std::string name, const std::vector<std::string>& values,
                                      Mapping mapping = {});

  /// Integers in cells edges[j] ... edges[j + 1] - 1, the last one with its end.
  [[nodiscard]] static Column integer_edges(std::string name,
                                            const std::vector<std::int64_t>& edges,
                                            Mapping mapping = {});

  /// Numbers in cells from edge to edge, and a number that many values are exactly (0, say) in a
  /// cell of its own.
  [[nodiscard]] static Column number_edges(std::string name, const std::vector<double>& edges,
                                           std::optional<double> spike = std::nullopt,
                                           Mapping mapping = {});
  /// The same with cells of equal width.
  [[nodiscard]] static Column number_spike(std::string name, double min, double max,
                                           std::uint64_t bins, double spike, Mapping mapping = {});

  /// The days from min to max, as 2026-01-31, in cells: "day", "week", "month", "quarter", "year"
  /// or a number of them; empty: a cell for each.
  [[nodiscard]] static Column date(std::string name, const std::string& min, const std::string& max,
                                   const std::string& bins = {}, Mapping mapping = {});

  /// The seconds from min to max, as 2026-01-31T12:34:56, on the clock of an offset from UTC ("Z",
  /// "+01:00"), in which times with another offset are read; empty: of a clock without a zone.
  [[nodiscard]] static Column datetime(std::string name, const std::string& min,
                                       const std::string& max, const std::string& bins = {},
                                       const std::string& zone = {}, Mapping mapping = {});

  [[nodiscard]] const std::string& name() const noexcept;
  /// How many values, groups or cells; one more with a category for nulls.
  [[nodiscard]] std::uint32_t size() const noexcept;

  class Inside;
  explicit Column(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  [[nodiscard]] const Inside& inside() const noexcept { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

/// A product of columns. Immutable, cheap to copy, safe to share between threads.
class Domain {
 public:
  /// `seed` fixes the public candidates of releases that use them. Throws InvalidInput unless there
  /// is at least one column and names are distinct.
  [[nodiscard]] static Domain make(const std::vector<Column>& columns, std::uint64_t seed = 0);

  /// Reads a domain file (docs/guide); throws InvalidInput, one sentence with file and line.
  [[nodiscard]] static Domain read(const std::string& path);
  /// The same for its text; `name` stands for the file in messages.
  [[nodiscard]] static Domain parse(std::string_view yaml, const std::string& name = "the domain");

  /// The text of a domain file; `parse` makes an equal domain of it.
  [[nodiscard]] std::string yaml() const;
  /// What it says, for programs: {"seed": "7", "columns": [{"name": "sex", "type": "categorical",
  /// ...}]}. Scalars are texts as in `yaml`, and {"value": TEXT} where a text in quotes would be
  /// another thing without them.
  [[nodiscard]] std::string json() const;
  /// SHA-256, in 64 hexadecimal digits, of what the domain means: equal for equal domains only,
  /// and the same on every machine. Certificates name it.
  [[nodiscard]] std::string hash() const;

  [[nodiscard]] std::vector<std::string> column_names() const;

  /// Names the columns that do not declare what undeclared and missing values become, and the words
  /// to write; empty if all of them do. Show it to whoever made the domain.
  [[nodiscard]] std::string warning() const;

  /// How many records there can be: exact up to 2^53, and possibly infinite.
  [[nodiscard]] double outcome_count() const noexcept;
  /// Whether these are at most 2^24. Then a record is also a number 0 ... outcome_count() - 1, in
  /// the lexicographic order of the columns.
  [[nodiscard]] bool is_enumerable() const noexcept;

  /// The outcome of a record, given by the texts of its fields in the columns' order. O(columns).
  ///
  /// Total, for records are private: any text is mapped as declared, missing fields are nulls,
  /// further ones are ignored. Throws InvalidInput only if the domain is not enumerable.
  [[nodiscard]] std::uint32_t encode(std::span<const std::string_view> fields) const;

  /// A record of the outcome: one text for each column. Where an outcome stands for several values,
  /// one of them is drawn evenly, by the operating system's entropy. Throws InvalidInput for an
  /// outcome that is none.
  [[nodiscard]] std::vector<std::string> decode(std::uint32_t outcome) const;

  friend bool operator==(const Domain& left, const Domain& right);

  class Inside;
  explicit Domain(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  [[nodiscard]] const Inside& inside() const noexcept { return *inside_; }

 private:
  std::shared_ptr<const Inside> inside_;
};

}  // namespace MOLLIFY_NAMESPACE
