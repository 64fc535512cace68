// How the front refuses.
#pragma once

#include <functional>
#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify::front {

namespace inside = ::mollify;

/// The sentence that an action refuses with; empty if it does not.
inline std::string refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace mollify::front
