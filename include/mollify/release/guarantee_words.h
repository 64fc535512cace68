// A guarantee of the central model in words.
#pragma once

#include <optional>
#include <string>

#include "mollify/accounting/central_guarantee.h"

namespace mollify {

/// "epsilon = 1", "epsilon = 1, delta = 1e-06" or "rho = 0.5".
std::string guarantee_words(const CentralGuarantee& guarantee);

/// What the guarantee means for `record`, such as "any one row of the table", as a sentence.
std::string protection_sentence(const CentralGuarantee& guarantee, const std::string& record);

/// "any one row of the table", or all records of any one unit.
std::string record_words(const std::optional<std::string>& unit);

}  // namespace mollify
