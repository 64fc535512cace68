// What stands behind the front's domains.
#pragma once

#include <utility>

#include "mollify/domain.h"
#include "space/domain.h"

namespace mollify::front {

namespace inside = ::mollify;

class Column::Inside {
 public:
  explicit Inside(inside::Column made) : column(std::move(made)) {}
  inside::Column column;
};

class Domain::Inside {
 public:
  explicit Inside(inside::Domain made) : domain(std::move(made)) {}
  inside::Domain domain;
};

[[nodiscard]] Domain outward(inside::Domain domain);

}  // namespace mollify::front
