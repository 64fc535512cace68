// What boosting starts from: samples of the private distribution and of a public reference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "density/points.h"
#include "laboratory/boosting/evaluation.h"
#include "laboratory/measure/measure.h"

namespace mollify::cli {

struct BoostingProblem {
  Points p;               ///< samples of P to learn from
  Points pool;            ///< samples of Q0 to learn from
  Evaluation evaluation;  ///< of neither
  std::string p_text, reference_text;
  /// On R^d only.
  std::shared_ptr<const Measure> truth{}, reference{};
  /// Whose cells `evaluation` is: in one or two dimensions, where P lies on the reference's central
  /// box and is not narrower than its cells. Edges of the regions are edges of cells.
  std::optional<Grid> grid{};
  std::vector<Box> regions{};
};

/// P is a density, as law reads it; Q0 a measure, by default the standard Gaussian of the same
/// dimension. `samples` of P are drawn, and a pool several times as large. Regions are texts,
/// low:high for each axis with commas between them.
BoostingProblem problem_of_density(const std::string& density,
                                   const std::optional<std::string>& reference,
                                   std::uint64_t samples, std::uint64_t seed,
                                   const std::vector<std::string>& regions);

/// P is the records of a private file, of which every fifth is kept for evaluation, unless there
/// are fewer than 50: then all serve for both, and p_text says so. Throws InvalidInput without any.
/// Q0 is uniform on the domain, or the smoothed records of a public file.
BoostingProblem problem_of_records(const std::string& data, const std::string& domain,
                                   const std::optional<std::string>& reference);

}  // namespace mollify::cli
