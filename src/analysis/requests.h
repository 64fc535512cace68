// The requests whose questions are JSON objects of parts of their own.
//
// To add a part, write a row and a field next to the code that answers the request. For `amplify`,
// they are in mechanisms.cpp and mechanisms.h. Then add the parameter in Python: in
// python/mollify/_analysis.py, or in _method_base.py for `check` and _methods.py for `tune`.
// scripts/refresh_signatures.py writes the parameters of functions. The flag, its help and its
// range, the JSON of every interface and the table of docs/reference/spec.md follow from the row.
#pragma once

#include <span>
#include <string_view>

#include "release/spec.h"

namespace mollify {

/// The row of a number: from `least` to `most`, above `least` to `most`, above `least` and below
/// `below`.
[[nodiscard]] constexpr Part from(OwnPart part, double least, double most = OwnPart::kNoLimit) {
  part.least = least;
  part.most = most;
  return {part};
}
[[nodiscard]] constexpr Part above(OwnPart part, double least, double most = OwnPart::kNoLimit) {
  part.is_open = true;
  return from(part, least, most);
}
/// The row of a part that means nothing without the part at another place.
[[nodiscard]] constexpr Part needing(const char* other, OwnPart part) {
  part.needs = other;
  return {part};
}
[[nodiscard]] constexpr Part between(OwnPart part, double least, double below) {
  part.below = below;
  return above(part, least);
}

/// A request by its command's name, and the only list of the parts of its question: flags, help,
/// JSON and the functions of the other interfaces follow from it.
struct Request {
  std::string_view name;
  std::span<const Part> (*parts)();
};

[[nodiscard]] std::span<const Request> requests();

/// The parts of the request of that name. Throws InvalidInput if no request has the name.
[[nodiscard]] std::span<const Part> request_parts(std::string_view name);

}  // namespace mollify
