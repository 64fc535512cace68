#include "base/speech.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The interface that sentences are for.

namespace {

std::atomic<Speech> speech_of_program = Speech::kSpec;
/// Of this thread while a Speaking lives; -1: the program's.
thread_local int speech_of_thread = -1;
thread_local Places places_of_thread;

Speech speech() noexcept {
  return speech_of_thread >= 0 ? static_cast<Speech>(speech_of_thread)
                               : speech_of_program.load(std::memory_order_relaxed);
}

}  // namespace

void speak(Speech speech) noexcept { speech_of_program = speech; }

Speaking::Speaking(Speech speech) noexcept : before_(speech_of_thread) {
  speech_of_thread = static_cast<int>(speech);
}

Speaking::~Speaking() { speech_of_thread = before_; }

void speak_of(Places places) { places_of_thread = std::move(places); }

// -----------------------------------------------------------------------------------------------
// Tokens.

namespace {

/// The place of a part in the object that is asked with; none where sentences have other names.
std::optional<std::string_view> place_of(std::string_view flag) {
  if (flag.starts_with('/')) return flag.substr(1);
  if (speech() == Speech::kSpec || speech() == Speech::kFile) {
    for (const auto& [known, place] : places_of_thread) {
      if (known == flag) return place;
    }
  }
  return std::nullopt;
}

/// Whether sentences call the part by its flag.
bool is_flag(std::string_view flag) {
  return (speech() == Speech::kCommand || speech() == Speech::kFile) && !place_of(flag);
}

/// "candidates-file" as a place in a spec, and as a parameter of Python.
std::string key_words(std::string_view flag) {
  if (const auto place = place_of(flag)) return std::string(*place);
  std::string words(flag);
  std::replace(words.begin(), words.end(), '-', '_');
  return words;
}

/// "gaussian-model" as Python's class: "mo.GaussianModel".
std::string class_words(std::string_view method) {
  std::string words = "mo.";
  bool is_first = true;  // of its part
  for (const char letter : method) {
    if (letter != '-') words += is_first ? static_cast<char>(letter - 'a' + 'A') : letter;
    is_first = letter == '-';
  }
  return words;
}

/// The function of C and C++ that does what a command does.
std::string_view function_name(std::string_view command) {
  if (command == "sample") return "release";
  return command.starts_with("ledger ") ? "declare" : command;
}

/// Whether Python writes a value without quotes.
bool is_literal(std::string_view value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  return value == "True" || std::from_chars(value.data(), end, number).ptr == end;
}

/// "a, b and c".
std::string joined(std::span<const std::string> words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

std::string flag_words(std::string_view flag) {
  return is_flag(flag) ? fmt::format("--{}", flag) : key_words(flag);
}

std::string setting_words(std::string_view flag, std::string_view value) {
  if (speech() != Speech::kPython) return fmt::format("{} {}", flag_words(flag), value);
  const char* const quote = is_literal(value) ? "" : "\"";
  return fmt::format("{}={}{}{}", flag_words(flag), quote, value, quote);
}

std::string added_words(std::string_view flag) {
  return is_flag(flag) ? flag_words(flag)
                       : setting_words(flag, speech() == Speech::kPython ? "True" : "true");
}

std::string method_words(std::string_view word) { return methods_words({&word, 1}); }

std::string bare_method_words(std::string_view word, std::string_view added) {
  if (speech() == Speech::kPython)
    return added.empty() ? class_words(word) : method_words(word, added);
  return added.empty() ? std::string(word) : fmt::format("{} {}", word, added_words(added));
}

std::string method_words(std::string_view word, std::string_view added) {
  return speech() == Speech::kPython ? fmt::format("{}({})", class_words(word), added_words(added))
                                     : fmt::format("method {} {}", word, added_words(added));
}

std::string methods_words(std::span<const std::string_view> words) {
  const bool is_python = speech() == Speech::kPython;
  std::vector<std::string> names;
  for (const std::string_view word : words) {
    names.push_back(is_python ? class_words(word) : std::string(word));
  }
  const char* const before = is_python ? "" : names.size() == 1 ? "method " : "methods ";
  return before + joined(names, " and ");
}

std::string command_words(std::string_view command) {
  if (speech() == Speech::kSpec) return fmt::format("{}()", function_name(command));
  if (speech() != Speech::kPython) return fmt::format("mollify {}", command);
  if (command == "ledger --declare") return "Ledger.declare";
  // Functions of a method, and functions of the package.
  for (const std::string_view own : {"check", "compare", "plan", "sample", "tune"}) {
    if (command == own) return fmt::format("method.{}", command);
  }
  return fmt::format("mo.{}{}", command == "law" ? "nonprivate." : "", command);
}

bool has_rows(bool is_in_memory) { return is_in_memory && speech() == Speech::kPython; }

std::string line_words(std::uint64_t line, bool is_in_memory) {
  return has_rows(is_in_memory) && line >= 2 ? fmt::format("row {}, counted from 0,", line - 2)
                                             : fmt::format("line {}", line);
}

std::string_view words_of_speech(std::string_view of_command, std::string_view of_python,
                                 std::string_view of_program) {
  if (speech() == Speech::kSpec) return of_program;
  return speech() == Speech::kPython ? of_python : of_command;
}

std::string_view words_of_speech(std::string_view of_command, std::string_view of_python) {
  return words_of_speech(of_command, of_python, of_command);
}

std::string_view action_name(const WayOut& way) {
  switch (way.action) {
    case WayOut::Action::kSet:
      return "set";
    case WayOut::Action::kAdd:
      return is_flag(way.part) ? "add" : "set";
    case WayOut::Action::kLeave:
      return "leave";
    case WayOut::Action::kHave:
      return "have";
    case WayOut::Action::kDeclare:
      return "declare";
    case WayOut::Action::kUse:
      return "use";
    case WayOut::Action::kRun:
      return "run";
  }
  return "";
}

std::string part_name(const WayOut& way) {
  switch (way.action) {
    case WayOut::Action::kSet:
    case WayOut::Action::kAdd:
    case WayOut::Action::kLeave:
      return parameter_name_of(way.part);
    case WayOut::Action::kHave:
    case WayOut::Action::kDeclare:
      return way.part;
    case WayOut::Action::kUse:
      return bare_method_words(way.part);
    case WayOut::Action::kRun:
      if (speech() == Speech::kSpec) return std::string(function_name(way.part));
      return speech() == Speech::kPython ? command_words(way.part) : way.part;
  }
  return "";
}

std::string_view value_name(const WayOut& way) {
  if (way.action != WayOut::Action::kAdd) return way.value;
  if (is_flag(way.part)) return "";
  return speech() == Speech::kPython ? "True" : "true";
}

std::string parameter_name_of(std::string_view flag) {
  return is_flag(flag) ? std::string(flag) : key_words(flag);
}

std::string words_of(const Called& what) {
  return what.words == what.parameter ? parameter_name_of(what.parameter) : std::string(what.words);
}

std::string words_of(const WayOut& way) {
  switch (way.action) {
    case WayOut::Action::kSet:
      return way.value.empty() ? flag_words(way.part) : setting_words(way.part, way.value);
    case WayOut::Action::kAdd:
      return added_words(way.part);
    case WayOut::Action::kLeave:
      return fmt::format("leaving out {}", flag_words(way.part));
    case WayOut::Action::kHave:
      return fmt::format("{} {}", way.value, way.part);
    case WayOut::Action::kDeclare:
      return fmt::format("{}: {}", way.part, way.value.empty() ? "VALUE" : way.value);
    case WayOut::Action::kUse:
      return method_words(way.part);
    case WayOut::Action::kRun:
      return command_words(way.part);
  }
  return "";
}

std::string words_of(std::span<const WayOut> ways) {
  std::vector<std::string> words;
  for (const WayOut& way : ways) words.push_back(words_of(way));
  return joined(words, " or ");
}

void refuse_both(std::string_view one, std::string_view other, std::string_view more) {
  throw InvalidInput(
      "contradicting-parameters",
      fmt::format("give {} or {}, not both{}", flag_words(one), flag_words(other), more), one,
      {WayOut::leave(one), WayOut::leave(other)});
}

void refuse_missing(std::string_view flag, std::string_view meaning) {
  refuse_missing(flag_words(flag), meaning, flag);
}

void refuse_missing(std::string_view words, std::string_view meaning, std::string_view flag) {
  throw InvalidInput("missing-parameter",
                     fmt::format("{} is missing{}{}", words, meaning.empty() ? "" : ": ",
                                 meaning.substr(0, meaning.find('\n'))),
                     flag, flag.empty() ? std::vector<WayOut>() : std::vector{WayOut::set(flag)});
}

}  // namespace mollify
