#include "formats/draft_numbers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/numbers.h"
#include "domain/same_value.h"
#include "domain/time_text.h"

namespace mollify {

namespace {

constexpr std::size_t kRowsOfOne = 5;  // of one value that comes again

}  // namespace

// -----------------------------------------------------------------------------------------------
// What has been seen of a column's numbers.

void NumbersSeen::Decimals::see(double number, std::size_t decimals) {
  most = std::max(most, decimals);
  if (decimals < kMostDecimals && std::fabs(number) < kMostExact / kPartsOfOne)
    common_parts = std::gcd(common_parts, std::llround(number * kPartsOfOne));
  else
    most = std::max(most, kMostDecimals);
}

double NumbersSeen::Decimals::step() const {
  if (most >= kMostDecimals || common_parts == 0) return 0;
  return of_few_decimals(static_cast<double>(common_parts) / kPartsOfOne);
}

void NumbersSeen::see_decimals(double number, std::string_view text) {
  const auto decimals_in = [](std::string_view digits) {
    if (digits.find_first_of("eE") != std::string_view::npos) return kMostDecimals;
    const std::size_t point = digits.find('.');
    return point == std::string_view::npos ? 0 : digits.find_last_not_of('0') - point;
  };
  const std::size_t decimals = decimals_in(text);
  decimals_.see(number, decimals);
  if (!are_singles_) return;
  const auto single = static_cast<float>(number);
  if (decimals < kMostDecimals) {
    of_singles_.see(number, decimals);
  } else if (static_cast<double>(single) == number) {
    const std::string shortest = fmt::format("{}", single);
    of_singles_.see(read_number(shortest).value_or(number), decimals_in(shortest));
  } else {
    are_singles_ = false;
  }
}

namespace {

/// Whether neither 64 bits nor a double hold the whole number.
bool is_too_long(std::string_view digits, double number) {
  const bool is_whole = digits.find_first_not_of("0123456789") == std::string_view::npos;
  constexpr double kOf64Bits = 0x1p63;
  return is_whole && std::fabs(number) >= kOf64Bits && std::isfinite(number) &&
         fmt::format("{:.0f}", std::fabs(number)) != digits;
}

}  // namespace

bool NumbersSeen::see(std::string_view written) {
  UnmarkedBuffer buffer;
  const std::string_view unmarked = without_marks(written, false, buffer);
  const std::string_view text = unmarked.empty() ? written : unmarked;
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  const bool padded = digits.size() > 1 && digits[0] == '0' && digits[1] != '.';
  have_padded_ = have_padded_ || (padded && read_number(text));
  const auto number = padded ? std::nullopt : read_number(text);
  if (!number) return false;
  if (is_too_long(digits, *number)) {
    have_long_ = true;
    return false;
  }
  if (std::isinf(*number)) {
    ++infinite_;
    return true;
  }
  has_mark_ = has_mark_ || !unmarked.empty();
  if (written.ends_with('%') && percents_++ == 0) a_percent_ = written;
  ascend_ = ascend_ && *number >= last_;
  last_ = *number;
  places_.see(*number);
  see_decimals(*number, text);
  has_point_ = has_point_ || text.find('.') != std::string_view::npos;
  // 3.0 is an integer: programs write a column of integers like this as soon as one is missing.
  const auto integer = read_integer(text);
  if (!integer) {
    are_integers_ = false;
    return true;
  }
  const bool has_size = *integer != std::numeric_limits<std::int64_t>::min();
  common_divisor_ = has_size ? std::gcd(common_divisor_, *integer) : 1;
  if (std::fabs(*number) > kMostExact) {
    common_distance_ = 1;
  } else {
    if (!first_) first_ = *integer;
    common_distance_ = std::gcd(common_distance_, *integer - *first_);
  }
  min_integer_ = std::min(min_integer_, *integer);
  max_integer_ = std::max(max_integer_, *integer);
  return true;
}

bool NumbersSeen::are_spread_like_identifiers() const {
  constexpr double kFirstYear = 1500, kLastYear = 2100;
  constexpr double kLeastOfLong = 1e7;  // eight digits
  constexpr double kEven = 0.1, kEvenIfAscending = 0.2, kRoomIfAscending = 10;
  if (!are_integers_ || has_mark_ || (min() >= kFirstYear && max() <= kLastYear)) return false;
  const auto all = static_cast<double>(count());
  if (2 * all >= max() - min()) return true;
  const std::vector<double> sorted = places_.sorted();
  double uneven = 0;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double level = (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size());
    uneven = std::max(uneven, std::fabs(level - (sorted[i] - min()) / (max() - min())));
    if (max() - min() < kMostExact)
      step = std::gcd(step, static_cast<std::int64_t>(sorted[i] - min()));
  }
  // Numbers such as 100, 110, 120 follow each other too.
  const double places = (max() - min()) / static_cast<double>(std::max<std::int64_t>(step, 1));
  if (step > 1 && 2 * all >= places) return true;
  if (ascend_ && places <= kRoomIfAscending * all) return uneven <= kEvenIfAscending;
  // Incomes and distances may be spread evenly. Numbers with eight digits or more that fill what
  // these digits can write are drawn by chance.
  const double least = std::pow(10, std::floor(std::log10(std::max(min(), 1.0))));
  const double most = 10 * least;
  const bool fill_digits =
      min() >= kLeastOfLong && max() < most && max() - min() >= (1 - kEven) * (most - least);
  return fill_digits && sorted.size() >= kLeastForQuantiles && uneven <= kEven;
}

