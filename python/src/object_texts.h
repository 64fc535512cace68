// Python objects as the texts that a CSV file would hold in their place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "arrow_columns.h"
#include "bindings.h"

namespace mollify::python {

using Objects = nb::typed<nb::list, nb::any>;
using Nulls = nb::typed<nb::tuple, nb::any, nb::ellipsis>;
using TextOf = nb::typed<nb::callable, nb::object(nb::any)>;

/// A column of any objects: None, NaN and what is among `nulls` is null, a number, a truth and a
/// text are what `Value` says of them, bytes are a text, and `text_of` says the text of all else.
///
/// Total: objects are private. One whose text cannot be found, because `text_of` throws, or because
/// an integer is too long, is a text that no domain declares. That it throws KeyboardInterrupt says
/// nothing either: the caller sees to the user who presses Ctrl-C.
///
/// With `places`, of the objects at these places instead; a place that does not exist is a null. `ordered`: the
/// order of the objects means something.
///
/// O(1) and no memory for an object that came not long before.
[[nodiscard]] ArrowPair object_column(
    std::string name, const Objects& objects, const Nulls& nulls, const TextOf& text_of,
    std::optional<std::span<const std::int32_t>> places = std::nullopt, bool ordered = false);

/// A column of texts of at most so many UTF-32 letters each, padded with zeros (NumPy's `U`).
[[nodiscard]] ArrowPair letter_column(std::string name, const Array<std::uint32_t, 2>& letters);
/// The same for bytes (NumPy's `S`).
[[nodiscard]] ArrowPair byte_column(std::string name, const Array<std::uint8_t, 2>& bytes);

}  // namespace mollify::python
