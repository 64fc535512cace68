// Samples of a Gaussian of private mean, in the central model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "central/gaussian_design.h"
#include "central/whitening.h"
#include "kernel/core/secure_random.h"
#include "kernel/noise/clipped_sum.h"
#include "records/numeric_table.h"

namespace mollify {

/// What a row is for: 2 i and 2 i + 1 are added to and subtracted from run i, 2 m is the centre's,
/// 2 m + 1 is not used.
using GaussianRole = std::uint32_t;

[[nodiscard]] GaussianRole centre_role(const GaussianDesign& design);

/// How many of the n rows have each role: public.
[[nodiscard]] std::vector<std::uint64_t> role_counts(const GaussianDesign& design);

/// The exact sums of all runs. NOT PRIVATE.
class GaussianRuns {
 public:
  /// Around `centre`, d whitened coordinates.
  GaussianRuns(const GaussianDesign& design, std::vector<double> centre);

  /// A whitened row of any role; d doubles, any.
  void add(GaussianRole role, std::span<const double> row);
  /// d integers for each run, modulo 2^64. Those of parts of a table, added, are the table's.
  [[nodiscard]] std::vector<std::int64_t> sums() const;

 private:
  GaussianRole roles_;  // of runs
  double steps_in_one_;
  std::vector<double> centre_;
  std::vector<double> scores_;
  std::vector<ClippedSum> runs_;
};

/// Releases m points that, if the rows of a table are independent draws from N(mu, Sigma), look
/// like draws from N(mu, Sigma) themselves [Ghazi et al. 2023; Cheu, Nayak 2024]. Privacy rests on
/// no such assumption: it holds for any doubles.
///
/// Every row gets a role, uniformly at random among all ways to give out the public numbers of
/// them: it goes to the coarse centre, to one of the runs, with which weight, or nowhere. One pass
/// finds the centre, if the design has one, a second one fills all runs (gaussian_design.h).
///
/// Theorem (privacy). All outputs together keep design().guarantee for replacing one row.
/// Proof: docs/theory/gaussian-proofs.md. Roles do not look at values, and no row has two.
///
/// Theorem (one output: weak multi-sampling). Let the rows be independent draws from N(mu, Sigma)
/// as the design's request says. Given the centre, outputs are independent and follow one law
/// P-hat; with probability at least 1 - total_variation.centre, P-hat is within clip + shape +
/// lattice of N(mu, Sigma). So each output is within design().total_variation_up().
/// Proof. Roles are independent of the values, so runs are disjoint sets of independent draws, and
/// independent of the rows that the centre is made from. src/central/gaussian_run.cpp bounds the
/// parts. QED
///
/// Theorem (joint law: strong multi-sampling [Cheu, Nayak 2024, Lemmas 8, 9]). The joint law of the
/// m outputs is within design().strong_total_variation_up() = centre + m (clip + shape + lattice)
/// of m independent draws from N(mu, Sigma).
/// Proof. Given a good centre, exchange the factors of the product P-hat^m for N(mu, Sigma) one
/// after the other. Bad centres have probability at most the first part. QED
///
/// The outputs' order tells nothing: given any values, runs are exchangeable, because roles are
/// uniformly random.
///
/// Public and immutable.
class GaussianSampler {
 public:
  /// Throws InvalidInput if the dimensions differ, or for a design whose integers do not keep its
  /// guarantee.
  GaussianSampler(GaussianDesign design, Whitening whitening);

  [[nodiscard]] const GaussianDesign& design() const { return design_; }
  [[nodiscard]] const Whitening& whitening() const { return whitening_; }

  /// m rows of d doubles, row-major, in original coordinates; always finite. Total: any doubles,
  /// and if the table has fewer rows than the design's n the missing ones count as its origin, if
  /// it has more they are not read. Requires table.dimension() == d (InvalidInput otherwise).
  /// O(n d^2) time for whitening, O(n d) without; memory O(m d) and 4 bytes a row.
  [[nodiscard]] std::vector<double> draw(const NumericTable& table, SecureRandom& random) const;

  /// The last step of `draw`: noise on the sums of all runs (GaussianRuns), of rows whose roles
  /// were given as above, around this centre. Sums that lack count as 0.
  [[nodiscard]] std::vector<double> release(std::vector<std::int64_t> sums,
                                            std::span<const double> centre,
                                            SecureRandom& random) const;

 private:
  GaussianDesign design_;
  Whitening whitening_;
};

}  // namespace mollify
