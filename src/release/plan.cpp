#include "release/plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/answer.h"
#include "base/directed_rounding.h"
#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How many records, outcomes or outputs, how much budget or accuracy.

namespace {

constexpr double kLeastDelta = 1e-100;
/// The greatest share of 1/n for a delta that is looked for: it must be below 1/n.
constexpr double kLargestShare = 0.999999;

/// A budget is rounded down from what was typed; the next double is not below that.
double typed_delta_up(const PlanQuestion& question) {
  const double delta = question.budget.delta;
  return delta > 0 ? std::nextafter(delta, 1) : 0;
}

/// A bound as it is printed. Bounds of single outputs are added up for all together and may pass 1;
/// how far still decides which way is best.
double stated_alpha(double alpha) { return std::min(1.0, alpha); }

/// One mechanism's total variation as a function of the unknown.
class PlanSearch {
 public:
  PlanSearch(const PlanModel& model, std::size_t mechanism, PlanUnknown unknown,
             const PlanQuestion& question)
      : model_(model), mechanism_(mechanism), unknown_(unknown), question_(question) {}

  [[nodiscard]] PlanWay solved() const {
    if (unknown_ == PlanUnknown::kAlpha) {
      PlanWay way = model_.at(mechanism_, question_);
      if (std::isfinite(way.alpha)) way.value = way.alpha;
      return way;
    }
    auto [easy, hard] = model_.span(unknown_, question_);
    if (unknown_ == PlanUnknown::kDelta && !question_.accept_large_delta) {
      easy = std::min(easy, kLargestShare / static_cast<double>(question_.records));
    }
    if (serves(hard)) return answer(hard);
    if (hard == 0) {
      hard = kLeastDelta;
      if (serves(hard)) return answer(hard);
    }
    if (unknown_ == PlanUnknown::kRecords) {
      // From few records on, because designs for many cost more.
      const double most = easy;
      for (easy = std::min(2 * hard, most); !serves(easy); easy = std::min(2 * easy, most)) {
        if (easy == most) return answer(most);
        hard = easy;
      }
    } else if (!serves(easy)) {
      return answer(easy);
    }
    return answer(last_that_serves(easy, hard));
  }

 private:
  [[nodiscard]] double measure(double value) const {
    keep_going();
    return model_.measure(mechanism_, with(question_, unknown_, value));
  }
  [[nodiscard]] bool serves(double value) const { return measure(value) <= question_.alpha; }

  /// Between an end that is enough and one that is not: until whole numbers are neighbours, and
  /// others within 1e-7 of themselves.
  [[nodiscard]] double last_that_serves(double easy, double hard) const {
    const bool whole = is_whole(unknown_);
    const auto at = [whole](double logarithm) {
      const double value = std::exp(logarithm);
      return whole ? std::round(value) : value;
    };
    const Crossing found = narrow(
        {std::log(easy), std::log(hard)}, question_.alpha,
        [&](double logarithm) { return measure(at(logarithm)); },
        [&](const Crossing& now) {
          return std::abs(now.above - now.at_most) < 1e-7 ||
                 (whole && std::abs(at(now.above) - at(now.at_most)) <= 1);
        });
    const auto [low, high] = std::minmax(easy, hard);
    double last = std::clamp(at(found.at_most), low, high);
    double fails = std::clamp(at(found.above), low, high);
    while (whole && std::abs(last - fails) > 1) {
      const double middle = std::floor(0.5 * (last + fails));
      (serves(middle) ? last : fails) = middle;
    }
    return last;
  }

  /// The mechanism's result at a value, or why there is none.
  [[nodiscard]] PlanWay answer(double value) const {
    keep_going();
    PlanWay way = model_.at(mechanism_, with(question_, unknown_, value));
    if (!(way.alpha <= question_.alpha)) {
      if (std::isfinite(way.alpha) || way.why.empty()) {
        way.why = unknown_ == PlanUnknown::kOutputs && value == 1
                      ? fmt::format("one output has a total variation of {:.4g} already",
                                    stated_alpha(way.alpha))
                      : fmt::format("no {} up to {:.4g} gives a total variation of {:g}",
                                    name_of(unknown_), value, question_.alpha);
      }
      return way;
    }
    switch (unknown_) {
      case PlanUnknown::kEpsilon:
        way.value = way.spent.epsilon;
        break;
      case PlanUnknown::kRho:
        way.value = way.spent.rho;
        break;
      case PlanUnknown::kDelta:
        way.value = way.spent.delta;
        break;
      case PlanUnknown::kRecords:
      case PlanUnknown::kOutcomes:
      case PlanUnknown::kDimension:
      case PlanUnknown::kOutputs:
      case PlanUnknown::kAlpha:
        way.value = value;
        break;
    }
    return way;
  }

