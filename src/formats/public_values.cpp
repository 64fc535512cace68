#include "formats/public_values.h"

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

// -----------------------------------------------------------------------------------------------
// Where numbers are cut.

namespace {

/// A value of one record in this many gets a cell of its own.
constexpr std::size_t kOneInOfSpike = 10;
/// What marks sentinels such as -9 and -8: they are few, come again, and a gap divides them from the
/// others that is a quarter as wide as all of these.
constexpr std::size_t kMostSentinels = 5;
constexpr std::size_t kOthersEach = 10;
constexpr std::size_t kTimesOfSentinel = 5;
constexpr double kFarOfRest = 0.25;

/// A number near the value with few digits, nearer than a quarter of the way to either neighbour.
double rounded_between(double before, double value, double after) {
  const double room = std::min(value - before, after - value) / 2;
  const int exponent = static_cast<int>(std::floor(std::log10(room)));
  if (exponent < 0) return std::stod(fmt::format("{:.{}f}", value, std::min(-exponent, 300)));
  const double step = std::pow(10, exponent);
  return std::round(value / step) * step;
}

}  // namespace

std::vector<double> spikes_of(const std::vector<double>& sorted) {
  std::vector<std::pair<double, std::size_t>> distinct;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    distinct.emplace_back(*at, static_cast<std::size_t>(end - at));
    at = end;
  }
  // Of the greatest and the least, few that come again and that a gap divides from all others.
  std::size_t first = 0, last = distinct.size();
  const auto comes_again = [&](std::size_t at) { return distinct[at].second >= kTimesOfSentinel; };
  const auto gap_above = [&](std::size_t at) {
    return distinct[at + 1].first - distinct[at].first;
  };
  const std::size_t most = std::min(kMostSentinels, distinct.size() / kOthersEach);
  for (std::size_t n = 1; n <= most && comes_again(distinct.size() - n); ++n) {
    const std::size_t below = distinct.size() - n - 1;
    if (gap_above(below) > kFarOfRest * (distinct[below].first - distinct[0].first))
      last = below + 1;
  }
  for (std::size_t n = 0; n < most && comes_again(n); ++n) {
    if (gap_above(n) > kFarOfRest * (distinct[last - 1].first - distinct[n + 1].first))
      first = n + 1;
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const bool is_frequent = distinct[i].second * kOneInOfSpike >= sorted.size();
    if (is_frequent || i < first || i >= last) values.push_back(distinct[i].first);
  }
  return values;
}

std::vector<double> ends_beside_spikes(const std::vector<double>& sorted,
                                       std::span<const double> spikes, double min, double max,
                                       double step) {
  std::vector<double> ends;
  if (sorted.empty() || spikes.empty()) return ends;
  const double wide = kFarOfRest * (sorted.back() - sorted.front());
  const double above = sorted.back() + step;
  if (spikes.front() == min && sorted.front() - min > wide) ends.push_back(sorted.front());
  if (spikes.back() == max && max - above > wide) ends.push_back(above);
  return ends;
}

std::vector<double> quantiles_of(const std::vector<double>& sorted, double min, double max,
                                 std::uint32_t bins) {
  constexpr double kLongTail = 3;
  constexpr double kTail = 0.02;
  constexpr double kThinner = 4;
  constexpr double kFewest = 2;
  std::vector<double> edges = {min};
  const auto last = static_cast<double>(std::max<std::size_t>(sorted.size(), 1) - 1);
  const auto add = [&](double level) {
    const double value = sorted[static_cast<std::size_t>(level * last + 0.5)];
    if (value > edges.back() && value < max) edges.push_back(value);
  };
  for (std::uint32_t i = 1; i < bins && !sorted.empty(); ++i) add(static_cast<double>(i) / bins);
  // A cell is written evenly, so one that reaches far beyond its values moves the mean.
  for (double tail = kTail; tail * last >= kFewest && edges.size() > 2; tail /= kThinner) {
    if (sorted.back() - edges.back() > kLongTail * (edges.back() - edges[edges.size() - 2]))
      add(1 - tail);
  }
  if (edges.size() > 2 && edges[1] - sorted.front() > kLongTail * (edges[2] - edges[1])) {
    const double value = sorted[static_cast<std::size_t>(kTail * last)];
    if (min < value && value < edges[1]) edges.insert(edges.begin() + 1, value);
  }
  edges.push_back(max);
  std::vector<double> rounded;
  for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
    rounded.push_back(rounded_between(edges[i - 1], edges[i], edges[i + 1]));
  }
  return rounded;
}

}  // namespace mollify
