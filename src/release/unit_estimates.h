// What a release makes of each unit's records before the kernel bounds it. NOT PRIVATE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "density/mixed_points.h"
#include "records/unit_records.h"
#include "release/local_release.h"

namespace mollify {

/// The records and estimates of every unit of a release, for analysis: what `compare` shows
/// of private units. Without units the whole table is one.
///
/// Nothing of this may leave the data holder's machine if the data is private.
class UnitEstimates {
 public:
  /// Reads the release's data; of a whole table as many records as a release would keep. `release`
  /// must outlive this. Throws InvalidInput for fresh candidates: units would have no outcomes in
  /// common.
  explicit UnitEstimates(const LocalRelease& release);

  [[nodiscard]] std::size_t size() const noexcept { return units_.size(); }

  /// The unit's records as points.
  [[nodiscard]] MixedPoints rows(std::size_t unit) const;

  /// Writes the estimate of the unit's distribution, up to a factor: of candidates against the law
  /// they were drawn from, otherwise masses. All zero without records. Requires as many places as
  /// the space has outcomes.
  void masses(std::size_t unit, std::span<float> masses) const;

 private:
  const LocalRelease* release_;
  UnitRecords units_;
};

}  // namespace mollify
