#include "plan_central.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "central/central_plan.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {
namespace {

constexpr const char* kCentralGroup = "Central model";

struct Asked {
  PlanUnknown unknown = PlanUnknown::kAlpha;
  CentralQuestion question;
};

Asked asked(const CentralPlanOptions& options, std::optional<std::uint64_t> k,
            std::optional<double> epsilon) {
  std::vector<PlanUnknown> missing;
  if (!options.n) missing.push_back(PlanUnknown::kRecords);
  if (!k) missing.push_back(PlanUnknown::kOutcomes);
  if (!epsilon) missing.push_back(PlanUnknown::kEpsilon);
  if (!options.alpha) missing.push_back(PlanUnknown::kAlpha);
  if (missing.empty() && !options.delta && options.count) missing.push_back(PlanUnknown::kDelta);
  if (missing.empty() && !options.count) missing.push_back(PlanUnknown::kOutputs);
  if (missing.size() != 1) {
    std::string names;
    for (const PlanUnknown unknown : missing) {
      names += fmt::format("{}--{}", names.empty() ? "" : ", ", name_of(unknown));
    }
    throw InvalidInput(
        missing.empty()
            ? "one of --n, --k, --epsilon, --delta, --count and --alpha must be left to be found, "
              "but all are given"
            : fmt::format("one of --n, --k, --epsilon and --alpha can be found, but {} are missing",
                          names));
  }
  return {
      missing.front(),
      {.request = {.records = options.n.value_or(1),
                   .outcomes = k.value_or(1),
                   .outputs = options.count.value_or(1),
                   .budget = Privacy::approximate(epsilon.value_or(1), options.delta.value_or(0))},
       .alpha = options.alpha.value_or(0),
       .strong = options.strong}};
}

/// The question with the best answer in place of what was missing.
CentralQuestion answered(const Asked& asked, const CentralAnswer& best) {
  CentralQuestion question = asked.question;
  CentralRequest& request = question.request;
  request.records = best.design->records;
  request.outcomes = best.design->outcomes;
  request.outputs = best.design->outputs.value_or(request.outputs);
  const Privacy& found = best.design->guarantee;
  if (asked.unknown == PlanUnknown::kEpsilon) {
    request.budget = Privacy::approximate(found.epsilon, request.budget.delta);
  }
  if (asked.unknown == PlanUnknown::kDelta) {
    request.budget = Privacy::approximate(request.budget.epsilon, found.delta);
  }
  if (asked.unknown == PlanUnknown::kAlpha) question.alpha = best.alpha;
  return question;
}

double value_of(PlanUnknown unknown, const CentralAnswer& answer) {
  const CentralDesign& design = *answer.design;
  switch (unknown) {
    case PlanUnknown::kRecords:
      return static_cast<double>(design.records);
    case PlanUnknown::kOutcomes:
      return static_cast<double>(design.outcomes);
    case PlanUnknown::kEpsilon:
      return design.guarantee.epsilon;
    case PlanUnknown::kDelta:
      return design.guarantee.delta;
    case PlanUnknown::kOutputs:
      return static_cast<double>(design.outputs.value_or(0));
    case PlanUnknown::kAlpha:
      break;
  }
  return answer.alpha;
}

bool is_whole(PlanUnknown unknown) {
  return unknown == PlanUnknown::kRecords || unknown == PlanUnknown::kOutcomes ||
         unknown == PlanUnknown::kOutputs;
}

Json value_json(PlanUnknown unknown, const CentralAnswer& answer) {
  const double value = value_of(unknown, answer);
  if (is_whole(unknown)) return static_cast<std::uint64_t>(value);
  return value;
}

const char* words(PlanUnknown unknown) {
  switch (unknown) {
    case PlanUnknown::kRecords:
      return "the least number of records n";
    case PlanUnknown::kOutcomes:
      return "the greatest number of outcomes k";
    case PlanUnknown::kEpsilon:
      return "the least epsilon";
    case PlanUnknown::kDelta:
      return "the least delta";
    case PlanUnknown::kOutputs:
      return "the greatest number of outputs m";
    case PlanUnknown::kAlpha:
      break;
  }
  return "the least total variation alpha";
}

Json answers_json(PlanUnknown unknown, const std::vector<CentralAnswer>& answers,
                  std::optional<std::size_t> best) {
  Json list = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const CentralAnswer& answer = answers[i];
    Json json{{"mechanism", name_of(answer.mechanism)}, {"best", best == i}};
    if (answer.design) {
      json[std::string(name_of(unknown))] = value_json(unknown, answer);
      json["alpha"] = answer.alpha;
      json["delta"] = answer.design->guarantee.delta;
      if (answer.design->epsilon0) json["epsilon0"] = *answer.design->epsilon0;
      if (answer.design->rate < 1) json["rate"] = answer.design->rate;
      json["independent_outputs"] = answer.design->independent_outputs;
      json["why"] = answer.design->why;
    } else {
      json["refusal"] = answer.refusal;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json curve_json(const std::vector<CurvePoint>& curve) {
  Json list = Json::array();
  for (const CurvePoint& point : curve) {
    Json alphas = Json::object();
    for (std::size_t i = 0; i < point.alphas.size(); ++i) {
      alphas[std::string(name_of(planned_mechanisms()[i]))] =
          point.alphas[i] ? Json(*point.alphas[i]) : Json(nullptr);
    }
    list.push_back(
        {{"n", point.records},
         {"best", point.best ? Json(name_of(planned_mechanisms()[*point.best])) : Json()},
         {"alpha", std::move(alphas)}});
  }
  return list;
}

/// A bar of at most 24 cells, in eighths.
std::string bar(double part) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(24 * 8 * std::clamp(part, 0.0, 1.0)));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

void print_curve(const std::vector<CurvePoint>& curve) {
  fmt::print("\ntotal variation against the number of records, the best one as a bar\n{:>14}", "n");
  for (const CentralMechanism mechanism : planned_mechanisms()) {
    fmt::print(" {:>14}", name_of(mechanism));
  }
  fmt::print("\n");
  double longest = 0;
  for (const CurvePoint& point : curve) {
    if (point.best) longest = std::max(longest, *point.alphas[*point.best]);
  }
  for (const CurvePoint& point : curve) {
    fmt::print("{:>14}", point.records);
    for (const std::optional<double>& alpha : point.alphas) {
      fmt::print(" {:>14}", alpha ? fmt::format("{:.4g}", *alpha) : "-");
    }
    fmt::print("  {}\n", point.best ? bar(*point.alphas[*point.best] / longest) : "");
  }
}

}  // namespace

void CentralPlanOptions::add_to(CLI::App& command) {
  add_whole_number(command, "--n", n, "number of records; it is public")->group(kCentralGroup);
  add_number(command, "--delta", delta, "privacy budget beside epsilon (default: 0, pure privacy)")
      ->group(kCentralGroup);
  add_number(command, "--alpha", alpha, "total variation of an output from the data's law")
      ->group(kCentralGroup);
  command.add_flag("--strong", strong, "alpha bounds all outputs together")->group(kCentralGroup);
  command.add_flag("--curve", curve, "print total variation against n as well")
      ->group(kCentralGroup);
}

std::optional<std::string> CentralPlanOptions::first_given() const {
  if (n) return "--n";
  if (delta) return "--delta";
  if (alpha) return "--alpha";
  if (strong) return "--strong";
  if (curve) return "--curve";
  return std::nullopt;
}

int run_central_plan(const CentralPlanOptions& options, std::optional<std::uint64_t> k,
                     std::optional<double> epsilon, bool as_json) {
  const Asked plan = asked(options, k, epsilon);
  const std::vector<CentralAnswer> answers = plan_central(plan.unknown, plan.question);
  const std::optional<std::size_t> best = best_answer(plan.unknown, answers);
  const std::string name(name_of(plan.unknown));
  std::optional<CentralQuestion> whole;
  if (best) whole = answered(plan, answers[*best]);
  const std::vector<CurvePoint> curve =
      options.curve && whole ? central_curve(*whole) : std::vector<CurvePoint>();
  if (as_json) {
    Json json{{"model", "central"}, {"unknown", name}, {"strong", options.strong}};
    json["best"] = best ? Json(name_of(answers[*best].mechanism)) : Json(nullptr);
    json[name] = best ? value_json(plan.unknown, answers[*best]) : Json(nullptr);
    json["mechanisms"] = answers_json(plan.unknown, answers, best);
    if (whole) {
      json["records_lower_bound_order"] = records_lower_bound_order(*whole);
      json["papers_records"] = {{"subsampled-rr", papers_subsampled_records(*whole)}};
      const auto shuffled = papers_shuffled_records(*whole);
      json["papers_records"]["shuffled-rr"] = shuffled ? Json(*shuffled) : Json(nullptr);
    }
    if (options.curve) json["curve"] = curve_json(curve);
    print_json(json);
    return best ? kSuccess : kFailure;
  }
  const CentralRequest& request = (whole ? *whole : plan.question).request;
  fmt::print("{}: {} output{}, {} total variation{}\n\n", words(plan.unknown), request.outputs,
             request.outputs == 1 ? "" : "s", options.strong ? "joint" : "each output's",
             plan.question.alpha > 0 ? fmt::format(" at most {:g}", plan.question.alpha) : "");
  fmt::print("  {:<15} {:>14} {:>12} {:>10}\n", "", name, "TV", "epsilon0");
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const CentralAnswer& answer = answers[i];
    if (!answer.design) {
      fmt::print("  {:<15} {:>14} ({})\n", name_of(answer.mechanism), "-", answer.refusal);
      continue;
    }
    const double value = value_of(plan.unknown, answer);
    fmt::print("{} {:<15} {:>14} {:>12.4g} {:>10}{}\n", best == i ? "*" : " ",
               name_of(answer.mechanism),
               is_whole(plan.unknown) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value),
               answer.alpha,
               answer.design->epsilon0 ? fmt::format("{:.4g}", *answer.design->epsilon0) : "-",
               answer.design->independent_outputs ? "" : "  (outputs are not independent)");
  }
  if (!whole) {
    fmt::print("\nno mechanism serves this\n");
    return kFailure;
  }
  fmt::print("\n* best: {}\n", answers[*best].design->why);
  fmt::print(
      "no mechanism does with fewer than a constant times {:.4g} records; the constant is not "
      "known\n",
      records_lower_bound_order(*whole));
  const auto shuffled = papers_shuffled_records(*whole);
  fmt::print("the papers ask for {:.4g} records with subsampled-rr{}\n",
             papers_subsampled_records(*whole),
             shuffled ? fmt::format(" and {} with shuffled-rr", *shuffled) : "");
  if (options.curve) print_curve(curve);
  return kSuccess;
}

}  // namespace mollify::cli