  const PlanModel& model_;
  std::size_t mechanism_;
  PlanUnknown unknown_;
  const PlanQuestion& question_;
};

std::optional<std::size_t> best_way(PlanUnknown unknown, const std::vector<PlanWay>& ways) {
  const bool more = unknown == PlanUnknown::kOutcomes || unknown == PlanUnknown::kDimension ||
                    unknown == PlanUnknown::kOutputs;
  // What rounding alone tells apart is equal.
  const double tie = is_whole(unknown) ? 0 : 1e-9;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    // If there is only one way, nothing is chosen.
    if (!ways[i].value || (!ways[i].independent_outputs && ways.size() > 1)) continue;
    if (!best || (more ? *ways[i].value > *ways[*best].value
                       : *ways[i].value < *ways[*best].value * (1 - tie))) {
      best = i;
    }
  }
  return best;
}

/// At n/32, n/16, ..., 32 n, as far as there are at least as many records as outputs.
std::vector<CurvePoint> curve(const PlanModel& model, const PlanQuestion& whole) {
  std::vector<CurvePoint> points;
  for (int power = -5; power <= 5; ++power) {
    const double records = std::round(std::ldexp(static_cast<double>(whole.records), power));
    if (records < static_cast<double>(std::max<std::uint64_t>(whole.outputs, 1)) ||
        records > static_cast<double>(kMostPlannedRecords)) {
      continue;
    }
    const PlanQuestion here = with(whole, PlanUnknown::kRecords, records);
    CurvePoint point{.records = here.records};
    std::vector<PlanWay> ways;
    for (std::size_t i = 0; i < model.mechanisms(); ++i) {
      ways.push_back(PlanSearch(model, i, PlanUnknown::kAlpha, here).solved());
      point.alphas.push_back(ways.back().value);
    }
    point.best = best_way(PlanUnknown::kAlpha, ways);
    for (std::optional<double>& alpha : point.alphas) {
      if (alpha) alpha = stated_alpha(*alpha);
    }
    points.push_back(std::move(point));
  }
  return points;
}

/// With this many records the delta is 1/n or more: no release is made of them.
void refuse_large_delta(const PlanQuestion& question, PlanWay& way) {
  if (!way.value || question.accept_large_delta || *way.value * typed_delta_up(question) < 1)
    return;
  way.why = fmt::format("needs {:.0f} records, and then delta {} is 1/n or more", *way.value,
                        detail::shortest(question.budget.delta));
  way.value.reset();
}

PlanAnswer answer(const PlanModel& model, PlanUnknown unknown, const PlanQuestion& question) {
  if (unknown != PlanUnknown::kAlpha && !(question.alpha > 0 && question.alpha < 1)) {
    throw InvalidInput("out-of-range",
                       fmt::format("alpha must be above 0 and below 1, but is {}", question.alpha),
                       "alpha");
  }
  if (kRowMethods.has(question.method) && !question.accept_large_delta &&
      unknown != PlanUnknown::kRecords && unknown != PlanUnknown::kDelta) {
    require_small_delta(typed_delta_up(question), detail::shortest(question.budget.delta),
                        static_cast<double>(question.records));
  }
  model.require_answerable(unknown, question);
  PlanAnswer found{.unknown = unknown};
  for (std::size_t i = 0; i < model.mechanisms(); ++i) {
    found.ways.push_back(PlanSearch(model, i, unknown, question).solved());
    if (unknown == PlanUnknown::kRecords) refuse_large_delta(question, found.ways.back());
  }
  found.best = best_way(unknown, found.ways);
  PlanQuestion whole = question;
  if (found.best) {
    const PlanQuestion one = model.settled(*found.best, question);
    whole = with(one, unknown, *found.ways[*found.best].value);
  }
  // A local one has all of the draw in it, which exists only with an answer.
  if (found.best || kRowMethods.has(question.method)) {
    found.subject = model.subject(unknown, whole);
  }
  if (found.best) {
    model.tell(whole, found);
    if (question.curve) found.curve = curve(model, whole);
  }
  for (PlanWay& way : found.ways) {
    if (unknown == PlanUnknown::kAlpha && way.value) way.value = stated_alpha(*way.value);
  }
  return found;
}

}  // namespace

bool is_whole(PlanUnknown unknown) noexcept {
  return unknown == PlanUnknown::kRecords || unknown == PlanUnknown::kOutcomes ||
         unknown == PlanUnknown::kDimension || unknown == PlanUnknown::kOutputs;
}

