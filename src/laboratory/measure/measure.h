// A probability measure on R^d.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel/core/secure_random.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/word_stream.h"
#include "space/seeded_random.h"

namespace mollify {

/// A reference h: what is released without data, and what every law is measured against; or a P
/// that is known, to be looked at.
///
/// Doubles are good enough: the guarantee of a release is that of a Band built from cell masses of
/// the public h, whatever their error, and a draw inside a cell looks at no data. A P that is
/// wrong, does not sum to one, or is NaN somewhere costs accuracy alone. Points have dimension()
/// coordinates. Immutable, so threads may share one.
class Measure {
 public:
  Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  virtual ~Measure() = default;

  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// The support's box; may be infinite.
  [[nodiscard]] virtual Box box() const = 0;

  /// A finite box that holds all the mass but less than 2^-40: what a grid is laid over.
  [[nodiscard]] virtual Box central_box() const = 0;

  /// The density with respect to volume, of total mass one.
  [[nodiscard]] virtual double density(std::span<const double> point) const = 0;

  /// The greatest value that p/h has for the class of private distributions the measure is made
  /// for, if it is made for one: the mass of an envelope before it is normalised, c2 of
  /// [Park et al. 2024, Theorem III.3]. Infinite otherwise.
  [[nodiscard]] virtual double class_bound() const;

  /// The mass of a box.
  [[nodiscard]] virtual double box_mass(const Box& box) const = 0;

  /// Fills `masses` with the mass of each cell of a grid.
  virtual void cell_masses(const Grid& grid, std::span<double> masses) const;

  /// `cells` + 1 ascending edges from one end of the central box to the other along an axis,
  /// between which the marginal has equal masses.
  [[nodiscard]] virtual std::vector<double> equal_mass_edges(std::size_t axis,
                                                             std::size_t cells) const = 0;

  /// Draws a point; `simulate` for analysis and for lists that are public by their seed.
  void draw(SecureRandom& random, std::span<double> point) const { draw_with(random, point); }
  void simulate(SeededRandom& random, std::span<double> point) const { draw_with(random, point); }

  /// Draws a point given that it lies in a finite cell. Where the cell's mass is too small for
  /// doubles, any point of the cell.
  void draw_inside(SecureRandom& random, const Box& cell, std::span<double> point) const {
    draw_inside_with(random, cell, point);
  }
  void simulate_inside(SeededRandom& random, const Box& cell, std::span<double> point) const {
    draw_inside_with(random, cell, point);
  }

 protected:
  virtual void draw_from(WordStream& words, std::span<double> point) const = 0;
  virtual void draw_inside_from(WordStream& words, const Box& cell,
                                std::span<double> point) const = 0;

  /// The same of another measure, for measures that are made of some.
  static void draw_part(const Measure& part, WordStream& words, std::span<double> point) {
    part.draw_from(words, point);
  }
  static void draw_part_inside(const Measure& part, WordStream& words, const Box& cell,
                               std::span<double> point) {
    part.draw_inside_from(words, cell, point);
  }

 private:
  template <WordSource Source>
  void draw_with(Source& source, std::span<double> point) const {
    WordStream words(source);
    draw_from(words, point);
  }
  template <WordSource Source>
  void draw_inside_with(Source& source, const Box& cell, std::span<double> point) const {
    WordStream words(source);
    draw_inside_from(words, cell, point);
  }
};

/// The grid of at most `cells` cells of equal width over a measure's central box, the same number
/// along each axis. Throws InvalidInput beyond three dimensions or 2^24 cells.
Grid equal_width_grid(const Measure& measure, std::size_t cells);

/// The same with cells whose marginals have equal masses along each axis: cells of equal mass if
/// the measure is a product.
Grid equal_mass_grid(const Measure& measure, std::size_t cells);

}  // namespace mollify
