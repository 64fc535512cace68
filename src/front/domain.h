// The inside of the front's domains.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "domain/column.h"
#include "domain/domain.h"
#include "mollify/domain.h"

namespace mollify::front {

namespace inside = ::mollify;

class ColumnInside {
 public:
  explicit ColumnInside(inside::Column made) : column(std::move(made)) {}
  inside::Column column;
};

class DomainInside {
 public:
  explicit DomainInside(inside::Domain made) : domain(std::move(made)) {}
  inside::Domain domain;
};

[[nodiscard]] Domain outward(inside::Domain domain);

/// The JSON object with this domain in it. Throws InvalidInput if it names one; `name` is what
/// sentences call the object. What else is wrong with it, who reads it says.
[[nodiscard]] std::string with_domain(std::string_view json, const Domain& domain,
                                      const std::string& name);

}  // namespace mollify::front
