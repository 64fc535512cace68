// ChaCha20 for whatever instruction set the whole library is compiled for.
#include "kernel/core/chacha20.h"

#define MOLLIFY_CHACHA20 kBaselineChaCha20
#include "kernel/core/chacha20_lanes.inc"
