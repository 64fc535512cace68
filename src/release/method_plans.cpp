// Plans of each method.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/gaussian.h"
#include "accounting/lattice.h"
#include "accounting/privacy.h"
#include "accounting/shuffling.h"
#include "base/directed_rounding.h"
#include "base/names.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/domain.h"
#include "methods/central/design.h"
#include "methods/central/samplers.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/moments.h"
#include "methods/local/mechanism.h"
#include "methods/marginals/design.h"
#include "methods/tuning/typical_band.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/local_release.h"
#include "release/plan.h"
#include "release/public_inputs.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Local plan.

namespace {

/// Which values of one column belong to the region.
struct RegionCondition {
  std::size_t column;
  std::vector<bool> inside;
};

/// Reads "column=value" or "column=value,value".
RegionCondition parse_condition(const std::string& text, const Domain& domain) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto& columns = domain.columns();
  const auto column = std::find_if(columns.begin(), columns.end(),
                                   [&](const Column& c) { return c.name() == name; });
  if (equals == std::string::npos || column == columns.end()) {
    std::vector<std::string> known;
    for (const Column& one : columns) known.push_back(one.name());
    refuse_name("region", "COLUMN=VALUE[,VALUE] for a column of the domain", text, known);
  }
  RegionCondition condition{static_cast<std::size_t>(column - columns.begin()),
                            std::vector<bool>(column->size())};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string value = text.substr(begin, end - begin);
    const Verdict verdict = column->read(value).verdict;
    if (verdict != Verdict::kValue && !(verdict == Verdict::kNull && column->declares_nulls())) {
      throw InvalidInput(fmt::format("region needs for {} {}, but has \"{}\"{}", name,
                                     column->expectation(), value, did_you_mean(*column, value)));
    }
    condition.inside[column->encode(value)] = true;
    begin = end + 1;
  }
  return condition;
}

/// The reference's mass of the region where there is no domain.
double stated_mass(const std::vector<std::string>& region) {
  double mass = 0;
  const std::string& text = region.front();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mass);
  if (region.size() > 1 || error != std::errc() || end != text.data() + text.size() ||
      !(mass >= 0 && mass <= 1)) {
    throw InvalidInput(fmt::format(
        "region must be a reference mass from 0 to 1 when no domain is given, but is \"{}\"",
        text));
  }
  return mass;
}

/// Whether a design's cost grows with the number of outcomes, so that a search for the greatest
/// number stops at kMostSearchedOutcomes.
bool is_long_matrix(Mechanism mechanism) {
  return !is_band(mechanism) && mechanism != Mechanism::kRandomizedResponse;
}
constexpr std::uint64_t kMostSearchedOutcomes = 1U << 16U;

/// The least of a draw (methods/local/mechanism.h).
constexpr double kLeastMu = 0.001;

/// The mechanism that a release of one distribution would have, or each, and its worst case.
class LocalPlan final : public PlanModel {
 public:
  /// Fills in what the question's files say.
  LocalPlan(PlanQuestion& question, const PublicInputs* inputs)
      : in_mu_(question.budget.notion == PrivacyNotion::kGaussian),
        searches_outcomes_(question.unknowns.front() == PlanUnknown::kOutcomes) {
    LocalSpec& local = question.local;
    if (question.domain) {
      // What sample would choose from.
      space_.emplace(inputs->domain(*question.domain), local.space, local.reference, *inputs);
      local.space.kind = space_->kind();
      if (local.reference && space_->kind() != SpaceKind::kCandidates &&
          space_->kind() != SpaceKind::kModels) {
        const Domain& domain = space_->domain();
        question.masses = reference_masses(
            counted_outcomes(inputs->records(local.reference->name, domain), domain),
            space_->kind(), domain);
      }
    }
    kind_ = local.space.kind.value_or(SpaceKind::kCategories);
    masses_ = question.masses;
    if (local.band && (local.band->typical || !local.band->file.empty())) find_band(local, inputs);
    if (!question.region.empty()) region_mass_ = mass_of(question.region);
    if (question.every_mechanism) {
      for (const auto& [mechanism, name] : names<Mechanism>()) {
        if (mechanism != Mechanism::kLocation) mechanisms_.push_back(mechanism);
      }
      if (local.band) {
        throw InvalidInput("a band is given instead of a mechanism, but both are given");
      }
      return;
    }
    mechanisms_ = {chosen_mechanism(local, in_mu_, kind_)};
    if (in_mu_ && mechanisms_.front() != Mechanism::kGaussianCurve) {
      throw InvalidInput(
          fmt::format("mechanism {} has no mu, but one is given", name_of(mechanisms_.front())));
    }
  }

  [[nodiscard]] std::size_t mechanisms() const override { return mechanisms_.size(); }

  [[nodiscard]] PlanQuestion settled(std::size_t mechanism, PlanQuestion question) const override {
    if (!question.every_mechanism) return question;
    question.every_mechanism = false;
    LocalSpec& local = question.local;
    local.mechanism = mechanisms_[mechanism];
    // What another mechanism has is not told to this one.
    if (local.mechanism != Mechanism::kClass) local.c1 = local.c2 = std::nullopt;
    if (local.mechanism != Mechanism::kNeighbourhood) local.gamma = std::nullopt;
    return question;
  }

