#include "analysis/mechanisms.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "accounting/shuffling.h"
#include "analysis/requests.h"
#include "base/directed_rounding.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "release/acceptance.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The mechanism that is asked for.

std::span<const Part> amplify_parts() {
  using enum PartKind;
  static constexpr Part kParts[] = {
      from({"/n", "--n", kWhole, "number of records; it is public"}, 1, kMostRecords),
      from({"/k", "--k", kWhole, "number of possible records"}, 1, kMostReportOutcomes),
      above({"/epsilon0", "--epsilon0", kNumber, "epsilon of one report, up to 100"}, 0,
            kGreatestReportEpsilon),
      from({"/epsilon", "--epsilon", kNumber, "epsilon of all reports together"}, 0),
      between({"/delta", "--delta", kNumber, "delta of all reports together"}, 0, 1),
      above({"/rate", "--rate", kNumber,
             "probability with which each record is first kept (default: 1)"},
            0, 1),
      from({"/chosen", "--chosen", kWhole, "number of the n records that are first chosen"}, 1),
      {{"/accept_large_delta", "--accept-large-delta", kTruth, "accept a delta of 1/n or more"}}};
  return kParts;
}

AmplifyQuestion amplify_question_of(const Json& json, const std::string& name) {
  const PartReader reader(amplify_parts(), json, name, "a question to amplify");
  return {.n = reader.find<std::uint64_t>("/n"),
          .k = reader.find<std::uint64_t>("/k"),
          .epsilon0 = reader.find<double>("/epsilon0"),
          .epsilon = reader.find<double>("/epsilon"),
          .delta = reader.find<double>("/delta"),
          .rate = reader.find<double>("/rate"),
          .chosen = reader.find<std::uint64_t>("/chosen"),
          .accept_large_delta = reader.is_true("/accept_large_delta")};
}

namespace {

/// The mechanism, whichever of the two kinds, with all its parameters known.
struct Amplified {
  ShuffledResponse response;
  std::optional<std::uint64_t> chosen;

