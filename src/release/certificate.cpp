#include "release/certificate.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "records/empirical.h"
#include "io/sha256.h"
#include "kernel/core/invalid_input.h"
#include "local/band_choice.h"
#include "local/band_sampler.h"
#include "reference/smoothed_histogram.h"
#include "release/certificate_reader.h"
#include "space/recut_domain.h"

namespace mollify {
namespace {

constexpr const char* kFormat = "mollify certificate 1";
/// Counts up to here are doubles without rounding.
constexpr std::uint64_t kMostReferenceRecords = std::uint64_t{1} << 53;

std::string protected_whole(const Certificate& certificate) {
  return certificate.unit ? fmt::format("all records of one {}", *certificate.unit)
                          : std::string("the whole table, and so any group of its rows");
}

/// A certificate is its numbers: whatever else it says must be what `certificate_json` makes of
/// them, so that nobody reads a promise that `verify` has not seen.
void require_consistency(const Certificate& certificate, const std::string& text,
                         const std::string& name) {
  const bool local = certificate.model == "local";
  if (!local && certificate.model != "integral") {
    throw InvalidInput(fmt::format("{} must have local or integral at /model", name));
  }
  if ((certificate.unit && !local) || (certificate.roster && !certificate.unit) ||
      certificate.units.has_value() != certificate.roster.has_value()) {
    throw InvalidInput(
        fmt::format("{} must have a unit only in model local, a roster only with a unit, and a "
                    "number of units only with a roster",
                    name));
  }
  require_implied(certificate_json(certificate), text, name);
}

Json space_json(const Certificate& certificate) {
  const CertifiedSpace& space = certificate.space;
  Json json{{"kind", name_of(space.kind)}};
  if (space.kind == SpaceKind::kGrid) json["cells"] = or_null(space.cells);
  if (space.kind == SpaceKind::kCandidates) {
    json["candidates"] = certificate.outcome_count;
    json["list"] = space.list ? Json(name_of(*space.list)) : Json(nullptr);
    json["declared_origin"] = or_null(space.origin);
    json["sha256"] = or_null(space.sha256);
  }
  return json;
}

CertifiedSpace parse_space(const CertificateReader& reader, const std::string& name) {
  CertifiedSpace space;
  const auto kind = named<SpaceKind>(reader.get<std::string>("/space/kind", "a kind of space"));
  if (!kind) throw InvalidInput(fmt::format("{} names no known space at /space/kind", name));
  space.kind = *kind;
  space.cells = reader.find<std::uint64_t>("/space/cells", "a whole number");
  if (const auto list = reader.find<std::string>("/space/list", "a kind of list")) {
    space.list = candidate_list_named(*list);
    if (!space.list) throw InvalidInput(fmt::format("{} names no known list at /space/list", name));
  }
  space.origin = reader.find<std::string>("/space/declared_origin", "a file name or null");
  space.sha256 = reader.find<std::string>("/space/sha256", "a hash or null");
  const bool listed = space.list.has_value();
  const bool hashed = listed && *space.list != CandidateList::kFresh;
  if (listed != (space.kind == SpaceKind::kCandidates) || hashed != space.sha256.has_value() ||
      space.cells.has_value() != (space.kind == SpaceKind::kGrid) ||
      space.origin.has_value() != (space.list == CandidateList::kFile)) {
    throw InvalidInput(fmt::format(
        "{} must have at /space what its kind has: cells for a grid, a list for "
        "candidates, a hash for a list that is not fresh, an origin for one from a file",
        name));
  }
  return space;
}

/// How the reference follows from its records.
const char* masses_text(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::kCategories:
      return "(records + 1) / (all records + outcomes)";
    case SpaceKind::kGrid:
      return "the mean of their histograms of 1, 2, 4, ... parts an axis";
    case SpaceKind::kCandidates:
      break;
  }
  return "one for each candidate, which were drawn after its records";
}

/// The band's choice in the words of --band; none where the mechanism has no such name.
std::optional<std::string> band_words(const Certificate& certificate) {
  switch (certificate.mechanism) {
    case Mechanism::kMinimax:
    case Mechanism::kClass:
    case Mechanism::kNeighbourhood:
      return to_text({.kind = BandChoice::Kind::kMinimax});
    case Mechanism::kRelative:
      return to_text({.kind = BandChoice::Kind::kRelative});
    case Mechanism::kLocation:
      return to_text(
          {.kind = BandChoice::Kind::kLocation, .location = certificate.floor.value_or(0)});
    default:
      return std::nullopt;
  }
}

/// The reference's masses; empty if it is uniform.
std::vector<double> reference_masses_of(const Certificate& certificate, const Domain& domain) {
  const SpaceKind kind = certificate.space.kind;
  if (!certificate.reference || kind == SpaceKind::kCandidates) return {};
  Tally<std::uint32_t>::Counts counts;
  std::uint64_t sum = 0;
  for (const auto& [outcome, records] : certificate.reference->counts) {
    if (outcome >= certificate.outcome_count ||
        (!counts.keys.empty() && outcome <= counts.keys.back())) {
      throw InvalidInput(fmt::format(
          "the certificate's reference must have ascending outcomes below {}, but has {}",
          certificate.outcome_count, outcome));
    }
    if (records < 1 || records > kMostReferenceRecords - sum) {
      throw InvalidInput(fmt::format(
          "the certificate's reference must have from 1 to {} records in all, but has {} of "
          "outcome {}",
          kMostReferenceRecords, records, outcome));
    }
    sum += records;
    counts.keys.push_back(outcome);
    counts.counts.push_back(records);
  }
  const Empirical records(std::move(counts));
  return kind == SpaceKind::kGrid
             ? reference_masses(records, kind, recut_domain(domain, certificate.space.cells))
             : smoothed_histogram(records, certificate.outcome_count);
}

}  // namespace