  [[nodiscard]] PlanWay at(std::size_t mechanism, const PlanQuestion& asked) const override {
    PlanWay way{.mechanism = std::string(name_of(mechanisms_[mechanism])),
                .alpha = std::numeric_limits<double>::infinity()};
    const PlanQuestion question = settled(mechanism, asked);
    if (searches_outcomes_ && is_long_matrix(mechanisms_[mechanism]) &&
        question.outcomes > kMostSearchedOutcomes) {
      way.why = fmt::format("looked at for at most {} outcomes", kMostSearchedOutcomes);
      return way;
    }
    try {
      const Privacy draw = draw_of(question);
      const ReferenceMasses reference = reference_of(question);
      const WorstCaseRisk risk = risk_of(question, reference, draw);
      way.alpha = risk.quoted_total_variation();
      way.noise = is_band(mechanisms_[mechanism])
                      ? band_error(reference, scorer_of(question), risk.lower_factor, draw.epsilon)
                      : replacement_error(reference.outcomes(), risk.risk.tv);
      way.spent = draws_promise_up(question.budget, draw, question.outputs);
      const bool linear = !is_band(mechanisms_[mechanism]);
      way.details["linear"] = linear;
      if (linear) way.note = "linear: mollify estimate finds the population from all records";
    } catch (const InvalidInput& refused) {
      way.why = refused.what();
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    const auto draws = static_cast<double>(question.outputs);
    const double splits = in_mu_ ? std::pow(question.budget.mu / kLeastMu, 2)
                                 : question.budget.epsilon / ExpBound::kLeastEpsilon;
    if (unknown == PlanUnknown::kOutcomes) {
      return {1, static_cast<double>(mechanisms_.size() == 1 && is_long_matrix(mechanisms_[0])
                                         ? kMostSearchedOutcomes
                                         : Band::kMostOutcomes)};
    }
    if (unknown == PlanUnknown::kEpsilon) {
      return {ExpBound::kGreatestEpsilon * draws, ExpBound::kLeastEpsilon * draws};
    }
    return {1, std::clamp(std::floor(splits), 1.0, 1e8)};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown != PlanUnknown::kAlpha && unknown != PlanUnknown::kOutcomes &&
        unknown != PlanUnknown::kEpsilon && unknown != PlanUnknown::kOutputs) {
      throw InvalidInput(fmt::format("a plan of method {} has no unknown {}",
                                     name_of(question.method), name_of(unknown)));
    }
    const auto& band = question.local.band;
    if (unknown != PlanUnknown::kAlpha && band && (band->typical || !band->file.empty())) {
      throw InvalidInput(
          fmt::format("band {} is found for one epsilon and number of outcomes, so a plan with it "
                      "has no unknown {}",
                      to_text(*band), name_of(unknown)));
    }
    if (unknown == PlanUnknown::kOutcomes && space_) {
      throw InvalidInput("the domain says how many outcomes there are, so k is no unknown");
    }
    double value = 1;
    if (unknown == PlanUnknown::kEpsilon) value = static_cast<double>(question.outputs);
    const PlanQuestion easy = with(question, unknown, value);
    const Privacy draw = draw_of(easy);
    if (!question.every_mechanism) {
      static_cast<void>(risk_of(easy, reference_of(easy), draw));
    } else {
      require_between("the number of outcomes", easy.outcomes, 1, Band::kMostOutcomes);
    }
  }

