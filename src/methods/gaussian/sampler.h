// Independent Gaussian samples.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "domain/numbers.h"
#include "kernel/clipped_sums.h"
#include "methods/gaussian/centre.h"
#include "methods/gaussian/design.h"
#include "records/keyed_units.h"
#include "records/private_table.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Normal deviates for public numbers.

/// Standard normal deviates by the polar method (Marsaglia, Bray 1964), in floating point: for
/// public noise alone. Uniforms have 53 bits, which ends the tails beyond 8 standard deviations.
class PublicNormals {
 public:
  explicit PublicNormals(SecureRandom& random) : random_(random) {}

  double draw() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      const double x = uniform(), y = uniform();
      const double square = x * x + y * y;
      if (square >= 1 || square == 0) continue;
      const double factor = std::sqrt(-2 * std::log(square) / square);
      spare_ = factor * y;
      has_spare_ = true;
      return factor * x;
    }
  }

 private:
  /// Of (-1, 1).
  double uniform() { return (static_cast<double>(random_.word() >> 11) + 0.5) * 0x1p-52 - 1; }

  SecureRandom& random_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// -----------------------------------------------------------------------------------------------
// The public change of coordinates after which a covariance is the identity.

/// The affine map w = A (x - c0) with A Sigma A^T = I, for a public covariance Sigma and a public
/// origin c0.
///
/// With D the diagonal of standard deviations and C = D^-1 Sigma D^-1 the matrix of correlations,
///
///     A = C^(-1/2) D^-1,
///
/// C^(-1/2) being the symmetric root. So coordinates keep their meaning as far as
/// that is possible: a diagonal Sigma divides each column by its own standard deviation, and
/// columns may have units of any size.
///
/// Computed in floating point, and nothing depends on that: the kernel clips whatever doubles come
/// out, so an error here costs accuracy, about d 2^-53 of a row's size times the condition number
/// of C, and never privacy.
///
/// Public and immutable. O(d^2) memory and O(d^2) for a row.
class Whitening {
 public:
  /// How much the greatest eigenvalue of C may exceed the least: beyond, doubles tell nothing.
  static constexpr double kGreatestCondition = 1e10;

  /// Sigma = I and c0 = 0, 1 <= d <= 1024 (InvalidInput otherwise).
  [[nodiscard]] static Whitening identity(std::size_t dimension);

  /// For Sigma, d x d in row-major order, and c0, d numbers or none for 0. Throws InvalidInput, in
  /// one sentence that names what is wrong, unless d is from 1 to 1024, all numbers are finite,
  /// Sigma is symmetric to within 1e-9 of the standard deviations' product and positive definite
  /// with the condition above ("covariance must be positive definite, but its least eigenvalue is
  /// -0.2"). O(d^3).
  [[nodiscard]] static Whitening from_covariance(std::size_t dimension,
                                                 std::span<const double> covariance,
                                                 std::span<const double> origin = {});

  [[nodiscard]] std::size_t dimension() const { return origin_.size(); }
  /// c0, in original coordinates.
  [[nodiscard]] std::span<const double> origin() const { return origin_; }

  /// Rows in, whitened rows out, both row-major and of the same size, a multiple of d; they may not
  /// overlap. Rows of any doubles. A row's result depends on that row, on its place in the call and
  /// on how many rows there are, never on the others' values.
  void apply(std::span<const double> rows, std::span<double> whitened) const;

  /// The way back, x = c0 + A^-1 w.
  void undo(std::span<const double> whitened, std::span<double> rows) const;

  /// For each whitened coordinate the interval that a box of original coordinates maps into.
  /// `low` and `high` have d numbers each, low < high; InvalidInput otherwise.
  [[nodiscard]] std::vector<RealRange> ranges_of_box(std::span<const double> low,
                                                     std::span<const double> high) const;

 private:
  Whitening() = default;

  std::vector<double> origin_;
  std::vector<double> forward_;   // A^T, row-major, so that rows are multiplied from the left;
  std::vector<double> backward_;  // its inverse; both empty for the identity
};

// -----------------------------------------------------------------------------------------------
// Samples of a Gaussian of private mean, in the central model.

/// A row's role: 2 i and 2 i + 1 are added to and subtracted from run i, 2 m is the centre's, 2 m +
/// 1 is not used.
using GaussianRole = std::uint32_t;

[[nodiscard]] GaussianRole centre_role(const GaussianDesign& design);

/// How many integers make up a run's sums: d, or for a tested run its d (d + 3)/2 moments.
[[nodiscard]] std::size_t run_integers(const GaussianDesign& design);

/// How many of the n rows have each role: public.
[[nodiscard]] std::vector<std::uint64_t> role_counts(const GaussianDesign& design);

