#include "records/numeric_rows.h"

#include <cstddef>

#include "records/units.h"

namespace mollify {
NumericRows::NumericRows(const Source& source, const RealColumns& columns)
    : source_(source), columns_(columns), wanted_(wanted_columns(source, columns.names())) {
  source_.require_repeatable();
  rows_ = source_.record_count();
}

void NumericRows::visit(const std::function<void(std::span<const double> rows)>& visit) const {
  const std::size_t dimension = columns_.size();
  std::vector<double> points;
  source_.visit(wanted_, [&](const Block& block) {
    points.resize(block.rows * dimension);
    for (std::size_t i = 0; i < dimension; ++i) {
      const Values& values = block.columns[i];
      for (std::size_t row = 0; row < block.rows; ++row) {
        points[row * dimension + i] = columns_.read(i, values[row]);
      }
    }
    visit(points);
  });
}

std::vector<double> read_unit_points(const Source& source, const RealColumns& columns,
                                     const std::string& unit_column,
                                     const std::optional<StringIndex>& roster,
                                     SecureRandom& random) {
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
