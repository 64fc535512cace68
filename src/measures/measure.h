// Measures on R^d.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "domain/candidates.h"
#include "domain/domain.h"
#include "measures/grid.h"
#include "measures/truncated_normal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Random numbers of known laws, which follow from a seed. NOT PRIVATE.

/// Uniform on the 2^53 middles of equal parts of (0, 1).
[[nodiscard]] double uniform_of_unit_interval(SeededRandom& random);
/// The standard normal quantile of `uniform_of_unit_interval`.
[[nodiscard]] double normal_number(SeededRandom& random);
/// Fills a point, uniform in a finite box.
void uniform_in(SeededRandom& random, const Box& box, std::span<double> point);

// -----------------------------------------------------------------------------------------------
// A probability measure on R^d.

/// A reference h: it is released without data, and every law is measured against it; or a P that is
/// known, to be looked at.
///
/// Doubles are good enough: the guarantee of a release is a Band's, built from cell masses of the
/// public h, whatever their error, and a draw inside a cell looks at no data. A P that is wrong,
/// does not sum to one, or is NaN somewhere costs accuracy alone. Points have dimension()
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

  /// A finite box for a grid, with all the mass except less than 2^-40.
  [[nodiscard]] virtual Box central_box() const = 0;

  /// The density with respect to volume, of total mass one.
  [[nodiscard]] virtual double density(std::span<const double> point) const = 0;

  /// The greatest value that p/h has for the class of private distributions the measure is made
  /// for, if it is made for one: the mass of an envelope before it is normalised, c2 of
  /// [Park et al. 2024, Theorem III.3]. Infinite otherwise.
  [[nodiscard]] virtual double class_bound() const;

  /// The mass of a box.
  [[nodiscard]] virtual double box_mass(const Box& box) const = 0;

  /// Fills `masses` with the mass of each cell of a grid. Mass outside the grid is counted to the
  /// outermost cells, which hold the points outside.
  virtual void cell_masses(const Grid& grid, std::span<double> masses) const;

  /// Draws a point.
  virtual void simulate(SeededRandom& random, std::span<double> point) const = 0;

  /// Draws a point given that it lies in a finite cell. If the cell's mass is too small for
  /// doubles, any point of the cell.
  virtual void simulate_inside(SeededRandom& random, const Box& cell,
                               std::span<double> point) const = 0;
};

/// The grid of at most `cells` cells of equal width over a measure's central box, the same number
/// along each axis. Throws InvalidInput beyond three dimensions or 2^24 cells.
Grid equal_width_grid(const Measure& measure, std::size_t cells);

// -----------------------------------------------------------------------------------------------
// The uniform measure on a box.

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

  void simulate(SeededRandom& random, std::span<double> point) const override;
  void simulate_inside(SeededRandom& random, const Box& cell,
                       std::span<double> point) const override;

 private:
  Box box_;
  double density_ = 1;
};

// -----------------------------------------------------------------------------------------------
// Independent public measures side by side.

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

  void simulate(SeededRandom& random, std::span<double> point) const override;
  void simulate_inside(SeededRandom& random, const Box& cell,
                       std::span<double> point) const override;

 private:
  std::vector<std::shared_ptr<const Measure>> factors_;
  std::size_t dimension_ = 0;
};

// -----------------------------------------------------------------------------------------------
// A measure that is uniform in each cell of a grid.

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

  void simulate(SeededRandom& random, std::span<double> point) const override;
  void simulate_inside(SeededRandom& random, const Box& cell,
                       std::span<double> point) const override;

 private:
  /// Calls take(part, mass) for the part of each bin that lies in the box.
  template <class Take>
  void for_each_part(const Box& box, const Take& take) const;

  Grid bins_;
  std::vector<double> masses_;
  std::vector<double> masses_through_;  // of the bins up to and including each
};

// -----------------------------------------------------------------------------------------------
// Mixtures of Gaussians along the axes of the space, on a box if one is given.

/// The parts of a Gaussian mixture.
struct GaussianMixtureSpec {
  /// One mean of d coordinates for each of m components.
  std::vector<std::vector<double>> means;
  /// m weights, not negative, with a positive finite sum; they do not have to sum to one.
  std::vector<double> weights;
  /// m lists of d variances, one for each axis.
  std::vector<std::vector<double>> variances;
  /// Empty, or d intervals: the mixture is restricted to this box and renormalised on it, as the
  /// clients of [Park et al. 2024, Section V-B] are. That is the mixture of the components
  /// renormalised on the box one by one, with weights in proportion to w_i times what component i
  /// has there.
  Box box;
};

/// sum_i w_i N(m_i, diag v_i), given that the point lies in the box if there is one.
///
/// Every component is a product over the axes, so masses of boxes and of cells are exact, by the
/// distribution function: cells of a grid cost m (n_1 + ... + n_d) erfc and m n_1 ... n_d
/// multiplications. Mass outside a grid is counted to the outermost cells. Draws inside a cell take
/// one inverse of the distribution function an axis.
class GaussianMixture final : public Measure {
 public:
  /// Throws InvalidInput, in one sentence, if the spec is malformed or a component has less than
  /// 1e-290 of its mass on the box along some axis. A spec made from private data must be valid by
  /// construction.
  explicit GaussianMixture(const GaussianMixtureSpec& spec);

