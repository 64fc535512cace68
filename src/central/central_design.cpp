#include "mollify/central/central_design.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mollify/accounting/directed_rounding.h"
#include "mollify/central/subset_response.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {
namespace {

void validate(const CentralRequest& request) {
  const auto& [records, outcomes, outputs, budget] = request;
  if (records < 1 || records > RandomizedResponse::kMostRecords) {
    throw InvalidInput(
        fmt::format("the number of records must be from 1 to 1099511627776, but is {}", records));
  }
  if (outcomes < 1 || outcomes > Band::kMostOutcomes) {
    throw InvalidInput(
        fmt::format("the number of outcomes must be from 1 to 16777216, but is {}", outcomes));
  }
  if (outputs < 1) throw InvalidInput("the number of outputs must be at least 1, but is 0");
  if (budget.rho) {
    if (!std::isfinite(*budget.rho) || *budget.rho <= 0) {
      throw InvalidInput(fmt::format("rho must be finite and positive, but is {}", *budget.rho));
    }
    if (budget.epsilon != 0 || budget.delta != 0) {
      throw InvalidInput("a budget is either rho or epsilon and delta, but both are given");
    }
    return;
  }
  if (!std::isfinite(budget.epsilon) || budget.epsilon <= 0) {
    throw InvalidInput(
        fmt::format("epsilon must be finite and positive, but is {}", budget.epsilon));
  }
  if (!(budget.delta >= 0 && budget.delta < 1)) {
    throw InvalidInput(
        fmt::format("delta must be at least 0 and below 1, but is {}", budget.delta));
  }
}

/// What most mechanisms begin with; throws if they cannot release so many.
CentralDesign begin(CentralMechanism mechanism, const CentralRequest& request) {
  if (request.budget.rho) {
    throw InvalidInput(
        fmt::format("mechanism {} spends epsilon and delta, but the budget is rho; mechanism "
                    "product spends rho",
                    name_of(mechanism)));
  }
  if (request.outputs > request.records) {
    throw InvalidInput(fmt::format(
        "mechanism {} releases at most as many outputs as there are records, {}, but {} are asked "
        "for",
        name_of(mechanism), request.records, request.outputs));
  }
  CentralDesign design;
  design.mechanism = mechanism;
  design.records = request.records;
  design.outcomes = request.outcomes;
  design.outputs = request.outputs;
  return design;
}

/// ln(K / L), rounded up.
double epsilon0_up(const RandomizedResponse& response) {
  return response.outcome_count() > 1 ? ln_ratio_up(response.kept(), response.other()) : 0;
}

RandomizedResponse pure_response(const CentralDesign& design) {
  return {design.outcomes, design.guarantee.epsilon, design.records, *design.outputs};
}

CentralDesign subsampled(CentralMechanism mechanism, const CentralRequest& request) {
  CentralDesign design = begin(mechanism, request);
  design.guarantee.epsilon = ExpBound(request.budget.epsilon).epsilon();
  design.epsilon0 = epsilon0_up(pure_response(design));
  design.why = fmt::format(
      "{} of {} records go through randomized response with odds 1 + (n/m)(e^epsilon - 1), the "
      "greatest that pure privacy allows it",
      request.outputs, request.records);
  return design;
}

CentralDesign unvalidated_design(CentralMechanism mechanism, const CentralRequest& request) {
  switch (mechanism) {
    case CentralMechanism::kSubsampledRr:
    case CentralMechanism::kRevealOrObscure:
      return subsampled(mechanism, request);
    default:
      throw InvalidInput(fmt::format("mechanism {} is not served", name_of(mechanism)));
  }
}

/// Total variation and independence are the sampler's to tell.
CentralDesign finished(CentralDesign design) {
  const std::unique_ptr<CentralSampler> sampler = make_central_sampler(design);
  design.total_variation_up = sampler->total_variation_up();
  design.independent_outputs = sampler->outputs_are_independent();
  return design;
}

}  // namespace

CentralDesign design_central(CentralMechanism mechanism, const CentralRequest& request) {
  validate(request);
  return finished(unvalidated_design(mechanism, request));
}

std::vector<CentralOption> central_options(const CentralRequest& request) {
  validate(request);
  std::vector<CentralOption> options;
  for (std::size_t i = 0; i < central_mechanism_names().size(); ++i) {
    CentralOption option{static_cast<CentralMechanism>(i), std::nullopt, ""};
    try {
      option.design = design_central(option.mechanism, request);
    } catch (const InvalidInput& refused) {
      option.refusal = refused.what();
    }
    options.push_back(std::move(option));
  }
  return options;
}

CentralDesign best_central_design(const CentralRequest& request) {
  std::optional<CentralDesign> best;
  std::string others;
  for (CentralOption& option : central_options(request)) {
    if (!option.design || !option.design->independent_outputs) continue;
    if (!best || option.design->total_variation_up < best->total_variation_up) {
      best = std::move(option.design);
    }
  }
  if (!best) {
    throw InvalidInput(
        fmt::format("no mechanism releases {} outputs from {} records within the budget",
                    request.outputs, request.records));
  }
  return *best;
}

std::unique_ptr<CentralSampler> make_central_sampler(const CentralDesign& design) {
  switch (design.mechanism) {
    case CentralMechanism::kSubsampledRr:
    case CentralMechanism::kRevealOrObscure: {
      const RandomizedResponse response = pure_response(design);
      if (!response.satisfies(ExpBound(design.guarantee.epsilon))) {
        throw InvalidInput("the integers of the randomized response do not keep its promise");
      }
      return std::make_unique<SubsetResponse>(response, design.records, *design.outputs,
                                              design.guarantee);
    }
    default:
      throw InvalidInput(fmt::format("mechanism {} is not served", name_of(design.mechanism)));
  }
}

}  // namespace mollify
