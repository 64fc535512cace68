#include "formats/draft_grids.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "domain/time_text.h"

namespace mollify {

namespace {

/// Chances below are no chances.
const double kLogOfChance = std::log(1e-6);
/// The least share of a grid's places that is seen.
constexpr std::size_t kPlacesOfEach = 4;
constexpr std::size_t kMostOfAnyGrid = 64;

std::int64_t floor_of(std::int64_t value, std::int64_t by) { return divided_down(value, by); }

/// The greatest divisor of all distances between ascending places; 0 for fewer than two.
std::int64_t common_distance(const std::vector<std::int64_t>& places) {
  std::int64_t distance = 0;
  for (std::size_t i = 1; i < places.size(); ++i)
    distance = std::gcd(distance, places[i] - places[i - 1]);
  return distance;
}

/// Whether different places all lie on one in `one_in` by chance.
bool may_be_chance(std::size_t places, double one_in) {
  return static_cast<double>(places - 1) * -std::log(one_in) > kLogOfChance;
}

bool is_worth_listing(std::int64_t on_grid, std::size_t seen) {
  const auto all = static_cast<std::size_t>(on_grid);
  return all <= kMostOnGrid && all <= std::max(kMostOfAnyGrid, kPlacesOfEach * seen);
}

std::vector<std::int64_t> listed(std::int64_t first, std::int64_t last, std::int64_t distance) {
  std::vector<std::int64_t> places;
  for (std::int64_t place = first; place <= last; place += distance) places.push_back(place);
  return places;
}

}  // namespace

std::vector<std::int64_t> places_on_grid(const std::vector<std::int64_t>& places,
                                         std::int64_t step) {
  const std::int64_t distance = common_distance(places);
  if (distance <= step || step < 1) return {};
  const std::int64_t on_grid = (places.back() - places.front()) / distance + 1;
  if (may_be_chance(places.size(), static_cast<double>(distance) / static_cast<double>(step)))
    return {};
  if (!is_worth_listing(on_grid, places.size())) return {};
  return listed(places.front(), places.back(), distance);
}

// -----------------------------------------------------------------------------------------------
// Days.

namespace {

constexpr std::int64_t kMonths = 12;

/// A day of the calendar, with months counted from the year 0 on.
struct CalendarDay {
  std::int64_t month = 0;
  std::int64_t day = 0;
  std::int64_t last = 0;  // of the month
};

std::chrono::year_month month_at(std::int64_t month) {
  const std::int64_t year = floor_of(month, kMonths);
  return std::chrono::year(static_cast<int>(year)) /
         std::chrono::month(static_cast<unsigned>(month - year * kMonths + 1));
}

/// Days since 1970 of the first of a month.
std::int64_t first_of_month(std::int64_t month) {
  return std::chrono::sys_days(month_at(month) / 1).time_since_epoch().count();
}

CalendarDay calendar_day(std::int64_t day) {
  const std::chrono::year_month_day date =
      std::chrono::sys_days(std::chrono::days(static_cast<int>(day)));
  const std::int64_t month = static_cast<int>(date.year()) * kMonths +
                             static_cast<std::int64_t>(static_cast<unsigned>(date.month())) - 1;
  return {.month = month,
          .day = static_cast<std::int64_t>(static_cast<unsigned>(date.day())),
          .last = first_of_month(month + 1) - first_of_month(month)};
}

}  // namespace

std::vector<std::int64_t> days_on_grid(const std::vector<std::int64_t>& days) {
  if (days.size() < 2) return {};
  std::vector<CalendarDay> seen;
  for (const std::int64_t day : days) seen.push_back(calendar_day(day));
  const auto all = [&](const auto& is) { return std::all_of(seen.begin(), seen.end(), is); };
  const bool are_last = all([](const CalendarDay& one) { return one.day == one.last; });
  if (are_last || all([&](const CalendarDay& one) { return one.day == seen.front().day; })) {
    std::vector<std::int64_t> months;
    for (const CalendarDay& one : seen) months.push_back(one.month);
    const std::int64_t distance = common_distance(months);
    constexpr double kDaysOfMonth = 30;
    const std::int64_t on_grid = (months.back() - months.front()) / distance + 1;
    if (may_be_chance(days.size(), kDaysOfMonth) || !is_worth_listing(on_grid, days.size()))
      return {};
    std::vector<std::int64_t> places;
    for (const std::int64_t month : listed(months.front(), months.back(), distance)) {
      const std::int64_t first = first_of_month(month);
      const std::int64_t last = first_of_month(month + 1) - 1;
      const std::int64_t place = are_last ? last : first + seen.front().day - 1;
      if (place <= last) places.push_back(place);
    }
    return places;
  }
  return places_on_grid(days, 1);
}

// -----------------------------------------------------------------------------------------------
// Last digits.

std::string LastDigits::words() const {
  const auto digits = static_cast<int>(std::lround(std::log10(modulus)));
  return fmt::format("their last {} {} to {}",
                     digits == 1 ? "digit is" : fmt::format("{} digits are", digits), least,
                     greatest);
}

std::vector<std::int64_t> LastDigits::all(std::int64_t min, std::int64_t max) const {
  constexpr std::int64_t kOfDays = 100, kDaysOfAllMonths = 28;
  constexpr std::array<std::int64_t, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const std::int64_t first = floor_of(min, modulus), last = floor_of(max, modulus);
  const bool are_days = modulus == kOfDays && first >= 1 && last <= kMonths && least >= 1 &&
                        greatest > kDaysOfAllMonths && greatest <= kDays[0];
  std::vector<std::int64_t> integers;
  for (std::int64_t i = first; i <= last; ++i) {
    const std::int64_t end =
        are_days ? std::min(greatest, kDays[static_cast<std::size_t>(i - 1)]) : greatest;
    for (std::int64_t digits = least; digits <= end; digits += step) {
      const std::int64_t integer = i * modulus + digits;
      if (integer < min || integer > max) continue;
      if (integers.size() == kMostOnGrid) return {};
      integers.push_back(integer);
    }
  }
  return integers;
}

std::vector<std::int64_t> LastDigits::edges(std::int64_t min, std::int64_t max) const {
  std::vector<std::int64_t> places = {min};
  for (std::int64_t i = floor_of(min, modulus); i <= floor_of(max, modulus); ++i) {
    for (const std::int64_t edge : {i * modulus + least, i * modulus + greatest + step}) {
      if (edge <= places.back() || edge >= max) continue;
      if (places.size() == kMostOnGrid) return {};
      places.push_back(edge);
    }
  }
  places.push_back(max);
  return places;
}

std::optional<LastDigits> last_digits_of(const std::vector<std::int64_t>& integers,
                                         std::int64_t step) {
  constexpr std::int64_t kFewestBefore = 3;
  // Quarters; months, days, weeks and minutes; days of a year.
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 3> kMost = {
      {{10, 4}, {100, 60}, {1000, 366}}};
  for (const auto& [modulus, most] : kMost) {
    if (modulus % step != 0 || integers.empty()) continue;
    if (floor_of(integers.back(), modulus) - floor_of(integers.front(), modulus) <
        kFewestBefore - 1)
      return std::nullopt;
    LastDigits found{.modulus = modulus, .least = modulus, .greatest = 0, .step = step};
    for (const std::int64_t integer : integers) {
      const std::int64_t digits = integer - floor_of(integer, modulus) * modulus;
      found.least = std::min(found.least, digits);
      found.greatest = std::max(found.greatest, digits);
    }
    const std::int64_t kinds = found.greatest - found.least + step;
    if (kinds > most || kinds <= step) continue;
    if (!may_be_chance(integers.size(), static_cast<double>(modulus) / static_cast<double>(kinds)))
      return found;
  }
  return std::nullopt;
}

// -----------------------------------------------------------------------------------------------
// Steps of most numbers.

std::vector<std::pair<std::int64_t, double>> steps_of_most(
    const std::vector<std::int64_t>& integers, std::size_t others) {
  constexpr std::size_t kOneInOfOthers = 5;
  std::int64_t step = 0;
  for (const std::int64_t integer : integers) step = std::gcd(step, integer);
  std::vector<std::pair<std::int64_t, double>> steps;
  const std::size_t all = integers.size() + others;
  // 0 is a multiple of everything.
  const auto zeros = static_cast<std::size_t>(std::count(integers.begin(), integers.end(), 0));
  if (step == 0 || kOneInOfOthers * others > all - zeros) return steps;
  // Ln of the chance that as many of other numbers are multiples of a prime.
  const auto log_of_chance = [&](std::size_t kept, std::int64_t prime) {
    const auto count = static_cast<double>(all - zeros);
    const double share = static_cast<double>(kept - zeros) / count;
    const double usual = 1.0 / static_cast<double>(prime);
    const double others_share = 1 - share;
    return -count * (share * std::log(share / usual) +
                     (others_share > 0 ? others_share * std::log(others_share / (1 - usual)) : 0));
  };
  const auto multiples = [&](std::int64_t of) {
    return static_cast<std::size_t>(std::count_if(
        integers.begin(), integers.end(), [of](std::int64_t one) { return one % of == 0; }));
  };
  if (others > 0)
    steps.emplace_back(step, static_cast<double>(integers.size()) / static_cast<double>(all));
  for (const std::int64_t prime : {2, 5, 3, 7}) {
    for (;;) {
      const std::size_t kept = multiples(step * prime);
      if (kept == zeros || kOneInOfOthers * (all - kept) > all - zeros ||
          log_of_chance(kept, prime) > kLogOfChance)
        break;
      step *= prime;
      steps.emplace_back(step, static_cast<double>(kept) / static_cast<double>(all));
    }
  }
  return steps;
}

}  // namespace mollify
