#include "records/private_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "base/speech.h"
#include "domain/column.h"
#include "domain/domain.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Reads private records in a domain's outcomes or digits.

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

/// Encodes blocks and counts their records apart from other threads, in whatever order.
template <class Count>
class CountingWorker final : public BlockWorker {
 public:
  CountingWorker(const Domain& domain, const Count& count) : encoder_(domain), count_(count) {}
  void work(const Block& block) override {
    encoder_.encode(block);
    count_(encoder_, block);
  }
  [[nodiscard]] bool takes() const noexcept override { return false; }
  void take(const Block& /*block*/) override {}

 private:
  RecordEncoder encoder_;
  Count count_;
};

/// Calls take(encoder, block) for each block of the source.
template <class Take>
void visit_encoded(const Source& source, const Domain& domain, std::span<const std::size_t> wanted,
                   Take take) {
  source.visit_by(wanted, [&] { return std::make_unique<EncodingWorker<Take>>(domain, take); });
}

/// Calls take(encoder, block) for each block of the source's records.
template <class Take>
void visit_records(const Source& source, const Domain& domain, Take take) {
  visit_encoded(source, domain, wanted_columns(source, domain.names()), take);
}

/// Calls take(encoder, units, block) for each block, with the unit of each row.
template <class Take>
void visit_units(const Source& source, const Domain& domain, const UnitColumns& unit, Units& units,
                 Take take) {
  visit_encoded(source, domain, wanted_columns(source, domain.names(), unit),
                [&](RecordEncoder& encoder, const Block& block) {
                  take(encoder, units.of(block.columns.subspan(domain.columns().size())), block);
                });
}

}  // namespace

void require_columns(const Source& source, const Domain& domain, const UnitColumns& unit) {
  (void)wanted_columns(source, domain.names(), unit);
}

OutcomeHistogram read_counts(const Source& source, const Domain& domain) {
  std::vector<std::unique_ptr<Tally<std::uint32_t>>> parts;
  source.visit_by(wanted_columns(source, domain.names()), [&]() -> std::unique_ptr<BlockWorker> {
    Tally<std::uint32_t>& part = *parts.emplace_back(std::make_unique<Tally<std::uint32_t>>());
    const auto count = [&part](RecordEncoder& encoder, const Block& block) {
      const auto outcomes = encoder.outcomes();
      for (std::size_t row = 0; row < block.rows; ++row) {
        part.add(outcomes[row], block.amount(row));
      }
    };
    return std::make_unique<CountingWorker<decltype(count)>>(domain, count);
  });
  OutcomeHistogram all = parts.front()->take();
  for (std::size_t i = 1; i < parts.size(); ++i) all = merged(all, parts[i]->take());
  return all;
}

void visit_digits(const Source& source, const Domain& domain, const TakeDigits& take) {
  std::vector<std::span<const std::uint32_t>> digits(domain.columns().size());
  visit_records(source, domain, [&](const RecordEncoder& encoder, const Block& block) {
    for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = encoder.digits(i);
    take(digits, block.weights);
  });
}

std::vector<std::uint32_t> read_outcomes(const Source& source, const Domain& domain) {
  std::vector<std::uint32_t> outcomes;
  visit_records(source, domain, [&](RecordEncoder& encoder, const Block&) {
    const auto block = encoder.outcomes();
    outcomes.insert(outcomes.end(), block.begin(), block.end());
  });
  return outcomes;
}

Empirical read_table(const Source& source, const Domain& domain) {
  return Empirical(read_counts(source, domain));
}

void require_single_records(const Source& source, std::string_view what, bool takes_weights) {
  if (!source.has_counts()) return;
  std::vector<WayOut> ways = {WayOut::leave("counts-column")};
  if (takes_weights) ways.push_back(WayOut::set("weights"));
  refuse_input("not-for-this-method", "counts-column", std::move(ways),
               "{} needs a row for each record, but each row of {} counts as a number of them{}",
               what, source.name(),
               takes_weights ? fmt::format(": {} takes such a column, with {}",
                                           flag_words("weights"), flag_words("greatest-weight"))
                             : std::string());
}

UnitTable read_units(const Source& source, const Domain& domain, const UnitColumns& unit,
                     const std::optional<Roster>& roster) {
  struct Part {
    explicit Part(const std::optional<Roster>& of) : units(of) {}
    Units units;
    UnitTable::Builder records{};
  };
  std::vector<std::unique_ptr<Part>> parts;
  const auto wanted = wanted_columns(source, domain.names(), unit);
  source.visit_by(wanted, [&]() -> std::unique_ptr<BlockWorker> {
    Part& part = *parts.emplace_back(std::make_unique<Part>(roster));
    const auto count = [&part, width = domain.columns().size()](RecordEncoder& encoder,
                                                                const Block& block) {
      const auto outcomes = encoder.outcomes();
      const auto of = part.units.of(block.columns.subspan(width));
      for (std::size_t row = 0; row < of.size(); ++row) {
        if (of[row] == Units::kNobody) continue;
        part.records.add(of[row], outcomes[row], block.amount(row));
      }
    };
    return std::make_unique<CountingWorker<decltype(count)>>(domain, count);
  });
  std::vector<UnitTable::Part> made;
  for (const auto& part : parts) made.push_back({&part->records, &part->units.ids()});
  return UnitTable::of(made, roster.has_value());
}

