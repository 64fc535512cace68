#include "io/draft_domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "io/csv_reader.h"
#include "kernel/core/invalid_input.h"
#include "space/field_text.h"
#include "space/string_index.h"

namespace mollify {
namespace {

constexpr std::size_t kMaxCategories = 1000;
constexpr std::uint64_t kMaxUngrouped = 64;
constexpr std::uint32_t kBins = 10;
constexpr double kMostBinnedOutcomes = std::uint32_t{1} << 20U;

// What has been seen of a column.
class ColumnSketch {
 public:
  void see(std::string_view text) {
    if (is_null_word(text)) {
      has_null_ = true;
      return;
    }
    if (values_.size() <= kMaxCategories) values_.insert(text);
    see_number(text);
  }

  [[nodiscard]] bool holds_only_nulls() const { return values_.size() == 0; }

  // Nothing if the column holds nulls only. Numbers are cut into `bins`, if there are any.
  [[nodiscard]] std::optional<Cells> cells(std::optional<std::uint64_t> bins) const {
    if (holds_only_nulls()) return std::nullopt;
    if (auto words = booleans()) return words;
    if (all_integers_) return integers(bins);
    if (all_numbers_ && min_ < max_) return NumberCells::make(min_, max_, bins);
    if (values_.size() > kMaxCategories) {
      throw InvalidInput(fmt::format(
          "a categorical column must have at most {} values, but has more: leave it out",
          kMaxCategories));
    }
    std::vector<std::string> sorted;
    for (std::size_t i = 0; i < values_.size(); ++i) sorted.emplace_back(values_[i]);
    std::sort(sorted.begin(), sorted.end());
    return Categories::make(sorted);
  }

  [[nodiscard]] bool has_null() const { return has_null_; }

 private:
  void see_number(std::string_view text) {
    const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
    const bool padded = digits.size() > 1 && digits[0] == '0' && digits[1] != '.';
    const auto number = padded ? std::nullopt : read_number(text);
    if (!number || !std::isfinite(*number)) {
      all_numbers_ = all_integers_ = false;
      return;
    }
    min_ = std::min(min_, *number);
    max_ = std::max(max_, *number);
    const auto integer = read_integer(text);
    if (!integer || text.find('.') != std::string_view::npos) {
      all_integers_ = false;
      return;
    }
    min_integer_ = std::min(min_integer_, *integer);
    max_integer_ = std::max(max_integer_, *integer);
  }

  [[nodiscard]] std::optional<Cells> booleans() const {
    if (values_.size() != 2) return std::nullopt;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPairs = {
        {{"false", "true"}, {"f", "t"}, {"no", "yes"}}};
    for (const auto& [no, yes] : kPairs) {
      for (const auto& [a, b] : {std::pair{0U, 1U}, std::pair{1U, 0U}}) {
        if (equal_ignoring_case(values_[a], no) && equal_ignoring_case(values_[b], yes)) {
          return BooleanWords::make(std::string(values_[a]), std::string(values_[b]));
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Cells integers(std::optional<std::uint64_t> bins) const {
    const std::uint64_t span =
        static_cast<std::uint64_t>(max_integer_) - static_cast<std::uint64_t>(min_integer_);
    if (span < kMaxUngrouped) return IntegerCells::make(min_integer_, max_integer_);
    return IntegerCells::make(min_integer_, max_integer_, bins);
  }

  StringIndex values_;  // no more than decide whether the column is categorical
  bool has_null_ = false;
  bool all_numbers_ = true;
  bool all_integers_ = true;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  std::int64_t min_integer_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_integer_ = std::numeric_limits<std::int64_t>::min();
};

void require_well_formed(CsvReader& csv) {
  const auto refuse = [&csv](const std::string& what) {
    throw InvalidInput(fmt::format("{} line {} {}", csv.path(), csv.line_number(), what));
  };
  if (csv.overlong()) {
    refuse(fmt::format("must have at most {} bytes", LineReader::kMaxLineBytes));
  }
  if (!csv.well_quoted()) refuse("must have closed quotes, but holds a misplaced quote");
  if (csv.fields_in_line() != csv.header().size()) {
    refuse(fmt::format("must have {} fields like the header, but has {}", csv.header().size(),
                       csv.fields_in_line()));
  }
}

Domain domain_of(const std::vector<std::string>& names, const std::vector<ColumnSketch>& sketches,
                 std::optional<std::uint64_t> bins, const std::string& public_csv) {
  std::vector<Column> made;
  for (std::size_t i = 0; i < names.size(); ++i) {
    try {
      auto cells = sketches[i].cells(bins);
      if (!cells) continue;
      made.push_back(
          Column::make(names[i], std::move(*cells), {.null_is_category = sketches[i].has_null()}));
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("{} column \"{}\": {}", public_csv, names[i], error.what()));
    }
  }
  if (made.empty()) {
    throw InvalidInput(
        fmt::format("{} must hold values to draft a domain from, but holds none", public_csv));
  }
  try {
    return Domain::make(std::move(made));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}; choose other columns", public_csv, error.what()));
  }
}

}  // namespace

DomainDraft draft_domain(const std::string& public_csv, const std::vector<std::string>& columns) {
  CsvReader csv(public_csv);
  const std::vector<std::string>& names = columns.empty() ? csv.header() : columns;
  std::vector<std::size_t> positions;
  positions.reserve(names.size());
  for (const std::string& name : names) positions.push_back(csv.position(name, "to draft from"));
  std::vector<ColumnSketch> sketches(names.size());
  std::uint64_t records = 0;
  for (; csv.next(); ++records) {
    require_well_formed(csv);
    for (std::size_t i = 0; i < names.size(); ++i) sketches[i].see(csv.fields()[positions[i]]);
  }

  std::vector<std::string> notes = {
      fmt::format("Drafted from the public file {} ({} records). Never draft a domain from private "
                  "data.",
                  public_csv, records),
      "Review it before use: bounds and categories are those that happened to be in that file."};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sketches[i].holds_only_nulls()) {
      notes.push_back(fmt::format("Column \"{}\" is left out: it holds nulls only.", names[i]));
    }
  }
  Domain domain = domain_of(names, sketches, kBins, public_csv);
  if (domain.product() > kMostBinnedOutcomes) {
    domain = domain_of(names, sketches, std::nullopt, public_csv);
    notes.emplace_back(
        "Numbers are not cut into bins, for there would be too many outcomes: a release chooses "
        "from a grid or from candidates.");
  }
  return {std::move(domain), std::move(notes)};
}

}  // namespace mollify
