// The ChaCha20 block function of RFC 8439, many blocks at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mollify::detail {

/// Blocks are made in batches of eight: 512 bytes, 64 words of 64 bits.
inline constexpr std::size_t kChaChaBatchBytes = 512;

/// Writes `batches` batches of keystream for block counters counter, counter + 1, ...
/// `nonce` is the RFC's 96-bit nonce as three little-endian words. Leaves neither the key nor the
/// keystream on the stack. tests/kernel/core/chacha20.cpp compares with the RFC and libsodium.
void chacha20(const std::uint32_t key[8], const std::uint32_t nonce[3], std::uint32_t counter,
              unsigned char* out, std::size_t batches);

using ChaCha20 = void (*)(const std::uint32_t*, const std::uint32_t*, std::uint32_t, unsigned char*,
                          std::size_t);
extern const ChaCha20 kBaselineChaCha20;
#if defined(__x86_64__)
extern const ChaCha20 kAvx2ChaCha20;
#endif

}  // namespace mollify::detail
