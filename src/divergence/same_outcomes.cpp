#include "divergence/same_outcomes.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

void require_same_outcomes(std::span<const double> p, std::span<const double> q) {
  if (p.size() == q.size()) return;
  throw InvalidInput(
      fmt::format("P and Q must be distributions on the same outcomes, but have {} and {}",
                  p.size(), q.size()));
}

}  // namespace mollify
