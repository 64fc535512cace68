#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/rules.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From texts to formulas.

namespace {

constexpr std::array kRelations = {std::pair{std::string_view("=="), Relation::kEqual},
                                   std::pair{std::string_view("!="), Relation::kNotEqual},
                                   std::pair{std::string_view("<="), Relation::kAtMost},
                                   std::pair{std::string_view("<"), Relation::kLess},
                                   std::pair{std::string_view(">="), Relation::kAtLeast},
                                   std::pair{std::string_view(">"), Relation::kGreater},
                                   std::pair{std::string_view("="), Relation::kEqual}};

struct Token {
  enum class Kind : std::uint8_t { kWord, kName, kNumber, kText, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text{};
  std::size_t place = 0;
};

bool is_letter_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_figure(char c) { return c >= '0' && c <= '9'; }

/// A day or time without quotes, such as 2020-02-29 or 2020-02-29T12:30; 0 for none.
std::size_t moment_at(std::string_view text) {
  const std::string_view form = "dddd-dd-dd";
  if (text.size() < form.size()) return 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == 'd' ? !is_figure(text[i]) : text[i] != '-') return 0;
  }
  std::size_t end = form.size();
  if (end < text.size() && text[end] == 'T') {
    ++end;
    while (end < text.size() && (is_figure(text[end]) || text[end] == ':')) ++end;
  }
  return end;
}

class RuleReader {
 public:
  RuleReader(const RuleDeclaration& declared, const std::string& name,
             std::span<const Column> columns)
      : name_(name), text_(declared.text), columns_(columns) {
    cut();
  }

  Formula read() {
    Formula whole = rule();
    if (now().kind != Token::Kind::kEnd) refuse_here("the end or `and`, `or`");
    return whole;
  }

 private:
  static constexpr std::size_t kMostDepth = 32;

  [[noreturn]] void refuse_here(std::string_view expected) const {
    const std::string found = now().kind == Token::Kind::kEnd
                                  ? "it ends"
                                  : fmt::format("\"{}\" stands there", now().text);
    refuse_input("malformed-text", Concern("rules"),
                 "rule \"{}\" must have {} at letter {}, but {}", name_, expected, now().place + 1,
                 found);
  }

