// The projection's passes for x86-64 processors with AVX2; this file alone is compiled so.
#include "kernel/search/projection_lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define MOLLIFY_LANES kAvx2Lanes
#include "kernel/search/projection_lanes.inc"
#endif