PlanQuestion with(PlanQuestion question, PlanUnknown unknown, double value) {
  switch (unknown) {
    case PlanUnknown::kRecords:
      question.records = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kOutcomes:
      question.outcomes = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kDimension:
      question.dimension = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kEpsilon:
      question.budget = Privacy::approximate(value, question.budget.delta);
      break;
    case PlanUnknown::kRho:
      question.budget = Privacy::concentrated(value);
      break;
    case PlanUnknown::kDelta:
      question.budget = Privacy::approximate(question.budget.epsilon, value);
      break;
    case PlanUnknown::kOutputs:
      question.outputs = static_cast<std::uint64_t>(value);
      break;
    case PlanUnknown::kAlpha:
      question.alpha = value;
      break;
  }
  return question;
}

std::string PlanModel::subject(PlanUnknown unknown, const PlanQuestion& whole) const {
  std::string text;
  const auto add = [&](PlanUnknown what, std::uint64_t count, const char* thing) {
    if (unknown != what) text += counted(count, thing) + ", ";
  };
  add(PlanUnknown::kRecords, whole.records, "record");
  if (size() == PlanUnknown::kDimension) {
    add(PlanUnknown::kDimension, whole.dimension, "coordinate");
  } else {
    add(PlanUnknown::kOutcomes, whole.outcomes, "outcome");
  }
  if (!shares_noise()) add(PlanUnknown::kOutputs, whole.outputs, "output");
  if (unknown == PlanUnknown::kDelta) {
    text += fmt::format("epsilon {:.6g}", whole.budget.epsilon);
  } else if (unknown == PlanUnknown::kEpsilon) {
    text += "delta " + detail::shortest(whole.budget.delta);
  } else if (unknown != PlanUnknown::kRho) {
    text += whole.budget.text();
  }
  if (text.ends_with(", ")) text.resize(text.size() - 2);
  if (unknown == PlanUnknown::kAlpha) return text + (whole.strong ? ", joint" : "");
  return text + fmt::format(", {} total variation at most {:g}",
                            whole.strong     ? "joint"
                            : shares_noise() ? "expected"
                                             : "each output's",
                            whole.alpha);
}

bool PlanReport::is_served() const noexcept {
  return std::any_of(answers.begin(), answers.end(),
                     [](const PlanAnswer& one) { return one.best.has_value(); });
}

namespace {

PlanReport report_for(PlanQuestion question, const PublicInputs* inputs) {
  const auto model = release_method(question.method).plan_model(question, inputs);
  PlanReport report{.question = question};
  for (const PlanUnknown unknown : question.unknowns) {
    try {
      report.answers.push_back(answer(*model, unknown, question));
    } catch (const InvalidInput& refused) {
      if (question.unknowns.size() == 1) throw;
      PlanWay way{.alpha = std::numeric_limits<double>::infinity(), .why = refused.what()};
      report.answers.push_back({.unknown = unknown, .ways = {std::move(way)}});
    }
  }
  return report;
}

}  // namespace

PlanReport plan(const PlanQuestion& question, const PublicInputs& inputs) {
  return report_for(question, &inputs);
}

PlanReport plan(const PlanQuestion& question) { return report_for(question, nullptr); }

// -----------------------------------------------------------------------------------------------
// Plan question.

