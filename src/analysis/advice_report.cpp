#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analysis/advice.h"
#include "analysis/repeated.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "methods/answers/questions.h"
#include "release/acceptance.h"
#include "release/method.h"

namespace mollify {

namespace {

const char* purpose_words(Purpose purpose) {
  switch (purpose) {
    case Purpose::kRecords:
      return "realistic records";
    case Purpose::kEstimates:
      return "estimates of the population";
    case Purpose::kSample:
      return "a small sample table";
    case Purpose::kTable:
      break;
  }
  return "a whole table";
}

std::string subject_of(const Advice& advice) {
  const bool by_person = advice.question.protect == Protected::kPerson;
  std::string text =
      fmt::format("for {}, protecting each {}", purpose_words(advice.question.purpose),
                  !by_person             ? "row"
                  : advice.question.unit ? "unit of " + printable(advice.question.unit.words())
                                         : "person");
  const auto& records = advice.question.records;
  if (*advice.question.protect == Protected::kTable) {
    text =
        fmt::format("for {}, protecting the whole table", purpose_words(advice.question.purpose));
    if (records) text += " of " + counted(*records, "row");
  } else if (records) {
    text += fmt::format(", {} of them", *records);
  }
  if (advice.outcomes > 0) text += ", " + counted(advice.outcomes, "outcome");
  return text;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A guess that was right once in 1000 times becomes right so often.
std::string guess_words(double epsilon) {
  return fmt::format("{:.0f}", 1000 / (1 + 999 * std::exp(-epsilon)));
}

/// The error at each budget, the advised one marked.
void add_budgets(Answer& answer, const Advice& advice, const AdvisedBudget* chosen) {
  Json budgets = Json::array();
  Json rows = Json::array();
  for (const AdvisedBudget& one : advice.budgets) {
    Json json{{"epsilon", one.epsilon},
              {"mechanism", one.mechanism},
              {"error", optional_json(one.error)},
              {"odds_factor", std::exp(one.epsilon)}};
    if (one.typical_error) json["typical_error"] = *one.typical_error;
    if (one.oracle_error) json["oracle_error"] = *one.oracle_error;
    if (one.greater_error) json["greater_error"] = *one.greater_error;
    for (const std::optional<double>& error : one.standard_errors)
      json["standard_errors"].push_back(optional_json(error));
    if (!one.error) one.why.put(json, "refusal");
    budgets.push_back(json);
    for (const char* error : {"typical_error", "oracle_error", "greater_error"}) {
      if (!json.contains(error)) json[error] = nullptr;
    }
    json["marked"] = fmt::format("{:g}{}", one.epsilon, &one == chosen ? "*" : " ");
    json["guess"] = guess_words(one.epsilon);
    rows.push_back(std::move(json));
  }
  std::vector<TableColumn> columns{{"epsilon ", 10, "/marked"}, {"error", 11, "/error", ".4g"}};
  const AdvisedBudget& greatest = advice.budgets.back();
  if (greatest.typical_error) {
    columns.push_back(
        {fmt::format("a share of 1/{}", advice.outcomes), 20, "/typical_error", ".4g"});
  }
  if (greatest.oracle_error) columns.push_back({"subset selection", 18, "/oracle_error", ".4g"});
  if (greatest.greater_error) {
    columns.push_back({"if columns depend closely", 27, "/greater_error", ".4g"});
  }
  columns.push_back({"right of 1000", 15, "/guess"});
  const std::string title = fmt::format(
      "{} at each epsilon, and how often a guess is right that was right once in 1000 times",
      release_method(advice.method).advice().error_kind(advice.question).words);
  answer.add("budgets", budgets, "\n" + wrapped(title) + table_text(columns, rows));
}

/// Each question with the standard error that it asks for, and the planned one.
void add_questions(Answer& answer, const Advice& advice, const AdvisedBudget* chosen) {
  const std::vector<std::string>& questions = advice.question.questions;
  if (questions.empty()) return;
  const AdvisedBudget& budget = chosen != nullptr ? *chosen : advice.budgets.back();
  Json rows = Json::array();
  std::size_t width = 10;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string text = parse_question(questions[i]).text;
    const auto error = i < budget.standard_errors.size() ? budget.standard_errors[i] : std::nullopt;
    rows.push_back({{"question", text},
                    {"asked", asked_error(advice.question, i)},
                    {"standard_error", optional_json(error)}});
    width = std::max(width, printable(text).size() + 2);
  }
  Json shown = rows;
  for (Json& row : shown) row["question"] = "  " + printable(row["question"].get<std::string>());
  const TableColumn columns[] = {
      {"  question", -static_cast<int>(width) - 2, "/question"},
      {"asked", 11, "/asked", ".3g"},
      {fmt::format("epsilon {:g}", budget.epsilon), 14, "/standard_error", ".3g"}};
  answer.add("questions", rows,
             "\n" +
                 wrapped("standard errors of answers, for the table, if all values are equally "
                         "frequent") +
                 table_text(columns, shown));
}

/// The ways to ask each device day after day.
void add_days(Answer& answer, const Advice& advice, const AdvisedBudget* chosen) {
  const AdviceQuestion& asked = advice.question;
  if (!asked.days || advice.outcomes < 2) return;
  const RepeatedQuestion repeated{
      .devices = static_cast<double>(*asked.records),
      .outcomes = static_cast<double>(advice.outcomes),
      .days = *asked.days,
      .draws = *asked.draws,
      .epsilon = (chosen != nullptr ? *chosen : advice.budgets.back()).epsilon,
      .error = *asked.error};
  add_repeated(answer, repeated, repeated_ways(repeated));
}

/// "--alpha 0.33 or ", which the greatest budget reaches; nothing if every error is 1 or more.
std::string greater_alpha(const Advice& advice) {
  const double least = std::ceil(cost_of(advice).second * 100) / 100;
  return least < 1 ? fmt::format("{} {:g} or ", flag_words("alpha"), least) : "";
}

}  // namespace

Answer advice_answer(const Advice& advice) {
  constexpr std::size_t kReasons = 32;
  const AdvisedBudget* chosen = advice.chosen ? &advice.budgets[*advice.chosen] : nullptr;
  const ErrorKind kind = release_method(advice.method).advice().error_kind(advice.question);
  Answer answer;
  answer.warnings = advice.warnings;
  answer.add("purpose", name_of(advice.question.purpose), wrapped(subject_of(advice)) + "\n");
  answer.add("protect", name_of(*advice.question.protect));
  answer.add("k", advice.outcomes);
  answer.add("copula", advice.question.copula);
  answer.add("advised", chosen != nullptr);
  Json reasons{{"mechanism", advice.mechanism_why}};
  const auto add = [&](const char* what, const Json& value, const std::string& text,
                       const std::string& why) {
    answer.add(what, value,
               wrapped(fmt::format("{:<10} {:<20} {}", what, text, why), kLineWidth, kReasons));
    reasons[what] = why;
  };
  const std::string method(name_of(advice.method));
  add("method", method, bare_method_words(method), advice.method_why);
  answer.add("mechanism", nullptr);
  if (chosen != nullptr)
    add("mechanism", chosen->mechanism, chosen->mechanism, advice.mechanism_why);
  add("epsilon", chosen != nullptr ? Json(chosen->epsilon) : Json(nullptr),
      chosen != nullptr ? fmt::format("{:g}", chosen->epsilon) : "-", advice.epsilon_why);
  add("delta", advice.delta, detail::shortest(advice.delta), advice.delta_why);
  add("count", advice.outputs, std::to_string(advice.outputs), advice.count_why);
  answer.add("reasons", reasons);
  answer.add("expected_error", {{"kind", kind.key},
                                {"value", chosen != nullptr ? Json(*chosen->error) : Json(nullptr)},
                                {"words", advice.error_words}});
  answer.add("parts", advice.parts);
  answer.add("commands", advice.commands);
  if (chosen != nullptr) {
    answer.say(
        wrapped(fmt::format("{:<10} {:<20} {}: {}", "error", fmt::format("{:.4g}", *chosen->error),
                            kind.words, advice.error_words),
                kLineWidth, kReasons) +
        "\nrun\n");
    for (const std::string& command : advice.commands) answer.say(command_lines(command, 2));
  } else {
    answer.say("\n" + wrapped(fmt::format("nothing to advise: no epsilon here has so small an "
                                          "error. To get the commands all the same, give {}{}",
                                          greater_alpha(advice), flag_words("epsilon"))));
  }
  add_questions(answer, advice, chosen);
  add_budgets(answer, advice, chosen);
  if (chosen != nullptr) answer.say("* advised\n");
  add_days(answer, advice, chosen);
  if (!advice.others.empty()) {
    answer.say(fmt::format("\nother ways to such a table, at epsilon {:g}\n", chosen->epsilon));
  }
  Json others = Json::array();
  for (const OtherWay& other : advice.others) {
    others.push_back({{"way", other.name}});
    other.why.put(others.back(), "why");
    answer.say(wrapped(fmt::format("  {}: {}", other.name, other.why.text), kLineWidth, 2));
    if (!other.error) continue;
    others.back()["error"] = {
        {"kind", other.error_kind}, {"value", *other.error}, {"words", other.error_words}};
    others.back()["command"] = other.command;
    answer.say(wrapped(fmt::format("    error {:.4g}, {}", *other.error, other.error_words)) +
               command_lines(other.command, 4));
  }
  answer.add("other_ways", others);
  answer.add("warnings", json_of(advice.warnings));
  for (const Message& warning : advice.warnings)
    answer.say("\n" + wrapped(warning.shown(), kLineWidth, 2));
  answer.add("notes", advice.notes);
  for (const std::string& note : advice.notes)
    answer.say("\n" + wrapped("note: " + note, kLineWidth, 2));
  return answer;
}

}  // namespace mollify
