#include "laboratory/boosting/likelihood.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "scores/boosting.h"
#include "scores/learners.h"
#include "scores/network.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Draws from a measure and cells of a grid as classifiers read them.

Points measure_sample(const Measure& measure, std::size_t count, SeededRandom& random) {
  Points points(measure.dimension(), count);
  std::vector<double> point(measure.dimension());
  for (std::size_t i = 0; i < count; ++i) {
    measure.simulate(random, point);
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      points.values(axis)[i] = static_cast<float>(point[axis]);
    }
  }
  return points;
}

Points cell_centres(const Grid& grid) {
  Points centres(grid.dimension(), grid.cell_count());
  // The last axis runs fastest: along an axis the same centre stands `run` times in a row.
  std::size_t run = grid.cell_count();
  for (std::size_t axis = 0; axis < grid.dimension(); ++axis) {
    const auto edges = grid.edges(axis);
    const std::size_t cells = grid.cells_along(axis);
    run /= cells;
    const auto values = centres.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t cell = i / run % cells;
      values[i] = static_cast<float>(edges[cell] + (edges[cell + 1] - edges[cell]) / 2);
    }
  }
  return centres;
}

// -----------------------------------------------------------------------------------------------
// Boosting by classifiers that know everything.

std::vector<double> perfectly_boosted(std::span<const double> p, std::span<const double> reference,
                                      const BoostingSpec& spec, std::size_t iterations) {
  if (p.size() != reference.size()) {
    throw InvalidInput(
        fmt::format("P must have Q0's {} cells, but has {}", reference.size(), p.size()));
  }
  const BoostedDensity thetas(spec, 1);
  const double share = 1 / static_cast<double>(spec.outputs);
  std::vector<double> law(reference.begin(), reference.end());
  for (std::size_t t = 1; t <= iterations; ++t) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < law.size(); ++i) {
      const double c = share * bounded(std::log(p[i] / law[i]), spec.bounding);
      law[i] *= std::exp(thetas.theta(t) * c);
      sum += law[i];
    }
    for (double& mass : law) mass /= sum.value();
  }
  return law;
}

// -----------------------------------------------------------------------------------------------
// How well a density finds what another distribution produces.

namespace {

void require_level(double level) {
  if (level > 0 && level < 1) return;
  throw InvalidInput(
      fmt::format("the level of coverage must be above 0 and below 1, but is {:g}", level));
}

}  // namespace

Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p) {
  const std::size_t count = log_q_at_samples_of_p.size();
  if (count < 2) {
    throw InvalidInput(fmt::format("a likelihood needs at least 2 samples, but has {}", count));
  }
  const double n = static_cast<double>(count);
  CompensatedSum sum;
  for (const double value : log_q_at_samples_of_p) sum += value;
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double value : log_q_at_samples_of_p) squares += (value - mean) * (value - mean);
  return {.value = -mean, .standard_error = std::sqrt(squares.value() / (n - 1) / n)};
}

Estimate mode_coverage_of_samples(std::span<const double> q_at_samples_of_p,
                                  std::span<const double> q_at_samples_of_q, double level) {
  require_level(level);
  if (q_at_samples_of_p.empty() || q_at_samples_of_q.size() < 2) {
    throw InvalidInput(fmt::format("coverage needs a sample of P and two of Q, but has {} and {}",
                                   q_at_samples_of_p.size(), q_at_samples_of_q.size()));
  }
  std::vector<double> of_p(q_at_samples_of_p.begin(), q_at_samples_of_p.end());
  std::vector<double> of_q(q_at_samples_of_q.begin(), q_at_samples_of_q.end());
  std::sort(of_p.begin(), of_p.end());
  std::sort(of_q.begin(), of_q.end());
  const double n = static_cast<double>(of_p.size());
  const double m = static_cast<double>(of_q.size());
  // The share of P above the threshold that leaves `share` of Q's samples above it.
  const auto covered = [&](double share) {
    const double below = std::clamp(std::floor((1 - share) * m), 0.0, m - 1);
    const double threshold = of_q[static_cast<std::size_t>(below)];
    const auto first = std::lower_bound(of_p.begin(), of_p.end(), threshold);
    return static_cast<double>(of_p.end() - first) / n;
  };
  const double value = covered(level);
  const double of_level = std::sqrt(level * (1 - level) / m);
  const double of_threshold = (covered(level + of_level) - covered(level - of_level)) / 2;
  return {.value = value,
          .standard_error = std::sqrt(value * (1 - value) / n + of_threshold * of_threshold)};
}

// -----------------------------------------------------------------------------------------------
// Boosted densities in files.

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelFormat = "mollify boosted density";
constexpr std::uint64_t kModelVersion = 1;
constexpr const char* kNotice =
    "PRIVATE DATA: this was learned from private records without protection; it may be drawn from "
    "through the kernel, but not given away";

/// Numbers that JSON has none of are texts.
Json json_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return value;
}

template <class Number>
Json json_of(const std::vector<Number>& values) {
  Json list = Json::array();
  for (const Number value : values) list.push_back(json_of(static_cast<double>(value)));
  return list;
}