std::string NumbersSeen::words() const {
  const std::size_t different = places_.different().size();
  const std::string some = different <= PlacesSeen::kMostListed
                               ? fmt::format("{} different ", different)
                               : fmt::format("{} ", count());
  return fmt::format("{}{} from {} to {}", some, are_integers_ ? "integers" : "numbers", min(),
                     max());
}

namespace {

/// Numbers such as 99 and -888; and -9 to -1, if no other number is below zero.
std::optional<std::size_t> rows_of_code_number(double value, double least) {
  constexpr double kLeastOfTwoDigits = 10;
  const bool is_digit = value < 0 && value > -kLeastOfTwoDigits && value == std::floor(value);
  const bool is_below = is_digit && least >= 0;
  if (!is_written_like_a_code(value, false) && !is_below) return std::nullopt;
  return kRowsOfOne;
}

/// Whether an integer between two that come again never comes: then what lies between them is not
/// possible, as between the codes 1 and 5.
bool have_gap(const std::map<double, std::uint64_t>& few) {
  for (auto at = few.begin(); at != few.end() && std::next(at) != few.end(); ++at) {
    const auto& [value, count] = *at;
    const auto& [next, count_of_next] = *std::next(at);
    if (next > value + 1 && std::min(count, count_of_next) >= kRowsOfOne) return true;
  }
  return false;
}

}  // namespace

CellsAndCodes NumbersSeen::cells() const {
  const PlacesWithoutCodes rest = places_.without_codes(&rows_of_code_number, true);
  CellsAndCodes made = are_integers_ ? integers(rest) : numbers(rest);
  for (const double code : rest.codes)
    made.codes.push_back({fmt::format("{}", code), kLabelOfCode});
  return made;
}

// -----------------------------------------------------------------------------------------------
// Steps.

namespace {

/// Numbers in whole parts: of 10^-5, or integers.
class Parts {
 public:
  static Parts of_integers() { return Parts(1); }
  static Parts of_decimals() { return Parts(kPartsOfOne); }

