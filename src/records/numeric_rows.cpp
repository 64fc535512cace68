#include "records/numeric_rows.h"

#include <cstddef>
#include <memory>

#include "records/units.h"

namespace mollify {
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

void NumericRows::visit(const std::function<void(std::span<const double> rows)>& visit) const {
  source_.visit_by(wanted_, [&] { return std::make_unique<PointWorker>(columns_, visit); });
}

std::vector<double> read_unit_points(const Source& source, const RealColumns& columns,
                                     const std::string& unit_column,
                                     const std::optional<Roster>& roster, SecureRandom& random) {
  const std::size_t dimension = columns.size();
  const auto wanted = wanted_columns(source, columns.names(), unit_column);
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
    const auto of = units.of(block.columns.back());
    make_room();
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::uint32_t unit = of[row];
      // The k-th row of a unit takes the place of the one kept with probability 1/k: all are kept
      // alike.
      if (unit == Units::kNobody || random.below(++seen[unit]) != 0) continue;
      for (std::size_t i = 0; i < dimension; ++i) {
        points[unit * dimension + i] = columns.read(i, block.columns[i][row]);
      }
    }
  });
  std::vector<double> ordered;
  ordered.reserve(points.size());
  for (const std::uint32_t unit : units.in_public_order()) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(unit * dimension);
    ordered.insert(ordered.end(), first, first + static_cast<std::ptrdiff_t>(dimension));
  }
  return ordered;
}

}  // namespace mollify
