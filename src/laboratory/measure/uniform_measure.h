// The uniform measure on a box.
#pragma once

#include "laboratory/measure/measure.h"

namespace mollify {

/// Density 1/volume on a finite box of d >= 1 intervals.
class UniformMeasure final : public Measure {
 public:
  /// Throws InvalidInput unless every interval is finite and not empty, and the volume is a finite
  /// positive double.
  explicit UniformMeasure(Box box);

  [[nodiscard]] std::size_t dimension() const override { return box_.size(); }
  [[nodiscard]] Box box() const override { return box_; }
  [[nodiscard]] Box central_box() const override { return box_; }
  [[nodiscard]] double density(std::span<const double> point) const override;
  [[nodiscard]] double box_mass(const Box& box) const override;
  [[nodiscard]] std::vector<double> equal_mass_edges(std::size_t axis,
                                                     std::size_t cells) const override;

 private:
  void draw_from(WordStream& words, std::span<double> point) const override;
  void draw_inside_from(WordStream& words, const Box& cell, std::span<double> point) const override;

  Box box_;
  double density_ = 1;
};

}  // namespace mollify
