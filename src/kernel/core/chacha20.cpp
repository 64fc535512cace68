#include "kernel/core/chacha20.h"

#include "kernel/core/fastest_lanes.h"

namespace mollify::detail {
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
