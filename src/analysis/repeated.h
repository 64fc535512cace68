// A question that each device is asked day after day: the cost of each way to ask it, and the error
// of a day's estimate.
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

/// One way. Errors are standard errors of a share of one half on one day, with sampling.
struct RepeatedWay {
  const char* name;   ///< "daily", "periods", "kept", "rotation", "shuffled"
  const char* words;  ///< for people
  std::uint64_t draws;
  double devices;  ///< that report on a day
  /// A draw's epsilon and the error if all days cost the question's epsilon. There is no error if
  /// no device reports on a day.
  double draw_epsilon = 0;
  std::optional<double> error{};
  /// The least epsilon of a draw, and of all days, that has the question's error, rounded up to
  /// three digits. None if no epsilon up to 30 a draw does.
  std::optional<double> draw_epsilon_needed{}, epsilon_needed{};
};

/// All ways. All except `shuffled` are pure, and hold against a collector that sees who sends: draws
/// times the epsilon of one draw, whatever a device's history [docs/theory/repeated-answers.md].
/// `shuffled` holds against an observer who sees the shuffled reports alone. There draw_epsilon is a
/// report's epsilon0; the days' certified epsilon [accounting/shuffling.h] and `delta` add up.
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