  void cut() {
    std::size_t at = 0;
    const auto add = [&](Token::Kind kind, std::string text, std::size_t end) {
      tokens_.push_back({kind, std::move(text), at});
      at = end;
    };
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at;
        continue;
      }
      if (const std::size_t length = moment_at(text_.substr(at))) {
        add(Token::Kind::kText, std::string(text_.substr(at, length)), at + length);
      } else if (is_letter_of_word(c)) {
        std::size_t end = at;
        while (end < text_.size() &&
               (is_letter_of_word(text_[end]) || is_figure(text_[end]) || text_[end] == '.'))
          ++end;
        add(Token::Kind::kWord, std::string(text_.substr(at, end - at)), end);
      } else if (is_figure(c) || (c == '.' && at + 1 < text_.size() && is_figure(text_[at + 1]))) {
        std::size_t end = at;
        while (end < text_.size() && (is_figure(text_[end]) || text_[end] == '.' ||
                                      text_[end] == 'e' || text_[end] == 'E' ||
                                      ((text_[end] == '-' || text_[end] == '+') &&
                                       (text_[end - 1] == 'e' || text_[end - 1] == 'E'))))
          ++end;
        add(Token::Kind::kNumber, std::string(text_.substr(at, end - at)), end);
      } else if (c == '"' || c == '\'' || c == '`') {
        std::string inside;
        std::size_t end = at + 1;
        for (; end < text_.size(); ++end) {
          if (text_[end] != c) {
            inside += text_[end];
          } else if (end + 1 < text_.size() && text_[end + 1] == c) {
            inside += text_[end++];
          } else {
            break;
          }
        }
        refuse_if(end == text_.size(), "malformed-text", Concern("rules"),
                  "rule \"{}\" must close each quote, but the one at letter {} is open", name_,
                  at + 1);
        add(c == '`' ? Token::Kind::kName : Token::Kind::kText, std::move(inside), end + 1);
      } else {
        std::string_view sign;
        for (const std::string_view one :
             {"==", "!=", "<>", "<=", ">=", "&&", "||", "%in%", "<", ">", "=",
              "!",  "&",  "|",  "(",  ")",  "[",  "]",  ",",    "+", "-"}) {
          if (text_.substr(at).starts_with(one)) {
            sign = one;
            break;
          }
        }
        refuse_if(
            sign.empty(), "malformed-text", Concern("rules"),
            "rule \"{}\" must be made of columns, values, comparisons, `and`, `or` and `not`, "
            "but has \"{}\" at letter {}",
            name_, c, at + 1);
        add(Token::Kind::kSign, std::string(sign == "<>" ? "!=" : sign), at + sign.size());
      }
    }
    tokens_.push_back({Token::Kind::kEnd, "", text_.size()});
  }

  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return now().kind == Token::Kind::kWord && now().text == word;
  }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return now().kind == Token::Kind::kSign && now().text == sign;
  }
  bool take_word(std::string_view word) {
    const bool is = is_word(word);
    if (is) ++at_;
    return is;
  }
  bool take_sign(std::string_view sign) {
    const bool is = is_sign(sign);
    if (is) ++at_;
    return is;
  }
  void require_sign(std::string_view sign) {
    if (!take_sign(sign)) refuse_here(fmt::format("`{}`", sign));
  }

  [[nodiscard]] std::optional<std::size_t> column_named(std::string_view name) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].name() == name) return i;
    }
    return std::nullopt;
  }

  static Formula joined(Formula::Kind kind, std::vector<Formula> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Formula made{.kind = kind};
    for (Formula& part : parts) {  // and of ands is one
      if (part.kind == kind) {
        for (Formula& inner : part.parts) made.parts.push_back(std::move(inner));
      } else {
        made.parts.push_back(std::move(part));
      }
    }
    return made;
  }
  static Formula negated(Formula formula) {
    if (formula.kind == Formula::Kind::kNot) return std::move(formula.parts.front());
    Formula made{.kind = Formula::Kind::kNot};
    made.parts.push_back(std::move(formula));
    return made;
  }
  static Formula follows(Formula one, Formula other) {
    std::vector<Formula> parts;
    parts.push_back(negated(std::move(one)));
    parts.push_back(std::move(other));
    return joined(Formula::Kind::kOr, std::move(parts));
  }

  Formula rule() {
    if (take_word("if")) {
      Formula condition = disjunction();
      take_word("then");
      Formula then = disjunction();
      Formula whole = follows(condition, std::move(then));
      if (!take_word("else")) return whole;
      std::vector<Formula> both;
      both.push_back(std::move(whole));
      both.push_back(joined(Formula::Kind::kOr, pair_of(std::move(condition), disjunction())));
      return joined(Formula::Kind::kAnd, std::move(both));
    }
    Formula first = disjunction();
    if (take_word("unless")) {
      // The first part is the rule's subject.
      return joined(Formula::Kind::kOr, pair_of(disjunction(), std::move(first)));
    }
    if (!take_word("exactly")) return first;
    if (!take_word("when")) refuse_here("`when`");
    Formula second = disjunction();
    Formula there = follows(first, second);
    return joined(Formula::Kind::kAnd,
                  pair_of(std::move(there), follows(std::move(second), std::move(first))));
  }

  static std::vector<Formula> pair_of(Formula one, Formula other) {
    std::vector<Formula> both;
    both.push_back(std::move(one));
    both.push_back(std::move(other));
    return both;
  }

  Formula disjunction() {
    std::vector<Formula> parts;
    do parts.push_back(conjunction());
    while (take_word("or") || take_sign("|") || take_sign("||"));
    return joined(Formula::Kind::kOr, std::move(parts));
  }
  Formula conjunction() {
    std::vector<Formula> parts;
    do parts.push_back(factor());
    while (take_word("and") || take_sign("&") || take_sign("&&"));
    return joined(Formula::Kind::kAnd, std::move(parts));
  }
  Formula factor() {
    if (++depth_ > kMostDepth) refuse_here("at most 32 parts inside one another");
    Formula made;
    if (take_word("not") || take_sign("!")) {
      made = negated(factor());
    } else if (take_sign("(")) {
      made = disjunction();
      require_sign(")");
    } else {
      made = comparison();
    }
    --depth_;
    return made;
  }

  /// A column, another text, or a number.
  struct Side {
    RuleSum sum{};
    std::optional<std::string> value{};  ///< alone
    std::string word{};                  ///< as which it was written, if it has no quotes
  };

  std::size_t required_column(const std::string& name, bool is_name) const {
    if (const auto column = column_named(name)) return *column;
    std::vector<std::string> known;
    for (const Column& one : columns_) known.push_back(one.name());
    refuse_input("unknown-column", Concern::of_column(name), {},
                 "rule \"{}\" names {} \"{}\", but the domain has no such column{}", name_,
                 is_name ? "the column" : "the word", name, did_you_mean(name, known));
  }

  void add_duration(RuleSum& sum, double number, std::string_view unit, int sign) const {
    const double amount = sign * number;
    if (unit == "year" || unit == "years") {
      sum.months += whole_months(amount * 12);
    } else if (unit == "month" || unit == "months") {
      sum.months += whole_months(amount);
    } else if (unit == "week" || unit == "weeks") {
      sum.days += 7 * amount;
    } else if (unit == "day" || unit == "days") {
      sum.days += amount;
    } else if (unit == "hour" || unit == "hours") {
      sum.seconds += 3600 * amount;
    } else if (unit == "minute" || unit == "minutes") {
      sum.seconds += 60 * amount;
    } else {
      sum.seconds += amount;
    }
  }
  std::int64_t whole_months(double months) const {
    constexpr double kMost = 120'000;
    refuse_if(months != std::floor(months) || std::abs(months) > kMost, "out-of-range",
              Concern("rules"), "rule \"{}\" must move days by whole months, {} at most", name_,
              kMost);
    return static_cast<std::int64_t>(months);
  }
  [[nodiscard]] bool is_unit() const {
    for (const char* const unit : {"year", "month", "week", "day", "hour", "minute", "second"}) {
      if (is_word(unit) || is_word(std::string(unit) + "s")) return !column_named(now().text);
    }
    return false;
  }

  /// R's as.Date("2020-02-29").
  [[nodiscard]] bool is_day_in_r() const {
    return is_word("as.Date") && at_ + 3 < tokens_.size() && tokens_[at_ + 1].text == "(" &&
           tokens_[at_ + 2].kind == Token::Kind::kText && tokens_[at_ + 3].text == ")";
  }

  Side side() {
    Side made;
    std::size_t terms = 0;
    int sign = take_sign("-") ? -1 : 1;
    const bool begins_negative = sign < 0;
    for (;; ++terms) {
      const Token token = now();
      if (token.kind == Token::Kind::kNumber) {
        ++at_;
        double number = 0;
        const auto [end, error] =
            std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
        if (error != std::errc() || end != token.text.data() + token.text.size()) {
          --at_;
          refuse_here("a number");
        }
        if (is_unit()) {
          add_duration(made.sum, number, now().text, sign);
          ++at_;
        } else {
          made.sum.number += sign * number;
          made.value = (begins_negative ? "-" : "") + token.text;
        }
      } else if (token.kind == Token::Kind::kText || is_day_in_r()) {
        made.value = token.kind == Token::Kind::kText ? token.text : tokens_[at_ + 2].text;
        at_ += token.kind == Token::Kind::kText ? 1 : 4;
        made.sum.number = std::nan("");
      } else if (token.kind == Token::Kind::kWord || token.kind == Token::Kind::kName) {
        ++at_;
        const auto column = column_named(token.text);
        if (column) {
          made.sum.terms.push_back({*column, sign < 0});
        } else if (token.kind == Token::Kind::kName) {
          required_column(token.text, true);
        } else {
          made.value = made.word = token.text;
          made.sum.number = std::nan("");
        }
      } else {
        refuse_here("a column or a value");
      }
      if (is_sign("+") || is_sign("-")) {
        sign = is_sign("-") ? -1 : 1;
        ++at_;
        if (take_sign("-")) sign = -sign;
        continue;
      }
      break;
    }
    const bool is_alone = terms == 0 && made.sum.terms.empty() && made.value;
    if (!is_alone) {
      refuse_if(std::isnan(made.sum.number), "wrong-type", Concern("rules"),
                "rule \"{}\" adds \"{}\", which is neither a column nor a number: compare a column "
                "with a text alone",
                name_, made.value.value_or(""));
      made.value.reset();
    }
    return made;
  }

  std::string value() {
    if (is_day_in_r()) return tokens_[(at_ += 4) - 2].text;
    const bool negative = take_sign("-");
    const Token token = now();
    if (token.kind != Token::Kind::kText && token.kind != Token::Kind::kNumber &&
        (token.kind != Token::Kind::kWord || negative)) {
      refuse_here("a value");
    }
    ++at_;
    return (negative ? "-" : "") + token.text;
  }

  Formula one_of(std::size_t column) {
    take_word("c");
    const bool round = take_sign("(");
    if (!round) require_sign("[");
    Formula made{.kind = Formula::Kind::kOneOf, .column = column};
    do made.values.push_back(value());
    while (take_sign(","));
    require_sign(round ? ")" : "]");
    for (const std::string& one : made.values) require_value(column, one);
    return made;
  }

  /// Requires a value of the column, or a missing code.
  void require_value(std::size_t index, const std::string& text) const {
    const Column& column = columns_[index];
    const Verdict verdict = column.read(Value(std::string_view(text))).verdict;
    if (verdict == Verdict::kValue) return;
    refuse_input("unknown-value", Concern::of_column(column.name()), {},
                 "rule \"{}\" names \"{}\", but a value of column \"{}\" must be {}{}", name_, text,
                 column.name(), column.expectation(), did_you_mean(column, text));
  }

  Formula comparison() {
    if (is_word("is.na") && tokens_[at_ + 1].text == "(") {
      at_ += 2;
      const Token token = now();
      ++at_;
      Formula made{.kind = Formula::Kind::kNull,
                   .column = required_column(token.text, token.kind == Token::Kind::kName)};
      require_sign(")");
      return made;
    }
    const std::size_t begin = at_;
    Side left = side();
    const bool is_column = left.sum.terms.size() == 1 && at_ == begin + 1;
    if (is_word("is") || is_word("in") || is_sign("%in%") ||
        (is_word("not") && tokens_[at_ + 1].text == "in")) {
      if (!is_column) required_column(tokens_[begin].text, false);
      const std::size_t column = left.sum.terms.front().column;
      const bool is = take_word("is");
      const bool is_not = take_word("not");
      Formula made;
      if (is) {
        if (!take_word("null")) refuse_here("`null` (write == for another value)");
        made = Formula{.kind = Formula::Kind::kNull, .column = column};
      } else {
        if (!take_word("in")) require_sign("%in%");
        made = one_of(column);
      }
      return is_not ? negated(std::move(made)) : made;
    }
    std::optional<Relation> relation;
    for (const auto& [sign, one] : kRelations) {
      if (!relation && take_sign(sign)) relation = one;
    }
    if (!relation) {
      if (is_column) return truth_column(left.sum.terms.front().column);
      if (!left.word.empty()) required_column(left.word, false);
      refuse_here("a comparison");
    }
    return compared(std::move(left), *relation, side());
  }

  Formula truth_column(std::size_t index) const {
    const auto* const words = std::get_if<BooleanWords>(&columns_[index].cells());
    refuse_if(words == nullptr, "wrong-type", Concern::of_column(columns_[index].name()),
              "rule \"{}\" takes column \"{}\" for true or false, but its type is {}: compare it "
              "with a value",
              name_, columns_[index].name(), kind_of(columns_[index].cells()).name);
    return {.kind = Formula::Kind::kCompare,
            .column = index,
            .values = {words->word(1)},
            .relation = Relation::kEqual};
  }

  Formula compared(Side left, Relation relation, Side right) const {
    if (left.value && right.value) {
      required_column(left.word.empty() ? *left.value : left.word, false);
    }
    if (left.value) {
      std::swap(left, right);
      relation = mirrored(relation);
    }
    const auto is_single = [](const Side& side) {
      const RuleSum& sum = side.sum;
      return sum == RuleSum{.terms = sum.terms} && sum.terms.size() == 1 &&
             !sum.terms.front().negative;
    };
    if (right.value && is_single(left)) {
      return with_value(left.sum.terms.front().column, relation, *right.value);
    }
    if (right.value && std::isnan(right.sum.number)) {
      required_column(*right.value, false);
    }
    refuse_if(left.sum.terms.empty() && right.sum.terms.empty(), "malformed-text", Concern("rules"),
              "rule \"{}\" must compare columns, but compares numbers", name_);
    return of_sums(std::move(left.sum), relation, std::move(right.sum));
  }

  Formula with_value(std::size_t index, Relation relation, const std::string& text) const {
    const Column& column = columns_[index];
    refuse_if(
        text == "null" && column.read(Value(std::string_view(text))).verdict != Verdict::kValue,
        "malformed-text", Concern::of_column(column.name()),
        "rule \"{}\" compares column \"{}\" with null, which is unknown: write `is null` or "
        "`is not null`",
        name_, column.name());
    const bool is_equality = relation == Relation::kEqual || relation == Relation::kNotEqual;
    if (is_equality || is_of_words(column)) require_value(index, text);
    if (!is_equality) {
      refuse_if(!is_ordered(column.cells()), "wrong-type", Concern::of_column(column.name()),
                "rule \"{}\" orders the values of column \"{}\", whose type is {}: declare it "
                "ordinal, or list its values (`in [...]`)",
                name_, column.name(), kind_of(column.cells()).name);
      if (!is_of_words(column)) require_place(column, text);
    }
    return {
        .kind = Formula::Kind::kCompare, .column = index, .values = {text}, .relation = relation};
  }

  void require_place(const Column& column, const std::string& text) const {
    const DateCells* const cells = moments_of(column);
    const bool is_place =
        cells != nullptr ? cells->place_of(text).has_value() : read_number(text).has_value();
    refuse_if(!is_place, "unknown-value", Concern::of_column(column.name()),
              "rule \"{}\" compares column \"{}\" with \"{}\", but it must be {}", name_,
              column.name(), text, column.expectation());
  }

  Formula of_sums(RuleSum left, Relation relation, RuleSum right) const {
    std::set<std::size_t> seen;
    bool any_moment = false, any_seconds = false, any_number = false;
    for (const RuleSum* const sum : {&left, &right}) {
      bool has_moment = false;
      for (const RuleSum::Term& term : sum->terms) {
        const Column& column = columns_[term.column];
        refuse_if(
            is_of_words(column), "wrong-type", Concern::of_column(column.name()),
            "rule \"{}\" compares or adds column \"{}\", whose type is {}: only numbers, days "
            "and times are compared with other columns; list what is allowed for words",
            name_, column.name(), kind_of(column.cells()).name);
        refuse_if(
            !seen.insert(term.column).second, "malformed-text", Concern::of_column(column.name()),
            "rule \"{}\" must have column \"{}\" once, but has it twice", name_, column.name());
        has_moment = has_moment || moments_of(column) != nullptr;
        any_seconds = any_seconds || has_seconds(column);
        any_number = any_number || moments_of(column) == nullptr;
      }
      any_moment = any_moment || has_moment;
      refuse_if(sum->months != 0 && (sum->terms.size() != 1 || !has_moment ||
                                     has_seconds(columns_[sum->terms.front().column])),
                "wrong-type", Concern("rules"),
                "rule \"{}\" must add months and years to one column of days, but does not", name_);
    }
    refuse_if(!any_moment &&
                  (left.days != 0 || left.seconds != 0 || right.days != 0 || right.seconds != 0),
              "wrong-type", Concern("rules"),
              "rule \"{}\" must add days and times to days or times, but adds them to numbers",
              name_);
    refuse_if(any_moment && !any_seconds && (left.seconds != 0 || right.seconds != 0), "wrong-type",
              Concern("rules"), "rule \"{}\" must add days to days, but adds parts of a day",
              name_);
    require_one_clock(seen);
    return {.kind = Formula::Kind::kSums,
            .relation = relation,
            .left = std::move(left),
            .right = std::move(right)};
  }

  /// Times of two zones show no order on their clocks.
  void require_one_clock(const std::set<std::size_t>& columns) const {
    const DateCells* first = nullptr;
    for (const std::size_t index : columns) {
      const DateCells* const cells = moments_of(columns_[index]);
      if (cells == nullptr || !has_seconds(columns_[index])) continue;
      if (first == nullptr) first = cells;
      refuse_if(first->declared().zone != cells->declared().zone, "wrong-type",
                Concern::of_column(columns_[index].name()),
                "rule \"{}\" compares times of two clocks: declare one zone for both columns",
                name_);
    }
  }

  const std::string& name_;
  std::string_view text_;
  std::span<const Column> columns_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

