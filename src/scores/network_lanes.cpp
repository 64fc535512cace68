// network_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
// No inline function from elsewhere may be called here, be it the standard library's or a header's:
// compiled for AVX2, it could be the copy the linker keeps for everybody.
#include "scores/network_lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mollify::detail {
namespace {

typedef float Float8 __attribute__((vector_size(32)));

static_assert(kSampleLanes == 8);

inline Float8 load(const float* from) {
  Float8 vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

inline void store(Float8 vector, float* to) { __builtin_memcpy(to, &vector, sizeof vector); }

inline Float8 all(float value) {
  return Float8{value, value, value, value, value, value, value, value};
}

/// a b + c, rounded once where the processor can.
inline Float8 multiply_add(Float8 a, Float8 b, Float8 c) {
#if defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

/// Forbids to load the vector once for each use, of which there are two: loads would be the limit.
inline void keep_in_register([[maybe_unused]] Float8& x) {
#if defined(__AVX2__)
  __asm__("" : "+x"(x));
#endif
}

// Both give x if it is NaN.
#if defined(__AVX2__)
inline Float8 at_most(Float8 x, Float8 bound) { return _mm256_min_ps(bound, x); }
inline Float8 at_least(Float8 x, Float8 bound) { return _mm256_max_ps(bound, x); }
#else
inline Float8 at_most(Float8 x, Float8 bound) { return bound < x ? bound : x; }
inline Float8 at_least(Float8 x, Float8 bound) { return bound > x ? bound : x; }
#endif

/// The rational function x P(x^2) / Q(x^2) nearest to tanh relatively on [-9, 9], beyond which tanh
/// is 1 in single precision: 2e-8 before rounding.
inline Float8 tanh_of(Float8 x) {
  x = at_least(at_most(x, all(9.0F)), all(-9.0F));
  const Float8 s = x * x;
  Float8 p = multiply_add(all(1.335442698e-8F), s, all(2.060890349e-5F));
  p = multiply_add(p, s, all(3.495576868e-3F));
  p = multiply_add(p, s, all(1.338101603e-1F));
  p = multiply_add(p, s, all(1.0F));
  Float8 q = multiply_add(all(7.776459447e-7F), s, all(3.285616676e-4F));
  q = multiply_add(q, s, all(2.587693897e-2F));
  q = multiply_add(q, s, all(4.671433162e-1F));
  q = multiply_add(q, s, all(1.0F));
  return x * p / q;
}

// GCC unrolls short loops by itself only when asked for more than -O2, and arrays of vectors stay
// in memory until it does.
#define MOLLIFY_UNROLL _Pragma("GCC unroll 8")

enum class Finish { kNothing, kTanh, kSlope };

/// kOutputs rows from `first` on, kVectors vectors of samples at a time: as many sums as there are
/// registers, so that each load serves several of them.
template <Finish kFinish, std::size_t kOutputs, std::size_t kVectors>
void combine_tile(const Combination& how, std::size_t first, const float* extra, const float* from,
                  float* to) {
  extra += kFinish == Finish::kSlope ? first * kRowStride : first;
  to += first * kRowStride;
  for (std::size_t i = 0; i < kSampleUnit; i += kVectors * kSampleLanes) {
    Float8 sum[kOutputs][kVectors];
    MOLLIFY_UNROLL
    for (std::size_t j = 0; j < kOutputs; ++j) {
      MOLLIFY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[j][v] = all(kFinish == Finish::kSlope ? 0.0F : extra[j]);
      }
    }
    const float* row = from + i;
    const float* coefficients = how.coefficients + first;
    for (std::size_t k = 0; k < how.inputs; ++k, row += kRowStride, coefficients += how.stride) {
      Float8 x[kVectors];
      MOLLIFY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) x[v] = load(row + v * kSampleLanes);
      MOLLIFY_UNROLL
      for (std::size_t j = 0; j < kOutputs; ++j) {
        const Float8 coefficient = all(coefficients[j]);
        MOLLIFY_UNROLL
        for (std::size_t v = 0; v < kVectors; ++v) {
          sum[j][v] = multiply_add(coefficient, x[v], sum[j][v]);
        }
      }
    }
    MOLLIFY_UNROLL
    for (std::size_t j = 0; j < kOutputs; ++j) {
      MOLLIFY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = j * kRowStride + i + v * kSampleLanes;
        Float8 result = sum[j][v];
        if constexpr (kFinish == Finish::kTanh) result = tanh_of(result);
        if constexpr (kFinish == Finish::kSlope) {
          const Float8 activation = load(extra + at);
          result *= multiply_add(-activation, activation, all(1.0F));
        }
        store(result, to + at);
      }
    }
  }
}

