#include "formats/check.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress.h"
#include "base/speech.h"
#include "domain/domain.h"
#include "domain/possible.h"
#include "records/source.h"

namespace mollify {

namespace {

std::string expected_of(const Column& column) {
  return fmt::format("must be {} or null", column.expectation());
}

/// A word may be another one or a typing error: nobody can know.
bool is_declared_beyond(const Column& column, Verdict verdict) {
  return verdict == Verdict::kOutside && kind_of(column.cells()).bounded &&
         column.mapping().declares_outside();
}

/// The domain's least or greatest value, as it writes it.
std::string bound_text(const Column& column, bool is_greatest) {
  for (const auto& [key, setting] : column.settings()) {
    if (key == "edges") return (is_greatest ? setting.items.back() : setting.items.front()).text;
    if (key == (is_greatest ? "max" : "min")) return setting.text;
  }
  return {};
}

/// The text of the verdict's outcome. Of an outcome of many values the domain says which it means,
/// and an interval would not tell.
std::string becomes_text(const Column& column, Verdict verdict, std::uint32_t outcome) {
  const Mapping& mapping = column.mapping();
  const bool as_null =
      verdict == Verdict::kNull || (verdict == Verdict::kUnreadable && !mapping.outside_value);
  const auto& declared = as_null ? mapping.null_value : mapping.outside_value;
  if (column.points(outcome) == 1) return outcome_text(column, outcome);
  if (declared) return *declared;
  const bool clips = verdict == Verdict::kOutside && mapping.clips && column.size() > 1;
  return clips ? bound_text(column, outcome > 0) : outcome_text(column, outcome);
}

/// The field of a row's weight, if it is not read as it is, except for the grid.
std::uint64_t check_weight(const CsvReader& csv, std::size_t place, const WeightColumn& weights,
                           const FindingReport& report) {
  const std::string_view field = csv.fields()[place];
  const auto weight = read_weight(field);
  const double greatest = weights.greatest.up();
  if (weight && *weight <= greatest) return 0;
  const std::string most = words_of(weights.greatest);
  report({.line = csv.line_number(),
          .column = csv.header()[place],
          .value = field,
          .expectation = fmt::format("must be a weight from 0 to {}", most),
          .becomes = weight ? most : words_of(weights.invalid),
          .by_default = !weight && weights.invalid.is_zero()});
  return 1;
}

/// The current record's ids, in the columns at these places.
std::vector<std::string_view> ids_of(const CsvReader& csv, std::span<const std::size_t> places) {
  std::vector<std::string_view> ids;
  for (const std::size_t place : places) ids.push_back(csv.fields()[place]);
  return ids;
}

}  // namespace

std::optional<Finding> finding_of(const Column& column, const Value& value) {
  const Verdict verdict = column.read(value).verdict;
  if (verdict == Verdict::kValue || verdict == Verdict::kNull) return std::nullopt;
  return Finding{.line = 0,
                 .column = column.name(),
                 .value = {},
                 .expectation = {},
                 .becomes = becomes_text(column, verdict, column.encode(value)),
                 .by_default = !column.mapping().declares_outside(),
                 .is_declared = is_declared_beyond(column, verdict)};
}

std::string null_text(const Column& column) {
  return becomes_text(column, Verdict::kNull, column.encode(Value()));
}

std::string outcome_text(const Column& column, std::uint32_t outcome) {
  if (column.mapping().null_is_category && outcome + 1 == column.size()) return "null";
  std::string first;
  column.write(outcome, 0, first);
  if (column.is_missing_code(outcome)) {
    const std::string& label = column.mapping().missing[outcome - column.cell_count()].label;
    return label.empty() ? first : fmt::format("{} ({})", first, label);
  }
  const std::uint64_t points = column.points(outcome);
  if (points == 1) return first;
  std::string last;
  column.write(outcome, points - 1, last);
  return fmt::format("from {} to {}", first, last);
}

std::vector<Finding> broken_rules(const Domain& domain, std::span<const Value> record) {
  std::vector<Finding> findings;
  if (domain.possible() == nullptr) return findings;
  const std::vector<Column>& columns = domain.columns();
  std::vector<FieldValue> values;
  std::vector<std::uint32_t> digits;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    values.push_back(field_value(columns[i], record[i]));
    digits.push_back(values.back().outcome);
  }
  std::vector<std::uint32_t> mapped = digits;
  domain.possible()->map(mapped);
  std::string becomes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (mapped[i] == digits[i]) continue;
    becomes += fmt::format("{}{} {}", becomes.empty() ? "" : ", ", columns[i].name(),
                           outcome_text(columns[i], mapped[i]));
  }
  for (const DomainRule& rule : domain.possible()->rules()) {
    if (truth_of(rule, columns, values) != Truth::kFalse) continue;
    Finding& finding = findings.emplace_back();
    finding.rule = rule.name;
    finding.becomes = becomes;
    if (!becomes.empty()) continue;
    // Other values of these cells keep the rule, and are released.
    for (const std::size_t column : rule.columns()) {
      finding.becomes +=
          fmt::format("{}{} nearby", finding.becomes.empty() ? "" : ", ", columns[column].name());
    }
  }
  return findings;
}

