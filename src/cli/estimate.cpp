// mollify estimate: the population, from released records and their certificate.
#include "analysis/estimate.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/names.h"
#include "cli/main.h"
#include "core/invalid_input.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "formats/text_files.h"
#include "methods/local/space.h"

namespace mollify::cli {

namespace {

struct EstimateOptions {
  std::optional<std::string> released, certificate, domain, method;
  std::optional<double> confidence;
  bool pairs = false;
  bool json = false;
};

/// The domain of a certificate: the one given, the text that it holds, or the file that it names,
/// as named or beside the certificate.
Domain domain_of(const StatedCertificate& stated, const EstimateOptions& options) {
  if (options.domain) return read_domain(*options.domain);
  const SpecDomain& named = stated.spec.domain;
  if (named.file.empty()) return PublicFiles().domain(named);
  std::error_code error;
  if (std::filesystem::exists(named.file, error)) return read_domain(named.file);
  const std::filesystem::path beside = std::filesystem::path(*options.certificate).parent_path() /
                                       std::filesystem::path(named.file).filename();
  if (std::filesystem::exists(beside, error)) return read_domain(beside.string());
  throw InvalidInput(
      fmt::format("{} names the domain {}, which is not here: say where it is with --domain",
                  *options.certificate, named.file));
}

EstimateRequest request_of(const EstimateOptions& options) {
  EstimateRequest request;
  request.confidence = options.confidence.value_or(request.confidence);
  request.pairs = options.pairs;
  if (options.method) request.method = known_value<EstimateMethod>("method", *options.method);
  return request;
}

/// Refuses records with other columns than a release of the certificate has: the domain's, after
/// the unit's where there is one.
void require_columns_of(const ReleaseSpec& spec, const Domain& domain, const std::string& released,
                        const std::string& certificate) {
  const CsvReader reader(released);
  for (const std::string& column : reader.header()) {
    const auto& columns = domain.columns();
    const bool known =
        column == spec.unit || std::any_of(columns.begin(), columns.end(),
                                           [&](const Column& one) { return one.name() == column; });
    if (known) continue;
    throw InvalidInput(fmt::format(
        "{} must be of the release of {}, but has a column \"{}\", which such a release "
        "has not",
        released, certificate, column));
  }
}

int run(const EstimateOptions& options) {
  const std::string& released = needed(options.released, "--released");
  const std::string& name = needed(options.certificate, "--certificate");
  const EstimateRequest request = request_of(options);
  const StatedCertificate stated = parse_certificate(read_text_file(name), name);
  const ReleasedLaw law(stated, name, domain_of(stated, options));
  require_columns_of(stated.spec, law.domain(), released, name);
  const Empirical records =
      counted_outcomes(read_public_digits(released, law.domain()), law.domain());
  const PopulationEstimate found = estimate_population(law, records, request, released);
  tell_odds(stated.total);
  return print_answer(estimate_answer(found, stated.spec), options.json);
}

}  // namespace

void add_estimate(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "estimate",
      "Estimate the population from released records and their certificate\n\n"
      "For the collector: the distribution of all units, its marginals and means, with intervals\n"
      "that hold together. From randomized-response, mixture, public-kernel, gaussian-curve and\n"
      "the shuffled mechanisms; of a band only bounds hold, and they are told. No private data\n"
      "is read.\n\n"
      "Where no records are wanted, reports made for estimation alone do better. Subset selection\n"
      "with d = max(1, k/(E+1)) of k outcomes, E = e^epsilon, has the variance s(1-s)/(n(p-s)^2)\n"
      "for a frequency next to 0, p = dE/(dE+k-d), s = (p(d-1)+(1-p)d)/(k-1); randomized response\n"
      "is d = 1.");
  const auto options = std::make_shared<EstimateOptions>();
  add_text(command, "--released", options->released, "FILE", "CSV of the released records");
  add_text(command, "--certificate", options->certificate, "FILE", "their certificate");
  add_text(command, "--domain", options->domain, "FILE",
           "the release's domain, YAML (default: the file that the certificate names)");
  add_number(command, "--confidence", options->confidence,
             "probability that all intervals hold together (default: 0.95)");
  add_text(command, "--method", options->method, "NAME",
           "unbiased (default), simplex: the nearest distribution, or maximum-likelihood");
  command.add_flag("--pairs", options->pairs, "two-way tables of all pairs of columns too");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
