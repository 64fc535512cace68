#include "analysis/summaries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/divergence/f_divergence.h"
#include "records/private_table.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How many values of private data a release takes for others.

void MappedCounts::see(const Finding& finding) {
  if (finding.becomes.empty() || finding.is_null) return;
  const HowMapped how = finding.is_declared  ? HowMapped::kDeclared
                        : finding.by_default ? HowMapped::kDefault
                                             : HowMapped::kAsFound;
  ++counts_[{std::string(finding.column), finding.becomes, false, how}];
}

void MappedCounts::add_nulls(const CheckCounts& counts, const Domain& domain) {
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (counts.nulls[i] == 0) continue;
    const HowMapped how = column.declares_nulls()            ? HowMapped::kDeclared
                          : column.mapping().declares_null() ? HowMapped::kAsFound
                                                             : HowMapped::kDefault;
    counts_[{column.name(), null_text(column), true, how}] += counts.nulls[i];
  }
}

std::string MappedCounts::lines() const {
  std::string lines;
  for (const auto& [what, values] : counts_) {
    lines += fmt::format("{}: {} {} {}{}\n", printable(what.column),
                         counted(values, what.are_nulls ? "null" : "value"),
                         values == 1 ? "becomes" : "become", printable(what.becomes),
                         what.how == HowMapped::kDefault    ? " (default)"
                         : what.how == HowMapped::kDeclared ? " (declared)"
                                                            : "");
  }
  return lines;
}

Json MappedCounts::json() const {
  Json list = Json::array();
  for (const auto& [what, values] : counts_) {
    list.push_back({{"column", what.column},
                    {"values", values},
                    {"become", what.becomes},
                    {"nulls", what.are_nulls},
                    {"default", what.how == HowMapped::kDefault},
                    {"declared", what.how == HowMapped::kDeclared}});
  }
  return list;
}

bool is_repeatable(const Source& data) {
  try {
    data.require_repeatable();
    return true;
  } catch (const InvalidInput&) {
    return false;
  }
}

MappedCounts mapped_counts(const Source& data, const Domain& domain) {
  MappedCounts mapped;
  if (!is_repeatable(data)) return mapped;
  std::vector<std::string> names;
  for (const Column& column : domain.columns()) names.push_back(column.name());
  CheckCounts counts;
  counts.nulls.resize(names.size());
  data.visit(wanted_columns(data, names), [&](const Block& block) {
    keep_going();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Column& column = domain.columns()[i];
      for (std::size_t row = 0; row < block.rows; ++row) {
        const Value value = block.columns[i][row];
        if (const auto finding = finding_of(column, value)) mapped.see(*finding);
        if (!column.mapping().null_is_category && column.read(value).verdict == Verdict::kNull) {
          ++counts.nulls[i];
        }
      }
    }
  });
  mapped.add_nulls(counts, domain);
  return mapped;
}

void add_caveats(Answer& answer, const Domain& domain, const Source& data,
                 const std::vector<std::string>& represented) {
  const MappedCounts mapped = mapped_counts(data, domain);
  const std::string lines = mapped.lines();
  answer.add("mapped", mapped.json(),
             lines.empty() ? "\n" : "\nIn the data, before anything is compared:\n" + lines);
  answer.add("represents", represented);
  for (const std::string& sentence : represented) answer.say(sentence + "\n");
  for (Message& warning : domain.warnings()) answer.warn(std::move(warning));
}

// -----------------------------------------------------------------------------------------------
// The means of a table's own numbers, next to the means of their bins.

