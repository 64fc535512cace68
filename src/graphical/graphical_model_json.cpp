// The file of a model.
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "graphical/graphical_model.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using ModelJson = nlohmann::ordered_json;

constexpr int kModelVersion = 1;

/// Reads parts of a model and names them in refusals.
class ModelReader {
 public:
  explicit ModelReader(const std::string& name) : name_(name) {}

  [[noreturn]] void refuse(const std::string& place, const char* expected) const {
    throw InvalidInput(fmt::format("{}: {} must be {}, but is not", name_, place, expected));
  }

  /// The member of an object that must have these members and no others.
  void require_members(const ModelJson& json, const std::string& place,
                       std::initializer_list<const char*> members) const {
    if (!json.is_object()) refuse(place, "an object");
    for (const char* member : members) {
      if (!json.contains(member)) {
        throw InvalidInput(
            fmt::format("{}: {} must have \"{}\", but has not", name_, place, member));
      }
    }
    if (json.size() != members.size()) {
      throw InvalidInput(fmt::format("{}: {} must have {} members, but has {}", name_, place,
                                     members.size(), json.size()));
    }
  }

  const ModelJson& list(const ModelJson& json, const std::string& place) const {
    if (!json.is_array()) refuse(place, "a list");
    return json;
  }

  std::uint64_t integer(const ModelJson& json, const std::string& place, std::uint64_t most) const {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) {
      refuse(place, "an integer that is not negative and not too great");
    }
    return json.get<std::uint64_t>();
  }

  double real(const ModelJson& json, const std::string& place) const {
    if (!json.is_number()) refuse(place, "a number");
    return json.get<double>();
  }

 private:
  const std::string& name_;
};

}  // namespace

nlohmann::ordered_json graphical_model_json(const GraphicalModel& model) {
  ModelJson potentials = ModelJson::array();
  for (const GraphicalModel::Potential& potential : model.potentials()) {
    potentials.push_back({{"columns", potential.clique}, {"values", potential.values}});
  }
  return {{"version", kModelVersion},
          {"sizes", model.sizes()},
          {"total", model.total()},
          {"potentials", std::move(potentials)}};
}

GraphicalModel graphical_model_from_json(const nlohmann::ordered_json& json,
                                         const std::string& name) {
  const ModelReader reader(name);
  reader.require_members(json, "the model", {"version", "sizes", "total", "potentials"});
  if (json["version"] != kModelVersion) {
    throw InvalidInput(fmt::format("{}: version must be {}, but is not", name, kModelVersion));
  }
  ColumnSizes sizes;
  for (const ModelJson& size : reader.list(json["sizes"], "sizes")) {
    sizes.push_back(static_cast<std::uint32_t>(
        reader.integer(size, "each of sizes", std::numeric_limits<std::uint32_t>::max())));
  }
  std::vector<GraphicalModel::Potential> potentials;
  for (const ModelJson& from : reader.list(json["potentials"], "potentials")) {
    const std::string place = fmt::format("potential {}", potentials.size() + 1);
    reader.require_members(from, place, {"columns", "values"});
    GraphicalModel::Potential potential;
    for (const ModelJson& column : reader.list(from["columns"], "columns of " + place)) {
      potential.clique.push_back(
          reader.integer(column, "each of the columns of " + place, kMostColumns));
    }
    for (const ModelJson& value : reader.list(from["values"], "values of " + place)) {
      potential.values.push_back(reader.real(value, "each of the values of " + place));
    }
    potentials.push_back(std::move(potential));
  }
  const double total = reader.real(json["total"], "total");
  try {
    return {std::move(sizes), total, std::move(potentials)};
  } catch (const InvalidInput& refusal) {
    throw InvalidInput(fmt::format("{}: {}", name, refusal.what()));
  }
}

}  // namespace mollify
