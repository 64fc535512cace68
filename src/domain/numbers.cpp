#include "domain/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The multiples of a power of ten, as doubles and as texts.

namespace {

double power_of_ten(int exponent) noexcept {  // requires 0 <= exponent <= 22; exact
  static constexpr std::array<double, DecimalLattice::kMaxExponent + 1> kPowers = {
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return kPowers[static_cast<std::size_t>(exponent)];
}

}  // namespace

double DecimalLattice::in_steps(double value) const noexcept {
  return exponent_ < 0 ? value * power_of_ten(-exponent_) : value / power_of_ten(exponent_);
}

// One correctly rounded operation on two exact doubles: the double nearest to the written number.
double DecimalLattice::value(std::int64_t multiple) const noexcept {
  const auto exact = static_cast<double>(multiple);
  return exponent_ < 0 ? exact / power_of_ten(-exponent_) : exact * power_of_ten(exponent_);
}

std::int64_t DecimalLattice::multiple(double value) const noexcept {
  // Two roundings of m < 2^51 are less than half a step; beyond, one or two steps.
  const auto near = static_cast<std::int64_t>(std::round(in_steps(value)));
  for (const std::int64_t step : {0, -1, 1, -2, 2}) {
    if (this->value(near + step) == value) return near + step;
  }
  return near;
}

std::int64_t DecimalLattice::ceiling(double bound) const noexcept {
  auto multiple = static_cast<std::int64_t>(std::ceil(in_steps(bound)));
  while (value(multiple - 1) >= bound) --multiple;
  while (value(multiple) < bound) ++multiple;
  return multiple;
}

void DecimalLattice::write(std::int64_t multiple, std::string& text) const {
  const auto size = static_cast<std::uint64_t>(multiple < 0 ? -multiple : multiple);
  if (multiple < 0) text += '-';
  if (exponent_ >= 0) {
    fmt::format_to(std::back_inserter(text), "{}", size);
    if (size != 0) text.append(static_cast<std::size_t>(exponent_), '0');
    text += ".0";
    return;
  }
  // At least one digit comes before the point: pad to one digit more than there are decimals.
  const int decimals = -exponent_;
  const std::size_t begin = text.size();
  fmt::format_to(std::back_inserter(text), "{:0{}}", size, decimals + 1);
  text.insert(std::max(begin, text.size() - static_cast<std::size_t>(decimals)), 1, '.');
}

// -----------------------------------------------------------------------------------------------
// Logarithm and exponential that are the same on every machine.

namespace {

/// ln 2 in two parts: the first has 32 digits, so that its products with exponents are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// ln((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...) for |s| <= 0.18: the omitted terms are below
/// 2^-54 of it.
double log_of_odds(double s) {
  const double square = s * s;
  double sum = 0;
  for (int power = 21; power >= 3; power -= 2) sum = square * (sum + 1.0 / power);
  return 2 * (s + s * sum);
}

}  // namespace

double same_log(double x) {
  constexpr double kRootOfHalf = 0.70710678118654752;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kRootOfHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double log = log_of_odds((mantissa - 1) / (mantissa + 1));
  return exponent * kLn2High + (log + exponent * kLn2Low);
}

double same_log1p(double x) {
  if (x > -0.29 && x < 0.41) return log_of_odds(x / (2 + x));
  return same_log(1 + x);
}

double same_exp(double x) {
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const double halvings = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  // At most 0.35 in size.
  const double rest = (x - halvings * kLn2High) - halvings * kLn2Low;
  double series = 1;
  for (int power = 14; power >= 1; --power) series = 1 + rest / power * series;
  return std::ldexp(series, static_cast<int>(halvings));
}

// -----------------------------------------------------------------------------------------------
// What integers and numbers declare.

namespace {

constexpr std::string_view kPrivateWord = "private";
constexpr std::string_view kBinsSchema = R"({
  "description": "How many cells of equal width; private: a release by method marginals finds where they lie.",
  "oneOf": [{"const": "private"}, {"type": "integer", "minimum": 1}]})";
