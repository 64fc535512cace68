// A release whose records are counted and drawn by workers that share nothing, such as Spark's.
//
// Each worker prepares the release for itself, from the same spec and texts. The first kind counts
// or sums up the records of its parts of the data; the program between brings all counts of a unit
// together; the second kind draws for the units that came to them, by the release's key. The ledger
// is charged (`charge`) before any of them begins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mollify/handle.h"
#include "mollify/namespace.h"
#include "mollify/release.h"
#include "mollify/sampler.h"

namespace MOLLIFY_NAMESPACE {

/// Counts of records, one unit's after the other's. Private.
struct CountedRecords {
  std::size_t width = 1;                     ///< words of a record
  std::string units{};                       ///< end to end; none without units
  std::vector<std::uint64_t> unit_ends{};    ///< where the name of each ends
  std::vector<std::uint64_t> record_ends{};  ///< and its records
  std::vector<std::uint32_t> records{};      ///< `width` words each
  std::vector<std::uint64_t> counts{};       ///< of each record, at least 1
};

/// Each unit of the roster, if there is one, with no records: together with all others they see to
/// it that units without records are drawn for.
[[nodiscard]] std::optional<CountedRecords> roster_counts(const PreparedRelease& prepared);

/// Counts the records of one part of the data after another. Total: no value makes it throw. How
/// the data are parted shows in how the counts are split, and not in their sums.
class RecordCounter : public Handle<class RecordCounterInside> {
 public:
  using Handle::Handle;

  /// Throws InvalidInput for a release that needs more of its records than how many there are of
  /// each: of Gaussian samples, and of models other than local that score records or have units.
  explicit RecordCounter(const PreparedRelease& prepared);

  /// Throws InvalidInput for a column that is missing, or there twice.
  void add(const Source& part);
  /// Whether it is time to `take`, so that memory is bounded whatever the data.
  [[nodiscard]] bool is_full() const noexcept;
  /// All counts since the last time, each unit once.
  [[nodiscard]] CountedRecords take();
};

/// The sum of all counts as a table with a column of counts, for `release` on one machine where
/// workers only count: in methods integral and central. A record outside the domain counts as the
/// first outcome. Throws InvalidInput for a release that RecordCounter refuses, and for one by
/// units.
[[nodiscard]] Source counted_table(const PreparedRelease& prepared, const CountedRecords& counted);

/// Whether a release needs of its records nothing but sums of integers over all of them: Gaussian
/// samples and marginals of rows. Then it is drawn by `release_by_sums`, and otherwise, where
/// counts of records are enough, by RecordCounter and `counted_table`. Throws InvalidInput, in one
/// sentence, for Gaussian samples and marginals of units.
[[nodiscard]] bool is_summed(const PreparedRelease& prepared);

/// Whether the parts of such a release must be the same in all of its passes, their rows in an
/// order that follows from these rows alone; otherwise any parts do that have each record once.
[[nodiscard]] bool needs_order(const PreparedRelease& prepared);

/// One worker's sums over one part of the data in a pass: as often as it likes, because it is the
/// same each time. Total: no value makes it throw.
class RecordSums : public Handle<class RecordSumsInside> {
 public:
  using Handle::Handle;

  /// `pass` is what the release asked for, and `part` the number of the part, from 0. Throws
  /// InvalidInput for a pass of another release's kind and unless `is_summed`.
  RecordSums(const PreparedRelease& prepared, const std::string& pass, std::uint64_t part);

  /// Throws InvalidInput for a column that is missing, or there twice.
  void add(const Source& records);

  /// Integers to add modulo 2^64, at their places among the pass's integers. Private.
  struct Sums {
    std::uint64_t begin = 0;  ///< the place of the first
    std::vector<std::int64_t> sums{};
  };
  /// Once, of all that was added.
  [[nodiscard]] Sums take();
};

/// Releases as `release` does, charging the ledger first, from sums: `sum_up` gives the sums of all
/// parts of a pass, which is given as bytes that are as secret as the records. It may throw: then
/// nothing was released, and a charge stays. Requires `is_summed`.
Certificate release_by_sums(
    const PreparedRelease& prepared,
    const std::function<std::vector<std::int64_t>(const std::string& pass)>& sum_up,
    const Sink& sink, const std::optional<Charging>& charging = std::nullopt);

/// Draws for the units of one part of a local release. A unit's records and the values written for
/// them are the same on all workers that make equal integers of equal counts. Other counts and
/// other integers are drawn by independent words (docs/theory/release-keys.md). A unit that is
/// split between two parts is released twice: see to it that none is.
class UnitDraws : public Handle<class UnitDrawsInside> {
 public:
  using Handle::Handle;

  /// Throws InvalidInput for another model, and unless `certificate` is the text of the release's,
  /// as anyone who made the key has it: workers of another version, or on a machine that computes
  /// another one, must not draw.
  UnitDraws(const PreparedRelease& prepared, const ReleaseKey& key, const std::string& certificate);

  /// Reads rows of the columns `unit`, `records` (their words, 4 bytes each) and `counts` (8 bytes
  /// each); rows of a unit come one after the other. Writes the records of every unit that another
  /// one follows, and if this part is the last one, of all.
  void draw(const Source& counted, bool is_last, const Sink& sink);

  /// Without a roster, two words for each record that the last `draw` wrote, which order the
  /// records of all parts: the order of units would reveal the owner of each.
  [[nodiscard]] std::span<const std::array<std::uint64_t, 2>> places() const noexcept;
};

}  // namespace MOLLIFY_NAMESPACE