  /// Nothing for a number of more decimals. The shortest text of a 32-bit float counts.
  [[nodiscard]] std::optional<std::int64_t> of(double number) const {
    if (parts_ == 1) return static_cast<std::int64_t>(number);
    if (std::fabs(number) >= kMostExact / kPartsOfOne) return std::nullopt;
    const std::int64_t whole = std::llround(number * parts_);
    if (this->number(whole) == number) return whole;
    const auto single = static_cast<float>(number);
    const bool is_single =
        static_cast<double>(single) == number && static_cast<float>(this->number(whole)) == single;
    return is_single ? std::optional(whole) : std::nullopt;
  }
  [[nodiscard]] double number(std::int64_t whole) const {
    return parts_ == 1 ? static_cast<double>(whole)
                       : DecimalLattice(1 - static_cast<int>(kMostDecimals)).value(whole);
  }

 private:
  explicit Parts(double parts) : parts_(parts) {}

  double parts_;
};

/// What all, and nearly all, of sorted numbers are multiples of.
struct Multiples {
  Parts parts;
  std::int64_t step = 0;             // of all; 0 if they have none
  std::vector<std::int64_t> wholes;  // without numbers of more decimals
  std::vector<std::pair<std::int64_t, double>> coarser;

  Multiples(const Parts& all_parts, std::int64_t of_all, const std::vector<double>& sorted)
      : parts(all_parts), step(of_all) {
    for (const double number : sorted)
      if (const auto whole = parts.of(number)) wholes.push_back(*whole);
    // Of few rows a share says little.
    if (sorted.size() < kLeastForQuantiles) return;
    coarser = steps_of_most(wholes, sorted.size() - wholes.size());
    std::erase_if(coarser, [&](const auto& one) { return one.first <= step; });
  }

  /// The different numbers that are multiples of the step, ascending.
  [[nodiscard]] std::vector<double> multiples(std::int64_t of) const {
    std::vector<double> numbers;
    for (const std::int64_t whole : wholes) {
      if (whole % of != 0) continue;
      const double number = parts.number(whole);
      if (numbers.empty() || numbers.back() < number) numbers.push_back(number);
    }
    return numbers;
  }
};

/// Which share of the numbers that cells release for these are multiples of the coarser step.
template <class Made>
double released_multiples(const Made& cells, const std::vector<double>& sorted,
                          const Multiples& seen, std::int64_t step, std::int64_t coarser) {
  std::vector<std::size_t> held(cells.size());
  for (const double number : sorted) ++held[cells.read(number).cell];
  double all = 0;
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    const std::uint64_t points = cells.points(cell);
    if (held[cell] == 0 || (step == 0 && points > 1)) continue;
    const auto first = seen.parts.of(static_cast<double>(cells.value(cell, 0)));
    if (!first) continue;
    const std::int64_t last = *first + static_cast<std::int64_t>(points - 1) * step;
    const std::int64_t before = step == 0 ? *first - 1 : *first - step;
    const std::int64_t multiples = divided_down(last, coarser) - divided_down(before, coarser);
    all += static_cast<double>(held[cell]) * static_cast<double>(multiples) /
           static_cast<double>(points);
  }
  return all / static_cast<double>(sorted.size());
}

/// The numbers as the nearest multiples of the step in their range. Requires ends that are whole parts.
PlacesWithoutCodes rounded_to(std::int64_t step, PlacesWithoutCodes numbers, const Parts& parts) {
  numbers.min = parts.number(-divided_down(-parts.of(numbers.min).value(), step) * step);
  numbers.max = parts.number(divided_down(parts.of(numbers.max).value(), step) * step);
  const double width = parts.number(step);
  // Quotients of decimals are off by their last digits.
  constexpr double kHalf = 0.5 + 1e-9;
  for (std::vector<double>* const some : {&numbers.sorted, &numbers.lows, &numbers.highs}) {
    for (double& number : *some) {
      const auto whole = static_cast<std::int64_t>(std::floor(number / width + kHalf));
      number = std::clamp(parts.number(whole * step), numbers.min, numbers.max);
    }
  }
  return numbers;
}

