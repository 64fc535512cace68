// Plans of methods gaussian and gaussian-model.
#include "release/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "accounting/gaussian.h"
#include "accounting/lattice.h"
#include "accounting/privacy.h"
#include "base/directed_rounding.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/method.h"
#include "methods/gaussian/moments.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Gaussian plan.

namespace {

GaussianRequest gaussian_request_of(const PlanQuestion& question) {
  const auto& own = own_of<GaussianQuestion>(question);
  return {.records = question.records,
          .dimension = static_cast<std::size_t>(question.dimension),
          .outputs = question.outputs,
          .budget = question.budget,
          .covariance_bound = own.covariance_bound,
          .mean_bound = own.mean_bound,
          .ranges = own.mean_ranges,
          // Pure privacy alone has it.
          .paper_variance = own.paper_variance && question.budget.notion == PrivacyNotion::kPure};
}

Json design_json(const GaussianDesign& design, double alpha) {
  const auto& [clip, shape, lattice, centre] = design.total_variation;
  return {
      {"n", design.request.records},
      {"dimension", design.request.dimension},
      {"count", design.request.outputs},
      {"alpha", alpha},
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

class GaussianPlan final : public PlanModel {
 public:
  [[nodiscard]] PlanUnknown size() const override { return PlanUnknown::kDimension; }

  /// An unknown other than alpha is found by some forty designs, and a curve is eleven plans. Each
  /// is a search itself where a centre is to be found.
  [[nodiscard]] std::string what_takes_long(const PlanQuestion& question) const override {
    constexpr std::uint64_t kMany = 16;
    const bool is_found = std::any_of(question.unknowns.begin(), question.unknowns.end(),
                                      [](PlanUnknown one) { return one != PlanUnknown::kAlpha; });
    const auto& own = own_of<GaussianQuestion>(question);
    const bool is_bounded = own.covariance_bound > 1;
    const bool is_ranged = !own.mean_bound && !own.mean_ranges.empty();
    // The noise is found by a curve where there is a delta, and at once by rho.
    const bool has_curve = question.budget.delta > 0;
    if (!has_curve || !(is_found || question.curve)) return "";
    const std::string planning = "planning in " + counted(question.dimension, "dimension");
    if (is_bounded && (!own.mean_bound || question.dimension >= kMany)) {
      return planning + " with a bounded covariance";
    }
    return is_found && is_ranged ? planning + " with a range of the mean" : "";
  }

  [[nodiscard]] PlanWay at(std::size_t, const PlanQuestion& question) const override {
    PlanWay way{.mechanism = "gaussian",
                .alpha = std::numeric_limits<double>::infinity(),
                .spent = question.budget};
    const auto design = find_gaussian_design(gaussian_request_of(question));
    if (!design) {
      way.why = fmt::format(
          "there is no design for {}, {}, {} and {}; give more records or fewer outputs",
          counted(question.records, "record"), counted(question.dimension, "coordinate"),
          counted(question.outputs, "output"), question.budget.text());
      return way;
    }
    way.alpha =
        question.strong ? design->strong_total_variation_up() : design->total_variation_up();
    way.noise = gaussian_error(*design);
    way.why = design->why;
    way.details["design"] = design_json(*design, way.alpha);
    return way;
  }

  /// From two errors about the greatest one, and by the design itself where it lies between them.
  [[nodiscard]] std::optional<bool> is_more_than_noise(const PlanQuestion& question,
                                                       const std::string&) const override {
    constexpr double kNear = 1e-6;
    const GaussianRequest request = gaussian_request_of(question);
    const double most = ReleaseError::kMostlyNoise * gaussian_error(request, 1).reference;
    if (!(most > 0)) return std::nullopt;
    const auto is_within = [&](double part) {
      return has_gaussian_design_within(most * part, request);
    };
    if (is_within(1 - kNear).value_or(false)) return true;
    if (!is_within(1 + kNear).value_or(true)) return false;
    return std::nullopt;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion& question) const override {
    switch (unknown) {
      case PlanUnknown::kRecords:
        return {static_cast<double>(kMostPlannedRecords),
                static_cast<double>(std::max<std::uint64_t>(question.outputs, 1))};
      case PlanUnknown::kDimension:
        return {1, static_cast<double>(kMostGaussianDimensions)};
      case PlanUnknown::kEpsilon:
        return {100, 1e-6};
      case PlanUnknown::kRho:
        return {1000, 1e-12};
      case PlanUnknown::kDelta:
        return {0.5, 1e-100};
      case PlanUnknown::kOutcomes:
      case PlanUnknown::kOutputs:
      case PlanUnknown::kAlpha:
        break;
    }
    return {1, static_cast<double>(std::min(question.records, kMostGaussianOutputs))};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown == PlanUnknown::kOutcomes) refuse_unknown(question.method, unknown);
  }

  void tell(const PlanQuestion& whole, PlanAnswer& answer) const override {
    const auto paper = papers_gaussian_records(whole);
    const double bound = gaussian_records_lower_bound(whole);
    answer.facts["papers_records"] = paper ? Json(*paper) : Json(nullptr);
    answer.facts["records_lower_bound"] = bound;
    const PlanWay& way = answer.ways.front();
    const Json& parts = way.details["design"]["alpha_parts"];
    const auto part = [&](const char* name) { return parts[name].get<double>(); };
    if (is_at_limit(answer.unknown, whole)) answer.lines += "  that is the most there can be\n";
    answer.lines += fmt::format(
        "  total variation {} {:.4g}: an output's is clipping {:.3g}, shape of the noise {:.3g}, "
        "lattice {:.3g}, centre {:.3g}\n  {}\n",
        whole.strong ? "of all outputs together" : "of each output", way.alpha, part("clip"),
        part("shape"), part("lattice"), part("centre"), way.why.text);
    if (paper) answer.lines += fmt::format("  the papers' parameters need {} records\n", *paper);
    if (bound > 1) {
      answer.lines += fmt::format(
          "  no sampler does with fewer than {:.0f} records: that is proven, and it may need "
          "more\n",
          bound);
    }
    tell_orders(whole, answer);
    const auto& own = own_of<GaussianQuestion>(whole);
    const bool is_supposed = whole.domain && !own.covariance && !(own.covariance_bound > 1);
    answer.lines += fmt::format(
        "  accuracy depends on the data being Gaussian as declared{}; privacy depends on no "
        "assumption\n",
        is_supposed
            ? fmt::format(", with a covariance of 1 in each column, because none is given: a "
                          "release needs one ({}, {})",
                          flag_words("covariance"), flag_words("covariance-bound"))
            : "");
  }

 private:
  static void tell_orders(const PlanQuestion& whole, PlanAnswer& answer) {
    const auto orders = gaussian_learning_orders(whole);
    if (!orders) return;
    const bool has_many = static_cast<double>(whole.outputs) >= orders->public_records;
    answer.facts["orders"] = {{"learning", orders->learning},
                              {"semi_private_learning", orders->semi_private},
                              {"public_records", orders->public_records},
                              {"sampling", has_many ? orders->learning : orders->single}};
    answer.lines += fmt::format(
        "  orders, times factors that are not known: to learn such a Gaussian d sqrt(ln K / rho) = "
        "{:.4g} records; with {:.0f} public records d^2/alpha^2 + d^2/(alpha sqrt(rho)) = {:.4g}; "
        "so for large K, to draw {} outputs {:.4g}\n",
        orders->learning, orders->public_records, orders->semi_private,
        has_many ? "so many" : "few", has_many ? orders->learning : orders->single);
  }

  /// Whether the library's own limit is what is found.
  static bool is_at_limit(PlanUnknown unknown, const PlanQuestion& whole) {
    return (unknown == PlanUnknown::kOutputs && whole.outputs == kMostGaussianOutputs) ||
           (unknown == PlanUnknown::kDimension && whole.dimension == kMostGaussianDimensions);
  }
};

}  // namespace

std::unique_ptr<const PlanModel> gaussian_plan_model() { return std::make_unique<GaussianPlan>(); }

std::optional<std::uint64_t> papers_gaussian_records(const PlanQuestion& question) {
  const Privacy& budget = question.budget;
  const bool is_rho = budget.notion == PrivacyNotion::kConcentrated;
  const auto& own = own_of<GaussianQuestion>(question);
  const bool bounded = own.covariance_bound > 1;
  if (!own.mean_bound || (bounded && !is_rho)) return std::nullopt;
  const auto m = static_cast<double>(question.outputs);
  const double alpha = question.strong ? question.alpha / m : question.alpha;
  if (!(alpha > 0 && alpha < 1)) return std::nullopt;
  const auto dimension = static_cast<std::size_t>(question.dimension);
  const auto d = static_cast<double>(dimension);
  const WhitenedRecords records{dimension, *own.mean_bound, own.covariance_bound};
  const auto serves = [&](std::uint64_t records_needed) {
    const auto n = static_cast<double>(records_needed);
    const bool split = bounded || budget.notion == PrivacyNotion::kPure;
    const double radius = paper_clip_radius_up(records, records_needed, split ? alpha / 2 : alpha);
    const double variance = 1 - 1 / n;
    if (bounded) {
      const double weight = 1 / n + std::sqrt(variance / n);
      const double added = alpha / 2 / std::sqrt(d / 8);
      return 2 * radius * radius * weight * weight / added <= budget.rho;
    }
    if (is_rho) return 2 * radius * radius / (n * (n - 1)) <= budget.rho;
    if (budget.delta > 0) {
      const double mu = 2 * radius / n / std::sqrt(variance);
      return mu <= 1000 && gaussian_delta_up(std::max(mu, 1e-6), budget.epsilon) <= budget.delta;
    }
    const double scale = 2 * radius / (budget.epsilon * n);
    return scale <= 1000 && gaussian_laplace_total_variation(dimension, scale, 1) <= alpha / 2;
  };
  const std::optional<std::uint64_t> one = least_whole(2, kMostPlannedRecords, serves);
  if (!one || static_cast<double>(*one) * m > static_cast<double>(kMostPlannedRecords)) {
    return std::nullopt;
  }
  return *one * question.outputs;
}

std::optional<GaussianLearningOrders> gaussian_learning_orders(const PlanQuestion& question) {
  const double bound = own_of<GaussianQuestion>(question).covariance_bound;
  if (question.budget.notion != PrivacyNotion::kConcentrated || !(bound > 1)) return std::nullopt;
  const auto d = static_cast<double>(question.dimension);
  const double rho = question.budget.rho;
  const double alpha = question.alpha;
  const double learning = d * std::sqrt(std::log(bound) / rho);
  return GaussianLearningOrders{
      .learning = learning,
      .semi_private = d * d / (alpha * alpha) + d * d / (alpha * std::sqrt(rho)),
      .public_records = d + 1,
      .single = learning / (d + 1)};
}

double gaussian_records_lower_bound(const PlanQuestion& question) {
  const auto& own = own_of<GaussianQuestion>(question);
  double norm = own.mean_bound.value_or(std::numeric_limits<double>::infinity());
  for (const RealRange& range : own.mean_ranges) {
    norm = std::min(norm, 0.5 * (range.high - range.low));
  }
  if (std::isinf(norm)) return 0;
  const double joint =
      question.strong ? question.alpha : question.alpha * static_cast<double>(question.outputs);
  return std::ceil(gaussian_records_lower_bound(
      GaussianSamplingTask{static_cast<std::size_t>(question.dimension), norm, question.outputs,
                           joint},
      question.budget));
}

// -----------------------------------------------------------------------------------------------
// Shared gaussian plan.

namespace {

constexpr double kMostSharedDimension = 256;

class SharedGaussianPlan final : public PlanModel {
 public:
  /// `supposed` is a domain's supposed_spread, or nothing.
  explicit SharedGaussianPlan(std::string supposed) : supposed_(std::move(supposed)) {}

