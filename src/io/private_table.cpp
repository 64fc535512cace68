#include "io/private_table.h"

#include <cstdint>
#include <utility>

#include "io/record_reader.h"

namespace mollify {

Empirical read_table(const std::string& path, const Domain& domain) {
  RecordReader records(path, domain);
  Tally<std::uint32_t> tally;
  while (records.next()) tally.add(records.outcome());
  return Empirical(tally.take());
}

std::vector<std::uint32_t> read_outcomes(const std::string& path, const Domain& domain) {
  RecordReader records(path, domain);
  std::vector<std::uint32_t> outcomes;
  while (records.next_line()) outcomes.push_back(records.outcome());
  return outcomes;
}

UnitTable read_units(const std::string& path, const Domain& domain, const std::string& unit_column,
                     const std::optional<StringIndex>& roster) {
  RecordReader records(path, domain, unit_column);
  UnitTable::Builder builder;
  if (roster) {
    while (records.next()) {
      const std::uint32_t unit = roster->find(records.unit());
      if (unit != StringIndex::kAbsent) builder.add(unit, records.outcome());
    }
    return std::move(builder).build(*roster);
  }
  StringIndex units;
  while (records.next()) {
    if (!records.unit().empty()) builder.add(units.insert(records.unit()), records.outcome());
  }
  return std::move(builder).build(std::move(units)).sorted_by_id();
}

std::vector<std::uint32_t> read_table_digits(const std::string& path, const Domain& domain,
                                             std::size_t most, SecureRandom& random) {
  RecordReader records(path, domain);
  const std::size_t columns = domain.columns().size();
  std::vector<std::uint32_t> digits;
  std::uint64_t seen = 0;
  while (records.next()) {
    ++seen;
    std::uint64_t place = seen - 1;
    if (seen <= most) {
      digits.resize(digits.size() + columns);
    } else {
      place = random.below(seen);
    }
    if (place >= most) continue;
    records.read_digits(std::span(digits).subspan(place * columns, columns));
  }
  return digits;
}

UnitRecords read_unit_digits(const std::string& path, const Domain& domain,
                             const std::string& unit_column,
                             const std::optional<StringIndex>& roster) {
  RecordReader records(path, domain, unit_column);
  UnitRecords::Builder builder(domain.columns().size());
  if (roster) {
    while (records.next()) {
      const std::uint32_t unit = roster->find(records.unit());
      if (unit != StringIndex::kAbsent) records.read_digits(builder.add(unit));
    }
    return std::move(builder).build(roster->size());
  }
  StringIndex units;
  while (records.next()) {
    if (!records.unit().empty()) records.read_digits(builder.add(units.insert(records.unit())));
  }
  return std::move(builder).build(units.size());
}

}  // namespace mollify