/// Cells of the step that keeps best which shares of the numbers are multiples of coarser steps. If
/// one in a hundred has halves, then halves are no step: half of the released numbers would have
/// them. `make(rest, step)` makes cells of the step, in parts, or without one for 0.
template <class Make>
CellsAndCodes with_best_step(const PlacesWithoutCodes& rest, const Multiples& seen,
                             std::uint64_t rows, const Make& make) {
  constexpr double kMostWrong = 0.02, kMostOffStep = 0.2;
  constexpr std::int64_t kMostCellsEach = 200, kFewestSteps = 20;
  constexpr std::size_t kRowsOfEach = 5, kMostListedHere = 200, kMostMultiples = 60;
  const auto wrong = [&](const auto& cells, std::int64_t step) {
    double worst = 0;
    for (const auto& [coarser, share] : seen.coarser) {
      if (coarser <= step) continue;
      worst = std::max(
          worst, std::fabs(released_multiples(cells, rest.sorted, seen, step, coarser) - share));
    }
    return worst;
  };
  auto best = make(rest, seen.step);
  if (seen.coarser.empty()) return {std::move(best)};
  double least = wrong(best, seen.step);
  const auto front = seen.parts.of(rest.min), back = seen.parts.of(rest.max);
  if (least <= kMostWrong || !front || !back) return {std::move(best)};
  // Few multiples get a cell each.
  for (auto coarser = seen.coarser.rbegin(); coarser != seen.coarser.rend(); ++coarser) {
    PlacesWithoutCodes with_frequent = rest;
    with_frequent.frequent = seen.multiples(coarser->first);
    const std::size_t multiples = with_frequent.frequent.size();
    if (multiples > kMostMultiples || kRowsOfEach * multiples > rows) break;
    try {
      auto made = make(with_frequent, seen.step);
      if (wrong(made, seen.step) <= kMostWrong) return {std::move(made)};
    } catch (const InvalidInput&) {
      // Cells without a multiple are left out.
    }
  }
  double off_step = 0;
  std::int64_t chosen = seen.step;
  for (const auto& [step, share] : seen.coarser) {
    if (1 - share > kMostOffStep || (*back - *front) / step < kFewestSteps) continue;
    try {
      auto made = make(rounded_to(step, rest, seen.parts), step, rest.min, rest.max);
      const double error = std::max(1 - share, wrong(made, step));
      if (error >= (chosen == seen.step ? least / 2 : least)) continue;
      least = error;
      off_step = 1 - share;
      chosen = step;
      best = std::move(made);
    } catch (const InvalidInput&) {
      // Cells without a multiple are left out.
    }
  }
  const bool come_again = !rest.different.empty() && rest.different.size() <= kMostListedHere &&
                          kRowsOfEach * rest.different.size() <= rows;
  const std::int64_t points = seen.step > 0 ? (*back - *front) / seen.step : kMostCellsEach;
  if (least > kMostWrong && points < kMostCellsEach &&
      kRowsOfEach * static_cast<std::uint64_t>(points) <= rows)
    return {make.each(rest, seen.step)};
  if (least > kMostWrong && come_again) return {make.listed(rest)};
  std::string remark;
  if (chosen != seen.step) {
    std::vector<double> lost = spikes_of(rest.sorted);
    std::erase_if(lost, [&](double spike) {
      const auto whole = seen.parts.of(spike);
      return whole && *whole % chosen == 0;
    });
    remark = fmt::format(
        "; {:.2g} % of the values are between two multiples and become the nearer{}",
        100 * off_step, lost.empty() ? "" : fmt::format(", as {} do", fmt::join(lost, ", ")));
  } else if (const auto& [step, share] = seen.coarser.back(); least > kMostWrong) {
    remark = fmt::format("; {:.2g} % of the values are multiples of {}, and fewer released ones",
                         100 * share, seen.parts.number(step));
  }
  return {.cells = std::move(best), .remark = std::move(remark)};
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Cells.

namespace {

std::vector<std::int64_t> integers_of(const std::vector<double>& numbers) {
  std::vector<std::int64_t> integers;
  for (const double number : numbers) integers.push_back(static_cast<std::int64_t>(number));
  return integers;
}

/// Cells of integers by their step.
struct IntegersOfStep {
  IntegerCells operator()(const PlacesWithoutCodes& rest, std::int64_t step) const {
    return (*this)(rest, step, rest.min, rest.max);
  }
  /// `min` and `max` are the ends of the range, if those of the rounded values are others.
  IntegerCells operator()(const PlacesWithoutCodes& rest, std::int64_t step, double min,
                          double max) const {
    NumberCuts cuts = cuts_of(rest, static_cast<double>(step));
    cuts.edges.front() = min;
    cuts.edges.back() = max;
    IntegerCells::Declaration declared{.edges = integers_of(cuts.edges),
                                       .spikes = integers_of(cuts.spikes)};
    if (step > 1) declared.step = step;
    return IntegerCells::make(declared);
  }
  [[nodiscard]] IntegerCells each(const PlacesWithoutCodes& rest, std::int64_t step) const {
    IntegerCells::Declaration declared{.min = static_cast<std::int64_t>(rest.min),
                                       .max = static_cast<std::int64_t>(rest.max)};
    if (step > 1) declared.step = step;
    return IntegerCells::make(declared);
  }
  [[nodiscard]] IntegerCells listed(const PlacesWithoutCodes& rest) const {
    IntegerCells::Declaration declared;
    for (const auto& [number, times] : rest.different)
      declared.values.push_back(static_cast<std::int64_t>(number));
    return IntegerCells::make(declared);
  }
};

/// Cells of numbers by their step, in parts; 0 for none.
struct NumbersOfStep {
  Parts parts = Parts::of_decimals();

  NumberCells operator()(const PlacesWithoutCodes& rest, std::int64_t step) const {
    return (*this)(rest, step, rest.min, rest.max);
  }
  NumberCells operator()(const PlacesWithoutCodes& rest, std::int64_t step, double min,
                         double max) const {
    const auto rounded = [step](double number) {
      return step > 0 ? of_few_decimals(number) : number;
    };
    PlacesWithoutCodes places = rest;
    places.min = rounded(rest.min);
    places.max = rounded(rest.max);
    for (std::vector<double>* const some : {&places.sorted, &places.lows, &places.highs})
      std::transform(some->begin(), some->end(), some->begin(), rounded);
    NumberCuts cuts = cuts_of(places, parts.number(step));
    cuts.edges.front() = rounded(min);
    cuts.edges.back() = rounded(max);
    NumberCells::Declaration declared{.min = rounded(min),
                                      .max = rounded(max),
                                      .edges = std::move(cuts.edges),
                                      .spikes = std::move(cuts.spikes)};
    if (step > 0) declared.step = parts.number(step);
    return NumberCells::make(declared);
  }
  [[nodiscard]] NumberCells each(const PlacesWithoutCodes& rest, std::int64_t step) const {
    return NumberCells::make({.min = of_few_decimals(rest.min),
                              .max = of_few_decimals(rest.max),
                              .step = parts.number(step)});
  }
  [[nodiscard]] NumberCells listed(const PlacesWithoutCodes& rest) const {
    NumberCells::Declaration declared;
    for (const auto& [number, times] : rest.different) declared.values.push_back(number);
    return NumberCells::make(declared);
  }
};

}  // namespace

// Each alone, if there are few, or in cells of about as many values. A frequent one is a cell.
CellsAndCodes NumbersSeen::integers(const PlacesWithoutCodes& rest) const {
  IntegerCells::Declaration declared{.min = min_integer_, .max = max_integer_};
  std::int64_t divisor = common_divisor_;
  if (!rest.codes.empty()) {
    declared.min = static_cast<std::int64_t>(rest.min);
    declared.max = static_cast<std::int64_t>(rest.max);
    divisor = 0;
    for (const double number : rest.sorted)
      divisor = std::gcd(divisor, static_cast<std::int64_t>(number));
  }
  const std::uint64_t span =
      static_cast<std::uint64_t>(declared.max) - static_cast<std::uint64_t>(declared.min);
  const bool has_step = divisor > 1 && count() >= kLeastForCuts;
  const bool are_exact = std::max(-min(), max()) <= kMostExact;
  const bool are_few = are_exact && places_.are_few(nulls_);
  const IntegersOfStep make;
  const bool is_short = span < kMostUngrouped && !has_step;
  if (are_few && !(is_short && !have_gap(rest.different))) return {make.listed(rest)};
  const std::int64_t step = has_step ? divisor : 1;
  if (are_exact && count() >= kLeastForCuts && !rest.different.empty()) {
    std::vector<double> different;
    for (const auto& [number, times] : rest.different) different.push_back(number);
    declared.values = places_on_grid(integers_of(different), step);
    if (!declared.values.empty()) return {IntegerCells::make(declared)};
  }
  if (is_short) return {IntegerCells::make(declared.min, declared.max)};
  if (has_step) declared.step = divisor;
  if (count() < kLeastForCuts || !are_exact) {
    declared.bins =
        std::min<std::uint64_t>(kFirstCells, span / static_cast<std::uint64_t>(step) + 1);
    return {IntegerCells::make(declared)};
  }
  std::vector<std::int64_t> different = integers_of(rest.sorted);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (const auto digits = last_digits_of(different, step)) {
    const std::string remark = "; " + digits->words();
    declared.values = digits->all(declared.min, declared.max);
    if (!declared.values.empty()) return {.cells = IntegerCells::make(declared), .remark = remark};
    declared.edges = digits->edges(declared.min, declared.max);
    declared.spikes = integers_of(spikes_of(rest.sorted));
    if (!declared.edges.empty()) return {.cells = IntegerCells::make(declared), .remark = remark};
  }
  const Multiples seen(Parts::of_integers(), step, rest.sorted);
  CellsAndCodes made = with_best_step(rest, seen, count(), make);
  // A step has no place to begin at, and the list would be long.
  if (rest.codes.empty() && common_distance_ > step && made.remark.empty()) {
    made.remark = fmt::format(
        "; each is a multiple of {0} away from the others, as {1} and {2} are, but released ones "
        "may lie "
        "between: to prevent that, number the places, as by (value - {1}) / {0}",
        common_distance_, min_integer_, min_integer_ + common_distance_);
  }
  return made;
}

CellsAndCodes NumbersSeen::numbers(const PlacesWithoutCodes& rest) const {
  NumberCells::Declaration declared{};
  const NumbersOfStep make;
  const bool are_short =
      are_singles_ && decimals_.most >= kMostDecimals && of_singles_.most < kMostDecimals;
  const double step = are_short ? of_singles_.step() : decimals_.step();
  if (places_.are_few(nulls_)) {
    for (const auto& [number, times] : rest.different)
      declared.values.push_back(are_short ? of_few_decimals(number) : number);
    return {NumberCells::make(declared)};
  }
  if (count() < kLeastForCuts) return {NumberCells::make(rest.min, rest.max, kFirstCells)};
  const Multiples seen(make.parts, std::llround(step * kPartsOfOne), rest.sorted);
  if (seen.step > 0 && !rest.different.empty()) {
    std::vector<std::int64_t> different;
    for (const auto& [number, times] : rest.different)
      different.push_back(std::llround(number * kPartsOfOne));
    for (const std::int64_t whole : places_on_grid(different, seen.step))
      declared.values.push_back(make.parts.number(whole));
    if (!declared.values.empty()) return {NumberCells::make(declared)};
  }
  // Cells that hold no multiple of the step have none, and where no decimal number lies they are
  // equal.
  try {
    return with_best_step(rest, seen, count(), make);
  } catch (const InvalidInput&) {
  }
  try {
    return {make(rest, 0)};
  } catch (const InvalidInput&) {
  }
  return {NumberCells::make(rest.min, rest.max, kFirstCells)};
}

}  // namespace mollify
