// Warnings, as values that programs choose from and people read.
#pragma once

#include <string>
#include <vector>

#include "mollify/core/invalid_input.h"
#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// A message about public things. Choose by `code` and `severity`, which stay; the words may
/// change. docs/reference/messages.md lists the codes.
struct Message {
  std::string code;      ///< "mostly-noise"
  std::string severity;  ///< "note", "warning" or "noise", which is never left out
  std::string text;      ///< one sentence, in the words that `speak` chose
  std::vector<WayOut> ways_out{};
  std::vector<Quantity> quantities{};  ///< the numbers that decide
};

/// Messages as a JSON array of objects; their ways out have the names that `speak` chose.
[[nodiscard]] std::string messages_json(const std::vector<Message>& messages);

}  // namespace MOLLIFY_NAMESPACE
