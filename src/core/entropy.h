// The operating system's entropy: one call for each platform.
#pragma once

#include <cstddef>

namespace mollify::detail {

/// Fills the memory with entropy of the operating system. False if the system has none: then what
/// the memory holds is not random, and nothing may be made of it.
///
/// Linux and Android from API level 28: getrandom(2). Apple: CCRandomGenerateBytes. BSD: getentropy(2).
/// Windows: BCryptGenRandom. WASI, and so every page that runs WebAssembly: random_get, which the host
/// implements. Other platforms do not compile.
[[nodiscard]] bool fill_with_entropy(unsigned char* memory, std::size_t size) noexcept;

/// Of one call of the system: the number of bytes that it wrote, from 1 on, or one of these.
using EntropyCall = std::ptrdiff_t (*)(unsigned char* memory, std::size_t size);
inline constexpr std::ptrdiff_t kInterrupted = 0, kNoEntropy = -1;

/// Calls until all of the memory is filled. A call may write less than it was asked for, or be
/// interrupted. False if one fails, claims more than there is room for, or is interrupted so often
/// in a row that it seems not to work.
[[nodiscard]] bool fill_by(EntropyCall call, unsigned char* memory, std::size_t size) noexcept;

}  // namespace mollify::detail
