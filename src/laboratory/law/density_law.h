// The exact law of a release from a density on R^d that is known. NOT PRIVATE.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "laboratory/law/discrete_law.h"
#include "measures/grid.h"
#include "measures/measure.h"
#include "methods/local/bands.h"

namespace mollify {

/// A point, and what P and its law have there.
struct DensityPoint {
  std::vector<double> coordinates;
  double p = 0;
  double q = 0;
};

/// A box by the text that names it.
struct NamedRegion {
  std::string text;
  Box box;
};

/// The density, the public reference, the band, and where they are compared.
struct DensityLawQuestion {
  std::shared_ptr<const Measure> p;
  std::shared_ptr<const Measure> reference;
  std::shared_ptr<const Measure> other{};  ///< null: no other density's law is compared
  double epsilon = 0;
  /// None: minimax with c1 or c2 or an envelope as the reference, relative otherwise.
  std::optional<PlacedBand> band{};
  std::optional<double> c1{}, c2{};
  std::optional<std::uint64_t> cells{};       ///< of a grid, in all
  std::optional<std::uint64_t> candidates{};  ///< instead of a grid
  std::vector<std::vector<double>> points{};  ///< listed in the answer
  std::vector<NamedRegion> regions{};
  std::vector<std::vector<double>> raster{};  ///< more points, which are not listed
  MoreDivergences more{};
};

struct DensityLaw {
  Answer answer;
  std::vector<DensityPoint> raster;
};

/// "low:high" for each axis, with commas. Throws InvalidInput, naming the option, for anything
/// else.
[[nodiscard]] Box box_from(std::string_view option, const std::string& text, std::size_t dimension);

/// The scale, the band, the divergences, the fit, regions' masses and the law at points. Throws
/// InvalidInput unless the reference has P's dimension and is positive where P is, for both cells
/// and candidates, for numbers of another band, and for points of another dimension.
[[nodiscard]] DensityLaw law_of_density(const DensityLawQuestion& question);

}  // namespace mollify
