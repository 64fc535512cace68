// Sources of private records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/sink.h"
#include "records/unit_columns.h"
#include "records/values.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// Where records come from.

/// The file that something was read from, for certificates. Of public inputs alone: the hash of a
/// private file would reveal its content.
struct Provenance {
  std::string name;
  std::string sha256;  ///< in hexadecimal digits
};

/// A thread's work on the blocks that it reads, if several read one source.
class BlockWorker {
 public:
  BlockWorker() = default;
  BlockWorker(const BlockWorker&) = delete;
  BlockWorker& operator=(const BlockWorker&) = delete;
  virtual ~BlockWorker() = default;

  /// Comes first, and may run while other workers do.
  virtual void work(const Block& /*block*/) {}
  /// Whether `take` is wanted. Those who only count, in whatever order, need not wait for others.
  [[nodiscard]] virtual bool takes() const noexcept { return true; }
  /// Comes then, for the same block: of all workers one at a time, in the order of the rows. So
  /// what is made of a source does not depend on how many threads read it.
  virtual void take(const Block& block) = 0;
};

/// The use of a column: the end of a sentence, "which the domain declares", and the parameter that
/// names the column, if one does.
struct ColumnUse {
  constexpr ColumnUse(const char* why, std::string_view flag = {}) noexcept  // NOLINT
      : reason(why), parameter(flag) {}
  std::string_view reason, parameter;
};

/// A table of records, in rows. Its columns' names are public; the rows are private or public as
/// the user says.
///
/// A source's duties. Every visit gives the same rows in the same order. A row depends on its own
/// record alone, so that replacing a record replaces one row. Every record is a row, whatever it
/// holds: an unreadable value is a null, and an empty line of a file is a row of nulls. Reading
/// fails (throws) only for reasons that do not depend on values, such as a file that is gone.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Its name in messages: a file's path, or "the data".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Its path, if it is read from a file.
  [[nodiscard]] virtual std::string_view file() const noexcept { return {}; }

  [[nodiscard]] virtual const std::vector<std::string>& columns() const noexcept = 0;

  /// Calls `take` with blocks of the wanted columns, in their order, row after row from the first.
  /// `wanted` are places in columns(), and may be none: then blocks only have rows. A block is
  /// valid during the call only. Throws InvalidInput if the source cannot be visited again.
  virtual void visit(std::span<const std::size_t> wanted,
                     const std::function<void(const Block&)>& take) const = 0;

  /// A visit by all threads that the source has been given: each block goes to one of the workers
  /// that `make_worker` makes, in this thread, one for each thread.
  virtual void visit_by(std::span<const std::size_t> wanted,
                        const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const;

  /// The number of records; counted, where it is not known. A mechanism may only use it where it is
  /// public.
  [[nodiscard]] virtual std::uint64_t record_count() const = 0;

  /// The place of the column that says how many records each row represents: then blocks have
  /// counts.
  [[nodiscard]] virtual std::optional<std::size_t> counts_column() const noexcept { return {}; }
  [[nodiscard]] bool has_counts() const noexcept { return counts_column().has_value(); }

  /// The place of the column with the weight of each row, and the greatest weight, in steps
  /// (records/weights.h): then blocks have weights.
  struct RowWeights {
    std::size_t column;
    std::uint64_t greatest;
  };
  [[nodiscard]] virtual std::optional<RowWeights> weights() const noexcept { return {}; }

  /// From then on the source can be visited, and counted, as often as one likes. Throws
  /// InvalidInput if that cannot be.
  virtual void require_repeatable() const {}

  /// Throws InvalidInput if the column is of a type that cannot be read.
  virtual void require_readable(std::size_t /*column*/) const {}

  /// True if the column holds lists, so that a row is several records. Public: its type says so.
  [[nodiscard]] virtual bool holds_lists(std::size_t /*column*/) const noexcept { return false; }

  /// Why the column does not have one value in each row that a domain's column can read, to follow
  /// "is left out: "; empty if it has. Public: it depends on the column's type and name alone.
  [[nodiscard]] virtual std::string fault_of(std::size_t /*column*/) const { return {}; }

  /// The file behind it, if any.
  [[nodiscard]] virtual std::optional<Provenance> provenance() const { return std::nullopt; }

  /// True if the names are the first line of a file, which is a private record if the file has no
  /// header.
  [[nodiscard]] virtual bool names_are_a_line() const noexcept { return false; }

  /// The place of a column. Throws InvalidInput unless there is one column of this name that can be
  /// read. The refusal lists the other names, if they are a line only if two of `declared` are
  /// among them.
  [[nodiscard]] std::size_t position(std::string_view column, const ColumnUse& use,
                                     std::span<const std::string> declared = {}) const;
};

