// Decimal numbers as people are told them.
#pragma once

#include <string>

#include "accounting/decimal.h"

namespace mollify {

/// All digits of the number, below a ten-thousandth with a power of ten, as doubles are printed:
/// 0.500001, 1e-07.
[[nodiscard]] std::string words_of(const Decimal& number);

}  // namespace mollify
