// Releases from one private model of a whole table.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/densities.h"
#include "domain/domain.h"
#include "domain/possible.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/private_bins.h"
#include "methods/marginals/triples.h"
#include "records/private_table.h"
#include "records/sink.h"

namespace mollify {

namespace {

/// Counts of some columns of the table.
struct CountedColumns {
  CountedColumns(std::vector<std::size_t> of, std::vector<CellGroups> in,
                 std::vector<Triple> triples = {})
      : columns(std::move(of)), bins(std::move(in)), counts(sizes_of(bins), std::move(triples)) {}

  static std::vector<std::uint32_t> sizes_of(const std::vector<CellGroups>& bins) {
    std::vector<std::uint32_t> sizes;
    for (const CellGroups& column : bins) sizes.push_back(column.count);
    return sizes;
  }

  std::vector<std::size_t> columns;
  std::vector<CellGroups> bins;  ///< the counts of each of these columns' cells
  PairCounts counts;
};

/// The records of a table, counted as often as they are asked for.
class TableRecords {
 public:
  TableRecords(const Source& data, const Domain& domain, const UnitColumns& unit,
               const std::optional<Roster>& roster, SecureRandom& random)
      : data_(data), domain_(domain) {
    if (const auto weights = data.weights()) most_weight_ = weights->greatest;
    if (!unit) return;
    // Of more rows than there is weight, one for each unit of weight is drawn.
    units_.emplace(read_unit_digits(data, domain, unit, roster, kUnitWeight, random));
    for (std::size_t one = 0; one < units_->size(); ++one) {
      // A unit without rows has no weight.
      if (most_weight_ || !units_->digits(one).empty()) continue;
      for (const Column& column : domain.columns()) {
        uniform_.push_back(static_cast<std::uint32_t>(random.below(column.size())));
      }
      if (domain.possible() != nullptr) {
        domain.possible()->map(std::span(uniform_).last(domain.columns().size()));
      }
    }
  }

  void count(std::vector<CountedColumns>& tables) const {
    if (units_) return count_units(tables);
    std::vector<PairCounter> counters;
    for (const CountedColumns& table : tables) {
      counters.emplace_back(table.counts.sizes(), table.counts.triples());
    }
    std::vector<std::vector<std::uint32_t>> binned(domain_.columns().size());
    std::vector<std::span<const std::uint32_t>> counted;
    visit_digits(data_, domain_,
                 [&](std::span<const std::span<const std::uint32_t>> digits,
                     std::span<const std::uint64_t> weights) {
                   for (std::size_t at = 0; at < tables.size(); ++at) {
                     const CountedColumns& table = tables[at];
                     counted.clear();
                     for (std::size_t i = 0; i < table.columns.size(); ++i) {
                       const auto of_column = digits[table.columns[i]];
                       const CellGroups& bins = table.bins[i];
                       if (bins.count == bins.of.size()) {  // every cell by itself
                         counted.push_back(of_column);
                         continue;
                       }
                       binned[i].clear();
                       for (const std::uint32_t digit : of_column)
                         binned[i].push_back(bins.of[digit]);
                       counted.push_back(binned[i]);
                     }
                     counters[at].add(counted, weights);
                   }
                 });
    for (std::size_t at = 0; at < tables.size(); ++at) {
      tables[at].counts = std::move(counters[at]).take();
    }
  }

 private:
  void count_units(std::vector<CountedColumns>& tables) const {
    const std::size_t columns = domain_.columns().size();
    std::vector<std::uint32_t> binned;
    std::span<const std::uint32_t> uniform = uniform_;
    for (std::size_t unit = 0; unit < units_->size(); ++unit) {
      std::span<const std::uint32_t> digits = units_->digits(unit);
      if (digits.empty() && !most_weight_) {
        digits = uniform.first(columns);
        uniform = uniform.subspan(columns);
      }
      for (CountedColumns& table : tables) {
        binned.clear();
        for (std::size_t row = 0; row < digits.size(); row += columns) {
          for (std::size_t i = 0; i < table.columns.size(); ++i) {
            binned.push_back(table.bins[i].of[digits[row + table.columns[i]]]);
          }
        }
        if (most_weight_) {
          table.counts.add_unit(binned, units_->weights(unit), *most_weight_);
        } else {
          table.counts.add_unit(binned, kUnitWeight);
        }
      }
    }
  }

