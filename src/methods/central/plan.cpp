// Plans of finite samples.
#include "release/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "accounting/shuffling.h"
#include "base/directed_rounding.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "methods/central/design.h"
#include "methods/central/method.h"
#include "methods/central/support.h"
#include "methods/divergence/f_divergence.h"
#include "release/spec.h"

namespace mollify {

Privacy half_of(const Privacy& budget) {
  return Privacy::approximate(budget.epsilon / 2, budget.delta / 2);
}

bool has_size(const SupportHint& hint) { return row_of(hint.kind).width != nullptr; }

void require_delta_of_hint(double delta) {
  if (delta > 0) return;
  refuse_missing("delta", fmt::format("{} needs one above 0", flag_words("support")));
}

namespace {

constexpr double kGreatestDelta = 0.5;

/// The one that is asked for; or all, without second names and without those for bits, and last
/// those that release a report of every record.
std::vector<CentralMechanism> planned_mechanisms(const CentralQuestion& question) {
  if (question.mechanism) return {*question.mechanism};
  if (question.weights) return {CentralMechanism::kHistogram};
  std::vector<CentralMechanism> found;
  for (const auto& [mechanism, name] : names<CentralMechanism>()) {
    const CentralRow& row = row_of(mechanism);
    if (!row.is_for_bits && !row.is_second_name(false)) found.push_back(mechanism);
  }
  std::stable_partition(found.begin(), found.end(),
                        [](CentralMechanism one) { return !row_of(one).reports_all; });
  return found;
}

CentralRequest request_of(const PlanQuestion& question) {
  CentralRequest request{question.records, question.outcomes, question.outputs, question.budget};
  if (const auto& weights = own_of<CentralQuestion>(question).weights) {
    request.records = weights->effective(question.records);
    request.greatest_weight = weights->steps();
  }
  return request;
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

/// A question with a hint: half of the budget finds the support, and half draws from it.
struct PlannedSupport {
  SupportFinder finder;
  SupportFinder::Expected expected;
  double besides = 0;  ///< the part of alpha that is not the draw's
  PlanQuestion draw;   ///< the draw's share: its outcomes, budget and alpha
};

SupportFinder planned_finder(const PlanQuestion& question, const Privacy& half) {
  const auto& own = own_of<CentralQuestion>(question);
  return {*own.support, own.domain_size, question.records, half.epsilon, half.delta};
}

/// None without a hint. Throws InvalidInput where too few records are there to find a support.
std::optional<PlannedSupport> planned_support(const PlanQuestion& question) {
  if (!own_of<CentralQuestion>(question).support) return std::nullopt;
  require_delta_of_hint(question.budget.delta);
  const Privacy half = half_of(question.budget);
  const SupportFinder finder = planned_finder(question, half);
  const SupportFinder::Expected expected = finder.expected(question.outcomes);
  const double outputs = question.strong ? static_cast<double>(question.outputs) : 1;
  PlannedSupport planned{finder, expected,
                         add_up(mul_up(outputs, expected.outside), expected.failure), question};
  if (question.records < expected.records) {
    refuse_input("too-few-records", "n",
                 "half of the budget finds a support from {} on, but there are {}",
                 counted(expected.records, "record"), question.records);
  }
  refuse_if(planned.besides >= 1, "too-few-records", "n",
            "the support that is found may miss all records");
  planned.draw.budget = half;
  planned.draw.outcomes = expected.size;
  planned.draw.alpha -= planned.besides;
  return planned;
}

/// Records of the papers' searches, up to a factor: k ln(1/(beta delta))/epsilon (Lemma 28), and
/// k ln(k/(beta delta))/(alpha epsilon) for all outcomes of mass alpha/k (Lemma 29).
double papers_search_order(const PlannedSupport& planned, const PlanQuestion& question) {
  const SupportHint& hint = *own_of<CentralQuestion>(question).support;
  const Privacy& half = planned.draw.budget;
  const double miss = SupportFinder::kMiss * half.delta;
  const auto outcomes = static_cast<double>(question.outcomes);
  const SupportRow& row = row_of(hint.kind);
  if (row.finds_outcomes) {
    return outcomes * std::log(outcomes / miss) / (question.alpha * half.epsilon);
  }
  return (row.k != nullptr ? row.k(hint.parameter) : outcomes) * -std::log(miss) / half.epsilon;
}

}  // namespace

double records_lower_bound_order(const PlanQuestion& question) {
  constexpr std::uint64_t kMostComputed = 10'000;
  const auto m = static_cast<double>(question.outputs);
  double alpha = std::min(question.alpha, 1.0);
  if (question.strong) {
    alpha = question.outputs <= kMostComputed ? single_total_variation_most(question.outputs, alpha)
                                              : alpha * std::sqrt(std::numbers::pi / (2 * m));
  }
  return static_cast<double>(question.outcomes) / (alpha * question.budget.epsilon);
}

double papers_subsampled_records(const PlanQuestion& question) {
  // Less by the rounding of its three operations, so that a whole number stays what it is.
  const double of_a_run = (static_cast<double>(question.outcomes) - 1) /
                          (single_alpha(question) * question.budget.epsilon) * (1 - 0x1p-50);
  return static_cast<double>(question.outputs) * std::max(1.0, std::ceil(of_a_run));
}

std::optional<std::uint64_t> papers_shuffled_records(const PlanQuestion& question) {
  if (question.outcomes < 2 || !(question.budget.delta > 0)) return std::nullopt;
  // (k - 1)/(E0 + k - 1) = alpha.
  const double odds =
      (static_cast<double>(question.outcomes) - 1) * (1 / single_alpha(question) - 1);
  const std::uint64_t reports = std::max<std::uint64_t>(question.outputs, 1);
  if (!(odds > 1)) return reports;
  if (std::log(odds) > kGreatestReportEpsilon) return std::nullopt;
  return least_whole(reports, kMostPlannedRecords, [&](std::uint64_t records) {
    const auto epsilon = shuffle_closed_form_epsilon(records, question.outcomes, std::log(odds),
                                                     question.budget.delta);
    return epsilon && *epsilon <= question.budget.epsilon;
  });
}

namespace {

class FinitePlan final : public PlanModel {
 public:
  explicit FinitePlan(const CentralQuestion& question) : planned_(planned_mechanisms(question)) {}

