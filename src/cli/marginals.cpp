#include "cli/marginals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/progress.h"
#include "core/invalid_input.h"
#include "methods/divergence/f_divergence.h"
#include "release/central_method.h"

namespace mollify::cli {

namespace {

constexpr std::size_t kMostLevels = 12;

/// The mean over the levels that are numbers; none where there are none.
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

/// What bins alone do to means, where that is much.
void print_moved_means(const Domain& domain, std::span<const std::optional<OwnMean>> own) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!own[i] || !own[i]->is_moved()) continue;
    const Column& column = domain.columns()[i];
    fmt::print(
        "WARNING: {}: its mean {:.4g} becomes {:.4g} by the bins alone; cut it finer where "
        "values lie{}\n",
        printable(column.name()), own[i]->mean, own[i]->in_bins,
        std::holds_alternative<NumberCells>(column.cells()) ? ", or give it a spike" : "");
  }
}

}  // namespace

std::optional<double> number_of_level(const Column& column, std::uint32_t level) {
  if (column.must_be_written(level)) return std::nullopt;
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

void require_countable_pairs(const Domain& domain) {
  std::vector<std::uint32_t> sizes;
  for (const Column& column : domain.columns()) sizes.push_back(column.size());
  const std::uint64_t cells = PairCounts::cells(sizes);
  if (cells <= PairCounts::kMostCells) return;
  throw InvalidInput(
      fmt::format("columns are compared two at a time, in at most {} cells of all pairs, but there "
                  "are {}: declare fewer bins in the domain",
                  PairCounts::kMostCells, cells));
}

void print_marginals(const Domain& domain, std::span<const NamedLaw> laws,
                     std::span<const std::optional<OwnMean>> own,
                     std::span<const std::optional<OwnMean>> of_second) {
  // A row is a label and what stands beside it, or a label alone.
  constexpr std::size_t kUsualWidth = 32;
  std::size_t width = kUsualWidth;
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add_row = [&](std::string label, std::string beside) {
    if (!beside.empty()) width = std::max(width, label.size());
    rows.emplace_back(std::move(label), std::move(beside));
  };
  std::string names;
  for (const NamedLaw& law : laws) names += fmt::format(" {:>10}", law.name);
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
      add_row(printable(fmt::format("{} = {}", column.name(), level_text(column, level))), shares);
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
  fmt::print("\n");
  for (const auto& [label, beside] : rows) {
    fmt::print("{:<{}}{}\n", label, beside.empty() ? 0 : width, beside);
  }
  print_moved_means(domain, own);
  if (domain.columns().size() < 2) return;
  fmt::print("\n{:<32} {:>10}", "two columns together, from truth", "");
  for (std::size_t i = 1; i < laws.size(); ++i) fmt::print(" {:>10}", laws[i].name);
  std::vector<PairDistances> distances;
  for (std::size_t i = 1; i < laws.size(); ++i) {
    distances.push_back(pair_distances(domain, laws[0], laws[i]));
  }
  fmt::print("\n{:<32} {:>10}", "  mean total variation", "");
  for (const PairDistances& one : distances) fmt::print(" {:>10.4f}", one.mean);
  fmt::print("\n{:<32} {:>10}", "  worst total variation", "");
  for (const PairDistances& one : distances) fmt::print(" {:>10.4f}", one.worst);
  fmt::print("  ({})\n", printable(distances.front().where));
}

Json marginals_json(const Domain& domain, std::span<const NamedLaw> laws,
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
  return {{"columns", columns}, {"pairs", pairs}};
}

}  // namespace mollify::cli
