// From a spec and private records to released records and their certificate, whatever the model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mollify/domain.h"
#include "mollify/handle.h"
#include "mollify/message.h"
#include "mollify/namespace.h"
#include "mollify/privacy.h"

// Of the Arrow C data interface (mollify/arrow_c.h).
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

namespace MOLLIFY_NAMESPACE {

/// All that is public about a release, and all that is asked for: docs/reference/spec.md has its
/// JSON form. Immutable, cheap to copy, safe to share between threads.
class ReleaseSpec : public Handle<const class ReleaseSpecInside> {
 public:
  using Handle::Handle;

  /// Throws InvalidInput, one sentence naming `name`, for unknown keys, wrong types and parts that
  /// the model does not have. Where `name` is empty, it names the parts by their
  /// flags.
  [[nodiscard]] static ReleaseSpec parse(std::string_view json,
                                         const std::string& name = "the spec");
  /// Reads a spec that names no domain, with this one.
  [[nodiscard]] static ReleaseSpec parse(std::string_view json, const Domain& domain);
  [[nodiscard]] static ReleaseSpec read(const std::string& path);

  /// `parse` makes an equal spec of it.
  [[nodiscard]] std::string json() const;
};

/// One part of a spec, for programs that ask for the parts one by one.
struct SpecPart {
  std::string name;   ///< of the command's flag, without its dashes: "epsilon"
  std::string place;  ///< in the JSON form: "/privacy/epsilon"
  /// "text", "texts", "whole number", "number", "decimal number", "truth", "file" or "domain".
  std::string kind;
  std::vector<std::string> methods;  ///< that have it: "local", "integral", ...
};

/// All that a spec may hold, in the order in which it is written.
[[nodiscard]] std::vector<SpecPart> spec_parts();

/// The public file of a release: its spec, the mechanism that follows and the promise; nothing in
/// it depends on private data. Immutable, cheap to copy, safe to share between threads.
class Certificate : public Handle<const class CertificateInside> {
 public:
  using Handle::Handle;

  /// Throws InvalidInput, one sentence naming `name`, if the text is not a certificate.
  [[nodiscard]] static Certificate parse(std::string_view json,
                                         const std::string& name = "the certificate");
  [[nodiscard]] static Certificate read(const std::string& path);

  [[nodiscard]] const std::string& json() const noexcept;
  /// Of mollify, when the release was made.
  [[nodiscard]] const std::string& version() const noexcept;
  /// Whole: with the SHA-256 of all that it names.
  [[nodiscard]] ReleaseSpec spec() const;
  /// What all of the release promises together.
  [[nodiscard]] Privacy total() const;
  /// How many rows or units there were, where that is public: in the central model.
  [[nodiscard]] std::optional<std::uint64_t> records() const;
};

/// A column that lies in memory. Borrowed.
struct ColumnView {
  std::string name;
  /// Integers, numbers, truths (bytes; 0 is false) or texts. A value means what its text would mean
  /// in a file: to a column of integers 3.0 is 3, and NaN is a null.
  std::variant<std::span<const std::int64_t>, std::span<const double>,
               std::span<const std::uint8_t>, std::span<const std::string_view>>
      values;
  /// A byte for each row, 0 where the value is null; empty if none is.
  std::span<const std::uint8_t> valid{};
};

/// A source of private records. Column names are public. The rows are not, and never make a release
/// refuse, print or change shape. Cheap to copy; one thread at a time.
class Source : public Handle<const class SourceInside> {
 public:
  using Handle::Handle;

  /// A CSV file with a header; every line below it is a record, an empty one a record of nulls.
  /// `threads` threads share its lines; 0 uses all that the process may run. Throws InvalidInput if
  /// it cannot be opened.
  [[nodiscard]] static Source csv(const std::string& path, std::size_t threads = 0);

  /// Columns of equal length, with distinct names. They must outlive the source.
  [[nodiscard]] static Source memory(const std::vector<ColumnView>& columns);

  /// A stream of record batches that another program exported: it is
  /// taken over, even if this throws, and released when the source no longer needs it. Batches that
  /// are malformed are refused (InvalidInput) when they come.
  [[nodiscard]] static Source arrow(ArrowArrayStream* stream);
  /// Takes over a single batch.
  [[nodiscard]] static Source arrow(ArrowSchema* schema, ArrowArray* batch);

  /// The table, with a column for the number of records that each row counts as: for tables that
  /// were counted elsewhere. A count that is null, negative or no whole number is 0. A row counts
  /// as 2^40 records at most, and one outcome of a unit or a table as 2^53. In method central
  /// without a unit, all rows together count as 1 record at least and 2^40 at most: records of the
  /// last outcomes are left out. For spaces of outcomes, so neither for Gaussian samples nor where
  /// records are scored. Throws InvalidInput unless the table has the column, once.
  [[nodiscard]] Source with_counts(const std::string& column) const;

  /// Whether rows were asked of a stream, which gives them once.
  [[nodiscard]] bool is_spent() const;

