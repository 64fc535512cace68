#include "release/unit_estimates.h"

#include <algorithm>

#include "io/private_table.h"
#include "kernel/core/invalid_input.h"
#include "local/scored_table.h"

namespace mollify {
namespace {

UnitRecords read_records(const LocalRelease& release) {
  const LocalReleaseRequest& request = release.request();
  const Domain& domain = release.space().domain();
  if (release.space().is_fresh()) {
    throw InvalidInput(
        "units must share one list of candidates to be compared, but --fresh is given");
  }
  if (request.unit) {
    return read_unit_digits(request.data, domain, *request.unit, release.roster());
  }
  UnitRecords::Builder whole(domain.columns().size());
  SecureRandom random;
  const std::vector<std::uint32_t> digits =
      read_table_digits(request.data, domain, kMostScoredRows, random);
  for (std::size_t begin = 0; begin < digits.size(); begin += domain.columns().size()) {
    std::copy_n(digits.begin() + static_cast<std::ptrdiff_t>(begin), domain.columns().size(),
                whole.add(0).begin());
  }
  return std::move(whole).build(1);
}

}  // namespace

UnitEstimates::UnitEstimates(const LocalRelease& release)
    : release_(&release), units_(read_records(release)) {}

MixedPoints UnitEstimates::rows(std::size_t unit) const {
  return release_->space().layout().points(units_.digits(unit));
}

void UnitEstimates::masses(std::size_t unit, std::span<float> masses) const {
  if (const Scorer* scorer = release_->scorer()) {
    score_against_reference(*scorer, rows(unit), release_->space().densities(), masses);
    return;
  }
  std::fill(masses.begin(), masses.end(), 0.0F);
  const std::vector<Column>& columns = release_->space().domain().columns();
  const std::span<const std::uint32_t> digits = units_.digits(unit);
  for (std::size_t begin = 0; begin < digits.size(); begin += columns.size()) {
    std::size_t outcome = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      outcome = outcome * columns[i].size() + digits[begin + i];
    }
    masses[outcome] += 1;
  }
}

}  // namespace mollify
