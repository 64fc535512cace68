#include "graphical/projection.h"

#include <algorithm>
#include <limits>

namespace mollify {

Projection::Projection(const ColumnSizes& sizes, const Clique& whole, const Clique& part) {
  whole_cells_ = cell_count(sizes, whole);
  part_cells_ = cell_count(sizes, part);
  std::vector<Axis> axes;  // from the last column on
  std::size_t stride = 1;
  for (std::size_t i = whole.size(); i-- > 0;) {
    const std::size_t extent = sizes[whole[i]];
    const bool kept = std::binary_search(part.begin(), part.end(), whole[i]);
    if (!axes.empty() && (axes.back().stride != 0) == kept) {
      axes.back().extent *= extent;
    } else {
      axes.push_back({extent, kept ? stride : 0});
    }
    if (kept) stride *= extent;
  }
  if (!axes.empty()) inner_ = axes[0];
  if (axes.size() > 1) middle_ = axes[1];
  if (axes.size() > 2) outer_.assign(axes.begin() + 2, axes.end());
}

template <class Kept, class Dropped>
void Projection::for_each_run(const Kept& kept, const Dropped& dropped) const {
  std::vector<std::size_t> place(outer_.size());
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    for (std::size_t m = 0; m < middle_.extent; ++m) {
      if (inner_.stride != 0) {
        kept(i, j + m * middle_.stride, inner_.extent);
      } else {
        dropped(i, j + m * middle_.stride, inner_.extent);
      }
      i += inner_.extent;
    }
    std::size_t axis = 0;
    for (; axis < outer_.size(); ++axis) {
      j += outer_[axis].stride;
      if (++place[axis] < outer_[axis].extent) break;
      j -= outer_[axis].stride * outer_[axis].extent;
      place[axis] = 0;
    }
    if (axis == outer_.size()) return;
  }
}

void Projection::sum(const double* whole, double* part) const {
  std::fill(part, part + part_cells_, 0.0);
  for_each_run(
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) part[j + k] += whole[i + k];
      },
      [&](std::size_t i, std::size_t j, std::size_t n) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += whole[i + k];
        part[j] += sum;
      });
}

void Projection::greatest(const double* whole, double* part) const {
  std::fill(part, part + part_cells_, -std::numeric_limits<double>::infinity());
  for_each_run(
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) part[j + k] = std::max(part[j + k], whole[i + k]);
      },
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) part[j] = std::max(part[j], whole[i + k]);
      });
}

void Projection::add(const double* part, double* whole) const {
  for_each_run(
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) whole[i + k] += part[j + k];
      },
      [&](std::size_t i, std::size_t j, std::size_t n) {
        const double value = part[j];
        for (std::size_t k = 0; k < n; ++k) whole[i + k] += value;
      });
}

void Projection::multiply(const double* part, double* whole) const {
  for_each_run(
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) whole[i + k] *= part[j + k];
      },
      [&](std::size_t i, std::size_t j, std::size_t n) {
        const double value = part[j];
        for (std::size_t k = 0; k < n; ++k) whole[i + k] *= value;
      });
}

std::vector<std::uint32_t> Projection::targets() const {
  std::vector<std::uint32_t> target(whole_cells_);
  for_each_run(
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) target[i + k] = static_cast<std::uint32_t>(j + k);
      },
      [&](std::size_t i, std::size_t j, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k) target[i + k] = static_cast<std::uint32_t>(j);
      });
  return target;
}

}  // namespace mollify
