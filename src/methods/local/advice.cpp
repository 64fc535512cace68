// Methods local and integral, for who asks which one to take.
#include "release/advice.h"

#include <cmath>

#include <fmt/format.h>

#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "methods/local/method.h"
#include "methods/local/space.h"

namespace mollify {
namespace {

class DrawAdvice : public MethodAdvice {
 public:
  bool counts_outcomes() const override { return true; }

  std::optional<std::uint64_t> outcomes(const Domain& domain) const override {
    if (space_kind(domain, SpaceSpec{}) != SpaceKind::kCategories) return std::nullopt;
    return domain.size();
  }

  std::string mechanism_why(const AdviceQuestion& question,
                            const AdvisedBudget& chosen) const override {
    const auto known = named<Mechanism>(chosen.mechanism);
    if (known && *row_of(*known).why != '\0') return row_of(*known).why;
    return MethodAdvice::mechanism_why(question, chosen);
  }

  ErrorKind error_kind(const AdviceQuestion&) const override {
    return {"total_variation", "total variation at worst"};
  }

  std::string error_words(const AdviceQuestion& question, const AdvisedBudget& chosen,
                          const Domain* domain) const override {
    std::string words = fmt::format(
        "at worst a record is as good as one drawn from the {}'s own, except {}",
        by_person(question) ? person_of(question) : "table", times_words(*chosen.error));
    if (domain != nullptr && space_kind(*domain, SpaceSpec{}) != SpaceKind::kCategories) {
      words += fmt::format(
          "{}; this is of all columns of a record together, whatever the data, and over this many "
          "outcomes it is near 1 for any sampler: of one or two columns records are much nearer, "
          "as {} shows",
          smoothing_words(ScorerKind::kKernel), command_words("compare"));
    }
    return words;
  }

  void add_notes(const Domain*, Advice& advice) const override {
    advice.notes.push_back(fmt::format(
        "the error is for the worst data; public records for {}, or public units for {}, make it "
        "smaller for data like theirs",
        words_of_speech("--reference of mollify sample", "the method's reference",
                        "the spec's reference"),
        words_of_speech("mollify tune --best", "method.tune(best=True)", "tune() with best")));
  }
};

class LocalAdvice final : public DrawAdvice {
 public:
  Protected protects() const override { return Protected::kPerson; }

  bool is_usual(Protected what, Purpose purpose) const override {
    return what == Protected::kPerson &&
           (purpose == Purpose::kRecords || purpose == Purpose::kEstimates);
  }

  bool is_for_estimates(const AdviceQuestion& asked) const override {
    return asked.purpose == Purpose::kEstimates;
  }

  Held question(const AdviceQuestion& asked, std::span<const std::uint64_t>) const override {
    LocalQuestion own;
    if (is_for_estimates(asked)) own.spec.mechanism = Mechanism::kRandomizedResponse;
    return own;
  }

  std::string protection(const AdviceQuestion& question, const std::string& factor) const override {
    return fmt::format(
        "each record is drawn from the data of one {0} alone; whatever they are, no output is "
        "more than {1} times likelier because of them, also for the collector",
        person_of(question), factor);
  }

  std::string mechanism_why(const AdviceQuestion& question,
                            const AdvisedBudget& chosen) const override {
    if (!is_for_estimates(question)) return DrawAdvice::mechanism_why(question, chosen);
    return fmt::format(
        "the release is linear in the data, so {} finds the population from all records "
        "without bias",
        command_words("estimate"));
  }

  ErrorKind error_kind(const AdviceQuestion& asked) const override {
    if (!is_for_estimates(asked)) return DrawAdvice::error_kind(asked);
    return {"standard_error", "standard error of a share of 1/2"};
  }

