#include "domain/domain.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/possible.h"
#include "domain/rules.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The public domain.

/// Made by the first thread that asks.
struct Domain::Outcomes {
  std::once_flag once;
  std::vector<std::uint32_t> places;
};

Domain::Domain(std::vector<Column> columns, std::uint64_t seed, double product,
               const std::vector<RuleDeclaration>& rules)
    : columns_(std::make_shared<const std::vector<Column>>(std::move(columns))),
      possible_(rules.empty() ? nullptr
                              : std::make_shared<const PossibleRecords>(*columns_, rules)),
      outcomes_(std::make_shared<Outcomes>()),
      places_(columns_->size()),
      seed_(seed),
      product_(product),
      size_(product <= kMaxOutcomes ? static_cast<std::uint32_t>(product) : 0) {
  // Of a domain that is not enumerable they mean nothing, and nobody uses them.
  std::uint32_t stride = 1;
  for (std::size_t i = places_.size(); i-- > 0;) {
    places_[i] = {.stride = stride, .size = (*columns_)[i].size()};
    stride *= places_[i].size;
  }
}

Domain Domain::make(std::vector<Column> columns, std::uint64_t seed) {
  return make(std::move(columns), seed, {});
}

Domain Domain::make(std::vector<Column> columns, std::uint64_t seed,
                    const std::vector<RuleDeclaration>& rules) {
  refuse_if(columns.empty(), "empty-input", "columns",
            "a domain must have at least one column, but has none");
  StringIndex names;
  double product = 1;
  for (const Column& column : columns) {
    refuse_if(names.find(column.name()) != StringIndex::kAbsent, "duplicate-column",
              Concern::of_column(column.name()),
              "column names must be distinct, but \"{}\" is declared twice", column.name());
    names.insert(column.name());
    product *= column.size();
  }
  return Domain(std::move(columns), seed, product, rules);
}

std::vector<RuleDeclaration> Domain::rules() const {
  std::vector<RuleDeclaration> declared;
  if (!possible_) return declared;
  for (const DomainRule& rule : possible_->rules()) declared.push_back(rule.declared);
  return declared;
}

const std::vector<std::uint32_t>& Domain::outcomes() const {
  std::call_once(outcomes_->once, [&] {
    std::vector<std::uint32_t> digits(places_.size());
    for (std::uint32_t place = 0; place < size_; ++place) {
      for (std::size_t i = 0; i < digits.size(); ++i) {
        digits[i] = place / places_[i].stride % places_[i].size;
      }
      if (possible_->has(digits)) outcomes_->places.push_back(place);
    }
  });
  return outcomes_->places;
}

std::uint32_t Domain::outcome_of_place(std::uint32_t place) const {
  const auto& places = outcomes();
  return static_cast<std::uint32_t>(std::lower_bound(places.begin(), places.end(), place) -
                                    places.begin());
}

std::vector<std::string> Domain::names() const {
  std::vector<std::string> names;
  for (const Column& column : *columns_) names.push_back(column.name());
  return names;
}

