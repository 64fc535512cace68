#include "mollify/local/band_tuning.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mollify/divergence/worst_case_risk.h"
#include "mollify/kernel/exp_bound.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {
namespace {

constexpr std::array<double DivergenceReport::*, 4> kDivergences = {
    &DivergenceReport::kl, &DivergenceReport::tv, &DivergenceReport::hellinger2,
    &DivergenceReport::chi2};

}  // namespace

std::vector<BandChoice> usual_band_choices(double epsilon, const DeclaredBounds& bounds) {
  std::vector<BandChoice> choices;
  if (bounds.c2) choices.push_back({.kind = BandChoice::Kind::kMinimax});
  choices.push_back({.kind = BandChoice::Kind::kRelative});
  // As few decimals as tell the choices apart, so that people can copy them.
  const double width = -std::expm1(-ExpBound(epsilon).epsilon());
  const double resolution = std::pow(10, std::ceil(-std::log10(width)) + 3);
  for (const double part : {0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95}) {
    choices.push_back(
        {.kind = BandChoice::Kind::kLocation,
         .location =
             std::round(std::exp(-ExpBound(epsilon).epsilon() * part) * resolution) / resolution});
  }
  return choices;
}

BandTuning::BandTuning(std::size_t outcome_count, std::span<const double> reference, double epsilon,
                       const DeclaredBounds& bounds, std::span<const BandChoice> choices)
    : example_(outcome_count), law_(outcome_count) {
  for (const BandChoice& choice : choices) {
    const bool minimax = choice.kind == BandChoice::Kind::kMinimax;
    const double floor =
        minimax ? floor_of(choice, epsilon, bounds.c1, bounds.c2) : floor_of(choice, epsilon);
    bands_.push_back(Band::make({.outcome_count = outcome_count,
                                 .reference = reference,
                                 .floor = floor,
                                 .epsilon = epsilon}));
    BandTrial& trial = sums_.emplace_back();
    trial.choice = choice;
    trial.floor = floor;
    if (!bounds.c2) continue;
    const DensityClass inputs{bounds.c1.value_or(0), *bounds.c2};
    trial.worst_case = worst_case_risk(LocationBand{floor, inputs},
                                       ReferenceMasses::uniform(outcome_count), epsilon)
                           .risk;
  }
}

void BandTuning::add(std::span<const float> masses) {
  if (masses.size() != example_.size()) {
    throw InvalidInput(
        fmt::format("an example must have {} masses, but has {}", example_.size(), masses.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    example_[i] = std::isfinite(masses[i]) && masses[i] > 0 ? static_cast<double>(masses[i]) : 0;
    sum += example_[i];
  }
  if (!(sum > 0)) return;
  for (double& mass : example_) mass /= sum;
  ++examples_;
  for (std::size_t j = 0; j < bands_.size(); ++j) {
    const Table table(bands_[j], example_);
    const auto total = static_cast<double>(bands_[j].total());
    std::transform(table.numerators().begin(), table.numerators().end(), law_.begin(),
                   [&](std::uint64_t n) { return static_cast<double>(n) / total; });
    const DivergenceReport found = divergence_report(example_, law_);
    for (const auto divergence : kDivergences) {
      sums_[j].mean.*divergence += found.*divergence;
      sums_[j].worst.*divergence = std::max(sums_[j].worst.*divergence, found.*divergence);
    }
  }
}

std::vector<BandTrial> BandTuning::trials() const {
  std::vector<BandTrial> trials = sums_;
  for (BandTrial& trial : trials) {
    for (const auto divergence : kDivergences) {
      trial.mean.*divergence /= static_cast<double>(examples_);
    }
  }
  return trials;
}

}  // namespace mollify
