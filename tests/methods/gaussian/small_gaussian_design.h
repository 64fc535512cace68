// Gaussian designs with lattices so small that all can be enumerated.
#pragma once

#include "methods/gaussian/design.h"

namespace mollify::test {

struct SmallDesign {
  std::size_t dimension = 1;
  std::uint64_t plus = 2;
  std::uint64_t minus = 0;
  std::uint64_t radius = 1;
  Privacy::Notion notion = Privacy::Notion::kPure;
  Ratio noise = {};
  std::uint64_t outputs = 1;
  /// Of the table; 0: as many as the runs take.
  std::uint64_t records = 0;
};

/// One cell is one unit and no public noise hides the lattice. The guarantee is what the library
/// says of these integers.
inline GaussianDesign design_of(const SmallDesign& small) {
  GaussianDesign design;
  design.run_records = small.plus + small.minus;
  GaussianRequest& request = design.request;
  request.records = small.records > 0 ? small.records : small.outputs * design.run_records;
  request.dimension = small.dimension;
  request.outputs = small.outputs;
  request.mean_bound = 1;
  switch (small.notion) {
    case Privacy::Notion::kPure:
      request.budget = Privacy::pure(100);
      break;
    case Privacy::Notion::kConcentrated:
      request.budget = Privacy::concentrated(1000);
      break;
    case Privacy::Notion::kApproximate:
    case Privacy::Notion::kGaussian:
      request.budget = Privacy::approximate(20, 0.01);
      break;
  }
  design.lattice_radius = small.radius;
  design.noise = small.noise;
  design.weights = {small.plus, small.minus, small.plus - small.minus};
  design.guarantee = run_guarantee(design);
  return design;
}

}  // namespace mollify::test
