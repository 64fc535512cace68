// The question that advise is asked.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/requests.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/ranges.h"
#include "methods/answers/questions.h"
#include "release/method.h"

namespace mollify {

namespace {

constexpr double kMostDays = 100'000;

}  // namespace

std::span<const Part> advise_parts() {
  using enum PartKind;
  static constexpr Part kParts[] = {
      {{"/purpose", "--purpose", kText,
        "records, estimates, sample or table\nrecords: a realistic one of each person. estimates: "
        "of the population. sample: a small table. table: a whole one",
        "NAME"}},
      {{"/protect", "--protect", kText,
        "person, row or table\nperson: everything about each. row: each row. table: all of it, and "
        "so any group",
        "NAME"}},
      {{"/method", "--method", kText, "a method, instead of --protect or with it\nOne of {}",
        "METHOD", name_list<Method>}},
      from({"/n", "--n", kWhole, "how many persons, or rows"}, 1),
      {{"/domain", "--domain", kDomain, "the public domain, YAML"}},
      from({"/columns", "--columns", kWholes,
            "how many values each column has, instead of a domain", "NUMBER,..."},
           1, double{(1ULL << 32U) - 1}),
      from({"/count", "--count", kWhole,
            "records to release per person, or in all (purpose records: 1)"},
           1, kMostReleased),
      from({"/days", "--days", kWhole,
            "days on which each person is asked, for estimates\nCompares what the ways to ask "
            "again cost, if each day has the error --alpha"},
           1, kMostDays),
      needing("/days", {.place = "/draws",
                        .flag = "--draws",
                        .kind = kWhole,
                        .help = "fresh answers in --days, kept between (default: one a week)",
                        .least = 1}),
      {{"/unit", "--unit", kColumns, "column that names the person of each row, or several",
        "COLUMN,..."}},
      above({"/epsilon", "--epsilon", kNumber,
             "the budget, if you know it (default: advise finds it)\nIt tries 0.5, 1, 2, 4 and 8, "
             "and takes the first that is enough"},
            0),
      {{.place = "/delta",
        .flag = "--delta",
        .kind = kNumber,
        .help = "probability of failure (default: 1/(100 n) or less)",
        .least = 0,
        .below = 1}},
      between({"/alpha", "--alpha", kNumber,
               "the error you accept (default: 0.1; persons' estimates: 0.01)\nTotal variation, or "
               "of estimates the standard error of a share of one half"},
              0, 1),
      {{"/accept_large_delta", "--accept-large-delta", kTruth, "accept a --delta of 1/n or more"}},
      {{"/questions", "--questions", kTexts,
        "question that a table is for, such as \"y ~ x + z error .1\"\n"
        "Public. advise finds the least epsilon at which each has a standard error of at most its "
        "own error, or --alpha (shares and tables: 0.01). Repeat the flag for each",
        "QUESTION"}},
      {{"/logarithms", "--log", kTexts, "columns whose logarithms are Gaussian", "COLUMN,..."}},
      {{"/covariance", "--covariance", kFile,
        "public CSV of the covariance, for method gaussian"}}};
  return kParts;
}

AdviceQuestion advice_question_of(const Json& json, const std::string& name) {
  const PartReader reader(advise_parts(), json, name, "a question to advise");
  reader.require_given("/purpose");
  AdviceQuestion question{
      .purpose = known_value<Purpose>("purpose", *reader.find<std::string>("/purpose")),
      .records = reader.find<std::uint64_t>("/n"),
      .domain = reader.find_domain("/domain"),
      .column_sizes = reader.find<std::vector<std::uint64_t>>("/columns")
                          .value_or(std::vector<std::uint64_t>()),
      .outputs = reader.find<std::uint64_t>("/count"),
      .days = reader.find<std::uint64_t>("/days"),
      .draws = reader.find<std::uint64_t>("/draws"),
      .unit = reader.columns("/unit"),
      .epsilon = reader.find<double>("/epsilon"),
      .delta = reader.find<double>("/delta"),
      .accept_large_delta = reader.is_true("/accept_large_delta"),
      .error = reader.find<double>("/alpha"),
      .questions = reader.texts("/questions"),
      .logarithms = reader.texts("/logarithms"),
      .covariance = reader.find_file("/covariance")};
  refuse_if(question.unit.has(""), "malformed-text", "unit", "{} must name a column, but is empty",
            reader.called("/unit"));
  if (const auto protect = reader.find<std::string>("/protect")) {
    question.protect = known_value<Protected>("protect", *protect);
  }
  if (const auto method = reader.find<std::string>("/method")) {
    question.method = known_value<Method>("method", *method);
  }
  return question;
}

void settle_days(AdviceQuestion& asked, bool is_estimation) {
  if (!asked.days) return;
  if (!is_estimation) {
    refuse_input("contradicting-parameters", "days",
                 {asked.purpose == Purpose::kEstimates ? WayOut::set("protect", "person")
                                                       : WayOut::set("purpose", "estimates"),
                  WayOut::leave("days")},
                 "{} is for devices that answer for themselves, again and again: give {} and {}, "
                 "or leave {} out",
                 flag_words("days"), setting_words("purpose", "estimates"),
                 setting_words("protect", "person"), flag_words("days"));
  }
  if (asked.outputs.value_or(1) > 1) refuse_both("count", "days");
  constexpr std::uint64_t kWeek = 7;
  if (!asked.draws) asked.draws = (*asked.days + kWeek - 1) / kWeek;
  if (*asked.draws > *asked.days) {
    refuse_input("out-of-range", "draws",
                 {WayOut::set("draws", std::to_string(*asked.days)), WayOut::leave("draws")},
                 quantities_of(static_cast<double>(*asked.draws),
                               {.least = 1, .most = static_cast<double>(*asked.days)}),
                 "{} must be at most {}, which is {}, but is {}", flag_words("draws"),
                 flag_words("days"), *asked.days, *asked.draws);
  }
}

void settle_questions(AdviceQuestion& asked) {
  if (asked.purpose != Purpose::kTable) {
    refuse_input("contradicting-parameters", "questions",
                 {WayOut::set("purpose", "table"), WayOut::leave("questions")},
                 "{} are of a whole table: give {}, or leave {} out", flag_words("questions"),
                 setting_words("purpose", "table"), flag_words("questions"));
  }
  if (asked.protect == Protected::kTable) {
    refuse_input("contradicting-parameters", "questions",
                 {WayOut::set("protect", "row"), WayOut::leave("questions")},
                 "{} are answered if rows or persons are protected, but {} is table: give {}, or "
                 "leave {} out",
                 flag_words("questions"), flag_words("protect"), setting_words("protect", "row"),
                 flag_words("questions"));
  }
  if (!asked.domain) refuse_missing("domain", "questions need the public domain");
  if (!asked.method) asked.method = Method::kMarginals;
  constexpr double kUsualStandardError = 0.01;
  for (const std::string& text : asked.questions) {
    const TableQuestion one = parse_question(text);
    const bool is_of_shares = one.kind == QuestionKind::kShares || one.kind == QuestionKind::kTable;
    if (one.error || asked.error || is_of_shares || one.kind == QuestionKind::kQuantile) continue;
    refuse_input("missing-parameter", "questions", {WayOut::set("questions"), WayOut::set("alpha")},
                 "\"{}\" has no standard error to reach: write one after it, such as \"{} error "
                 "0.1\", or give {} for all questions",
                 one.text, one.text, flag_words("alpha"));
  }
  asked.asked_standard_error = asked.error.value_or(kUsualStandardError);
  asked.error = 1;  // each over the asked one
}

double asked_error(const AdviceQuestion& question, std::size_t at) {
  return parse_question(question.questions[at]).error.value_or(question.asked_standard_error);
}

}  // namespace mollify
