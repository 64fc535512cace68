#include "kernel/order/shuffle.h"

namespace mollify {

void shuffle(std::span<std::uint32_t> values, SecureRandom& random) {
  detail::shuffle_with(values, random);
}

}  // namespace mollify