std::vector<std::string> promises(const Certificate& certificate) {
  const std::string whole = protected_whole(certificate);
  if (certificate.per_draw.notion == Privacy::Notion::kGaussian) {
    return {fmt::format(
        "Telling from the output whether {} were one set of values or any other is no easier than "
        "telling one draw of N(0,1) from one of N({:.6g},1).",
        whole, certificate.total)};
  }
  return {fmt::format("No event, and no decision taken later on the output, has its probability "
                      "changed by more than a factor e^{:.6g} = {:.4g} by {}, whatever they are.",
                      certificate.total, std::exp(certificate.total), whole),
          "This holds for any data, any prior knowledge and any later use of the output; it was "
          "decided in integers, and `mollify verify` recomputes it."};
}

std::vector<std::string> non_promises(const Certificate& certificate) {
  std::vector<std::string> limits;
  if (certificate.unit && !certificate.roster) {
    limits.emplace_back(
        "Who is in the data, and how many units there are, is not protected: no roster was given.");
  }
  if (certificate.unit) {
    limits.emplace_back(fmt::format(
        "What many units have in common is learned, and is meant to be: each {} is protected, not "
        "what is true of all.",
        *certificate.unit));
  }
  limits.emplace_back(
      "Time and memory used while releasing, and other releases from the same data, are outside "
      "this promise; budgets of further releases add to this one.");
  return limits;
}

