// The header for one draw links with what the documents name.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <mollify/sampler.h>

int main() {
  mollify::SamplerParameters parameters;
  parameters.k = 6;
  parameters.epsilon = 2;
  const mollify::Sampler sampler(parameters);
  const std::vector<double> records{0, 8, 0, 0, 1, 0};
  const std::uint32_t outcome = sampler.draw(records);
  std::printf("released an outcome %s the domain\n", outcome < 6 ? "of" : "outside");
  return outcome < 6 ? 0 : 1;
}
