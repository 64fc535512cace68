// Days and times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "domain/numbers.h"
#include "domain/same_value.h"
#include "domain/settings.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Days and times as they are written.

inline constexpr std::int64_t kSecondsOfDay = 86'400;

struct TimeText {
  std::int64_t seconds = 0;              ///< since 1970, of the clock that was read
  std::optional<std::int64_t> offset{};  ///< of that clock from UTC, in seconds to the east
  std::string_view fraction{};           ///< digits of a second's part, none of them a last zero
};

/// "2026-01-31", which is its first second, or "2026-01-31T12:34:56+01:00", in DateCells' forms;
/// empty for any other text. Years are from 1 to 9999.
[[nodiscard]] std::optional<TimeText> read_time(std::string_view text) noexcept;

/// -1 or 1 for a time before or after those years, also an infinity, as databases write them:
/// "-infinity", "0044-03-15 BC", "12024-02-29"; 0 for every other text.
[[nodiscard]] int side_of_far_time(std::string_view text) noexcept;

/// "9:30" or "09:30:00.5Z": the clock of a time, without a day. Seconds are since midnight.
[[nodiscard]] std::optional<TimeText> read_clock(std::string_view text) noexcept;

/// "Z", "+01:00" or "-0530", in seconds east of UTC; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> read_offset(std::string_view text) noexcept;

// -----------------------------------------------------------------------------------------------
// A column of days, or of seconds, from min to max.

/// Cells that the calendar cuts: weeks begin on Monday.
enum class Period : std::uint8_t { kDay, kWeek, kMonth, kQuarter, kYear };

constexpr auto names_of(Period) {
  return std::array{Named{Period::kDay, "day"}, Named{Period::kWeek, "week"},
                    Named{Period::kMonth, "month"}, Named{Period::kQuarter, "quarter"},
                    Named{Period::kYear, "year"}};
}

/// The steps of times.
enum class TimeStep : std::uint8_t { kSecond, kMinute, kHour, kDay };

constexpr auto names_of(TimeStep) {
  return std::array{Named{TimeStep::kSecond, "second"}, Named{TimeStep::kMinute, "minute"},
                    Named{TimeStep::kHour, "hour"}, Named{TimeStep::kDay, "day"}};
}

/// What of a time a column holds.
enum class Grain : std::uint8_t { kDay, kSecond };

/// The days `2026-01-31`, or the seconds `2026-01-31T12:34:56`, of the years 1 to 9999, in cells.
///
/// A day may be given as a time, whose clock is left out, and a time as a day, which is its first
/// second; between day and clock may be a space, an hour may have one digit, and parts of a second
/// are left out. As `max` of a column of seconds a day is its last second. Days before the year 1,
/// after 9999 and the infinities of databases lie beyond a bound. A zone is stated: the column's clock has one offset from UTC, in which times with
/// another offset (`Z`, `+01:00`) are read, times without one are taken to be, and all are written.
/// Without a stated zone, days and times are what a wall clock shows, and one with an offset is
/// read as UTC's clock shows it: data frames with a zone hold UTC too, and both must give the same
/// cells.
class DateCells {
 public:
  struct Declaration {
    Grain grain = Grain::kDay;
    std::string min{}, max{};  ///< as values are written
    std::optional<Period> period{};
    std::optional<std::uint64_t> bins{};  ///< instead of a period
    std::optional<std::string> zone{};    ///< "Z" or "+01:00"; of seconds
    /// Days or times that many values are, each in a cell of its own, ascending.
    std::vector<std::string> spikes{};
    /// Values are multiples of it; of seconds.
    std::optional<TimeStep> step{};

    /// Sets period or bins: "month", or "12". Throws InvalidInput for anything else.
    void cut_by(const std::string& text);

    friend bool operator==(const Declaration&, const Declaration&) = default;
  };

  /// With neither period nor bins each day, or second, is a cell, as far as 2^24 go. Throws
  /// InvalidInput for other texts than days or times, a min above max, and both a period and bins.
  static DateCells make(const Declaration& declared);

  static const ColumnKind kDate, kDatetime;
  [[nodiscard]] static DateCells declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept {
    return declared_.grain == Grain::kDay ? kDate : kDatetime;
  }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  [[nodiscard]] const Declaration& declared() const noexcept { return declared_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return cells_.size(); }
  /// Days or seconds of the column's clock since the beginning of 1970.
  [[nodiscard]] const IntegerCells& cells() const noexcept { return cells_; }

  /// The cells of spikes, ascending.
  [[nodiscard]] std::vector<std::uint32_t> spike_cells() const { return cells_.spike_cells(); }

  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  [[nodiscard]] Reading read(const Moment& moment) const noexcept;

  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept {
    return cells_.points(cell);
  }
  /// The day, or the second of the column's clock, that a text or a moment is; nothing for another
  /// text, and for moments beyond the years 1 to 9999.
  [[nodiscard]] std::optional<std::int64_t> place_of(std::string_view text) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> place_of(const Moment& moment) const noexcept;
  /// The moment of such a day or second.
  [[nodiscard]] Moment moment_at(std::int64_t place) const noexcept {
    return {place - form_.offset.value_or(0), form_};
  }
  [[nodiscard]] Moment value(std::uint32_t cell, std::uint64_t point) const noexcept;
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  DateCells(Declaration declared, std::optional<std::int64_t> offset, IntegerCells cells);

  /// Of what lies before (-1) or after (1) all years, or is no time (0).
  /// Of a day, or of a second that the column's clock shows.
  [[nodiscard]] Reading read_place(std::int64_t place) const noexcept;
  [[nodiscard]] Reading beyond(int side) const noexcept;

  Declaration declared_;
  MomentForm form_;
  IntegerCells cells_;
};

}  // namespace mollify
