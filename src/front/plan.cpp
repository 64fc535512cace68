#include "mollify/plan.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "release/central_plan.h"

namespace mollify::front {
namespace {

namespace inside = ::mollify;
using Unknown = inside::PlanUnknown;

Unknown unknown_of(const PlanQuestion& question) {
  std::vector<Unknown> missing;
  const auto ask = [&](bool given, Unknown unknown) {
    if (!given) missing.push_back(unknown);
  };
  ask(question.n.has_value(), Unknown::kRecords);
  ask(question.k.has_value(), Unknown::kOutcomes);
  ask(question.epsilon || question.rho, Unknown::kEpsilon);
  ask(question.count.has_value(), Unknown::kOutputs);
  ask(question.alpha.has_value(), Unknown::kAlpha);
  if (missing.size() != 1) {
    throw InvalidInput(fmt::format(
        "one of n, k, epsilon or rho, count and alpha must be left to be found, but {} are",
        missing.size()));
  }
  if (question.rho && (question.epsilon || question.delta)) {
    throw InvalidInput("a budget is in rho or in epsilon and delta, but both are given");
  }
  return missing.front();
}

}  // namespace

Plan plan(const PlanQuestion& question) {
  const Unknown unknown = unknown_of(question);
  const inside::CentralQuestion asked{
      .request = {.records = question.n.value_or(0),
                  .outcomes = question.k.value_or(0),
                  .outputs = question.count.value_or(0),
                  .budget = question.rho
                                ? inside::Privacy::concentrated(*question.rho)
                                : inside::Privacy::approximate(question.epsilon.value_or(1),
                                                               question.delta.value_or(0))},
      .alpha = question.alpha.value_or(0),
      .strong = question.strong};
  const std::vector<inside::CentralAnswer> answers = inside::plan(unknown, asked);
  Plan found{.unknown = std::string(inside::name_of(unknown)),
             .answers = {},
             .best = inside::best_answer(unknown, answers)};
  for (const inside::CentralAnswer& answer : answers) {
    PlanAnswer told{.mechanism = std::string(inside::name_of(answer.mechanism)),
                    .value = {},
                    .alpha = answer.alpha,
                    .independent_outputs = false,
                    .why = answer.refusal};
    if (answer.design) {
      told.value = inside::value_of(unknown, answer);
      told.independent_outputs = answer.design->independent_outputs;
      told.why = answer.design->why;
    }
    found.answers.push_back(std::move(told));
  }
  return found;
}

}  // namespace mollify::front