namespace {

using enum PartKind;

/// Those that methods have alike.
constexpr Part kCommonPlanParts[] = {
    {{"/method", "", kText}, kEveryMethod},
    {{"/unknown", "", kText}, kEveryMethod},
    {{"/domain", "--domain", kDomain}, kEveryMethod},
    {{"/n", "--n", kWhole, "number of records; it is public"}, kRowMethods},
    {{"/privacy", "", kObject}, kEveryMethod},
    {{"/privacy/epsilon", "--epsilon", kDecimal}, kEveryMethod},
    {{"/privacy/delta", "--delta", kDecimal}, kRowMethods},
    {{"/privacy/mu", "--mu", kDecimal}, kDrawMethods},
    {{"/alpha", "--alpha", kNumber, "total variation of an output's law from the data's"},
     kEveryMethod},
    {{"/curve", "--curve", kTruth, "print total variation against n as well"}, kRowMethods},
    {{"/accept_large_delta", "--accept-large-delta", kTruth}, kRowMethods},
};

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
        throw InvalidInput("superfluous-parameter",
                           fmt::format("one of {} must be left to be found, but all are given",
                                       called(all, " and ")));
      }
      return {missing.front().unknown};
    }
    if (missing.size() > 1) {
      throw InvalidInput("missing-parameter",
                         fmt::format("plan finds one of {}: give all but one of {}",
                                     called(either_, " and "), called(missing, " and ")));
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
          throw InvalidInput("superfluous-parameter",
                             fmt::format("{} is what plan is asked to find, but it is given: leave "
                                         "it out",
                                         name_of(unknown)),
                             name_of(unknown), {WayOut::leave(name_of(unknown))});
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
  [[noreturn]] void refuse(const std::vector<Quantity>& missing) const {
    throw InvalidInput("missing-parameter",
                       fmt::format("plan finds one of {}, so give the others: {} {} missing",
                                   called(either_, " and "), called(missing, ", "),
                                   missing.size() == 1 ? "is" : "are"),
                       name_of(missing.front().unknown));
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
      throw InvalidInput("contradicting-parameters",
                         fmt::format("give {}, or {} and {}, not both", flag_words("rho"),
                                     flag_words("epsilon"), flag_words("delta")),
                         "rho", {WayOut::leave("rho"), WayOut::leave("epsilon")});
    }
    return Privacy::concentrated(rho->down());
  }
  if (const auto mu = reader.find_decimal("/privacy/mu")) {
    if (epsilon) {
      throw InvalidInput(
          "contradicting-parameters",
          fmt::format("give {} or {}, not both", flag_words("mu"), flag_words("epsilon")), "mu",
          {WayOut::leave("mu"), WayOut::leave("epsilon")});
    }
    return Privacy::gaussian(mu->down());
  }
  return Privacy::approximate(epsilon ? epsilon->down() : 1, delta ? delta->down() : 0);
}

}  // namespace

std::span<const Part> plan_parts() {
  static const std::vector<Part> parts = [] {
    std::vector<Part> all(std::begin(kCommonPlanParts), std::end(kCommonPlanParts));
    for (const auto& [word, name] : names<Method>()) {
      const ReleaseMethod& method = release_method(word);
      add_own_parts(method.question_parts(), word, all);
      // The parameters of a draw are the question about it.
      if (kDrawMethods.has(word)) add_own_parts(method.parts(), word, all);
    }
    return all;
  }();
  return parts;
}

void refuse_unknown(Method method, PlanUnknown unknown, std::string_view why) {
  throw InvalidInput("no-answer",
                     fmt::format("plan cannot find {} for {}{}", name_of(unknown),
                                 method_words(name_of(method)), why),
                     name_of(unknown));
}

PlanQuestion plan_question_of(const Json& given, const std::string& name) {
  Json json = given;
  const auto mechanism = json.find("mechanism");
  const bool every = mechanism != json.end() && *mechanism == "all";
  if (every) json.erase(mechanism);
  const PartReader reader(plan_parts(), json, name, "a plan's question");
  PlanQuestion question{.method = method_of(reader)};
  const ReleaseMethod& method = release_method(question.method);
  question.every_mechanism = every;
  question.domain = reader.find_domain("/domain");
  for (const auto& [size, flag] : {std::pair{"/k", "k"}, std::pair{"/dimension", "dimension"},
                                   std::pair{"/mean_range", "mean-range"}}) {
    // A support is a part of the domain.
    if (question.domain && reader.has(size) && !reader.has("/support")) {
      throw InvalidInput(
          "contradicting-parameters",
          fmt::format("give {} or {}, not both: the domain declares what {} says",
                      reader.called(size), reader.called("/domain"), reader.called(size)),
          flag, {WayOut::leave(flag), WayOut::leave("domain")});
    }
  }
  method.read_question(reader, question);
  question.budget = budget_of(reader);
  const Unknowns unknowns(method.quantities(reader, question), name.empty());
  const auto named = reader.find<std::string>("/unknown");
  question.unknowns =
      named ? unknowns.named(known_value<PlanUnknown>("unknown", *named)) : unknowns.found();
  const auto whole = [&](const char* place) {
    return reader.find<std::uint64_t>(place).value_or(1);
  };
  question.records = whole("/n");
  question.outcomes = whole("/k");
  if (reader.has("/k")) {
    require_between(reader.called("/k"), question.outcomes, 1, Band::kMostOutcomes);
  }
  question.dimension = whole("/dimension");
  question.outputs = whole("/count");
  question.is_for_one = !reader.has("/count");
  question.alpha = reader.find<double>("/alpha").value_or(0);
  question.strong = reader.find<bool>("/strong").value_or(false);
  question.accept_large_delta = reader.find<bool>("/accept_large_delta").value_or(false);
  question.curve = reader.find<bool>("/curve").value_or(false);
  return question;
}

PlanQuestion parse_plan_question(const std::string& text, const std::string& name) {
  require_json(text, name);
  return plan_question_of(Json::parse(text), name);
}