  /// The columns that `csv_text` leaves out, each with the reason: other columns than `asked` that
  /// hold lists, structs or other things that a domain has no type for, or that have a line break
  /// in their name. Types and names decide, never values.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> unread(
      std::span<const std::string> asked = {}) const;

  /// All other columns as a CSV file would hold them, for `PublicTexts`. Lists in a column that is
  /// `asked` make a record for each of their items. Throws InvalidInput if the type of such a
  /// column cannot be read.
  [[nodiscard]] std::string csv_text(std::span<const std::string> asked = {}) const;

  /// The words of columns that list them in an order, for `draft_domain` of a public table: Arrow's
  /// ordered dictionaries, with words that no row has. Reads a stream to its end, and holds it.
  [[nodiscard]] OrderedWords ordered_words() const;
};

/// The unit of integers that count from the beginning of 1970.
struct Moments {
  enum class Kind { kDay, kInstant };  ///< days, or seconds of UTC
  Kind kind = Kind::kDay;
  /// Of the clock that shows instants, from UTC, in seconds to the east. A clock without an offset
  /// and without a zone is what is counted.
  std::optional<std::int32_t> offset{};
  std::string zone{};    ///< of that clock, instead of one offset: "Europe/Berlin"
  std::string format{};  ///< that texts have, as the domain declares it; otherwise ISO 8601's
};

/// A released column.
struct ReleasedColumn {
  std::string name;
  /// Integers, numbers, truths (bytes of 0 and 1) or texts.
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::uint8_t>,
               std::vector<std::string>>
      values{};
  std::vector<std::uint8_t> valid{};  ///< a byte for each row, 0 where the value is null
  /// All texts that it could have held, or the texts of false and true; none if any text may come.
  std::vector<std::string> words{};
  /// What all of the words write: texts, integers, or numbers with a point or an exponent.
  enum class WordType { kText, kInteger, kNumber };
  WordType word_type = WordType::kText;
  bool is_ordered = false;           ///< the order of the words means something
  bool is_nullable = true;           ///< false if no value can be null, by the domain
  std::optional<Moments> moments{};  ///< unit of integers that are days or instants
  /// Numbers are written to this power of ten; without it with as few digits as tell doubles apart.
  std::optional<int> exponent{};
};

/// Columns of equal length as a stream of record batches: texts with words as dictionaries of their
/// type and order, days as date32, times as timestamps of microseconds, with their zone, or of UTC
/// if they have an offset. They are copied; who takes the stream releases it.
void export_columns(std::span<const ReleasedColumn> columns, ArrowArrayStream* stream);

/// Columns of equal length as the file that Sink::csv would have written.
[[nodiscard]] std::string csv_text(std::span<const ReleasedColumn> columns);

/// The destination of released records. One thread at a time, and one release.
class Sink : public Handle<class SinkInside> {
 public:
  using Handle::Handle;

  /// A CSV file, which appears whole or not at all. With a certificate's file, that appears first:
  /// at no time are there records without theirs.
  [[nodiscard]] static Sink csv(const std::string& path,
                                std::optional<std::string> certificate_path = std::nullopt);

  /// Columns in memory, which must outlive the sink: filled when the table is whole.
  [[nodiscard]] static Sink memory(std::vector<ReleasedColumn>& columns);

  /// A stream that shows the table: written when the table is whole, and left alone otherwise. The
  /// taker releases it.
  [[nodiscard]] static Sink arrow(ArrowArrayStream* stream);

  /// This sink, which also gets the model when the table is whole: the text that Model::parse
  /// takes, if the method hands out a model, and otherwise nothing. `model` must outlive the
  /// sink.
  [[nodiscard]] Sink with_model(std::string& model) const {
    Sink with = *this;
    with.model_ = &model;
    return with;
  }
  [[nodiscard]] std::string* model() const noexcept { return model_; }

 private:
  std::string* model_ = nullptr;
};

/// Facts about a release that are not in its certificate. Public.
struct ReleaseReport {
  /// How far each record's distribution may be from the data's: at worst in the local and the
  /// integral model, for any data in the central one, and of what all rows share what noise is
  /// expected to do. With a support that is found it is the whole domain's. None where the number
  /// of rows is protected.
  std::optional<double> total_variation{};
  std::string why{};                 ///< why this mechanism and these parameters
  std::vector<std::string> notes{};  ///< what else to know, a sentence each
  std::vector<Message> warnings{};   ///< dangers: above all that it is mostly noise
  /// Sentences of the certificate in the words of this program: what the records represent, what
  /// the release promises, and what it does not. A certificate has the command's words.
  std::vector<std::string> represents{};
  std::vector<std::string> promised{};
  std::vector<std::string> not_promised{};
};

/// A release that is ready to be charged and drawn: public inputs have been read and checked, and
/// no random word was drawn. Immutable, cheap to copy, safe to share between threads.
class PreparedRelease : public Handle<const class PreparedReleaseInside> {
 public:
  using Handle::Handle;

  [[nodiscard]] const Certificate& certificate() const noexcept;

  /// To be read before anything is charged. Up to some seconds where a warning says what would do.
  [[nodiscard]] ReleaseReport report() const;