  const Source& data_;
  const Domain& domain_;
  std::optional<std::uint64_t> most_weight_;  // of a row or a unit, where rows have weights
  std::optional<UnitRecords> units_;
  std::vector<std::uint32_t> uniform_;  // a record of each unit without rows
};

/// Every cell of a column by itself, or together where nothing is asked about it.
FoundBins uncut(const Domain& domain, std::size_t column) {
  const std::uint32_t size = domain.columns()[column].size();
  const bool follows = domain.possible() != nullptr && domain.possible()->follows(column);
  return follows ? one_bin(size) : without_search(size);
}

/// Every cell by itself.
std::vector<FoundBins> cells_of(const Domain& domain) {
  std::vector<FoundBins> cells;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    cells.push_back(uncut(domain, i));
  }
  return cells;
}

std::vector<CellGroups> groups_of(const std::vector<FoundBins>& bins) {
  std::vector<CellGroups> groups;
  for (const FoundBins& column : bins) groups.push_back(column.groups);
  return groups;
}

/// The cuts of every column: private bins, found now, or its cells.
std::vector<FoundBins> found_bins(const MarginalDesign& design, const Domain& domain,
                                  const TableRecords& records, const MarginalBudget& budget,
                                  PartsLeft& parts, SecureRandom& random,
                                  std::vector<MeasuredTable>& measured) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  std::vector<FoundBins> bins;
  std::vector<CountedColumns> fine;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bins.push_back(uncut(domain, i));
    if (columns[i].private_bins) fine.emplace_back(std::vector{i}, std::vector{bins.back().groups});
  }
  if (fine.empty()) return bins;
  records.count(fine);
  for (const CountedColumns& one : fine) {
    const std::size_t i = one.columns.front();
    PrivateMarginals answers(one.counts, budget, random, parts);
    RecordedAnswers recorded(answers, budget);
    bins[i] = find_bins(columns[i], recorded, budget, design.cut_parts,
                        axis_of_fine_cells(domain.columns()[i]));
    for (const MeasuredTable& level : recorded.measured()) {
      measured.push_back(level);
      measured.back().columns = {i};
    }
    if (domain.possible() != nullptr) {
      bins[i] = cut_by_class(std::move(bins[i]), domain.possible()->classes(i));
    }
    parts = answers.rest();
  }
  return bins;
}

PairCounts counts_in(const TableRecords& records, std::vector<CellGroups> bins,
                     std::vector<Triple> triples = {}) {
  std::vector<std::size_t> all(bins.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<CountedColumns> table;
  table.emplace_back(std::move(all), std::move(bins), std::move(triples));
  records.count(table);
  return std::move(table.front().counts);
}

/// A column that follows has one cell, because nothing is asked about it.
std::vector<std::uint32_t> sizes_of(const Domain& domain) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const bool follows = domain.possible() != nullptr && domain.possible()->follows(i);
    sizes.push_back(follows ? 1 : domain.columns()[i].size());
  }
  return sizes;
}

/// Counts pairs of cells in a part of the rows.
class PairCountsPart final : public SummedPart {
 public:
  PairCountsPart(const Domain& domain, std::vector<Triple> triples)
      : domain_(domain), triples_(std::move(triples)), counter_(sizes_of(domain), triples_) {}

  void add(const Source& records) override {
    std::vector<std::span<const std::uint32_t>> counted;
    std::vector<std::uint32_t> zeros;
    visit_digits(records, domain_,
                 [&](std::span<const std::span<const std::uint32_t>> digits,
                     std::span<const std::uint64_t> weights) {
                   counted.assign(digits.begin(), digits.end());
                   zeros.resize(std::max(zeros.size(), digits.front().size()));
                   for (std::size_t i = 0; i < counted.size(); ++i) {
                     if (domain_.possible() == nullptr || !domain_.possible()->follows(i)) continue;
                     counted[i] = std::span<const std::uint32_t>(zeros).first(digits[i].size());
                   }
                   counter_.add(counted, weights);
                 });
  }
  PartSums take() override {
    return {0, std::exchange(counter_, PairCounter(sizes_of(domain_), triples_)).take().all()};
  }

 private:
  const Domain& domain_;
  std::vector<Triple> triples_;
  PairCounter counter_;
};

