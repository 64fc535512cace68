// The name of a domain in certificates.
#pragma once

#include <string>

#include "space/domain.h"

namespace mollify {

/// SHA-256 of the domain's canonical text, as 64 hexadecimal digits.
[[nodiscard]] std::string domain_hash(const Domain& domain);

}  // namespace mollify
