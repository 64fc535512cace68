#include "marginals/marginal_design.h"

#include <algorithm>

#include <fmt/format.h>

#include "accounting/adaptive_gaussian.h"
#include "accounting/counted.h"
#include "kernel/core/invalid_input.h"
#include "marginals/pair_counts.h"
#include "marginals/private_bins.h"
#include "marginals/second_measurement.h"

namespace mollify {
namespace {

constexpr std::size_t kMostColumns = 100;
constexpr std::size_t kMostRounds = 120;
constexpr std::uint32_t kMostColumnCells = 65536;
constexpr std::uint64_t kModelCells = 100'000;
/// The finest rank scores of a copula; where the kernel's noise reaches no further, coarser ones.
constexpr std::uint64_t kMostScoreSteps = 64;
constexpr std::uint64_t kLeastScoreSteps = 4;

void require_columns_of(const MarginalRequest& request) {
  if (request.columns.empty() || request.columns.size() > kMostColumns) {
    throw InvalidInput(fmt::format("family marginals takes from 1 to {} columns, but there are {}",
                                   kMostColumns, request.columns.size()));
  }
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    const std::uint32_t size = request.columns[i].size;
    sizes.push_back(counted_cells(request.columns[i]));
    if (request.copula && size > 2 && !request.columns[i].ordered) {
      throw InvalidInput(fmt::format(
          "a copula takes numbers, ordered columns and columns of two values, but column {} of "
          "the domain has {} values in no order",
          i + 1, size));
    }
    if (size >= 1 && size <= kMostColumnCells) continue;
    throw InvalidInput(
        fmt::format("family marginals takes columns of at most {} values, bins and nulls counted, "
                    "but column {} of the domain has {}: declare bins or edges there",
                    kMostColumnCells, i + 1, size));
  }
  if (const std::uint64_t cells = PairCounts::cells(sizes); cells > PairCounts::kMostCells) {
    throw InvalidInput(
        fmt::format("family marginals takes at most {} cells of all pairs of columns together, but "
                    "there are {}: declare fewer bins in the domain",
                    PairCounts::kMostCells, cells));
  }
}

std::uint32_t share_of_parts(double share, std::size_t among) {
  const double parts = share * MarginalBudget::kParts / static_cast<double>(among);
  return std::max(1U, static_cast<std::uint32_t>(parts));
}

/// A level of each column of private bins.
std::size_t levels_of_bins(const MarginalRequest& request) {
  const auto& columns = request.columns;
  return kBinLevels * static_cast<std::size_t>(
                          std::count_if(columns.begin(), columns.end(),
                                        [](const auto& column) { return column.private_bins; }));
}

/// The finest scores whose products have noise that the kernel draws.
std::uint64_t steps_that_are_drawn(const MarginalBudget& budget, std::uint32_t parts,
                                   std::size_t columns) {
  for (std::uint64_t steps = kMostScoreSteps;; steps /= 2) {
    try {
      static_cast<void>(budget.product_noise(parts, columns, steps));
      return steps;
    } catch (const InvalidInput&) {
      if (steps == kLeastScoreSteps) throw;
    }
  }
}

std::string why_of(const MarginalDesign& design) {
  const bool one = design.request.columns.size() == 1;
  // A column's counts are those of all records, so few beside the noise tell nothing.
  constexpr double kNoisy = 10;
  const auto& records = design.request.records;
  const std::string warning =
      records && static_cast<double>(*records) < kNoisy * design.column_deviation
          ? fmt::format("; beside {} in all that is mostly noise", *records)
          : "";
  const std::size_t cut = levels_of_bins(design.request) / kBinLevels;
  const std::string bins =
      cut > 0 ? fmt::format("bins of {} found privately for {:.3g} of the budget; ",
                            counted(cut, "column"),
                            static_cast<double>(design.all_cut_parts()) / MarginalBudget::kParts)
              : "";
  return bins +
         fmt::format(
             "counts of {} {} with noise of standard deviation {:.3g} records each{}; all released "
             "rows are drawn from one model of these counts and share its noise{}",
             design.request.columns.size(), one ? "column" : "columns", design.column_deviation,
             one                     ? ""
             : design.request.copula ? ", then the rank correlations of all pairs of columns"
                                     : ", then of the pairs of columns that depend on each other "
                                       "most",
             warning);
}

}  // namespace

std::uint64_t MarginalDesign::all_cut_parts() const { return cut_parts * levels_of_bins(request); }

MarginalDesign design_marginals(const MarginalRequest& request, std::optional<double> amount) {
  require_columns_of(request);
  const MarginalBudget budget(request.budget, request.unit, amount);
  MarginalDesign design;
  design.request = request;
  design.amount = budget.amount();
  design.guarantee = request.budget;
  const std::size_t columns = request.columns.size();
  if (const std::size_t levels = levels_of_bins(request); levels > 0) {
    design.cut_parts = share_of_parts(0.10, levels);
  }
  if (columns == 1) {
    design.column_parts =
        MarginalBudget::kParts - static_cast<std::uint32_t>(design.all_cut_parts());
  } else if (request.copula) {
    // Noise of columns of a dozen cells is some four times that of what joins them, so this leaves
    // least of both together (marginal_error.h).
    design.column_parts = share_of_parts(0.75, columns);
    design.product_parts = MarginalBudget::kParts -
                           static_cast<std::uint32_t>(design.all_cut_parts()) -
                           design.column_parts * static_cast<std::uint32_t>(columns);
    design.score_steps = steps_that_are_drawn(budget, design.product_parts, columns);
  } else {
    const std::size_t edges = columns - 1;
    // Of what was tried on three real tables this came nearest at epsilon 0.1 to 5
    // (docs/measured/marginals.md); no data of a release decides any of it.
    const std::size_t rounds = std::min(columns * 7 / 2, kMostRounds);
    design.column_parts = share_of_parts(0.20, columns);
    design.tree_choice_parts = share_of_parts(0.03, edges);
    design.tree_parts = share_of_parts(0.15, 1);
    design.choice_parts = share_of_parts(0.12, rounds);
    design.round_parts = share_of_parts(0.50, rounds);
    design.model_cells = kModelCells;
  }
  design.column_noise = budget.noise(design.column_parts);
  design.column_deviation =
      budget.deviation(design.column_parts) / static_cast<double>(request.unit.weight);
  design.why = why_of(design);
  return design;
}

void check_marginal_design(const MarginalDesign& design) {
  const Privacy& promised = design.guarantee;
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  const bool keeps = [&] {
    switch (promised.notion) {
      case PrivacyNotion::kPure:
        return design.amount <= promised.epsilon;
      case PrivacyNotion::kApproximate:
        return adaptive_gaussian_delta_up(design.amount, promised.epsilon) <= promised.delta;
      default:
        return promised.notion == PrivacyNotion::kConcentrated && design.amount <= promised.rho;
    }
  }();
  const std::uint64_t edges = design.request.columns.size() - 1;
  const auto again = static_cast<std::uint64_t>(kMostSecondMeasurement * design.column_parts);
  const bool twice = edges > 0 && !design.request.copula;
  const std::uint64_t planned = (design.column_parts + (twice ? again : 0)) * (edges + 1) +
                                design.tree_choice_parts * edges + design.tree_parts +
                                design.product_parts + design.all_cut_parts();
  if (!keeps || planned > MarginalBudget::kParts ||
      !(budget.noise(design.column_parts) == design.column_noise)) {
    throw InvalidInput("the parts of a design by marginals must keep its guarantee, but do not");
  }
}

}  // namespace mollify
