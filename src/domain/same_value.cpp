#include "domain/same_value.h"

#include <sodium.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/times.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// One text for all texts that write the same number, truth, day or time.

namespace {

/// The exponent that a number ends in, of at most nine digits: `e-3`. Nothing for other texts.
std::optional<std::int64_t> exponent_in(std::string_view text) noexcept {
  if (!text.starts_with('e') && !text.starts_with('E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  while (text.size() > 1 && text.front() == '0') text.remove_prefix(1);
  std::uint32_t size = 0;
  constexpr std::size_t kMostDigitsOfExponent = 9;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.size() > kMostDigitsOfExponent) return std::nullopt;
  return negative ? -std::int64_t{size} : std::int64_t{size};
}

// Written are the digits from the first to the last that is not zero, and the power of ten that
// they are multiplied by.
std::optional<std::string_view> unmarked_number_text(std::string_view text,
                                                     SameValueBuffer& buffer) noexcept {
  text = without_outer_spaces(text);
  char* const begin = buffer.letters.data();
  char* end = begin;
  if (text.starts_with('-')) *end++ = '-';
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const char* const first = end;
  std::int64_t exponent = 0;
  std::size_t zeros = 0;  // after the last digit that is not zero
  bool has_digit = false;
  bool has_point = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char letter = text.front();
    if (letter == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (letter < '0' || letter > '9') break;
    has_digit = true;
    if (has_point) --exponent;
    if (letter == '0') {
      if (end != first) ++zeros;
      continue;
    }
    const auto digits = static_cast<std::size_t>(end - first);
    if (digits + zeros >= SameValueBuffer::kMostDigits) return std::nullopt;
    end = std::fill_n(end, zeros, '0');
    zeros = 0;
    *end++ = letter;
  }
  if (!has_digit) return std::nullopt;
  if (!text.empty()) {
    const auto stated = exponent_in(text);
    if (!stated) return std::nullopt;
    exponent += *stated;
  }
  if (end == first) return "0";  // which has no sign
  exponent += static_cast<std::int64_t>(zeros);
  *end++ = 'e';
  end = std::to_chars(end, begin + buffer.letters.size(), exponent).ptr;
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

// Written are a mark, seconds of UTC's clock since 1970 or midnight, and parts of a second.
std::optional<std::string_view> same_time_text(std::string_view text,
                                               SameValueBuffer& buffer) noexcept {
  text = without_outer_spaces(text);
  auto time = read_time(text);
  const bool is_clock = !time;
  if (is_clock) time = read_clock(text);
  if (!time || time->fraction.size() > SameValueBuffer::kMostDigits) return std::nullopt;
  std::int64_t seconds = time->seconds - time->offset.value_or(0);
  if (is_clock) seconds = (seconds + kSecondsOfDay) % kSecondsOfDay;
  char* const begin = buffer.letters.data();
  *begin = is_clock ? ':' : 'T';
  char* end = std::to_chars(begin + 1, begin + buffer.letters.size(), seconds).ptr;
  *end++ = '.';
  end = std::copy(time->fraction.begin(), time->fraction.end(), end);
  return std::string_view(begin, static_cast<std::size_t>(end - begin));
}

}  // namespace

std::optional<std::string_view> same_number_text(std::string_view text,
                                                 SameValueBuffer& buffer) noexcept {
  if (const auto number = unmarked_number_text(text, buffer)) return number;
  UnmarkedBuffer unmarked;
  return unmarked_number_text(without_marks(text, true, unmarked), buffer);
}

std::optional<std::string_view> same_value_text(std::string_view text,
                                                SameValueBuffer& buffer) noexcept {
  for (const std::string_view truth : {"false", "true"}) {
    if (equal_ignoring_case(text, truth)) return truth;
  }
  const auto number = same_number_text(text, buffer);
  return number ? number : same_time_text(text, buffer);
}

// -----------------------------------------------------------------------------------------------
// A column of true and false.

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

// -----------------------------------------------------------------------------------------------
// Numbers strings 0, 1, 2, … in the order in which they were first seen.

namespace {

/// SipHash-2-4 with a key of this process, so that nobody can write down texts that collide. The
/// key is the 16 bytes that the operating system starts every program with: domains are read before
/// a release is charged, and until then nothing may be asked of its generator.
std::uint64_t hash_of(std::string_view text) noexcept {
  static const auto key = [] {
    std::array<unsigned char, crypto_shorthash_KEYBYTES> made{};
    if (const auto* given = reinterpret_cast<const unsigned char*>(::getauxval(AT_RANDOM))) {
      std::copy_n(given, made.size(), made.begin());
    }
    return made;
  }();
  static_assert(crypto_shorthash_BYTES == sizeof(std::uint64_t));
  std::array<unsigned char, crypto_shorthash_BYTES> bytes{};
  crypto_shorthash(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   key.data());
  return std::bit_cast<std::uint64_t>(bytes);
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

std::string_view StringIndex::operator[](std::size_t index) const noexcept {
  const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
  return {bytes_.data() + begin, static_cast<std::size_t>(ends_[index] - begin)};
}

std::size_t StringIndex::slot_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (slots_[slot].index != kAbsent &&
         (slots_[slot].tag != tag_of(hash) || (*this)[slots_[slot].index] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t StringIndex::find(std::string_view text) const noexcept {
  if (slots_.empty()) return kAbsent;
  return slots_[slot_of(text, hash_of(text))].index;
}

std::uint32_t StringIndex::insert(std::string_view text) {
  if (2 * (ends_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.index == kAbsent) {
    if (ends_.size() >= kAbsent) throw std::length_error("too many distinct strings");
    bytes_ += text;
    ends_.push_back(bytes_.size());
    slot = {tag_of(hash), static_cast<std::uint32_t>(ends_.size() - 1)};
  }
  return slot.index;
}

void StringIndex::grow() {
  std::vector<Slot> larger(slots_.empty() ? 16 : 2 * slots_.size());
  slots_.swap(larger);
  for (std::size_t index = 0; index < ends_.size(); ++index) {
    const std::uint64_t hash = hash_of((*this)[index]);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (slots_[slot].index != kAbsent) slot = (slot + 1) & mask;
    slots_[slot] = {tag_of(hash), static_cast<std::uint32_t>(index)};
  }
}

}  // namespace mollify
