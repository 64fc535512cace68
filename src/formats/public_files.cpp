#include "formats/public_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/same_value.h"
#include "formats/check.h"
#include "formats/domain_yaml.h"
#include "formats/text_files.h"
#include "records/source.h"
#include "scores/references.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Names of columns that may identify people.

namespace {

template <std::size_t kSize>
bool is_one_of(std::string_view column, const std::array<std::string_view, kSize>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return equal_ignoring_case(column, name); });
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  char before = 0;
  for (const char letter : name) {
    const bool is_large = letter >= 'A' && letter <= 'Z';
    const bool was_small = before >= 'a' && before <= 'z';
    const bool was_mark =
        before == 0 || std::string_view("_-. 0123456789").find(before) != std::string_view::npos;
    before = letter;
    if (std::string_view("_-. 0123456789").find(letter) != std::string_view::npos) continue;
    if (was_mark || (is_large && was_small)) words.emplace_back();
    words.back() += is_large ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return words;
}

namespace {

/// Whether a part of it reads so.
bool holds(std::string_view column, std::string_view part) {
  for (std::size_t at = 0; at + part.size() <= column.size(); ++at) {
    if (equal_ignoring_case(column.substr(at, part.size()), part)) return true;
  }
  return false;
}

}  // namespace

bool names_an_id(std::string_view column) {
  constexpr std::array<std::string_view, 3> kEnds = {"_id", "-id", " id"};
  constexpr std::array<std::string_view, 23> kWhole = {
      "id",     "uid",   "userid", "pid",       "hhid",      "hid",    "personid", "caseid",
      "subjid", "ptid",  "famid",  "familyid",  "houseid",   "firmid", "schoolid", "studentid",
      "studid", "patid", "idno",   "patientid", "subjectid", "idcode", "idnum"};
  return is_one_of(column, kWhole) ||
         (column.size() > 3 && is_one_of(column.substr(column.size() - 3), kEnds));
}

bool names_somebody(std::string_view column, bool is_text) {
  constexpr std::array<std::string_view, 9> kParts = {
      "phone",      "passport",      "social_security", "birthdate", "birth_date",
      "birth date", "date_of_birth", "dateofbirth",     "birthday"};
  constexpr std::array<std::string_view, 2> kWhole = {"ssn", "dob"};
  const auto has_part = [&](std::string_view part) { return holds(column, part); };
  if (is_one_of(column, kWhole) || std::any_of(kParts.begin(), kParts.end(), has_part)) return true;
  if (!is_text) return false;
  constexpr std::array<std::string_view, 4> kPartsOfTexts = {"address", "street", "email",
                                                             "comment"};
  constexpr std::array<std::string_view, 5> kWholeTexts = {"name", "names", "note", "notes",
                                                           "birth"};
  // Of whom a name is: colours and countries have names too.
  constexpr std::array<std::string_view, 15> kPersons = {
      "first",    "last",   "middle",  "full",   "sur",  "maiden",   "given",  "family",
      "customer", "client", "patient", "person", "user", "employee", "contact"};
  return is_one_of(column, kWholeTexts) ||
         std::any_of(kPartsOfTexts.begin(), kPartsOfTexts.end(), has_part) ||
         (has_part("name") && std::any_of(kPersons.begin(), kPersons.end(), has_part));
}

bool names_a_unit(std::string_view column) {
  constexpr std::array<std::string_view, 37> kUnits = {
      "user",     "person",    "patient",       "customer",  "client",      "subject",
      "member",   "student",   "firm",          "company",   "participant", "pupil",
      "employee", "household", "device",        "school",    "individual",  "respondent",
      "family",   "unit",      "proband",       "volunteer", "donor",       "worker",
      "teacher",  "child",     "mother",        "twin",      "couple",      "owner",
      "tenant",   "dwelling",  "establishment", "panelist",  "informant",   "interviewee",
      "case"};
  // "family", "familyNumber", "respondent.no", "unit_code"; but "family_size" is a quantity.
  constexpr std::array<std::string_view, 12> kNumbers = {
      "id", "ids", "no", "nr", "num", "number", "code", "key", "index", "idx", "serial", "ref"};
  if (names_an_id(column)) return true;
  const std::vector<std::string> words = words_of_name(column);
  const auto is_unit = [&](const std::string& word) {
    return is_one_of(word, kUnits) ||
           (word.ends_with('s') &&
            is_one_of(std::string_view(word).substr(0, word.size() - 1), kUnits));
  };
  if (words.empty() || !std::any_of(words.begin(), words.end(), is_unit)) return false;
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return is_unit(word) || is_one_of(word, kNumbers);
  });
}

