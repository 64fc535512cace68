#include "release/central_plan.h"

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
#include "central/poisson_sampler.h"
#include "kernel/core/band.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr std::array kPlanned = {CentralMechanism::kSubsampledRr, CentralMechanism::kSubsetRr,
                                 CentralMechanism::kPoissonRr, CentralMechanism::kHistogram};

/// What poisson-rr adds to its total variation, at most.
constexpr double kRareEvents = 1e-12;
constexpr double kLeastDelta = 1e-100;
constexpr double kGreatestDelta = 0.5;

/// One mechanism's total variation as a function of the unknown.
class CentralProblem {
 public:
  CentralProblem(CentralMechanism mechanism, PlanUnknown unknown, const CentralQuestion& question)
      : mechanism_(mechanism), unknown_(unknown), question_(question) {}

  /// Infinite where the mechanism refuses; keeps why.
  double alpha_at(double value) {
    answer_ = {mechanism_, std::nullopt, 1, ""};
    try {
      answer_.design = design_central(mechanism_, with(question_.request, unknown_, value));
    } catch (const InvalidInput& refused) {
      answer_.refusal = refused.what();
      return std::numeric_limits<double>::infinity();
    }
    return answer_.alpha = alpha_of(*answer_.design, question_.strong);
  }
  bool serves(double value) { return measure(value) <= question_.alpha; }

  /// At most alpha exactly where the mechanism serves. For those that rest on shuffling it is alpha
  /// times the delta of the reports that alpha needs over the delta that may be spent, which is one
  /// evaluation where a design is an inversion.
  double measure(double value) {
    const CentralRequest request = with(question_.request, unknown_, value);
    const double m = static_cast<double>(request.outputs);
    if (mechanism_ != CentralMechanism::kSubsetRr && mechanism_ != CentralMechanism::kPoissonRr) {
      return alpha_at(value);
    }
    if (!(request.budget.delta > 0) || request.outputs > request.records) {
      return std::numeric_limits<double>::infinity();
    }
    // A little less, for what integers and inversions round.
    const double alpha =
        (question_.strong ? question_.alpha / m : question_.alpha) * (1 - 1e-7) - kRareEvents;
    const double others = static_cast<double>(request.outcomes) - 1;
    const double odds = alpha > 0 ? others * (1 / alpha - 1) : std::numeric_limits<double>::max();
    if (!(odds > 1)) return 0;
    const double epsilon0 = std::log(odds);
    if (epsilon0 > ExpBound::kGreatestEpsilon) return std::numeric_limits<double>::infinity();
    const double delta = delta_of(request, epsilon0);
    return question_.alpha * (delta / request.budget.delta);
  }

  /// What the last evaluation found, if it serves, or why not.
  CentralAnswer answer(double value) {
    if (!(alpha_at(value) <= question_.alpha)) {
      if (answer_.refusal.empty()) {
        answer_.refusal = fmt::format("no {} up to {:g} gives a total variation of {:g}",
                                      name_of(unknown_), value, question_.alpha);
      }
      answer_.design.reset();
    }
    return answer_;
  }

 private:
  double delta_of(const CentralRequest& request, double epsilon0) const {
    const auto& [records, outcomes, outputs, budget] = request;
    if (mechanism_ == CentralMechanism::kSubsetRr) {
      return subset_blanket({records, outputs, outcomes, epsilon0}, budget.epsilon, budget.delta)
          .upper;
    }
    const std::optional<double> rate = poisson_rate_for(records, outputs, kRareEvents);
    if (!rate) return std::numeric_limits<double>::infinity();
    return privacy_blanket({records, outcomes, epsilon0, *rate}, budget.epsilon, budget.delta)
        .upper;
  }

  CentralMechanism mechanism_;
  PlanUnknown unknown_;
  CentralQuestion question_;
  CentralAnswer answer_{};
};

/// The end of [easy, hard] next to where the mechanism stops to serve. Whole numbers if `whole`.
CentralAnswer solve(CentralProblem problem, PlanUnknown unknown, double target, double easy,
                    double hard) {
  const bool whole = is_whole(unknown);
  if (problem.serves(hard)) return problem.answer(hard);
  if (!problem.serves(easy)) return problem.answer(easy);
  const auto at = [whole](double logarithm) {
    const double value = std::exp(logarithm);
    return whole ? std::round(value) : value;
  };
  const Crossing found = narrow(
      {std::log(easy), std::log(hard)}, target,
      [&](double logarithm) { return problem.measure(at(logarithm)); },
      [&](const Crossing& now) {
        return std::abs(now.above - now.at_most) < 1e-7 ||
               (whole && std::abs(at(now.above) - at(now.at_most)) <= 1);
      });
  double serves = std::clamp(at(found.at_most), std::min(easy, hard), std::max(easy, hard));
  const double fails = std::clamp(at(found.above), std::min(easy, hard), std::max(easy, hard));
  if (whole) {
    serves = last_that_serves(unknown, {serves, fails},
                              [&](double value) { return problem.serves(value); });
  }
  return problem.answer(serves);
}

CentralAnswer solve(CentralMechanism mechanism, PlanUnknown unknown,
                    const CentralQuestion& question) {
  CentralProblem problem(mechanism, unknown, question);
  const double alpha = question.alpha;
  const double m = static_cast<double>(question.request.outputs);
  switch (unknown) {
    case PlanUnknown::kRecords:
      return solve(problem, unknown, alpha, static_cast<double>(kMostPlannedRecords),
                   std::max(m, 1.0));
    case PlanUnknown::kOutcomes:
      return solve(problem, unknown, alpha, 1, static_cast<double>(Band::kMostOutcomes));
    case PlanUnknown::kEpsilon:
      return solve(problem, unknown, alpha, ExpBound::kGreatestEpsilon, ExpBound::kLeastEpsilon);
    case PlanUnknown::kDelta:
      if (problem.serves(0)) return problem.answer(0);
      return solve(problem, unknown, alpha, kGreatestDelta, kLeastDelta);
    case PlanUnknown::kOutputs:
      return solve(problem, unknown, alpha, 1, static_cast<double>(question.request.records));
    default:
      break;
  }
  CentralQuestion any = question;
  any.alpha = std::numeric_limits<double>::infinity();
  problem = CentralProblem(mechanism, unknown, any);
  problem.alpha_at(0);
  return problem.answer(0);
}

