#include "formats/public_values.h"

#include <cmath>
#include <utility>

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
