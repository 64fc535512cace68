#include "space/boolean_words.h"

#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"
#include "space/same_value.h"

namespace mollify {
namespace {

/// What stands for the number that the word writes; empty if it writes none.
std::string number_of(std::string_view word) {
  SameValueBuffer buffer;
  return std::string(same_number_text(word, buffer).value_or(std::string_view()));
}

}  // namespace

BooleanWords BooleanWords::make(std::string false_word, std::string true_word) {
  require_declarable(false_word, "the word for false");
  require_declarable(true_word, "the word for true");
  const std::string false_number = number_of(false_word);
  if (equal_ignoring_case(false_word, true_word) ||
      (!false_number.empty() && false_number == number_of(true_word))) {
    throw InvalidInput(fmt::format(
        "the words for false and true must differ by more than case or the way to write a number, "
        "but they are \"{}\" and \"{}\"",
        false_word, true_word));
  }
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

}  // namespace mollify
