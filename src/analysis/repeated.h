// The same question day after day: what the ways to ask it cost each device, and how good a day's
// estimate is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/answer.h"

namespace mollify {

/// Public numbers, for reports of k-ary randomized response.
struct RepeatedQuestion {
  double devices = 1;
  double outcomes = 2;  ///< at least 2
  std::uint64_t days = 1;
  std::uint64_t draws = 1;  ///< fresh answers of a device that keeps each for a while, up to `days`
  double epsilon = 1;       ///< of a device, for all days
  double error = 0.01;      ///< the standard error to reach on each day
};

/// One way. The standard error is that of a share of one half on one day, sampling included.
struct RepeatedWay {
  const char* name;   ///< "daily", "periods", "kept", "rotation", "shuffled"
  const char* words;  ///< for people
  std::uint64_t draws;
  double devices;  ///< that report on a day
  /// At the question's epsilon: that of a draw, and the error; none if no device reports on a day.
  double draw_epsilon = 0;
  std::optional<double> error{};
  /// What reaches the question's error, rounded up to three digits: for each draw, and for all
  /// days. None if no epsilon up to 30 a draw does.
  std::optional<double> draw_epsilon_needed{}, epsilon_needed{};
};

/// All ways, and what the shuffled one rests on. Each but `shuffled` is pure, and holds against a
/// collector that sees who sends: draws times the epsilon of one draw, whatever a device's history
/// [docs/theory/repeated-answers.md]. The shuffled one holds against who sees shuffled reports
/// alone: its draw_epsilon is epsilon0, and its epsilon that of all days together, with `delta`,
/// by basic composition of the days [accounting/shuffling.h].
struct RepeatedWays {
  std::vector<RepeatedWay> ways{};
  double delta = 0;
};

/// Up to some seconds, which shuffling takes. InvalidInput for what shuffling refuses.
[[nodiscard]] RepeatedWays repeated_ways(const RepeatedQuestion& question);

/// The table and what to know of it.
void add_repeated(Answer& answer, const RepeatedQuestion& question, const RepeatedWays& found);

/// A delta that is small for n persons: at most a hundredth of 1/n, and 1e-6.
[[nodiscard]] double small_delta(double records);

}  // namespace mollify
