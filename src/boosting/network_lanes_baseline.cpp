// The networks' loops for whatever instruction set the whole library is compiled for.
#include "network_lanes.h"

#define MOLLIFY_LANES kBaselineNetworkLanes
#include "network_lanes.inc"