void require_some_columns(const std::vector<std::string>& columns,
                          const std::vector<std::string>& excluded) {
  const auto is_left = [&](const std::string& column) {
    return std::find(excluded.begin(), excluded.end(), column) == excluded.end();
  };
  if (columns.empty() || std::any_of(columns.begin(), columns.end(), is_left)) return;
  Concern concern("exclude");
  concern.column = columns.front();
  refuse_input("contradicting-parameters", concern,
               {WayOut::leave("exclude"), WayOut::set("columns")},
               "{} must leave a column of {}, but leaves out all of them: {}",
               flag_words("exclude"), flag_words("columns"), list_words(columns));
}

// -----------------------------------------------------------------------------------------------
// Lists of candidates in files.

namespace {

/// The parts of a line that is being read from its front.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  template <class Number, class... Format>
  bool number(Number& value, Format... format) {
    const char* const end = rest_.data() + rest_.size();
    const auto [stopped, error] = std::from_chars(rest_.data(), end, value, format...);
    if (error != std::errc()) return false;
    rest_ = {stopped, static_cast<std::size_t>(end - stopped)};
    return true;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

Candidates read_candidates(const std::string& path, const Domain& domain,
                           std::optional<std::string_view> bytes) {
  LineReader lines(path, bytes);
  const auto refuse = [&](const std::string& what) {
    refuse_input("malformed-file", Concern::in_file(path, lines.number()), "{} line {} must {}",
                 path, lines.number(), what);
  };
  const auto next = [&](const std::string& what) {
    if (!lines.next()) {
      refuse_input("malformed-file", Concern::in_file(path, lines.number()),
                   "{} must {}, but ends after line {}", path, what, lines.number());
    }
    return Fields(lines.line());
  };

  Fields first = next("be a list of candidates");
  if (!first.word(kCandidatesFormat) || !first.at_end())
    refuse(fmt::format("be \"{}\"", kCandidatesFormat));
  Fields second = next("name its domain");
  if (!second.word("domain ")) refuse("name the domain's hash");
  if (!second.word(domain.hash()) || !second.at_end()) {
    refuse("name this domain, but the list was made for another");
  }
  Fields third = next("say how many records it has");
  std::uint64_t count = 0;
  std::uint64_t columns = 0;
  if (!third.word("records ") || !third.number(count) || !third.word(" columns ") ||
      !third.number(columns)) {
    refuse("say how many records and columns there are");
  }
  const bool dense = third.word(" densities");
  if (!third.at_end()) refuse("say how many records and columns there are");
  if (columns != domain.columns().size()) {
    refuse(fmt::format("have {} columns like the domain, but has {}", domain.columns().size(),
                       columns));
  }
  if (count < 1 || count > Candidates::kMost) {
    refuse(fmt::format("have from 1 to {} records, but has {}", Candidates::kMost, count));
  }

  std::vector<std::uint32_t> digits;
  std::vector<float> densities;
  digits.reserve(static_cast<std::size_t>(count * columns));
  for (std::uint64_t i = 0; i < count; ++i) {
    Fields record = next(fmt::format("have {} records", count));
    bool whole = true;
    for (std::uint64_t column = 0; column < columns && whole; ++column) {
      std::uint32_t digit = 0;
      whole = (column == 0 || record.word(",")) && record.number(digit);
      digits.push_back(digit);
    }
    if (dense && whole) {
      float density = 0;
      whole = record.word(",0x") && record.number(density, std::chars_format::hex);
      densities.push_back(density);
    }
    if (!whole || !record.at_end()) {
      refuse(fmt::format("have {} digits{} with commas between them", columns,
                         dense ? " and a density" : ""));
    }
  }
  if (lines.next()) refuse(fmt::format("not be there, for there are {} records", count));
  try {
    return Candidates::of(domain, std::move(digits), std::move(densities));
  } catch (const InvalidInput& error) {
    throw InvalidInput(error, fmt::format("{}: {}", path, error.what()), Concern::in_file(path));
  }
}

// -----------------------------------------------------------------------------------------------
// Reads a public covariance matrix.

namespace {

double entry(const CsvReader& csv, std::size_t field) {
  const std::string_view text = csv.fields()[field];
  const auto number = read_number(text);
  if (!number || !std::isfinite(*number)) {
    refuse_input(number ? Code("out-of-range") : Code("wrong-type"), csv.here(csv.header()[field]),
                 {}, number ? quantities_of(*number, kDoubles) : std::vector<Quantity>(),
                 "{} must hold a finite number in column \"{}\", but it is \"{}\"", csv.place(),
                 csv.header()[field], text);
  }
  return *number;
}

}  // namespace

std::vector<double> read_covariance(const std::string& path, const RealColumns& columns,
                                    std::optional<TableBytes> bytes) {
  CsvReader csv(path, bytes);
  const bool has_labels = csv.header().front().empty();
  const std::size_t offset = has_labels ? 1 : 0;
  const std::size_t rows = csv.header().size() - offset;
  std::vector<std::size_t> positions;  // of the columns in the header
  for (std::size_t i = 0; i < columns.size(); ++i) {
    positions.push_back(csv.position(columns.name(i), "whose covariance is needed"));
  }
  std::vector<double> matrix(columns.size() * columns.size());
  std::size_t row = 0;
  for (; csv.next(); ++row) {
    refuse_if(row == rows, "wrong-shape", Concern::in_file(path),
              "{} must have {} rows like its columns, but has more", path, rows);
    csv.require_well_formed();
    const std::string& name = csv.header()[row + offset];
    if (has_labels && csv.fields().front() != name) {
      refuse_input("wrong-shape", csv.here(),
                   "{} must be labelled \"{}\" like the header, but is \"{}\"", csv.place(), name,
                   csv.fields().front());
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (positions[i] != row + offset) continue;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        matrix[i * columns.size() + j] = entry(csv, positions[j]);
      }
    }
  }
  refuse_if(row < rows, "wrong-shape", Concern::in_file(path),
            "{} must have {} rows like its columns, but has {}", path, rows, row);
  return matrix;
}

// -----------------------------------------------------------------------------------------------
// A released model's file, which holds its domain too.

std::string model_file_text(const std::string& released, const Domain& domain) {
  auto json = nlohmann::ordered_json::parse(released);
  json["domain"] = domain_yaml(domain);
  return json.dump() + "\n";
}

ModelFile parse_model_file(const std::string& text, const std::string& name) {
  ReleasedModel released = parse_released_model(text, name);
  const auto json = nlohmann::ordered_json::parse(text);
  const auto yaml = json.find("domain");
  refuse_if(yaml == json.end() || !yaml->is_string(), "missing-key", Concern::in_file(name),
            "{} must have a domain at /domain", name);
  Domain domain = parse_domain(yaml->get<std::string>(), "the domain in " + name);
  refuse_if(!is_model_of(released, domain), "certificate-mismatch", "domain",
            "{} must have the domain that its model was made for, but has another", name);
  std::optional<Measurements> measurements = released_measurements(json, domain, name);
  return {std::move(domain), std::move(released.model), std::move(measurements)};
}

ModelFile read_model_file(const std::string& path) { return parsed_file(path, parse_model_file); }

MeasurementsFile parse_measurements_file(const std::string& text, const std::string& name,
                                         std::optional<Domain> domain) {
  require_json(text, name);
  const auto json = nlohmann::ordered_json::parse(text);
  const auto require_same = [&](const Domain& own) {
    refuse_if(domain && domain->hash() != own.hash(), "certificate-mismatch", "domain",
              "the domain is not the one in {}: leave it out, or give the same one", name);
  };
  refuse_if(!json.is_object() || !json.contains("measurements"), "wrong-kind-of-file", {},
            "{} has no noisy counts at /measurements: {} writes them with a model of method "
            "marginals",
            name,
            words_of_speech("mollify sample --model-out", "release.model.write", "release()"));
  if (json.contains("format")) {
    ModelFile model = parse_model_file(text, name);
    require_same(model.domain);
    return {std::move(model.domain), *std::move(model.measurements)};
  }
  const auto yaml = json.find("domain");
  if (yaml == json.end()) {
    refuse_if(!domain, "missing-key", "domain",
              "{} has no domain at /domain: give the domain of its columns", name);
  } else {
    refuse_if(!yaml->is_string(), "malformed-file", {}, "{} must have a text at /domain", name);
    Domain own = parse_domain(yaml->get<std::string>(), "the domain in " + name);
    require_same(own);
    domain = std::move(own);
  }
  Measurements measurements = measurements_from_json(json["measurements"], *domain, name);
  return {*std::move(domain), std::move(measurements)};
}

MeasurementsFile read_measurements_file(const std::string& path, std::optional<Domain> domain) {
  return parsed_file(path, [&](const std::string& text, const std::string& name) {
    return parse_measurements_file(text, name, std::move(domain));
  });
}

// -----------------------------------------------------------------------------------------------
// What a public file has in common with the private one, for the data holder.

namespace {

std::vector<std::size_t> places_of(const CsvReader& csv, const std::vector<std::string>& columns) {
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    const auto found = std::find(csv.header().begin(), csv.header().end(), column);
    places.push_back(static_cast<std::size_t>(found - csv.header().begin()));
  }
  return places;
}

/// The domain's column of each name; nullptr if it is not the domain's.
std::vector<const Column*> columns_of(const Domain& domain, const std::vector<std::string>& names) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) {
    const auto found = std::find_if(domain.columns().begin(), domain.columns().end(),
                                    [&](const Column& one) { return one.name() == name; });
    columns.push_back(found == domain.columns().end() ? nullptr : &*found);
  }
  return columns;
}