constexpr std::array kKeysOfInteger = {ColumnKey{"min", false, R"({"type": "integer"})"},
                                       ColumnKey{"max", false, R"({"type": "integer"})"},
                                       ColumnKey{"bins", false, kBinsSchema},
                                       ColumnKey{"edges", false, R"({
  "description": "Instead of min, max and bins: where cells begin, and where the last one ends.",
  "type": "array", "items": {"type": "integer"}})"}};
constexpr std::array kKeysOfNumber = {ColumnKey{"min", false, R"({"type": "number"})"},
                                      ColumnKey{"max", false, R"({"type": "number"})"},
                                      ColumnKey{"bins", false, kBinsSchema},
                                      ColumnKey{"edges", false, R"({
  "description": "Instead of min, max and bins: where cells begin, and where the last one ends.",
  "type": "array", "items": {"type": "number"}})"},
                                      ColumnKey{"spike", false, R"({
  "description": "A number that many values are exactly, in a cell of its own; with bins or edges.",
  "type": "number"})"}};
constexpr std::array<std::string_view, 4> kIntegers = {
    "min: 0, max: 110", "min: 0, max: 110, bins: 11", "min: -5, max: 99999999, bins: private",
    "edges: [0, 1, 2, 4, 50]"};
constexpr std::array<std::string_view, 7> kNumbers = {"min: 50, max: 250",
                                                      "min: 0, max: 1, bins: 4",
                                                      "min: 0, max: 5000, bins: 20, spike: 0",
                                                      "min: 0, max: 1, bins: private",
                                                      "min: 0, max: 1, bins: private, spike: 0.5",
                                                      "edges: [0, 1.5, 3]",
                                                      "edges: [0, 1.5, 3], spike: 1"};

/// True if edges are declared, instead of all else.
bool cut_by_edges(const Settings& settings) {
  if (!settings.has("edges")) return false;
  for (const std::string_view other : {"min", "max", "bins"}) {
    if (settings.has(other))
      settings.refuse("contradicting-parameters", other, "must not be given with edges",
                      {WayOut::leave(other)});
  }
  return true;
}

/// A number of them, if they are declared and not private.
std::optional<std::uint64_t> bins_in(const Settings& settings) {
  const auto text = settings.maybe<std::string>("bins");
  if (text && text->find_first_not_of("0123456789") != text->npos) {
    const bool is_number = text->find_first_of("0123456789") != text->npos;
    settings.refuse(is_number ? Code("wrong-type") : Code("unknown-name"), "bins",
                    fmt::format("must be {} or a whole number, but is \"{}\"{}", kPrivateWord,
                                *text, did_you_mean(*text, std::array{std::string(kPrivateWord)})));
  }
  return settings.maybe<std::uint64_t>("bins");
}

template <class Number>
Setting list_of(const std::vector<Number>& edges) {
  Setting list{.kind = Setting::Kind::kSequence};
  for (const Number edge : edges) list.items.push_back(Setting::word(fmt::format("{}", edge)));
  return list;
}

