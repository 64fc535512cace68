// What two data sets really attain under shuffled randomized response.
#pragma once

#include "accounting/shuffled_response.h"

namespace mollify {

/// A number that the delta of some pair of neighbouring data sets is at least, rounded down: no
/// claim below it can be true.
///
/// All records but one are c, and the remaining one changes from x to x'. The reports' counts h
/// then have, in units of their law for n records c, Multinomial(n, w) with w the row of c, the
/// likelihood (1/n) sum_y h_y P_y/w_y, so that delta is (1/n) E[(sum_y h_y (P_y - E Q_y)/w_y)_+]
/// exactly: again the mean excess of a sum of n independent terms. The larger one of c = x' and,
/// for k >= 3, c neither x nor x' is returned. Same refusals, cost and `interest` as
/// privacy_blanket.
[[nodiscard]] double attained_delta_down(const ShuffledResponse& response, double epsilon,
                                         double interest = 0);

/// The same for m of n records: with q = m/n a data set's law is q times that of m reports with x
/// among them plus 1 - q times that of m records c, and
/// delta = (q/m) E[(sum_y h_y ((P_y - E' Q_y)/w_y - (1 - q)(E - 1)))_+] for e^epsilon = E' = 1 +
/// q(E - 1), h ~ Multinomial(m, w).
[[nodiscard]] double subset_attained_delta_down(const ShuffledSubset& response, double epsilon,
                                                double interest = 0);

}  // namespace mollify
