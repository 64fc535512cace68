#include "analysis/advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/privacy.h"
#include "analysis/repeated.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/local/sampler.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/plan.h"
#include "release/public_inputs.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Advise.

namespace {

constexpr std::array kBudgets = {0.5, 1.0, 2.0, 4.0, 8.0};

/// The share whose estimate's error is stated: about the worst.
constexpr double kHalf = 0.5;

/// Above it odds are large enough to be thought of twice.
constexpr double kModerateEpsilon = 4;

constexpr const char* kFewerOutcomes =
    "fewer outcomes say more at the same epsilon: cut columns into fewer bins, or leave some out";

/// The method's class in the Python package: "GaussianModel".
std::string class_of(Method method) {
  std::string words;
  bool begins = true;
  for (const char letter : name_of(method)) {
    if (letter != '-') words += begins ? static_cast<char>(letter - 'a' + 'A') : letter;
    begins = letter == '-';
  }
  return words;
}

const MethodAdvice& advice_of(Method method) { return release_method(method).advice(); }

Method method_for(const AdviceQuestion& question) {
  if (question.method) return *question.method;
  const auto methods = names<Method>();
  return std::find_if(methods.begin(), methods.end(),
                      [&](const auto& one) {
                        return advice_of(one.value).is_usual(*question.protect, question.purpose);
                      })
      ->value;
}

/// Whether the method protects that: row methods protect persons too.
bool protects(Method method, Protected what) {
  const Protected own = advice_of(method).protects();
  return own == what || (what == Protected::kPerson && own == Protected::kRow);
}

/// The methods that have a part of a spec.
Methods methods_with(std::string_view place) {
  for (const Part& part : spec_parts()) {
    if (part.place == place) return part.methods;
  }
  return {};
}

/// A part of the question that only some methods have a use for.
struct MethodPart {
  const char* flag;
  const char* place;  ///< in a spec
  bool (*is_given)(const AdviceQuestion&);
  void (*leave_out)(AdviceQuestion&);