/// One text for all texts that write the field's value: a declared word, nothing for a null, and
/// otherwise what `same_value_text` makes of the field. `word` and `buffer` hold it.
std::string_view meant_by(std::string_view field, const Column* column, std::string& word,
                          SameValueBuffer& buffer) {
  if (column != nullptr) {
    const Reading reading = column->read(field);
    if (reading.verdict == Verdict::kNull) return {};
    if (!kind_of(column->cells()).bounded && reading.verdict == Verdict::kValue) {
      word.clear();
      column->write(reading.cell, 0, word);
      return word;
    }
  }
  return same_value_text(field, buffer).value_or(field);
}

/// The fields' meanings, one after the other, each after its length, so that records of different
/// values have different keys.
class RecordKeys {
 public:
  explicit RecordKeys(std::vector<const Column*> columns) : columns_(std::move(columns)) {}

  /// Valid until the next call.
  [[nodiscard]] const std::string& of(const CsvReader& csv,
                                      const std::vector<std::size_t>& places) {
    key_.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string_view value = meant_by(csv.fields()[places[i]], columns_[i], word_, buffer_);
      key_ += std::to_string(value.size());
      key_ += ':';
      key_ += value;
    }
    return key_;
  }

 private:
  std::vector<const Column*> columns_;
  std::string key_;
  std::string word_;
  SameValueBuffer buffer_;
};

}  // namespace

