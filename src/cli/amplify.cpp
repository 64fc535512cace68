// mollify amplify: what shuffling adds to the privacy of randomized reports.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "accounting/shuffling.h"
#include "base/directed_rounding.h"
#include "base/names.h"
#include "base/progress.h"
#include "cli/main.h"
#include "core/invalid_input.h"
#include "release/acceptance.h"

namespace mollify::cli {

namespace {

struct AmplifyOptions {
  std::optional<std::uint64_t> n, k, chosen;
  std::optional<double> epsilon0, epsilon, delta, rate;
  bool accept_large_delta = false;
  bool json = false;
};

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

Amplified solve(const AmplifyOptions& options) {
  if (options.chosen && options.rate) {
    throw InvalidInput("--chosen and --rate are two kinds of sampling, but both are given");
  }
  const int given = (options.n ? 1 : 0) + (options.epsilon0 ? 1 : 0) + (options.epsilon ? 1 : 0) +
                    (options.delta ? 1 : 0);
  if (given != 3) {
    throw InvalidInput(fmt::format(
        "of --n, --epsilon0, --epsilon and --delta three must be given, but {} are", given));
  }
  const std::uint64_t k = needed(options.k, "--k");
  const double rate = options.rate.value_or(1);
  Amplified found{{options.n.value_or(1), k, options.epsilon0.value_or(1), rate}, options.chosen};
  if (!options.n) {
    if (options.chosen) {
      throw InvalidInput("--chosen needs --n, but it is not given; use --rate to find n");
    }
    const auto records =
        shuffle_records_up(k, *options.epsilon0, *options.epsilon, *options.delta, rate);
    if (!records) {
      throw InvalidInput(
          fmt::format("no number of records up to {} gives epsilon {:g} and delta {:g} with "
                      "reports of epsilon0 = {:g}",
                      kMostRecords, *options.epsilon, *options.delta, *options.epsilon0));
    }
    found.response.records = *records;
  }
  if (!options.epsilon0) {
    found.response.epsilon0 =
        options.chosen
            ? subset_epsilon0_down(*options.n, *options.chosen, k, *options.epsilon, *options.delta)
            : shuffle_epsilon0_down(*options.n, k, *options.epsilon, *options.delta, rate);
  }
  return found;
}

/// A bound that is positive may be smaller than every double, or than those with all their digits.
std::string bound_text(double upper, bool is_positive) {
  return is_positive && upper < 1e-308 ? "< 1e-308" : fmt::format("= {:.6g}", upper);
}

void print_bounds(const char* name, double upper, double lower, bool is_positive = false) {
  fmt::print("  certified    {} {}\n", name, bound_text(upper, is_positive));
  fmt::print("  attained     {} = {:.6g}, by two neighbouring data sets: nobody can claim less\n",
             name, lower);
}

void print_head(const Amplified& found) {
  fmt::print("{}\na report's law is at most {:.4g} from its record's in total variation\n\n",
             found.description(), found.total_variation_up());
}

Json head_json(const Amplified& found) {
  const ShuffledResponse& response = found.response;
  Json json{{"n", response.records}, {"k", response.outcomes}, {"epsilon0", response.epsilon0}};
  if (found.chosen) json["chosen"] = *found.chosen;
  json["rate"] = response.rate;
  json["total_variation"] = found.total_variation_up();
  return json;
}

/// What is dangerous about all reports together: a sentence each.
std::vector<std::string> warnings_of(const Amplified& found, double epsilon,
                                     std::optional<double> delta) {
  const auto promise = Privacy::approximate(epsilon, delta.value_or(0));
  std::vector<std::string> said = epsilon_warnings(promise, promise, 0);
  const auto records = static_cast<double>(found.response.records);
  if (delta && *delta * records > 0.1) {
    said.push_back(
        fmt::format("delta {:g} is more than a tenth of 1/n = {:.4g}", *delta, 1 / records));
  }
  return said;
}

void tell_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& words : warnings) tell(fmt::format("WARNING: {}\n", words));
}

