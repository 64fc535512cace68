// mollify sample --model central --family gaussian.
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"
#include "release/gaussian_release.h"
#include "report.h"
#include "sample_options.h"

namespace mollify::cli {
namespace {

void refuse_finite_options(const SampleOptions& options) {
  const auto refuse = [](bool is_given, const char* flag) {
    if (!is_given) return;
    throw InvalidInput(fmt::format("{} is for finite domains, but the family is gaussian", flag));
  };
  refuse(options.mechanism.mechanism.has_value(), "--mechanism");
  refuse(options.central.rate.has_value(), "--rate");
  refuse(options.central.support.has_value(), "--support");
}

std::string summary(const GaussianCertificate& certificate, const SampleOptions& options) {
  const GaussianDesign& design = certificate.design;
  const std::uint64_t outputs = design.request.outputs;
  std::string text = fmt::format(
      "released {} record{}{} from {} {} by a Gaussian sampler with {}\n", outputs,
      outputs == 1 ? "" : "s", options.out ? " to " + *options.out : "", design.request.records,
      certificate.unit ? "units" : "rows", design.guarantee.text());
  text += fmt::format("how: {}\n", design.why);
  const GaussianTotalVariation& parts = design.total_variation;
  text += fmt::format(
      "total variation: {:.4g} for each record (weak), {:.4g} for all {} together (strong)\n"
      "of which: clipping {:.3g}, shape of the noise {:.3g}, lattice {:.3g}, centre {:.3g}\n",
      design.total_variation_up(), design.strong_total_variation_up(), outputs, parts.clip,
      parts.shape, parts.lattice, parts.centre);
  if (options.certificate) text += fmt::format("certificate: {}\n", *options.certificate);
  return text + promise_lines(promises(certificate), non_promises(certificate));
}

}  // namespace

ReleaseJob gaussian_job(const SampleOptions& options) {
  refuse_local_options(options);
  refuse_finite_options(options);
  const GaussianOptions& gaussian = options.gaussian;
  const GaussianReleaseRequest request{.data = needed(options.data, "--data"),
                                       .domain = needed(options.domain, "--domain"),
                                       .logarithms = gaussian.logarithms,
                                       .unit = options.unit,
                                       .roster = options.units,
                                       .count = needed(options.count, "--count"),
                                       .covariance = gaussian.covariance,
                                       .covariance_bound = gaussian.covariance_bound,
                                       .mean_bound = gaussian.mean_bound,
                                       .paper_variance = gaussian.paper_variance,
                                       .budget = central_budget(options)};
  const auto release = std::make_shared<const GaussianRelease>(request);
  const GaussianCertificate& certificate = release->certificate();
  return {.certificate = gaussian_certificate_json(certificate),
          .charge = {.data = request.data,
                     .scope = request.unit ? ProtectionScope::of_unit(*request.unit)
                                           : ProtectionScope::row(),
                     .model = "central",
                     .mechanism = "gaussian",
                     .cost = options.ledger.cost_of(certificate.design.guarantee),
                     .count = request.count,
                     .certificate = {}},
          .draw = [release](SecureRandom& random) { return release->run(random); },
          .summary = summary(certificate, options)};
}

}  // namespace mollify::cli
