// The only source of randomness that a release accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "uniform_below.h"

namespace mollify {

/// A cryptographic generator of uniform words: ChaCha20 keyed by the operating system's entropy.
///
/// Construction. 32 bytes from getentropy(3) key a ChaCha20 stream (RFC 8439). Each refill of the
/// buffer spends its first 32 bytes as the next key and forgets the old one (fast key erasure), and
/// each word is wiped as it is handed out, so what is in memory tells nothing about past words.
///
/// Fork. The state lies in memory that the operating system hands to a child as zeros
/// (MADV_WIPEONFORK), and a counter advanced by pthread_atfork stands in for fork() where that is
/// not supported. Either way `alive` is not the child's fork count, so a child draws fresh entropy
/// before its first word: parent and children never share one. Not covered: a bare clone() on a
/// system without MADV_WIPEONFORK, and a signal handler that forks and goes on while an object is
/// in use.
///
/// Failure. If the operating system gives no entropy, or no memory for the state, the program says
/// so on standard error and aborts. There is no fallback and no seed.
///
/// Threads. An object belongs to one thread at a time; give each thread its own. About 12 KiB each.
class SecureRandom {
 public:
  SecureRandom();

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
  friend class KeyedRandom;  // whose words are those of a release's key (records/keyed_random.h)

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

  /// One more than the number of forks between the program's first generator and this process:
  /// never 0.
  static std::uint64_t fork_count_;

  std::unique_ptr<State, Forget> state_;
};

}  // namespace mollify
