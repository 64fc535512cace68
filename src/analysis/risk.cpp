#include "analysis/risk.h"

#include <fmt/format.h>

#include "base/names.h"
#include "core/band.h"
#include "release/release_error.h"

namespace mollify {

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

std::string risk_text(const MechanismParameters& parameters, const WorstCaseRisk& risk) {
  std::string text = fmt::format("worst case of {} over {}\n  {}\n", name_of(parameters.mechanism),
                                 counted(parameters.outcome_count, "outcome"), risk.risk.text());
  if (risk.attained) {
    text += fmt::format("  attained: some private distribution fares exactly so\n");
  } else {
    text += fmt::format("  an upper bound, not known to be attained\n");
  }
  if (risk.vertex_maximum) {
    text += fmt::format("  the worst distribution of the class: {}\n", risk.vertex_maximum->text());
  }
  if (risk.largest_lift > 0) {
    text += fmt::format(
        "  every outcome is released between {:.6g} and {:.6g} times its reference mass\n",
        risk.lower_factor, risk.largest_lift);
  }
  return text;
}

}  // namespace mollify
