// A measure that is uniform in each cell of a grid.
#pragma once

#include "laboratory/measure/measure.h"

namespace mollify {

/// The piecewise-constant density of a histogram on a grid of one to three dimensions: public
/// records counted in cells and smoothed, for instance.
class HistogramMeasure final : public Measure {
 public:
  /// One mass for each bin; normalised here. Throws InvalidInput unless they are as many as the
  /// grid has cells, positive, with a finite sum. A reference that is zero somewhere lets no law
  /// follow data there, so counts of records must be smoothed first.
  HistogramMeasure(Grid bins, std::vector<double> masses);

  [[nodiscard]] std::size_t dimension() const override { return bins_.dimension(); }
  [[nodiscard]] Box box() const override { return bins_.box(); }
  [[nodiscard]] Box central_box() const override { return bins_.box(); }
  [[nodiscard]] double density(std::span<const double> point) const override;
  /// Costs time in the bins that the box meets.
  [[nodiscard]] double box_mass(const Box& box) const override;
  [[nodiscard]] std::vector<double> equal_mass_edges(std::size_t axis,
                                                     std::size_t cells) const override;

 private:
  void draw_from(WordStream& words, std::span<double> point) const override;
  void draw_inside_from(WordStream& words, const Box& cell, std::span<double> point) const override;

  /// Calls take(part, mass) for the part of each bin that lies in the box.
  template <class Take>
  void for_each_part(const Box& box, const Take& take) const;

  Grid bins_;
  std::vector<double> masses_;
  std::vector<double> masses_through_;  // of the bins up to and including each
};

}  // namespace mollify
