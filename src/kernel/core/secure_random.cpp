#include "kernel/core/secure_random.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#if defined(__unix__)
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#endif

#include "kernel/core/chacha20.h"

namespace mollify {
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

void tell_of_forks(void (*forked)()) {
#if defined(__unix__)
  static const int failed = pthread_atfork(nullptr, nullptr, forked);
  if (failed != 0) stop("the program cannot be told of forks");
#endif
}

}  // namespace

std::uint64_t SecureRandom::fork_count_ = 1;

SecureRandom::SecureRandom() {
  tell_of_forks([] { ++fork_count_; });
#if defined(__unix__)
  void* memory =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) stop("there is no memory for the random generator");
#if defined(MADV_WIPEONFORK)
  madvise(memory, sizeof(State), MADV_WIPEONFORK);  // where refused, fork_count_ does its work
#endif
#if defined(MADV_DONTDUMP)
  madvise(memory, sizeof(State), MADV_DONTDUMP);
#endif
#else  // systems without processes, such as WebAssembly: nothing forks there
  void* memory = std::calloc(1, sizeof(State));
  if (memory == nullptr) stop("there is no memory for the random generator");
#endif
  state_ = static_cast<State*>(memory);  // all zeros, so the first word waits for a refill
}

SecureRandom::~SecureRandom() {
  if (state_ == nullptr) return;
  wipe(state_, sizeof(State));
#if defined(__unix__)
  munmap(state_, sizeof(State));
#else
  std::free(state_);
#endif
}

SecureRandom::SecureRandom(SecureRandom&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

SecureRandom& SecureRandom::operator=(SecureRandom&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

namespace {

constexpr std::uint32_t kNonce[3] = {0, 0, 0};  // always the same: a key makes one stream only

}  // namespace

void SecureRandom::refill() {
  std::uint32_t key[8];
  static_assert(sizeof key == kKeyWords * sizeof(std::uint64_t));
  if (state_->alive != fork_count_) {
    if (getentropy(key, sizeof key) != 0) stop("the operating system gives no entropy");
    state_->alive = fork_count_;
  } else {
    std::memcpy(key, state_->stream, sizeof key);
  }
  constexpr std::size_t kBatches = sizeof(State::stream) / detail::kChaChaBatchBytes;
  static_assert(kBatches * detail::kChaChaBatchBytes == sizeof(State::stream));
  detail::chacha20(key, kNonce, 0, reinterpret_cast<unsigned char*>(state_->stream), kBatches);
  wipe(key, sizeof key);
  state_->position = kKeyWords;
}

// One batch to begin with, at the buffer's end: a draw takes few words, and a refill has many.
void SecureRandom::restart(const unsigned char* key) {
  constexpr std::size_t kBatchWords = detail::kChaChaBatchBytes / sizeof(std::uint64_t);
  constexpr std::size_t kEnd = kKeyWords + kWords;
  std::uint64_t* const batch = state_->stream + (kEnd - kBatchWords);
  if (state_->position < kEnd - kBatchWords) {  // what is left of the words before
    wipe(state_->stream + state_->position,
         (kEnd - kBatchWords - state_->position) * sizeof(std::uint64_t));
  }
  std::uint32_t words[8];
  std::memcpy(words, key, sizeof words);
  detail::chacha20(words, kNonce, 0, reinterpret_cast<unsigned char*>(batch), 1);
  wipe(words, sizeof words);
  std::memcpy(state_->stream, batch, kKeyWords * sizeof(std::uint64_t));
  wipe(batch, kKeyWords * sizeof(std::uint64_t));
  state_->position = kEnd - kBatchWords + kKeyWords;
  state_->alive = fork_count_;
}

}  // namespace mollify
