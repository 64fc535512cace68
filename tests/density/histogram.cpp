#include "density/histogram.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "density/bandwidths.h"
#include "density/mixed_rows.h"

namespace mollify {
namespace {

using test::clustered_points;
using test::uniform_points;

std::size_t cells_of(const MixedPoints& rows, std::size_t c, double number_columns) {
  if (rows.columns()[c].scale != Scale::kNumber) return rows.columns()[c].levels;
  const auto n = static_cast<double>(rows.size());
  const double sigma =
      static_cast<double>(rule_of_thumb(rows).of_column[c]) * std::pow(n, 1 / (number_columns + 4));
  return static_cast<std::size_t>(
      std::ceil(1 / (3.49 * sigma * std::pow(n, -1 / (number_columns + 2)))));
}

TEST(Histogram, IsItsDefinition) {
  const std::vector<MixedColumn> columns = {
      {Scale::kNumber, 0}, {Scale::kCategory, 3}, {Scale::kNumber, 0}, {Scale::kOrdered, 4}};
  const MixedPoints candidates = uniform_points(columns, 500, 1);
  for (const MixedPoints& rows :
       {clustered_points(columns, 300, 3, 0.05, 2), uniform_points(columns, 1, 3)}) {
    const auto n = static_cast<double>(rows.size());
    std::vector<std::size_t> cells;
    double volume = 1;
    for (std::size_t c = 0; c < 4; ++c) {
      cells.push_back(cells_of(rows, c, 2));
      if (columns[c].scale == Scale::kNumber) volume /= static_cast<double>(cells[c]);
    }
    const auto cell = [&](const MixedPoints& points, std::size_t c, std::size_t i) {
      const float x = points.values(c)[i];
      if (columns[c].scale != Scale::kNumber) return static_cast<int>(x);
      const auto count = static_cast<int>(cells[c]);
      return std::min(static_cast<int>(x * static_cast<float>(count)), count - 1);
    };
    std::map<std::vector<int>, double> joint;
    std::vector<std::map<int, double>> margins(4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<int> key;
      for (std::size_t c = 0; c < 4; ++c) {
        key.push_back(cell(rows, c, i));
        ++margins[c][key.back()];
      }
      ++joint[key];
    }
    const auto distinct = static_cast<double>(joint.size());
    std::vector<float> scores(candidates.size());
    HistogramScorer(candidates).score(rows, scores);
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      std::vector<int> key;
      double independent = 1 / volume;
      for (std::size_t c = 0; c < 4; ++c) {
        key.push_back(cell(candidates, c, j));
        independent *= (margins[c][key.back()] + 1 / static_cast<double>(cells[c])) / (n + 1);
      }
      const double expected = (joint[key] / volume + distinct * independent) / (n + distinct);
      ASSERT_NEAR(static_cast<double>(scores[j]), expected, 1e-6 * expected);
    }
  }
}

}  // namespace
}  // namespace mollify
