#include "release/public_inputs.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
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
  if (auto* local = std::get_if<LocalSpec>(&spec.method)) {
    complete(local->reference, inputs);
    complete(local->space.list, inputs);
  }
  if (auto* marginals = std::get_if<MarginalsSpec>(&spec.method)) {
    complete(marginals->reference, inputs);
  }
  if (auto* gaussian = std::get_if<GaussianSpec>(&spec.method)) {
    complete(gaussian->covariance, inputs);
  }
  return domain;
}

std::optional<Roster> roster_of(const ReleaseSpec& spec, const PublicInputs& inputs) {
  if (!spec.roster) return std::nullopt;
  return inputs.roster(spec.roster->name, spec.units_column.value_or(*spec.unit));
}

}  // namespace mollify
