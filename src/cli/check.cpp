#include "cli/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/privacy.h"
#include "base/names.h"
#include "base/progress.h"
#include "cli/main.h"
#include "cli/output.h"
#include "core/invalid_input.h"
#include "domain/domain.h"
#include "formats/check.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "formats/text_files.h"
#include "records/private_table.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// How many values of private data a release takes for others.

void MappedCounts::see(const Finding& finding) {
  if (finding.becomes.empty() || finding.is_null) return;
  const HowMapped how = finding.is_declared  ? HowMapped::kDeclared
                        : finding.by_default ? HowMapped::kDefault
                                             : HowMapped::kAsFound;
  ++counts_[{std::string(finding.column), finding.becomes, false, how}];
}

void MappedCounts::add_nulls(const CheckCounts& counts, const Domain& domain) {
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (counts.nulls[i] == 0) continue;
    const HowMapped how = column.declares_nulls()            ? HowMapped::kDeclared
                          : column.mapping().declares_null() ? HowMapped::kAsFound
                                                             : HowMapped::kDefault;
    counts_[{column.name(), null_text(column), true, how}] += counts.nulls[i];
  }
}

std::string MappedCounts::lines() const {
  std::string lines;
  for (const auto& [what, values] : counts_) {
    lines += fmt::format("{}: {} {} {}{}\n", printable(what.column),
                         counted(values, what.are_nulls ? "null" : "value"),
                         values == 1 ? "becomes" : "become", printable(what.becomes),
                         what.how == HowMapped::kDefault    ? " (default)"
                         : what.how == HowMapped::kDeclared ? " (declared)"
                                                            : "");
  }
  return lines;
}

Json MappedCounts::json() const {
  Json list = Json::array();
  for (const auto& [what, values] : counts_) {
    list.push_back({{"column", what.column},
                    {"values", values},
                    {"become", what.becomes},
                    {"nulls", what.are_nulls},
                    {"default", what.how == HowMapped::kDefault},
                    {"declared", what.how == HowMapped::kDeclared}});
  }
  return list;
}

MappedCounts mapped_counts(const std::string& data, const Domain& domain) {
  MappedCounts mapped;
  if (is_stream(data)) return mapped;
  const CheckCounts counts =
      check_table(data, domain, std::nullopt, std::nullopt,
                  [&mapped](const Finding& finding) { mapped.see(finding); });
  mapped.add_nulls(counts, domain);
  return mapped;
}

// -----------------------------------------------------------------------------------------------
// Columns that look as if their logarithms were Gaussian.

std::vector<std::string> log_normal_notes(const RealColumns& columns,
                                          std::span<const double> rows) {
  constexpr double kSkewed = 2;
  std::vector<std::string> notes;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns.is_logarithm(column)) continue;
    std::vector<double> values;
    for (std::size_t at = column; at < rows.size(); at += columns.size())
      values.push_back(rows[at]);
    if (values.empty() || *std::min_element(values.begin(), values.end()) <= 0) continue;
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0;
    double cube = 0;
    for (const double value : values) {
      square += (value - mean) * (value - mean);
      cube += (value - mean) * (value - mean) * (value - mean);
    }
    if (!(cube / n > kSkewed * std::pow(square / n, 1.5))) continue;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const std::string name = printable(columns.name(column));
    notes.push_back(fmt::format("{} looks log-normal (mean {:.4g}, median {:.4g}): try --log {}{}",
                                name, mean, *middle, name,
                                columns.low(column) > 0 ? "" : ", with a min above 0"));
  }
  return notes;
}

// -----------------------------------------------------------------------------------------------
// mollify check.

