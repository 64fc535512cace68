#include "methods/marginals/design.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "accounting/gaussian.h"
#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "kernel/noise.h"
#include "methods/graphical/table_model.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/private_bins.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// One privacy budget for many steps.

MarginalBudget::MarginalBudget(const Privacy& budget, UnitWeight unit, std::optional<double> amount)
    : notion_(budget.notion),
      amount_(amount ? *amount : adaptive_amount_down(budget, "marginals")),
      unit_(unit) {
  if (is_drawn()) return;
  const auto is_drawn_at = [this](std::uint64_t weight) {
    MarginalBudget lighter(*this);
    lighter.unit_.weight = weight;
    return lighter.is_drawn();
  };
  if (unit_.weight > 1 && is_drawn_at(1)) {
    const std::uint64_t most = halve_whole(1, unit_.weight, is_drawn_at);
    refuse_input(
        "out-of-range", "weight-step",
        {WayOut::set("weight-step"), WayOut::set("greatest-weight"), WayOut::set("epsilon")},
        quantities_of(static_cast<double>(unit_.weight), {.most = static_cast<double>(most)}),
        "a budget of {} must be one whose parts have noise that can be drawn, and {} has this for "
        "weights of at most {} steps, but the greatest weight has {}: give a greater {}, a smaller "
        "{} or a larger budget",
        method_words("marginals"), budget.text(), most, unit_.weight, flag_words("weight-step"),
        flag_words("greatest-weight"));
  }
  refuse_input("out-of-range", {},
               "a budget of {} must be one whose parts have noise that can be drawn, about epsilon "
               "0.001 to 1000, but is {}",
               method_words("marginals"), budget.text());
}

bool MarginalBudget::is_drawn() const {
  if (!(amount_ > 0) || std::isinf(amount_)) return false;
  try {
    // The least part has the most noise, the whole the least.
    for (const std::uint32_t parts : {std::uint32_t{1}, kParts}) {
      require_drawn(noise(parts));
      static_cast<void>(choice_rate(parts));
    }
  } catch (const InvalidInput&) {
    return false;
  }
  return true;
}

double MarginalBudget::part_down(std::uint32_t parts) const {
  // kParts is a power of two, so only the product is rounded.
  const double product = amount_ * parts;
  const double down =
      std::fma(amount_, parts, -product) < 0 ? std::nextafter(product, 0.0) : product;
  return down / kParts;
}

Ratio MarginalBudget::noise(std::uint32_t parts) const {
  return noise_of(parts, unit_.sum(), unit_.square(), 1);
}

Ratio MarginalBudget::product_noise(std::uint32_t parts, std::size_t columns,
                                    std::uint64_t steps) const {
  const ProductWeight product{unit_, columns};
  const Ratio noise = noise_of(parts, product.sum(), product.square(), steps * steps);
  require_drawn(noise);
  return noise;
}

Ratio MarginalBudget::distance_noise(std::uint32_t parts, std::uint64_t pairs) const {
  const DistanceWeight distance{unit_, pairs};
  const Ratio noise = noise_of(parts, distance.sum(), distance.square(), 1);
  require_drawn(noise);
  return noise;
}

void MarginalBudget::require_drawn(Ratio noise) const {
  if (notion_ == PrivacyNotion::kPure) {
    static_cast<void>(DiscreteLaplace(noise));
  } else {
    static_cast<void>(DiscreteGaussian(noise));
  }
}

/// Sensitivities times `scale`, a power of two, which rounds nothing.
Ratio MarginalBudget::noise_of(std::uint32_t parts, std::uint64_t sum, std::uint64_t square,
                               std::uint64_t scale) const {
  const double part = part_down(parts);
  const auto times = static_cast<double>(scale);
  switch (notion_) {
    case PrivacyNotion::kPure:
      return Ratio::at_least("scale", times * div_up(integer_up(sum), part));
    case PrivacyNotion::kConcentrated:
      return Ratio::at_least("variance", times * times * div_up(integer_up(square), 2 * part));
    case PrivacyNotion::kApproximate:
    case PrivacyNotion::kGaussian:
      break;
  }
  return Ratio::at_least("variance",
                         add_up(times * times * div_up(integer_up(square), part), kLatticePart));
}

