#include "release/local_release.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "io/csv_writer.h"
#include "io/domain_hash.h"
#include "io/domain_yaml.h"
#include "io/private_table.h"
#include "io/public_records.h"
#include "io/record_reader.h"
#include "io/roster.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/shuffle.h"
#include "local/band_sampler.h"
#include "local/scored_table.h"
#include "mollify/version.h"
#include "release/draw_budget.h"

namespace mollify {
namespace {

void refuse_private_as_public(const LocalReleaseRequest& request,
                              const std::optional<std::string>& file, const char* what) {
  if (file && same_file_or_content(*file, request.data)) {
    throw InvalidInput(
        fmt::format("the {} must be public, but {} is the private file itself", what, *file));
  }
}

void validate_request(const LocalReleaseRequest& request) {
  if (request.model != "local" && request.model != "integral") {
    throw InvalidInput(
        fmt::format("model must be local or integral, but is \"{}\"", request.model));
  }
  if (request.model == "integral" && request.unit) {
    throw InvalidInput(
        "model integral protects the whole table and has no unit, but one is given; use model "
        "local to protect each unit");
  }
  if (request.roster && !request.unit) {
    throw InvalidInput("a roster of units needs the unit column, but none is given");
  }
  refuse_private_as_public(request, request.reference, "reference");
  refuse_private_as_public(request, request.roster, "roster");
  refuse_private_as_public(request, request.space.candidates_file, "list of candidates");
}

/// The header is read before anything is drawn and the records after it, which takes two passes.
void refuse_stream(const std::string& data) {
  std::error_code ignored;
  const auto status = std::filesystem::status(data, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    throw InvalidInput(
        fmt::format("the private data must be a file that can be read twice, but {} is a pipe or a "
                    "device",
                    data));
  }
}

/// What all draws of a unit promise together. Above 30 a draw counts as 30, and then that is less
/// than was asked for.
double composed_total(const LocalReleaseRequest& request, const Privacy& per_draw) {
  if (request.mu) return *request.mu;
  if (per_draw.parameter() < ExpBound::kGreatestEpsilon) return *request.epsilon;
  return std::min(*request.epsilon,
                  basic_composition_epsilon_up(per_draw.parameter(), request.count));
}

/// The mechanism that a band choice stands for.
Mechanism mechanism_of(const LocalReleaseRequest& request, SpaceKind space) {
  switch (request.band->kind) {
    case BandChoice::Kind::kRelative:
      return Mechanism::kRelative;
    case BandChoice::Kind::kLocation:
      return Mechanism::kLocation;
    case BandChoice::Kind::kMinimax:
      break;
  }
  if (request.gamma) return Mechanism::kNeighbourhood;
  if (request.c1 || request.c2) return Mechanism::kClass;
  if (space == SpaceKind::kCategories) return Mechanism::kMinimax;
  throw InvalidInput(fmt::format(
      "the minimax band over {} needs c2, the declared bound on the density against the "
      "reference, but none is given",
      space == SpaceKind::kGrid ? "a grid" : "candidates"));
}

}  // namespace

Mechanism chosen_mechanism(const LocalReleaseRequest& request, SpaceKind space) {
  if (request.band && request.mechanism) {
    throw InvalidInput("a band is given instead of a mechanism, but both are given");
  }
  const bool categories = space == SpaceKind::kCategories;
  const Mechanism mechanism = [&] {
    if (request.mechanism) return *request.mechanism;
    if (request.band) return mechanism_of(request, space);
    if (request.mu) return Mechanism::kGaussianCurve;
    if (request.gamma) return Mechanism::kNeighbourhood;
    if (request.c1 || request.c2) return Mechanism::kClass;
    return request.reference || !categories ? Mechanism::kRelative : Mechanism::kMinimax;
  }();
  if (!categories && (!is_band(mechanism) || mechanism == Mechanism::kMinimax)) {
    throw InvalidInput(
        fmt::format("space {} needs a band that does not depend on its size (relative, class, "
                    "neighbourhood or location), but the mechanism is {}",
                    name_of(space), name_of(mechanism)));
  }
  return mechanism;
}

MechanismParameters mechanism_parameters(const LocalReleaseRequest& request, SpaceKind space,
                                         std::uint64_t outcome_count,
                                         std::span<const double> reference) {
  MechanismParameters parameters{.mechanism = chosen_mechanism(request, space),
                                 .outcome_count = static_cast<std::size_t>(outcome_count),
                                 .reference = reference,
                                 .epsilon = request.epsilon,
                                 .mu = request.mu,
                                 .c1 = request.c1,
                                 .c2 = request.c2,
                                 .gamma = request.gamma};
  if (request.band && request.band->kind == BandChoice::Kind::kLocation) {
    parameters.location = request.band->location;
  }
  // A class without c1 holds all that lies below c2; --mechanism class has always asked for both.
  const bool may_lack_c1 = request.band || space != SpaceKind::kCategories;
  if (parameters.mechanism == Mechanism::kClass && parameters.c2 && may_lack_c1) {
    parameters.c1 = parameters.c1.value_or(0);
  }
  return parameters;
}

LocalRelease::LocalRelease(const LocalReleaseRequest& request)
    : request_(request),
      domain_((validate_request(request), read_domain(request.domain))),
      space_(domain_, request.space, request.reference) {
  std::vector<double> masses;
  if (request.reference) certificate_.reference = CertifiedReference{*request.reference, {}};
  if (request.reference && space_.kind() != SpaceKind::kCandidates) {
    const Empirical records = read_public_records(*request.reference, space_.domain());
    masses = reference_masses(records, space_.kind(), space_.domain());
    for (std::size_t j = 0; j < records.outcomes().size(); ++j) {
      certificate_.reference->counts.emplace_back(records.outcomes()[j], records.counts()[j]);
    }
  }
  if (request.roster) {
    roster_ = read_roster(*request.roster, *request.unit);
  }
  MechanismParameters parameters =
      mechanism_parameters(request, space_.kind(), space_.size(), masses);
  const DrawBudget budget = draw_budget(request.epsilon, request.mu, request.count);
  parameters.epsilon = budget.epsilon;
  parameters.mu = budget.mu;
  sampler_ = make_sampler(parameters);
  certificate_.scorer = request.space.scorer.value_or(usual_scorer(space_.kind()));
  if (draws_by_scores() && !is_band(parameters.mechanism)) {
    throw InvalidInput(fmt::format("scorer {} needs a band, but mechanism {} has none",
                                   name_of(certificate_.scorer), name_of(parameters.mechanism)));
  }
  if (draws_by_scores() && !space_.is_fresh()) {
    scorer_ = make_scorer(certificate_.scorer, space_.points(), sampler_->guarantee().parameter());
  }
  refuse_stream(request.data);
  { const RecordReader header(request.data, domain_, request.unit); }

  certificate_.version = kVersion;
  certificate_.model = request.model;
  certificate_.unit = request.unit;
  certificate_.roster = request.roster;
  if (roster_) certificate_.units = roster_->size();
  certificate_.draws_per_unit = request.count;
  certificate_.mechanism = parameters.mechanism;
  certificate_.space = space_.certified();
  certificate_.per_draw = sampler_->guarantee();
  certificate_.total = composed_total(request, certificate_.per_draw);
  certificate_.c1 = parameters.c1;
  certificate_.c2 = parameters.c2;
  certificate_.gamma = parameters.gamma;
  certificate_.floor = stated_floor(*sampler_, parameters);
  certificate_.domain_sha256 = domain_hash(domain_);
  certificate_.outcome_count = space_.size();
  certificate_.public_integers_sha256 = public_digest(*sampler_);
}

// The records of an enumerable space are outcomes themselves, and their counts a sparse estimate,
// which the sampler takes as they are. Every other estimate is a score for each point.
bool LocalRelease::draws_by_scores() const {
  return certificate_.scorer != ScorerKind::kEmpirical || space_.kind() == SpaceKind::kCandidates;
}

/// What has been drawn, a unit after the other.
struct LocalRelease::Drawn {
  std::vector<std::uint32_t> outcomes;  // of fresh candidates: 0, 1, 2, ...
  std::vector<std::uint32_t> digits;    // of fresh candidates only: those of each outcome
};

LocalRelease::Drawn LocalRelease::draw_from_records(SecureRandom& random) const {
  Drawn drawn;
  const std::size_t draws = request_.count;
  if (request_.unit) {
    const UnitTable units = read_units(request_.data, space_.domain(), *request_.unit, roster_);
    drawn.outcomes.resize(units.size() * draws);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      sampler_->draw({units.outcomes(unit), units.weights(unit)}, random,
                     std::span(drawn.outcomes).subspan(unit * draws, draws));
    }
  } else {
    const Empirical table = read_table(request_.data, space_.domain());
    drawn.outcomes.resize(draws);
    sampler_->draw({table.outcomes(), table.weights()}, random, drawn.outcomes);
  }
  return drawn;
}

