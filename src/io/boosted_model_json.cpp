#include "mollify/io/boosted_model_json.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "json_node.h"
#include "mollify/boosting/decision_tree.h"
#include "mollify/boosting/logistic_model.h"
#include "mollify/boosting/network.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "mollify boosted density";
constexpr std::uint64_t kVersion = 1;
constexpr const char* kNotice =
    "PRIVATE DATA: this was learned from private records without protection; it may be drawn from "
    "through the kernel, but not given away";

/// Numbers that JSON has none of are texts.
Json json_of(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return static_cast<double>(value);
}

Json json_of(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(json_of(value));
  return list;
}

float float_from(const JsonNode& node) {
  if (!node.value.is_string()) return static_cast<float>(node.number());
  const std::string text = node.text();
  if (text == "nan") return std::numeric_limits<float>::quiet_NaN();
  if (text == "infinity") return std::numeric_limits<float>::infinity();
  if (text == "-infinity") return -std::numeric_limits<float>::infinity();
  throw InvalidInput(fmt::format(
      "{} must be a number, nan, infinity or -infinity, but is \"{}\"", node.place, text));
}

std::vector<float> floats_from(const JsonNode& node) {
  std::vector<float> values;
  for (const JsonNode& entry : node.entries()) values.push_back(float_from(entry));
  return values;
}

Json json_of(const NetworkParameters& network) {
  Json layers = Json::array();
  for (const std::vector<float>& layer : network.layers) layers.push_back(json_of(layer));
  return {{"type", "network"},
          {"centres", json_of(network.centres)},
          {"factors", json_of(network.factors)},
          {"layers", layers}};
}

NetworkParameters network_from(const JsonNode& node) {
  node.allow_only({"type", "centres", "factors", "layers"});
  NetworkParameters network{floats_from(node.member("centres")),
                            floats_from(node.member("factors")), {}};
  for (const JsonNode& layer : node.member("layers").entries()) {
    network.layers.push_back(floats_from(layer));
  }
  return network;
}

Json json_of(const Classifier& classifier) {
  if (const auto* network = dynamic_cast<const NetworkClassifier*>(&classifier)) {
    return json_of(network->parameters());
  }
  throw InvalidInput("a model can be saved only of networks, trees and logistic models");
}

std::shared_ptr<const Classifier> classifier_from(const JsonNode& node) {
  const std::string type = node.member("type").text();
  if (type == "network") return std::make_shared<NetworkClassifier>(network_from(node));
  throw InvalidInput(fmt::format("\"type\" of {} must be network, tree or logistic, but is \"{}\"",
                                 node.place, type));
}

constexpr const char* name_of(LogNormaliser::Method method) {
  return method == LogNormaliser::Method::kCubature ? "cubature" : "importance sampling";
}

LogNormaliser normaliser_from(const JsonNode& node) {
  node.allow_only({"value", "error", "method", "points"});
  LogNormaliser normaliser;
  normaliser.value = node.member("value").number();
  normaliser.error = node.member("error").number();
  normaliser.points = static_cast<std::size_t>(node.member("points").whole_number());
  const std::string method = node.member("method").text();
  for (const auto known :
       {LogNormaliser::Method::kCubature, LogNormaliser::Method::kImportanceSampling}) {
    normaliser.method = known;
    if (method == name_of(known)) return normaliser;
  }
  throw InvalidInput(fmt::format("{} must be cubature or importance sampling, but is \"{}\"",
                                 node.member("method").place, method));
}

}  // namespace

std::string boosted_model_json(const BoostedDensity& density) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"notice", kNotice},
               {"epsilon", density.spec().epsilon},
               {"outputs", density.spec().outputs},
               {"bounding", name_of(density.spec().bounding)},
               {"features", density.dimension()},
               {"log_normaliser", nullptr}};
  if (density.log_normaliser()) {
    const LogNormaliser& normaliser = *density.log_normaliser();
    json["log_normaliser"] = {{"value", normaliser.value},
                              {"error", normaliser.error},
                              {"method", name_of(normaliser.method)},
                              {"points", normaliser.points}};
  }
  json["classifiers"] = Json::array();
  for (const auto& classifier : density.classifiers()) {
    json["classifiers"].push_back(json_of(*classifier));
  }
  return json.dump(1) + "\n";
}

BoostedDensity boosted_model_from_json(std::string_view text, const std::string& name) {
  const nlohmann::json value = parsed_json(text, name);
  const JsonNode node{value, name};
  if (node.member("format").text() != kFormat) {
    throw InvalidInput(fmt::format("{} must be \"{}\", but is \"{}\"", node.member("format").place,
                                   kFormat, node.member("format").text()));
  }
  const std::uint64_t version = node.member("version").whole_number();
  if (version != kVersion) {
    throw InvalidInput(fmt::format("{} must be {}, but is {}", node.member("version").place,
                                   kVersion, version));
  }
  node.allow_only({"format", "version", "notice", "epsilon", "outputs", "bounding", "features",
                   "log_normaliser", "classifiers"});
  const std::optional<Bounding> bounding = bounding_named(node.member("bounding").text());
  if (!bounding) node.member("bounding").refuse("probability, logit or sign");
  BoostedDensity density(
      {.epsilon = node.member("epsilon").number(),
       .bounding = *bounding,
       .outputs = static_cast<std::size_t>(node.member("outputs").whole_number())},
      static_cast<std::size_t>(node.member("features").whole_number()));
  for (const JsonNode& entry : node.member("classifiers").entries()) {
    density = density.boosted(classifier_from(entry));
  }
  const JsonNode normaliser = node.member("log_normaliser");
  return normaliser.value.is_null() ? density : density.normalised(normaliser_from(normaliser));
}

}  // namespace mollify