FollowingColumn read_following(const RuleDeclaration& declared, const std::string& name,
                               std::span<const Column> columns) {
  const auto named = [&](const std::string& column) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name() == column) return i;
      known.push_back(columns[i].name());
    }
    refuse_input("unknown-column", Concern::of_column(column), {},
                 "rule \"{}\" names column \"{}\", but the domain has no such column{}", name,
                 column, did_you_mean(column, known));
  };
  FollowingColumn made{named(declared.column), named(declared.from), declared.map};
  refuse_if(made.column == made.from, "malformed-text", Concern::of_column(declared.column),
            "rule \"{}\" must let a column follow from another, but names one column", name);
  const Column& column = columns[made.column];
  const Column& from = columns[made.from];
  for (const Column* const one : {&column, &from}) {
    for (std::uint32_t cell = 0; cell < one->cell_count(); ++cell) {
      refuse_if(one->points(cell) != 1, "wrong-type", Concern::of_column(one->name()),
                "rule \"{}\" maps single values, but a cell of column \"{}\" holds several: "
                "declare its values",
                name, one->name());
    }
  }
  std::vector<bool> met(from.size());
  for (const auto& [key, value] : made.map) {
    for (const auto& [one, text] : {std::pair{&from, &key}, std::pair{&column, &value}}) {
      if (one == &column && text->empty() && column.mapping().null_is_category) continue;
      const Verdict verdict = one->read(Value(std::string_view(*text))).verdict;
      if (verdict == Verdict::kValue) continue;
      refuse_input("unknown-value", Concern::of_column(one->name()), {},
                   "rule \"{}\" maps \"{}\", but a value of column \"{}\" must be {}{}", name,
                   *text, one->name(), one->expectation(), did_you_mean(*one, *text));
    }
    const std::uint32_t cell = from.encode(Value(std::string_view(key)));
    refuse_if(met[cell], "duplicate-value", Concern::of_column(from.name()),
              "rule \"{}\" must map each value once, but maps \"{}\" twice", name, key);
    met[cell] = true;
  }
  for (std::uint32_t cell = 0; cell < from.size(); ++cell) {
    const bool is_null = from.mapping().null_is_category && cell + 1 == from.size();
    if (met[cell] || (is_null && column.mapping().null_is_category)) continue;
    std::string text;
    from.write(cell, 0, text);
    refuse_input("unknown-value", Concern::of_column(from.name()), {},
                 "rule \"{}\" must map all values of column \"{}\", but does not map {}", name,
                 from.name(), is_null ? "null: let both columns have one" : in_quotes(text));
  }
  return made;
}

}  // namespace

