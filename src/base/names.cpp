#include "base/names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What somebody may have meant who typed a name that there is not.

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

/// Flags and words of other programs, and ours for the same: the first one that is known.
constexpr struct {
  std::string_view others, ours;
} kSynonyms[] = {{"--data", "--public --released --model"},
                 {"--file --input", "--data --public --released --model"},
                 {"--private --table", "--data"},
                 {"--csv", "--data --public --released"},
                 {"--output --outfile --save", "--out"},
                 {"--count", "--candidates --n"},
                 {"--n", "--count --candidates"},
                 {"--rows --records --samples --size --number", "--count --n"},
                 {"--outcomes", "--k"},
                 {"--ids --names", "--identities"},
                 {"--id --group --group-by --key --person --user", "--unit"},
                 {"--roster", "--units"},
                 {"--schema", "--domain"},
                 {"--budget --privacy", "--epsilon"},
                 {"--error", "--alpha"},
                 {"--force", "--overwrite"},
                 {"--verbose", "--explain"},
                 {"--cores --jobs", "--threads"},
                 // Purposes, and who is protected.
                 {"synthetic group", "table"},
                 {"statistics", "estimates"},
                 {"user unit", "person"},
                 {"record", "row"},
                 // Types of columns.
                 {"category string str text", "categorical"},
                 {"ordered", "ordinal"},
                 {"bool", "boolean"},
                 {"int", "integer"},
                 {"float double numeric decimal", "number"},
                 {"time timestamp", "datetime"}};

/// The first word of a text with a property, or nothing.
template <class Property>
std::string first_word(std::string_view text, const Property& has_it) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (has_it(word)) return std::string(word);
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::string nearest_name(std::string_view typed, std::span<const std::string> known) {
  constexpr std::size_t kShort = 3;      // names whose first letter is right, or they are others
  constexpr std::size_t kLongest = 100;  // names of more letters are not mistyped but others
  if (typed.size() < 2 || typed.size() > kLongest) return {};
  const auto is_known = [&](std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const auto& [others, ours] : kSynonyms) {
    if (is_known(typed) || first_word(others, [&](auto word) { return word == typed; }).empty()) {
      continue;
    }
    if (std::string one = first_word(ours, is_known); !one.empty()) return one;
  }
  std::string nearest;
  // Dashes are no letters of a name.
  const auto dashes = static_cast<std::size_t>(std::count(typed.begin(), typed.end(), '-'));
  std::size_t least = std::max<std::size_t>(1, (typed.size() - dashes) / 3) + 1;
  for (const std::string& name : known) {
    if (name.empty() || name.size() > kLongest) continue;
    if (typed.size() <= kShort && lower(typed.front()) != lower(name.front())) continue;
    const std::size_t steps = distance(typed, name);
    const bool continues = name.starts_with(typed) && !nearest.starts_with(typed);
    if (steps > least || (steps == least && (nearest.empty() || !continues))) continue;
    least = steps;
    nearest = name;
  }
  if (!nearest.empty() || typed.size() - dashes < kShort) return nearest;
  for (const std::string& name : known) {  // or its beginning was typed
    if (name.starts_with(typed) && (nearest.empty() || name.size() < nearest.size()))
      nearest = name;
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known) {
  const std::string name = nearest_name(typed, known);
  // A text that is a name is wrong because something after it is missing.
  return name.empty() || name == typed ? "" : fmt::format(" (did you mean {}?)", in_quotes(name));
}

std::vector<WayOut> ways_to_mean(std::string_view parameter, std::string_view typed,
                                 std::span<const std::string> known) {
  if (parameter.empty()) return {};
  return {WayOut::set(parameter, nearest_name(typed, known))};
}

void refuse_name(const Called& what, std::string_view expected, std::string_view typed,
                 std::span<const std::string> known) {
  const std::string_view name = typed.substr(0, typed.find('='));
  // Of a known name the rest is wrong.
  const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
  throw InvalidInput(is_known ? Code("malformed-text") : Code("unknown-name"),
                     fmt::format("{} must be {}, but is {}{}", words_of(what), expected,
                                 in_quotes(typed), did_you_mean(name, known)),
                     what.parameter, ways_to_mean(what.parameter, is_known ? "" : name, known));
}

void refuse_name(const Called& what, std::string_view typed, std::span<const std::string> known) {
  refuse_name(what, choice_words(known), typed, known);
}

}  // namespace mollify
