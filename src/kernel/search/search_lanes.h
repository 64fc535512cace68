// What the search's passes over vectors share beyond kernel/core/lanes.h, whose rules hold here.
#pragma once

#include "kernel/core/lanes.h"

namespace mollify::detail {
namespace {

typedef std::int32_t Int8 __attribute__((vector_size(32)));

/// Whether all lanes of a comparison are true.
inline bool all_true(Int4 lanes) {
#if defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(lanes)) == -1;
#else
  return (lanes[0] & lanes[1] & lanes[2] & lanes[3]) != 0;
#endif
}

}  // namespace
}  // namespace mollify::detail
