#include "mollify/local/table_scale.h"

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
  // The last parts of N may lie above lower bounds or be missing below upper ones.
  constexpr double kHair = 1e-9;
  double score = 0;
  double probability = 0;
  double greatest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto n = static_cast<double>(table.numerators()[i]);
    const auto lower = static_cast<double>(band.lower(i));
    const auto upper = static_cast<double>(band.upper(i));
    if (n >= upper * (1 - kHair)) {
      // With a greater r this outcome would leave its upper bound.
      greatest = std::min(greatest, scores[i] / (n / whole));
    } else if (n > lower * (1 + kHair)) {
      score += scores[i];
      probability += n / whole;
    }
  }
  return score > 0 ? score / probability : greatest;
}

}  // namespace mollify