std::string Domain::widest(std::string_view between) const {
  constexpr std::size_t kMostNamed = 100;
  std::vector<const Column*> largest;
  for (const Column& column : *columns_) largest.push_back(&column);
  std::stable_sort(largest.begin(), largest.end(), [](const Column* one, const Column* other) {
    return one->size() > other->size();
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(largest.size(), kMostNamed); ++i) {
    text +=
        fmt::format("{}\"{}\" {}", i == 0 ? "" : between, largest[i]->name(), largest[i]->size());
  }
  if (largest.size() <= kMostNamed) return text;
  return text + fmt::format("{}{}", between, counted(largest.size() - kMostNamed, "more column"));
}

std::string Domain::fewer_bins(
    const std::function<bool(std::span<const std::uint32_t>)>& fits) const {
  const auto has_bins = [](const Column& column) {
    return std::holds_alternative<NumberCells>(column.cells()) ||
           std::holds_alternative<IntegerCells>(column.cells());
  };
  std::vector<std::uint32_t> sizes;
  std::uint32_t most = 0;
  std::uint32_t no_bins = 0;  // the cells of a null and around spikes, which are no bins
  for (const Column& column : *columns_) {
    sizes.push_back(column.size());
    if (!has_bins(column)) continue;
    most = std::max(most, column.size());
    const auto spikes = static_cast<std::uint32_t>(spike_cells(column.cells()).size());
    no_bins = std::max(no_bins, column.codes_and_nulls() + 2 * spikes);
  }
  const auto last = [](std::uint32_t bad, const auto& serves) {
    std::uint32_t good = 0;
    while (bad > good + 1) {
      const std::uint32_t middle = good + (bad - good) / 2;
      (serves(middle) ? good : bad) = middle;
    }
    return good;
  };
  const std::uint32_t size = last(most + 1, [&](std::uint32_t limit) {
    std::vector<std::uint32_t> cut = sizes;
    for (std::size_t i = 0; i < cut.size(); ++i) {
      if (has_bins((*columns_)[i])) cut[i] = std::min(cut[i], limit);
    }
    return fits(cut);
  });
  std::vector<std::string> ways;
  if (size > no_bins + 1) {
    ways.push_back(fmt::format("declare fewer bins there (`bins: {}` in each with more would do)",
                               size - no_bins));
  }
  std::sort(sizes.begin(), sizes.end());
  const auto count = static_cast<std::uint32_t>(sizes.size());
  const std::uint32_t kept =
      last(count + 1, [&](std::uint32_t few) { return fits(std::span(sizes).first(few)); });
  if (kept > 0 && kept < count) {
    ways.push_back(count - kept == 1 ? "leave out the widest"
                                     : fmt::format("leave out the {} widest", count - kept));
  }
  if (ways.empty()) ways.emplace_back("declare narrower ones");
  return fmt::format("the widest columns are {}: {}", widest(", "), fmt::join(ways, ", or "));
}

void Domain::require_enumerable(std::string_view what, std::string_view other_way,
                                const std::vector<WayOut>& other_ways) const {
  if (is_enumerable()) return;
  const auto is_small = [](std::span<const std::uint32_t> sizes) {
    double product = 1;
    for (const std::uint32_t size : sizes) product *= size;
    return product <= kMaxOutcomes;
  };
  std::vector<WayOut> ways = {WayOut::declare("bins")};
  ways.insert(ways.end(), other_ways.begin(), other_ways.end());
  refuse_input("too-many-outcomes", "domain", std::move(ways),
               {{"given", product_, "outcomes"}, {"most", double{kMaxOutcomes}, "outcomes"}},
               "{} needs a domain of at most {} outcomes, but this one has {:.15g}; {}{}", what,
               kMaxOutcomes, product_, fewer_bins(is_small), other_way);
}

std::uint32_t Domain::encode(std::span<const std::string_view> fields) const {
  std::vector<std::uint32_t> digits(places_.size());
  encode_digits(fields, digits);
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) place += digits[i] * places_[i].stride;
  return outcome_at(place);
}

void Domain::encode_digits(std::span<const std::string_view> fields,
                           std::span<std::uint32_t> digits) const noexcept {
  for (std::size_t i = 0; i < columns_->size(); ++i) {
    digits[i] = (*columns_)[i].encode(i < fields.size() ? fields[i] : std::string_view());
  }
  if (possible_) possible_->map(digits);
}

void Domain::decode(std::uint32_t outcome, UniformIntegers random,
                    std::vector<std::string>& fields) const {
  std::vector<std::uint32_t> digits(places_.size());
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = digit(outcome, i);
  write_digits(digits, random, fields);
}

void Domain::draw_points(std::span<const std::uint32_t> digits, UniformIntegers random,
                         std::span<std::uint64_t> points) const {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::uint64_t count = (*columns_)[i].points(digits[i]);
    const bool is_free = !possible_ || !possible_->is_compared(i);
    points[i] = count == 1 || !is_free ? 0 : random.below(count);
  }
  if (possible_) possible_->draw_points(digits, random, points);
}

void Domain::write_digits(std::span<const std::uint32_t> digits, UniformIntegers random,
                          std::vector<std::string>& fields) const {
  fields.resize(digits.size());
  std::vector<std::uint64_t> points(digits.size());
  draw_points(digits, random, points);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    fields[i].clear();
    (*columns_)[i].write(digits[i], points[i], fields[i]);
  }
}

