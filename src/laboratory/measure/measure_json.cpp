#include "laboratory/measure/measure_json.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/core/invalid_input.h"
#include "laboratory/measure/gaussian_envelope.h"
#include "laboratory/measure/histogram_measure.h"
#include "laboratory/measure/json_node.h"
#include "laboratory/measure/product_measure.h"
#include "laboratory/measure/uniform_measure.h"

namespace mollify {
namespace {

using nlohmann::json;

constexpr std::string_view kMixture = "gaussian_mixture";
constexpr std::string_view kGaussian = "gaussian";
constexpr std::string_view kEnvelope = "gaussian_mixture_envelope";
constexpr std::string_view kUniform = "uniform";
constexpr std::string_view kHistogram = "histogram";
constexpr std::string_view kProduct = "product";
/// Deep enough for products of products, and no deeper than a stack is.
constexpr int kMostLevels = 8;

Box box_of(const JsonNode& node) {
  if (!node.value.contains("box")) return {};
  Box box;
  for (const JsonNode& entry : node.member("box").entries()) {
    const std::vector<double> ends = entry.numbers();
    if (ends.size() != 2 || !(ends[0] < ends[1])) {
      throw InvalidInput(fmt::format("{} must be a lower and a greater upper end, but is {}",
                                     entry.place, entry.value.dump()));
    }
    box.push_back({ends[0], ends[1]});
  }
  if (box.empty()) {
    throw InvalidInput(fmt::format("\"box\" of {} must have an axis, but is empty", node.place));
  }
  return box;
}

GaussianMixtureSpec mixture_of(const JsonNode& node) {
  node.allow_only({"type", "means", "weights", "variance", "box"});
  GaussianMixtureSpec spec;
  for (const JsonNode& mean : node.member("means").entries()) spec.means.push_back(mean.numbers());
  spec.weights = node.member("weights").numbers();
  const JsonNode variance = node.member("variance");
  if (variance.value.is_array()) {
    const std::vector<JsonNode> entries = variance.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t dimension = i < spec.means.size() ? spec.means[i].size() : 0;
      spec.variances.push_back(entries[i].value.is_array()
                                   ? entries[i].numbers()
                                   : std::vector<double>(dimension, entries[i].number()));
    }
  } else {
    for (const auto& mean : spec.means) {
      spec.variances.emplace_back(mean.size(), variance.number());
    }
  }
  spec.box = box_of(node);
  return spec;
}

GaussianMixtureSpec gaussian_of(const JsonNode& node) {
  node.allow_only({"type", "mean", "variance", "box"});
  const std::vector<double> mean = node.member("mean").numbers();
  const JsonNode variance = node.member("variance");
  return {.means = {mean},
          .weights = {1},
          .variances = {variance.value.is_array()
                            ? variance.numbers()
                            : std::vector<double>(mean.size(), variance.number())},
          .box = box_of(node)};
}

std::shared_ptr<const Measure> envelope_of(const JsonNode& node) {
  node.allow_only({"type", "radius", "variance", "dimension", "box"});
  const double dimension = node.member("dimension").number();
  if (!(dimension >= 1) || !(dimension <= 100) || dimension != std::floor(dimension)) {
    throw InvalidInput(
        fmt::format("\"dimension\" of {} must be a whole number from 1 to 100, but is {}",
                    node.place, node.member("dimension").value.dump()));
  }
  return std::make_shared<GaussianEnvelope>(node.member("radius").number(),
                                            node.member("variance").number(),
                                            static_cast<std::size_t>(dimension), box_of(node));
}

std::shared_ptr<const Measure> histogram_of(const JsonNode& node) {
  node.allow_only({"type", "edges", "masses"});
  std::vector<std::vector<double>> edges;
  for (const JsonNode& axis : node.member("edges").entries()) edges.push_back(axis.numbers());
  return std::make_shared<HistogramMeasure>(Grid(std::move(edges)),
                                            node.member("masses").numbers());
}

std::shared_ptr<const Measure> measure_of(const JsonNode& node, int levels) {
  const std::string type = node.member("type").text();
  if (type == kMixture) return std::make_shared<GaussianMixture>(mixture_of(node));
  if (type == kGaussian) return std::make_shared<GaussianMixture>(gaussian_of(node));
  if (type == kEnvelope) return envelope_of(node);
  if (type == kUniform) {
    node.allow_only({"type", "box"});
    return std::make_shared<UniformMeasure>(box_of(node));
  }
  if (type == kHistogram) return histogram_of(node);
  if (type == kProduct) {
    node.allow_only({"type", "factors"});
    if (levels == 0) throw InvalidInput(fmt::format("{} is nested too deeply", node.place));
    std::vector<std::shared_ptr<const Measure>> factors;
    for (const JsonNode& factor : node.member("factors").entries()) {
      factors.push_back(measure_of(factor, levels - 1));
    }
    return std::make_shared<ProductMeasure>(std::move(factors));
  }
  throw InvalidInput(fmt::format("\"type\" of {} must be {}, {}, {}, {}, {} or {}, but is \"{}\"",
                                 node.place, kMixture, kGaussian, kEnvelope, kUniform, kHistogram,
                                 kProduct, type));
}

}  // namespace

std::string measure_json(const GaussianMixtureSpec& mixture) {
  json box = json::array();
  for (const Interval& axis : mixture.box) box.push_back(json::array({axis.low, axis.high}));
  const auto lines = [](const std::vector<std::vector<double>>& lists) {
    std::string text;
    for (const auto& list : lists) {
      text += fmt::format("{}    {}", text.empty() ? "" : ",\n", json(list).dump());
    }
    return text;
  };
  return fmt::format(
      "{{\n  \"type\": \"{}\",\n  \"means\": [\n{}\n  ],\n  \"weights\": {},\n  \"variance\": "
      "[\n{}\n  ]{}\n}}\n",
      kMixture, lines(mixture.means), json(mixture.weights).dump(), lines(mixture.variances),
      box.empty() ? "" : fmt::format(",\n  \"box\": {}", box.dump()));
}

std::shared_ptr<const Measure> measure_from_json(std::string_view text, const std::string& name) {
  const json value = parsed_json(text, name);
  return measure_of({value, name}, kMostLevels);
}

}  // namespace mollify