namespace {

std::optional<double> number_in(const Value& value, double min, double max) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return read_number_of(*text, min, max);
  }
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/// The numbers of one column, and the middles of its cells.
class ColumnNumbers {
 public:
  /// Requires integers or numbers.
  explicit ColumnNumbers(const Column& column) : column_(column) {
    if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
      min_ = static_cast<double>(integers->min());
      max_ = static_cast<double>(integers->max());
      are_whole_ = true;
    } else {
      const auto& numbers = std::get<NumberCells>(column.cells());
      min_ = numbers.min();
      max_ = numbers.max();
    }
    const auto declared = [this](const std::optional<std::string>& value) {
      return value ? read_number_of(*value, min_, max_) : std::nullopt;
    };
    null_ = declared(column.mapping().null_value);
    outside_ = declared(column.mapping().outside_value);
  }

  /// As the column reads it; empty for a null that is a category.
  [[nodiscard]] std::optional<double> read(const Value& value) const {
    switch (column_.read(value).verdict) {
      case Verdict::kNull:
        if (column_.mapping().null_is_category) return std::nullopt;
        return null_ ? *null_ : outside_.value_or(min_);
      case Verdict::kOutside:
      case Verdict::kUnreadable:
        // Declared and no number: null.
        if (column_.mapping().outside_value) return outside_;
        break;
      case Verdict::kValue:
        break;
    }
    const double number = number_in(value, min_, max_).value_or(min_);
    if (std::isnan(number)) return min_;
    return std::clamp(are_whole_ ? std::round(number) : number, min_, max_);
  }

  [[nodiscard]] double middle(const Value& value) const {
    return number_of_level(column_, column_.encode(value)).value_or(0);
  }

 private:
  const Column& column_;
  std::optional<double> outside_;
  std::optional<double> null_;
  double min_ = 0;
  double max_ = 0;
  bool are_whole_ = false;
};

/// Of the numbers of one column in one unit.
struct Sums {
  double weight = 0;
  double numbers = 0;  ///< from the first number on, so that squares do not cancel
  double squares = 0;
  double middles = 0;

  void add(const Sums& other, double factor) {
    weight += factor * other.weight;
    numbers += factor * other.numbers;
    squares += factor * other.squares;
    middles += factor * other.middles;
  }
};

}  // namespace

bool OwnMean::is_moved() const { return has_bins && std::abs(in_bins - mean) > deviation / 10; }

std::vector<std::optional<OwnMean>> own_means(const Source& source, const Domain& domain,
                                              const std::optional<std::string>& unit,
                                              const std::optional<Roster>& roster) {
  std::vector<std::optional<OwnMean>> means(domain.columns().size());
  if (!is_repeatable(source)) return means;
  std::vector<std::string> names;
  std::vector<std::size_t> places;  // in the domain
  std::vector<ColumnNumbers> columns;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (!is_numeric(column.cells())) continue;
    names.push_back(column.name());
    places.push_back(i);
    columns.emplace_back(column);
  }
  const std::size_t width = columns.size();
  Units units(roster);
  std::vector<double> records;  // of each unit
  std::vector<Sums> sums;       // of each of its columns
  std::vector<std::optional<double>> first(width);
  source.visit(wanted_columns(source, names, unit), [&](const Block& block) {
    keep_going();
    std::span<const std::uint32_t> of;
    if (unit) of = units.of(block.columns.back());
    records.resize(unit ? units.size() : 1);
    sums.resize(records.size() * width);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::size_t at = unit ? of[row] : 0;
      if (unit && of[row] == Units::kNobody) continue;
      const double weight = block.counts.empty() ? 1 : static_cast<double>(block.counts[row]);
      records[at] += weight;
      for (std::size_t i = 0; i < width; ++i) {
        const Value value = block.columns[i][row];
        const auto number = columns[i].read(value);
        if (!number) continue;
        if (!first[i]) first[i] = *number;
        const double moved = *number - *first[i];
        sums[at * width + i].add({1, moved, moved * moved, columns[i].middle(value)}, weight);
      }
    }
  });
  for (std::size_t i = 0; i < width; ++i) {
    Sums all;
    for (std::size_t at = 0; at < records.size(); ++at) {
      if (records[at] > 0) all.add(sums[at * width + i], 1 / records[at]);
    }
    if (!(all.weight > 0)) continue;
    const double moved = all.numbers / all.weight;
    means[places[i]] =
        OwnMean{.mean = *first[i] + moved,
                .deviation = std::sqrt(std::max(0.0, all.squares / all.weight - moved * moved)),
                .in_bins = all.middles / all.weight,
                .has_bins = has_bins(domain.columns()[places[i]])};
  }
  return means;
}

bool has_bins(const Column& column) {
  const Cells& cells = column.cells();
  if (has_private_bins(cells)) return true;
  if (const auto* numbers = std::get_if<NumberCells>(&cells)) return numbers->declares_bins();
  for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
    if (column.points(cell) > 1) return true;
  }
  return false;
}

std::string within_bins(const Domain& domain) {
  const auto& columns = domain.columns();
  return std::any_of(columns.begin(), columns.end(), has_bins) ? "within the declared bins, " : "";
}

// -----------------------------------------------------------------------------------------------
// Means, deviations, quantiles and correlations of a table of numbers.

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

// -----------------------------------------------------------------------------------------------
// Laws over a domain.

