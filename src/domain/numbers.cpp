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
// What columns of numbers declare.

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
  "type": "array", "items": {"type": "integer"}})"},
                                       ColumnKey{"values", false, R"({
  "description": "Instead of all else: the only values, ascending.",
  "type": "array", "items": {"type": "integer"}})"},
                                       ColumnKey{"spikes", false, R"({
  "description": "Integers that many values are, ascending, each in a cell of its own; with bins or edges.",
  "type": "array", "items": {"type": "integer"}})"},
                                       ColumnKey{"step", false, R"({
  "description": "All values are multiples of it. Default: 1.",
  "type": "integer", "minimum": 1})"}};
constexpr std::array kKeysOfNumber = {ColumnKey{"min", false, R"({"type": "number"})"},
                                      ColumnKey{"max", false, R"({"type": "number"})"},
                                      ColumnKey{"bins", false, kBinsSchema},
                                      ColumnKey{"edges", false, R"({
  "description": "Instead of min, max and bins: where cells begin, and where the last one ends.",
  "type": "array", "items": {"type": "number"}})"},
                                      ColumnKey{"values", false, R"({
  "description": "Instead of all else: the only values, ascending.",
  "type": "array", "items": {"type": "number"}})"},
                                      ColumnKey{"spikes", false, R"({
  "description": "Numbers that many values are exactly, ascending, each in a cell of its own; with bins or edges.",
  "type": "array", "items": {"type": "number"}})"},
                                      ColumnKey{"step", false, R"({
  "description": "All values are multiples of it, as 0.01. Default: as many decimals as cells need.",
  "type": "number", "exclusiveMinimum": 0})"}};
constexpr std::array<std::string_view, 8> kIntegers = {
    "min: 0, max: 110",
    "min: 0, max: 110, bins: 11",
    "min: -5, max: 99999999, bins: private",
    "edges: [0, 1, 2, 4, 50]",
    "values: [88101, 88502]",
    "min: 0, max: 999, bins: 5, spikes: [0, 500, 999]",
    "min: 0, max: 999, bins: private, spikes: [404]",
    "min: 3, max: 64, step: 10"};
constexpr std::array<std::string_view, 10> kNumbers = {
    "min: 50, max: 250",
    "min: 0, max: 1, bins: 4",
    "min: 0, max: 5000, bins: 20, spikes: [0]",
    "min: 0, max: 1, bins: private",
    "min: 0, max: 1, bins: private, spikes: [0.5]",
    "edges: [0, 1.5, 3]",
    "edges: [0, 1.5, 3], spikes: [0, 0.3333333333333333, 3]",
    "values: [0.5, 1, 2.25]",
    "min: 0, max: 20, step: 0.05",
    "edges: [0, 4.99, 20], step: 0.01, spikes: [4.99, 9.99]"};

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
NumberDeclaration<Number> declared_in(const Settings& settings) {
  NumberDeclaration<Number> declared;
  const auto list = [&](std::string_view key) { return settings.get<std::vector<Number>>(key); };
  if (settings.has_instead("values", {"min", "max", "bins", "edges", "spikes", "step"})) {
    declared.values = list("values");
    refuse_if(declared.values.empty(), "wrong-shape", "values",
              "values must list at least one number, but is empty");
    return declared;
  }
  if (settings.has_instead("edges", {"min", "max", "bins"})) {
    declared.edges = list("edges");
    refuse_if(declared.edges.size() < 2, "wrong-shape", "edges",
              "edges must be at least two numbers, but there are {}", declared.edges.size());
  } else {
    declared.min = settings.get<Number>("min");
    declared.max = settings.get<Number>("max");
    declared.private_bins = settings.is("bins", kPrivateWord);
    if (!declared.private_bins) declared.bins = bins_in(settings);
  }
  if (settings.has("spikes")) declared.spikes = list("spikes");
  declared.step = settings.maybe<Number>("step");
  return declared;
}

Setting word_of(std::int64_t number) { return Setting::word(fmt::format("{}", number)); }
Setting word_of(double number) { return Setting::word(fmt::format("{}", number)); }

template <class Number>
Setting list_of(const std::vector<Number>& numbers) {
  Setting list{.kind = Setting::Kind::kSequence};
  for (const Number number : numbers) list.items.push_back(word_of(number));
  return list;
}

