// The collector's side: what released records tell of the population.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mollify/domain.h"
#include "mollify/namespace.h"
#include "mollify/release.h"

namespace MOLLIFY_NAMESPACE {

struct EstimateOptions {
  /// All intervals hold together with at least this probability: above 0.5, below 1.
  double confidence = 0.95;
  /// "unbiased", "simplex" (the nearest distribution) or "maximum-likelihood".
  std::string method = "unbiased";
  bool pairs = false;  ///< two-way tables of all pairs of columns too
};

/// A probability or a mean, and an interval for it.
struct EstimatedValue {
  std::string name;  ///< the values of an outcome, "f, 20..39", or a mean's column
  /// None where the mechanism does not determine it: then only the interval holds.
  std::optional<double> value{};
  std::optional<double> standard_error{};
  double lower = 0;
  double upper = 1;
};

/// The joint distribution of some columns: a cell for every combination of their values, the last
/// column's the fastest.
struct EstimatedTable {
  std::vector<std::string> columns;
  std::vector<EstimatedValue> cells;
};

struct Estimate {
  std::string mechanism;
  bool is_linear = false;                   ///< whether there are estimates, and not only bounds
  std::uint64_t records = 0;                ///< that were released
  EstimatedTable outcomes{};                ///< of all columns
  std::vector<EstimatedTable> marginals{};  ///< of each column, where there are several
  std::vector<EstimatedValue> means{};      ///< of each numeric column, by its cells' middles
  std::vector<EstimatedTable> pairs{};      ///< if asked for
  std::vector<std::string> notes{};         ///< what there is to know, in sentences
  std::string json;                         ///< all of it, as `mollify estimate --json` prints it
  std::string text;                         ///< the greatest, as it prints them without
};

/// The distribution of the population that `released` was drawn from, by its certificate and
/// nothing else: no private data is read. Unbiased, with exact intervals for the probabilities, for
/// randomized response, mixture and the Gaussian curve, shuffled or not; for a band, what bounds
/// hold (docs/guide/estimation.md). Released values are mapped as the domain declares.
///
/// Throws InvalidInput for a certificate that does not hold, a domain or a number of records that
/// is not the release's, and a release of which there is nothing to estimate: Gaussian samples,
/// candidates, a support that was found privately.
[[nodiscard]] Estimate estimate(const Certificate& certificate, const Domain& domain,
                                const Source& released, const EstimateOptions& options = {});

}  // namespace MOLLIFY_NAMESPACE
