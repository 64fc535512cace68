#include "domain/words.h"

#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/words.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A column of true and false.

namespace {

/// Length first, so that no text can imitate the end of another.
void add_counted(std::string_view word, std::string& text) {
  text += fmt::format(" {}:{}", word.size(), word);
}

Setting list_of(const std::vector<std::string>& words) {
  Setting list{.kind = Setting::Kind::kSequence};
  for (const std::string& word : words) list.items.push_back(Setting::value(word));
  return list;
}

constexpr std::array kKeysOfBoolean = {ColumnKey{"values", false, R"({
  "description": "The words for false and for true. Default: false, true.",
  "type": "array", "items": {"$ref": "#/$defs/value"}})"}};
constexpr std::array<std::string_view, 3> kBooleans = {"", "values: [\"no\", \"yes\"]",
                                                       "values: [female, male]"};

/// The text of the number that the word writes; empty for other words.
std::string number_of(std::string_view word) {
  SameValueBuffer buffer;
  return std::string(same_number_text(word, buffer).value_or(std::string_view()));
}

}  // namespace

constinit const ColumnKind BooleanWords::kKind{"boolean", "yes or no", kKeysOfBoolean, kBooleans};

BooleanWords BooleanWords::declare(const ColumnKind& /*kind*/, const Settings& settings) {
  if (!settings.has("values")) return make();
  const std::vector<std::string> words = settings.get<std::vector<std::string>>("values");
  if (words.size() != 2) {
    settings.refuse("wrong-shape", "values",
                    fmt::format("must be the words for false and for true, but are {}",
                                counted(words.size(), "word")));
  }
  return make(words[0], words[1]);
}

DeclaredSettings BooleanWords::settings() const {
  if (words_[0] == "false" && words_[1] == "true") return {};
  return {{"values", list_of({words_[0], words_[1]})}};
}

void BooleanWords::add_canonical(std::string& text) const {
  for (const std::string& word : words_) add_counted(word, text);
}

void BooleanWords::describe(ColumnSchema& schema) const {
  if (are_false_and_true()) schema.type = ValueType::kBoolean;
  schema.words = {words_[0], words_[1]};
  schema.word_type = type_of_words(schema.words, false);
}

Value BooleanWords::value(std::uint32_t cell, std::uint64_t /*point*/) const noexcept {
  if (are_false_and_true()) return cell == 1;
  return std::string_view(words_[cell]);
}

BooleanWords BooleanWords::make(std::string false_word, std::string true_word) {
  require_declarable(false_word, {"the word for false", "false"});
  require_declarable(true_word, {"the word for true", "true"});
  const std::string false_number = number_of(false_word);
  refuse_if(equal_ignoring_case(false_word, true_word) ||
                (!false_number.empty() && false_number == number_of(true_word)),
            "duplicate-value", {},
            "the words for false and true must differ by more than case or the way to write a "
            "number, but they are \"{}\" and \"{}\"",
            false_word, true_word);
  const bool usual = are_usual(false_word, true_word);
  return BooleanWords(std::move(false_word), std::move(true_word), usual);
}

bool BooleanWords::are_usual(std::string_view false_word, std::string_view true_word) {
  const auto means = [](std::string_view word, bool truth, std::string_view number) {
    return read_truth(word) == truth || number_of(word) == number_of(number);
  };
  return means(false_word, false, "0") && means(true_word, true, "1");
}

BooleanWords::BooleanWords(std::string false_word, std::string true_word, bool usual)
    : words_{std::move(false_word), std::move(true_word)},
      numbers_{number_of(usual ? "0" : words_[0]), number_of(usual ? "1" : words_[1])},
      reads_usual_words_(usual) {}

Reading BooleanWords::read(std::string_view text) const noexcept {
  for (const std::string_view word : {text, without_outer_spaces(text)}) {
    for (const std::uint32_t cell : {0U, 1U}) {
      if (equal_ignoring_case(word, words_[cell])) return {Verdict::kValue, cell};
    }
  }
  const std::string_view word = without_outer_spaces(text);
  if (is_null_word(word)) return {Verdict::kNull, 0};
  if (reads_usual_words_) {
    if (const auto truth = read_truth(word)) return {Verdict::kValue, *truth ? 1U : 0U};
  }
  SameValueBuffer buffer;
  if (const auto number = same_number_text(word, buffer)) {
    if (*number == numbers_[0]) return {Verdict::kValue, 0};
    if (*number == numbers_[1]) return {Verdict::kValue, 1};
  }
  return {Verdict::kUnreadable, 0};
}

bool BooleanWords::are_false_and_true() const noexcept {
  return equal_ignoring_case(words_[0], "false") && equal_ignoring_case(words_[1], "true");
}

void BooleanWords::write(std::uint32_t cell, std::uint64_t /*point*/, std::string& text) const {
  text += words_[cell];
}

std::string BooleanWords::expectation() const {
  return fmt::format("{} or {}", words_[0], words_[1]);
}

// -----------------------------------------------------------------------------------------------
// A column of declared words.