/// The end of a sentence about a missing column, and the column that was meant, if any.
struct ColumnHint {
  std::string words, meant{};
};

/// The place of a column among the names of a table. Throws InvalidInput, with the hint, unless
/// there is one column of this name.
[[nodiscard]] std::size_t place_of_column(std::string_view table,
                                          std::span<const std::string> names,
                                          std::string_view column, const ColumnUse& use,
                                          const std::function<ColumnHint()>& hint);

/// "; it has \"sex\", \"age\" (did you mean \"age\"?)", or what separates the fields where commas
/// do not.
[[nodiscard]] ColumnHint columns_hint(std::span<const std::string> names, std::string_view column);

/// Why a table must have the columns of counts, of weights and of units.
inline constexpr ColumnUse kStatesCounts{"with how many records a row counts as", "counts-column"};
inline constexpr ColumnUse kStatesWeights{"with the weight of each row", "weights"};
inline constexpr ColumnUse kNamesUnit{"which names the unit of a record", "unit"};

/// A column that says what each row counts as, and its kind: "counts", "weights".
struct AmountColumn {
  const char* kind;
  std::string_view parameter;
  std::string name;
};

/// The places of a domain's columns and, last, of the unit's columns if there are any, as
/// `place(column, reason)` finds them. Throws InvalidInput unless unit columns, domain's columns
/// and the column of counts or weights, if any, are different.
[[nodiscard]] std::vector<std::size_t> wanted_columns(
    std::span<const std::string> names, const UnitColumns& unit,
    const std::optional<AmountColumn>& amounts,
    const std::function<std::size_t(const std::string& column, const ColumnUse& use)>& place);

/// The places in a source of a domain's columns and, last, of the unit's columns if there are any:
/// what to visit. Throws InvalidInput as above, and unless the source has each of them once.
[[nodiscard]] std::vector<std::size_t> wanted_columns(const Source& source,
                                                      std::span<const std::string> names,
                                                      const UnitColumns& unit = {});

// -----------------------------------------------------------------------------------------------
// A table whose rows each represent many records.

/// The number of at least 0 that a value states: `2`, `2.5`, `2e0`, `02` and `1,000`, as tables are
/// written; maybe infinite. Empty for a null and any other value.
[[nodiscard]] std::optional<double> read_nonnegative(const Value& value) noexcept;

/// The number of records that a value states, 2^63 at most: `2`, `2.0`, `2e0`, `02` and `1,000`, as
/// tables are written. Empty for a null, a negative number and a value that is not a whole number.
[[nodiscard]] std::optional<std::uint64_t> read_count(const Value& value) noexcept;

/// A table of another source, in which a column says how much each row counts. What it does not say
/// otherwise is the other's.
class AmountSource : public Source {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return table_.name(); }
  [[nodiscard]] std::string_view file() const noexcept override { return table_.file(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return table_.columns();
  }
  void require_repeatable() const override { table_.require_repeatable(); }
  void require_readable(std::size_t column) const override { table_.require_readable(column); }
  [[nodiscard]] bool holds_lists(std::size_t column) const noexcept override {
    return table_.holds_lists(column);
  }
  [[nodiscard]] std::string fault_of(std::size_t column) const override {
    return table_.fault_of(column);
  }
  [[nodiscard]] std::optional<Provenance> provenance() const override {
    return table_.provenance();
  }
  [[nodiscard]] bool names_are_a_line() const noexcept override {
    return table_.names_are_a_line();
  }

 protected:
  /// `table` must outlive it.
  explicit AmountSource(const Source& table) : table_(table) {}
  [[nodiscard]] const Source& table() const noexcept { return table_; }

 private:
  const Source& table_;
};

