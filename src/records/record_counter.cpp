#include "records/record_counter.h"

#include <algorithm>
#include <numeric>
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

void RecordCounter::end_unit(CountedRecords& counted, std::uint32_t unit,
                             std::size_t records) const {
  counted.units += units_.ids()[unit];
  counted.unit_ends.push_back(counted.units.size());
  counted.record_ends.push_back(records);
}

CountedRecords RecordCounter::take() {
  CountedRecords counted = counting_.by_outcome ? take_outcomes() : take_digits();
  if (counting_.roster == nullptr) units_ = Units(nullptr);
  known_units_ = unit_bytes_ = rows_ = 0;
  return counted;
}

CountedRecords RecordCounter::take_outcomes() {
  auto [keys, counts] = tally_.take();
  CountedRecords counted{.counts = std::move(counts)};
  counted.records.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    counted.records.push_back(static_cast<std::uint32_t>(keys[i]));
    const auto unit = static_cast<std::uint32_t>(keys[i] >> 32U);
    const bool is_last = i + 1 == keys.size() || keys[i + 1] >> 32U != unit;
    if (counting_.unit && is_last) end_unit(counted, unit, i + 1);
  }
  return counted;
}

CountedRecords RecordCounter::take_digits() {
  CountedRecords counted{.width = counting_.domain->columns().size()};
  std::vector<std::size_t> ends(units_.size());
  for (const std::uint32_t unit : unit_of_) ++ends[unit];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::size_t{0});
  counted.records.resize(digits_.size());
  for (std::size_t row = 0; row < unit_of_.size(); ++row) {
    const std::size_t place = ends[unit_of_[row]]++;
    std::copy_n(&digits_[row * counted.width], counted.width,
                &counted.records[place * counted.width]);
  }
  std::size_t begin = 0;
  for (std::uint32_t unit = 0; unit < ends.size(); ++unit) {
    if (ends[unit] != begin) end_unit(counted, unit, ends[unit]);
    begin = ends[unit];
  }
  counted.counts.assign(unit_of_.size(), 1);
  digits_ = {};
  unit_of_.clear();
  return counted;
}

}  // namespace mollify