std::string Domain::canonical_text() const {
  std::string text = fmt::format("mollify-domain 1 seed {}\n", seed_);
  for (const Column& column : *columns_) text += column.canonical_text() + '\n';
  if (possible_) {
    for (const DomainRule& rule : possible_->rules()) text += rule_text(rule, *columns_) + '\n';
  }
  return text;
}

namespace {

/// ""a", "b" and 3 more".
std::string quoted_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 10;
  const std::span<const std::string> all(names);
  const std::string text = list_words(all.first(std::min(names.size(), kMostNames)));
  return names.size() <= kMostNames
             ? text
             : fmt::format("{} and {} more", text, names.size() - kMostNames);
}

/// "column "a"", or "columns "a", "b" and 3 more".
std::string columns_named(const std::vector<std::string>& names) {
  return fmt::format("{} {}", names.size() == 1 ? "column" : "columns", quoted_names(names));
}

}  // namespace

Message Domain::rules_message() const {
  const std::size_t count = possible_->rules().size();
  return {.code = "rules-change-records",
          .verdict = fmt::format("the domain has {}, and every released record keeps {}",
                                 counted(count, "rule"), count == 1 ? "it" : "them"),
          .reason = "a record that breaks a rule is counted as one that keeps it",
          .clauses = {"few columns of the rule change, to null where that helps, otherwise to the "
                      "nearest value",
                      "where a null must become a value, a word of another column changes "
                      "instead, or the null becomes the middle value"},
          .severity = Severity::kNote};
}

std::vector<Message> Domain::warnings() const {
  std::vector<Message> said;
  std::vector<std::string> clipped;
  for (const Column& column : *columns_) {
    const auto* integers = std::get_if<IntegerCells>(&column.cells());
    if (integers != nullptr && integers->is_cut()) {
      said.push_back(
          {.code = "integers-cut",
           .verdict =
               fmt::format("column \"{}\" has {} integers, which are cut into {} cells of {} or so",
                           column.name(), integers->count(), integers->size(),
                           std::llround(static_cast<double>(integers->count()) / integers->size())),
           .clauses = {"declare bins or a smaller range if these are not the ones you want"},
           .remedy = {.told = {WayOut::declare("bins"), WayOut::declare("min"),
                               WayOut::declare("max")}},
           .quantities = {{"given", static_cast<double>(integers->count()), "integers"},
                          {"most", static_cast<double>(integers->size()), "integers"}}});
    }
    if (kind_of(column.cells()).bounded && !column.mapping().declares_outside())
      clipped.push_back(column.name());
  }
  if (possible_) said.push_back(rules_message());
  if (clipped.empty()) return said;
  // The beginning and the end of the sentence are printed in two lines.
  constexpr std::size_t kFewLetters = 40;
  std::string of_columns = columns_named(clipped), names;
  if (of_columns.size() > kFewLetters) {
    names = quoted_names(clipped) + ": ";
    of_columns = counted(clipped.size(), "column");
  }
  said.push_back({.code = "undeclared-values",
                  .verdict = fmt::format("the domain declares no outside for {}", of_columns),
                  .reason = names + "a value beyond a bound becomes the nearest one",
                  .clauses = {"write outside: clip if it may, or outside: null or VALUE"},
                  .remedy = {.told = {WayOut::declare("outside", "clip")}},
                  .severity = Severity::kNote});
  return said;
}

std::string Domain::hash() const {
  Sha256 hash;
  hash.add(canonical_text());
  return hash.hex();
}

// -----------------------------------------------------------------------------------------------
// What somebody may have meant who typed a word that a column does not declare.

std::string nearest_word(const Column& column, std::string_view typed) {
  constexpr std::uint32_t kMostWords = 1000;  // more would take long, for each value that is asked
  const auto* categories = std::get_if<Categories>(&column.cells());
  if (categories == nullptr || categories->size() > kMostWords) return {};
  std::vector<std::string> words;
  for (std::uint32_t cell = 0; cell < categories->size(); ++cell) {
    words.emplace_back(categories->value(cell));
  }
  return nearest_name(typed, words);
}

std::string did_you_mean(const Column& column, std::string_view typed) {
  const std::string word = nearest_word(column, typed);
  return word.empty() ? "" : did_you_mean(typed, std::array{word});
}

std::string did_you_mean(const Domain& domain, std::string_view column, std::string_view typed) {
  for (const Column& one : domain.columns()) {
    if (one.name() == column) return did_you_mean(one, typed);
  }
  return {};
}

