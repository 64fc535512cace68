#include "records/source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/possible.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Where records come from.

std::size_t place_of_column(std::string_view table, std::span<const std::string> names,
                            std::string_view column, const ColumnUse& use,
                            const std::function<ColumnHint()>& hint) {
  const auto found = std::find(names.begin(), names.end(), column);
  Concern concern(use.parameter);
  concern.column = column;
  if (found == names.end()) {
    const ColumnHint known = hint();
    std::vector<WayOut> ways;
    if (!use.parameter.empty()) ways.push_back(WayOut::set(use.parameter, known.meant));
    refuse_input("missing-column", concern, std::move(ways), "{} has no column \"{}\", {}{}", table,
                 column, use.reason, known.words);
  }
  refuse_if(std::find(found + 1, names.end(), column) != names.end(), "duplicate-column", concern,
            "{} has more than one column \"{}\", {}", table, column, use.reason);
  return static_cast<std::size_t>(found - names.begin());
}

ColumnHint columns_hint(std::span<const std::string> names, std::string_view column) {
  constexpr std::array<std::pair<char, const char*>, 3> kSeparators = {
      {{';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}}};
  for (const auto& [letter, name] : kSeparators) {
    if (names.size() != 1 || names.front().find(letter) == std::string::npos) continue;
    return {fmt::format("; its first line has {} and no comma, but commas separate fields", name)};
  }
  const bool is_text = std::all_of(names.begin(), names.end(),
                                   [](const std::string& name) { return is_utf8(name); });
  constexpr std::size_t kMostNamed = 20;
  const auto named = names.first(std::min(names.size(), kMostNamed));
  return {
      fmt::format("; it has {}{}{}{}", list_words(named),
                  named.size() < names.size() ? ", ..." : "", did_you_mean(column, names),
                  is_text ? ""
                          : "; its names are not UTF-8 text: if its encoding is Latin-1, `iconv "
                            "-f LATIN1 -t UTF-8 FILE` converts it"),
      nearest_name(column, names)};
}

namespace {

/// Whether a first line is a header for certain: two of the declared names are in it. A record of
/// a file without one may hold a single name by chance, as a value, and no error may print a
/// record. Of one long field the names may be between other marks than commas.
bool is_header(std::span<const std::string> names, std::span<const std::string> declared) {
  const auto holds = [&](const std::string& name) {
    if (names.size() > 1) return std::find(names.begin(), names.end(), name) != names.end();
    const std::string& line = names.front();
    const auto is_word = [&](std::size_t at) {
      return (at == 0 || std::string_view(";\t|").find(line[at - 1]) != std::string_view::npos) &&
             (at + name.size() == line.size() ||
              std::string_view(";\t|").find(line[at + name.size()]) != std::string_view::npos);
    };
    for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
      if (is_word(at)) return true;
    }
    return false;
  };
  return !names.empty() && std::count_if(declared.begin(), declared.end(), holds) > 1;
}

}  // namespace

std::size_t Source::position(std::string_view column, const ColumnUse& use,
                             std::span<const std::string> declared) const {
  const auto find = [&] {
    return place_of_column(name(), columns(), column, use, [&]() -> ColumnHint {
      if (!names_are_a_line() || is_header(columns(), declared))
        return columns_hint(columns(), column);
      return {fmt::format(
          "; {} prints {}", command_words("check"),
          words_of_speech("its first line, which must be a header", "the names of its columns"))};
    });
  };
  const std::size_t place = naming_file(std::string(file()), 1, find);
  require_readable(place);
  return place;
}

void Source::visit_by(std::span<const std::size_t> wanted,
                      const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const {
  const std::unique_ptr<BlockWorker> worker = make_worker();
  visit(wanted, [&](const Block& block) {
    worker->work(block);
    worker->take(block);
  });
}

std::vector<std::size_t> wanted_columns(
    std::span<const std::string> names, const UnitColumns& unit,
    const std::optional<AmountColumn>& amounts,
    const std::function<std::size_t(const std::string& column, const ColumnUse& use)>& place) {
  std::vector<std::size_t> wanted;
  for (const std::string& name : names) {
    for (const auto& [what, flag, is_it] :
         {std::tuple{"unit", kNamesUnit.parameter, unit.has(name)},
          std::tuple{amounts ? amounts->kind : "", amounts ? amounts->parameter : "",
                     amounts && amounts->name == name}}) {
      if (!is_it) continue;
      Concern concern(flag);
      concern.column = name;
      refuse_input(
          "duplicate-column", concern, {WayOut::set(flag)},
          "the {} column must not be a column of the domain, but \"{}\" is: remove it there", what,
          name);
    }
    wanted.push_back(place(name, "which the domain declares"));
  }
  for (const std::string& name : unit.names()) {
    if (amounts && amounts->name == name) {
      Concern concern(amounts->parameter);
      concern.column = name;
      refuse_input(
          "duplicate-column", concern, {WayOut::set(amounts->parameter), WayOut::set("unit")},
          "the {} column must not be the unit column, but \"{}\" is both", amounts->kind, name);
    }
    wanted.push_back(place(name, kNamesUnit));
  }
  return wanted;
}

std::vector<std::size_t> wanted_columns(const Source& source, std::span<const std::string> names,
                                        const UnitColumns& unit) {
  std::optional<AmountColumn> amounts;
  if (const auto place = source.counts_column()) {
    amounts = {"counts", kStatesCounts.parameter, source.columns()[*place]};
  } else if (const auto weights = source.weights()) {
    amounts = {"weights", kStatesWeights.parameter, source.columns()[weights->column]};
  }
  std::vector<std::string> declared(names.begin(), names.end());
  declared.insert(declared.end(), unit.names().begin(), unit.names().end());
  return wanted_columns(names, unit, amounts, [&](const std::string& column, const ColumnUse& use) {
    return source.position(column, use, declared);
  });
}

// -----------------------------------------------------------------------------------------------
// A table whose rows each represent many records.

std::optional<double> read_nonnegative(const Value& value) noexcept {
  std::optional<double> number;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  }
  if (const auto* exact = std::get_if<double>(&value)) number = *exact;
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    UnmarkedBuffer buffer;
    number = read_number(*text);
    if (!number) number = read_number(without_marks(*text, true, buffer));
  }
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<std::uint64_t> read_count(const Value& value) noexcept {
  const std::optional<double> number = read_nonnegative(value);
  if (!number || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::uint64_t>(std::fmin(*number, 0x1p63));
}

CountedSource::CountedSource(const Source& table, const std::string& counts_column,
                             std::span<const std::string> declared)
    : AmountSource(table), counts_column_(table.position(counts_column, kStatesCounts, declared)) {}

void CountedSource::visit(std::span<const std::size_t> wanted,
                          const std::function<void(const Block&)>& take) const {
  std::vector<std::size_t> with_counts(wanted.begin(), wanted.end());
  with_counts.push_back(counts_column_);
  std::vector<std::uint64_t> counts;
  table().visit(with_counts, [&](const Block& block) {
    const Values& said = block.columns.back();
    counts.resize(block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) {
      counts[row] = std::min(read_count(said[row]).value_or(0), kMostOfARow);
    }
    take({block.rows, block.columns.first(wanted.size()), counts});
  });
}

std::uint64_t CountedSource::record_count() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
  require_repeatable();
  std::uint64_t all = 0;
  visit({}, [&](const Block& block) {
    for (const std::uint64_t count : block.counts) all = std::min(all + count, kMost);
  });
  return all;
}

// -----------------------------------------------------------------------------------------------
// Tables in memory.

MemorySource::MemorySource(std::vector<std::string> names, std::vector<Values> columns,
                           std::shared_ptr<const void> owner)
    : names_(std::move(names)), columns_(std::move(columns)), owner_(std::move(owner)) {
  refuse_if(names_.size() != columns_.size(), "wrong-shape", {},
            "a table must have a name for each column, but has {} for {}", names_.size(),
            columns_.size());
  if (!columns_.empty()) rows_ = columns_.front().size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].size() == rows_) continue;
    refuse_input(
        "wrong-shape", {},
        "the columns of a table must have as many rows, but \"{}\" has {} and \"{}\" has {}",
        names_.front(), rows_, names_[i], columns_[i].size());
  }
}

