#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "analysis/summaries.h"
#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {

PointSummary summary_of_points(std::span<const double> points, std::size_t dimension) {
  PointSummary found;
  const std::size_t rows = points.size() / dimension;
  const auto n = static_cast<double>(rows);
  for (std::size_t column = 0; column < dimension; ++column) {
    keep_going();
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) values.push_back(points[row * dimension + column]);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean);
    std::sort(values.begin(), values.end());
    found.means.push_back(mean);
    found.deviations.push_back(std::sqrt(square / n));
    auto& quantiles = found.quantiles.emplace_back();
    for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
      quantiles[i] = values[static_cast<std::size_t>(kQuantiles[i] * (n - 1))];
    }
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = i + 1; j < dimension; ++j) {
      keep_going();
      double sum = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        sum += (points[row * dimension + i] - found.means[i]) *
               (points[row * dimension + j] - found.means[j]);
      }
      const double scale = n * found.deviations[i] * found.deviations[j];
      found.correlations.push_back(scale > 0 ? sum / scale : 0);
    }
  }
  return found;
}

std::string coordinate_name(const RealColumns& columns, std::size_t column) {
  return columns.is_logarithm(column) ? fmt::format("ln {}", columns.name(column))
                                      : columns.name(column);
}

Json point_summary_json(const PointSummary& summary) {
  Json quantiles;
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    Json& of_columns = quantiles[fmt::format("{}", kQuantiles[i])] = Json::array();
    for (const auto& column : summary.quantiles) of_columns.push_back(column[i]);
  }
  return {{"means", summary.means},
          {"deviations", summary.deviations},
          {"quantiles", quantiles},
          {"correlations", summary.correlations}};
}

namespace {

/// As many of the table's rows are enough for ranks and pairs.
constexpr std::size_t kMostRanked = 20'000;
constexpr std::size_t kShapeBins = 16;
constexpr std::size_t kQuarters = 4;

/// One column of points, row by row.
std::vector<double> column_of(std::span<const double> points, std::size_t dimension,
                              std::size_t column) {
  std::vector<double> values;
  values.reserve(points.size() / dimension);
  for (std::size_t at = column; at < points.size(); at += dimension) values.push_back(points[at]);
  return values;
}

/// All rows, or kMostRanked of them, drawn evenly, in their order.
std::vector<double> thinned(std::span<const double> points, std::size_t dimension,
                            SecureRandom& random) {
  const std::size_t rows = points.size() / dimension;
  if (rows <= kMostRanked) return {points.begin(), points.end()};
  std::vector<double> kept;
  kept.reserve(kMostRanked * dimension);
  std::size_t needed = kMostRanked;
  for (std::size_t row = 0; row < rows; ++row) {
    if (random.below(rows - row) >= needed) continue;
    const auto of_row = points.subspan(row * dimension, dimension);
    kept.insert(kept.end(), of_row.begin(), of_row.end());
    --needed;
  }
  return kept;
}

/// Where `parts` parts with equally many of the values begin, except for the first; fewer where
/// values repeat.
std::vector<double> cuts_of(std::vector<double> values, std::size_t parts) {
  std::sort(values.begin(), values.end());
  std::vector<double> cuts;
  for (std::size_t part = 1; part < parts; ++part) {
    const double cut = values[values.size() * part / parts];
    if (cut > (cuts.empty() ? values.front() : cuts.back())) cuts.push_back(cut);
  }
  return cuts;
}

/// Of each value how many cuts are at most it.
std::vector<std::uint8_t> parts_of(std::span<const double> values, std::span<const double> cuts) {
  std::vector<std::uint8_t> parts;
  parts.reserve(values.size());
  for (const double value : values) {
    const auto found = std::upper_bound(cuts.begin(), cuts.end(), value);
    parts.push_back(static_cast<std::uint8_t>(found - cuts.begin()));
  }
  return parts;
}

/// The shares of a column's kShapeBins parts.
std::vector<double> shares_of(std::span<const std::uint8_t> parts) {
  std::vector<double> shares(kShapeBins);
  for (const std::uint8_t part : parts) shares[part] += 1 / static_cast<double>(parts.size());
  return shares;
}

/// The shares of the cells of two columns together, each in kQuarters parts.
std::vector<double> shares_of(std::span<const std::uint8_t> first,
                              std::span<const std::uint8_t> second) {
  std::vector<double> shares(kQuarters * kQuarters);
  for (std::size_t row = 0; row < first.size(); ++row) {
    shares[first[row] * kQuarters + second[row]] += 1 / static_cast<double>(first.size());
  }
  return shares;
}

/// These cells, if both columns keep their shares and are independent.
std::vector<double> made_independent(std::span<const double> shares) {
  std::vector<double> cells(shares.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    double of_first = 0;
    double of_second = 0;
    for (std::size_t i = 0; i < kQuarters; ++i) {
      of_first += shares[cell / kQuarters * kQuarters + i];
      of_second += shares[i * kQuarters + cell % kQuarters];
    }
    cells[cell] = of_first * of_second;
  }
  return cells;
}

/// The standardised ranks of values, equal ones sharing theirs: mean 0, and 1 as sum of squares; 0
/// where all are equal.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  const double middle = (static_cast<double>(values.size()) - 1) / 2;
  double square = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2 - middle;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  for (const double rank : ranks) square += rank * rank;
  if (square > 0) {
    for (double& rank : ranks) rank /= std::sqrt(square);
  }
  return ranks;
}

