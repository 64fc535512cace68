#include "compare_released.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "command.h"
#include "compare_caveats.h"
#include "compare_points.h"
#include "divergence/f_divergence.h"
#include "io/csv_source.h"
#include "io/public_files.h"
#include "kernel/core/invalid_input.h"
#include "marginals.h"
#include "point_summary.h"
#include "records/numeric_rows.h"
#include "release/advice.h"
#include "release/design.h"
#include "release/marginals_release.h"

namespace mollify::cli {
namespace {

/// A column of which no bins are declared is compared in so many, where it has more values.
constexpr std::uint32_t kComparedCells = 16;
constexpr std::uint32_t kFewValues = 32;
/// What is read of it to find them.
constexpr std::size_t kMostRead = 1'000'000;

bool is_uncut(const Column& column) {
  const Cells& cells = column.cells();
  if (!is_numeric(cells) || column.size() <= kFewValues) return false;
  if (has_private_bins(cells)) return true;
  const auto* integers = std::get_if<IntegerCells>(&cells);
  return integers != nullptr ? !integers->declares_bins() && integers->declared_edges().empty()
                             : !std::get<NumberCells>(cells).declares_bins();
}

/// Cells that begin where about equally many of the levels do, each that of a value.
template <class Number>
std::vector<Number> edges_of(const Column& column, std::vector<std::uint32_t> levels) {
  std::sort(levels.begin(), levels.end());
  const auto first_of = [&](std::uint32_t level) {
    return std::get<Number>(column.value(level, 0));
  };
  std::vector<Number> edges;
  const auto add = [&](Number edge) {
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  };
  if constexpr (std::is_same_v<Number, double>) {
    add(std::get<NumberCells>(column.cells()).min());
  } else {
    add(std::get<IntegerCells>(column.cells()).min());
  }
  for (std::uint32_t cell = 1; cell < kComparedCells && !levels.empty(); ++cell) {
    add(first_of(levels[levels.size() * cell / kComparedCells]));
  }
  return edges;
}

Cells recut(const Column& column, std::vector<std::uint32_t> levels) {
  if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
    return IntegerCells::with_starts(edges_of<std::int64_t>(column, std::move(levels)),
                                     integers->max());
  }
  const auto& numbers = std::get<NumberCells>(column.cells());
  std::vector<double> edges = edges_of<double>(column, std::move(levels));
  if (edges.back() < numbers.max()) edges.push_back(numbers.max());
  return NumberCells::with_edges(edges, numbers.spike());
}

/// The domain with its uncut columns in cells of about equally many of the table's rows: nothing is
/// released by it, so it may follow the data.
Domain cut_where_data_lie(const Domain& domain, const Source& source) {
  std::vector<std::string> names;
  std::vector<const Column*> uncut;
  for (const Column& column : domain.columns()) {
    if (!is_uncut(column)) continue;
    names.push_back(column.name());
    uncut.push_back(&column);
  }
  std::vector<std::vector<std::uint32_t>> levels(uncut.size());
  if (!uncut.empty()) {
    source.visit(wanted_columns(source, names), [&](const Block& block) {
      for (std::size_t i = 0; i < uncut.size(); ++i) {
        for (std::size_t row = 0; row < block.rows && levels[i].size() < kMostRead; ++row) {
          const std::uint32_t level = uncut[i]->encode(block.columns[i][row]);
          if (number_of_level(*uncut[i], level)) levels[i].push_back(level);
        }
      }
    });
  }
  std::vector<Column> columns;
  std::size_t next = 0;
  for (const Column& column : domain.columns()) {
    if (!is_uncut(column)) {
      columns.push_back(column);
    } else {
      columns.push_back(
          Column::make(column.name(), recut(column, std::move(levels[next++])), column.mapping()));
    }
  }
  return Domain::make(std::move(columns), domain.seed());
}

/// What so many rows drawn from the truth itself are from it, in total variation, on average over
/// pairs of columns; of the column where there is but one.
double distance_by_chance(const Domain& domain, const NamedLaw& truth, std::uint64_t rows) {
  const std::size_t columns = domain.columns().size();
  double all = 0;
  std::size_t pairs = 0;
  const auto add = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (const double share : truth.shares(i, j)) sum += std::sqrt(share * (1 - share));
    all += sum / std::sqrt(2 * std::acos(-1.0) * static_cast<double>(rows));
    ++pairs;
  };
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = i + 1; j < columns; ++j) add(i, j);
  }
  if (pairs == 0) add(0, 0);
  return std::min(1.0, all / static_cast<double>(pairs));
}

std::vector<double> points_of(const Source& source, const RealColumns& columns) {
  std::vector<double> points;
  NumericRows(source, columns).visit([&](std::span<const double> some) {
    points.insert(points.end(), some.begin(), some.end());
  });
  return points;
}

