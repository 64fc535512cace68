// Fitting: from any scores to integers inside public bounds that sum to the total. Nothing else
// writes numerators.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "band.h"

namespace mollify {

/// Bounds of `size` outcomes: an array of lower ones, or (lowers == nullptr) one for all of them,
/// `lower`, whose upper one is `upper`. An upper bound is min(total, floor(lower Ebar)).
/// lower <= total <= 2^62 each and sum(lower) <= total <= sum(upper), as a band promises.
struct Bounds {
  explicit Bounds(const Band& band);

  const std::uint64_t* lowers;
  std::uint64_t lower;
  std::uint64_t upper;
  std::size_t size;
  std::uint64_t total;
  std::uint64_t lower_sum;
  std::uint64_t mantissa;  // Ebar is mantissa / 2^shift
  int shift;

  [[nodiscard]] std::uint64_t lower_at(std::size_t i) const { return lowers ? lowers[i] : lower; }
  [[nodiscard]] std::uint64_t upper_at(std::size_t i) const {
    const uint128 product = (uint128{lower_at(i)} * mantissa) >> shift;
    return product < total ? static_cast<std::uint64_t>(product) : total;
  }

  /// The bounds of `count` outcomes from `begin` on, for a pass over these; total and lower_sum
  /// stay the whole's. `fit` uses no lower_sum: it is for the search.
  [[nodiscard]] Bounds part(std::size_t begin, std::size_t count) const {
    Bounds part = *this;
    part.size = count;
    if (lowers != nullptr) part.lowers += begin;
    return part;
  }
};

/// The factor of the scores: t, or t 2^exponent if they are so large or so small that t alone is
/// not enough. If t is infinite, only the sign of a score counts.
struct ScoreScale {
  double t = 0;
  int exponent = 0;
};

/// Scores up to this one count as not positive, so that no t need exceed 2^762.
inline constexpr double kLeastScore = 0x1p-700;

/// A score times 2^exponent, or 2 if that is less; 0 if the score is NaN or negative. So an exponent
/// of -3000 leaves 2 of an infinite score and 0 of a finite one.
class Rescaling {
 public:
  explicit Rescaling(int exponent)
      : third_(std::scalbn(1.0, exponent / 3)),
        last_(std::scalbn(1.0, exponent - exponent / 3 * 2)) {}

  /// Each factor is a double, as the power is not if it is far from 1.
  [[nodiscard]] double operator()(double score) const {
    const double product = score * third_ * third_ * last_;
    const double most = product < 2 ? product : 2;
    return score > 0 ? most : 0;
  }

 private:
  double third_, last_;
};

/// Outcomes are summed in blocks of this many, so that a draw does not have to scan them all.
inline constexpr std::size_t kBlock = 256;

/// What `fit` writes: a numerator for each outcome, and the sum of each started block of kBlock.
struct Numerators {
  std::span<std::uint64_t> of_outcomes;
  std::span<std::uint64_t> of_blocks;
};

namespace detail {

/// One pass over four outcomes at a time, for one instruction set. Writes a numerator for each of
/// bounds.size scores, near t * score and, whatever these are, inside its bounds, and block sums
/// (modulo 2^64). Returns the exact sum of the numerators it wrote.
template <class Score>
using RoundingPass = uint128 (*)(const Bounds& bounds, const Score* scores, double t,
                                 std::uint64_t* numerators, std::uint64_t* block_sums);
/// The same pass with `above` for a score above kLeastScore and `other` for any other score. The
/// bounds are the same for all outcomes, and numerators keep them only if both integers do: 1 and 0
/// count the scores.
template <class Score>
using EndsPass = uint128 (*)(const Bounds& bounds, const Score* scores, std::uint64_t above,
                             std::uint64_t other, std::uint64_t* numerators,
                             std::uint64_t* block_sums);
struct RoundingLanes {
  RoundingPass<double> of_double;
  RoundingPass<float> of_float;
  EndsPass<double> ends_of_double;
  EndsPass<float> ends_of_float;
  static const RoundingLanes kBaseline, kAvx2;
};

/// Writes every numerator, inside its bounds and near scale times score, and each block's sum
/// modulo 2^64. With an infinite scale, positive scores have their upper bounds, and the others
/// share what is left in proportion to their lower ones, clamped. Returns the exact sum. Whether
/// the bounds leave room for the total does not matter here. Scores are doubles or floats.
template <class Score>
uint128 round(const Bounds& bounds, const Score* scores, ScoreScale scale, Numerators to);

/// Moves numerators that are inside their bounds to others that are, too, until they sum to the
/// total, and blocks with them. `sum` is the exact sum of the first.
void settle(const Bounds& bounds, uint128 sum, Numerators numerators);

}  // namespace detail

/// Fits numerators to bounds.size scores, by whatever scales a search tries.
///
/// Theorem. For any scores and any scales, NaN, infinite and negative ones included, afterwards
///   lower_i <= n_i <= upper_i for every i, and sum n_i = N exactly, N = bounds.total <= 2^62;
///   and each block's sum is the sum of its numerators. Proof. `round` writes every n_i and
///   returns the exact sum. It clamps integers, after all floating point: n_i itself, or how
///   many granules it lies above a common lower bound (numerators_lanes.cpp). `settle` takes
///   each n_i from there to another place between its bounds and ends only when the sum is N. It
///   does end: sum(lower) <= N <= sum(upper) leaves room for all that is missing, and each of
///   its rounds moves at least one unit. Blocks are summed modulo 2^64 and moved with their
///   numerators; at the end each is at most N <= 2^62, hence exact. The memory's earlier
///   content, and the way the search found its scales, have no part in it. A search without end
///   releases nothing. QED
///
/// So floating point chooses *where* between the bounds each n_i lies, and nothing else.
///
/// If search.first throws, nothing was written; search.again may not throw, for the numerators
/// would stay unsettled.
///
/// search.first(bounds, scores) is the first scale. search.again(scale, missing) gets the amount by
/// which its numerators are short of N; either it changes the scale and returns true, or false.
template <class Score, class Search>
void fit(const Bounds& bounds, std::span<const Score> scores, Search& search, Numerators to) {
  static_assert(noexcept(search.again(std::declval<ScoreScale&>(), int128{})));
  ScoreScale scale = search.first(bounds, scores);
  uint128 sum = 0;
  do {
    sum = detail::round(bounds, scores.data(), scale, to);
  } while (search.again(scale, static_cast<int128>(bounds.total) - static_cast<int128>(sum)));
  detail::settle(bounds, sum, to);
}

/// Without scores: numerators in proportion to the lower bounds, clamped.
void fit_reference(const Bounds& bounds, Numerators to);

}  // namespace mollify