/// Counts drawn rows in bins of each column's cells.
class DrawnCells {
 public:
  explicit DrawnCells(std::vector<CellGroups> bins)
      : bins_(std::move(bins)), waiting_(bins_.size()), counter_(CountedColumns::sizes_of(bins_)) {}

  void see(std::span<const std::uint32_t> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) waiting_[i].push_back(bins_[i].of[cells[i]]);
    if (waiting_.front().size() == PairCounter::kRows) count();
  }
  [[nodiscard]] PairCounts take() && {
    count();
    return std::move(counter_).take();
  }

 private:
  void count() {
    counter_.add(std::vector<std::span<const std::uint32_t>>(waiting_.begin(), waiting_.end()));
    for (std::vector<std::uint32_t>& column : waiting_) column.clear();
  }

  std::vector<CellGroups> bins_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // of each column, of rows
  PairCounter counter_;
};

/// How far these rows are from the table, with this many parts.
MeasuredDistances measured_distances(const MarginalDesign& design, const MarginalBudget& budget,
                                     PrivateMarginals& answers, const DrawnRows& rows,
                                     std::uint32_t parts) {
  MeasuredDistances found{
      .columns = asked_columns(design), .rows = rows.rows, .weight = rows.weight, .parts = parts};
  found.sums = answers.distances(rows, found.columns, parts);
  const double deviation =
      budget.deviation_of(budget.distance_noise(parts, design.request.pairs()));
  found.variance = deviation * deviation;
  return found;
}

/// How far the drawn rows are from the table, and how far independent columns would be.
void measure_error(const MarginalDesign& design, const MarginalBudget& budget,
                   PrivateMarginals& answers, PairCounts rows, std::uint64_t count,
                   Measurements& made) {
  const std::uint64_t weight = table_weight(design, made.tables);
  made.error =
      measured_distances(design, budget, answers, {rows, count, weight}, design.rows_parts());
  const std::uint64_t products = make_independent(rows, count);
  made.independent = measured_distances(design, budget, answers, {rows, products, weight},
                                        design.independent_parts());
}

class MarginalsRelease final : public PreparedRelease, public SummedRelease {
 public:
  /// `reference`: public records as digits that lie end to end, or nothing.
  MarginalsRelease(DesignedRelease made, Domain domain, std::optional<Roster> roster,
                   std::vector<std::uint32_t> reference)
      : PreparedRelease(std::move(made.certificate), domain),
        domain_(std::move(domain)),
        roster_(std::move(roster)),
        reference_(std::move(reference)) {}

  void require_table(const Source& data) const override {
    require_columns(data, domain_, certificate().spec.unit);
    require_single_records(data, method_words("marginals"), true);
    // A pass finds private bins, and one counts in them; units are held.
    if (has_private_bins() && !certificate().spec.unit) data.require_repeatable();
  }