std::string certificate_json(const Certificate& certificate) {
  const char* parameter = parameter_name(certificate.per_draw.notion);
  Json json;
  json["format"] = kFormat;
  json["version"] = certificate.version;
  json["model"] = certificate.model;
  json["unit"] = or_null(certificate.unit);
  json["roster"] = or_null(certificate.roster);
  json["units"] = or_null(certificate.units);
  json["mechanism"] = std::string(name_of(certificate.mechanism));
  json["privacy"] = {
      {"notion", certificate.per_draw.notion == Privacy::Notion::kPure ? "pure" : "gaussian"},
      {fmt::format("{}_per_draw", parameter), certificate.per_draw.parameter()},
      {"draws_per_unit", certificate.draws_per_unit},
      {fmt::format("{}_total", parameter), certificate.total}};
  json["space"] = space_json(certificate);
  json["scorer"] = name_of(certificate.scorer);
  json["parameters"] = Json::object();
  if (const auto band = band_words(certificate)) json["parameters"]["band"] = *band;
  if (certificate.c1) json["parameters"]["c1"] = *certificate.c1;
  if (certificate.c2) json["parameters"]["c2"] = *certificate.c2;
  if (certificate.gamma) json["parameters"]["gamma"] = *certificate.gamma;
  if (certificate.floor) json["parameters"]["floor"] = *certificate.floor;
  json["reference"] = nullptr;
  if (certificate.reference) {
    json["reference"] = {{"declared_origin", certificate.reference->origin},
                         {"masses", masses_text(certificate.space.kind)}};
    if (certificate.space.kind != SpaceKind::kCandidates) {
      json["reference"]["records"] = certificate.reference->counts;
    }
  }
  json["domain"] = {{"sha256", certificate.domain_sha256}, {"outcomes", certificate.outcome_count}};
  const std::string total = std::to_string(Band::kGreatestTotal);
  json["public_integers"] = {{"of", certificate.floor ? "band" : "matrix"},
                             {"N", certificate.floor ? Json(total) : Json(nullptr)},
                             {"sha256", certificate.public_integers_sha256}};
  json["promised"] = promises(certificate);
  json["not_promised"] = non_promises(certificate);
  // Names of files and columns may hold any bytes; JSON holds text.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Certificate parse_certificate(const std::string& text, const std::string& name) {
  const Json json = certificate_object(text, kFormat, name);
  const CertificateReader reader(json, name);
  Certificate certificate;
  certificate.version = reader.get<std::string>("/version", "a version");
  certificate.model = reader.get<std::string>("/model", "a model");
  certificate.unit = reader.find<std::string>("/unit", "a column name or null");
  certificate.roster = reader.find<std::string>("/roster", "a file name or null");
  certificate.units = reader.find<std::uint64_t>("/units", "a whole number or null");
  const auto mechanism = reader.get<std::string>("/mechanism", "a mechanism");
  const std::optional<Mechanism> known = named<Mechanism>(mechanism);
  if (!known) throw InvalidInput(fmt::format("{} names no known mechanism at /mechanism", name));
  certificate.mechanism = *known;
  certificate.space = parse_space(reader, name);
  const auto scorer = scorer_named(reader.get<std::string>("/scorer", "a scorer"));
  if (!scorer) throw InvalidInput(fmt::format("{} names no known scorer at /scorer", name));
  certificate.scorer = *scorer;
  const auto notion = reader.get<std::string>("/privacy/notion", "a privacy notion");
  if (notion != "pure" && notion != "gaussian") {
    throw InvalidInput(
        fmt::format("{} must have \"pure\" or \"gaussian\" at /privacy/notion", name));
  }
  const std::string parameter = notion == "pure" ? "epsilon" : "mu";
  certificate.per_draw =
      Privacy::of(notion == "pure" ? PrivacyNotion::kPure : PrivacyNotion::kGaussian,
                  reader.get<double>(("/privacy/" + parameter + "_per_draw").c_str(), "a number"));
  certificate.total = reader.get<double>(("/privacy/" + parameter + "_total").c_str(), "a number");
  certificate.draws_per_unit =
      reader.get<std::uint64_t>("/privacy/draws_per_unit", "a whole number");
  certificate.c1 = reader.find<double>("/parameters/c1", "a number");
  certificate.c2 = reader.find<double>("/parameters/c2", "a number");
  certificate.gamma = reader.find<double>("/parameters/gamma", "a number");
  certificate.floor = reader.find<double>("/parameters/floor", "a number");
  if (json.contains("reference") && !json["reference"].is_null()) {
    certificate.reference = CertifiedReference{
        reader.get<std::string>("/reference/declared_origin", "a file name"), {}};
    if (certificate.space.kind != SpaceKind::kCandidates) {
      certificate.reference->counts = reader.get<OutcomeCounts>(
          "/reference/records", "pairs of an outcome and a number of records");
    }
  }
  certificate.domain_sha256 = reader.get<std::string>("/domain/sha256", "a hash");
  certificate.outcome_count = reader.get<std::uint64_t>("/domain/outcomes", "a whole number");
  if (certificate.outcome_count < 1 || certificate.outcome_count > Band::kMostOutcomes) {
    throw InvalidInput(fmt::format("{} must have from 1 to 16777216 at /domain/outcomes", name));
  }
  certificate.public_integers_sha256 = reader.get<std::string>("/public_integers/sha256", "a hash");
  require_consistency(certificate, text, name);
  return certificate;
}

std::unique_ptr<LocalSampler> sampler_of(const Certificate& certificate, const Domain& domain) {
  const std::vector<double> masses = reference_masses_of(certificate, domain);
  const bool pure = certificate.per_draw.notion == Privacy::Notion::kPure;
  const double parameter = certificate.per_draw.parameter();
  const MechanismParameters parameters{
      .mechanism = certificate.mechanism,
      .outcome_count = certificate.outcome_count,
      .reference = masses,
      .epsilon = pure ? std::optional(parameter) : std::nullopt,
      .mu = pure ? std::nullopt : std::optional(parameter),
      .c1 = certificate.c1,
      .c2 = certificate.c2,
      .gamma = certificate.gamma,
      .location = certificate.mechanism == Mechanism::kLocation ? certificate.floor : std::nullopt};
  std::unique_ptr<LocalSampler> sampler = make_sampler(parameters);
  if (certificate.floor != stated_floor(*sampler, parameters)) {
    throw InvalidInput(
        "the certificate's floor must be what its mechanism and parameters give, but is not");
  }
  return sampler;
}

std::optional<double> stated_floor(const LocalSampler& sampler,
                                   const MechanismParameters& parameters) {
  if (dynamic_cast<const BandSampler*>(&sampler) == nullptr) return std::nullopt;
  return band_floor_of(parameters);
}

std::string public_digest(const LocalSampler& sampler) {
  Sha256 hash;
  sampler.for_each_public_integer([&](uint128 integer) {
    std::array<unsigned char, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(integer >> (8 * i));
    }
    hash.add(bytes);
  });
  return hash.hex();
}

}  // namespace mollify
