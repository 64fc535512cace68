// The kernels' loops for x86-64 processors with AVX2; this file alone is compiled so.
#include "density/kernel_lanes.h"

#if defined(__x86_64__)
#define MOLLIFY_LANES kAvx2KernelLanes
#include "density/kernel_lanes.inc"
#endif
