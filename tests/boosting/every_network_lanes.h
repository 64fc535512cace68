// The networks' loops that this processor can run.
#pragma once

#include <cstdio>
#include <vector>

#include "boosting/network_lanes.h"

namespace mollify::test {

struct NamedLanes {
  const char* name;
  const detail::NetworkLanes& lanes;
};

inline std::vector<NamedLanes> every_network_lanes() {
  std::vector<NamedLanes> result = {{"baseline", detail::kBaselineNetworkLanes}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    result.push_back({"AVX2", detail::kAvx2NetworkLanes});
  } else {
    std::printf("this processor has no AVX2 with fused multiply-adds: only the baseline is run\n");
  }
#endif
  return result;
}

}  // namespace mollify::test
