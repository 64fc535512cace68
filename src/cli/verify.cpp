// mollify verify: recomputes a guarantee in integers.
#include <fmt/format.h>

#include "command.h"
#include "distribution_file.h"
#include "io/candidates_file.h"
#include "io/domain_yaml.h"
#include "io/public_records.h"
#include "kernel/core/invalid_input.h"
#include "mechanism_options.h"
#include "progress.h"
#include "reference/reference_candidates.h"
#include "release/central_certificate.h"
#include "release/gaussian_certificate.h"
#include "release/verification.h"
#include "report.h"
#include "text_file.h"

namespace mollify::cli {
namespace {

struct VerifyOptions {
  std::optional<std::uint64_t> k, inputs;
  std::optional<std::string> certificate, domain, candidates_file;
  MechanismOptions mechanism;
  bool json = false;
};

const char* yes_or_no(bool value) { return value ? "yes" : "NO"; }

/// A certificate says itself what was promised: options that say something else are not looked at,
/// so they are refused.
void refuse_options_beside_certificate(const VerifyOptions& options) {
  const MechanismOptions& given = options.mechanism;
  const auto refuse = [](bool is_given, const char* flag) {
    if (!is_given) return;
    throw InvalidInput(fmt::format(
        "a certificate is checked by what it says itself, so {} must not be given beside it",
        flag));
  };
  refuse(options.k.has_value(), "--k");
  refuse(options.inputs.has_value(), "--inputs");
  refuse(given.mechanism.has_value(), "--mechanism");
  refuse(given.epsilon.has_value(), "--epsilon");
  refuse(given.mu.has_value(), "--mu");
  refuse(given.c1.has_value(), "--c1");
  refuse(given.c2.has_value(), "--c2");
  refuse(given.gamma.has_value(), "--gamma");
  refuse(given.band.has_value(), "--band");
}

/// The domain of a certificate of model central, beside which the options of candidates say
/// nothing.
Domain central_domain(const VerifyOptions& options) {
  if (options.candidates_file || options.mechanism.reference) {
    throw InvalidInput(
        fmt::format("{} is for models local and integral, but this certificate is of model central",
                    options.candidates_file ? "--candidates-file" : "--reference"));
  }
  return read_domain(needed(options.domain, "--domain"));
}

int verify_gaussian(const std::string& text, const VerifyOptions& options) {
  const GaussianCertificateCheck check =
      check_gaussian_certificate(text, *options.certificate, central_domain(options));
  if (options.json) {
    print_json({{"promised", check.stated.text()},
                {"domain_matches", check.domain_matches},
                {"design_holds", check.design_holds},
                {"accuracy_matches", check.accuracy_matches},
                {"holds", check.holds()}});
  } else {
    fmt::print("certificate {}: {}, Gaussian samples\n", *options.certificate, check.stated.text());
    fmt::print("  the domain is the one of the release                  {}\n",
               yes_or_no(check.domain_matches));
    fmt::print("  the sampler, designed anew, is this one and keeps it  {}\n",
               yes_or_no(check.design_holds));
    fmt::print("  and is as accurate as stated                          {}\n",
               yes_or_no(check.accuracy_matches));
    fmt::print(
        "  unit, roster, covariance, ranges of the mean and the number of records are as declared, "
        "not "
        "checked\n");
    fmt::print("{}\n", check.holds() ? "holds" : "DOES NOT HOLD");
  }
  return check.holds() ? kSuccess : kFailure;
}

int verify_central(const std::string& text, const VerifyOptions& options) {
  const Domain domain = central_domain(options);
  const CentralCertificate certificate = parse_central_certificate(text, *options.certificate);
  const CentralCertificateCheck check = check_central_certificate(certificate, domain);
  const CentralDesign& design = certificate.design;
  if (options.json) {
    print_json({{"promised", total_guarantee(certificate).text()},
                {"domain_matches", check.domain_matches},
                {"design_holds", check.design_holds},
                {"accuracy_matches", check.accuracy_matches},
                {"holds", check.holds()}});
  } else {
    fmt::print("certificate {}: {}, {} from {} {}\n", *options.certificate,
               total_guarantee(certificate).text(), name_of(design.mechanism), design.records,
               certificate.unit ? "units" : "rows");
    fmt::print("  the domain is the one of the release                 {}\n",
               yes_or_no(check.domain_matches));
    fmt::print("  the mechanism, rebuilt from its parameters, keeps it  {}\n",
               yes_or_no(check.design_holds));
    fmt::print("  and is as accurate as stated                         {}\n",
               yes_or_no(check.accuracy_matches));
    fmt::print("  unit, roster and the number of records are as declared, not checked\n");
    fmt::print("{}\n", check.holds() ? "holds" : "DOES NOT HOLD");
  }
  return check.holds() ? kSuccess : kFailure;
}

int verify_certificate(const VerifyOptions& options) {
  refuse_options_beside_certificate(options);
  const std::string text = read_text_file(*options.certificate);
  if (is_central_certificate(text, *options.certificate)) return verify_central(text, options);
  if (is_gaussian_certificate(text, *options.certificate)) return verify_gaussian(text, options);
  const Certificate certificate = parse_certificate(text, *options.certificate);
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  if (options.candidates_file && certificate.space.list != CandidateList::kFile) {
    throw InvalidInput(
        "--candidates-file is for releases from a file of candidates, but this is none");
  }
  if (options.mechanism.reference && certificate.space.list != CandidateList::kSeeded) {
    throw InvalidInput(
        "--reference is for a seeded list of candidates drawn after public records, but this "
        "certificate is of another space");
  }
  if (options.mechanism.reference && !certificate.reference) {
    throw InvalidInput("--reference is given, but the certificate says that there was none");
  }
  std::optional<Candidates> list;
  if (options.candidates_file) list = read_candidates(*options.candidates_file, domain);
  if (const auto& reference = options.mechanism.reference;
      reference && certificate.space.list == CandidateList::kSeeded) {
    list = ReferenceCandidates(domain, read_public_digits(*reference, domain))
               .seeded(certificate.outcome_count);
  }
  const CertificateCheck check = check_certificate(certificate, domain, list);
  const bool pure = certificate.per_draw.notion == Privacy::Notion::kPure;
  const char* claimed = pure ? "epsilon_claimed" : "mu_claimed";
  if (options.json) {
    print_json({{claimed, certificate.per_draw.parameter()},
                {"total_claimed", certificate.total},
                {"epsilon_realised", number(check.epsilon_realised_up)},
                {"domain_matches", check.domain_matches},
                {"list_matches", check.list_matches ? Json(*check.list_matches) : Json(nullptr)},
                {"integers_match", check.integers_match},
                {"arithmetic_holds", check.arithmetic_holds},
                {"total_holds", check.total_holds},
                {"holds", check.holds()}});
  } else {
    fmt::print("certificate {}: {}, {} draw{} of a unit, {:g} in all\n", *options.certificate,
               certificate.per_draw.text(), certificate.draws_per_unit,
               certificate.draws_per_unit == 1 ? "" : "s", certificate.total);
    fmt::print("  the domain is the one of the release         {}\n",
               yes_or_no(check.domain_matches));
    if (certificate.space.kind == SpaceKind::kCandidates) {
      fmt::print("  the candidates are those of the release       {}\n",
                 check.list_matches ? yes_or_no(*check.list_matches) : "cannot be told");
    }
    fmt::print("  the bounds recomputed here are the release's  {}\n",
               yes_or_no(check.integers_match));
    fmt::print("  they keep the claim                          {}  (epsilon {:.15g} realised)\n",
               yes_or_no(check.arithmetic_holds), check.epsilon_realised_up);
    fmt::print("  the draws add up to at most the total        {}\n", yes_or_no(check.total_holds));
    fmt::print(
        "  model, unit, roster and where references came from are as declared, not checked\n");
    fmt::print("{}\n", check.holds() ? "holds" : "DOES NOT HOLD");
  }
  return check.holds() ? kSuccess : kFailure;
}

/// For public-kernel where no reference is named: one of every size, 1/1, 1/2, 1/3, ...
std::vector<double> harmonic_masses(std::size_t count) {
  std::vector<double> masses(count);
  for (std::size_t i = 0; i < count; ++i) masses[i] = 1 / (static_cast<double>(i) + 1);
  return masses;
}

int verify_mechanism(const VerifyOptions& options) {
  if (options.domain || options.candidates_file) {
    throw InvalidInput(fmt::format("{} is for checking a certificate, but none is given",
                                   options.domain ? "--domain" : "--candidates-file"));
  }
  const std::size_t k = outcome_count(options.k);
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  } else if (options.mechanism.chosen() == Mechanism::kPublicKernel) {
    reference = harmonic_masses(k);
  }
  const MechanismParameters parameters = options.mechanism.parameters(k, reference);
  if (!parameters.mu) needed(parameters.epsilon, "--epsilon");
  if (!reference.empty() && reference.size() != k) {
    throw InvalidInput(
        fmt::format("the reference must have {} masses like --k, but has {}", k, reference.size()));
  }
  const auto sampler = make_sampler(parameters);
  const std::uint64_t inputs = options.inputs.value_or(24);
  constexpr std::uint64_t kMostInputs = 1'000'000;
  if (inputs > kMostInputs) {
    throw InvalidInput(fmt::format("inputs must be at most {}, but is {}", kMostInputs, inputs));
  }
  Progress progress("inputs", inputs);
  const Verification found =
      verify_sampler(*sampler, inputs, [&](std::uint64_t tried) { progress.reached(tried); });
  progress.finish();
  const bool pure = found.claimed.notion == Privacy::Notion::kPure;
  if (options.json) {
    print_json({{"mechanism", name_of(parameters.mechanism)},
                {"k", k},
                {pure ? "epsilon_claimed" : "mu_claimed", found.claimed.parameter()},
                {"epsilon_realised", number(found.epsilon_realised_up)},
                {"epsilon_observed", number(found.epsilon_observed_up)},
                {"inputs", found.inputs},
                {"holds", found.holds}});
  } else {
    fmt::print("{} over {} outcomes claims {} a draw\n", name_of(parameters.mechanism), k,
               found.claimed.text());
    fmt::print("  realised, by the public integers     {:.15g} (rounded up)\n",
               found.epsilon_realised_up);
    fmt::print("  observed, among {:>8} inputs      {:.15g} (rounded up)\n", found.inputs,
               found.epsilon_observed_up);
    fmt::print("{}\n", found.holds ? "holds" : "DOES NOT HOLD");
  }
  return found.holds ? kSuccess : kFailure;
}

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "verify",
      "Recompute a guarantee in integers\n\n"
      "With --certificate: the bounds of that release are rebuilt and checked.\n"
      "With --k and --epsilon: the laws of adversarial inputs are built and compared.\n"
      "Exit status 1 if the guarantee does not hold.");
  const auto options = std::make_shared<VerifyOptions>();
  command.add_option("--certificate", options->certificate, "a release's certificate")
      ->type_name("FILE");
  command.add_option("--domain", options->domain, "the release's domain, YAML")->type_name("FILE");
  add_whole_number(command, "--k", options->k, "number of outcomes");
  add_whole_number(command, "--inputs", options->inputs, "adversarial inputs to try (default: 24)");
  options->mechanism.add_to(
      command,
      "public distribution: a JSON array, or CSV (outcome, p); with --certificate the public "
      "CSV that candidates were drawn after",
      "one draw");
  options->mechanism.add_band_to(command);
  command
      .add_option("--candidates-file", options->candidates_file,
                  "the list of candidates, if the release was made with a file of them")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] {
    session.status =
        options->certificate ? verify_certificate(*options) : verify_mechanism(*options);
  });
}

}  // namespace mollify::cli