  [[nodiscard]] std::size_t mechanisms() const override { return planned_.size(); }

  [[nodiscard]] PlanWay at(std::size_t mechanism, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = std::string(name_of(planned_[mechanism])),
                .alpha = std::numeric_limits<double>::infinity()};
    try {
      const auto planned = planned_support(question);
      const CentralDesign design =
          design_central(planned_[mechanism], request_of(planned ? planned->draw : question));
      way.alpha = alpha_of(design, question.strong);
      way.noise = replacement_error(question.outcomes, design.total_variation_up);
      way.spent = design.guarantee;
      if (planned) {
        way.details["draw"] = std::min(1.0, way.alpha);
        way.alpha = add_up(way.alpha, planned->besides);
        way.noise = replacement_error(own_of<CentralQuestion>(question).domain_size,
                                      design.total_variation_up);
        way.spent = composed_up(std::array{planned->draw.budget, design.guarantee});
      }
      way.independent_outputs = design.independent_outputs;
      way.why = design.why;
      way.details["delta"] = design.guarantee.delta;
      if (design.epsilon0) way.details["epsilon0"] = *design.epsilon0;
      if (design.rate < 1) way.details["rate"] = design.rate;
    } catch (const InvalidInput& refused) {
      way.why = refused;
    }
    return way;
  }

  [[nodiscard]] double measure(std::size_t mechanism, const PlanQuestion& question) const override {
    return measured(mechanism, question, false);
  }

  /// Bounds on the mass of rare states take many nodes, and so do those where most of the many
  /// outcomes are a report's. A search asks for some forty, a curve is eleven plans; for few
  /// records each is quick.
  [[nodiscard]] std::string what_takes_long(const PlanQuestion& question) const override {
    constexpr double kRare = 1e-30;
    constexpr double kManySteps = 2e-5;  // of ds-roo
    constexpr std::uint64_t kMany = std::uint64_t{1} << 16U;
    constexpr std::uint64_t kManyForCurve = std::uint64_t{1} << 14U;
    const double delta = question.budget.delta;
    const bool is_found = std::any_of(question.unknowns.begin(), question.unknowns.end(),
                                      [](PlanUnknown one) { return one != PlanUnknown::kAlpha; });
    const double epsilon = question.budget.epsilon;
    if (epsilon > 0 && epsilon < kManySteps) {
      return fmt::format("planning at epsilon {}", detail::shortest(epsilon));
    }
    if (!(delta > 0)) return "";
    if (question.curve && (delta < kRare || question.records > kManyForCurve)) {
      return fmt::format("a curve at delta {}", detail::shortest(delta));
    }
    if (!(is_found || question.curve) || question.outcomes < kMany) return "";
    return fmt::format("a search with {} outcomes", question.outcomes);
  }

