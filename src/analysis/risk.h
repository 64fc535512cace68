// How far the law of one draw can be from the data, at worst.
#pragma once

#include "base/answer.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"

namespace mollify {

/// Of the answer `risk` has the divergences, as far as they are known for the mechanism.
[[nodiscard]] Answer risk_answer(const MechanismParameters& parameters, const WorstCaseRisk& risk);

}  // namespace mollify