  ShuffledSubset subset() const {
    return {response.records, *chosen, response.outcomes, response.epsilon0};
  }
  DeltaBounds delta(double epsilon) const {
    return chosen ? subset_delta(subset(), epsilon) : shuffle_delta(response, epsilon);
  }
  double slack(double epsilon) const {
    const DeltaBounds blanket =
        chosen ? subset_blanket(subset(), epsilon) : privacy_blanket(response, epsilon);
    return blanket.upper - blanket.lower;
  }
  double epsilon_up(double delta) const {
    return chosen ? subset_epsilon_up(subset(), delta) : shuffle_epsilon_up(response, delta);
  }
  double epsilon_down(double delta) const {
    return chosen ? subset_epsilon_down(subset(), delta) : shuffle_epsilon_down(response, delta);
  }
  /// The papers' closed form knows neither kind of sampling.
  std::optional<double> closed_form(double delta) const {
    if (chosen || response.rate < 1) return std::nullopt;
    return shuffle_closed_form_epsilon(response.records, response.outcomes, response.epsilon0,
                                       delta);
  }
  double total_variation_up() const {
    const double others = static_cast<double>(response.outcomes) - 1;
    return div_up(others, std::nextafter(exp_down(response.epsilon0) + others, 0.0));
  }
  std::string description() const {
    std::string what = fmt::format("shuffled reports of {}", counted(response.records, "record"));
    if (chosen)
      what =
          fmt::format("shuffled reports of {} of {}", *chosen, counted(response.records, "record"));
    if (response.rate < 1) what += fmt::format(", each kept with probability {:g},", response.rate);
    return what + fmt::format(" over {}, each with epsilon0 = {:.6g}",
                              counted(response.outcomes, "outcome"), response.epsilon0);
  }
};

Amplified solve(const AmplifyQuestion& question) {
  if (question.chosen && question.rate) refuse_both("chosen", "rate");
  std::vector<WayOut> missing, given_ones;
  for (const auto& [part, is_given] : {std::pair{"n", question.n.has_value()},
                                       std::pair{"epsilon0", question.epsilon0.has_value()},
                                       std::pair{"epsilon", question.epsilon.has_value()},
                                       std::pair{"delta", question.delta.has_value()}}) {
    if (is_given) given_ones.push_back(WayOut::leave(part));
    if (!is_given) missing.push_back(WayOut::set(part));
  }
  const std::size_t given = given_ones.size();
  if (given != 3) {
    refuse_input(given < 3 ? Code("missing-parameter") : Code("contradicting-parameters"), {},
                 given < 3 ? missing : given_ones,
                 "give exactly three of {}, {}, {} and {}; you gave {}", flag_words("n"),
                 flag_words("epsilon0"), flag_words("epsilon"), flag_words("delta"), given);
  }
  if (!question.k) refuse_missing("k", "how many records are possible");
  const std::uint64_t k = *question.k;
  const double rate = question.rate.value_or(1);
  Amplified found{{question.n.value_or(1), k, question.epsilon0.value_or(1), rate},
                  question.chosen};
  if (!question.n) {
    if (question.chosen) {
      refuse_missing("n", fmt::format("{} needs it; with {}, amplify finds it",
                                      flag_words("chosen"), flag_words("rate")));
    }
    const auto records =
        shuffle_records_up(k, *question.epsilon0, *question.epsilon, *question.delta, rate);
    if (!records) {
      refuse_input("no-answer", "n",
                   "no number of records up to {} gives epsilon {:g} and delta {:g} with reports "
                   "of epsilon0 = {:g}",
                   kMostRecords, *question.epsilon, *question.delta, *question.epsilon0);
    }
    found.response.records = *records;
  }
  if (!question.epsilon0) {
    found.response.epsilon0 =
        question.chosen
            ? subset_epsilon0_down(*question.n, *question.chosen, k, *question.epsilon,
                                   *question.delta)
            : shuffle_epsilon0_down(*question.n, k, *question.epsilon, *question.delta, rate);
  }
  return found;
}

/// A bound that is positive may be smaller than every double, or than those with all their digits.
std::string bound_text(double upper, bool is_positive) {
  return is_positive && upper < 1e-308 ? "< 1e-308" : fmt::format("= {:.6g}", upper);
}

/// A delta of 1/n or more is no privacy for somebody.
void look_at_delta(const AmplifyQuestion& question, std::uint64_t records) {
  if (!question.accept_large_delta) {
    require_small_delta(*question.delta, detail::shortest(*question.delta),
                        static_cast<double>(records));
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// The answer.

namespace {

/// The dangers of all reports together.
std::vector<Message> warnings_of(const Amplified& found, double epsilon,
                                 std::optional<double> delta) {
  const auto promise = Privacy::approximate(epsilon, delta.value_or(0));
  std::vector<Message> said = epsilon_warnings(promise, promise, 0);
  const auto records = static_cast<double>(found.response.records);
  if (auto large = delta_warning(promise.delta, detail::shortest(promise.delta), records,
                                 counted(found.response.records, "record"))) {
    said.push_back(std::move(*large));
  }
  return said;
}

void add_warnings(Answer& answer, std::vector<Message> warnings) {
  answer.add("warnings", json_of(warnings));
  answer.warnings = std::move(warnings);
}

Answer answer_about(const Amplified& found) {
  const ShuffledResponse& response = found.response;
  Answer answer;
  answer.add("n", response.records);
  answer.add("k", response.outcomes);
  answer.add("epsilon0", response.epsilon0);
  if (found.chosen) answer.add("chosen", *found.chosen);
  answer.add("rate", response.rate, found.description());
  const double distance = found.total_variation_up();
  answer.add("total_variation", distance,
             fmt::format("\na report's law is at most {:.4g} from its record's in total "
                         "variation\n\n",
                         distance));
  return answer;
}

/// The certified "epsilon" or "delta", and the one that two data sets attain.
void add_bounds(Answer& answer, const std::string& name, double upper, double lower,
                bool is_positive = false) {
  answer.add((name + "_upper").c_str(), upper,
             fmt::format("  certified    {} {}\n", name, bound_text(upper, is_positive)));
  answer.add((name + "_lower").c_str(), lower,
             fmt::format("  attained     {} = {:.6g}, by two neighbouring data sets: nobody can "
                         "claim less\n",
                         name, lower));
  answer.add("gap", upper - lower);
}

/// At the epsilon that is given.
Answer with_delta(const Amplified& found, double epsilon) {
  const DeltaBounds delta = found.delta(epsilon);
  const double slack = found.slack(epsilon);
  Answer answer = answer_about(found);
  answer.add("epsilon", epsilon, fmt::format("(epsilon, delta)-DP at epsilon {:g}\n", epsilon));
  add_warnings(answer, warnings_of(found, epsilon, std::nullopt));
  // Reports of a larger epsilon0 over several outcomes never keep a delta of 0.
  add_bounds(answer, "delta", delta.upper, delta.lower,
             found.response.outcomes > 1 && epsilon < found.response.epsilon0);
  answer.add(
      "slack", slack,
      fmt::format("  slack        rounding adds at most {:.2g} to the certified delta\n", slack));
  return answer;
}

}  // namespace

Answer amplify(const AmplifyQuestion& question) {
  if (question.n && question.delta && *question.n > 0) look_at_delta(question, *question.n);
  const Amplified found = solve(question);
  if (!question.delta) return with_delta(found, *question.epsilon);
  if (!question.n) look_at_delta(question, found.response.records);
  const double delta = *question.delta;
  // A solution for the given epsilon keeps it.
  const double upper = question.epsilon ? std::min(*question.epsilon, found.epsilon_up(delta))
                                        : found.epsilon_up(delta);
  const double slack = found.slack(upper);
  const std::optional<double> closed = found.closed_form(delta);
  Answer answer = answer_about(found);
  answer.add("delta", delta, fmt::format("(epsilon, delta)-DP at delta = {:g}\n", delta));
  add_warnings(answer, warnings_of(found, upper, delta));
  if (question.epsilon) answer.add("epsilon", *question.epsilon);
  add_bounds(answer, "epsilon", upper, found.epsilon_down(delta));
  answer.add("closed_form", closed ? Json(*closed) : Json(nullptr),
             closed ? fmt::format("  closed form  epsilon = {:.6g}, as in the papers\n", *closed)
                    : "  closed form  none: outside its regime\n");
  answer.add("slack", slack,
             fmt::format("  slack        rounding adds at most {:.2g} to the delta of that "
                         "epsilon\n",
                         slack));
  return answer;
}

// -----------------------------------------------------------------------------------------------
// How far the law of one draw can be from the data, at worst.

Answer risk_answer(const MechanismParameters& parameters, const WorstCaseRisk& risk) {
  const std::string mechanism(name_of(parameters.mechanism));
  Answer answer;
  answer.add("mechanism", mechanism, fmt::format("worst case of {} over ", mechanism));
  answer.add("k", parameters.outcome_count, counted(parameters.outcome_count, "outcome"));
  if (parameters.mu) {
    answer.add("mu", *parameters.mu);
  } else {
    answer.add("epsilon", ExpBound(*parameters.epsilon).epsilon());  // above 30 it counts as 30
  }
  answer.add("risk", divergence_json(risk.risk), fmt::format("\n  {}\n", risk.risk.text()));
  answer.add("attained", risk.attained,
             risk.attained ? "  attained: some private distribution fares exactly so\n"
                           : "  an upper bound, not known to be attained\n");
  answer.add("vertex_maximum", nullptr);
  if (const auto& vertex = risk.vertex_maximum) {
    answer.add("vertex_maximum", divergence_json(*vertex),
               fmt::format("  the worst distribution of the class: {}\n", vertex->text()));
  }
  if (risk.largest_lift > 0) {
    answer.add("lower_factor", risk.lower_factor);
    answer.add("largest_lift", risk.largest_lift,
               fmt::format("  every outcome is released between {:.6g} and {:.6g} times its "
                           "reference mass\n",
                           risk.lower_factor, risk.largest_lift));
  }
  return answer;
}

}  // namespace mollify
