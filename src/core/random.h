// Words: the secure generator and integers from it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "wide.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// An unbiased integer below a bound from any source of uniform 64-bit words.

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

// -----------------------------------------------------------------------------------------------
// The ChaCha20 block function of RFC 8439, many blocks at a time.

namespace detail {

/// Blocks are made in batches of eight: 512 bytes, 64 words of 64 bits.
inline constexpr std::size_t kChaChaBatchBytes = 512;

/// Writes `batches` batches of keystream for block counters counter, counter + 1, ...
/// `nonce` is the RFC's 96-bit nonce as three little-endian words. Leaves neither the key nor the
/// keystream on the stack. tests/core/random.cpp compares with the RFC and libsodium.
void chacha20(const std::uint32_t key[8], const std::uint32_t nonce[3], std::uint32_t counter,
              unsigned char* out, std::size_t batches);

/// The block for one instruction set, which leaves some of it on the stack.
struct ChaCha20Lanes {
  void (*keystream)(const std::uint32_t* key, const std::uint32_t* nonce, std::uint32_t counter,
                    unsigned char* out, std::size_t batches);
  static const ChaCha20Lanes kBaseline, kAvx2, kAvx512;
};

}  // namespace detail

// -----------------------------------------------------------------------------------------------
// The only source of randomness that a release accepts.

/// 32 secret bytes for the words of one draw. Nobody chooses them: only KeyedUnits makes one
/// (records/keyed_units.h), by a pseudorandom function whose key is the operating system's entropy.
/// Wiped when it ends.
class DrawKey {
 public:
  static constexpr std::size_t kBytes = 32;

  ~DrawKey();
  DrawKey(const DrawKey&) = delete;
  DrawKey& operator=(const DrawKey&) = delete;

 private:
  friend class KeyedUnits;
  friend class SecureRandom;
  DrawKey() = default;

  std::array<unsigned char, kBytes> bytes_{};
};

/// A cryptographic generator of uniform words: ChaCha20 keyed by the operating system's entropy.
///
/// Construction. 32 bytes of entropy (core/entropy.h) key a ChaCha20 stream (RFC 8439). Each refill
/// of the buffer spends its first 32 bytes as the next key and forgets the old one (fast key
/// erasure), and each word is wiped as it is handed out, so what is in memory tells nothing about
/// past words.
///
/// Fork. The state lies in memory that the operating system hands to a child as zeros
/// (MADV_WIPEONFORK), and a counter advanced by pthread_atfork notices fork() where that is not
/// supported. Either way `alive` is not the child's fork count, so a child draws fresh entropy
/// before its first word: parent and children never share one. Not covered: a bare clone() on a
/// system without MADV_WIPEONFORK, and a signal handler that forks and goes on while an object is
/// in use. Windows and WebAssembly have no fork, and the state lies in ordinary memory there.
///
/// Words of a key. `keyed` makes a generator whose words are ChaCha20's under a DrawKey, with the
/// same fast key erasure: the same key gives the same words, however the generator was used before.
/// Against anyone who cannot distinguish the pseudorandom function or ChaCha20 from random ones,
/// the words of different keys are independent of each other and uniform
/// (docs/theory/release-keys.md). A forked child gets words of fresh entropy from such a generator
/// too, never those that its parent will draw.
///
/// Failure. If the operating system gives no entropy, or no memory for the state, the program says
/// so on standard error and aborts. There is no fallback and no seed. Those who must not abort ask
/// `is_ready` before each draw.
///
/// Threads. An object belongs to one thread at a time; give each thread its own. About 12 KiB each.
class SecureRandom {
 public:
  SecureRandom();

  /// Takes over `memory`, whose words are forgotten, so that many keys need it once.
  [[nodiscard]] static SecureRandom keyed(const DrawKey& key, SecureRandom memory = {});

  /// Whether there are words, or entropy to make them of. Words then come without further entropy,
  /// unless the process forks.
  [[nodiscard]] bool is_ready() noexcept;

  /// A uniform 64-bit word.
  std::uint64_t word() {
    if (state_->position == kKeyWords + kWords || state_->alive != fork_count_) refill();
    std::uint64_t& slot = state_->stream[state_->position++];
    const std::uint64_t value = slot;
    slot = 0;
    return value;
  }

  /// A uniform integer below `bound`, which must not be 0. Unbiased (see uniform_below).
  std::uint64_t below(std::uint64_t bound) { return uniform_below(*this, bound); }

 private:
  static constexpr std::size_t kKeyWords = 4;
  static constexpr std::size_t kWords = 1024 - kKeyWords;

  struct State {
    std::uint64_t stream[kKeyWords + kWords];  // the next key, then words to hand out
    std::size_t position;                      // of the next word in `stream`
    std::uint64_t alive;  // the fork count under which the stream was made; 0 if there is none
  };

  struct Forget {
    void operator()(State* state) const;
  };

  void refill();
  /// False if entropy is needed and missing: then nothing was changed.
  [[nodiscard]] bool try_refill() noexcept;
  /// Makes the last `batches` batches of the stream anew; `key` is wiped.
  void fill(std::uint32_t (&key)[8], std::size_t batches);

  /// One more than the number of forks between the program's first generator and this process:
  /// never 0.
  static std::uint64_t fork_count_;

  std::unique_ptr<State, Forget> state_;
};

}  // namespace mollify
