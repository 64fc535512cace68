// The key behind the front's.
#pragma once

#include "mollify/release_key.h"
#include "records/release_key.h"

namespace mollify::front {

namespace inside = ::mollify;

class ReleaseKey::Inside {
 public:
  inside::ReleaseKey key;
};

}  // namespace mollify::front