  [[nodiscard]] PlanUnknown size() const override { return PlanUnknown::kDimension; }
  [[nodiscard]] bool shares_noise() const override { return true; }

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
      way.noise = moment_error(design);
      way.why = design.why;
      way.details["condition"] = spread_condition();
      way.details["errors"] = moment_errors_json(design);
      way.details["design"] = {{"n", question.records},
                               {"dimension", question.dimension},
                               {"mean_error", design.mean_error},
                               {"covariance_error", design.covariance_error},
                               {"clip_radius", design.clip_radius}};
    } catch (const InvalidInput& refusal) {
      way.why = refusal;
    }
    return way;
  }

  [[nodiscard]] PlanSpan span(PlanUnknown unknown, const PlanQuestion&) const override {
    if (unknown == PlanUnknown::kDimension) return {1, kMostSharedDimension};
    if (unknown == PlanUnknown::kEpsilon) return {100, 1e-6};
    if (unknown == PlanUnknown::kRho) return {1000, 1e-12};
    if (unknown == PlanUnknown::kDelta) return {0.5, 1e-100};
    return {static_cast<double>(kMostPlannedRecords), 1};
  }

  void require_answerable(PlanUnknown unknown, const PlanQuestion& question) const override {
    if (unknown != PlanUnknown::kRecords) require_moment_records(question.records);
    if (unknown == PlanUnknown::kOutcomes || unknown == PlanUnknown::kOutputs) {
      refuse_unknown(
          question.method, unknown,
          unknown == PlanUnknown::kOutputs ? ": any number of records costs the same" : "");
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
        "  noise alone puts the model at total variation {:.4g} from the data's Gaussian, {}; for "
        "any number of rows\n"
        "  how far the data are from a Gaussian comes on top, and no public fact says it: {} "
        "measures both, for the data holder\n"
        "  {} if every column's range reaches {} of its standard deviations to both sides of its "
        "mean (with {}, of the logarithms)\n  {}\n"
        "{}  {}\n"
        "  accuracy depends on the data being Gaussian; privacy depends on no assumption\n"
        "  columns that are skewed or mostly one value keep their own law with {}\n",
        way.alpha, way.details["condition"].get<std::string>(), command_words("compare"), errors,
        ranges, flag_words("log"), way.why.text,
        supposed_.empty() ? "" : fmt::format("  {}\n", supposed_),
        cut_words(design["clip_radius"].get<double>()), method_words("marginals", "copula"));
  }

 private:
  std::string supposed_;
};

}  // namespace

std::unique_ptr<const PlanModel> shared_gaussian_plan_model(std::string supposed) {
  return std::make_unique<SharedGaussianPlan>(std::move(supposed));
}

}  // namespace mollify