bool are_uncut_numbers(const Domain& domain) {
  return std::all_of(domain.columns().begin(), domain.columns().end(), [](const Column& column) {
    return std::holds_alternative<NumberCells>(column.cells()) && is_uncut(column) &&
           !column.mapping().null_is_category;
  });
}

std::uint64_t weight_of(const PairCounts& counts) {
  const auto column = counts.column(0);
  return std::accumulate(column.begin(), column.end(), std::uint64_t{0});
}

}  // namespace

int compare_released(const ReleasedRows& asked, bool json) {
  const ReleaseSpec& spec = asked.spec;
  const PublicFiles inputs(asked.data);
  const Domain declared = inputs.domain(spec.domain);
  const bool are_points = are_uncut_numbers(declared);
  if (!asked.logarithms.empty() && !are_points) {
    throw InvalidInput(
        "--log is for columns of numbers of which no bins are declared, but the domain has others");
  }
  const std::optional<Roster> roster = roster_of(spec, inputs);
  const CsvSource data(asked.data);
  const CsvSource released(asked.released);
  data.require_repeatable();
  released.require_repeatable();
  const Domain domain = cut_where_data_lie(declared, data);
  require_countable_pairs(domain);
  SecureRandom random;
  const PairCounts counts = exact_pair_counts(data, domain, spec.unit, roster, random);
  if (weight_of(counts) == 0) refuse_nothing_to_compare(asked.data);
  const PairCounts of_released =
      exact_pair_counts(released, domain, std::nullopt, std::nullopt, random);
  const std::uint64_t rows = weight_of(of_released);
  if (rows == 0) {
    throw InvalidInput(fmt::format("{} must hold released rows, but holds none", asked.released));
  }
  const std::uint64_t records = weight_of(counts) / (spec.unit ? kUnitWeight : 1);
  const NamedLaw truth = law_of_counts("truth", counts);
  const NamedLaw laws[] = {truth, law_of_counts("released", of_released),
                           law_of_independent_columns("independent", truth)};
  auto own = own_means(data, domain, spec.unit, roster);
  for (std::size_t i = 0; i < own.size(); ++i) {
    // Cells of this comparison alone move no mean of a release.
    if (own[i] && is_uncut(declared.columns()[i])) own[i]->in_bins = own[i]->mean;
  }
  const auto own_released = own_means(released, domain, std::nullopt);
  const bool is_alone = domain.columns().size() == 1;
  const double distance = is_alone ? total_variation(truth.shares(0, 0), laws[1].shares(0, 0))
                                   : pair_distances(domain, truth, laws[1]).mean;
  const double chance = distance_by_chance(domain, truth, rows);
  std::optional<RealColumns> columns;
  PointSummary summary, summary_released;
  if (are_points) {
    columns.emplace(declared, asked.logarithms);
    summary =
        summary_of_points(spec.unit ? read_unit_points(data, *columns, *spec.unit, roster, random)
                                    : points_of(data, *columns),
                          columns->size());
    summary_released = summary_of_points(points_of(released, *columns), columns->size());
  }
  // How the rows were released, and what stood for units without any, is not known here.
  tell_undeclared(declared);
  const CompareCaveats caveats{mapped_counts(asked.data, declared), {represented(spec).front()}};
  if (json) {
    Json result{{"notice", kNotPrivate}, {"released", asked.released},
                {"records", records},    {"released_records", rows},
                {"tv", distance},        {"tv_by_chance", chance}};
    if (columns) {
      result["points"] = {{"columns", columns->names()},
                          {"truth", point_summary_json(summary)},
                          {"released", point_summary_json(summary_released)}};
    }
    result.update(marginals_json(domain, laws, own, own_released));
    caveats.add_to(result);
    print_json(result);
    return kSuccess;
  }
  fmt::print("{}\n{} of {} beside {} of {}\n", kNotPrivate, counted(rows, "row"), asked.released,
             counted(records, spec.unit ? "unit" : "row"), asked.data);
  if (columns) {
    fmt::print("\n");
    print_point_summaries(*columns, summary, summary_released, "released");
  } else {
    print_marginals(domain, laws, own, own_released);
  }
  caveats.print();
  fmt::print(
      "\n{}{} of the released rows {} {:.4f} from the table's in total variation{}; {} rows drawn "
      "from the table itself would be {:.4f} from it, by chance alone\n",
      within_bins(declared), is_alone ? "the column" : "two columns", is_alone ? "is" : "are",
      distance, is_alone ? "" : ", on average over pairs", rows, chance);
  return kSuccess;
}

}  // namespace mollify::cli
