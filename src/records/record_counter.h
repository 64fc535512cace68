// Private records, counted in parts of the data by workers that share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "records/source.h"
#include "records/tally.h"
#include "records/units.h"
#include "space/domain.h"

namespace mollify {

/// How often records came, those of a unit one after the other. Private.
struct CountedRecords {
  std::size_t width = 1;                     ///< words of a record
  std::string units{};                       ///< end to end; none without units
  std::vector<std::uint64_t> unit_ends{};    ///< where the name of each ends
  std::vector<std::uint64_t> record_ends{};  ///< and its records
  std::vector<std::uint32_t> records{};      ///< `width` words each
  std::vector<std::uint64_t> counts{};       ///< of each record, at least 1
};

/// What a release counts records by.
struct RecordCounting {
  const Domain* domain = nullptr;  ///< in whose cells records are read
  /// A record is one word, its outcome; otherwise as many as the domain has columns, its digits.
  bool by_outcome = true;
  std::optional<std::string> unit{};  ///< the column of units, if they count apart
  const Roster* roster = nullptr;     ///< whose records alone count; with a unit column
};

/// Counts the records of one part of the data after another. Which rows came together, and in which
/// order, shows in how the counts are split, and never in their sums.
///
/// Total in the records, and so are its sums: each row of the data is one record of the domain.
/// Rows of no unit (an empty id, or none of the roster) are left out.
class RecordCounter {
 public:
  /// What `counting` points to must outlive the counter. By outcome, the domain is enumerable.
  explicit RecordCounter(const RecordCounting& counting);

  /// Throws InvalidInput for a column that is missing, or there twice.
  void add(const Source& part);

  /// Whether it is time to `take`, so that memory is bounded whatever the data: about 200 MB.
  [[nodiscard]] bool is_full() const noexcept;

  /// All counts since the last time, each unit once. Of digits each record counts 1.
  [[nodiscard]] CountedRecords take();

 private:
  void add_outcomes(std::span<const std::uint32_t> outcomes, std::span<const std::uint32_t> of);
  [[nodiscard]] CountedRecords take_outcomes();
  [[nodiscard]] CountedRecords take_digits();
  void end_unit(CountedRecords& counted, std::uint32_t unit, std::size_t records) const;

  RecordCounting counting_;
  Units units_;
  std::size_t known_units_ = 0;  // whose bytes are counted
  std::size_t unit_bytes_ = 0;
  std::size_t rows_ = 0;
  Tally<std::uint64_t> tally_;          // of units and outcomes
  std::vector<std::uint32_t> unit_of_;  // of each row, by digits
  std::vector<std::uint32_t> digits_;
};

}  // namespace mollify
