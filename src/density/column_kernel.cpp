#include "density/column_kernel.h"

namespace mollify {
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

}  // namespace mollify
