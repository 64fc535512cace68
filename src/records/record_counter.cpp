#include "records/record_counter.h"

#include <span>
#include <utility>

#include "records/record_encoder.h"

namespace mollify {

RecordCounter::RecordCounter(const RecordCounting& counting)
    : counting_(counting), units_(counting.roster) {}

void RecordCounter::add(const Source& part) {
  RecordEncoder encoder(*counting_.domain);
  units_.begin_visit();
  const auto wanted = wanted_columns(part, counting_.domain->names(), counting_.unit);
  part.visit(wanted, [&](const Block& block) {
    encoder.encode(block);
    const auto of =
        counting_.unit ? units_.of(block.columns.back()) : std::span<const std::uint32_t>();
    rows_ += block.rows;
    if (counting_.by_outcome) {
      add_outcomes(encoder.outcomes(), of);
      return;
    }
    const std::size_t columns = counting_.domain->columns().size();
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::uint32_t unit = of.empty() ? 0 : of[row];
      if (unit == Units::kNobody) continue;
      unit_of_.push_back(unit);
      digits_.resize(digits_.size() + columns);
      encoder.copy_digits(row, std::span(digits_).last(columns));
    }
  });
  if (!counting_.unit || counting_.roster != nullptr) return;
  for (; known_units_ < units_.size(); ++known_units_) {
    unit_bytes_ += units_.ids()[known_units_].size();
  }
}

void RecordCounter::add_outcomes(std::span<const std::uint32_t> outcomes,
                                 std::span<const std::uint32_t> of) {
  for (std::size_t row = 0; row < outcomes.size(); ++row) {
    const std::uint32_t unit = of.empty() ? 0 : of[row];
    if (unit != Units::kNobody) tally_.add(std::uint64_t{unit} << 32U | outcomes[row]);
  }
}

bool RecordCounter::is_full() const noexcept {
  constexpr std::size_t kMostRows = std::size_t{1} << 21U;
  constexpr std::size_t kMostBytes = std::size_t{1} << 26U;
  return rows_ >= kMostRows || unit_bytes_ >= kMostBytes ||
         digits_.size() * sizeof(std::uint32_t) >= kMostBytes;
}

void RecordCounter::append_unit(CountedRecords& counted, std::uint32_t unit) const {
  if (counting_.unit) counted.units += units_.ids()[unit];
  counted.unit_ends.push_back(counted.units.size());
}

CountedRecords RecordCounter::take() {
  CountedRecords counted;
  if (counting_.by_outcome) {
    auto counts = tally_.take();
    for (const std::uint64_t key : counts.keys) {
      append_unit(counted, static_cast<std::uint32_t>(key >> 32U));
      counted.records.push_back(static_cast<std::uint32_t>(key));
    }
    counted.counts = std::move(counts.counts);
  } else {
    counted.width = counting_.domain->columns().size();
    for (const std::uint32_t unit : unit_of_) append_unit(counted, unit);
    counted.records = std::exchange(digits_, {});
    counted.counts.assign(unit_of_.size(), 1);
    unit_of_.clear();
  }
  if (counting_.roster == nullptr) units_ = Units(nullptr);
  known_units_ = unit_bytes_ = rows_ = 0;
  return counted;
}

}  // namespace mollify
