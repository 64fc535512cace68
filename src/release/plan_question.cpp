#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/privacy.h"
#include "base/json.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "release/method.h"
#include "release/plan.h"
#include "release/spec.h"

namespace mollify {

namespace {

using enum PartKind;

/// Those that methods have alike.
constexpr Part kCommonPlanParts[] = {
    {{"/method", "", kText}, kEveryMethod},
    {{"/unknown", "", kText}, kEveryMethod},
    {{"/domain", "--domain", kDomain}, kEveryMethod},
    {{"/n", "--n", kWhole, "number of records; it is public"}, kRowMethods},
    {{"/weights", "", kObject}, kWeightMethods},
    {{"/weights/column", "--weights", kText, "", "COLUMN"}, kWeightMethods},
    {{"/weights/greatest", "--greatest-weight", kDecimal}, kWeightMethods},
    {{"/weights/step", "--weight-step", kDecimal}, kWeightMethods},
    {{"/weights/invalid", "--invalid-weight", kDecimal}, kWeightMethods},
    {{"/weights/mean", "--mean-weight", kDecimal}, kWeightMethods},
    {{"/privacy", "", kObject}, kEveryMethod},
    {{"/privacy/epsilon", "--epsilon", kDecimal}, kEveryMethod},
    {{"/privacy/delta", "--delta", kDecimal}, kRowMethods},
    {{"/privacy/mu", "--mu", kDecimal}, kDrawMethods},
    {{"/alpha", "--alpha", kNumber, "total variation of an output's law from the data's"},
     kEveryMethod},
    {{"/curve", "--curve", kTruth, "print total variation against n as well"}, kRowMethods},
    {{"/accept_large_delta", "--accept-large-delta", kTruth}, kRowMethods},
};

/// Of a method that is planned by its design, in addition to its spec's parts.
constexpr OwnPart kDesignQuestions[] = {{"/count", "--count", kWhole}};

/// Which quantity of a question is left to be found.
class Unknowns {
  using Quantity = PlanQuantities::Quantity;

 public:
  Unknowns(PlanQuantities quantities, bool flags)
      : either_(std::move(quantities.either)),
        others_(std::move(quantities.others)),
        has_rho_(quantities.has_rho),
        flags_(flags) {}

  [[nodiscard]] std::vector<PlanUnknown> found() const {
    std::vector<Quantity> missing = missing_of(either_);
    if (missing.empty()) {
      missing = missing_of(others_);
      if (missing.empty()) {
        std::vector<Quantity> all = either_;
        all.insert(all.end(), others_.begin(), others_.end());
        refuse_input("superfluous-parameter", name_of(all.back().unknown), ways(all, WayOut::leave),
                     "one of {} must be left to be found, but all are given", called(all, " and "));
      }
      return {missing.front().unknown};
    }
    if (missing.size() > 1) {
      refuse_input("missing-parameter", name_of(missing.front().unknown), ways(missing, set),
                   "plan finds one of {}: give all but one of {}", called(either_, " and "),
                   called(missing, " and "));
    }
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
          refuse_input("superfluous-parameter", name_of(unknown), {WayOut::leave(name_of(unknown))},
                       "{} is what plan is asked to find, but it is given: leave it out",
                       name_of(unknown));
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
    const auto called_one = [&](std::string_view name) {
      return flags_ ? flag_words(name) : std::string(name);
    };
    std::string text;
    for (const Quantity& one : quantities) {
      if (!text.empty()) text += &one == &quantities.back() ? before_last : ", ";
      text += called_one(name_of(one.unknown));
      if (has_rho_ && one.unknown == PlanUnknown::kEpsilon) text += " or " + called_one("rho");
    }
    return text;
  }
  static WayOut set(std::string_view part) { return WayOut::set(part); }
  static std::vector<WayOut> ways(const std::vector<Quantity>& quantities,
                                  WayOut (*what)(std::string_view)) {
    std::vector<WayOut> all;
    for (const Quantity& one : quantities) all.push_back(what(name_of(one.unknown)));
    return all;
  }
  [[noreturn]] void refuse(const std::vector<Quantity>& missing) const {
    refuse_input("missing-parameter", name_of(missing.front().unknown), ways(missing, set),
                 "plan finds one of {}, so give the others: {} {} missing",
                 called(either_, " and "), called(missing, ", "),
                 missing.size() == 1 ? "is" : "are");
  }

