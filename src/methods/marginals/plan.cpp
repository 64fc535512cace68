// Plans of method marginals, and the errors of answers before any data are opened.
#include "release/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/answers/answers.h"
#include "methods/answers/questions.h"
#include "methods/marginals/method.h"
#include "methods/marginals/pair_learner.h"
#include "release/acceptance.h"
#include "release/method.h"

namespace mollify {

namespace {

MarginalDesign marginal_design_of(const PlanQuestion& question) {
  const auto& own = own_of<MarginalsQuestion>(question);
  MarginalRequest request{
      .columns = own.columns,
      .budget = question.budget,
      .unit = unit_weight(static_cast<bool>(own.unit), own.neighbours, own.weights),
      .records = {},
      .copula = own.copula,
      .questions = own.tables.columns};
  request.question_weights = own.tables.weights;
  if (own.weights) {
    request.greatest_weight = own.weights->most();
  } else if (own.neighbours == Neighbours::kReplace) {
    request.records = question.records;
  }
  return design_marginals(request);
}

Json distance_json(const MarginalDistance& distance) {
  return {{"mean", distance.mean}, {"worst", distance.worst}};
}

std::string distance_text(const MarginalDistance& distance) {
  return fmt::format("{:.4g} on average, {:.4g} at worst", distance.mean, distance.worst);
}

/// The records of greatest weight that these weigh as much as, by the supposed mean weight.
std::uint64_t effective(const PlanQuestion& question, std::uint64_t records) {
  const auto& weights = own_of<MarginalsQuestion>(question).weights;
  return weights ? weights->effective(records) : records;
}

/// The reverse.
std::optional<std::uint64_t> records_for(const PlanQuestion& question,
                                         const std::optional<std::uint64_t>& effective) {
  const auto& weights = own_of<MarginalsQuestion>(question).weights;
  if (!effective || !weights) return effective;
  const double records = static_cast<double>(*effective) * weights->most();
  return static_cast<std::uint64_t>(std::ceil(records / weights->supposed_mean()));
}

/// The measurements that a release would answer its questions from, if all values were equally
/// frequent.
Measurements even_measurements(const MarginalDesign& design, const Domain& domain,
                               std::uint64_t records) {
  const MarginalRequest& request = design.request;
  const MarginalBudget budget(request.budget, request.unit, design.amount);
  const double weight = static_cast<double>(records) * static_cast<double>(request.unit.weight);
  const std::uint64_t columns = request.asked();
  const std::uint64_t spent =
      design.all_cut_parts() +
      columns * (design.column_parts + std::uint64_t{second_column_parts(design, weight)});
  Measurements made{.noise = "",
                    .step = 1 / static_cast<double>(request.unit.weight),
                    .records = static_cast<double>(records)};
  const auto add = [&](std::vector<std::size_t> of, std::vector<CellGroups> groups,
                       std::uint32_t parts) {
    std::vector<double> counts = {weight};
    for (std::size_t i = 0; i < of.size(); ++i) {
      std::vector<double> shares(groups[i].count);
      for (const std::uint32_t group : groups[i].of) {
        shares[group] += 1 / static_cast<double>(groups[i].of.size());
      }
      std::vector<double> more;
      for (const double count : counts) {
        for (const double share : shares) more.push_back(count * share);
      }
      counts = std::move(more);
    }
    const double deviation = budget.deviation(std::max(1U, parts));
    made.tables.push_back(
        {std::move(of), std::move(groups), std::move(counts), deviation * deviation, parts});
  };
  std::vector<AskedCells> asked;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const std::uint32_t size = request.columns[i].follows ? 1 : domain.columns()[i].size();
    asked.push_back(asked_cells(single_cells(size), std::vector<double>(size, 1), true));
    if (!request.columns[i].follows) add({i}, {single_cells(size)}, design.column_parts);
  }
  std::vector<std::uint64_t> cells;
  for (const auto& table : request.questions) {
    cells.push_back(cells_of_question(table, asked));
  }
  const auto left = static_cast<std::uint32_t>(
      design.parts_of_model() - std::min<std::uint64_t>(spent, design.parts_of_model()));
  const std::vector<std::uint32_t> parts =
      forest_parts(parts_of_questions(request, left), cells, request.question_weights);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<CellGroups> groups;
    for (const std::size_t column : request.questions[i]) groups.push_back(asked[column].cells);
    add(request.questions[i], std::move(groups), parts[i]);
  }
  return made;
}

}  // namespace