namespace {

constexpr std::size_t kMostLevels = 12;

/// The mean over the levels that are numbers, if any.
std::optional<double> mean_of(const Column& column, std::span<const double> shares) {
  double sum = 0;
  double mass = 0;
  for (std::uint32_t level = 0; level < column.size(); ++level) {
    if (const auto number = number_of_level(column, level)) {
      sum += shares[level] * *number;
      mass += shares[level];
    }
  }
  if (!(mass > 0)) return std::nullopt;
  return sum / mass;
}

/// The effect of bins alone on means, if it is large.
std::string moved_means_text(const Domain& domain, std::span<const std::optional<OwnMean>> own) {
  std::string text;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!own[i] || !own[i]->is_moved()) continue;
    const Column& column = domain.columns()[i];
    text += fmt::format(
        "WARNING: {}: its mean {:.4g} becomes {:.4g} by the bins alone; cut it finer where "
        "values lie{}\n",
        printable(column.name()), own[i]->mean, own[i]->in_bins,
        std::holds_alternative<NumberCells>(column.cells()) ? ", or give it a spike" : "");
  }
  return text;
}

}  // namespace

std::optional<double> number_of_level(const Column& column, std::uint32_t level) {
  const auto as_number = [](const Value& value) -> std::optional<double> {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::nullopt;
  };
  const auto least = as_number(column.value(level, 0));
  const auto greatest = as_number(column.value(level, column.points(level) - 1));
  if (!least || !greatest) return std::nullopt;
  return *least / 2 + *greatest / 2;
}

NamedLaw law_over_outcomes(const char* name, const Domain& domain, std::span<const double> masses) {
  return {name, [&domain, masses](std::size_t i, std::size_t j) {
            const bool alone = i == j;
            const std::size_t width = alone ? 1 : domain.columns()[j].size();
            std::vector<double> found(domain.columns()[i].size() * width);
            for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
              found[domain.digit(outcome, i) * width + (alone ? 0 : domain.digit(outcome, j))] +=
                  masses[outcome];
            }
            return found;
          }};
}

NamedLaw law_of_counts(const char* name, const PairCounts& counts) {
  return {name, [&counts](std::size_t i, std::size_t j) {
            const auto table = i == j ? counts.column(i) : counts.pair(i, j);
            const double sum = std::accumulate(table.begin(), table.end(), 0.0);
            std::vector<double> found;
            for (const std::uint64_t count : table)
              found.push_back(static_cast<double>(count) / sum);
            return found;
          }};
}

NamedLaw law_of_independent_columns(const char* name, const NamedLaw& law) {
  return {name, [shares = law.shares](std::size_t i, std::size_t j) {
            std::vector<double> first = shares(i, i);
            if (i == j) return first;
            const std::vector<double> second = shares(j, j);
            std::vector<double> found;
            for (const double a : first) {
              for (const double b : second) found.push_back(a * b);
            }
            return found;
          }};
}

PairDistances pair_distances(const Domain& domain, const NamedLaw& truth, const NamedLaw& other) {
  PairDistances found;
  const std::size_t columns = domain.columns().size();
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = i + 1; j < columns; ++j) {
      const double distance = total_variation(truth.shares(i, j), other.shares(i, j));
      found.mean += distance;
      ++pairs;
      if (distance > found.worst || found.where.empty()) {
        found.worst = distance;
        found.where = domain.columns()[i].name() + ", " + domain.columns()[j].name();
      }
    }
  }
  found.mean /= std::max<double>(1, static_cast<double>(pairs));
  return found;
}

std::string heading_of(std::string_view name) {
  if (name == "truth") return "real data";
  return name == "law" ? "output" : std::string(name);
}

std::string level_text(const Column& column, std::uint32_t level) {
  std::string text;
  column.write(level, 0, text);
  if (text.empty()) text = "-";
  if (const std::uint64_t points = column.points(level); points > 1) {
    text += "..";
    column.write(level, points - 1, text);
  }
  return text;
}

namespace {

constexpr std::uint32_t kMostByThemselves = 40;
constexpr std::uint32_t kGroups = 16;
constexpr std::size_t kMostWords = 1000;

/// The groups in which a column's levels are counted: each level, or neighbours together.
class CountedLevels {
 public:
  explicit CountedLevels(const Column& column) : column_(column) {
    is_ordered_ = is_ordered(column.cells());
    values_ = column.size() - (column.mapping().null_is_category ? 1 : 0);
    if (!is_ordered_ || values_ <= kMostByThemselves) return;
    groups_ = kGroups;
    if (const auto* numbers = std::get_if<NumberCells>(&column.cells());
        numbers != nullptr && numbers->spike()) {
      spike_ = column.encode(*numbers->spike());
    }
  }

