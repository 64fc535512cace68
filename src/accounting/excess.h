// Expected excess of a loss, enumerated and bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The mean excess over zero of a sum of independent equal variables, certified on both sides.

/// A value that a variable takes, and how likely.
struct Atom {
  double value;
  double probability;
};

/// Two sides of a number that is not known exactly.
struct MeanExcess {
  double lower;
  double upper;
};

/// E[(X_1 + ... + X_n)_+] for independent X_i that take `gain.value` > 0 with `gain.probability`,
/// the values of `losses`, none of them positive, with theirs, and otherwise 0.
///
/// The given doubles may each be off by a factor within 1 ± 2^-50; the bounds hold for every law
/// that is so close, and need no other assumption than a C library within 2 units in the last
/// place. Terms of probability 0 are allowed. O(1) in n: some 10^4 evaluations of the transform, up
/// to 10^6 where the sum has atoms near 0. Requires 1 to 2^40 terms and at most 4 losses.
///
/// Method. With M(z) = E e^{zS}, r(u) = E(S - u)_+ and any c > 0, M(c + it)/(c + it)^2 is the
/// Fourier transform of e^{cu} r(u) >= 0. By Poisson's summation formula the trapezoid sum over
/// t = j 2 pi/L is the sum of e^{cu} r(u) over all multiples u of L: never below r(0), and above
/// it by what Chernoff's inequality bounds. Adding a normal variable of deviation h to S makes the
/// sum finite; it can only increase the mean (Jensen), and by at most 1/(sqrt 2 - 1) times as much
/// as going on from h to sqrt(2) h does. States without any gain have no excess and are taken out
/// of the transform, so that sums of rare large gains are bounded as well as smooth ones. Every
/// rounding is counted (docs/theory/shuffle-accounting.md).
///
/// A caller who only asks whether the mean is above `interest` gets bounds that may be wide once
/// both are on one side of it, and sooner: their ratio says how far it is to a tenth in the
/// logarithm, unless it `only_decides`, which is sooner still.
[[nodiscard]] MeanExcess mean_excess(const Atom& gain, std::span<const Atom> losses,
                                     std::uint64_t terms, double interest = 0,
                                     bool only_decides = false);

// -----------------------------------------------------------------------------------------------
// The mean excess over zero of a sum of mostly equal variables, by its rare states.

/// E[(X_1 + ... + X_n)_+] as mean_excess, where one loss, or the value 0, is the most likely: by
/// visiting every way in which variables can fall on the others, as far as each of these is not
/// practically impossible; what is left out is at most
///   gain * n p * sum over the others of P(its binomial count of n - 1 variables is beyond its
///   cut),
/// p being the gain's probability, because a state's excess is at most its gains. None where there
/// are more than `most_states` ways, and where the gain is the most likely. A cut is where the
/// counts beyond have at most the probability `beyond`, from 1e-290. Certified under the same
/// assumptions as mean_excess. O(states).
[[nodiscard]] std::optional<MeanExcess> sparse_excess(const Atom& gain,
                                                      std::span<const Atom> losses,
                                                      std::uint64_t terms, double most_states,
                                                      double beyond = 1e-16);

// -----------------------------------------------------------------------------------------------
// The mean excess over zero of a sum of few independent equal variables, state by state.

/// E[(X_1 + ... + X_n)_+] as mean_excess, by visiting every way in which n variables can fall on
/// the atoms; none where there are more than 20 000 ways (n above 47 with two losses, 23 with
/// three). Some 10^-10 of the mean apart, or as near as the doubles given allow. Certified under
/// the same assumptions, and without any C library.
[[nodiscard]] std::optional<MeanExcess> enumerated_excess(const Atom& gain,
                                                          std::span<const Atom> losses,
                                                          std::uint64_t terms);

}  // namespace mollify