template <class RangeCells>
DeclaredSettings settings_of_range(const RangeCells& cells, bool has_bins, std::uint32_t bins) {
  DeclaredSettings settings = {{"min", Setting::word(fmt::format("{}", cells.min()))},
                               {"max", Setting::word(fmt::format("{}", cells.max()))}};
  if (cells.has_private_bins()) {
    settings.emplace_back("bins", Setting::word(std::string(kPrivateWord)));
  } else if (has_bins) {
    settings.emplace_back("bins", Setting::word(std::to_string(bins)));
  }
  return settings;
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// A column of integers from min to max, grouped into cells.

namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

constinit const ColumnKind IntegerCells::kKind{
    "integer", "whole numbers", kKeysOfInteger, kIntegers, true, true, true};

IntegerCells IntegerCells::declare(const ColumnKind& /*kind*/, const Settings& settings) {
  if (cut_by_edges(settings)) return with_edges(settings.get<std::vector<std::int64_t>>("edges"));
  const std::int64_t min = settings.get<std::int64_t>("min"),
                     max = settings.get<std::int64_t>("max");
  if (settings.is("bins", kPrivateWord)) return with_private_bins(min, max);
  return make(min, max, bins_in(settings));
}

DeclaredSettings IntegerCells::settings() const {
  const auto edges = declared_edges();
  if (!edges.empty()) return {{"edges", list_of(edges)}};
  return settings_of_range(*this, declares_bins(), size());
}

void IntegerCells::add_canonical(std::string& text) const {
  text += fmt::format(" {} {} {}", min(), max(), size());
  if (!declares_bins() && !ungrouped()) text += " unbinned";
  if (has_private_bins()) text += " private";
  const auto edges = declared_edges();
  if (!edges.empty()) text += fmt::format(" edges {}", fmt::join(edges, " "));
}

void IntegerCells::describe(ColumnSchema& schema) const { schema.type = ValueType::kInteger; }

IntegerCells IntegerCells::make(std::int64_t min, std::int64_t max,
                                std::optional<std::uint64_t> bins) {
  refuse_if(min > max, "not-ascending", "min", "min must be at most max, but they are {} and {}",
            min, max);
  const std::uint64_t span = static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min);
  if (span >= std::uint64_t{1} << 63U) {
    refuse_input(
        "out-of-range", "max", {},
        {{"given", static_cast<double>(max)}, {"below", static_cast<double>(min) + 0x1p63}},
        "min and max must be less than 2^63 apart, but they are {} and {}", min, max);
  }
  const std::uint64_t count = span + 1;
  const std::uint64_t cells = bins.value_or(std::min(count, kMaxBins));
  require_between("bins", cells, 1, std::min(count, kMaxBins));
  return IntegerCells(min, count, static_cast<std::uint32_t>(cells), bins && cells < count);
}

IntegerCells IntegerCells::with_private_bins(std::int64_t min, std::int64_t max) {
  IntegerCells cells = make(min, max);
  cells.bins_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(cells.count_, kCellsOfPrivateBins));
  cells.has_private_bins_ = true;
  return cells;
}

IntegerCells IntegerCells::with_edges(const std::vector<std::int64_t>& edges) {
  refuse_if(edges.size() < 2, "wrong-shape", "edges",
            "edges must be at least two integers, but there are {}", edges.size());
  if (edges[edges.size() - 2] >= edges.back()) {
    refuse_input("not-ascending", "edges", "edges must be ascending, but {} is followed by {}",
                 edges[edges.size() - 2], edges.back());
  }
  return with_starts({edges.begin(), edges.end() - 1}, edges.back());
}

IntegerCells IntegerCells::with_starts(const std::vector<std::int64_t>& starts, std::int64_t max) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (starts[i] < starts[i + 1]) continue;
    refuse_input("not-ascending", "edges", "edges must be ascending, but {} is followed by {}",
                 starts[i], starts[i + 1]);
  }
  refuse_outside({.most = static_cast<double>(kMaxBins)}, static_cast<double>(starts.size()),
                 "edges", "edges must make at most {} cells, but make {}", kMaxBins, starts.size());
  IntegerCells cells = make(starts.front(), std::max(starts.back(), max), 1);
  for (const std::int64_t start : starts) {
    cells.starts_.push_back(static_cast<std::uint64_t>(start) -
                            static_cast<std::uint64_t>(starts.front()));
  }
  cells.bins_ = static_cast<std::uint32_t>(starts.size());
  cells.starts_.push_back(cells.count_);
  cells.declares_bins_ = true;
  return cells;
}

std::vector<std::int64_t> IntegerCells::declared_edges() const {
  std::vector<std::int64_t> edges;
  for (const std::uint64_t start : starts_) {
    edges.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + start));
  }
  if (!edges.empty()) edges.back() = max();
  return edges;
}

std::uint64_t IntegerCells::start(std::uint32_t cell) const noexcept {
  if (!starts_.empty()) return starts_[cell];
  return static_cast<std::uint64_t>(Wide{cell} * count_ / bins_);
}

Reading IntegerCells::nearest(std::int64_t value, Verdict if_inside) const noexcept {
  if (value < min_) {
    return {if_inside == Verdict::kValue ? Verdict::kOutside : if_inside, 0};
  }
  if (value > max()) {
    return {if_inside == Verdict::kValue ? Verdict::kOutside : if_inside, bins_ - 1};
  }
  const std::uint64_t offset = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(min_);
  if (!starts_.empty()) {
    const auto next = std::upper_bound(starts_.begin(), starts_.end() - 1, offset);
    return {if_inside, static_cast<std::uint32_t>(next - starts_.begin() - 1)};
  }
  if (ungrouped()) return {if_inside, static_cast<std::uint32_t>(offset)};
  // The last cell j with j n / bins <= offset, that is with j n < (offset + 1) bins.
  const Wide cell = ((Wide{offset} + 1) * bins_ - 1) / count_;
  return {if_inside, static_cast<std::uint32_t>(cell)};
}

