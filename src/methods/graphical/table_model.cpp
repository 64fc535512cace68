#include "methods/graphical/table_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/refusal.h"
#include "domain/densities.h"
#include "methods/graphical/fit.h"

namespace mollify {

namespace {

void require_column_model(const MarginalModel::ColumnModel& column, std::uint32_t values) {
  const CellGroups& groups = column.groups;
  std::vector<bool> met(groups.count);
  bool holds = groups.count == values && groups.of.size() == column.shares.size();
  for (const std::uint32_t group : groups.of) {
    holds = holds && group < groups.count;
    if (holds) met[group] = true;
  }
  for (const bool any : met) holds = holds && any;
  std::vector<bool> has_share(groups.count);
  for (std::size_t cell = 0; holds && cell < column.shares.size(); ++cell) {
    const double share = column.shares[cell];
    holds = share >= 0 && std::isfinite(share);
    if (share > 0) has_share[groups.of[cell]] = true;
  }
  for (const bool any : has_share) holds = holds && any;
  for (std::size_t i = 0; i < column.shapes.size(); ++i) {
    const CellShape& shape = column.shapes[i];
    holds = holds && shape.is_sound() && shape.cell < column.shares.size() &&
            (i == 0 || column.shapes[i - 1].cell < shape.cell);
  }
  refuse_if(!holds, "malformed-file", {},
            "a model's column must have groups that are the graph's values, and shares of cells "
            "that are 0 or above, one of each group above, and shapes of cells in their order");
}

void require_correlations(const std::vector<double>& matrix, std::size_t columns) {
  bool holds = matrix.size() == columns * columns;
  for (std::size_t i = 0; holds && i < columns; ++i) {
    holds = matrix[i * columns + i] == 1;
    for (std::size_t j = 0; holds && j < i; ++j) {
      const double one = matrix[i * columns + j];
      holds = std::abs(one) <= 1 && std::abs(one - matrix[j * columns + i]) < 1e-12;
    }
  }
  refuse_if(!holds, "malformed-file", {}, "a model's correlations must be a correlation matrix");
}

/// Of columns alone, joined by a copula.
ModelRows joined_rows(const GraphicalModel& graph, const std::vector<double>& correlations,
                      std::size_t count, const RandomWords& words) {
  std::vector<std::vector<double>> shares;
  for (std::size_t i = 0; i < graph.sizes().size(); ++i) shares.push_back(graph.marginal({i}));
  return copula_rows(shares, correlations, count, words);
}

}  // namespace

MarginalModel::MarginalModel(std::vector<ColumnModel> columns, GraphicalModel graph,
                             std::vector<double> correlations)
    : columns_(std::move(columns)),
      graph_(std::move(graph)),
      correlations_(std::move(correlations)) {
  if (!correlations_.empty()) require_correlations(correlations_, columns_.size());
  refuse_if(columns_.size() != graph_.sizes().size(), "malformed-file", {},
            "a model must have a column for each of the graph's {}, but has {}",
            graph_.sizes().size(), columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    require_column_model(columns_[i], graph_.sizes()[i]);
    std::vector<GroupCells>& groups = cells_.emplace_back(graph_.sizes()[i]);
    const ColumnModel& column = columns_[i];
    for (std::uint32_t cell = 0; cell < column.shares.size(); ++cell) {
      if (!(column.shares[cell] > 0)) continue;
      GroupCells& group = groups[column.groups.of[cell]];
      group.cells.push_back(cell);
      group.sums.push_back(column.shares[cell] + (group.sums.empty() ? 0 : group.sums.back()));
    }
  }
}

std::uint32_t MarginalModel::GroupCells::at(std::uint64_t word) const {
  const double place = static_cast<double>(word >> 11) * 0x1p-53 * sums.back();
  const auto above = std::upper_bound(sums.begin(), sums.end() - 1, place);
  return cells[static_cast<std::size_t>(above - sums.begin())];
}

ModelRows MarginalModel::rows(std::size_t count, const RandomWords& words,
                              const std::vector<Evidence>& given) const {
  std::vector<Evidence> groups;
  for (const Evidence& one : given) {
    refuse_if(one.column >= columns_.size() || one.value >= columns_[one.column].groups.of.size(),
              "malformed-file", {}, "a row's column {} has no cell {}", one.column, one.value);
    groups.push_back({one.column, columns_[one.column].groups.of[one.value]});
  }
  refuse_if(!correlations_.empty() && !given.empty(), "not-for-this-release", "given",
            "rows of a copula are drawn whole, so no value of a column can be given, but one is");
  ModelRows rows = correlations_.empty()
                       ? graph_.sample_given(groups, count, words, RowSampling::kMatched)
                       : joined_rows(graph_, correlations_, count, words);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint32_t& value : rows[i]) {
      const GroupCells& group = cells_[i][value];
      value = group.cells.size() == 1 ? group.cells[0] : group.at(words());
    }
  }
  for (const Evidence& one : given) {
    for (std::uint32_t& cell : rows[one.column]) cell = one.value;
  }
  return rows;
}

