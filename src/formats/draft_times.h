// The days and times of a public column, and the cells that a draft makes of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time_text.h"
#include "domain/times.h"
#include "formats/draft_cuts.h"
#include "formats/public_values.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Days and times in other formats than ISO 8601's.

/// The formats that all values of a column have, if they are days or times from 1800 to 2200, or codes like
/// 9999-12-31: those
/// that people and programs write most. Numbers of days and of seconds are some only in a column
/// whose name has a word such as "date" or "time", and no word for a quantity, because any number may
/// be one. "created", "ts", "day" and "startdate" need 20 different seconds, or the last two days, from
/// 1990 to 2040. "start" and "visit" need six days, and days of another column within a year of them.
class DayFormats {
 public:
  explicit DayFormats(std::string_view column);

  void see(std::string_view text);
  /// The seconds since 1970 of the first and the last day in another column of the table.
  void see_other_days(double first, double last);
  /// The format that is left; nullptr if no format is, or if the day or the month may come first.
  [[nodiscard]] const TimeFormat* found() const;
  /// The texts of all formats that are left; none if a number may be no day.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// How to declare the column in the format that is left.
  [[nodiscard]] DateCells::Declaration declaration() const { return declared(left_.front()); }
  /// The seconds since 1970 of the format that is left.
  [[nodiscard]] const PlacesSeen& places() const { return left_.front().places; }
  /// "its values are days like ..., with the day or the month first"; empty for others.
  [[nodiscard]] std::string words_if_ambiguous() const;

 private:
  struct Candidate {
    const TimeFormat* format;
    PlacesSeen places{};  // seconds
    bool has_clocks = false;
    bool is_guess = false;      // the column's name may mean something else
    bool needs_others = false;  // days in another column
  };

  [[nodiscard]] static DateCells::Declaration declared(const Candidate& candidate);

  std::vector<Candidate> left_{};
  std::string value_{};  // the first one
};

// -----------------------------------------------------------------------------------------------
// What has been seen of a column's days and times.

class MomentsSeen {
 public:
  /// `is_in_memory`: the table has rows and no lines for people.
  MomentsSeen(std::string_view column, bool is_in_memory)
      : formats_(column),
        days_{.is_in_memory = is_in_memory},
        times_{.is_in_memory = is_in_memory} {}

  void see(std::string_view text, std::uint64_t line);
  void see_null() { ++nulls_; }
  /// The first and the last day of another column. Requires are_moments of that.
  void see_other(const MomentsSeen& other) {
    formats_.see_other_days(other.places().min(), other.places().max());
  }

  /// The infinities of databases, which are days and times too.
  [[nodiscard]] std::uint64_t infinite() const { return infinite_; }
  /// All are days, except for words such as "Unknown", which are nulls; so are midnights of their own clocks, as programs write days.
  [[nodiscard]] bool all_days() const { return days_.others == 0 && days_.of_type > 0; }
  /// All with an offset from UTC, or none; days among them.
  [[nodiscard]] bool all_times() const {
    return times_.others == 0 && clocks_ > 0 && (offsets_ == 0 || offsets_ == times_.of_type);
  }
  /// The one format that all have, if it is not ISO 8601; nullptr for others.
  [[nodiscard]] const TimeFormat* format() const { return formats_.found(); }
  [[nodiscard]] bool are_moments() const {
    return all_days() || all_times() || format() != nullptr;
  }
  /// The few values that keep the column from being days or times; empty if they are many, or none.
  [[nodiscard]] std::string few_strangers() const;
  /// How to declare what is mostly days or times, but not all of them; empty for others.
  [[nodiscard]] std::string proposed() const;

  /// "days from 2026-01-01 to 2026-01-28", for people. Requires are_moments.
  [[nodiscard]] std::string words() const;
  /// A list of few different ones, or of those on a grid, as Mondays are, or cells of a calendar's
  /// periods, in which frequent ones are spikes. Requires are_moments.
  [[nodiscard]] CellsAndCodes cells() const;

 private:
  /// Without min, max and cells.
  [[nodiscard]] DateCells::Declaration declaration() const;
  [[nodiscard]] const PlacesSeen& places() const {
    return format() != nullptr ? formats_.places() : places_;
  }
  /// The only days or times that are likely: all of a grid, or those that come again, few of their
  /// range. Empty if there are no such ones.
  [[nodiscard]] std::vector<double> likely_ones(const PlacesWithoutCodes& rest,
                                                DateCells::Declaration declared) const;
  /// The offset that all times state. If they state several, each time is on its own clock.
  [[nodiscard]] std::optional<std::string> zone() const;

  DayFormats formats_;
  Strangers days_, times_;
  PlacesSeen places_;  // seconds that the clock of each shows
  std::string first_day_, last_day_, a_day_;
  std::uint64_t nulls_ = 0;
  std::uint64_t infinite_ = 0;
  std::uint64_t like_days_ = 0;
  std::uint64_t clocks_ = 0;              // times that are more than a day
  std::uint64_t offsets_ = 0;             // times that state one from UTC
  std::optional<std::int64_t> offset_{};  // that the last one of these stated
  bool have_one_offset_ = true;
  std::int64_t common_seconds_ = 0;  // divides the times
};

}  // namespace mollify
