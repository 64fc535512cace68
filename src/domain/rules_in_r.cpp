// Rules as R's package validate reads them.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "domain/column.h"
#include "domain/rules.h"

namespace mollify {

namespace {

constexpr std::array kReservedInR = {
    "if",          "else", "repeat", "while", "function", "for",           "next",
    "break",       "TRUE", "FALSE",  "NULL",  "Inf",      "NaN",           "NA",
    "NA_integer_", "in",   "T",      "F",     "NA_real_", "NA_character_", "NA_complex_"};

std::string quoted_in_r(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') made += '\\';
    made += c;
  }
  return made + quote;
}

/// Writes one rule. What R cannot say makes `is_possible` false.
///
/// A rule is broken only if it is false, and formulas are written without negations of more than
/// one comparison. A comparison with a missing code is unknown to mollify, but R compares the code.
/// So the code is written as an alternative that keeps the rule.
class RuleInR {
 public:
  explicit RuleInR(std::span<const Column> columns) : columns_(columns) {}

  [[nodiscard]] bool is_possible() const noexcept { return is_possible_; }

  std::string formula(const Formula& formula, bool negated, bool inside) {
    switch (formula.kind) {
      case Formula::Kind::kNot:
        return this->formula(formula.parts.front(), !negated, inside);
      case Formula::Kind::kNull:
        return fmt::format("{}is.na({})", negated ? "!" : "", name(formula.column));
      case Formula::Kind::kOneOf:
        return one_of(formula.column, formula.values, negated);
      case Formula::Kind::kCompare:
      case Formula::Kind::kSums:
        break;
      case Formula::Kind::kAnd:
      case Formula::Kind::kOr:
        if (is_or(formula, negated)) break;
        std::vector<std::string> parts;
        for (const Formula& part : formula.parts) {
          parts.push_back(this->formula(part, negated, true));
        }
        return in_brackets(fmt::format("{}", fmt::join(parts, " & ")), inside);
    }
    const std::vector<std::string> any = alternatives(formula, negated);
    return in_brackets(fmt::format("{}", fmt::join(any, " | ")), inside && any.size() > 1);
  }

  std::vector<std::string> following(const FollowingColumn& rule) {
    const Column& column = columns_[rule.column];
    const Column& from = columns_[rule.from];
    std::vector<std::pair<std::string, std::vector<std::string>>> sources;  // of each value
    for (const auto& [key, value] : rule.map) {
      auto at = std::find_if(sources.begin(), sources.end(),
                             [&wanted = value](const auto& one) { return one.first == wanted; });
      if (at == sources.end()) at = sources.insert(at, {value, {}});
      at->second.push_back(key);
    }
    const bool may_be_null = column.mapping().null_is_category;
    const std::string is_null = fmt::format("is.na({})", name(rule.column));
    std::vector<std::string> made;
    for (const auto& [value, keys] : sources) {
      const std::string then =
          value.empty() ? is_null
                        : (may_be_null ? "!" + is_null + " & " : "") + equal(rule.column, value);
      made.push_back(fmt::format("if ({}) {}", one_of(rule.from, keys, false), then));
    }
    if (from.mapping().null_is_category) {
      made.push_back(fmt::format("if (is.na({})) {}", name(rule.from), is_null));
    }
    return made;
  }

 private:
  static bool is_or(const Formula& formula, bool negated) {
    return formula.kind == (negated ? Formula::Kind::kAnd : Formula::Kind::kOr);
  }

  /// Each once, so that a rule that was read from R is written as it was.
  std::vector<std::string> alternatives(const Formula& formula, bool negated) {
    const Relation relation = negated ? opposite(formula.relation) : formula.relation;
    if (formula.kind == Formula::Kind::kSums) return sums(formula, relation);
    if (formula.kind == Formula::Kind::kCompare) {
      return compare(formula.column, relation, formula.values.front());
    }
    if (formula.kind == Formula::Kind::kNot) return alternatives(formula.parts.front(), !negated);
    if (!is_or(formula, negated)) return {this->formula(formula, negated, true)};
    std::vector<std::string> all;
    for (const Formula& part : formula.parts) {
      for (std::string& text : alternatives(part, negated)) {
        if (!contains(all, text)) all.push_back(std::move(text));
      }
    }
    return all;
  }

  static std::string in_brackets(std::string text, bool are_needed) {
    return are_needed ? "(" + text + ")" : text;
  }

