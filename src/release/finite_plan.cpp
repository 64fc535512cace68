#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/monotone_search.h"
#include "accounting/privacy_blanket.h"
#include "accounting/shuffle_closed_form.h"
#include "accounting/shuffled_response.h"
#include "accounting/subset_blanket.h"
#include "central/central_design.h"
#include "central/poisson_sampler.h"
#include "kernel/core/band.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "release/plan_model.h"

namespace mollify {
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
      default:
        return {1, static_cast<double>(question.records)};
    }
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

}  // namespace mollify
