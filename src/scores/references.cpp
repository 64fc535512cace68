#include "scores/references.h"

#include <algorithm>
#include <utility>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The reference masses of a grid's cells from public records.

namespace {

/// One histogram of the mean: which part of an axis a cell lies in.
class Level {
 public:
  Level(const Domain& grid, unsigned exponent) : grid_(grid), exponent_(exponent) {
    std::size_t parts = 1;
    for (const Column& column : grid.columns()) {
      strides_.push_back(parts);
      parts *= parts_of(column);
    }
    counts_.assign(parts, 0.0);
    cells_.assign(parts, 0.0);
    for (std::uint32_t outcome = 0; outcome < grid.size(); ++outcome) cells_[part(outcome)] += 1;
  }

  void add(std::uint32_t outcome, double count) { counts_[part(outcome)] += count; }

  [[nodiscard]] double records_per_cell(std::uint32_t outcome) const {
    const std::size_t index = part(outcome);
    return counts_[index] / cells_[index];
  }

 private:
  [[nodiscard]] std::uint64_t parts_of(const Column& column) const {
    const std::uint64_t parts = std::uint64_t{1} << exponent_;
    return parts < column.size() ? parts : column.size();
  }

  [[nodiscard]] std::size_t part(std::uint32_t outcome) const {
    std::size_t index = 0;
    for (std::size_t i = 0; i < strides_.size(); ++i) {
      const Column& column = grid_.columns()[i];
      index += strides_[i] *
               static_cast<std::size_t>(grid_.digit(outcome, i) * parts_of(column) / column.size());
    }
    return index;
  }

  const Domain& grid_;
  unsigned exponent_;
  std::vector<std::size_t> strides_;
  std::vector<double> counts_;
  std::vector<double> cells_;
};

unsigned finest_level(std::uint64_t records, const Domain& grid) {
  const std::size_t power = grid.columns().size() + 2;
  const double room = static_cast<double>(records);
  unsigned level = 0;
  double parts = 1;  // 2^((level - 2) power), once level is above 2
  const auto may_refine = [&] {
    if (level >= 2) {
      for (std::size_t i = 0; i < power; ++i) parts *= 2;
    }
    return parts <= room;
  };
  const auto is_useful = [&] {
    for (const Column& column : grid.columns()) {
      if (std::uint64_t{1} << level < column.size()) return true;
    }
    return false;
  };
  while (is_useful() && may_refine()) ++level;
  return level;
}

}  // namespace

std::vector<double> multiscale_histogram(const Empirical& public_records, const Domain& grid) {
  const double uniform = 1.0 / grid.size();
  if (public_records.total() == 0) return std::vector<double>(grid.size(), uniform);
  const unsigned finest = finest_level(public_records.total(), grid);
  const double share = 1.0 / (finest + 1);
  std::vector<double> masses(grid.size(), share * uniform);
  const double records = static_cast<double>(public_records.total());
  for (unsigned exponent = 1; exponent <= finest; ++exponent) {
    Level level(grid, exponent);
    for (std::size_t j = 0; j < public_records.outcomes().size(); ++j) {
      level.add(public_records.outcomes()[j], public_records.weights()[j]);
    }
    for (std::uint32_t outcome = 0; outcome < grid.size(); ++outcome) {
      masses[outcome] += share * level.records_per_cell(outcome) / records;
    }
  }
  return masses;
}

// -----------------------------------------------------------------------------------------------
// A public reference made of public records.

std::vector<double> smoothed_histogram(const Empirical& public_records, std::size_t outcome_count) {
  const double total =
      static_cast<double>(public_records.total()) + static_cast<double>(outcome_count);
  std::vector<double> masses(outcome_count, 1 / total);
  for (std::size_t j = 0; j < public_records.outcomes().size(); ++j) {
    masses[public_records.outcomes()[j]] = (public_records.weights()[j] + 1) / total;
  }
  return masses;
}

// -----------------------------------------------------------------------------------------------
// A public reference on mixed points, made of public records.

namespace {

/// Multiples of 2^-24: exact as floats, on every processor.
template <WordSource Source>
float uniform_number(Source& random) {
  return static_cast<float>(random.word() >> 40U) * 0x1p-24F;
}

}  // namespace

