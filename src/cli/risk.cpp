// mollify risk: the worst case of a mechanism, before any data.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "command.h"
#include "distribution_file.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "local/mechanism_risk.h"
#include "mechanism_options.h"
#include "number_list.h"
#include "report.h"

namespace mollify::cli {
namespace {

struct RiskOptions {
  std::optional<std::uint64_t> k;
  MechanismOptions mechanism;
  std::optional<std::string> epsilons;
  bool json = false;
};

/// The worst case of one mechanism at one budget, or why there is none.
struct OneRisk {
  MechanismParameters parameters;
  std::optional<WorstCaseRisk> risk{};
  std::string refusal{};
};

Json risk_json(const MechanismParameters& parameters, const WorstCaseRisk& risk) {
  Json json{{"mechanism", name_of(parameters.mechanism)}, {"k", parameters.outcome_count}};
  if (parameters.mu) {
    json["mu"] = *parameters.mu;
  } else {
    json["epsilon"] = ExpBound(*parameters.epsilon).epsilon();  // above 30 it counts as 30
  }
  json["risk"] = divergence_json(risk.risk);
  json["attained"] = risk.attained;
  json["vertex_maximum"] =
      risk.vertex_maximum ? divergence_json(*risk.vertex_maximum) : Json(nullptr);
  if (risk.largest_lift > 0) {
    json["lower_factor"] = risk.lower_factor;
    json["largest_lift"] = risk.largest_lift;
  }
  return json;
}

/// Every mechanism, or the one chosen, at each epsilon; refusals are told in their rows.
std::vector<std::vector<OneRisk>> risk_table(const RiskOptions& options, std::size_t k,
                                             std::span<const double> reference, bool every) {
  std::vector<std::vector<OneRisk>> rows;
  for (const auto& [mechanism, name] : names<Mechanism>()) {
    if (mechanism == Mechanism::kLocation) continue;
    MechanismOptions asked = options.mechanism;
    if (every) {
      asked.mechanism = name;
      // What another mechanism has is not told to this one.
      if (mechanism != Mechanism::kClass) asked.c1 = asked.c2 = std::nullopt;
      if (mechanism != Mechanism::kNeighbourhood) asked.gamma = std::nullopt;
    }
    std::vector<OneRisk> row;
    for (const std::string& epsilon : number_list(*options.epsilons, "epsilon")) {
      asked.epsilon = number_of(epsilon, "epsilon");
      const bool alone = mechanism == Mechanism::kRandomizedResponse && every;
      OneRisk one{asked.parameters(k, alone ? std::span<const double>() : reference)};
      if (every) {
        try {
          one.risk = mechanism_risk(one.parameters);
        } catch (const InvalidInput& refused) {
          one.refusal = refused.what();
        }
      } else {
        one.risk = mechanism_risk(one.parameters);
      }
      row.push_back(std::move(one));
    }
    rows.push_back(std::move(row));
    if (!every) break;
  }
  const bool any = std::any_of(rows.begin(), rows.end(), [](const std::vector<OneRisk>& row) {
    return std::any_of(row.begin(), row.end(), [](const OneRisk& one) { return !!one.risk; });
  });
  if (!any) throw InvalidInput(rows.front().front().refusal);
  for (const OneRisk& one : rows.front()) tell_large_epsilon(one.parameters.epsilon);
  return rows;
}

void print_risk_table(const std::vector<std::vector<OneRisk>>& rows, std::size_t k) {
  const std::size_t columns = rows.front().size();
  fmt::print("worst case over {}, {}\n\n", counted(k, "outcome"),
             columns > 1 ? "total variation" : "by every divergence");
  fmt::print("{:<20}", columns > 1 ? "epsilon" : "");
  if (columns == 1) {
    fmt::print(" {:>10} {:>10} {:>10} {:>10} {:>12}", "KL", "TV", "Hellinger²", "chi²",
               "largest lift");
  }
  for (std::size_t i = 0; columns > 1 && i < columns; ++i) {
    fmt::print(" {:>10g}", *rows.front()[i].parameters.epsilon);
  }
  fmt::print("\n");
  for (const std::vector<OneRisk>& row : rows) {
    fmt::print("{:<20}", name_of(row.front().parameters.mechanism));
    if (std::none_of(row.begin(), row.end(), [](const OneRisk& one) { return !!one.risk; })) {
      fmt::print(" {:>10} ({})\n", "-", row.front().refusal);
      continue;
    }
    for (const OneRisk& one : row) {
      if (columns > 1) {
        fmt::print(" {:>10}",
                   one.risk ? fmt::format("{:.4g}", one.risk->quoted_total_variation()) : "-");
        continue;
      }
      const DivergenceReport& risk = one.risk->risk;
      fmt::print(" {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>12}", risk.kl, risk.tv,
                 risk.hellinger2, risk.chi2,
                 one.risk->largest_lift > 0 ? fmt::format("{:.4g}", one.risk->largest_lift) : "-");
    }
    fmt::print("\n");
  }
}

int print_risks(const RiskOptions& options, std::size_t k, std::span<const double> reference,
                bool every) {
  const auto rows = risk_table(options, k, reference, every);
  if (!options.json) {
    print_risk_table(rows, k);
    return kSuccess;
  }
  Json list = Json::array();
  for (const std::vector<OneRisk>& row : rows) {
    for (const OneRisk& one : row) {
      Json json{{"mechanism", name_of(one.parameters.mechanism)},
                {"epsilon", *one.parameters.epsilon},
                {"refusal", one.refusal}};
      list.push_back(one.risk ? risk_json(one.parameters, *one.risk) : json);
    }
  }
  print_json({{"risks", list}});
  return kSuccess;
}

int run(RiskOptions options) {
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  }
  const std::size_t k = reference.empty() ? outcome_count(options.k) : reference.size();
  if (options.k && *options.k != k) {
    throw InvalidInput(
        fmt::format("the reference must have {} masses like --k, but has {}", *options.k, k));
  }
  const bool every = options.mechanism.mechanism == "all";
  if (every || (options.epsilons && options.epsilons->find(',') != std::string::npos)) {
    if (every && options.mechanism.band) {
      throw InvalidInput("a band is given instead of a mechanism, but both are given");
    }
    needed(options.epsilons, "--epsilon");
    return print_risks(options, k, reference, every);
  }
  if (options.epsilons) options.mechanism.epsilon = number_of(*options.epsilons, "epsilon");
  const MechanismParameters parameters = options.mechanism.parameters(k, reference);
  options.mechanism.require_budget();
  tell_large_epsilon(options.mechanism.epsilon, options.mechanism.mu);
  const WorstCaseRisk risk = mechanism_risk(parameters);
  const bool band = risk.largest_lift > 0;
  if (options.json) {
    print_json(risk_json(parameters, risk));
    return kSuccess;
  }
  fmt::print("worst case of {} over {}\n  {}\n", name_of(parameters.mechanism),
             counted(k, "outcome"), risk.risk.text());
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
                          "Nothing private is read. --mechanism all tells every mechanism, "
                          "--epsilon 0.5,1,2 each epsilon.");
  const auto options = std::make_shared<RiskOptions>();
  add_whole_number(command, "--k", options->k, "number of outcomes");
  options->mechanism.add_to(command, "public distribution: a JSON array, or CSV (outcome, p)",
                            "one draw");
  options->mechanism.add_band_to(command);
  take_epsilon_list(command, options->epsilons);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
