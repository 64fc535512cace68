#include "laboratory/measure/domain_box.h"

#include <cstddef>
#include <variant>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

Interval interval_of(const Column& column) {
  if (!column.mapping().null_is_category) {
    if (const auto* numbers = std::get_if<NumberCells>(&column.cells())) {
      return {numbers->min(), numbers->max()};
    }
    if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
      return {static_cast<double>(integers->min()) - 0.5,
              static_cast<double>(integers->max()) + 0.5};
    }
  }
  throw InvalidInput(
      fmt::format("a box needs columns of numbers or integers without a null category, but column "
                  "\"{}\" is not one",
                  column.name()));
}

}  // namespace

Box domain_box(const Domain& domain) {
  Box box;
  for (const Column& column : domain.columns()) box.push_back(interval_of(column));
  return box;
}

std::vector<double> domain_points(const Domain& domain, std::span<const std::uint32_t> digits) {
  const Box box = domain_box(domain);
  std::vector<double> points(digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t axis = i % box.size();
    const double share = (digits[i] + 0.5) / domain.columns()[axis].size();
    points[i] = box[axis].low + share * box[axis].width();
  }
  return points;
}

}  // namespace mollify