// -----------------------------------------------------------------------------------------------
// The grid of a numeric domain.

namespace {

constexpr std::uint64_t kUsualCells = 65'536;

/// The greatest n with n^power <= cells, for cells up to 2^24.
std::uint64_t whole_root(std::uint64_t cells, std::size_t power) {
  const auto fits = [&](std::uint64_t base) {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < power && product <= cells; ++i) product *= base;
    return product <= cells;
  };
  return halve_whole(1, cells + 1, fits);
}

/// Requires numbers or integers without values of their own.
Cells recut(const Cells& cells, std::uint64_t count) {
  if (const auto* numbers = std::get_if<NumberCells>(&cells)) {
    return NumberCells::make({.min = numbers->min(),
                              .max = numbers->max(),
                              .bins = std::min(numbers->most_cells(), count),
                              .step = numbers->declared().step});
  }
  const auto& integers = std::get<IntegerCells>(cells);
  return IntegerCells::make({.min = integers.min(),
                             .max = integers.max(),
                             .bins = std::min(integers.count(), count),
                             .step = integers.declared().step});
}

}  // namespace

Domain recut_domain(const Domain& domain, std::optional<std::uint64_t> cells) {
  if (cells)
    require_between({parameter_name_of("cells"), "cells"}, *cells, 1, Domain::kMaxOutcomes);
  const std::uint64_t of_each = whole_root(cells.value_or(kUsualCells), domain.columns().size());
  std::vector<Column> columns;
  for (const Column& column : domain.columns()) {
    columns.push_back(
        Column::make(column.name(), recut(column.cells(), of_each), column.mapping()));
  }
  return Domain::make(std::move(columns), domain.seed(), domain.rules());
}

// -----------------------------------------------------------------------------------------------
// What a release chooses from.

namespace {

constexpr double kMostChosenCategories = std::uint32_t{1} << 20U;
constexpr std::size_t kMostGridColumns = 3;

bool is_undeclared_number(const Column& column) noexcept {
  const auto* numbers = std::get_if<NumberCells>(&column.cells());
  return numbers != nullptr && !numbers->declares_bins();
}

bool can_be_cut(const Column& column) {
  return is_numeric(column.cells()) && column.codes_and_nulls() == 0 &&
         !has_values_of_its_own(column.cells());
}

}  // namespace

SpaceKind chosen_space(const Domain& domain) noexcept {
  const auto& columns = domain.columns();
  if (domain.product() <= kMostChosenCategories &&
      std::none_of(columns.begin(), columns.end(), is_undeclared_number)) {
    return SpaceKind::kCategories;
  }
  if (columns.size() <= kMostGridColumns &&
      std::all_of(columns.begin(), columns.end(), can_be_cut)) {
    return SpaceKind::kGrid;
  }
  return SpaceKind::kCandidates;
}

void require_space(const Domain& domain, SpaceKind kind, std::string_view chosen_by) {
  if (kind == SpaceKind::kCategories) domain.require_enumerable("space categories");
  if (kind != SpaceKind::kGrid) return;
  const auto& columns = domain.columns();
  // Another part that makes it a grid goes with no other space.
  const bool is_named = chosen_by == "space";
  const WayOut way = is_named ? WayOut::set("space", "candidates") : WayOut::leave(chosen_by);
  const std::string subject =
      is_named ? "space grid" : fmt::format("{} makes a grid, which", flag_words(chosen_by));
  const std::string other =
      is_named ? "take " + words_of(way) : "leave out " + flag_words(chosen_by);
  if (columns.size() > kMostGridColumns) {
    refuse_input("too-many-columns", chosen_by, {way},
                 "{} needs at most {} columns, but the domain has {} ({}): leave columns out of "
                 "the domain, or {}",
                 subject, kMostGridColumns, columns.size(), domain.widest(", "), other);
  }
  for (const Column& column : columns) {
    if (can_be_cut(column)) continue;
    Concern concern(chosen_by);
    concern.column = column.name();
    if (is_numeric(column.cells()) && !has_values_of_its_own(column.cells()) &&
        column.mapping().missing.empty()) {
      refuse_input("not-for-this-domain", concern, {WayOut::declare("null"), way},
                   "{} has no cell for nulls, but the domain declares no number that a null of "
                   "column \"{}\" becomes: write null: VALUE into the domain, or {}",
                   subject, column.name(), other);
    }
    refuse_input("not-for-this-domain", concern, {way},
                 "{} needs columns of numbers or integers without spikes, values or missing codes, "
                 "but column \"{}\" is not one: leave it out of the domain, or {}",
                 subject, column.name(), other);
  }
}