  void add(std::span<const std::uint32_t> levels) {
    for (const std::uint32_t level : levels) ++counts_[place_of(level)];
  }

  [[nodiscard]] Json json() const {
    Json levels = Json::array();
    Json counts = Json::array();
    const auto list = [&](std::uint32_t place, std::uint64_t count) {
      levels.push_back(printable(text_of(place)));
      counts.push_back(count);
    };
    Json found{{"name", printable(column_.name())}};
    if (is_ordered_ || column_.size() <= kMostByThemselves) {
      for (std::uint32_t place = 0; place < places(); ++place) {
        const auto at = counts_.find(place);
        list(place, at == counts_.end() ? 0 : at->second);
      }
    } else {
      std::vector<std::pair<std::uint32_t, std::uint64_t>> order(counts_.begin(), counts_.end());
      std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
      std::uint64_t others = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (i < kMostWords) list(order[i].first, order[i].second);
        if (i >= kMostWords) others += order[i].second;
      }
      found["others"] = {{"levels", column_.size() - levels.size()}, {"count", others}};
    }
    found["levels"] = std::move(levels);
    found["counts"] = std::move(counts);
    return found;
  }

 private:
  /// A group, or behind all groups the spike and null.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t level) const {
    if (groups_ == 0) return level;
    if (level >= values_) return groups_ + (spike_ ? 1 : 0);
    if (level == spike_) return groups_;
    return static_cast<std::uint32_t>(std::uint64_t{level} * groups_ / values_);
  }
  [[nodiscard]] std::uint32_t places() const {
    if (groups_ == 0) return column_.size();
    return groups_ + (spike_ ? 1 : 0) + (column_.size() > values_ ? 1 : 0);
  }
  /// The least level of a group.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t group) const {
    return static_cast<std::uint32_t>((std::uint64_t{group} * values_ + groups_ - 1) / groups_);
  }
  [[nodiscard]] std::string text_of(std::uint32_t place) const {
    if (column_.size() > values_ && place + 1 == places()) return "(null)";
    if (groups_ == 0) return level_text(column_, place);
    if (place == groups_ && spike_) return level_text(column_, *spike_);
    const std::uint32_t last = first_of(place + 1) - 1;
    std::string text;
    column_.write(first_of(place), 0, text);
    text += "..";
    column_.write(last, column_.points(last) - 1, text);
    return text;
  }

  const Column& column_;
  bool is_ordered_ = false;
  std::uint32_t values_ = 0;  // levels that are no null
  std::uint32_t groups_ = 0;  // 0: each level by itself
  std::optional<std::uint32_t> spike_;
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
};

}  // namespace

Json level_counts(const Domain& domain, const Source& rows) {
  std::vector<CountedLevels> columns;
  for (const Column& column : domain.columns()) columns.emplace_back(column);
  visit_digits(rows, domain, [&](std::span<const std::span<const std::uint32_t>> digits) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(digits[i]);
  });
  Json found = Json::array();
  for (const CountedLevels& column : columns) found.push_back(column.json());
  return found;
}

void require_countable_pairs(const Domain& domain) {
  std::vector<std::uint32_t> sizes;
  for (const Column& column : domain.columns()) sizes.push_back(column.size());
  const std::uint64_t cells = PairCounts::cells(sizes);
  if (cells <= PairCounts::kMostCells) return;
  throw InvalidInput(
      "too-much-work",
      fmt::format("columns are compared two at a time, in at most {} cells of all pairs, but there "
                  "are {}; {}",
                  PairCounts::kMostCells, cells, domain.fewer_bins(&PairCounts::are_few)),
      "bins");
}

