// The kernels' loops for whatever instruction set the whole library is compiled for.
#include "density/kernel_lanes.h"

#define MOLLIFY_LANES kBaselineKernelLanes
#include "density/kernel_lanes.inc"
