#include "space/seeded_random.h"

#include "kernel/core/chacha20.h"

namespace mollify {

void SeededRandom::refill() {
  const std::uint32_t key[8] = {static_cast<std::uint32_t>(seed_),
                                static_cast<std::uint32_t>(seed_ >> 32)};
  const std::uint32_t nonce[3] = {batch_++, 0, 0};
  constexpr std::size_t kBatches = sizeof words_ / detail::kChaChaBatchBytes;
  static_assert(kBatches * detail::kChaChaBatchBytes == sizeof words_);
  detail::chacha20(key, nonce, 0, reinterpret_cast<unsigned char*>(words_), kBatches);
  position_ = 0;
}

}  // namespace mollify
