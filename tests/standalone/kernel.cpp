// A program with the kernel alone. At run time it needs only the kernel's needs.
#include <vector>

#include "core/table.h"
#include "kernel/channels.h"
#include "kernel/noise.h"
#include "kernel/order.h"
#include "kernel/search.h"

int main() {
  const mollify::Band band = mollify::make_band({.outcome_count = 4, .floor = 0.6, .epsilon = 1});
  mollify::SecureRandom random;
  const mollify::Table table = mollify::projected(band, std::vector<double>{1, 2, 3, 4});
  mollify::SparseTable sparse(band);
  mollify::project(sparse, std::vector<std::uint32_t>{1}, std::vector<double>{1});
  const mollify::AliasTable alias(table);
  const mollify::RandomizedResponse response(4, 1);
  std::vector<std::uint32_t> order = {0, 1, 2};
  mollify::shuffle(order, random);
  const mollify::DiscreteLaplace laplace({1, 1});
  const mollify::DiscreteGaussian gaussian({1, 1});
  // Noise of size 100 has probability below e^-100.
  const bool is_near = laplace.draw(random) < 100 && gaussian.draw(random) < 100;
  const bool inside = is_near && order[0] < 3 && table.draw(random) < 4 &&
                      sparse.draw(random) < 4 && alias.draw(random) < 4 &&
                      response.draw(1, random) < 4;
  return inside ? 0 : 1;
}