Overlap overlap_of(CsvReader& open, CsvReader& secret, const Domain& domain) {
  Overlap overlap;
  for (const std::string& column : open.header()) {
    const auto& others = secret.header();
    if (std::find(others.begin(), others.end(), column) != others.end()) {
      overlap.columns.push_back(column);
    }
  }
  const auto open_places = places_of(open, overlap.columns);
  const auto secret_places = places_of(secret, overlap.columns);
  StringIndex known;
  std::vector<std::uint64_t> left;  // how often each may still be met
  RecordKeys keys(columns_of(domain, overlap.columns));
  while (open.next()) {
    ++overlap.records;
    const std::uint32_t index = known.insert(keys.of(open, open_places));
    if (index == left.size()) left.push_back(0);
    ++left[index];
  }
  while (!overlap.columns.empty() && secret.next()) {
    const std::uint32_t index = known.find(keys.of(secret, secret_places));
    if (index == StringIndex::kAbsent || left[index] == 0) continue;
    --left[index];
    ++overlap.shared;
  }
  return overlap;
}

// -----------------------------------------------------------------------------------------------
// The public list of units.

Roster read_roster(const std::string& path, const UnitColumns& columns,
                   std::optional<TableBytes> bytes) {
  CsvReader csv(path, bytes);
  const std::string reason = fmt::format(
      "which names the units (its first line must be a header; {} names another column)",
      flag_words("units-column"));
  std::vector<std::size_t> places;
  for (const std::string& column : columns.names()) {
    places.push_back(csv.position(column, {reason.c_str(), "units-column"}));
  }
  Roster units;
  std::vector<std::string_view> ids(places.size());
  while (csv.next()) {
    csv.require_well_formed();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = csv.fields()[places[i]];
      if (!is_missing_id(ids[i])) continue;
      refuse_input("empty-input", csv.here(columns.names()[i]), "{} must name a unit, but {}",
                   csv.place(),
                   ids[i].empty() ? std::string("its id is empty")
                                  : fmt::format("\"{}\" is a word for a missing id", ids[i]));
    }
    if (!units.insert(ids)) {
      refuse_input("duplicate-value", csv.here(columns.names().front()),
                   "{} must name a new unit, but \"{}\" is already listed", csv.place(),
                   fmt::join(ids, ", "));
    }
  }
  refuse_if(units.size() == 0, "empty-input", Concern::in_file(path),
            "{} must list units, but lists none", path);
  return units;
}

