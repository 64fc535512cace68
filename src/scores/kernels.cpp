#include "scores/kernels.h"

#include <array>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/lanes.h"
#include "scores/kernel_lanes.h"
#include "scores/records.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How far kernels smooth, column by column.

namespace {

float of_numbers(std::span<const float> values, double number_columns) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.5;
  for (const float value : values) sum += static_cast<double>(number_in_range(value));
  const double mean = sum / (n + 1);
  double squares = 1.0 / 12 + (0.5 - mean) * (0.5 - mean);
  for (const float value : values) {
    const double deviation = static_cast<double>(number_in_range(value)) - mean;
    squares += deviation * deviation;
  }
  return static_cast<float>(std::sqrt(squares / (n + 1)) *
                            std::pow(std::max(n, 1.0), -1 / (number_columns + 4)));
}

/// Sums of r(l) r(l + d) over levels l, for d = 0, 1 and 2, where r(l) is the share of the rows at
/// l among the rows and the one record that is spread over all levels.
struct Products {
  double at[3] = {0, 0, 0};
};

Products products(std::span<const float> values, std::uint32_t levels) {
  std::vector<std::uint32_t> sorted;
  sorted.reserve(values.size());
  for (const float value : values) sorted.push_back(level_in_range(value, levels));
  std::ranges::sort(sorted);
  Products result;
  const double share = 1 / (static_cast<double>(values.size()) + 1);
  double before[3] = {0, 0, 0};  // the shares of the last level and the two below it
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint32_t level = sorted[i];
    double count = 0;
    for (; i < sorted.size() && sorted[i] == level; ++i) ++count;
    const std::uint32_t step = level - last;
    for (std::uint32_t s = 0; s < std::min(step, 3U); ++s) {
      before[2] = before[1];
      before[1] = before[0];
      before[0] = 0;
    }
    before[0] = count * share;
    last = level;
    for (std::size_t d = 0; d < 3; ++d) result.at[d] += before[0] * before[d];
  }
  return result;
}

float of_categories(std::span<const float> values, std::uint32_t levels) {
  const auto n = static_cast<double>(values.size());
  const auto c = static_cast<double>(levels);
  const double rows_share = n / (n + 1);
  const double uniform = 1 / (c * (n + 1));
  const double squares = products(values, levels).at[0];
  const double variance = 1 - (squares + 2 * uniform * rows_share + c * uniform * uniform);
  const double bias = squares - rows_share * rows_share / c;
  const double all = variance + n * std::max(bias, 0.0);
  const double weight_of_uniform = all > 0 ? std::max(variance, 0.0) / all : 0;
  return static_cast<float>(weight_of_uniform * (c - 1) / c);
}

float of_ordered(std::span<const float> values, std::uint32_t levels) {
  const auto n = static_cast<double>(std::max<std::size_t>(values.size(), 1));
  const Products p = products(values, levels);
  const double gain = 1 - p.at[0] + p.at[1];
  const double bias = 1.5 * p.at[0] - 2 * p.at[1] + 0.5 * p.at[2];
  return static_cast<float>(std::clamp(gain / (1.5 + (n - 1) * std::max(bias, 0.0)), 0.0, 1.0));
}

}  // namespace

Bandwidths rule_of_thumb(const MixedPoints& rows) {
  const auto number_columns = static_cast<double>(std::ranges::count(
      rows.columns(), Scale::kNumber, [](const MixedColumn& column) { return column.scale; }));
  Bandwidths result;
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    const MixedColumn& column = rows.columns()[c];
    switch (column.scale) {
      case Scale::kNumber:
        result.of_column.push_back(of_numbers(rows.values(c), number_columns));
        break;
      case Scale::kCategory:
        result.of_column.push_back(of_categories(rows.values(c), column.levels));
        break;
      case Scale::kOrdered:
        result.of_column.push_back(of_ordered(rows.values(c), column.levels));
        break;
    }
  }
  return result;
}

// -----------------------------------------------------------------------------------------------
// How one column spreads around a value.

