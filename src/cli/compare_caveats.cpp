#include "compare_caveats.h"

#include <fmt/format.h>

#include "command.h"
#include "release/certificate.h"

namespace mollify::cli {

void CompareCaveats::print() const {
  fmt::print("\n");
  if (const std::string lines = mapped.lines(); !lines.empty()) {
    fmt::print("In the data, before anything is compared:\n{}", lines);
  }
  for (const std::string& sentence : represented) fmt::print("{}\n", sentence);
}

void CompareCaveats::add_to(Json& result) const {
  result["mapped"] = mapped.json();
  result["represents"] = represented;
}

CompareCaveats compare_caveats(const ReleaseSpec& spec, const Domain& domain,
                               const std::string& data) {
  tell_undeclared(domain);
  return {mapped_counts(data, domain), represented(spec)};
}

}  // namespace mollify::cli
