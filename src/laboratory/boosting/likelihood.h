// What boosting reaches, how well a density finds P, and boosted densities in files.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/candidates.h"
#include "laboratory/law/discrete_law.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Draws from a measure and cells of a grid as classifiers read them.

/// `count` independent points of the measure, rounded to single precision: samples of a known P, a
/// pool for `boost` that is public by its seed, or what a normaliser is averaged over.
[[nodiscard]] Points measure_sample(const Measure& measure, std::size_t count,
                                    SeededRandom& random);

/// The middles of all cells of a grid, in the order of the cells.
[[nodiscard]] Points cell_centres(const Grid& grid);

// -----------------------------------------------------------------------------------------------
// Boosting by classifiers that know everything.

/// Q_T's cell masses where each classifier's logit is log P/Q_(t-1) itself: what boosting would
/// reach if learning had no error. P's and Q0's masses of the same cells; where P has none c is its
/// least value. Throws InvalidInput as BoostedDensity does and if sizes differ. O(T k).
[[nodiscard]] std::vector<double> perfectly_boosted(std::span<const double> p,
                                                    std::span<const double> reference,
                                                    const BoostingSpec& spec,
                                                    std::size_t iterations = 3);

// -----------------------------------------------------------------------------------------------
// How well a density finds what another distribution produces.

/// An estimate and its standard error, in the same units.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

/// -E_P log Q, estimated from log Q at independent samples of P, with its standard error. Throws
/// InvalidInput below two samples.
[[nodiscard]] Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p);

/// Mode coverage, estimated from q at independent samples of P and of Q: any increasing
/// function of the density does, its logarithm for instance. The standard error is that of the
/// share of P above the threshold, and half of how P's share changes as the threshold moves by one
/// standard error of its level either way, added in squares. Throws InvalidInput without samples of
/// P, below two of Q, or if level is not in (0, 1). O(n log n).
[[nodiscard]] Estimate mode_coverage_of_samples(std::span<const double> q_at_samples_of_p,
                                                std::span<const double> q_at_samples_of_q,
                                                double level = kCoverageLevel);

// -----------------------------------------------------------------------------------------------
// Boosted densities in files.

/// The text of a model, JSON, format "mollify boosted density", version 1; docs/guide/boosting.md
/// describes it. A model is learned from private data and is private data, and the text says so.
/// Numbers are written so that they are read back as the same numbers; NaN and infinities as texts.
/// Throws InvalidInput for a classifier of another kind than networks, trees and logistic models.
[[nodiscard]] std::string boosted_model_json(const BoostedDensity& density);

/// The reverse; `name` is the file's, for messages. Throws InvalidInput, in one sentence, for
/// anything that is not such a model, unknown versions included.
[[nodiscard]] BoostedDensity boosted_model_from_json(std::string_view text,
                                                     const std::string& name);

}  // namespace mollify
