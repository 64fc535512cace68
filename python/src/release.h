// Released tables and public texts, as Python has them.
#pragma once

#include <string>
#include <vector>

#include <mollify/release.h>

#include "bindings.h"

NB_MAKE_OPAQUE(std::vector<mollify::ReleasedColumn>)

namespace mollify::python {

using ReleasedTable = std::vector<ReleasedColumn>;

/// A text of any bytes: those that are no UTF-8 come back as they were (PEP 383).
[[nodiscard]] nb::object text(const std::string& bytes);

/// (flag, place, kind, methods) of each.
[[nodiscard]] nb::list shown_parts(const std::vector<SpecPart>& parts);

/// Texts are of any bytes.
[[nodiscard]] PublicTexts public_texts(const nb::dict& texts);

}  // namespace mollify::python