Ratio MarginalBudget::choice_rate(std::uint32_t parts) const {
  constexpr double kPiUp = 3.1415926535897936;
  const double part = part_down(parts);
  const double distance = integer_up(unit_.sum());
  // 1/eta, rounded up: turned over, it is eta rounded down.
  const double inverse = [&] {
    switch (notion_) {
      case PrivacyNotion::kPure:
        return div_up(2 * distance, part);
      case PrivacyNotion::kConcentrated:
        return div_up(distance, sqrt_down(2 * part));
      case PrivacyNotion::kApproximate:
      case PrivacyNotion::kGaussian:
        break;
    }
    // (pi/8) (2 Delta eta)^2 = (pi/2) Delta^2 eta^2.
    return div_up(distance, sqrt_down(div_down(2 * part, kPiUp)));
  }();
  const Ratio turned = Ratio::at_least({"the inverse of a rate", ""}, inverse);
  return {turned.denominator, turned.numerator};
}

double MarginalBudget::deviation_of(Ratio ratio) const {
  const double value =
      static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
  return notion_ == PrivacyNotion::kPure ? std::sqrt(2.0) * value : std::sqrt(value);
}

std::uint32_t PartsLeft::take(std::uint32_t parts) {
  if (parts < 1 || parts > left_) {
    throw std::logic_error("a step of a private mechanism was not paid for");
  }
  left_ -= parts;
  return parts;
}

// -----------------------------------------------------------------------------------------------
// Whether columns are measured once more.

std::uint32_t second_column_parts(const MarginalDesign& design, double total_weight) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  const std::size_t asked = design.request.asked();
  if (asked < 2 || design.request.copula) return 0;
  double cells = 0;
  for (const MarginalColumn& column : columns) {
    if (!column.follows) cells += counted_cells(column);
  }
  cells /= static_cast<double>(asked);
  const double deviation =
      design.column_deviation * static_cast<double>(design.request.unit.weight);
  // Noise adds some 0.8 deviations a cell to a sum of distances, twice the total variation.
  const double noise = 0.4 * deviation * cells / total_weight;
  // Also of weights that are no numbers.
  const double times = std::min(kMostSecondMeasurement, 40 * noise);
  return times < 0.1 ? 0 : static_cast<std::uint32_t>(times * design.column_parts);
}

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a table's marginals.

