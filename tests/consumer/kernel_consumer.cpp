// Randomized response with the kernel alone.
#include <cstddef>
#include <iostream>

#include "kernel/core/randomized_response.h"
#include "kernel/core/secure_random.h"

int main() {
  const mollify::RandomizedResponse response(4, 1.0);
  mollify::SecureRandom random;
  const std::size_t released = response.draw(2, random);
  std::cout << "released outcome " << released << " of 4\n";
  return released < 4 ? 0 : 1;
}
