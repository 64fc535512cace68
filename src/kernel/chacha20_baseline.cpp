// ChaCha20 for whatever instruction set the whole library is compiled for.
#include "chacha20.h"

#define MOLLIFY_CHACHA20 kBaselineChaCha20
#include "chacha20_lanes.inc"