/// As `declared_in` reads it. A number of bins is left out where each value is a cell anyway.
template <class Number>
DeclaredSettings settings_of(const NumberDeclaration<Number>& declared, bool has_bins) {
  if (!declared.values.empty()) return {{"values", list_of(declared.values)}};
  DeclaredSettings settings;
  if (!declared.edges.empty()) {
    settings.emplace_back("edges", list_of(declared.edges));
  } else {
    settings = {{"min", word_of(declared.min)}, {"max", word_of(declared.max)}};
    if (declared.private_bins) {
      settings.emplace_back("bins", Setting::word(std::string(kPrivateWord)));
    } else if (has_bins) {
      settings.emplace_back("bins", Setting::word(std::to_string(*declared.bins)));
    }
  }
  if (!declared.spikes.empty()) settings.emplace_back("spikes", list_of(declared.spikes));
  if (declared.step) settings.emplace_back("step", word_of(*declared.step));
  return settings;
}

/// Refuses a number that is not above the one before; the last two may be equal if `closes`.
template <class Number>
void require_ascending(std::string_view key, const std::vector<Number>& numbers,
                       bool closes = false) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if constexpr (std::is_same_v<Number, double>) {
      refuse_outside(kDoubles, numbers[i], key, "{} must be finite numbers, but one is {}", key,
                     numbers[i]);
    }
    if (i == 0 || numbers[i - 1] < numbers[i]) continue;
    if (closes && i + 1 == numbers.size() && numbers[i - 1] == numbers[i]) continue;
    refuse_input("not-ascending", key, "{} must be ascending, but {} is followed by {}", key,
                 numbers[i - 1], numbers[i]);
  }
}

template <class Number>
[[noreturn]] void refuse_spike(const std::string& allowed, Number spike, Number min, Number max) {
  const Range range{.least = static_cast<double>(min), .most = static_cast<double>(max)};
  refuse_input("out-of-range", "spikes", {}, quantities_of(static_cast<double>(spike), range),
               "spikes must be {}, but one is {}", allowed, spike);
}

[[noreturn]] void refuse_spikes_without_cells() {
  refuse_input("missing-key", "spikes", {WayOut::declare("bins"), WayOut::declare("edges")},
               "spikes must be given with bins or edges");
}

void require_few_cells(std::string_view key, std::size_t cells) {
  refuse_outside({.most = static_cast<double>(IntegerCells::kMaxBins)}, static_cast<double>(cells),
                 key, "{} must make at most {} cells, but make {}", key, IntegerCells::kMaxBins,
                 cells);
}

[[noreturn]] void refuse_step(const auto& step, const auto& from, const auto& to) {
  refuse_input("not-representable", "step",
               "step must leave a multiple in each cell, but none of {} is from {} to {}", step,
               from, to);
}