// -----------------------------------------------------------------------------------------------
// Plan report.

namespace {

/// A drawn model is one of the likeliest. The worst case of its draw describes no table of its
/// rows.
bool is_of_models(const PlanAnswer& answer) {
  return answer.unknown == PlanUnknown::kAlpha && answer.ways.size() == 1 &&
         answer.facts.contains("best_models");
}

/// "the least number of records n", ...
const char* words_of(const PlanAnswer& answer, Method method) {
  if (is_of_models(answer)) {
    return "the released model's rank by likelihood, at most (with probability)";
  }
  switch (answer.unknown) {
    case PlanUnknown::kRecords:
      return "the least number of records n";
    case PlanUnknown::kOutcomes:
      return "the greatest number of outcomes k";
    case PlanUnknown::kDimension:
      return "the greatest dimension d";
    case PlanUnknown::kEpsilon:
      return "the least epsilon";
    case PlanUnknown::kRho:
      return "the least rho";
    case PlanUnknown::kDelta:
      return "the least delta";
    case PlanUnknown::kOutputs:
      return "the greatest number of outputs m";
    case PlanUnknown::kAlpha:
      break;
  }
  // What all rows of a table share has the error that its noise is expected to make.
  return kModelMethods.has(method) && kRowMethods.has(method)
             ? "the expected total variation alpha"
             : "the worst-case total variation alpha";
}

Json value_json(PlanUnknown unknown, const std::optional<double>& value) {
  if (!value) return nullptr;
  if (is_whole(unknown)) return static_cast<std::uint64_t>(*value);
  return *value;
}

std::string value_text(const PlanAnswer& answer, const std::optional<double>& value) {
  if (!value) return "-";
  if (is_of_models(answer)) {
    return fmt::format("{} ({:.2g})", answer.facts["best_models"].get<std::uint64_t>(),
                       answer.facts["best_models_probability"].get<double>());
  }
  const PlanUnknown unknown = answer.unknown;
  return is_whole(unknown) ? fmt::format("{:.0f}", *value) : fmt::format("{:.6g}", *value);
}

Json way_json(const PlanAnswer& answer, std::size_t i) {
  const PlanWay& way = answer.ways[i];
  Json json{{"mechanism", way.mechanism}, {"best", answer.best == i}};
  if (!way.value) {
    json["refusal"] = way.why;
    return json;
  }
  json[std::string(name_of(answer.unknown))] = value_json(answer.unknown, way.value);
  json["alpha"] = stated_alpha(way.alpha);
  json.update(way.details);
  json["independent_outputs"] = way.independent_outputs;
  json["why"] = way.why;
  return json;
}

Json curve_json(const PlanAnswer& answer) {
  const auto alpha_json = [](const std::optional<double>& alpha) {
    return alpha ? Json(*alpha) : Json(nullptr);
  };
  Json list = Json::array();
  for (const CurvePoint& point : answer.curve) {
    Json json{{"n", point.records}};
    if (answer.ways.size() == 1) {
      json["alpha"] = alpha_json(point.alphas.front());
    } else {
      json["best"] = point.best ? Json(answer.ways[*point.best].mechanism) : Json(nullptr);
      for (std::size_t i = 0; i < answer.ways.size(); ++i) {
        json["alpha"][answer.ways[i].mechanism] = alpha_json(point.alphas[i]);
      }
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// Its release's refusal or sentence about noise, if any.
bool add_noise(const PlanQuestion& question, const PlanAnswer& answer, std::vector<Message>& said) {
  const PlanWay& way = answer.ways[*answer.best];
  if (!way.noise || !way.noise->is_mostly_noise()) return false;
  if (way.is_for_estimates && !way.noise->is_indistinct()) return false;
  Message noise = *noise_message(*way.noise);
  if (way.is_for_estimates) {
    noise.clauses.push_back(for_estimates());
  } else if (way.is_refused.value_or(way.noise->is_indistinct())) {
    noise.clauses.push_back(
        fmt::format("a release refuses this without {}", added_words("accept-error")));
  } else if (way.noise->is_indistinct()) {
    noise.clauses.emplace_back(
        "a release does not refuse this, because the number of records is protected");
  }
  // What was asked for is what would do.
  if (answer.unknown == PlanUnknown::kAlpha) {
    PlanQuestion asked = question;
    const bool is_free = release_method(question.method).chooses_mechanism();
    if (kDrawMethods.has(question.method)) asked.outcomes = answer.facts["outcomes"];
    noise.remedy.ways_out = noise_remedy(asked, is_free ? "" : way.mechanism);
    if (!noise.remedy.ways_out.empty() && kDrawMethods.has(question.method) &&
        !is_of_models(answer)) {
      noise.remedy.others.emplace_back(
          "that is for the expected error, which is not the worst case above");
    }
  }
  said.push_back(std::move(noise));
  return true;
}

/// The best way's refusals and warnings: see release/acceptance.h.
std::vector<Message> warnings(const PlanQuestion& question, const PlanAnswer& answer) {
  if (!answer.best) return {};
  const PlanWay& way = answer.ways[*answer.best];
  const bool central = kRowMethods.has(question.method);
  std::vector<Message> said = question.warnings;
  const bool sought = answer.unknown == PlanUnknown::kEpsilon;
  const std::uint64_t draws = answer.unknown == PlanUnknown::kOutputs
                                  ? static_cast<std::uint64_t>(*way.value)
                                  : question.outputs;
  add_messages(
      said, epsilon_warnings(sought ? way.spent : question.budget, way.spent, central ? 0 : draws));
  if (!central) {
    add_noise(question, answer, said);
    return said;
  }
  const auto given = [&](PlanUnknown unknown, double value) {
    return answer.unknown == unknown ? *way.value : value;
  };
  const double records = given(PlanUnknown::kRecords, static_cast<double>(question.records));
  // A budget is rounded down from what was typed; the next double is not below that.
  const double typed = question.budget.delta;
  const double delta = given(PlanUnknown::kDelta, typed > 0 ? std::nextafter(typed, 1) : 0);
  const std::string things = counted(static_cast<std::uint64_t>(records), "record");
  if (delta * records >= 1) {
    said.push_back(
        {.code = "delta-too-large",
         .verdict = fmt::format("delta {} is 1/n or more for {}, so whole records may be "
                                "released as they are",
                                detail::shortest(delta), things),
         .reason =
             fmt::format("a release refuses this without {}", added_words("accept-large-delta"))});
  } else if (auto large = delta_warning(delta, detail::shortest(delta), records, things)) {
    said.push_back(std::move(*large));
  }
  if (add_noise(question, answer, said)) return said;
  const double outputs = given(PlanUnknown::kOutputs, static_cast<double>(question.outputs));
  ReleaseError error = way.noise.value_or(ReleaseError());
  error.error = way.alpha / (question.strong ? outputs : 1);
  if (auto large = release_method(question.method).error_warning(error)) {
    said.push_back(std::move(*large));
  }
  return said;
}

Json answer_json(const PlanQuestion& question, const PlanAnswer& answer) {
  const std::string unknown(name_of(answer.unknown));
  Json json{{"unknown", unknown}};
  const PlanWay* best = answer.best ? &answer.ways[*answer.best] : nullptr;
  const bool choice = answer.ways.size() > 1;
  if (choice) json["best"] = best != nullptr ? Json(best->mechanism) : Json(nullptr);
  json[unknown] = best != nullptr ? value_json(answer.unknown, best->value) : Json(nullptr);
  if (choice) {
    json["mechanisms"] = Json::array();
    for (std::size_t i = 0; i < answer.ways.size(); ++i) {
      json["mechanisms"].push_back(way_json(answer, i));
    }
  } else if (best != nullptr) {
    json["alpha"] = stated_alpha(best->alpha);
    json.update(best->details);
  } else {
    json["refusal"] = answer.ways.front().why;
  }
  json.update(answer.facts);
  json["warnings"] = json_of(warnings(question, answer));
  if (question.curve && best != nullptr) json["curve"] = curve_json(answer);
  return json;
}

/// A bar of at most 24 cells, in eighths.
std::string bar(double part) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(24 * 8 * std::clamp(part, 0.0, 1.0)));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

std::string curve_text(const PlanAnswer& answer) {
  if (answer.curve.empty()) return {};
  std::string text = fmt::format(
      "\ntotal variation against the number of records, the best one as a bar\n{:>14}", "n");
  // Of many mechanisms the best one of each number is shown.
  constexpr std::size_t kMostShown = 2;
  const bool all = answer.ways.size() <= kMostShown;
  for (const PlanWay& way : answer.ways) {
    if (all) text += fmt::format(" {:>14}", way.mechanism);
  }
  text += all ? "\n" : fmt::format(" {:>14} {:>19}\n", "TV", "mechanism");
  double longest = 0;
  for (const CurvePoint& point : answer.curve) {
    if (point.best) longest = std::max(longest, *point.alphas[*point.best]);
  }
  for (const CurvePoint& point : answer.curve) {
    text += fmt::format("{:>14}", point.records);
    const auto number = [](const std::optional<double>& alpha) {
      return fmt::format(" {:>14}", alpha ? fmt::format("{:.4g}", *alpha) : "-");
    };
    for (const std::optional<double>& alpha : point.alphas) {
      if (all) text += number(alpha);
    }
    if (!all && point.best) {
      text += number(point.alphas[*point.best]) +
              fmt::format(" {:>19}", answer.ways[*point.best].mechanism);
    }
    text += fmt::format("  {}\n", point.best ? bar(*point.alphas[*point.best] / longest) : "");
  }
  return text;
}

constexpr const char* kLegend =
    "* the best of those whose outputs are independent; in brackets, what else to know\n";

bool is_better(PlanUnknown unknown, double value, double than) {
  const bool more = unknown == PlanUnknown::kOutcomes || unknown == PlanUnknown::kDimension ||
                    unknown == PlanUnknown::kOutputs;
  return more ? value > than : value < than;
}

/// Words about a way, in brackets after its numbers; why it has no star although it is best.
std::string remark(const PlanAnswer& answer, const PlanWay& way) {
  if (!way.value) return fmt::format("  ({})", way.why);
  if (way.independent_outputs) return way.note.empty() ? "" : fmt::format("  ({})", way.note);
  const bool better =
      answer.best && is_better(answer.unknown, *way.value, *answer.ways[*answer.best].value);
  return better ? "  (better, but its outputs are not independent, so it has no star)"
                : "  (outputs are not independent)";
}

/// What each mechanism needs, where there are several.
std::string ways_text(const PlanAnswer& answer) {
  if (answer.ways.size() < 2) return {};
  const auto width = std::max_element(answer.ways.begin(), answer.ways.end(),
                                      [](const PlanWay& one, const PlanWay& other) {
                                        return one.mechanism.size() < other.mechanism.size();
                                      })
                         ->mechanism.size();
  const auto columns = std::max<std::size_t>(width, 15);
  const bool reports = std::any_of(answer.ways.begin(), answer.ways.end(), [](const PlanWay& way) {
    return way.details.contains("epsilon0");
  });
  std::string text =
      fmt::format("\n  {:<{}} {:>14} {:>12}{}\n", "", columns, name_of(answer.unknown), "TV",
                  reports ? fmt::format(" {:>10}", "epsilon0") : "");
  for (std::size_t i = 0; i < answer.ways.size(); ++i) {
    const PlanWay& way = answer.ways[i];
    if (!way.value) {
      text += fmt::format("  {:<{}} {:>14}{}\n", way.mechanism, columns, "-", remark(answer, way));
      continue;
    }
    const auto found = way.details.find("epsilon0");
    const std::string epsilon0 =
        found == way.details.end() ? "-" : fmt::format("{:.4g}", found->get<double>());
    text +=
        fmt::format("{} {:<{}} {:>14} {:>12.4g}{}{}\n", answer.best == i ? "*" : " ", way.mechanism,
                    columns, value_text(answer, way.value), stated_alpha(way.alpha),
                    reports ? fmt::format(" {:>10}", epsilon0) : "", remark(answer, way));
  }
  return answer.best ? text + "\n" + kLegend : text;
}

std::string answer_text(const PlanQuestion& question, const PlanAnswer& answer) {
  std::string text = words_of(answer, question.method) + std::string(": ");
  if (answer.best) {
    text += value_text(answer, answer.ways[*answer.best].value);
  } else {
    text += "none";
  }
  if (!answer.subject.empty()) text += ", for " + answer.subject;
  text += "\n";
  text += ways_text(answer);
  if (!answer.best) {
    return text + (answer.ways.size() > 1 ? "\nno mechanism is enough for this\n"
                                          : fmt::format("  {}\n", answer.ways.front().why));
  }
  text += answer.lines;
  for (const Message& warning : warnings(question, answer)) {
    text += "warning: " + warning.text() + "\n";
  }
  return text + curve_text(answer);
}

/// Whose data such a release protects, before anybody expects more.
std::string protected_text(const PlanReport& report) {
  const PlanQuestion& question = report.question;
  if (kDrawMethods.has(question.method)) return "";
  for (const PlanAnswer& answer : report.answers) {
    const auto unit = answer.facts.find("unit");
    if (unit == answer.facts.end()) continue;
    return fmt::format(
        "all rows of each unit of \"{}\" are protected together, and {} counts units, not rows\n",
        unit->get<std::string>(), flag_words("n"));
  }
  std::string text;
  if (question.is_for_one && !kModelMethods.has(question.method) &&
      question.unknowns.front() != PlanUnknown::kOutputs) {
    text = fmt::format("this plan is for one record; {} plans for more\n", flag_words("count"));
  }
  if (question.unit) {
    return text + fmt::format(
                      "all rows of each unit of \"{}\" are protected together, and {} counts "
                      "units, not rows\n",
                      *question.unit, flag_words("n"));
  }
  return text + fmt::format(
                    "each row is protected, and a person with several rows less; to protect whole "
                    "persons, give {} to {} and count persons here\n",
                    flag_words("unit"), words_of_speech("mollify sample", "the method"));
}

bool has_part(Method method, std::string_view place) {
  const auto parts = plan_parts();
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return part.place == place && part.methods.has(method);
  });
}

Json plan_json(const PlanReport& report) {
  const PlanQuestion& question = report.question;
  Json json{{"method", name_of(question.method)}};
  if (has_part(question.method, "/strong")) json["strong"] = question.strong;
  if (!has_part(question.method, "/privacy/rho")) {
    json.update(answer_json(question, report.answers.front()));
    return json;
  }
  json["answers"] = Json::array();
  for (const PlanAnswer& answer : report.answers) {
    json["answers"].push_back(answer_json(question, answer));
  }
  return json;
}

/// "warning: at epsilon 0.5, 1: ...", once for warnings of one kind, which differ in numbers.
std::string warnings_text(std::span<const PlanReport> reports) {
  struct Warning {
    Code code;
    std::string text, budgets, numbers;
  };
  std::vector<Warning> all;
  for (const PlanReport& report : reports) {
    const std::string budget = fmt::format("{:g}", report.question.budget.parameter());
    for (const Message& one : warnings(report.question, report.answers.front())) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const Warning& before) {
        return before.code == one.code &&
               (one.code != Code("wide-range") || before.text == one.text());
      });
      if (known == all.end()) {
        all.push_back({one.code, one.text(), budget, fmt::format(" (numbers for {})", budget)});
      } else {
        known->budgets += ", " + budget;
      }
    }
  }
  std::string said;
  for (const Warning& one : all) {
    said += fmt::format("warning: at {} {}{}: {}\n",
                        parameter_name(reports.front().question.budget.notion), one.budgets,
                        one.budgets.find(',') == std::string::npos ? "" : one.numbers, one.text);
  }
  return said;
}