  std::vector<Quantity> either_, others_;
  bool has_rho_;
  bool flags_;
};

Privacy budget_of(const PartReader& reader) {
  const auto epsilon = reader.find_decimal("/privacy/epsilon");
  const auto delta = reader.find_decimal("/privacy/delta");
  if (const auto rho = reader.find_decimal("/privacy/rho")) {
    if (epsilon || delta) {
      refuse_input("contradicting-parameters", "rho",
                   {WayOut::leave("rho"), WayOut::leave("epsilon")},
                   "give {}, or {} and {}, not both", flag_words("rho"), flag_words("epsilon"),
                   flag_words("delta"));
    }
    return Privacy::concentrated(rho->down());
  }
  if (const auto mu = reader.find_decimal("/privacy/mu")) {
    if (epsilon) refuse_both("mu", "epsilon");
    return Privacy::gaussian(mu->down());
  }
  return Privacy::approximate(epsilon ? epsilon->down() : 1, delta ? delta->down() : 0);
}

}  // namespace

std::span<const Part> plan_parts() {
  static const std::vector<Part> parts = [] {
    std::vector<Part> all(std::begin(kCommonPlanParts), std::end(kCommonPlanParts));
    for (const auto& [word, name] : names<Method>()) {
      const MethodProfile& profile = release_method(word).profile();
      const bool by_design = profile.question_parts.empty();
      add_own_parts(by_design ? kDesignQuestions : profile.question_parts, word, all);
      // The parameters of a draw, or of a design, are the question about it.
      if (by_design || kDrawMethods.has(word)) add_own_parts(profile.parts, word, all);
    }
    return all;
  }();
  return parts;
}

void refuse_unknown(Method method, PlanUnknown unknown, std::string_view why) {
  refuse_input("no-answer", name_of(unknown), "plan cannot find {} for {}{}", name_of(unknown),
               method_words(name_of(method)), why);
}

PlanQuestion plan_question_of(const Json& given, const std::string& name) {
  Json json = given;
  const auto mechanism = json.find("mechanism");
  const bool every = mechanism != json.end() && *mechanism == "all";
  if (every) json.erase(mechanism);
  const PartReader reader(plan_parts(), json, name, "a plan's question");
  PlanQuestion question{.method = method_of(reader)};
  require_mechanism_or_all(json, question.method);
  const ReleaseMethod& method = release_method(question.method);
  question.every_mechanism = every;
  question.domain = reader.find_domain("/domain");
  for (const auto& [size, flag] : {std::pair{"/k", "k"}, std::pair{"/dimension", "dimension"},
                                   std::pair{"/mean_range", "mean-range"}}) {
    // A support is a part of the domain.
    if (question.domain && reader.has(size) && !reader.has("/support")) {
      refuse_input("contradicting-parameters", flag, {WayOut::leave(flag), WayOut::leave("domain")},
                   "give {} or {}, not both: the domain declares what {} says", reader.called(size),
                   reader.called("/domain"), reader.called(size));
    }
  }
  const Unknowns unknowns(method.read_question(reader, question), name.empty());
  question.budget = budget_of(reader);
  const auto named = reader.find<std::string>("/unknown");
  question.unknowns =
      named ? unknowns.named(known_value<PlanUnknown>("unknown", *named)) : unknowns.found();
  const auto whole = [&](const char* place) {
    return reader.find<std::uint64_t>(place).value_or(1);
  };
  question.records = whole("/n");
  question.outcomes = whole("/k");
  if (reader.has("/k")) {
    require_between({reader.called("/k"), "k", "outcomes"}, question.outcomes, 1,
                    Band::kMostOutcomes);
  }
  if (reader.has("/n"))
    require_in({.least = 1}, {reader.called("/n"), "n", "records"}, question.records);
  question.dimension = whole("/dimension");
  question.outputs = whole("/count");
  question.is_for_one = !reader.has("/count");
  question.alpha = reader.find<double>("/alpha").value_or(0);
  question.strong = reader.is_true("/strong");
  question.accept_large_delta = reader.is_true("/accept_large_delta");
  question.curve = reader.is_true("/curve");
  return question;
}

PlanQuestion parse_plan_question(const std::string& text, const std::string& name) {
  require_json(text, name);
  return plan_question_of(Json::parse(text), name);
}

}  // namespace mollify
