#include "front/release.h"

#include "arrow/arrow_source.h"
#include "front/domain.h"
#include "front/ledger.h"
#include "front/privacy.h"
#include "io/domain_yaml.h"
#include "io/model_file.h"
#include "io/public_files.h"
#include "io/text_file.h"
#include "records/private_table.h"
#include "release/release_report.h"
#include "release/spec_json.h"

namespace mollify::front {
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
    case inside::PartKind::kFile:
      return "file";
    case inside::PartKind::kDomain:
      return "domain";
  }
  return "";
}

/// A record is a row, or rows of the unit that is protected.
void require_records(const inside::ReleaseSpec& spec, const inside::Source& data) {
  if (!spec.unit && spec.model != inside::Model::kCentral) return;
  inside::require_lists_of_units(data, spec.unit);
}

}  // namespace

std::vector<SpecPart> spec_parts() {
  std::vector<SpecPart> parts;
  for (const inside::Part& part : inside::spec_parts()) {
    const std::string_view flag = part.flag;
    if (flag.empty()) continue;
    parts.push_back({std::string(flag.substr(2)), part.place, words(part.kind)});
  }
  return parts;
}

ReleaseSpec ReleaseSpec::parse(std::string_view json, const std::string& name) {
  return ReleaseSpec(std::make_shared<const Inside>(inside::parse_spec(std::string(json), name)));
}

ReleaseSpec ReleaseSpec::parse(std::string_view json, const Domain& domain) {
  return parse(with_domain(json, domain, "the spec"));
}

ReleaseSpec ReleaseSpec::read(const std::string& path) {
  return parse(inside::read_text_file(path), path);
}

std::string ReleaseSpec::json() const { return inside::spec_text(inside_->spec); }

Certificate Certificate::parse(std::string_view json, const std::string& name) {
  return Certificate(std::make_shared<const Inside>(std::string(json), name));
}

Certificate Certificate::read(const std::string& path) {
  return parse(inside::read_text_file(path), path);
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
  const inside::ReleaseSpec& asked = spec.inside().spec;
  const inside::Source& records = *data.inside().records;
  const inside::PublicFiles files(data.inside().path, std::nullopt, texts);
  // What is wrong with the domain is told before what is wrong with the data.
  inside::Domain domain = files.domain(asked.domain);
  require_records(asked, records);
  // Before the counts of a column that is taken by mistake are added up.
  if (records.has_counts()) inside::require_columns(records, domain, asked.unit);
  auto prepared = inside::prepare(asked, files, inside::public_count(asked, records));
  prepared->require(records);
  return PreparedRelease(
      std::make_shared<const PreparedRelease::Inside>(std::move(prepared), std::move(domain)));
}

PreparedRelease prepare(const ReleaseSpec& spec, std::optional<std::uint64_t> records,
                        const PublicTexts& texts) {
  const inside::ReleaseSpec& asked = spec.inside().spec;
  const inside::PublicFiles files(std::nullopt, std::nullopt, texts);
  auto prepared = inside::prepare(asked, files, records);
  return PreparedRelease(std::make_shared<const PreparedRelease::Inside>(
      std::move(prepared), files.domain(asked.domain)));
}

ReleaseReport PreparedRelease::report() const {
  inside::ReleaseReport found = inside::release_report(*inside_->release, inside_->domain);
  return {found.total_variation, std::move(found.why), std::move(found.notes),
          std::move(found.warnings)};
}

void PreparedRelease::require(const Source& data) const {
  inside_->release->require(*data.inside().records);
}

inside::Charging charging_of(const Charging& charging, const std::optional<std::string>& path) {
  return {charging.ledger.inside().file, charging.data_set, charging.without_total,
          path ? inside::data_file_at(*path) : std::nullopt, charging.another_data_set};
}

void WithModelFile::take_model(const std::string& json) {
  sink_.take_model(inside::model_file_text(json, domain_));
}

void charge(const PreparedRelease& prepared, const Charging& charging) {
  inside::charge(*prepared.inside().release, charging_of(charging, std::nullopt));
}

Certificate release(const PreparedRelease& prepared, const Source& data, const Sink& sink,
                    const std::optional<Charging>& charging, const Computing& computing) {
  require_records(prepared.inside().certificate.inside().stated.spec, *data.inside().records);
  std::optional<inside::Charging> charged;
  if (charging) charged.emplace(charging_of(*charging, data.inside().path));
  WithModelFile output(sink.inside(), prepared.inside().domain);
  std::string certified;
  inside::release(
      *prepared.inside().release, *data.inside().records, output,
      [&](const std::string& certificate) {
        certified = certificate;
        sink.inside().certify(certificate);
      },
      charged, computing.threads);
  return Certificate::parse(certified, "the certificate");
}

}  // namespace mollify::front