TableDigits read_table_digits(const Source& source, const Domain& domain, std::size_t most,
                              SecureRandom& random) {
  const std::size_t columns = domain.columns().size();
  TableDigits table;
  std::uint64_t seen = 0;
  visit_records(source, domain, [&](const RecordEncoder& encoder, const Block& block) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      ++seen;
      std::uint64_t place = seen - 1;
      if (seen <= most) {
        table.digits.resize(table.digits.size() + columns);
        if (!block.weights.empty()) table.weights.emplace_back();
      } else {
        place = random.below(seen);
      }
      if (place >= most) continue;
      encoder.copy_digits(row, std::span(table.digits).subspan(place * columns, columns));
      if (!block.weights.empty()) table.weights[place] = block.weights[row];
    }
  });
  return table;
}

UnitRecords read_unit_digits(const Source& source, const Domain& domain, const UnitColumns& unit,
                             const std::optional<Roster>& roster, std::size_t most,
                             SecureRandom& random) {
  Units units(roster);
  UnitRecords::Builder builder(domain.columns().size());
  visit_units(
      source, domain, unit, units,
      [&](const RecordEncoder& encoder, std::span<const std::uint32_t> of, const Block& block) {
        for (std::size_t row = 0; row < of.size(); ++row) {
          if (of[row] == Units::kNobody) continue;
          encoder.copy_digits(row, builder.add(of[row]));
          if (!block.weights.empty()) builder.weigh(block.weights[row]);
        }
      });
  UnitRecords records = std::move(builder).build(units.size());
  records.thin(most, random);
  return records;
}

// -----------------------------------------------------------------------------------------------
// Private rows of numbers, as often as they are asked for.

MemoryTable::MemoryTable(std::size_t dimension, std::vector<double> rows)
    : dimension_(dimension), rows_(std::move(rows)) {
  refuse_if(dimension_ == 0, "empty-input", {}, "a table must have at least 1 column, but has 0");
  refuse_if(rows_.size() % dimension_ != 0, "wrong-shape", {},
            "{} numbers do not make whole rows of {} columns", rows_.size(), dimension_);
}

void MemoryTable::visit(const std::function<void(std::span<const double> rows)>& visit) const {
  constexpr std::size_t kRows = 256;
  const std::size_t block = kRows * dimension_;
  for (std::size_t begin = 0; begin < rows_.size(); begin += block) {
    visit(std::span(rows_).subspan(begin, std::min(block, rows_.size() - begin)));
  }
}

// -----------------------------------------------------------------------------------------------
// Reads private records as points.

namespace {

/// Reads a block's rows as points, and passes them on in the rows' order.
class PointWorker final : public BlockWorker {
 public:
  PointWorker(const RealColumns& columns,
              const std::function<void(std::span<const double> rows)>& visit)
      : columns_(columns), visit_(visit) {}

  void work(const Block& block) override {
    const std::size_t dimension = columns_.size();
    points_.resize(block.rows * dimension);
    for (std::size_t i = 0; i < dimension; ++i) {
      const Values& values = block.columns[i];
      for (std::size_t row = 0; row < block.rows; ++row) {
        points_[row * dimension + i] = columns_.read(i, values[row]);
      }
    }
  }
  void take(const Block& /*block*/) override { visit_(points_); }

 private:
  const RealColumns& columns_;
  const std::function<void(std::span<const double> rows)>& visit_;
  std::vector<double> points_;
};

}  // namespace

NumericRows::NumericRows(const Source& source, const RealColumns& columns)
    : source_(source), columns_(columns), wanted_(wanted_columns(source, columns.names())) {
  source_.require_repeatable();
  rows_ = source_.record_count();
}

std::size_t NumericRows::dimension() const { return columns_.size(); }

void NumericRows::visit(const std::function<void(std::span<const double> rows)>& visit) const {
  source_.visit_by(wanted_, [&] { return std::make_unique<PointWorker>(columns_, visit); });
}

std::vector<double> read_unit_points(const Source& source, const RealColumns& columns,
                                     const UnitColumns& unit, const std::optional<Roster>& roster,
                                     SecureRandom& random) {
  const std::size_t dimension = columns.size();
  const auto wanted = wanted_columns(source, columns.names(), unit);
  std::vector<double> middle;
  for (std::size_t i = 0; i < dimension; ++i) {
    middle.push_back(columns.low(i) / 2 + columns.high(i) / 2);
  }
  Units units(roster);
  std::vector<std::uint64_t> seen;
  std::vector<double> points;
  const auto make_room = [&] {
    seen.resize(units.size());
    while (points.size() < units.size() * dimension) {
      points.insert(points.end(), middle.begin(), middle.end());
    }
  };
  make_room();
  source.visit(wanted, [&](const Block& block) {
    const auto of = units.of(block.columns.subspan(dimension));
    make_room();
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::uint32_t one = of[row];
      // The k-th row of a unit takes the place of the one kept with probability 1/k: all are kept
      // alike.
      if (one == Units::kNobody || random.below(++seen[one]) != 0) continue;
      for (std::size_t i = 0; i < dimension; ++i) {
        points[one * dimension + i] = columns.read(i, block.columns[i][row]);
      }
    }
  });
  std::vector<double> ordered;
  ordered.reserve(points.size());
  for (const std::uint32_t one : units.in_public_order()) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(one * dimension);
    ordered.insert(ordered.end(), first, first + static_cast<std::ptrdiff_t>(dimension));
  }
  return ordered;
}

}  // namespace mollify
