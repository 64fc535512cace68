// What a release makes of each unit's records before the kernel bounds it. NOT PRIVATE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "density/mixed_points.h"
#include "local/sampler.h"
#include "records/empirical.h"
#include "records/unit_records.h"
#include "records/unit_table.h"
#include "release/local_release.h"

namespace mollify {

/// The estimates of every unit of a local or integral release; without units the whole table is
/// one. A release draws from them, and `compare` shows them.
///
/// Nothing of this may leave the data holder's machine if the data is private.
class UnitEstimates {
 public:
  /// Reads the data. `release` must outlive this. Total, if release.require(data) has passed;
  /// `random` chooses the records of a whole table that are kept.
  UnitEstimates(const LocalRelease& release, const Source& data, SecureRandom& random);

  [[nodiscard]] std::size_t size() const noexcept;

  /// Of releases that do not draw by scores: how often the unit has each outcome.
  [[nodiscard]] ScoredOutcomes outcomes(std::size_t unit) const noexcept;

  /// Of releases that do: the unit's records as digits, one after the other.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t unit) const noexcept {
    return std::get<UnitRecords>(units_).digits(unit);
  }

  /// The unit's records as points.
  [[nodiscard]] MixedPoints rows(std::size_t unit) const;

  /// Writes the estimate of the unit's distribution, up to a factor: of candidates against the law
  /// they were drawn from, otherwise masses. All zero without records. Requires as many places as
  /// the space has outcomes, and a list that is not fresh.
  void masses(std::size_t unit, std::span<float> masses) const;

 private:
  const LocalRelease* release_;
  std::variant<Empirical, UnitTable, UnitRecords> units_;
};

}  // namespace mollify