int print_delta(const Amplified& found, double epsilon, bool as_json,
                std::optional<Elapsed>& elapsed) {
  const DeltaBounds delta = found.delta(epsilon);
  const double slack = found.slack(epsilon);
  elapsed.reset();
  if (as_json) {
    Json json = head_json(found);
    json["epsilon"] = epsilon;
    json["warnings"] = warnings_of(found, epsilon, std::nullopt);
    json["delta_upper"] = delta.upper;
    json["delta_lower"] = delta.lower;
    json["gap"] = delta.upper - delta.lower;
    json["slack"] = slack;
    print_json(json);
    return kSuccess;
  }
  print_head(found);
  fmt::print("(epsilon, delta)-DP at epsilon {:g}\n", epsilon);
  // Reports of a larger epsilon0 over several outcomes never keep a delta of 0.
  print_bounds("delta", delta.upper, delta.lower,
               found.response.outcomes > 1 && epsilon < found.response.epsilon0);
  fmt::print("  slack        rounding adds at most {:.2g} to the certified delta\n", slack);
  tell_warnings(warnings_of(found, epsilon, std::nullopt));
  return kSuccess;
}

/// A delta of 1/n or more is no privacy for somebody.
void look_at_delta(const AmplifyOptions& options, std::uint64_t records) {
  if (!(*options.delta > 0 && *options.delta < 1)) return;  // the accounting refuses it
  if (!options.accept_large_delta) {
    require_small_delta(*options.delta, fmt::format("{:g}", *options.delta),
                        static_cast<double>(records));
  }
}

int run(const AmplifyOptions& options) {
  if (options.n && options.delta && *options.n > 0) look_at_delta(options, *options.n);
  std::optional<Elapsed> elapsed("summing over all data sets");
  const Amplified found = solve(options);
  if (!options.delta) return print_delta(found, *options.epsilon, options.json, elapsed);
  if (!options.n) look_at_delta(options, found.response.records);
  const double delta = *options.delta;
  // What was solved for the epsilon asked keeps it.
  const double upper = options.epsilon ? std::min(*options.epsilon, found.epsilon_up(delta))
                                       : found.epsilon_up(delta);
  const double lower = found.epsilon_down(delta);
  const double slack = found.slack(upper);
  const std::optional<double> closed = found.closed_form(delta);
  elapsed.reset();
  if (options.json) {
    Json json = head_json(found);
    json["delta"] = delta;
    json["warnings"] = warnings_of(found, upper, delta);
    if (options.epsilon) json["epsilon"] = *options.epsilon;
    json["epsilon_upper"] = upper;
    json["epsilon_lower"] = lower;
    json["gap"] = upper - lower;
    json["closed_form"] = closed ? Json(*closed) : Json(nullptr);
    json["slack"] = slack;
    print_json(json);
    return kSuccess;
  }
  print_head(found);
  fmt::print("(epsilon, delta)-DP at delta = {:g}\n", delta);
  print_bounds("epsilon", upper, lower);
  if (closed) {
    fmt::print("  closed form  epsilon = {:.6g}, as in the papers\n", *closed);
  } else {
    fmt::print("  closed form  none: outside its regime\n");
  }
  fmt::print("  slack        rounding adds at most {:.2g} to the delta of that epsilon\n", slack);
  tell_warnings(warnings_of(found, upper, delta));
  return kSuccess;
}

}  // namespace

void add_amplify(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "amplify",
      "Say how private shuffled reports are, in proved numbers\n\n"
      "Every record goes through k-ary randomized response with epsilon0; all reports leave\n"
      "shuffled. Give --k and three of --n, --epsilon0, --epsilon and --delta: the fourth is "
      "found,\n"
      "with a proved bound, what two data sets attain, and the papers' closed form in its regime.\n"
      "Neighbouring data sets replace one record, so the number of records n is public.\n"
      "Nothing private is read.");
  const auto options = std::make_shared<AmplifyOptions>();
  add_whole_number(command, "--n", options->n, "number of records; it is public");
  add_whole_number(command, "--k", options->k, "number of outcomes");
  add_number(command, "--epsilon0", options->epsilon0, "epsilon of one report, up to 100");
  add_number(command, "--epsilon", options->epsilon, "epsilon of all reports together");
  add_number(command, "--delta", options->delta, "delta of all reports together");
  add_number(command, "--rate", options->rate,
             "each record is first kept with this probability (default: 1)");
  add_whole_number(command, "--chosen", options->chosen,
                   "so many of the n records are first chosen, without replacement");
  command.add_flag("--accept-large-delta", options->accept_large_delta,
                   "go on even where delta is 1/n or more");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
