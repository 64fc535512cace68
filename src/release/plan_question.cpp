#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "release/json_syntax.h"
#include "release/plan_model.h"
#include "release/spec_json.h"

namespace mollify {
namespace {

using enum PartKind;

/// What a release's spec has not, or has for other models.
constexpr Part kOwnParts[] = {
    {"/model", "--model", kText, PartScope::kAll},
    {"/family", "--family", kText, PartScope::kCentral},
    {"/unknown", "", kText, PartScope::kAll},
    {"/domain", "--domain", kDomain, PartScope::kAll},
    {"/n", "--n", kWhole, PartScope::kCentral},
    {"/k", "--k", kWhole, PartScope::kNoFamily},
    {"/dimension", "--dimension", kWhole, PartScope::kGaussian},
    {"/count", "--count", kWhole, PartScope::kAll},
    {"/privacy", "", kObject, PartScope::kAll},
    {"/privacy/epsilon", "--epsilon", kDecimal, PartScope::kAll},
    {"/privacy/delta", "--delta", kDecimal, PartScope::kCentral},
    {"/privacy/rho", "--rho", kDecimal, PartScope::kFamily},
    {"/alpha", "--alpha", kNumber, PartScope::kAll},
    {"/strong", "--strong", kTruth, PartScope::kCentral},
    {"/curve", "--curve", kTruth, PartScope::kCentral},
    {"/neighbours", "--neighbours", kText, PartScope::kMarginals},
    {"/copula", "--copula", kTruth, PartScope::kMarginals},
    {"/accept_large_delta", "--accept-large-delta", kTruth, PartScope::kCentral},
    {"/mechanism", "--mechanism", kText, PartScope::kLocal},
    {"/region", "--region", kTexts, PartScope::kLocal},
    {"/shared", "--shared", kTruth, PartScope::kGaussian},
    {"/mean_bound", "--mean-bound", kNumber, PartScope::kGaussian},
    {"/mean_range", "--mean-range", kNumber, PartScope::kGaussian},
    {"/covariance_bound", "--covariance-bound", kNumber, PartScope::kGaussian},
    {"/paper_variance", "--paper-variance", kTruth, PartScope::kGaussian},
    {"/logarithms", "--log", kTexts, PartScope::kGaussian},
    {"/covariance", "--covariance", kFile, PartScope::kGaussian},
};

/// Whether what an unknown stands for is given.
struct Quantity {
  PlanUnknown unknown;
  bool given;
};

/// Which quantity of a question is left to be found.
class Unknowns {
 public:
  /// One of `either` is missing, or else the first of `others` that is.
  Unknowns(std::vector<Quantity> either, std::vector<Quantity> others, bool has_rho, bool flags)
      : either_(std::move(either)), others_(std::move(others)), has_rho_(has_rho), flags_(flags) {}

  [[nodiscard]] std::vector<PlanUnknown> found() const {
    std::vector<Quantity> missing = missing_of(either_);
    if (missing.empty()) {
      missing = missing_of(others_);
      if (missing.empty()) {
        std::vector<Quantity> all = either_;
        all.insert(all.end(), others_.begin(), others_.end());
        throw InvalidInput(fmt::format("one of {} must be left to be found, but all are given",
                                       called(all, " and ")));
      }
      return {missing.front().unknown};
    }
    if (missing.size() > 1) refuse(missing);
    if (has_rho_ && missing.front().unknown == PlanUnknown::kEpsilon) {
      return {PlanUnknown::kEpsilon, PlanUnknown::kRho};
    }
    return {missing.front().unknown};
  }

  /// The one that is asked for by name.
  [[nodiscard]] std::vector<PlanUnknown> named(PlanUnknown unknown) const {
    const PlanUnknown budget = unknown == PlanUnknown::kRho ? PlanUnknown::kEpsilon : unknown;
    std::vector<Quantity> missing = missing_of(either_);
    std::erase_if(missing, [&](const Quantity& one) { return one.unknown == budget; });
    if (!missing.empty()) refuse(missing);
    for (const auto* quantities : {&either_, &others_}) {
      for (const Quantity& one : *quantities) {
        if (one.unknown == budget && one.given) {
          throw InvalidInput(fmt::format("{} is the unknown, but it is given", name_of(unknown)));
        }
      }
    }
    return {unknown};
  }

