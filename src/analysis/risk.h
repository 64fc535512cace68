// How far the law of one draw can be from the data, at worst: for programs and for people.
#pragma once

#include <string>

#include "base/json.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"

namespace mollify {

/// `risk` has the divergences, as far as they are known for the mechanism.
[[nodiscard]] Json risk_json(const MechanismParameters& parameters, const WorstCaseRisk& risk);

[[nodiscard]] std::string risk_text(const MechanismParameters& parameters,
                                    const WorstCaseRisk& risk);

}  // namespace mollify
