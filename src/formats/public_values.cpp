#include "formats/public_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Texts that no domain can declare.

std::string undeclarable_part(std::string_view text, bool is_in_memory) {
  if (!is_utf8(text)) return "bytes that are not UTF-8 text";
  const auto control = std::find_if(text.begin(), text.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
  });
  if (control == text.end()) return "";
  switch (*control) {
    case '\t':
      return "a tab";
    case '\f':
      return "a form feed";
    case '\n':
    case '\r':
      return "a line break";
    case '\v':
      return is_in_memory ? "a line break" : "a vertical tab";
    default:
      return fmt::format("a control character (byte {})", static_cast<unsigned>(*control));
  }
}

// -----------------------------------------------------------------------------------------------
// Days and times in other formats than ISO 8601's.

namespace {

constexpr std::int64_t kBeginOf1800 = -5'364'662'400, kEndOf2200 = 7'289'654'400;
/// Of numbers that a column's name calls days or seconds. Those of days are less than those of
/// seconds.
constexpr std::int64_t kBeginOf1950 = -631'152'000, kBeginOf1974 = 126'230'400,
                       kEndOf2100 = 4'133'980'800;

bool names_one_of(std::string_view column, std::span<const std::string_view> words) {
  std::string lower(column);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool is_count(const TimeFormat& format) { return format.text().find('%') == std::string::npos; }

}  // namespace

DayFormats::DayFormats(std::string_view column) {
  constexpr std::array<std::string_view, 11> kDays = {
      "%Y%m%d",   "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
      "%Y/%m/%d", "%Y.%m.%d", "%d-%b-%Y", "%d %b %Y", "%d%b%Y"};
  for (const std::string_view day : kDays) {
    for (const std::string_view clock : {"", " %H:%M", " %H:%M:%S"}) {
      left_.push_back({&TimeFormat::require(fmt::format("{}{}", day, clock))});
    }
  }
  left_.push_back({&TimeFormat::require("%Y-%m")});
  left_.push_back({&TimeFormat::require("%b %Y")});
  constexpr std::array<std::string_view, 3> kNamesOfDays = {"date", "datum", "excel"};
  constexpr std::array<std::string_view, 5> kNamesOfSeconds = {"date", "time", "stamp", "unix",
                                                               "epoch"};
  if (names_one_of(column, kNamesOfDays)) left_.push_back({&TimeFormat::require("excel")});
  if (names_one_of(column, kNamesOfSeconds)) left_.push_back({&TimeFormat::require("unix")});
}

void DayFormats::see(std::string_view text) {
  if (left_.empty()) return;
  if (value_.empty()) value_ = text;
  std::erase_if(left_, [&](Candidate& one) {
    const auto time = one.format->read(text);
    if (!time) return true;
    const bool is_number = is_count(*one.format);
    const std::int64_t last = is_number ? kEndOf2100 : kEndOf2200;
    const std::int64_t first = !is_number                     ? kBeginOf1800
                               : one.format->counts_seconds() ? kBeginOf1974
                                                              : kBeginOf1950;
    one.first = std::min(one.first, time->seconds);
    one.last = std::max(one.last, time->seconds);
    one.has_clocks = one.has_clocks || !time->is_day;
    return time->seconds < first || time->seconds >= last;
  });
}

const TimeFormat* DayFormats::found() const {
  if (left_.size() != 1) return nullptr;
  const Candidate& one = left_.front();
  // A single number may be anything.
  const bool is_number = is_count(*one.format) || one.format->text() == "%Y%m%d";
  return is_number && one.first == one.last ? nullptr : one.format;
}

DateCells::Declaration DayFormats::declared(const Candidate& candidate) {
  const MomentForm form{.kind = MomentForm::Kind::kInstant, .format = candidate.format};
  const auto written = [&](std::int64_t second) {
    TextBuffer buffer;
    return std::string(text_of(Moment{second, form}, buffer));
  };
  return {.grain = candidate.has_clocks ? Grain::kSecond : Grain::kDay,
          .min = written(candidate.first),
          .max = written(candidate.last),
          .format = candidate.format->text()};
}

std::string DayFormats::words_if_ambiguous() const {
  if (left_.size() < 2) return "";
  const auto words = [](const Candidate& one) {
    const DateCells::Declaration as = declared(one);
    return fmt::format("{{type: {}, min: \"{}\", max: \"{}\", bins: month, format: \"{}\"}}",
                       as.grain == Grain::kDay ? "date" : "datetime", as.min, as.max, *as.format);
  };
  return fmt::format(
      "its values look like days, as \"{}\", but nothing shows whether the day or the month comes "
      "first; declare {} or {}",
      value_, words(left_[0]), words(left_[1]));
}

}  // namespace mollify