/// A cell that holds values, or is a value.
std::string list_expectation(std::string_view kind, const auto& values) {
  constexpr std::size_t kMostNamed = 6;
  if (values.size() == 1) return fmt::format("the {} {}", kind, values[0]);
  if (values.size() <= kMostNamed) return fmt::format("one of {}", fmt::join(values, ", "));
  return fmt::format("one of {} {}s from {} to {}", values.size(), kind, values.front(),
                     values.back());
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// A column of integers from min to max, grouped into cells.

namespace {

__extension__ using Wide = unsigned __int128;

std::int64_t floor_of_quotient(std::int64_t value, std::int64_t by) noexcept {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t ceiling_of_quotient(std::int64_t value, std::int64_t by) noexcept {
  return value / by + (value % by > 0 ? 1 : 0);
}

std::uint64_t apart(std::int64_t low, std::int64_t high) noexcept {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

}  // namespace

constinit const ColumnKind IntegerCells::kKind{
    "integer", "whole numbers", kKeysOfInteger, kIntegers, true, true, true};

IntegerCells IntegerCells::declare(const ColumnKind& /*kind*/, const Settings& settings) {
  return make(declared_in<std::int64_t>(settings));
}

DeclaredSettings IntegerCells::settings() const { return settings_of(declared_, declares_bins()); }

void IntegerCells::add_canonical(std::string& text) const {
  text += fmt::format(" {} {} {}", min(), max(), size());
  if (!declares_bins() && !ungrouped()) text += " unbinned";
  if (has_private_bins()) text += " private";
  if (!declared_.edges.empty()) text += fmt::format(" edges {}", fmt::join(declared_.edges, " "));
  if (is_listed()) text += fmt::format(" values {}", fmt::join(declared_.values, " "));
  if (!declared_.spikes.empty())
    text += fmt::format(" spikes {}", fmt::join(declared_.spikes, " "));
  if (declared_.step) text += fmt::format(" step {}", *declared_.step);
}

void IntegerCells::describe(ColumnSchema& schema) const { schema.type = ValueType::kInteger; }

IntegerCells IntegerCells::make(const Declaration& declared) {
  IntegerCells cells(declared);
  require_ascending("edges", declared.edges, true);
  require_ascending("values", declared.values);
  require_ascending("spikes", declared.spikes);
  const auto& ends = declared.values.empty() ? declared.edges : declared.values;
  if (!ends.empty()) {
    cells.declared_.min = ends.front();
    cells.declared_.max = ends.back();
  }
  cells.span_range();
  std::vector<std::uint64_t> starts;
  if (cells.is_listed()) {
    // A cell begins in the middle between its value and the one before.
    require_few_cells("values", declared.values.size());
    starts.push_back(0);
    for (std::size_t i = 1; i < declared.values.size(); ++i) {
      const std::uint64_t gap = apart(declared.values[i - 1], declared.values[i]);
      starts.push_back(apart(cells.min(), declared.values[i - 1]) + gap / 2 + gap % 2);
    }
    starts.push_back(cells.count_);
    cells.bins_ = static_cast<std::uint32_t>(declared.values.size());
    cells.count_ = declared.values.size();
    cells.starts_ = std::move(starts);
    return cells;
  }
  if (!declared.edges.empty()) {
    require_few_cells("edges", declared.edges.size() - 1);
    starts.push_back(0);
    for (std::size_t i = 1; i + 1 < declared.edges.size(); ++i) {
      starts.push_back(cells.multiples_below(declared.edges[i]));
    }
    starts.push_back(cells.count_);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      if (starts[i] >= starts[i + 1])
        refuse_step(*declared.step, declared.edges[i], declared.edges[i + 1]);
    }
    cells.cut_at(std::move(starts));
    return cells;
  }
  if (declared.private_bins && cells.count_ > kCellsOfPrivateBins) {
    const auto last =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(cells.first_) + (cells.count_ - 1));
    for (const std::int64_t start : dyadic_starts(cells.first_, last, kCellsOfPrivateBins)) {
      starts.push_back(apart(cells.first_, start));
    }
    starts.push_back(cells.count_);
    cells.cut_at(std::move(starts));
    return cells;
  }
  const std::uint64_t most = std::min(cells.count_, kMaxBins);
  // With a null category, 2^24 cells would be one outcome more than a domain can list.
  const std::uint64_t bins = declared.bins.value_or(cells.count_ > most ? kMaxBins / 2 : most);
  require_between("bins", bins, 1, most);
  cells.bins_ = static_cast<std::uint32_t>(bins);
  if (declared.spikes.empty()) return cells;
  if (cells.is_cut()) refuse_spikes_without_cells();
  if (cells.ungrouped()) {
    cells.require_spikes();
    return cells;
  }
  for (std::uint32_t cell = 0; cell <= bins; ++cell) starts.push_back(cells.start(cell));
  cells.cut_at(std::move(starts));
  return cells;
}

void IntegerCells::span_range() {
  const std::int64_t step = declared_.step.value_or(1);
  refuse_outside({.least = 1}, static_cast<double>(step), "step",
                 "step must be an integer above 0, but is {}", step);
  refuse_if(min() > max(), "not-ascending", "min",
            "min must be at most max, but they are {} and {}", min(), max());
  if (apart(min(), max()) >= std::uint64_t{1} << 63U) {
    refuse_input(
        "out-of-range", "max", {},
        {{"given", static_cast<double>(max())}, {"below", static_cast<double>(min()) + 0x1p63}},
        "min and max must be less than 2^63 apart, but they are {} and {}", min(), max());
  }
  step_ = static_cast<std::uint64_t>(step);
  first_ = ceiling_of_quotient(min(), step);
  const std::int64_t last = floor_of_quotient(max(), step);
  if (first_ > last) refuse_step(step, min(), max());
  count_ = apart(first_, last) + 1;
}

void IntegerCells::require_spikes() const {
  for (const std::int64_t spike : declared_.spikes) {
    if (spike >= min() && spike <= max() && spike % static_cast<std::int64_t>(step_) == 0) continue;
    refuse_spike(step_ == 1 ? fmt::format("integers from {} to {}", min(), max())
                            : fmt::format("multiples of {} from {} to {}", step_, min(), max()),
                 spike, min(), max());
  }
}

void IntegerCells::cut_at(std::vector<std::uint64_t> starts) {
  require_spikes();
  std::vector<std::uint64_t> around;
  for (const std::int64_t spike : declared_.spikes) {
    const std::uint64_t place = multiples_below(spike);
    around.insert(around.end(), {place, place + 1});
  }
  std::vector<std::uint64_t> all;
  std::set_union(starts.begin(), starts.end(), around.begin(),
                 std::unique(around.begin(), around.end()), std::back_inserter(all));
  require_few_cells("spikes", all.size() - 1);
  starts_ = std::move(all);
  bins_ = static_cast<std::uint32_t>(starts_.size() - 1);
}

std::uint64_t IntegerCells::multiples_below(std::int64_t value) const noexcept {
  return apart(first_, ceiling_of_quotient(value, static_cast<std::int64_t>(step_)));
}

std::vector<std::uint32_t> IntegerCells::spike_cells() const {
  std::vector<std::uint32_t> cells;
  for (const std::int64_t spike : declared_.spikes) cells.push_back(read(spike).cell);
  return cells;
}

std::uint64_t IntegerCells::start(std::uint32_t cell) const noexcept {
  if (!starts_.empty()) return starts_[cell];
  return static_cast<std::uint64_t>(Wide{cell} * count_ / bins_);
}

Reading IntegerCells::nearest(std::int64_t value, Verdict if_inside) const noexcept {
  const Verdict if_outside = if_inside == Verdict::kValue ? Verdict::kOutside : if_inside;
  if (value < min()) return {if_outside, 0};
  if (value > max()) return {if_outside, bins_ - 1};
  std::uint64_t place = apart(min(), value);
  if (step_ != 1) {
    const auto step = static_cast<std::int64_t>(step_);
    const std::int64_t below = floor_of_quotient(value, step);
    const std::uint64_t over =
        static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(below) * step_;
    const std::int64_t multiple = below + (over >= step_ - over ? 1 : 0);
    place = multiple < first_ ? 0 : std::min(apart(first_, multiple), count_ - 1);
  }
  if (!starts_.empty()) {
    const auto next = std::upper_bound(starts_.begin(), starts_.end() - 1, place);
    const auto cell = static_cast<std::uint32_t>(next - starts_.begin() - 1);
    return {is_listed() && declared_.values[cell] != value ? if_outside : if_inside, cell};
  }
  if (ungrouped()) return {if_inside, static_cast<std::uint32_t>(place)};
  // The last cell j with j n / bins <= place, that is with j n < (place + 1) bins.
  const Wide cell = ((Wide{place} + 1) * bins_ - 1) / count_;
  return {if_inside, static_cast<std::uint32_t>(cell)};
}

Reading IntegerCells::read(std::string_view text) const noexcept {
  if (const auto integer = read_integer(text)) return read(*integer);
  UnmarkedBuffer buffer;
  const auto low = static_cast<double>(min()), high = static_cast<double>(max());
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
                 rounded == value ? Verdict::kValue : Verdict::kNotWhole);
}

