// From public numbers to a private coarse centre of a Gaussian, and how far off it may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "accounting/privacy.h"
#include "central/central_design.h"
#include "kernel/noise/ratio.h"

namespace mollify {

/// Where a whitened coordinate of the mean is declared to lie; low < high.
struct WhitenedRange {
  double low = 0;
  double high = 0;

  friend bool operator==(const WhitenedRange&, const WhitenedRange&) = default;
};

/// Everything public about a coarse centre.
struct CentreRequest {
  /// n, the rows it is found from, 1 to 2^32 - 1.
  std::uint64_t records = 0;
  /// d, 1 to 1024.
  std::size_t dimension = 0;
  /// Of the whole centre: pure, concentrated or approximate.
  Privacy budget;
  /// One for each coordinate, one for all of them, or none; needed unless budget.delta > 0.
  std::vector<WhitenedRange> ranges;
  /// The most that the standard deviation of a whitened coordinate can be, 1e-100 to 1e100.
  double deviation = 1;
  /// How likely it may be that the centre lies farther off than `radius`, 1e-100 to 1/2.
  double failure = 1e-3;

  friend bool operator==(const CentreRequest&, const CentreRequest&) = default;
};

/// The centre's public parameters, and what they promise. Equal requests give equal designs, so a
/// certificate can be checked by designing anew.
struct CentreDesign {
  /// What finds a coarse cell that holds the mean where no range is declared: a stable histogram of
  /// joint cells of 2^coarse_bits cells a side, shifted at random.
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
/// docs/theory/coarse-centre.md has the theorem. Throws InvalidInput for requests that are wrong,
/// and for n too small, in one sentence with the n that would do.
[[nodiscard]] CentreDesign design_centre(const CentreRequest& request);

/// Fills in what follows from the numbers that a centre draws by, wherever they come from, and from
/// both `deviations`: cells, coordinate_error, radius and failure_up. False if there are too many
/// cells.
[[nodiscard]] bool settle_centre(CentreDesign& design);

/// Throws InvalidInput unless the numbers of the design, wherever it comes from, keep its
/// guarantee.
void check_centre_design(const CentreDesign& design);

}  // namespace mollify
