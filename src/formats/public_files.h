// Public inputs that are files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/candidates.h"
#include "domain/domain.h"
#include "formats/csv.h"
#include "measures/measure.h"
#include "records/tallies.h"
#include "records/units.h"
#include "release/public_inputs.h"
#include "release/released_model.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Names of columns that may identify people.

/// The words of a column's name, in small letters: "update", "count" for "updateCount2".
[[nodiscard]] std::vector<std::string> words_of_name(std::string_view name);

/// Whether the name says that the column identifies what a row belongs to: "user_id", "hhid".
[[nodiscard]] bool names_an_id(std::string_view column);

/// Whether the name says that the column tells who somebody is: "phone", "birth_date". Texts may
/// also be names, addresses and comments; of numbers "births" and "comments" are counts.
[[nodiscard]] bool names_somebody(std::string_view column, bool is_text);

/// Whether the name says that the column names whom rows belong to: "person", "school", "user_id",
/// "familyNumber".
[[nodiscard]] bool names_a_unit(std::string_view column);

/// Refuses a choice of columns to draft a domain from that leaves out all that it names.
void require_some_columns(const std::vector<std::string>& columns,
                          const std::vector<std::string>& excluded);

// -----------------------------------------------------------------------------------------------
// Lists of candidates in files.

/// The list that `write_candidates` wrote. Throws InvalidInput, one sentence with file and line,
/// for anything else, and for a list of another domain.
/// Bytes are as LineReader's.
[[nodiscard]] Candidates read_candidates(const std::string& path, const Domain& domain,
                                         std::optional<std::string_view> bytes = std::nullopt);

// -----------------------------------------------------------------------------------------------
// Reads a public covariance matrix.

/// The covariance matrix of the columns, row by row in their order, from a CSV file whose header
/// names columns and whose rows come in the order of the header. An unnamed first column, which
/// labels the rows, is as other programs write it: the labels must be the header's names in its
/// order. Further columns and their rows are left out; of a column in logarithms the numbers are
/// the logarithm's.
///
/// The file is **public**: the first thing that is not as it must be throws InvalidInput with file,
/// line and column. Whether the matrix is a covariance is Whitening's to judge.
/// Bytes are as LineReader's.
[[nodiscard]] std::vector<double> read_covariance(const std::string& path,
                                                  const RealColumns& columns,
                                                  std::optional<TableBytes> bytes = std::nullopt);

// -----------------------------------------------------------------------------------------------
// A released model's file, which holds its domain too.

/// A model and the domain of its rows.
struct ModelFile {
  Domain domain;
  MarginalModel model;
  std::optional<Measurements> measurements{};  ///< what it was made of, where it tells
};

/// What released_model_text wrote, with the domain as a domain file.
[[nodiscard]] std::string model_file_text(const std::string& released, const Domain& domain);

/// Throws InvalidInput, one sentence naming `name`, for anything else than model_file_text writes.
[[nodiscard]] ModelFile parse_model_file(const std::string& text, const std::string& name);
[[nodiscard]] ModelFile read_model_file(const std::string& path);

/// Noisy counts and the domain of their table.
struct MeasurementsFile {
  Domain domain;
  Measurements measurements;
};

/// Of a model's file, or of a file of another program: a JSON object with "measurements", as
/// measurements_from_json reads them, and perhaps with "domain", a domain file. `domain` is needed
/// if the file has none; if both are there, they must be equal. Throws InvalidInput, one sentence
/// naming `name`, for anything else, and for a model without measurements.
[[nodiscard]] MeasurementsFile parse_measurements_file(const std::string& text,
                                                       const std::string& name,
                                                       std::optional<Domain> domain = std::nullopt);
[[nodiscard]] MeasurementsFile read_measurements_file(const std::string& path,
                                                      std::optional<Domain> domain = std::nullopt);

// -----------------------------------------------------------------------------------------------
// What a public file has in common with the private one, for the data holder. NOT PRIVATE.

/// The records that two CSV files share, in the columns that both have.
struct Overlap {
  std::vector<std::string> columns;  ///< that both have
  std::uint64_t records = 0;         ///< of the public file
  std::uint64_t shared = 0;          ///< of these, how many the private file has too
};

/// Counts records as often as they are in both files: a copy shares all of its records, and so does
/// the private file less its last row. Records of few possible values are shared by chance. Fields
/// are compared by what they mean, as the domain reads its columns: `7.0` is `7`. Without a column
/// in common nothing is shared.
///
/// A release never asks this, because a refusal would reveal private records. Memory in proportion
/// to the public file. `open` and `secret` are read to their ends.
[[nodiscard]] Overlap overlap_of(CsvReader& open, CsvReader& secret, const Domain& domain);

// -----------------------------------------------------------------------------------------------
// The public list of units.

/// The units of a public CSV file, in its order, from the columns of these names. With a roster,
/// who is in the private data is protected too.
///
/// Strict: throws InvalidInput, with the line, for an id that is missing, a unit listed twice (1
/// and 1.0 are one), or a line that is not well-formed; and for a roster without units.
/// Bytes are as LineReader's.
[[nodiscard]] Roster read_roster(const std::string& path, const UnitColumns& columns,
                                 std::optional<TableBytes> bytes = std::nullopt);

// -----------------------------------------------------------------------------------------------
// Reads public reference records.

/// The records of a **public** CSV file as digits, a record after the other. Strict: the first
/// value that is not as the domain declares throws InvalidInput with file, line, column and value.
/// Never call it with a private file. Bytes are as LineReader's.
[[nodiscard]] std::vector<std::uint32_t> read_public_digits(
    const std::string& path, const Domain& domain, std::optional<TableBytes> bytes = std::nullopt);

