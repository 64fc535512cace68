// Numbers strings 0, 1, 2, … in the order in which they were first seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mollify {

/// A set of distinct byte strings, each with the index of its insertion.
///
/// Lookup takes O(length) expected time whatever the strings are (their hash has a secret key), and
/// allocates nothing, which is what reading a million private rows needs; the strings lie end to
/// end in one buffer (about 16 bytes beside each). Strings are compared byte for byte.
class StringIndex {
 public:
  /// What `find` returns for a string that is not in the set.
  static constexpr std::uint32_t kAbsent = 0xffffffffU;

  /// The index of `text`, or kAbsent.
  [[nodiscard]] std::uint32_t find(std::string_view text) const noexcept;

  /// The index of `text`, which is added first if it is new.
  /// Throws std::length_error beyond 2^32 - 1 strings.
  std::uint32_t insert(std::string_view text);

  /// The string with this index; valid until the next insertion. Requires index < size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

 private:
  // Part of the hash is kept beside the index so that nearly every mismatch is seen without
  // following it into the text.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t index = kAbsent;
  };

  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const noexcept;
  void grow();

  std::string bytes_;
  std::vector<std::uint64_t> ends_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
};

}  // namespace mollify
