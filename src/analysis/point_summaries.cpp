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

std::string coordinate_name(const RealColumns& columns, std::size_t column) {
  return columns.is_logarithm(column) ? fmt::format("ln {}", columns.name(column))
                                      : columns.name(column);
}

Json moments_json(const LawMoments& moments) {
  Json quantiles;
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    Json& of_columns = quantiles[fmt::format("{}", kQuantiles[i])] = Json::array();
    for (const auto& column : moments.quantiles) of_columns.push_back(column[i]);
  }
  return {{"means", moments.means},
          {"deviations", moments.deviations},
          {"quantiles", quantiles},
          {"correlations", moments.correlations}};
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
std::vector<std::uint32_t> parts_of(std::span<const double> values, std::span<const double> cuts) {
  std::vector<std::uint32_t> parts;
  parts.reserve(values.size());
  for (const double value : values) {
    const auto found = std::upper_bound(cuts.begin(), cuts.end(), value);
    parts.push_back(static_cast<std::uint32_t>(found - cuts.begin()));
  }
  return parts;
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

/// "half is below", by the places of kQuantiles.
constexpr std::array kQuantileWords = {"1 in 20 is below", "1 in 4 is below", "half is below",
                                       "1 in 4 is above", "1 in 20 is above"};

}  // namespace

bool ShapeComparison::has_other_shape() const {
  constexpr double kCoarseEye = 0.05;
  return column_tv_[worst_column()] > kCoarseEye + 2 * column_chance_;
}

ShapeComparison::ShapeComparison(const RealColumns& columns, std::span<const double> truth,
                                 std::span<const double> other, SecureRandom& random)
    : columns_(columns),
      truth_(moments_of_rows(truth, columns.size())),
      other_(moments_of_rows(other, columns.size())) {
  const std::size_t d = columns.size();
  // A column's values in parts that hold equally many of the table's.
  const auto cut = [d](std::span<const double> table, std::span<const double> others,
                       std::size_t column, std::size_t parts) {
    const std::vector<double> values = column_of(table, d, column);
    const std::vector<double> cuts = cuts_of(values, parts);
    return std::array{parts_of(values, cuts), parts_of(column_of(others, d, column), cuts)};
  };
  for (std::size_t column = 0; column < d; ++column) {
    auto [parts, other_parts] = cut(truth, other, column, kShapeBins);
    const auto shares = law_of_cells("truth", {std::move(parts)}, {kShapeBins}).shares(0, 0);
    column_tv_.push_back(total_variation(
        shares, law_of_cells("other", {std::move(other_parts)}, {kShapeBins}).shares(0, 0)));
    column_chance_ =
        std::max(column_chance_, chance_of(spread_of(shares), static_cast<double>(truth.size() / d),
                                           static_cast<double>(other.size() / d)));
  }
  const std::size_t compared = std::min(d, kMostCompared);
  const std::vector<double> some = thinned(truth, d, random);
  const std::vector<double> some_other = thinned(other, d, random);
  std::vector<std::vector<double>> ranks, other_ranks;
  std::vector<std::vector<std::uint32_t>> quarters, other_quarters;
  for (std::size_t column = 0; column < compared; ++column) {
    ranks.push_back(ranks_of(column_of(some, d, column)));
    other_ranks.push_back(ranks_of(column_of(some_other, d, column)));
    auto [parts, other_parts] = cut(some, some_other, column, kQuarters);
    quarters.push_back(std::move(parts));
    other_quarters.push_back(std::move(other_parts));
  }
  pairs_ = pairs_of(compared);
  for (const auto& [i, j] : pairs_) {
    places_.push_back(i * (2 * d - i - 1) / 2 + j - i - 1);
    ranks_.push_back(product_of(ranks[i], ranks[j]));
    other_ranks_.push_back(product_of(other_ranks[i], other_ranks[j]));
  }
  const std::vector<std::size_t> sizes(compared, kQuarters);
  const NamedLaw of_table = law_of_cells("truth", std::move(quarters), sizes);
  const NamedLaw laws[] = {of_table, law_of_cells("other", std::move(other_quarters), sizes),
                           law_of_independent_columns("independent", of_table, compared)};
  ComparedLaws found = compare_laws(compared, laws);
  off_ = std::move(found.others[0]);
  independent_ = std::move(found.others[1]);
  pair_chance_ = chance_of(found.spread, static_cast<double>(some.size() / d),
                           static_cast<double>(some_other.size() / d));
}