// -----------------------------------------------------------------------------------------------
// Reads public reference records.

namespace {

bool is_header(const CsvReader& csv) {
  return csv.fields_in_line() == csv.header().size() &&
         std::equal(csv.header().begin(), csv.header().end(), csv.fields().begin());
}

/// Whether the value would go to the domain's nearest one, were it private.
bool is_clipped(const Domain& domain, const Finding& finding) {
  const auto column = std::find_if(domain.columns().begin(), domain.columns().end(),
                                   [&](const Column& one) { return one.name() == finding.column; });
  return column != domain.columns().end() && kind_of(column->cells()).bounded &&
         !column->mapping().outside_value &&
         column->read(finding.value).verdict == Verdict::kOutside;
}

void require_rules(const CsvReader& csv, const Domain& domain,
                   std::span<const std::string_view> fields) {
  std::vector<FieldValue> record;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    record.push_back(field_value(domain.columns()[i], Value(fields[i])));
  }
  for (const DomainRule& rule : domain.possible()->rules()) {
    if (truth_of(rule, domain.columns(), record) != Truth::kFalse) continue;
    refuse_input("outside-domain", csv.here(), "{} must keep the domain's rules, but breaks \"{}\"",
                 csv.place(), rule.name);
  }
}

/// Passes each record to `take(fields, ids)`, or refuses it. With `counts`, the last of the ids is that column's field, and
/// a count.
template <class Take>
void read_strictly(const std::string& path, const Domain& domain, Take take,
                   const UnitColumns& unit = {}, std::optional<TableBytes> bytes = std::nullopt,
                   const std::optional<std::string>& counts = std::nullopt) {
  CsvReader csv(path, bytes);
  std::optional<AmountColumn> amounts;
  if (counts) amounts = {"counts", kStatesCounts.parameter, *counts};
  std::vector<std::size_t> places = wanted_columns(csv, domain, unit, amounts);
  const std::size_t checked = places.size();
  if (counts) places.push_back(csv.position(*counts, kStatesCounts));
  std::vector<std::string_view> fields(places.size());
  bool any = false;
  while (csv.next()) {
    keep_going();
    any = true;
    const auto refuse = [&](const Finding& finding) {
      if (is_header(csv)) {
        refuse_input(
            "malformed-file", csv.here(),
            "{} is the header again: keep only the first one, as of files that were joined",
            csv.place());
      }
      const std::string place =
          finding.column.empty() ? "" : fmt::format(" column \"{}\"", finding.column);
      const std::string value =
          finding.column.empty() ? ""
                                 : fmt::format(", but is \"{}\"{}", finding.value,
                                               did_you_mean(domain, finding.column, finding.value));
      refuse_input("outside-domain", csv.here(finding.column), "{}{} {}{}{}", csv.place(), place,
                   finding.expectation, value,
                   is_clipped(domain, finding) ? " (outside: clip is for private values)" : "");
    };
    check_record(csv, domain, std::span(places).first(checked), nullptr, refuse);
    if (counts) check_count(csv, places.back(), refuse);
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = csv.fields()[places[i]];
    const std::span<const std::string_view> all(fields);
    if (domain.possible() != nullptr) require_rules(csv, domain, all);
    take(all.first(domain.columns().size()), all.subspan(domain.columns().size()));
  }
  refuse_if(!any, "empty-input", Concern::in_file(path),
            "{} must hold at least one record, but holds none", path);
}

}  // namespace

