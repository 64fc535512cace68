#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "release/acceptance.h"
#include "release/plan_model.h"

namespace mollify {
namespace {

/// "the least number of records n", ...
const char* words_of(PlanUnknown unknown) {
  switch (unknown) {
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
  return "the least total variation alpha";
}

Json value_json(PlanUnknown unknown, const std::optional<double>& value) {
  if (!value) return nullptr;
  if (is_whole(unknown)) return static_cast<std::uint64_t>(*value);
  return *value;
}

std::string value_text(PlanUnknown unknown, const std::optional<double>& value) {
  if (!value) return "-";
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
  json["alpha"] = way.alpha;
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

/// What its release would refuse, or say, of noise; whether it would.
bool add_noise(const PlanQuestion& question, const PlanAnswer& answer,
               std::vector<std::string>& said) {
  const PlanWay& way = answer.ways[*answer.best];
  if (!way.noise || !way.noise->is_mostly_noise()) return false;
  const bool is_linear = way.details.contains("linear") && way.details["linear"] == true;
  const bool for_estimates = is_linear && question.model == Model::kLocal;
  if (for_estimates && !way.noise->is_indistinct()) return false;
  std::string words =
      way.noise->is_indistinct() ? indistinct_words(*way.noise) : noise_words(*way.noise);
  if (for_estimates) {
    words += "; mollify estimate finds the population from many such records";
  } else if (way.is_refused.value_or(way.noise->is_indistinct())) {
    words += "; a release refuses this without --accept-error";
  } else if (way.noise->is_indistinct()) {
    words += "; a release does not refuse this, because the number of records is protected";
  }
  // What was asked for is what would do.
  if (answer.unknown == PlanUnknown::kAlpha) {
    PlanQuestion asked = question;
    const bool is_free = question.model == Model::kCentral && question.family == Family::kNone;
    if (question.model != Model::kCentral) asked.outcomes = answer.facts["outcomes"];
    const std::string ways = noise_remedy(asked, is_free ? "" : way.mechanism);
    if (!ways.empty()) words += "; " + ways;
  }
  said.push_back(std::move(words));
  return true;
}

/// What the best way's release would refuse, or say, for its danger: see release/acceptance.h.
std::vector<std::string> warnings(const PlanQuestion& question, const PlanAnswer& answer) {
  if (!answer.best) return {};
  const PlanWay& way = answer.ways[*answer.best];
  const bool central = question.model == Model::kCentral;
  std::vector<std::string> said = question.warnings;
  const bool sought = answer.unknown == PlanUnknown::kEpsilon;
  const std::uint64_t draws = answer.unknown == PlanUnknown::kOutputs
                                  ? static_cast<std::uint64_t>(*way.value)
                                  : question.outputs;
  for (std::string& words :
       epsilon_warnings(sought ? way.spent : question.budget, way.spent, central ? 0 : draws)) {
    said.push_back(std::move(words));
  }
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
  if (delta * records >= 1) {
    said.push_back(
        fmt::format("delta {:.4g} is 1/n or more for {}, so whole records may be released as they "
                    "are: a release refuses this without --accept-large-delta",
                    delta, counted(static_cast<std::uint64_t>(records), "record")));
  } else if (delta * records > 0.1) {
    said.push_back(
        fmt::format("delta {:.4g} is more than a tenth of 1/n for {}: the guarantee may fail for "
                    "one of them with noticeable probability",
                    delta, counted(static_cast<std::uint64_t>(records), "record")));
  }
  if (add_noise(question, answer, said)) return said;
  const double outputs = given(PlanUnknown::kOutputs, static_cast<double>(question.outputs));
  const auto words = question.family == Family::kMarginals ? marginals_warning(way.alpha)
                     : question.shared
                         ? moments_warning(way.alpha)
                         : records_warning(way.alpha / (question.strong ? outputs : 1));
  if (words) said.push_back(*words);
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
    json["alpha"] = best->alpha;
    json.update(best->details);
  } else {
    json["refusal"] = answer.ways.front().why;
  }
  json.update(answer.facts);
  json["warnings"] = warnings(question, answer);
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
  for (const PlanWay& way : answer.ways) text += fmt::format(" {:>14}", way.mechanism);
  text += "\n";
  double longest = 0;
  for (const CurvePoint& point : answer.curve) {
    if (point.best) longest = std::max(longest, *point.alphas[*point.best]);
  }
  for (const CurvePoint& point : answer.curve) {
    text += fmt::format("{:>14}", point.records);
    for (const std::optional<double>& alpha : point.alphas) {
      text += fmt::format(" {:>14}", alpha ? fmt::format("{:.4g}", *alpha) : "-");
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

/// What is to be known of a way beside its numbers, in brackets; why it has no star where it would.
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
    text += fmt::format("{} {:<{}} {:>14} {:>12.4g}{}{}\n", answer.best == i ? "*" : " ",
                        way.mechanism, columns, value_text(answer.unknown, way.value), way.alpha,
                        reports ? fmt::format(" {:>10}", epsilon0) : "", remark(answer, way));
  }
  return answer.best ? text + "\n" + kLegend : text;
}

std::string answer_text(const PlanQuestion& question, const PlanAnswer& answer) {
  std::string text = words_of(answer.unknown) + std::string(": ");
  if (answer.best) {
    text += value_text(answer.unknown, answer.ways[*answer.best].value);
  } else {
    text += "none";
  }
  if (!answer.subject.empty()) text += ", for " + answer.subject;
  text += "\n";
  text += ways_text(answer);
  if (!answer.best) {
    return text + (answer.ways.size() > 1 ? "\nno mechanism serves this\n"
                                          : fmt::format("  {}\n", answer.ways.front().why));
  }
  text += answer.lines;
  for (const std::string& warning : warnings(question, answer))
    text += "warning: " + warning + "\n";
  return text + curve_text(answer);
}

/// Whose data such a release protects, before anybody takes it for more.
std::string protected_text(const PlanQuestion& question) {
  if (question.model != Model::kCentral) return "";
  return "protected is one row; a person with several rows is not, unless sample is told --unit, "
         "and persons are counted in place of rows\n";
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  const PlanQuestion& question = report.question;
  Json json{{"model", name_of(question.model)}};
  if (question.model == Model::kCentral) json["strong"] = question.strong;
  if (question.family == Family::kNone) {
    json.update(answer_json(question, report.answers.front()));
    return json.dump(2) + "\n";
  }
  json["family"] = name_of(question.family);
  if (question.shared) json["shared"] = true;
  json["answers"] = Json::array();
  for (const PlanAnswer& answer : report.answers) {
    json["answers"].push_back(answer_json(question, answer));
  }
  return json.dump(2) + "\n";
}

std::string plans_json(std::span<const PlanReport> reports) {
  Json list = Json::array();
  for (const PlanReport& report : reports) {
    Json one = Json::parse(plan_json(report));
    one["budget"] = {
        {parameter_name(report.question.budget.notion), report.question.budget.parameter()}};
    list.push_back(std::move(one));
  }
  return Json({{"plans", list}}).dump(2) + "\n";
}

std::string plans_text(std::span<const PlanReport> reports) {
  const PlanAnswer& first = reports.front().answers.front();
  std::string text = fmt::format("{}\n\n  {:<20}", words_of(first.unknown),
                                 parameter_name(reports.front().question.budget.notion));
  for (const PlanReport& report : reports) {
    text += fmt::format(" {:>12g} ", report.question.budget.parameter());
  }
  text += "\n";
  for (std::size_t i = 0; i < first.ways.size(); ++i) {
    text += fmt::format("  {:<20}", first.ways[i].mechanism);
    std::string last;
    for (const PlanReport& report : reports) {
      const PlanAnswer& answer = report.answers.front();
      text += fmt::format(" {:>12}{}", value_text(answer.unknown, answer.ways[i].value),
                          answer.best == i && answer.ways.size() > 1 ? "*" : " ");
      const std::string said = remark(answer, answer.ways[i]);
      if (!said.empty() && (last.empty() || !answer.ways[i].value)) last = said;
    }
    text += last + "\n";
  }
  text += "\n";
  if (first.ways.size() > 1) text += kLegend;
  for (const PlanReport& report : reports) {
    for (const std::string& warning : warnings(report.question, report.answers.front())) {
      text += fmt::format("warning: at {}: {}\n", report.question.budget.text(), warning);
    }
  }
  return text + protected_text(reports.front().question);
}

std::string plan_text(const PlanReport& report) {
  std::string text;
  for (const PlanAnswer& answer : report.answers) {
    if (!text.empty()) text += "\n";
    text += answer_text(report.question, answer);
  }
  return text + protected_text(report.question);
}

}  // namespace mollify