namespace {

constexpr std::size_t kMostRounds = 120;
/// The finest rank scores of a copula; where the kernel's noise reaches no further, coarser ones.
constexpr std::uint64_t kMostScoreSteps = 64;
constexpr std::uint64_t kLeastScoreSteps = 4;

void require_columns_of(const MarginalRequest& request) {
  refuse_if(request.columns.empty() || request.columns.size() > kMostColumnsOfATable,
            "too-many-columns", {}, "{} takes from 1 to {} columns, but there are {}",
            method_words("marginals"), kMostColumnsOfATable, request.columns.size());
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    const std::uint32_t size = request.columns[i].size;
    sizes.push_back(counted_cells(request.columns[i]));
    if (request.copula && size > 2 && !request.columns[i].ordered) {
      refuse_input("not-for-this-domain", "copula", {WayOut::leave("copula")},
                   "a copula takes numbers, ordered columns and columns of two values, but column "
                   "{} of the domain has {} values in no order",
                   i + 1, size);
    }
    if (size >= 1 && size <= kMostColumnCells) continue;
    refuse_input("too-many-outcomes", "domain", {WayOut::declare("bins"), WayOut::declare("edges")},
                 "{} takes columns of at most {} values, bins and nulls counted, but column {} of "
                 "the domain has {}: declare bins or edges there",
                 method_words("marginals"), kMostColumnCells, i + 1, size);
  }
  if (!PairCounts::are_few(sizes)) {
    refuse_input("too-much-work", "domain", {WayOut::declare("bins")},
                 "{} takes at most {} cells of all pairs of columns together, but there are {}: "
                 "give columns fewer values",
                 method_words("marginals"), PairCounts::kMostCells, PairCounts::cells(sizes));
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

/// Parts for the error of rows, whose noise is then some tenth of the errors that tables of this
/// size had (docs/evidence/tables.md), and half as many for independent columns; none if the kernel
/// does not draw the noise.
std::uint32_t parts_of_error(const MarginalRequest& request, const MarginalBudget& budget) {
  constexpr double kLeast = 0.015;
  if (request.pairs() == 0) return 0;
  // Private bins and columns that are measured once more leave no more.
  const double most = levels_of_bins(request) > 0 ? 0.025 : 0.075;
  const bool pure = budget.notion() == PrivacyNotion::kPure;
  double share = std::min(pure ? 0.06 : 0.0375, most);
  if (request.records) {
    const double weight =
        static_cast<double>(*request.records) * static_cast<double>(request.unit.weight);
    // Of the mean total variation, if all of the budget paid for it.
    const double deviation =
        budget.deviation(MarginalBudget::kParts) *
        std::sqrt(static_cast<double>(request.unit.sum()) /
                  static_cast<double>(pure ? request.unit.sum() : request.unit.weight)) /
        (2 * weight);
    share = std::clamp((pure ? 450 : 75) * deviation, kLeast, most);
  }
  const std::uint32_t parts = share_of_parts(share, 1);
  try {
    static_cast<void>(budget.distance_noise(parts / 3, request.pairs()));
  } catch (const InvalidInput&) {
    return 0;
  }
  return parts;
}

std::string why_of(const MarginalDesign& design) {
  const bool one = design.request.asked() == 1;
  // A column counts all records, so few of them next to the noise show nothing.
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
             "counts of {} {} with noise of standard deviation {:.3g} {} each{}; all released "
             "rows are drawn from one model of these counts and share its noise{}",
             design.request.asked(), one ? "column" : "columns",
             design.request.told(design.column_deviation),
             design.request.greatest_weight > 0 ? "in weight" : "records",
             one                     ? ""
             : design.request.copula ? ", then the rank correlations of all pairs of columns"
                                     : ", then of the pairs of columns that depend on each other "
                                       "most",
             warning);
}

}  // namespace

std::uint64_t MarginalDesign::all_cut_parts() const { return cut_parts * levels_of_bins(request); }

namespace {

std::uint32_t sixths_of_questions(const MarginalRequest& request) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(request.questions.size(), 3));
}

}  // namespace

std::uint32_t parts_of_questions(const MarginalRequest& request, std::uint32_t left) {
  return left / 6 * sixths_of_questions(request);
}

MarginalDesign design_marginals(const MarginalRequest& request, std::optional<double> amount) {
  require_columns_of(request);
  const MarginalBudget budget(request.budget, request.unit, amount);
  MarginalDesign design;
  design.request = request;
  design.amount = budget.amount();
  design.guarantee = request.budget;
  const std::size_t columns = request.asked();
  if (const std::size_t levels = levels_of_bins(request); levels > 0) {
    design.cut_parts = share_of_parts(0.10, levels);
  }
  design.error_parts = parts_of_error(request, budget);
  if (columns == 1) {
    design.column_parts =
        MarginalBudget::kParts - static_cast<std::uint32_t>(design.all_cut_parts());
  } else if (request.copula) {
    // Noise of columns of a dozen cells is some four times the noise of their pairs, so this leaves
    // least of both together.
    design.column_parts = share_of_parts(0.75, columns);
    design.product_parts = design.parts_of_model() -
                           static_cast<std::uint32_t>(design.all_cut_parts()) -
                           design.column_parts * static_cast<std::uint32_t>(columns);
    design.score_steps = steps_that_are_drawn(budget, design.product_parts, columns);
  } else {
    const std::size_t edges = columns - 1;
    // Of what was tried on three real tables this came nearest at epsilon 0.1 to 5
    // (docs/evidence/tables.md); no data of a release decides any of it.
    const std::size_t rounds = std::min(columns * 7 / 2, kMostRounds);
    // Questions take their parts from those of all other pairs.
    constexpr double kColumns = 0.20;
    const double error = static_cast<double>(design.error_parts) / MarginalBudget::kParts;
    const double others = (1 - sixths_of_questions(request) / 6.0) * (1 - error / (1 - kColumns));
    design.column_parts = share_of_parts(kColumns, columns);
    design.tree_choice_parts = share_of_parts(0.03 * others, edges);
    design.tree_parts = share_of_parts(0.15 * others, 1);
    design.choice_parts = share_of_parts(0.12 * others, rounds);
    design.round_parts = share_of_parts(0.50 * others, rounds);
    design.model_cells = model_cells_of(columns);
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
      case PrivacyNotion::kConcentrated:
        return design.amount <= promised.rho;
      case PrivacyNotion::kGaussian:
        break;
    }
    return false;
  }();
  const std::uint64_t edges = design.request.asked() - 1;
  const auto again = static_cast<std::uint64_t>(kMostSecondMeasurement * design.column_parts);
  const bool twice = edges > 0 && !design.request.copula;
  const std::uint64_t planned = (design.column_parts + (twice ? again : 0)) * (edges + 1) +
                                design.tree_choice_parts * edges + design.tree_parts +
                                design.product_parts + design.error_parts + design.all_cut_parts();
  refuse_if(!keeps || planned > MarginalBudget::kParts ||
                !(budget.noise(design.column_parts) == design.column_noise),
            "certificate-altered", {},
            "the parts of a design by marginals must keep its guarantee, but do not");
}

