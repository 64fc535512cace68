#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/answer.h"
#include "base/json.h"
#include "base/named.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/ranges.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/plan.h"

namespace mollify {

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
  // No public fact says how far a table is from a Gaussian.
  if (method == Method::kGaussianModel) return "the total variation alpha by noise alone";
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
    way.why.put(json, "refusal");
    return json;
  }
  json[std::string(name_of(answer.unknown))] = value_json(answer.unknown, way.value);
  json["alpha"] = stated_alpha(way.alpha);
  json.update(way.details);
  json["independent_outputs"] = way.independent_outputs;
  json["why"] = way.why.text;
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
  if (way.noise->is_for_estimates && !way.noise->is_indistinct()) return false;
  Message noise = *noise_message(*way.noise);
  if (way.noise->is_for_estimates) {
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
    const bool is_free = release_method(question.method).profile().chooses_mechanism;
    if (kDrawMethods.has(question.method)) asked.outcomes = answer.facts["k"];
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
  add_messages(said, answer.warnings);
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
             fmt::format("a release refuses this without {}", added_words("accept-large-delta")),
         .quantities = {{"given", delta}, {"below", 1 / records}, {"n", records, "records"}}});
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

/// An answer, and its warnings: they may take long, so they are found once.
struct WarnedAnswer {
  const PlanQuestion& question;
  const PlanAnswer& answer;
  std::vector<Message> said;
};

std::vector<WarnedAnswer> with_warnings(const PlanReport& report) {
  std::vector<WarnedAnswer> all;
  for (const PlanAnswer& answer : report.answers) {
    all.push_back({report.question, answer, warnings(report.question, answer)});
  }
  return all;
}

Json answer_json(const WarnedAnswer& warned) {
  const auto& [question, answer, said] = warned;
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
    answer.ways.front().why.put(json, "refusal");
  }
  json.update(answer.facts);
  json["warnings"] = json_of(said);
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
  if (!way.value) return fmt::format("  ({})", way.why.text);
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

std::string answer_text(const WarnedAnswer& warned) {
  const auto& [question, answer, said] = warned;
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
                                          : fmt::format("  {}\n", answer.ways.front().why.text));
  }
  text += answer.lines;
  for (const Message& warning : said) {
    text += warning.shown() + "\n";
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
        UnitColumns::of(*unit).words(), flag_words("n"));
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
                      question.unit.words(), flag_words("n"));
  }
  return text + fmt::format(
                    "each row is protected, and a person with several rows less; to protect whole "
                    "persons, give {} to {} and count persons here\n",
                    flag_words("unit"),
                    words_of_speech("mollify sample", "the method", "the spec"));
}

bool has_part(Method method, std::string_view place) {
  const auto parts = plan_parts();
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return part.place == place && part.methods.has(method);
  });
}

Json plan_json(std::span<const WarnedAnswer> answers) {
  const PlanQuestion& question = answers.front().question;
  Json json{{"method", name_of(question.method)}};
  if (has_part(question.method, "/strong")) json["strong"] = question.strong;
  if (!has_part(question.method, "/privacy/rho")) {
    json.update(answer_json(answers.front()));
    return json;
  }
  json["answers"] = Json::array();
  for (const WarnedAnswer& one : answers) json["answers"].push_back(answer_json(one));
  return json;
}

/// "WARNING: at epsilon 0.5, 1: ...", once for warnings of one kind, which differ in numbers.
std::string warnings_text(std::span<const WarnedAnswer> answers) {
  struct Warning {
    Message message;
    std::string budgets, numbers;
    bool is_of_several = false;
  };
  std::vector<Warning> all;
  for (const auto& [question, answer, messages] : answers) {
    const std::string budget = fmt::format("{:g}", question.budget.parameter());
    for (const Message& one : messages) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const Warning& before) {
        return before.message.code == one.code &&
               (one.code != Code("wide-range") || before.message == one);
      });
      if (known == all.end()) {
        all.push_back({one, budget, fmt::format(" (numbers for {})", budget)});
      } else {
        known->budgets += ", " + budget;
        known->is_of_several = true;
      }
    }
  }
  std::string said;
  for (const Warning& one : all) {
    said += fmt::format("WARNING: at {} {}{}: {} [{}]\n",
                        parameter_name(answers.front().question.budget.notion), one.budgets,
                        one.is_of_several ? one.numbers : "", one.message.text(),
                        one.message.code.name);
  }
  return said;
}

std::string plans_text(std::span<const PlanReport> reports, std::span<const WarnedAnswer> answers) {
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
  return text + warnings_text(answers);
}

}  // namespace

Answer plan_answer(std::span<const PlanReport> reports) {
  Answer answer;
  if (reports.size() == 1) {
    const std::vector<WarnedAnswer> answers = with_warnings(reports.front());
    answer.json = plan_json(answers);
    for (const WarnedAnswer& one : answers) {
      answer.say((answer.text.empty() ? "" : "\n") + answer_text(one));
    }
  } else {
    Json list = Json::array();
    std::vector<WarnedAnswer> first;
    for (const PlanReport& report : reports) {
      const Privacy& budget = report.question.budget;
      std::vector<WarnedAnswer> answers = with_warnings(report);
      list.push_back(plan_json(answers));
      list.back()["budget"] = {{parameter_name(budget.notion), budget.parameter()}};
      first.push_back(std::move(answers.front()));
    }
    answer.add("plans", std::move(list), plans_text(reports, first));
  }
  answer.say(protected_text(reports.front()));
  answer.text = wrapped(answer.text, kLineWidth, 4);  // parts of a plan are indented by 2
  return answer;
}

}  // namespace mollify