namespace {

/// So many findings are listed: what stands below them shall be seen.
constexpr std::uint64_t kMostLines = 40;
constexpr std::uint64_t kMostInJson = 1000;

struct CheckOptions {
  std::optional<std::string> data, domain, unit, units, units_column, counts_column;
  std::vector<std::string> references;
  std::optional<std::uint64_t> most;
  bool json = false;
};

/// What one public file shares with the private one. A copy of private records is not public,
/// whatever it is called.
Json overlap_json(const std::string& file, const Overlap& overlap, bool is_roster) {
  return {{"file", file},
          {"roster", is_roster},
          {"columns", overlap.columns},
          {"records", overlap.records},
          {"shared", overlap.shared}};
}

/// How many records there can be in these columns; without bound if one is not the domain's.
double possible_records(const std::vector<std::string>& columns, const Domain& domain) {
  double records = 1;
  for (const std::string& name : columns) {
    const auto column = std::find_if(domain.columns().begin(), domain.columns().end(),
                                     [&](const Column& one) { return one.name() == name; });
    if (column == domain.columns().end()) return std::numeric_limits<double>::infinity();
    // An outcome may stand for many values, and files share values.
    double values = 0;
    for (std::uint32_t outcome = 0; outcome < column->size(); ++outcome) {
      values += static_cast<double>(column->points(outcome));
    }
    records *= values;
  }
  return records;
}

void print_overlap(const std::string& file, const Overlap& overlap, bool is_roster,
                   const Domain& domain) {
  if (overlap.columns.empty()) {
    fmt::print("{} has no column in common with the data\n", file);
    return;
  }
  fmt::print("{}: {} of its {} {} are in the data too ({}){}\n", file, overlap.shared,
             overlap.records, is_roster ? "units" : "records", fmt::join(overlap.columns, ", "),
             is_roster && overlap.shared == overlap.records
                 ? "; as it should be, if the roster was not made from the data"
                 : "");
  if (is_roster || 2 * overlap.shared <= overlap.records) return;
  const double possible = possible_records(overlap.columns, domain);
  if (possible <= static_cast<double>(overlap.records)) {
    fmt::print("there are {} possible records only, so that two tables share most anyway\n",
               possible);
  } else {
    fmt::print(
        "WARNING: unless records have few possible values, {} was made from the data, and then it "
        "is not public\n",
        file);
  }
}

/// A value as one line shows it: of a long one the beginning.
std::string brief(std::string_view value) {
  constexpr std::size_t kMostBytes = 100;
  if (value.size() <= kMostBytes) return printable(value);
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U)
    --end;  // in a letter
  return fmt::format("{}... ({} bytes)", printable(value.substr(0, end)), value.size());
}

/// How many units of the roster have records.
Overlap roster_overlap(const CheckOptions& options, const Roster& roster) {
  CsvReader csv(*options.data);
  const std::size_t place = csv.position(*options.unit, "which names the unit of a record");
  std::vector<bool> seen(roster.size());
  while (csv.next()) {
    const std::uint32_t unit = roster.find(csv.fields()[place]);
    if (unit != Roster::kAbsent) seen[unit] = true;
  }
  return {{*options.unit},
          roster.size(),
          static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), true))};
}

/// What would make a better Gaussian release, where the domain is one of numbers: of the first
/// rows, so that memory stays bounded, and of nothing that can be read once only.
std::vector<std::string> gaussian_notes(const std::string& data, const Domain& domain) {
  constexpr std::size_t kMostNumbers = 1'000'000;
  const auto& columns = domain.columns();
  const bool are_numbers = std::all_of(columns.begin(), columns.end(), [](const Column& column) {
    const auto* const numbers = std::get_if<NumberCells>(&column.cells());
    return numbers != nullptr && !numbers->declares_bins() && !numbers->has_private_bins() &&
           !column.mapping().null_is_category;
  });
  if (!are_numbers) return {};
  const RealColumns axes(domain);
  std::vector<double> rows;
  try {
    require_rereadable(data);
    const CsvSource source(data);
    NumericRows(source, axes).visit([&](std::span<const double> some) {
      if (rows.size() < kMostNumbers) rows.insert(rows.end(), some.begin(), some.end());
    });
  } catch (const InvalidInput&) {
    return {};
  }
  return log_normal_notes(axes, rows);
}

/// Columns whose name and repeated values say that several rows belong to one person: without
/// --unit each of these rows is protected by itself only.
std::vector<std::string> unit_notes(const CheckOptions& options) {
  constexpr std::uint64_t kMostRowsOfOne = 1000;
  constexpr std::size_t kMostKept = 10'000'000;  // values, so that memory stays bounded
  std::vector<std::string> notes;
  if (options.unit || is_stream(*options.data)) return notes;
  CsvReader csv(*options.data);
  std::vector<std::pair<std::size_t, StringIndex>> columns;
  for (std::size_t i = 0; i < csv.header().size(); ++i) {
    if (names_a_unit(csv.header()[i])) columns.emplace_back(i, StringIndex());
  }
  if (columns.empty()) return notes;
  std::uint64_t rows = 0;
  for (; csv.next(); ++rows) {
    for (auto& [place, values] : columns) {
      if (values.size() <= kMostKept) values.insert(csv.fields()[place]);
    }
  }
  for (const auto& [place, values] : columns) {
    if (values.size() == rows || values.size() * kMostRowsOfOne < rows) continue;
    if (values.size() > kMostKept) continue;
    notes.push_back(fmt::format(
        "column {0} has {1} different values in {2} rows: if it names whom the rows belong to, "
        "--unit {0} of sample protects all rows of one; without it a single row is protected",
        printable(csv.header()[place]), values.size(), rows));
  }
  return notes;
}

