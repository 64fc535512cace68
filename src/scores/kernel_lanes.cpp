// kernel_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
// No inline function from elsewhere may be called here, be it the standard library's or a header's:
// compiled for AVX2, it could be the copy the linker keeps for everybody.
#include "scores/kernel_lanes.h"

namespace mollify::detail {

namespace {

typedef float Float8 __attribute__((vector_size(32)));
typedef std::int32_t Int8 __attribute__((vector_size(32)));
typedef std::uint32_t Word8 __attribute__((vector_size(32)));

constexpr std::size_t kWide = 8;

inline Float8 load(const float* from) {
  Float8 vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

inline void store(Float8 vector, float* to) { __builtin_memcpy(to, &vector, sizeof vector); }

inline Float8 all(float value) {
  return Float8{value, value, value, value, value, value, value, value};
}

inline Float8 most(Float8 x, Float8 y) { return x > y ? x : y; }
inline Float8 least(Float8 x, Float8 y) { return x < y ? x : y; }

inline Float8 absolute(Float8 x) {
  const Int8 bits = reinterpret_cast<Int8>(x) & 0x7fffffff;
  return reinterpret_cast<Float8>(bits);
}

/// 2^x for x up to 1, to 4e-6 relatively; 0 below -125.
inline Float8 exp2_of(Float8 x) {
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
  const Float8 magic = all(12582912.0F);
  const Float8 shifted = x + magic;
  const Float8 f = x - (shifted - magic);
  // Interpolates 2^f at the Chebyshev nodes of [-1/2, 1/2].
  Float8 p = f * 9.666368515387469e-3F + 5.5921975842256264e-2F;
  p = p * f + 2.4022349038020335e-1F;
  p = p * f + 6.9312104520342700e-1F;
  p = p * f + 1.0F;
  // The exponent wraps around, which words may and integers may not.
  const Word8 bits = (reinterpret_cast<Word8>(shifted) << 23) + reinterpret_cast<Word8>(p);
  const Word8 kept = bits & reinterpret_cast<Word8>(x > all(-125.0F));
  return reinterpret_cast<Float8>(kept);
}

/// The columns' least loss between rows from `i` on and a box, column by column.
inline const BoxColumn* subtract_losses(const BoxColumn* column, ScaleCounts counts, std::size_t i,
                                        Float8& logarithm) {
  const Float8 zero = all(0.0F);
  for (std::size_t c = 0; c < counts.numbers; ++c, ++column) {
    const Float8 row = load(column->rows + i);
    const Float8 outside = most(most(column->low - row, row - column->high), zero);
    const Float8 loss = outside * column->slope;
    logarithm -= loss * loss;
  }
  for (std::size_t c = 0; c < counts.categories; ++c, ++column) {
    const Float8 row = load(column->rows + i);
    const Int8 is_outside = (row < all(column->low)) | (row > all(column->high));
    logarithm -= is_outside ? all(column->slope) : zero;
  }
  for (std::size_t c = 0; c < counts.ordered; ++c, ++column) {
    const Float8 row = load(column->rows + i);
    const Float8 outside = most(most(column->low - row, row - column->high), zero);
    logarithm -= outside * column->slope + least(outside, all(1.0F));
  }
  return column;
}

float bound(const BlockBox& box, const float* weights, std::size_t row_count, float* exact,
            float* upper) {
  Float8 greatest = load(weights) * 0.0F - 3e38F;
  for (std::size_t i = 0; i < row_count; i += kWide) {
    Float8 logarithm = load(weights + i);
    const BoxColumn* const varying = subtract_losses(box.columns, box.constant, i, logarithm);
    store(logarithm, exact + i);
    subtract_losses(varying, box.varying, i, logarithm);
    store(logarithm, upper + i);
    greatest = most(greatest, logarithm);
  }
  float result = greatest[0];
  for (std::size_t j = 1; j < kWide; ++j) result = greatest[j] > result ? greatest[j] : result;
  return result;
}

// GCC unrolls short loops by itself only when asked for more than -O2, and arrays of vectors stay
// in memory until it does.
#define MOLLIFY_UNROLL _Pragma("GCC unroll 4")

/// The kernels of all rows at kVectors vectors of candidates at once, enough to hide how long each
/// operation takes. Returns the sums' minimum.
template <std::size_t kVectors>
inline Float8 add_kernels_to(const Tile& tile, const PackedRows& rows, const float* values,
                             float* sums) {
  Float8 sum[kVectors];
  MOLLIFY_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = load(sums + v * kWide);
  const float* row = rows.values;
  for (std::size_t i = 0; i < rows.count; ++i, row += rows.stride) {
    Float8 logarithm[kVectors];
    const Float8 weight = all(rows.weights[i]);
    MOLLIFY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) logarithm[v] = weight;
    const float* column = values;
    const std::uint32_t* slot = tile.slots;
    const float* slope = tile.slopes;
    for (std::size_t c = 0; c < tile.varying.numbers; ++c, column += tile.padded) {
      const Float8 value = all(row[*slot++]);
      MOLLIFY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Float8 distance = load(column + v * kWide) - value;
        logarithm[v] -= distance * distance;
      }
    }
    for (std::size_t c = 0; c < tile.varying.categories; ++c, column += tile.padded) {
      const Float8 value = all(row[*slot++]);
      const Int8 loss = reinterpret_cast<Int8>(all(*slope++));
      MOLLIFY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Int8 lost = loss & (load(column + v * kWide) != value);
        logarithm[v] -= reinterpret_cast<Float8>(lost);
      }
    }
    for (std::size_t c = 0; c < tile.varying.ordered; ++c, column += tile.padded) {
      const Float8 value = all(row[*slot++]);
      const Float8 loss = all(*slope++);
      MOLLIFY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Float8 distance = absolute(load(column + v * kWide) - value);
        logarithm[v] -= distance * loss + least(distance, all(1.0F));
      }
    }
    MOLLIFY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] += exp2_of(logarithm[v]);
  }
  MOLLIFY_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v) store(sum[v], sums + v * kWide);
  Float8 smallest = sum[0];
  for (std::size_t v = 1; v < kVectors; ++v) smallest = least(smallest, sum[v]);
  return smallest;
}

