// How sentences call parameters, methods, commands and rows: in the words of the interface that a
// person uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mollify {

struct Called;
struct WayOut;

// A sentence is made of fixed words, quoted values and these tokens. Each token names a thing of
// the public interface, and is written here, once for each interface. So no interface reads or
// rewrites a sentence of another.

// -----------------------------------------------------------------------------------------------
// The interface that sentences are for.

enum class Speech {
  kCommand,  ///< the command: "--candidates-file", "mollify check", "method local"
  kPython,   ///< the Python package: "candidates_file", "method.check", "mo.Local"
  kSpec,     ///< C and C++: places in a spec, "space/list", and functions, "check()"
  kFile,     ///< the command with a spec's file: places in it, and flags of all that it lacks
};

/// Chooses it for the whole program, before any sentence is made; otherwise it is a spec's keys.
void speak(Speech speech) noexcept;

/// While it lives, sentences that this thread makes are for that interface: certificates have the
/// command's words wherever they are made.
class Speaking {
 public:
  explicit Speaking(Speech speech) noexcept;
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;
  ~Speaking();

 private:
  int before_;
};

/// Parts of a JSON object: flags without dashes, each with its place, "log" and "logarithms",
/// "epsilon" and "privacy/epsilon". The first of a flag counts; views of constants.
using Places = std::vector<std::pair<std::string_view, std::string_view>>;

/// Names parts by their places in the object that this thread was last asked with, wherever
/// sentences and refusals are for C and C++. Whatever reads an object by rows calls it.
void speak_of(Places places);

// -----------------------------------------------------------------------------------------------
// Tokens.

/// The parameter of a flag: "cells" of "--cells".
[[nodiscard]] constexpr std::string_view parameter_of(std::string_view flag) noexcept {
  while (flag.starts_with('-')) flag.remove_prefix(1);
  return flag;
}

/// A parameter, by the name of the command's flag without its dashes: "--candidates-file". A part
/// that no flag gives has its place, which begins with a slash: "/privacy/foo" is "privacy/foo".
[[nodiscard]] std::string flag_words(std::string_view flag);
/// A parameter and its value: "--epsilon 6.27", "epsilon=6.27", and in Python texts in quotes.
[[nodiscard]] std::string setting_words(std::string_view flag, std::string_view value);
/// A parameter that is given without a value: "--accept-error", "accept_error=True".
[[nodiscard]] std::string added_words(std::string_view flag);

/// A method by its word: "method gaussian-model", "mo.GaussianModel".
[[nodiscard]] std::string method_words(std::string_view word);
/// A method with a parameter that has no value: "method marginals --copula",
/// "mo.Marginals(copula=True)".
[[nodiscard]] std::string method_words(std::string_view word, std::string_view added);
/// Its name alone, where the sentence calls it a method already: "local", "mo.Local"; with a
/// parameter as above unless it is empty: "marginals --copula".
[[nodiscard]] std::string bare_method_words(std::string_view word, std::string_view added = {});
/// Several of them, at least one: "methods local and central", "mo.Local and mo.Central".
[[nodiscard]] std::string methods_words(std::span<const std::string_view> words);

/// A command by its name: "mollify check", "method.check", and in C and C++ the function that both
/// have: "check()" is mollify::check and mollify_check.
[[nodiscard]] std::string command_words(std::string_view command);

/// Whether people know the table by its rows, counted from 0, and not by a file's lines: in Python,
/// if it lies in memory.
[[nodiscard]] bool has_rows(bool is_in_memory);

/// A line of a table with a header of one line: "line 5", or for a table with rows "row 3, counted
/// from 0,".
[[nodiscard]] std::string line_words(std::uint64_t line, bool is_in_memory);

/// One of the texts, where a sentence differs in more than names.
[[nodiscard]] std::string_view words_of_speech(std::string_view of_command,
                                               std::string_view of_python,
                                               std::string_view of_program);
/// The same where C and C++ have the command's.
[[nodiscard]] std::string_view words_of_speech(std::string_view of_command,
                                               std::string_view of_python);

/// The three parts of what to do, for programs: of the command "add", "accept-error" and "". Others
/// have names of their own: "set", "accept_error" and "true"; "use" and "mo.Local".
[[nodiscard]] std::string_view action_name(const WayOut& way);
[[nodiscard]] std::string part_name(const WayOut& way);
[[nodiscard]] std::string_view value_name(const WayOut& way);
/// A parameter in the same names.
[[nodiscard]] std::string parameter_name_of(std::string_view flag);

/// The words of a value in a sentence; of a parameter its name in the interface.
[[nodiscard]] std::string words_of(const Called& what);

/// What to do: "--epsilon 6.27", "2000 records".
[[nodiscard]] std::string words_of(const WayOut& way);
/// All of them: "13 outcomes or epsilon 6.27"; empty for none.
[[nodiscard]] std::string words_of(std::span<const WayOut> ways);

/// Throws InvalidInput, "give --rho or --epsilon, not both", and `more` ends the sentence.
[[noreturn]] void refuse_both(std::string_view one, std::string_view other,
                              std::string_view more = {});

/// Throws InvalidInput: "--count is missing: records to release, for each unit". `flag` has no
/// dashes; `meaning` may be empty, and ends with its first line.
[[noreturn]] void refuse_missing(std::string_view flag, std::string_view meaning);
/// Throws it for a thing with other words than its flag; `flag` may be empty.
[[noreturn]] void refuse_missing(std::string_view words, std::string_view meaning,
                                 std::string_view flag);

}  // namespace mollify
