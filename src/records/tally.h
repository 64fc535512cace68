// Counts keys without keeping one entry for each observation.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace mollify {

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

  /// The same key so many times, at once.
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

}  // namespace mollify