  [[nodiscard]] std::string subject(PlanUnknown, const PlanQuestion& question) const override {
    const char* what = kind_ == SpaceKind::kGrid         ? "cell"
                       : kind_ == SpaceKind::kCandidates ? "candidate"
                       : kind_ == SpaceKind::kModels     ? "model"
                                                         : "outcome";
    const Privacy draw = draw_of(question);
    const Privacy whole = draws_promise_up(question.budget, draw, question.outputs);
    const std::string spent =
        question.outputs == 1 ? fmt::format("{:g} for the one draw", whole.parameter())
                              : fmt::format("{:g} in all, {:.6g} for each of {} draws",
                                            whole.parameter(), draw.parameter(), question.outputs);
    return fmt::format("{} over {}, {} {} of a unit, whatever the data",
                       name_of(chosen_mechanism(question.local, in_mu_, kind_)),
                       counted(space_ ? space_->size() : question.outcomes, what),
                       parameter_name(whole.notion), spent);
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const ReferenceMasses reference = reference_of(whole);
    const Privacy draw = draw_of(whole);
    const Privacy total = draws_promise_up(whole.budget, draw, whole.outputs);
    const WorstCaseRisk risk = risk_of(whole, reference, draw);
    const Mechanism mechanism = chosen_mechanism(whole.local, in_mu_, kind_);
    const bool band = is_band(mechanism);
    const std::string promise =
        in_mu_ ? fmt::format(
                     "telling any two inputs apart by the output is no easier than telling "
                     "one draw of N(0,1) from one of N({:.6g},1)",
                     total.mu)
               : fmt::format(
                     "no event, and no decision taken later on the output, has its "
                     "probability changed by more than a factor e^{:g} = {:.4g} by any data "
                     "at all",
                     total.epsilon, std::exp(total.epsilon));
    const char* no_promise = "membership without a roster of units; timing";
    const std::string parameter(parameter_name(total.notion));
    Json& facts = answer.facts;
    facts["mechanism"] = name_of(mechanism);
    facts["space"] = name_of(kind_);
    facts["outcomes"] = reference.outcomes();
    facts["count"] = whole.outputs;
    facts[parameter + "_total"] = total.parameter();
    facts[parameter + "_per_draw"] = draw.parameter();
    facts["linear"] = !band;
    facts["lower_factor"] = band ? Json(risk.lower_factor) : Json(nullptr);
    facts["largest_lift"] = band ? Json(risk.largest_lift) : Json(nullptr);
    facts["kl_spread"] = in_mu_ ? Json(nullptr) : Json(draw.epsilon);
    facts["risk"] = divergence_json(risk.risk);
    facts["attained"] = risk.attained;
    facts["promised"] = promise;
    facts["not_promised"] = no_promise;
    answer.lines = fmt::format("\npromised: {}\nnot promised: {}\n\n", promise, no_promise);
    if (const auto location = found_location(whole, draw)) {
      facts["location"] = *location;
      answer.lines += fmt::format("band {} lies at location={:.6g}{}\n", to_text(*whole.local.band),
                                  *location, file_band_ ? " about its own bounds" : "");
    }
    if (band) {
      answer.lines += fmt::format(
          "whatever the data, an outcome is released with {:.4g} to {:.4g} times its reference "
          "mass\n",
          risk.lower_factor, risk.largest_lift);
    } else {
      answer.lines +=
          "one of the unit's records goes through a public matrix: the released records are for "
          "mollify estimate,\nwhich finds the population from all of them\n";
    }
    if (!in_mu_) {
      // [Husain et al. 2019, Lemma 17], and the same turned round.
      answer.lines += fmt::format(
          "Kullback-Leibler divergences of any P from two such laws differ by at most {0:.4g}: if "
          "one is within d of P, all are within d + {0:.4g}; if one is D away, all are at least "
          "D - {0:.4g} away\n",
          draw.epsilon);
    }
    if (region_mass_ && band) {
      const RegionBounds bounds =
          region_bounds(risk.lower_factor, risk.largest_lift, *region_mass_);
      facts["region"] = {{"reference_mass", *region_mass_},
                         {"at_least", bounds.at_least},
                         {"at_most", bounds.at_most}};
      answer.lines += fmt::format(
          "the region has reference mass {:.4g} and is released with {:.4g} to {:.4g}\n",
          *region_mass_, bounds.at_least, bounds.at_most);
    }
    answer.lines += fmt::format("worst case: {}{}\n", risk.risk.text(),
                                risk.attained ? "" : " (an upper bound)");
    if (kind_ == SpaceKind::kModels) {
      const ModelsOutlook outlook =
          models_outlook(reference.outcomes(), risk.lower_factor, draw.epsilon);
      facts["best_models"] = outlook.best;
      facts["best_models_probability"] = outlook.probability;
      answer.lines += fmt::format(
          "where likelihoods tell models apart, the one released is among the {} likeliest of {} "
          "with probability {:.4g}; any number of its rows costs the same\n",
          outlook.best, reference.outcomes(), outlook.probability);
    }
    if (band) tell_changes(whole, reference, draw.epsilon, answer);
  }

 private:
  /// What a larger epsilon, fewer outcomes or a better reference would buy.
  void tell_changes(const PlanQuestion& whole, const ReferenceMasses& reference, double epsilon,
                    PlanAnswer& answer) const {
    answer.lines += fmt::format("\n{:<20} {:>8} {:>9} {:>12} {:>16}\n", "", "epsilon", "outcomes",
                                "largest lift", "worst-case TV");
    Json& table = answer.facts["table"] = Json::array();
    const auto add = [&](const char* change, const ReferenceMasses& masses, double of_draw,
                         double lift, double total_variation) {
      table.push_back({{"change", change},
                       {"epsilon_per_draw", of_draw},
                       {"outcomes", masses.outcomes()},
                       {"largest_lift", lift},
                       {"tv", total_variation}});
      answer.lines += fmt::format("{:<20} {:>8.4g} {:>9} {:>12.4g} {:>16.4g}\n", change, of_draw,
                                  masses.outcomes(), lift, total_variation);
    };
    const auto add_risk = [&](const char* change, const ReferenceMasses& masses, double of_draw) {
      const WorstCaseRisk risk = risk_of(whole, masses, Privacy::pure(of_draw));
      add(change, masses, of_draw, risk.largest_lift, risk.quoted_total_variation());
    };
    add_risk("as asked", reference, epsilon);
    // A band that was found was found for this.
    const auto& band = whole.local.band;
    if (band && (band->typical || !band->file.empty())) return;
    if (2 * epsilon <= ExpBound::kGreatestEpsilon) {
      add_risk("epsilon doubled", reference, 2 * epsilon);
    }
    // Constants of a class hold around the merged reference as well; all distributions are those of
    // the smaller domain.
    if (kind_ == SpaceKind::kCategories && reference.outcomes() > 1) {
      add_risk("half the outcomes", reference.merged_in_pairs(), epsilon);
    }
    // P = h lies in the band, so it is released as it is; the room to lift is still there.
    add("a perfect reference", reference, epsilon,
        risk_of(whole, reference, Privacy::pure(epsilon)).largest_lift, 0);
  }