 private:
  static std::vector<Quantity> missing_of(std::vector<Quantity> quantities) {
    std::erase_if(quantities, [](const Quantity& one) { return one.given; });
    return quantities;
  }
  [[nodiscard]] std::string called(const std::vector<Quantity>& quantities,
                                   std::string_view before_last) const {
    const std::string dashes = flags_ ? "--" : "";
    std::string text;
    for (const Quantity& one : quantities) {
      if (!text.empty()) text += &one == &quantities.back() ? before_last : ", ";
      text += dashes + std::string(name_of(one.unknown));
      if (has_rho_ && one.unknown == PlanUnknown::kEpsilon) text += " or " + dashes + "rho";
    }
    return text;
  }
  [[noreturn]] void refuse(const std::vector<Quantity>& missing) const {
    throw InvalidInput(fmt::format("one of {} can be found, but {} {} missing",
                                   called(either_, " and "), called(missing, ", "),
                                   missing.size() == 1 ? "is" : "are"));
  }

  std::vector<Quantity> either_, others_;
  bool has_rho_;
  bool flags_;
};

Unknowns unknowns_of(const PartReader& reader, const PlanQuestion& question, bool flags) {
  using enum PlanUnknown;
  const bool epsilon = reader.has("/privacy/epsilon");
  const bool delta = reader.has("/privacy/delta");
  const bool count = reader.has("/count");
  const Quantity alpha{kAlpha, reader.has("/alpha")};
  const Quantity outcomes{kOutcomes, reader.has("/k") || question.domain};
  if (question.family == Family::kMarginals) {
    return {
        {{kRecords, reader.has("/n")}, {kEpsilon, epsilon || reader.has("/privacy/rho")}, alpha},
        {},
        true,
        flags};
  }
  if (question.family == Family::kGaussian) {
    std::vector<Quantity> others = {{kOutputs, count}, {kDelta, !epsilon || delta}};
    if (question.shared) others.erase(others.begin());
    return {{{kRecords, reader.has("/n")},
             {kDimension, reader.has("/dimension") || question.domain},
             {kEpsilon, epsilon || reader.has("/privacy/rho")},
             alpha},
            std::move(others),
            true,
            flags};
  }
  if (question.model == Model::kCentral) {
    return {{{kRecords, reader.has("/n")}, outcomes, {kEpsilon, epsilon}, alpha},
            {{kDelta, delta || !count}, {kOutputs, count}},
            false,
            flags};
  }
  return {{outcomes, {kEpsilon, epsilon || reader.has("/privacy/mu")}, alpha},
          {{kOutputs, count}},
          false,
          flags};
}

Privacy budget_of(const PartReader& reader) {
  const auto epsilon = reader.find_decimal("/privacy/epsilon");
  const auto delta = reader.find_decimal("/privacy/delta");
  if (const auto rho = reader.find_decimal("/privacy/rho")) {
    if (epsilon || delta) {
      throw InvalidInput("a budget is rho, or epsilon and delta, but both are given");
    }
    return Privacy::concentrated(rho->down());
  }
  if (const auto mu = reader.find_decimal("/privacy/mu")) {
    if (epsilon) throw InvalidInput("a budget is mu or epsilon, but both are given");
    return Privacy::gaussian(mu->down());
  }
  return Privacy::approximate(epsilon ? epsilon->down() : 1, delta ? delta->down() : 0);
}

/// Throws InvalidInput where a local plan lacks what nothing can be found without.
void require_local(const PartReader& reader, const PlanQuestion& question) {
  if (reader.has("/alpha")) return;
  if (!question.domain && !reader.has("/k")) {
    throw InvalidInput(fmt::format("{} or {} is needed, but is not given", reader.called("/domain"),
                                   reader.called("/k")));
  }
  if (!reader.has("/privacy/mu")) reader.require_given("/privacy/epsilon");
}

}  // namespace

std::span<const Part> plan_parts() {
  static const std::vector<Part> parts = [] {
    std::vector<Part> all(std::begin(kOwnParts), std::end(kOwnParts));
    const auto of_spec = spec_parts();
    std::copy_if(of_spec.begin(), of_spec.end(), std::back_inserter(all), [](const Part& part) {
      return part.scope == PartScope::kLocal || part.scope == PartScope::kReference;
    });
    return all;
  }();
  return parts;
}

PlanQuestion plan_question_of(const Json& given, const std::string& name) {
  Json json = given;
  const auto mechanism = json.find("mechanism");
  const bool every = mechanism != json.end() && *mechanism == "all";
  if (every) json.erase(mechanism);
  const PartReader reader(plan_parts(), json, name, "a plan's question");
  PlanQuestion question{.model = model_of(reader)};
  // In model central every one is told in any case.
  question.every_mechanism = every && question.model != Model::kCentral;
  question.family = family_of(reader, question.model);
  if (question.family == Family::kMarginals) {
    reader.require_given("/domain");
    const auto neighbours = reader.find<std::string>("/neighbours");
    question.copula = reader.find<bool>("/copula").value_or(false);
    if (neighbours) question.neighbours = known_value<Neighbours>("neighbours", *neighbours);
  }
  question.shared = reader.find<bool>("/shared").value_or(false);
  for (const char* other : {"/mean_bound", "/mean_range", "/covariance", "/covariance_bound",
                            "/paper_variance", "/strong"}) {
    if (question.shared && reader.has(other)) {
      throw InvalidInput(fmt::format(
          "a shared Gaussian learns its mean and covariance from the ranges, and all its records "
          "share one noise, but {} is given",
          reader.called(other)));
    }
  }
  question.domain = reader.find_domain("/domain");
  for (const char* size : {"/k", "/dimension", "/mean_range"}) {
    if (question.domain && reader.has(size)) {
      throw InvalidInput(fmt::format("{} is for when there is no domain, but {} is given",
                                     reader.called(size), reader.called("/domain")));
    }
  }
  if (question.model != Model::kCentral) require_local(reader, question);
  question.budget = budget_of(reader);
  const Unknowns unknowns = unknowns_of(reader, question, name.empty());
  const auto named = reader.find<std::string>("/unknown");
  question.unknowns =
      named ? unknowns.named(known_value<PlanUnknown>("unknown", *named)) : unknowns.found();
  const auto whole = [&](const char* place) {
    return reader.find<std::uint64_t>(place).value_or(1);
  };
  question.records = whole("/n");
  question.outcomes = whole("/k");
  question.dimension = whole("/dimension");
  // Rows of one model are drawn at no cost, so how many is not asked.
  question.outputs = question.family == Family::kMarginals ? 1 : whole("/count");
  question.alpha = reader.find<double>("/alpha").value_or(0);
  question.strong = reader.find<bool>("/strong").value_or(false);
  question.accept_large_delta = reader.find<bool>("/accept_large_delta").value_or(false);
  question.curve = reader.find<bool>("/curve").value_or(false);
  if (question.model != Model::kCentral) {
    question.local = local_spec(reader);
    if (!question.domain && question.local.reference) {
      throw InvalidInput(fmt::format("{} needs {}, but none is given", reader.called("/reference"),
                                     reader.called("/domain")));
    }
    if (!question.domain && question.local.space != SpaceSpec{}) {
      throw InvalidInput(
          fmt::format("a space needs {}, but none is given", reader.called("/domain")));
    }
  }
  question.region =
      reader.find<std::vector<std::string>>("/region").value_or(std::vector<std::string>());
  question.mean_bound = reader.find<double>("/mean_bound");
  const auto mean_range = reader.find<double>("/mean_range");
  if (question.mean_bound && mean_range) {
    throw InvalidInput(fmt::format("the mean has either {} or {}, but both are given",
                                   reader.called("/mean_bound"), reader.called("/mean_range")));
  }
  if (mean_range) {
    if (!(*mean_range > 0)) {
      throw InvalidInput(
          fmt::format("{} must be positive, but is {}", reader.called("/mean_range"), *mean_range));
    }
    question.mean_ranges = {{-0.5 * *mean_range, 0.5 * *mean_range}};
  }
  question.covariance_bound = reader.find<double>("/covariance_bound").value_or(1);
  question.paper_variance = reader.find<bool>("/paper_variance").value_or(false);
  question.logarithms =
      reader.find<std::vector<std::string>>("/logarithms").value_or(std::vector<std::string>());
  question.covariance = reader.find_file("/covariance");
  if (!question.domain && (question.covariance || !question.logarithms.empty())) {
    throw InvalidInput(
        fmt::format("{} needs {}, but none is given",
                    reader.called(question.covariance ? "/covariance" : "/logarithms"),
                    reader.called("/domain")));
  }
  return question;
}

PlanQuestion parse_plan_question(const std::string& text, const std::string& name) {
  require_json(text, name);
  return plan_question_of(Json::parse(text), name);
}

}  // namespace mollify