namespace {

constexpr double kMostLoss = 1e4;

double least_bandwidth(Scale scale) { return scale == Scale::kNumber ? 0x1p-16 : 0; }

double greatest_bandwidth(const MixedColumn& column) {
  switch (column.scale) {
    case Scale::kNumber:
      return 0x1p10;
    case Scale::kCategory:
      return (static_cast<double>(column.levels) - 1) / static_cast<double>(column.levels);
    case Scale::kOrdered:
      break;
  }
  return 1;
}

double in_range(const MixedColumn& column, float bandwidth) {
  const double least = least_bandwidth(column.scale);
  const auto value = static_cast<double>(bandwidth);
  return value > least ? std::min(value, greatest_bandwidth(column)) : least;
}

double slope_of(const MixedColumn& column, double bandwidth) {
  switch (column.scale) {
    case Scale::kNumber:
      return std::sqrt(0.5 * std::log2(std::exp(1.0))) / bandwidth;
    case Scale::kCategory: {
      const double others = static_cast<double>(column.levels) - 1;
      if (!(bandwidth > 0)) return kMostLoss;
      return std::clamp(std::log2((1 - bandwidth) * others / bandwidth), 0.0, kMostLoss);
    }
    case Scale::kOrdered:
      break;
  }
  return bandwidth > 0 ? std::min(-std::log2(bandwidth), kMostLoss) : kMostLoss;
}

}  // namespace

ColumnKernel::ColumnKernel(MixedColumn column, float bandwidth) noexcept
    : column_(column),
      bandwidth_(in_range(column, bandwidth)),
      slope_(slope_of(column, bandwidth_)) {}

double ColumnKernel::density(float x, float origin) const noexcept {
  return std::exp2(log2_peak(origin) - loss(x, origin));
}

double ColumnKernel::loss(float x, float origin) const noexcept {
  if (column_.scale == Scale::kNumber) {
    const double distance = slope_ * (static_cast<double>(number_in_range(x)) -
                                      static_cast<double>(number_in_range(origin)));
    return distance * distance;
  }
  const double distance = std::abs(static_cast<double>(level_in_range(x, column_.levels)) -
                                   static_cast<double>(level_in_range(origin, column_.levels)));
  if (distance == 0) return 0;
  return column_.scale == Scale::kCategory ? slope_ : slope_ * distance + 1;
}

double ColumnKernel::log2_peak(float origin) const noexcept {
  switch (column_.scale) {
    case Scale::kNumber: {
      const double x = static_cast<double>(number_in_range(origin));
      const double unit = bandwidth_ * std::sqrt(2.0);
      // Half the difference of erf is the mass in [0, 1]; a density's peak is 1 / (h sqrt(2 pi)).
      const double mass = std::erf((1 - x) / unit) + std::erf(x / unit);
      return -std::log2(0.5 * mass * unit * std::sqrt(std::acos(-1.0)));
    }
    case Scale::kCategory:
      return std::log2(1 - bandwidth_);
    case Scale::kOrdered:
      break;
  }
  const std::uint32_t level = level_in_range(origin, column_.levels);
  return -std::log2(1 + 0.5 * (powers_up_to(level) + powers_up_to(column_.levels - 1 - level)));
}

double ColumnKernel::powers_up_to(std::uint32_t most) const noexcept {
  const double count = most;
  if (bandwidth_ == 1) return count;
  return bandwidth_ * (1 - std::pow(bandwidth_, count)) / (1 - bandwidth_);
}

std::uint32_t ColumnKernel::distance_at(double u, std::uint32_t most) const noexcept {
  const double count = most;
  const double distance =
      bandwidth_ == 1 ? u * count
                      : std::log1p(-u * (1 - std::pow(bandwidth_, count))) / std::log(bandwidth_);
  return 1 + static_cast<std::uint32_t>(std::clamp(std::floor(distance), 0.0, count - 1));
}

// -----------------------------------------------------------------------------------------------
// Density estimates of mixed points by products of kernels.

