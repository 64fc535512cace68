// What stands above every verdict of compare. NOT PRIVATE.
#pragma once

#include <string>
#include <vector>

#include "mapped_values.h"
#include "release/spec.h"

namespace mollify::cli {

/// What the comparison cannot show, because both of its sides have it: values that were taken for
/// others before anything was compared, and whose shares the shares are.
struct CompareCaveats {
  MappedCounts mapped;
  std::vector<std::string> represented;

  void print() const;
  void add_to(Json& result) const;
};

[[nodiscard]] CompareCaveats compare_caveats(const ReleaseSpec& spec, const Domain& domain,
                                             const std::string& data);

}  // namespace mollify::cli
