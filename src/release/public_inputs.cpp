#include "release/public_inputs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/names.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "domain/domain.h"
#include "kernel/order.h"
#include "mollify/version.h"
#include "scores/public_models.h"
#include "scores/references.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What stands behind the names of a spec.

namespace {

[[noreturn]] void refuse_unknown(const std::string& name) {
  throw InvalidInput(fmt::format("the spec names {}, but nothing of this name is given", name));
}

void require_hash(const std::string& name, std::string& stated, const std::string& found) {
  if (!stated.empty() && stated != found) {
    throw InvalidInput(fmt::format("{} must have the SHA-256 that the spec states, {}, but has {}",
                                   name, stated, found.empty() ? "none" : found));
  }
  stated = found;
}

void complete(std::optional<PublicFile>& file, const PublicInputs& inputs) {
  if (file) require_hash(file->name, file->sha256, inputs.sha256(file->name));
}

}  // namespace

Roster GivenInputs::roster(const std::string& name, const std::string&) const {
  if (!units) refuse_unknown(name);
  return *units;
}

std::vector<std::uint32_t> GivenInputs::records(const std::string& name,
                                                const Domain& domain) const {
  const std::size_t columns = domain.columns().size();
  if (reference.empty() || reference.size() % columns != 0) refuse_unknown(name);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (reference[i] >= domain.columns()[i % columns].size()) {
      throw InvalidInput(fmt::format("{} must have digits of the domain, but has {} for column {}",
                                     name, reference[i], domain.columns()[i % columns].name()));
    }
  }
  return reference;
}

Candidates GivenInputs::candidates(const std::string& name, const Domain&) const {
  if (!list) refuse_unknown(name);
  return *list;
}

PublicBand GivenInputs::band(const std::string& name) const {
  if (!lower_bounds) refuse_unknown(name);
  return *lower_bounds;
}

std::vector<double> GivenInputs::covariance(const std::string& name,
                                            const RealColumns& columns) const {
  if (matrix.size() != columns.size() * columns.size()) refuse_unknown(name);
  return matrix;
}

Domain complete_spec(ReleaseSpec& spec, const PublicInputs& inputs) {
  Domain domain = inputs.domain(spec.domain);
  require_hash(spec.domain.name(), spec.domain.sha256, domain.hash());
  complete(spec.roster, inputs);
  if (auto* local = std::get_if<LocalSpec>(&spec.own)) {
    complete(local->reference, inputs);
    complete(local->space.list, inputs);
  }
  if (auto* marginals = std::get_if<MarginalsSpec>(&spec.own)) {
    complete(marginals->reference, inputs);
  }
  if (auto* gaussian = std::get_if<GaussianSpec>(&spec.own)) {
    complete(gaussian->covariance, inputs);
  }
  return domain;
}

std::optional<Roster> roster_of(const ReleaseSpec& spec, const PublicInputs& inputs) {
  if (!spec.roster) return std::nullopt;
  return inputs.roster(spec.roster->name, spec.units_column.value_or(*spec.unit));
}

// -----------------------------------------------------------------------------------------------
// A band as a public file.

namespace {

constexpr const char* kBandFormat = "mollify band 1";

}  // namespace

std::string public_band_text(const PublicBand& band) {
  const nlohmann::ordered_json json{{"format", kBandFormat},
                                    {"epsilon", band.epsilon},
                                    {"outcomes", band.lower.size()},
                                    {"lower", band.lower}};
  return json.dump(1) + "\n";
}

