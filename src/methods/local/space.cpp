#include "methods/local/space.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "base/speech.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "measures/measure.h"
#include "scores/boosting.h"
#include "scores/kernels.h"
#include "scores/mixtures.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The scorers that a user can choose, by name.

namespace {

template <class Of>
std::unique_ptr<Scorer> scorer_of(const MixedPoints& candidates, double) {
  return std::make_unique<Of>(candidates);
}

constexpr ScorerRow kScorers[] = {
    {.kind = ScorerKind::kKernel,
     .estimates = "density by a product of kernels: Gaussian, Aitchison–Aitken, Wang–van Ryzin; "
                  "bandwidths by Scott's rule, and for categories by the least squared error",
     .suits = "the default: some to many rows, mixed columns, no idea of the shape",
     .make = scorer_of<ProductKernelScorer>},
    {.kind = ScorerKind::kEmpirical,
     .estimates = "the rows themselves, each given to its nearest candidate",
     .suits = "finite spaces, or more rows than candidates",
     .counts_records = true,
     .make = scorer_of<EmpiricalScorer>},
    {.kind = ScorerKind::kHistogram,
     .estimates = "density by cells of all columns together, backed by each column's own where no "
                  "row has been",
     .suits = "one to three columns, or as the cheapest",
     .make = scorer_of<HistogramScorer>},
    {.kind = ScorerKind::kGaussianMixture,
     .estimates = "density by up to 8 Gaussians with full covariances, categories independent "
                  "inside each",
     .suits = "few rows and strong correlations between numbers, or clusters",
     .make = scorer_of<GaussianMixtureScorer>},
    {.kind = ScorerKind::kRatio,
     .estimates = "p/h itself, by a network that learns to tell rows from candidates, from 20 000 "
                  "samples of each unit",
     .suits = "many rows of one unit, many columns, a reference near the data; candidates only",
     .needs_candidates = true,
     .make = scorer_of<RatioScorer>},
    {.kind = ScorerKind::kBoosted,
     .estimates = "the boosted density of Husain et al., by three such networks of 10 000 samples; "
                  "inside the relative band, so that nothing is clipped",
     .suits = "to reproduce the papers: `ratio` uses the whole band; candidates only",
     .needs_candidates = true,
     .make = [](const MixedPoints& candidates, double epsilon) -> std::unique_ptr<Scorer> {
       return std::make_unique<BoostedScorer>(candidates, epsilon);
     }},
    {.kind = ScorerKind::kLikelihood,
     .estimates = "how likely the table is under each model",
     .suits = "method `integral-model`, and that alone"},
};
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(kScorers); ++i) {
        if (kScorers[i].kind != names<ScorerKind>()[i].value) return false;
        if (static_cast<std::size_t>(kScorers[i].kind) != i) return false;
      }
      return std::size(kScorers) == names<ScorerKind>().size();
    }(),
    "each scorer has a row, in the order of its names");

}  // namespace

const ScorerRow& row_of(ScorerKind kind) noexcept {
  return kScorers[static_cast<std::size_t>(kind)];
}

std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                    double epsilon) {
  return row_of(kind).make(candidates, epsilon);
}

// -----------------------------------------------------------------------------------------------
// What a local or integral release chooses from, made of public information.

namespace {

constexpr std::uint64_t kUsualCells = 65'536;

}  // namespace

ScorerKind usual_scorer(SpaceKind kind, Mechanism mechanism) noexcept {
  if (kind == SpaceKind::kModels) return ScorerKind::kLikelihood;
  const bool rows = kind == SpaceKind::kCategories || !is_band(mechanism);
  return rows ? ScorerKind::kEmpirical : ScorerKind::kKernel;
}

std::string smoothing_words(ScorerKind scorer) {
  if (row_of(scorer).counts_records || scorer == ScorerKind::kLikelihood) return "";
  return fmt::format(", plus what scorer {} smooths", name_of(scorer));
}

std::optional<CandidateList> candidate_list(SpaceKind kind, const SpaceSpec& spec) {
  if (kind != SpaceKind::kCandidates) return std::nullopt;
  if (spec.fresh) return CandidateList::kFresh;
  return spec.list ? CandidateList::kFile : CandidateList::kSeeded;
}

