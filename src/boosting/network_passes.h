// Forward and backward passes of a network over blocks of samples.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <boost/align/aligned_allocator.hpp>

#include "boosting/network_lanes.h"
#include "kernel/core/fastest_lanes.h"

namespace mollify::detail {

/// Values that begin at a cache line, as then do all rows of a block: passes take 6 % longer
/// without.
using AlignedFloats = std::vector<float, boost::alignment::aligned_allocator<float, 64>>;

/// So many samples, rounded up to what passes take.
[[nodiscard]] constexpr std::size_t padded(std::size_t samples) {
  return (samples + kSampleUnit - 1) / kSampleUnit * kSampleUnit;
}

/// A block has a row for each feature, one of ones, one of targets (1 for P, 0 for Q) and one of
/// weights. Rows are kRowStride apart.
inline constexpr std::size_t kRowsBesideFeatures = 3;

/// A network with its parameters and, for one block at a time, its activations.
///
/// Parameters are one vector: the layers of NetworkParameters after each other.
class NetworkPasses {
 public:
  /// `sizes` as NetworkClassifier has them.
  explicit NetworkPasses(std::vector<std::size_t> sizes,
                         const NetworkLanes& lanes = fastest<NetworkLanes>());

  [[nodiscard]] std::size_t parameter_count() const noexcept { return parameters_.size(); }

  void set_parameters(std::span<const float> parameters);

  /// The logits of a block's samples. `samples` is a multiple of kSampleUnit and at most kBlock.
  std::span<const float> forward(const float* block, std::size_t samples);

  /// Adds the gradient of sum_i weight_i cross-entropy_i over the block that went forward last.
  void backward(const float* block, std::size_t samples);

  /// The sum of gradients since the last time, times `factor`. It is 0 afterwards. Requires that
  /// something went backward before.
  std::span<const float> take_gradient(float factor);

 private:
  struct Layer {
    std::size_t inputs;
    std::size_t outputs;
    std::size_t first_parameter;
    std::vector<float> by_input;  ///< W transposed
    std::vector<float> offsets;
    AlignedFloats activations;  ///< a row for each output, and one of ones
  };

  /// Who only asks for logits needs none, and it is more than all the rest.
  void make_room_for_backward();

  const NetworkLanes& lanes_;
  std::vector<Layer> layers_;
  std::vector<float> parameters_;
  AlignedFloats slopes_;       ///< of what enters tanh in a layer, a row for each output
  AlignedFloats next_slopes_;  ///< in the layer before
  AlignedFloats sums_;         ///< gradients in parts
  std::vector<float> gradient_;
};

}  // namespace mollify::detail
