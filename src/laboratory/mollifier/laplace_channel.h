// The Laplace mechanism on an interval, as a public integer matrix between its cells.
#pragma once

#include <cstddef>

#include "kernel/channel/matrix_channel.h"

namespace mollify {

/// The channel of the naive sampler A_R with Laplace noise [Husain et al. 2020, Section 2]: draw a
/// value from P, release the value plus noise.
///
/// Definition. An interval of length L is cut into k cells of equal width. A value is rounded to
/// the centre x of its cell; Laplace noise of scale s is added to x and given to stay in the
/// interval, and entry (i, j) is the probability that x_i ends up in cell j:
///   K(i, j) = integral over cell j of exp(-|y - x_i| / s) dy / Z(x_i),
/// Z the integral over the whole interval. The point released is uniform in cell j. Noise that
/// leaves the interval is drawn again, not moved to the ends, which would give these atoms.
///
/// Theorem. With s = (L - L/k) / epsilon, the range of the centres over epsilon, two rows differ at
/// any y by at most exp(|x - x'| / s) Z(x') / Z(x) with x nearer to y. That is increasing in x',
/// for Z' >= -Z / s, and decreasing in x, so the first and the last centre are the worst, where Z
/// is the same: e^epsilon. So the guarantee depends on the interval's length through s alone, and
/// noise must be as wide as the interval. The factory of MatrixChannel checks it in integers.
///
/// Throws InvalidInput unless there are 1 to 4096 cells. 8 k^2 bytes. For use with
/// ChannelSampler<MatrixChannel>; ConvexMollifierSampler over the same channel is never further
/// from P in Kullback-Leibler divergence.
MatrixChannel laplace_channel(std::size_t cells, double epsilon);

}  // namespace mollify
