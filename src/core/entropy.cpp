#include "core/entropy.h"

#if defined(_WIN32)
#include <windows.h>
// After the header that it needs.
#include <bcrypt.h>
#elif defined(__linux__)
#include <sys/random.h>

#include <cerrno>
#elif defined(__wasi__)
#include <wasi/api.h>
#elif defined(__APPLE__)
#include <CommonCrypto/CommonRandom.h>
#elif defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#else
#error "mollify knows no source of entropy on this platform: add its call to core/entropy.cpp"
#endif

namespace mollify::detail {

namespace {

// The system's call writes so much at most.
#if defined(_WIN32)
std::ptrdiff_t system_entropy(unsigned char* memory, std::size_t size) {
  constexpr std::size_t kMost = 1U << 16;
  const std::size_t part = size < kMost ? size : kMost;
  const NTSTATUS status =
      BCryptGenRandom(nullptr, memory, static_cast<ULONG>(part), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  return status >= 0 ? static_cast<std::ptrdiff_t>(part) : kNoEntropy;
}
#elif defined(__linux__)
std::ptrdiff_t system_entropy(unsigned char* memory, std::size_t size) {
  const std::ptrdiff_t written = getrandom(memory, size, 0);
  if (written > 0) return written;
  return written < 0 && errno == EINTR ? kInterrupted : kNoEntropy;
}
#elif defined(__wasi__)
std::ptrdiff_t system_entropy(unsigned char* memory, std::size_t size) {
  constexpr std::size_t kMost = 1U << 16;  // of crypto.getRandomValues
  const std::size_t part = size < kMost ? size : kMost;
  const __wasi_errno_t error = __wasi_random_get(memory, part);
  if (error == __WASI_ERRNO_INTR) return kInterrupted;
  return error == __WASI_ERRNO_SUCCESS ? static_cast<std::ptrdiff_t>(part) : kNoEntropy;
}
#elif defined(__APPLE__)
// Not getentropy: the kits of iOS do not declare it, and Apple's store refuses programs that call it.
std::ptrdiff_t system_entropy(unsigned char* memory, std::size_t size) {
  return CCRandomGenerateBytes(memory, size) == kCCSuccess ? static_cast<std::ptrdiff_t>(size)
                                                           : kNoEntropy;
}
#else
std::ptrdiff_t system_entropy(unsigned char* memory, std::size_t size) {
  constexpr std::size_t kMost = 256;
  const std::size_t part = size < kMost ? size : kMost;
  if (getentropy(memory, part) == 0) return static_cast<std::ptrdiff_t>(part);
  return errno == EINTR ? kInterrupted : kNoEntropy;
}
#endif

}  // namespace

bool fill_by(EntropyCall call, unsigned char* memory, std::size_t size) noexcept {
  constexpr int kMostInterruptions = 1000;
  int interruptions = 0;
  while (size != 0) {
    const std::ptrdiff_t written = call(memory, size);
    if (written == kInterrupted && ++interruptions < kMostInterruptions) continue;
    if (written <= 0 || static_cast<std::size_t>(written) > size) return false;
    interruptions = 0;
    memory += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool fill_with_entropy(unsigned char* memory, std::size_t size) noexcept {
  return fill_by(system_entropy, memory, size);
}

}  // namespace mollify::detail
