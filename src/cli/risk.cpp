// mollify risk: the worst case of a mechanism, before any data.
#include <fmt/format.h>

#include "command.h"
#include "distribution_file.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "local/mechanism_risk.h"
#include "mechanism_options.h"
#include "report.h"

namespace mollify::cli {
namespace {

struct RiskOptions {
  std::optional<std::uint64_t> k;
  MechanismOptions mechanism;
  bool json = false;
};

int run(const RiskOptions& options) {
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  }
  const std::size_t k = reference.empty() ? outcome_count(options.k) : reference.size();
  if (options.k && *options.k != k) {
    throw InvalidInput(
        fmt::format("the reference must have {} masses like --k, but has {}", *options.k, k));
  }
  const MechanismParameters parameters = options.mechanism.parameters(k, reference);
  options.mechanism.require_budget();
  const WorstCaseRisk risk = mechanism_risk(parameters);
  const bool band = risk.largest_lift > 0;
  if (options.json) {
    Json json{{"mechanism", name_of(parameters.mechanism)}, {"k", k}};
    if (parameters.mu) {
      json["mu"] = *parameters.mu;
    } else {
      json["epsilon"] = ExpBound(*parameters.epsilon).epsilon();  // above 30 it counts as 30
    }
    json["risk"] = divergence_json(risk.risk);
    json["attained"] = risk.attained;
    json["vertex_maximum"] =
        risk.vertex_maximum ? divergence_json(*risk.vertex_maximum) : Json(nullptr);
    if (band) {
      json["lower_factor"] = risk.lower_factor;
      json["largest_lift"] = risk.largest_lift;
    }
    print_json(json);
    return kSuccess;
  }
  fmt::print("worst case of {} over {} outcomes\n  {}\n", name_of(parameters.mechanism), k,
             risk.risk.text());
  if (risk.attained) {
    fmt::print("  attained: some private distribution fares exactly so\n");
  } else {
    fmt::print("  an upper bound, not known to be attained\n");
  }
  if (risk.vertex_maximum) {
    fmt::print("  the worst distribution of the class: {}\n", risk.vertex_maximum->text());
  }
  if (band) {
    fmt::print("  every outcome is released between {:.6g} and {:.6g} times its reference mass\n",
               risk.lower_factor, risk.largest_lift);
  }
  return kSuccess;
}

}  // namespace

void add_risk(CLI::App& app, Session& session) {
  CLI::App& command =
      *app.add_subcommand("risk",
                          "Print how far the released law can be from the truth, at worst\n\n"
                          "Nothing private is read.");
  const auto options = std::make_shared<RiskOptions>();
  add_whole_number(command, "--k", options->k, "number of outcomes");
  options->mechanism.add_to(command, "public distribution: a JSON array, or CSV (outcome, p)",
                            "one draw");
  options->mechanism.add_band_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