  /// From two errors about the greatest one that differ by more than designs find it to; by the
  /// design itself where it lies between them.
  [[nodiscard]] std::optional<bool> is_more_than_noise(
      const PlanQuestion& question, const std::string& mechanism) const override {
    constexpr double kNear = 1e-6;
    if (own_of<CentralQuestion>(question).support) return std::nullopt;
    PlanQuestion asked = question;
    const double most =
        ReleaseError::kMostlyNoise * replacement_error(question.outcomes, 1).reference;
    const auto is_within = [&](std::size_t i, double part) {
      asked.alpha = most * part;
      return measured(i, asked, true) <= asked.alpha;
    };
    std::vector<std::size_t> near;
    for (std::size_t i = 0; i < mechanisms(); ++i) {
      const CentralRow& row = row_of(planned_[i]);
      const bool is_asked = mechanism.empty()
                                ? !row.is_second_name(question.outputs == question.records)
                                : name_of(row.mechanism) == mechanism;
      if (!is_asked || !is_within(i, 1 + kNear)) continue;
      if (mechanism.empty() && !row.is_randomized_response && !at(i, question).independent_outputs)
        continue;
      if (is_within(i, 1 - kNear)) return true;
      near.push_back(i);
    }
    return std::any_of(near.begin(), near.end(), [&](std::size_t i) {
      const PlanWay way = at(i, question);
      return way.noise && !way.noise->is_mostly_noise();
    });
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    switch (unknown) {
      case PlanUnknown::kRecords:
        return {static_cast<double>(own_of<CentralQuestion>(question).support
                                        ? SupportFinder::kMostIntegers
                                        : kMostPlannedRecords),
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
      refuse_unknown(question.method, unknown);
    }
    // An answer by construction in place of the unknown, to be refused if the rest is wrong.
    double value = unknown == PlanUnknown::kDelta ? 0 : 1;
    if (unknown == PlanUnknown::kRecords) {
      value = static_cast<double>(std::max<std::uint64_t>(question.outputs, 1));
    }
    const PlanQuestion whole = with(question, unknown, value);
    static_cast<void>(design_central(planned_.front(), request_of(whole)));
    if (!own_of<CentralQuestion>(question).support) return;
    if (unknown != PlanUnknown::kDelta) require_delta_of_hint(question.budget.delta);
    static_cast<void>(planned_finder(whole, Privacy::approximate(whole.budget.epsilon / 2, 0.1)));
  }

  [[nodiscard]] std::string subject(PlanUnknown unknown, const PlanQuestion& whole) const override {
    const auto& support = own_of<CentralQuestion>(whole).support;
    if (!support) return PlanModel::subject(unknown, whole);
    PlanQuestion counted = whole;
    // How many there are follows from the hint, whatever the budget.
    if (has_size(*support)) {
      counted.outcomes = planned_finder(whole, Privacy::approximate(1, 0.1)).expected(1).size;
    }
    return fmt::format("support {}, {}", to_text(*support), PlanModel::subject(unknown, counted));
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    if (planned_.size() == 1) answer.facts["mechanism"] = name_of(planned_.front());
    const auto planned = planned_support(whole);
    if (planned) tell_support(*planned, whole, answer);
    if (const auto& weights = own_of<CentralQuestion>(whole).weights) {
      tell_weights(*weights, answer);
      return;
    }
    const PlanQuestion& draw = planned ? planned->draw : whole;
    const double order = records_lower_bound_order(draw);
    const double subsampled = papers_subsampled_records(draw);
    const auto shuffled = papers_shuffled_records(draw);
    answer.facts["records_lower_bound_order"] = order;
    answer.facts["papers_records"] = {{"subsampled-rr", subsampled}};
    answer.facts["papers_records"]["shuffled-rr"] = shuffled ? Json(*shuffled) : Json(nullptr);
    answer.lines += fmt::format(
        "best: {}\n"
        "what any mechanism needs grows like {}, here {:.4g} records times a factor that is not "
        "known\n"
        "the papers ask for {:.4g} records with subsampled-rr{}\n",
        answer.ways[*answer.best].why.text,
        whole.strong
            ? fmt::format("k/(a epsilon), a = {:.4g} being the most for each output",
                          static_cast<double>(draw.outcomes) / (order * draw.budget.epsilon))
            : "k/(alpha epsilon)",
        order, subsampled, shuffled ? fmt::format(" and {} with shuffled-rr", *shuffled) : "");
    const Privacy& budget = whole.budget;
    if (budget.notion != PrivacyNotion::kPure) return;
    // [Husain et al. 2019, Lemma 18], whose chain of data sets changes one record after the other,
    // and the same turned round. Of all outputs together.
    const double spread = mul_up(integer_up(whole.records), budget.epsilon);
    answer.facts["kl_spread"] = spread;
    answer.lines += fmt::format(
        "Kullback-Leibler divergences of any P from the laws of two data sets of {0} differ by at "
        "most {0} epsilon = {1:.4g}: if one is within d of P, all are within d + {1:.4g}; if one "
        "is D away, all are at least D - {1:.4g} away\n",
        whole.records, spread);
  }

 private:
  /// For what depends on shuffling it is alpha times the delta of the reports that alpha needs over
  /// the delta that may be spent, which is one evaluation where a design is an inversion.
  [[nodiscard]] double measured(std::size_t mechanism, const PlanQuestion& question,
                                bool only_decides) const {
    const CentralRow& row = row_of(planned_[mechanism]);
    if (row.spent == nullptr) return at(mechanism, question).alpha;
    if (!(question.budget.delta > 0) || question.outputs > question.records) {
      return std::numeric_limits<double>::infinity();
    }
    PlanQuestion draw = question;
    try {
      if (const auto planned = planned_support(question)) draw = planned->draw;
    } catch (const InvalidInput&) {
      return std::numeric_limits<double>::infinity();
    }
    const double none = std::numeric_limits<double>::infinity();
    if (row.reports_all && draw.outputs != draw.records) return none;
    CentralDesign design;
    design.records = draw.records;
    design.outcomes = draw.outcomes;
    design.outputs = draw.outputs;
    design.guarantee = draw.budget;
    if (planned_[mechanism] == CentralMechanism::kPoissonRr) {
      const auto rate = poisson_rate_for(draw.records, draw.outputs, kShortfall);
      if (!rate) return none;
      design.rate = *rate;
    }
    // A little less, for the rounding of integers and inversions.
    const double alpha = single_alpha(draw) * (1 - 1e-7) - kShortfall;
    const double others = static_cast<double>(draw.outcomes) - 1;
    const double odds = alpha > 0 ? others * (1 / alpha - 1) : std::numeric_limits<double>::max();
    if (!(odds > 1)) return 0;
    design.epsilon0 = std::log(odds);
    if (*design.epsilon0 > ExpBound::kGreatestEpsilon) return none;
    return question.alpha * (row.spent(design, only_decides) / draw.budget.delta);
  }

  static void tell_weights(const WeightColumn& weights, PlanAnswer& answer) {
    const double greatest = weights.most();
    answer.facts["weights"] = {{"greatest", greatest},
                               {"step", weights.grid()},
                               {"sensitivity", 2 * greatest},
                               {"supposed_mean", weights.supposed_mean()}};
    answer.lines += fmt::format(
        "best: {}\n"
        "a row, or a unit, moves the histogram by {:g} in weight at most, {:g} times as much as "
        "without weights\n"
        "this supposes a mean weight of {:g}; the total weight is protected\n",
        answer.ways[*answer.best].why.text, 2 * greatest, greatest, weights.supposed_mean());
  }

  static void tell_support(const PlannedSupport& planned, const PlanQuestion& whole,
                           PlanAnswer& answer) {
    const SupportFinder::Expected& expected = planned.expected;
    const SupportRow& row = row_of(own_of<CentralQuestion>(whole).support->kind);
    const double records = planned.finder.records_to_find(
        whole.outcomes, row.finds_outcomes ? std::fmin(whole.alpha, 1) : 1);
    const double order = papers_search_order(planned, whole);
    const Json& draw = answer.ways[*answer.best].details["draw"];
    answer.facts["support"] = {{"k", expected.size},           {"records_to_find", records},
                               {"papers_search_order", order}, {"draw", draw},
                               {"outside", expected.outside},  {"failure", expected.failure}};
    answer.lines = fmt::format(
        "half of the budget finds at most {} from {} on{}\n"
        "alpha is the sum of {:.4g} for the draw from them, {:.4g} for records outside and {:g} "
        "for a search that fails\n"
        "the papers' searches grow like {}, here {:.4g} records times a factor that is not known; "
        "below, k is {} and the budget half\n",
        counted(expected.size, "outcome"), counted(expected.records, "record"),
        row.finds_outcomes
            ? fmt::format(", and all of mass alpha/k or more from {:.0f} on", records)
            : "",
        draw.get<double>(), expected.outside, expected.failure, row.order, order, expected.size);
  }

  std::vector<CentralMechanism> planned_;
};

}  // namespace

std::unique_ptr<const PlanModel> finite_plan(const CentralQuestion& question) {
  return std::make_unique<FinitePlan>(question);
}

}  // namespace mollify
