#include "mollify/release/local_release.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "mollify/accounting/composition.h"
#include "mollify/io/csv_writer.h"
#include "mollify/io/domain_hash.h"
#include "mollify/io/domain_yaml.h"
#include "mollify/io/private_table.h"
#include "mollify/io/public_records.h"
#include "mollify/io/record_reader.h"
#include "mollify/io/roster.h"
#include "mollify/kernel/invalid_input.h"
#include "mollify/reference/smoothed_histogram.h"
#include "mollify/release/draw_budget.h"
#include "mollify/version.h"

namespace mollify {
namespace {

void validate_shape(const LocalReleaseRequest& request) {
  if (request.model != "local" && request.model != "integral") {
    throw InvalidInput(
        fmt::format("model must be local or integral, but is \"{}\"", request.model));
  }
  if (request.model == "integral" && request.unit) {
    throw InvalidInput(
        "model integral protects the whole table and has no unit, but one is given; use model "
        "local to protect each unit");
  }
  if (request.roster && !request.unit) {
    throw InvalidInput("a roster of units needs the unit column, but none is given");
  }
}

/// The header is read before anything is drawn and the records after it, which takes two passes.
void refuse_stream(const std::string& data) {
  std::error_code ignored;
  const auto status = std::filesystem::status(data, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    throw InvalidInput(
        fmt::format("the private data must be a file that can be read twice, but {} is a pipe or a "
                    "device",
                    data));
  }
}

void refuse_private_as_public(const LocalReleaseRequest& request,
                              const std::optional<std::string>& file, const char* what) {
  if (file && same_file_or_content(*file, request.data)) {
    throw InvalidInput(
        fmt::format("the {} must be public, but {} is the private file itself", what, *file));
  }
}

MechanismParameters parameters_of(const LocalReleaseRequest& request, const Domain& domain,
                                  std::span<const double> reference) {
  const DrawBudget budget = draw_budget(request.epsilon, request.mu, request.count);
  return {.mechanism = chosen_mechanism(request),
          .outcome_count = domain.size(),
          .reference = reference,
          .epsilon = budget.epsilon,
          .mu = budget.mu,
          .c1 = request.c1,
          .c2 = request.c2,
          .gamma = request.gamma};
}

/// What all draws of a unit promise together. Above 30 a draw counts as 30, and then that is less
/// than was asked for.
double composed_total(const LocalReleaseRequest& request, const Guarantee& per_draw) {
  if (request.mu) return *request.mu;
  if (per_draw.parameter < ExpBound::kGreatestEpsilon) return *request.epsilon;
  return std::min(*request.epsilon,
                  basic_composition_epsilon_up(per_draw.parameter, request.count));
}

template <class Row>
void shuffle(std::vector<Row>& rows, SecureRandom& random) {
  for (std::size_t left = rows.size(); left > 1; --left) {
    std::swap(rows[left - 1], rows[static_cast<std::size_t>(random.below(left))]);
  }
}

}  // namespace

Mechanism chosen_mechanism(const LocalReleaseRequest& request) {
  if (request.mechanism) return *request.mechanism;
  if (request.mu) return Mechanism::kGaussianCurve;
  if (request.gamma) return Mechanism::kNeighbourhood;
  if (request.c1 || request.c2) return Mechanism::kClass;
  return request.reference ? Mechanism::kRelative : Mechanism::kMinimax;
}

LocalRelease::LocalRelease(const LocalReleaseRequest& request)
    : request_(request), domain_((validate_shape(request), read_domain(request.domain))) {
  std::vector<double> masses;
  if (request.reference) {
    refuse_private_as_public(request, request.reference, "reference");
    const Empirical records = read_public_records(*request.reference, domain_);
    masses = smoothed_histogram(records, domain_.size());
    certificate_.reference = CertifiedReference{*request.reference, {}};
    for (std::size_t j = 0; j < records.outcomes().size(); ++j) {
      certificate_.reference->counts.emplace_back(records.outcomes()[j], records.counts()[j]);
    }
  }
  if (request.roster) {
    refuse_private_as_public(request, request.roster, "roster");
    roster_ = read_roster(*request.roster, *request.unit);
  }
  const MechanismParameters parameters = parameters_of(request, domain_, masses);
  sampler_ = make_sampler(parameters);
  refuse_stream(request.data);
  { const RecordReader header(request.data, domain_, request.unit); }

  certificate_.version = kVersion;
  certificate_.model = request.model;
  certificate_.unit = request.unit;
  certificate_.roster = request.roster;
  if (roster_) certificate_.units = roster_->size();
  certificate_.draws_per_unit = request.count;
  certificate_.mechanism = parameters.mechanism;
  certificate_.per_draw = sampler_->guarantee();
  certificate_.total = composed_total(request, certificate_.per_draw);
  certificate_.c1 = request.c1;
  certificate_.c2 = request.c2;
  certificate_.gamma = request.gamma;
  certificate_.floor = stated_floor(*sampler_, parameters);
  certificate_.domain_sha256 = domain_hash(domain_);
  certificate_.outcome_count = domain_.size();
  certificate_.public_integers_sha256 = public_digest(*sampler_);
}

std::string LocalRelease::run(SecureRandom& random) const {
  std::vector<std::uint32_t> released;
  const std::size_t draws = request_.count;
  if (request_.unit) {
    const UnitTable units = read_units(request_.data, domain_, *request_.unit, roster_);
    released.resize(units.size() * draws);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      sampler_->draw({units.outcomes(unit), units.weights(unit)}, random,
                     std::span(released).subspan(unit * draws, draws));
    }
  } else {
    const Empirical table = read_table(request_.data, domain_);
    released.resize(draws);
    sampler_->draw({table.outcomes(), table.weights()}, random, released);
  }
  if (!roster_) shuffle(released, random);

  std::string csv;
  std::vector<std::string> row;
  if (roster_) row.push_back(*request_.unit);
  for (const Column& column : domain_.columns()) row.push_back(column.name());
  append_csv_record(row, csv);
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < released.size(); ++i) {
    domain_.decode(released[i], random, fields);
    row.clear();
    if (roster_) row.emplace_back((*roster_)[i / draws]);
    row.insert(row.end(), fields.begin(), fields.end());
    append_csv_record(row, csv);
  }
  return csv;
}

}  // namespace mollify
