// A small space of words to exhaust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mollify::test {

/// Hands out strings of words, the i-th of which is in the middle of one of parts[i] equal parts of
/// the 2^64.
///
/// If the i-th word is used below a bound that divides parts[i], uniform_below accepts it, and as
/// many of the parts fall on each value. So a computation that needs such bounds alone behaves over
/// all these strings as it does over all words.
class EvenWords {
 public:
  explicit EvenWords(std::vector<std::uint64_t> parts)
      : parts_(std::move(parts)), digits_(parts_.size()) {}

  std::uint64_t word() {
    const std::uint64_t part = ~std::uint64_t{0} / parts_.at(position_);
    return digits_[position_++] * part + part / 2;
  }
  std::size_t used() const { return position_; }

  /// The next string of words, to be read from its beginning; false after the last.
  bool advance() {
    position_ = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      if (++digits_[i] < parts_[i]) return true;
      digits_[i] = 0;
    }
    return false;
  }

 private:
  std::vector<std::uint64_t> parts_;
  std::vector<std::uint64_t> digits_;
  std::size_t position_ = 0;
};

}  // namespace mollify::test