/// A table with a column for the number of records that each row counts as: a histogram, from
/// engines that count by themselves.
///
/// Total: a count that `read_count` does not read is 0, a greater one than 2^40 is that. A row of
/// no records still names its unit.
class CountedSource final : public AmountSource {
 public:
  static constexpr std::uint64_t kMostOfARow = std::uint64_t{1} << 40U;

  /// `table` must outlive it. Throws InvalidInput unless it has the column, once; `declared` as in
  /// Source::position.
  CountedSource(const Source& table, const std::string& counts_column,
                std::span<const std::string> declared = {});

  [[nodiscard]] std::optional<std::size_t> counts_column() const noexcept override {
    return counts_column_;
  }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;
  /// The sum of all counts, or 2^62 if it is greater.
  [[nodiscard]] std::uint64_t record_count() const override;

 private:
  std::size_t counts_column_;
};

// -----------------------------------------------------------------------------------------------
// Tables in memory.

/// Whole columns that lie somewhere in memory, as a source. Borrowed: they must outlive it, unless
/// `owner` is what they lie in.
class MemorySource final : public Source {
 public:
  /// Throws InvalidInput unless there is one name for each column and all have as many rows.
  MemorySource(std::vector<std::string> names, std::vector<Values> columns,
               std::shared_ptr<const void> owner = nullptr);

  [[nodiscard]] std::string_view name() const noexcept override { return "the data"; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override { return names_; }
  [[nodiscard]] std::uint64_t record_count() const override { return rows_; }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;

 private:
  std::vector<std::string> names_;
  std::vector<Values> columns_;
  std::shared_ptr<const void> owner_;
  std::size_t rows_ = 0;
};

/// A sink that keeps the table.
class MemorySink final : public Sink {
 public:
  void begin(const Schema& schema) override;
  void write(const Block& block) override;

  [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  /// The values of one column; valid until the next write.
  [[nodiscard]] Values column(std::size_t index) { return columns_[index].values(); }

 private:
  Schema schema_;
  std::vector<ColumnBuffer> columns_;
  std::size_t rows_ = 0;
};

// -----------------------------------------------------------------------------------------------
// Blocks of records to digits and outcomes.

/// Takes the blocks of one visit, a column after the other; a dictionary's values are encoded once.
/// Total: whatever a block holds, each row has a digit of each column.
class RecordEncoder {
 public:
  /// `domain` must outlive the encoder.
  explicit RecordEncoder(const Domain& domain);

  /// Encodes a block whose first columns are the domain's, in its order. The encoder's results are
  /// for this block until the next one.
  void encode(const Block& block);

  /// The digits of one column, a row after the other.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t column) const noexcept {
    return std::span(digits_[column]).first(rows_);
  }
  /// Copies the digits of one record. Requires one place for each column.
  void copy_digits(std::size_t row, std::span<std::uint32_t> digits) const noexcept;

  /// The outcomes, a row after the other. Requires an enumerable domain.
  [[nodiscard]] std::span<const std::uint32_t> outcomes();

 private:
  struct KnownList {
    const Values* values = nullptr;
    std::vector<std::uint32_t> digits;  // one more than there are values: a null's
  };

  /// Each record to the possible one that stands for it.
  void map_to_possible();

  const Domain& domain_;
  std::size_t rows_ = 0;
  std::vector<std::vector<std::uint32_t>> digits_;
  std::vector<KnownList> lists_;  // the last one of each column
  std::vector<std::uint32_t> outcomes_;
};

}  // namespace mollify
