// A band as a public file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mollify {

/// Lower bounds of all outcomes, as shares of one; upper bounds are e^epsilon times these.
struct PublicBand {
  double epsilon = 0;  ///< of one draw
  std::vector<double> lower{};
};

/// Pretty JSON that ends in a line feed: "format", "epsilon", "outcomes" and "lower".
[[nodiscard]] std::string public_band_text(const PublicBand& band);

/// The reverse. Throws InvalidInput, naming `name`, for anything else, and for bounds that are not
/// above 0 or that no law fits. At most 2^24.
[[nodiscard]] PublicBand parse_public_band(const std::string& text, const std::string& name);

/// Throws InvalidInput unless the band is for draws of `epsilon` over so many outcomes.
void require_band_fits(const PublicBand& band, const std::string& name, double epsilon,
                       std::uint64_t outcomes);

}  // namespace mollify
