// Days and times as they are written: as ISO 8601 writes them, and in declared formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Days and times as they are written.

inline constexpr std::int64_t kSecondsOfDay = 86'400;

struct TimeText {
  std::int64_t seconds = 0;              ///< since 1970, of the clock that was read
  std::optional<std::int64_t> offset{};  ///< of that clock from UTC, in seconds to the east
  std::string_view fraction{};           ///< digits of a second's part, none of them a last zero
  bool is_day = false;                   ///< without a clock
};

/// "2026-01-31", which is its first second, or "2026-01-31T12:34:56+01:00", in DateCells' forms;
/// nothing for any other text. Years are from 1 to 9999. A space may come before the offset, " UTC"
/// and " GMT" are offsets, and a zone in brackets may follow: "12:34+01:00[Europe/Berlin]".
[[nodiscard]] std::optional<TimeText> read_time(std::string_view text) noexcept;

/// -1 or 1 for a time before or after those years, also an infinity, as databases write them:
/// "-infinity", "0044-03-15 BC", "12024-02-29"; 0 for every other text.
[[nodiscard]] int side_of_far_time(std::string_view text) noexcept;

/// "9:30" or "09:30:00.5Z": the clock of a time, without a day. Seconds are since midnight.
[[nodiscard]] std::optional<TimeText> read_clock(std::string_view text) noexcept;

/// "Z", "+01:00", "-0530" or "+00:53:28", in seconds east of UTC; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> read_offset(std::string_view text) noexcept;

/// Rounded down.
[[nodiscard]] std::int64_t divided_down(std::int64_t value, std::int64_t by) noexcept;
/// The day since 1970 in which a second since 1970 lies.
[[nodiscard]] std::int64_t day_of(std::int64_t seconds) noexcept;
/// The day, and the second of it, that the moment's clock shows.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> shown_by(const Moment& moment) noexcept;

// -----------------------------------------------------------------------------------------------
// Formats of other days and times.

/// A declared way to write days or times: "%d.%m.%Y", with strptime's letters, "excel" for days since
/// 1899-12-30, as spreadsheets number them, or "unix" for seconds of UTC since 1970. Immutable; it
/// lives as long as the program, so equal formats have equal addresses.
///
/// Day, month, hour, minute and second may have one digit if a mark, or nothing, follows. `%b` is a
/// month's English name of three letters, in any case. Digits alone may be written as programs write
/// a column with nulls, 20230310.0, and may lack the first zero, 3102023 for 03102023.
class TimeFormat {
 public:
  /// The finest part of a time that the format shows.
  enum class Unit : std::uint8_t { kSecond, kMinute, kHour, kDay, kMonth, kYear };

  /// Throws InvalidInput for other texts. Parts may be missing from the finest on: a format has a
  /// year, and a month if it has a day.
  [[nodiscard]] static const TimeFormat& require(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] Unit unit() const noexcept { return unit_; }
  [[nodiscard]] bool counts_seconds() const noexcept { return kind_ == Kind::kUnix; }

  /// Nothing for other texts, and for days before the year 1 or after 9999. Only seconds of "unix"
  /// have an offset from UTC, 0. Total; O(length).
  [[nodiscard]] std::optional<TimeText> read(std::string_view text) const noexcept;
  /// -1 or 1 for numbers of days or seconds before or after those years, 0 for all other texts.
  [[nodiscard]] int side_of_far_time(std::string_view text) const noexcept;

  /// Writes a day since 1970 and a second of it, at most 60 letters, and returns their end.
  /// `instant` is their second of UTC.
  char* write(std::int64_t day, std::int64_t second, std::int64_t instant, char* to) const noexcept;

 private:
  enum class Kind : std::uint8_t { kLetters, kExcel, kUnix };
  /// A part of a time by strptime's letter, or a mark.
  struct Part {
    bool is_mark = false;
    char letter = 0;
  };

  TimeFormat(std::string text, Kind kind, Unit unit, std::vector<Part> parts);
  [[nodiscard]] std::optional<TimeText> read_letters(std::string_view text) const noexcept;
  /// Seconds since 1970, rounded; perhaps beyond all years.
  [[nodiscard]] std::optional<double> read_count(std::string_view text) const noexcept;

  std::string text_;
  Kind kind_;
  Unit unit_;
  std::vector<Part> parts_;
  bool is_of_digits_ = false;
};

}  // namespace mollify