/// How often each outcome of an enumerable domain occurs in a file that is read so. `counts` is a
/// column, not of the domain, with how many records a row counts as: whole numbers from 0 to 2^40,
/// which are not all 0. Memory for each distinct outcome, not for each row.
[[nodiscard]] Empirical read_counted_outcomes(const std::string& path, const Domain& domain,
                                              const std::optional<std::string>& counts,
                                              std::optional<TableBytes> bytes = std::nullopt);

/// The records of each unit of a public file, in no particular order of units. Strict in the same
/// way. Bytes are as LineReader's.
[[nodiscard]] UnitRecords read_public_units(const std::string& path, const Domain& domain,
                                            const UnitColumns& unit,
                                            std::optional<TableBytes> bytes = std::nullopt);

/// True if both names lead to the same file, or to files with the same bytes: then a "public" file
/// is the private one. Files that cannot be read are not the same.
[[nodiscard]] bool same_file_or_content(const std::string& left, const std::string& right);
/// Checks a file, or a pipe, whose bytes were read.
[[nodiscard]] bool same_file_or_content(const std::string& left, std::string_view left_bytes,
                                        const std::string& right);

// -----------------------------------------------------------------------------------------------
// Lists and references that are made of public files.

/// The list of the domain's seed: even candidates, or candidates like the reference, which is a
/// public CSV file, or a measure if its name ends in .json. `text` is the reference's text if it
/// lies in memory. Throws InvalidInput for a count or a reference that cannot be.
[[nodiscard]] Candidates listed_candidates(const Domain& domain, std::uint64_t count,
                                           const std::optional<std::string>& reference,
                                           std::optional<std::string_view> text = std::nullopt);

/// A mixture of some Gaussians that is fitted to the records of a public CSV file.
struct FittedReference {
  static constexpr std::uint64_t kUsual = 8;
  static constexpr std::uint64_t kMost = 1000;

  std::uint64_t components;
  std::string json;  ///< a measure's file
};

/// Fits `components` Gaussians at most. Throws InvalidInput for a number of them that is out of
/// range, a domain with other columns than numbers and integers, and values that the domain does
/// not declare. `text` is the file's text if it lies in memory.
[[nodiscard]] FittedReference fitted_to_file(const Domain& domain, std::uint64_t components,
                                             const std::string& path,
                                             std::optional<std::string_view> text = std::nullopt);

// -----------------------------------------------------------------------------------------------
// Files as the public inputs of releases.

/// The names of a spec as names of files: a domain in YAML, and CSV.
class PublicFiles final : public PublicInputs {
 public:
  /// A public input must not be the private file itself, nor hold the very same bytes: then a
  /// reading function throws InvalidInput. Whatever else two files share is not looked at, because
  /// a refusal would reveal it (check_overlap shows it to the data holder). None given: nothing is
  /// private. Given the private bytes, which must outlive this, the file is only their name.
  /// `texts` holds, by name, the inputs that are in memory.
  explicit PublicFiles(std::optional<std::string> private_file = std::nullopt,
                       std::optional<std::string_view> private_bytes = std::nullopt,
                       std::map<std::string, std::string> texts = {})
      : private_file_(std::move(private_file)),
        private_bytes_(private_bytes),
        bytes_(std::move(texts)) {}

  [[nodiscard]] Domain domain(const SpecDomain& domain) const override;
  [[nodiscard]] Roster roster(const std::string& name, const UnitColumns& columns) const override;
  [[nodiscard]] std::vector<std::uint32_t> records(const std::string& name,
                                                   const Domain& domain) const override;
  [[nodiscard]] std::shared_ptr<const Measure> density(const std::string& name) const override;
  [[nodiscard]] Candidates candidates(const std::string& name, const Domain& domain) const override;
  [[nodiscard]] PublicBand band(const std::string& name) const override;
  [[nodiscard]] std::vector<double> channel(const std::string& name,
                                            std::uint64_t outcomes) const override;
  [[nodiscard]] std::vector<double> covariance(const std::string& name,
                                               const RealColumns& columns) const override;
  /// The records of each unit; no unit may be from the private data.
  [[nodiscard]] UnitRecords units(const std::string& name, const Domain& domain,
                                  const UnitColumns& unit) const;
  [[nodiscard]] bool knows_private_data() const noexcept { return private_file_.has_value(); }
  /// The table of that name, if it lies in memory or its file was read.
  [[nodiscard]] std::optional<TableBytes> held(const std::string& name) const;
  /// Of the very bytes that the others parse; empty for what cannot be read.
  [[nodiscard]] std::string sha256(const std::string& name) const override;

 private:
  void require_public(const char* what, const char* flag, const std::string& name) const;

  [[nodiscard]] const std::string& bytes(const std::string& name) const;
  /// Whether its bytes were read from a file, and not given.
  [[nodiscard]] bool is_of_file(const std::string& name) const { return files_.contains(name); }
  /// What `parse` makes of the bytes and their name.
  template <class Parse>
  [[nodiscard]] auto parsed(const std::string& name, const Parse& parse) const {
    const std::string& text = bytes(name);
    return naming_file(is_of_file(name) ? name : "", [&] { return parse(text, name); });
  }
  [[nodiscard]] TableBytes table(const std::string& name) const;

  std::optional<std::string> private_file_;
  std::optional<std::string_view> private_bytes_;
  // Each file is read once: a pipe has nothing for a second reader, and a file may have changed.
  mutable std::map<std::string, std::string> bytes_;
  mutable std::set<std::string> files_;  ///< names of `bytes_` that were read here
  mutable std::map<std::string, Domain> domains_;
};

}  // namespace mollify
