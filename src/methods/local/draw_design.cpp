// The consequences of a local spec, and how near a draw is.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/composition.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/numbers.h"
#include "methods/local/mechanism.h"
#include "methods/local/method.h"
#include "methods/local/release.h"
#include "methods/local/space.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/spec.h"
#include "scores/public_models.h"
#include "scores/references.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What follows from a local spec.

namespace {

/// Counts up to here are doubles without rounding.
constexpr std::uint64_t kMostReferenceRecords = std::uint64_t{1} << 53;

/// The mechanism of a placed band: minimax represents the class that is declared.
Mechanism mechanism_of_band(const LocalSpec& spec, SpaceKind space) {
  if (spec.band->mechanism != Mechanism::kMinimax) return spec.band->mechanism;
  if (const auto declared = mechanism_with(spec.numbers)) return *declared;
  if (space == SpaceKind::kCategories) return Mechanism::kMinimax;
  refuse_missing("c2",
                 fmt::format("the minimax band over {} needs the greatest density against the "
                             "reference",
                             space == SpaceKind::kGrid ? "a grid" : "candidates"));
}

/// The reference's masses; empty if it is uniform.
std::vector<double> masses_of(const LocalSpec& local, const PublicFacts& facts, SpaceKind kind,
                              const Domain& space) {
  if (!facts.reference) return {};
  Tally<std::uint32_t>::Counts counts;
  std::uint64_t sum = 0;
  for (const auto& [outcome, records] : *facts.reference) {
    refuse_if(outcome >= facts.outcomes || (!counts.keys.empty() && outcome <= counts.keys.back()),
              "certificate-altered", "reference",
              "a reference must have ascending outcomes below {}, but has {}", facts.outcomes,
              outcome);
    refuse_if(records < 1 || records > kMostReferenceRecords - sum, "certificate-altered",
              "reference",
              "a reference must have from 1 to {} records in all, but has {} of outcome {}",
              kMostReferenceRecords, records, outcome);
    sum += records;
    counts.keys.push_back(outcome);
    counts.counts.push_back(records);
  }
  return reference_masses(*local.reference, Empirical(std::move(counts)), kind, space);
}

/// Public results become parameters: a channel, or a band's place by its file or for its prior.
void take_facts(const LocalSpec& local, const PublicFacts& facts, SpaceKind kind,
                std::vector<double>& masses, MechanismParameters& parameters) {
  require_facts(facts.channel.has_value() == local.channel.has_value());
  if (facts.channel) parameters.channel = *facts.channel;
  const bool by_file = local.band && !local.band->file.empty();
  const bool by_prior = local.band && local.band->typical;
  require_facts(facts.lower_bounds.has_value() == by_file &&
                facts.location.has_value() == by_prior);
  if (by_file || by_prior) require_placeable(local, kind, parameters.mu.has_value());
  if (by_prior) parameters.numbers.location = facts.location;
  if (!by_file) return;
  masses = *facts.lower_bounds;
  parameters.reference = masses;
  parameters.numbers.location = std::accumulate(masses.begin(), masses.end(), 0.0);
}

/// Without a channel of its own a mechanism adds Laplace noise, which is between numbers.
void require_channel(const Domain& domain, const LocalSpec& local, Mechanism mechanism) {
  if (!row_of(mechanism).has_channel || local.channel) return;
  const Cells& cells = domain.columns().front().cells();
  const bool has_order =
      !std::holds_alternative<Categories>(cells) && !std::holds_alternative<BooleanWords>(cells);
  if (has_order && domain.columns().size() == 1) return;
  refuse_missing("channel",
                 fmt::format("mechanism {} needs it: without, its channel is Laplace noise, which "
                             "is for a domain of one column of numbers or times",
                             name_of(mechanism)));
}

/// How many parts of gaussian-curve keep the value: as found here, or as stated if that is nearly
/// the same.
std::uint64_t kept_under_curve(const MechanismParameters& parameters,
                               const std::optional<std::uint64_t>& stated) {
  validate_parameters(parameters);
  const std::uint64_t found = gaussian_curve_channel(parameters.masses(), *parameters.mu).keep();
  if (!stated) return found;
  if (!is_as_found(static_cast<double>(*stated), static_cast<double>(found))) {
    refuse_input("certificate-altered", "mu",
                 "{} of 2^62 parts that keep the value are not what mu {:g} allows, which is {}",
                 *stated, *parameters.mu, found);
  }
  return *stated;
}

}  // namespace

