#include "core/random.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/lanes.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// The ChaCha20 block function of RFC 8439, many blocks at a time.

namespace {

/// Overwrites the stack where the function called just before left the key and the keystream: the
/// compiler spills them where it likes, beyond the reach of wiping variables. That function's frame
/// takes less than 2 KiB.
__attribute__((noinline, no_sanitize("address"))) void burn_stack() {
  unsigned char burnt[4096];
  __builtin_memset(burnt, 0, sizeof burnt);
  __asm__ volatile("" : : "r"(burnt) : "memory");  // the stores may not be optimised away
}

}  // namespace

void chacha20(const std::uint32_t key[8], const std::uint32_t nonce[3], std::uint32_t counter,
              unsigned char* out, std::size_t batches) {
  fastest<ChaCha20Lanes>().keystream(key, nonce, counter, out, batches);
  burn_stack();
}

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The only source of randomness that a release accepts.

namespace {

[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "mollify: %s; stopping, because nothing private can be released safely\n",
               why);
  std::abort();
}

void wipe(void* memory, std::size_t size) {
  std::memset(memory, 0, size);
  __asm__ volatile("" : : "r"(memory) : "memory");  // the store may not be optimised away
}

}  // namespace

std::uint64_t SecureRandom::fork_count_ = 1;

SecureRandom::SecureRandom() {
  static const int failed = pthread_atfork(nullptr, nullptr, [] { ++fork_count_; });
  if (failed != 0) stop("the program cannot be told of forks");
  void* memory =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) stop("there is no memory for the random generator");
#if defined(MADV_WIPEONFORK)
  madvise(memory, sizeof(State), MADV_WIPEONFORK);  // where refused, fork_count_ does its work
#endif
#if defined(MADV_DONTDUMP)
  madvise(memory, sizeof(State), MADV_DONTDUMP);
#endif
  state_.reset(static_cast<State*>(memory));  // all zeros, so the first word waits for a refill
}

void SecureRandom::Forget::operator()(State* state) const {
  wipe(state, sizeof(State));
  munmap(state, sizeof(State));
}

void SecureRandom::refill() {
  std::uint32_t key[8];
  static_assert(sizeof key == kKeyWords * sizeof(std::uint64_t));
  if (state_->alive != fork_count_) {
    if (getentropy(key, sizeof key) != 0) stop("the operating system gives no entropy");
    state_->alive = fork_count_;
  } else {
    std::memcpy(key, state_->stream, sizeof key);
  }
  constexpr std::uint32_t kNonce[3] = {0, 0, 0};  // always the same: a key makes one stream only
  constexpr std::size_t kBatches = sizeof(State::stream) / detail::kChaChaBatchBytes;
  static_assert(kBatches * detail::kChaChaBatchBytes == sizeof(State::stream));
  detail::chacha20(key, kNonce, 0, reinterpret_cast<unsigned char*>(state_->stream), kBatches);
  wipe(key, sizeof key);
  state_->position = kKeyWords;
}

}  // namespace mollify
