// Networks as their definition has them, in double precision and one sample at a time.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace mollify::test {

struct PlainSample {
  std::vector<double> features;
  double target;
  double weight;
};

/// Parameters as NetworkPasses has them.
class PlainNetwork {
 public:
  PlainNetwork(std::vector<std::size_t> sizes, std::vector<double> parameters)
      : sizes_(std::move(sizes)), parameters_(std::move(parameters)) {}

  [[nodiscard]] static std::size_t parameter_count(const std::vector<std::size_t>& sizes) {
    std::size_t count = 0;
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l) count += (sizes[l] + 1) * sizes[l + 1];
    return count;
  }

  [[nodiscard]] std::vector<double>& parameters() { return parameters_; }

  [[nodiscard]] double logit(const std::vector<double>& features) const {
    return activations(features).back()[0];
  }

  /// The sum of weighted cross-entropies.
  [[nodiscard]] double loss(const std::vector<PlainSample>& samples) const {
    double sum = 0;
    for (const PlainSample& sample : samples) {
      const double z = logit(sample.features);
      sum += sample.weight *
             (std::log1p(std::exp(-std::abs(z))) + std::fmax(z, 0.0) - sample.target * z);
    }
    return sum;
  }

  [[nodiscard]] std::vector<double> gradient(const std::vector<PlainSample>& samples) const {
    std::vector<double> result(parameters_.size());
    for (const PlainSample& sample : samples) {
      const std::vector<std::vector<double>> layers = activations(sample.features);
      const double z = layers.back()[0];
      std::vector<double> slopes = {sample.weight * (1 / (1 + std::exp(-z)) - sample.target)};
      std::size_t end = parameters_.size();
      for (std::size_t l = sizes_.size() - 1; l > 0; --l) {
        const std::size_t inputs = sizes_[l - 1];
        const std::size_t begin = end - (inputs + 1) * sizes_[l];
        std::vector<double> before(inputs);
        for (std::size_t j = 0; j < sizes_[l]; ++j) {
          const std::size_t row = begin + j * (inputs + 1);
          for (std::size_t k = 0; k < inputs; ++k) {
            result[row + k] += slopes[j] * layers[l - 1][k];
            before[k] += slopes[j] * parameters_[row + k];
          }
          result[row + inputs] += slopes[j];
        }
        for (std::size_t k = 0; k < inputs; ++k) {
          before[k] *= 1 - layers[l - 1][k] * layers[l - 1][k];
        }
        slopes = before;
        end = begin;
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::vector<std::vector<double>> activations(
      const std::vector<double>& features) const {
    std::vector<std::vector<double>> layers = {features};
    auto parameter = parameters_.begin();
    for (std::size_t l = 1; l < sizes_.size(); ++l) {
      std::vector<double> layer(sizes_[l]);
      for (double& value : layer) {
        for (const double input : layers.back()) value += *parameter++ * input;
        value += *parameter++;
        if (l + 1 < sizes_.size()) value = std::tanh(value);
      }
      layers.push_back(layer);
    }
    return layers;
  }

  std::vector<std::size_t> sizes_;
  std::vector<double> parameters_;
};

}  // namespace mollify::test