void require_placeable(const LocalSpec& spec, SpaceKind kind, bool in_mu) {
  const std::string band = to_text(*spec.band);
  if (in_mu) {
    refuse_input("not-for-this-budget", "band", {WayOut::set("epsilon")},
                 "band {} needs an epsilon, but the budget is in mu", band);
  }
  if (spec.reference) {
    refuse_input("superfluous-parameter", "reference", {WayOut::leave("reference")},
                 "band {} has a reference of its own, but another is given", band);
  }
  refuse_if(!spec.band->file.empty() && kind == SpaceKind::kCandidates, "not-for-this-space",
            "band", "a band's file is for categories and grids, but the space is candidates");
}

std::string integers_sha256(const LocalSampler& sampler) {
  Sha256 hash;
  sampler.for_each_public_integer([&](uint128 integer) {
    std::array<unsigned char, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(integer >> (8 * i));
    }
    hash.add(bytes);
  });
  return hash.hex();
}

bool draws_by_scores(const LocalDesign& design) noexcept {
  return design.scorer != ScorerKind::kEmpirical || design.space == SpaceKind::kCandidates;
}

void refuse_band_and_mechanism() { refuse_both("band", "mechanism"); }

std::string no_mu_words(Mechanism mechanism) {
  return fmt::format("mechanism {} takes no {}: give {} instead", name_of(mechanism),
                     flag_words("mu"), flag_words("epsilon"));
}

Mechanism chosen_mechanism(const LocalSpec& spec, bool in_mu, SpaceKind space) {
  if (spec.band && spec.mechanism) {
    refuse_band_and_mechanism();
  }
  const bool categories = space == SpaceKind::kCategories;
  const Mechanism mechanism = [&] {
    if (spec.mechanism) return *spec.mechanism;
    if (spec.band) return mechanism_of_band(spec, space);
    if (in_mu) return Mechanism::kGaussianCurve;
    if (const auto declared = mechanism_with(spec.numbers)) return *declared;
    return spec.reference || !categories ? Mechanism::kRelative : Mechanism::kMinimax;
  }();
  // A matrix takes the records' cells, and candidates are not the records.
  const bool linear_on_grid = space == SpaceKind::kGrid && !is_band(mechanism);
  if (!categories && !linear_on_grid && !row_of(mechanism).is_for_any_space) {
    std::vector<std::string_view> others;
    for (const auto& [other, name] : names<Mechanism>()) {
      if (row_of(other).is_for_any_space) others.push_back(name);
    }
    const std::string_view last = others.back();
    others.pop_back();
    refuse_input("not-for-this-space", "mechanism",
                 "space {} needs a band that does not depend on its size ({} or {}), but the "
                 "mechanism is {}",
                 name_of(space), fmt::join(others, ", "), last, name_of(mechanism));
  }
  return mechanism;
}

MechanismParameters mechanism_parameters(const LocalSpec& spec, bool in_mu, SpaceKind space,
                                         std::uint64_t outcome_count,
                                         std::span<const double> reference) {
  MechanismParameters parameters{.mechanism = chosen_mechanism(spec, in_mu, space),
                                 .outcome_count = static_cast<std::size_t>(outcome_count),
                                 .reference = reference,
                                 .numbers = spec.numbers};
  if (spec.band) parameters.numbers.location = spec.band->location;
  // A class without c1 holds all that lies below c2; --mechanism class has always asked for both.
  const bool may_lack_c1 = spec.band || space != SpaceKind::kCategories;
  std::optional<double>& c1 = parameters.numbers.c1;
  if (parameters.mechanism == Mechanism::kClass && parameters.numbers.c2 && may_lack_c1) {
    c1 = c1.value_or(0);
  }
  return parameters;
}

std::vector<double> reference_masses(const Certificate& certificate, const Domain& domain) {
  const PublicFacts& facts = certificate.facts;
  const LocalSpec& local = *certificate.spec.own.get<LocalSpec>();
  const Domain& space = facts.reference ? space_domain(domain, local.space) : domain;
  std::vector<double> masses = masses_of(local, facts, certificate.as<LocalDesign>()->space, space);
  if (facts.lower_bounds) {
    masses = *facts.lower_bounds;
    const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
    for (double& mass : masses) mass /= sum;
  }
  return masses;
}