std::int64_t IntegerCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  if (is_listed()) return declared_.values[cell];
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(first_) + start(cell) + point) *
                                   step_);
}

void IntegerCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  fmt::format_to(std::back_inserter(text), "{}", value(cell, point));
}

bool IntegerCells::is_on_step(std::string_view text) const {
  if (step_ == 1 || is_listed()) return true;
  auto integer = read_integer(text);
  if (!integer) {
    const auto number =
        read_number_of(text, static_cast<double>(min()), static_cast<double>(max()));
    if (!number) return true;
    integer = static_cast<std::int64_t>(*number);  // which `read` found in the range
  }
  return *integer % static_cast<std::int64_t>(step_) == 0;
}

std::string IntegerCells::expectation() const {
  if (is_listed()) return list_expectation("integer", declared_.values);
  return fmt::format("an integer from {} to {}", min(), max());
}

// -----------------------------------------------------------------------------------------------
// A column of numbers from min to max, cut into cells.

namespace {

constexpr std::uint64_t kMaxBins = IntegerCells::kMaxBins;
constexpr double kMinPointsPerCell = 10;
constexpr double kPointsPerDeclaredCell = 1e4;
constexpr double kAboveAll = std::numeric_limits<double>::infinity();

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

double magnitude_of(double low, double high) noexcept {
  return std::max(std::fabs(low), std::fabs(high));
}

/// A step as it is written: `points` of a lattice, 25 x 10^-2 for 0.25.
struct DecimalStep {
  std::int64_t points;
  DecimalLattice lattice;
};

DecimalStep decimal_step(double step) {
  refuse_outside(positive_up_to(std::numeric_limits<double>::max()), step, "step",
                 "step must be a finite number above 0, but is {}", step);
  for (int exponent = -DecimalLattice::kMaxExponent; exponent <= DecimalLattice::kMaxExponent;
       ++exponent) {
    const DecimalLattice lattice(exponent);
    const double points = lattice.in_steps(step);
    if (points > DecimalLattice::kMaxMultiple) continue;
    const auto whole = static_cast<std::int64_t>(std::round(points));
    if (whole % 10 == 0 && exponent < DecimalLattice::kMaxExponent) continue;
    if (whole > 0 && lattice.value(whole) == step) return {whole, lattice};
  }
  refuse_input("not-representable", "step", "step must be a decimal number, but is {}", step);
}

}  // namespace

