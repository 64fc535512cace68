#include "release/release.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "base/json.h"
#include "base/names.h"
#include "base/sha256.h"
#include "base/threads.h"
#include "core/invalid_input.h"
#include "records/source.h"
#include "records/units.h"
#include "release/acceptance.h"
#include "release/central_release.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/local_release.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What is worth knowing about a release and does not stand in its certificate, for people.

namespace {

std::string mechanism_reason(const Certificate& certificate) {
  const LocalDesign& design = *certificate.local();
  const LocalSpec& spec = *certificate.spec.local();
  if (spec.mechanism || spec.band) {
    return fmt::format("{} was asked for", spec.mechanism ? std::string(name_of(*spec.mechanism))
                                                          : "band " + to_text(*spec.band));
  }
  switch (design.mechanism) {
    case Mechanism::kMinimax:
      return "minimax: no sampler has a smaller error in the worst case over all data";
    case Mechanism::kRelative:
      return spec.reference ? "relative: its band is made about the public reference"
                            : "relative: over so many outcomes no worst case can be small, and its "
                              "band does not depend on their number";
    case Mechanism::kGaussianCurve:
      return "gaussian-curve: the budget is in mu";
    case Mechanism::kClass:
    case Mechanism::kNeighbourhood:
    case Mechanism::kPublicKernel:
    case Mechanism::kRandomizedResponse:
    case Mechanism::kMixture:
    case Mechanism::kLocation:
      break;
  }
  return fmt::format("{}: its parameters were given", name_of(design.mechanism));
}

std::string reason(const Certificate& certificate) {
  if (certificate.local() != nullptr) return mechanism_reason(certificate);
  if (const FiniteDesign* finite = certificate.finite()) return finite->design.why;
  if (const GaussianDesign* gaussian = certificate.gaussian()) return gaussian->why;
  if (const MomentDesign* moments = certificate.moments()) return moments->why;
  return certificate.marginals()->why;
}

std::optional<double> distance(const Certificate& certificate, const ReleaseError& error,
                               const Domain& domain) {
  if (certificate.local() != nullptr) {
    return draw_risk(certificate, domain).quoted_total_variation();
  }
  // Of a support that is found it is that of the whole domain.
  if (certificate.finite() != nullptr) return certificate.finite()->design.total_variation_up;
  if (error.is_least) return std::nullopt;
  return error.error;
}

std::vector<std::string> notes_of(const Certificate& certificate, const ReleaseError& error,
                                  const Domain& domain) {
  std::vector<std::string> notes;
  if (const LocalDesign* local = certificate.local()) {
    if (certificate.spec.method == Method::kIntegralModel) {
      const ModelsOutlook outlook = models_outlook(certificate);
      notes.push_back(fmt::format(
          "if likelihoods tell models apart, the one released is among the {} likeliest of {} with "
          "probability {:.4g}",
          outlook.best, certificate.facts.outcomes, outlook.probability));
      notes.emplace_back("all rows are drawn from the one released model");
    } else if (local->floor) {
      notes.push_back(
          fmt::format("whatever the data, an outcome is released with {:.4g} to {:.4g} times its "
                      "reference mass",
                      *local->floor, *local->floor * std::exp(certificate.draw.epsilon)));
    } else {
      notes.emplace_back(
          "a record is one of the unit's own or noise: mollify estimate finds the population from "
          "all records");
    }
    if (const auto sparse = sparse_error(certificate, domain);
        sparse && sparse->is_mostly_noise() && !error.is_mostly_noise()) {
      notes.push_back(fmt::format("if the data lie on few of {}, {}",
                                  counted(certificate.facts.outcomes, "outcome"),
                                  noise_words(*sparse)));
    }
    if (*certificate.spec.count > 1 && certificate.spec.method != Method::kIntegralModel) {
      notes.push_back(fmt::format("each of {} of a unit has {} of the budget",
                                  counted(*certificate.spec.count, "draw"),
                                  certificate.draw.text()));
    }
  }
  if (const FiniteDesign* finite = certificate.finite()) {
    notes.emplace_back(finite->design.independent_outputs
                           ? "each record has noise of its own"
                           : "the records share noise: more of them do not lessen it");
    if (finite->hint) {
      notes.emplace_back("the error depends on the support that is found, and is not known before");
    }
  }
  if (certificate.gaussian() != nullptr) {
    notes.emplace_back("accuracy depends on the data being Gaussian as declared; privacy does not");
  }
  if (const GaussianSpec* gaussian = certificate.spec.gaussian()) {
    for (const Column& column : domain.columns()) {
      if (std::count(gaussian->logarithms.begin(), gaussian->logarithms.end(), column.name()) == 0)
        continue;
      const Mapping& mapping = column.mapping();
      notes.push_back(
          fmt::format("before the logarithm of {} is taken, a zero and whatever else is outside "
                      "its range becomes "
                      "{}, and a null becomes {}",
                      column.name(), *mapping.outside_value,
                      mapping.null_value.value_or(*mapping.outside_value)));
    }
  }
  if (certificate.moments() != nullptr) {
    notes.push_back("the error is stated " + spread_condition());
  }
  if (certificate.spec.hides_count()) {
    notes.push_back(fmt::format(
        "the error depends on the number of {}s, which is protected, and is not known before",
        certificate.spec.unit ? "unit" : "row"));
  }
  if (certificate.moments() != nullptr || certificate.marginals() != nullptr) {
    notes.emplace_back("all rows share one noisy model: more of them do not lessen its error");
  }
  return notes;
}

}  // namespace