// -----------------------------------------------------------------------------------------------
// The records of a numeric domain as points of R^d, not cut into cells.

namespace {

/// A column of the domain, or of a list of columns that another parameter gives.
Concern concern_of_column(const Column& column, std::string_view parameter = "domain") {
  Concern concern(parameter);
  concern.column = column.name();
  return concern;
}

/// Throws InvalidInput unless the domain says what zeros, which have no logarithm, become, and
/// nulls if it says so of them: not one of the column's ends, where they widen the spread of all
/// others.
void require_logarithms(const Column& column, const NumberCells& numbers) {
  const Concern concern = concern_of_column(column, "log");
  const auto ways = [](std::string_view key) {
    return std::vector{WayOut::declare(key), WayOut::leave("log")};
  };
  if (!kPositive.has(numbers.min())) {
    refuse_input(
        "out-of-range", concern, ways("min"), quantities_of(numbers.min(), kPositive),
        "column \"{}\" must have a min above 0, because 0 has no logarithm, but its min is "
        "{}: set min to the smallest value that counts, and write outside: VALUE for zeros",
        column.name(), numbers.min());
  }
  const Mapping& mapping = column.mapping();
  if (!mapping.outside_value) {
    refuse_input("missing-key", concern, ways("outside"),
                 "column \"{}\" must declare what a zero becomes to have logarithms: as min, {}, "
                 "zeros widen the spread of all others. Write outside: VALUE, a usual value of the "
                 "column, into the domain",
                 column.name(), numbers.min());
  }
  for (const bool of_nulls : {false, true}) {
    const auto& declared = of_nulls ? mapping.null_value : mapping.outside_value;
    if (!declared) continue;
    const double value = read_number_of(*declared, numbers.min(), numbers.max()).value_or(0);
    if (value > numbers.min() && value < numbers.max()) continue;
    refuse_input("out-of-range", concern, ways(of_nulls ? "null" : "outside"),
                 quantities_of(value, {.least = numbers.min(),
                                       .most = numbers.max(),
                                       .is_open = true,
                                       .is_open_above = true}),
                 "column \"{0}\" must declare a usual value for {1}s to have logarithms, but {2}: "
                 "{3} is its {4}, where {1}s widen the spread of all others. Write {2}: VALUE, "
                 "above min and below max, into the domain",
                 column.name(), of_nulls ? "null" : "zero", of_nulls ? "null" : "outside", value,
                 value > numbers.min() ? "max" : "min");
  }
}

}  // namespace

