// How sentences name parameters and commands: as the command does, or as the Python package does.
#pragma once

#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// How sentences call parameters and commands.
enum class Speech {
  kCommand,  ///< "--candidates-file" and "mollify check", as people type them
  kPython,   ///< "candidates_file" and "method.check", as the Python package has them
};

/// Chooses it for the whole program, before anything else is called; otherwise it is the command's.
/// Certificates have the command's words always, so that each is the same wherever it was made.
void speak(Speech speech) noexcept;

}  // namespace MOLLIFY_NAMESPACE
