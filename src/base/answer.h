// Answers: each fact is said once, for people and for programs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/message.h"

namespace mollify {

/// An answer to a question. Facts are written in the order in which they are added.
struct Answer {
  Json json = Json::object();       ///< facts by their names, for programs
  std::string text{};               ///< for people
  std::vector<Message> warnings{};  ///< dangers, and facts taken on trust
  /// A fact that may be large, and is made only for programs.
  std::function<Json()> outcomes{};

  /// A fact, and its words for people, if any.
  void add(const char* name, Json value, std::string_view words = {}) {
    json[name] = std::move(value);
    text += words;
  }
  /// Text for people alone: headings, and the meaning of facts together.
  void say(std::string_view words) { text += words; }
  void warn(Message message) { add_message(warnings, std::move(message)); }

  /// All facts, as text.
  [[nodiscard]] std::string facts() const;
};

/// How people see one fact of each row of a table.
struct TableColumn {
  std::string heading;
  int width = 0;            ///< at least, with the space before it; below 0: aligned to the left
  std::string place{};      ///< of the fact in the row's JSON object: "/mean/kl"; empty: a gap
  const char* format = "";  ///< of numbers: ".4f"
};

/// A line of headings and a line for each row, an object. A fact that is null is "-", and one that
/// a row does not have is left blank.
[[nodiscard]] std::string table_text(std::span<const TableColumn> columns, const Json& rows);

/// The columns of a line for people.
inline constexpr std::size_t kLineWidth = 80;
/// By how much more they are indented where a sentence goes on.
inline constexpr std::size_t kHang = 2;

/// The text in lines of at most `width`, each indented by as much as it begins with, and by `hang`
/// more where it goes on. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width = kLineWidth,
                                  std::size_t hang = 0);

/// A command in such lines that a shell reads as one.
[[nodiscard]] std::string command_lines(const std::string& command, std::size_t indent);

}  // namespace mollify
