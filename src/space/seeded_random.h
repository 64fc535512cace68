// Reproducible randomness for analysis and tests. NOT PRIVATE.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/core/uniform_below.h"

namespace mollify {

/// The ChaCha20 stream of a seed. NOT PRIVATE: whoever knows the seed knows the draws.
///
/// It is no relation of SecureRandom, and nothing that releases takes it: a release with a seed
/// does not compile (tests/misuse). What it may drive is named `simulate`.
///
/// **Fixed for ever**, because lists of public candidates are drawn from it (space/candidates.h):
/// the key is the seed in its first eight bytes and zeros, and batch b, blocks 0 to 15 under the
/// nonce (b, 0, 0), gives words 128 b to 128 b + 127, all little-endian.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : seed_(seed) {}

  /// The next word of the stream.
  std::uint64_t word() {
    if (position_ == kWords) refill();
    return words_[position_++];
  }

  /// A uniform integer below `bound`, which must not be 0.
  std::uint64_t below(std::uint64_t bound) { return uniform_below(*this, bound); }

 private:
  static constexpr std::size_t kWords = 128;

  void refill();

  std::uint64_t seed_;
  std::uint32_t batch_ = 0;
  std::size_t position_ = kWords;
  std::uint64_t words_[kWords];
};

}  // namespace mollify