WorstCaseRisk draw_risk(const Certificate& certificate, const Domain& domain) {
  const LocalSpec& local = *certificate.spec.own.get<LocalSpec>();
  const PublicFacts& facts = certificate.facts;
  const SpaceKind kind = certificate.as<LocalDesign>()->space;
  std::vector<double> masses = reference_masses(certificate, domain);
  const Privacy& draw = certificate.draw;
  const bool in_mu = draw.notion == PrivacyNotion::kGaussian;
  MechanismParameters parameters = mechanism_parameters(local, in_mu, kind, facts.outcomes, masses);
  take_facts(local, facts, kind, masses, parameters);
  (in_mu ? parameters.mu : parameters.epsilon) = draw.parameter();
  return mechanism_risk(parameters);
}

void design_draws(const Domain& domain, std::uint64_t draws, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const ReleaseSpec& spec = certificate.spec;
  const LocalSpec& local = *spec.own.get<LocalSpec>();
  const PublicFacts& facts = certificate.facts;
  const SpaceKind kind = space_kind(domain, local.space);
  const auto list = candidate_list(kind, local.space);
  require_facts(
      !facts.records && !facts.amount && facts.units.has_value() == spec.roster.has_value() &&
      facts.outcomes >= 1 && facts.mean_ranges.empty() &&
      facts.reference.has_value() == (local.reference && !list && kind != SpaceKind::kModels) &&
      facts.list_sha256.empty() ==
          ((!list || *list == CandidateList::kFresh) && kind != SpaceKind::kModels));
  std::vector<double> masses =
      masses_of(local, facts, kind, facts.reference ? space_domain(domain, local.space) : domain);
  const Privacy budget = spec.budget();
  const bool in_mu = budget.notion == PrivacyNotion::kGaussian;
  MechanismParameters parameters = mechanism_parameters(local, in_mu, kind, facts.outcomes, masses);
  take_facts(local, facts, kind, masses, parameters);
  require_channel(domain, local, parameters.mechanism);
  const Privacy one = draw_budget_down(budget, draws);
  (in_mu ? parameters.mu : parameters.epsilon) = one.parameter();
  const bool curve = row_of(parameters.mechanism).in_mu;
  require_facts(curve || !facts.kept);
  if (curve) certificate.facts.kept = parameters.kept = kept_under_curve(parameters, facts.kept);
  const HeldLocalSampler sampler = make_sampler(parameters);
  made.sampler = sampler;
  LocalDesign design{
      .mechanism = parameters.mechanism,
      .space = kind,
      .list = list,
      .scorer = local.space.scorer.value_or(usual_scorer(kind, parameters.mechanism)),
      .c1 = parameters.numbers.c1,
      .floor = std::nullopt,
      .is_of_band = sampler->bounds() != nullptr,
      .integers_sha256 = integers_sha256(*sampler)};
  if (parameters.epsilon) design.bound.emplace(*parameters.epsilon);
  if (is_band(parameters.mechanism)) design.floor = band_floor_of(parameters);
  refuse_if(draws_by_scores(design) && !design.floor, "not-for-this-mechanism", "score",
            "scorer {} needs a band, but mechanism {} has none", name_of(design.scorer),
            name_of(design.mechanism));
  certificate.draw = sampler->guarantee();
  certificate.total = draws_promise_up(budget, certificate.draw, draws);
  certificate.design = std::move(design);
}

ReleaseError error_of_band(const Certificate& certificate, const Domain& domain,
                           ScorerKind scorer) {
  const std::vector<double> masses = reference_masses(certificate, domain);
  return band_error(masses.empty() ? ReferenceMasses::uniform(certificate.facts.outcomes)
                                   : ReferenceMasses::given(masses),
                    scorer, *certificate.as<LocalDesign>()->floor, certificate.draw.epsilon);
}

// -----------------------------------------------------------------------------------------------
// How near a draw is.

