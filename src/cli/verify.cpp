// mollify verify: recomputes a guarantee in integers.
#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/json.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "cli/main.h"
#include "cli/options.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "formats/released_rows.h"
#include "formats/text_files.h"
#include "methods/local/verification.h"
#include "release/verification.h"

namespace mollify::cli {

namespace {

struct VerifyOptions {
  std::optional<std::uint64_t> k, inputs;
  std::optional<std::string> certificate, domain, candidates_file, released, model;
  MechanismOptions mechanism;
  bool json = false;
};

/// A certificate says itself what was promised: options that say something else are not looked at,
/// so they are refused.
void refuse_options_beside_certificate(const VerifyOptions& options) {
  const MechanismOptions& given = options.mechanism;
  const auto refuse = [](bool is_given, const char* flag) {
    if (!is_given) return;
    refuse_input("superfluous-parameter", parameter_of(flag), {WayOut::leave(parameter_of(flag))},
                 "a certificate is checked by what it says itself, so {} must not be given with it",
                 flag);
  };
  refuse(options.k.has_value(), "--k");
  refuse(options.inputs.has_value(), "--inputs");
  refuse(given.mechanism.has_value(), "--mechanism");
  refuse(given.epsilon.has_value(), "--epsilon");
  refuse(given.mu.has_value(), "--mu");
  for (const MechanismNumber& number : mechanism_numbers()) {
    refuse((given.numbers.*number.value).has_value(), number.flag);
  }
  refuse(given.channel.has_value(), "--channel");
  refuse(given.band.has_value(), "--band");
}

int verify_certificate(const VerifyOptions& options) {
  refuse_options_beside_certificate(options);
  const std::string& name = *options.certificate;
  const StatedCertificate stated =
      naming_part("certificate", [&] { return parsed_file(name, parse_certificate); });
  const Domain domain =
      naming_part("domain", [&] { return read_domain(needed(options.domain, "--domain")); });
  KnownInputs known = known_inputs(stated, domain, PublicFiles(), options.candidates_file,
                                   options.mechanism.reference);
  if (options.model) {
    known.model = naming_part("model", [&] { return read_text_file(*options.model); });
    known.model_file = *options.model;
  }
  std::optional<Elapsed> elapsed("verifying");
  CertificateCheck check =
      naming_file(name, [&] { return mollify::verify_certificate(stated, name, domain, known); });
  if (options.released && check.domain_matches) {
    check.released = naming_part(
        "released", [&] { return check_released_rows(stated, name, domain, *options.released); });
  }
  elapsed.reset();
  tell_odds(stated.total);
  print_answer(check_answer(stated, check, name), options.json);
  if (!check.domain_matches) return kBadInput;  // nothing was found wrong: nothing was looked at
  return check.holds() ? kSuccess : kFailure;
}

/// For public-kernel where no reference is named: one of every size, 1/1, 1/2, 1/3, ...
std::vector<double> harmonic_masses(std::size_t count) {
  std::vector<double> masses(count);
  for (std::size_t i = 0; i < count; ++i) masses[i] = 1 / (static_cast<double>(i) + 1);
  return masses;
}

/// A table of k numbers is made for each input. A certificate needs none of these tables and is
/// checked at any size; randomized response has two numbers only.
void require_few(Mechanism mechanism, std::uint64_t k, std::uint64_t inputs) {
  constexpr std::uint64_t kMostOutcomes = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 30U;
  if (mechanism == Mechanism::kRandomizedResponse) return;
  refuse_if(k > kMostOutcomes, "too-much-work", "k",
            "k must be at most {} to try inputs, but is {}: give a smaller one, or --certificate, "
            "which checks the bounds of a release at any size",
            kMostOutcomes, k);
  if (inputs > kMostNumbers / k) {
    refuse_input("too-much-work", "inputs",
                 "inputs must be at most {} with k {}, so that it ends in minutes, but is {}",
                 kMostNumbers / k, k, inputs);
  }
}

int verify_mechanism(const VerifyOptions& options) {
  if (options.domain || options.candidates_file || options.released || options.model) {
    refuse_missing("certificate",
                   fmt::format("{} needs it", options.domain     ? "--domain"
                                              : options.released ? "--released"
                                              : options.model    ? "--model"
                                                                 : "--candidates-file"));
  }
  if (!options.k && !options.mechanism.epsilon) {
    throw InvalidInput("missing-parameter", "--certificate or --k is missing", "certificate",
                       {WayOut::set("certificate"), WayOut::set("k")});
  }
  const std::size_t k = outcome_count(options.k, "--k");
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  } else if (row_of(options.mechanism.chosen()).reference == ReferenceUse::kNeeded) {
    reference = harmonic_masses(k);
  }
  options.mechanism.require_budget();
  const std::vector<double> rows = options.mechanism.channel_rows(k);
  const MechanismParameters parameters = options.mechanism.parameters(k, reference, rows);
  tell_large_epsilon(parameters.epsilon, parameters.mu);
  refuse_if(!reference.empty() && reference.size() != k, "wrong-shape", "reference",
            "the reference must have {} masses like --k, but has {}", k, reference.size());
  // Without a word of inputs it ends in two seconds.
  const std::uint64_t inputs = options.inputs.value_or(k > std::size_t{1} << 19U ? 12 : 24);
  constexpr double kMostInputs = 1'000'000;
  require_in({.most = kMostInputs}, {"inputs", "inputs", "inputs"}, inputs);
  require_few(parameters.mechanism, k, inputs);
  const auto sampler = make_sampler(parameters);
  Progress progress("inputs", inputs);
  const Verification found =
      verify_sampler(*sampler, inputs, [&](std::uint64_t tried) { progress.reached(tried); });
  progress.finish();
  const bool pure = found.claimed.notion == Privacy::Notion::kPure;
  const std::string_view name = name_of(parameters.mechanism);
  Answer answer;
  answer.add("mechanism", name, fmt::format("{} over ", name));
  answer.add("k", k, counted(k, "outcome"));
  answer.add(pure ? "epsilon_claimed" : "mu_claimed", found.claimed.parameter(),
             fmt::format(" claims {} a draw\n", found.claimed.text()));
  answer.add("epsilon_realised", number(found.epsilon_realised_up),
             fmt::format("  realised, by the public integers     {:.15g} (rounded up)\n",
                         found.epsilon_realised_up));
  answer.add("epsilon_observed", number(found.epsilon_observed_up),
             fmt::format("  observed, among {:>15}      {:.15g} (rounded up)\n",
                         counted(found.inputs, "input"), found.epsilon_observed_up));
  answer.add("inputs", found.inputs);
  answer.add("holds", found.holds, found.holds ? "holds\n" : "DOES NOT HOLD\n");
  print_answer(answer, options.json);
  return found.holds ? kSuccess : kFailure;
}

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "verify",
      "Recompute a guarantee in integers\n\nWith --certificate, verify rebuilds the bounds of that "
      "release and checks them. With --released, it tests the rows too: their number, each value "
      "and each "
      "rule of the domain. With --model, it compares the model and its measurements. With --k and "
      "--epsilon, it builds the output distributions of "
      "adversarial inputs and compares them. Exit status 1 if the guarantee or the rows do not "
      "hold, 2 if it was not checked.");
  const auto options = std::make_shared<VerifyOptions>();
  command.add_option("--certificate", options->certificate, "a release's certificate")
      ->type_name("FILE");
  command.add_option("--domain", options->domain, "the release's domain, YAML")->type_name("FILE");
  command.add_option("--released", options->released, "CSV of its released rows, to be tested too")
      ->type_name("FILE");
  command.add_option("--model", options->model, "its model, to be compared too")->type_name("FILE");
  add_whole_number(command, "--k", options->k, "number of possible records");
  add_whole_number(command, "--inputs", options->inputs,
                   "adversarial inputs to try\n(default: 24, or 12 if k is above 524288)");
  options->mechanism.add_to(
      command,
      "public distribution: a JSON array, or CSV (outcome, p)\nWith "
      "--certificate the public CSV that candidates or a model were made from",
      "one draw");
  options->mechanism.add_band_to(command);
  command
      .add_option("--candidates-file", options->candidates_file,
                  "the list of candidates, if the release had one")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] {
    session.status =
        options->certificate ? verify_certificate(*options) : verify_mechanism(*options);
  });
}

}  // namespace mollify::cli