  [[nodiscard]] std::size_t dimension() const override { return box_.size(); }
  [[nodiscard]] Box box() const override { return box_; }
  /// The means and 7.5 deviations on either side, as far as the box reaches.
  [[nodiscard]] Box central_box() const override;
  [[nodiscard]] double density(std::span<const double> point) const override;
  [[nodiscard]] double box_mass(const Box& box) const override;
  void cell_masses(const Grid& grid, std::span<double> masses) const override;

  /// Of the component renormalised on the box; they sum to one.
  [[nodiscard]] double weight(std::size_t component) const { return weights_[component]; }
  /// The factor of a component along an axis.
  [[nodiscard]] const TruncatedNormal& factor(std::size_t component, std::size_t axis) const {
    return factors_[component * box_.size() + axis];
  }

  void simulate(SeededRandom& random, std::span<double> point) const override;
  void simulate_inside(SeededRandom& random, const Box& cell,
                       std::span<double> point) const override;

 private:
  Box box_;
  std::vector<double> weights_;
  std::vector<TruncatedNormal> factors_;
};

// -----------------------------------------------------------------------------------------------
// Measures on the part of R^d in which the records of a numeric domain lie.

/// One axis for each column: [min, max] for a number, [min - 1/2, max + 1/2] for an integer, so
/// that every cell is an interval. Throws InvalidInput, naming the column, if one is neither or has
/// a null category.
[[nodiscard]] Box domain_box(const Domain& domain);

/// Whether a density can have the column as an axis: numbers or integers in equal cells.
[[nodiscard]] bool has_interval(const Column& column);

/// The middle of each record's cell in the domain's box, coordinates end to end. `digits` holds the
/// records' digits, end to end. Requires that the domain has a box.
[[nodiscard]] std::vector<double> domain_points(const Domain& domain,
                                                std::span<const std::uint32_t> digits);

/// The measure's mass in each record's cell of an enumerable domain, the last column fastest. Mass
/// outside the domain's box is counted to the outermost cells, to which `outside: clip` moves
/// values.
///
/// Throws InvalidInput if the domain has no box or more than three columns, the measure another
/// dimension, or less than half of its mass on the box: then its numbers are of another unit.
[[nodiscard]] std::vector<double> domain_masses(const Domain& domain, const Measure& measure);

/// The mixture of Gaussians with axes along the columns that is fitted to **public** records
/// (fit_gaussian_mixture), in the units of the domain and renormalised on its box (domain_box).
///
/// `digits` holds the records' digits, end to end; without records it is one wide Gaussian. The fit
/// is deterministic. Throws InvalidInput if the domain has no box or no components are wanted.
/// O(records components columns).
[[nodiscard]] GaussianMixtureSpec fitted_reference(const Domain& domain,
                                                   std::span<const std::uint32_t> digits,
                                                   std::size_t components);

/// `count` candidates of a numeric domain with the law of a **public** measure on the domain's box
/// (domain_box), by the domain's seed: the same wherever the mathematical library rounds alike, so
/// a list that many machines share should be a file. Their densities are with respect to the
/// uniform law on the box, taken at the middle of each candidate's cell.
///
/// Throws InvalidInput if the domain has no box, the measure another dimension, or the measure less
/// than 2^-80 of its mass on the box, and as Candidates::require_count does.
[[nodiscard]] Candidates measure_candidates(const Domain& domain, const Measure& measure,
                                            std::uint64_t count);

// -----------------------------------------------------------------------------------------------
// Measures written as JSON.

/// Reads a measure, public or the P of an analysis, from JSON text; `name` is the file's, for
/// messages. Lengths are those of the space, variances squares of them.
///
///   {"type": "gaussian_mixture", "means": [[..], ..], "weights": [..], "variance": v, "box": B}
///   {"type": "gaussian", "mean": [..], "variance": v, "box": B}
///   {"type": "gaussian_mixture_envelope", "radius": r, "variance": v, "dimension": d, "box": B}
///   {"type": "uniform", "box": B}
///   {"type": "histogram", "edges": [[..], ..], "masses": [..]}
///   {"type": "product", "factors": [measure, ..]}
///
/// v is one number for all components and axes, or a list with an entry for each component: a
/// number, or a list with one for each axis (for a gaussian: a list with one for each axis). B is
/// [[low, high], ..], one pair for each axis: the measure is restricted to the box and renormalised
/// on it. Without "box" the space is R^d. "edges" are ascending, one list for each axis; "masses"
/// has one number for each bin, the last axis fastest. Throws InvalidInput, in one sentence, for
/// anything else, unknown keys included.
[[nodiscard]] std::shared_ptr<const Measure> measure_from_json(std::string_view text,
                                                               const std::string& name);

/// The text from which the same mixture is read, a line for each component.
[[nodiscard]] std::string measure_json(const GaussianMixtureSpec& mixture);

}  // namespace mollify
