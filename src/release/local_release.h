// Releases in the local and the integral model.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "density/scorer.h"
#include "local/sampler.h"
#include "records/unit_ids.h"
#include "release/design.h"
#include "release/release.h"
#include "release/release_space.h"

namespace mollify {

/// A unit, or a whole table, that is scored at points keeps so many of its records, drawn evenly,
/// so that its time is bounded whatever the data.
inline constexpr std::size_t kMostScoredRows = std::size_t{1} << 17U;

/// Each unit, or the whole table, is one private distribution; `count` draws are made from each.
///
/// With a roster: its units' draws in its order, each with its unit. With units and no roster: the
/// same without ids, securely shuffled. Without units: the draws of the table.
class LocalRelease final : public PreparedRelease {
 public:
  LocalRelease(DesignedRelease made, const Domain& domain, ReleaseSpace space,
               std::optional<Roster> roster);

  [[nodiscard]] const ReleaseSpace& space() const noexcept { return space_; }
  [[nodiscard]] const std::optional<Roster>& roster() const noexcept { return roster_; }
  [[nodiscard]] const LocalSampler& sampler() const noexcept { return *sampler_; }
  /// What scores the space's points; none where the records are outcomes themselves, and where the
  /// points are other ones for each unit.
  [[nodiscard]] const Scorer* scorer() const noexcept { return scorer_.get(); }

  void require(const Source& data) const override;
  /// Outcomes where the space's domain can be enumerated, digits otherwise.
  [[nodiscard]] RecordCounting counting() const override;
  void draw(const Source& data, SecureRandom& random, Sink& sink,
            std::size_t threads) const override;

 private:
  ReleaseSpace space_;
  std::optional<Roster> roster_;
  std::unique_ptr<LocalSampler> sampler_;
  std::unique_ptr<Scorer> scorer_;
};

/// Requires a spec of model local or integral.
[[nodiscard]] std::unique_ptr<const LocalRelease> prepare_local(ReleaseSpec spec,
                                                                const PublicInputs& inputs);

}  // namespace mollify
