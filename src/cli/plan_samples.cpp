#include "plan_samples.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "release/central_plan.h"
#include "release/gaussian_plan.h"

namespace mollify::cli {
namespace {

constexpr const char* kCentralGroup = "Central model";
constexpr const char* kGaussianGroup = "Central model, Gaussian samples";

/// The one that is left to be found: of `either`, one has to be missing, or else the first of
/// `others` that is. `all` says what there is to choose from, `some` what can always be found.
PlanUnknown missing_of(const std::vector<std::pair<PlanUnknown, bool>>& either,
                       const std::vector<std::pair<PlanUnknown, bool>>& others,
                       std::string_view all, std::string_view some, std::string_view budget) {
  std::vector<PlanUnknown> missing;
  for (const auto& [unknown, given] : either) {
    if (!given) missing.push_back(unknown);
  }
  for (const auto& [unknown, given] : others) {
    if (missing.empty() && !given) missing.push_back(unknown);
  }
  if (missing.size() == 1) return missing.front();
  if (missing.empty()) {
    throw InvalidInput(fmt::format("one of {} must be left to be found, but all are given", all));
  }
  std::string flags;
  for (const PlanUnknown unknown : missing) {
    flags += flags.empty() ? "" : ", ";
    flags += unknown == PlanUnknown::kEpsilon ? std::string(budget)
                                              : fmt::format("--{}", name_of(unknown));
  }
  throw InvalidInput(fmt::format("one of {} can be found, but {} are missing", some, flags));
}

Privacy budget_of(const SamplePlanOptions& options) {
  return options.rho ? Privacy::concentrated(*options.rho)
                     : Privacy::approximate(options.epsilon.value_or(1), options.delta.value_or(0));
}

Json value_json(PlanUnknown unknown, double value) {
  if (is_whole(unknown)) return static_cast<std::uint64_t>(value);
  return value;
}

std::string value_text(PlanUnknown unknown, double value) {
  return is_whole(unknown) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

Json answers_json(PlanUnknown unknown, const std::vector<CentralAnswer>& answers,
                  std::optional<std::size_t> best) {
  Json list = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const CentralAnswer& answer = answers[i];
    Json json{{"mechanism", name_of(answer.mechanism)}, {"best", best == i}};
    if (answer.design) {
      json[std::string(name_of(unknown))] = value_json(unknown, value_of(unknown, answer));
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

void print_curve(const std::vector<CurvePoint>& points,
                 const std::vector<std::string_view>& names) {
  fmt::print("\ntotal variation against the number of records, the best one as a bar\n{:>14}", "n");
  for (const std::string_view name : names) fmt::print(" {:>14}", name);
  fmt::print("\n");
  double longest = 0;
  for (const CurvePoint& point : points) {
    if (point.best) longest = std::max(longest, *point.alphas[*point.best]);
  }
  for (const CurvePoint& point : points) {
    fmt::print("{:>14}", point.records);
    for (const std::optional<double>& alpha : point.alphas) {
      fmt::print(" {:>14}", alpha ? fmt::format("{:.4g}", *alpha) : "-");
    }
    fmt::print("  {}\n", point.best ? bar(*point.alphas[*point.best] / longest) : "");
  }
}

GaussianQuestion gaussian_question_of(const SamplePlanOptions& options) {
  if (options.rho && (options.epsilon || options.delta)) {
    throw InvalidInput("a budget is --rho, or --epsilon and --delta, but both are given");
  }
  if (options.mean_bound && options.mean_range) {
    throw InvalidInput("the mean has either --mean-bound or --mean-range, but both are given");
  }
  GaussianQuestion question{
      .request = {}, .alpha = options.alpha.value_or(0), .strong = options.strong};
  GaussianRequest& request = question.request;
  request.records = options.n.value_or(1);
  request.dimension = options.dimension.value_or(1);
  request.outputs = options.count.value_or(1);
  request.budget = budget_of(options);
  request.covariance_bound = options.covariance_bound.value_or(1);
  request.mean_bound = options.mean_bound;
  request.paper_variance = options.paper_variance;
  if (options.mean_range) {
    if (!(*options.mean_range > 0)) {
      throw InvalidInput(
          fmt::format("--mean-range must be positive, but is {}", *options.mean_range));
    }
    request.ranges = {{-0.5 * *options.mean_range, 0.5 * *options.mean_range}};
  }
  return question;
}

struct GaussianResult {
  PlanUnknown unknown;
  std::optional<GaussianDesign> design;
  std::string refusal;
};

GaussianResult solve_gaussian(PlanUnknown unknown, GaussianQuestion question, bool only) {
  if (unknown == PlanUnknown::kRho) question.request.paper_variance = false;
  try {
    return {unknown, plan(unknown, question), ""};
  } catch (const InvalidInput& refused) {
    if (only) throw;
    return {unknown, std::nullopt, refused.what()};
  }
}

Json design_json(const GaussianDesign& design, bool strong) {
  const auto& [clip, shape, lattice, centre] = design.total_variation;
  return {
      {"n", design.request.records},
      {"dimension", design.request.dimension},
      {"count", design.request.outputs},
      {"alpha", alpha_of(design, strong)},
      {"alpha_parts", {{"clip", clip}, {"shape", shape}, {"lattice", lattice}, {"centre", centre}}},
      {"clip_radius", design.clip_radius},
      {"run_records", design.run_records},
      {"centre_records", design.centre ? Json(design.centre->request.records) : Json(nullptr)},
      {"guarantee",
       {{"epsilon", design.guarantee.epsilon},
        {"delta", design.guarantee.delta},
        {"rho", design.guarantee.rho}}},
      {"why", design.why}};
}

/// The question with the answer in place of what was missing.
GaussianQuestion whole_question(const GaussianQuestion& question, const GaussianDesign& design) {
  GaussianQuestion whole{design.request, question.alpha, question.strong};
  if (!(whole.alpha > 0)) whole.alpha = alpha_of(design, question.strong);
  return whole;
}

/// Whether the library's own limit is what is found.
bool is_at_limit(PlanUnknown unknown, const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  return (unknown == PlanUnknown::kOutputs && request.outputs == kMostGaussianOutputs) ||
         (unknown == PlanUnknown::kDimension && request.dimension == kMostGaussianDimensions);
}

}  // namespace

void SamplePlanOptions::add_to(CLI::App& command) {
  add_whole_number(command, "--n", n, "number of records; it is public")->group(kCentralGroup);
  add_number(command, "--delta", delta, "privacy budget beside epsilon (default: 0, pure privacy)")
      ->group(kCentralGroup);
  add_number(command, "--alpha", alpha, "total variation of an output from the data's law")
      ->group(kCentralGroup);
  command.add_flag("--strong", strong, "alpha bounds all outputs together")->group(kCentralGroup);
  command.add_flag("--curve", curve, "print total variation against n as well")
      ->group(kCentralGroup);
  command
      .add_option("--family", family,
                  "gaussian: samples of a Gaussian instead of a finite domain. Accuracy rests on "
                  "the data being Gaussian, privacy rests on no assumption")
      ->type_name("FAMILY")
      ->group(kGaussianGroup);
  add_whole_number(command, "--dimension", dimension, "number of coordinates d, 1 to 1024")
      ->group(kGaussianGroup);
  add_number(command, "--rho", rho, "privacy budget in zCDP, in place of epsilon and delta")
      ->group(kGaussianGroup);
  add_number(command, "--mean-bound", mean_bound,
             "the mean lies within this many standard deviations of the origin")
      ->group(kGaussianGroup);
  add_number(command, "--mean-range", mean_range,
             "each coordinate of the mean lies in a range this many standard deviations wide; a "
             "part of the records finds where")
      ->group(kGaussianGroup);
  add_number(command, "--covariance-bound", covariance_bound,
             "the covariance lies between I and this many times I (default: 1, it is known)")
      ->group(kGaussianGroup);
  command
      .add_flag("--paper-variance", paper_variance,
                "pure privacy: the paper's public variance instead of the corrected one")
      ->group(kGaussianGroup);
}

std::optional<std::string> SamplePlanOptions::first_given() const {
  if (n) return "--n";
  if (delta) return "--delta";
  if (alpha) return "--alpha";
  if (strong) return "--strong";
  if (curve) return "--curve";
  return std::nullopt;
}

std::optional<std::string> SamplePlanOptions::first_gaussian_given() const {
  if (dimension) return "--dimension";
  if (rho) return "--rho";
  if (mean_bound) return "--mean-bound";
  if (mean_range) return "--mean-range";
  if (covariance_bound) return "--covariance-bound";
  if (paper_variance) return "--paper-variance";
  return std::nullopt;
}

int run_finite_plan(const SamplePlanOptions& options, bool as_json) {
  const PlanUnknown unknown = missing_of({{PlanUnknown::kRecords, options.n.has_value()},
                                          {PlanUnknown::kOutcomes, options.k.has_value()},
                                          {PlanUnknown::kEpsilon, options.epsilon.has_value()},
                                          {PlanUnknown::kAlpha, options.alpha.has_value()}},
                                         {{PlanUnknown::kDelta, options.delta || !options.count},
                                          {PlanUnknown::kOutputs, options.count.has_value()}},
                                         "--n, --k, --epsilon, --delta, --count and --alpha",
                                         "--n, --k, --epsilon and --alpha", "--epsilon");
  const CentralQuestion question{.request = {.records = options.n.value_or(1),
                                             .outcomes = options.k.value_or(1),
                                             .outputs = options.count.value_or(1),
                                             .budget = budget_of(options)},
                                 .alpha = options.alpha.value_or(0),
                                 .strong = options.strong};
  const std::vector<CentralAnswer> answers = plan(unknown, question);
  const std::optional<std::size_t> best = best_answer(unknown, answers);
  const std::string name(name_of(unknown));
  std::optional<CentralQuestion> whole;
  if (best) whole = answered(unknown, question, answers[*best]);
  const std::vector<CurvePoint> points =
      options.curve && whole ? curve(*whole) : std::vector<CurvePoint>();
  if (as_json) {
    Json json{{"model", "central"}, {"unknown", name}, {"strong", options.strong}};
    json["best"] = best ? Json(name_of(answers[*best].mechanism)) : Json(nullptr);
    json[name] = best ? value_json(unknown, value_of(unknown, answers[*best])) : Json(nullptr);
    json["mechanisms"] = answers_json(unknown, answers, best);
    if (whole) {
      json["records_lower_bound_order"] = records_lower_bound_order(*whole);
      json["papers_records"] = {{"subsampled-rr", papers_subsampled_records(*whole)}};
      const auto shuffled = papers_shuffled_records(*whole);
      json["papers_records"]["shuffled-rr"] = shuffled ? Json(*shuffled) : Json(nullptr);
    }
    if (options.curve) json["curve"] = curve_json(points);
    print_json(json);
    return best ? kSuccess : kFailure;
  }
  const CentralRequest& request = (whole ? *whole : question).request;
  fmt::print("{}: {} output{}, {} total variation{}\n\n", words_of(unknown), request.outputs,
             request.outputs == 1 ? "" : "s", options.strong ? "joint" : "each output's",
             question.alpha > 0 ? fmt::format(" at most {:g}", question.alpha) : "");
  fmt::print("  {:<15} {:>14} {:>12} {:>10}\n", "", name, "TV", "epsilon0");
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const CentralAnswer& answer = answers[i];
    if (!answer.design) {
      fmt::print("  {:<15} {:>14} ({})\n", name_of(answer.mechanism), "-", answer.refusal);
      continue;
    }
    const double value = value_of(unknown, answer);
    fmt::print("{} {:<15} {:>14} {:>12.4g} {:>10}{}\n", best == i ? "*" : " ",
               name_of(answer.mechanism), value_text(unknown, value), answer.alpha,
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
  if (options.curve) {
    std::vector<std::string_view> columns;
    for (const CentralMechanism mechanism : planned_mechanisms()) {
      columns.push_back(name_of(mechanism));
    }
    print_curve(points, columns);
  }
  return kSuccess;
}

int run_gaussian_plan(const SamplePlanOptions& options, bool as_json) {
  const PlanUnknown missing =
      missing_of({{PlanUnknown::kRecords, options.n.has_value()},
                  {PlanUnknown::kDimension, options.dimension.has_value()},
                  {PlanUnknown::kEpsilon, options.epsilon || options.rho},
                  {PlanUnknown::kAlpha, options.alpha.has_value()}},
                 {{PlanUnknown::kOutputs, options.count.has_value()},
                  {PlanUnknown::kDelta, !options.epsilon || options.delta}},
                 "--n, --dimension, the budget, --count and --alpha",
                 "--n, --dimension, the budget and --alpha", "--epsilon or --rho");
  const GaussianQuestion question = gaussian_question_of(options);
  std::vector<PlanUnknown> unknowns{missing};
  if (missing == PlanUnknown::kEpsilon) unknowns.push_back(PlanUnknown::kRho);
  std::vector<GaussianResult> results;
  results.reserve(unknowns.size());
  for (const PlanUnknown unknown : unknowns) {
    results.push_back(solve_gaussian(unknown, question, unknowns.size() == 1));
  }
  const bool served = std::any_of(results.begin(), results.end(),
                                  [](const GaussianResult& result) { return !!result.design; });
  Json list = Json::array();
  for (const GaussianResult& result : results) {
    Json json{{"unknown", name_of(result.unknown)}};
    if (result.design) {
      const GaussianDesign& design = *result.design;
      const GaussianQuestion whole = whole_question(question, design);
      const auto paper = papers_gaussian_records(whole);
      json[std::string(name_of(result.unknown))] =
          value_json(result.unknown,
                     value_in(design.request, result.unknown, alpha_of(design, options.strong)));
      json["design"] = design_json(design, options.strong);
      json["papers_records"] = paper ? Json(*paper) : Json(nullptr);
      json["records_lower_bound"] = gaussian_records_lower_bound(whole);
      if (options.curve) {
        Json points = Json::array();
        for (const CurvePoint& point : curve(whole)) {
          points.push_back({{"n", point.records},
                            {"alpha", point.best ? Json(*point.alphas.front()) : Json(nullptr)}});
        }
        json["curve"] = std::move(points);
      }
    } else if (!result.refusal.empty()) {
      json["refusal"] = result.refusal;
    }
    list.push_back(std::move(json));
  }
  if (as_json) {
    print_json({{"model", "central"},
                {"family", "gaussian"},
                {"strong", options.strong},
                {"answers", std::move(list)}});
    return served ? kSuccess : kFailure;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const GaussianResult& result = results[i];
    if (i > 0) fmt::print("\n");
    if (!result.design) {
      fmt::print("{}: none within the limits{}\n", words_of(result.unknown),
                 result.refusal.empty() ? "" : fmt::format(" ({})", result.refusal));
      continue;
    }
    const GaussianDesign& design = *result.design;
    const auto& [clip, shape, lattice, centre] = design.total_variation;
    const std::string name(name_of(result.unknown));
    fmt::print("{}: {}{}\n", words_of(result.unknown),
               value_text(result.unknown, list[i][name].get<double>()),
               is_at_limit(result.unknown, *result.design) ? ", the most that there can be" : "");
    fmt::print(
        "  total variation {} {:.4g}: an output's is clipping {:.3g}, shape of the noise {:.3g}, "
        "lattice {:.3g}, centre {:.3g}\n",
        options.strong ? "of all outputs together" : "of each output",
        alpha_of(design, options.strong), clip, shape, lattice, centre);
    fmt::print("  {}\n", design.why);
    const Json& paper = list[i]["papers_records"];
    if (!paper.is_null()) fmt::print("  the papers' parameters need {} records\n", paper.dump());
    const double bound = list[i]["records_lower_bound"].get<double>();
    if (bound > 1) {
      fmt::print("  no sampler does with fewer than {:.0f} records (proven, not tight)\n", bound);
    }
    if (options.curve) print_curve(curve(whole_question(question, design)), {"TV"});
  }
  fmt::print(
      "\naccuracy rests on the data being Gaussian as declared; privacy rests on no assumption\n");
  return served ? kSuccess : kFailure;
}

}  // namespace mollify::cli
