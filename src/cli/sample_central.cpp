// mollify sample --model central.
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"
#include "release/central_release.h"
#include "report.h"
#include "sample_options.h"

namespace mollify::cli {

void refuse_local_options(const SampleOptions& options) {
  const MechanismOptions& mechanism = options.mechanism;
  const SpaceOptions& space = options.space;
  const auto refuse = [](bool is_given, const char* flag) {
    if (!is_given) return;
    throw InvalidInput(
        fmt::format("{} is for models local and integral, but the model is central", flag));
  };
  refuse(mechanism.mu.has_value(), "--mu");
  refuse(mechanism.c1.has_value(), "--c1");
  refuse(mechanism.c2.has_value(), "--c2");
  refuse(mechanism.gamma.has_value(), "--gamma");
  refuse(mechanism.reference.has_value(), "--reference");
  refuse(mechanism.band.has_value(), "--band");
  refuse(space.space.has_value(), "--space");
  refuse(space.candidates_file.has_value(), "--candidates-file");
  refuse(space.score.has_value(), "--score");
  refuse(space.cells.has_value(), "--cells");
  refuse(space.candidates.has_value(), "--candidates");
  refuse(space.fresh, "--fresh");
}

Privacy central_budget(const SampleOptions& options) {
  const auto given = [&](const char* flag, std::optional<double> value) {
    return options.ledger.budget(flag, value);
  };
  if (options.central.rho) {
    if (options.mechanism.epsilon) {
      throw InvalidInput("a budget is either --rho or --epsilon, but both are given");
    }
    if (options.central.delta.value_or(0) != 0) {
      throw InvalidInput("a budget is either rho or epsilon and delta, but both are given");
    }
    return Privacy::concentrated(*given("--rho", options.central.rho));
  }
  needed(options.mechanism.epsilon, "--epsilon");
  return Privacy::approximate(*given("--epsilon", options.mechanism.epsilon),
                              given("--delta", options.central.delta).value_or(0));
}

namespace {

std::string summary(const CentralCertificate& certificate, const SampleOptions& options) {
  const CentralDesign& design = certificate.design;
  std::string text =
      fmt::format("released {} record{}{} from {} {} by {} with {}\n",
                  design.outputs ? std::to_string(*design.outputs) : "a random number of",
                  design.outputs == 1 ? "" : "s", options.out ? " to " + *options.out : "",
                  design.records, certificate.unit ? "units" : "rows", name_of(design.mechanism),
                  total_guarantee(certificate).text());
  if (const auto& hint = certificate.hint) {
    text += fmt::format(
        "spent: {} to find the support ({}), and {} on the draw from "
        "it\n",
        Privacy::approximate(hint->epsilon, hint->delta).text(), to_text(hint->support),
        design.guarantee.text());
  }
  text += fmt::format("why {}: {}\n", name_of(design.mechanism), design.why);
  text += fmt::format("total variation: {}{:.4g} for each record (weak)",
                      certificate.hint ? "at most, if the whole domain were needed, " : "",
                      design.total_variation_up);
  if (design.outputs && design.independent_outputs) {
    text +=
        fmt::format(", {:.4g} for all {} together (strong)",
                    std::min(1.0, design.total_variation_up * static_cast<double>(*design.outputs)),
                    *design.outputs);
  }
  text += "\n";
  if (options.certificate) text += fmt::format("certificate: {}\n", *options.certificate);
  return text + promise_lines(promises(certificate), non_promises(certificate));
}

}  // namespace

ReleaseJob central_job(const SampleOptions& options) {
  refuse_local_options(options);
  CentralReleaseRequest request;
  request.data = needed(options.data, "--data");
  request.domain = needed(options.domain, "--domain");
  request.unit = options.unit;
  request.roster = options.units;
  if (!options.central.rate) needed(options.count, "--count");
  request.count = options.count;
  request.rate = options.central.rate;
  request.mechanism = chosen_central_mechanism(options.mechanism.mechanism);
  request.budget = central_budget(options);
  if (options.central.support) request.support = parse_support_hint(*options.central.support);
  const auto release = std::make_shared<const CentralRelease>(request);
  const CentralCertificate& certificate = release->certificate();
  return {.certificate = central_certificate_json(certificate),
          .charge = {.data = request.data,
                     .scope = request.unit ? ProtectionScope::of_unit(*request.unit)
                                           : ProtectionScope::row(),
                     .model = "central",
                     .mechanism = std::string(name_of(certificate.design.mechanism)),
                     .cost = options.ledger.cost_of(total_guarantee(certificate)),
                     .count = certificate.design.outputs.value_or(0),
                     .certificate = {}},
          .draw = [release](SecureRandom& random) { return release->run(random); },
          .summary = summary(certificate, options)};
}

}  // namespace mollify::cli
