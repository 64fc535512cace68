// Independent public measures side by side.
#pragma once

#include <memory>
#include <vector>

#include "laboratory/measure/measure.h"

namespace mollify {

/// The product of measures, the coordinates of the first one first.
class ProductMeasure final : public Measure {
 public:
  /// Throws InvalidInput without any factor.
  explicit ProductMeasure(std::vector<std::shared_ptr<const Measure>> factors);

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] Box box() const override;
  [[nodiscard]] Box central_box() const override;
  [[nodiscard]] double density(std::span<const double> point) const override;
  [[nodiscard]] double box_mass(const Box& box) const override;
  [[nodiscard]] std::vector<double> equal_mass_edges(std::size_t axis,
                                                     std::size_t cells) const override;

 private:
  void draw_from(WordStream& words, std::span<double> point) const override;
  void draw_inside_from(WordStream& words, const Box& cell, std::span<double> point) const override;

  std::vector<std::shared_ptr<const Measure>> factors_;
  std::size_t dimension_ = 0;
};

}  // namespace mollify
