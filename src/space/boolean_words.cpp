#include "space/boolean_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"
#include "space/same_value.h"

namespace mollify {
namespace {

/// Whether two words are the same but for the case of letters, or write the same number.
bool are_same(std::string_view left, std::string_view right) noexcept {
  if (equal_ignoring_case(left, right)) return true;
  SameValueBuffer of_left, of_right;
  const auto number = same_number_text(left, of_left);
  return number && number == same_number_text(right, of_right);
}

bool is_usual(std::string_view word, bool truth) noexcept {
  static constexpr std::array<std::array<std::string_view, 5>, 2> kUsual = {
      {{"false", "f", "no", "n", "0"}, {"true", "t", "yes", "y", "1"}}};
  const auto& usual = kUsual[truth ? 1 : 0];
  return std::any_of(usual.begin(), usual.end(),
                     [word](std::string_view candidate) { return are_same(word, candidate); });
}

}  // namespace

BooleanWords BooleanWords::make(std::string false_word, std::string true_word) {
  require_declarable(false_word, "the word for false");
  require_declarable(true_word, "the word for true");
  if (are_same(false_word, true_word)) {
    throw InvalidInput(fmt::format(
        "the words for false and true must differ by more than case or the way to write a number, "
        "but they are \"{}\" and \"{}\"",
        false_word, true_word));
  }
  const bool usual = is_usual(false_word, false) && is_usual(true_word, true);
  return BooleanWords(std::move(false_word), std::move(true_word), usual);
}

Reading BooleanWords::read(std::string_view text) const noexcept {
  for (const std::string_view word : {text, without_outer_spaces(text)}) {
    for (const std::uint32_t cell : {0U, 1U}) {
      if (equal_ignoring_case(word, words_[cell])) return {Verdict::kValue, cell};
    }
  }
  const std::string_view word = without_outer_spaces(text);
  if (is_null_word(word)) return {Verdict::kNull, 0};
  for (const std::uint32_t cell : {0U, 1U}) {
    if (are_same(word, words_[cell])) return {Verdict::kValue, cell};
    if (reads_usual_words_ && is_usual(word, cell == 1)) return {Verdict::kValue, cell};
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