  [[nodiscard]] double mass_of(const std::vector<std::string>& region) const {
    if (!space_) return stated_mass(region);
    if (kind_ == SpaceKind::kCandidates || kind_ == SpaceKind::kModels) {
      throw InvalidInput(
          "region needs a domain whose records can be listed, but this one is released by "
          "candidates; give its reference mass and --k instead");
    }
    const Domain& domain = space_->domain();
    std::vector<RegionCondition> conditions;
    for (const std::string& text : region) conditions.push_back(parse_condition(text, domain));
    double mass = 0;
    for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
      const bool inside =
          std::all_of(conditions.begin(), conditions.end(), [&](const RegionCondition& condition) {
            return condition.inside[domain.digit(outcome, condition.column)];
          });
      if (inside) mass += masses_.empty() ? 1.0 / domain.size() : masses_[outcome];
    }
    return std::min(mass, 1.0);
  }

  static Privacy draw_of(const PlanQuestion& question) {
    const Privacy draw = draw_budget_down(question.budget, question.outputs);
    if (draw.notion == PrivacyNotion::kGaussian) return draw;
    return Privacy::pure(ExpBound(draw.epsilon).epsilon());
  }
  [[nodiscard]] ReferenceMasses reference_of(const PlanQuestion& question) const {
    const std::span<const double> masses = masses_over(question);
    if (!masses.empty()) return ReferenceMasses::given(masses);
    return ReferenceMasses::uniform(outcomes_of(question));
  }
  [[nodiscard]] std::uint64_t outcomes_of(const PlanQuestion& question) const {
    return space_ ? space_->size() : question.outcomes;
  }
  /// Empty for another number of outcomes than the reference has, which is uniform then.
  [[nodiscard]] std::span<const double> masses_over(const PlanQuestion& question) const {
    return masses_.size() == outcomes_of(question) ? std::span(masses_) : std::span<const double>();
  }
  [[nodiscard]] ScorerKind scorer_of(const PlanQuestion& question) const {
    return question.local.space.scorer.value_or(
        usual_scorer(kind_, chosen_mechanism(question.local, in_mu_, kind_)));
  }
  /// Reads the band's file: its bounds are a reference of its own.
  void find_band(const LocalSpec& local, const PublicInputs* inputs) {
    if (in_mu_) {
      throw InvalidInput(
          fmt::format("band {} needs an epsilon, but the budget is in mu", to_text(*local.band)));
    }
    if (local.reference) {
      throw InvalidInput(fmt::format("band {} has a reference of its own, but another is given",
                                     to_text(*local.band)));
    }
    if (local.band->typical) return;
    if (inputs == nullptr)
      throw InvalidInput("a band's file needs files, but none can be read here");
    if (kind_ == SpaceKind::kCandidates) {
      throw InvalidInput("a band's file is for categories and grids, but the space is candidates");
    }
    file_band_ = inputs->band(local.band->file);
    masses_ = file_band_->lower;
    const double sum = std::accumulate(masses_.begin(), masses_.end(), 0.0);
    for (double& mass : masses_) mass /= sum;
  }

  /// Where a band lies that has a file, or is found for its prior.
  [[nodiscard]] std::optional<double> found_location(const PlanQuestion& question,
                                                     const Privacy& draw) const {
    const auto& band = question.local.band;
    if (!band) return std::nullopt;
    const std::uint64_t outcomes = outcomes_of(question);
    if (file_band_) {
      require_band_fits(*file_band_, band->file, draw.epsilon, outcomes);
      return std::accumulate(file_band_->lower.begin(), file_band_->lower.end(), 0.0);
    }
    if (!band->typical) return std::nullopt;
    if (!typical_) {  // a plan with it asks for one budget and one number of outcomes
      typical_ = typical_location(static_cast<std::size_t>(outcomes), draw.epsilon, *band->typical);
    }
    return typical_;
  }

  /// Of a question with one mechanism. `reference` is for bands alone.
  [[nodiscard]] WorstCaseRisk risk_of(const PlanQuestion& question,
                                      const ReferenceMasses& reference, const Privacy& draw) const {
    // Randomized response knows no reference, and a plan of all is asked with one for the others.
    const bool alone = question.local.mechanism == Mechanism::kRandomizedResponse;
    const std::span<const double> masses =
        alone && mechanisms_.size() > 1 ? std::span<const double>() : masses_over(question);
    MechanismParameters parameters =
        mechanism_parameters(question.local, in_mu_, kind_, outcomes_of(question), masses);
    (draw.notion == PrivacyNotion::kGaussian ? parameters.mu : parameters.epsilon) =
        draw.parameter();
    if (const auto location = found_location(question, draw)) parameters.location = location;
    validate_parameters(parameters);
    if (!is_band(parameters.mechanism)) return mechanism_risk(parameters);
    return band_risk(parameters, reference, draw.epsilon);
  }

  std::vector<Mechanism> mechanisms_;
  std::optional<ReleaseSpace> space_;
  SpaceKind kind_ = SpaceKind::kCategories;
  std::vector<double> masses_;
  std::optional<double> region_mass_;
  std::optional<PublicBand> file_band_;
  mutable std::optional<double> typical_;
  bool in_mu_;
  bool searches_outcomes_;
};

}  // namespace

std::unique_ptr<const PlanModel> local_plan_model(PlanQuestion& question,
                                                  const PublicInputs* inputs) {
  return std::make_unique<LocalPlan>(question, inputs);
}

// -----------------------------------------------------------------------------------------------
// Finite plan.

namespace {

/// All but reveal-or-obscure, which is subsampled-rr's law under another name, and product, whose
/// total variation is for product distributions alone.
constexpr std::array kPlanned = {CentralMechanism::kSubsampledRr, CentralMechanism::kDsRoo,
                                 CentralMechanism::kSubsetRr,     CentralMechanism::kPoissonRr,
                                 CentralMechanism::kHistogram,    CentralMechanism::kShuffledRr};

/// What poisson-rr adds to its total variation, at most.
constexpr double kRareEvents = 1e-12;
constexpr double kGreatestDelta = 0.5;

CentralRequest request_of(const PlanQuestion& question) {
  return {question.records, question.outcomes, question.outputs, question.budget};
}

/// The alpha of one output.
double single_alpha(const PlanQuestion& question) {
  return question.strong ? question.alpha / static_cast<double>(question.outputs) : question.alpha;
}

double alpha_of(const CentralDesign& design, bool strong) {
  if (!strong) return design.total_variation_up;
  return std::nextafter(design.total_variation_up * static_cast<double>(design.outputs.value_or(1)),
                        2.0);
}

class FinitePlan final : public PlanModel {
 public:
  [[nodiscard]] std::size_t mechanisms() const override { return kPlanned.size(); }