  /// Whether a way by this method would leave out what is given.
  [[nodiscard]] bool is_lost(const AdviceQuestion& asked, Method method) const {
    return is_given(asked) && !methods_with(place).has(method);
  }
};

constexpr MethodPart kMethodParts[] = {
    {"log", "/logarithms", [](const AdviceQuestion& asked) { return !asked.logarithms.empty(); },
     [](AdviceQuestion& asked) { asked.logarithms.clear(); }},
    {"covariance", "/covariance",
     [](const AdviceQuestion& asked) { return asked.covariance.has_value(); },
     [](AdviceQuestion& asked) { asked.covariance.reset(); }},
    {"questions", "/questions",
     [](const AdviceQuestion& asked) { return !asked.questions.empty(); },
     [](AdviceQuestion& asked) { asked.questions.clear(); }},
    {"delta", "/privacy/delta",
     [](const AdviceQuestion& asked) { return asked.delta.value_or(0) > 0; },
     [](AdviceQuestion& asked) { asked.delta.reset(); }},
    {"accept-large-delta", "/accept_large_delta",
     [](const AdviceQuestion& asked) { return asked.accept_large_delta; },
     [](AdviceQuestion& asked) { asked.accept_large_delta = false; }}};

bool is_lost_to(Method method, const AdviceQuestion& asked) {
  return std::any_of(std::begin(kMethodParts), std::end(kMethodParts),
                     [&](const MethodPart& part) { return part.is_lost(asked, method); });
}

double outcomes_of(const std::vector<std::uint64_t>& sizes) {
  double product = 1;
  for (const std::uint64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

/// One way is enough at none of the budgets; if there are several, another may be.
class Unserved : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// What advice is made of, found step by step.
class Advisor {
 public:
  Advisor(const AdviceQuestion& question, const PublicInputs& inputs) : inputs_(inputs) {
    advice_.question = question;
  }

  /// All of it.
  Advice advice() {
    weigh();
    tell_notes();
    return std::move(advice_);
  }

  /// All but notes and warnings: a remedy for noise takes seconds, which only the way that is
  /// advised is worth.
  Advice weighed() {
    weigh();
    return std::move(advice_);
  }

 private:
  void weigh() {
    settle();
    weigh_budgets();
    choose_budget();
    tell_protection();
    tell_error();
    tell_commands();
  }

  void settle() {
    settle_protection();
    if (has_questions()) settle_questions(advice_.question);
    settle_method();
    mollify::settle_days(advice_.question, is_estimation());
    settle_space();
    settle_counts();
    settle_delta();
  }

  [[nodiscard]] const AdviceQuestion& question() const { return advice_.question; }
  [[nodiscard]] const MethodAdvice& own() const { return advice_of(advice_.method); }
  [[nodiscard]] bool by_person() const { return mollify::by_person(question()); }
  [[nodiscard]] std::string who() const { return person_of(question()); }
  [[nodiscard]] bool is_estimation() const { return own().is_for_estimates(question()); }
  [[nodiscard]] bool has_questions() const { return !question().questions.empty(); }
  [[nodiscard]] bool is_of_rows() const { return kRowMethods.has(advice_.method); }
  /// Whether any number of rows costs the same.
  [[nodiscard]] bool is_of_one_model() const { return kModelMethods.has(advice_.method); }
  [[nodiscard]] const AdvisedBudget& chosen() const { return advice_.budgets[*advice_.chosen]; }

  /// Naming the column of persons asks for persons.
  void settle_protection() {
    AdviceQuestion& asked = advice_.question;
    if (!asked.unit) return;
    if (!asked.protect && (!asked.method || protects(*asked.method, Protected::kPerson))) {
      asked.protect = Protected::kPerson;
    }
    if (asked.protect == Protected::kPerson) return;
    const bool row = asked.protect == Protected::kRow;
    refuse_input("contradicting-parameters", "unit",
                 {WayOut::set("protect", "person"), WayOut::leave("unit")},
                 "{} is \"{}\", but {} protects {}; say {}, or leave {} out", flag_words("unit"),
                 asked.unit.words(),
                 asked.protect ? setting_words("protect", name_of(*asked.protect))
                               : method_words(name_of(*asked.method)),
                 row ? "single rows, and a person may have many" : "the whole table",
                 setting_words("protect", "person"), flag_words("unit"));
  }

  void settle_method() {
    AdviceQuestion& asked = advice_.question;
    if (!asked.protect && !asked.method) {
      refuse_input("missing-parameter", "protect", {WayOut::set("protect"), WayOut::set("method")},
                   "what to protect is missing: give {} (person, row or table) or {}",
                   flag_words("protect"), flag_words("method"));
    }
    is_method_given_ = asked.method.has_value();
    advice_.method = method_for(asked);
    own().require(asked);
    if (asked.protect && !protects(advice_.method, *asked.protect)) {
      refuse_input("contradicting-parameters", "protect",
                   {WayOut::leave("method"), WayOut::leave("protect")},
                   "{} protects {}, but {} is {}; leave one of them out",
                   method_words(name_of(advice_.method)), name_of(own().protects()),
                   flag_words("protect"), name_of(*asked.protect));
    }
    if (!asked.protect) asked.protect = own().protects();
    for (const MethodPart& part : kMethodParts) {
      if (part.is_lost(asked, advice_.method)) refuse_part(part);
    }
  }

  /// Names another method only if that one answers the rest of the question.
  [[noreturn]] void refuse_part(const MethodPart& part) const {
    const Methods methods = methods_with(part.place);
    std::vector<WayOut> ways{WayOut::leave(part.flag)};
    for (const auto& [method, name] : names<Method>()) {
      AdviceQuestion other = question();
      other.method = method;
      const bool is_of_tables =
          other.purpose == Purpose::kSample || other.purpose == Purpose::kTable;
      AdviceQuestion open = other;
      open.method.reset();
      const bool is_apt = is_of_tables || method_for(open) == method;
      if (ways.size() > 1 || !methods.has(method) || !is_apt || is_lost_to(method, other)) continue;
      if (Advisor(other, inputs_).is_answered()) ways.push_back(WayOut::use(name));
    }
    const std::string sentence = fmt::format(
        "{} is for {}, {}: leave it out{}", flag_words(part.flag), methods.text(),
        is_method_given_ ? "but the method is " + bare_method_words(name_of(advice_.method))
                         : "which advise does not choose here",
        ways.size() > 1 ? ", or use " + words_of(ways.back()) : "");
    throw InvalidInput("not-for-this-method", sentence, part.flag, std::move(ways));
  }

  /// Whether a release answers the question, at the greatest budget of the list.
  [[nodiscard]] bool is_answered() {
    try {
      settle();
      return weigh(kBudgets.back()).error.has_value();
    } catch (const InvalidInput&) {
      return false;
    }
  }

  /// The method's protection, with the factor that the chosen epsilon allows.
  void tell_protection() {
    const std::string factor = advice_.chosen ? fmt::format("e^{:g} = {:.4g}", chosen().epsilon,
                                                            std::exp(chosen().epsilon))
                                              : "e^epsilon";
    advice_.method_why = own().protection(question(), factor);
  }

  void settle_space() {
    const AdviceQuestion& asked = question();
    if (asked.domain && !asked.column_sizes.empty()) refuse_both("columns", "domain");
    if (asked.domain) {
      domain_.emplace(inputs_.domain(*asked.domain));
      for (const Column& column : domain_->columns()) sizes_.push_back(column.size());
      advice_.outcomes = own().outcomes(*domain_).value_or(0);
      return;
    }
    if (own().needs_domain()) {
      refuse_missing("domain", fmt::format("{} needs the public domain",
                                           method_words(name_of(advice_.method))));
    }
    if (asked.column_sizes.empty()) {
      refuse_input("missing-parameter", "domain", {WayOut::set("domain"), WayOut::set("columns")},
                   "the domain is missing: give {}, or {} with how many values each column has",
                   flag_words("domain"), flag_words("columns"));
    }
    sizes_ = asked.column_sizes;
    if (!own().counts_outcomes()) return;
    const double product = outcomes_of(sizes_);
    if (!(product >= 1 && product <= static_cast<double>(Band::kMostOutcomes))) {
      refuse_input("too-many-outcomes", "columns", {WayOut::set("purpose", "table")},
                   "the columns must have from 1 to {} outcomes together, but have {:.15g}: cut "
                   "them into fewer values, declare a domain with numbers, from which candidates "
                   "are drawn, or release rows that share one noisy model ({})",
                   Band::kMostOutcomes, product, setting_words("purpose", "table"));
    }
    advice_.outcomes = static_cast<std::uint64_t>(product);
  }

  void settle_counts() {
    const AdviceQuestion& asked = question();
    const bool central = is_of_rows();
    // Each further row of a table, and each further report for estimates, is of use.
    const bool whole =
        central && (asked.purpose == Purpose::kTable || asked.purpose == Purpose::kEstimates);
    const bool table = asked.purpose == Purpose::kSample || asked.purpose == Purpose::kTable;
    if (!asked.outputs && !whole && !is_of_one_model() && (table || central)) {
      refuse_missing("count", "how many records to release");
    }
    if (!asked.records && (central || is_estimation())) {
      refuse_missing("n", fmt::format("how many {} there are", by_person() ? "persons" : "rows"));
    }
    is_error_given_ = asked.error.has_value();  // questions always have one
    if (!asked.error) advice_.question.error = is_estimation() ? 0.01 : kUsualError;
    // A whole table has as many rows as there are.
    advice_.outputs = asked.outputs.value_or(whole || is_of_one_model() ? *asked.records : 1);
    if (central && !is_of_one_model() && advice_.outputs > *asked.records) {
      throw Unserved(
          "too-few-records",
          fmt::format("{} releases one record of each {} at most, {} in all, but {} is "
                      "{}; {} weighs methods that release any number",
                      method_words(name_of(advice_.method)), by_person() ? who() : "row",
                      *asked.records, flag_words("count"), advice_.outputs,
                      setting_words("purpose", name_of(Purpose::kTable))),
          "count",
          {WayOut::set("count", std::to_string(*asked.records)), WayOut::set("purpose", "table")});
    }
    if (is_of_one_model()) {
      advice_.count_why =
          "all of them are drawn from one noisy model, so any number costs the same";
    } else if (central) {
      advice_.count_why = "all of them share one budget, because each row is in few of them";
      if (asked.purpose == Purpose::kEstimates && !asked.outputs) {
        advice_.count_why += "; more records make estimates better, so that each gives one";
      }
    } else if (advice_.outputs == 1) {
      advice_.count_why =
          by_person() ? fmt::format("one for each {}: every further one would split epsilon", who())
                      : "one in all: every further one would split epsilon";
    } else {
      advice_.count_why =
          fmt::format("epsilon is split among the {} draws of {}, so fewer are much better",
                      advice_.outputs, by_person() ? "each " + who() : "the table");
    }
  }

  void settle_delta() {
    if (!is_of_rows()) {
      advice_.delta_why = "the guarantee never fails";
      return;
    }
    const auto n = static_cast<double>(*question().records);
    if (question().delta) {
      advice_.delta = *question().delta;
      advice_.delta_why = "as given";
      if (question().accept_large_delta) return;
      require_small_delta(advice_.delta, detail::shortest(advice_.delta), n,
                          by_person() ? "person" : "row");
    } else {
      advice_.delta = small_delta(n);
      advice_.delta_why =
          "at most a hundredth of 1/n: the probability with which the guarantee may fail for some "
          "record";
    }
  }

  /// A release's own question, with alpha to be found.
  [[nodiscard]] PlanQuestion plan_question(double epsilon) const {
    PlanQuestion asked{.method = advice_.method,
                       .unknowns = {PlanUnknown::kAlpha},
                       .outcomes = advice_.outcomes,
                       .outputs = advice_.outputs,
                       .budget = Privacy::approximate(epsilon, advice_.delta),
                       .accept_large_delta = question().accept_large_delta};
    asked.records = question().records.value_or(1);
    asked.domain = question().domain;
    asked.own = own().question(question(), sizes_);
    return asked;
  }

  [[nodiscard]] AdvisedBudget weigh(double epsilon) {
    AdvisedBudget found{.epsilon = epsilon};
    PlanReport report;
    try {
      if (!std::exchange(is_told_, true) && !question().epsilon) {
        PlanQuestion search = plan_question(epsilon);
        search.unknowns = {PlanUnknown::kEpsilon};
        tell_what_takes_long(search, inputs_);
      }
      report = plan(plan_question(epsilon), inputs_);
    } catch (const InvalidInput& refused) {
      found.why = refused;
      return found;
    }
    const PlanAnswer& answer = report.answers.front();
    if (advice_.warnings.empty()) advice_.warnings = report.question.warnings;
    if (!answer.best) {
      found.why = answer.ways.front().why;
      return found;
    }
    const PlanWay& way = answer.ways[*answer.best];
    found.mechanism = way.mechanism;
    found.spends_delta = way.spent.notion != PrivacyNotion::kPure;
    found.error = way.alpha;
    found.noise = way.noise;
    found.why = way.why;
    found.condition = way.details.value("condition", "");
    if (const auto two_way = way.details.find("two_way"); two_way != way.details.end()) {
      if (two_way->at("most") > 0) found.greater_error = two_way->at("most");
    }
    if (answer.facts.contains("k")) advice_.outcomes = answer.facts["k"];
    if (has_questions()) weigh_questions(answer.facts["questions"], found);
    if (!is_estimation()) return found;
    const auto k = static_cast<double>(advice_.outcomes);
    // Several draws of a person are not independent of each other; their first one counts.
    const auto n = static_cast<double>(*question().records);
    const double of_draw = epsilon / static_cast<double>(advice_.outputs);
    if (k < 2) {
      found.error = 0;
      return found;
    }
    found.error = std::sqrt(subset_report_variance(k, of_draw, 1, kHalf) / n);
    if (k > 2) found.typical_error = std::sqrt(subset_report_variance(k, of_draw, 1, 1 / k) / n);
    found.oracle_error = std::sqrt(subset_selection_variance(k, of_draw, kHalf) / n);
    return found;
  }

  void weigh_questions(const Json& planned, AdvisedBudget& found) const {
    found.error = 0;
    found.greater_error.reset();
    for (std::size_t i = 0; i < planned.size(); ++i) {
      auto& error = found.standard_errors.emplace_back();
      const Json& one = planned[i]["standard_error"];
      if (!one.is_number()) continue;
      error = one.get<double>();
      found.error = std::max(*found.error, *error / asked_error(question(), i));
    }
  }

  /// The least budget, to two digits, that is enough, if one of the list is.
  void refine_budgets() {
    auto& budgets = advice_.budgets;
    const auto is_good = [](const AdvisedBudget& one) { return one.error.value_or(2) <= 1; };
    const auto found = std::find_if(budgets.begin(), budgets.end(), is_good);
    if (found == budgets.end()) return;
    const double most = found->epsilon;
    const double least = found == budgets.begin() ? 0 : std::prev(found)->epsilon;
    const double step = most > 1 ? 0.1 : 0.01;
    AdvisedBudget best = *found;
    auto below = static_cast<int>(std::lround(least / step));
    auto enough = static_cast<int>(std::lround(most / step));
    while (enough - below > 1) {
      const int middle = (below + enough) / 2;
      // A tenth is nearest to 1 / 10, and not to .1 x 1.
      AdvisedBudget one = weigh(middle / std::round(1 / step));
      if (is_good(one)) {
        best = std::move(one);
        enough = middle;
      } else {
        below = middle;
      }
    }
    if (best.epsilon < most) budgets.insert(found, std::move(best));
  }

  void weigh_budgets() {
    std::vector<double> budgets(kBudgets.begin(), kBudgets.end());
    if (question().epsilon) {
      const double most = ExpBound::kGreatestEpsilon * static_cast<double>(advice_.outputs);
      if (!is_of_rows() && *question().epsilon > most) {
        epsilon_given_ = epsilon_cap_words(*question().epsilon, most);
        advice_.question.epsilon = most;
      }
      if (std::find(budgets.begin(), budgets.end(), *question().epsilon) == budgets.end()) {
        budgets.push_back(*question().epsilon);
      }
    }
    std::sort(budgets.begin(), budgets.end());
    for (const double epsilon : budgets) advice_.budgets.push_back(weigh(epsilon));
    if (has_questions() && !question().epsilon) refine_budgets();
  }

  /// What its plan refused keeps its code and its ways out.
  [[noreturn]] void refuse_budget(const AdvisedBudget& budget) const {
    if (budget.why.refused) throw Unserved(*budget.why.refused, budget.why.text);
    throw Unserved("no-mechanism", budget.why.text);
  }

  void choose_budget() {
    const auto& budgets = advice_.budgets;
    const auto is_good = [&](const AdvisedBudget& one) {
      return one.error.value_or(2) <= *question().error;
    };
    const auto at = [&](double epsilon) {
      return std::find_if(budgets.begin(), budgets.end(),
                          [&](const AdvisedBudget& one) { return one.epsilon == epsilon; });
    };
    auto found = question().epsilon ? at(*question().epsilon)
                                    : std::find_if(budgets.begin(), budgets.end(), is_good);
    std::string unreached;
    if (found == budgets.end()) {
      const bool none = std::none_of(budgets.begin(), budgets.end(),
                                     [](const AdvisedBudget& one) { return one.error; });
      if (none) refuse_budget(budgets.back());
      unreached = has_questions()
                      ? "none of these brings each standard error to what is asked; " + what_would()
                      : fmt::format("none of these brings the error to {:g}; {}", *question().error,
                                    what_would());
      // Without an error in the question a whole table is advised, with its error.
      const bool is_taken = is_of_rows() && question().purpose == Purpose::kTable &&
                            !is_error_given_ && at(kModerateEpsilon)->error;
      if (is_taken) found = at(kModerateEpsilon);
    }
    if (found == budgets.end()) {
      advice_.epsilon_why = unreached;
      return;
    }
    advice_.chosen = static_cast<std::size_t>(found - budgets.begin());
    const AdvisedBudget& one = *found;
    if (!one.error) refuse_budget(one);
    advice_.epsilon_why =
        question().epsilon ? epsilon_given_
        : has_questions()
            ? "the least, to two digits, at which each standard error is at most what is asked"
        : unreached.empty()
            ? fmt::format("the least of these whose error is at most {:g}", *question().error)
            : fmt::format("the greatest of these that is a usual one; {}", unreached);
    advice_.epsilon_why += "; " + odds_words(Privacy::pure(one.epsilon));
    advice_.mechanism_why = own().mechanism_why(question(), one);
    if (advice_.delta > 0 && !one.spends_delta) {
      advice_.delta_why = fmt::format("not spent: the guarantee of {} never fails", one.mechanism);
    }
    if (one.epsilon > kModerateEpsilon) {
      advice_.warnings.push_back(
          {.code = "large-epsilon",
           .verdict = fmt::format(
               "epsilon {0:g} {1}changes the odds of a guess by up to e^{0:g} = {2:.4g}",
               one.epsilon, is_good(one) ? "reaches the error that you asked for, but " : "",
               std::exp(one.epsilon)),
           .clauses = {fmt::format("epsilon {:g} is a compromise{}", one.epsilon / 2,
                                   is_of_rows() || is_estimation()
                                       ? ""
                                       : ", and the error is for the worst possible data")},
           .remedy = {.told = {WayOut::set("epsilon", fmt::format("{:g}", one.epsilon / 2))}},
           .quantities = {{"epsilon", one.epsilon}, {"odds", std::exp(one.epsilon)}}});
    }
  }

  /// What would bring the error down, at the greatest budget of the list.
  [[nodiscard]] std::string what_would() const {
    const double most = advice_.budgets.back().epsilon;
    if (has_questions()) {
      // Noise does not grow with the rows.
      const double n = static_cast<double>(*question().records);
      return fmt::format("about {:.0f} {} would at epsilon {:g}",
                         n * advice_.budgets.back().error.value_or(1),
                         by_person() ? "persons" : "rows", most);
    }
    if (is_estimation()) {
      const double n = static_cast<double>(*question().records);
      const double much = advice_.budgets.back().error.value_or(1) / *question().error;
      const std::string would =
          fmt::format("{:.0f} persons would at epsilon {:g}", std::ceil(n * much * much), most);
      const double sampling = kHalf / std::sqrt(n);
      if (sampling <= *question().error) return would;
      return fmt::format(
          "sampling alone leaves {:.2g} for a share of one half, so no epsilon brings it to {:g} "
          "with {:.0f} persons; {}",
          sampling, *question().error, n, would);
    }
    if (is_of_rows()) {
      PlanQuestion asked = plan_question(most);
      asked.unknowns = {PlanUnknown::kRecords};
      asked.alpha = *question().error;
      const PlanAnswer answer = plan(asked, inputs_).answers.front();
      if (answer.best) {
        return fmt::format("{:.0f} {} would at epsilon {:g}", *answer.ways[*answer.best].value,
                           by_person() ? "persons" : "rows", most);
      }
    }
    return kFewerOutcomes;
  }

  void tell_error() {
    if (!advice_.chosen) return;
    const double error = *chosen().error;
    if (is_estimation()) {
      advice_.error_words = fmt::format(
          "a share of one half is found to within {:.3g}, 19 times in 20, sampling "
          "included{}",
          1.96 * error,
          chosen().typical_error ? fmt::format("; a share of 1/{} to within {:.3g}",
                                               advice_.outcomes, 1.96 * *chosen().typical_error)
                                 : "");
      return;
    }
    advice_.error_words = own().error_words(question(), chosen(), domain_ ? &*domain_ : nullptr);
  }

  void tell_notes() {
    auto& notes = advice_.notes;
    if (question().purpose == Purpose::kEstimates && !is_estimation()) {
      notes.push_back(fmt::format(
          "a share of {} has a sampling error as well, at most {:.2g}; noisy counts from a query "
          "library have a smaller error, if you need no records",
          counted(advice_.outputs, "released record"),
          kHalf / std::sqrt(static_cast<double>(advice_.outputs))));
    }
    own().add_notes(domain_ ? &*domain_ : nullptr, advice_);
    if (advice_.chosen && by_person()) {
      notes.push_back(fmt::format(
          "{}: {} {}, all that there may be, from a public source; without {} who takes "
          "part is not protected",
          words_of_speech("ROSTER.csv", "units"),
          question().unit.size() > 1 ? "the columns" : "one column",
          question().unit ? fmt::format("{}", fmt::join(question().unit.names(), ", ")) : "PERSON",
          flag_words("units")));
      if (const std::string note = own().unit_note(); !note.empty()) notes.push_back(note);
    }
    if (!advice_.chosen) return;
    if (*chosen().error > *question().error && own().is_less_with_fewer_outcomes()) {
      notes.emplace_back(kFewerOutcomes);
    }
    if (needs_acceptance()) {
      notes.push_back(fmt::format("so large an error has to be accepted, which is what {} says",
                                  flag_words("accept-error")));
    }
    tell_noise();
  }

  /// What sample would say of noise, and what would help.
  void tell_noise() {
    if (is_estimation()) return tell_noise_of_estimates();
    const auto& noise = chosen().noise;
    if (!noise || !noise->is_mostly_noise()) return;
    Message message = *noise_message(*noise);
    const bool is_free = release_method(advice_.method).profile().chooses_mechanism;
    PlanQuestion asked = plan(plan_question(chosen().epsilon), inputs_).question;
    asked.outcomes = std::max<std::uint64_t>(advice_.outcomes, 1);
    message.remedy.ways_out = noise_remedy(asked, is_free ? "" : chosen().mechanism);
    advice_.warnings.push_back(std::move(message));
  }

  void tell_noise_of_estimates() {
    const ReleaseError error = estimate_error(*chosen().error);
    if (!error.is_mostly_noise()) return;
    const auto is_good = [](const AdvisedBudget& one) {
      return one.error && !estimate_error(*one.error).is_mostly_noise();
    };
    const auto found = std::find_if(advice_.budgets.begin(), advice_.budgets.end(), is_good);
    const double much = error.share() / ReleaseError::kMostlyNoise;
    const auto n = static_cast<double>(*question().records);
    Message message = *noise_message(error);
    message.remedy.ways_out.push_back({WayOut::Action::kHave, by_person() ? "persons" : "rows",
                                       fmt::format("{:.4g}", std::ceil(n * much * much))});
    if (found != advice_.budgets.end()) {
      message.remedy.ways_out.push_back(
          {WayOut::Action::kSet, "epsilon", fmt::format("{:g}", found->epsilon)});
    }
    advice_.warnings.push_back(std::move(message));
  }

  /// Whether sample refuses the error that is advised.
  [[nodiscard]] bool needs_acceptance() const {
    return chosen().noise && chosen().noise->is_indistinct() && !is_estimation();
  }

  /// A part of the advised release; a file has no value, but a name in each speech.
  void add_part(const char* name, const Json& value, const std::string& file = "") {
    std::string flag = name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (value.is_null()) {
      sample_ +=
          words_of_speech(fmt::format(" --{} {}", flag, file), fmt::format(", {0}={0}", name));
      return;
    }
    advice_.parts[name] = value;
    // Names of columns may hold any bytes.
    const std::string json = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string text = json;
    if (value.is_string()) text = value.get<std::string>();
    if (flag == "questions") {
      std::string flags;
      for (const std::string& one : value.get<std::vector<std::string>>())
        flags += " --questions " + shell_word(one);
      sample_ += words_of_speech(flags, ", questions=" + json);
      return;
    }
    if (value.is_array()) {
      text = fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ","));
    }
    if (flag == "unit") text = UnitColumns::of(value).text();
    if (value.is_number_float()) text = detail::shortest(value.get<double>());
    const std::string in_python = value == true ? "True" : value.is_number() ? text : json;
    sample_ += words_of_speech(" --" + flag + (value == true ? "" : " " + shell_word(text)),
                               fmt::format(", {}={}", name, in_python));
  }

  void tell_commands() {
    if (!advice_.chosen) return;
    const AdviceQuestion& asked = question();
    const std::string domain = asked.domain ? shell_word(asked.domain->name()) : "DOMAIN.yaml";
    const UnitColumns unit = asked.unit ? asked.unit : UnitColumns("PERSON");
    if (by_person()) add_part("unit", unit.json());
    if (by_person()) add_part("units", nullptr, "ROSTER.csv");
    own().add_parts(asked, [&](const char* name, const Json& value, const std::string& file) {
      add_part(name, value, file);
    });
    add_part("epsilon", chosen().epsilon);
    if (advice_.delta > 0) add_part("delta", advice_.delta);
    if (asked.accept_large_delta) add_part("accept_large_delta", true);
    if (needs_acceptance()) add_part("accept_error", true);
    add_part("count", advice_.outputs);
    const std::string data = " --data DATA.csv --domain " + domain;
    const std::string made = fmt::format("mo.{}(domain{})", class_of(advice_.method), sample_);
    const std::string sample =
        fmt::format("mollify sample {}{}{} --out RELEASED.csv --certificate CERTIFICATE.json{}",
                    name_of(advice_.method), data, sample_,
                    kPublishedModels.has(advice_.method) ? " --model-out MODEL.json" : "");
    advice_.sample = words_of_speech(sample, "release = " + made + ".sample(data)");
    const auto add = [&](std::string_view command, std::string_view call) {
      const std::string_view step = words_of_speech(command, call);
      if (!step.empty()) advice_.commands.emplace_back(step);
    };
    if (!asked.domain) {
      add("mollify domain --public PUBLIC.csv > DOMAIN.yaml",
          "domain = mo.Domain.read(\"DOMAIN.yaml\")  # `mollify-dp domain` drafts one");
    }
    add("", "method = " + made);
    add("mollify check" + data + (by_person() ? " --unit " + shell_word(unit.text()) : ""),
        "method.check(data)");
    add(sample, "release = method.sample(data)");
    add("", "release.write(\"RELEASED.csv\")");
    add("", "release.certificate.write(\"CERTIFICATE.json\")");
    if (kPublishedModels.has(advice_.method)) {
      add("mollify generate --model MODEL.json --count 1000", "mo.generate(release.model, 1000)");
    }
    if (is_estimation() ||
        (asked.purpose == Purpose::kEstimates && own().can_be_estimated_from(chosen().mechanism))) {
      add("mollify estimate --released RELEASED.csv --certificate CERTIFICATE.json",
          "mo.estimate(release)");
    }
    add("mollify verify --certificate CERTIFICATE.json --domain " + domain,
        "mo.verify(release, domain)");
  }

  const PublicInputs& inputs_;
  bool is_told_ = false;  // of long work
  Advice advice_;
  std::string sample_;  // the parts of the advised release, as they are typed
  std::string epsilon_given_ = "as given";
  bool is_method_given_ = false;
  bool is_error_given_ = false;
  std::optional<Domain> domain_;
  std::vector<std::uint64_t> sizes_;  // how many values each column has
};

/// Whether there are several ways to answer.
bool is_of_whole_table(const AdviceQuestion& asked) {
  if (asked.purpose != Purpose::kTable) return false;
  if (asked.method) return kRowMethods.has(*asked.method);
  return asked.protect ? *asked.protect != Protected::kTable : static_cast<bool>(asked.unit);
}

double outcomes_of(const AdviceQuestion& asked, const PublicInputs& inputs) {
  return asked.domain ? inputs.domain(*asked.domain).product() : outcomes_of(asked.column_sizes);
}

/// Whether a sample can only be rows of one model, because its outcomes cannot be counted.
bool is_wide_sample(const AdviceQuestion& asked, const PublicInputs& inputs) {
  return asked.purpose == Purpose::kSample && !asked.method &&
         asked.protect.value_or(Protected::kTable) != Protected::kTable &&
         outcomes_of(asked, inputs) > static_cast<double>(Band::kMostOutcomes);
}

std::vector<TableWay> ways_to_table(const AdviceQuestion& asked, const PublicInputs& inputs) {
  std::optional<Domain> domain;
  if (asked.domain) domain.emplace(inputs.domain(*asked.domain));
  const double outcomes = outcomes_of(asked, inputs);
  std::vector<TableWay> ways;
  for (const auto& [method, name] : names<Method>()) {
    for (TableWay way : advice_of(method).table_ways(domain ? &*domain : nullptr, outcomes)) {
      way.method = method;
      const bool is_given = method == asked.method && !way.copula;
      if (is_given) way.choice = WayChoice::kUsual;
      if (!is_given && asked.method && way.choice != WayChoice::kNamed) {
        way.choice = WayChoice::kBeside;
      }
      ways.push_back(way);
    }
  }
  return ways;
}

AdviceQuestion asked_for(const TableWay& way, AdviceQuestion asked) {
  asked.method = way.method;
  asked.copula = way.copula;
  for (const MethodPart& part : kMethodParts) {
    if (part.is_lost(asked, way.method)) part.leave_out(asked);
  }
  return asked;
}

OtherWay other_way(const TableWay& way, const AdviceQuestion& asked, const PublicInputs& inputs) {
  OtherWay other{.name = bare_method_words(name_of(way.method), way.copula ? "copula" : ""),
                 .why = std::string(way.why)};
  try {
    const Advice advice = Advisor(asked_for(way, asked), inputs).weighed();
    const ErrorKind kind = advice_of(advice.method).error_kind(advice.question);
    other.error = advice.budgets[*advice.chosen].error;
    other.error_kind = kind.key;
    other.error_words = fmt::format("{}: {}", kind.words, advice.error_words);
    other.command = advice.sample;
  } catch (const Unserved& unserved) {
    other.why = InvalidInput(unserved, fmt::format("not here: {}", unserved.what()));
  }
  return other;
}

Advice advise_of_table(const AdviceQuestion& asked, const PublicInputs& inputs) {
  const std::vector<TableWay> ways = ways_to_table(asked, inputs);
  for (const MethodPart& part : kMethodParts) {
    const bool is_used = std::any_of(ways.begin(), ways.end(), [&](const TableWay& way) {
      const bool is_shown =
          asked.method ? way.method == *asked.method : way.choice != WayChoice::kNamed;
      return is_shown && !part.is_lost(asked, way.method);
    });
    if (!is_used) static_cast<void>(Advisor(asked, inputs).weighed());  // which refuses it
  }
  std::optional<Advice> best;
  const TableWay* best_way = nullptr;
  std::optional<Unserved> unserved;
  for (const WayChoice choice : {WayChoice::kUsual, WayChoice::kSpecial}) {
    if (best) break;
    for (const TableWay& way : ways) {
      if (way.choice != choice) continue;
      try {
        Advice advice = Advisor(asked_for(way, asked), inputs).weighed();
        if (best && cost_of(*best) <= cost_of(advice)) continue;
        best = std::move(advice);
        best_way = &way;
      } catch (const Unserved& one) {
        if (!unserved) unserved = one;
      }
    }
  }
  if (!best && !unserved) {
    refuse_input("not-for-this-method", "method", {WayOut::run("plan")},
                 "advise knows no way to a whole table by {}; plan describes it",
                 method_words(name_of(*asked.method)));
  }
  if (!best) throw *unserved;
  best = Advisor(asked_for(*best_way, asked), inputs).advice();
  if (!best->chosen) return *best;
  AdviceQuestion same = asked;
  same.epsilon = best->budgets[*best->chosen].epsilon;
  for (const WayChoice choice : {WayChoice::kUsual, WayChoice::kSpecial, WayChoice::kBeside}) {
    for (const TableWay& way : ways) {
      if (way.choice != choice || &way == best_way) continue;
      OtherWay other = other_way(way, same, inputs);
      // A special way that is not enough is not missed.
      if (other.error || choice == WayChoice::kUsual) best->others.push_back(std::move(other));
    }
  }
  return *best;
}

}  // namespace

std::pair<int, double> cost_of(const Advice& advice) {
  if (advice.chosen) {
    const AdvisedBudget& one = advice.budgets[*advice.chosen];
    if (*one.error <= *advice.question.error) return {0, one.epsilon};
    return {1, *one.error};
  }
  double least = 1;
  for (const AdvisedBudget& one : advice.budgets) least = std::min(least, one.error.value_or(1));
  return {2, least};
}

Advice advise(const AdviceQuestion& question, const PublicInputs& inputs) {
  const bool has_questions = !question.questions.empty();
  if (!has_questions && (is_of_whole_table(question) || is_wide_sample(question, inputs))) {
    return advise_of_table(question, inputs);
  }
  return Advisor(question, inputs).advice();
}

}  // namespace mollify
