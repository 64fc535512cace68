// How the records of a release come from the population, as its certificate tells.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "estimate/linear_law.h"
#include "local/sampler.h"
#include "release/certificate.h"
#include "space/domain.h"

namespace mollify {

/// What a collector knows of a release before its records: public, and from the certificate alone.
///
/// The population is what the released records were drawn from: in the local model the mean of the
/// distributions of the units that took part (a unit without records counts as one distributed as
/// the reference), otherwise the distribution of the table's rows. Given these, the records are
/// independent draws, or choices without replacement that are as good (docs/theory/estimation.md).
class ReleasedLaw {
 public:
  /// Checks the certificate first, as `verify` does. Throws InvalidInput, in one sentence, for one
  /// that does not hold, and for a release of which there is nothing to estimate: Gaussian samples,
  /// candidates, a support that was found privately, and mechanisms that promise no independent
  /// records.
  ReleasedLaw(const StatedCertificate& stated, const std::string& name, const Domain& domain);

  /// The domain that the released records are of: on a grid the one cut anew.
  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] const std::string& mechanism() const noexcept { return mechanism_; }
  /// The matrix, if the mechanism is linear.
  [[nodiscard]] const std::optional<LinearLaw>& linear() const noexcept { return linear_; }
  /// The band, if it is one.
  [[nodiscard]] const Band* band() const noexcept { return sampler_ ? sampler_->band() : nullptr; }
  /// Without either: how far a record's law is from the population's in total variation, at most.
  [[nodiscard]] double total_variation_up() const noexcept { return total_variation_up_; }
  /// With what probability the records are not what is said here.
  [[nodiscard]] double failure_up() const noexcept { return failure_up_; }
  /// epsilon of each draw, or of each report before it was shuffled; none for a budget in mu.
  [[nodiscard]] std::optional<double> epsilon() const noexcept { return epsilon_; }
  /// Whether a band's records are projections of estimated densities, and not of the rows.
  [[nodiscard]] bool is_smoothed() const noexcept { return smoothed_; }

  /// Throws InvalidInput, naming `name`, unless a release of this certificate can have had so many
  /// records.
  void require_count(std::uint64_t records, const std::string& name) const;

 private:
  void take_local(const Certificate& certificate, std::unique_ptr<LocalSampler> sampler);
  void take_central(const Certificate& certificate, const CentralSampler& sampler);

  Domain domain_;
  std::string mechanism_;
  std::optional<LinearLaw> linear_;
  std::unique_ptr<const LocalSampler> sampler_;
  double total_variation_up_ = 0;
  double failure_up_ = 0;
  std::optional<double> epsilon_;
  bool smoothed_ = false;
  std::uint64_t multiple_ = 1;            // records come in so many
  std::optional<std::uint64_t> exactly_;  // or in all
};

}  // namespace mollify
