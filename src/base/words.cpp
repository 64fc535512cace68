#include "base/words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Values and names in a list.

std::string list_item(std::string_view value) {
  const bool is_plain = !value.empty() && value.find_first_of(",\"") == value.npos &&
                        value.front() != ' ' && value.back() != ' ';
  if (is_plain) return std::string(value);
  return in_quotes(value);
}

std::string in_quotes(std::string_view text) {
  std::string whole = "\"";
  for (const char letter : text) whole.append(letter == '"' ? 2 : 1, letter);
  return whole + '"';
}

std::string sentence_of(fmt::string_view given, fmt::format_args values) {
  const std::string_view format(given.data(), given.size());
  std::string text;
  int next = 0;
  for (std::size_t at = 0; at < format.size();) {
    const std::string_view rest = format.substr(at);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      text += rest[0];
      at += 2;
      continue;
    }
    if (rest[0] != '{') {
      text += rest[0];
      ++at;
      continue;
    }
    const std::size_t end = rest.find('}');
    std::string field(rest.substr(0, end + 1));
    if (field[1] == '}' || field[1] == ':') field.insert(1, std::to_string(next++));
    const std::string value = fmt::vformat(field, values);
    at += end + 1;
    if (!text.ends_with('"') || !format.substr(at).starts_with('"')) {
      text += value;
      continue;
    }
    text.pop_back();
    text += in_quotes(value);
    ++at;
  }
  return text;
}

std::string list_words(std::span<const std::string> values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + in_quotes(value);
  return text;
}

std::string choice_words(std::span<const std::string> names) {
  std::string words;
  for (const std::string& name : names) {
    if (!words.empty()) words += &name == &names.back() ? " or " : ", ";
    words += name;
  }
  return words;
}

// -----------------------------------------------------------------------------------------------
// Commands that are printed to be run.

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

// -----------------------------------------------------------------------------------------------
// Texts that C's interfaces take whole.

void require_without_nul(std::string_view what, std::string_view text) {
  if (text.find('\0') == text.npos) return;
  throw InvalidInput("malformed-text",
                     fmt::format("{} must be text without NUL, but is {}", what, in_quotes(text)));
}

std::string number_hint(std::string_view typed) {
  constexpr std::array<std::string_view, 11> kWords = {
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
  const auto* const word = std::find(kWords.begin(), kWords.end(), typed);
  if (word != kWords.end()) return fmt::format("; write {}", word - kWords.begin());
  std::string text(typed);
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.find_first_not_of("0123456789.,") != text.npos) return "";
  if (text.find(',', comma + 1) != text.npos) return "; write one number of these";
  text[comma] = '.';
  return fmt::format("; write {}, or one number", text);
}

std::string times_words(double probability) {
  if (probability < 1e-9) return "less than 1 time in a billion";
  if (probability >= 0.995) return "nearly every time";
  if (probability >= 0.0945) return fmt::format("{:.0f} times in 100", 100 * probability);
  const double times = 1 / probability;
  if (times < 999.5) return fmt::format("1 time in {:.3g}", times);
  // Three digits still, but as people write them: 3740, not 3.74e+03.
  const double digit = std::pow(10.0, std::floor(std::log10(times)) - 2);
  return fmt::format("1 time in {:.0f}", digit * std::round(times / digit));
}

}  // namespace mollify