RealColumns::RealColumns(const Domain& domain, std::span<const std::string> logarithms) {
  if (domain.possible() != nullptr) {
    refuse_input("not-for-this-domain", "domain",
                 {WayOut::leave("rules"), WayOut::use("marginals")},
                 "Gaussian rows keep no rules, but the domain has {}: leave out rules, or use {}",
                 counted(domain.rules().size(), "rule"), method_words("marginals"));
  }
  for (const Column& column : domain.columns()) {
    const auto* numbers = std::get_if<NumberCells>(&column.cells());
    if (numbers == nullptr) {
      refuse_input(
          "not-for-this-domain", concern_of_column(column), {WayOut::use("marginals")},
          "Gaussian rows need columns of type number, but column \"{}\" is {}: {}leave it out of "
          "the domain, or use {}",
          column.name(), kind_of(column.cells()).name,
          std::holds_alternative<IntegerCells>(column.cells()) ? "declare it as number, " : "",
          method_words("marginals"));
    }
    const char* const beyond = numbers->declared().step              ? "step"
                               : !numbers->declared().values.empty() ? "values"
                               : !numbers->declared().spikes.empty() ? "spikes"
                               : !column.mapping().missing.empty()   ? "missing"
                                                                     : nullptr;
    if (beyond != nullptr) {
      refuse_input("not-for-this-domain", concern_of_column(column), {WayOut::use("marginals")},
                   "Gaussian rows are numbers of any size, but column \"{}\" declares {}: leave it "
                   "out of the column, or use {}",
                   column.name(), beyond, method_words("marginals"));
    }
    const Mapping& mapping = column.mapping();
    if (mapping.null_is_category) {
      refuse_input(
          "not-for-this-domain", concern_of_column(column),
          {WayOut::declare("null"), WayOut::use("marginals")},
          "Gaussian rows have no nulls, but the domain declares no number that a null of "
          "column \"{}\" becomes: write null: VALUE, such as {:g}, into the domain, or use "
          "{}",
          column.name(), numbers->min(), method_words("marginals"));
    }
    const auto times = std::count(logarithms.begin(), logarithms.end(), column.name());
    refuse_if(times > 1, "duplicate-column", concern_of_column(column, "log"),
              "column \"{}\" must be named once for logarithms, but is named {} times",
              column.name(), times);
    const bool logarithm = times == 1;
    if (logarithm) require_logarithms(column, *numbers);
    const auto place = [logarithm](double value) { return logarithm ? std::log(value) : value; };
    // Column has seen that a mapping declares a number.
    const auto declared = [&](const std::string& value) {
      return place(read_number_of(value, numbers->min(), numbers->max()).value_or(0));
    };
    Axis axis{.name = column.name(),
              .min = numbers->min(),
              .max = numbers->max(),
              .low = place(numbers->min()),
              .high = place(numbers->max()),
              .below = place(numbers->min()),
              .above = place(numbers->max()),
              .null = declared(*mapping.null_value),
              .unreadable = declared(*mapping.null_value),
              .logarithm = logarithm};
    if (mapping.outside_value) {
      axis.below = axis.above = axis.unreadable = declared(*mapping.outside_value);
    }
    axes_.push_back(std::move(axis));
  }
  for (const std::string& name : logarithms) {
    const auto is_named = [&](const Axis& axis) { return axis.name == name; };
    if (std::none_of(axes_.begin(), axes_.end(), is_named)) {
      Concern concern("log");
      concern.column = name;
      refuse_input("unknown-column", concern, ways_to_mean("log", name, names()),
                   "the domain has no column \"{}\", whose logarithm is asked for; it has {}{}",
                   name, list_words(names()), did_you_mean(name, names()));
    }
  }
}

std::vector<std::string> RealColumns::names() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes_) names.push_back(axis.name);
  return names;
}

double RealColumns::coordinate(const Axis& axis, double number) noexcept {
  if (std::isnan(number)) return axis.null;
  if (number < axis.min) return axis.below;
  if (number > axis.max) return axis.above;
  return axis.logarithm ? std::log(number) : number + 0.0;
}

double RealColumns::coordinate(const Axis& axis, std::string_view text) noexcept {
  if (const auto number = read_number_of(text, axis.min, axis.max))
    return coordinate(axis, *number);
  return is_null_word(without_outer_spaces(text)) ? axis.null : axis.unreadable;
}

double RealColumns::read(std::size_t column, const Value& value) const noexcept {
  const Axis& axis = axes_[column];
  if (const auto* text = std::get_if<std::string_view>(&value)) return coordinate(axis, *text);
  if (const auto* number = std::get_if<double>(&value)) return coordinate(axis, *number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return coordinate(axis, static_cast<double>(*integer));
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    return coordinate(axis, std::string_view(*truth ? "true" : "false"));
  }
  if (std::holds_alternative<Moment>(value)) return axis.unreadable;
  return axis.null;
}

void RealColumns::read(std::span<const std::string_view> fields,
                       std::span<double> point) const noexcept {
  for (std::size_t i = 0; i < axes_.size(); ++i) point[i] = coordinate(axes_[i], fields[i]);
}

double RealColumns::number(std::size_t column, double coordinate) const noexcept {
  constexpr double kGreatest = std::numeric_limits<double>::max();
  const double value = axes_[column].logarithm ? std::exp(coordinate) : coordinate;
  return std::clamp(value, -kGreatest, kGreatest);
}

void RealColumns::write(std::span<const double> point, std::vector<std::string>& fields) const {
  fields.resize(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    fields[i].clear();
    fmt::format_to(std::back_inserter(fields[i]), "{}", number(i, point[i]));
  }
}

}  // namespace mollify
