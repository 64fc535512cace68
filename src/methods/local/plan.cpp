// Plans of methods local, integral and integral-model.
#include "release/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/candidates.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/local/mechanism.h"
#include "methods/local/method.h"
#include "methods/local/release.h"
#include "methods/local/typical_band.h"
#include "release/public_inputs.h"
#include "release/release_error.h"

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
  refuse_if(equals == std::string::npos || name.empty(), "malformed-text", "region",
            "region must be COLUMN=VALUE[,VALUE] for a column of the domain, but is \"{}\"", text);
  if (column == columns.end()) {
    const std::vector<std::string> known = domain.names();
    const std::string nearest = nearest_name(name, known);
    Concern concern("region");
    concern.column = name;
    refuse_input("unknown-column", concern,
                 {WayOut::set("region", nearest.empty() ? "" : nearest + text.substr(equals))},
                 "region must name a column of the domain, which has {}, but names \"{}\"{}",
                 list_words(known), name, did_you_mean(name, known));
  }
  RegionCondition condition{static_cast<std::size_t>(column - columns.begin()),
                            std::vector<bool>(column->size())};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string value = text.substr(begin, end - begin);
    const Verdict verdict = column->read(value).verdict;
    if (verdict != Verdict::kValue && verdict != Verdict::kNull) {
      Concern concern("region");
      concern.column = name;
      const std::string nearest = nearest_word(*column, value);
      const std::string meant =
          nearest.empty() ? "" : text.substr(0, begin) + nearest + text.substr(end);
      refuse_input("unknown-value", concern, {WayOut::set("region", meant)},
                   "region must have for \"{}\" {}, but has \"{}\"{}", name, column->expectation(),
                   value, did_you_mean(*column, value));
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
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (region.size() > 1 || !is_number || !(mass >= 0 && mass <= 1)) {
    refuse_input(
        is_number ? Code("out-of-range") : Code("wrong-type"), "region",
        {WayOut::set("region"), WayOut::set("domain")},
        is_number ? quantities_of(mass, {.least = 0, .most = 1}) : std::vector<Quantity>(),
        "region must be a reference mass from 0 to 1 when no domain is given, but is \"{}\"", text);
  }
  return mass;
}

/// A plan needs only the number of candidates, so it does not draw the list that a seed would give.
SpaceSpec counted_space(const Domain& domain, SpaceSpec space) {
  if (candidate_list(space_kind(domain, space), space) == CandidateList::kSeeded) {
    space.fresh = true;
  }
  return space;
}

