#include "core/random.h"

#if defined(__unix__) || defined(__APPLE__)
#define MOLLIFY_HAS_FORK 1
#include <pthread.h>
#include <sys/mman.h>
#endif

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/entropy.h"
#include "core/lanes.h"

namespace mollify {

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

void detail::chacha20(const std::uint32_t key[8], const std::uint32_t nonce[3],
                      std::uint32_t counter, unsigned char* out, std::size_t batches) {
  fastest<ChaCha20Lanes>().keystream(key, nonce, counter, out, batches);
  burn_stack();
}

// -----------------------------------------------------------------------------------------------
// The only source of randomness that a release accepts.

namespace {

#if defined(__wasi__)
// A page asks is_ready first; printing would double the size of a small module.
[[noreturn]] void stop(const char*) { __builtin_trap(); }
#else
[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "mollify: %s; stopping, because nothing private can be released safely\n",
               why);
  std::abort();
}
#endif

void wipe(void* memory, std::size_t size) {
  std::memset(memory, 0, size);
  __asm__ volatile("" : : "r"(memory) : "memory");  // the store may not be optimised away
}

}  // namespace

DrawKey::~DrawKey() { wipe(bytes_.data(), kBytes); }

std::uint64_t SecureRandom::fork_count_ = 1;

#if defined(MOLLIFY_HAS_FORK)
SecureRandom::SecureRandom() {
  // No static that is made here: if another thread forked meanwhile, it would never be ready in the
  // child. Two threads may both ask, and then forks count twice.
  static constinit std::atomic<bool> is_told_of_forks{false};
  if (!is_told_of_forks) {
    if (pthread_atfork(nullptr, nullptr, [] { ++fork_count_; }) != 0) {
      stop("the program cannot be told of forks");
    }
    is_told_of_forks = true;
  }
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
#else
SecureRandom::SecureRandom() : state_(static_cast<State*>(std::calloc(1, sizeof(State)))) {
  if (state_ == nullptr) stop("there is no memory for the random generator");
}

void SecureRandom::Forget::operator()(State* state) const {
  wipe(state, sizeof(State));
  std::free(state);
}
#endif

// One batch, at the stream's end: a draw takes few words, and a refill makes many.
SecureRandom SecureRandom::keyed(const DrawKey& key, SecureRandom memory) {
  std::uint32_t words[DrawKey::kBytes / sizeof(std::uint32_t)];
  std::memcpy(words, key.bytes_.data(), sizeof words);
  memory.fill(words, 1);
  return memory;
}

bool SecureRandom::is_ready() noexcept { return state_->alive == fork_count_ || try_refill(); }

void SecureRandom::refill() {
  if (!try_refill()) stop("the operating system gives no entropy");
}

bool SecureRandom::try_refill() noexcept {
  std::uint32_t key[8];
  if (state_->alive == fork_count_) {
    std::memcpy(key, state_->stream, sizeof key);
  } else if (!detail::fill_with_entropy(reinterpret_cast<unsigned char*>(key), sizeof key)) {
    return false;
  }
  fill(key, sizeof(State::stream) / detail::kChaChaBatchBytes);
  return true;
}

void SecureRandom::fill(std::uint32_t (&key)[8], std::size_t batches) {
  static_assert(sizeof key == kKeyWords * sizeof(std::uint64_t));
  static_assert(sizeof(State::stream) % detail::kChaChaBatchBytes == 0);
  constexpr std::uint32_t kNonce[3] = {0, 0, 0};  // always the same: a key makes one stream only
  const std::size_t begin =
      kKeyWords + kWords - batches * (detail::kChaChaBatchBytes / sizeof(std::uint64_t));
  std::uint64_t* const first = state_->stream + begin;
  if (state_->position < begin) {  // the rest of the words before
    wipe(state_->stream + state_->position, (begin - state_->position) * sizeof *first);
  }
  detail::chacha20(key, kNonce, 0, reinterpret_cast<unsigned char*>(first), batches);
  std::memcpy(key, first, sizeof key);  // the next key
  wipe(first, sizeof key);
  std::memcpy(state_->stream, key, sizeof key);
  wipe(key, sizeof key);
  state_->position = begin + kKeyWords;
  state_->alive = fork_count_;
}

}  // namespace mollify
