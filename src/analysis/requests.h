// The requests whose questions are JSON objects of parts of their own.
//
// A new part is a row and a field beside the code that answers (of `amplify` in mechanisms.cpp and
// mechanisms.h), and a parameter in Python (python/mollify/_analysis.py, _method_base.py for
// `check`, _methods.py for `tune`), which scripts/refresh_signatures.py writes for functions. The
// flag, its help and its range, the JSON of every interface and the table of docs/reference/spec.md
// follow.
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

/// The parts of the one of that name. Throws InvalidInput if there is none.
[[nodiscard]] std::span<const Part> request_parts(std::string_view name);

}  // namespace mollify