SpaceKind space_kind(const Domain& domain, const SpaceSpec& spec) {
  const bool list = spec.candidates || spec.fresh || spec.list ||
                    (spec.scorer && row_of(*spec.scorer).needs_candidates);
  if (spec.kind) return *spec.kind;
  if (list) return SpaceKind::kCandidates;
  return spec.cells ? SpaceKind::kGrid : chosen_space(domain);
}

Domain space_domain(const Domain& domain, const SpaceSpec& spec) {
  const SpaceKind kind = space_kind(domain, spec);
  require_space(domain, kind, spec.kind || !spec.cells ? "space" : "cells");
  const auto refuse = [&](bool given, std::string_view option, std::string_view flag,
                          SpaceKind owner) {
    if (!given || kind == owner) return;
    refuse_input("not-for-this-space", flag, {WayOut::leave(flag)},
                 "{} belongs to space {}, but the space is {}", words_of(Called(option, flag)),
                 name_of(owner), name_of(kind));
  };
  refuse(spec.cells.has_value(), "cells", "cells", SpaceKind::kGrid);
  refuse(spec.candidates.has_value() && kind != SpaceKind::kModels, "the number of candidates",
         "candidates", SpaceKind::kCandidates);
  refuse(spec.fresh, "a fresh list", "fresh", SpaceKind::kCandidates);
  refuse(spec.trees, "a list with trees", "trees", SpaceKind::kModels);
  refuse(spec.list.has_value(), "a file of candidates", "candidates-file", SpaceKind::kCandidates);
  if (spec.scorer && row_of(*spec.scorer).needs_candidates && kind != SpaceKind::kCandidates) {
    refuse_input("not-for-this-space", "score", {WayOut::set("space", "candidates")},
                 "score {} needs space candidates, but the space is {}", name_of(*spec.scorer),
                 name_of(kind));
  }
  if (spec.scorer && (*spec.scorer == ScorerKind::kLikelihood) != (kind == SpaceKind::kModels)) {
    refuse_input("not-for-this-method", "score", {WayOut::use("integral-model")},
                 "score likelihood is for {}, but {} goes with {}", method_words("integral-model"),
                 name_of(*spec.scorer), name_of(kind));
  }
  if (spec.list && (spec.candidates || spec.fresh)) {
    const char* const other = spec.fresh ? "fresh" : "candidates";
    refuse_input("contradicting-parameters", other,
                 {WayOut::leave(other), WayOut::leave("candidates-file")},
                 "a file of candidates holds the list, so it cannot be {}",
                 spec.fresh ? "a fresh list as well" : "told how many candidates there are");
  }
  return kind == SpaceKind::kGrid ? recut_domain(domain, spec.cells.value_or(kUsualCells)) : domain;
}

bool is_density(const std::optional<PublicFile>& reference) noexcept {
  return reference && reference->name.ends_with(".json");
}

Empirical counted_outcomes(std::span<const std::uint32_t> digits, const Domain& domain) {
  Tally<std::uint32_t> tally;
  const std::size_t columns = domain.columns().size();
  for (std::size_t begin = 0; begin < digits.size(); begin += columns) {
    std::uint32_t outcome = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      outcome = outcome * domain.columns()[i].size() + digits[begin + i];
    }
    tally.add(domain.outcome_at(outcome));
  }
  return Empirical(tally.take());
}

Empirical reference_counts(const PublicFile& reference, const Domain& space,
                           const PublicInputs& inputs) {
  if (!is_density(reference)) {
    return counted_outcomes(inputs.records(reference.name, space), space);
  }
  const std::vector<double> masses = domain_masses(space, *inputs.density(reference.name));
  Tally<std::uint32_t>::Counts parts;
  for (const double mass : masses) {
    parts.keys.push_back(static_cast<std::uint32_t>(parts.keys.size()));
    parts.counts.push_back(
        static_cast<std::uint64_t>(std::ceil(std::fmax(mass, 0x1p-60) * 0x1p52)));
  }
  return Empirical(std::move(parts));
}

