// A coarse centre and private medians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "accounting/privacy.h"
#include "core/random.h"
#include "domain/numbers.h"
#include "kernel/coins.h"
#include "kernel/naturals.h"
#include "methods/central/design.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The median of integers in a declared range, privately, and how far in rank it may be off.

/// The exponential mechanism for the median of n integers, which are first moved into [first, last]
/// if they lie outside.
///
/// Definition. Let h = floor(n/2), and let L(y) and G(y) count the integers less and greater than
/// y. The distance of y is k(y) = max(0, L(y) - h, G(y) - h); y in [first, last] is drawn with
/// probability proportional to e^(-k(y) eta). The median has distance 0.
///
/// Theorem (privacy). 2 eta-DP, of bounded range 2 eta and so (eta^2 / 2)-zCDP, for replacing one
/// integer. Proof: n is public, L(y) and G(y) each change by at most one, so k(y) does; then
/// ExponentialChoice. QED
///
/// Between two neighbouring integers of the data the distance is constant, so at most 2 n + 1
/// intervals are weighed however long the range is. O(n log n).
///
/// Public and immutable.
class PrivateMedian {
 public:
  /// eta = rate. InvalidInput unless -2^61 <= first <= last < 2^61 and the rate is one of
  /// ExponentialChoice.
  PrivateMedian(std::int64_t first, std::int64_t last, Ratio rate);

  /// The integers from `first` on, as many as the count says, all of the same distance.
  struct Interval {
    std::int64_t first;
    ChoiceTerm term;
  };
  /// The cells to draw from, ascending and without gaps. Private, like the values.
  [[nodiscard]] std::vector<Interval> intervals(std::span<const std::int64_t> values) const;

  /// Any values, any number of them, 0 included.
  [[nodiscard]] std::int64_t draw(std::span<const std::int64_t> values, SecureRandom& random) const;

 private:
  std::int64_t first_;
  std::int64_t last_;
  ExponentialChoice choice_;
};

/// How likely it is that the private median of n independent values lies beyond a point t on either
/// side, rounded up, if each of them lies on the far side of t with probability at most `beyond`
/// for each of the two points, and `outcomes` integers can be drawn in all.
///
/// Theorem (proof: docs/theory/gaussian-samplers.md). At most 2 f(outcomes / 2), N binomial of n
/// trials of probability 1 - beyond,
///
///     f(c) = E min(1, c e^(-eta (N - h))).
///
/// The expectation is computed exactly: with K the least rank with c e^(-eta K) <= 1 it is P(N < h
/// + K) + c e^(eta h) (1 - p (1 - e^-eta))^n P(N' >= h + K), p = 1 - beyond, where N' has the odds
/// of p multiplied by e^-eta.
///
/// n from 1 to 2^32, beyond from 1e-300 to 1/2, outcomes >= 1; the result is at least 1e-300.
[[nodiscard]] double median_beyond_up(std::uint64_t records, double outcomes, Ratio rate,
                                      double beyond);

// -----------------------------------------------------------------------------------------------
// From public numbers to a private coarse centre of a Gaussian, and how far off it may be.

/// Everything public about a coarse centre.
struct CentreRequest {
  /// n, the rows it is found from, 1 to 2^32 - 1.
  std::uint64_t records = 0;
  /// d, 1 to 1024.
  std::size_t dimension = 0;
  /// Of the whole centre: pure, concentrated or approximate.
  Privacy budget;
  /// The declared range of each whitened coordinate of the mean, one for all of them, or none;
  /// needed unless budget.delta > 0.
  std::vector<RealRange> ranges;
  /// The most that the standard deviation of a whitened coordinate can be, 1e-100 to 1e100.
  double deviation = 1;
  /// How likely it may be that the centre lies farther off than `radius`, 1e-100 to 1/2.
  double failure = 1e-3;

  friend bool operator==(const CentreRequest&, const CentreRequest&) = default;
};

/// The centre's public parameters, and their promise. Equal requests give equal designs, so a
/// certificate can be checked by designing anew.
struct CentreDesign {
  /// The finder of a coarse cell that holds the mean, if no range is declared: a stable histogram
  /// of joint cells of 2^coarse_bits cells a side, shifted at random.
  struct Histogram {
    double epsilon = 0;
    double delta = 0;
    std::int64_t threshold = 0;
    unsigned coarse_bits = 0;
    /// How many deviations from the mean records are assumed to lie within.
    double deviations = 0;