std::size_t ShapeComparison::worst_column() const {
  return static_cast<std::size_t>(std::max_element(column_tv_.begin(), column_tv_.end()) -
                                  column_tv_.begin());
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
  if (pairs_.empty()) return "";
  std::vector<std::size_t> shown(pairs_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::stable_sort(shown.begin(), shown.end(),
                   [this](std::size_t a, std::size_t b) { return off_.pairs[a] > off_.pairs[b]; });
  shown.resize(std::min(shown.size(), kMostShown));
  Json rows = Json::array();
  for (const std::size_t pair : shown) {
    const auto& [first, second] = pairs_[pair];
    const std::string names =
        printable(fmt::format("{}, {}", columns_.name(first), columns_.name(second)));
    const auto row = [&](const char* what, double of_truth, double of_other) {
      rows.push_back({{"name", what + names},
                      {"truth", of_truth},
                      {"other", of_other},
                      {"off", std::abs(of_other - of_truth)},
                      {"independent", std::abs(of_truth)}});
    };
    const std::size_t place = places_[pair];
    row("correlation of ", truth_.correlations[place], other_.correlations[place]);
    row("rank correlation of ", ranks_[pair], other_ranks_[pair]);
    rows.push_back({{"name", "total variation of " + names},
                    {"off", off_.pairs[pair]},
                    {"independent", independent_.pairs[pair]}});
  }
  std::string text =
      "\n" + table_text(std::array{TableColumn{"two columns together", -30, "/name"},
                                   TableColumn{heading_of("truth"), 12, "/truth", ".3f"},
                                   TableColumn{heading_of(name), 12, "/other", ".3f"},
                                   TableColumn{"off by", 11, "/off", ".3f"},
                                   TableColumn{"if independent", 15, "/independent", ".3f"}},
                        rows);
  if (shown.size() < pairs_.size()) {
    text += fmt::format("... the {} worst of {} pairs\n", kMostShown, pairs_.size());
  }
  return text;
}

std::string ShapeComparison::verdict() const {
  const std::size_t worst = worst_column();
  const std::size_t quantile = worst_quantile(worst);
  const std::string name = printable(columns_.name(worst));
  std::string text = fmt::format(
      "{}: {:.0f} of 100 values of {} are not as in the data (by chance {:.0f})",
      has_other_shape() ? "the shapes of columns differ" : "the shapes of columns agree",
      100 * column_tv_[worst], name, 100 * column_chance_);
  const double from = in_units(worst, truth_.quantiles[worst][quantile]);
  const double to = in_units(worst, other_.quantiles[worst][quantile]);
  text +=
      fmt::format("; {} {:.4g} in place of {:.4g}, {:.2f} standard deviations off\n",
                  kQuantileWords[quantile], to, from, std::abs(deviations_off(worst, quantile)));
  if (pairs_.empty()) return text;
  return text +
         fmt::format(
             "two columns together, each in quarters of the data: {:.0f} of 100 rows are not "
             "as in the data, on average over pairs (by chance {:.0f}); if columns were "
             "independent, {:.0f}\n",
             100 * off_.mean_pair, 100 * pair_chance_, 100 * independent_.mean_pair);
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
    columns.push_back(
        {{"column", printable(columns_.name(i))}, {"tv", column_tv_[i]}, {"quantiles", quantiles}});
  }
  Json pairs = Json::array();
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
    const auto& [first, second] = pairs_[pair];
    const std::size_t place = places_[pair];
    pairs.push_back(
        {{"columns", {printable(columns_.name(first)), printable(columns_.name(second))}},
         {"correlation",
          {{"truth", truth_.correlations[place]}, {name, other_.correlations[place]}}},
         {"rank_correlation", {{"truth", ranks_[pair]}, {name, other_ranks_[pair]}}},
         {"tv", {{name, off_.pairs[pair]}, {"independent", independent_.pairs[pair]}}}});
  }
  return {{"columns", columns},
          {"column_tv_by_chance", column_chance_},
          {"pairs", pairs},
          {"pair_tv",
           {{name, off_.mean_pair},
            {"independent", independent_.mean_pair},
            {"by_chance", pair_chance_}}},
          {"has_other_shape", has_other_shape()}};
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