std::vector<double> reference_masses(const PublicFile& reference, const Empirical& counts,
                                     SpaceKind kind, const Domain& space) {
  if (!is_density(reference)) {
    return kind == SpaceKind::kGrid ? multiscale_histogram(counts, space)
                                    : smoothed_histogram(counts, space.size());
  }
  std::vector<double> masses(space.size());
  for (std::size_t j = 0; j < counts.outcomes().size(); ++j) {
    masses[counts.outcomes()[j]] = counts.weights()[j] / static_cast<double>(counts.total());
  }
  return masses;
}

void declare_class(LocalSpec& spec, const PublicInputs& inputs) {
  MechanismNumbers& numbers = spec.numbers;
  const bool other_band = spec.band && spec.band->mechanism != Mechanism::kMinimax;
  const bool other = spec.mechanism && *spec.mechanism != Mechanism::kClass;
  if (!is_density(spec.reference) || numbers.c2 || numbers.gamma || other_band || other) return;
  const double bound = inputs.density(spec.reference->name)->class_bound();
  if (std::isfinite(bound)) numbers.c2 = bound * (1 + 0x1p-27);
}

ReleaseSpace::ReleaseSpace(const Domain& domain, const SpaceSpec& spec,
                           const std::optional<PublicFile>& reference, const PublicInputs& inputs)
    : kind_(space_kind(domain, spec)),
      list_(candidate_list(kind_, spec)),
      domain_(space_domain(domain, spec)),
      layout_(domain_) {
  if (is_density(reference) && kind_ != SpaceKind::kGrid) {
    refuse_input("not-for-this-space", "reference",
                 {WayOut::set("space", "grid"), WayOut::run("candidates")},
                 "{} is a density, which is a reference for space grid, but the space is {}: give "
                 "{} grid, or list candidates of it by {} and give that list",
                 reference->name, name_of(kind_), flag_words("space"), command_words("candidates"));
  }
  // A certificate states the mass of each cell, and integrating one takes microseconds.
  constexpr std::uint64_t kMostDensityCells = std::uint64_t{1} << 20U;
  if (is_density(reference) && domain_.size() > kMostDensityCells) {
    refuse_input("too-many-outcomes", "cells",
                 "{} is a density, which is a reference for at most {} cells, but there are {}: "
                 "give fewer by {}",
                 reference->name, kMostDensityCells, domain_.size(), flag_words("cells"));
  }
  if (kind_ == SpaceKind::kModels) {
    size_ = spec.candidates.value_or(PublicModels::kUsual);
    return;
  }
  if (!list_) {
    size_ = domain_.size();
    return;
  }
  if (reference && spec.list) {
    throw InvalidInput(
        "superfluous-parameter",
        "a file of candidates knows the reference they were drawn from, but another is given",
        "reference", {WayOut::leave("reference")});
  }
  if (reference) reference_.emplace(domain_, inputs.records(reference->name, domain_));
  size_ = spec.candidates.value_or(Candidates::kUsual);
  if (list_ == CandidateList::kFresh) {
    Candidates::require_count(size_);
    return;
  }
  if (list_ == CandidateList::kFile) {
    candidates_ = inputs.candidates(spec.list->name, domain_);
  } else {
    candidates_ = reference_ ? reference_->seeded(size_) : Candidates::seeded(domain_, size_);
  }
  size_ = candidates_->size();
}

Candidates ReleaseSpace::fresh_candidates(SecureRandom& random) const {
  return reference_ ? reference_->fresh(size_, random) : Candidates::fresh(domain_, size_, random);
}

MixedPoints ReleaseSpace::points() const {
  if (candidates_) return layout_.points(candidates_->digits());
  const std::size_t columns = domain_.columns().size();
  std::vector<std::uint32_t> digits;
  digits.reserve(static_cast<std::size_t>(size_) * columns);
  for (std::uint32_t outcome = 0; outcome < size_; ++outcome) {
    for (std::size_t i = 0; i < columns; ++i) digits.push_back(domain_.digit(outcome, i));
  }
  return layout_.points(digits);
}

}  // namespace mollify
