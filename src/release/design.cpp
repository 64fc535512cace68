#include "release/design.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accounting/composition.h"
#include "accounting/gaussian.h"
#include "base/sha256.h"
#include "core/invalid_input.h"
#include "domain/domain.h"
#include "methods/gaussian/sampler.h"
#include "methods/local/mechanism.h"
#include "mollify/version.h"
#include "release/acceptance.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The design of a Gaussian release as its certificate states it.

namespace {

/// Throws unless a condition of a stated design holds.
void require_stated(bool hold) {
  if (!hold) throw InvalidInput("a Gaussian design must have the numbers of one, but has others");
}

std::uint64_t whole_member(const nlohmann::json& json) {
  require_stated(json.is_number_unsigned());
  return json.get<std::uint64_t>();
}

int exponent_of(const nlohmann::json& json) {
  require_stated(json.is_number_integer() && std::abs(json.get<double>()) <= 1000);
  return json.get<int>();
}

/// A finite number of at least 0.
double size_of(const nlohmann::json& json) {
  require_stated(json.is_number() && json.get<double>() >= 0 && json.get<double>() < HUGE_VAL);
  return json.get<double>();
}

/// An integer from 1 to 2^62 that is written as text.
std::uint64_t part_of_ratio(const nlohmann::json& json) {
  require_stated(json.is_string());
  const auto& text = json.get_ref<const std::string&>();
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  require_stated(read.ec == std::errc{} && read.ptr == text.data() + text.size() && value >= 1 &&
                 value <= Ratio::kGreatest);
  return value;
}

Ratio ratio_of(const nlohmann::json& json) {
  return {part_of_ratio(json.at("numerator")), part_of_ratio(json.at("denominator"))};
}

CentreDesign stated_centre(const GaussianRequest& request, const nlohmann::json& json,
                           double failure) {
  CentreDesign centre;
  centre.request = centre_request(request, whole_member(json.at("records")), failure);
  centre.cell_exponent = exponent_of(json.at("cell_exponent"));
  centre.rate = ratio_of(json.at("rate"));
  centre.deviations = size_of(json.at("deviations"));
  if (const auto& histogram = json.at("histogram"); !histogram.is_null()) {
    centre.histogram = {
        .epsilon = size_of(histogram.at("epsilon")),
        .delta = size_of(histogram.at("delta")),
        .threshold = static_cast<std::int64_t>(part_of_ratio(histogram.at("threshold"))),
        .coarse_bits = static_cast<unsigned>(exponent_of(histogram.at("coarse_bits"))),
        .deviations = size_of(histogram.at("deviations"))};
  }
  centre.guarantee = centre.request.budget;
  return centre;
}

/// A bound as stated, if that is nearly what is found here: by more than libraries' last digits can
/// make, and by far less than anybody would notice.
void take_bound(double& found, const nlohmann::json& json) {
  const double stated = size_of(json);
  if (std::abs(stated - found) <= std::max(1e-12, 1e-6 * found)) found = stated;
}

GaussianDesign design_in(GaussianRequest request, const nlohmann::json& said) {
  const nlohmann::json& json = said.at("design");
  const nlohmann::json& accuracy = said.at("accuracy");
  const bool pure = json.at("noise") == "euclidean-laplace";
  // With delta, noise of pure privacy may serve better, and so may a centre without ranges.
  if (pure && request.budget.notion == PrivacyNotion::kApproximate) {
    request.budget = Privacy::pure(request.budget.epsilon);
  }
  const nlohmann::json& centre = json.at("centre");
  require_stated(centre.is_null() == request.mean_bound.has_value());
  GaussianDesign design;
  if (!centre.is_null()) {
    if (!centre.at("histogram").is_null()) request.ranges.clear();
    design.centre = stated_centre(request, centre, size_of(accuracy.at("centre")));
  }
  design.request = std::move(request);
  design.run_records = whole_member(json.at("run_records"));
  design.step_exponent = exponent_of(json.at("lattice_step_exponent"));
  design.lattice_radius = whole_member(json.at("lattice_radius"));
  design.noise = ratio_of(json.at(pure ? "scale" : "variance"));
  const nlohmann::json& weights = json.at("weights");
  design.weights = {.plus_records = whole_member(weights.at("plus_records")),
                    .minus_records = whole_member(weights.at("minus_records")),
                    .divisor = whole_member(weights.at("divisor"))};
  auto found = settled(std::move(design));
  require_stated(found.has_value());
  take_bound(found->total_variation.clip, accuracy.at("clip"));
  take_bound(found->total_variation.shape, accuracy.at("shape"));
  take_bound(found->total_variation.lattice, accuracy.at("lattice"));
  take_bound(found->total_variation.centre, accuracy.at("centre"));
  require_stated(found->total_variation_up() < 1);
  found->why = why_of(*found);
  return *std::move(found);
}

}  // namespace

