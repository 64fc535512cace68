// The projection's passes for whatever instruction set the whole library is compiled for.
#include "kernel/search/projection_lanes.h"

#define MOLLIFY_LANES kBaselineLanes
#include "kernel/search/projection_lanes.inc"
