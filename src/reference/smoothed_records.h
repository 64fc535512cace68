// A public reference on mixed points, made of public records.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "density/bandwidths.h"
#include "density/column_kernel.h"
#include "density/mixed_points.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/uniform_below.h"
#include "space/seeded_random.h"

namespace mollify {

/// The law h = (1 - lambda) f + lambda u of points, where f is the product-kernel density estimate
/// of **public** records (product_kernel.h) and u is uniform: numbers on [0, 1], levels evenly.
///
/// u keeps h positive everywhere: no point's density ratio to a bounded p exceeds max p / lambda.
/// Without records h is uniform.
///
/// 4 bytes a value of the records.
class SmoothedRecords {
 public:
  static constexpr double kUniformShare = 0.1;

  /// `uniform_share` is lambda. Throws InvalidInput if it is not in (0, 1], or if there is not one
  /// bandwidth for each column.
  SmoothedRecords(MixedPoints records, Bandwidths bandwidths, double uniform_share = kUniformShare);
  /// With the bandwidths of `rule_of_thumb`.
  explicit SmoothedRecords(const MixedPoints& records, double uniform_share = kUniformShare);

  [[nodiscard]] std::span<const MixedColumn> columns() const noexcept { return records_.columns(); }
  [[nodiscard]] const Bandwidths& bandwidths() const noexcept { return bandwidths_; }
  [[nodiscard]] double uniform_share() const noexcept { return uniform_share_; }

  /// The density of h with respect to u at each point, at least lambda: 1 everywhere if h is
  /// uniform. Throws InvalidInput unless the points have the records' columns, and `densities` one
  /// entry for each. Single precision, as ProductKernelScorer; makes one for the points.
  void densities(const MixedPoints& points, std::span<float> densities) const;

  /// One point with law h into `point`, which has one entry for each column. Each draw goes to one
  /// record, uniformly, and from there in each column by its kernel. O(columns).
  void draw(SecureRandom& random, std::span<float> point) const { draw_with(random, point); }
  /// The same from a public seed, as for a public list of candidates.
  void draw(SeededRandom& random, std::span<float> point) const { draw_with(random, point); }

 private:
  template <WordSource Source>
  void draw_with(Source& random, std::span<float> point) const;

  MixedPoints records_;
  Bandwidths bandwidths_;
  double uniform_share_;
  std::vector<ColumnKernel> kernels_;
};

}  // namespace mollify
