#include "boosting/network.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "boosting/classifier.h"
#include "boosting/network_lanes.h"
#include "boosting/network_passes.h"
#include "boosting/standardisation.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

std::vector<std::size_t> sizes_of(const NetworkParameters& parameters) {
  const std::size_t dimension = parameters.centres.size();
  if (dimension == 0) throw InvalidInput("a network must read at least 1 feature, but reads 0");
  if (parameters.factors.size() != dimension) {
    throw InvalidInput(fmt::format("a network of {} features must have as many factors, but has {}",
                                   dimension, parameters.factors.size()));
  }
  if (parameters.layers.empty()) {
    throw InvalidInput("a network must have at least 1 layer, but has 0");
  }
  std::vector<std::size_t> sizes = {dimension};
  for (std::size_t l = 0; l < parameters.layers.size(); ++l) {
    const std::size_t count = parameters.layers[l].size();
    const std::size_t row = sizes.back() + 1;
    if (count == 0 || count % row != 0) {
      throw InvalidInput(fmt::format(
          "layer {} of a network must have {} values for each neuron, but has {} values", l + 1,
          row, count));
    }
    sizes.push_back(count / row);
  }
  if (sizes.back() != 1) {
    throw InvalidInput(
        fmt::format("the last layer of a network must have 1 neuron, but has {}", sizes.back()));
  }
  return sizes;
}

}  // namespace

NetworkClassifier::NetworkClassifier(NetworkParameters parameters)
    : parameters_(std::move(parameters)), sizes_(sizes_of(parameters_)) {}

std::size_t NetworkClassifier::dimension() const noexcept { return parameters_.centres.size(); }

void NetworkClassifier::logits(const Points& points, std::span<float> logits) const {
  detail::check_points(*this, points, logits);
  detail::NetworkPasses passes(sizes_);
  std::vector<float> parameters;
  for (const std::vector<float>& layer : parameters_.layers) {
    parameters.insert(parameters.end(), layer.begin(), layer.end());
  }
  passes.set_parameters(parameters);
  detail::AlignedFloats block(dimension() * detail::kRowStride);
  for (std::size_t begin = 0; begin < points.size(); begin += detail::kBlock) {
    const std::size_t count = std::min(detail::kBlock, points.size() - begin);
    for (std::size_t f = 0; f < dimension(); ++f) {
      detail::standardise(points.values(f).subspan(begin, count), parameters_.centres[f],
                          parameters_.factors[f], block.data() + f * detail::kRowStride);
    }
    const std::span<const float> result = passes.forward(block.data(), detail::padded(count));
    std::copy_n(result.begin(), count, logits.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace mollify