std::vector<std::uint32_t> read_public_digits(const std::string& path, const Domain& domain,
                                              std::optional<TableBytes> bytes) {
  std::vector<std::uint32_t> digits;
  const std::size_t columns = domain.columns().size();
  read_strictly(
      path, domain,
      [&](std::span<const std::string_view> fields, std::span<const std::string_view>) {
        digits.resize(digits.size() + columns);
        domain.encode_digits(fields, std::span(digits).last(columns));
      },
      {}, bytes);
  return digits;
}

Empirical read_counted_outcomes(const std::string& path, const Domain& domain,
                                const std::optional<std::string>& counts,
                                std::optional<TableBytes> bytes) {
  Tally<std::uint32_t> tally;
  bool any = !counts;
  read_strictly(
      path, domain,
      [&](std::span<const std::string_view> fields, std::span<const std::string_view> ids) {
        const std::uint64_t count = counts ? *read_count(ids.back()) : 1;
        tally.add(domain.encode(fields), count);
        any = any || count > 0;
      },
      {}, bytes, counts);
  refuse_if(!any, "empty-input", Concern::in_file(path),
            "{} must count at least one record, but all of its counts are 0", path);
  return Empirical(tally.take());
}

UnitRecords read_public_units(const std::string& path, const Domain& domain,
                              const UnitColumns& unit, std::optional<TableBytes> bytes) {
  UnitRecords::Builder builder(domain.columns().size());
  StringIndex units;
  std::string joint;
  read_strictly(
      path, domain,
      [&](std::span<const std::string_view> fields, std::span<const std::string_view> ids) {
        TextBuffer buffer;
        domain.encode_digits(fields, builder.add(units.insert(unit_text(ids, joint, buffer))));
      },
      unit, bytes);
  return std::move(builder).build(units.size());
}

bool same_file_or_content(const std::string& left, const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(left, right, error)) return true;
  // Only files can be compared by content: reading a pipe would take its data away.
  if (!fs::is_regular_file(left, error) || !fs::is_regular_file(right, error)) return false;
  const auto left_size = fs::file_size(left, error);
  if (error || left_size != fs::file_size(right, error) || error) return false;
  std::ifstream left_file(left, std::ios::binary);
  std::ifstream right_file(right, std::ios::binary);
  if (!left_file || !right_file) return false;
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(left_file), Bytes(), Bytes(right_file), Bytes());
}

bool same_file_or_content(const std::string& left, std::string_view left_bytes,
                          const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(left, right, error)) return true;
  if (!fs::is_regular_file(right, error)) return false;
  if (fs::file_size(right, error) != left_bytes.size() || error) return false;
  std::ifstream file(right, std::ios::binary);
  if (!file) return false;
  return std::equal(left_bytes.begin(), left_bytes.end(), std::istreambuf_iterator<char>(file), {});
}

// -----------------------------------------------------------------------------------------------
// Lists and references that are made of public files.

Candidates listed_candidates(const Domain& domain, std::uint64_t count,
                             const std::optional<std::string>& reference,
                             std::optional<std::string_view> text) {
  Candidates::require_count(count);
  if (!reference) return Candidates::seeded(domain, count);
  if (!reference->ends_with(".json")) {
    const auto digits =
        naming_part("reference", [&] { return read_public_digits(*reference, domain, text); });
    return ReferenceCandidates(domain, digits).seeded(count);
  }
  const auto measure =
      text ? measure_from_json(*text, *reference) : parsed_file(*reference, measure_from_json);
  return measure_candidates(domain, *measure, count);
}

