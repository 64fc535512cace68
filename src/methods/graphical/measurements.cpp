#include "methods/graphical/measurements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/json.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"
#include "domain/domain.h"

namespace mollify {

std::vector<std::pair<std::size_t, std::size_t>> Measurements::not_measured(
    std::size_t columns) const {
  if (products) return {};
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

MeasuredDistances::Mean MeasuredDistances::mean(bool is_laplace) const {
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double deviation = std::sqrt(variance * static_cast<double>(sums.size()));
  // P(|noise| > reach) is 0.05: ln(20) / sqrt(2) deviations of Laplace noise.
  const double reach = (is_laplace ? 2.1183026 : 1.9599640) * deviation;
  const double all = 2 * static_cast<double>(weight) * static_cast<double>(pairs());
  const auto bounded = [&](double distance) { return std::clamp(distance / all, 0.0, 1.0); };
  return {bounded(sum), bounded(sum - reach), bounded(sum + reach)};
}

std::vector<double> MeasuredDistances::greatest(bool is_laplace) const {
  std::vector<double> bounds;
  if (sums.size() != pairs()) return bounds;
  // P(noise < -reach) is 0.05.
  const double reach = (is_laplace ? 1.6281735 : 1.6448536) * std::sqrt(variance);
  for (const double sum : sums) {
    const double most = sum + reach;
    bounds.push_back(std::clamp(most / (2 * static_cast<double>(weight)), 0.0, 1.0));
  }
  return bounds;
}

namespace {

constexpr const char* kLaplace = "discrete-laplace";

}  // namespace

bool Measurements::may_be_independent() const {
  if (!error || !independent) return false;
  const bool is_laplace = noise == kLaplace;
  return error->mean(is_laplace).most >= independent->mean(is_laplace).least;
}

// -----------------------------------------------------------------------------------------------
// As JSON.

namespace {

/// Names may hold any bytes, and JSON holds text without NUL.
std::string name_in_json(std::string name) {
  std::replace(name.begin(), name.end(), '\0', '?');
  return Json::parse(Json(std::move(name)).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

Json names_of(const Domain& domain, const std::vector<std::size_t>& columns) {
  Json names = Json::array();
  for (const std::size_t at : columns) {
    names.push_back(name_in_json(domain.columns()[at].name()));
  }
  return names;
}

/// Noisy counts are whole numbers. A double of 2^63 is no integer of 64 bits.
Json whole_numbers(const std::vector<double>& numbers) {
  Json whole = Json::array();
  for (const double number : numbers) {
    whole.push_back(std::abs(number) < 0x1p63 ? Json(static_cast<std::int64_t>(number))
                                              : Json(number));
  }
  return whole;
}

/// Runs of neighbouring cells, as long as they can be.
Json runs_of(const CellGroups& groups) {
  Json runs = Json::array();
  for (std::size_t begin = 0; begin < groups.of.size();) {
    std::size_t end = begin;
    while (end < groups.of.size() && groups.of[end] == groups.of[begin]) ++end;
    runs.push_back({groups.of[begin], end - begin});
    begin = end;
  }
  return runs;
}

CellGroups every_cell(std::uint32_t size) {
  CellGroups groups{std::vector<std::uint32_t>(size), size};
  std::iota(groups.of.begin(), groups.of.end(), 0U);
  return groups;
}

/// The mean and its interval.
Json mean_json(const MeasuredDistances& error, bool is_laplace) {
  const MeasuredDistances::Mean mean = error.mean(is_laplace);
  return {{"two_way", mean.mean}, {"interval", {mean.least, mean.most}}};
}

/// The noisy sums behind a mean and its interval.
void add_distances(Json& json, const MeasuredDistances& error) {
  json["at"] = error.columns;
  json["rows"] = error.rows;
  json["weight"] = error.weight;
  json["distances"] = whole_numbers(error.sums);
  json["variance"] = error.variance;
  json["parts"] = error.parts;
}

Json error_json(const MeasuredDistances& error, bool is_laplace, const Domain& domain) {
  Json json = mean_json(error, is_laplace);
  const std::vector<double> greatest = error.greatest(is_laplace);
  for (std::size_t i = 0, pair = 0; i < error.columns.size() && !greatest.empty(); ++i) {
    for (std::size_t j = i + 1; j < error.columns.size(); ++j, ++pair) {
      json["pairs"].push_back({{"columns", names_of(domain, {error.columns[i], error.columns[j]})},
                               {"at_most", greatest[pair]}});
    }
  }
  add_distances(json, error);
  return json;
}

Json independent_json(const MeasuredDistances& error, bool is_laplace) {
  Json json = mean_json(error, is_laplace);
  add_distances(json, error);
  return json;
}

/// Whether it has all members of the other one, in any order. The last digits of fractions may
/// differ, because they do between machines.
bool has_all_of(const Json& json, const Json& other) {
  // Of sorted members, which are many.
  const nlohmann::json mine = nlohmann::json(json).flatten();
  const nlohmann::json theirs = nlohmann::json(other).flatten();
  for (const auto& [key, value] : theirs.items()) {
    const auto found = mine.find(key);
    if (found == mine.end()) return false;
    const bool are_fractions = found->is_number_float() && value.is_number_float();
    if (are_fractions ? !(std::abs(found->get<double>() - value.get<double>()) < 1e-9)
                      : *found != value) {
      return false;
    }
  }
  return true;
}

}  // namespace

Json measurements_json(const Measurements& measurements, const Domain& domain) {
  Json tables = Json::array();
  for (const MeasuredTable& table : measurements.tables) {
    Json groups = Json::array();
    for (const CellGroups& one : table.groups) {
      const bool are_single = one == every_cell(static_cast<std::uint32_t>(one.of.size()));
      groups.push_back(are_single ? Json(nullptr) : runs_of(one));
    }
    tables.push_back({{"columns", names_of(domain, table.columns)},
                      {"at", table.columns},
                      {"groups", groups},
                      {"counts", whole_numbers(table.counts)},
                      {"variance", table.variance},
                      {"parts", table.parts}});
  }
  Json json{{"noise", measurements.noise}, {"step", measurements.step}};
  if (measurements.weighted) json["weighted"] = true;
  if (measurements.records) json["records"] = *measurements.records;
  json["tables"] = std::move(tables);
  if (const auto& products = measurements.products) {
    json["products"] = {{"scores", products->scores},
                        {"sums", whole_numbers(products->sums)},
                        {"variance", products->variance},
                        {"parts", products->parts}};
  }
  if (measurements.error) {
    json["error"] = error_json(*measurements.error, measurements.noise == kLaplace, domain);
  }
  if (measurements.independent) {
    json["independent"] =
        independent_json(*measurements.independent, measurements.noise == kLaplace);
  }
  Json without = Json::array();
  for (const auto& [i, j] : measurements.not_measured(domain.columns().size())) {
    without.push_back(names_of(domain, {i, j}));
  }
  json["not_measured"] = std::move(without);
  return json;
}

namespace {

/// Reads a member "measurements". `place` is where a function reads, for its refusals.
class MeasurementsReader {
 public:
  MeasurementsReader(const Domain& domain, const std::string& name) : domain_(domain), name_(name) {
    for (std::size_t i = 0; i < domain.columns().size(); ++i) {
      place_of_.emplace(name_in_json(domain.columns()[i].name()), i);
    }
  }

  Measurements read(const Json& json) const {
    Measurements made;
    const std::string place = "/measurements";
    require(json.is_object(), place, "have an object");
    made.noise = "unknown";
    if (json.contains("noise")) {
      require(json["noise"].is_string(), place + "/noise", "be a text");
      json["noise"].get_to(made.noise);
    }
    if (json.contains("step")) made.step = positive(json, "step", place);
    if (json.contains("weighted")) {
      require(json["weighted"].is_boolean(), place + "/weighted", "be true or false");
      json["weighted"].get_to(made.weighted);
    }
    if (json.contains("records")) made.records = positive(json, "records", place);
    const Json& tables = list(json, "tables", place);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      made.tables.push_back(table(tables[i], fmt::format("{}/tables/{}", place, i)));
    }
    if (json.contains("products")) made.products = products(json["products"], place + "/products");
    if (json.contains("error")) {
      made.error = error(json["error"], place + "/error");
      require(has_all_of(json["error"], error_json(*made.error, made.noise == kLaplace, domain_)),
              place + "/error", "have the error that its distances give");
    }
    if (json.contains("independent")) {
      made.independent = error(json["independent"], place + "/independent");
      require(has_all_of(json["independent"],
                         independent_json(*made.independent, made.noise == kLaplace)),
              place + "/independent", "have the error that its distances give");
    }
    return made;
  }

 private:
  void require(bool holds, const std::string& place, std::string_view what) const {
    if (holds) return;
    refuse_input("malformed-file", {}, "{} must {} at {}", name_, what, place);
  }

  const Json& list(const Json& json, const char* key, const std::string& place) const {
    require(json.contains(key) && json[key].is_array(), place + "/" + key, "have a list");
    return json[key];
  }

  double positive(const Json& json, const char* key, const std::string& place) const {
    const bool is_number = json.contains(key) && json[key].is_number();
    const double number = is_number ? json[key].get<double>() : 0;
    require(std::isfinite(number) && number > 0, place + "/" + key, "have a number above 0");
    return number;
  }

  std::uint32_t parts(const Json& json, const std::string& place) const {
    if (!json.contains("parts")) return 0;
    const Json& parts = json["parts"];
    require(parts.is_number_unsigned() && parts <= std::numeric_limits<std::uint32_t>::max(),
            place + "/parts", "have a whole number of parts");
    return parts.get<std::uint32_t>();
  }

  std::vector<double> numbers(const Json& json, const char* key, std::size_t count,
                              const std::string& place) const {
    const Json& all = list(json, key, place);
    require(all.size() == count, place + "/" + key,
            fmt::format("have {}, but has {},", counted(count, "number"), all.size()));
    std::vector<double> made;
    for (const Json& one : all) {
      require(one.is_number() && std::isfinite(one.get<double>()), place + "/" + key,
              "have finite numbers");
      made.push_back(one.get<double>());
    }
    return made;
  }

  /// By place in the domain, or by name.
  std::size_t column(const Json& json, const std::string& place) const {
    if (json.is_number_unsigned() && json < domain_.columns().size()) {
      return json.get<std::size_t>();
    }
    const auto found = json.is_string() ? place_of_.find(json.get<std::string>()) : place_of_.end();
    require(found != place_of_.end(), place, "name columns of the domain");
    return found->second;
  }

  std::vector<std::size_t> columns(const Json& json, const std::string& place) const {
    const char* const key = json.contains("at") ? "at" : "columns";
    std::vector<std::size_t> made;
    for (const Json& one : list(json, key, place)) {
      made.push_back(column(one, place + "/" + key));
      require(std::count(made.begin(), made.end(), made.back()) == 1, place + "/" + key,
              "name each column once");
    }
    require(!made.empty(), place + "/" + key, "name columns of the domain");
    if (json.contains("at") && json.contains("columns")) {
      require(json["columns"] == names_of(domain_, made), place + "/columns",
              "have the names of the columns in \"at\"");
    }
    return made;
  }

  CellGroups groups(const Json& json, std::uint32_t size, const std::string& place) const {
    if (json.is_null()) return every_cell(size);
    CellGroups made{{}, 0};
    require(json.is_array(), place, "have runs of cells, or null,");
    std::vector<bool> has_cells(size);
    for (const Json& run : json) {
      require(run.is_array() && run.size() == 2 && run[0].is_number_unsigned() && run[0] < size &&
                  run[1].is_number_unsigned() && run[1] > 0 && run[1] <= size - made.of.size(),
              place,
              fmt::format("have runs, [group, number of cells], of {}", counted(size, "cell")));
      const auto group = run[0].get<std::uint32_t>();
      made.of.insert(made.of.end(), run[1].get<std::size_t>(), group);
      made.count = std::max(made.count, group + 1);
      has_cells[group] = true;
    }
    const auto end = has_cells.begin() + made.count;
    require(made.of.size() == size && std::find(has_cells.begin(), end, false) == end, place,
            fmt::format("have {} in groups 0, 1, ..., none empty,", counted(size, "cell")));
    return made;
  }

  MeasuredTable table(const Json& json, const std::string& place) const {
    require(json.is_object(), place, "have an object");
    MeasuredTable made;
    made.columns = columns(json, place);
    const bool has_groups = json.contains("groups");
    if (has_groups) {
      require(list(json, "groups", place).size() == made.columns.size(), place + "/groups",
              "have groups for each column");
    }
    std::uint64_t cells = 1;
    for (std::size_t i = 0; i < made.columns.size(); ++i) {
      const std::uint32_t size = domain_.columns()[made.columns[i]].size();
      made.groups.push_back(
          has_groups ? groups(json["groups"][i], size, fmt::format("{}/groups/{}", place, i))
                     : every_cell(size));
      cells *= made.groups.back().count;
      // No more than the list can have, so the product stays small.
      require(cells <= list(json, "counts", place).size(), place + "/counts",
              fmt::format("have {} or more", counted(cells, "number")));
    }
    made.counts = numbers(json, "counts", cells, place);
    made.variance = positive(json, "variance", place);
    made.parts = parts(json, place);
    return in_order(std::move(made));
  }

  /// With its columns in the domain's order.
  static MeasuredTable in_order(MeasuredTable table) {
    if (std::is_sorted(table.columns.begin(), table.columns.end())) return table;
    const std::size_t columns = table.columns.size();
    std::vector<std::size_t> order(columns), steps(columns);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return table.columns[a] < table.columns[b]; });
    std::size_t step = 1;
    for (std::size_t i = columns; i-- > 0; step *= table.groups[i].count) steps[i] = step;
    MeasuredTable made{{}, {}, {}, table.variance, table.parts};
    for (const std::size_t from : order) {
      made.columns.push_back(table.columns[from]);
      made.groups.push_back(std::move(table.groups[from]));
    }
    for (std::size_t cell = 0; cell < table.counts.size(); ++cell) {
      std::size_t rest = cell, at = 0;
      for (std::size_t i = columns; i-- > 0;) {
        at += rest % made.groups[i].count * steps[order[i]];
        rest /= made.groups[i].count;
      }
      made.counts.push_back(table.counts[at]);
    }
    return made;
  }

  MeasuredProducts products(const Json& json, const std::string& place) const {
    const std::size_t columns = domain_.columns().size();
    require(json.is_object(), place, "have an object");
    MeasuredProducts made;
    const Json& scores = list(json, "scores", place);
    require(scores.size() == columns, place + "/scores", "have scores of each column");
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string at = fmt::format("{}/scores/{}", place, i);
      require(scores[i].is_array() && scores[i].size() == domain_.columns()[i].size(), at,
              "have a score of each cell");
      made.scores.emplace_back();
      for (const Json& score : scores[i]) {
        require(score.is_number_integer(), at, "have whole numbers");
        made.scores.back().push_back(score.get<std::int64_t>());
      }
    }
    made.sums = numbers(json, "sums", columns * (columns - 1) / 2, place);
    made.variance = positive(json, "variance", place);
    made.parts = parts(json, place);
    return made;
  }

  std::uint64_t whole(const Json& json, const char* key, const std::string& place) const {
    require(json.contains(key) && json[key].is_number_unsigned() && json[key] > 0,
            place + "/" + key, "have a whole number above 0");
    return json[key].get<std::uint64_t>();
  }

  MeasuredDistances error(const Json& json, const std::string& place) const {
    require(json.is_object(), place, "have an object");
    MeasuredDistances made;
    for (const Json& one : list(json, "at", place)) {
      const std::size_t at = column(one, place + "/at");
      require(made.columns.empty() || made.columns.back() < at, place + "/at", "ascend");
      made.columns.push_back(at);
    }
    require(made.columns.size() > 1, place + "/at", "have two columns or more");
    made.rows = whole(json, "rows", place);
    made.weight = whole(json, "weight", place);
    const bool is_sum = list(json, "distances", place).size() == 1;
    made.sums = numbers(json, "distances", is_sum ? 1 : made.pairs(), place);
    made.variance = positive(json, "variance", place);
    made.parts = parts(json, place);
    return made;
  }

  const Domain& domain_;
  const std::string& name_;
  std::map<std::string, std::size_t> place_of_;
};

}  // namespace

Measurements measurements_from_json(const Json& json, const Domain& domain,
                                    const std::string& name) {
  return MeasurementsReader(domain, name).read(json);
}

}  // namespace mollify