// -----------------------------------------------------------------------------------------------
// How far rows are expected to be from their table.

namespace {

/// How many of the measurements of pairs count as measurements of columns, shared among them.
constexpr double kTellOfColumns = 0.5;
/// How much of a pair's noise in this many groups of either column counts: found by releases of
/// tables of seventeen kinds (docs/evidence/tables.md).
constexpr double kSeenNoise = 0.85;
constexpr double kSeenGroups = 4;
constexpr double kOfModel = 0.06;
constexpr double kOfChance = 0.5;
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
  const auto columns = static_cast<double>(design.request.asked());
  double all = precision(design.column_parts);
  const std::uint32_t again = second_column_parts(design, total_weight);
  if (again > 0) all += precision(again);
  if (columns > 1 && !design.request.copula) {
    const double edges = columns - 1;
    const double left = design.parts_of_model() -
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
  MarginalError error{.columns = summary_of(of_columns), .least = 0, .most = 0, .seen = {}};
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
  const auto chance = [&](double of_cells) {
    return kOfChance * kOfChance * of_cells /
           static_cast<double>(std::max<std::uint64_t>(records, 1));
  };
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < of_columns.size(); ++i) {
    for (std::size_t j = i + 1; j < of_columns.size(); ++j, ++pairs) {
      const double noise =
          of_columns[i] * of_columns[i] + of_columns[j] * of_columns[j] + joined * joined;
      const double in_groups = request.copula
                                   ? 0
                                   : distance(of_round, std::min(kSeenGroups, cells(i)) *
                                                            std::min(kSeenGroups, cells(j)));
      const double k = request.columns[i].size;
      const double l = request.columns[j].size;
      const double all = 1 - 1 / std::max(1.0, std::min(k, l));
      const bool is_hidden = request.copula || cells(i) < k || cells(j) < l;
      const double hidden = is_hidden ? all : std::min(all, distance(of_round, k * l));
      const double unseen = std::max(hidden, kSeenNoise * kSeenNoise * in_groups);
      error.least += std::min(1.0, std::sqrt(noise));
      error.most += std::min(1.0, std::sqrt(noise + unseen + kOfModel * kOfModel + chance(k * l)));
    }
  }
  if (pairs == 0) return error;
  error.least /= static_cast<double>(pairs);
  error.most /= static_cast<double>(pairs);
  if (request.copula) return error;
  for (const std::uint32_t one : kGroups) {
    error.seen.push_back({one, distance(of_round, static_cast<double>(one) * one)});
  }
  return error;
}

std::optional<double> MarginalError::first_dependence(std::uint64_t records) const {
  for (const Seen& one : seen) {
    if (one.groups != kSeenGroups || !(one.distance < 1)) continue;
    return std::ceil(static_cast<double>(records) * one.distance / kFirstDependence);
  }
  return std::nullopt;
}

MarginalError noise_in_records(const MarginalDesign& design) {
  MarginalError error = marginal_error(design, kMostRecords);
  const auto records = static_cast<double>(kMostRecords);
  error.columns.mean *= records;
  error.columns.worst *= records;
  error.least = error.most = 0;
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
