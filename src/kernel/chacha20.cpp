#include "chacha20.h"

namespace mollify::detail {

void chacha20(const std::uint32_t key[8], const std::uint32_t nonce[3], std::uint32_t counter,
              unsigned char* out, std::size_t batches) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return kAvx2ChaCha20(key, nonce, counter, out, batches);
#endif
  kBaselineChaCha20(key, nonce, counter, out, batches);
}

}  // namespace mollify::detail
