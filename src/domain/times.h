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
#include "domain/time_text.h"
#include "domain/zones.h"

namespace mollify {

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
/// after 9999 and the infinities of databases lie beyond a bound.
///
/// Cells are what a clock shows. Without a stated zone that is each time's own clock: the offset
/// or the zone of a time is left out. With a zone it is the clock of that zone: times with an offset or
/// another zone are converted, and times without one are readings of that clock. So no cell depends
/// on the machine's zone data. Released seconds state the offset of their moment. A reading that
/// comes twice, in the night in which summer time ends, is released as the first one; a reading
/// that is skipped as the time that lies as far behind the beginning of the gap.
///
/// With a `format`, texts are read in it, or as ISO 8601 has them, because programs write their days
/// so into files; other texts are unreadable. Released texts are written in it. A format without days
/// makes cells of whole months or years, and one without seconds has a step.
class DateCells {
 public:
  struct Declaration {
    Grain grain = Grain::kDay;
    std::string min{}, max{};  ///< as values are written
    std::optional<Period> period{};
    std::optional<std::uint64_t> bins{};  ///< instead of a period
    std::optional<std::string> zone{};    ///< "Z", "+01:00" or "Europe/Berlin"
    std::optional<std::string> format{};  ///< of TimeFormat
    /// The column's only days or times, ascending, instead of all but zone and format.
    std::vector<std::string> values{};
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

  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept;
  /// The day, or the second of the column's clock, that a text or a moment is; nothing for another
  /// text, and for moments beyond the years 1 to 9999.
  [[nodiscard]] std::optional<std::int64_t> place_of(std::string_view text) const noexcept;
  [[nodiscard]] std::optional<std::int64_t> place_of(const Moment& moment) const noexcept;
  /// The moment of such a day or second.
  [[nodiscard]] Moment moment_at(std::int64_t place) const noexcept;
  [[nodiscard]] Moment value(std::uint32_t cell, std::uint64_t point) const noexcept;
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  /// The clock of a column with a zone.
  struct Clock {
    std::int64_t offset = 0;
    const Zone* zone = nullptr;  ///< instead of the offset

    /// What it shows at a second of UTC, and the reverse.
    [[nodiscard]] std::int64_t shown_at(std::int64_t instant) const noexcept {
      return instant + (zone != nullptr ? zone->offset_at(instant) : offset);
    }
    [[nodiscard]] std::int64_t instant_of(std::int64_t clock) const noexcept {
      return zone != nullptr ? zone->instant_of(clock) : clock - offset;
    }
  };

  explicit DateCells(Declaration declared);

  /// A declared bound or spike. Throws InvalidInput for another text.
  [[nodiscard]] std::int64_t declared_place(const char* key, const std::string& text,
                                            bool is_end = false) const;
  /// Ascending. Throws InvalidInput for others.
  [[nodiscard]] std::vector<std::int64_t> declared_places(
      const char* key, const std::vector<std::string>& texts) const;
  /// In the column's format, or as ISO 8601 has it.
  [[nodiscard]] std::optional<TimeText> time_in(std::string_view text) const noexcept;
  [[nodiscard]] std::int64_t place_of(const TimeText& time) const noexcept;
  [[nodiscard]] bool in_days() const noexcept { return declared_.grain == Grain::kDay; }
  [[nodiscard]] bool is_listed() const noexcept { return !declared_.values.empty(); }
  /// The beginning of the step, or of the month or year in a format without days, that the place
  /// lies in.
  [[nodiscard]] std::int64_t start_of_unit(std::int64_t place) const noexcept;
  void require_fitting_format() const;
  /// Of months or years, from `min` to `max`.
  void cut_by_units(IntegerCells::Declaration& numbers);
  /// The first of `starts_` that is not before the cell, or their end.
  [[nodiscard]] std::vector<std::int64_t>::const_iterator start_in(
      std::uint32_t cell) const noexcept;

  /// Of a day, or of a second that the column's clock shows.
  [[nodiscard]] Reading read_place(std::int64_t place) const noexcept;
  /// Of what lies before (-1) or after (1) all years, or is no time (0).
  [[nodiscard]] Reading beyond(int side) const noexcept;

  Declaration declared_;  // min and max are set, also if values declare them
  std::optional<Clock> clock_;
  const TimeFormat* format_ = nullptr;
  MomentForm form_;
  std::optional<std::int64_t> step_;  // of seconds
  std::vector<std::int64_t> starts_;  // of the months or years that are values; otherwise none
  IntegerCells cells_ = IntegerCells::make(0, 0);
};

}  // namespace mollify
