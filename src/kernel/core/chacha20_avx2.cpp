// ChaCha20 for x86-64 processors with AVX2; this file alone is compiled so.
#include "kernel/core/chacha20.h"

#if defined(__x86_64__)
#define MOLLIFY_CHACHA20 kAvx2ChaCha20
#include "kernel/core/chacha20_lanes.inc"
#endif