  [[nodiscard]] PlanWay at(std::size_t mechanism, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = std::string(name_of(kPlanned[mechanism])),
                .alpha = std::numeric_limits<double>::infinity()};
    try {
      const CentralDesign design = design_central(kPlanned[mechanism], request_of(question));
      way.alpha = alpha_of(design, question.strong);
      way.noise = replacement_error(question.outcomes, design.total_variation_up);
      way.spent = design.guarantee;
      way.independent_outputs = design.independent_outputs;
      way.why = design.why;
      way.details["delta"] = design.guarantee.delta;
      if (design.epsilon0) way.details["epsilon0"] = *design.epsilon0;
      if (design.rate < 1) way.details["rate"] = design.rate;
    } catch (const InvalidInput& refused) {
      way.why = refused.what();
    }
    return way;
  }

  /// For what rests on shuffling it is alpha times the delta of the reports that alpha needs over
  /// the delta that may be spent, which is one evaluation where a design is an inversion.
  [[nodiscard]] double measure(std::size_t mechanism, const PlanQuestion& question) const override {
    const bool subset = kPlanned[mechanism] == CentralMechanism::kSubsetRr;
    if (!subset && kPlanned[mechanism] != CentralMechanism::kPoissonRr) {
      return at(mechanism, question).alpha;
    }
    const Privacy& budget = question.budget;
    if (!(budget.delta > 0) || question.outputs > question.records) {
      return std::numeric_limits<double>::infinity();
    }
    // A little less, for what integers and inversions round.
    const double alpha = single_alpha(question) * (1 - 1e-7) - kRareEvents;
    const double others = static_cast<double>(question.outcomes) - 1;
    const double odds = alpha > 0 ? others * (1 / alpha - 1) : std::numeric_limits<double>::max();
    if (!(odds > 1)) return 0;
    const double epsilon0 = std::log(odds);
    if (epsilon0 > ExpBound::kGreatestEpsilon) return std::numeric_limits<double>::infinity();
    const double delta =
        subset ? subset_delta(question, epsilon0) : poisson_delta(question, epsilon0);
    return question.alpha * (delta / budget.delta);
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    switch (unknown) {
      case PlanUnknown::kRecords:
        return {static_cast<double>(kMostPlannedRecords),
                static_cast<double>(std::max<std::uint64_t>(question.outputs, 1))};
      case PlanUnknown::kOutcomes:
        return {1, static_cast<double>(Band::kMostOutcomes)};
      case PlanUnknown::kEpsilon:
        return {ExpBound::kGreatestEpsilon, ExpBound::kLeastEpsilon};
      case PlanUnknown::kDelta:
        return {kGreatestDelta, 0};
      case PlanUnknown::kDimension:
      case PlanUnknown::kRho:
      case PlanUnknown::kOutputs:
      case PlanUnknown::kAlpha:
        break;
    }
    return {1, static_cast<double>(question.records)};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown == PlanUnknown::kDimension || unknown == PlanUnknown::kRho) {
      throw InvalidInput(
          fmt::format("a plan of finite samples has no unknown {}", name_of(unknown)));
    }
    // An answer by construction in place of the unknown, to be refused if the rest is wrong.
    double value = unknown == PlanUnknown::kDelta ? 0 : 1;
    if (unknown == PlanUnknown::kRecords) {
      value = static_cast<double>(std::max<std::uint64_t>(question.outputs, 1));
    }
    static_cast<void>(design_central(CentralMechanism::kSubsampledRr,
                                     request_of(with(question, unknown, value))));
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const double order = records_lower_bound_order(whole);
    const double subsampled = papers_subsampled_records(whole);
    const auto shuffled = papers_shuffled_records(whole);
    answer.facts["records_lower_bound_order"] = order;
    answer.facts["papers_records"] = {{"subsampled-rr", subsampled}};
    answer.facts["papers_records"]["shuffled-rr"] = shuffled ? Json(*shuffled) : Json(nullptr);
    answer.lines = fmt::format(
        "best: {}\n"
        "what any mechanism needs grows like {}/(alpha epsilon), here {:.4g} records times a "
        "factor that is not known\n"
        "the papers ask for {:.4g} records with subsampled-rr{}\n",
        answer.ways[*answer.best].why, whole.strong ? "k sqrt(count)" : "k", order, subsampled,
        shuffled ? fmt::format(" and {} with shuffled-rr", *shuffled) : "");
  }

 private:
  static double subset_delta(const PlanQuestion& question, double epsilon0) {
    return subset_blanket({question.records, question.outputs, question.outcomes, epsilon0},
                          question.budget.epsilon, question.budget.delta)
        .upper;
  }
  static double poisson_delta(const PlanQuestion& question, double epsilon0) {
    const std::optional<double> rate =
        poisson_rate_for(question.records, question.outputs, kRareEvents);
    if (!rate) return std::numeric_limits<double>::infinity();
    return privacy_blanket({question.records, question.outcomes, epsilon0, *rate},
                           question.budget.epsilon, question.budget.delta)
        .upper;
  }
};

}  // namespace

std::unique_ptr<const PlanModel> finite_plan_model() { return std::make_unique<FinitePlan>(); }

double records_lower_bound_order(const PlanQuestion& question) {
  const double single =
      static_cast<double>(question.outcomes) / (question.alpha * question.budget.epsilon);
  return question.strong ? single * std::sqrt(static_cast<double>(question.outputs)) : single;
}