  [[nodiscard]] std::string name(std::size_t column) const {
    const std::string& text = columns_[column].name();
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const bool is_plain =
        !text.empty() && is_letter(text.front()) &&
        std::all_of(text.begin(), text.end(),
                    [&](char c) {
                      return static_cast<unsigned char>(c) < 0x80 &&
                             (is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_');
                    }) &&
        std::find(kReservedInR.begin(), kReservedInR.end(), text) == kReservedInR.end();
    return is_plain ? text : quoted_in_r(text, '`');
  }

  std::string value(std::size_t index, const std::string& text) {
    const Column& column = columns_[index];
    const ColumnSchema schema = column.schema();
    if (const DateCells* const days = moments_of(column)) {
      if (has_seconds(column)) is_possible_ = false;  // R's clocks differ
      const std::int64_t place = days->place_of(text).value_or(0);
      TextBuffer buffer;
      return fmt::format("as.Date(\"{}\")", text_of(Moment{place, {}}, buffer));
    }
    if (!is_of_words(column)) {
      return fmt::format("{}", declared_number(column, text, Relation::kEqual));
    }
    if (schema.word_type != ValueType::kText && read_number(text)) return text;
    // R reads a column of these words as its own truths.
    const bool are_truths =
        std::all_of(schema.words.begin(), schema.words.end(), [](const std::string& word) {
          return equal_ignoring_case(word, "true") || equal_ignoring_case(word, "false");
        });
    if (are_truths && !schema.words.empty()) {
      return equal_ignoring_case(text, "true") ? "TRUE" : "FALSE";
    }
    return quoted_in_r(text, text.find('"') == std::string::npos ? '"' : '\'');
  }

  /// The texts of its missing codes that are values.
  [[nodiscard]] std::vector<std::string> codes(std::size_t index) const {
    const Column& column = columns_[index];
    std::vector<std::string> texts;
    for (std::uint32_t outcome = column.cell_count(); outcome < column.size(); ++outcome) {
      if (column.is_missing_code(outcome)) column.write(outcome, 0, texts.emplace_back());
    }
    return texts;
  }
  [[nodiscard]] bool is_code(std::size_t index, const std::string& text) const {
    const Column& column = columns_[index];
    return column.is_missing_code(column.encode(Value(std::string_view(text))));
  }

  std::string listed(std::size_t column, const std::vector<std::string>& texts) {
    std::vector<std::string> values;
    for (const std::string& text : texts) values.push_back(value(column, text));
    return fmt::format("{} %in% c({})", name(column), fmt::join(values, ", "));
  }
  std::string equal(std::size_t column, const std::string& text) {
    return fmt::format("{} == {}", name(column), value(column, text));
  }

  std::string one_of(std::size_t column, std::vector<std::string> texts, bool negated) {
    if (negated) return fmt::format("!({})", listed(column, texts));
    const bool names_a_value = std::any_of(
        texts.begin(), texts.end(), [&](const auto& text) { return !is_code(column, text); });
    for (const std::string& code : codes(column)) {
      if (names_a_value && !contains(texts, code)) texts.push_back(code);
    }
    return texts.size() == 1 ? equal(column, texts.front()) : listed(column, texts);
  }

  [[nodiscard]] static bool contains(const std::vector<std::string>& texts,
                                     const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }

  std::vector<std::string> compare(std::size_t index, Relation relation, const std::string& text) {
    const Column& column = columns_[index];
    const bool is_equality = relation == Relation::kEqual || relation == Relation::kNotEqual;
    if (is_of_words(column) && !is_equality) return {words_in_order(index, relation, text)};
    std::string comparison =
        fmt::format("{} {} {}", name(index), sign_of(relation), value(index, text));
    if (is_equality && is_code(index, text)) return {std::move(comparison)};
    return unless_code({index}, std::move(comparison));
  }

  /// R orders words by their letters.
  std::string words_in_order(std::size_t index, Relation relation, const std::string& text) {
    const Column& column = columns_[index];
    const std::uint32_t declared = column.encode(Value(std::string_view(text)));
    const Formula formula{
        .kind = Formula::Kind::kCompare, .column = index, .values = {text}, .relation = relation};
    const ValueTest test(formula, column, relation);
    std::vector<std::string> kept;
    for (std::uint32_t cell = 0; cell < column.cell_count(); ++cell) {
      if (test.of({cell, {}}) != Truth::kTrue) continue;
      column.write(cell, 0, kept.emplace_back());
    }
    if (kept.size() == 1) return equal(index, kept.front());
    if (!kept.empty()) return listed(index, kept);
    std::string only;
    column.write(declared, 0, only);  // before the first word, or behind the last: never
    return fmt::format("({0} == {1} & {0} != {1})", name(index), value(index, only));
  }

  std::vector<std::string> unless_code(const std::vector<std::size_t>& columns,
                                       std::string comparison) {
    std::vector<std::string> any;
    for (const std::size_t column : columns) {
      const std::vector<std::string> texts = codes(column);
      if (!texts.empty()) any.push_back(one_of(column, texts, false));
    }
    any.push_back(std::move(comparison));
    return any;
  }

  std::vector<std::string> sums(const Formula& formula, Relation relation) {
    std::vector<std::size_t> columns;
    for (const RuleSum* const sum : {&formula.left, &formula.right}) {
      if (sum->months != 0) is_possible_ = false;
      for (const RuleSum::Term& term : sum->terms) columns.push_back(term.column);
    }
    return unless_code(columns, fmt::format("{} {} {}", sum_text(formula.left), sign_of(relation),
                                            sum_text(formula.right)));
  }

  std::string sum_text(const RuleSum& sum) {
    std::string text;
    for (const RuleSum::Term& term : sum.terms) {
      if (has_seconds(columns_[term.column])) is_possible_ = false;
      text += text.empty() ? (term.negative ? "-" : "") : (term.negative ? " - " : " + ");
      text += name(term.column);
    }
    const double all = sum.number + sum.days;
    if (text.empty()) return fmt::format("{}", all);
    return all == 0 ? text : fmt::format("{} {} {}", text, all < 0 ? '-' : '+', std::abs(all));
  }

  std::span<const Column> columns_;
  bool is_possible_ = true;
};

}  // namespace

std::vector<std::string> rule_in_r(const DomainRule& rule, std::span<const Column> columns) {
  RuleInR writer(columns);
  std::vector<std::string> made;
  if (rule.following) {
    made = writer.following(*rule.following);
  } else {
    made.push_back(writer.formula(rule.formula, false, false));
  }
  return writer.is_possible() ? made : std::vector<std::string>();
}

}  // namespace mollify
