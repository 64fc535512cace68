// The loops over samples of which network.cpp makes forward and backward passes, one table
// of them for each instruction set. Chosen at run time: one binary works on every processor.
#pragma once

#include <cstddef>

namespace mollify::detail {

/// Samples are computed with in blocks of at most kBlock, one row for each feature or neuron, and
/// in multiples of kSampleUnit. Rows of a block lie kRowStride apart, which is no power of two so
/// that they do not compete for the same places in the cache.
inline constexpr std::size_t kBlock = 256;
inline constexpr std::size_t kSampleUnit = 64;
inline constexpr std::size_t kRowStride = kBlock + 16;
/// Number of parts of sums over samples, sample i in part i mod kSampleLanes.
inline constexpr std::size_t kSampleLanes = 8;

/// Input k counts coefficients[k * stride + j] times in output j.
struct Combination {
  const float* coefficients;
  std::size_t stride;
  std::size_t inputs;
  std::size_t outputs;
};

/// `samples` is a multiple of kSampleUnit everywhere.
struct NetworkLanes {
  /// to[j] = offsets[j] + sum_k coefficient_kj from[k].
  void (*combine)(const Combination&, const float* offsets, const float* from, float* to,
                  std::size_t samples);
  /// to[j] = tanh of the same.
  void (*activate)(const Combination&, const float* offsets, const float* from, float* to,
                   std::size_t samples);
  /// to[j] = (1 - activations[j]^2) sum_k coefficient_kj from[k].
  void (*propagate_back)(const Combination&, const float* activations, const float* from, float* to,
                         std::size_t samples);
  /// Adds the sum over samples of slopes[j] * inputs[k] to entry j * input_count + k of `sums`,
  /// each of which has kSampleLanes parts.
  void (*add_products)(const float* slopes, std::size_t slope_count, const float* inputs,
                       std::size_t input_count, std::size_t samples, float* sums);
  /// to[i] = weights[i] * (sigmoid(logits[i]) - targets[i]).
  void (*residuals)(const float* logits, const float* targets, const float* weights, float* to,
                    std::size_t samples);
  /// The hyperbolic tangent, to 6 units in the last place. NaN stays NaN.
  void (*tanh)(const float* from, float* to, std::size_t samples);

  static const NetworkLanes kBaseline;
  static const NetworkLanes kAvx2;  ///< with fused multiply-adds
};

}  // namespace mollify::detail