/// The exact sums of all runs. NOT PRIVATE.
class GaussianRuns {
 public:
  /// Around `centre`, d whitened coordinates.
  GaussianRuns(const GaussianDesign& design, std::vector<double> centre);

  /// A whitened row of any role; d doubles, any.
  void add(GaussianRole role, std::span<const double> row);
  /// run_integers of each run, modulo 2^64. Those of parts of a table, added, are the table's.
  [[nodiscard]] std::vector<std::int64_t> sums() const;

 private:
  GaussianRole roles_;  // of runs
  double steps_in_one_;
  std::vector<double> centre_;
  std::vector<double> scores_;
  std::vector<ClippedSum> runs_;
  std::vector<ClippedMoments> tested_runs_;
};

/// Releases m points that, if the rows of a table are independent draws from N(mu, Sigma), look
/// like draws from N(mu, Sigma) themselves [Ghazi et al. 2023; Cheu, Nayak 2024]. Privacy depends
/// on no such assumption: it holds for any doubles.
///
/// Every row gets a role, uniformly at random among all ways to give out the public numbers of
/// them: it goes to the coarse centre, to one of the runs, with which weight, or nowhere. One pass
/// finds the centre, if the design has one, a second one fills all runs
/// (methods/gaussian/design.h).
///
/// Theorem (privacy). All outputs together keep design().guarantee for replacing one row.
/// Proof: docs/theory/gaussian-proofs.md. Roles do not look at values, and no row has two.
///
/// Theorem (one output: weak multi-sampling). Let the rows be independent draws from N(mu, Sigma)
/// as the design's request says. Given the centre, outputs are independent and follow one law
/// P-hat; with probability at least 1 - total_variation.centre, P-hat is within clip + shape +
/// lattice of N(mu, Sigma). So each output is within design().total_variation_up().
/// Proof. Roles are independent of the values, so runs are disjoint sets of independent draws, and
/// independent of the rows that the centre is made from. src/methods/gaussian/sampler.cpp bounds
/// the parts. QED
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

// -----------------------------------------------------------------------------------------------
// Gaussian samples of a table that lies in parts, on workers that share nothing.

/// Number of a part's rows with this role.
struct RoleShare {
  GaussianRole role;
  std::uint64_t rows;
};

/// What all parts are asked. Secret: who knows the key knows the rows' roles.
struct GaussianPass {
  enum class Kind : std::uint8_t {
    kRows,    ///< how many rows each part has
    kCentre,  ///< the rows of the centre's role, whitened
    kRuns,    ///< the sums of all runs
  };
  Kind kind = Kind::kRows;
  std::vector<std::vector<RoleShare>> roles{};  ///< of each part; none while rows are counted
  std::vector<double> centre{};                 ///< of kRuns
};

/// One part's answer to a pass.
///
/// A part is a multiset of rows in an order that follows from its rows alone (equal ones in any). A
/// row's role is then a function of the key, of the part's number and of its rows: the same however
/// often it is asked for. Rows beyond those counted before have no role; of those that lack, each
/// counts as the origin.
class GaussianPart {
 public:
  /// `key` is of this release alone. All must outlive the part.
  GaussianPart(const GaussianSampler& sampler, const GaussianPass& pass, const ReleaseKey& key,
               std::size_t number);

  /// The next rows, row-major, any doubles. Each is whitened alone, so that it becomes the same
  /// integers at every place.
  void add(std::span<const double> rows);

  /// The place of the integers of `take` among the pass's.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  /// Of all rows; once. Of kCentre the bits of doubles.
  [[nodiscard]] std::vector<std::int64_t> take();

 private:
  void add_whitened(std::span<const double> row);

  const GaussianSampler& sampler_;
  GaussianPass::Kind kind_;
  std::uint64_t begin_ = 0;
  std::vector<GaussianRole> roles_;  // of its rows
  std::size_t rows_ = 0;
  std::vector<double> whitened_;
  std::vector<std::int64_t> found_;
  std::optional<GaussianRuns> runs_;
};

/// Draws as GaussianSampler::draw does, from answers: `ask` gives the integers of all parts, each
/// added modulo 2^64 at its place and every part once.
///
/// Theorem. The outputs have the law of GaussianSampler::draw on the table of all rows, so they
/// keep the design's guarantee: docs/theory/release-keys.md. O(n log m) here for n rows, and for
/// a coarse centre its rows in memory.
[[nodiscard]] std::vector<double> draw_from_parts(
    const GaussianSampler& sampler, const ReleaseKey& key,
    const std::function<std::vector<std::int64_t>(const GaussianPass&)>& ask, SecureRandom& random);

}  // namespace mollify