namespace {

using detail::BlockBox;
using detail::BoxColumn;
using detail::CandidateBlocks;
using detail::fastest;
using detail::KernelLanes;
using detail::PackedRows;
using detail::ScaleCounts;
using detail::Tile;

constexpr std::size_t kLanes = CandidateBlocks::kLanes;

/// Rows are taken in chunks; some chunks are summed in single precision before they join the rest.
constexpr std::size_t kChunk = 32;
constexpr std::size_t kChunksInSingle = 8;

/// Rows are skipped once all that are left cannot add this part of what each candidate has.
constexpr double kNegligible = 0x1p-15;

/// Rows in order of how far the upper bounds of their kernels lie below the greatest one, in steps
/// of a factor 2^4. Beyond the last shell kernels are nothing.
constexpr std::size_t kShells = 31;
constexpr float kShellWidth = 4;

std::size_t& count_of(ScaleCounts& counts, Scale scale) {
  switch (scale) {
    case Scale::kNumber:
      return counts.numbers;
    case Scale::kCategory:
      return counts.categories;
    case Scale::kOrdered:
      break;
  }
  return counts.ordered;
}

constexpr std::array<Scale, 3> kScales = {Scale::kNumber, Scale::kCategory, Scale::kOrdered};

std::size_t whole_vectors(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

/// The distinct rows, column by column and row by row, and the binary logarithms of their numbers
/// times the greatest value of their kernel.
class WeightedRows {
 public:
  WeightedRows(const MixedPoints& rows, std::span<const ColumnKernel> kernels) {
    const MixedPoints read = detail::in_range(rows);
    const std::size_t columns = kernels.size();
    std::vector<std::uint32_t> order(read.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    const auto compare = [&](std::uint32_t i, std::uint32_t j) {
      for (std::size_t c = 0; c < columns; ++c) {
        const float x = read.values(c)[i];
        const float y = read.values(c)[j];
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    };
    std::ranges::sort(order, [&](std::uint32_t i, std::uint32_t j) { return compare(i, j) < 0; });
    std::vector<double> counts;
    std::vector<std::uint32_t> distinct;
    for (const std::uint32_t i : order) {
      if (distinct.empty() || compare(distinct.back(), i) != 0) {
        distinct.push_back(i);
        counts.push_back(0);
      }
      ++counts.back();
    }
    size_ = distinct.size();
    padded_ = whole_vectors(size_);
    stride_ = whole_vectors(columns);
    by_row_.assign(size_ * stride_, 0.0F);
    values_.assign(padded_ * columns, 0.0F);
    weights_.assign(padded_, -1e30F);
    for (std::size_t i = 0; i < size_; ++i) {
      double weight = std::log2(counts[i]);
      for (std::size_t c = 0; c < columns; ++c) {
        const float value = read.values(c)[distinct[i]];
        values_[c * padded_ + i] = value;
        by_row_[i * stride_ + c] = value;
        weight += kernels[c].log2_peak(value);
      }
      weights_[i] = static_cast<float>(weight);
    }
  }

  /// The number of distinct rows, and the same rounded up to whole vectors.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t padded() const { return padded_; }
  [[nodiscard]] const float* weights() const { return weights_.data(); }
  [[nodiscard]] const float* values(std::size_t column) const {
    return values_.data() + column * padded_;
  }
  /// The same row by row, `stride` values a row of which the first are its columns.
  [[nodiscard]] const float* by_row() const { return by_row_.data(); }
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  std::size_t size_ = 0;
  std::size_t padded_ = 0;
  std::size_t stride_ = 0;
  std::vector<float> values_;
  std::vector<float> by_row_;
  std::vector<float> weights_;
};

/// Sums kernels over the rows, block of candidates after block.
class KernelSum {
 public:
  KernelSum(const CandidateBlocks& candidates, const WeightedRows& rows,
            std::span<const ColumnKernel> kernels)
      : candidates_(candidates),
        rows_(rows),
        kernels_(kernels),
        box_columns_(kernels.size()),
        exact_(rows.padded()),
        upper_(rows.padded()),
        shells_(rows.padded()),
        order_(rows.size()),
        values_(std::max<std::size_t>(kernels.size(), 1) * CandidateBlocks::kMost),
        origins_(rows.stride()),
        factors_(rows.stride(), 1.0F),
        packed_(kChunk * rows.stride()) {}

  /// The sums at block `b`, times 2^-(what it returns).
  float sum(std::size_t b, std::span<double, CandidateBlocks::kMost> sums) {
    const Tile tile = prepare(b);
    sort_rows();
    std::fill_n(sums.begin(), tile.padded, 0.0);
    const std::size_t end = begins_[kShells];
    double least = 0;  // of the sums without those in single precision
    for (std::size_t i = 0; i < end;) {
      alignas(32) std::array<float, CandidateBlocks::kMost> part;
      std::fill_n(part.begin(), tile.padded, 0.0F);
      bool is_enough = false;
      for (std::size_t chunk = 0; chunk < kChunksInSingle && i < end && !is_enough; ++chunk) {
        const std::size_t size = std::min(kChunk, end - i);
        const float least_part = add_rows(std::span(order_).subspan(i, size), tile, part);
        i += size;
        is_enough = most_from(i) <= kNegligible * (least + static_cast<double>(least_part));
      }
      least = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < tile.padded; ++j) {
        sums[j] += static_cast<double>(part[j]);
        least = std::min(least, sums[j]);
      }
      if (is_enough) break;
    }
    return top_;
  }

 private:
  [[nodiscard]] float slope(std::size_t c) const { return static_cast<float>(kernels_[c].slope()); }

  /// Bounds all rows for a block and prepares its candidates.
  Tile prepare(std::size_t b) {
    const CandidateBlocks::Block& block = candidates_.blocks()[b];
    const std::span<const float> lows = candidates_.lows(b);
    const std::span<const float> highs = candidates_.highs(b);
    BlockBox box{box_columns_.data(), {0, 0, 0}, {0, 0, 0}};
    slots_.clear();
    slopes_.clear();
    std::size_t place = 0;
    for (const bool constant : {true, false}) {
      for (const Scale scale : kScales) {
        for (std::size_t c = 0; c < kernels_.size(); ++c) {
          if (kernels_[c].column().scale != scale || (lows[c] == highs[c]) != constant) continue;
          box_columns_[place++] = {rows_.values(c), lows[c], highs[c], slope(c)};
          ++count_of(constant ? box.constant : box.varying, scale);
          if (!constant) add_varying(block, c, lows[c], highs[c]);
        }
      }
    }
    top_ = fastest<KernelLanes>().bound(box, rows_.weights(), rows_.padded(), exact_.data(),
                                        upper_.data());
    return {box.varying, slots_.data(), slopes_.data(), values_.data(), block.padded};
  }

  void add_varying(const CandidateBlocks::Block& block, std::size_t c, float low, float high) {
    const bool is_number = kernels_[c].column().scale == Scale::kNumber;
    // Numbers are taken from the middle of the block on, lest large multiples lose digits.
    const float origin = is_number ? 0.5F * (low + high) : 0.0F;
    const float factor = is_number ? slope(c) : 1.0F;
    const float* const from = candidates_.values(block, c);
    float* const to = values_.data() + slots_.size() * block.padded;
    fastest<KernelLanes>().scale(from, block.padded, origin, factor, to);
    if (!is_number) slopes_.push_back(slope(c));
    slots_.push_back(static_cast<std::uint32_t>(c));
    origins_[c] = origin;
    factors_[c] = factor;
  }

  /// Lists the rows shell by shell, and how much each shell's rows can add at most.
  void sort_rows() {
    fastest<KernelLanes>().sort_into_shells(upper_.data(), rows_.padded(), top_, kShellWidth,
                                            kShells, shells_.data());
    std::array<std::size_t, kShells + 2> sizes{};
    for (std::size_t i = 0; i < rows_.size(); ++i) ++sizes[shell_of(i) + 1];
    std::partial_sum(sizes.begin(), sizes.end(), begins_.begin());
    double most = 0;
    for (std::size_t shell = kShells; shell-- > 0;) {
      most_after_[shell] = most;
      most += static_cast<double>(sizes[shell + 1]) * most_in(shell);
    }
    std::array<std::size_t, kShells + 2> places = begins_;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      order_[places[shell_of(i)]++] = static_cast<std::uint32_t>(i);
    }
  }

  [[nodiscard]] std::size_t shell_of(std::size_t i) const {
    return static_cast<std::size_t>(shells_[i]);
  }

  /// The greatest kernel of a shell, in units of the greatest of all.
  static double most_in(std::size_t shell) {
    return std::exp2(-static_cast<double>(kShellWidth) * static_cast<double>(shell));
  }

  /// The most that the listed rows from `i` on can add.
  [[nodiscard]] double most_from(std::size_t i) const {
    std::size_t shell = 0;
    while (shell < kShells && begins_[shell + 1] <= i) ++shell;
    if (shell == kShells) return 0;
    return static_cast<double>(begins_[shell + 1] - i) * most_in(shell) + most_after_[shell];
  }

  /// Adds some rows and returns the least sum then.
  float add_rows(std::span<const std::uint32_t> chosen, const Tile& tile,
                 std::span<float, CandidateBlocks::kMost> sums) {
    std::array<float, kChunk> weights;
    for (std::size_t k = 0; k < chosen.size(); ++k) weights[k] = exact_[chosen[k]] - top_;
    fastest<KernelLanes>().pack(rows_.by_row(), rows_.stride(), chosen.data(), chosen.size(),
                                origins_.data(), factors_.data(), packed_.data());
    const PackedRows packed{packed_.data(), rows_.stride(), weights.data(), chosen.size()};
    return fastest<KernelLanes>().add_kernels(tile, packed, sums.data());
  }

  const CandidateBlocks& candidates_;
  const WeightedRows& rows_;
  std::span<const ColumnKernel> kernels_;
  std::vector<BoxColumn> box_columns_;
  std::vector<std::uint32_t> slots_;
  std::vector<float> slopes_;
  std::vector<float> exact_;
  std::vector<float> upper_;
  std::vector<std::int32_t> shells_;
  std::vector<std::uint32_t> order_;
  std::array<std::size_t, kShells + 2> begins_{};
  std::array<double, kShells> most_after_{};
  std::vector<float> values_;
  std::vector<float> origins_;
  std::vector<float> factors_;
  std::vector<float> packed_;
  float top_ = 0;
};

}  // namespace

class ProductKernelScorer::Blocks final : public CandidateBlocks {
 public:
  using CandidateBlocks::CandidateBlocks;
};

ProductKernelScorer::ProductKernelScorer(const MixedPoints& candidates)
    : Scorer(candidates), blocks_(std::make_unique<const Blocks>(candidates)) {}

ProductKernelScorer::~ProductKernelScorer() = default;

void ProductKernelScorer::score(const MixedPoints& rows, const Bandwidths& bandwidths,
                                std::span<float> scores) const {
  check_shapes(rows, scores);
  const std::size_t size = bandwidths.of_column.size();
  if (size != columns().size()) {
    refuse_input("wrong-shape", "bandwidth",
                 "there must be a bandwidth for each of {} columns, but there are {}",
                 columns().size(), size);
  }
  if (rows.size() == 0) {
    std::ranges::fill(scores, 0.0F);
    return;
  }
  std::vector<ColumnKernel> kernels;
  for (std::size_t c = 0; c < size; ++c) {
    kernels.emplace_back(columns()[c], bandwidths.of_column[c]);
  }
  const WeightedRows weighted(rows, kernels);
  KernelSum kernel_sum(*blocks_, weighted, kernels);
  std::array<double, CandidateBlocks::kMost> sums;
  for (std::size_t b = 0; b < blocks_->blocks().size(); ++b) {
    keep_going();
    const double scale =
        std::exp2(static_cast<double>(kernel_sum.sum(b, sums))) / static_cast<double>(rows.size());
    const CandidateBlocks::Block& block = blocks_->blocks()[b];
    for (std::size_t j = 0; j < block.count; ++j) {
      constexpr double kMost = std::numeric_limits<float>::max();
      scores[blocks_->order()[block.first + j]] =
          sums[j] > 0 ? static_cast<float>(std::min(sums[j] * scale, kMost)) : 0.0F;
    }
  }
}

void ProductKernelScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  score(rows, rule_of_thumb(rows), scores);
}

}  // namespace mollify
