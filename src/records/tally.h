// Counts keys without keeping one entry for each observation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mollify {

/// How often each key was added, for any number of additions, in memory proportional to the
/// number of distinct keys (at least a few megabytes are used as a buffer).
///
/// New keys wait in a buffer; whenever it holds as many as there are distinct keys, it is sorted
/// and merged into the sorted counts. n additions cost O(n log n) in all.
template <class Key>
class Tally {
 public:
  struct Counts {
    std::vector<Key> keys{};              ///< distinct, ascending
    std::vector<std::uint64_t> counts{};  ///< as many, each at least 1
  };

  void add(Key key) {
    if (pending_.size() >= std::max(kMinPending, sorted_.keys.size())) merge();
    pending_.push_back(key);
  }

  /// The counts of everything added so far. The tally is empty afterwards.
  [[nodiscard]] Counts take() {
    merge();
    pending_ = {};
    return std::exchange(sorted_, {});
  }

 private:
  static constexpr std::size_t kMinPending = std::size_t{1} << 18U;

  void merge() {
    std::sort(pending_.begin(), pending_.end());
    Counts merged;
    merged.keys.reserve(sorted_.keys.size());
    merged.counts.reserve(sorted_.keys.size());
    std::size_t old = 0;
    for (std::size_t i = 0; i < pending_.size();) {
      const Key key = pending_[i];
      std::uint64_t count = 0;
      for (; i < pending_.size() && pending_[i] == key; ++i) ++count;
      for (; old < sorted_.keys.size() && sorted_.keys[old] < key; ++old) take_old(merged, old);
      if (old < sorted_.keys.size() && sorted_.keys[old] == key) count += sorted_.counts[old++];
      merged.keys.push_back(key);
      merged.counts.push_back(count);
    }
    for (; old < sorted_.keys.size(); ++old) take_old(merged, old);
    sorted_ = std::move(merged);
    pending_.clear();
  }

  void take_old(Counts& merged, std::size_t old) const {
    merged.keys.push_back(sorted_.keys[old]);
    merged.counts.push_back(sorted_.counts[old]);
  }

  std::vector<Key> pending_;
  Counts sorted_;
};

}  // namespace mollify
