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
/// Theorem. If the words are uniform and independent, so is the value: each has the same number of
/// accepted words [Lemire 2019, Lemma 4.1]. Proof. Let r = 2^64 mod bound. A word w gives value v,
/// and is accepted, where w * bound is in [v 2^64 + r, (v + 1) 2^64). That interval is 2^64 - r
/// long, a multiple of bound, so wherever it lies it holds exactly (2^64 - r) / bound multiples of
/// bound. Other words are drawn anew; they are fewer than half, so fewer than two are used on
/// average. QED
template <WordSource Source>
std::uint64_t uniform_below(Source& source, std::uint64_t bound) {
  uint128 product = 0;
  do {
    product = static_cast<uint128>(source.word()) * bound;
  } while (static_cast<std::uint64_t>(product) < bound &&          // r is, too: else no division
           static_cast<std::uint64_t>(product) < -bound % bound);  // 2^64 mod bound
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
