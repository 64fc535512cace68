#include "accounting/shuffle_lower_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accounting/directed_rounding.h"
#include "accounting/mean_excess.h"
#include "accounting/subset_blanket.h"

namespace mollify {

namespace {

/// n times the delta of the pair, over q, where `e` is E and q the part of the records that is
/// chosen without replacement (1 for all), `others` is 1 - q, `terms` the number of reports.
double attained_excess(double k, double e0, double e, double q, double others, double rate,
                       std::uint64_t terms, double interest) {
  const double one = rate / (e0 + (k - 1.0));
  const double same = e0 * one;
  // Losses are written as sums of negative numbers, so that nothing cancels.
  const double dropped = 1.0 - rate;
  const Atom gain{e0 - e, one};
  // c = x': its report is worth (1 - E'E0)/E0 - (1 - q)(E - 1) = 1/E0 - E, any other one 1 - E.
  const std::array<Atom, 2> equal = {
      {{-((1.0 - 1.0 / e0) + (e - 1.0)), same}, {1.0 - e, (k - 2.0) * one + dropped}}};
  double best = mean_excess(gain, equal, terms, interest).lower;
  // c = x: (E0 - E')/E0 - (1 - q)(E - 1), rounded down where it is a difference of sums.
  const double more = e - 1.0;
  const double common = -more * (q / e0 + others);
  const double opposite = -((e0 - 1.0) + q * more * e0 + others * more);
  const Atom own{
      others == 0.0 ? (e0 - e) / e0 : (1.0 - 1.0 / e0) * (1.0 - 0x1p-50) + common * (1.0 + 0x1p-50),
      same};
  if (own.value > 0.0) {
    const std::array<Atom, 2> rest = {{{opposite, one}, {-more, (k - 2.0) * one + dropped}}};
    best = std::max(best, mean_excess(own, rest, terms, interest).lower);
  }
  if (k >= 3.0) {
    const std::array<Atom, 3> third = {
        {{opposite, one}, {common, same}, {-more, (k - 3.0) * one + dropped}}};
    best = std::max(best, mean_excess(gain, third, terms, interest).lower);
  }
  return std::max(0.0, best);
}

}  // namespace

double attained_delta_down(const ShuffledResponse& response, double epsilon, double interest) {
  validate(response);
  require_total_epsilon(epsilon);
  const double e = exp_up(epsilon);
  const double e0 = exp_down(response.epsilon0);
  if (response.outcomes == 1 || e >= e0) return 0.0;
  const double excess =
      attained_excess(static_cast<double>(response.outcomes), e0, e, 1.0, 0.0, response.rate,
                      response.records, interest * static_cast<double>(response.records));
  return div_down(excess, static_cast<double>(response.records));
}

double subset_attained_delta_down(const ShuffledSubset& response, double epsilon, double interest) {
  validate(response);
  require_total_epsilon(epsilon);
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double e = subset_odds_up(response, epsilon);
  const double e0 = exp_down(response.epsilon0);
  if (response.outcomes == 1 || !(e < e0)) return 0.0;
  const double excess = attained_excess(static_cast<double>(response.outcomes), e0, e, m / n,
                                        (n - m) / n, 1.0, response.chosen, interest * n);
  return div_down(excess, n);
}

}  // namespace mollify
