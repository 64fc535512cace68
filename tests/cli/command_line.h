// Runs the built command as a user would.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/refusal_facts.h"
#include "formats/scratch.h"
#include "release/spec.h"

namespace mollify::test {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// The result of a run. A status of 128 + s means that signal s ended it. Lines that were broken to
/// fit 80 columns are whole again in `out` and `err`.
struct Ended {
  int status = -1;
  std::string out{};
  std::string err{};
  std::string shown_out{};
  std::string shown_err{};
  std::string code{};  ///< of a refusal: in brackets at its end, and not in `err`
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The letters of a line in UTF-8.
inline std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

/// The text with each line whole that `print_lines` broke: it goes on two columns further in, with
/// a word that had no room before.
inline std::string rejoined(const std::string& text) {
  std::string made;
  std::size_t indent = 0;
  std::string last;
  for (const std::string& line : lines_of(text)) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::string word = line.substr(begin, line.find(' ', begin) - begin);
    const bool goes_on = !made.empty() && begin == indent + 2 && !last.ends_with("\\") &&
                         columns_of(last) + 1 + columns_of(word) > 80;
    if (goes_on) {
      made.pop_back();
      made += " " + line.substr(begin) + "\n";
    } else {
      indent = begin;
      made += line + "\n";
    }
    last = line;
  }
  if (!text.ends_with("\n") && !made.empty()) made.pop_back();
  return made;
}

/// Joins argument lists.
template <class... More>
Arguments operator+(Arguments first, const More&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

/// A folder in which the command is run, so that files have short names and sentences are the same
/// everywhere. The command's streams are kept in another folder.
class CommandLine {
 public:
  /// The folder's files.
  Scratch files;

  /// A refusal must have the facts that its code promises.
  [[nodiscard]] Ended run(const Arguments& arguments) const {
    Ended ended = finish(start(arguments, streams_.path("out"), streams_.path("err")));
    if (ended.status == 2) expect_facts(arguments, ended);
    return ended;
  }

  /// A run with the streams redirected; an empty path closes the stream.
  [[nodiscard]] Ended run_into(const Arguments& arguments, const std::string& out,
                               const std::string& err) const {
    return finish(start(arguments, out, err));
  }

  [[nodiscard]] pid_t start(const Arguments& arguments) const {
    return start(arguments, streams_.path("out"), streams_.path("err"));
  }

  [[nodiscard]] pid_t start_into(const Arguments& arguments, const std::string& out,
                                 const std::string& err) const {
    return start(arguments, out, err);
  }

  [[nodiscard]] Ended finish(pid_t process) const {
    int state = 0;
    while (::waitpid(process, &state, 0) < 0 && errno == EINTR) {
    }
    Ended ended;
    ended.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    ended.shown_out = streams_.read("out");
    ended.shown_err = streams_.read("err");
    ended.out = rejoined(ended.shown_out);
    ended.err = rejoined(ended.shown_err);
    take_code(ended);
    return ended;
  }

  /// The names in the folder.
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(files.path(""))) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }

 private:
  /// Runs a refused command again for its facts, unless it reads what can be read once.
  void expect_facts(const Arguments& arguments, const Ended& refused) const {
    std::error_code ignored;
    for (const std::string& word : arguments) {
      if (word.size() > 255 || word.find('\0') != std::string::npos) return;
      const auto status = std::filesystem::status(files.path(word), ignored);
      const auto absolute = std::filesystem::status(word, ignored);
      for (const auto& one : {status, absolute}) {
        if (std::filesystem::exists(one) && std::filesystem::is_other(one)) return;
      }
    }
    Arguments with_json = arguments;
    if (std::find(arguments.begin(), arguments.end(), "--json") == arguments.end())
      with_json.emplace_back("--json");
    const Ended again = finish(start(with_json, streams_.path("out"), streams_.path("err")));
    const auto json = nlohmann::json::parse(again.shown_out, nullptr, false);
    // Some commands have no --json.
    if (!json.is_object() || !json.contains("error") || json["error"]["code"] != refused.code)
      return;
    const std::string lacks = lacking_facts(json["error"]);
    std::string call;
    for (const std::string& word : arguments) call += " " + word;
    EXPECT_EQ(lacks, "") << call << "\n" << json["error"].dump(1);
  }

  /// " [unknown-column]" at the end of the last line.
  static void take_code(Ended& ended) {
    const std::size_t begin = ended.err.rfind(" [");
    if (begin == std::string::npos || !ended.err.ends_with("]\n")) return;
    ended.code = ended.err.substr(begin + 2, ended.err.size() - begin - 4);
    ended.err = ended.err.substr(0, begin) + "\n";
  }

  /// "@local", the last one of such words, is the method, and comes after the command: so arguments
  /// of several places can be put together.
  static Arguments with_method_first(const Arguments& arguments) {
    Arguments ordered;
    std::string method;
    for (const std::string& word : arguments) {
      if (word.starts_with("@")) {
        method = word.substr(1);
      } else {
        ordered.push_back(word);
      }
    }
    if (method.empty()) return ordered;
    if (ordered.size() > 1 && named<Method>(ordered[1])) ordered.erase(ordered.begin() + 1);
    ordered.insert(ordered.begin() + 1, method);
    return ordered;
  }