namespace {

/// Data that a band is judged by: drawn from a Dirichlet distribution.
class DrawnData {
 public:
  DrawnData(const ReferenceMasses& mean, double concentration) : concentration_(concentration) {
    if (mean.is_uniform()) {
      counts_[mean.mass(0)] = static_cast<double>(mean.outcomes());
      return;
    }
    for (std::size_t i = 0; i < mean.outcomes(); ++i) ++counts_[mean.mass(i)];
  }

  /// The mean of their mass above t times the reference's.
  [[nodiscard]] double above(double t) const {
    double sum = 0;
    for (const auto& [mass, count] : counts_) sum += count * above(mass, t);
    return sum;
  }

 private:
  // An outcome's mass x has the beta distribution of a = s h and b = s - a, and
  // E max(x - t h, 0) = h P(x' > t h) - t h P(x > t h), x' of a + 1 and b.
  [[nodiscard]] double above(double mass, double t) const {
    const double edge = t * mass;
    if (edge >= 1) return 0;
    if (mass >= 1) return 1 - edge;
    const double a = concentration_ * mass;
    const double b = concentration_ - a;
    using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    return mass * (boost::math::ibetac(a + 1, b, edge, Doubles()) -
                   t * boost::math::ibetac(a, b, edge, Doubles()));
  }

  double concentration_;
  std::map<double, double> counts_;  ///< of outcomes with each mass
};

DrawnData drawn_data(const ReferenceMasses& reference, ScorerKind scorer) {
  const auto k = static_cast<double>(reference.outcomes());
  if (row_of(scorer).counts_records) return {reference, std::min(k, kConcentration)};
  return {ReferenceMasses::uniform(reference.outcomes()), k};
}

}  // namespace

// Mass below the band has to be filled and mass above to be cut, and the greater of both is the
// total variation; the greater of the means is at most its mean. The mass below t h is the mass
// above it and t - 1 more.
ReleaseError band_error(const ReferenceMasses& reference, ScorerKind scorer, double floor,
                        double epsilon) {
  const DrawnData data = drawn_data(reference, scorer);
  const double below = floor - 1 + data.above(floor);
  const double above = data.above(floor * std::exp(epsilon));
  return {std::max(below, above), data.above(1),
          row_of(scorer).counts_records ? "expected error of a record"
                                        : "expected error of a record of smooth data"};
}

ReleaseError draw_error(const MechanismParameters& parameters) {
  const WorstCaseRisk risk = mechanism_risk(parameters);
  ReleaseError error = is_band(parameters.mechanism)
                           ? band_error(parameters.normalised(), ScorerKind::kEmpirical,
                                        risk.lower_factor, ExpBound(*parameters.epsilon).epsilon())
                           : replacement_error(parameters.outcome_count, risk.risk.tv);
  error.subject = "one draw";
  return error;
}

HeldLocalSampler local_sampler(const DesignedRelease& made) {
  const auto* held = std::any_cast<HeldLocalSampler>(&made.sampler);
  return held == nullptr ? nullptr : *held;
}

std::vector<Message> draw_warnings(const MechanismParameters& parameters) {
  const Privacy asked =
      parameters.mu ? Privacy::gaussian(*parameters.mu) : Privacy::pure(*parameters.epsilon);
  Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, ExpBound::kGreatestEpsilon);
  std::vector<Message> said = epsilon_warnings(asked, released, 1);
  const ReleaseError error = draw_error(parameters);
  const bool is_noise =
      is_band(parameters.mechanism) ? error.is_mostly_noise() : error.is_indistinct();
  if (!is_noise) return said;
  PlanQuestion question{
      .method = Method::kLocal, .outcomes = parameters.outcome_count, .budget = released};
  LocalQuestion own{.spec = {.numbers = parameters.numbers}};
  if (!parameters.reference.empty()) {
    const ReferenceMasses reference = parameters.normalised();
    for (std::size_t i = 0; i < parameters.outcome_count; ++i) {
      own.masses.push_back(reference.mass(i));
    }
  }
  question.own = std::move(own);
  Message noise = *noise_message(error);
  if (row_of(parameters.mechanism).is_linear) noise.clauses.push_back(for_estimates());
  noise.remedy.ways_out = noise_remedy(question, std::string(name_of(parameters.mechanism)));
  said.push_back(std::move(noise));
  return said;
}

}  // namespace mollify
