// From released records and their certificate to the distribution of the population.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/names.h"
#include "estimate/confidence_interval.h"
#include "estimate/released_law.h"
#include "records/empirical.h"

namespace mollify {

/// How masses below zero, which unbiased estimates have, are dealt with.
enum class EstimateMethod {
  kUnbiased,           ///< they stay: sums and means of the estimates stay unbiased
  kSimplex,            ///< the nearest distribution (projected_on_simplex)
  kMaximumLikelihood,  ///< the likeliest distribution (maximum_likelihood)
};

constexpr auto names_of(EstimateMethod) {
  return std::array{Named{EstimateMethod::kUnbiased, "unbiased"},
                    Named{EstimateMethod::kSimplex, "simplex"},
                    Named{EstimateMethod::kMaximumLikelihood, "maximum-likelihood"}};
}

struct EstimateRequest {
  /// All intervals hold together with at least this probability: above 1/2, below 1.
  double confidence = 0.95;
  EstimateMethod method = EstimateMethod::kUnbiased;
  bool pairs = false;  ///< two-way tables of all pairs of columns too
};

/// The probability of an event, or a column's mean.
struct EstimatedValue {
  std::string name;  ///< the event's values: "f, 20..39"
  /// None where the mechanism does not determine it. The standard error is that of the unbiased
  /// estimate.
  std::optional<double> value{}, standard_error{};
  ConfidenceInterval interval{};  ///< inside what is possible
};

/// The joint distribution of some columns.
struct EstimatedTable {
  std::vector<std::string> columns;
  std::vector<EstimatedValue> cells;  ///< of every combination, the last column the fastest
};

/// The mean of a numeric column, its values counted as the middles of their cells and nulls not at
/// all.
struct EstimatedMean {
  EstimatedValue mean;   ///< its name is the column's
  double half_cell = 0;  ///< how far a value is from its cell's middle, at most
};

struct PopulationEstimate {
  std::string mechanism;
  bool is_linear = false;
  std::uint64_t records = 0;
  EstimateRequest request{};
  std::uint64_t intervals = 0;              ///< how many hold together
  EstimatedTable outcomes{};                ///< of all columns
  std::vector<EstimatedTable> marginals{};  ///< none of a single column: those are the outcomes
  std::vector<EstimatedMean> means{};
  std::vector<EstimatedTable> pairs{};
  /// Standard error of a frequency next to 0 here, and that of the best frequency oracle at the
  /// same epsilon and number of reports (subset_selection_variance); none where there is no
  /// epsilon.
  std::optional<double> standard_error_here{}, standard_error_oracle{};
  /// Of maximum likelihood: how far it is from the greatest, in nats.
  std::optional<double> likelihood_gap_up{};
  /// What there is to know about these numbers, in sentences.
  std::vector<std::string> notes{};
};

/// The population's distribution, of the released records counted by outcome of law.domain().
///
/// Linear mechanisms: unbiased, with the standard error sqrt(V / n). Intervals are exact (binomial)
/// for every event of randomized response, mixture and Gaussian curve, and empirical Bernstein's
/// for means and for the public kernel. Bands: the bounds that hold (band_bounds), and no estimate.
/// Other mechanisms of the central model: what a record's total variation leaves. The probability
/// of error is shared evenly by the tables of each kind, and by all intervals of a kind.
///
/// Throws InvalidInput for a number of records that no such release has, for a confidence that is
/// none, and for a method where there is no estimate. O(k) for each table; for the public kernel
/// O(k) for each cell, at most 2^34 in all.
[[nodiscard]] PopulationEstimate estimate_population(const ReleasedLaw& law,
                                                     const Empirical& released,
                                                     const EstimateRequest& request,
                                                     const std::string& name);

}  // namespace mollify