std::string_view sign_of(Relation relation) {
  return std::find_if(kRelations.begin(), kRelations.end(),
                      [&](const auto& one) { return one.second == relation; })
      ->first;
}

DomainRule read_rule(const RuleDeclaration& declared, std::span<const Column> columns) {
  const std::string name = !declared.name.empty() ? declared.name
                           : !declared.text.empty()
                               ? declared.text
                               : fmt::format("{} follows from {}", declared.column, declared.from);
  refuse_if(declared.text.empty() && declared.column.empty(), "empty-input", Concern("rules"),
            "a rule must be a text, or map values of another column, but is empty");
  if (declared.text.empty()) {
    return {declared, name, {}, read_following(declared, name, columns)};
  }
  return {declared, name, RuleReader(declared, name, columns).read(), {}};
}

// -----------------------------------------------------------------------------------------------
// From formulas to texts.

namespace {

std::string in_marks(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) made += c == quote ? std::string(2, quote) : std::string(1, c);
  return made + quote;
}

std::string name_in_rule(const Column& column) {
  const std::string& text = column.name();
  bool plain = is_letter_of_word(text.front());
  for (const char c : text) plain = plain && (is_letter_of_word(c) || is_figure(c) || c == '.');
  for (const std::string_view word : {"if", "then", "else", "unless", "exactly", "when", "and",
                                      "or", "not", "in", "is", "null", "c", "is.na"}) {
    plain = plain && text != word;
  }
  return plain ? text : in_marks(text, '`');
}

