// The projection's passes for whatever instruction set the whole library is compiled for.
#include "projection_lanes.h"

#define MOLLIFY_LANES kBaselineLanes
#include "projection_lanes.inc"
