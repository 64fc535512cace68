#include "io/numeric_file.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "io/record_reader.h"

namespace mollify {
namespace {

constexpr std::size_t kRows = 256;

/// The points of units that were found in the order of the file, in the order of their ids: so one
/// unit's rows, wherever they stand, move no other unit's point.
std::vector<double> in_order_of_ids(const StringIndex& ids, const std::vector<double>& points) {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return ids[left] < ids[right]; });
  std::vector<double> sorted;
  sorted.reserve(points.size());
  const std::size_t dimension = ids.size() == 0 ? 0 : points.size() / ids.size();
  for (const std::size_t unit : order) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(unit * dimension);
    sorted.insert(sorted.end(), first, first + static_cast<std::ptrdiff_t>(dimension));
  }
  return sorted;
}

}  // namespace

NumericFile::NumericFile(std::string path, const Domain& domain, const RealColumns& columns)
    : path_(std::move(path)), domain_(domain), columns_(columns) {
  require_rereadable(path_);
  const RecordReader header(path_, domain_);
  LineReader lines(path_);
  while (lines.next()) ++rows_;
  --rows_;  // the header
}

void NumericFile::visit(const std::function<void(std::span<const double> rows)>& visit) const {
  RecordReader records(path_, domain_);
  const std::size_t dimension = columns_.size();
  std::vector<double> block(kRows * dimension);
  std::size_t filled = 0;
  while (records.next_line()) {
    columns_.read(records.fields(), std::span(block).subspan(filled, dimension));
    filled += dimension;
    if (filled == block.size()) {
      visit(block);
      filled = 0;
    }
  }
  if (filled > 0) visit(std::span(block).first(filled));
}

std::vector<double> read_unit_points(const std::string& path, const Domain& domain,
                                     const RealColumns& columns, const std::string& unit_column,
                                     const std::optional<StringIndex>& roster,
                                     SecureRandom& random) {
  const std::size_t dimension = columns.size();
  std::vector<double> middle;
  for (std::size_t i = 0; i < dimension; ++i) {
    middle.push_back(columns.low(i) / 2 + columns.high(i) / 2);
  }
  std::vector<std::uint64_t> seen(roster ? roster->size() : 0);
  std::vector<double> points;
  for (std::size_t unit = 0; unit < seen.size(); ++unit) {
    points.insert(points.end(), middle.begin(), middle.end());
  }
  StringIndex found;
  RecordReader records(path, domain, unit_column);
  while (records.next()) {
    if (!roster && records.unit().empty()) continue;
    const std::uint32_t unit = roster ? roster->find(records.unit()) : found.insert(records.unit());
    if (unit == StringIndex::kAbsent) continue;
    if (unit == seen.size()) {
      seen.push_back(0);
      points.resize(points.size() + dimension);
    }
    // The k-th row of a unit takes the place of the one kept with probability 1/k: all are kept
    // alike.
    if (random.below(++seen[unit]) != 0) continue;
    columns.read(records.fields(), std::span(points).subspan(unit * dimension, dimension));
  }
  return roster ? points : in_order_of_ids(found, points);
}

}  // namespace mollify