void MemorySource::visit(std::span<const std::size_t> wanted,
                         const std::function<void(const Block&)>& take) const {
  std::vector<Values> slices(wanted.size());
  for (std::size_t begin = 0; begin < rows_; begin += kRowsPerBlock) {
    keep_going();
    const std::size_t rows = std::min(kRowsPerBlock, rows_ - begin);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      slices[i] = columns_[wanted[i]].slice(begin, rows);
    }
    take({rows, slices});
  }
}

void MemorySink::begin(const Schema& schema) {
  schema_ = schema;
  columns_.clear();
  for (const ColumnSchema& column : schema) columns_.emplace_back(column);
}

void MemorySink::write(const Block& block) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (std::size_t row = 0; row < block.rows; ++row) columns_[i].append(block.columns[i][row]);
  }
  rows_ += block.rows;
}

// -----------------------------------------------------------------------------------------------
// Blocks of records to digits and outcomes.

namespace {

void encode_plain(const Column& column, const Values& values, std::span<std::uint32_t> digits) {
  std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, std::size_t> || std::is_same_v<Data, Dictionary>) {
          std::fill(digits.begin(), digits.end(), column.encode(Value()));
        } else {
          column.encode(data, digits);
        }
      },
      values.data());
  const auto valid = values.valid();
  if (valid.empty()) return;
  const std::uint32_t null = column.encode(Value());
  for (std::size_t row = 0; row < valid.size(); ++row) {
    if (valid[row] == 0) digits[row] = null;
  }
}

}  // namespace

