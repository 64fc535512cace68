// The exact law of a release from a known density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/band.h"
#include "core/random.h"
#include "core/table.h"
#include "domain/candidates.h"
#include "measures/grid.h"
#include "measures/measure.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The law over public candidates that represent a continuous space, for analysis.

/// The exact law of one draw among N points from a reference h, scored by p/h. NOT PRIVATE.
///
/// Definition (docs/theory/band.md). The points x_1 ... x_N are drawn from h by a seed, so the
/// list is public and the same each time; the band is uniform over them, the table is made from the
/// scores p(x_i)/h(x_i). `masses()` are these scores divided by their sum, the distribution that P
/// leaves on the list; divergences are between that and `probabilities()`, both on N outcomes. As N
/// grows they tend to those between P and its projection on the continuous band, with an error of
/// order N^-1/2 of this one list.
class CandidateLaw {
 public:
  /// The seed of the list.
  static constexpr std::uint64_t kList = 0;

  /// N is `count`, 1 to 2^24. Throws InvalidInput if the dimensions differ or no band fits.
  CandidateLaw(const Measure& p, const Measure& reference, std::size_t count, double floor,
               double epsilon);

  [[nodiscard]] std::span<const double> masses() const { return masses_; }
  [[nodiscard]] std::vector<double> probabilities() const;

  /// The r of clip(p/r, b h, b e^epsilon h), estimated by the list: the scores' mean over the
  /// candidates strictly inside their bounds against their probabilities. As GridRelease::scale.
  [[nodiscard]] double scale() const;

  /// clip(p/r, b h, b e^epsilon h) at a point, with that r: the density that the law represents.
  [[nodiscard]] double density(std::span<const double> point) const;

 private:
  const Measure* p_;
  const Measure* reference_;
  double floor_;
  Band band_;
  Table table_;
  std::vector<double> masses_;
  double mean_score_ = 0;
};

// -----------------------------------------------------------------------------------------------
// The band sampler of a continuous space: a cell from the kernel, then a point of the cell.

/// All that is public about releases on a grid, made once and shared by all clients.
///
/// Theorem (docs/theory/band.md). Let q be the law of GridRelease::simulate. Its cell is drawn
/// from a table inside `band()`, so any event about cells has probabilities that differ by a factor
/// of at most e^epsilon between any two private inputs; the point is then drawn from the reference,
/// given the cell, without looking at the data. So a release is epsilon-LDP whatever the grid and
/// whatever the error of masses: as the cells shrink only its distance from the continuous optimum
/// falls.
class GridSampler {
 public:
  /// The band [b h, b e^epsilon h] on the cells of `grid`, b = `floor` (methods/local/mechanism.h).
  /// Cells of a reference mass below 2^-80 are counted as having that. Throws
  /// InvalidInput if the dimensions differ or no band fits.
  GridSampler(std::shared_ptr<const Measure> reference, Grid grid, double floor, double epsilon);

  [[nodiscard]] const Measure& reference() const { return *reference_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] const Band& band() const { return band_; }

  /// The mass that the reference has in a cell.
  [[nodiscard]] std::span<const double> reference_masses() const { return reference_masses_; }

 private:
  std::shared_ptr<const Measure> reference_;
  Grid grid_;
  std::vector<double> reference_masses_;
  Band band_;
};

/// One client's releases. Holds private data, and refers to its sampler, which must outlive it.
///
/// 16 bytes a cell; assign() again for the next client reuses them.
class GridRelease {
 public:
  /// Releases the reference until `assign` is called.
  explicit GridRelease(const GridSampler& sampler);
  explicit GridRelease(GridSampler&&) = delete;

  /// Projects P on the band. Throws InvalidInput if P has another dimension than the grid; no value
  /// of the density throws.
  void assign(const Measure& p);

  /// The law of masses, or any other scores, one for each cell.
  void assign(std::span<const double> cell_masses);

  /// Draws a point of d coordinates.
  void simulate(SeededRandom& random, std::span<double> point) const;

  /// P's cell masses, as assigned. NOT PRIVATE.
  [[nodiscard]] std::span<const double> masses() const { return masses_; }
  /// The law over cells. NOT PRIVATE.
  [[nodiscard]] const Table& table() const { return table_; }

  /// The density of the released point: the law of its cell, spread like the reference. Zero
  /// outside the grid. NOT PRIVATE.
  [[nodiscard]] double density(std::span<const double> point) const;

  /// The r of q = clip(P/r, b h, b e^epsilon h), as scale_of gives it. NOT PRIVATE.
  [[nodiscard]] double scale() const;

 private:
  const GridSampler* sampler_;
  std::vector<double> masses_;
  Table table_;
};

// -----------------------------------------------------------------------------------------------
// The divergences in which privacy is stated: Rényi's and the hockey stick.

/// D_α(P‖Q) = ln(Σ P^α Q^{1−α})/(α − 1) in nats, for every order α in [0, ∞].
///
/// α = 1 is Kullback–Leibler, α = ∞ is ln max P/Q (the epsilon of pure differential privacy), α = 0
/// is −ln Q{P > 0}. Continuous in α to rounding error: near α = 1 and for P near Q it is computed
/// from Σ Q·g(P/Q) with every term of second order, elsewhere from a log-sum-exp, so that neither
/// cancellation nor overflow spoils it. +∞ where the definition gives it.
///
/// P and Q must be distributions (they sum to one; not checked). InvalidInput for α negative or
/// NaN, or P and Q of different lengths. O(k).
/// [van Erven, Harremoës 2014]
[[nodiscard]] double renyi(double alpha, std::span<const double> p, std::span<const double> q);

/// E_γ(P‖Q) = Σ (P − γQ)₊ for γ ≥ 0.
///
/// A mechanism is (epsilon,delta)-DP exactly when E_{e^epsilon} ≤ delta between its laws on every
/// neighbouring pair. E_1 is the total variation distance. Each term is one fused multiply-add, so
/// a tiny excess of P over γQ is not rounded away. P and Q as in f_divergence.h: masses, not
/// checked. InvalidInput for γ negative or not finite, or P and Q of different lengths. O(k).
[[nodiscard]] double hockey_stick(double gamma, std::span<const double> p,
                                  std::span<const double> q);

// -----------------------------------------------------------------------------------------------
// What a table says about the scale of its projection. NOT PRIVATE.

/// The table's law n_i / N as doubles. NOT PRIVATE.
std::vector<double> probabilities(const Table& table);

/// The r of q = clip(P/r, lower, upper) for the table made from the scores P: read off the outcomes
/// strictly inside their bounds, where q = P/r. Without such outcomes the greatest r that gives
/// this law; infinite where no r does (P has too little support: docs/theory/band.md). NOT PRIVATE.
double scale_of(const Table& table, std::span<const double> scores);

}  // namespace mollify
