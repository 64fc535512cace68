// The place of each numerator between its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/band.h"
#include "core/table.h"

namespace mollify::detail {

/// The sum of 1 to 2^24 finite, positive masses; throws InvalidInput for any other list.
[[nodiscard]] double validated_mass_sum(std::span<const double> masses);
[[nodiscard]] double validated_mass_sum(std::span<const float> masses);

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Which lower bounds a band has: shares of a public reference.

/// The parts of a band. All of it is public: nothing here may be computed from private data.
struct BandSpec {
  /// Number of outcomes k, 1 to 2^24. May be left 0 when `reference` is given.
  std::size_t outcome_count = 0;
  /// Reference masses h, k positive finite numbers, normalised by make_band. Empty: uniform.
  std::span<const double> reference = {};
  /// A reference in single precision, instead: of a network, say.
  std::span<const float> float_reference = {};
  /// b: no outcome is released with probability below b * h. In (0, 1).
  double floor = 0;
  /// The privacy parameter of one draw, from 1e-6; above 30 it counts as 30.
  double epsilon = 0;
  /// N, the number of equal parts that probability is cut into. Smaller values are for the
  /// exhaustive tests; the guarantee holds for every N, the resolution is best at 2^62.
  std::uint64_t total = Band::kGreatestTotal;
};

/// The band with
///   lower_i = ceil(N b h_i (1 + 2^-39)),
/// and for k = 1 the only outcome has lower = upper = N: it is released always.
///
/// The hair of 2^-39 makes up for Ebar lying 2^-40 below e^epsilon, so that the upper bounds still
/// reach N for the P that a minimax band is made for; where these lower bounds sum to more than N
/// (b next to 1) they are max(1, floor(N b h_i)) instead. All of this decides how useful a band is;
/// Band's theorem holds for any lower bounds.
///
/// The integers are the same on every machine: certificates hash them. Throws InvalidInput, in one
/// sentence, if the spec is malformed or no table fits. O(k). The lower bounds are written into
/// `memory`, whatever it holds, if it has room for them.
[[nodiscard]] Band make_band(const BandSpec& spec, std::vector<std::uint64_t> memory = {});

// -----------------------------------------------------------------------------------------------
// The projection of scores on a band: where the tables that releases are drawn from should lie.

/// Makes a table the projection of its scores: n follows clip(t score_i, lower_i, upper_i), the
/// f-divergence projection of the scores' distribution on the band for every f at once [Park et al.
/// 2024, Proposition III.4], to 1e-9 relative or two parts of N, whichever is larger.
///
/// t is found by Newton's method on a monotone, piecewise linear function, in about five passes
/// over the scores. Privacy does not depend on it: a table keeps its theorem whatever t is.
///
/// NaN and negative scores count as zero, and so may scores below 2^-500 of the greatest; next to
/// infinite scores all finite ones do. If the outcomes with a score are all at their upper bounds,
/// the others share the rest in proportion to the reference (docs/theory/band.md); so scores
/// without any positive one give the reference.
///
/// The number of scores is public: any other than the band's throws InvalidInput (Table alone).
/// Their values never throw. Outcomes that are not ascending are sorted and their scores added.
void project(Table& table, std::span<const double> scores);
void project(Table& table, std::span<const float> scores);
/// Over another band (Table::assign).
void project(Table& table, const Band& band, std::span<const double> scores);
void project(Table& table, const Band& band, std::span<const float> scores);
void project(Table&, Band&&, const auto& scores) = delete;
void project(SparseTable& table, std::span<const std::uint32_t> outcomes,
             std::span<const double> scores);

/// A new table made so.
[[nodiscard]] Table projected(const Band& band, std::span<const double> scores);
[[nodiscard]] Table projected(const Band& band, std::span<const float> scores);
Table projected(Band&&, const auto& scores) = delete;

}  // namespace mollify
