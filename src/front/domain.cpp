#include "front/domain.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/names.h"
#include "core/invalid_input.h"
#include "formats/domain_yaml.h"
#include "front/privacy.h"

namespace mollify::front {

namespace {

Column made(std::string name, inside::Cells cells, Mapping mapping) {
  return Column(std::make_shared<const Column::Inside>(
      inside::Column::make(std::move(name), std::move(cells),
                           {mapping.null_is_category, std::move(mapping.null_value),
                            std::move(mapping.outside_value), mapping.clips})));
}

using Json = nlohmann::ordered_json;

Json json_of(const inside::YamlNode& node, bool words) {
  if (node.null) return nullptr;
  if (node.kind == inside::YamlNode::Kind::kScalar) {
    const bool looks_like_word = node.text == "category" || node.text == "clip";
    return words && node.quoted && looks_like_word ? Json{{"value", node.text}} : Json(node.text);
  }
  if (node.kind == inside::YamlNode::Kind::kSequence) {
    Json list = Json::array();
    for (const inside::YamlNode& item : node.items) list.push_back(json_of(item, false));
    return list;
  }
  Json settings = Json::object();
  for (std::size_t i = 0; i + 1 < node.items.size(); i += 2) {
    settings[node.items[i].text] = json_of(node.items[i + 1], true);
  }
  return settings;
}

inside::Cells dates(inside::Grain grain, const std::string& min, const std::string& max,
                    const std::string& bins, const std::string& zone) {
  for (const std::string& text : {min, max, bins, zone})
    inside::require_without_nul("a date", text);
  inside::DateCells::Declaration declared{.grain = grain, .min = min, .max = max};
  if (!bins.empty()) declared.cut_by(bins);
  if (!zone.empty()) declared.zone = zone;
  return inside::DateCells::make(declared);
}

}  // namespace

Column Column::categorical(std::string name, const std::vector<std::string>& values,
                           Mapping mapping) {
  return made(std::move(name), inside::Categories::make(values), std::move(mapping));
}

Column Column::boolean(std::string name, std::string false_word, std::string true_word,
                       Mapping mapping) {
  return made(std::move(name),
              inside::BooleanWords::make(std::move(false_word), std::move(true_word)),
              std::move(mapping));
}

Column Column::integer(std::string name, std::int64_t min, std::int64_t max,
                       std::optional<std::uint64_t> bins, Mapping mapping) {
  return made(std::move(name), inside::IntegerCells::make(min, max, bins), std::move(mapping));
}

Column Column::number(std::string name, double min, double max, std::optional<std::uint64_t> bins,
                      Mapping mapping) {
  return made(std::move(name), inside::NumberCells::make(min, max, bins), std::move(mapping));
}

Column Column::ordinal(std::string name, const std::vector<std::string>& values, Mapping mapping) {
  return made(std::move(name), inside::Categories::make(values, true), std::move(mapping));
}

Column Column::integer_edges(std::string name, const std::vector<std::int64_t>& edges,
                             Mapping mapping) {
  return made(std::move(name), inside::IntegerCells::with_edges(edges), std::move(mapping));
}

Column Column::number_edges(std::string name, const std::vector<double>& edges,
                            std::optional<double> spike, Mapping mapping) {
  return made(std::move(name), inside::NumberCells::with_edges(edges, spike), std::move(mapping));
}

Column Column::number_spike(std::string name, double min, double max, std::uint64_t bins,
                            double spike, Mapping mapping) {
  return made(std::move(name), inside::NumberCells::with_spike(min, max, bins, spike),
              std::move(mapping));
}

Column Column::date(std::string name, const std::string& min, const std::string& max,
                    const std::string& bins, Mapping mapping) {
  return made(std::move(name), dates(inside::Grain::kDay, min, max, bins, {}), std::move(mapping));
}

Column Column::datetime(std::string name, const std::string& min, const std::string& max,
                        const std::string& bins, const std::string& zone, Mapping mapping) {
  return made(std::move(name), dates(inside::Grain::kSecond, min, max, bins, zone),
              std::move(mapping));
}

const std::string& Column::name() const noexcept { return inside_->column.name(); }
std::uint32_t Column::size() const noexcept { return inside_->column.size(); }

Domain outward(inside::Domain domain) {
  return Domain(std::make_shared<const Domain::Inside>(std::move(domain)));
}

std::string with_domain(std::string_view json, const Domain& domain, const std::string& name) {
  inside::require_json(json, name);
  inside::Json object = inside::Json::parse(json);
  if (!object.is_object()) return std::string(json);
  if (object.contains("domain")) {
    throw InvalidInput(
        fmt::format("{} must name no domain where one is given, but it names one", name));
  }
  object["domain"] = {{"text", domain.yaml()}};
  return object.dump();
}

Domain Domain::make(const std::vector<Column>& columns, std::uint64_t seed) {
  std::vector<inside::Column> inner;
  inner.reserve(columns.size());
  for (const Column& column : columns) inner.push_back(column.inside().column);
  return outward(inside::Domain::make(std::move(inner), seed));
}

Domain Domain::read(const std::string& path) { return outward(inside::read_domain(path)); }

Domain Domain::parse(std::string_view yaml, const std::string& name) {
  return outward(inside::parse_domain(yaml, name));
}

std::string Domain::yaml() const { return inside::domain_yaml(inside_->domain); }
std::string Domain::json() const {
  Json json = json_of(inside::parse_yaml(yaml(), "the domain"), false);
  Json columns = Json::array();
  for (auto& [name, settings] : json["columns"].items()) {
    Json column{{"name", name}};
    column.update(settings);
    columns.push_back(std::move(column));
  }
  json["columns"] = std::move(columns);
  return json.dump();
}

std::string Domain::hash() const { return inside_->domain.hash(); }
std::vector<std::string> Domain::column_names() const { return inside_->domain.names(); }

std::string Domain::warning() const { return inside_->domain.undeclared_words(); }
double Domain::outcome_count() const noexcept { return inside_->domain.product(); }
bool Domain::is_enumerable() const noexcept { return inside_->domain.is_enumerable(); }

std::uint32_t Domain::encode(std::span<const std::string_view> fields) const {
  inside_->domain.require_enumerable("an outcome");
  return inside_->domain.encode(fields);
}

std::vector<std::string> Domain::decode(std::uint32_t outcome) const {
  inside_->domain.require_enumerable("an outcome");
  if (outcome >= inside_->domain.size()) {
    throw InvalidInput(
        fmt::format("an outcome must be below {}, but is {}", inside_->domain.size(), outcome));
  }
  std::vector<std::string> fields;
  inside_->domain.decode(outcome, entropy(), fields);
  return fields;
}

bool operator==(const Domain& left, const Domain& right) {
  return left.inside_->domain == right.inside_->domain;
}

}  // namespace mollify::front
