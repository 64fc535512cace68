// Words for people: lists, numbers of things, probabilities; words of a shell.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Values and names in a list.

/// A value as it stands among others: in quotes, as in CSV, if it is empty, holds a comma or a
/// quote or has a space at an end, so that nobody reads it as several values or as none.
[[nodiscard]] std::string list_item(std::string_view value);

/// A name or a value of a user in a sentence: in quotes, with its own quotes doubled, as in CSV.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The sentence with its values. A value that has its place between quotes is `in_quotes`.
[[nodiscard]] std::string sentence_of(fmt::string_view format, fmt::format_args values);

/// "\"basic\", \"gold, family\"": names of users, each quoted like a single one in a sentence.
[[nodiscard]] std::string list_words(std::span<const std::string> values);

/// "apple, pear or plum": names that may be given.
[[nodiscard]] std::string choice_words(std::span<const std::string> names);

// -----------------------------------------------------------------------------------------------
// How many of a thing, in words.

/// "1 record", "2 records": the thing's plural has an s.
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view thing) {
  std::string words = std::to_string(number);
  words += ' ';
  words += thing;
  if (number != 1) words += 's';
  return words;
}

// -----------------------------------------------------------------------------------------------
// Commands that are printed to be run.

/// The text as one word of a POSIX shell: in single quotes where it holds anything but letters,
/// digits and marks that mean nothing there.
[[nodiscard]] std::string shell_word(const std::string& text);

// -----------------------------------------------------------------------------------------------
// Texts that C's interfaces take whole: they end a path or a name at a NUL.

/// Throws InvalidInput, "`what` must be text without NUL, but is ...", for a text that holds one.
void require_without_nul(std::string_view what, std::string_view text);

/// "; write 1.5, or one number" for "1,5", which may be a fraction or a list, "; write 2" for
/// "two"; otherwise nothing.
[[nodiscard]] std::string number_hint(std::string_view typed);

/// "1 time in 12", "35 times in 100": a probability for people.
[[nodiscard]] std::string times_words(double probability);

}  // namespace mollify
