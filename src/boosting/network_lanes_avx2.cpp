// The networks' loops for x86-64 processors with AVX2 and fused multiply-adds; this file alone is
// compiled so.
#include "boosting/network_lanes.h"

#if defined(__x86_64__)
#define MOLLIFY_LANES kAvx2NetworkLanes
#include "boosting/network_lanes.inc"
#endif