ReleaseReport release_report(const PreparedRelease& prepared, const Domain& domain) {
  const Certificate& certificate = prepared.certificate();
  return {distance(certificate, prepared.error(), domain), reason(certificate),
          notes_of(certificate, prepared.error(), domain), prepared.warnings()};
}

// -----------------------------------------------------------------------------------------------
// Private records in, private samples out, whatever the model.

namespace {

/// Hands the certificate over before the records are whole.
class CertifiedSink final : public Sink {
 public:
  CertifiedSink(Sink& sink, const Certify& certify, const std::string& certificate)
      : sink_(sink), certify_(certify), certificate_(certificate) {}

  void begin(const Schema& schema) override { sink_.begin(schema); }
  void write(const Block& block) override { sink_.write(block); }
  void take_model(const std::string& json) override { sink_.take_model(json); }
  void take_measured(const std::string& json) override { measured_ = Json::parse(json); }
  void drawn(std::uint64_t units, std::uint64_t of_units) override { sink_.drawn(units, of_units); }
  void finish() override {
    certify_(with_measured_pairs(certificate_, measured_));
    sink_.finish();
  }

 private:
  Sink& sink_;
  const Certify& certify_;
  const std::string& certificate_;
  Json measured_ = Json::object();
};

std::uint64_t count_units(const Source& data, const std::string& column) {
  const std::array<std::size_t, 1> wanted = {
      data.position(column, "which names the unit of a record")};
  data.require_repeatable();  // the release itself is another visit
  const std::optional<Roster> none;
  Units units(none);
  data.visit(wanted, [&](const Block& block) { static_cast<void>(units.of(block.columns[0])); });
  return units.size();
}

/// The decimal where what is promised is the double below it.
Decimal exactly(const Decimal& typed, double promised) {
  return typed.down() == promised ? typed : Decimal(promised);
}

}  // namespace

PreparedRelease::PreparedRelease(Certificate certificate, const Domain& domain,
                                 std::vector<std::string> warnings)
    : certificate_(std::move(certificate)),
      domain_(domain),
      error_(require_acceptable(certificate_, domain)),
      warnings_(std::move(warnings)) {}

std::vector<std::string> PreparedRelease::warnings() const {
  std::vector<std::string> said = mollify::warnings(certificate_, error_, domain_);
  said.insert(said.end(), warnings_.begin(), warnings_.end());
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
  const std::uint64_t count = spec.unit ? count_units(data, *spec.unit) : data.record_count();
  if (count == 0) {
    throw InvalidInput(fmt::format("method {} needs at least one {}, but {} has none",
                                   name_of(spec.method), spec.unit ? "unit" : "row", data.name()));
  }
  // Counts are cut where they are greater, and then their sum is not the number of records.
  if (data.has_counts() && count > CountedSource::kMostOfARow) {
    throw InvalidInput(fmt::format("the number of records must be from 1 to {}, but is more",
                                   CountedSource::kMostOfARow));
  }
  return count;
}

std::unique_ptr<const PreparedRelease> prepare(const ReleaseSpec& spec, const PublicInputs& inputs,
                                               std::optional<std::uint64_t> records) {
  switch (spec.method) {
    case Method::kLocal:
    case Method::kIntegral:
      return prepare_local(spec, inputs);
    case Method::kIntegralModel:
      return prepare_models(spec, inputs);
    case Method::kCentral:
      return prepare_finite(spec, inputs, records);
    case Method::kGaussian:
    case Method::kGaussianModel:
      return prepare_gaussian(spec, inputs, records);
    case Method::kMarginals:
      break;
  }
  return prepare_marginals(spec, inputs, records);
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

void release(const PreparedRelease& prepared, const Source& data, Sink& sink,
             const Certify& certify, const std::optional<Charging>& charging, std::size_t threads) {
  prepared.require(data);
  const std::string text = certificate_text(prepared.certificate());
  if (charging) charge(prepared, *charging);
  SecureRandom random;
  CertifiedSink certified(sink, certify, text);
  prepared.draw(data, random, certified, thread_count(threads));
}

void release_by_sums(const PreparedRelease& prepared, const SummedRelease::SumUp& sum_up,
                     Sink& sink, const Certify& certify, const std::optional<Charging>& charging) {
  const auto& summed = dynamic_cast<const SummedRelease&>(prepared);
  summed.require_sums();
  const std::string text = certificate_text(prepared.certificate());
  if (charging) charge(prepared, *charging);
  SecureRandom random;
  CertifiedSink certified(sink, certify, text);
  summed.draw_by(sum_up, random, certified);
}

}  // namespace mollify
