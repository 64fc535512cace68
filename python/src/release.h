// Released tables and public texts, as Python has them.
#pragma once

#include <vector>

#include <mollify/release.h>

#include "bindings.h"

NB_MAKE_OPAQUE(std::vector<mollify::ReleasedColumn>)

namespace mollify::python {

using ReleasedTable = std::vector<ReleasedColumn>;

/// Texts are of any bytes.
[[nodiscard]] PublicTexts public_texts(const nb::dict& texts);

}  // namespace mollify::python