Reading IntegerCells::read(std::string_view text) const noexcept {
  if (const auto integer = read_integer(text)) return read(*integer);
  UnmarkedBuffer buffer;
  const auto low = static_cast<double>(min_), high = static_cast<double>(max());
  const std::string_view unmarked = without_marks(text, percents_are_hundredths(low, high), buffer);
  if (const auto integer = read_integer(unmarked)) return read(*integer);
  if (const auto number = read_number_of(text, low, high)) return read(*number);
  return {is_null_word(without_outer_spaces(text)) ? Verdict::kNull : Verdict::kUnreadable, 0};
}

Reading IntegerCells::read(double value) const noexcept {
  if (std::isnan(value)) return {Verdict::kNull, 0};
  const double rounded = std::round(value);
  // Only below 2^63 in size does the rounded number fit an int64; larger numbers are integers (or
  // infinite) and beyond a bound, or at it.
  constexpr double kLimit = 9223372036854775808.0;
  if (rounded >= kLimit) return {Verdict::kOutside, bins_ - 1};
  if (rounded < -kLimit) return {Verdict::kOutside, 0};
  return nearest(static_cast<std::int64_t>(rounded),
                 rounded == value ? Verdict::kValue : Verdict::kUnreadable);
}

std::int64_t IntegerCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + start(cell) + point);
}

void IntegerCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  fmt::format_to(std::back_inserter(text), "{}", value(cell, point));
}

std::string IntegerCells::expectation() const {
  return fmt::format("an integer from {} to {}", min_, max());
}

// -----------------------------------------------------------------------------------------------
// A column of numbers from min to max, cut into cells.

namespace {

constexpr std::uint64_t kMaxBins = IntegerCells::kMaxBins;
constexpr double kMinPointsPerCell = 10;
constexpr double kPointsPerDeclaredCell = 1e4;

/// The lattice for cells of this width; nothing if they are too narrow for one.
std::optional<DecimalLattice> lattice_for(double magnitude, double width,
                                          double points_per_cell) noexcept {
  const auto holds = [&](const DecimalLattice& lattice) {
    return lattice.in_steps(magnitude) <= DecimalLattice::kMaxMultiple;
  };
  int exponent = -DecimalLattice::kMaxExponent;
  while (exponent < -1 && DecimalLattice(exponent + 1).in_steps(width) >= points_per_cell) {
    ++exponent;
  }
  while (exponent < DecimalLattice::kMaxExponent && !holds(DecimalLattice(exponent))) ++exponent;
  const DecimalLattice lattice(exponent);
  if (!holds(lattice) || lattice.in_steps(width) < kMinPointsPerCell) return std::nullopt;
  return lattice;
}

}  // namespace

constinit const ColumnKind NumberCells::kKind{"number", "numbers", kKeysOfNumber, kNumbers,
                                              true,     true,      true};

NumberCells NumberCells::declare(const ColumnKind& /*kind*/, const Settings& settings) {
  const auto spike = settings.maybe<double>("spike");
  if (cut_by_edges(settings)) return with_edges(settings.get<std::vector<double>>("edges"), spike);
  const double min = settings.get<double>("min"), max = settings.get<double>("max");
  if (settings.is("bins", kPrivateWord)) return with_private_bins(min, max, spike);
  const auto bins = bins_in(settings);
  if (!spike) return make(min, max, bins);
  if (!bins)
    settings.refuse("missing-key", "spike", "must be given with bins or edges",
                    {WayOut::declare("bins"), WayOut::declare("edges")});
  return with_spike(min, max, *bins, *spike);
}

DeclaredSettings NumberCells::settings() const {
  DeclaredSettings settings;
  if (declared_.empty()) {
    settings = settings_of_range(*this, declares_bins(), declared_bins_);
  } else {
    settings.emplace_back("edges", list_of(declared_));
  }
  if (spike_) settings.emplace_back("spike", Setting::word(fmt::format("{}", *spike_)));
  return settings;
}

