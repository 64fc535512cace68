#include <limits>

#include <fmt/format.h>

#include "central/moment_design.h"
#include "kernel/core/invalid_input.h"
#include "release/certificate.h"
#include "release/plan_model.h"

namespace mollify {
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
    switch (unknown) {
      case PlanUnknown::kDimension:
        return {1, kMostSharedDimension};
      case PlanUnknown::kEpsilon:
        return {100, 1e-6};
      case PlanUnknown::kRho:
        return {1000, 1e-12};
      case PlanUnknown::kDelta:
        return {0.5, 1e-100};
      default:
        return {static_cast<double>(kMostPlannedRecords), 1};
    }
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
        "  {} if half of every column's range is {} of its standard deviations (with --log, of the "
        "logarithms)\n  {}\n"
        "  accuracy rests on the data being Gaussian; privacy rests on no assumption\n"
        "  columns that are skewed or mostly one value keep their own law with --family marginals "
        "--copula\n",
        way.alpha, way.details["condition"].get<std::string>(), errors, ranges, way.why);
  }
};

}  // namespace

std::unique_ptr<const PlanModel> shared_gaussian_plan_model() {
  return std::make_unique<SharedGaussianPlan>();
}

}  // namespace mollify