template <class Number>
Number number_from(const JsonNode& node) {
  if (!node.value.is_string()) return static_cast<Number>(node.number());
  const std::string text = node.text();
  if (text == "nan") return std::numeric_limits<Number>::quiet_NaN();
  if (text == "infinity") return std::numeric_limits<Number>::infinity();
  if (text == "-infinity") return -std::numeric_limits<Number>::infinity();
  throw InvalidInput(fmt::format("{} must be a number, nan, infinity or -infinity, but is \"{}\"",
                                 node.place, text));
}

template <class Number>
std::vector<Number> numbers_from(const JsonNode& node) {
  std::vector<Number> values;
  for (const JsonNode& entry : node.entries()) values.push_back(number_from<Number>(entry));
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
  NetworkParameters network{
      numbers_from<float>(node.member("centres")), numbers_from<float>(node.member("factors")), {}};
  for (const JsonNode& layer : node.member("layers").entries()) {
    network.layers.push_back(numbers_from<float>(layer));
  }
  return network;
}

Json json_of(const DecisionTree& tree) {
  Json nodes = Json::array();
  for (const TreeNode& node : tree.nodes()) {
    nodes.push_back({{"feature", node.feature},
                     {"child", node.child},
                     {"threshold", json_of(static_cast<double>(node.threshold))},
                     {"logit", json_of(static_cast<double>(node.logit))}});
  }
  return {{"type", "tree"}, {"dimension", tree.dimension()}, {"nodes", nodes}};
}

/// Nodes are numbered in 32 bits.
std::uint32_t index_from(const JsonNode& node) {
  const std::uint64_t index = node.whole_number();
  if (index > std::numeric_limits<std::uint32_t>::max()) node.refuse("a number below 2^32");
  return static_cast<std::uint32_t>(index);
}

std::shared_ptr<const Classifier> tree_from(const JsonNode& node) {
  node.allow_only({"type", "dimension", "nodes"});
  std::vector<TreeNode> nodes;
  for (const JsonNode& entry : node.member("nodes").entries()) {
    entry.allow_only({"feature", "child", "threshold", "logit"});
    nodes.push_back({index_from(entry.member("feature")), index_from(entry.member("child")),
                     number_from<float>(entry.member("threshold")),
                     number_from<float>(entry.member("logit"))});
  }
  const auto dimension = static_cast<std::size_t>(node.member("dimension").whole_number());
  return std::make_shared<DecisionTree>(dimension, std::move(nodes));
}

Json json_of(const LogisticParameters& model) {
  return {{"type", "logistic"},
          {"centres", json_of(model.centres)},
          {"factors", json_of(model.factors)},
          {"products", model.has_products},
          {"coefficients", json_of(model.coefficients)}};
}

LogisticParameters logistic_from(const JsonNode& node) {
  node.allow_only({"type", "centres", "factors", "products", "coefficients"});
  const JsonNode products = node.member("products");
  if (!products.value.is_boolean()) products.refuse("true or false");
  return {numbers_from<float>(node.member("centres")), numbers_from<float>(node.member("factors")),
          products.value.get<bool>(), numbers_from<double>(node.member("coefficients"))};
}

Json json_of(const Classifier& classifier) {
  if (const auto* network = dynamic_cast<const NetworkClassifier*>(&classifier)) {
    return json_of(network->parameters());
  }
  if (const auto* tree = dynamic_cast<const DecisionTree*>(&classifier)) return json_of(*tree);
  if (const auto* model = dynamic_cast<const LogisticClassifier*>(&classifier)) {
    return json_of(model->parameters());
  }
  throw InvalidInput("a model can be saved only of networks, trees and logistic models");
}

std::shared_ptr<const Classifier> classifier_from(const JsonNode& node) {
  const std::string type = node.member("type").text();
  if (type == "network") return std::make_shared<NetworkClassifier>(network_from(node));
  if (type == "tree") return tree_from(node);
  if (type == "logistic") return std::make_shared<LogisticClassifier>(logistic_from(node));
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
  Json json = {{"format", kModelFormat},
               {"version", kModelVersion},
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
  if (node.member("format").text() != kModelFormat) {
    throw InvalidInput(fmt::format("{} must be \"{}\", but is \"{}\"", node.member("format").place,
                                   kModelFormat, node.member("format").text()));
  }
  const std::uint64_t version = node.member("version").whole_number();
  if (version != kModelVersion) {
    throw InvalidInput(fmt::format("{} must be {}, but is {}", node.member("version").place,
                                   kModelVersion, version));
  }
  node.allow_only({"format", "version", "notice", "epsilon", "outputs", "bounding", "features",
                   "log_normaliser", "classifiers"});
  const std::optional<Bounding> bounding = named<Bounding>(node.member("bounding").text());
  if (!bounding) {
    throw InvalidInput(fmt::format("{} must be probability, logit, sign or sigmoid, but is \"{}\"",
                                   node.member("bounding").place, node.member("bounding").text()));
  }
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