FittedReference fitted_to_file(const Domain& domain, std::uint64_t components,
                               const std::string& path, std::optional<std::string_view> text) {
  require_between({flag_words("components"), "components"}, components, 1, FittedReference::kMost);
  for (const Column& column : domain.columns()) {
    if (has_interval(column)) continue;
    Concern concern("domain");
    concern.column = column.name();
    refuse_input("not-for-this-domain", concern, {WayOut::set("domain")},
                 "a density of numbers needs columns of type number or integer without edges or "
                 "null: category, but column \"{}\" is not one: leave it out of the domain, or use "
                 "the public table itself as the reference",
                 column.name());
  }
  const auto digits = naming_part("public", [&] { return read_public_digits(path, domain, text); });
  const GaussianMixtureSpec mixture = fitted_reference(domain, digits, components);
  // A written value is read and checked before anybody relies on it.
  static_cast<void>(GaussianMixture(mixture));
  return {mixture.weights.size(), measure_json(mixture)};
}

// -----------------------------------------------------------------------------------------------
// Files as the public inputs of releases.

void PublicFiles::require_public(const char* what, const char* flag,
                                 const std::string& name) const {
  if (!private_file_) return;
  const std::string& text = naming_part(flag, [&]() -> const std::string& { return bytes(name); });
  const bool same =
      private_bytes_ ? text == *private_bytes_ : same_file_or_content(name, text, *private_file_);
  if (same) {
    refuse_input("public-is-private", is_of_file(name) ? concern_of(flag, name) : Concern(flag),
                 "the {} must be public, but {} is the private file itself", what, name);
  }
}

const std::string& PublicFiles::bytes(const std::string& name) const {
  const auto known = bytes_.find(name);
  if (known != bytes_.end()) return known->second;
  const std::string& read = bytes_.emplace(name, LineReader(name).bytes()).first->second;
  files_.insert(name);
  return read;
}

TableBytes PublicFiles::table(const std::string& name) const {
  const std::string& text = bytes(name);
  return {text, is_of_file(name)};
}

UnitRecords PublicFiles::units(const std::string& name, const Domain& domain,
                               const UnitColumns& unit) const {
  require_public("units", "public-units", name);
  return naming_part("public-units",
                     [&] { return read_public_units(name, domain, unit, table(name)); });
}

std::optional<TableBytes> PublicFiles::held(const std::string& name) const {
  return bytes_.contains(name) ? std::optional(table(name)) : std::nullopt;
}

Domain PublicFiles::domain(const SpecDomain& domain) const {
  if (domain.file.empty()) return parse_domain(domain.text, domain.name());
  const auto text = bytes_.find(domain.file);
  if (text != bytes_.end()) return parse_domain(text->second, domain.file);
  const auto known = domains_.find(domain.file);
  if (known != domains_.end()) return known->second;
  return naming_part("domain", [&] {
    return domains_.emplace(domain.file, read_domain(domain.file)).first->second;
  });
}

Roster PublicFiles::roster(const std::string& name, const UnitColumns& columns) const {
  require_public("roster", "units", name);
  return naming_part("units", [&] { return read_roster(name, columns, table(name)); });
}

std::vector<std::uint32_t> PublicFiles::records(const std::string& name,
                                                const Domain& domain) const {
  require_public("reference", "reference", name);
  return naming_part("reference", [&] { return read_public_digits(name, domain, table(name)); });
}

std::shared_ptr<const Measure> PublicFiles::density(const std::string& name) const {
  require_public("reference", "reference", name);
  return naming_part("reference", [&] { return parsed(name, measure_from_json); });
}

Candidates PublicFiles::candidates(const std::string& name, const Domain& domain) const {
  require_public("list of candidates", "candidates-file", name);
  return naming_part("candidates-file", [&] { return read_candidates(name, domain, bytes(name)); });
}

PublicBand PublicFiles::band(const std::string& name) const {
  require_public("band", "band", name);
  return naming_part("band", [&] { return parsed(name, parse_public_band); });
}

std::vector<double> PublicFiles::channel(const std::string& name, std::uint64_t outcomes) const {
  require_public("channel", "channel", name);
  return parsed(name, [&](const auto& text, const auto& path) {
    return parse_channel(text, path, outcomes);
  });
}

std::vector<double> PublicFiles::covariance(const std::string& name,
                                            const RealColumns& columns) const {
  require_public("covariance", "covariance", name);
  return naming_part("covariance", [&] { return read_covariance(name, columns, table(name)); });
}

std::string PublicFiles::sha256(const std::string& name) const {
  Sha256 hash;
  try {
    hash.add(bytes(name));
  } catch (const InvalidInput&) {
    return {};  // anyone who reads it says what is wrong
  }
  return hash.hex();
}

}  // namespace mollify
