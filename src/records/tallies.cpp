#include "records/tallies.h"

#include "base/threads.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "records/sink.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The empirical distributions of many units.

/// Brings the records of parts together, unit by unit.
class UnitTable::Merge {
 public:
  explicit Merge(std::span<const Part> parts) : parts_(parts), counts_(parts.size()) {
    in_threads(parts.size(), parts.size(), [&]() -> RangeWork {
      return [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          counts_[i].of = parts_[i].records->tally_.take();
          counts_[i].find_units(parts_[i].ids->size());
        }
      };
    });
  }

  /// The ids of all units, and which of these each unit of the table is.
  void number(bool same_units, StringIndex& ids, std::vector<std::uint32_t>& order) {
    ids = *parts_.front().ids;
    if (same_units) {
      order.resize(ids.size());
      std::iota(order.begin(), order.end(), std::uint32_t{0});
      return;
    }
    std::vector<std::vector<std::uint32_t>> numbers(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const StringIndex& own = *parts_[i].ids;
      for (std::size_t unit = 0; unit < own.size(); ++unit) {
        numbers[i].push_back(ids.insert(own[unit]));
      }
    }
    order = in_order_of_bytes(ids);
    std::vector<std::uint32_t> ranks(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
    place_begins_.assign(order.size() + 1, 0);
    for (std::vector<std::uint32_t>& of : numbers) {
      for (std::uint32_t& number : of) ++place_begins_[(number = ranks[number]) + 1];
    }
    std::partial_sum(place_begins_.begin(), place_begins_.end(), place_begins_.begin());
    places_.resize(place_begins_.back());
    std::vector<std::size_t> next(place_begins_.begin(), place_begins_.end() - 1);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
      for (std::uint32_t unit = 0; unit < numbers[i].size(); ++unit) {
        places_[next[numbers[i][unit]]++] = {i, unit};
      }
    }
  }

  /// Units first ... last - 1 of these.
  [[nodiscard]] Piece piece(std::size_t first, std::size_t last) const {
    std::vector<Record> all, unit, more;
    std::vector<std::size_t> begins = {0};
    for (std::size_t i = first; i < last; ++i) {
      unit.clear();
      if (place_begins_.empty()) {
        for (const Counts& part : counts_) part.add_to(unit, i, more);
      } else {
        for (std::size_t j = place_begins_[i]; j < place_begins_[i + 1]; ++j) {
          counts_[places_[j].part].add_to(unit, places_[j].unit, more);
        }
      }
      all.insert(all.end(), unit.begin(), unit.end());
      begins.push_back(all.size());
    }
    Piece made{std::move(begins), std::vector<std::uint32_t>(all.size()),
               std::vector<double>(all.size())};
    for (std::size_t i = 0; i < all.size(); ++i) {
      made.outcomes[i] = all[i].outcome;
      made.weights[i] = static_cast<double>(all[i].count);
    }
    return made;
  }

 private:
  struct Record {
    std::uint32_t outcome;
    std::uint64_t count;
  };

  /// The counts of a part.
  struct Counts {
    Tally<std::uint64_t>::Counts of{};
    std::vector<std::size_t> begins{};  // of its units; one more than there are

    void find_units(std::size_t units) {
      begins.reserve(units + 1);
      for (std::size_t i = 0; i < of.keys.size(); ++i) {
        while (begins.size() <= of.keys[i] >> 32U) begins.push_back(i);
      }
      begins.resize(units + 1, of.keys.size());
    }

    /// Adds a unit's records to those in `all`, ascending as they are; `before` is for memory.
    void add_to(std::vector<Record>& all, std::size_t unit, std::vector<Record>& before) const {
      before.swap(all);
      all.clear();
      auto old = before.begin();
      for (std::size_t i = begins[unit]; i < begins[unit + 1]; ++i) {
        Record record{static_cast<std::uint32_t>(of.keys[i]), of.counts[i]};
        while (old != before.end() && old->outcome < record.outcome) all.push_back(*old++);
        if (old != before.end() && old->outcome == record.outcome) {
          record.count = sum_of_counts(record.count, old++->count);
        }
        all.push_back(record);
      }
      all.insert(all.end(), old, before.end());
    }
  };

  struct Place {
    std::uint32_t part;
    std::uint32_t unit;
  };

  std::span<const Part> parts_;
  std::vector<Counts> counts_;
  // Where a unit's records are, if parts number units in ways of their own: those of one together.
  std::vector<Place> places_;
  std::vector<std::size_t> place_begins_;  // one more than there are units
};

