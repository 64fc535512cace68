// The law over public candidates that stand for a continuous space, for analysis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/band.h"
#include "kernel/core/table.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// The exact law of one draw among N points from a reference h, scored by p/h. NOT PRIVATE.
///
/// Definition (docs/theory/spaces.md). The points x_1 ... x_N are drawn from h by a seed, so the
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

  /// clip(p/r, b h, b e^epsilon h) at a point, with that r: the density that the law stands for.
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

}  // namespace mollify
