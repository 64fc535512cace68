#include "space/candidates.h"

#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

void Candidates::require_count(std::uint64_t count) {
  require_between("the number of candidates", count, 1, kMost);
}

template <class Random>
Candidates Candidates::uniform(const Domain& domain, std::uint64_t count, Random& random) {
  require_count(count);
  const UniformRecords records(domain);
  const std::size_t columns = records.columns();
  std::vector<std::uint32_t> digits(static_cast<std::size_t>(count) * columns);
  std::vector<float> densities;
  if (!records.is_flat()) densities.reserve(static_cast<std::size_t>(count));
  for (std::size_t begin = 0; begin < digits.size(); begin += columns) {
    const auto record = std::span(digits).subspan(begin, columns);
    records.draw(random, record);
    if (!records.is_flat()) densities.push_back(static_cast<float>(records.density(record)));
  }
  return {columns, std::move(digits), std::move(densities)};
}

Candidates Candidates::seeded(const Domain& domain, std::uint64_t count) {
  SeededRandom random(domain.seed());
  return uniform(domain, count, random);
}

Candidates Candidates::fresh(const Domain& domain, std::uint64_t count, SecureRandom& random) {
  return uniform(domain, count, random);
}

Candidates Candidates::of(const Domain& domain, std::vector<std::uint32_t> digits,
                          std::vector<float> densities) {
  const auto& columns = domain.columns();
  const std::size_t count = digits.size() / columns.size();
  require_count(count);
  if (count * columns.size() != digits.size()) {
    throw InvalidInput(fmt::format("candidates must have {} digits each, but there are {} in all",
                                   columns.size(), digits.size()));
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const Column& column = columns[i % columns.size()];
    if (digits[i] < column.size()) continue;
    throw InvalidInput(
        fmt::format("candidate {} must have a digit below {} for column \"{}\", but has {}",
                    i / columns.size(), column.size(), column.name(), digits[i]));
  }
  if (!densities.empty() && densities.size() != count) {
    throw InvalidInput(fmt::format("{} candidates must have as many densities, but have {}", count,
                                   densities.size()));
  }
  for (std::size_t i = 0; i < densities.size(); ++i) {
    if (densities[i] > 0 && std::isfinite(densities[i])) continue;
    throw InvalidInput(fmt::format("candidate {} must have a positive, finite density, but has {}",
                                   i, densities[i]));
  }
  return {columns.size(), std::move(digits), std::move(densities)};
}

}  // namespace mollify
