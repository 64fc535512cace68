// mollify reference: public records as a reference on R^d.
#include <fmt/format.h>

#include "command.h"
#include "io/domain_yaml.h"
#include "io/public_records.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/measure/domain_measure.h"
#include "laboratory/measure/gaussian_mixture.h"
#include "laboratory/measure/measure_json.h"
#include "output_files.h"
#include "progress.h"

namespace mollify::cli {
namespace {

constexpr std::uint64_t kUsualComponents = 8;
constexpr std::uint64_t kMostComponents = 1000;

struct ReferenceOptions {
  std::optional<std::string> records, domain, out;
  std::optional<std::uint64_t> components;
  bool json = false;
  bool overwrite = false;
};

int run(const ReferenceOptions& options) {
  const std::string& records = needed(options.records, "--public");
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  const std::uint64_t components = options.components.value_or(kUsualComponents);
  require_between("--components", components, 1, kMostComponents);
  refuse_overwriting("--out", options.out, "--public", options.records);
  refuse_overwriting("--out", options.out, "--domain", options.domain);
  require_new("--out", options.out, options.overwrite);
  const std::vector<std::uint32_t> digits = read_public_digits(records, domain);
  std::optional<Elapsed> elapsed("fitting");
  const GaussianMixtureSpec mixture =
      fitted_reference(domain, digits, static_cast<std::size_t>(components));
  elapsed.reset();
  // What is written is read and checked before anybody relies on it.
  static_cast<void>(GaussianMixture(mixture));
  const std::string text = measure_json(mixture);
  if (!options.out) {
    fmt::print("{}", text);
    return kSuccess;
  }
  write_files({{*options.out, text}});
  if (options.json) {
    print_json({{"out", *options.out}, {"components", mixture.weights.size()}});
  } else {
    fmt::print("{} components in {}\n", mixture.weights.size(), *options.out);
  }
  return kSuccess;
}

}  // namespace

void add_reference(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "reference",
      "Fit a Gaussian mixture to public records\n\n"
      "The records must be public: what is fitted goes out with everything that is measured\n"
      "against it. The result is a JSON file for --reference of law, mbde and candidates.");
  const auto options = std::make_shared<ReferenceOptions>();
  add_text(command, "--public", options->records, "FILE", "the public CSV file");
  add_text(command, "--domain", options->domain, "FILE",
           "the public domain, YAML, of numbers and integers");
  add_whole_number(command, "--components", options->components,
                   "how many Gaussians at most (default: 8)");
  add_out(command, options->out, options->overwrite,
          "the file to write it to (default: standard output)");
  command.add_flag("--json", options->json, "print what was written where as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