    friend bool operator==(const Histogram&, const Histogram&) = default;
  };
  /// Cells of one coordinate, both included.
  struct Cells {
    std::int64_t first = 0;
    std::int64_t last = 0;

    friend bool operator==(const Cells&, const Cells&) = default;
  };

  CentreRequest request;
  /// Cells are [c, c + 1) 2^cell_exponent in whitened units.
  int cell_exponent = 0;
  std::optional<Histogram> histogram = std::nullopt;
  /// With declared ranges: the cells of each coordinate. Empty with a histogram.
  std::vector<Cells> cells;
  /// eta of each coordinate's median (PrivateMedian): 2 eta-DP, and eta^2 / 2-zCDP.
  Ratio rate;
  Privacy guarantee;
  /// How many deviations a coordinate's median is assumed to be off at most.
  double deviations = 0;
  /// The bound on each coordinate's |mean - centre|, and sqrt(d) times it, rounded up: R_centre.
  double coordinate_error = 0;
  double radius = 0;
  /// The probability that a coordinate is off by more than `coordinate_error` is at most this, for
  /// rows drawn independently from N(mean, Sigma), Sigma_jj <= deviation^2, the mean in the
  /// declared ranges (without ranges: |mean_j| <= 2^50 cells); at most request.failure.
  double failure_up = 1;

  friend bool operator==(const CentreDesign&, const CentreDesign&) = default;
};

/// The design with the least radius over widths of cells, which are powers of two.
/// docs/theory/gaussian-samplers.md has the theorem. Throws InvalidInput for requests that are
/// wrong, and for n too small, in one sentence with the n that would do.
[[nodiscard]] CentreDesign design_centre(const CentreRequest& request);

/// The same; none for n too small, which is found out in milliseconds. Throws for wrong requests.
[[nodiscard]] std::optional<CentreDesign> find_centre_design(const CentreRequest& request);

/// Fills in what follows from the numbers that a centre draws by, wherever they come from, and from
/// both `deviations`: cells, coordinate_error, radius and failure_up. False if there are too many
/// cells.
[[nodiscard]] bool settle_centre(CentreDesign& design);

/// Throws InvalidInput unless the numbers of the design, wherever it comes from, keep its
/// guarantee.
void check_centre_design(const CentreDesign& design);

// -----------------------------------------------------------------------------------------------
// A private coarse centre of rows of numbers.

/// Takes whitened rows one block after the other, and finds their centre.
///
/// Each row is turned into one integer cell for each coordinate, a function of that row alone
/// (`cell_of`); all that follows reads these integers. With declared ranges each coordinate's
/// centre is the private median of its cells (PrivateMedian). Without, each row's cells, shifted at
/// random and cut to 2^coarse_bits, make one joint coarse cell; the most frequent one in a stable
/// histogram (StableHistogram) is the range for the medians.
///
/// Theorem (privacy). Whatever the rows are, `find` keeps design.guarantee for replacing one row:
/// docs/theory/gaussian-samplers.md. Utility: design.radius and design.failure_up.
///
/// 8 n d bytes; O(n log n) for each coordinate.
class CoarseCentre {
 public:
  /// Throws InvalidInput for a design that design_centre did not make.
  explicit CoarseCentre(CentreDesign design);

  [[nodiscard]] const CentreDesign& design() const { return design_; }
  [[nodiscard]] Privacy guarantee() const { return design_.guarantee; }

  /// floor(score / 2^cell_exponent), within -2^51 and 2^51; 0 for NaN. Any double.
  [[nodiscard]] static std::int64_t cell_of(double score, int cell_exponent);

  /// Whole rows, row-major: a multiple of d doubles, any doubles; at most 2^32 - 1 in all
  /// (InvalidInput otherwise). How many is public, and request.records if the utility is to hold.
  void add(std::span<const double> whitened_rows);

  /// The centre of the added rows, d whitened coordinates, all finite; total for any rows and any
  /// number of them, 0 included. Every call spends the whole budget anew.
  [[nodiscard]] std::vector<double> find(SecureRandom& random) const;

 private:
  CentreDesign design_;
  std::vector<std::vector<std::int64_t>> cells_;  // of each coordinate, in the order of the rows
};

}  // namespace mollify
