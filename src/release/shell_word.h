// Commands that are printed to be run.
#pragma once

#include <string>

namespace mollify {

/// The text as a POSIX shell takes it for one word: in single quotes where it holds anything but
/// letters, digits and marks that mean nothing there.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace mollify