double papers_subsampled_records(const PlanQuestion& question) {
  return std::ceil(static_cast<double>(question.outputs) *
                   (static_cast<double>(question.outcomes) - 1) /
                   (single_alpha(question) * question.budget.epsilon));
}

std::optional<std::uint64_t> papers_shuffled_records(const PlanQuestion& question) {
  if (question.outcomes < 2 || !(question.budget.delta > 0)) return std::nullopt;
  // (k - 1)/(E0 + k - 1) = alpha.
  const double odds =
      (static_cast<double>(question.outcomes) - 1) * (1 / single_alpha(question) - 1);
  if (!(odds > 1)) return 1;
  if (std::log(odds) > kGreatestReportEpsilon) return std::nullopt;
  return least_whole(1, kMostPlannedRecords, [&](std::uint64_t records) {
    const auto epsilon = shuffle_closed_form_epsilon(records, question.outcomes, std::log(odds),
                                                     question.budget.delta);
    return epsilon && *epsilon <= question.budget.epsilon;
  });
}

// -----------------------------------------------------------------------------------------------
// Gaussian plan.

namespace {

GaussianRequest gaussian_request_of(const PlanQuestion& question) {
  return {.records = question.records,
          .dimension = static_cast<std::size_t>(question.dimension),
          .outputs = question.outputs,
          .budget = question.budget,
          .covariance_bound = question.covariance_bound,
          .mean_bound = question.mean_bound,
          .ranges = question.mean_ranges,
          .paper_variance = question.paper_variance};
}

Json design_json(const GaussianDesign& design, double alpha) {
  const auto& [clip, shape, lattice, centre] = design.total_variation;
  return {
      {"n", design.request.records},
      {"dimension", design.request.dimension},
      {"count", design.request.outputs},
      {"alpha", alpha},
      {"alpha_parts", {{"clip", clip}, {"shape", shape}, {"lattice", lattice}, {"centre", centre}}},
      {"clip_radius", design.clip_radius},
      {"run_records", design.run_records},
      {"centre_records", design.centre ? Json(design.centre->request.records) : Json(nullptr)},
      {"guarantee",
       {{"epsilon", design.guarantee.epsilon},
        {"delta", design.guarantee.delta},
        {"rho", design.guarantee.rho}}},
      {"why", design.why}};
}

class GaussianPlan final : public PlanModel {
 public:
  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = "gaussian",
                .alpha = std::numeric_limits<double>::infinity(),
                .spent = question.budget};
    const auto design = find_gaussian_design(gaussian_request_of(question));
    if (!design) {
      way.why = fmt::format("no design serves {}, {}, {} and {}: more records may",
                            counted(question.records, "record"),
                            counted(question.dimension, "coordinate"),
                            counted(question.outputs, "output"), question.budget.text());
      return way;
    }
    way.alpha =
        question.strong ? design->strong_total_variation_up() : design->total_variation_up();
    way.noise = gaussian_error(*design);
    way.why = design->why;
    way.details["design"] = design_json(*design, way.alpha);
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    switch (unknown) {
      case PlanUnknown::kRecords:
        return {static_cast<double>(kMostPlannedRecords),
                static_cast<double>(std::max<std::uint64_t>(question.outputs, 1))};
      case PlanUnknown::kDimension:
        return {1, static_cast<double>(kMostGaussianDimensions)};
      case PlanUnknown::kEpsilon:
        return {100, 1e-6};
      case PlanUnknown::kRho:
        return {1000, 1e-12};
      case PlanUnknown::kDelta:
        return {0.5, 1e-100};
      case PlanUnknown::kOutcomes:
      case PlanUnknown::kOutputs:
      case PlanUnknown::kAlpha:
        break;
    }
    return {1, static_cast<double>(std::min(question.records, kMostGaussianOutputs))};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion&) const override {
    if (unknown == PlanUnknown::kOutcomes) {
      throw InvalidInput("a plan of Gaussian samples has no unknown k");
    }
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const auto paper = papers_gaussian_records(whole);
    const double bound = gaussian_records_lower_bound(whole);
    answer.facts["papers_records"] = paper ? Json(*paper) : Json(nullptr);
    answer.facts["records_lower_bound"] = bound;
    const PlanWay& way = answer.ways.front();
    const Json& parts = way.details["design"]["alpha_parts"];
    const auto part = [&](const char* name) { return parts[name].get<double>(); };
    if (is_at_limit(answer.unknown, whole)) answer.lines += "  that is the most there can be\n";
    answer.lines += fmt::format(
        "  total variation {} {:.4g}: an output's is clipping {:.3g}, shape of the noise {:.3g}, "
        "lattice {:.3g}, centre {:.3g}\n  {}\n",
        whole.strong ? "of all outputs together" : "of each output", way.alpha, part("clip"),
        part("shape"), part("lattice"), part("centre"), way.why);
    if (paper) answer.lines += fmt::format("  the papers' parameters need {} records\n", *paper);
    if (bound > 1) {
      answer.lines += fmt::format(
          "  no sampler does with fewer than {:.0f} records: that is proven, and it may need "
          "more\n",
          bound);
    }
    const bool is_supposed = whole.domain && !whole.covariance && !(whole.covariance_bound > 1);
    answer.lines += fmt::format(
        "  accuracy rests on the data being Gaussian as declared{}; privacy rests on no "
        "assumption\n",
        is_supposed ? ", with a covariance of 1 in each column, because none is given: a release "
                      "needs one (--covariance, --covariance-bound)"
                    : "");
  }

 private:
  /// Whether the library's own limit is what is found.
  static bool is_at_limit(PlanUnknown unknown, const PlanQuestion& whole) {
    return (unknown == PlanUnknown::kOutputs && whole.outputs == kMostGaussianOutputs) ||
           (unknown == PlanUnknown::kDimension && whole.dimension == kMostGaussianDimensions);
  }
};

}  // namespace

