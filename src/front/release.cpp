#include "front/release.h"

#include <utility>
#include <vector>

#include "analysis/summaries.h"
#include "base/json.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/ranges.h"
#include "formats/arrow.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "formats/released_rows.h"
#include "formats/text_files.h"
#include "front/domain.h"
#include "front/message.h"
#include "front/privacy.h"
#include "mollify/release.h"
#include "mollify/verify.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "release/release.h"
#include "release/released_model.h"
#include "release/spec.h"
#include "release/verification.h"

namespace mollify::front {

// -----------------------------------------------------------------------------------------------
// The key behind the front's.

ReleaseKey::ReleaseKey() : Handle(std::make_shared<const Inside>()) {}

std::vector<std::uint8_t> ReleaseKey::bytes_for_workers() const {
  return inside_->key.bytes_for_workers();
}

ReleaseKey ReleaseKey::of_worker_bytes(std::span<const std::uint8_t> bytes) {
  auto key = inside::ReleaseKey::of_worker_bytes(bytes);
  refuse_if(!key, "malformed-text", "key",
            "a release key must be the bytes that another one gave for its workers, unchanged, but "
            "is not");
  return ReleaseKey(std::make_shared<const Inside>(Inside{*std::move(key)}));
}

// -----------------------------------------------------------------------------------------------
// The inside of the front's specs, sources, sinks and releases.

namespace {

const char* words(inside::PartKind kind) {
  switch (kind) {
    case inside::PartKind::kObject:
      break;
    case inside::PartKind::kText:
      return "text";
    case inside::PartKind::kWhole:
      return "whole number";
    case inside::PartKind::kNumber:
      return "number";
    case inside::PartKind::kDecimal:
      return "decimal number";
    case inside::PartKind::kTruth:
      return "truth";
    case inside::PartKind::kTexts:
      return "texts";
    case inside::PartKind::kColumns:
      return "columns";
    case inside::PartKind::kWholes:
      return "whole numbers";
    case inside::PartKind::kFile:
      return "file";
    case inside::PartKind::kDomain:
      return "domain";
  }
  return "";
}

/// A record is a row, or rows of the unit that is protected.
void require_records(const inside::ReleaseSpec& spec, const inside::Domain& domain,
                     const inside::Source& data) {
  if (!spec.unit && !inside::kRowMethods.has(spec.method)) return;
  inside::require_lists_of_units(data, domain.names(), spec.unit);
}

/// No file that a release reads is replaced by what it writes.
void require_apart(const Sink& sink, const std::optional<std::string>& data,
                   const inside::ReleaseSpec& spec) {
  std::vector<std::string> read;
  if (data) read.push_back(*data);
  for (auto& file : inside::files_of(spec)) read.push_back(std::move(file.second));
  for (const std::string& output : sink.inside().files()) {
    for (const std::string& input : read) {
      refuse_if(inside::same_place(output, input), "same-file", Concern::in_file(input),
                "{} is read by this release and must not be replaced: give another name", input);
    }
  }
}

}  // namespace

std::vector<SpecPart> outward(std::span<const inside::Part> all) {
  std::vector<SpecPart> parts;
  for (const inside::Part& part : all) {
    const std::string_view flag = part.flag;
    if (flag.empty()) continue;
    SpecPart told{std::string(flag.substr(2)), part.place, words(part.kind), {}};
    for (const auto& [method, name] : inside::names<inside::Method>()) {
      if (part.methods.has(method)) told.methods.emplace_back(name);
    }
    parts.push_back(std::move(told));
  }
  return parts;
}

std::vector<SpecPart> spec_parts() { return outward(inside::spec_parts()); }

ReleaseSpec ReleaseSpec::parse(std::string_view json, const std::string& name) {
  return in_places([&] {
    return ReleaseSpec(std::make_shared<const Inside>(inside::parse_spec(std::string(json), name)));
  });
}

ReleaseSpec ReleaseSpec::parse(std::string_view json, const Domain& domain) {
  return parse(with_domain(json, domain, "the spec"));
}

ReleaseSpec ReleaseSpec::read(const std::string& path) {
  return inside::parsed_file(path, [](const auto& text, auto& name) { return parse(text, name); });
}

std::string ReleaseSpec::json() const { return inside::spec_text(inside_->spec); }

Certificate Certificate::parse(std::string_view json, const std::string& name) {
  return Certificate(std::make_shared<const Inside>(std::string(json), name));
}

Certificate Certificate::read(const std::string& path) {
  return inside::parsed_file(path, [](const auto& text, auto& name) { return parse(text, name); });
}

const std::string& Certificate::json() const noexcept { return inside_->stated.text; }
const std::string& Certificate::version() const noexcept { return inside_->stated.version; }
Privacy Certificate::total() const { return outward(inside_->stated.total); }
std::optional<std::uint64_t> Certificate::records() const { return inside_->stated.facts.records; }
ReleaseSpec Certificate::spec() const {
  return ReleaseSpec(std::make_shared<const ReleaseSpec::Inside>(inside_->stated.spec));
}

const Certificate& PreparedRelease::certificate() const noexcept { return inside_->certificate; }

PreparedRelease prepare(const ReleaseSpec& spec, const Source& data, const PublicTexts& texts) {
  return in_places([&] {
    inside::speak_of_parts(inside::spec_parts());
    const inside::ReleaseSpec& asked = spec.inside().spec;
    const inside::Source& records = *data.inside().records;
    const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
    // Faults of the domain are reported before faults of the data.
    inside::Domain domain = files.domain(asked.domain);
    require_records(asked, domain, records);
    // Before the records are counted, because too few of them would be refused first.
    naming_part("data", [&] { inside::require_columns(records, domain, asked.unit); });
    auto prepared = inside::prepare(asked, files, inside::public_count(asked, records));
    naming_part("data", [&] { prepared->require(records); });
    return PreparedRelease(
        std::make_shared<const PreparedRelease::Inside>(std::move(prepared), std::move(domain)));
  });
}

PreparedRelease prepare(const ReleaseSpec& spec, std::optional<std::uint64_t> records,
                        const PublicTexts& texts) {
  return in_places([&] {
    inside::speak_of_parts(inside::spec_parts());
    const inside::ReleaseSpec& asked = spec.inside().spec;
    const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
    auto prepared = inside::prepare(asked, files, records);
    return PreparedRelease(std::make_shared<const PreparedRelease::Inside>(
        std::move(prepared), files.domain(asked.domain)));
  });
}

ReleaseReport PreparedRelease::report() const {
  inside::ReleaseReport found = inside::release_report(*inside_->release, inside_->domain);
  const inside::Certificate& certificate = inside_->release->certificate();
  return {found.total_variation,
          std::move(found.why),
          std::move(found.notes),
          outward(found.warnings),
          inside::represented(certificate.spec),
          inside::promises(certificate),
          inside::non_promises(certificate)};
}

void PreparedRelease::require(const Source& data) const {
  naming_part("data", [&] { inside_->release->require(*data.inside().records); });
}

void PreparedRelease::require_model() const {
  const inside::Method method = inside_->certificate.inside().stated.spec.method;
  if (inside::kPublishedModels.has(method)) return;
  refuse_input("not-for-this-method", "model-out",
               "a model is released by {}, but the method is {}", inside::kPublishedModels.text(),
               inside::bare_method_words(inside::name_of(method)));
}

inside::Charging charging_of(const Charging& charging, const std::optional<std::string>& path) {
  return {charging.ledger.inside().file, charging.data_set, charging.without_total,
          path ? inside::data_file_at(*path) : std::nullopt, charging.another_data_set};
}

Certificate finished(const PreparedRelease& prepared, inside::Released released, const Sink& sink) {
  if (!released.model.empty()) {
    released.model = inside::model_file_text(released.model, prepared.inside().domain);
  }
  Certificate certificate = Certificate::parse(released.certificate, "the certificate");
  sink.inside().finish(released.certificate);
  if (sink.model() != nullptr) *sink.model() = std::move(released.model);
  return certificate;
}

void charge(const PreparedRelease& prepared, const Charging& charging) {
  inside::charge(*prepared.inside().release, charging_of(charging, std::nullopt));
}

Certificate release(const PreparedRelease& prepared, const Source& data, const Sink& sink,
                    const std::optional<Charging>& charging, const Computing& computing) {
  return in_places([&] {
    const inside::ReleaseSpec& spec = prepared.inside().certificate.inside().stated.spec;
    require_records(spec, prepared.inside().domain, *data.inside().records);
    require_apart(sink, data.inside().path, spec);
    std::optional<inside::Charging> charged;
    if (charging) charged.emplace(charging_of(*charging, data.inside().path));
    return finished(prepared,
                    inside::release(*prepared.inside().release, *data.inside().records,
                                    sink.inside().rows(), charged, computing.threads),
                    sink);
  });
}

// -----------------------------------------------------------------------------------------------
// Verify.

Verification verify(const Certificate& certificate, const Domain& domain,
                    const ReleaseFiles& files) {
  const std::string& name = certificate.inside().name;
  const inside::StatedCertificate& stated = certificate.inside().stated;
  inside::KnownInputs known = inside::known_inputs(
      stated, domain.inside().domain, inside::PublicFiles(std::nullopt, std::nullopt, files.texts),
      files.list, files.reference);
  known.model = files.model;
  inside::CertificateCheck check =
      inside::verify_certificate(stated, name, domain.inside().domain, known);
  if (files.released && check.domain_matches) {
    const auto& rows = files.released->inside().records;
    const std::optional<std::string>& path = files.released->inside().path;
    const std::string called = path.value_or("released (in memory)");
    // Of columns of lists, too, which have no text.
    inside::require_released_columns(rows->columns(), called, stated.spec, domain.inside().domain,
                                     name);
    const std::string text = path ? std::string() : files.released->csv_text();
    check.released = naming_part("released", [&] {
      return inside::check_released_rows(
          stated, name, domain.inside().domain, called,
          path ? std::nullopt : std::optional<inside::TableBytes>(text));
    });
  }
  const auto seen = [&](bool held) {
    return check.is_designed ? std::optional<bool>(held) : std::nullopt;
  };
  inside::Answer told = inside::check_answer(stated, check, name);
  return {
      .domain_matches = check.domain_matches,
      .list_matches = check.list_matches,
      .ranges_match = check.ranges_match,
      .design_matches = seen(check.design_matches),
      .guarantee_holds = seen(check.guarantee_holds),
      .total_holds = seen(check.total_holds),
      .accuracy_matches = seen(check.accuracy_matches),
      .rows_match = check.released ? check.released->rows_match() : std::nullopt,
      .values_match = check.released ? std::optional(check.released->values_match()) : std::nullopt,
      .rules_hold = check.released ? check.released->rules_hold() : std::nullopt,
      .model_matches = check.model_matches,
      .epsilon_realised_up = check.epsilon_realised_up,
      .warnings = outward(check.warnings),
      .verdict = check.verdict(),
      .json = told.facts(),
      .text = std::move(told.text)};
}

// -----------------------------------------------------------------------------------------------
// Model.

Model Model::parse(std::string_view text, const std::string& name) {
  return Model(std::make_shared<const Inside>(std::string(text), name));
}

Model Model::read(const std::string& path) {
  return inside::parsed_file(path, [](const auto& text, auto& name) { return parse(text, name); });
}

const std::string& Model::text() const noexcept { return inside_->text; }
Domain Model::domain() const { return outward(inside_->file.domain); }

std::optional<MeasuredCounts> Model::measurements() const {
  const inside::ModelFile& file = inside_->file;
  if (!file.measurements) return std::nullopt;
  inside::MeasuredCounts made = inside::measured_counts(*file.measurements, file.domain);
  return MeasuredCounts{std::move(made.table), std::move(made.columns), std::move(made.cells),
                        std::move(made.count), std::move(made.standard_deviation)};
}

std::vector<std::pair<std::string, std::string>> Model::not_measured() const {
  const inside::ModelFile& file = inside_->file;
  std::vector<std::pair<std::string, std::string>> names;
  if (!file.measurements) return names;
  const auto& columns = file.domain.columns();
  for (const auto& [i, j] : file.measurements->not_measured(columns.size())) {
    names.emplace_back(columns[i].name(), columns[j].name());
  }
  return names;
}

std::vector<Message> Model::warnings() const {
  const inside::ModelFile& file = inside_->file;
  if (!file.measurements) return {};
  return outward(inside::measured_warnings(*file.measurements));
}

void generate(const Model& model, std::uint64_t count, const GivenValues& given, const Sink& sink,
              std::optional<std::uint64_t> seed) {
  inside::require_between("count", count, 1, inside::kMostGenerated);
  const inside::ModelFile& file = model.inside().file;
  std::vector<inside::Evidence> evidence;
  evidence.reserve(given.size());
  for (const auto& [column, value] : given) {
    inside::require_without_nul("given", column);
    inside::require_without_nul("given", value);
    evidence.push_back(inside::evidence_of(file.domain, column, value));
  }
  inside::RecordWriter writer(file.domain, sink.inside().rows());
  if (seed) {
    inside::SeededRandom random(*seed);
    inside::write_rows(file.model, count, evidence, random, writer);
  } else {
    inside::write_rows(file.model, count, evidence, entropy(), writer);
  }
  writer.finish();
  sink.inside().finish({});
}

}  // namespace mollify::front
