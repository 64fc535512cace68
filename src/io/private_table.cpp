#include "mollify/io/private_table.h"

#include <cstdint>
#include <utility>

#include "mollify/io/record_reader.h"

namespace mollify {

Empirical read_table(const std::string& path, const Domain& domain) {
  RecordReader records(path, domain);
  Tally<std::uint32_t> tally;
  while (records.next()) tally.add(records.outcome());
  return Empirical(tally.take());
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

}  // namespace mollify
