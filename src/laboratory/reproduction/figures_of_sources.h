// The functions behind the list of reproduction.h, one for each figure or table.
#pragma once

#include "laboratory/figure/figure.h"
#include "laboratory/reproduction/reproduction.h"

namespace mollify::detail {

// [Husain et al. 2020], the figures of [Husain et al. 2019] that are the same, and its own.
Figure husain_contenders(const ReproductionOptions& options);
Figure husain_cost_of_groups(const ReproductionOptions& options);
Figure husain_mollifiers(const ReproductionOptions& options);
Figure husain_ring_contours(const ReproductionOptions& options);
Figure husain_fit(const ReproductionOptions& options);
Figure husain_coverage_of_random(const ReproductionOptions& options);
Figure husain_likelihood_of_random(const ReproductionOptions& options);
Figure husain_plane_contours(const ReproductionOptions& options);

// [Park et al. 2024].
Figure park_ring(const ReproductionOptions& options);
Figure park_five_outcomes(const ReproductionOptions& options);
Figure park_worst_of_10(const ReproductionOptions& options);
Figure park_clients(const ReproductionOptions& options);
Figure park_worst_of_5(const ReproductionOptions& options);
Figure park_worst_of_20(const ReproductionOptions& options);
Figure park_worst_of_100(const ReproductionOptions& options);

// [Cheu, Nayak 2024].
Figure cheu_finite(const ReproductionOptions& options);
Figure cheu_known_covariance(const ReproductionOptions& options);
Figure cheu_bounded_covariance(const ReproductionOptions& options);

}  // namespace mollify::detail
