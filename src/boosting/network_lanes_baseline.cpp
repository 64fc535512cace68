// The networks' loops for whatever instruction set the whole library is compiled for.
#include "boosting/network_lanes.h"

#define MOLLIFY_LANES kBaselineNetworkLanes
#include "boosting/network_lanes.inc"
