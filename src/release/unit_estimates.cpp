#include "release/unit_estimates.h"

#include <algorithm>
#include <utility>

#include "local/scored_table.h"
#include "records/private_table.h"

namespace mollify {
namespace {

std::variant<Empirical, UnitTable, UnitRecords> read_estimates(const LocalRelease& release,
                                                               const Source& data,
                                                               SecureRandom& random) {
  const Domain& domain = release.space().domain();
  const auto& unit = release.certificate().spec.unit;
  if (!draws_by_scores(*release.certificate().local())) {
    if (unit) return read_units(data, domain, *unit, release.roster());
    return read_table(data, domain);
  }
  if (unit) {
    return read_unit_digits(data, domain, *unit, release.roster(), kMostScoredRows, random);
  }
  const std::vector<std::uint32_t> digits =
      read_table_digits(data, domain, kMostScoredRows, random);
  const std::size_t columns = domain.columns().size();
  UnitRecords::Builder whole(columns);
  for (auto record = digits.begin(); record != digits.end();
       record += static_cast<std::ptrdiff_t>(columns)) {
    std::copy_n(record, columns, whole.add(0).begin());
  }
  return std::move(whole).build(1);
}

}  // namespace

UnitEstimates::UnitEstimates(const LocalRelease& release, const Source& data, SecureRandom& random)
    : release_(&release), units_(read_estimates(release, data, random)) {}

std::size_t UnitEstimates::size() const noexcept {
  if (const auto* table = std::get_if<UnitTable>(&units_)) return table->size();
  const auto* records = std::get_if<UnitRecords>(&units_);
  return records != nullptr ? records->size() : 1;
}

ScoredOutcomes UnitEstimates::outcomes(std::size_t unit) const noexcept {
  if (const auto* table = std::get_if<Empirical>(&units_)) {
    return {table->outcomes(), table->weights()};
  }
  const auto& table = std::get<UnitTable>(units_);
  return {table.outcomes(unit), table.weights(unit)};
}

MixedPoints UnitEstimates::rows(std::size_t unit) const {
  const ReleaseSpace& space = release_->space();
  if (std::holds_alternative<UnitRecords>(units_)) return space.layout().points(digits(unit));
  std::vector<std::uint32_t> digits;
  const ScoredOutcomes counted = outcomes(unit);
  for (std::size_t j = 0; j < counted.outcomes.size(); ++j) {
    for (double record = 0; record < counted.weights[j]; ++record) {
      for (std::size_t i = 0; i < space.domain().columns().size(); ++i) {
        digits.push_back(space.domain().digit(counted.outcomes[j], i));
      }
    }
  }
  return space.layout().points(digits);
}

void UnitEstimates::masses(std::size_t unit, std::span<float> masses) const {
  if (const Scorer* scorer = release_->scorer()) {
    score_against_reference(*scorer, rows(unit), release_->space().densities(), masses);
    return;
  }
  std::fill(masses.begin(), masses.end(), 0.0F);
  const ScoredOutcomes counted = outcomes(unit);
  for (std::size_t j = 0; j < counted.outcomes.size(); ++j) {
    masses[counted.outcomes[j]] = static_cast<float>(counted.weights[j]);
  }
}

}  // namespace mollify
