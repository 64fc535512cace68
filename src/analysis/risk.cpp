#include "analysis/risk.h"

#include <fmt/format.h>

#include "base/names.h"
#include "core/band.h"
#include "release/release_error.h"

namespace mollify {

Answer risk_answer(const MechanismParameters& parameters, const WorstCaseRisk& risk) {
  const std::string mechanism(name_of(parameters.mechanism));
  Answer answer;
  answer.add("mechanism", mechanism, fmt::format("worst case of {} over ", mechanism));
  answer.add("k", parameters.outcome_count, counted(parameters.outcome_count, "outcome"));
  if (parameters.mu) {
    answer.add("mu", *parameters.mu);
  } else {
    answer.add("epsilon", ExpBound(*parameters.epsilon).epsilon());  // above 30 it counts as 30
  }
  answer.add("risk", divergence_json(risk.risk), fmt::format("\n  {}\n", risk.risk.text()));
  answer.add("attained", risk.attained,
             risk.attained ? "  attained: some private distribution fares exactly so\n"
                           : "  an upper bound, not known to be attained\n");
  answer.add("vertex_maximum", nullptr);
  if (const auto& vertex = risk.vertex_maximum) {
    answer.add("vertex_maximum", divergence_json(*vertex),
               fmt::format("  the worst distribution of the class: {}\n", vertex->text()));
  }
  if (risk.largest_lift > 0) {
    answer.add("lower_factor", risk.lower_factor);
    answer.add("largest_lift", risk.largest_lift,
               fmt::format("  every outcome is released between {:.6g} and {:.6g} times its "
                           "reference mass\n",
                           risk.lower_factor, risk.largest_lift));
  }
  return answer;
}

}  // namespace mollify
