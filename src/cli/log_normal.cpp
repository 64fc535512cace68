#include "log_normal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "command.h"

namespace mollify::cli {

std::vector<std::string> log_normal_notes(const RealColumns& columns,
                                          std::span<const double> rows) {
  constexpr double kSkewed = 2;
  std::vector<std::string> notes;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns.is_logarithm(column)) continue;
    std::vector<double> values;
    for (std::size_t at = column; at < rows.size(); at += columns.size())
      values.push_back(rows[at]);
    if (values.empty() || *std::min_element(values.begin(), values.end()) <= 0) continue;
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0;
    double cube = 0;
    for (const double value : values) {
      square += (value - mean) * (value - mean);
      cube += (value - mean) * (value - mean) * (value - mean);
    }
    if (!(cube / n > kSkewed * std::pow(square / n, 1.5))) continue;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const std::string name = printable(columns.name(column));
    notes.push_back(fmt::format("{} looks log-normal (mean {:.4g}, median {:.4g}): try --log {}{}",
                                name, mean, *middle, name,
                                columns.low(column) > 0 ? "" : ", with a min above 0"));
  }
  return notes;
}

}  // namespace mollify::cli