/// A number as it is, where the column's values are numbers.
std::string value_in_rule(const Column& column, const std::string& text) {
  const ColumnSchema schema = column.schema();
  const bool is_number =
      schema.type == ValueType::kInteger || schema.type == ValueType::kNumber ||
      (schema.type == ValueType::kText &&
       (schema.word_type == ValueType::kInteger || schema.word_type == ValueType::kNumber));
  return is_number && read_number(text) ? text : in_marks(text, '"');
}

std::string sum_text(const RuleSum& sum, std::span<const Column> columns) {
  std::string text;
  const auto add = [&](bool negative, const std::string& part) {
    if (text.empty()) {
      text = (negative ? "-" : "") + part;
    } else {
      text += (negative ? " - " : " + ") + part;
    }
  };
  for (const RuleSum::Term& term : sum.terms) {
    add(term.negative, name_in_rule(columns[term.column]));
  }
  const auto number = [](double value) { return fmt::format("{}", std::abs(value)); };
  if (sum.months != 0) {
    add(sum.months < 0, fmt::format("{} months", std::abs(sum.months)));
  }
  if (sum.days != 0) add(sum.days < 0, number(sum.days) + " days");
  if (sum.seconds != 0) add(sum.seconds < 0, number(sum.seconds) + " seconds");
  if (sum.number != 0 || text.empty()) add(sum.number < 0, number(sum.number));
  return text;
}

