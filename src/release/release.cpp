#include "release/release.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "base/json.h"
#include "base/named.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/threads.h"
#include "domain/domain.h"
#include "records/source.h"
#include "records/units.h"
#include "records/weights.h"
#include "release/acceptance.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/method.h"
#include "release/released_model.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Facts about a release that are not in its certificate, for people.

ReleaseReport release_report(const PreparedRelease& prepared, const Domain& domain) {
  const Certificate& certificate = prepared.certificate();
  ReleaseReport report =
      release_method(certificate.spec.method).report(certificate, prepared.error(), domain);
  report.warnings = prepared.warnings();
  return report;
}

// -----------------------------------------------------------------------------------------------
// Private records in, private samples out, whatever the model.

namespace {

std::uint64_t count_units(const Source& data, const UnitColumns& unit) {
  const std::vector<std::size_t> wanted = wanted_columns(data, {}, unit);
  data.require_repeatable();  // the release itself is another visit
  const std::optional<Roster> none;
  Units units(none);
  data.visit(wanted, [&](const Block& block) { static_cast<void>(units.of(block.columns)); });
  return units.size();
}

/// The decimal where what is promised is the double below it.
Decimal exactly(const Decimal& typed, double promised) {
  return typed.down() == promised ? typed : Decimal(promised);
}

}  // namespace

void refuse_sums_of_weights() {
  throw InvalidInput("not-available-here",
                     "rows with weights are counted where the table is, and not in parts of it",
                     "weights", {WayOut::leave("weights")});
}

PreparedRelease::PreparedRelease(Certificate certificate, const Domain& domain,
                                 std::vector<Message> warnings)
    : certificate_(std::move(certificate)),
      domain_(std::make_shared<const Domain>(domain)),
      error_(require_acceptable(certificate_, domain)),
      warnings_(std::move(warnings)) {}

void PreparedRelease::require(const Source& data) const {
  require_table(*CountedTable(data, certificate_.spec.weights));
}

RecordCounting PreparedRelease::counting() const {
  if (certificate_.spec.weights) refuse_sums_of_weights();
  return counting_of_table();
}

Drawn PreparedRelease::draw(const Source& data, SecureRandom& random, Sink& sink,
                            std::size_t threads) const {
  return draw_table(*CountedTable(data, certificate_.spec.weights), random, sink, threads);
}

std::vector<Message> PreparedRelease::warnings() const {
  std::vector<Message> said = mollify::warnings(certificate_, error_, *domain_);
  add_messages(said, warnings_);
  return said;
}

ExactPrivacy PreparedRelease::cost() const {
  const ExactPrivacy& typed = certificate_.spec.privacy;
  const Privacy& promised = certificate_.total;
  const auto cost =
      ExactPrivacy::of(promised.notion, exactly(typed.parameter(), promised.parameter()),
                       exactly(typed.delta, promised.delta));
  return certificate_.spec.hides_count() ? replacing_up(cost) : cost;
}

std::optional<std::uint64_t> public_count(const ReleaseSpec& spec, const Source& data) {
  validate_spec(spec);
  if (kDrawMethods.has(spec.method) || spec.roster || spec.hides_count()) return std::nullopt;
  if (data.has_counts() && !spec.unit) {
    // Private counts refuse nothing, whatever they sum to: the release adds records or leaves some
    // out, so that it has this many.
    return std::clamp<std::uint64_t>(data.record_count(), 1, CountedSource::kMostOfARow);
  }
  const std::uint64_t count = spec.unit ? count_units(data, spec.unit) : data.record_count();
  if (count == 0) {
    refuse_input("empty-input", "data", "{} needs at least one {}, but {} has none",
                 method_words(name_of(spec.method)), spec.unit ? "unit" : "row", data.name());
  }
  return count;
}

std::unique_ptr<const PreparedRelease> prepare(const ReleaseSpec& spec, const PublicInputs& inputs,
                                               std::optional<std::uint64_t> records) {
  validate_spec(spec);
  return naming_parts(spec,
                      [&] { return release_method(spec.method).prepare(spec, inputs, records); });
}

void charge(const PreparedRelease& prepared, const Charging& charging) {
  const Certificate& certificate = prepared.certificate();
  Sha256 hash;
  hash.add(certificate_text(certificate));
  charging.ledger.charge({.data_set = charging.data_set,
                          .file = charging.file,
                          .scope = certificate.spec.scope(),
                          .cost = prepared.cost(),
                          .method = std::string(name_of(certificate.spec.method)),
                          .mechanism = certificate.mechanism(),
                          .count = certificate.spec.count.value_or(0),
                          .certificate_sha256 = hash.hex(),
                          .without_total = charging.without_total,
                          .another_data_set = charging.another_data_set});
}

namespace {

/// Charges the release, and only then draws it: the first random word comes after the charge.
Released charged_and_drawn(const PreparedRelease& prepared, const std::optional<Charging>& charging,
                           const std::function<Drawn(SecureRandom& random)>& draw) {
  const std::string text = certificate_text(prepared.certificate());
  if (charging) {
    charge(prepared, *charging);
    tell_charged();
  }
  SecureRandom random;
  Drawn drawn = draw(random);
  if (!drawn.model.empty()) drawn.measured["model_sha256"] = model_sha256(drawn.model);
  return {with_measured(text, drawn.measured), std::move(drawn.model)};
}

}  // namespace

Released release(const PreparedRelease& prepared, const Source& data, Sink& sink,
                 const std::optional<Charging>& charging, std::size_t threads) {
  prepared.require(data);
  return charged_and_drawn(prepared, charging, [&](SecureRandom& random) {
    return prepared.draw(data, random, sink, thread_count(threads));
  });
}

Released release_by_sums(const PreparedRelease& prepared, const SummedRelease::SumUp& sum_up,
                         Sink& sink, const std::optional<Charging>& charging) {
  const auto& summed = dynamic_cast<const SummedRelease&>(prepared);
  summed.require_sums();
  return charged_and_drawn(prepared, charging, [&](SecureRandom& random) {
    return summed.draw_by(sum_up, random, sink);
  });
}

}  // namespace mollify
