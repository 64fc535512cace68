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

/// The same for one instruction set, which leaves some of it on the stack.
struct ChaCha20Lanes {
  void (*keystream)(const std::uint32_t* key, const std::uint32_t* nonce, std::uint32_t counter,
                    unsigned char* out, std::size_t batches);
  static const ChaCha20Lanes kBaseline, kAvx2, kAvx512;
};

}  // namespace mollify::detail
