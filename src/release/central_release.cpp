#include "release/central_release.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/csv_writer.h"
#include "io/domain_hash.h"
#include "io/domain_yaml.h"
#include "io/private_table.h"
#include "io/public_records.h"
#include "io/roster.h"
#include "kernel/core/invalid_input.h"
#include "mollify/version.h"

namespace mollify {
namespace {

using Records = std::variant<std::vector<std::uint32_t>, UnitTable>;

Domain enumerable_domain(const CentralReleaseRequest& request) {
  Domain domain = read_domain(request.domain);
  domain.require_enumerable("model central");
  return domain;
}

void validate_central(const CentralReleaseRequest& request) {
  if (request.roster && !request.unit) {
    throw InvalidInput("a roster of units needs the unit column, but none is given");
  }
  if (request.roster && same_file_or_content(*request.roster, request.data)) {
    throw InvalidInput(fmt::format("the roster must be public, but {} is the private file itself",
                                   *request.roster));
  }
  if (request.count && request.rate) {
    throw InvalidInput(
        "a rate releases as many records as come, so it is given instead of a count, but both are "
        "given");
  }
  constexpr std::uint64_t kMostOutputs = 100'000'000;
  if (request.count && (*request.count < 1 || *request.count > kMostOutputs)) {
    throw InvalidInput(
        fmt::format("count must be from 1 to {}, but is {}", kMostOutputs, *request.count));
  }
  if (!request.count && !request.rate) {
    throw InvalidInput("a number of records to release is needed, but no count is given");
  }
  if (request.rate && request.mechanism && request.mechanism != CentralMechanism::kPoissonRr) {
    throw InvalidInput(fmt::format("a rate is for mechanism poisson-rr, but the mechanism is {}",
                                   name_of(*request.mechanism)));
  }
}

Records read_records(const CentralReleaseRequest& request, const Domain& domain) {
  if (!request.unit) return read_outcomes(request.data, domain);
  std::optional<StringIndex> roster;
  if (request.roster) roster = read_roster(*request.roster, *request.unit);
  return read_units(request.data, domain, *request.unit, roster);
}

/// What is spent on a hint; the rest is for the draw.
Privacy half_of(const Privacy& budget) {
  return Privacy::approximate(budget.epsilon / 2, budget.delta / 2);
}

void validate_support(const CentralReleaseRequest& request, const Domain& domain) {
  if (!(request.budget.delta > 0)) {
    throw InvalidInput("a hint of the support needs a delta above 0, but there is none");
  }
  if (request.mechanism == CentralMechanism::kProduct) {
    throw InvalidInput("mechanism product is for bits, which have no support to be found");
  }
  const Column& column = domain.columns().front();
  if (domain.columns().size() > 1 || !std::holds_alternative<IntegerCells>(column.cells()) ||
      column.mapping().null_is_category) {
    throw InvalidInput(fmt::format(
        "a hint of the support needs a domain of one integer column whose nulls have a value, but "
        "{} is another",
        request.domain));
  }
}

CentralDesign design_for(const CentralReleaseRequest& request, std::uint64_t records,
                         std::uint64_t outcomes) {
  if (records < 1) {
    throw InvalidInput(fmt::format("model central needs at least one {}, but {} has none",
                                   request.unit ? "unit" : "row", request.data));
  }
  const CentralRequest sizes{records, outcomes, request.count.value_or(1),
                             request.support ? half_of(request.budget) : request.budget};
  if (request.rate) return design_poisson(sizes, *request.rate);
  return request.mechanism ? design_central(*request.mechanism, sizes) : best_central_design(sizes);
}

/// One of a unit's records, each alike, though equal ones are counted together.
std::uint32_t one_of(std::span<const std::uint32_t> outcomes, std::span<const double> counts,
                     SecureRandom& random) {
  std::uint64_t all = 0;
  for (const double count : counts) all += static_cast<std::uint64_t>(count);
  std::uint64_t place = random.below(all);
  std::size_t i = 0;
  while (place >= static_cast<std::uint64_t>(counts[i])) {
    place -= static_cast<std::uint64_t>(counts[i]);
    ++i;
  }
  return outcomes[i];
}

}  // namespace

CentralRelease::CentralRelease(const CentralReleaseRequest& request)
    : domain_((validate_central(request), enumerable_domain(request))),
      data_(read_records(request, domain_)) {
  const std::uint64_t count =
      std::visit([](const auto& records) { return std::uint64_t{records.size()}; }, data_);
  certificate_.version = kVersion;
  certificate_.unit = request.unit;
  certificate_.roster = request.roster;
  if (request.support) validate_support(request, domain_);
  certificate_.design = design_for(request, count, domain_.size());
  if (request.support) {
    const Privacy budget = half_of(request.budget);
    const auto& cells = std::get<IntegerCells>(domain_.columns().front().cells());
    finder_.emplace(hint_in_cells(*request.support, cells), domain_.size(), count, budget.epsilon,
                    budget.delta);
    certificate_.hint = CertifiedHint{*request.support, budget.epsilon, budget.delta};
  }
  certificate_.domain_sha256 = domain_hash(domain_);
  sampler_ = make_central_sampler(certificate_.design);
}

std::vector<std::uint32_t> CentralRelease::unit_records(SecureRandom& random) const {
  const auto& units = std::get<UnitTable>(data_);
  std::vector<std::uint32_t> drawn(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const auto outcomes = units.outcomes(unit);
    drawn[unit] = outcomes.empty() ? static_cast<std::uint32_t>(random.below(domain_.size()))
                                   : one_of(outcomes, units.weights(unit), random);
  }
  return drawn;
}

// The mechanism is the public choice for the whole domain, with parameters for the interval: it has
// been paid for, and a design exists for each that there can be (tests/central/central_design.cpp).
std::vector<std::uint32_t> CentralRelease::draw_within_support(
    std::span<const std::uint32_t> records, SecureRandom& random) const {
  const OutcomeInterval interval = finder_->find(records, random);
  const CentralDesign& whole = certificate_.design;
  const CentralRequest sizes{whole.records, interval.width(), whole.outputs.value_or(1),
                             whole.guarantee};
  const CentralDesign design =
      whole.outputs ? design_central(whole.mechanism, sizes) : design_poisson(sizes, whole.rate);
  return map_back(interval,
                  make_central_sampler(design)->draw(map_into(interval, records), random));
}

std::string CentralRelease::run(SecureRandom& random) const {
  const auto draw = [&](std::span<const std::uint32_t> records) {
    return finder_ ? draw_within_support(records, random) : sampler_->draw(records, random);
  };
  const auto* rows = std::get_if<std::vector<std::uint32_t>>(&data_);
  const std::vector<std::uint32_t> released = rows ? draw(*rows) : draw(unit_records(random));
  std::string csv;
  std::vector<std::string> fields;
  for (const Column& column : domain_.columns()) fields.push_back(column.name());
  append_csv_record(fields, csv);
  for (const std::uint32_t outcome : released) {
    domain_.decode(outcome, random, fields);
    append_csv_record(fields, csv);
  }
  return csv;
}

}  // namespace mollify
