// How often each unit has each outcome.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"
#include "domain/same_value.h"
#include "records/source.h"
#include "records/units.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// Counts keys without keeping one entry for each observation.

/// A key that was added more often counts as often as this: a double holds each count exactly.
inline constexpr std::uint64_t kGreatestCount = std::uint64_t{1} << 53U;

/// The sum of two counts of one key. Requires counts of at most kGreatestCount, and is one itself:
/// a + b is at most 2^54, so nothing overflows, and min(a + b, cap) gives the same result in
/// whatever order counts are added.
[[nodiscard]] constexpr std::uint64_t sum_of_counts(std::uint64_t a, std::uint64_t b) noexcept {
  return std::min(a + b, kGreatestCount);
}

/// How often each key was added, up to kGreatestCount, for any number of additions, in memory
/// proportional to the number of distinct keys (at least a few megabytes are used as a buffer).
///
/// New keys wait in a buffer; whenever it holds as many as there are distinct keys, it is sorted
/// and merged into the sorted counts. n additions cost O(n) in all.
template <std::unsigned_integral Key>
class Tally {
 public:
  struct Counts {
    std::vector<Key> keys{};              ///< distinct, ascending
    std::vector<std::uint64_t> counts{};  ///< as many, each from 1 to kGreatestCount
  };

  void add(Key key) {
    if (pending_.size() >= most_pending()) {
      merge();
      pending_.reserve(most_pending());
    }
    pending_.push_back(key);
  }

  /// Adds one key `count` times, at once.
  void add(Key key, std::uint64_t count) {
    if (count == 1) add(key);
    if (count > 1) many_.emplace_back(key, std::min(count, kGreatestCount));
  }

  /// The counts of everything added so far. The tally is empty afterwards.
  [[nodiscard]] Counts take() {
    merge();
    pending_ = {};
    spare_ = {};
    if (!many_.empty()) merge_many();
    return std::exchange(sorted_, {});
  }

 private:
  static constexpr std::size_t kMinPending = std::size_t{1} << 18U;

  [[nodiscard]] std::size_t most_pending() const noexcept {
    return std::max(kMinPending, sorted_.keys.size());
  }

  void merge() {
    if (pending_.empty()) return;
    sort_pending();
    Counts merged;
    merged.keys.reserve(sorted_.keys.size() + pending_.size());
    merged.counts.reserve(sorted_.keys.size() + pending_.size());
    std::size_t old = 0;
    for (std::size_t i = 0; i < pending_.size();) {
      const Key key = pending_[i];
      std::uint64_t count = 0;
      for (; i < pending_.size() && pending_[i] == key; ++i) ++count;
      for (; old < sorted_.keys.size() && sorted_.keys[old] < key; ++old) take_old(merged, old);
      if (old < sorted_.keys.size() && sorted_.keys[old] == key) {
        count = sum_of_counts(count, sorted_.counts[old++]);
      }
      merged.keys.push_back(key);
      merged.counts.push_back(count);
    }
    for (; old < sorted_.keys.size(); ++old) take_old(merged, old);
    sorted_ = std::move(merged);
    pending_.clear();
  }

  void merge_many() {
    for (std::size_t i = 0; i < sorted_.keys.size(); ++i) {
      many_.emplace_back(sorted_.keys[i], sorted_.counts[i]);
    }
    std::sort(many_.begin(), many_.end());
    sorted_ = {};
    for (const auto& [key, count] : many_) {
      if (sorted_.keys.empty() || sorted_.keys.back() != key) {
        sorted_.keys.push_back(key);
        sorted_.counts.push_back(0);
      }
      sorted_.counts.back() = sum_of_counts(sorted_.counts.back(), count);
    }
    many_ = {};
  }

  /// By digits of 11 bits, from the least: of many keys several times as fast as comparing them.
  void sort_pending() {
    constexpr unsigned kDigitBits = 11;
    constexpr std::size_t kFewKeys = std::size_t{1} << 12U;
    if (pending_.size() < kFewKeys) {
      std::sort(pending_.begin(), pending_.end());
      return;
    }
    Key all = 0;
    for (const Key key : pending_) all |= key;
    spare_.resize(pending_.size());
    for (unsigned shift = 0; shift < std::numeric_limits<Key>::digits; shift += kDigitBits) {
      if ((all >> shift & ((Key{1} << kDigitBits) - 1)) == 0) continue;  // none has the digit
      const auto digit = [shift](Key key) {
        return static_cast<std::size_t>(key >> shift & ((Key{1} << kDigitBits) - 1));
      };
      std::array<std::size_t, std::size_t{1} << kDigitBits> places{};
      for (const Key key : pending_) ++places[digit(key)];
      std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
      for (const Key key : pending_) spare_[places[digit(key)]++] = key;
      pending_.swap(spare_);
    }
  }

  void take_old(Counts& merged, std::size_t old) const {
    merged.keys.push_back(sorted_.keys[old]);
    merged.counts.push_back(sorted_.counts[old]);
  }

  std::vector<Key> pending_;
  std::vector<Key> spare_;  // for sorting; kept, for memory that is new each time takes long
  std::vector<std::pair<Key, std::uint64_t>> many_;  // added at once
  Counts sorted_;
};

// -----------------------------------------------------------------------------------------------
// The empirical distributions of many units.

/// For each unit, how often each outcome occurred among its records, up to kGreatestCount. Private.
///
/// 12 bytes for each distinct (unit, outcome).
class UnitTable {
 public:
  /// Collects one thread's records in any order. O(log n) amortised for each.
  class Builder {
   public:
    void add(std::uint32_t unit, std::uint32_t outcome, std::uint64_t count = 1) {
      tally_.add(std::uint64_t{unit} << 32U | outcome, count);
    }

