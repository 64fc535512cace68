#include "space/candidates_text.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "space/sha256.h"

namespace mollify {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 16U;

}  // namespace

void write_candidates(const Candidates& candidates, const Domain& domain,
                      const std::function<void(std::string_view)>& take) {
  const bool dense = !candidates.densities().empty();
  std::string part =
      fmt::format("{}\ndomain {}\nrecords {} columns {}{}\n", kCandidatesFormat, domain.hash(),
                  candidates.size(), candidates.columns(), dense ? " densities" : "");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto out = std::back_inserter(part);
    for (const std::uint32_t digit : candidates[i]) fmt::format_to(out, "{},", digit);
    if (dense) {
      fmt::format_to(out, "{:a}\n", static_cast<double>(candidates.densities()[i]));
    } else {
      part.back() = '\n';
    }
    if (part.size() < kPartBytes) continue;
    take(part);
    part.clear();
  }
  take(part);
}

std::string candidates_hash(const Candidates& candidates, const Domain& domain) {
  Sha256 hash;
  write_candidates(candidates, domain, [&](std::string_view part) { hash.add(part); });
  return hash.hex();
}

}  // namespace mollify