SmoothedRecords::SmoothedRecords(MixedPoints records, Bandwidths bandwidths, double uniform_share)
    : records_(std::move(records)),
      bandwidths_(std::move(bandwidths)),
      uniform_share_(uniform_share) {
  require_in(positive_up_to(1), {"the uniform share", "uniform-share"}, uniform_share);
  const std::size_t size = bandwidths_.of_column.size();
  if (size != columns().size()) {
    refuse_input("wrong-shape", "bandwidth",
                 "there must be a bandwidth for each of {} columns, but there are {}",
                 columns().size(), size);
  }
  for (std::size_t c = 0; c < size; ++c) {
    kernels_.emplace_back(columns()[c], bandwidths_.of_column[c]);
  }
}

SmoothedRecords::SmoothedRecords(const MixedPoints& records, double uniform_share)
    : SmoothedRecords(records, rule_of_thumb(records), uniform_share) {}

void SmoothedRecords::densities(const MixedPoints& points, std::span<float> densities) const {
  if (!std::ranges::equal(points.columns(), columns())) {
    refuse_input("wrong-shape", "points",
                 "points must have the {} columns of the records, but have {} others",
                 columns().size(), points.columns().size());
  }
  ProductKernelScorer(points).score(records_, bandwidths_, densities);
  double uniform_density = 1;
  for (const MixedColumn& column : columns()) {
    if (column.scale != Scale::kNumber) uniform_density /= static_cast<double>(column.levels);
  }
  const double rest = records_.size() == 0 ? 1 : uniform_share_;
  for (float& density : densities) {
    density = static_cast<float>(
        (1 - uniform_share_) * static_cast<double>(density) / uniform_density + rest);
  }
}

template <WordSource Source>
void SmoothedRecords::draw_with(Source& random, std::span<float> point) const {
  refuse_if(point.size() != kernels_.size(), "wrong-shape", {},
            "a point must have {} columns, but there is room for {}", kernels_.size(),
            point.size());
  const bool is_uniform =
      static_cast<double>(random.word() >> 11U) * 0x1p-53 < uniform_share_ || records_.size() == 0;
  const std::size_t record =
      is_uniform ? 0 : static_cast<std::size_t>(uniform_below(random, records_.size()));
  for (std::size_t c = 0; c < kernels_.size(); ++c) {
    if (!is_uniform) {
      point[c] = kernels_[c].draw(records_.values(c)[record], random);
    } else if (columns()[c].scale == Scale::kNumber) {
      point[c] = uniform_number(random);
    } else {
      point[c] = static_cast<float>(uniform_below(random, columns()[c].levels));
    }
  }
}

template void SmoothedRecords::draw_with(SecureRandom&, std::span<float>) const;
template void SmoothedRecords::draw_with(SeededRandom&, std::span<float>) const;

// -----------------------------------------------------------------------------------------------
// Candidates that look like public records.

namespace {

MixedPoints points_of(const RecordLayout& layout, const std::vector<std::uint32_t>& digits) {
  const std::size_t columns = layout.digits();
  const std::size_t count = digits.size() / columns;
  constexpr std::size_t kMost = ReferenceCandidates::kMostRecords;
  if (count <= kMost) return layout.points(digits);
  std::vector<std::uint32_t> some;
  some.reserve(kMost * columns);
  for (std::size_t i = 0; i < kMost; ++i) {
    const auto record = std::span(digits).subspan(i * count / kMost * columns, columns);
    some.insert(some.end(), record.begin(), record.end());
  }
  return layout.points(some);
}

}  // namespace

ReferenceCandidates::ReferenceCandidates(Domain domain, const std::vector<std::uint32_t>& digits)
    : domain_(std::move(domain)), layout_(domain_), records_(points_of(layout_, digits)) {}

template <class Random>
Candidates ReferenceCandidates::draw(std::uint64_t count, Random& random) const {
  Candidates::require_count(count);
  std::vector<std::uint32_t> digits(static_cast<std::size_t>(count) * layout_.digits());
  std::vector<float> point(layout_.columns().size());
  for (std::size_t begin = 0; begin < digits.size(); begin += layout_.digits()) {
    if (begin % (1024 * layout_.digits()) == 0) keep_going();
    records_.draw(random, point);
    layout_.digits_of(point, std::span(digits).subspan(begin, layout_.digits()));
  }
  std::vector<float> densities(static_cast<std::size_t>(count));
  records_.densities(layout_.points(digits), densities);
  return Candidates::of(domain_, std::move(digits), std::move(densities));
}

Candidates ReferenceCandidates::seeded(std::uint64_t count) const {
  SeededRandom random(domain_.seed());
  return draw(count, random);
}

Candidates ReferenceCandidates::fresh(std::uint64_t count, SecureRandom& random) const {
  return draw(count, random);
}

}  // namespace mollify
