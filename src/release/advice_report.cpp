#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/counted.h"
#include "release/acceptance.h"
#include "release/advice.h"
#include "release/json_syntax.h"

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
                  by_person ? advice.question.unit.value_or("person") : std::string("row"));
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

}  // namespace

ErrorKind error_kind(const Advice& advice) {
  if (advice.model == Model::kLocal && advice.question.purpose == Purpose::kEstimates) {
    return {"standard_error", "standard error of a share of 1/2"};
  }
  if (advice.question.family == Family::kMarginals) {
    return {"two_way_total_variation_on_measured_tables", "total variation of two columns"};
  }
  if (advice.question.shared) {
    return {"expected_total_variation_of_the_model", "total variation of the model"};
  }
  if (advice.model == Model::kCentral) return {"total_variation", "total variation"};
  return {"total_variation", "total variation at worst"};
}

std::string times_words(double probability) {
  if (probability < 1e-9) return "less than 1 time in 1e9";
  if (probability >= 0.995) return "nearly every time";
  if (probability >= 0.0945) return fmt::format("{:.0f} times in 100", 100 * probability);
  return fmt::format("1 time in {:.3g}", 1 / probability);
}

std::string advice_json(const Advice& advice) {
  const AdvisedBudget* chosen = advice.chosen ? &advice.budgets[*advice.chosen] : nullptr;
  const ErrorKind kind = error_kind(advice);
  Json budgets = Json::array();
  for (const AdvisedBudget& one : advice.budgets) {
    Json json{{"epsilon", one.epsilon},
              {"mechanism", one.mechanism},
              {"error", optional_json(one.error)},
              {"odds_factor", std::exp(one.epsilon)}};
    if (one.typical_error) json["typical_error"] = *one.typical_error;
    if (one.oracle_error) json["oracle_error"] = *one.oracle_error;
    if (!one.error) json["refusal"] = one.why;
    budgets.push_back(std::move(json));
  }
  Json others = Json::array();
  for (const OtherWay& other : advice.others) {
    Json json{{"way", other.name}, {"why", other.why}};
    if (other.error) {
      json["error"] = {
          {"kind", other.error_kind}, {"value", *other.error}, {"words", other.error_words}};
      json["command"] = other.command;
    }
    others.push_back(std::move(json));
  }
  return Json({{"purpose", name_of(advice.question.purpose)},
               {"protect", name_of(*advice.question.protect)},
               {"model", name_of(advice.model)},
               {"family", advice.question.family == Family::kNone
                              ? Json(nullptr)
                              : Json(name_of(advice.question.family))},
               {"shared", advice.question.shared},
               {"copula", advice.question.copula},
               {"advised", chosen != nullptr},
               {"mechanism", chosen != nullptr ? Json(chosen->mechanism) : Json(nullptr)},
               {"outcomes", advice.outcomes},
               {"epsilon", chosen != nullptr ? Json(chosen->epsilon) : Json(nullptr)},
               {"delta", advice.delta},
               {"count", advice.outputs},
               {"error",
                {{"kind", kind.key},
                 {"value", chosen != nullptr ? Json(*chosen->error) : Json(nullptr)},
                 {"words", advice.error_words}}},
               {"reasons",
                {{"model", advice.model_why},
                 {"mechanism", advice.mechanism_why},
                 {"epsilon", advice.epsilon_why},
                 {"delta", advice.delta_why},
                 {"count", advice.count_why}}},
               {"budgets", budgets},
               {"other_ways", others},
               {"warnings", advice.warnings},
               {"notes", advice.notes},
               {"commands", advice.commands}})
             .dump(2) +
         "\n";
}

std::string advice_text(const Advice& advice) {
  const AdvisedBudget* chosen = advice.chosen ? &advice.budgets[*advice.chosen] : nullptr;
  const ErrorKind kind = error_kind(advice);
  std::string text = subject_of(advice) + "\n\n";
  const auto add = [&](const char* what, const std::string& value, const std::string& why) {
    text += fmt::format("{:<10} {:<20} {}\n", what, value, why);
  };
  add("model", std::string(name_of(advice.model)), advice.model_why);
  if (chosen != nullptr) add("mechanism", chosen->mechanism, advice.mechanism_why);
  add("epsilon", chosen != nullptr ? fmt::format("{:g}", chosen->epsilon) : "-",
      advice.epsilon_why);
  add("delta", fmt::format("{:g}", advice.delta), advice.delta_why);
  add("count", std::to_string(advice.outputs), advice.count_why);
  if (chosen != nullptr) {
    add("error", fmt::format("{:.4g}", *chosen->error),
        fmt::format("{}: {}", kind.words, advice.error_words));
    text += "\nrun\n";
    for (const std::string& command : advice.commands) text += "  " + command + "\n";
  } else {
    text += "\nnothing to advise; with --epsilon or another --alpha there is what to run\n";
  }
  text += fmt::format("\n{:<34}", "the same at epsilon");
  for (const AdvisedBudget& one : advice.budgets) {
    text += fmt::format(" {:>10g}{}", one.epsilon, &one == chosen ? "*" : " ");
  }
  const auto add_row = [&](const std::string& name,
                           const std::optional<double> AdvisedBudget::*error) {
    text += fmt::format("\n{:<34}", name);
    for (const AdvisedBudget& one : advice.budgets) {
      text += fmt::format(" {:>10} ", one.*error ? fmt::format("{:.4g}", *(one.*error)) : "-");
    }
  };
  add_row(kind.words, &AdvisedBudget::error);
  if (advice.budgets.back().typical_error) {
    add_row(fmt::format("of a share of 1/{}", advice.outcomes), &AdvisedBudget::typical_error);
  }
  if (advice.budgets.back().oracle_error) {
    add_row("of 1/2 by subset selection", &AdvisedBudget::oracle_error);
  }
  text += fmt::format("\n{:<34}", "a guess right 1 in 1000 becomes");
  for (const AdvisedBudget& one : advice.budgets) {
    text += fmt::format(" {:>10} ", guess_words(one.epsilon));
  }
  text += chosen != nullptr ? "\n* advised\n" : "\n";
  if (!advice.others.empty()) {
    text += fmt::format("\nother ways to such a table, at epsilon {:g}\n", chosen->epsilon);
  }
  for (const OtherWay& other : advice.others) {
    text += fmt::format("  {}: {}\n", other.name, other.why);
    if (!other.error) continue;
    text += fmt::format("    error {:.4g}, {}\n    {}\n", *other.error, other.error_words,
                        other.command);
  }
  for (const std::string& warning : advice.warnings)
    text += fmt::format("\nWARNING: {}\n", warning);
  for (const std::string& note : advice.notes) text += fmt::format("\nnote: {}\n", note);
  return text +
         "\nthe guide \"Five jobs, from the question to the judgement\" shows such releases\n";
}

}  // namespace mollify