std::string text_of_formula(const Formula& formula, std::span<const Column> columns, bool inside) {
  switch (formula.kind) {
    case Formula::Kind::kNull:
      return name_in_rule(columns[formula.column]) + " is null";
    case Formula::Kind::kOneOf: {
      std::vector<std::string> values;
      for (const std::string& value : formula.values) {
        values.push_back(value_in_rule(columns[formula.column], value));
      }
      return fmt::format("{} in [{}]", name_in_rule(columns[formula.column]),
                         fmt::join(values, ", "));
    }
    case Formula::Kind::kCompare:
      return fmt::format("{} {} {}", name_in_rule(columns[formula.column]),
                         sign_of(formula.relation),
                         value_in_rule(columns[formula.column], formula.values.front()));
    case Formula::Kind::kSums:
      return fmt::format("{} {} {}", sum_text(formula.left, columns), sign_of(formula.relation),
                         sum_text(formula.right, columns));
    case Formula::Kind::kNot:
      return fmt::format("not ({})", text_of_formula(formula.parts.front(), columns, false));
    case Formula::Kind::kAnd:
    case Formula::Kind::kOr:
      break;
  }
  std::vector<std::string> parts;
  for (const Formula& part : formula.parts) parts.push_back(text_of_formula(part, columns, true));
  const std::string text =
      fmt::format("{}", fmt::join(parts, formula.kind == Formula::Kind::kAnd ? " and " : " or "));
  return inside ? "(" + text + ")" : text;
}

}  // namespace

std::string formula_text(const Formula& formula, std::span<const Column> columns) {
  return text_of_formula(formula, columns, false);
}

std::string rule_text(const DomainRule& rule, std::span<const Column> columns) {
  if (!rule.following) return "rule " + formula_text(rule.formula, columns);
  std::string text =
      fmt::format("rule {} follows from {}:", name_in_rule(columns[rule.following->column]),
                  name_in_rule(columns[rule.following->from]));
  for (const auto& [from, to] : rule.following->map) {
    text += fmt::format(" {} {}", in_marks(from, '"'), in_marks(to, '"'));
  }
  return text;
}

}  // namespace mollify