MarginalModel with_shapes(const MarginalModel& model, std::span<const Column> columns,
                          double noise) {
  std::vector<MarginalModel::ColumnModel> made = model.columns();
  for (std::size_t i = 0; i < made.size(); ++i) {
    // A column that follows has the shapes of nothing that was counted.
    if (made[i].shares.size() < 2) continue;
    const std::vector<double> groups = model.graph().marginal({i});
    std::vector<double> counts;
    for (std::size_t cell = 0; cell < made[i].shares.size(); ++cell) {
      const std::uint32_t group = made[i].groups.of[cell];
      const double sum = model.groups(i)[group].sums.back();
      counts.push_back(model.graph().total() * groups[group] * made[i].shares[cell] / sum);
    }
    made[i].shapes = shapes_of(columns[i], counts, noise);
  }
  return {std::move(made), model.graph(), model.correlations()};
}

nlohmann::ordered_json marginal_model_json(const MarginalModel& model) {
  nlohmann::ordered_json json{{"columns", nlohmann::ordered_json::array()}};
  for (const MarginalModel::ColumnModel& column : model.columns()) {
    json["columns"].push_back({{"groups", column.groups.of}, {"shares", column.shares}});
    for (const CellShape& shape : column.shapes) {
      json["columns"].back()["shapes"].push_back(
          {{"cell", shape.cell}, {"ends", shape.ends}, {"sums", shape.sums}});
    }
  }
  json["graph"] = graphical_model_json(model.graph());
  if (!model.correlations().empty()) json["correlations"] = model.correlations();
  return json;
}

MarginalModel marginal_model_from_json(const nlohmann::ordered_json& json,
                                       const std::string& name) {
  const auto refuse = [&] {
    refuse_input("malformed-file", {}, "{} must hold a model as mollify writes it, but does not",
                 name);
  };
  if (!json.is_object() || !json.contains("columns") || !json["columns"].is_array() ||
      !json.contains("graph")) {
    refuse();
  }
  std::vector<MarginalModel::ColumnModel> columns;
  std::vector<double> correlations;
  try {
    for (const auto& one : json["columns"]) {
      MarginalModel::ColumnModel& column = columns.emplace_back();
      for (const auto& group : one.at("groups")) {
        if (!group.is_number_unsigned() || group.get<std::uint64_t>() > 65536) refuse();
        column.groups.of.push_back(group.get<std::uint32_t>());
        column.groups.count = std::max(column.groups.count, column.groups.of.back() + 1);
      }
      one.at("shares").get_to(column.shares);
      if (!one.contains("shapes")) continue;
      for (const auto& shape : one.at("shapes")) {
        CellShape& made = column.shapes.emplace_back();
        shape.at("cell").get_to(made.cell);
        shape.at("ends").get_to(made.ends);
        shape.at("sums").get_to(made.sums);
      }
    }
    if (json.contains("correlations")) json["correlations"].get_to(correlations);
  } catch (const nlohmann::json::exception&) {
    refuse();
  }
  return {std::move(columns), graphical_model_from_json(json["graph"], name),
          std::move(correlations)};
}

std::vector<GraphicalModel::Potential> potentials_of(const PossibleRecords& possible,
                                                     const CellLists& groups) {
  std::map<Clique, std::vector<double>> joined;
  for (const PossibleRecords::Table& table : possible.tables(groups)) {
    std::vector<double>& values = joined[table.columns];
    values.resize(table.possible.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (table.possible[i] == 0) values[i] = kImpossible;
    }
  }
  std::vector<GraphicalModel::Potential> potentials;
  for (auto& [clique, values] : joined) potentials.push_back({clique, std::move(values)});
  return potentials;
}

}  // namespace mollify