std::unique_ptr<const PlanModel> gaussian_plan_model() { return std::make_unique<GaussianPlan>(); }

std::optional<std::uint64_t> papers_gaussian_records(const PlanQuestion& question) {
  const Privacy& budget = question.budget;
  const bool is_rho = budget.notion == PrivacyNotion::kConcentrated;
  const bool bounded = question.covariance_bound > 1;
  if (!question.mean_bound || (bounded && !is_rho)) return std::nullopt;
  const auto m = static_cast<double>(question.outputs);
  const double alpha = question.strong ? question.alpha / m : question.alpha;
  if (!(alpha > 0 && alpha < 1)) return std::nullopt;
  const auto dimension = static_cast<std::size_t>(question.dimension);
  const auto d = static_cast<double>(dimension);
  const WhitenedRecords records{dimension, *question.mean_bound, question.covariance_bound};
  const auto serves = [&](std::uint64_t records_needed) {
    const auto n = static_cast<double>(records_needed);
    const bool split = bounded || budget.notion == PrivacyNotion::kPure;
    const double radius = paper_clip_radius_up(records, records_needed, split ? alpha / 2 : alpha);
    const double variance = 1 - 1 / n;
    if (bounded) {
      const double weight = 1 / n + std::sqrt(variance / n);
      const double added = alpha / 2 / std::sqrt(d / 8);
      return 2 * radius * radius * weight * weight / added <= budget.rho;
    }
    if (is_rho) return 2 * radius * radius / (n * (n - 1)) <= budget.rho;
    if (budget.delta > 0) {
      const double mu = 2 * radius / n / std::sqrt(variance);
      return mu <= 1000 && gaussian_delta_up(std::max(mu, 1e-6), budget.epsilon) <= budget.delta;
    }
    const double scale = 2 * radius / (budget.epsilon * n);
    return scale <= 1000 && gaussian_laplace_total_variation(dimension, scale, 1) <= alpha / 2;
  };
  const std::optional<std::uint64_t> one = least_whole(2, kMostPlannedRecords, serves);
  if (!one || static_cast<double>(*one) * m > static_cast<double>(kMostPlannedRecords)) {
    return std::nullopt;
  }
  return *one * question.outputs;
}

double gaussian_records_lower_bound(const PlanQuestion& question) {
  double norm = question.mean_bound.value_or(std::numeric_limits<double>::infinity());
  for (const WhitenedRange& range : question.mean_ranges) {
    norm = std::min(norm, 0.5 * (range.high - range.low));
  }
  if (std::isinf(norm)) return 0;
  const double joint =
      question.strong ? question.alpha : question.alpha * static_cast<double>(question.outputs);
  return std::ceil(gaussian_records_lower_bound(
      GaussianSamplingTask{static_cast<std::size_t>(question.dimension), norm, question.outputs,
                           joint},
      question.budget));
}

// -----------------------------------------------------------------------------------------------
// Marginal plan.

namespace {

MarginalDesign marginal_design_of(const PlanQuestion& question) {
  MarginalRequest request{.columns = question.columns,
                          .budget = question.budget,
                          .unit = {1, question.neighbours},
                          .records = {},
                          .copula = question.copula};
  if (question.neighbours == Neighbours::kReplace) request.records = question.records;
  return design_marginals(request);
}

Json distance_json(const MarginalDistance& distance) {
  return {{"mean", distance.mean}, {"worst", distance.worst}};
}

std::string distance_text(const MarginalDistance& distance) {
  return fmt::format("{:.4g} on average, {:.4g} at worst", distance.mean, distance.worst);
}

/// One model of a table's marginals, all of whose rows share its noise.
class MarginalPlan final : public PlanModel {
 public:
  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = "marginals",
                .alpha = std::numeric_limits<double>::infinity(),
                .spent = question.budget,
                .independent_outputs = false};
    try {
      const MarginalDesign design = marginal_design_of(question);
      const MarginalError error = marginal_error(design, question.records);
      way.alpha = error.expected();
      way.noise = model_error(error);
      // A release must not depend on a number of records that is protected.
      if (question.neighbours == Neighbours::kAddRemove) {
        way.is_refused = model_error(marginal_error(design, kManyRecords)).is_indistinct();
      }
      way.why = design.why;
      way.details = {{"one_way", distance_json(error.columns)},
                     {"two_way", two_way_json(error)},
                     {"column_deviation", design.column_deviation},
                     {"measured_pair", Json::array()}};
      if (error.usual > 0) way.details["condition"] = marginals_error_words(error);
      for (const MarginalError::Seen& one : error.seen) {
        way.details["measured_pair"].push_back({{"groups", one.groups}, {"noise", one.distance}});
      }
    } catch (const InvalidInput& refused) {
      way.why = refused.what();
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion&) const override {
    if (unknown == PlanUnknown::kRecords) return {static_cast<double>(kMostPlannedRecords), 1};
    if (unknown == PlanUnknown::kEpsilon) return {100, 1e-6};
    return {1000, 1e-12};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown != PlanUnknown::kRecords && unknown != PlanUnknown::kEpsilon &&
        unknown != PlanUnknown::kRho && unknown != PlanUnknown::kAlpha) {
      throw InvalidInput(
          fmt::format("a plan of method marginals has no unknown {}", name_of(unknown)));
    }
    if (unknown != PlanUnknown::kRecords && question.records == 0) {
      throw InvalidInput("n must be at least 1, but is 0");
    }
    if (question.strong) {
      throw InvalidInput(
          "strong is for outputs that are drawn each by itself, but rows of method marginals share "
          "one model");
    }
  }

  [[nodiscard]] std::string subject(PlanUnknown unknown, const PlanQuestion& whole) const override {
    std::string text;
    if (unknown != PlanUnknown::kRecords) text += counted(whole.records, "record") + ", ";
    text += counted(whole.columns.size(), "column") + ", ";
    if (unknown == PlanUnknown::kEpsilon) {
      text += fmt::format("delta {:.6g}, ", whole.budget.delta);
    } else if (unknown != PlanUnknown::kRho) {
      text += whole.budget.text() + ", ";
    }
    text += fmt::format("neighbours {}", name_of(whole.neighbours));
    if (unknown == PlanUnknown::kAlpha) return text;
    return text + fmt::format(", total variation {:g}", whole.alpha);
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const MarginalDesign design = marginal_design_of(whole);
    const MarginalError error = marginal_error(design, whole.records);
    const auto more = records_to_halve(design, whole.records);
    answer.facts["records_to_halve"] = more ? Json(*more) : Json(nullptr);
    answer.lines += fmt::format("  {}\n", design.why);
    answer.lines += fmt::format("  total variation due to noise of one column: {}\n",
                                distance_text(error.columns));
    if (!error.seen.empty()) {
      answer.lines += "  noise of a pair of columns that is measured:";
      for (const MarginalError::Seen& one : error.seen) {
        answer.lines +=
            fmt::format("{} {:.3g} in {}x{} cells", &one == &error.seen.front() ? "" : ",",
                        one.distance, one.groups, one.groups);
      }
      answer.lines += "; the other pairs are as the model guesses them\n";
    }
    if (error.usual > 0) answer.lines += fmt::format("  {}\n", marginals_error_words(error));
    if (more) answer.lines += fmt::format("  {} records would halve the noise\n", *more);
    answer.lines += "  all released rows share this noise: more of them do not lessen it\n";
  }
};

}  // namespace

