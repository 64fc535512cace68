// The kernels' loops for whatever instruction set the whole library is compiled for.
#include "kernel_lanes.h"

#define MOLLIFY_LANES kBaselineKernelLanes
#include "kernel_lanes.inc"