  RecordCounting counting_of_table() const override {
    throw InvalidInput(
        "not-available-here",
        method_words("marginals") +
            " needs the records themselves, so nothing of them can be counted before");
  }

  Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                   std::size_t /*threads*/) const override {
    const MarginalDesign& design = *certificate().as<MarginalDesign>();
    const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
    const TableRecords records(data, domain_, certificate().spec.unit, roster_, random);
    PartsLeft parts;
    std::vector<MeasuredTable> measured;
    const std::vector<FoundBins> bins =
        found_bins(design, domain_, records, budget, parts, random, measured);
    const std::vector<Triple> triples = counted_triples(with_bins(design, bins).request);
    return draw_from(counts_in(records, groups_of(bins), triples), bins, parts, std::move(measured),
                     random, sink);
  }

  void require_sums() const override {
    refuse_if(has_private_bins(), "not-available-here", {},
              "private bins are found by a pass before the counts, so such a release is made where "
              "the table is");
    if (certificate().spec.weights) refuse_sums_of_weights();
    if (!certificate().spec.unit) return;
    throw InvalidInput("not-available-here",
                       method_words("marginals") +
                           " with a unit shares out each unit's weight among its rows, and needs "
                           "more than counts of all rows",
                       "unit");
  }

  std::unique_ptr<SummedPart> part(const std::string& /*pass*/,
                                   std::uint64_t /*number*/) const override {
    return std::make_unique<PairCountsPart>(domain_, triples());
  }

  Drawn draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const override {
    return draw_from(PairCounts(sizes_of(domain_), triples(), sum_up({})), cells_of(domain_),
                     PartsLeft(), {}, random, sink);
  }

 private:
  /// Without private bins.
  [[nodiscard]] std::vector<Triple> triples() const {
    return counted_triples(certificate().as<MarginalDesign>()->request);
  }
  [[nodiscard]] bool has_private_bins() const {
    const std::vector<MarginalColumn>& columns =
        certificate().as<MarginalDesign>()->request.columns;
    return std::any_of(columns.begin(), columns.end(),
                       [](const MarginalColumn& column) { return column.private_bins; });
  }

  /// `counts` are of bins; `parts` is what finding these has left, and `measured` what it was
  /// answered.
  Drawn draw_from(const PairCounts& counts, const std::vector<FoundBins>& bins, PartsLeft parts,
                  std::vector<MeasuredTable> measured, SecureRandom& random, Sink& sink) const {
    const MarginalDesign& design = *certificate().as<MarginalDesign>();
    std::optional<PartsLeft> of_error;
    if (design.error_parts > 0) of_error = parts.set_apart(design.error_parts);
    const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
    PrivateMarginals answers(counts, budget, random, parts);
    RecordedAnswers recorded(answers, budget);
    std::optional<PairCounts> reference;
    if (!reference_.empty()) reference = reference_counts(groups_of(bins));
    std::optional<RulesOfCells> rules;
    if (domain_.possible() != nullptr)
      rules.emplace(RulesOfCells{*domain_.possible(), groups_of(bins)});
    std::vector<ColumnAxis> axes;
    for (const Column& column : domain_.columns()) axes.push_back(axis_of(column));
    const MarginalModel model =
        with_shapes(without_bins(learn_marginals(with_bins(design, bins), recorded,
                                                 reference ? &*reference : nullptr,
                                                 rules ? &*rules : nullptr, &axes),
                                 bins, reference_columns()),
                    domain_.columns(), budget.deviation(design.column_parts));
    RecordWriter writer(domain_, sink);
    std::optional<DrawnCells> drawn;
    if (of_error) drawn.emplace(groups_of(bins));
    write_rows(
        model, *certificate().spec.count, {}, random, writer,
        drawn ? [&](std::span<const std::uint32_t> cells) { drawn->see(cells); } : SeeCells{});
    writer.finish();
    Measurements made =
        published_measurements(certificate(), std::move(measured), recorded, groups_of(bins));
    if (of_error) {
      PrivateMarginals last(counts, budget, random, *of_error);
      measure_error(design, budget, last, std::move(*drawn).take(), *certificate().spec.count,
                    made);
    }
    return {released_model_text(model, domain_, design.guarantee, &made)};
  }

  /// Public records in bins.
  [[nodiscard]] PairCounts reference_counts(const std::vector<CellGroups>& bins) const {
    PairCounts counts(CountedColumns::sizes_of(bins));
    std::vector<std::uint32_t> record(bins.size());
    for (std::size_t at = 0; at < reference_.size(); at += record.size()) {
      for (std::size_t i = 0; i < record.size(); ++i) record[i] = bins[i].of[reference_[at + i]];
      counts.add(record, 1);
    }
    return counts;
  }

  /// Of each column how many public records each cell has.
  [[nodiscard]] std::vector<std::vector<double>> reference_columns() const {
    std::vector<std::vector<double>> columns;
    for (const Column& column : domain_.columns()) columns.emplace_back(column.size());
    for (std::size_t at = 0; at < reference_.size(); ++at) {
      ++columns[at % columns.size()][reference_[at]];
    }
    return columns;
  }

  Domain domain_;
  std::optional<Roster> roster_;
  std::vector<std::uint32_t> reference_;
};

}  // namespace

PairCounts exact_pair_counts(const Source& data, const Domain& domain, const UnitColumns& unit,
                             const std::optional<Roster>& roster, SecureRandom& random) {
  return counts_in(TableRecords(data, domain, unit, roster, random), groups_of(cells_of(domain)));
}

std::unique_ptr<const PreparedRelease> make_marginals_release(
    DesignedRelease made, Domain domain, std::optional<Roster> roster,
    std::vector<std::uint32_t> reference) {
  return std::make_unique<const MarginalsRelease>(std::move(made), std::move(domain),
                                                  std::move(roster), std::move(reference));
}

}  // namespace mollify