namespace {

constexpr std::array kKeysOfWords = {
    ColumnKey{"values", true, R"({"type": "array", "items": {"$ref": "#/$defs/value"}})"},
    ColumnKey{"verbatim", false, R"({
  "description": "True: values are codes that match letter for letter, so that 0412 and 412 are two. Default: false.",
  "type": "boolean"})"}};
constexpr std::array<std::string_view, 4> kCategoricals = {
    "values: [\"0412\", \"412\", \"412.0\"], verbatim: true", "values: [north, south]",
    "values: [a, \"1.0\", \"09:30\", 2020-01-02, \"true\"]", "values: [N, Y]"};
constexpr std::array<std::string_view, 3> kOrdinals = {
    "values: [low, middle, high]", "values: [high, middle, low]",
    "values: [\"02\", \"2\", \"10\"], verbatim: true"};

}  // namespace

constinit const ColumnKind Categories::kCategorical{"categorical", "one of these words",
                                                    kKeysOfWords, kCategoricals};
constinit const ColumnKind Categories::kOrdinal{"ordinal", "words in their order", kKeysOfWords,
                                                kOrdinals, true};

Categories Categories::declare(const ColumnKind& kind, const Settings& settings) {
  return make(settings.get<std::vector<std::string>>("values"), kind.ordered,
              settings.maybe<bool>("verbatim").value_or(false));
}

DeclaredSettings Categories::settings() const {
  std::vector<std::string> words;
  for (std::uint32_t cell = 0; cell < size(); ++cell) words.emplace_back(value(cell));
  DeclaredSettings settings = {{"values", list_of(words)}};
  if (verbatim_) settings.emplace_back("verbatim", Setting::word("true"));
  return settings;
}

void Categories::add_canonical(std::string& text) const {
  if (verbatim_) text += " verbatim";
  for (std::uint32_t cell = 0; cell < size(); ++cell) add_counted(value(cell), text);
}

void Categories::describe(ColumnSchema& schema) const {
  for (std::uint32_t cell = 0; cell < size(); ++cell) schema.words.emplace_back(value(cell));
  schema.ordered = ordered_;
  schema.word_type = verbatim_ ? ValueType::kText : type_of_words(schema.words, ordered_);
}

Categories Categories::make(const std::vector<std::string>& values, bool ordered, bool verbatim) {
  constexpr std::size_t kMaxValues = std::size_t{1} << 24U;
  refuse_if(values.empty(), "empty-input", "values",
            "values must list at least one value, but is empty");
  refuse_outside({.most = static_cast<double>(kMaxValues)}, static_cast<double>(values.size()),
                 "values", "values must list at most {} values, but lists {}", kMaxValues,
                 values.size());
  Categories categories;
  categories.ordered_ = ordered;
  categories.verbatim_ = verbatim;
  for (const std::string& value : values) {
    require_declarable(value, {"a value", "values"});
    refuse_if(categories.values_.find(value) != StringIndex::kAbsent, "duplicate-value", "values",
              "values must be distinct, but \"{}\" is listed twice", value);
    const std::uint32_t cell = categories.values_.insert(value);
    if (verbatim) continue;
    SameValueBuffer buffer;
    const auto same = same_value_text(value, buffer);
    if (!same) continue;
    const std::uint32_t place = categories.typed_.find(*same);
    if (place != StringIndex::kAbsent) {
      refuse_input("duplicate-value", "values", {WayOut::set("verbatim", "true")},
                   "values must be distinct, but \"{}\" and \"{}\" are one value, written in two "
                   "ways: keep one of them, or declare verbatim: true, for codes",
                   categories.value(categories.typed_cells_[place]), value);
    }
    categories.typed_.insert(*same);
    categories.typed_cells_.push_back(cell);
  }
  for (const std::size_t no : {0U, 1U}) {
    if (verbatim || values.size() != 2 || !BooleanWords::are_usual(values[no], values[1 - no]))
      continue;
    categories.truths_ = BooleanWords::make(values[no], values[1 - no]);
    categories.cell_of_false_ = static_cast<std::uint32_t>(no);
  }
  return categories;
}

Reading Categories::read(std::string_view text) const noexcept {
  const std::uint32_t cell = values_.find(text);
  if (cell != StringIndex::kAbsent) return {Verdict::kValue, cell};
  if (typed_.size() > 0) {
    SameValueBuffer buffer;
    const auto same = same_value_text(text, buffer);
    const std::uint32_t place = same ? typed_.find(*same) : StringIndex::kAbsent;
    if (place != StringIndex::kAbsent) return {Verdict::kValue, typed_cells_[place]};
  }
  if (truths_) {
    const Reading truth = truths_->read(text);
    if (truth.verdict == Verdict::kValue) return {Verdict::kValue, truth.cell ^ cell_of_false_};
  }
  return {is_null_word(text) ? Verdict::kNull : Verdict::kOutside, 0};
}

void Categories::write(std::uint32_t cell, std::uint64_t /*point*/, std::string& text) const {
  text += value(cell);
}

std::string Categories::expectation() const {
  if (size() == 1) return fmt::format("the declared value \"{}\"", value(0));
  return fmt::format("one of {} declared values", size());
}

}  // namespace mollify
