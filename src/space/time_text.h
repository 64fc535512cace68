// Days and times as they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mollify {

inline constexpr std::int64_t kSecondsOfDay = 86'400;

struct TimeText {
  std::int64_t seconds = 0;              ///< since 1970, of the clock that was read
  std::optional<std::int64_t> offset{};  ///< of that clock from UTC, in seconds to the east
  std::string_view fraction{};           ///< digits of a second's part, none of them a last zero
};

/// "2026-01-31", which is its first second, or "2026-01-31T12:34:56+01:00", in the forms that
/// DateCells tells of; nothing for any other text. Years are from 1 to 9999.
[[nodiscard]] std::optional<TimeText> read_time(std::string_view text) noexcept;

/// "9:30" or "09:30:00.5Z": the clock of a time, without a day. Seconds are since midnight.
[[nodiscard]] std::optional<TimeText> read_clock(std::string_view text) noexcept;

/// "Z", "+01:00" or "-0530", in seconds east of UTC; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> read_offset(std::string_view text) noexcept;

}  // namespace mollify
