#include "laboratory/law/table_scale.h"

#include <algorithm>
#include <limits>

namespace mollify {

std::vector<double> probabilities(const Table& table) {
  const auto whole = static_cast<double>(table.band().total());
  std::vector<double> found;
  found.reserve(table.numerators().size());
  for (const std::uint64_t n : table.numerators()) found.push_back(static_cast<double>(n) / whole);
  return found;
}

double scale_of(const Table& table, std::span<const double> scores) {
  const Band& band = table.band();
  const auto whole = static_cast<double>(band.total());
  // What is left of N after rounding lies on outcomes at their bounds, too. They weigh little, for
  // an outcome counts by how far inside its bounds it lies, and none this close counts at all.
  constexpr double kHair = 1e-8;
  double score = 0;
  double probability = 0;
  double greatest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto n = static_cast<double>(table.numerators()[i]);
    const double above = n / static_cast<double>(band.lower(i)) - 1;
    const double below = 1 - n / static_cast<double>(band.upper(i));
    const double inside = std::min(above, below);
    if (inside > kHair) {
      score += inside * scores[i];
      probability += inside * (n / whole);
    } else if (below <= kHair) {
      // With a greater r this outcome would leave its upper bound.
      greatest = std::min(greatest, scores[i] / (n / whole));
    }
  }
  return score > 0 ? score / probability : greatest;
}

}  // namespace mollify
