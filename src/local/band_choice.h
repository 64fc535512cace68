// Where a user wants the band: the value of --band.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mollify {

/// How the constant b of a band on a reference is chosen, from public information alone.
struct BandChoice {
  enum class Kind {
    kMinimax,   ///< least worst case over the class c1 h <= p <= c2 h; needs c2
    kRelative,  ///< symmetric about the reference in the logarithm, b = e^(-epsilon/2)
    kLocation,  ///< b itself
  };

  Kind kind = Kind::kRelative;
  double location = 0;  ///< b, for kLocation

  friend bool operator==(const BandChoice&, const BandChoice&) = default;
};

/// Reads "minimax", "relative" or "location=B" with B in (0, 1). Throws InvalidInput for every
/// other text.
BandChoice parse_band_choice(std::string_view text);

/// The reverse: the text that is read back as the same choice.
std::string to_text(const BandChoice& choice);

/// The constant b of the band [b h, b e^epsilon h] for one draw at epsilon.
///
/// `c1` (default 0) and `c2` are the declared bounds on p/h of kMinimax, which has no band without
/// c2 [Park et al. 2024, Theorem III.3 and Proposition III.2]. Throws InvalidInput where a
/// bound is missing, given to a choice that has none, or out of range, and where b e^epsilon <= 1:
/// then no law fits between the band's edges.
double floor_of(const BandChoice& choice, double epsilon, std::optional<double> c1 = std::nullopt,
                std::optional<double> c2 = std::nullopt);

}  // namespace mollify