void NumberCells::add_canonical(std::string& text) const {
  text += fmt::format(" {} {} {}", hexadecimal(min()), hexadecimal(max()), size());
  if (!declares_bins()) text += " unbinned";
  if (has_private_bins()) text += " private";
  for (const double edge : declared_) text += " edge " + hexadecimal(edge);
  if (spike_) text += " spike " + hexadecimal(*spike_);
}

void NumberCells::describe(ColumnSchema& schema) const {
  schema.type = ValueType::kNumber;
  schema.exponent = lattice_.exponent();
}

NumberCells NumberCells::make(double min, double max, std::optional<std::uint64_t> bins) {
  refuse_if(!std::isfinite(min) || !std::isfinite(max), "out-of-range", "min",
            "min and max must be finite, but they are {} and {}", min, max);
  refuse_if(!(min < max), "not-ascending", "min", "min must be below max, but they are {} and {}",
            min, max);
  if (bins) require_between("bins", *bins, 1, kMaxBins);
  const double magnitude = std::max(std::fabs(min), std::fabs(max));
  const double points_per_cell = bins ? kPointsPerDeclaredCell : kMinPointsPerCell;
  auto cells = static_cast<std::uint32_t>(bins.value_or(kUndeclaredBins));
  auto lattice = lattice_for(magnitude, (max - min) / cells, points_per_cell);
  while (!lattice && !bins && cells > 1) {
    cells /= 2;
    lattice = lattice_for(magnitude, (max - min) / cells, points_per_cell);
  }
  refuse_if(!lattice, "not-representable", "bins",
            "min, max and bins must give cells that decimal numbers can resolve, but {} to {} in "
            "{} cells do not",
            min, max, cells);
  return NumberCells(min, max, cells, bins.has_value(), *lattice);
}

NumberCells NumberCells::with_edges(const std::vector<double>& edges, std::optional<double> spike) {
  refuse_if(edges.size() < 2, "wrong-shape", "edges",
            "edges must be at least two numbers, but there are {}", edges.size());
  double narrowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    if (!std::isfinite(edges[i]) || !std::isfinite(edges[i + 1]) || !(edges[i] < edges[i + 1])) {
      refuse_input("not-ascending", "edges",
                   "edges must be finite and ascending, but {} is followed by {}", edges[i],
                   edges[i + 1]);
    }
    narrowest = std::min(narrowest, edges[i + 1] - edges[i]);
  }
  refuse_outside({.most = static_cast<double>(kMaxBins)}, static_cast<double>(edges.size() - 1),
                 "edges", "edges must make at most {} cells, but make {}", kMaxBins,
                 edges.size() - 1);
  const double magnitude = std::max(std::fabs(edges.front()), std::fabs(edges.back()));
  const auto lattice = lattice_for(magnitude, narrowest, kPointsPerDeclaredCell);
  refuse_if(!lattice, "not-representable", "edges",
            "edges must make cells that decimal numbers can resolve, but one of width {} does not",
            narrowest);
  NumberCells cells(edges.front(), edges.back(), static_cast<std::uint32_t>(edges.size() - 1), true,
                    *lattice);
  cells.declared_ = edges;
  cells.cut_at(edges, spike);
  return cells;
}

NumberCells NumberCells::with_spike(double min, double max, std::uint64_t bins, double spike) {
  NumberCells cells = make(min, max, bins);
  std::vector<double> edges;
  for (std::uint32_t i = 0; i <= cells.bins_; ++i) edges.push_back(cells.edge(i));
  cells.cut_at(std::move(edges), spike);
  return cells;
}

NumberCells NumberCells::with_private_bins(double min, double max, std::optional<double> spike) {
  NumberCells cells = spike ? with_spike(min, max, kCellsOfPrivateBins, *spike)
                            : make(min, max, kCellsOfPrivateBins);
  cells.declares_bins_ = false;
  cells.has_private_bins_ = true;
  return cells;
}

