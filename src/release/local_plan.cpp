#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "kernel/core/band.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "local/mechanism_risk.h"
#include "release/design.h"
#include "release/plan_model.h"
#include "release/release_space.h"

namespace mollify {
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
    throw InvalidInput(fmt::format(
        "region must be COLUMN=VALUE[,VALUE] for a column of the domain, but is \"{}\"", text));
  }
  RegionCondition condition{static_cast<std::size_t>(column - columns.begin()),
                            std::vector<bool>(column->size())};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string value = text.substr(begin, end - begin);
    const Verdict verdict = column->read(value).verdict;
    if (verdict != Verdict::kValue && !(verdict == Verdict::kNull && column->declares_nulls())) {
      throw InvalidInput(fmt::format("region needs for {} {}, but has \"{}\"", name,
                                     column->expectation(), value));
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

/// The mechanism that a release of one distribution would have, and its worst case.
class LocalPlan final : public PlanModel {
 public:
  LocalPlan(const PlanQuestion& question, const PublicInputs* inputs) {
    const LocalSpec& local = question.local;
    if (question.domain) {
      // What sample would choose from.
      space_.emplace(inputs->domain(*question.domain), local.space, local.reference, *inputs);
      kind_ = space_->kind();
      if (local.reference && kind_ != SpaceKind::kCandidates) {
        const Domain& domain = space_->domain();
        masses_ = reference_masses(
            counted_outcomes(inputs->records(local.reference->name, domain), domain), kind_,
            domain);
      }
    }
    if (!question.region.empty()) region_mass_ = mass_of(question.region);
    const bool in_mu = question.budget.notion == PrivacyNotion::kGaussian;
    const Mechanism mechanism = chosen_mechanism(local, in_mu, kind_);
    if (!is_band(mechanism)) {
      throw InvalidInput(fmt::format(
          "plan needs a mechanism with a band, but {} has none; see mollify risk and mollify law",
          name_of(mechanism)));
    }
    if (in_mu) {
      throw InvalidInput(
          fmt::format("mechanism {} has no mu, but one is given", name_of(mechanism)));
    }
  }

  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = std::string(name_of(chosen_mechanism(question.local, false, kind_))),
                .alpha = std::numeric_limits<double>::infinity()};
    try {
      const Privacy draw = draw_of(question);
      way.alpha = risk_of(question, reference_of(question), draw.epsilon).quoted_total_variation();
      way.spent = draws_promise_up(question.budget, draw, question.outputs);
    } catch (const InvalidInput& refused) {
      way.why = refused.what();
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    const auto draws = static_cast<double>(question.outputs);
    switch (unknown) {
      case PlanUnknown::kOutcomes:
        return {1, static_cast<double>(Band::kMostOutcomes)};
      case PlanUnknown::kEpsilon:
        return {ExpBound::kGreatestEpsilon * draws, ExpBound::kLeastEpsilon * draws};
      default:
        return {
            1, std::clamp(std::floor(question.budget.epsilon / ExpBound::kLeastEpsilon), 1.0, 1e8)};
    }
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown != PlanUnknown::kAlpha && unknown != PlanUnknown::kOutcomes &&
        unknown != PlanUnknown::kEpsilon && unknown != PlanUnknown::kOutputs) {
      throw InvalidInput(fmt::format("a plan of model {} has no unknown {}",
                                     name_of(question.model), name_of(unknown)));
    }
    if (unknown == PlanUnknown::kOutcomes && space_) {
      throw InvalidInput("the domain says how many outcomes there are, so k is no unknown");
    }
    double value = 1;
    if (unknown == PlanUnknown::kEpsilon) value = static_cast<double>(question.outputs);
    const PlanQuestion easy = with(question, unknown, value);
    static_cast<void>(risk_of(easy, reference_of(easy), draw_of(easy).epsilon));
  }

  [[nodiscard]] std::string subject(PlanUnknown, const PlanQuestion& question) const override {
    const char* what = kind_ == SpaceKind::kGrid         ? "cells"
                       : kind_ == SpaceKind::kCandidates ? "candidates"
                                                         : "outcomes";
    const Privacy draw = draw_of(question);
    return fmt::format(
        "{} over {} {}, epsilon {:g} in all, {:.6g} for each of {} draw{} of a unit, "
        "whatever the data",
        name_of(chosen_mechanism(question.local, false, kind_)), reference_of(question).outcomes(),
        what, draws_promise_up(question.budget, draw, question.outputs).epsilon, draw.epsilon,
        question.outputs, question.outputs == 1 ? "" : "s");
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const ReferenceMasses reference = reference_of(whole);
    const Privacy draw = draw_of(whole);
    const double total = draws_promise_up(whole.budget, draw, whole.outputs).epsilon;
    const WorstCaseRisk risk = risk_of(whole, reference, draw.epsilon);
    const std::string promise = fmt::format(
        "no event, and no decision taken later on the output, has its probability changed by more "
        "than a factor e^{:g} = {:.4g} by any data at all",
        total, std::exp(total));
    const char* no_promise = "membership without a roster of units; timing";
    Json& facts = answer.facts;
    facts["mechanism"] = answer.ways.front().mechanism;
    facts["space"] = name_of(kind_);
    facts["outcomes"] = reference.outcomes();
    facts["count"] = whole.outputs;
    facts["epsilon_total"] = total;
    facts["epsilon_per_draw"] = draw.epsilon;
    facts["lower_factor"] = risk.lower_factor;
    facts["largest_lift"] = risk.largest_lift;
    facts["kl_spread"] = draw.epsilon;
    facts["risk"] = divergence_json(risk.risk);
    facts["attained"] = risk.attained;
    facts["promised"] = promise;
    facts["not_promised"] = no_promise;
    answer.lines = fmt::format(
        "\npromised: {}\nnot promised: {}\n\n"
        "whatever the data, an outcome is released with {:.4g} to {:.4g} times its reference "
        "mass\n"
        // [Husain et al. 2019, Lemmas 17 and 18].
        "Kullback-Leibler divergences of any P from two such laws differ by at most {:.4g}: if one "
        "is near, all are\n",
        promise, no_promise, risk.lower_factor, risk.largest_lift, draw.epsilon);
    if (region_mass_) {
      const RegionBounds bounds =
          region_bounds(risk.lower_factor, risk.largest_lift, *region_mass_);
      facts["region"] = {{"reference_mass", *region_mass_},
                         {"at_least", bounds.at_least},
                         {"at_most", bounds.at_most}};
      answer.lines += fmt::format(
          "the region has reference mass {:.4g} and is released with {:.4g} to {:.4g}\n",
          *region_mass_, bounds.at_least, bounds.at_most);
    }
    answer.lines += fmt::format("worst case: {}{}\n\n", risk.risk.text(),
                                risk.attained ? "" : " (an upper bound)");
    tell_changes(whole, reference, draw.epsilon, answer);
  }

 private:
  /// What a larger epsilon, fewer outcomes or a better reference would buy.
  void tell_changes(const PlanQuestion& whole, const ReferenceMasses& reference, double epsilon,
                    PlanAnswer& answer) const {
    answer.lines += fmt::format("{:<20} {:>8} {:>9} {:>12} {:>16}\n", "", "epsilon", "outcomes",
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
      const WorstCaseRisk risk = risk_of(whole, masses, of_draw);
      add(change, masses, of_draw, risk.largest_lift, risk.quoted_total_variation());
    };
    add_risk("as asked", reference, epsilon);
    if (2 * epsilon <= ExpBound::kGreatestEpsilon) {
      add_risk("epsilon doubled", reference, 2 * epsilon);
    }
    // Constants of a class hold around the merged reference as well; all distributions are those of
    // the smaller domain.
    if (kind_ == SpaceKind::kCategories && reference.outcomes() > 1) {
      add_risk("half the outcomes", reference.merged_in_pairs(), epsilon);
    }
    // P = h lies in the band, so it is released as it is; the room to lift is still there.
    add("a perfect reference", reference, epsilon, risk_of(whole, reference, epsilon).largest_lift,
        0);
  }

  [[nodiscard]] double mass_of(const std::vector<std::string>& region) const {
    if (!space_) return stated_mass(region);
    if (kind_ == SpaceKind::kCandidates) {
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
    return Privacy::pure(ExpBound(draw.epsilon).epsilon());
  }
  [[nodiscard]] ReferenceMasses reference_of(const PlanQuestion& question) const {
    if (!masses_.empty()) return ReferenceMasses::given(masses_);
    return ReferenceMasses::uniform(space_ ? space_->size() : question.outcomes);
  }
  [[nodiscard]] WorstCaseRisk risk_of(const PlanQuestion& question,
                                      const ReferenceMasses& reference, double epsilon) const {
    const auto& band = question.local.band;
    if (band && (band->typical || !band->file.empty())) {
      throw InvalidInput(fmt::format(
          "band {} is found when a release is prepared; here say where it lies, location=B",
          to_text(*band)));
    }
    MechanismParameters parameters = mechanism_parameters(
        question.local, false, kind_, space_ ? space_->size() : question.outcomes, masses_);
    parameters.epsilon = epsilon;
    validate_parameters(parameters);
    return band_risk(parameters, reference, epsilon);
  }

  std::optional<ReleaseSpace> space_;
  SpaceKind kind_ = SpaceKind::kCategories;
  std::vector<double> masses_;
  std::optional<double> region_mass_;
};

}  // namespace

std::unique_ptr<const PlanModel> local_plan_model(const PlanQuestion& question,
                                                  const PublicInputs* inputs) {
  return std::make_unique<LocalPlan>(question, inputs);
}

}  // namespace mollify