constinit const ColumnKind NumberCells::kKind{"number", "numbers", kKeysOfNumber, kNumbers,
                                              true,     true,      true};

NumberCells NumberCells::declare(const ColumnKind& /*kind*/, const Settings& settings) {
  return make(declared_in<double>(settings));
}

DeclaredSettings NumberCells::settings() const {
  return settings_of(declared_, declared_.bins.has_value());
}

void NumberCells::add_canonical(std::string& text) const {
  text += fmt::format(" {} {} {}", hexadecimal(min()), hexadecimal(max()), size());
  if (!declares_bins()) text += " unbinned";
  if (has_private_bins()) text += " private";
  for (const double edge : declared_.edges) text += " edge " + hexadecimal(edge);
  for (const double value : declared_.values) text += " value " + hexadecimal(value);
  for (const double spike : declared_.spikes) text += " spike " + hexadecimal(spike);
  if (declared_.step) text += " step " + hexadecimal(*declared_.step);
}

void NumberCells::describe(ColumnSchema& schema) const {
  schema.type = ValueType::kNumber;
  if (singles_are_points_) schema.exponent = lattice_.exponent();
}

NumberCells NumberCells::make(const Declaration& given) {
  Declaration declared = given;
  require_ascending("edges", declared.edges);
  require_ascending("values", declared.values);
  require_ascending("spikes", declared.spikes);
  // A zero is written and hashed without a sign.
  for (auto* const list : {&declared.edges, &declared.values, &declared.spikes}) {
    for (double& number : *list) number += 0.0;
  }
  const auto& ends = declared.values.empty() ? declared.edges : declared.values;
  if (!ends.empty()) {
    declared.min = ends.front();
    declared.max = ends.back();
  }
  declared.min += 0.0;
  declared.max += 0.0;
  if (!declared.values.empty()) return of_values(std::move(declared));
  for (const auto& [name, end] : {std::pair{"min", declared.min}, std::pair{"max", declared.max}}) {
    refuse_outside(kDoubles, end, name, "min and max must be finite, but they are {} and {}",
                   declared.min, declared.max);
  }
  refuse_if(!(declared.min < declared.max), "not-ascending", "min",
            "min must be below max, but they are {} and {}", declared.min, declared.max);
  if (declared.bins) require_between("bins", *declared.bins, 1, kMaxBins);
  for (const double spike : declared.spikes) {
    if (!(spike >= declared.min && spike <= declared.max))
      refuse_spike(fmt::format("numbers from {} to {}", declared.min, declared.max), spike,
                   declared.min, declared.max);
  }
  if (declared.step) return of_step(std::move(declared));
  return declared.edges.empty() ? of_range(std::move(declared)) : of_edges(std::move(declared));
}

