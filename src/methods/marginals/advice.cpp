// Method marginals, for who asks which one to take.
#include "release/advice.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/speech.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/answers/questions.h"
#include "methods/marginals/method.h"

namespace mollify {
namespace {

/// What to choose where columns of many values depend closely on each other.
void tell_close_columns(Advice& advice) {
  const AdvisedBudget& chosen = advice.budgets[*advice.chosen];
  const double most = *advice.question.error;
  if (chosen.greater_error.value_or(0) <= most) return;
  const auto found =
      std::find_if(advice.budgets.begin(), advice.budgets.end(),
                   [&](const AdvisedBudget& one) { return one.greater_error.value_or(2) <= most; });
  advice.notes.push_back(fmt::format(
      "{}, as a code and a name do, the error can be {:.3g}; {}", kIfClose, *chosen.greater_error,
      found == advice.budgets.end()
          ? fmt::format("no epsilon of these brings that to {:g}: fewer values or more rows do",
                        most)
          : fmt::format("epsilon {:g} brings that to {:.3g}", found->epsilon,
                        *found->greater_error)));
}

class MarginalsAdvice final : public MethodAdvice {
 public:
  std::vector<TableWay> table_ways(const Domain* domain, double) const override {
    const auto is_number = [](const Column& column) { return is_numeric(column.cells()); };
    const bool has_numbers =
        domain != nullptr && domain->columns().size() > 1 &&
        std::any_of(domain->columns().begin(), domain->columns().end(), is_number);
    return {{WayChoice::kUsual,
             "any number of rows of one noisy model, made for single columns and pairs of them"},
            {has_numbers ? WayChoice::kSpecial : WayChoice::kNamed,
             "the same for numbers that nearly all rise or fall with each other: each column keeps "
             "its own law, however skewed, and only what joins columns is treated as Gaussian",
             true}};
  }

  Held question(const AdviceQuestion& asked, std::span<const std::uint64_t> sizes) const override {
    MarginalsQuestion own{.copula = asked.copula};
    own.questions = asked.questions;
    for (const std::uint64_t size : sizes) {
      own.columns.push_back({static_cast<std::uint32_t>(size), false});
    }
    return own;
  }

  std::string mechanism_why(const AdviceQuestion& question, const AdvisedBudget&) const override {
    return question.copula
               ? "noisy counts of columns, joined by noisy rank correlations, make one model of "
                 "the table"
               : "noisy counts of columns, and of the pairs that depend on each other most, make "
                 "one model of the table";
  }

  ErrorKind error_kind(const AdviceQuestion& asked) const override {
    if (!asked.questions.empty()) {
      return {"greatest_standard_error_over_asked",
              "standard error of the worst question, over the one that is asked for"};
    }
    return {"two_way_total_variation_on_measured_tables", "total variation of two columns"};
  }

  std::string error_words(const AdviceQuestion& asked, const AdvisedBudget& chosen,
                          const Domain*) const override {
    if (!asked.questions.empty()) return "if all values are equally frequent";
    return chosen.condition;
  }

  void add_notes(const Domain*, Advice& advice) const override {
    advice.notes.push_back(
        fmt::format("the rows share one noisy model: where it errs all err together, and more of "
                    "them reveal no more; {} draws more of them from the model at no cost",
                    command_words("generate")));
    if (!advice.question.questions.empty()) {
      advice.notes.emplace_back(
          "standard errors suppose that all values are equally frequent: in a group that is ten "
          "times rarer they are about ten times as large");
    }
    if (advice.chosen) tell_close_columns(advice);
  }

  void add_parts(const AdviceQuestion& asked, const AddPart& add) const override {
    if (asked.copula) add("copula", true, "");
    if (asked.questions.empty()) return;
    Json questions = Json::array();
    for (const std::string& text : asked.questions)
      questions.push_back(text_with_weight(parse_question(text)));
    add("questions", questions, "");
  }
};

}  // namespace

const MethodAdvice& marginals_advice() {
  static const MarginalsAdvice advice;
  return advice;
}

}  // namespace mollify