namespace {

/// Shares and means of each column, with the means of the table's own numbers.
std::string shares_text(const Domain& domain, std::span<const NamedLaw> laws,
                        std::span<const std::optional<OwnMean>> own,
                        std::span<const std::optional<OwnMean>> of_second) {
  // A row is a label and its cells, or a label alone.
  constexpr std::size_t kUsualWidth = 32;
  std::size_t width = kUsualWidth;
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add_row = [&](std::string label, std::string beside) {
    if (!beside.empty()) width = std::max(width, label.size());
    rows.emplace_back(std::move(label), std::move(beside));
  };
  std::string names;
  for (const NamedLaw& law : laws) names += fmt::format(" {:>10}", heading_of(law.name));
  add_row("share", names);
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    std::vector<std::vector<double>> columns;
    for (const NamedLaw& law : laws) columns.push_back(law.shares(i, i));
    std::vector<std::uint32_t> order(column.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    if (order.size() > kMostLevels) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return columns.front()[a] > columns.front()[b];
      });
      order.resize(kMostLevels);
    }
    for (const std::uint32_t level : order) {
      std::string shares;
      for (const auto& of_law : columns) shares += fmt::format(" {:>10.4f}", of_law[level]);
      add_row(
          printable(fmt::format("{} = {}", column.name(), list_item(level_text(column, level)))),
          shares);
    }
    if (column.size() > kMostLevels) {
      add_row(fmt::format("  ... the {} most frequent of {} levels", kMostLevels, column.size()),
              "");
    }
    if (!mean_of(column, columns.front())) continue;
    std::string means;
    for (const auto& of_law : columns) {
      const auto mean = mean_of(column, of_law);
      means += fmt::format(" {:>10}", mean ? fmt::format("{:.5g}", *mean) : "-");
    }
    add_row(printable("mean of " + column.name()), means);
    if (own[i] && own[i]->has_bins) {
      std::string real = fmt::format(" {:>10.5g}", own[i]->mean);
      if (i < of_second.size() && of_second[i]) {
        real += fmt::format(" {:>10.5g}", of_second[i]->mean);
      }
      add_row("  its real mean, without bins", real);
    }
  }
  std::string text = "\n";
  for (const auto& [label, beside] : rows) {
    text += fmt::format("{:<{}}{}\n", label, beside.empty() ? 0 : width, beside);
  }
  return text + moved_means_text(domain, own);
}

/// How far two-way marginals are from the truth's: what each law's JSON says.
std::string pairs_text(const Json& pairs) {
  std::vector<TableColumn> columns{{"two columns, from the real data", -32, "/what"}, {"", 11}};
  Json mean{{"what", "  mean total variation"}};
  Json worst{{"what", "  worst total variation"}};
  for (const auto& [law, found] : pairs.items()) {
    columns.push_back({heading_of(law), 11, "/" + law, ".4f"});
    mean[law] = found["mean_tv"];
    worst[law] = found["worst_tv"];
  }
  columns.push_back({"", 0, "/where"});
  worst["where"] = fmt::format("  ({})", printable(pairs.front()["worst"].get<std::string>()));
  return "\n" + table_text(columns, Json::array({mean, worst}));
}

}  // namespace

void add_marginals(Answer& answer, const Domain& domain, std::span<const NamedLaw> laws,
                   std::span<const std::optional<OwnMean>> own,
                   std::span<const std::optional<OwnMean>> of_second) {
  Json columns = Json::array();
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    Json levels = Json::array();
    for (std::uint32_t level = 0; level < column.size(); ++level) {
      levels.push_back(level_text(column, level));
    }
    Json json{{"name", column.name()}, {"levels", levels}};
    for (const NamedLaw& law : laws) {
      const std::vector<double> found = law.shares(i, i);
      const auto mean = mean_of(column, found);
      json["shares"][law.name] = found;
      json["means"][law.name] = mean ? Json(*mean) : Json(nullptr);
    }
    if (own[i]) {
      json["without_bins"] = {{"mean", own[i]->mean},
                              {"deviation", own[i]->deviation},
                              {"mean_in_bins", own[i]->in_bins},
                              {"is_moved", own[i]->is_moved()}};
      if (i < of_second.size() && of_second[i]) {
        json["without_bins"][laws[1].name] = {{"mean", of_second[i]->mean},
                                              {"deviation", of_second[i]->deviation}};
      }
    }
    columns.push_back(std::move(json));
  }
  Json pairs = Json::object();
  for (std::size_t i = 1; i < laws.size(); ++i) {
    const PairDistances found = pair_distances(domain, laws[0], laws[i]);
    pairs[laws[i].name] = {
        {"mean_tv", found.mean}, {"worst_tv", found.worst}, {"worst", found.where}};
  }
  answer.add("columns", columns, shares_text(domain, laws, own, of_second));
  answer.add("pairs", pairs, domain.columns().size() < 2 ? "" : pairs_text(pairs));
}

}  // namespace mollify
