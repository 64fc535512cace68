// A chain that has not mixed is never a release.
// expected: SeededRandom
#include "laboratory/boosting/chains.h"

void walk(const mollify::BoostedDensity& density, const mollify::Measure& reference,
          mollify::SecureRandom& secure, mollify::SeededRandom& seeded, std::span<double> points) {
#if defined(MISUSE)
  static_cast<void>(seeded);
  mollify::simulate_metropolis_hastings(density, reference, {}, secure, points);
#else
  static_cast<void>(secure);
  mollify::simulate_metropolis_hastings(density, reference, {}, seeded, points);
#endif
}