bool is_better(PlanUnknown unknown, const CentralAnswer& a, const CentralAnswer& b) {
  const double one = value_of(unknown, a), other = value_of(unknown, b);
  const bool more = unknown == PlanUnknown::kOutcomes || unknown == PlanUnknown::kOutputs;
  return more ? one > other : one < other;
}

/// A question with an answer by construction in place of the unknown, to be refused if the rest is
/// wrong.
void require_answerable(PlanUnknown unknown, const CentralQuestion& question) {
  if (unknown == PlanUnknown::kDimension || unknown == PlanUnknown::kRho) {
    throw InvalidInput(fmt::format("a plan of finite samples has no unknown {}", name_of(unknown)));
  }
  require_alpha(unknown, question.alpha);
  CentralRequest request = question.request;
  if (unknown == PlanUnknown::kRecords) {
    request.records = std::max<std::uint64_t>(request.outputs, 1);
  } else {
    request = with(request, unknown, unknown == PlanUnknown::kDelta ? 0 : 1);
  }
  design_central(CentralMechanism::kSubsampledRr, request);
}

}  // namespace

std::span<const CentralMechanism> planned_mechanisms() { return kPlanned; }

CentralQuestion answered(PlanUnknown unknown, CentralQuestion question,
                         const CentralAnswer& answer) {
  question.request = with(question.request, unknown, value_of(unknown, answer));
  if (unknown == PlanUnknown::kAlpha) question.alpha = answer.alpha;
  return question;
}

double value_of(PlanUnknown unknown, const CentralAnswer& answer) {
  const CentralDesign& design = *answer.design;
  const CentralRequest request{.records = design.records,
                               .outcomes = design.outcomes,
                               .outputs = design.outputs.value_or(0),
                               .budget = design.guarantee};
  return value_in(request, unknown, answer.alpha);
}

double alpha_of(const CentralDesign& design, bool strong) {
  if (!strong) return design.total_variation_up;
  return std::nextafter(design.total_variation_up * static_cast<double>(design.outputs.value_or(1)),
                        2.0);
}

std::vector<CentralAnswer> plan(PlanUnknown unknown, const CentralQuestion& question) {
  require_answerable(unknown, question);
  std::vector<CentralAnswer> answers;
  answers.reserve(kPlanned.size());
  for (const CentralMechanism mechanism : kPlanned) {
    answers.push_back(solve(mechanism, unknown, question));
  }
  return answers;
}

std::optional<std::size_t> best_answer(PlanUnknown unknown,
                                       const std::vector<CentralAnswer>& answers) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].design || !answers[i].design->independent_outputs) continue;
    if (!best || is_better(unknown, answers[i], answers[*best])) best = i;
  }
  return best;
}

double records_lower_bound_order(const CentralQuestion& question) {
  const CentralRequest& request = question.request;
  const double single =
      static_cast<double>(request.outcomes) / (question.alpha * request.budget.epsilon);
  return question.strong ? single * std::sqrt(static_cast<double>(request.outputs)) : single;
}

double papers_subsampled_records(const CentralQuestion& question) {
  const CentralRequest& request = question.request;
  const double m = static_cast<double>(request.outputs);
  const double alpha = question.strong ? question.alpha / m : question.alpha;
  return std::ceil(m * (static_cast<double>(request.outcomes) - 1) /
                   (alpha * request.budget.epsilon));
}

std::optional<std::uint64_t> papers_shuffled_records(const CentralQuestion& question) {
  const CentralRequest& request = question.request;
  if (request.outcomes < 2 || !(request.budget.delta > 0)) return std::nullopt;
  const double alpha =
      question.strong ? question.alpha / static_cast<double>(request.outputs) : question.alpha;
  // (k - 1)/(E0 + k - 1) = alpha.
  const double odds = (static_cast<double>(request.outcomes) - 1) * (1 / alpha - 1);
  if (!(odds > 1)) return 1;
  const auto serves = [&](std::uint64_t records) {
    const auto epsilon = shuffle_closed_form_epsilon(records, request.outcomes, std::log(odds),
                                                     request.budget.delta);
    return epsilon && *epsilon <= request.budget.epsilon;
  };
  if (std::log(odds) > kGreatestReportEpsilon) return std::nullopt;
  return least_whole(1, kMostPlannedRecords, serves);
}

std::vector<CurvePoint> curve(const CentralQuestion& question) {
  std::vector<CurvePoint> points;
  for (const std::uint64_t records :
       curve_records(question.request.records, question.request.outputs)) {
    CurvePoint point{records, {}, std::nullopt};
    CentralQuestion here = question;
    here.request.records = records;
    std::vector<CentralAnswer> answers;
    answers.reserve(kPlanned.size());
    for (const CentralMechanism mechanism : kPlanned) {
      const CentralAnswer& answer =
          answers.emplace_back(solve(mechanism, PlanUnknown::kAlpha, here));
      point.alphas.push_back(answer.design ? std::optional(answer.alpha) : std::nullopt);
    }
    point.best = best_answer(PlanUnknown::kAlpha, answers);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace mollify
