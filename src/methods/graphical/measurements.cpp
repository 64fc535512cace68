#include "methods/graphical/measurements.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/refusal.h"
#include "domain/column.h"
#include "domain/domain.h"

namespace mollify {

std::size_t MeasuredTable::cells() const {
  std::size_t cells = 1;
  for (const CellGroups& one : groups) cells *= one.count;
  return cells;
}

std::vector<std::pair<std::size_t, std::size_t>> Measurements::pairs_without(
    std::size_t columns) const {
  std::set<std::pair<std::size_t, std::size_t>> measured;
  for (const MeasuredTable& table : tables) {
    for (std::size_t a = 0; a < table.columns.size(); ++a) {
      for (std::size_t b = a + 1; b < table.columns.size(); ++b) {
        measured.emplace(table.columns[a], table.columns[b]);
      }
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> without;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = i + 1; j < columns; ++j) {
      if (!measured.contains({i, j})) without.emplace_back(i, j);
    }
  }
  return without;
}

// -----------------------------------------------------------------------------------------------
// As JSON.

namespace {

/// Names may hold any bytes, and JSON holds text without NUL.
Json name_in_json(std::string name) {
  std::replace(name.begin(), name.end(), '\0', '?');
  return Json::parse(Json(std::move(name)).dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json names_of(const Domain& domain, const std::vector<std::size_t>& columns) {
  Json names = Json::array();
  for (const std::size_t at : columns) {
    names.push_back(name_in_json(domain.columns()[at].name()));
  }
  return names;
}

/// Noisy counts are whole numbers.
Json whole_numbers(const std::vector<double>& numbers) {
  Json whole = Json::array();
  for (const double number : numbers) whole.push_back(static_cast<std::int64_t>(number));
  return whole;
}

bool are_single(const CellGroups& groups) { return groups.count == groups.of.size(); }

}  // namespace

Json measurements_json(const Measurements& measurements, const Domain& domain) {
  Json tables = Json::array();
  for (const MeasuredTable& table : measurements.tables) {
    Json groups = Json::array();
    for (const CellGroups& one : table.groups) {
      groups.push_back(are_single(one) ? Json(nullptr) : Json(one.of));
    }
    tables.push_back({{"columns", names_of(domain, table.columns)},
                      {"at", table.columns},
                      {"groups", groups},
                      {"counts", whole_numbers(table.counts)},
                      {"variance", table.variance},
                      {"parts", table.parts}});
  }
  Json json{{"noise", measurements.noise}, {"step", measurements.step}};
  if (measurements.records) json["records"] = *measurements.records;
  json["tables"] = std::move(tables);
  if (const auto& products = measurements.products) {
    json["products"] = {{"scores", products->scores},
                        {"sums", whole_numbers(products->sums)},
                        {"variance", products->variance},
                        {"parts", products->parts}};
  }
  Json without = Json::array();
  for (const auto& [i, j] : measurements.pairs_without(domain.columns().size())) {
    without.push_back(names_of(domain, {i, j}));
  }
  json["not_measured"] = std::move(without);
  return json;
}

namespace {

/// Reads what measurements_json wrote. Throws JSON exceptions for other types, and refuses.
class MeasurementsReader {
 public:
  MeasurementsReader(const std::vector<std::uint32_t>& sizes, const std::string& name)
      : sizes_(sizes), name_(name) {}

  Measurements read(const Json& json) const {
    Measurements made;
    json.at("noise").get_to(made.noise);
    require(made.noise == "discrete-gaussian" || made.noise == "discrete-laplace");
    made.step = positive(json.at("step"));
    if (json.contains("records")) made.records = positive(json["records"]);
    for (const Json& one : json.at("tables")) made.tables.push_back(table(one));
    if (json.contains("products")) made.products = products(json["products"]);
    return made;
  }

  void require(bool holds) const {
    if (holds) return;
    refuse_input("malformed-file", {},
                 "{} must hold measurements as mollify writes them, but does not", name_);
  }

 private:
  double positive(const Json& json) const {
    const auto number = json.get<double>();
    require(json.is_number() && std::isfinite(number) && number > 0);
    return number;
  }

  std::uint32_t parts(const Json& json) const {
    require(json.is_number_unsigned() && json <= std::uint32_t{1} << 16U);
    return json.get<std::uint32_t>();
  }

  std::vector<double> numbers(const Json& json) const {
    std::vector<double> made;
    for (const Json& one : json) {
      require(one.is_number() && std::isfinite(one.get<double>()));
      made.push_back(one.get<double>());
    }
    return made;
  }

  CellGroups groups(const Json& json, std::uint32_t size) const {
    CellGroups made{{}, 0};
    if (json.is_null()) {
      for (std::uint32_t cell = 0; cell < size; ++cell) made.of.push_back(cell);
      made.count = size;
      return made;
    }
    require(json.size() == size);
    std::vector<bool> has_cells;
    for (const Json& group : json) {
      require(group.is_number_unsigned() && group < size);
      made.of.push_back(group.get<std::uint32_t>());
      made.count = std::max(made.count, made.of.back() + 1);
      has_cells.resize(std::max<std::size_t>(has_cells.size(), made.count));
      has_cells[made.of.back()] = true;
    }
    require(std::find(has_cells.begin(), has_cells.end(), false) == has_cells.end());
    return made;
  }

  MeasuredTable table(const Json& json) const {
    MeasuredTable made;
    for (const Json& column : json.at("at")) {
      require(column.is_number_unsigned() && column < sizes_.size());
      require(made.columns.empty() || column > made.columns.back());
      made.columns.push_back(column.get<std::size_t>());
    }
    require(!made.columns.empty() && json.at("groups").size() == made.columns.size());
    std::uint64_t cells = 1;
    for (std::size_t i = 0; i < made.columns.size(); ++i) {
      made.groups.push_back(groups(json["groups"][i], sizes_[made.columns[i]]));
      cells *= made.groups.back().count;
      require(cells <= json.at("counts").size());
    }
    made.counts = numbers(json["counts"]);
    require(made.counts.size() == cells);
    made.variance = positive(json.at("variance"));
    made.parts = parts(json.at("parts"));
    return made;
  }

  MeasuredProducts products(const Json& json) const {
    MeasuredProducts made;
    require(json.at("scores").size() == sizes_.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      json["scores"][i].get_to(made.scores.emplace_back());
      require(made.scores.back().size() == sizes_[i]);
    }
    made.sums = numbers(json.at("sums"));
    require(made.sums.size() == sizes_.size() * (sizes_.size() - 1) / 2);
    made.variance = positive(json.at("variance"));
    made.parts = parts(json.at("parts"));
    return made;
  }

  const std::vector<std::uint32_t>& sizes_;
  const std::string& name_;
};

}  // namespace

Measurements measurements_from_json(const Json& json, const std::vector<std::uint32_t>& sizes,
                                    const std::string& name) {
  const MeasurementsReader reader(sizes, name);
  try {
    return reader.read(json);
  } catch (const nlohmann::json::exception&) {
    reader.require(false);
  }
  return {};
}

}  // namespace mollify
