// From a mechanism's name and public parameters to its sampler.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/names.h"
#include "local/sampler.h"

namespace mollify {

/// The finite local mechanisms by the names that users give them.
enum class Mechanism {
  kMinimax,             ///< band, the least worst case [Park et al. 2024]
  kRelative,            ///< band symmetric about the reference [Husain et al. 2020]
  kClass,               ///< band for c1 h <= p <= c2 h [Park et al. 2024]
  kNeighbourhood,       ///< band for P0/gamma <= p <= gamma P0 [Ghoukasian et al. 2025]
  kPublicKernel,        ///< StaircaseChannel [Zamanlooy et al. 2024]
  kRandomizedResponse,  ///< a record through k-ary randomized response [Husain et al. 2020]
  kMixture,             ///< a record, or the reference [Park et al. 2024, eq. 35]
  kGaussianCurve,       ///< the same under a Gaussian trade-off curve [Ghoukasian et al. 2025]
  kLocation,            ///< band whose b the user gives
};

[[nodiscard]] constexpr auto names_of(Mechanism) {
  return std::array{Named{Mechanism::kMinimax, "minimax"},
                    Named{Mechanism::kRelative, "relative"},
                    Named{Mechanism::kClass, "class"},
                    Named{Mechanism::kNeighbourhood, "neighbourhood"},
                    Named{Mechanism::kPublicKernel, "public-kernel"},
                    Named{Mechanism::kRandomizedResponse, "randomized-response"},
                    Named{Mechanism::kMixture, "mixture"},
                    Named{Mechanism::kGaussianCurve, "gaussian-curve"},
                    Named{Mechanism::kLocation, "location"}};
}

/// Whether the mechanism is a reference and a constant b.
[[nodiscard]] bool is_band(Mechanism mechanism);

/// A symmetric Dirichlet distribution of distributions, declared in public.
struct DirichletPrior {
  /// The sum of its parameters; none: as many as outcomes, all distributions alike.
  std::optional<double> strength = std::nullopt;
  /// How many records a unit has; none: its distribution is known.
  std::optional<std::uint64_t> records = std::nullopt;

  friend bool operator==(const DirichletPrior&, const DirichletPrior&) = default;
};

/// A band as --band places it: kMinimax, which is the best of the class that other parameters
/// declare, kRelative, or kLocation. Of kLocation b is given, or the prior for which it is to be
/// found (tuning/typical_band.h), or the file that has all lower bounds.
struct PlacedBand {
  Mechanism mechanism = Mechanism::kRelative;
  std::optional<double> location = std::nullopt;
  std::optional<DirichletPrior> typical = std::nullopt;
  std::string file = {};

  friend bool operator==(const PlacedBand&, const PlacedBand&) = default;
};

/// Reads "minimax", "relative", "location=B" with B in (0, 1), "typical", "typical=STRENGTH" or
/// "typical=STRENGTH,RECORDS", and "file=F". Throws InvalidInput for every other text.
[[nodiscard]] PlacedBand parse_band(std::string_view text);

/// The reverse: the text that is read back as the same band.
[[nodiscard]] std::string to_text(const PlacedBand& band);

/// Everything public that makes a sampler of one draw.
struct MechanismParameters {
  Mechanism mechanism = Mechanism::kMinimax;
  std::size_t outcome_count = 0;
  /// Reference masses, one for each outcome and positive; empty stands for uniform.
  std::span<const double> reference = {};
  /// For every mechanism but kGaussianCurve: of one draw.
  std::optional<double> epsilon = std::nullopt;
  /// For kGaussianCurve: of one draw.
  std::optional<double> mu = std::nullopt;
  /// For kClass.
  std::optional<double> c1 = std::nullopt;
  std::optional<double> c2 = std::nullopt;
  /// For kNeighbourhood.
  std::optional<double> gamma = std::nullopt;
  /// For kLocation: b.
  std::optional<double> location = std::nullopt;
  /// For kGaussianCurve, if it is known: how many of MixtureChannel::kKeepTotal parts keep the
  /// value. It is found in doubles, whose last digits processors round differently.
  std::optional<std::uint64_t> kept = std::nullopt;

  /// The reference masses, or equal ones for uniform.
  [[nodiscard]] std::vector<double> masses() const;
};

/// Throws InvalidInput, in one sentence, if a parameter of the mechanism is missing or one that it
/// does not have is given, or if the outcomes' number or masses are wrong. `make_sampler` and
/// `band_floor_of` do this first.
void validate_parameters(const MechanismParameters& parameters);

/// The constant b of a band mechanism; InvalidInput for the others.
[[nodiscard]] double band_floor_of(const MechanismParameters& parameters);

/// The sampler, its guarantee checked in integers. Throws InvalidInput for parameters that are
/// missing, that the mechanism does not have, or that are out of range, in one sentence.
[[nodiscard]] std::unique_ptr<LocalSampler> make_sampler(const MechanismParameters& parameters);

}  // namespace mollify