PublicBand parse_public_band(const std::string& text, const std::string& name) {
  require_json(text, name);
  const auto json = nlohmann::json::parse(text);
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw InvalidInput(fmt::format("{} must be a band: {}", name, what));
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
  require(!json.contains("outcomes") || json["outcomes"] == lower.size(),
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
  if (band.lower.size() != outcomes) {
    throw InvalidInput(
        fmt::format("{} must have one lower bound for each of the {} outcomes, but "
                    "has {}",
                    name, outcomes, band.lower.size()));
  }
  // Budgets are decimals, and shared by draws with rounding.
  if (!(std::abs(band.epsilon - epsilon) <= 1e-6 * epsilon)) {
    throw InvalidInput(fmt::format("{} is a band for epsilon {:g} a draw, but a draw has {:g}",
                                   name, band.epsilon, epsilon));
  }
}

// -----------------------------------------------------------------------------------------------
// What a local or integral release chooses from, made of public information.

namespace {

constexpr std::uint64_t kUsualCells = 65'536;

}  // namespace

ScorerKind usual_scorer(SpaceKind kind, Mechanism mechanism) noexcept {
  if (kind == SpaceKind::kModels) return ScorerKind::kLikelihood;
  const bool rows = kind == SpaceKind::kCategories || !is_band(mechanism);
  return rows ? ScorerKind::kEmpirical : ScorerKind::kKernel;
}

std::optional<CandidateList> candidate_list(SpaceKind kind, const SpaceSpec& spec) {
  if (kind != SpaceKind::kCandidates) return std::nullopt;
  if (spec.fresh) return CandidateList::kFresh;
  return spec.list ? CandidateList::kFile : CandidateList::kSeeded;
}

SpaceKind space_kind(const Domain& domain, const SpaceSpec& spec) {
  const bool list =
      spec.candidates || spec.fresh || spec.list || (spec.scorer && needs_candidates(*spec.scorer));
  if (spec.kind) return *spec.kind;
  if (list) return SpaceKind::kCandidates;
  return spec.cells ? SpaceKind::kGrid : chosen_space(domain);
}

Domain space_domain(const Domain& domain, const SpaceSpec& spec) {
  const SpaceKind kind = space_kind(domain, spec);
  require_space(domain, kind);
  const auto refuse = [&](bool given, std::string_view option, SpaceKind owner) {
    if (!given || kind == owner) return;
    throw InvalidInput(fmt::format("{} belongs to space {}, but the space is {}", option,
                                   name_of(owner), name_of(kind)));
  };
  refuse(spec.cells.has_value(), "cells", SpaceKind::kGrid);
  refuse(spec.candidates.has_value() && kind != SpaceKind::kModels, "the number of candidates",
         SpaceKind::kCandidates);
  refuse(spec.fresh, "a fresh list", SpaceKind::kCandidates);
  refuse(spec.trees, "a list with trees", SpaceKind::kModels);
  refuse(spec.list.has_value(), "a file of candidates", SpaceKind::kCandidates);
  if (spec.scorer && needs_candidates(*spec.scorer) && kind != SpaceKind::kCandidates) {
    throw InvalidInput(fmt::format("score {} needs space candidates, but the space is {}",
                                   name_of(*spec.scorer), name_of(kind)));
  }
  if (spec.scorer && (*spec.scorer == ScorerKind::kLikelihood) != (kind == SpaceKind::kModels)) {
    throw InvalidInput(
        fmt::format("score likelihood is that of method integral-model, but {} goes with {}",
                    name_of(*spec.scorer), name_of(kind)));
  }
  if (spec.list && (spec.candidates || spec.fresh)) {
    throw InvalidInput(
        fmt::format("a file of candidates holds the list, so it cannot be {}",
                    spec.fresh ? "a fresh list as well" : "told how many candidates there are"));
  }
  return kind == SpaceKind::kGrid ? recut_domain(domain, spec.cells.value_or(kUsualCells)) : domain;
}

Empirical counted_outcomes(std::span<const std::uint32_t> digits, const Domain& domain) {
  Tally<std::uint32_t> tally;
  const std::size_t columns = domain.columns().size();
  for (std::size_t begin = 0; begin < digits.size(); begin += columns) {
    std::uint32_t outcome = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      outcome = outcome * domain.columns()[i].size() + digits[begin + i];
    }
    tally.add(outcome);
  }
  return Empirical(tally.take());
}

std::vector<double> reference_masses(const Empirical& public_records, SpaceKind kind,
                                     const Domain& space) {
  return kind == SpaceKind::kGrid ? multiscale_histogram(public_records, space)
                                  : smoothed_histogram(public_records, space.size());
}

