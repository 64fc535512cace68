#include "release/central_certificate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "accounting/central_composition.h"
#include "accounting/shuffle_amplification.h"
#include "io/domain_hash.h"
#include "io/json_syntax.h"
#include "kernel/core/invalid_input.h"
#include "release/certificate_reader.h"
#include "release/guarantee_json.h"

namespace mollify {
namespace {

constexpr const char* kCentralFormat = "mollify central certificate 1";

using Notion = Privacy::Notion;

/// Whether epsilon0 is a parameter; elsewhere it follows from what is promised.
bool is_shuffled(CentralMechanism mechanism) {
  return mechanism == CentralMechanism::kSubsetRr || mechanism == CentralMechanism::kShuffledRr ||
         mechanism == CentralMechanism::kPoissonRr;
}

/// Whether the design has the parts that its mechanism is made of, and no others.
bool is_complete(const CentralDesign& design) {
  const bool in_parts = design.mechanism == CentralMechanism::kDsRoo ||
                        design.guarantee.notion == Notion::kConcentrated;
  const bool at_random = design.mechanism == CentralMechanism::kPoissonRr && !design.outputs;
  const std::uint64_t outputs = design.outputs.value_or(1);
  return design.records >= 1 && outputs >= 1 && outputs <= design.records &&
         (design.outputs || at_random) &&
         design.epsilon0.has_value() == is_shuffled(design.mechanism) &&
         (design.rate == 1 || design.mechanism == CentralMechanism::kPoissonRr) &&
         design.runs == (in_parts ? outputs : 1);
}

/// Whether shuffling and subsampling make of epsilon0 what is stated; true for mechanisms that do
/// not rest on them.
bool amplification_holds(const CentralDesign& design) {
  const Privacy& stated = design.guarantee;
  const auto keeps = [&](const DeltaBounds& delta) {
    return stated.notion == Notion::kApproximate && delta.upper <= stated.delta;
  };
  switch (design.mechanism) {
    case CentralMechanism::kSubsetRr:
      return keeps(subset_delta(
          {design.records, *design.outputs, design.outcomes, *design.epsilon0}, stated.epsilon));
    case CentralMechanism::kShuffledRr:
      return design.outputs == design.records &&
             keeps(shuffle_delta({design.records, design.outcomes, *design.epsilon0},
                                 stated.epsilon));
    case CentralMechanism::kPoissonRr:
      return keeps(shuffle_delta({design.records, design.outcomes, *design.epsilon0, design.rate},
                                 stated.epsilon));
    default:
      return true;
  }
}

}  // namespace

Privacy total_guarantee(const CentralCertificate& certificate) {
  const Privacy& draw = certificate.design.guarantee;
  if (!certificate.hint) return draw;
  const Privacy hint = Privacy::approximate(certificate.hint->epsilon, certificate.hint->delta);
  return composed_up(std::array{hint, draw});
}

std::vector<std::string> promises(const CentralCertificate& certificate) {
  const CentralDesign& design = certificate.design;
  std::vector<std::string> words{
      protection_sentence(total_guarantee(certificate), record_words(certificate.unit))};
  const std::string accuracy = fmt::format(
      "If the {} are independent draws from one distribution{}, each released record follows that "
      "distribution to within {:.6g} in total variation",
      certificate.unit ? "units' records" : "rows",
      certificate.hint ? " and the hint holds of it, so that the interval found has all of them"
                       : "",
      design.total_variation_up);
  if (!design.independent_outputs) {
    words.push_back(accuracy +
                    "; the records released together are not independent of each other.");
  } else if (design.outputs) {
    words.push_back(fmt::format(
        "{}, and all {} together follow independent draws from it to within {:.6g}.", accuracy,
        *design.outputs,
        std::min(1.0, design.total_variation_up * static_cast<double>(*design.outputs))));
  } else {
    words.push_back(accuracy + ", independently of the others.");
  }
  return words;
}

std::vector<std::string> non_promises(const CentralCertificate& certificate) {
  return central_limits(certificate.design.records, certificate.unit,
                        certificate.roster.has_value());
}

std::string central_certificate_json(const CentralCertificate& certificate) {
  const CentralDesign& design = certificate.design;
  Json json;
  json["format"] = kCentralFormat;
  json["version"] = certificate.version;
  json["model"] = "central";
  json["unit"] = or_null(certificate.unit);
  json["roster"] = or_null(certificate.roster);
  json["records"] = design.records;
  json["count"] = or_null(design.outputs);
  json["mechanism"] = name_of(design.mechanism);
  json["privacy"] = privacy_json(total_guarantee(certificate));
  json["hint"] = nullptr;
  if (const auto& hint = certificate.hint) {
    json["hint"] = {
        {"support", to_text(hint->support)}, {"epsilon", hint->epsilon}, {"delta", hint->delta}};
    json["draw"] = privacy_json(design.guarantee);
  }
  const bool shuffled = is_shuffled(design.mechanism);
  json["parameters"] = {{"epsilon0", shuffled ? or_null(design.epsilon0) : Json(nullptr)},
                        {"rate", design.rate},
                        {"runs", design.runs}};
  json["accuracy"] = {{"total_variation", design.total_variation_up},
                      {"independent", design.independent_outputs}};
  json["domain"] = {{"sha256", certificate.domain_sha256}, {"outcomes", design.outcomes}};
  json["promised"] = promises(certificate);
  json["not_promised"] = non_promises(certificate);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_central_certificate(const std::string& text, const std::string& name) {
  require_json(text, name);
  const Json json = Json::parse(text);
  return json.is_object() && json.contains("format") && json["format"] == kCentralFormat;
}

CentralCertificate parse_central_certificate(const std::string& text, const std::string& name) {
  const Json json = certificate_object(text, kCentralFormat, name);
  const CertificateReader reader(json, name);
  CentralCertificate certificate;
  certificate.version = reader.get<std::string>("/version", "a version");
  certificate.unit = reader.find<std::string>("/unit", "a column name or null");
  certificate.roster = reader.find<std::string>("/roster", "a file name or null");
  CentralDesign& design = certificate.design;
  design.records = reader.get<std::uint64_t>("/records", "a whole number");
  design.outputs = reader.find<std::uint64_t>("/count", "a whole number or null");
  const auto mechanism =
      named<CentralMechanism>(reader.get<std::string>("/mechanism", "a mechanism"));
  if (!mechanism)
    throw InvalidInput(fmt::format("{} names no known mechanism at /mechanism", name));
  design.mechanism = *mechanism;
  if (const auto support = reader.find<std::string>("/hint/support", "a hint")) {
    certificate.hint =
        CertifiedHint{parse_support_hint(*support), reader.get<double>("/hint/epsilon", "a number"),
                      reader.get<double>("/hint/delta", "a number")};
  }
  design.guarantee = parse_guarantee(reader, certificate.hint ? "/draw" : "/privacy", name);
  design.epsilon0 = reader.find<double>("/parameters/epsilon0", "a number or null");
  design.rate = reader.get<double>("/parameters/rate", "a number");
  design.runs = reader.get<std::uint64_t>("/parameters/runs", "a whole number");
  design.total_variation_up = reader.get<double>("/accuracy/total_variation", "a number");
  design.independent_outputs = reader.get<bool>("/accuracy/independent", "true or false");
  certificate.domain_sha256 = reader.get<std::string>("/domain/sha256", "a hash");
  design.outcomes = reader.get<std::uint64_t>("/domain/outcomes", "a whole number");
  if (certificate.roster && !certificate.unit) {
    throw InvalidInput(fmt::format("{} must have a roster only with a unit", name));
  }
  require_implied(central_certificate_json(certificate), text, name);
  return certificate;
}

CentralCertificateCheck check_central_certificate(const CentralCertificate& certificate,
                                                  const Domain& domain) {
  const CentralDesign& stated = certificate.design;
  CentralCertificateCheck check;
  check.domain_matches = certificate.domain_sha256 == domain_hash(domain) &&
                         domain.is_enumerable() && domain.size() == stated.outcomes;
  if (!is_complete(stated)) return check;
  try {
    if (const auto& hint = certificate.hint; hint && check.domain_matches) {
      const auto* cells = std::get_if<IntegerCells>(&domain.columns().front().cells());
      if (!cells) return check;
      const SupportFinder finder(hint_in_cells(hint->support, *cells), stated.outcomes,
                                 stated.records, hint->epsilon, hint->delta);
    }
    const auto sampler = make_central_sampler(stated);
    check.design_holds = amplification_holds(stated) && sampler->guarantee() == stated.guarantee &&
                         sampler->output_count() == stated.outputs &&
                         sampler->record_count() == stated.records;
    check.accuracy_matches = sampler->total_variation_up() <= stated.total_variation_up &&
                             sampler->outputs_are_independent() == stated.independent_outputs;
  } catch (const InvalidInput&) {
    // Parameters that no release can have had: nothing holds.
  }
  return check;
}

}  // namespace mollify
