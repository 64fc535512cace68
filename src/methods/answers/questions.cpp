#include "methods/answers/questions.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/same_value.h"

namespace mollify {

namespace {

class QuestionReader {
 public:
  explicit QuestionReader(std::string_view text) : text_(text) {}

  TableQuestion read() {
    TableQuestion question;
    question.text = std::string(text_);
    const std::string first = word();
    if (take('(')) {
      read_call(first, question);
    } else if (take(':')) {
      question.kind = QuestionKind::kTable;
      question.column = first;
      read_by(':', question);
    } else {
      question.kind = QuestionKind::kRegression;
      question.column = first;
      if (take('=')) question.value = word();
      if (!take('~')) refuse();
      do {
        question.terms.push_back(word());
      } while (take('+'));
    }
    skip_spaces();
    const std::size_t end = at_;
    read_wishes(question);
    if (at_ != text_.size()) refuse();
    if (end < at_) question.text = without_outer_spaces(text_.substr(0, end));
    return question;
  }

 private:
  void read_call(const std::string& function, TableQuestion& question) {
    question.column = word();
    if (function == "share") {
      question.kind = QuestionKind::kShares;
      if (take('=')) question.value = word();
    } else if (function == "mean") {
      question.kind = QuestionKind::kMean;
    } else if (function == "quantile") {
      question.kind = QuestionKind::kQuantile;
      if (!take(',')) refuse();
      const auto quantile = read_number(word());
      if (!quantile || !(*quantile > 0 && *quantile < 1)) refuse();
      question.quantile = *quantile;
    } else if (function == "table") {
      question.kind = QuestionKind::kTable;
      if (!take(',')) refuse();
      read_by(',', question);
    } else {
      refuse();
    }
    if (!take(')')) refuse();
    if (question.by.empty() && take_word("by")) read_by(',', question);
  }

  void read_wishes(TableQuestion& question) {
    for (bool has_weight = false;;) {
      if (!has_weight && take_word("weight")) {
        has_weight = true;
        question.weight =
            read_wish("weight", {.least = kLeastQuestionWeight, .most = kMostQuestionWeight},
                      "from 0.01 to 100");
      } else if (!question.error && take_word("error")) {
        question.error = read_wish("error", {.least = 0, .is_open = true}, "above 0");
      } else {
        return;
      }
    }
  }

  double read_wish(const char* wish, Range range, const char* allowed) {
    const std::string typed = word();
    const auto number = read_number(typed);
    const bool is_number = number && std::isfinite(*number);
    if (is_number && range.has(*number)) return *number;
    refuse_input(is_number ? Code("out-of-range") : Code("malformed-text"), "question",
                 {WayOut::set("question")},
                 is_number ? quantities_of(*number, range) : std::vector<Quantity>(),
                 "the {} of a question must be a number {}, but in \"{}\" is {}", wish, allowed,
                 printable(text_), printable(typed));
  }

  /// Takes the word, if it is the next one.
  bool take_word(std::string_view wanted) {
    skip_spaces();
    const std::size_t end = at_ + wanted.size();
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    if (end < text_.size() && is_of_word(text_[end])) return false;
    at_ = end;
    return true;
  }

  void read_by(char separator, TableQuestion& question) {
    constexpr std::size_t kMost = 2;
    do {
      question.by.push_back(word());
      if (question.by.size() > kMost) refuse();
    } while (take(separator));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(char sign) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  static bool is_of_word(char sign) {
    const auto byte = static_cast<unsigned char>(sign);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || sign == '_' || sign == '.' || sign == '-';
  }

  std::string word() {
    skip_spaces();
    std::string word;
    if (take('"')) {
      for (;; ++at_) {
        if (at_ == text_.size()) refuse();
        if (text_[at_] == '"') {
          if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
          ++at_;
        }
        word += text_[at_];
      }
      ++at_;
      return word;
    }
    while (at_ < text_.size() && is_of_word(text_[at_])) word += text_[at_++];
    if (word.empty()) refuse();
    return word;
  }

  [[noreturn]] void refuse() const {
    refuse_input(
        "malformed-text", "question",
        "a question must be such as \"share(happy = very) by attend\", \"mean(income) by "
        "region\", \"quantile(income, .9)\", \"table(happy, attend)\" or \"income ~ age + "
        "region\", by two columns at most, with names of other signs in double quotes, but is "
        "\"{}\"",
        printable(text_));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

TableQuestion parse_question(std::string_view text) { return QuestionReader(text).read(); }

std::vector<std::vector<std::string>> tables_of(const TableQuestion& question) {
  std::vector<std::string> columns = {question.column};
  columns.insert(columns.end(), question.by.begin(), question.by.end());
  columns.insert(columns.end(), question.terms.begin(), question.terms.end());
  if (question.terms.empty()) {
    if (columns.size() == 1) return {};
    return {columns};
  }
  std::vector<std::vector<std::string>> pairs;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      pairs.push_back({columns[i], columns[j]});
    }
  }
  return pairs;
}

std::string text_with_weight(const TableQuestion& question) {
  if (question.weight == 1) return question.text;
  return fmt::format("{} weight {}", question.text, question.weight);
}

std::string text_with_wishes(const TableQuestion& question) {
  const std::string text = text_with_weight(question);
  return question.error ? fmt::format("{} error {}", text, *question.error) : text;
}

std::vector<TableQuestion> parse_questions(const std::string& text, const std::string& name) {
  std::vector<TableQuestion> questions;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = without_outer_spaces(
        std::string_view(text).substr(begin, end - begin - (end > begin && text[end - 1] == '\r')));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    try {
      questions.push_back(parse_question(line));
    } catch (const InvalidInput& refused) {
      throw InvalidInput(refused, fmt::format("{}:{}: {}", name, number, refused.what()),
                         Concern::in_file(name, number));
    }
  }
  refuse_if(questions.empty(), "empty-input", "questions", "{} must hold a question, but is empty",
            name);
  return questions;
}

}  // namespace mollify