ReleaseSpace::ReleaseSpace(const Domain& domain, const SpaceSpec& spec,
                           const std::optional<PublicFile>& reference, const PublicInputs& inputs)
    : kind_(space_kind(domain, spec)),
      list_(candidate_list(kind_, spec)),
      domain_(space_domain(domain, spec)),
      layout_(domain_) {
  if (kind_ == SpaceKind::kModels) {
    size_ = spec.candidates.value_or(PublicModels::kUsual);
    return;
  }
  if (!list_) {
    size_ = domain_.size();
    return;
  }
  if (reference && spec.list) {
    throw InvalidInput(
        "a file of candidates knows the reference they were drawn from, but another is given");
  }
  if (reference) reference_.emplace(domain_, inputs.records(reference->name, domain_));
  size_ = spec.candidates.value_or(Candidates::kUsual);
  if (list_ == CandidateList::kFresh) {
    Candidates::require_count(size_);
    return;
  }
  if (list_ == CandidateList::kFile) {
    candidates_ = inputs.candidates(spec.list->name, domain_);
  } else {
    candidates_ = reference_ ? reference_->seeded(size_) : Candidates::seeded(domain_, size_);
  }
  size_ = candidates_->size();
}

std::string ReleaseSpace::list_sha256() const {
  return candidates_ ? candidates_hash(*candidates_, domain_) : std::string();
}

Candidates ReleaseSpace::fresh_candidates(SecureRandom& random) const {
  return reference_ ? reference_->fresh(size_, random) : Candidates::fresh(domain_, size_, random);
}

MixedPoints ReleaseSpace::points() const {
  if (candidates_) return layout_.points(candidates_->digits());
  const std::size_t columns = domain_.columns().size();
  std::vector<std::uint32_t> digits;
  digits.reserve(static_cast<std::size_t>(size_) * columns);
  for (std::uint32_t outcome = 0; outcome < size_; ++outcome) {
    for (std::size_t i = 0; i < columns; ++i) digits.push_back(domain_.digit(outcome, i));
  }
  return layout_.points(digits);
}

// -----------------------------------------------------------------------------------------------
// The model of a release by marginals, as a file that rows are drawn from at no cost.

namespace {

constexpr const char* kModelFormat = "mollify model 1";
/// Rows that are held at a time.
constexpr std::uint64_t kRowsAtOnce = std::uint64_t{1} << 20U;

}  // namespace

std::string released_model_text(const MarginalModel& model, const Domain& domain,
                                const Privacy& guarantee) {
  nlohmann::ordered_json json{{"format", kModelFormat},
                              {"version", kVersion},
                              {"domain_sha256", domain.hash()},
                              {"released_with", guarantee.text()}};
  json.update(marginal_model_json(model));
  return json.dump() + "\n";
}

ReleasedModel parse_released_model(const std::string& text, const std::string& name) {
  require_json(text, name);
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  if (!json.is_object() || json.value("format", nlohmann::ordered_json()) != kModelFormat) {
    throw InvalidInput(fmt::format("{} must have the format \"{}\"", name, kModelFormat));
  }
  const auto hash = json.find("domain_sha256");
  if (hash == json.end() || !hash->is_string()) {
    throw InvalidInput(fmt::format("{} must have a hash at /domain_sha256", name));
  }
  return {hash->get<std::string>(), marginal_model_from_json(json, name)};
}

void write_rows(const MarginalModel& model, std::uint64_t count, const std::vector<Evidence>& given,
                SecureRandom& random, RecordWriter& writer) {
  std::vector<std::uint32_t> record(model.columns().size());
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min(count, kRowsAtOnce));
    count -= now;
    const ModelRows rows = model.rows(
        now, [&] { return random.word(); }, given);
    std::vector<std::uint32_t> order(now);
    for (std::uint32_t i = 0; i < now; ++i) order[i] = i;
    shuffle(order, random);
    for (const std::uint32_t row : order) {
      for (std::size_t i = 0; i < record.size(); ++i) record[i] = rows[i][row];
      writer.write_digits(record, random);
    }
  }
}

Evidence evidence_of(const Domain& domain, std::string_view column, std::string_view value) {
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& asked = domain.columns()[i];
    if (asked.name() != column) continue;
    const Value field = value.empty() ? Value() : Value(value);
    const Verdict verdict = asked.read(field).verdict;
    if (verdict == Verdict::kValue || (verdict == Verdict::kNull && asked.declares_nulls())) {
      return {i, asked.encode(field)};
    }
    throw InvalidInput(fmt::format("{} in given must be {}, but is \"{}\"{}", column,
                                   asked.expectation(), value, did_you_mean(asked, value)));
  }
  std::vector<std::string> known;
  for (const Column& one : domain.columns()) known.push_back(one.name());
  throw InvalidInput(fmt::format("given must name columns of the model, but \"{}\" is none{}",
                                 column, did_you_mean(column, known)));
}

}  // namespace mollify