NumberCells NumberCells::of_private_bins(Declaration declared) {
  const double magnitude = magnitude_of(declared.min, declared.max);
  double unit = std::ldexp(1.0, std::ilogb(magnitude) - kOctavesOfPrivateBins);
  auto lattice = lattice_for(magnitude, unit, kMinPointsPerCell);
  // Decimals end at 10^-22.
  while (!lattice && unit < (declared.max - declared.min) / 4096) {
    unit *= 2;
    lattice = lattice_for(magnitude, unit, kMinPointsPerCell);
  }
  const double low = std::floor(declared.min / unit), high = std::ceil(declared.max / unit);
  refuse_if(!lattice, "not-representable", "bins",
            "min and max must leave private bins that decimal numbers can resolve, but {} to {} do "
            "not",
            declared.min, declared.max);
  std::vector<double> edges = {declared.min};
  for (const std::int64_t start :
       dyadic_starts(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high) - 1,
                     IntegerCells::kCellsOfPrivateBins)) {
    const double edge = static_cast<double>(start) * unit;
    if (edge >= declared.min + unit && edge <= declared.max - unit) edges.push_back(edge);
  }
  edges.push_back(declared.max);
  NumberCells made(std::move(declared), static_cast<std::uint32_t>(edges.size() - 1), *lattice);
  made.cut_out_spikes(std::move(edges));
  made.singles_are_points_ = false;
  constexpr std::int64_t kPointsOfFineCell = 100;
  for (std::uint32_t cell = 0; cell < made.bins_; ++cell) {
    const std::int64_t points = made.first_point(cell + 1) - made.first_point(cell);
    std::int64_t stride = 1;
    while (points / stride >= 10 * kPointsOfFineCell) stride *= 10;
    made.strides_.push_back(stride);
  }
  return made;
}

NumberCells NumberCells::of_range(Declaration declared) {
  if (declared.private_bins) return of_private_bins(std::move(declared));
  const bool is_open = !declared.bins;
  if (is_open && !declared.spikes.empty()) refuse_spikes_without_cells();
  const double width = declared.max - declared.min;
  const double magnitude = magnitude_of(declared.min, declared.max);
  const double points_per_cell = is_open ? kMinPointsPerCell : kPointsPerDeclaredCell;
  auto cells = static_cast<std::uint32_t>(declared.bins.value_or(kUndeclaredBins));
  auto lattice = lattice_for(magnitude, width / cells, points_per_cell);
  while (!lattice && is_open && cells > 1) {
    cells /= 2;
    lattice = lattice_for(magnitude, width / cells, points_per_cell);
  }
  refuse_if(!lattice, "not-representable", "bins",
            "min, max and bins must give cells that decimal numbers can resolve, but {} to {} in "
            "{} cells do not",
            declared.min, declared.max, cells);
  NumberCells made(std::move(declared), cells, *lattice);
  if (made.declared_.spikes.empty()) return made;
  std::vector<double> edges;
  for (std::uint32_t i = 0; i <= cells; ++i) edges.push_back(made.edge(i));
  made.cut_out_spikes(std::move(edges));
  return made;
}

NumberCells NumberCells::of_edges(Declaration declared) {
  std::vector<double> edges = declared.edges;
  require_few_cells("edges", edges.size() - 1);
  double narrowest = kAboveAll;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    narrowest = std::min(narrowest, edges[i + 1] - edges[i]);
  }
  const auto lattice =
      lattice_for(magnitude_of(declared.min, declared.max), narrowest, kPointsPerDeclaredCell);
  refuse_if(!lattice, "not-representable", "edges",
            "edges must make cells that decimal numbers can resolve, but one of width {} does not",
            narrowest);
  NumberCells made(std::move(declared), static_cast<std::uint32_t>(edges.size() - 1), *lattice);
  made.cut_out_spikes(std::move(edges));
  return made;
}

NumberCells NumberCells::of_values(Declaration declared) {
  require_few_cells("values", declared.values.size());
  NumberCells made(std::move(declared), 1, DecimalLattice(0));
  made.singles_ = made.declared_.values;
  made.singles_are_points_ = false;  // written as they are declared
  made.bins_ = static_cast<std::uint32_t>(made.singles_.size());
  // A cell begins in the middle between its value and the one before.
  made.edges_ = {made.min()};
  for (std::uint32_t cell = 0; cell < made.bins_; ++cell) {
    made.single_cells_.push_back(cell);
    if (cell == 0) continue;
    const double below = made.singles_[cell - 1], above = made.singles_[cell];
    const double middle = below / 2 + above / 2;
    made.edges_.push_back(middle > below && middle <= above ? middle : above);
  }
  made.edges_.push_back(made.max());
  return made;
}

