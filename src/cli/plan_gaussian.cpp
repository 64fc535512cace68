#include "plan_gaussian.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "central/gaussian_plan.h"
#include "kernel/core/invalid_input.h"

namespace mollify::cli {
namespace {

constexpr const char* kGaussianGroup = "Central model, Gaussian samples";

struct AskedGaussian {
  /// One, or epsilon and rho where the budget is missing.
  std::vector<GaussianUnknown> unknowns;
  GaussianQuestion question;
};

AskedGaussian asked_of(const GaussianPlanOptions& options) {
  std::vector<GaussianUnknown> missing;
  const bool budget = options.epsilon || options.rho;
  if (!options.n) missing.push_back(GaussianUnknown::kRecords);
  if (!options.dimension) missing.push_back(GaussianUnknown::kDimension);
  if (!budget) missing.push_back(GaussianUnknown::kEpsilon);
  if (!options.alpha) missing.push_back(GaussianUnknown::kAlpha);
  if (missing.empty() && !options.count) missing.push_back(GaussianUnknown::kOutputs);
  if (missing.empty() && options.epsilon && !options.delta) {
    missing.push_back(GaussianUnknown::kDelta);
  }
  if (missing.size() != 1) {
    std::string names;
    for (const GaussianUnknown unknown : missing) {
      names +=
          fmt::format("{}{}", names.empty() ? "" : ", ",
                      unknown == GaussianUnknown::kEpsilon ? "--epsilon or --rho"
                                                           : fmt::format("--{}", name_of(unknown)));
    }
    throw InvalidInput(
        missing.empty()
            ? "one of --n, --dimension, the budget, --count and --alpha must be left to be found, "
              "but all are given"
            : fmt::format(
                  "one of --n, --dimension, the budget and --alpha can be found, but {} are "
                  "missing",
                  names));
  }
  if (options.rho && (options.epsilon || options.delta)) {
    throw InvalidInput("a budget is --rho, or --epsilon and --delta, but both are given");
  }
  if (options.mean_bound && options.mean_range) {
    throw InvalidInput("the mean has either --mean-bound or --mean-range, but both are given");
  }
  AskedGaussian asked{{missing.front()}, {}};
  if (missing.front() == GaussianUnknown::kEpsilon) {
    asked.unknowns = {GaussianUnknown::kEpsilon, GaussianUnknown::kRho};
  }
  GaussianRequest& request = asked.question.request;
  request.records = options.n.value_or(1);
  request.dimension = options.dimension.value_or(1);
  request.outputs = options.count.value_or(1);
  request.budget =
      options.rho ? Privacy::concentrated(*options.rho)
                  : Privacy::approximate(options.epsilon.value_or(1), options.delta.value_or(0));
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
  asked.question.alpha = options.alpha.value_or(0);
  asked.question.strong = options.strong;
  return asked;
}

struct GaussianResult {
  GaussianUnknown unknown;
  std::optional<GaussianDesign> design;
  std::string refusal;
};

GaussianResult solve_gaussian(GaussianUnknown unknown, GaussianQuestion question, bool only) {
  if (unknown == GaussianUnknown::kRho) question.request.paper_variance = false;
  try {
    return {unknown, plan_gaussian(unknown, question), ""};
  } catch (const InvalidInput& refused) {
    if (only) throw;
    return {unknown, std::nullopt, refused.what()};
  }
}

Json value_of(GaussianUnknown unknown, const GaussianDesign& design, bool strong) {
  const GaussianRequest& request = design.request;
  switch (unknown) {
    case GaussianUnknown::kRecords:
      return request.records;
    case GaussianUnknown::kDimension:
      return request.dimension;
    case GaussianUnknown::kEpsilon:
      return request.budget.epsilon;
    case GaussianUnknown::kRho:
      return request.budget.rho;
    case GaussianUnknown::kDelta:
      return request.budget.delta;
    case GaussianUnknown::kOutputs:
      return request.outputs;
    case GaussianUnknown::kAlpha:
      break;
  }
  return alpha_of(design, strong);
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

const char* gaussian_words(GaussianUnknown unknown) {
  switch (unknown) {
    case GaussianUnknown::kRecords:
      return "least number of records n";
    case GaussianUnknown::kDimension:
      return "greatest dimension d";
    case GaussianUnknown::kEpsilon:
      return "least epsilon";
    case GaussianUnknown::kRho:
      return "least rho";
    case GaussianUnknown::kDelta:
      return "least delta";
    case GaussianUnknown::kOutputs:
      return "greatest number of outputs m";
    case GaussianUnknown::kAlpha:
      break;
  }
  return "least total variation alpha";
}

/// The question with the answer in place of what was missing.
GaussianQuestion whole_question(const GaussianQuestion& question, const GaussianDesign& design) {
  GaussianQuestion whole{design.request, question.alpha, question.strong};
  if (!(whole.alpha > 0)) whole.alpha = alpha_of(design, question.strong);
  return whole;
}

/// Whether the library's own limit is what is found.
bool is_at_limit(GaussianUnknown unknown, const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  return (unknown == GaussianUnknown::kOutputs && request.outputs == kMostGaussianOutputs) ||
         (unknown == GaussianUnknown::kDimension && request.dimension == kMostGaussianDimensions);
}

std::string number_text(const Json& value) {
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

void print_gaussian_curve(const std::vector<GaussianCurvePoint>& curve) {
  fmt::print("\ntotal variation against the number of records\n{:>14} {:>12}\n", "n", "TV");
  for (const GaussianCurvePoint& point : curve) {
    fmt::print("{:>14} {:>12}\n", point.records,
               point.alpha ? fmt::format("{:.4g}", *point.alpha) : "-");
  }
}

}  // namespace

void GaussianPlanOptions::add_to(CLI::App& command) {
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

std::optional<std::string> GaussianPlanOptions::first_given() const {
  if (dimension) return "--dimension";
  if (rho) return "--rho";
  if (mean_bound) return "--mean-bound";
  if (mean_range) return "--mean-range";
  if (covariance_bound) return "--covariance-bound";
  if (paper_variance) return "--paper-variance";
  return std::nullopt;
}

int run_gaussian_plan(const GaussianPlanOptions& options, bool as_json) {
  const AskedGaussian asked = asked_of(options);
  std::vector<GaussianResult> results;
  results.reserve(asked.unknowns.size());
  for (const GaussianUnknown unknown : asked.unknowns) {
    results.push_back(solve_gaussian(unknown, asked.question, asked.unknowns.size() == 1));
  }
  const bool served = std::any_of(results.begin(), results.end(),
                                  [](const GaussianResult& result) { return !!result.design; });
  Json list = Json::array();
  for (const GaussianResult& result : results) {
    Json json{{"unknown", name_of(result.unknown)}};
    if (result.design) {
      const GaussianDesign& design = *result.design;
      const GaussianQuestion whole = whole_question(asked.question, design);
      const auto paper = papers_gaussian_records(whole);
      json[std::string(name_of(result.unknown))] = value_of(result.unknown, design, options.strong);
      json["design"] = design_json(design, options.strong);
      json["papers_records"] = paper ? Json(*paper) : Json(nullptr);
      json["records_lower_bound"] = gaussian_records_lower_bound(whole);
      if (options.curve) {
        Json curve = Json::array();
        for (const GaussianCurvePoint& point : gaussian_curve(whole)) {
          curve.push_back(
              {{"n", point.records}, {"alpha", point.alpha ? Json(*point.alpha) : Json(nullptr)}});
        }
        json["curve"] = std::move(curve);
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
      fmt::print("{}: none within the limits{}\n", gaussian_words(result.unknown),
                 result.refusal.empty() ? "" : fmt::format(" ({})", result.refusal));
      continue;
    }
    const GaussianDesign& design = *result.design;
    const auto& [clip, shape, lattice, centre] = design.total_variation;
    const std::string name(name_of(result.unknown));
    fmt::print("{}: {}{}\n", gaussian_words(result.unknown), number_text(list[i][name]),
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
    if (options.curve) print_gaussian_curve(gaussian_curve(whole_question(asked.question, design)));
  }
  fmt::print(
      "\naccuracy rests on the data being Gaussian as declared; privacy rests on no assumption\n");
  return served ? kSuccess : kFailure;
}

}  // namespace mollify::cli
