// The one way in which mollify refuses public input.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace mollify {

/// A public input (a parameter, a domain, a file's header, a flag) cannot be used.
///
/// `what()` is one sentence in the form "epsilon must be finite and positive, but is -1": what was
/// wrong, where, and what was expected. It is made from public information only: private values
/// never cause a refusal (docs/theory/privacy-kernel.md, "A release is total").
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// A number as a refusal writes it: 0.1, 1e-06, nan.
[[nodiscard]] inline std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace detail
}  // namespace mollify
