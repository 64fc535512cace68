#include "central/coarse_centre.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "central/private_median.h"
#include "central/stable_histogram.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

CoarseCentre::CoarseCentre(CentreDesign design) : design_(std::move(design)) {
  if (design_ != design_centre(design_.request)) {
    throw InvalidInput("a coarse centre needs a design as design_centre makes it");
  }
  cells_.resize(design_.request.dimension);
}

std::int64_t CoarseCentre::cell_of(double score, int cell_exponent) {
  constexpr double kLimit = 0x1p51;
  if (std::isnan(score)) return 0;
  // A power of two: ldexp is exact, but where the result underflows, and there the floor is right
  // all the same unless a negative number becomes 0.
  const double scaled = std::ldexp(score, -cell_exponent);
  return static_cast<std::int64_t>(std::clamp(std::floor(scaled), -kLimit, kLimit));
}

void CoarseCentre::add(std::span<const double> whitened_rows) {
  const std::size_t d = cells_.size();
  if (whitened_rows.size() % d != 0) {
    throw InvalidInput(
        fmt::format("rows of a coarse centre have {} numbers each, but {} were given", d,
                    whitened_rows.size()));
  }
  constexpr std::size_t kMostRows = 0xFFFFFFFF;
  if (whitened_rows.size() / d > kMostRows - cells_.front().size()) {
    throw InvalidInput("a coarse centre takes at most 4294967295 rows, but more were given");
  }
  for (std::size_t i = 0; i < whitened_rows.size(); ++i) {
    cells_[i % d].push_back(cell_of(whitened_rows[i], design_.cell_exponent));
  }
}

namespace {

/// The most frequent joint coarse cell of those that a stable histogram releases, the least of them
/// in lexicographic order; all zeros if it releases none. The histogram counts numbers of distinct
/// vectors in place of the vectors. The numbers tell of the data, but neither the law of what is
/// released of each vector nor the choice among what is released depends on them.
std::vector<std::int64_t> frequent_vector(const std::vector<std::vector<std::int64_t>>& columns,
                                          const CentreDesign::Histogram& parameters,
                                          SecureRandom& random) {
  const std::size_t d = columns.size(), n = columns.front().size();
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers;
  std::vector<const std::vector<std::int64_t>*> vectors;
  std::vector<std::uint32_t> records;
  records.reserve(n);
  std::vector<std::int64_t> row(d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) row[j] = columns[j][i];
    const auto [at, is_new] = numbers.try_emplace(row, static_cast<std::uint32_t>(vectors.size()));
    if (is_new) vectors.push_back(&at->first);
    records.push_back(at->second);
  }
  const std::vector<std::int64_t>* most_frequent = nullptr;
  int128 most = 0;
  const StableHistogram histogram(parameters.epsilon, parameters.delta, parameters.threshold);
  for (const NoisyCount& one : histogram.draw(counts_of(records), random)) {
    const std::vector<std::int64_t>* vector = vectors[one.outcome];
    if (most_frequent == nullptr || one.count > most ||
        (one.count == most && *vector < *most_frequent)) {
      most = one.count;
      most_frequent = vector;
    }
  }
  return most_frequent == nullptr ? std::vector<std::int64_t>(d) : *most_frequent;
}

}  // namespace

std::vector<double> CoarseCentre::find(SecureRandom& random) const {
  const std::size_t d = cells_.size();
  std::vector<CentreDesign::Cells> ranges = design_.cells;
  if (design_.histogram) {
    const unsigned bits = design_.histogram->coarse_bits;
    std::vector<std::int64_t> shifts;
    std::vector<std::vector<std::int64_t>> coarse = cells_;
    for (std::size_t j = 0; j < d; ++j) {
      shifts.push_back(static_cast<std::int64_t>(random.below(std::uint64_t{1} << bits)));
      for (std::int64_t& cell : coarse[j]) cell = (cell + shifts[j]) >> bits;
    }
    const auto found = frequent_vector(coarse, *design_.histogram, random);
    for (std::size_t j = 0; j < d; ++j) {
      const std::int64_t first = found[j] * (std::int64_t{1} << bits) - shifts[j];
      ranges.push_back({first, first + (std::int64_t{1} << bits) - 1});
    }
  }
  std::vector<double> centre;
  for (std::size_t j = 0; j < d; ++j) {
    const PrivateMedian median(ranges[j].first, ranges[j].last, design_.rate);
    const std::int64_t cell = median.draw(cells_[j], random);
    centre.push_back(std::ldexp(static_cast<double>(cell) + 0.5, design_.cell_exponent));
  }
  return centre;
}

}  // namespace mollify
