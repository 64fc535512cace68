// The place of a band: as users give it, and the constant b of each mechanism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "methods/local/floors.h"
#include "methods/local/mechanism.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The constant b of local samplers with numbers of their own (methods/local/floors.h: the others).

/// The density class c1 h <= p <= c2 h: b = (c2 - c1) / ((E - 1)(1 - c1) + c2 - c1)
/// [Park et al. 2024, Theorem III.3]. 0 <= c1 < 1 < c2. If c2 <= E c1 the class is itself an
/// epsilon-mollifier, and this band contains it, so the sampler releases P unchanged.
[[nodiscard]] double class_floor(double c1, double c2, double epsilon);

/// The neighbourhood P0 / gamma <= p <= gamma P0 of a public distribution: b = (gamma + 1) /
/// (gamma + E) [Ghoukasian et al. 2025]. gamma > 1. It is the class with c1 = 1/gamma and
/// c2 = gamma.
[[nodiscard]] double neighbourhood_floor(double gamma, double epsilon);

/// A given b, which must lie between 1/E and 1: elsewhere no law fits between the band's edges.
[[nodiscard]] double location_floor(double location, double epsilon);

// -----------------------------------------------------------------------------------------------
// A band as --band places it.

/// A symmetric Dirichlet distribution of distributions, declared in public.
struct DirichletPrior {
  /// The sum of its parameters; none: as many as outcomes, all distributions alike.
  std::optional<double> strength = std::nullopt;
  /// How many records a unit has; none: its distribution is known.
  std::optional<std::uint64_t> records = std::nullopt;

  friend bool operator==(const DirichletPrior&, const DirichletPrior&) = default;
};

/// A band as --band places it: kMinimax, which is the best of the class that other parameters
/// declare, kRelative, or kLocation. kLocation has b, or the prior that determines it
/// (methods/local/typical_band.h), or the file with all lower bounds.
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

/// A band whose b follows from the text: InvalidInput for "typical" and "file=F", which are found
/// when a release is prepared.
[[nodiscard]] PlacedBand parse_fixed_band(std::string_view text);

/// "location=B".
[[nodiscard]] std::string location_band(double location);

/// The reverse: the text that is read back as the same band.
[[nodiscard]] std::string to_text(const PlacedBand& band);

}  // namespace mollify