std::string plans_text(std::span<const PlanReport> reports) {
  const auto found = std::find_if(reports.begin(), reports.end(), [](const PlanReport& one) {
    return one.answers.front().best.has_value();
  });
  const PlanAnswer& first = (found == reports.end() ? reports.front() : *found).answers.front();
  std::string text = fmt::format("{}\n", words_of(first, reports.front().question.method));
  constexpr std::size_t kMostBudgets = 4;  // in a line
  for (std::size_t begin = 0; begin < reports.size(); begin += kMostBudgets) {
    const auto block = reports.subspan(begin, std::min(kMostBudgets, reports.size() - begin));
    text += fmt::format("\n  {:<20}", parameter_name(reports.front().question.budget.notion));
    for (const PlanReport& report : block) {
      text += fmt::format(" {:>12g} ", report.question.budget.parameter());
    }
    text += "\n";
    for (std::size_t i = 0; i < first.ways.size(); ++i) {
      text += fmt::format("  {:<20}", first.ways[i].mechanism);
      std::string last;
      for (const PlanReport& report : block) {
        const PlanAnswer& answer = report.answers.front();
        text += fmt::format(" {:>12}{}", value_text(answer, answer.ways[i].value),
                            answer.best == i && answer.ways.size() > 1 ? "*" : " ");
        const std::string said = remark(answer, answer.ways[i]);
        if (!said.empty() && (last.empty() || !answer.ways[i].value)) last = said;
      }
      text += last + "\n";
    }
  }
  text += "\n";
  if (first.ways.size() > 1) text += kLegend;
  return text + warnings_text(reports);
}

}  // namespace

Answer plan_answer(std::span<const PlanReport> reports) {
  const PlanQuestion& question = reports.front().question;
  Answer answer;
  if (reports.size() == 1) {
    answer.json = plan_json(reports.front());
    for (const PlanAnswer& one : reports.front().answers) {
      answer.say((answer.text.empty() ? "" : "\n") + answer_text(question, one));
    }
  } else {
    Json list = Json::array();
    for (const PlanReport& report : reports) {
      const Privacy& budget = report.question.budget;
      list.push_back(plan_json(report));
      list.back()["budget"] = {{parameter_name(budget.notion), budget.parameter()}};
    }
    answer.add("plans", std::move(list), plans_text(reports));
  }
  answer.say(protected_text(reports.front()));
  answer.text = wrapped(answer.text, kLineWidth, 4);  // parts of a plan are indented by 2
  return answer;
}

}  // namespace mollify
