// Refusals whose sentence is made of values.
#pragma once

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/invalid_input.h"

namespace mollify {

/// Throws InvalidInput, with the values at the places of the sentence.
template <class... Values>
[[noreturn]] void refuse_input(Code code, Concern concern, std::vector<WayOut> ways_out,
                               fmt::format_string<Values...> sentence, Values&&... values) {
  throw InvalidInput(code, fmt::format(sentence, std::forward<Values>(values)...),
                     std::move(concern), std::move(ways_out));
}

/// Throws it without ways out.
template <class... Values>
[[noreturn]] void refuse_input(Code code, Concern concern, fmt::format_string<Values...> sentence,
                               Values&&... values) {
  throw InvalidInput(code, fmt::format(sentence, std::forward<Values>(values)...),
                     std::move(concern));
}

/// Throws it where `fault` is true. The values are made in either case: for those that cost
/// something, or that only a fault has, write `if` and refuse_input.
template <class About = Concern, class... Values>
void refuse_if(bool fault, Code code, const About& concern, fmt::format_string<Values...> sentence,
               Values&&... values) {
  if (fault) refuse_input(code, concern, sentence, std::forward<Values>(values)...);
}

}  // namespace mollify
