// Nobody can tell who is in a subsample, as somebody with the seed could.
// expected: SecureRandom
#include "kernel/order/subsample.h"
#include "space/seeded_random.h"

std::size_t release(std::span<const std::uint32_t> values, mollify::SecureRandom& secure,
                    mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return mollify::subsample(values, 1, seeded).size();
#else
  static_cast<void>(seeded);
  return mollify::subsample(values, 1, secure).size();
#endif
}
