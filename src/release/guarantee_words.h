// A guarantee of the central model in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/privacy.h"

namespace mollify {

/// What the guarantee means for `record`, such as "any one row of the table", as a sentence.
std::string protection_sentence(const Privacy& guarantee, const std::string& record);

/// "any one row of the table", or all records of any one unit.
std::string record_words(const std::optional<std::string>& unit);

/// What no release of the central model promises, as sentences: of n rows or units, n public.
std::vector<std::string> central_limits(std::uint64_t records,
                                        const std::optional<std::string>& unit, bool has_roster);

}  // namespace mollify