GaussianDesign stated_gaussian_design(GaussianRequest request, const StatedCertificate& stated) {
  try {
    GaussianDesign design = design_in(std::move(request), nlohmann::json::parse(stated.text));
    design.guarantee = stated.total;
    require_stated(is_within(design.guarantee, design.request.budget));
    return design;
  } catch (const nlohmann::json::exception&) {
    require_stated(false);
    throw;
  }
}

// -----------------------------------------------------------------------------------------------
// From what is public about a release to what it draws by.

namespace {

/// Counts up to here are doubles without rounding.
constexpr std::uint64_t kMostReferenceRecords = std::uint64_t{1} << 53;

/// The mechanism of a placed band: minimax stands for the class that is declared.
Mechanism mechanism_of_band(const LocalSpec& spec, SpaceKind space) {
  if (spec.band->mechanism != Mechanism::kMinimax) return spec.band->mechanism;
  if (spec.gamma) return Mechanism::kNeighbourhood;
  if (spec.c1 || spec.c2) return Mechanism::kClass;
  if (space == SpaceKind::kCategories) return Mechanism::kMinimax;
  throw InvalidInput(fmt::format(
      "the minimax band over {} needs c2, the declared bound on the density against the "
      "reference, but none is given",
      space == SpaceKind::kGrid ? "a grid" : "candidates"));
}

/// The reference's masses; empty if it is uniform.
std::vector<double> masses_of(const PublicFacts& facts, SpaceKind kind, const Domain& space) {
  if (!facts.reference) return {};
  Tally<std::uint32_t>::Counts counts;
  std::uint64_t sum = 0;
  for (const auto& [outcome, records] : *facts.reference) {
    if (outcome >= facts.outcomes || (!counts.keys.empty() && outcome <= counts.keys.back())) {
      throw InvalidInput(
          fmt::format("a reference must have ascending outcomes below {}, but has {}",
                      facts.outcomes, outcome));
    }
    if (records < 1 || records > kMostReferenceRecords - sum) {
      throw InvalidInput(
          fmt::format("a reference must have from 1 to {} records in all, but has {} of outcome {}",
                      kMostReferenceRecords, records, outcome));
    }
    sum += records;
    counts.keys.push_back(outcome);
    counts.counts.push_back(records);
  }
  return reference_masses(Empirical(std::move(counts)), kind, space);
}

/// A spec's facts are those that its model has, and no others.
void require_facts(bool hold) {
  if (!hold) throw InvalidInput("a release must have the facts of its spec, but has others");
}

/// Where a band is placed by what was found in public: by its file, or for its prior.
void place_band(const LocalSpec& local, const PublicFacts& facts, SpaceKind kind,
                std::vector<double>& masses, MechanismParameters& parameters) {
  const bool by_file = local.band && !local.band->file.empty();
  const bool by_prior = local.band && local.band->typical;
  require_facts(facts.lower_bounds.has_value() == by_file &&
                facts.location.has_value() == by_prior);
  if ((by_file || by_prior) && local.reference) {
    throw InvalidInput(fmt::format("band {} has a reference of its own, but another is given",
                                   to_text(*local.band)));
  }
  if (by_prior) parameters.location = facts.location;
  if (!by_file) return;
  if (kind == SpaceKind::kCandidates) {
    throw InvalidInput("a band's file is for categories and grids, but the space is candidates");
  }
  masses = *facts.lower_bounds;
  parameters.reference = masses;
  parameters.location = std::accumulate(masses.begin(), masses.end(), 0.0);
}

/// Whether a stated number differs from what is found here by no more than last digits could make
/// it. Whether it is private is for the design's or the sampler's check, not for this one.
bool is_as_found(double stated, double found) {
  return std::abs(stated - found) <= 0x1p-20 * found;
}

/// How many parts of gaussian-curve keep the value: as found here, or as stated if that is nearly
/// the same.
std::uint64_t kept_under_curve(const MechanismParameters& parameters,
                               const std::optional<std::uint64_t>& stated) {
  validate_parameters(parameters);
  const std::uint64_t found = gaussian_curve_channel(parameters.masses(), *parameters.mu).keep();
  if (!stated) return found;
  if (!is_as_found(static_cast<double>(*stated), static_cast<double>(found))) {
    throw InvalidInput(
        fmt::format("{} of 2^62 parts that keep the value are not what mu {:g} allows, which is {}",
                    *stated, *parameters.mu, found));
  }
  return *stated;
}

void design_local(const LocalSpec& local, const Domain& domain, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const ReleaseSpec& spec = certificate.spec;
  const PublicFacts& facts = certificate.facts;
  const SpaceKind kind = space_kind(domain, local.space);
  const auto list = candidate_list(kind, local.space);
  require_facts(!facts.records && !facts.amount &&
                facts.units.has_value() == spec.roster.has_value() && facts.outcomes >= 1 &&
                facts.mean_ranges.empty() &&
                facts.reference.has_value() ==
                    (local.reference && !list && spec.method != Method::kIntegralModel) &&
                facts.list_sha256.empty() == ((!list || *list == CandidateList::kFresh) &&
                                              spec.method != Method::kIntegralModel));
  std::vector<double> masses =
      masses_of(facts, kind, facts.reference ? space_domain(domain, local.space) : domain);
  const Privacy budget = spec.budget();
  const bool in_mu = budget.notion == PrivacyNotion::kGaussian;
  MechanismParameters parameters = mechanism_parameters(local, in_mu, kind, facts.outcomes, masses);
  place_band(local, facts, kind, masses, parameters);
  // One draw of a model, and any number of rows of it.
  const std::uint64_t draws = spec.method == Method::kIntegralModel ? 1 : *spec.count;
  const Privacy one = draw_budget_down(budget, draws);
  (in_mu ? parameters.mu : parameters.epsilon) = one.parameter();
  const bool curve = parameters.mechanism == Mechanism::kGaussianCurve;
  require_facts(curve || !facts.kept);
  if (curve) certificate.facts.kept = parameters.kept = kept_under_curve(parameters, facts.kept);
  made.local = make_sampler(parameters);
  LocalDesign design{
      .mechanism = parameters.mechanism,
      .space = kind,
      .list = list,
      .scorer = local.space.scorer.value_or(usual_scorer(kind, parameters.mechanism)),
      .c1 = parameters.c1,
      .floor = std::nullopt,
      .integers_sha256 = integers_sha256(*made.local)};
  if (parameters.epsilon) design.bound.emplace(*parameters.epsilon);
  if (is_band(parameters.mechanism)) design.floor = band_floor_of(parameters);
  if (draws_by_scores(design) && !design.floor) {
    throw InvalidInput(fmt::format("scorer {} needs a band, but mechanism {} has none",
                                   name_of(design.scorer), name_of(design.mechanism)));
  }
  certificate.draw = made.local->guarantee();
  certificate.total = draws_promise_up(budget, certificate.draw, draws);
  certificate.design = std::move(design);
}

/// What is spent on a hint; the rest is for the draw.
Privacy half_of(const Privacy& budget) {
  return Privacy::approximate(budget.epsilon / 2, budget.delta / 2);
}

SupportFinder finder_for(const ReleaseSpec& spec, const Domain& domain, std::uint64_t records) {
  const CentralSpec& central = *spec.central();
  const Privacy budget = spec.budget();
  if (!(budget.delta > 0)) {
    throw InvalidInput("a hint of the support needs a delta above 0, but there is none");
  }
  if (central.mechanism == CentralMechanism::kProduct) {
    throw InvalidInput("mechanism product is for bits, which have no support to be found");
  }
  const Column& column = domain.columns().front();
  const auto* const cells = std::get_if<IntegerCells>(&column.cells());
  if (domain.columns().size() > 1 || cells == nullptr || !cells->declared_edges().empty() ||
      column.mapping().null_is_category) {
    throw InvalidInput(fmt::format(
        "a hint of the support needs a domain of one integer column, without edges, whose nulls "
        "have a value, but {} is another",
        spec.domain.name()));
  }
  const Privacy half = half_of(budget);
  return SupportFinder(hint_in_cells(*central.support, *cells), domain.size(), records,
                       half.epsilon, half.delta);
}

/// Whether two texts are equal but for the last digit of numbers that are no whole ones.
bool is_nearly_text(std::string_view a, std::string_view b) {
  const auto number = [](std::string_view& text) {
    double value = 0;
    const char* const end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
    const std::string_view read = text.substr(0, static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(read.size());
    return std::pair(value, read.find('.') == std::string_view::npos);
  };
  const auto is_digit = [](std::string_view text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  };
  while (is_digit(a) == is_digit(b) && !a.empty() && !b.empty()) {
    if (is_digit(a)) {
      const auto [x, x_whole] = number(a);
      const auto [y, y_whole] = number(b);
      const bool near = std::abs(x - y) <= 0.011 * std::max(x, y) && !(x_whole && y_whole);
      if (x != y && !near) return false;
    } else {
      if (a.front() != b.front()) return false;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.empty() && b.empty();
}

/// What the accounting found in doubles, whose last digits processors round differently, as it is
/// stated, if that is nearly what is found here.
void take_response(const nlohmann::json& said, CentralDesign& design) {
  const auto take = [&](double& found, const char* place) {
    constexpr double kLastDigits = 1e-6;
    const auto at = nlohmann::json::json_pointer(place);
    if (!said.contains(at) || !said[at].is_number()) return;
    const double stated = said[at].get<double>();
    if (std::abs(stated - found) <= kLastDigits * found) found = stated;
  };
  if (design.epsilon0) take(*design.epsilon0, "/design/epsilon0");
  take(design.rate, "/design/rate");
  design.total_variation_up = make_central_sampler(design)->total_variation_up();
  take(design.total_variation_up, "/accuracy/total_variation");
  const auto why = nlohmann::json::json_pointer("/design/why");
  if (said.contains(why) && said[why].is_string() &&
      is_nearly_text(said[why].get<std::string>(), design.why)) {
    design.why = said[why].get<std::string>();
  }
}

/// The mechanism that a certificate says was chosen.
std::optional<CentralMechanism> stated_mechanism(const nlohmann::json& said) {
  if (!said.contains("mechanism") || !said["mechanism"].is_string()) return std::nullopt;
  return named<CentralMechanism>(said["mechanism"].get<std::string>());
}

void design_finite(const CentralSpec& central, const Domain& domain,
                   const StatedCertificate* stated, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const ReleaseSpec& spec = certificate.spec;
  const PublicFacts& facts = certificate.facts;
  require_facts(facts.records && !facts.units && facts.list_sha256.empty() && !facts.reference &&
                !facts.lower_bounds && !facts.location && !facts.kept && !facts.amount &&
                facts.mean_ranges.empty());
  const std::uint64_t records = *facts.records;
  FiniteDesign design;
  Privacy budget = spec.budget();
  if (central.support) {
    made.finder.emplace(finder_for(spec, domain, records));
    budget = half_of(budget);
    design.hint = budget;
    design.least_records = made.finder->least_records();
    design.least_outcomes = made.finder->least_size();
  }
  const CentralRequest sizes{records, facts.outcomes, spec.count.value_or(1), budget};
  const auto said = stated != nullptr ? nlohmann::json::parse(stated->text) : nlohmann::json();
  if (central.rate) {
    design.design = design_poisson(sizes, *central.rate);
  } else {
    design.design = central.mechanism ? design_central(*central.mechanism, sizes)
                                      : best_central_design(sizes, stated_mechanism(said));
  }
  if (stated != nullptr) take_response(said, design.design);
  made.central = make_central_sampler(design.design);
  certificate.draw = design.design.guarantee;
  certificate.total =
      design.hint ? composed_up(std::array{*design.hint, certificate.draw}) : certificate.draw;
  certificate.design = std::move(design);
}

/// What steps that are decided by the outputs before them spend together of an (epsilon, delta): as
/// found here, or as stated unless that is noticeably less. Whether delta allows what is stated is
/// for the design's check. None of other budgets, where it is the budget itself.
std::optional<double> steps_amount(const Privacy& budget, std::string_view method,
                                   PublicFacts& facts) {
  const bool is_found = budget.notion == PrivacyNotion::kApproximate;
  require_facts(is_found || !facts.amount);
  if (!is_found) return std::nullopt;
  const double found = adaptive_amount_down(budget, method);
  if (!facts.amount) {
    facts.amount = found;
  } else if (*facts.amount < found && !is_as_found(*facts.amount, found)) {
    throw InvalidInput(fmt::format("the steps of method {} spend {:.15g} in all of {:.15g}", method,
                                   *facts.amount, found));
  }
  return facts.amount;
}

void design_shared(const GaussianSpec& gaussian, const Domain& domain, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const Privacy budget = certificate.spec.budget();
  MomentDesign design =
      design_moments({.records = *certificate.facts.records,
                      .dimension = RealColumns(domain, gaussian.logarithms).size(),
                      .budget = budget},
                     steps_amount(budget, "gaussian", certificate.facts));
  certificate.draw = certificate.total = design.guarantee;
  certificate.design = std::move(design);
}

void design_normal(const GaussianSpec& gaussian, const Domain& domain,
                   const StatedCertificate* stated, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const PublicFacts& facts = certificate.facts;
  const bool shared = certificate.spec.method == Method::kGaussianModel;
  require_facts(facts.records && !facts.units && facts.outcomes == 0 && facts.list_sha256.empty() &&
                !facts.reference && !facts.lower_bounds && !facts.location && !facts.kept &&
                (shared || !facts.amount) &&
                facts.mean_ranges.empty() == (gaussian.mean_bound || shared));
  if (shared) return design_shared(gaussian, domain, made);
  const GaussianRequest request{.records = *facts.records,
                                .dimension = RealColumns(domain, gaussian.logarithms).size(),
                                .outputs = *certificate.spec.count,
                                .budget = certificate.spec.budget(),
                                .covariance_bound = gaussian.covariance_bound.value_or(1),
                                .mean_bound = gaussian.mean_bound,
                                .ranges = facts.mean_ranges,
                                .paper_variance = gaussian.paper_variance};
  GaussianDesign design =
      stated != nullptr ? stated_gaussian_design(request, *stated)
                        : design_gaussian(request, certificate.spec.accept_error ? 1 : kUsualError);
  certificate.draw = certificate.total = design.guarantee;
  certificate.design = std::move(design);
}

void design_table(const MarginalsSpec& marginals, const Domain& domain, DesignedRelease& made) {
  Certificate& certificate = made.certificate;
  const PublicFacts& facts = certificate.facts;
  require_facts(facts.records.has_value() == (marginals.neighbours == Neighbours::kReplace) &&
                !facts.units && facts.outcomes == 0 && facts.list_sha256.empty() &&
                !facts.reference && !facts.lower_bounds && !facts.location && !facts.kept &&
                facts.mean_ranges.empty());
  MarginalRequest request{.columns = marginal_columns(domain),
                          .budget = certificate.spec.budget(),
                          .unit = {certificate.spec.unit ? kUnitWeight : 1, marginals.neighbours},
                          .records = facts.records,
                          .copula = marginals.copula};
  MarginalDesign design =
      design_marginals(request, steps_amount(request.budget, "marginals", certificate.facts));
  certificate.draw = certificate.total = design.guarantee;
  certificate.design = std::move(design);
}

DesignedRelease designed(const ReleaseSpec& spec, const PublicFacts& facts, const Domain& domain,
                         const StatedCertificate* stated) {
  validate_spec(spec);
  DesignedRelease made;
  made.certificate.version = kVersion;
  made.certificate.spec = spec;
  made.certificate.facts = facts;
  if (const LocalSpec* local = spec.local()) design_local(*local, domain, made);
  if (const CentralSpec* central = spec.central()) design_finite(*central, domain, stated, made);
  if (const GaussianSpec* gaussian = spec.gaussian()) {
    design_normal(*gaussian, domain, stated, made);
  }
  if (const MarginalsSpec* marginals = spec.marginals()) design_table(*marginals, domain, made);
  return made;
}

}  // namespace

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

std::vector<MarginalColumn> marginal_columns(const Domain& domain) {
  std::vector<MarginalColumn> columns;
  for (const Column& column : domain.columns()) {
    MarginalColumn& made =
        columns.emplace_back(MarginalColumn{column.size(), is_ordered(column.cells())});
    if (!has_private_bins(column.cells())) continue;
    made.private_bins = true;
    const auto* const numbers = std::get_if<NumberCells>(&column.cells());
    if (numbers != nullptr && numbers->spike()) {
      made.apart.push_back(numbers->read(*numbers->spike()).cell);
    }
    if (column.mapping().null_is_category) made.apart.push_back(column.size() - 1);
  }
  return columns;
}

bool draws_by_scores(const LocalDesign& design) noexcept {
  return design.scorer != ScorerKind::kEmpirical || design.space == SpaceKind::kCandidates;
}

Mechanism chosen_mechanism(const LocalSpec& spec, bool in_mu, SpaceKind space) {
  if (spec.band && spec.mechanism) {
    throw InvalidInput("a band is given instead of a mechanism, but both are given");
  }
  const bool categories = space == SpaceKind::kCategories;
  const Mechanism mechanism = [&] {
    if (spec.mechanism) return *spec.mechanism;
    if (spec.band) return mechanism_of_band(spec, space);
    if (in_mu) return Mechanism::kGaussianCurve;
    if (spec.gamma) return Mechanism::kNeighbourhood;
    if (spec.c1 || spec.c2) return Mechanism::kClass;
    return spec.reference || !categories ? Mechanism::kRelative : Mechanism::kMinimax;
  }();
  // A matrix takes the records' cells, and candidates are none of the records.
  const bool linear_on_grid = space == SpaceKind::kGrid && !is_band(mechanism);
  if (!categories && !linear_on_grid && (!is_band(mechanism) || mechanism == Mechanism::kMinimax)) {
    throw InvalidInput(
        fmt::format("space {} needs a band that does not depend on its size (relative, class, "
                    "neighbourhood or location), but the mechanism is {}",
                    name_of(space), name_of(mechanism)));
  }
  return mechanism;
}

MechanismParameters mechanism_parameters(const LocalSpec& spec, bool in_mu, SpaceKind space,
                                         std::uint64_t outcome_count,
                                         std::span<const double> reference) {
  MechanismParameters parameters{.mechanism = chosen_mechanism(spec, in_mu, space),
                                 .outcome_count = static_cast<std::size_t>(outcome_count),
                                 .reference = reference,
                                 .c1 = spec.c1,
                                 .c2 = spec.c2,
                                 .gamma = spec.gamma};
  if (spec.band) parameters.location = spec.band->location;
  // A class without c1 holds all that lies below c2; --mechanism class has always asked for both.
  const bool may_lack_c1 = spec.band || space != SpaceKind::kCategories;
  if (parameters.mechanism == Mechanism::kClass && parameters.c2 && may_lack_c1) {
    parameters.c1 = parameters.c1.value_or(0);
  }
  return parameters;
}

std::vector<double> reference_masses(const Certificate& certificate, const Domain& domain) {
  const PublicFacts& facts = certificate.facts;
  const Domain& space =
      facts.reference ? space_domain(domain, certificate.spec.local()->space) : domain;
  std::vector<double> masses = masses_of(facts, certificate.local()->space, space);
  if (facts.lower_bounds) {
    masses = *facts.lower_bounds;
    const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
    for (double& mass : masses) mass /= sum;
  }
  return masses;
}

WorstCaseRisk draw_risk(const Certificate& certificate, const Domain& domain) {
  const LocalSpec& local = *certificate.spec.local();
  const PublicFacts& facts = certificate.facts;
  const SpaceKind kind = certificate.local()->space;
  std::vector<double> masses = reference_masses(certificate, domain);
  const Privacy& draw = certificate.draw;
  const bool in_mu = draw.notion == PrivacyNotion::kGaussian;
  MechanismParameters parameters = mechanism_parameters(local, in_mu, kind, facts.outcomes, masses);
  place_band(local, facts, kind, masses, parameters);
  (in_mu ? parameters.mu : parameters.epsilon) = draw.parameter();
  return mechanism_risk(parameters);
}

DesignedRelease design_release(const ReleaseSpec& spec, const PublicFacts& facts,
                               const Domain& domain) {
  DesignedRelease made = designed(spec, facts, domain, nullptr);
  require_guarantee(made.certificate);
  return made;
}

void require_guarantee(const Certificate& certificate) {
  if (const GaussianDesign* gaussian = certificate.gaussian()) check_gaussian_design(*gaussian);
  if (const MomentDesign* moments = certificate.moments()) check_moment_design(*moments);
  if (const MarginalDesign* marginals = certificate.marginals()) check_marginal_design(*marginals);
}

DesignedRelease stated_release(const StatedCertificate& stated, const Domain& domain) {
  DesignedRelease made = designed(stated.spec, stated.facts, domain, &stated);
  made.certificate.version = stated.version;
  return made;
}

}  // namespace mollify
