#include "release/public_inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/refusal.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "release/method.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What stands behind the names of a spec.

namespace {

[[noreturn]] void refuse_unknown(const std::string& name) {
  refuse_input("missing-parameter", Concern::in_file(name),
               "the spec names \"{}\", but nothing of this name is given", name);
}

void require_hash(const std::string& name, std::string& stated, const std::string& found,
                  const Concern& concern) {
  if (!stated.empty() && stated != found) {
    refuse_input("certificate-mismatch", concern,
                 "{} must have the SHA-256 that the spec states, {}, but has {}", name, stated,
                 found.empty() ? "none" : found);
  }
  stated = found;
}

void complete(std::optional<PublicFile>& file, const PublicInputs& inputs) {
  if (file)
    require_hash(file->name, file->sha256, inputs.sha256(file->name), Concern::in_file(file->name));
}

}  // namespace

GivenInputs::GivenInputs(const Domain& domain) : domain_(std::make_shared<const Domain>(domain)) {}

Domain GivenInputs::domain(const SpecDomain&) const { return *domain_; }

Roster GivenInputs::roster(const std::string& name, const UnitColumns&) const {
  if (!units) refuse_unknown(name);
  return *units;
}

std::vector<std::uint32_t> GivenInputs::records(const std::string& name,
                                                const Domain& domain) const {
  const std::size_t columns = domain.columns().size();
  if (reference.empty() || reference.size() % columns != 0) refuse_unknown(name);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (reference[i] >= domain.columns()[i % columns].size()) {
      refuse_input(
          "not-for-this-domain", Concern::in_file(name, 0, domain.columns()[i % columns].name()),
          "{} must have digits below {} for column \"{}\", but has {}", name,
          domain.columns()[i % columns].size(), domain.columns()[i % columns].name(), reference[i]);
    }
  }
  return reference;
}

std::shared_ptr<const Measure> GivenInputs::density(const std::string& name) const {
  if (!measure) refuse_unknown(name);
  return measure;
}

Candidates GivenInputs::candidates(const std::string& name, const Domain&) const {
  if (!list) refuse_unknown(name);
  return *list;
}

PublicBand GivenInputs::band(const std::string& name) const {
  if (!lower_bounds) refuse_unknown(name);
  return *lower_bounds;
}

std::vector<double> GivenInputs::channel(const std::string& name, std::uint64_t outcomes) const {
  if (rows.empty() || rows.size() % outcomes != 0) refuse_unknown(name);
  return rows;
}

std::vector<double> GivenInputs::covariance(const std::string& name,
                                            const RealColumns& columns) const {
  if (matrix.size() != columns.size() * columns.size()) refuse_unknown(name);
  return matrix;
}

Domain complete_spec(ReleaseSpec& spec, const PublicInputs& inputs) {
  Domain domain = inputs.domain(spec.domain);
  require_hash(spec.domain.name(), spec.domain.sha256, domain.hash(), "domain");
  complete(spec.roster, inputs);
  release_method(spec.method).visit_files(spec, [&](std::optional<PublicFile>& file) {
    complete(file, inputs);
  });
  return domain;
}

std::optional<Roster> roster_of(const ReleaseSpec& spec, const PublicInputs& inputs) {
  if (!spec.roster) return std::nullopt;
  return inputs.roster(spec.roster->name, spec.units_column ? spec.units_column : spec.unit);
}

// -----------------------------------------------------------------------------------------------
// A band as a public file.

namespace {

constexpr const char* kBandFormat = "mollify band 1";

}  // namespace

std::string public_band_text(const PublicBand& band) {
  const nlohmann::ordered_json json{{"format", kBandFormat},
                                    {"epsilon", band.epsilon},
                                    {"k", band.lower.size()},
                                    {"lower", band.lower}};
  return json.dump(1) + "\n";
}

PublicBand parse_public_band(const std::string& text, const std::string& name) {
  require_json(text, name);
  const auto json = nlohmann::json::parse(text);
  const auto require = [&](bool holds, const char* what) {
    refuse_if(!holds, "malformed-file", "band", "{} must be a band: {}", name, what);
  };
  require(json.is_object() && json.value("format", nlohmann::json()) == kBandFormat,
          "a JSON object of format \"mollify band 1\"");
  require(json.contains("epsilon") && json["epsilon"].is_number(), "with a number as epsilon");
  require(json.contains("lower") && json["lower"].is_array() && !json["lower"].empty() &&
              json["lower"].size() <= Band::kMostOutcomes,
          "with a list of lower bounds");
  const auto& lower = json["lower"];
  require(std::all_of(lower.begin(), lower.end(),
                      [](const auto& bound) {
                        return bound.is_number() && bound.template get<double>() >= 0x1p-62;
                      }),
          "with lower bounds of at least 2^-62");
  require(!json.contains("k") || json["k"] == lower.size(),
          "with as many lower bounds as it has outcomes");
  PublicBand band{json["epsilon"].get<double>(), lower.get<std::vector<double>>()};
  const double sum = std::accumulate(band.lower.begin(), band.lower.end(), 0.0);
  const double e = std::exp(ExpBound(band.epsilon).epsilon());
  require(sum < 1 && sum * e > 1,
          "with lower bounds that sum to less than 1, and with e^epsilon times that above 1");
  return band;
}

void require_band_fits(const PublicBand& band, const std::string& name, double epsilon,
                       std::uint64_t outcomes) {
  refuse_if(band.lower.size() != outcomes, "wrong-shape", "band",
            "{} must have one lower bound for each of the {} outcomes, but has {}", name, outcomes,
            band.lower.size());
  // Budgets are decimals, and shared by draws with rounding.
  refuse_if(!(std::abs(band.epsilon - epsilon) <= 1e-6 * epsilon), "certificate-mismatch", "band",
            "{} is a band for epsilon {:g} a draw, but a draw has {:g}", name, band.epsilon,
            epsilon);
}

// -----------------------------------------------------------------------------------------------
// A channel as a public file.

std::vector<double> parse_channel(const std::string& text, const std::string& name,
                                  std::uint64_t outcomes) {
  constexpr std::size_t kMostMasses = std::size_t{1} << 16;
  require_json(text, name);
  const auto json = nlohmann::json::parse(text);
  refuse_if(!json.is_array() || json.empty(), "malformed-file", "channel",
            "{} must be a JSON array of rows, each an array of masses, but is not", name);
  refuse_if(json.size() > kMostMasses / outcomes, "too-much-work", "channel",
            "{} must have at most {} masses in all, because certificates state them, but has {} "
            "rows of {}",
            name, kMostMasses, json.size(), outcomes);
  std::vector<double> rows;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto& row = json[i];
    const bool is_row =
        row.is_array() && row.size() == outcomes &&
        std::all_of(row.begin(), row.end(), [](const auto& mass) { return mass.is_number(); });
    refuse_if(!is_row, "wrong-shape", "channel",
              "row {} of {} must be an array of {} masses, one for each outcome, but is not", i,
              name, outcomes);
    for (const auto& mass : row) rows.push_back(mass.template get<double>());
  }
  return rows;
}

}  // namespace mollify
