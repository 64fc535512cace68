#include "records/private_table.h"

#include <memory>
#include <utility>

#include "records/record_encoder.h"
#include "records/units.h"

namespace mollify {
namespace {

/// Encodes blocks, and calls take(encoder, block) for each, in the records' order.
template <class Take>
class EncodingWorker final : public BlockWorker {
 public:
  EncodingWorker(const Domain& domain, Take& take) : encoder_(domain), take_(take) {}
  void work(const Block& block) override { encoder_.encode(block); }
  void take(const Block& block) override { take_(encoder_, block); }

 private:
  RecordEncoder encoder_;
  Take& take_;
};

/// Calls take(encoder, block) for each block of the source.
template <class Take>
void visit_encoded(const Source& source, const Domain& domain, std::span<const std::size_t> wanted,
                   Take take) {
  source.visit_by(wanted, [&] { return std::make_unique<EncodingWorker<Take>>(domain, take); });
}

/// Calls take(encoder, rows) for each block of the source.
template <class Take>
void visit_records(const Source& source, const Domain& domain, Take take) {
  visit_encoded(source, domain, wanted_columns(source, domain.names()),
                [&](RecordEncoder& encoder, const Block& block) { take(encoder, block.rows); });
}

/// Calls take(encoder, units) for each block, with the unit of each record.
template <class Take>
void visit_units(const Source& source, const Domain& domain, const std::string& unit_column,
                 Units& units, Take take) {
  visit_encoded(source, domain, wanted_columns(source, domain.names(), unit_column),
                [&](RecordEncoder& encoder, const Block& block) {
                  take(encoder, units.of(block.columns.back()));
                });
}

}  // namespace

void require_columns(const Source& source, const Domain& domain,
                     const std::optional<std::string>& unit_column) {
  (void)wanted_columns(source, domain.names(), unit_column);
}

Empirical read_table(const Source& source, const Domain& domain) {
  Tally<std::uint32_t> tally;
  visit_records(source, domain, [&](RecordEncoder& encoder, std::size_t) {
    for (const std::uint32_t outcome : encoder.outcomes()) tally.add(outcome);
  });
  return Empirical(tally.take());
}

std::vector<std::uint32_t> read_outcomes(const Source& source, const Domain& domain) {
  std::vector<std::uint32_t> outcomes;
  visit_records(source, domain, [&](RecordEncoder& encoder, std::size_t) {
    const auto block = encoder.outcomes();
    outcomes.insert(outcomes.end(), block.begin(), block.end());
  });
  return outcomes;
}

UnitTable read_units(const Source& source, const Domain& domain, const std::string& unit_column,
                     const std::optional<StringIndex>& roster) {
  Units units(roster);
  UnitTable::Builder builder;
  visit_units(source, domain, unit_column, units,
              [&](RecordEncoder& encoder, std::span<const std::uint32_t> of) {
                const auto outcomes = encoder.outcomes();
                for (std::size_t row = 0; row < of.size(); ++row) {
                  if (of[row] != Units::kNobody) builder.add(of[row], outcomes[row]);
                }
              });
  UnitTable table = std::move(builder).build(units.ids());
  return roster ? std::move(table) : table.sorted_by_id();
}

std::vector<std::uint32_t> read_table_digits(const Source& source, const Domain& domain,
                                             std::size_t most, SecureRandom& random) {
  const std::size_t columns = domain.columns().size();
  std::vector<std::uint32_t> digits;
  std::uint64_t seen = 0;
  visit_records(source, domain, [&](const RecordEncoder& encoder, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      ++seen;
      std::uint64_t place = seen - 1;
      if (seen <= most) {
        digits.resize(digits.size() + columns);
      } else {
        place = random.below(seen);
      }
      if (place >= most) continue;
      encoder.copy_digits(row, std::span(digits).subspan(place * columns, columns));
    }
  });
  return digits;
}

UnitRecords read_unit_digits(const Source& source, const Domain& domain,
                             const std::string& unit_column,
                             const std::optional<StringIndex>& roster, std::size_t most,
                             SecureRandom& random) {
  Units units(roster);
  UnitRecords::Builder builder(domain.columns().size());
  visit_units(source, domain, unit_column, units,
              [&](const RecordEncoder& encoder, std::span<const std::uint32_t> of) {
                for (std::size_t row = 0; row < of.size(); ++row) {
                  if (of[row] != Units::kNobody) encoder.copy_digits(row, builder.add(of[row]));
                }
              });
  UnitRecords records = std::move(builder).build(units.size());
  records.thin(most, random);
  return records;
}

}  // namespace mollify
