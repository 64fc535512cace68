// Questions about a table that a synthetic one was released for, as texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"

namespace mollify {

enum class QuestionKind : std::uint8_t { kShares, kMean, kQuantile, kTable, kRegression };

/// A question about columns of a table.
struct TableQuestion {
  QuestionKind kind = QuestionKind::kShares;
  /// The column that is asked about first; of a regression the outcome.
  std::string column{};
  /// Of this value alone: its share, or the probability that a logistic regression is of.
  std::optional<std::string> value{};
  /// For each value of another column, or of two together, with the differences from the first one;
  /// of a table its other columns.
  std::vector<std::string> by{};
  double quantile = 0.5;             ///< between 0 and 1
  std::vector<std::string> terms{};  ///< of a regression, at least one
  std::string text{};                ///< as it was asked, without weight and error
  /// How many times the budget of a question of weight 1 its tables get; above 1 also the table of
  /// a single column.
  double weight = 1;
  std::optional<double> error{};  ///< the standard error that is asked of `advise`
};

inline constexpr double kLeastQuestionWeight = 0.01;
inline constexpr double kMostQuestionWeight = 100;

/// Reads a question:
///
///     happy:attend, two columns together, the same as table(happy, attend); or three
///     share(happy)    share(happy = very)    share(happy = very) by attend, race
///     mean(income)    mean(income) by region
///     quantile(income, .9)    quantile(income, .9) by region
///     table(happy, attend)
///     income ~ age + region    happy = very ~ attend + race
///
/// After it may stand `weight 4`, and `error .01`.
///
/// A name or a value with other signs than letters, digits, `_`, `.` and `-` is written in
/// double quotes, which are doubled inside. Throws InvalidInput, in one sentence, for another text.
[[nodiscard]] TableQuestion parse_question(std::string_view text);

/// Its text and weight, as a release is asked.
[[nodiscard]] std::string text_with_weight(const TableQuestion& question);
/// Its text, weight and the standard error to reach, as advice is asked.
[[nodiscard]] std::string text_with_wishes(const TableQuestion& question);

/// The names of columns that an answer needs together: of two or three columns, or of all pairs of
/// a regression's.
[[nodiscard]] std::vector<std::vector<std::string>> tables_of(const TableQuestion& question);

/// A question a line. Empty lines and lines that begin with # are left out. Throws InvalidInput, in
/// one sentence with the line, for another text and for none.
[[nodiscard]] std::vector<TableQuestion> parse_questions(const std::string& text,
                                                         const std::string& name);

/// Throws InvalidInput, with another question as the way out.
template <class... Values>
[[noreturn]] void refuse_question(Code code, fmt::format_string<Values...> sentence,
                                  Values&&... values) {
  refuse_input(code, "question", {WayOut::set("question")}, sentence,
               std::forward<Values>(values)...);
}

}  // namespace mollify