  /// Throws InvalidInput for public faults of the data, and looks at no record.
  void require(const Source& data) const;
  /// Throws InvalidInput unless the method hands out a model with its records (Sink::with_model).
  void require_model() const;
};

/// Public inputs that lie in memory, by the names that a spec gives them: the texts of files. Other
/// names are files. Certificates name both alike, by name and SHA-256.
using PublicTexts = std::map<std::string, std::string>;

/// Reads the public inputs that the spec names, and designs the release. In the central model the
/// number of rows or units of `data` is public, and counted; otherwise no row is looked at. Throws
/// InvalidInput, in one sentence, for public faults: parameters, files, a column that the data
/// lacks, data that cannot be read as often as it must be, a public input that is the private file
/// itself or a copy of it, and a release that cannot be told apart from public noise, unless the
/// spec accepts the error.
[[nodiscard]] PreparedRelease prepare(const ReleaseSpec& spec, const Source& data,
                                      const PublicTexts& texts = {});

/// Designs the release for a known number of rows or units, before there is any data. None for the
/// local and the integral model.
[[nodiscard]] PreparedRelease prepare(const ReleaseSpec& spec,
                                      std::optional<std::uint64_t> records = std::nullopt,
                                      const PublicTexts& texts = {});

/// The ledger that a release is charged to, and the name of its data there.
struct Charging {
  Ledger ledger;
  std::string data_set;  ///< empty, for a file: the name that the ledger knows it by, or its path
  /// A data set without a total is refused unless this says that none is meant.
  bool without_total = false;
  /// A file that the ledger knows by other names only is refused under a new one unless this says
  /// that it is meant as another data set.
  bool another_data_set = false;
};

/// How a release is computed; nothing that it promises depends on it.
struct Computing {
  /// That share the draws of units, each with words of its own. 0: as many as the process may run.
  std::size_t threads = 0;
};

/// Charges a release that is drawn in parts (mollify/distributed.h): once, and before any is.
/// Throws what `release` throws for a charge.
void charge(const PreparedRelease& prepared, const Charging& charging);

/// Releases in the only safe order: the certificate is made, the ledger charged, and only then the
/// first random word drawn. Randomness is the operating system's; there is no seed.
///
/// Throws InvalidInput for a wrong public input, and if the charge would pass the data set's total,
/// before anything is charged; std::system_error if the records cannot be written. Then nothing was
/// released, and a charge stays.
Certificate release(const PreparedRelease& prepared, const Source& data, const Sink& sink,
                    const std::optional<Charging>& charging = std::nullopt,
                    const Computing& computing = {});

// -----------------------------------------------------------------------------------------------
// Rows from the model of a release, at no cost.

/// Noisy counts, a row for each, as lists of one length.
struct MeasuredCounts {
  std::vector<std::size_t> table{};          ///< place of its table in the model's file
  std::vector<std::string> columns{};        ///< "age, ward"
  std::vector<std::string> cells{};          ///< "10..19, north", "0..9, north or east"
  std::vector<double> count{};               ///< in rows, in units or in declared weight
  std::vector<double> standard_deviation{};  ///< of its noise
};

/// The model of a release's rows, if its method hands that out. It was paid for when it was
/// released. Rows drawn from it cost nothing, and reveal no more about the data than the model.
/// Immutable, cheap to copy, safe to share between threads.
class Model : public Handle<const class ModelInside> {
 public:
  using Handle::Handle;

  /// What Sink::with_model or `mollify sample --model-out` wrote. Throws InvalidInput, one sentence
  /// naming `name`, for anything else.
  [[nodiscard]] static Model parse(std::string_view text, const std::string& name = "the model");
  [[nodiscard]] static Model read(const std::string& path);

  /// `parse` makes an equal model of it.
  [[nodiscard]] const std::string& text() const noexcept;
  /// Of its rows.
  [[nodiscard]] Domain domain() const;

  /// All noisy counts that it was made of, in the order in which they were measured; none of a model
  /// that was chosen from a list, by method integral-model.
  [[nodiscard]] std::optional<MeasuredCounts> measurements() const;
  /// Pairs of columns that were not measured together. None if every pair was, and without
  /// measurements.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> not_measured() const;
  /// That the rows may be as far from the table as if their columns were independent, where what was
  /// measured does not exclude it.
  [[nodiscard]] std::vector<Message> warnings() const;
};

/// Columns and their values, as a file would hold them.
using GivenValues = std::map<std::string, std::string>;

/// Passes `count` rows, from 1 to 10^8, to the sink; with `given` under the model's own law of rows
/// in which the columns lie in those values' cells. It has no certificate, because it is not a
/// release. With a seed everybody who has the model draws the same rows
/// (docs/guides/synthetic-table.md). Throws InvalidInput for other counts, and columns and values
/// that the domain does not have. O(count * columns), and the memory of the rows.
void generate(const Model& model, std::uint64_t count, const GivenValues& given, const Sink& sink,
              std::optional<std::uint64_t> seed = std::nullopt);

}  // namespace MOLLIFY_NAMESPACE