RecordEncoder::RecordEncoder(const Domain& domain)
    : domain_(domain), digits_(domain.columns().size()), lists_(domain.columns().size()) {}

void RecordEncoder::encode(const Block& block) {
  rows_ = block.rows;
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Column& column = domain_.columns()[i];
    const Values& values = block.columns[i];
    std::vector<std::uint32_t>& digits = digits_[i];
    if (digits.size() < rows_) digits.resize(rows_);
    const auto* words = std::get_if<Dictionary>(&values.data());
    if (words == nullptr) {
      encode_plain(column, values, std::span(digits).first(rows_));
      continue;
    }
    KnownList& list = lists_[i];
    const std::size_t count = words->values->size();
    if (list.values != words->values || list.digits.size() != count + 1) {
      list.values = words->values;
      list.digits.resize(count + 1);
      encode_plain(column, *words->values, std::span(list.digits).first(count));
      list.digits[count] = column.encode(Value());
    }
    const auto valid = values.valid();
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t place = std::min<std::size_t>(words->places[row], count);
      digits[row] = list.digits[valid.empty() || valid[row] != 0 ? place : count];
    }
  }
  if (domain_.possible() != nullptr) map_to_possible();
}

void RecordEncoder::map_to_possible() {
  std::vector<std::uint32_t> record(digits_.size());
  for (std::size_t row = 0; row < rows_; ++row) {
    copy_digits(row, record);
    domain_.possible()->map(record);
    for (std::size_t i = 0; i < record.size(); ++i) digits_[i][row] = record[i];
  }
}

void RecordEncoder::copy_digits(std::size_t row, std::span<std::uint32_t> digits) const noexcept {
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = digits_[i][row];
}

std::span<const std::uint32_t> RecordEncoder::outcomes() {
  outcomes_.assign(rows_, 0);
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const std::uint32_t size = domain_.columns()[i].size();
    for (std::size_t row = 0; row < rows_; ++row) {
      outcomes_[row] = outcomes_[row] * size + digits_[i][row];
    }
  }
  if (domain_.possible() != nullptr) {
    for (std::uint32_t& outcome : outcomes_) outcome = domain_.outcome_at(outcome);
  }
  return outcomes_;
}

}  // namespace mollify