/// The end of a search for the greatest number of outcomes, for slow mechanisms.
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
    LocalSpec& local = own_of<LocalQuestion>(question).spec;
    if (question.domain) {
      // What sample would choose from.
      const Domain declared = inputs->domain(*question.domain);
      space_.emplace(declared, counted_space(declared, local.space), local.reference, *inputs);
      local.space.kind = space_->kind();
      if (local.reference && space_->kind() != SpaceKind::kCandidates &&
          space_->kind() != SpaceKind::kModels) {
        const Domain& domain = space_->domain();
        own_of<LocalQuestion>(question).masses =
            reference_masses(*local.reference, reference_counts(*local.reference, domain, *inputs),
                             space_->kind(), domain);
        if (!in_mu_) declare_class(local, *inputs);
      }
    }
    if (space_ && local.space.kind == SpaceKind::kModels) {
      const std::vector<std::uint32_t> reference =
          local.reference ? inputs->records(local.reference->name, space_->domain())
                          : std::vector<std::uint32_t>();
      // Refuses the lists that a release refuses.
      static_cast<void>(
          PublicModels(space_->domain(), space_->size(), model_shapes(local.space), reference));
      judged_models_.emplace(judged_models(space_->domain(), space_->size(), reference));
    }
    if (space_ && local.space.kind == SpaceKind::kCandidates) {
      candidates_ = space_->candidates();
      if (local.reference) {
        constexpr std::uint64_t kMostJudged = 16384;
        candidates_ = ReferenceCandidates(space_->domain(),
                                          inputs->records(local.reference->name, space_->domain()))
                          .seeded(std::min(space_->size(), kMostJudged));
      }
    }
    kind_ = local.space.kind.value_or(SpaceKind::kCategories);
    masses_ = own_of<LocalQuestion>(question).masses;
    if (local.band && (local.band->typical || !local.band->file.empty())) find_band(local, inputs);
    if (local.channel) {
      refuse_if(inputs == nullptr, "not-available-here", "channel",
                "a channel's file needs files, but none can be read here");
      channel_ = inputs->channel(local.channel->name, outcomes_of(question));
    }
    if (const auto& region = own_of<LocalQuestion>(question).region; !region.empty()) {
      region_mass_ = mass_of(region);
    }
    if (question.every_mechanism) {
      for (const auto& known : named_mechanisms()) {
        if (!row_of(known.value).has_channel) mechanisms_.push_back(known.value);
      }
      if (local.band) {
        refuse_band_and_mechanism();
      }
      return;
    }
    mechanisms_ = {chosen_mechanism(local, in_mu_, kind_)};
    if (in_mu_ && !row_of(mechanisms_.front()).in_mu) {
      throw InvalidInput("not-for-this-budget", no_mu_words(mechanisms_.front()), "mu",
                         {WayOut::leave("mu")});
    }
  }

  [[nodiscard]] std::size_t mechanisms() const override { return mechanisms_.size(); }

  [[nodiscard]] PlanQuestion settled(std::size_t mechanism, PlanQuestion question) const override {
    if (!question.every_mechanism) return question;
    question.every_mechanism = false;
    LocalSpec& local = own_of<LocalQuestion>(question).spec;
    local.mechanism = mechanisms_[mechanism];
    local.numbers = own_numbers(mechanisms_[mechanism], local.numbers);
    return question;
  }

  [[nodiscard]] PlanWay at(std::size_t mechanism, const PlanQuestion& asked) const override {
    PlanWay way{.mechanism = std::string(name_of(mechanisms_[mechanism])),
                .alpha = std::numeric_limits<double>::infinity()};
    const PlanQuestion question = settled(mechanism, asked);
    if (searches_outcomes_ && row_of(mechanisms_[mechanism]).is_long &&
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
      const MechanismRow& row = row_of(mechanisms_[mechanism]);
      const bool linear = row.is_linear;
      way.details["linear"] = linear;
      way.noise->is_for_estimates = linear && question.method == Method::kLocal;
      if (linear) {
        way.note = fmt::format("linear: {} finds the population from all records",
                               command_words("estimate"));
      } else if (row.floor == nullptr) {
        way.note = row.law;
      }
    } catch (const InvalidInput& refused) {
      way.why = refused;
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    const auto draws = static_cast<double>(question.outputs);
    const double splits = in_mu_ ? std::pow(question.budget.mu / kLeastMu, 2)
                                 : question.budget.epsilon / ExpBound::kLeastEpsilon;
    if (unknown == PlanUnknown::kOutcomes) {
      return {1, static_cast<double>(mechanisms_.size() == 1 && row_of(mechanisms_[0]).is_long
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
      refuse_unknown(question.method, unknown);
    }
    const auto& band = own_of<LocalQuestion>(question).spec.band;
    if (unknown != PlanUnknown::kAlpha && band && (band->typical || !band->file.empty())) {
      refuse_input("no-answer", "band",
                   "band {} depends on epsilon and on the number of outcomes, so plan cannot find "
                   "{} with it: name another band",
                   to_text(*band), name_of(unknown));
    }
    if (unknown == PlanUnknown::kOutcomes && !channel_.empty()) {
      refuse_input(
          "no-answer", "channel", {WayOut::leave("channel"), WayOut::leave("alpha")},
          "plan cannot find k, because the channel has a mass for each outcome: leave out {} or {}",
          flag_words("channel"), flag_words("alpha"));
    }
    if (unknown == PlanUnknown::kOutcomes && space_) {
      refuse_input("no-answer", "domain", {WayOut::leave("domain"), WayOut::leave("alpha")},
                   "plan cannot find k, because the domain declares it: leave out {} or {}",
                   flag_words("domain"), flag_words("alpha"));
    }
    double value = 1;
    if (unknown == PlanUnknown::kEpsilon) value = static_cast<double>(question.outputs);
    const PlanQuestion easy = with(question, unknown, value);
    const Privacy draw = draw_of(easy);
    if (!question.every_mechanism) {
      static_cast<void>(risk_of(easy, reference_of(easy), draw));
    } else {
      require_between({"the number of outcomes", "k", "outcomes"}, easy.outcomes, 1,
                      Band::kMostOutcomes);
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
    const char* supposed = data_supposed(own_of<LocalQuestion>(question).spec);
    return fmt::format(
        "{} over {}, {} {} of a unit{}{}",
        name_of(chosen_mechanism(own_of<LocalQuestion>(question).spec, in_mu_, kind_)),
        counted(space_ ? space_->size() : question.outcomes, what), parameter_name(whole.notion),
        spent, *supposed == '\0' ? ", whatever the data" : supposed,
        smoothing_words(scorer_of(question)));
  }

  [[nodiscard]] std::vector<double> nulls_of_noise(const Domain&, const PlanQuestion& whole,
                                                   const PlanWay&) const override {
    const std::vector<Column>& columns = space_->domain().columns();
    std::vector<double> shares(columns.size());
    if (kind_ == SpaceKind::kModels) {
      const Privacy draw = draw_of(whole);
      const WorstCaseRisk risk = risk_of(whole, reference_of(whole), draw);
      return models_nulls(*judged_models_, space_->domain(), space_->size(),
                          models_outlook(space_->size(), risk.lower_factor, draw.epsilon));
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (columns[i].mapping().null_is_category) shares[i] = made_null(i, whole);
    }
    return shares;
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const ReferenceMasses reference = reference_of(whole);
    const Privacy draw = draw_of(whole);
    const Privacy total = draws_promise_up(whole.budget, draw, whole.outputs);
    const WorstCaseRisk risk = risk_of(whole, reference, draw);
    const Mechanism mechanism = chosen_mechanism(own_of<LocalQuestion>(whole).spec, in_mu_, kind_);
    const bool band = is_band(mechanism);
    const std::string promise = draws_promise(total, "the data").front();
    const char* no_promise =
        whole.method == Method::kLocal
            ? "who is in the data, unless a public roster lists all units; timing"
            : "timing";
    const std::string parameter(parameter_name(total.notion));
    Json& facts = answer.facts;
    facts["mechanism"] = name_of(mechanism);
    facts["space"] = name_of(kind_);
    facts["k"] = reference.outcomes();
    facts["count"] = whole.outputs;
    facts[parameter + "_total"] = total.parameter();
    facts[parameter + "_per_draw"] = draw.parameter();
    const MechanismRow& row = row_of(mechanism);
    facts["linear"] = row.is_linear;
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
      answer.lines += fmt::format("band {} lies at location={:.6g}{}\n",
                                  to_text(*own_of<LocalQuestion>(whole).spec.band), *location,
                                  file_band_ ? " about its own bounds" : "");
    }
    if (band) {
      answer.lines += lift_words(risk.lower_factor, risk.largest_lift) + "\n";
    } else if (row.is_linear) {
      answer.lines += fmt::format(
          "{}: the released records are for {}, which finds the population from all of them\n",
          row.law, command_words("estimate"));
    } else {
      answer.lines += std::string(row.law) + "\n";
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
    if (own_of<LocalQuestion>(whole).has_weights) {
      answer.lines += fmt::format("{} change nothing here: the noise does not depend on them\n",
                                  flag_words("weights"));
    }
    if (kind_ == SpaceKind::kModels) {
      const ModelsOutlook outlook =
          models_outlook(reference.outcomes(), risk.lower_factor, draw.epsilon);
      facts["best_models"] = outlook.best;
      facts["best_models_probability"] = outlook.probability;
      answer.lines +=
          outlook.words(reference.outcomes()) + "; any number of its rows costs the same\n";
      if (judged_models_) {
        const ReleaseError error = models_error(*judged_models_, reference.outcomes(), outlook);
        facts["column_error"] = error.error;
        facts["column_error_of_reference"] = error.reference;
        if (error.is_mostly_noise()) answer.warnings.push_back(models_message(error));
      }
    }
    if (band) tell_changes(whole, reference, draw.epsilon, answer);
  }

 private:
  /// Whether an outcome of the space is null in that column.
  [[nodiscard]] bool is_null(std::uint64_t outcome, std::size_t column) const {
    const Domain& domain = space_->domain();
    return domain.digit(static_cast<std::uint32_t>(outcome), column) + 1 ==
           domain.columns()[column].size();
  }

  /// The share of the reference that is null in that column, which has a null category.
  [[nodiscard]] double null_share(std::size_t column) const {
    if (kind_ == SpaceKind::kCandidates) {
      if (!candidates_) return UniformRecords(space_->domain()).null_share(column);
      const std::size_t columns = space_->domain().columns().size();
      const std::uint32_t null = space_->domain().columns()[column].size() - 1;
      std::uint64_t nulls = 0;
      for (std::size_t i = column; i < candidates_->digits().size(); i += columns) {
        if (candidates_->digits()[i] == null) ++nulls;
      }
      return static_cast<double>(nulls) / static_cast<double>(candidates_->size());
    }
    if (masses_.empty()) return 1.0 / space_->domain().columns()[column].size();
    double mass = 0;
    for (std::size_t outcome = 0; outcome < masses_.size(); ++outcome) {
      if (is_null(outcome, column)) mass += masses_[outcome];
    }
    return mass;
  }

  /// The probability that a band gives an outcome which no record has, against the reference's.
  ///
  /// It is the floor b exactly, unless the outcomes that records have, S by the reference, are too
  /// few to take the rest: b E S + b (1 - S) < 1. Then they have b E of it, and the others share
  /// 1 - b E S. As many records as kConcentration are supposed; other scorers spread theirs over all.
  [[nodiscard]] static double made_by_band(double floor, double epsilon,
                                           const ReferenceMasses& reference, ScorerKind scorer) {
    if (!row_of(scorer).counts_records) return floor;
    const std::size_t kinds = reference.is_uniform() ? 1 : reference.outcomes();
    const double each = reference.is_uniform() ? static_cast<double>(reference.outcomes()) : 1;
    double without = 0;  // the mass of outcomes without records
    for (std::size_t i = 0; i < kinds; ++i) {
      const double mass = reference.mass(i);
      without += each * mass * std::pow(1 - mass, kConcentration);
    }
    const double most = floor * std::exp(epsilon) * (1 - without);
    return most + floor * without < 1 ? (1 - most) / without : floor;
  }

  /// The share of records without a null in that column which a draw makes null there.
  ///
  /// A mixture replaces a record by the reference with one probability, and the worst case, which is
  /// known, is that of the reference's rarest outcome. Of another matrix it depends on the records:
  /// these are the reference's.
  [[nodiscard]] double made_null(std::size_t column, const PlanQuestion& whole) const {
    const ReferenceMasses reference = reference_of(whole);
    if (reference.outcomes() == 1) return 0;
    const Privacy draw = draw_of(whole);
    const Mechanism mechanism = chosen_mechanism(own_of<LocalQuestion>(whole).spec, in_mu_, kind_);
    if (is_band(mechanism)) {
      return made_by_band(risk_of(whole, reference, draw).lower_factor, draw.epsilon, reference,
                          scorer_of(whole)) *
             null_share(column);
    }
    const MechanismRow& row = row_of(mechanism);
    if (!row.has_channel && row.reference != ReferenceUse::kNeeded) {
      const double replaced =
          risk_of(whole, reference, draw).risk.tv / (1 - reference.smallest_mass());
      return replaced * null_share(column);
    }
    const auto made = make_sampler(parameters_of(whole, draw));
    std::vector<std::uint32_t> outcomes;
    std::vector<double> weights;
    for (std::uint32_t outcome = 0; outcome < made->outcome_count(); ++outcome) {
      if (is_null(outcome, column)) continue;
      outcomes.push_back(outcome);
      weights.push_back(masses_.empty() ? 1.0 : masses_[outcome]);
    }
    const Law law = made->law({outcomes, weights});
    double nulls = 0;
    for (std::uint32_t outcome = 0; outcome < made->outcome_count(); ++outcome) {
      if (is_null(outcome, column)) nulls += law.probabilities[outcome];
    }
    return nulls;
  }

  /// The gain from a larger epsilon, fewer outcomes or a better reference.
  void tell_changes(const PlanQuestion& whole, const ReferenceMasses& reference, double epsilon,
                    PlanAnswer& answer) const {
    answer.lines += fmt::format("\n{:<20} {:>8} {:>9} {:>12} {:>16}\n", "", "epsilon", "outcomes",
                                "largest lift", "worst-case TV");
    Json& table = answer.facts["table"] = Json::array();
    const auto add = [&](const char* change, const ReferenceMasses& masses, double of_draw,
                         double lift, double total_variation) {
      table.push_back({{"change", change},
                       {"epsilon_per_draw", of_draw},
                       {"k", masses.outcomes()},
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
    const auto& band = own_of<LocalQuestion>(whole).spec.band;
    if (band && (band->typical || !band->file.empty())) return;
    if (2 * epsilon <= ExpBound::kGreatestEpsilon) {
      add_risk("epsilon doubled", reference, 2 * epsilon);
    }
    // Constants of a class hold around the merged reference as well; all distributions are on the
    // smaller domain.
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
      refuse_input(
          "not-for-this-space", "region", {WayOut::leave("region")},
          "{} does not work with candidates: give the region's reference mass and {} instead",
          flag_words("region"), flag_words("k"));
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
    return own_of<LocalQuestion>(question).spec.space.scorer.value_or(
        usual_scorer(kind_, chosen_mechanism(own_of<LocalQuestion>(question).spec, in_mu_, kind_)));
  }
  /// Reads the band's file: its bounds are a reference of its own.
  void find_band(const LocalSpec& local, const PublicInputs* inputs) {
    require_placeable(local, kind_, in_mu_);
    if (local.band->typical) return;
    refuse_if(inputs == nullptr, "not-available-here", "band",
              "a band's file needs files, but none can be read here");
    file_band_ = inputs->band(local.band->file);
    masses_ = file_band_->lower;
    const double sum = std::accumulate(masses_.begin(), masses_.end(), 0.0);
    for (double& mass : masses_) mass /= sum;
  }

  /// The place of a band that has a file, or is found for its prior.
  [[nodiscard]] std::optional<double> found_location(const PlanQuestion& question,
                                                     const Privacy& draw) const {
    const auto& band = own_of<LocalQuestion>(question).spec.band;
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

  /// Those of a draw of a question with one mechanism; they refer to masses_ and channel_.
  [[nodiscard]] MechanismParameters parameters_of(const PlanQuestion& question,
                                                  const Privacy& draw) const {
    // A plan of all is asked with a reference for those that use one.
    const auto& asked = own_of<LocalQuestion>(question).spec.mechanism;
    const bool alone = asked && row_of(*asked).reference == ReferenceUse::kNone;
    const std::span<const double> masses =
        alone && mechanisms_.size() > 1 ? std::span<const double>() : masses_over(question);
    MechanismParameters parameters = mechanism_parameters(
        own_of<LocalQuestion>(question).spec, in_mu_, kind_, outcomes_of(question), masses);
    (draw.notion == PrivacyNotion::kGaussian ? parameters.mu : parameters.epsilon) =
        draw.parameter();
    if (const auto location = found_location(question, draw)) {
      parameters.numbers.location = location;
    }
    parameters.channel = channel_;
    return parameters;
  }

  /// `reference` is for bands alone.
  [[nodiscard]] WorstCaseRisk risk_of(const PlanQuestion& question,
                                      const ReferenceMasses& reference, const Privacy& draw) const {
    const MechanismParameters parameters = parameters_of(question, draw);
    validate_parameters(parameters);
    if (!is_band(parameters.mechanism)) return mechanism_risk(parameters);
    return band_risk(parameters, reference, draw.epsilon);
  }

  std::vector<Mechanism> mechanisms_;
  std::optional<ReleaseSpace> space_;
  std::optional<PublicModels> judged_models_;
  std::optional<Candidates> candidates_;  ///< some that stand for all, if they are not uniform
  SpaceKind kind_ = SpaceKind::kCategories;
  std::vector<double> masses_;
  std::vector<double> channel_;
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

}  // namespace mollify