NumberCells NumberCells::of_step(Declaration declared) {
  const auto [points, lattice] = decimal_step(*declared.step);
  refuse_if(
      lattice.in_steps(magnitude_of(declared.min, declared.max)) > DecimalLattice::kMaxMultiple,
      "not-representable", "step",
      "step must leave numbers that doubles can tell apart, but from {} to {} multiples of "
      "{} are too many",
      declared.min, declared.max, *declared.step);
  const auto multiple_from = [&, points = points, lattice = lattice](double bound) {
    return ceiling_of_quotient(lattice.ceiling(bound), points);
  };
  IntegerCells::Declaration multiples{
      .min = multiple_from(declared.min),
      .max = multiple_from(std::nextafter(declared.max, kAboveAll)) - 1,
      .bins = declared.bins,
      .private_bins = declared.private_bins};
  if (multiples.min > multiples.max) refuse_step(*declared.step, declared.min, declared.max);
  for (const double edge : declared.edges) {
    const bool is_last = edge == declared.max;
    multiples.edges.push_back(is_last ? multiples.max : multiple_from(edge));
    const std::size_t made = multiples.edges.size();
    if (made < 2 || multiples.edges[made - 2] < multiples.edges[made - 1]) continue;
    // The last cell holds its end too.
    if (is_last && made > 2 && multiples.edges[made - 2] == multiples.edges[made - 1]) continue;
    refuse_step(*declared.step, declared.edges[made - 2], edge);
  }
  for (const double spike : declared.spikes) {
    const std::int64_t point = lattice.multiple(spike);
    if (lattice.value(point) != spike || point % points != 0) {
      refuse_spike(
          fmt::format("multiples of {} from {} to {}", *declared.step, declared.min, declared.max),
          spike, declared.min, declared.max);
    }
    multiples.spikes.push_back(point / points);
  }
  NumberCells made(std::move(declared), 1, lattice);
  made.points_of_step_ = points;
  made.multiples_ = IntegerCells::make(multiples);
  made.bins_ = made.multiples_->size();
  return made;
}

NumberCells::NumberCells(Declaration declared, std::uint32_t bins, DecimalLattice lattice)
    : declared_(std::move(declared)),
      bins_(bins),
      lattice_(lattice),
      bins_per_unit_(bins / (declared_.max - declared_.min)) {}

void NumberCells::cut_out_spikes(std::vector<double> edges) {
  const auto& spikes = declared_.spikes;
  // The cell of one double: smaller and larger numbers are in other cells.
  for (const double spike : spikes) {
    for (const double edge : {spike, std::nextafter(spike, kAboveAll)}) {
      if (edge > max()) continue;
      const auto place = std::lower_bound(edges.begin(), edges.end(), edge);
      if (place == edges.end() || *place != edge) edges.insert(place, edge);
    }
    if (spike == max()) edges.push_back(max());  // the last cell is closed: [max, max]
  }
  // A cell without a point of the lattice, next to a spike, joins a neighbour.
  const double end = edges.back();
  edges.pop_back();
  edges_.clear();
  auto spike = spikes.begin();
  bool joins_the_next = false;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double next = i + 1 < edges.size() ? edges[i + 1] : std::nextafter(end, kAboveAll);
    const bool is_spike = spike != spikes.end() && edges[i] == *spike;
    if (!is_spike && lattice_.ceiling(edges[i]) >= lattice_.ceiling(next)) {
      joins_the_next = joins_the_next || edges_.empty();
      continue;
    }
    edges_.push_back(joins_the_next ? min() : edges[i]);
    joins_the_next = false;
    if (!is_spike) continue;
    single_cells_.push_back(static_cast<std::uint32_t>(edges_.size() - 1));
    singles_.push_back(*spike);
    singles_are_points_ = singles_are_points_ && lattice_.value(lattice_.ceiling(*spike)) == *spike;
    ++spike;
  }
  bins_ = static_cast<std::uint32_t>(edges_.size());
  require_few_cells("spikes", bins_);
  edges_.push_back(end);
}

std::vector<std::uint32_t> NumberCells::spike_cells() const {
  if (multiples_) return multiples_->spike_cells();
  return declared_.values.empty() ? single_cells_ : std::vector<std::uint32_t>();
}

const double* NumberCells::single(std::uint32_t cell) const noexcept {
  const auto place = std::lower_bound(single_cells_.begin(), single_cells_.end(), cell);
  if (place == single_cells_.end() || *place != cell) return nullptr;
  return &singles_[static_cast<std::size_t>(place - single_cells_.begin())];
}

