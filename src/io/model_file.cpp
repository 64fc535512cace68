#include "io/model_file.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/domain_yaml.h"
#include "io/text_file.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

std::string model_file_text(const std::string& released, const Domain& domain) {
  auto json = nlohmann::ordered_json::parse(released);
  json["domain"] = domain_yaml(domain);
  return json.dump() + "\n";
}

ModelFile parse_model_file(const std::string& text, const std::string& name) {
  ReleasedModel released = parse_released_model(text, name);
  const auto json = nlohmann::ordered_json::parse(text);
  const auto yaml = json.find("domain");
  if (yaml == json.end() || !yaml->is_string()) {
    throw InvalidInput(fmt::format("{} must have a domain at /domain", name));
  }
  Domain domain = parse_domain(yaml->get<std::string>(), "the domain in " + name);
  bool fits = domain.hash() == released.domain_sha256 &&
              domain.columns().size() == released.model.columns().size();
  for (std::size_t i = 0; fits && i < domain.columns().size(); ++i) {
    fits = domain.columns()[i].size() == released.model.columns()[i].groups.of.size();
  }
  if (!fits) {
    throw InvalidInput(
        fmt::format("{} must have the domain that its model was made for, but has another", name));
  }
  return {std::move(domain), std::move(released.model)};
}

ModelFile read_model_file(const std::string& path) {
  return parse_model_file(read_text_file(path), path);
}

}  // namespace mollify