  void add_notes(const Domain* domain, Advice& advice) const override {
    if (is_for_estimates(advice.question)) {
      if (advice.chosen) tell_oracle(advice);
      return;
    }
    DrawAdvice::add_notes(domain, advice);
    if (advice.question.purpose == Purpose::kRecords) {
      advice.notes.push_back(fmt::format(
          "for the population instead of single records, ask with {} estimates: another "
          "mechanism is for that",
          flag_words("purpose")));
    }
  }

  std::string unit_note() const override {
    return fmt::format(
        "where each person's records lie on a device of its own, sample runs there, without {} and "
        "{}",
        flag_words("unit"), flag_words("units"));
  }

  void add_parts(const AdviceQuestion& asked, const AddPart& add) const override {
    if (is_for_estimates(asked)) {
      add("mechanism", name_of(Mechanism::kRandomizedResponse), "");
    }
  }

 private:
  static void tell_oracle(Advice& advice) {
    const AdvisedBudget& chosen = advice.budgets[*advice.chosen];
    if (!chosen.oracle_error) return;
    const double ratio = std::pow(*chosen.error / *chosen.oracle_error, 2);
    advice.notes.push_back(fmt::format(
        "where estimates are all that is wanted, a frequency oracle that releases no records "
        "may do with fewer persons: subset selection has variance s(1-s)/(n(p-s)^2) for a rare "
        "value, with p = dE/(dE+k-d), s = (p(d-1)+(1-p)d)/(k-1), E = e^epsilon and d near "
        "k/(E+1); for a share of one half its variance is {} that of randomized response here "
        "(standard error {:.3g})",
        ratio > 1.0001 ? fmt::format("{:.3g} times less than", ratio) : "just",
        *chosen.oracle_error));
  }
};

class IntegralAdvice final : public DrawAdvice {
 public:
  Protected protects() const override { return Protected::kTable; }
  bool is_usual(Protected what, Purpose) const override { return what == Protected::kTable; }

  void require(const AdviceQuestion& asked) const override {
    if (asked.purpose != Purpose::kEstimates) return;
    const std::vector<WayOut> ways =
        asked.method ? std::vector{WayOut::use("local"), WayOut::use("central")}
                     : std::vector{WayOut::set("protect", "person"), WayOut::set("protect", "row")};
    refuse_input("not-for-this-method", asked.method ? "method" : "protect", ways,
                 "{} protects the table, and one record of a table tells nothing of a population; "
                 "to have estimates, use {}",
                 method_words("integral"), words_of(ways));
  }

  std::string protection(const AdviceQuestion&, const std::string& factor) const override {
    return fmt::format(
        "whatever the whole table is, no output is more than {} times likelier because of it, "
        "nor because of any group of its rows",
        factor);
  }

  void add_notes(const Domain* domain, Advice& advice) const override {
    DrawAdvice::add_notes(domain, advice);
    constexpr std::uint64_t kManyRows = 10;
    if (advice.outputs < kManyRows) return;
    advice.notes.push_back(
        fmt::format("where all rows may come from one model, {} draws one of many public ones for "
                    "the whole budget, and any number of its rows cost no more",
                    method_words("integral-model")));
  }
};

class IntegralModelAdvice final : public DrawAdvice {
 public:
  Protected protects() const override { return Protected::kTable; }

  void require(const AdviceQuestion&) const override {
    refuse_input("not-for-this-method", "method", {WayOut::run("plan")},
                 "advise weighs errors of records, but {} promises how likely the released model "
                 "is; {} prints it",
                 method_words("integral-model"),
                 words_of_speech("mollify plan integral-model", "mo.IntegralModel.plan_of",
                                 "plan() of the method"));
  }
};

}  // namespace

const MethodAdvice& local_advice() {
  static const LocalAdvice advice;
  return advice;
}

const MethodAdvice& integral_advice() {
  static const IntegralAdvice advice;
  return advice;
}

const MethodAdvice& integral_model_advice() {
  static const IntegralModelAdvice advice;
  return advice;
}

}  // namespace mollify
