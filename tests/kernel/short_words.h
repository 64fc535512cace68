// A source whose words have few digits, and all strings of such words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "kernel/coins.h"

namespace mollify {

namespace test {

/// Hands out given words of `bits` digits, and throws Undecided if one more is asked for.
template <unsigned bits>
struct ShortWords {
  struct Undecided : std::exception {};

  std::vector<std::uint64_t> digits;
  std::size_t used = 0;

  std::uint64_t word() {
    if (used == digits.size()) throw Undecided();
    return digits[used++] << (64 - bits);
  }
};

}  // namespace test

namespace detail {
template <unsigned bits>
inline constexpr unsigned kWordBits<test::ShortWords<bits>> = bits;
}  // namespace detail

namespace test {

/// How the strings of `length` words of `bits` digits fall: those that make a coin heads and those
/// that leave it undecided, exactly. The others make it tails.
struct StringCounts {
  Natural heads;
  std::uint64_t undecided = 0;
};

/// Tries every word after every string that is undecided yet, to the given length. A string that
/// has decided represents all that begin with it, since no more of it is read.
template <unsigned bits, class X>
StringCounts exhaust(const X& x, std::size_t length) {
  StringCounts counts;
  std::vector<std::vector<std::uint64_t>> open = {{}};
  for (std::size_t level = 0; level < length; ++level) {
    counts.heads = counts.heads << bits;
    std::vector<std::vector<std::uint64_t>> still_open;
    for (const std::vector<std::uint64_t>& begin : open) {
      for (std::uint64_t digit = 0; digit >> bits == 0; ++digit) {
        ShortWords<bits> words{begin};
        words.digits.push_back(digit);
        try {
          const bool heads = detail::is_below_exp_minus(x, words);
          if (words.used != words.digits.size()) throw std::logic_error("decided before");
          if (heads) counts.heads = counts.heads + Natural(1);
        } catch (const typename ShortWords<bits>::Undecided&) {
          still_open.push_back(words.digits);
        }
      }
    }
    open = still_open;
  }
  counts.undecided = open.size();
  return counts;
}

}  // namespace test

}  // namespace mollify
