#include "analysis/check.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/requests.h"
#include "analysis/summaries.h"
#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/check.h"
#include "formats/csv.h"
#include "formats/draft_times.h"
#include "formats/text_files.h"
#include "records/private_table.h"

namespace mollify {

namespace {

/// Most findings to list: the lines below them must be seen.
constexpr std::uint64_t kMostLines = 40;
constexpr std::uint64_t kMostInJson = 1000;

/// How many records there can be in these columns; without bound if one is not the domain's.
double possible_records(const std::vector<std::string>& columns, const Domain& domain) {
  double records = 1;
  for (const std::string& name : columns) {
    const auto column = std::find_if(domain.columns().begin(), domain.columns().end(),
                                     [&](const Column& one) { return one.name() == name; });
    if (column == domain.columns().end()) return std::numeric_limits<double>::infinity();
    // An outcome may represent many values, and files share values.
    double values = 0;
    for (std::uint32_t outcome = 0; outcome < column->size(); ++outcome) {
      values += static_cast<double>(column->points(outcome));
    }
    records *= values;
  }
  return records;
}

/// The records that one public file shares with the private one. A copy of private records is not
/// public, whatever it is called.
std::string overlap_text(const std::string& file, const Overlap& overlap, bool is_roster,
                         const Domain& domain) {
  if (overlap.columns.empty()) {
    return fmt::format("{} has no column in common with the data\n", file);
  }
  std::string text = fmt::format("{}: {} of its {} {} are in the data too ({}){}\n", file,
                                 overlap.shared, overlap.records, is_roster ? "units" : "records",
                                 fmt::join(overlap.columns, ", "),
                                 is_roster && overlap.shared == overlap.records
                                     ? "; as it should be, if the roster was not made from the data"
                                     : "");
  if (is_roster || 2 * overlap.shared <= overlap.records) return text;
  const double possible = possible_records(overlap.columns, domain);
  if (possible <= static_cast<double>(overlap.records)) {
    text += fmt::format(
        "there are {} possible records only, so that two tables share most anyway\n", possible);
  } else {
    text += fmt::format(
        "WARNING: unless records have few possible values, {} was made from the data, and then it "
        "is not public\n",
        file);
  }
  return text;
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

/// What would make a better Gaussian release, where the domain is one of numbers: of the first
/// rows, so that memory stays bounded, and of nothing that can be read once only.
std::vector<std::string> gaussian_notes(const std::string& data, std::optional<TableBytes> bytes,
                                        const Domain& domain) {
  constexpr std::size_t kMostNumbers = 1'000'000;
  const auto& columns = domain.columns();
  const bool are_numbers = std::all_of(columns.begin(), columns.end(), [](const Column& column) {
    const auto* const numbers = std::get_if<NumberCells>(&column.cells());
    return numbers != nullptr && !numbers->declares_bins() && !numbers->has_private_bins() &&
           column.codes_and_nulls() == 0;
  });
  if (!are_numbers) return {};
  const RealColumns axes(domain);
  std::vector<double> rows;
  try {
    if (!bytes) require_rereadable(data);
    const CsvSource source(data, bytes ? std::optional(std::string(bytes->bytes)) : std::nullopt);
    NumericRows(source, axes).visit([&](std::span<const double> some) {
      if (rows.size() < kMostNumbers) rows.insert(rows.end(), some.begin(), some.end());
    });
  } catch (const InvalidInput&) {
    return {};
  }
  return log_normal_notes(axes, rows);
}

/// The format of days and times that all texts of a column have which its domain cannot read.
class UnreadFormats {
 public:
  explicit UnreadFormats(const Domain& domain) : domain_(domain) {}

  void see(const Finding& finding) {
    const auto& columns = domain_.columns();
    const auto column = std::find_if(columns.begin(), columns.end(), [&](const Column& one) {
      return one.name() == finding.column;
    });
    if (column == columns.end() || !std::holds_alternative<DateCells>(column->cells()) ||
        column->read(finding.value).verdict != Verdict::kUnreadable) {
      return;
    }
    auto& [formats, seen] = of_columns_.try_emplace(column->name(), column->name()).first->second;
    formats.see(finding.value);
    ++seen;
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const Column& column : domain_.columns()) {
      const auto found = of_columns_.find(column.name());
      if (found == of_columns_.end()) continue;
      const auto& [formats, seen] = found->second;
      const std::vector<std::string> texts = formats.texts();
      if (texts.empty()) continue;
      std::vector<std::string> quoted;
      for (const std::string& text : texts) quoted.push_back(in_quotes(text));
      notes.push_back(fmt::format(
          "column {} has {} that its domain cannot read, and all have the format {}: declare "
          "format: {}{}",
          printable(column.name()), counted(seen, "value"), fmt::join(quoted, " or "), quoted[0],
          texts.size() == 1 ? ""
                            : ", or the other: nothing shows whether the day or the month comes "
                              "first"));
    }
    return notes;
  }

 private:
  struct Seen {
    explicit Seen(std::string_view column) : formats(column) {}
    DayFormats formats;
    std::uint64_t values = 0;
  };

  const Domain& domain_;
  std::map<std::string, Seen> of_columns_;
};

/// Columns whose name and repeated values say that several rows belong to one person: without
/// --unit each of these rows is protected by itself only.
std::vector<std::string> unit_notes(CsvReader& csv) {
  constexpr std::uint64_t kMostRowsOfOne = 1000;
  // A few with many rows each are groups, and no persons.
  constexpr std::size_t kFewUnits = 10;
  constexpr std::uint64_t kMostRowsOfFew = 20;
  constexpr std::size_t kMostKept = 10'000'000;  // values, so that memory stays bounded
  std::vector<std::string> notes;
  std::vector<std::pair<std::size_t, StringIndex>> columns;
  for (std::size_t i = 0; i < csv.header().size(); ++i) {
    if (names_a_unit(csv.header()[i])) columns.emplace_back(i, StringIndex());
  }
  if (columns.empty()) return notes;
  std::uint64_t rows = 0;
  for (; csv.next(); ++rows) {
    for (auto& [place, values] : columns) {
      const std::string_view id = csv.fields()[place];
      if (!is_missing_id(id) && values.size() <= kMostKept) values.insert(id);
    }
  }
  for (const auto& [place, values] : columns) {
    if (values.size() == rows || values.size() * kMostRowsOfOne < rows) continue;
    if (values.size() < kFewUnits && values.size() * kMostRowsOfFew < rows) continue;
    if (values.size() > kMostKept) continue;
    notes.push_back(fmt::format(
        "column {0} has {1} different values in {2} rows: if it names whom the rows belong to, "
        "{3} {0} of sample protects all rows of one; without it a single row is protected",
        printable(csv.header()[place]), values.size(), rows, flag_words("unit")));
  }
  return notes;
}

}  // namespace

std::span<const Part> check_parts() {
  using enum PartKind;
  static constexpr Part kParts[] = {
      {{"/unit", "--unit", kColumns, "column that names the unit, or several", "COLUMN,..."}},
      needing("/unit", {"/roster", "--units", kFile, "public CSV of all units"}),
      needing("/roster", {"/units_column", "--units-column", kColumns,
                          "columns of --units that name them (default: as --unit)", "COLUMN,..."}),
      {{"/counts_column", "--counts-column", kText, "column with how many records a row counts as",
        "COLUMN"}},
      {{"/weights", "", kObject}},
      {{"/weights/column", "--weights", kText, "column with the weight of each row", "COLUMN"}},
      {{"/weights/greatest", "--greatest-weight", kDecimal,
        "greatest weight of a row, or of all rows of a unit"}},
      {{"/weights/step", "--weight-step", kDecimal,
        "weights count in multiples of it (default: by the greatest)"}},
      {{"/weights/invalid", "--invalid-weight", kDecimal,
        "weight of a row without a valid one (default: 0)"}},
      {{"/references", "--reference", kTexts,
        "public CSV, or several: counts its records in the data", "FILE"}},
      {{"/most", "--most", kWhole,
        "list at most NUMBER findings (default: 40; with --json 1000)"}}};
  return kParts;
}

CheckQuestion check_question_of(const Json& json, const std::string& name, Domain domain,
                                std::string data) {
  const PartReader reader(check_parts(), json, name, "a question to check");
  CheckedAmounts amounts{reader.find<std::string>("/counts_column"), reader.find_weights()};
  if (amounts.counts && amounts.weights) refuse_both("weights", "counts-column");
  return {.domain = std::move(domain),
          .data = std::move(data),
          .unit = reader.columns("/unit"),
          .roster = reader.find_file("/roster"),
          .units_column = reader.columns("/units_column"),
          .amounts = std::move(amounts),
          .references = reader.texts("/references"),
          .most = reader.find<std::uint64_t>("/most")};
}

Answer check(const CheckQuestion& question, const PublicFiles& files) {
  const Domain& domain = question.domain;
  const std::string& data = question.data;
  const auto bytes = files.held(data);
  const bool is_once = !bytes && is_stream(data);
  const auto opened = [&](const std::string& file) {
    auto csv = std::make_unique<CsvReader>(file, files.held(file));
    csv->refuse_endless_lines();
    return csv;
  };
  std::optional<Roster> roster;
  if (question.roster) {
    roster = files.roster(question.roster->name,
                          question.units_column ? question.units_column : question.unit);
  }
  // A density has no records that the data could have.
  std::vector<std::string> references = question.references;
  std::erase_if(references, [](const std::string& file) { return file.ends_with(".json"); });
  // Unreadable inputs are reported before a large file is read.
  for (const std::string& file : references) {
    if (files.held(file) || !is_stream(file))
      naming_part("reference", [&] { static_cast<void>(opened(file)); });
  }
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  const std::uint64_t most_lines = question.most.value_or(kMostLines);
  std::uint64_t shown = 0;
  std::string examples;  // after the sums
  Json findings = Json::array();
  MappedCounts mapped(domain);
  UnreadFormats unread(domain);
  const bool rows = has_rows(bytes && !bytes->is_of_file);
  const auto place_of = [&](const Finding& finding) {
    return static_cast<std::int64_t>(finding.line) - (rows ? 2 : 0);
  };
  const auto see = [&](const Finding& finding) {
    mapped.see(finding);
    unread.see(finding);
    if (finding.is_declared) return;
    if (findings.size() < question.most.value_or(kMostInJson)) {
      findings.push_back({{rows ? "row" : "line", place_of(finding)},
                          {"column", finding.column},
                          {"value", finding.value},
                          {"expectation", finding.expectation},
                          {"becomes", finding.becomes}});
    }
    if (rows && shown == 0) examples = "rows are counted from 0\n";
    if (shown++ >= most_lines) return;
    const std::string place =
        rows ? fmt::format("row {}", place_of(finding)) : fmt::format("{}:{}", data, finding.line);
    if (finding.column.empty()) {
      examples += fmt::format("{}: {}{}\n", place, finding.expectation,
                              finding.becomes.empty()
                                  ? ""
                                  : fmt::format(", but does not → {}", printable(finding.becomes)));
      return;
    }
    examples +=
        fmt::format("{}: {} {}, but is \"{}\"{}{}\n", place, finding.column, finding.expectation,
                    brief(finding.value), did_you_mean(domain, finding.column, finding.value),
                    finding.becomes.empty() ? ""
                                            : fmt::format(" → {}{}", printable(finding.becomes),
                                                          finding.by_default ? " (default)" : ""));
  };
  const CheckCounts counts =
      check_table(data, domain, question.unit, roster, see, question.amounts, bytes);
  for (Message& warning : domain.warnings()) answer.warn(std::move(warning));
  mapped.add_nulls(counts);
  answer.add("mapped", mapped.json(), mapped.lines(most_lines));
  answer.add("nulls", mapped.nulls_json());
  if (counts.findings > most_lines) {
    examples +=
        fmt::format("... and {} more (see {})\n", counts.findings - most_lines, flag_words("most"));
  }
  answer.add("listed", findings, examples);
  Json overlaps = Json::array();
  const auto add_overlap = [&](const std::string& file, const Overlap& overlap, bool is_roster) {
    overlaps.push_back({{"file", file},
                        {"roster", is_roster},
                        {"columns", overlap.columns},
                        {"records", overlap.records},
                        {"shared", overlap.shared}});
    answer.say(overlap_text(file, overlap, is_roster, domain));
  };
  for (const std::string& file : references) {
    add_overlap(file, overlap_of(*opened(file), *opened(data), domain), false);
  }
  if (roster) {
    add_overlap(question.roster->name, {question.unit.names(), roster->size(), counts.roster_units},
                true);
  }
  answer.add("public_files", overlaps);
  std::vector<std::string> notes;
  if (counts.records == 0) {
    notes.emplace_back("the data has no records, so a release would be noise alone");
  }
  if (!question.unit && !is_once) {
    const std::vector<std::string> names = unit_notes(*opened(data));
    notes.insert(notes.end(), names.begin(), names.end());
  }
  for (std::string& note : unread.notes()) notes.push_back(std::move(note));
  for (const std::string& note : gaussian_notes(data, bytes, domain)) {
    notes.push_back(fmt::format(
        "of {}, {}", methods_words(std::array<std::string_view, 2>{"gaussian", "gaussian-model"}),
        note));
  }
  answer.add("notes", notes);
  for (const std::string& note : notes) answer.say(fmt::format("note: {}\n", note));
  answer.add("records", counts.records, counted(counts.records, "record"));
  answer.add("records_with_findings", counts.records_with_findings,
             fmt::format(", {} of them with something to mend", counts.records_with_findings));
  answer.add("findings", counts.findings,
             fmt::format(", {}\n", counted(counts.findings, "finding")));
  if (question.unit) {
    answer.add("records_without_unit", counts.without_unit,
               counts.without_unit == 0
                   ? ""
                   : fmt::format("{} without a unit, because an id in {} is missing: a release "
                                 "leaves them out\n",
                                 counted(counts.without_unit, "record"), question.unit.words()));
  }
  return answer;
}

}  // namespace mollify