// Reading and writing must see the very same edges. This function is compiled once and not inlined
// so that no caller gets its own contraction of the product and the sum.
[[gnu::noinline]] double NumberCells::edge(std::uint32_t index) const noexcept {
  if (!edges_.empty()) return edges_[index];
  if (index == 0) return min();
  if (index == bins_) return max();
  return min() + (max() - min()) * index / bins_;
}

Reading NumberCells::read(std::string_view text) const noexcept {
  if (const auto number = read_number_of(text, min(), max())) return read(*number);
  return {is_null_word(without_outer_spaces(text)) ? Verdict::kNull : Verdict::kUnreadable, 0};
}

Reading NumberCells::read(double value) const noexcept {
  if (std::isnan(value)) return {Verdict::kNull, 0};
  if (value < min()) return {Verdict::kOutside, 0};
  if (value > max()) return {Verdict::kOutside, bins_ - 1};
  if (multiples_) {
    const double multiple = lattice_.in_steps(value) / static_cast<double>(points_of_step_);
    // A number near a bound may be nearest to a multiple beyond it.
    const std::int64_t nearest = std::clamp(static_cast<std::int64_t>(std::round(multiple)),
                                            multiples_->min(), multiples_->max());
    return multiples_->read(nearest);
  }
  if (!edges_.empty()) {
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
    const auto cell = std::min(static_cast<std::uint32_t>(above - edges_.begin() - 1), bins_ - 1);
    const bool is_none = !declared_.values.empty() && declared_.values[cell] != value;
    return {is_none ? Verdict::kOutside : Verdict::kValue, cell};
  }
  const double guess = std::clamp((value - min()) * bins_per_unit_, 0.0, bins_ - 1.0);
  auto cell = static_cast<std::uint32_t>(guess);
  // The guess is off by some units in its last place, less than 2^24 of them in one; the edges are
  // by some in the last place of the bounds. Farther from an edge nothing need be looked at.
  const double doubt = 0x1p-24 + 0x1p-48 * magnitude_of(min(), max()) * bins_per_unit_;
  const double inside = guess - cell;
  if (inside > doubt && inside < 1 - doubt) return {Verdict::kValue, cell};
  while (cell > 0 && value < edge(cell)) --cell;
  while (cell + 1 < bins_ && value >= edge(cell + 1)) ++cell;
  return {Verdict::kValue, cell};
}

std::int64_t NumberCells::first_point(std::uint32_t cell) const noexcept {
  // One past the last point, which may be max itself.
  if (cell == bins_) return lattice_.ceiling(std::nextafter(max(), kAboveAll));
  return lattice_.ceiling(edge(cell));
}

std::uint64_t NumberCells::points(std::uint32_t cell) const noexcept {
  if (multiples_) return multiples_->points(cell);
  if (single(cell) != nullptr) return 1;
  if (strides_.empty()) {
    return static_cast<std::uint64_t>(first_point(cell + 1) - first_point(cell));
  }
  const std::int64_t stride = strides_[cell];
  return static_cast<std::uint64_t>(ceiling_of_quotient(first_point(cell + 1), stride) -
                                    ceiling_of_quotient(first_point(cell), stride));
}

double NumberCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  if (multiples_) return lattice_.value(points_of_step_ * multiples_->value(cell, point));
  if (const double* const number = single(cell)) return *number;
  const std::int64_t stride = strides_.empty() ? 1 : strides_[cell];
  return lattice_.value(
      (ceiling_of_quotient(first_point(cell), stride) + static_cast<std::int64_t>(point)) * stride);
}

void NumberCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  const double number = value(cell, point);
  if (singles_are_points_) {
    lattice_.write(lattice_.multiple(number), text);
  } else {
    TextBuffer buffer;
    text += text_of(number, buffer);
  }
}

bool NumberCells::is_on_step(std::string_view text) const {
  if (!multiples_) return true;
  const double number = read_number_of(text, min(), max()).value_or(0);
  const std::int64_t point = lattice_.multiple(number);
  return lattice_.value(point) == number && point % points_of_step_ == 0;
}

std::string NumberCells::expectation() const {
  if (!declared_.values.empty()) return list_expectation("number", declared_.values);
  return fmt::format("a number from {} to {}", min(), max());
}

}  // namespace mollify
