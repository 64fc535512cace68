// Nobody can tell who is in a subsample, as somebody with the seed could.
// expected: SecureRandom
#include "domain/candidates.h"
#include "kernel/order.h"

std::size_t release(const mollify::PoissonSubsample& sample, std::span<const std::uint64_t> counts,
                    mollify::SecureRandom& secure, mollify::SeededRandom& seeded) {
#if defined(MISUSE)
  static_cast<void>(secure);
  return sample.draw(counts, seeded).size();
#else
  static_cast<void>(seeded);
  return sample.draw(counts, secure).size();
#endif
}