LocalRelease::Drawn LocalRelease::draw_by_scores(SecureRandom& random) const {
  Drawn drawn;
  const std::size_t draws = request_.count;
  ScoredTable scored(dynamic_cast<const BandSampler&>(*sampler_).band());
  const auto draw_unit = [&](std::span<const std::uint32_t> records,
                             std::span<std::uint32_t> outcomes) {
    const MixedPoints rows = space_.layout().points(records);
    if (!space_.is_fresh()) {
      scored.assign(*scorer_, rows, space_.densities());
      draw_all(scored.table(), random, outcomes);
      return;
    }
    const Candidates list = space_.fresh_candidates(random);
    const auto scorer = make_scorer(certificate_.scorer, space_.layout().points(list.digits()),
                                    sampler_->guarantee().parameter());
    scored.assign(*scorer, rows, list.densities());
    draw_all(scored.table(), random, outcomes);
    for (std::uint32_t& outcome : outcomes) {
      const auto record = list[outcome];
      outcome = static_cast<std::uint32_t>(drawn.digits.size() / list.columns());
      drawn.digits.insert(drawn.digits.end(), record.begin(), record.end());
    }
  };
  if (request_.unit) {
    const UnitRecords units =
        read_unit_digits(request_.data, space_.domain(), *request_.unit, roster_);
    drawn.outcomes.resize(units.size() * draws);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      draw_unit(units.digits(unit), std::span(drawn.outcomes).subspan(unit * draws, draws));
    }
  } else {
    drawn.outcomes.resize(draws);
    draw_unit(read_table_digits(request_.data, space_.domain(), kMostScoredRows, random),
              drawn.outcomes);
  }
  return drawn;
}

std::string LocalRelease::run(SecureRandom& random) const {
  Drawn drawn = draws_by_scores() ? draw_by_scores(random) : draw_from_records(random);
  if (!roster_) shuffle(drawn.outcomes, random);

  const Domain& domain = space_.domain();
  const std::size_t columns = domain.columns().size();
  std::string csv;
  std::vector<std::string> row;
  if (roster_) row.push_back(*request_.unit);
  for (const Column& column : domain.columns()) row.push_back(column.name());
  append_csv_record(row, csv);
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < drawn.outcomes.size(); ++i) {
    const std::uint32_t outcome = drawn.outcomes[i];
    if (space_.is_fresh()) {
      domain.write_digits(std::span(drawn.digits).subspan(outcome * columns, columns), random,
                          fields);
    } else if (space_.candidates()) {
      domain.write_digits((*space_.candidates())[outcome], random, fields);
    } else {
      domain.decode(outcome, random, fields);
    }
    row.clear();
    if (roster_) row.emplace_back((*roster_)[i / request_.count]);
    row.insert(row.end(), fields.begin(), fields.end());
    append_csv_record(row, csv);
  }
  return csv;
}

}  // namespace mollify
