#include "reference/smoothed_histogram.h"

namespace mollify {

std::vector<double> smoothed_histogram(const Empirical& public_records, std::size_t outcome_count) {
  const double total =
      static_cast<double>(public_records.total()) + static_cast<double>(outcome_count);
  std::vector<double> masses(outcome_count, 1 / total);
  for (std::size_t j = 0; j < public_records.outcomes().size(); ++j) {
    masses[public_records.outcomes()[j]] = (public_records.weights()[j] + 1) / total;
  }
  return masses;
}

}  // namespace mollify