  [[nodiscard]] pid_t start(const Arguments& arguments, const std::string& out,
                            const std::string& err) const {
    std::filesystem::remove(streams_.path("out"));
    std::filesystem::remove(streams_.path("err"));
    Arguments words;
    if (*MOLLIFY_EMULATOR != '\0') words.emplace_back(MOLLIFY_EMULATOR);
    words.emplace_back(MOLLIFY_COMMAND);
    words = words + with_method_first(arguments);
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    redirect(actions, 1, out);
    redirect(actions, 2, err);
    ::posix_spawn_file_actions_addchdir_np(&actions, files.path("").c_str());
    pid_t process = -1;
    const int error =
        ::posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0) << words[0] << " cannot be run";
    return process;
  }

  static void redirect(posix_spawn_file_actions_t& actions, int descriptor,
                       const std::string& path) {
    if (path.empty()) {
      ::posix_spawn_file_actions_addclose(&actions, descriptor);
    } else {
      ::posix_spawn_file_actions_addopen(&actions, descriptor, path.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
  }

  Scratch streams_;
};

/// The text with lines that go on in the next, indented one put together.
inline std::string unwrapped(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n ", at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(' ', at + 1), text.size());
    text.replace(at, end - at, " ");
  }
  return text;
}

/// The fields of a line that needs no quotes.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char letter : line) {
    if (letter == ',') {
      fields.emplace_back();
    } else {
      fields.back() += letter;
    }
  }
  return fields;
}

/// A domain of 4 * 5 * 2 * 3 outcomes with every type, and a reference and a roster for it.
inline constexpr const char* kDomain =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m, x], null: category, outside: clip}\n"
    "  age: {type: integer, min: 0, max: 99, bins: 5, null: 0, outside: clip}\n"
    "  smoker: {type: boolean, null: \"false\", outside: clip}\n"
    "  weight: {type: number, min: 40, max: 130, bins: 3, outside: 80, null: 80}\n";
inline constexpr const char* kHeader = "id,sex,age,note,smoker,weight\n";
inline constexpr const char* kClean =
    "id,sex,age,note,smoker,weight\n"
    "ann,f,20,a,true,55.5\n"
    "bob,m,31,b,false,90\n"
    "ann,f,22,c,true,56\n"
    "cid,x,99,d,true,130\n"
    "bob,,0,e,false,40\n";
inline constexpr const char* kReference =
    "sex,age,smoker,weight\nf,3,true,50\nm,50,false,80\nm,51,false,81\n";
inline constexpr const char* kRoster = "id\ncid\nann\ndot\nbob\n";

/// The command line in a folder with those files as domain.yaml, data.csv, reference.csv,
/// units.csv.
class Release : public CommandLine {
 public:
  Release() {
    files.write("domain.yaml", kDomain);
    files.write("data.csv", kClean);
    files.write("reference.csv", kReference);
    files.write("units.csv", kRoster);
  }
};

/// Over 120 outcomes, where an epsilon of 1 is noise; with all that is said of it.
inline const Arguments kSample = {"sample",      "--data",         "data.csv", "--domain",
                                  "domain.yaml", "--accept-error", "--explain"};
inline const Arguments kLocal = {"@local", "--unit", "id"};
inline const Arguments kRostered = {"@local", "--unit", "id", "--units", "units.csv"};
inline const Arguments kIntegral = {"@integral"};
inline const Arguments kOneDraw = {"--epsilon", "1", "--count", "1"};

/// These columns with numbers that are not cut, and more: for candidates.
inline constexpr const char* kManyNumbers =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m, x], null: category}\n"
    "  age: {type: integer, min: 0, max: 99, null: 0}\n"
    "  smoker: {type: boolean, null: \"false\"}\n"
    "  weight: {type: number, min: 40, max: 130, null: category, outside: 80}\n"
    "  note: {type: number, min: -1, max: 1, null: -1}\n";
/// Two numbers: for a grid.
inline constexpr const char* kTwoNumbers =
    "columns:\n"
    "  weight: {type: number, min: 40, max: 130, outside: 80, null: 80}\n"
    "  age: {type: integer, min: 0, max: 99, null: \"40\"}\n";

/// Options that make each of the mechanisms, epsilon or mu 1 in all.
inline const std::vector<Arguments> kMechanisms = {
    {"--mechanism", "minimax", "--epsilon", "1"},
    {"--mechanism", "relative", "--epsilon", "1", "--reference", "reference.csv"},
    {"--mechanism", "class", "--epsilon", "1", "--c1", "0.5", "--c2", "3"},
    {"--mechanism", "neighbourhood", "--epsilon", "1", "--gamma", "2", "--reference",
     "reference.csv"},
    {"--mechanism", "public-kernel", "--epsilon", "1", "--reference", "reference.csv"},
    {"--mechanism", "randomized-response", "--epsilon", "1"},
    {"--mechanism", "mixture", "--epsilon", "1", "--reference", "reference.csv"},
    {"--mechanism", "scale-and-shift", "--epsilon", "1", "--reference", "reference.csv"},
    {"--mechanism", "gaussian-curve", "--mu", "1"}};

}  // namespace mollify::test