int run(const CheckOptions& options) {
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  const std::string& data = needed(options.data, "--data");
  std::optional<Roster> roster;
  if (options.units) {
    const std::string& unit = needed(options.unit, "--unit");
    roster = read_roster(*options.units, options.units_column.value_or(unit));
  }
  // What cannot be read is told before a large file has been.
  for (const std::string& file : options.references) {
    if (!is_stream(file)) static_cast<void>(CsvReader(file));
  }
  const std::uint64_t most = options.most.value_or(options.json ? kMostInJson : kMostLines);
  std::uint64_t shown = 0;
  Json findings = Json::array();
  // Only once the files can be read.
  bool has_begun = options.json;
  const auto begin = [&] {
    if (!std::exchange(has_begun, true)) fmt::print("{}\n", kNotPrivate);
  };
  MappedCounts mapped;
  const auto see = [&](const Finding& finding) {
    mapped.see(finding);
    if (finding.is_declared || shown++ >= most) return;
    hide_reading();
    begin();
    if (options.json) {
      findings.push_back({{"line", finding.line},
                          {"column", finding.column},
                          {"value", finding.value},
                          {"expectation", finding.expectation},
                          {"becomes", finding.becomes}});
    } else if (finding.column.empty()) {
      fmt::print("{}:{}: {}\n", data, finding.line, finding.expectation);
    } else {
      fmt::print("{}:{}: {} {}, but is \"{}\"{}{}\n", data, finding.line, finding.column,
                 finding.expectation, brief(finding.value),
                 did_you_mean(domain, finding.column, finding.value),
                 finding.becomes.empty() ? ""
                                         : fmt::format(" → {}{}", printable(finding.becomes),
                                                       finding.by_default ? " (default)" : ""));
    }
  };
  const CheckCounts counts =
      check_table(data, domain, options.unit, roster, see, options.counts_column);
  begin();
  tell_undeclared(domain);
  std::vector<std::pair<std::string, bool>> others;
  for (const std::string& file : options.references) others.emplace_back(file, false);
  if (options.units) others.emplace_back(*options.units, true);
  Json overlaps = Json::array();
  for (const auto& [file, is_roster] : others) {
    const Overlap overlap =
        is_roster ? roster_overlap(options, *roster) : overlap_of(file, data, domain);
    if (options.json) {
      overlaps.push_back(overlap_json(file, overlap, is_roster));
    } else {
      print_overlap(file, overlap, is_roster, domain);
    }
  }
  mapped.add_nulls(counts, domain);
  if (!options.json) fmt::print("{}", mapped.lines());
  std::vector<std::string> notes = unit_notes(options);
  for (const std::string& note : gaussian_notes(data, domain)) {
    notes.push_back("of methods gaussian and gaussian-model, " + note);
  }
  if (options.json) {
    print_json({{"notice", kNotPrivate},
                {"notes", notes},
                {"records", counts.records},
                {"records_with_findings", counts.records_with_findings},
                {"findings", counts.findings},
                {"listed", findings},
                {"mapped", mapped.json()},
                {"public_files", overlaps}});
  } else {
    if (counts.findings > most) {
      fmt::print("... and {} more (see --most)\n", counts.findings - most);
    }
    for (const std::string& note : notes) fmt::print("note: {}\n", note);
    fmt::print("{}, {} of them with something to mend, {}\n", counted(counts.records, "record"),
               counts.records_with_findings, counted(counts.findings, "finding"));
  }
  return counts.findings == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "check",
      "Name every value of a private file that its domain does not declare, and what it becomes\n\n"
      "A release maps such values silently, because refusing would tell of them; this command is\n"
      "for the data holder, before a release. NOT PRIVATE. Exit status 1 if there are findings.\n"
      "With --reference and --units it also counts what public files share with the data: what is\n"
      "made from private records is not public.");
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  command.add_option("--unit", options->unit, "column that names the unit")->type_name("COLUMN");
  command.add_option("--units", options->units, "public CSV of all units")->type_name("FILE");
  add_text(command, "--units-column", options->units_column, "COLUMN",
           "column of --units that names them (default: as --unit)");
  add_text(command, "--counts-column", options->counts_column, "COLUMN",
           "column that says how many records a row stands for");
  command
      .add_option("--reference", options->references,
                  "public CSV (a reference, candidates, units to tune with), or several: how many "
                  "of its records the data has too")
      ->type_name("FILE");
  add_whole_number(command, "--most", options->most,
                   "list at most so many (default: 40; with --json 1000)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
