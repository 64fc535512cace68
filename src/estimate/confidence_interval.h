// Intervals for the mean of independent draws, at a coverage that holds for every number of draws.
#pragma once

#include <cstdint>

namespace mollify {

/// A closed interval.
struct ConfidenceInterval {
  double lower = 0;
  double upper = 1;
};

/// For q, the mean of the success probabilities of `trials` independent trials of which `successes`
/// succeeded. alpha in (0, 1/2] bounds the probability that q lies outside; half of it on each
/// side. Requires 1 <= trials and successes <= trials.
///
/// It is Clopper and Pearson's interval, exact for equal probabilities [Clopper, Pearson 1934],
/// moved out to (successes - 1) / trials and (successes + 1) / trials where it is narrower, which
/// is next to never. Then it holds for trials of any probabilities with mean q.
///
/// Proof. The lower end L(s) rises in s and is above q only from some s* on; it is at most
/// (s* - 1) / trials, so s* >= trials q + 1, and there no trials with mean q reach s* more often
/// than equal ones do [Hoeffding 1956, Theorem 4], which they do with probability at most alpha
/// / 2. The upper end is the lower one of the failures. QED
[[nodiscard]] ConfidenceInterval binomial_interval(std::uint64_t successes, std::uint64_t trials,
                                                   double alpha);

/// Independent draws of a bounded variable, counted.
struct BoundedDraws {
  std::uint64_t count = 0;  ///< how many
  double mean = 0;          ///< of them
  double square_mean = 0;   ///< of the squares
  double least = 0;         ///< what no draw can be below
  double greatest = 0;      ///< or above

  /// The sample variance with divisor count - 1; 0 of a single draw.
  [[nodiscard]] double variance() const noexcept;
};

/// For the mean of the draws' expectations; alpha as above. Empirical Bernstein: mean plus or minus
/// sqrt(2 V ln(4 / alpha) / n) + 7 (greatest - least) ln(4 / alpha) / (3 (n - 1)), V the sample
/// variance [Maurer, Pontil 2009, Theorem 11], which holds for draws of different laws too. About a
/// quarter wider than a Gaussian interval where n is large; that one promises nothing.
[[nodiscard]] ConfidenceInterval bernstein_interval(const BoundedDraws& draws, double alpha);

}  // namespace mollify