std::unique_ptr<const PlanModel> marginal_plan_model() { return std::make_unique<MarginalPlan>(); }

// -----------------------------------------------------------------------------------------------
// Shared gaussian plan.

namespace {

constexpr double kMostSharedDimension = 256;

class SharedGaussianPlan final : public PlanModel {
 public:
  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = "shared-gaussian",
                .alpha = std::numeric_limits<double>::infinity(),
                .spent = question.budget,
                .independent_outputs = false};
    try {
      const MomentDesign design =
          design_moments({.records = question.records,
                          .dimension = static_cast<std::size_t>(question.dimension),
                          .budget = question.budget});
      way.alpha = design.expected_total_variation;
      way.noise = model_error(way.alpha);
      way.why = design.why;
      way.details["condition"] = spread_condition();
      way.details["errors"] = moment_errors_json(design);
      way.details["design"] = {{"n", question.records},
                               {"dimension", question.dimension},
                               {"mean_error", design.mean_error},
                               {"covariance_error", design.covariance_error},
                               {"clip_radius", design.clip_radius}};
    } catch (const InvalidInput& refusal) {
      way.why = refusal.what();
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion&) const override {
    if (unknown == PlanUnknown::kDimension) return {1, kMostSharedDimension};
    if (unknown == PlanUnknown::kEpsilon) return {100, 1e-6};
    if (unknown == PlanUnknown::kRho) return {1000, 1e-12};
    if (unknown == PlanUnknown::kDelta) return {0.5, 1e-100};
    return {static_cast<double>(kMostPlannedRecords), 1};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown != PlanUnknown::kRecords) require_moment_records(question.records);
    if (unknown == PlanUnknown::kOutcomes || unknown == PlanUnknown::kOutputs) {
      throw InvalidInput(fmt::format(
          "a plan of a shared Gaussian has no unknown {}{}", name_of(unknown),
          unknown == PlanUnknown::kOutputs ? ": any number of records costs the same" : ""));
    }
  }

  void tell(const PlanQuestion&, PlanAnswer& answer) const override {
    const PlanWay& way = answer.ways.front();
    const Json& design = way.details["design"];
    std::string ranges;
    std::string errors;
    for (const Json& one : way.details["errors"]) {
      const char* const comma = ranges.empty() ? "" : ", ";
      ranges += fmt::format("{}{:g}", comma, one["deviations"].get<double>());
      errors += fmt::format("{}{:.3g}", comma, one["total_variation"].get<double>());
    }
    answer.facts["mean_error"] = design["mean_error"];
    answer.facts["covariance_error"] = design["covariance_error"];
    answer.lines += fmt::format(
        "  expected total variation of the model from the data's Gaussian {:.4g}, {}; for "
        "any number of rows\n"
        "  {} if every column's range reaches {} of its standard deviations to both sides of its "
        "mean (with --log, of the logarithms)\n  {}\n"
        "  accuracy rests on the data being Gaussian; privacy rests on no assumption\n"
        "  columns that are skewed or mostly one value keep their own law with method marginals "
        "--copula\n",
        way.alpha, way.details["condition"].get<std::string>(), errors, ranges, way.why);
  }
};

}  // namespace

std::unique_ptr<const PlanModel> shared_gaussian_plan_model() {
  return std::make_unique<SharedGaussianPlan>();
}

}  // namespace mollify