   private:
    friend class UnitTable;
    Tally<std::uint64_t> tally_;
  };

  /// Records that one thread collected. Unit i of them is the i-th of `ids`; so all are fewer.
  struct Part {
    Builder* records;
    const StringIndex* ids;
  };

  /// The records of all parts together, made by a thread for each; takes them out of the parts. If
  /// `same_units`, all parts have the same ids, whose order stays; otherwise units of one id are
  /// one unit, in the order of the ids' bytes, whatever order they were met in. Requires a part.
  /// O(n parts), which the threads share, and O(units log units). Until it is done, 16 bytes more
  /// for each distinct (unit, outcome) of each part.
  [[nodiscard]] static UnitTable of(std::span<const Part> parts, bool same_units);

  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] std::string_view id(std::size_t unit) const noexcept { return ids_[order_[unit]]; }

  /// The unit's distinct outcomes, ascending; empty for a unit without records.
  [[nodiscard]] std::span<const std::uint32_t> outcomes(std::size_t unit) const noexcept;
  /// The number of records of each outcome, as doubles for the kernel; not normalised.
  [[nodiscard]] std::span<const double> weights(std::size_t unit) const noexcept;

 private:
  UnitTable() = default;

  /// Some units one after the other, so that threads may make many at a time.
  struct Piece {
    std::vector<std::size_t> begins;  // one more than there are units
    std::vector<std::uint32_t> outcomes;
    std::vector<double> weights;
  };
  class Merge;
  static constexpr std::size_t kUnitsOfPiece = 64;

  template <class Value>
  [[nodiscard]] static std::span<const Value> of_unit(const Piece& piece,
                                                      const std::vector<Value>& values,
                                                      std::size_t unit) noexcept {
    const std::size_t begin = piece.begins[unit % kUnitsOfPiece];
    return std::span(values).subspan(begin, piece.begins[unit % kUnitsOfPiece + 1] - begin);
  }

  StringIndex ids_;
  std::vector<std::uint32_t> order_;  // which of these each unit is
  std::vector<Piece> pieces_;
};

// -----------------------------------------------------------------------------------------------
// The empirical distribution of records over a domain's outcomes.

/// How often each outcome occurred: a sparse measure, private unless its records are public.
///
/// Its total may be zero (a unit without records); what that means is up to the sampler.
class Empirical {
 public:
  /// No records.
  Empirical() = default;

  /// Takes the counts of a tally of outcomes.
  explicit Empirical(Tally<std::uint32_t>::Counts counts);

  /// The distinct outcomes, ascending.
  [[nodiscard]] std::span<const std::uint32_t> outcomes() const noexcept { return outcomes_; }
  /// The number of records of each outcome, from 1 to kGreatestCount.
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  /// The counts as doubles, for the kernel; not normalised.
  [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
  /// The number of records; 2^64 - 1 of more.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

 private:
  std::vector<std::uint32_t> outcomes_;
  std::vector<std::uint64_t> counts_;
  std::vector<double> weights_;
  std::uint64_t total_ = 0;
};

// -----------------------------------------------------------------------------------------------
// How often each outcome occurs: all that a mechanism of a whole table looks at.

/// Distinct outcomes (`keys`), ascending, and a count for each, from 1 to kGreatestCount.
/// Private.
using OutcomeHistogram = Tally<std::uint32_t>::Counts;

/// Those of a list of records, in any order. O(n).
[[nodiscard]] OutcomeHistogram counts_of(std::span<const std::uint32_t> records);

/// Those of two lists together. O(distinct outcomes).
[[nodiscard]] OutcomeHistogram merged(const OutcomeHistogram& left, const OutcomeHistogram& right);

/// The number of records. No overflow: fewer than 2^32 outcomes have at most 2^53 each.
[[nodiscard]] uint128 record_count(const OutcomeHistogram& histogram);

// -----------------------------------------------------------------------------------------------
// Private records, counted in parts of the data by workers that share nothing.

/// Numbers of equal records, one unit's after the other's. Private.
struct CountedRecords {
  std::size_t width = 1;                     ///< words of a record
  std::string units{};                       ///< end to end; none without units
  std::vector<std::uint64_t> unit_ends{};    ///< where the name of each ends
  std::vector<std::uint64_t> record_ends{};  ///< and its records
  std::vector<std::uint32_t> records{};      ///< `width` words each
  std::vector<std::uint64_t> counts{};       ///< of each record, at least 1
};

/// A release's encoder and counter of records.
struct RecordCounting {
  const Domain* domain = nullptr;  ///< in whose cells records are read
  /// A record is one word, its outcome; otherwise as many as the domain has columns, its digits.
  bool by_outcome = true;
  UnitColumns unit{};              ///< the columns of units, if they count apart
  const Roster* roster = nullptr;  ///< whose records alone count; with a unit column
};

/// Counts the records of one part of the data after another. Which rows came together, and in which
/// order, shows in how the counts are split, and never in their sums.
///
/// Total in the records, and so are its sums: each row of the data is one record of the domain.
/// Rows of no unit (a missing id, or none of the roster) are left out.
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

// -----------------------------------------------------------------------------------------------
// Counts of records, as a table again.

/// A RecordCounter's counts as a source: a row for each distinct record, with a value of each of
/// its cells, and last the column of counts, with a name that the domain does not have. Requires
/// counts of this domain's outcomes without units; a number that is not an outcome counts as the
/// first. O(rows columns).
[[nodiscard]] std::unique_ptr<const MemorySource> counted_table(const Domain& domain,
                                                                const CountedRecords& counted);

}  // namespace mollify
