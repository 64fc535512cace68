// The mean of what a sum of independent equal variables exceeds zero by, certified on both sides.
#pragma once

#include <cstdint>
#include <span>

namespace mollify {

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
/// Who only asks whether the mean is above `interest` gets bounds that may be wide once both are on
/// one side of it, and sooner.
[[nodiscard]] MeanExcess mean_excess(const Atom& gain, std::span<const Atom> losses,
                                     std::uint64_t terms, double interest = 0);

}  // namespace mollify
