// The sentences of messages.
#pragma once

#include <string>
#include <vector>

namespace mollify::test {

/// Of the library's messages, whose text is a function, or the front's.
template <class Messages>
std::vector<std::string> texts_of(const Messages& messages) {
  std::vector<std::string> texts;
  for (const auto& one : messages) {
    if constexpr (requires { one.text(); }) {
      texts.push_back(one.text());
    } else {
      texts.push_back(one.text);
    }
  }
  return texts;
}

/// All of them, a line each.
template <class Messages>
std::string lines_of(const Messages& messages) {
  std::string lines;
  for (const std::string& one : texts_of(messages)) lines += one + "\n";
  return lines;
}

}  // namespace mollify::test
