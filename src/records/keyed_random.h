// Words that can be drawn again: those of one unit's draw under a release's key.
#pragma once

#include <array>
#include <cstddef>

#include "kernel/core/secure_random.h"

namespace mollify {

/// 32 secret bytes for the words of one draw. Nobody chooses them: only KeyedUnits makes one
/// (records/keyed_units.h), by a pseudorandom function whose key is the operating system's entropy.
/// Wiped when it ends.
class DrawKey {
 public:
  static constexpr std::size_t kBytes = 32;

  ~DrawKey() {
    bytes_.fill(0);
    __asm__ volatile("" : : "r"(bytes_.data()) : "memory");  // the stores may not be optimised away
  }
  DrawKey(const DrawKey&) = delete;
  DrawKey& operator=(const DrawKey&) = delete;

 private:
  friend class KeyedUnits;
  friend class KeyedRandom;
  DrawKey() = default;

  std::array<unsigned char, kBytes> bytes_{};
};

/// A SecureRandom whose words follow from a DrawKey: ChaCha20 (RFC 8439) under it, with the same
/// fast key erasure. The same key gives the same words, however the stream was used before.
///
/// Theorem. Against whoever cannot tell the pseudorandom function or ChaCha20 from random ones, the
/// words of different draw keys are independent of each other and uniform; those of one draw key
/// are the same words (docs/theory/release-keys.md, which says what that means for privacy).
///
/// A child of fork() that goes on without `restart` gets words of fresh entropy, as from any
/// SecureRandom: never those that its parent will draw.
class KeyedRandom final : public SecureRandom {
 public:
  explicit KeyedRandom(const DrawKey& key) { restart(key); }

  /// From here on the words are those of this key, from the first.
  void restart(const DrawKey& key);
};

}  // namespace mollify
