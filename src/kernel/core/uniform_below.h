// An unbiased integer below a bound from any source of uniform 64-bit words.
#pragma once

#include <concepts>
#include <cstdint>

#include "wide.h"

namespace mollify {

/// A source of independent, uniform 64-bit words.
template <class Source>
concept WordSource = requires(Source& source) {
  { source.word() } -> std::same_as<std::uint64_t>;
};

/// Uniform on {0, ..., bound - 1}; bound must not be 0.
///
/// Theorem. If the words are uniform, every value has the same number of accepted words: of the
/// 2^64 words w, value v is produced by those with floor(w * bound / 2^64) = v whose low half is at
/// least 2^64 mod bound, and these are floor(2^64 / bound) for each v [Lemire 2019, Lemma 4.1]. The
/// others are rejected and drawn anew, so there is no bias at all; fewer than two words are used on
/// average.
template <WordSource Source>
std::uint64_t uniform_below(Source& source, std::uint64_t bound) {
  uint128 product = static_cast<uint128>(source.word()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t rejected = -bound % bound;  // 2^64 mod bound
    while (static_cast<std::uint64_t>(product) < rejected) {
      product = static_cast<uint128>(source.word()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

/// The same for a bound that is used many times: the division is done once.
class UniformBelow {
 public:
  explicit UniformBelow(std::uint64_t bound) : bound_(bound), rejected_(-bound % bound) {}

  [[nodiscard]] std::uint64_t bound() const { return bound_; }

  template <WordSource Source>
  [[nodiscard]] std::uint64_t operator()(Source& source) const {
    uint128 product = 0;
    do {
      product = static_cast<uint128>(source.word()) * bound_;
    } while (static_cast<std::uint64_t>(product) < rejected_);
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::uint64_t bound_;
  std::uint64_t rejected_;  // 2^64 mod bound
};

}  // namespace mollify
