#include "boosting/network_passes.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "boosting/network_lanes.h"

namespace mollify::detail {

NetworkPasses::NetworkPasses(std::vector<std::size_t> sizes, const NetworkLanes& lanes)
    : lanes_(lanes) {
  std::size_t parameter_count = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const std::size_t inputs = sizes[l];
    const std::size_t outputs = sizes[l + 1];
    AlignedFloats activations((outputs + 1) * kRowStride);
    std::fill_n(activations.begin() + static_cast<std::ptrdiff_t>(outputs * kRowStride), kRowStride,
                1.0F);
    layers_.push_back({inputs, outputs, parameter_count, std::vector<float>(inputs * outputs),
                       std::vector<float>(outputs), std::move(activations)});
    parameter_count += (inputs + 1) * outputs;
  }
  parameters_.resize(parameter_count);
}

void NetworkPasses::set_parameters(std::span<const float> parameters) {
  std::copy(parameters.begin(), parameters.end(), parameters_.begin());
  for (Layer& layer : layers_) {
    const float* parameter = parameters_.data() + layer.first_parameter;
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      for (std::size_t k = 0; k < layer.inputs; ++k) {
        layer.by_input[k * layer.outputs + j] = *parameter++;
      }
      layer.offsets[j] = *parameter++;
    }
  }
}

std::span<const float> NetworkPasses::forward(const float* block, std::size_t samples) {
  const float* from = block;
  for (Layer& layer : layers_) {
    const Combination how{layer.by_input.data(), layer.outputs, layer.inputs, layer.outputs};
    const bool is_last = &layer == &layers_.back();
    (is_last ? lanes_.combine : lanes_.activate)(how, layer.offsets.data(), from,
                                                 layer.activations.data(), samples);
    from = layer.activations.data();
  }
  return {from, samples};
}

void NetworkPasses::backward(const float* block, std::size_t samples) {
  if (sums_.empty()) make_room_for_backward();
  const float* const targets = block + (layers_.front().inputs + 1) * kRowStride;
  lanes_.residuals(layers_.back().activations.data(), targets, targets + kRowStride, slopes_.data(),
                   samples);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const float* const inputs = l > 0 ? layers_[l - 1].activations.data() : block;
    // The row of ones makes the offsets' gradients.
    lanes_.add_products(slopes_.data(), layer.outputs, inputs, layer.inputs + 1, samples,
                        sums_.data() + layer.first_parameter * kSampleLanes);
    if (l == 0) break;
    const Combination how{parameters_.data() + layer.first_parameter, layer.inputs + 1,
                          layer.outputs, layer.inputs};
    lanes_.propagate_back(how, inputs, slopes_.data(), next_slopes_.data(), samples);
    std::swap(slopes_, next_slopes_);
  }
}

void NetworkPasses::make_room_for_backward() {
  std::size_t widest = 0;
  for (const Layer& layer : layers_) widest = std::max(widest, layer.outputs);
  slopes_.resize(widest * kRowStride);
  next_slopes_.resize(widest * kRowStride);
  sums_.resize(parameters_.size() * kSampleLanes);
  gradient_.resize(parameters_.size());
}

std::span<const float> NetworkPasses::take_gradient(float factor) {
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    float sum = 0;
    for (std::size_t part = 0; part < kSampleLanes; ++part) sum += sums_[i * kSampleLanes + part];
    gradient_[i] = sum * factor;
  }
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  return gradient_;
}

}  // namespace mollify::detail
