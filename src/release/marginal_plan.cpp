#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "kernel/core/invalid_input.h"
#include "marginals/marginal_error.h"
#include "release/certificate.h"
#include "release/plan_model.h"

namespace mollify {
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
    switch (unknown) {
      case PlanUnknown::kRecords:
        return {static_cast<double>(kMostPlannedRecords), 1};
      case PlanUnknown::kEpsilon:
        return {100, 1e-6};
      default:
        return {1000, 1e-12};
    }
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown != PlanUnknown::kRecords && unknown != PlanUnknown::kEpsilon &&
        unknown != PlanUnknown::kRho && unknown != PlanUnknown::kAlpha) {
      throw InvalidInput(
          fmt::format("a plan of family marginals has no unknown {}", name_of(unknown)));
    }
    if (unknown != PlanUnknown::kRecords && question.records == 0) {
      throw InvalidInput("n must be at least 1, but is 0");
    }
    if (question.strong) {
      throw InvalidInput(
          "strong is for outputs that are drawn each by itself, but rows of family marginals share "
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

}  // namespace mollify