float add_kernels(const Tile& tile, const PackedRows& rows, float* sums) {
  std::size_t j = 0;
  Float8 smallest = all(3e38F);
  for (; j + 4 * kWide <= tile.padded; j += 4 * kWide) {
    smallest = least(smallest, add_kernels_to<4>(tile, rows, tile.values + j, sums + j));
  }
  if (j + 2 * kWide <= tile.padded) {
    smallest = least(smallest, add_kernels_to<2>(tile, rows, tile.values + j, sums + j));
    j += 2 * kWide;
  }
  if (j < tile.padded) {
    smallest = least(smallest, add_kernels_to<1>(tile, rows, tile.values + j, sums + j));
  }
  float result = smallest[0];
  for (std::size_t v = 1; v < kWide; ++v) result = smallest[v] < result ? smallest[v] : result;
  return result;
}

void sort_into_shells(const float* upper, std::size_t row_count, float top, float width, float last,
                      std::int32_t* shells) {
  const Float8 factor = all(1 / width);
  for (std::size_t i = 0; i < row_count; i += kWide) {
    const Float8 shell = least((top - load(upper + i)) * factor, all(last));
    const Int8 truncated = __builtin_convertvector(shell, Int8);
    __builtin_memcpy(shells + i, &truncated, sizeof truncated);
  }
}

void pack(const float* values, std::size_t stride, const std::uint32_t* chosen, std::size_t count,
          const float* origins, const float* factors, float* to) {
  for (std::size_t k = 0; k < count; ++k, to += stride) {
    const float* const row = values + chosen[k] * stride;
    for (std::size_t s = 0; s < stride; s += kWide) {
      store((load(row + s) - load(origins + s)) * load(factors + s), to + s);
    }
  }
}

void scale(const float* values, std::size_t count, float origin, float factor, float* to) {
  for (std::size_t j = 0; j < count; j += kWide) {
    store((load(values + j) - origin) * factor, to + j);
  }
}

constexpr KernelLanes kKernelPasses = {bound, sort_into_shells, pack, add_kernels, scale};

}  // namespace

const KernelLanes KernelLanes::MOLLIFY_LANES = kKernelPasses;

}  // namespace mollify::detail