double product_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// What two samples of one distribution are from each other in total variation, on average.
double chance_of(std::span<const double> shares, double rows, double other_rows) {
  double sum = 0;
  for (const double share : shares) sum += std::sqrt(share * (1 - share));
  return sum * std::sqrt((1 / rows + 1 / other_rows) / (2 * std::acos(-1.0)));
}

/// "half is below", by the places of kQuantiles.
constexpr std::array kQuantileWords = {"1 in 20 is below", "1 in 4 is below", "half is below",
                                       "1 in 4 is above", "1 in 20 is above"};

}  // namespace

std::size_t ShapeDistances::worst_column() const {
  return static_cast<std::size_t>(std::max_element(columns.begin(), columns.end()) -
                                  columns.begin());
}

bool ShapeDistances::has_other_shape() const {
  constexpr double kCoarseEye = 0.05;
  return columns[worst_column()] > kCoarseEye + 2 * column_chance;
}

ShapeComparison::ShapeComparison(const RealColumns& columns, std::span<const double> truth,
                                 std::span<const double> other, SecureRandom& random)
    : columns_(columns),
      truth_(summary_of_points(truth, columns.size())),
      other_(summary_of_points(other, columns.size())) {
  const std::size_t d = columns.size();
  const auto rows = static_cast<double>(truth.size() / d);
  const auto other_rows = static_cast<double>(other.size() / d);
  for (std::size_t column = 0; column < d; ++column) {
    const std::vector<double> values = column_of(truth, d, column);
    const std::vector<double> cuts = cuts_of(values, kShapeBins);
    const std::vector<double> shares = shares_of(parts_of(values, cuts));
    distances_.columns.push_back(
        total_variation(shares, shares_of(parts_of(column_of(other, d, column), cuts))));
    distances_.column_chance =
        std::max(distances_.column_chance, chance_of(shares, rows, other_rows));
  }
  const std::size_t compared = std::min(d, ShapeDistances::kMostCompared);
  const std::vector<double> some = thinned(truth, d, random);
  const std::vector<double> some_other = thinned(other, d, random);
  std::vector<std::vector<double>> ranks, other_ranks;
  std::vector<std::vector<std::uint8_t>> quarters, other_quarters;
  for (std::size_t column = 0; column < compared; ++column) {
    const std::vector<double> values = column_of(some, d, column);
    const std::vector<double> others = column_of(some_other, d, column);
    const std::vector<double> cuts = cuts_of(values, kQuarters);
    ranks.push_back(ranks_of(values));
    other_ranks.push_back(ranks_of(others));
    quarters.push_back(parts_of(values, cuts));
    other_quarters.push_back(parts_of(others, cuts));
  }
  for (std::size_t i = 0; i < compared; ++i) {
    std::size_t pair = i * (2 * d - i - 1) / 2;  // the place of (i, i + 1) among all pairs
    for (std::size_t j = i + 1; j < compared; ++j, ++pair) {
      const std::vector<double> shares = shares_of(quarters[i], quarters[j]);
      distances_.pairs.push_back(
          {i, j, truth_.correlations[pair], other_.correlations[pair],
           product_of(ranks[i], ranks[j]), product_of(other_ranks[i], other_ranks[j]),
           total_variation(shares, shares_of(other_quarters[i], other_quarters[j])),
           total_variation(shares, made_independent(shares))});
      distances_.pair_tv += distances_.pairs.back().tv;
      distances_.independent_tv += distances_.pairs.back().independent_tv;
      distances_.pair_chance += chance_of(shares, static_cast<double>(some.size() / d),
                                          static_cast<double>(some_other.size() / d));
    }
  }
  const double pairs = std::max<double>(1, static_cast<double>(distances_.pairs.size()));
  distances_.pair_tv /= pairs;
  distances_.independent_tv /= pairs;
  distances_.pair_chance /= pairs;
}