std::uint64_t check_record(const CsvReader& csv, const Domain& domain,
                           std::span<const std::size_t> places, const Roster* roster,
                           const FindingReport& report) {
  std::uint64_t findings = 0;
  const auto find = [&](std::string_view column, std::string_view value,
                        std::string_view expectation) {
    ++findings;
    report({csv.line_number(), column, value, expectation, "", false, false});
  };

  if (csv.overlong()) {
    find("", "", fmt::format("must have at most {} bytes", LineReader::kMaxLineBytes));
  }
  // Of other columns nothing matters.
  const bool is_text = std::all_of(places.begin(), places.end(),
                                   [&](std::size_t place) { return is_utf8(csv.fields()[place]); });
  if (!is_text) find("", "", CsvReader::kNotUtf8);
  if (csv.ends_inside_quotes()) {
    find("", "", fmt::format("must have {}", CsvReader::kOpenField));
  } else if (!csv.well_quoted()) {
    find("", "",
         "must have a closing quote for each opening one in the same line, and two quotes for one "
         "inside a field");
  }
  if (csv.fields_in_line() != csv.header().size()) {
    find("", "",
         fmt::format("must have {} fields like the header, not {}", csv.header().size(),
                     csv.fields_in_line()));
  }
  const std::size_t columns = domain.columns().size();
  for (std::size_t i = 0; i < columns; ++i) {
    const Column& column = domain.columns()[i];
    const std::string_view value = csv.fields()[places[i]];
    std::optional<Finding> finding = finding_of(column, value);
    if (!finding) continue;
    const std::string expected = expected_of(column);
    finding->line = csv.line_number();
    finding->value = value;
    finding->expectation = expected;
    if (!finding->is_declared) ++findings;
    report(*finding);
  }
  std::vector<Value> record;
  for (std::size_t i = 0; domain.possible() != nullptr && i < columns; ++i) {
    record.emplace_back(csv.fields()[places[i]]);
  }
  for (Finding& finding : broken_rules(domain, record)) {
    const std::string expected = fmt::format("must keep the rule \"{}\"", finding.rule);
    finding.line = csv.line_number();
    finding.expectation = expected;
    ++findings;
    report(finding);
  }
  const std::vector<std::string_view> ids = ids_of(csv, places.subspan(columns));
  if (const auto missing = std::find_if(ids.begin(), ids.end(), is_missing_id);
      missing != ids.end()) {
    const std::size_t place = places[columns + static_cast<std::size_t>(missing - ids.begin())];
    find(csv.header()[place], *missing, "must name a unit");
  } else if (!ids.empty() && roster != nullptr && roster->find(ids) == Roster::kAbsent) {
    std::vector<std::string> names;
    for (const std::size_t place : places.subspan(columns)) names.push_back(csv.header()[place]);
    find(fmt::format("{}", fmt::join(names, ", ")), fmt::format("{}", fmt::join(ids, ", ")),
         "must be a unit of the roster");
  }
  return findings;
}

std::uint64_t check_count(const CsvReader& csv, std::size_t place, const FindingReport& report) {
  const std::string_view field = csv.fields()[place];
  const auto count = read_count(field);
  constexpr std::uint64_t kMost = CountedSource::kMostOfARow;
  if (count && *count <= kMost) return 0;
  const bool is_weight = !count && read_weight(field).has_value();
  report({csv.line_number(), csv.header()[place], field,
          fmt::format("must be a whole number from 0 to {}{}", kMost,
                      is_weight ? fmt::format(" (for weights give {} instead of {})",
                                              flag_words("weights"), flag_words("counts-column"))
                                : ""),
          fmt::format("{}", count ? kMost : 0)});
  return 1;
}

CheckCounts check_table(const std::string& path, const Domain& domain, const UnitColumns& unit,
                        const std::optional<Roster>& roster, const FindingReport& report,
                        const CheckedAmounts& amounts, std::optional<TableBytes> bytes) {
  CsvReader csv(path, bytes);
  csv.refuse_endless_lines();
  std::optional<AmountColumn> named;
  if (amounts.counts) named = {"counts", kStatesCounts.parameter, *amounts.counts};
  if (amounts.weights) named = {"weights", kStatesWeights.parameter, amounts.weights->column};
  const std::vector<std::size_t> places = wanted_columns(csv, domain, unit, named);
  std::size_t amount_place = 0;
  if (named)
    amount_place = csv.position(named->name, amounts.counts ? kStatesCounts : kStatesWeights);
  CheckCounts counts;
  counts.nulls.resize(domain.columns().size());
  std::vector<bool> has_records(roster ? roster->size() : 0);
  while (csv.next_line()) {
    keep_going();
    if (!csv.ends_as_a_record()) {
      ++counts.findings;
      report({csv.line_number(), "", "",
              "must end in a line feed: text after the last one in a file of one column is not a "
              "record",
              "", false});
      break;
    }
    for (std::size_t i = 0; i < counts.nulls.size(); ++i) {
      const Column& column = domain.columns()[i];
      if (column.read(csv.fields()[places[i]]).verdict == Verdict::kNull) ++counts.nulls[i];
    }
    const auto ids = ids_of(csv, std::span(places).subspan(domain.columns().size()));
    const bool is_missing = std::any_of(ids.begin(), ids.end(), is_missing_id);
    if (is_missing) ++counts.without_unit;
    if (csv.line().empty()) {
      ++counts.findings;
      report({csv.line_number(), "", "", "must not be empty: it is taken for a record of nulls", "",
              false});
      ++counts.records;
      ++counts.records_with_findings;
      continue;
    }
    std::uint64_t findings = check_record(csv, domain, places, roster ? &*roster : nullptr, report);
    if (roster && !ids.empty() && !is_missing) {
      const std::uint32_t one = roster->find(ids);
      if (one != Roster::kAbsent) has_records[one] = true;
    }
    if (amounts.counts) findings += check_count(csv, amount_place, report);
    if (amounts.weights) findings += check_weight(csv, amount_place, *amounts.weights, report);
    ++counts.records;
    counts.findings += findings;
    if (findings > 0) ++counts.records_with_findings;
  }
  counts.roster_units =
      static_cast<std::uint64_t>(std::count(has_records.begin(), has_records.end(), true));
  return counts;
}

}  // namespace mollify
