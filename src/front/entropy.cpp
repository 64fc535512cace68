#include "front/entropy.h"

namespace mollify::front {

SecureRandom& entropy() {
  static thread_local SecureRandom random;
  return random;
}

}  // namespace mollify::front
