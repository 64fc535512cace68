#include "marginals/marginal_error.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accounting/monotone_search.h"
#include "marginals/private_bins.h"
#include "marginals/second_measurement.h"

namespace mollify {
namespace {

/// How many of the measurements of pairs count as measurements of columns, shared among them.
constexpr double kTellOfColumns = 0.5;
/// How much of a pair's noise in so many groups of either column counts.
struct Margin {
  double noise;
  double groups;
};
/// Found by releases of tables of thirteen kinds (docs/measured/marginals.md).
constexpr Margin kUsual{0.85, 4};
constexpr Margin kAtWorst{1, 9};
constexpr double kOfModel = 0.06;
constexpr double kOfChance = 0.5;
constexpr double kOfCopulaNoise = 1.5;
constexpr double kOfCopula = 0.09;
/// Numbers of groups for people: few, some, many.
constexpr std::array<std::uint32_t, 3> kGroups = {2, 4, 9};
constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40U;

/// E|noise| over the noise's standard deviation.
double mean_size(const MarginalBudget& budget) {
  return budget.notion() == PrivacyNotion::kPure ? 0.7071067811865476 : 0.7978845608028654;
}

/// What all measurements together leave of a column's deviation.
double column_deviation(const MarginalDesign& design, const MarginalBudget& budget,
                        double total_weight) {
  const auto precision = [&](double parts) {
    const double deviation = budget.deviation(std::max(1U, static_cast<std::uint32_t>(parts)));
    return 1 / (deviation * deviation);
  };
  const auto columns = static_cast<double>(design.request.columns.size());
  double all = precision(design.column_parts);
  const std::uint32_t again = second_column_parts(design, total_weight);
  if (again > 0) all += precision(again);
  if (columns > 1 && !design.request.copula) {
    const double edges = columns - 1;
    const double left = MarginalBudget::kParts -
                        (static_cast<double>(design.column_parts) + again) * columns -
                        design.tree_choice_parts * edges - design.tree_parts -
                        static_cast<double>(design.all_cut_parts());
    const double rounds = std::max(0.0, left / (design.round_parts + design.choice_parts));
    all += kTellOfColumns / columns *
           (edges * precision(design.tree_parts / edges) + rounds * precision(design.round_parts));
  }
  return 1 / std::sqrt(all);
}

MarginalDistance summary_of(const std::vector<double>& distances) {
  MarginalDistance found;
  for (const double distance : distances) {
    found.mean += distance / static_cast<double>(distances.size());
    found.worst = std::max(found.worst, distance);
  }
  return found;
}

}  // namespace

MarginalError marginal_error(const MarginalDesign& design, std::uint64_t records) {
  const MarginalRequest& request = design.request;
  const MarginalBudget budget(request.budget, request.unit, design.amount);
  const double rows = static_cast<double>(std::max<std::uint64_t>(records, 1)) *
                      static_cast<double>(request.unit.weight);
  const auto distance = [&](double deviation, double cells) {
    return std::min(1.0, mean_size(budget) * deviation * cells / (2 * rows));
  };
  const double deviation = column_deviation(design, budget, rows);
  std::vector<double> of_columns;
  for (const MarginalColumn& column : request.columns) {
    const double cells = counted_cells(column);
    of_columns.push_back(distance(deviation, std::sqrt(cells * (cells - 1))));
  }
  MarginalError error{.columns = summary_of(of_columns), .usual = 0, .at_worst = 0, .seen = {}};
  // Noise of deviation t moves the mean product of two ranks in [-1, 1], and so a density of two
  // normals by t pi times the product of these, which is 1 / pi of total variation.
  const double joined =
      request.copula && design.product_parts > 0
          ? mean_size(budget) *
                budget.deviation_of(budget.product_noise(
                    design.product_parts, request.columns.size(), design.score_steps)) /
                (static_cast<double>(design.score_steps * design.score_steps) * rows)
          : 0;
  const double of_round = request.copula ? 0 : budget.deviation(std::max(1U, design.round_parts));
  const auto cells = [&](std::size_t column) -> double {
    return counted_cells(request.columns[column]);
  };
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < of_columns.size(); ++i) {
    for (std::size_t j = i + 1; j < of_columns.size(); ++j, ++pairs) {
      const double noise =
          of_columns[i] * of_columns[i] + of_columns[j] * of_columns[j] + joined * joined;
      if (request.copula) {
        error.usual += std::min(
            1.0, std::sqrt(kOfCopulaNoise * kOfCopulaNoise * noise + kOfCopula * kOfCopula));
        continue;
      }
      const double chance =
          cells(i) * cells(j) / static_cast<double>(std::max<std::uint64_t>(records, 1));
      const auto with = [&](const Margin& margin) {
        const double in_groups = distance(
            of_round, std::min(margin.groups, cells(i)) * std::min(margin.groups, cells(j)));
        return std::min(1.0, std::sqrt(noise + margin.noise * margin.noise * in_groups +
                                       kOfModel * kOfModel + kOfChance * kOfChance * chance));
      };
      error.usual += with(kUsual);
      error.at_worst += with(kAtWorst);
    }
  }
  if (pairs == 0) return error;
  error.usual /= static_cast<double>(pairs);
  error.at_worst /= static_cast<double>(pairs);
  if (request.copula) return error;
  for (const std::uint32_t one : kGroups) {
    error.seen.push_back({one, distance(of_round, static_cast<double>(one) * one)});
  }
  return error;
}

MarginalError noise_in_records(const MarginalDesign& design) {
  MarginalError error = marginal_error(design, kMostRecords);
  const auto records = static_cast<double>(kMostRecords);
  error.columns.mean *= records;
  error.columns.worst *= records;
  error.usual = error.at_worst = 0;
  for (MarginalError::Seen& one : error.seen) one.distance *= records;
  return error;
}

double counts_noise(const MarginalDesign& design, double deviation, double cells) {
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  return mean_size(budget) * deviation * cells /
         (2 * static_cast<double>(design.request.unit.weight));
}

std::optional<std::uint64_t> records_to_halve(const MarginalDesign& design, std::uint64_t records) {
  const double half = marginal_error(design, records).columns.mean / 2;
  if (half == 0) return std::nullopt;
  return least_whole(records, kMostRecords, [&](std::uint64_t more) {
    return marginal_error(design, more).columns.mean <= half;
  });
}

}  // namespace mollify