double ShapeComparison::in_units(std::size_t column, double coordinate) const {
  return columns_.is_logarithm(column) ? std::exp(coordinate) : coordinate;
}

double ShapeComparison::deviations_off(std::size_t column, std::size_t quantile) const {
  const double deviation = truth_.deviations[column];
  const double off = other_.quantiles[column][quantile] - truth_.quantiles[column][quantile];
  return deviation > 0 ? off / deviation : 0;
}

std::size_t ShapeComparison::worst_quantile(std::size_t column) const {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < kQuantiles.size(); ++i) {
    if (std::abs(deviations_off(column, i)) > std::abs(deviations_off(column, worst))) worst = i;
  }
  return worst;
}

std::string ShapeComparison::text(const char* name) const {
  Json rows = Json::array();
  const auto row = [&](const std::string& what, double of_truth, double of_other, double off) {
    rows.push_back({{"name", printable(what)},
                    {"truth", of_truth},
                    {"other", of_other},
                    {"off", of_other - of_truth},
                    {"deviations", off}});
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string coordinate = coordinate_name(columns_, i);
    const double deviation = truth_.deviations[i];
    const auto relative = [&](double off) { return deviation > 0 ? off / deviation : 0; };
    row("mean of " + coordinate, truth_.means[i], other_.means[i],
        relative(other_.means[i] - truth_.means[i]));
    row("deviation of " + coordinate, deviation, other_.deviations[i],
        relative(other_.deviations[i] - deviation));
    for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
      row(fmt::format("{}, {}", kQuantileWords[q], columns_.name(i)),
          in_units(i, truth_.quantiles[i][q]), in_units(i, other_.quantiles[i][q]),
          deviations_off(i, q));
    }
  }
  return table_text(std::array{TableColumn{"", -30, "/name"},
                               TableColumn{heading_of("truth"), 12, "/truth", ".5g"},
                               TableColumn{heading_of(name), 12, "/other", ".5g"},
                               TableColumn{"off by", 12, "/off", "+.3g"},
                               TableColumn{"in deviations", 14, "/deviations", "+.2f"}},
                    rows) +
         pairs_text(name);
}