Json question_errors(const MarginalDesign& design, const Domain& domain,
                     const std::vector<std::string>& questions, std::uint64_t records) {
  Json all = Json::array();
  if (questions.empty()) return all;
  const Measurements even = even_measurements(design, domain, records);
  for (const std::string& text : questions) {
    std::optional<double> greatest;  // none of a quantile
    const Answer answer = answer_question(even, domain, parse_question(text));
    for (const char* part : {"answers", "differences"}) {
      for (const Json& one : answer.json.value(part, Json::array())) {
        const Json error = one["table"].is_object() ? one["table"]["standard_error"] : Json();
        if (error.is_number()) greatest = std::max(greatest.value_or(0), error.get<double>());
      }
    }
    all.push_back(
        {{"question", text}, {"standard_error", greatest ? Json(*greatest) : Json(nullptr)}});
  }
  return all;
}

namespace {

/// One model of a table's marginals, all of whose rows share its noise.
class MarginalPlan final : public PlanModel {
 public:
  explicit MarginalPlan(std::optional<Domain> domain) : domain_(std::move(domain)) {}

  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = "marginals",
                .alpha = std::numeric_limits<double>::infinity(),
                .spent = question.budget,
                .independent_outputs = false};
    try {
      const MarginalDesign design = marginal_design_of(question);
      const std::uint64_t records = effective(question, question.records);
      const MarginalError error = marginal_error(design, records);
      way.alpha = error.expected();
      way.noise = table_error(design, records);
      // A release must not depend on a number of records that is protected.
      if (own_of<MarginalsQuestion>(question).neighbours == Neighbours::kAddRemove) {
        way.is_refused = table_error(design, kManyRecords).is_indistinct();
      }
      way.why = design.why;
      way.details = {{"one_way", distance_json(error.columns)},
                     {"two_way", two_way_json(error)},
                     {"column_deviation", design.request.told(design.column_deviation)},
                     {"measured_pair", Json::array()}};
      if (error.most > 0) way.details["condition"] = marginals_error_words(error);
      for (const MarginalError::Seen& one : error.seen) {
        way.details["measured_pair"].push_back({{"groups", one.groups}, {"noise", one.distance}});
      }
    } catch (const InvalidInput& refused) {
      way.why = refused;
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
      refuse_unknown(question.method, unknown);
    }
    if (unknown != PlanUnknown::kRecords)
      require_in({.least = 1}, {"n", "n", "records"}, question.records);
    if (question.strong) {
      throw InvalidInput("not-for-this-method",
                         "strong is for outputs that are drawn each by itself, but rows of " +
                             method_words("marginals") + " share one model",
                         "strong", {WayOut::leave("strong")});
    }
  }

  [[nodiscard]] std::string subject(PlanUnknown unknown, const PlanQuestion& whole) const override {
    std::string text;
    if (unknown != PlanUnknown::kRecords) text += counted(whole.records, "record") + ", ";
    text += counted(own_of<MarginalsQuestion>(whole).columns.size(), "column") + ", ";
    if (unknown == PlanUnknown::kEpsilon) {
      text += fmt::format("delta {:.6g}, ", whole.budget.delta);
    } else if (unknown != PlanUnknown::kRho) {
      text += whole.budget.text() + ", ";
    }
    text += fmt::format("neighbours {}", name_of(own_of<MarginalsQuestion>(whole).neighbours));
    if (unknown == PlanUnknown::kAlpha) return text;
    return text + fmt::format(", total variation {:g}", whole.alpha);
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const MarginalDesign design = marginal_design_of(whole);
    const MarginalError error = marginal_error(design, effective(whole, whole.records));
    const auto more = records_for(whole, records_to_halve(design, effective(whole, whole.records)));
    if (const auto& unit = own_of<MarginalsQuestion>(whole).unit)
      answer.facts["unit"] = unit.json();
    answer.facts["records_to_halve"] = more ? Json(*more) : Json(nullptr);
    answer.lines += fmt::format("  {}\n", design.why);
    if (const auto& weights = own_of<MarginalsQuestion>(whole).weights) {
      const UnitWeight unit = design.request.unit;
      const double step = weights->most() / static_cast<double>(unit.weight);
      answer.facts["weights"] = {{"greatest", weights->most()},
                                 {"step", step},
                                 {"sensitivity", static_cast<double>(unit.sum()) * step},
                                 {"supposed_mean", weights->supposed_mean()}};
      answer.lines += fmt::format(
          "  a {} moves the counts of a column by {:g} in weight at most, {:g} times as much as "
          "without weights\n  this supposes a mean weight of {:g}; the total weight is protected\n",
          own_of<MarginalsQuestion>(whole).unit ? "unit" : "row",
          static_cast<double>(unit.sum()) * step, weights->most(), weights->supposed_mean());
    }
    answer.lines +=
        fmt::format("  total variation due to noise of one column: {}\n  {}\n",
                    distance_text(error.columns), deciding_words(*answer.ways.front().noise));
    if (!error.seen.empty()) {
      answer.lines += "  noise of a pair of columns that is measured:";
      for (const MarginalError::Seen& one : error.seen) {
        answer.lines +=
            fmt::format("{} {:.3g} in {}x{} cells", &one == &error.seen.front() ? "" : ",",
                        one.distance, one.groups, one.groups);
      }
      answer.lines += "; the other pairs are as the model guesses them\n";
    }
    if (error.most > 0) answer.lines += fmt::format("  {}\n", marginals_error_words(error));
    const std::uint64_t assumed = effective(whole, whole.records);
    if (const auto first = error.first_dependence(assumed)) {
      const auto records = records_for(whole, static_cast<std::uint64_t>(*first));
      answer.facts["first_dependence"] = *records;
      answer.lines += fmt::format(
          "  a dependence of {:g} between two columns in 4x4 groups is measured from {} on\n",
          MarginalError::kFirstDependence, counted(*records, "record"));
    }
    const auto& questions = own_of<MarginalsQuestion>(whole).questions;
    if (domain_ && !questions.empty()) {
      answer.facts["questions"] =
          question_errors(design, *domain_, questions, effective(whole, whole.records));
      answer.lines +=
          "  standard errors of answers, for the table, if all values were equally frequent:\n";
      for (const Json& one : answer.facts["questions"]) {
        const Json& of_one = one["standard_error"];
        answer.lines += fmt::format(
            "    {}  {}\n", of_one.is_number() ? fmt::format("{:.3g}", of_one.get<double>()) : "-",
            printable(one["question"].get<std::string>()));
      }
    }
    if (more) answer.lines += fmt::format("  {} records would halve the noise\n", *more);
    answer.lines += "  all released rows share this noise: more of them do not lessen it\n";
    if (own_of<MarginalsQuestion>(whole).unit) {
      answer.lines +=
          "  the rows of a unit share one weight, and no released row belongs to a unit: shares "
          "are "
          "of units, and how the rows of one unit depend on each other is lost\n";
    }
  }

 private:
  std::optional<Domain> domain_;  // where one is given
};

}  // namespace

std::unique_ptr<const PlanModel> marginals_plan(std::optional<Domain> domain) {
  return std::make_unique<MarginalPlan>(std::move(domain));
}

}  // namespace mollify
