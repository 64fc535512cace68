// One person's records in, one private record out.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "methods/local/mechanism.h"

int main() {
  // Public: six outcomes, epsilon 2. Private: the outcomes of nine records.
  const auto sampler = mollify::make_sampler(
      {.mechanism = mollify::Mechanism::kMinimax, .outcome_count = 6, .epsilon = 2.0});
  const std::vector<std::uint32_t> outcomes{1, 4};
  const std::vector<double> records{8, 1};

  mollify::SecureRandom random;
  std::uint32_t released = 0;
  sampler->draw({outcomes, records}, random, {&released, 1});

  const bool possible = released < 6;
  std::printf("released an outcome %s the domain; epsilon realised %.4f\n",
              possible ? "of" : "outside", sampler->epsilon_realised_up());
  return possible ? 0 : 1;
}