std::string ShapeComparison::pairs_text(const char* name) const {
  constexpr std::size_t kMostShown = 10;
  if (distances_.pairs.empty()) return "";
  std::vector<ShapeDistances::OfPair> shown = distances_.pairs;
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto& a, const auto& b) { return a.tv > b.tv; });
  const std::size_t all = shown.size();
  shown.resize(std::min(all, kMostShown));
  Json rows = Json::array();
  for (const ShapeDistances::OfPair& pair : shown) {
    const std::string names =
        printable(fmt::format("{}, {}", columns_.name(pair.first), columns_.name(pair.second)));
    const auto row = [&](const char* what, double of_truth, double of_other) {
      rows.push_back({{"name", what + names},
                      {"truth", of_truth},
                      {"other", of_other},
                      {"off", std::abs(of_other - of_truth)},
                      {"independent", std::abs(of_truth)}});
    };
    row("correlation of ", pair.correlation, pair.other_correlation);
    row("rank correlation of ", pair.rank, pair.other_rank);
    rows.push_back({{"name", "total variation of " + names},
                    {"off", pair.tv},
                    {"independent", pair.independent_tv}});
  }
  std::string text =
      "\n" + table_text(std::array{TableColumn{"two columns together", -30, "/name"},
                                   TableColumn{heading_of("truth"), 12, "/truth", ".3f"},
                                   TableColumn{heading_of(name), 12, "/other", ".3f"},
                                   TableColumn{"off by", 11, "/off", ".3f"},
                                   TableColumn{"if independent", 15, "/independent", ".3f"}},
                        rows);
  if (shown.size() < all) text += fmt::format("... the {} worst of {} pairs\n", kMostShown, all);
  return text;
}

std::string ShapeComparison::verdict() const {
  const std::size_t worst = distances_.worst_column();
  const std::size_t quantile = worst_quantile(worst);
  const std::string name = printable(columns_.name(worst));
  std::string text = fmt::format(
      "{}: {:.0f} of 100 values of {} are not as in the data (by chance {:.0f})",
      distances_.has_other_shape() ? "the shapes of columns differ" : "the shapes of columns agree",
      100 * distances_.columns[worst], name, 100 * distances_.column_chance);
  const double from = in_units(worst, truth_.quantiles[worst][quantile]);
  const double to = in_units(worst, other_.quantiles[worst][quantile]);
  text +=
      fmt::format("; {} {:.4g} in place of {:.4g}, {:.2f} standard deviations off\n",
                  kQuantileWords[quantile], to, from, std::abs(deviations_off(worst, quantile)));
  if (distances_.pairs.empty()) return text;
  return text +
         fmt::format(
             "two columns together, each in quarters of the data: {:.0f} of 100 rows are not "
             "as in the data, on average over pairs (by chance {:.0f}); if columns were "
             "independent, {:.0f}\n",
             100 * distances_.pair_tv, 100 * distances_.pair_chance,
             100 * distances_.independent_tv);
}

Json ShapeComparison::json(const char* name) const {
  Json columns = Json::array();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Json quantiles = Json::array();
    for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
      const double from = in_units(i, truth_.quantiles[i][q]);
      const double to = in_units(i, other_.quantiles[i][q]);
      quantiles.push_back({{"share", kQuantiles[q]},
                           {"truth", from},
                           {name, to},
                           {"difference", to - from},
                           {"deviations", deviations_off(i, q)}});
    }
    columns.push_back({{"column", printable(columns_.name(i))},
                       {"tv", distances_.columns[i]},
                       {"quantiles", quantiles}});
  }
  Json pairs = Json::array();
  for (const ShapeDistances::OfPair& pair : distances_.pairs) {
    pairs.push_back(
        {{"columns", {printable(columns_.name(pair.first)), printable(columns_.name(pair.second))}},
         {"correlation", {{"truth", pair.correlation}, {name, pair.other_correlation}}},
         {"rank_correlation", {{"truth", pair.rank}, {name, pair.other_rank}}},
         {"tv", {{name, pair.tv}, {"independent", pair.independent_tv}}}});
  }
  return {{"columns", columns},
          {"column_tv_by_chance", distances_.column_chance},
          {"pairs", pairs},
          {"pair_tv",
           {{name, distances_.pair_tv},
            {"independent", distances_.independent_tv},
            {"by_chance", distances_.pair_chance}}},
          {"has_other_shape", distances_.has_other_shape()}};
}

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
    notes.push_back(fmt::format("{} looks log-normal (mean {:.4g}, median {:.4g}): try {} {}{}",
                                name, mean, *middle, flag_words("log"), name,
                                columns.low(column) > 0 ? "" : ", with a min above 0"));
  }
  return notes;
}

}  // namespace mollify