UnitTable UnitTable::of(std::span<const Part> parts, bool same_units) {
  Merge merge(parts);
  UnitTable table;
  merge.number(same_units, table.ids_, table.order_);
  table.pieces_.resize((table.size() + kUnitsOfPiece - 1) / kUnitsOfPiece);
  in_threads(table.pieces_.size(), parts.size(), [&]() -> RangeWork {
    return [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        table.pieces_[i] =
            merge.piece(i * kUnitsOfPiece, std::min((i + 1) * kUnitsOfPiece, table.size()));
      }
    };
  });
  return table;
}

std::span<const std::uint32_t> UnitTable::outcomes(std::size_t unit) const noexcept {
  const Piece& piece = pieces_[unit / kUnitsOfPiece];
  return of_unit(piece, piece.outcomes, unit);
}

std::span<const double> UnitTable::weights(std::size_t unit) const noexcept {
  const Piece& piece = pieces_[unit / kUnitsOfPiece];
  return of_unit(piece, piece.weights, unit);
}

// -----------------------------------------------------------------------------------------------
// The empirical distribution of records over a domain's outcomes.

Empirical::Empirical(Tally<std::uint32_t>::Counts counts)
    : weights_(counts.counts.size()),
      total_(static_cast<std::uint64_t>(
          std::min<uint128>(record_count(counts), std::numeric_limits<std::uint64_t>::max()))) {
  outcomes_ = std::move(counts.keys);
  counts_ = std::move(counts.counts);
  std::transform(counts_.begin(), counts_.end(), weights_.begin(),
                 [](std::uint64_t count) { return static_cast<double>(count); });
}

// -----------------------------------------------------------------------------------------------
// How often each outcome occurs.

OutcomeHistogram counts_of(std::span<const std::uint32_t> records) {
  Tally<std::uint32_t> tally;
  for (const std::uint32_t record : records) tally.add(record);
  return tally.take();
}

OutcomeHistogram merged(const OutcomeHistogram& left, const OutcomeHistogram& right) {
  OutcomeHistogram both;
  both.keys.reserve(left.keys.size() + right.keys.size());
  both.counts.reserve(left.keys.size() + right.keys.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.keys.size() || j < right.keys.size()) {
    const bool from_left =
        j == right.keys.size() || (i < left.keys.size() && left.keys[i] <= right.keys[j]);
    const bool from_right =
        i == left.keys.size() || (j < right.keys.size() && right.keys[j] <= left.keys[i]);
    both.keys.push_back(from_left ? left.keys[i] : right.keys[j]);
    both.counts.push_back(
        sum_of_counts(from_left ? left.counts[i] : 0, from_right ? right.counts[j] : 0));
    i += from_left ? 1 : 0;
    j += from_right ? 1 : 0;
  }
  return both;
}

uint128 record_count(const OutcomeHistogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), uint128{0});
}

// -----------------------------------------------------------------------------------------------
// Counts of records, as a table again.

namespace {

/// Any value of a cell does, because it is read back into the cell.
struct FirstPoint {
  [[nodiscard]] static std::uint64_t below(std::uint64_t /*bound*/) { return 0; }
};

}  // namespace

std::unique_ptr<const MemorySource> counted_table(const Domain& domain,
                                                  const CountedRecords& counted) {
  struct Rows {
    MemorySink records;
    std::vector<std::int64_t> counts;
  };
  const auto rows = std::make_shared<Rows>();
  FirstPoint first;
  RecordWriter writer(domain, rows->records);
  for (const std::uint32_t outcome : counted.records) {
    writer.write_outcome(outcome < domain.size() ? outcome : 0, first);
  }
  writer.finish();
  rows->counts.assign(counted.counts.begin(), counted.counts.end());
  std::vector<std::string> names = domain.names();
  std::string count = "count";
  while (std::find(names.begin(), names.end(), count) != names.end()) count += '_';
  std::vector<Values> columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.push_back(rows->records.column(i));
  names.push_back(count);
  columns.emplace_back(std::span<const std::int64_t>(rows->counts));
  return std::make_unique<const MemorySource>(std::move(names), std::move(columns), rows);
}

// -----------------------------------------------------------------------------------------------
// Private records, counted in parts of the data by workers that share nothing.

RecordCounter::RecordCounter(const RecordCounting& counting)
    : counting_(counting), units_(counting.roster) {}

void RecordCounter::add(const Source& part) {
  RecordEncoder encoder(*counting_.domain);
  units_.begin_visit();
  const auto wanted = wanted_columns(part, counting_.domain->names(), counting_.unit);
  part.visit(wanted, [&](const Block& block) {
    encoder.encode(block);
    const auto of = counting_.unit
                        ? units_.of(block.columns.subspan(counting_.domain->columns().size()))
                        : std::span<const std::uint32_t>();
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
