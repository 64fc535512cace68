// Released tables and public texts, as Python has them.
#pragma once

#include <string>
#include <vector>

#include <mollify/message.h>
#include <mollify/release.h>

#include "bindings.h"

NB_MAKE_OPAQUE(std::vector<mollify::ReleasedColumn>)

namespace mollify::python {

using ReleasedTable = std::vector<ReleasedColumn>;

/// A text of any bytes: those that are no UTF-8 come back as they were (PEP 383).
[[nodiscard]] nb::str text(const std::string& bytes);

/// (action, part, value) of each, by Python's names.
using Ways = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::str>>;
[[nodiscard]] Ways ways_out(const std::vector<WayOut>& ways);
/// (name, value, unit) of each.
using Quantities = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, double, nb::str>>;
[[nodiscard]] Quantities quantities(const std::vector<Quantity>& all);
/// (code, severity, text, ways out, quantities) of each.
using Messages =
    nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::str, Ways, Quantities>>;
[[nodiscard]] Messages messages(const std::vector<Message>& all);

/// (flag, place, kind, methods) of each.
using ShownParts = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::str, TextList>>;
[[nodiscard]] ShownParts shown_parts(const std::vector<SpecPart>& parts);

[[nodiscard]] PublicTexts public_texts(const FileTexts& texts);

}  // namespace mollify::python
