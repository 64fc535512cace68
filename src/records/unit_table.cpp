#include "records/unit_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "records/id_order.h"
#include "records/in_threads.h"

namespace mollify {

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

  /// What a part counted.
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

}  // namespace mollify