/// Outputs are split into tiles as equal as they can be of at most 6 rows.
template <Finish kFinish>
void combine_with(const Combination& how, const float* extra, const float* from, float* to,
                  std::size_t samples) {
  const std::size_t tiles = (how.outputs + 5) / 6;
  for (std::size_t i = 0; i < samples; i += kSampleUnit) {
    const float* const extra_i = kFinish == Finish::kSlope ? extra + i : extra;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::size_t first = how.outputs * tile / tiles;
      switch (how.outputs * (tile + 1) / tiles - first) {
        case 1:
          combine_tile<kFinish, 1, 8>(how, first, extra_i, from + i, to + i);
          break;
        case 2:
          combine_tile<kFinish, 2, 4>(how, first, extra_i, from + i, to + i);
          break;
        case 3:
          combine_tile<kFinish, 3, 4>(how, first, extra_i, from + i, to + i);
          break;
        case 4:
          combine_tile<kFinish, 4, 2>(how, first, extra_i, from + i, to + i);
          break;
        case 5:
          combine_tile<kFinish, 5, 2>(how, first, extra_i, from + i, to + i);
          break;
        default:
          combine_tile<kFinish, 6, 2>(how, first, extra_i, from + i, to + i);
          break;
      }
    }
  }
}

void combine(const Combination& how, const float* offsets, const float* from, float* to,
             std::size_t samples) {
  combine_with<Finish::kNothing>(how, offsets, from, to, samples);
}

void activate(const Combination& how, const float* offsets, const float* from, float* to,
              std::size_t samples) {
  combine_with<Finish::kTanh>(how, offsets, from, to, samples);
}

void propagate_back(const Combination& how, const float* activations, const float* from, float* to,
                    std::size_t samples) {
  combine_with<Finish::kSlope>(how, activations, from, to, samples);
}

template <std::size_t kSlopes, std::size_t kInputs>
void add_products_tile(const float* slopes, const float* inputs, std::size_t samples, float* sums,
                       std::size_t sums_stride) {
  Float8 sum[kSlopes][kInputs];
  MOLLIFY_UNROLL
  for (std::size_t j = 0; j < kSlopes; ++j) {
    MOLLIFY_UNROLL
    for (std::size_t k = 0; k < kInputs; ++k) sum[j][k] = all(0.0F);
  }
  for (std::size_t i = 0; i < samples; i += kSampleLanes) {
    Float8 x[kInputs];
    MOLLIFY_UNROLL
    for (std::size_t k = 0; k < kInputs; ++k) x[k] = load(inputs + k * kRowStride + i);
    MOLLIFY_UNROLL
    for (std::size_t j = 0; j < kSlopes; ++j) {
      Float8 slope = load(slopes + j * kRowStride + i);
      keep_in_register(slope);
      MOLLIFY_UNROLL
      for (std::size_t k = 0; k < kInputs; ++k) sum[j][k] = multiply_add(slope, x[k], sum[j][k]);
    }
  }
  MOLLIFY_UNROLL
  for (std::size_t j = 0; j < kSlopes; ++j) {
    MOLLIFY_UNROLL
    for (std::size_t k = 0; k < kInputs; ++k) {
      float* const to = sums + j * sums_stride + k * kSampleLanes;
      store(load(to) + sum[j][k], to);
    }
  }
}

template <std::size_t kSlopes, std::size_t kInputs>
void add_products_of(const float* slopes, const float* inputs, std::size_t input_count,
                     std::size_t samples, float* sums) {
  const std::size_t stride = input_count * kSampleLanes;
  std::size_t k = 0;
  for (; k + kInputs <= input_count; k += kInputs) {
    add_products_tile<kSlopes, kInputs>(slopes, inputs + k * kRowStride, samples,
                                        sums + k * kSampleLanes, stride);
  }
  for (; k < input_count; ++k) {
    add_products_tile<kSlopes, 1>(slopes, inputs + k * kRowStride, samples, sums + k * kSampleLanes,
                                  stride);
  }
}

void add_products(const float* slopes, std::size_t slope_count, const float* inputs,
                  std::size_t input_count, std::size_t samples, float* sums) {
  const std::size_t tiles = (slope_count + 4) / 5;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t first = slope_count * tile / tiles;
    const float* const from = slopes + first * kRowStride;
    float* const to = sums + first * input_count * kSampleLanes;
    switch (slope_count * (tile + 1) / tiles - first) {
      case 1:
        add_products_of<1, 8>(from, inputs, input_count, samples, to);
        break;
      case 2:
        add_products_of<2, 4>(from, inputs, input_count, samples, to);
        break;
      case 3:
        add_products_of<3, 4>(from, inputs, input_count, samples, to);
        break;
      case 4:
        add_products_of<4, 2>(from, inputs, input_count, samples, to);
        break;
      default:
        add_products_of<5, 2>(from, inputs, input_count, samples, to);
        break;
    }
  }
}

void residuals(const float* logits, const float* targets, const float* weights, float* to,
               std::size_t samples) {
  const Float8 half = all(0.5F);
  for (std::size_t i = 0; i < samples; i += kSampleLanes) {
    const Float8 sigmoid = multiply_add(tanh_of(load(logits + i) * half), half, half);
    store(load(weights + i) * (sigmoid - load(targets + i)), to + i);
  }
}

void tanh(const float* from, float* to, std::size_t samples) {
  for (std::size_t i = 0; i < samples; i += kSampleLanes) store(tanh_of(load(from + i)), to + i);
}

constexpr NetworkLanes kNetworkPasses = {combine,      activate,  propagate_back,
                                         add_products, residuals, tanh};

}  // namespace

const NetworkLanes NetworkLanes::MOLLIFY_LANES = kNetworkPasses;

}  // namespace mollify::detail