void NumberCells::cut_at(std::vector<double> edges, std::optional<double> spike) {
  spike_ = spike;
  if (spike) {
    refuse_outside({.least = min_, .most = max_}, *spike, "spike",
                   "spike must be a number from {} to {}, but is {}", min_, max_, *spike);
    spike_ = *spike + 0.0;
    if (lattice_.value(lattice_.ceiling(*spike_)) != *spike_) {
      refuse_input("not-representable", "spike",
                   "spike must be a number that the column can write, in steps of 1e{}, but is {}",
                   lattice_.exponent(), *spike_);
    }
    // The cell of one double: smaller and larger numbers are in other cells.
    const double above = std::nextafter(*spike_, std::numeric_limits<double>::infinity());
    for (const double edge : {*spike_, above}) {
      if (edge > max_) continue;
      const auto place = std::lower_bound(edges.begin(), edges.end(), edge);
      if (place == edges.end() || *place != edge) edges.insert(place, edge);
    }
    if (*spike_ == max_) edges.push_back(max_);  // the last cell is closed: [max, max]
  }
  bins_ = static_cast<std::uint32_t>(edges.size() - 1);
  edges_ = std::move(edges);
  for (std::uint32_t cell = 0; cell < bins_; ++cell) {
    if (points(cell) > 0) continue;
    refuse_input(
        "not-representable", "spike",
        "spike must leave other decimal numbers in its cell, but there is no other from {} to {}",
        edges_[cell], edges_[cell + 1]);
  }
}

NumberCells::NumberCells(double min, double max, std::uint32_t bins, bool declares_bins,
                         DecimalLattice lattice)
    : min_(min + 0.0),
      max_(max + 0.0),  // a zero is written and hashed without a sign
      bins_per_unit_(bins / (max - min)),
      bins_(bins),
      declares_bins_(declares_bins),
      lattice_(lattice),
      declared_bins_(bins) {}

// Reading and writing must see the very same edges. This function is compiled once and not inlined
// so that no caller gets its own contraction of the product and the sum.
[[gnu::noinline]] double NumberCells::edge(std::uint32_t index) const noexcept {
  if (!edges_.empty()) return edges_[index];
  if (index == 0) return min_;
  if (index == bins_) return max_;
  return min_ + (max_ - min_) * index / bins_;
}

Reading NumberCells::read(std::string_view text) const noexcept {
  if (const auto number = read_number_of(text, min_, max_)) return read(*number);
  return {is_null_word(without_outer_spaces(text)) ? Verdict::kNull : Verdict::kUnreadable, 0};
}

Reading NumberCells::read(double value) const noexcept {
  if (std::isnan(value)) return {Verdict::kNull, 0};
  if (value < min_) return {Verdict::kOutside, 0};
  if (value > max_) return {Verdict::kOutside, bins_ - 1};
  if (!edges_.empty()) {
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
    const auto cell = static_cast<std::uint32_t>(above - edges_.begin() - 1);
    return {Verdict::kValue, std::min(cell, bins_ - 1)};
  }
  const double guess = std::clamp((value - min_) * bins_per_unit_, 0.0, bins_ - 1.0);
  auto cell = static_cast<std::uint32_t>(guess);
  // The guess is off by some units in its last place, less than 2^24 of them in one; the edges are
  // by some in the last place of the bounds. Farther from an edge nothing need be looked at.
  const double doubt =
      0x1p-24 + 0x1p-48 * std::max(std::fabs(min_), std::fabs(max_)) * bins_per_unit_;
  const double inside = guess - cell;
  if (inside > doubt && inside < 1 - doubt) return {Verdict::kValue, cell};
  while (cell > 0 && value < edge(cell)) --cell;
  while (cell + 1 < bins_ && value >= edge(cell + 1)) ++cell;
  return {Verdict::kValue, cell};
}

std::int64_t NumberCells::first_point(std::uint32_t cell) const noexcept {
  if (cell == bins_) {  // one past the last point, which may be max itself
    return lattice_.ceiling(std::nextafter(max_, std::numeric_limits<double>::infinity()));
  }
  return lattice_.ceiling(edge(cell));
}

void NumberCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  lattice_.write(first_point(cell) + static_cast<std::int64_t>(point), text);
}

std::string NumberCells::expectation() const {
  return fmt::format("a number from {} to {}", min_, max_);
}

}  // namespace mollify
