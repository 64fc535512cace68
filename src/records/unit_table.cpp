#include "records/unit_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mollify {

UnitTable UnitTable::Builder::build(StringIndex ids) && {
  const auto counts = tally_.take();
  UnitTable table;
  table.ids_ = std::move(ids);
  table.begins_.reserve(table.ids_.size() + 1);
  table.outcomes_.reserve(counts.keys.size());
  table.weights_.reserve(counts.keys.size());
  for (std::size_t i = 0; i < counts.keys.size(); ++i) {
    const std::size_t unit = counts.keys[i] >> 32U;
    while (table.begins_.size() <= unit) table.begins_.push_back(i);
    table.outcomes_.push_back(static_cast<std::uint32_t>(counts.keys[i]));
    table.weights_.push_back(static_cast<double>(counts.counts[i]));
  }
  while (table.begins_.size() <= table.ids_.size()) table.begins_.push_back(counts.keys.size());
  return table;
}

UnitTable UnitTable::sorted_by_id() const {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::size_t left, std::size_t right) { return id(left) < id(right); });
  UnitTable table;
  table.outcomes_.reserve(outcomes_.size());
  table.weights_.reserve(weights_.size());
  table.begins_.reserve(begins_.size());
  table.begins_.push_back(0);
  for (const std::size_t unit : order) {
    table.ids_.insert(id(unit));
    const auto unit_outcomes = outcomes(unit);
    const auto unit_weights = weights(unit);
    table.outcomes_.insert(table.outcomes_.end(), unit_outcomes.begin(), unit_outcomes.end());
    table.weights_.insert(table.weights_.end(), unit_weights.begin(), unit_weights.end());
    table.begins_.push_back(table.outcomes_.size());
  }
  return table;
}

UnitTable UnitTable::merged(std::span<const UnitTable> tables, bool same_units) {
  struct Place {
    const UnitTable* table;
    std::size_t unit;
    [[nodiscard]] std::string_view id() const { return table->id(unit); }
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t unit = 0; unit < tables[i].size(); ++unit)
      places.push_back({&tables[i], unit});
  }
  if (same_units) {
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& left, const Place& right) { return left.unit < right.unit; });
  } else {
    std::sort(places.begin(), places.end(),
              [](const Place& left, const Place& right) { return left.id() < right.id(); });
  }
  UnitTable all;
  all.begins_.push_back(0);
  std::vector<std::pair<std::uint32_t, double>> records;
  for (std::size_t i = 0; i < places.size();) {
    const std::string_view id = places[i].id();
    records.clear();
    for (; i < places.size() && places[i].id() == id; ++i) {
      const auto outcomes = places[i].table->outcomes(places[i].unit);
      const auto weights = places[i].table->weights(places[i].unit);
      for (std::size_t j = 0; j < outcomes.size(); ++j) {
        records.emplace_back(outcomes[j], weights[j]);
      }
    }
    std::sort(records.begin(), records.end());
    all.ids_.insert(id);
    for (const auto& [outcome, weight] : records) {
      if (all.outcomes_.size() == all.begins_.back() || all.outcomes_.back() != outcome) {
        all.outcomes_.push_back(outcome);
        all.weights_.push_back(weight);
      } else {
        all.weights_.back() += weight;
      }
    }
    all.begins_.push_back(all.outcomes_.size());
  }
  return all;
}

std::span<const std::uint32_t> UnitTable::outcomes(std::size_t unit) const noexcept {
  return std::span(outcomes_).subspan(begins_[unit], begins_[unit + 1] - begins_[unit]);
}

std::span<const double> UnitTable::weights(std::size_t unit) const noexcept {
  return std::span(weights_).subspan(begins_[unit], begins_[unit + 1] - begins_[unit]);
}

}  // namespace mollify
