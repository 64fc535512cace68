// Samplers on outcomes: a band's or a matrix's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "accounting/privacy.h"
#include "base/directed_rounding.h"
#include "base/spare.h"
#include "core/band.h"
#include "core/random.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/band_draw.h"
#include "methods/local/law.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What the best known reports for estimation alone would reach.

/// Reports are sets of d of the k outcomes, with the value inside with probability
/// d E / (d E + k - d), else without it, all such sets alike: epsilon-LDP, and with d the whole
/// number from 1 nearest to k / (E + 1) the least mean squared error that is known for estimating k
/// frequencies [Ye, Barg 2018; Wang et al. 2019]. No report is a record.
///
/// Returned is n times the variance of the estimated frequency of an outcome,
///   f (1 - f) / (p - s)^2,  p = d E / (d E + k - d),  s = (p (d - 1) + (1 - p) d) / (k - 1),
/// where f = s + frequency (p - s) is how often it is in the set. k at least 2; d = 1 is randomized
/// response.
[[nodiscard]] inline double subset_report_variance(double k, double epsilon, double d,
                                                   double frequency = 0) {
  const double e = std::exp(epsilon);
  const double p = d * e / (d * e + k - d);
  const double s = (p * (d - 1) + (1 - p) * d) / (k - 1);
  const double f = s + frequency * (p - s);
  return f * (1 - f) / ((p - s) * (p - s));
}

/// The variance with the best d.
[[nodiscard]] inline double subset_selection_variance(double k, double epsilon,
                                                      double frequency = 0) {
  const double d = std::max(1.0, std::round(k / (std::exp(epsilon) + 1)));
  return subset_report_variance(k, epsilon, d, frequency);
}

// -----------------------------------------------------------------------------------------------
// The one shape of every local sampler.

/// A view of m outcomes, ascending, and their weights; outcomes not listed have weight zero.
///
/// Weights do not have to be normalised, nor make sense: NaN and negative ones count as zero, and
/// no weight at all means that nothing is known, which releases the reference. Samplers accept
/// anything here, because it is private data.
struct ScoredOutcomes {
  std::span<const std::uint32_t> outcomes;
  std::span<const double> weights;
};

/// The words of a draw, asked for once, when its law is known.
using LawWords = std::function<SecureRandom&(const LawIntegers&)>;

/// A mechanism that turns any private distribution on {0, ..., k - 1} into a released outcome.
///
/// A sampler is made from public inputs alone and is immutable, so it may be shared by threads;
/// private data come in through `draw`. Every implementation passes the same conformance test
/// (tests/methods/local/sampler.cpp): it draws what `law` says, its laws satisfy `guarantee` in
/// exact arithmetic for every pair of inputs tried, it is total, and without any weight it releases
/// its reference.
class LocalSampler {
 public:
  LocalSampler() = default;
  LocalSampler(const LocalSampler&) = delete;
  LocalSampler& operator=(const LocalSampler&) = delete;
  virtual ~LocalSampler() = default;

  /// k.
  [[nodiscard]] virtual std::size_t outcome_count() const = 0;

  /// What each single draw promises; draws from the same private distribution add up.
  [[nodiscard]] virtual Privacy guarantee() const = 0;

  /// Fills `released` with independent draws for the private distribution p. Never throws for any
  /// p.
  void draw(const ScoredOutcomes& p, SecureRandom& random,
            std::span<std::uint32_t> released) const {
    const auto random_itself = [&random](const LawIntegers&) -> SecureRandom& { return random; };
    draw_by_law(p, random_itself, released);
  }

  /// Draws by words that may depend on the law's integers, and depend on nothing else that is
  /// private: p becomes integers first, then `words` is called, and then integers are drawn from.
  virtual void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                           std::span<std::uint32_t> released) const = 0;

  /// One draw for each row of k weights, rows after rows: for those who hold arrays. Requires k
  /// weights for each of `released`. Never throws for any values.
  virtual void draw_rows(std::span<const double> weights, SecureRandom& random,
                         std::span<std::uint32_t> released) const;
  virtual void draw_rows(std::span<const float> weights, SecureRandom& random,
                         std::span<std::uint32_t> released) const;

  /// The exact law of one such draw. NOT PRIVATE.
  [[nodiscard]] virtual Law law(const ScoredOutcomes& p) const = 0;

  /// The band that it draws from, whatever the estimate is that is projected on it; none where
  /// there is no band.
  [[nodiscard]] virtual const Band* band() const { return nullptr; }

  /// The band that holds every law, whether or not the estimate itself is projected on it; none
  /// where there is no band.
  [[nodiscard]] virtual const Band* bounds() const { return band(); }

  /// An upper bound, from the sampler's public integers and rounded up, on ln of the ratio of any
  /// outcome's probabilities under any two inputs. What `guarantee` claims, recomputed.
  [[nodiscard]] virtual double epsilon_realised_up() const = 0;

  /// Whether the public integers satisfy `guarantee`, decided anew.
  [[nodiscard]] virtual bool guarantee_holds() const = 0;

  /// Calls `take` with every integer that decides privacy, in a fixed order, for hashing.
  virtual void for_each_public_integer(const std::function<void(uint128)>& take) const = 0;
};

// -----------------------------------------------------------------------------------------------
// The local sampler of a band: minimax, relative mollifier, density class and neighbourhood alike.

/// Releases from clip(P/r, b h, b E h), the projection of P on a band, exactly in integers.
///
/// Domains of at most kDense outcomes use a Table, larger ones a SparseTable, so that a unit costs
/// time in its own distinct outcomes; the choice depends on k alone, which is public. The guarantee
/// is epsilon-LDP by the theorems of Band, Table and SparseTable.
class BandSampler final : public LocalSampler {
 public:
  static constexpr std::size_t kDense = kMostDenseOutcomes;

  explicit BandSampler(const Band& band) : band_(band) {}

  [[nodiscard]] const Band* band() const override { return &band_; }

  [[nodiscard]] std::size_t outcome_count() const override { return band_.outcome_count(); }
  [[nodiscard]] Privacy guarantee() const override { return Privacy::pure(band_.epsilon()); }
  void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                   std::span<std::uint32_t> released) const override;
  /// From a Table, which has an integer for each outcome, for every k. Its memory is kept for the
  /// next call.
  void draw_rows(std::span<const double> weights, SecureRandom& random,
                 std::span<std::uint32_t> released) const override;
  void draw_rows(std::span<const float> weights, SecureRandom& random,
                 std::span<std::uint32_t> released) const override;
  [[nodiscard]] Law law(const ScoredOutcomes& p) const override;

  /// ln of the greatest upper_i / lower_i; of Ebar where a SparseTable is used, whose unscored
  /// outcomes have no bounds of their own. O(k).
  [[nodiscard]] double epsilon_realised_up() const override;
  /// By Band's theorem: it makes its upper bounds of its lower ones, so there is no other band.
  [[nodiscard]] bool guarantee_holds() const override { return true; }
  void for_each_public_integer(const std::function<void(uint128)>& take) const override;

 private:
  Band band_;
  mutable Spare<Table> spare_{};
};

// -----------------------------------------------------------------------------------------------
// The linear local samplers: draw a record, then send it through a public integer matrix.

/// ln of the greatest ratio of two entries of one column, rounded up; infinite for a zero entry.
template <class Channel>
[[nodiscard]] double greatest_column_ratio_up(const Channel& channel) {
  double greatest = 0;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    const auto entries = channel.column(j);
    if (entries.least == 0) return std::numeric_limits<double>::infinity();
    greatest = std::max(greatest, ln_ratio_up(entries.greatest, entries.least));
  }
  return greatest;
}

/// Draws x from P and releases a draw from row x of a channel: the law is P times the matrix.
///
/// Channel is RandomizedResponse (the naive sampler A_R of Husain et al. 2020), MixtureChannel (the
/// linear mixture, Park et al. 2024, eq. 35, and the Gaussian-curve sampler, Ghoukasian et al.
/// 2025), StaircaseChannel (the public-data kernel, Zamanlooy et al. 2024) or MatrixChannel with as
/// many rows as outcomes (A_R with any other randomizer, such as laplace_channel). The guarantee is
/// the matrix's, whose columns are checked in integers; it holds for every P because it holds for
/// every row. Where P has no weight x is drawn from the reference that the channel leaves in place;
/// of a MatrixChannel every row is as likely.
template <class Channel>
class ChannelSampler final : public LocalSampler {
 public:
  /// The caller states the guarantee and has checked it: `satisfies` for a pure one.
  ChannelSampler(Channel channel, Privacy guarantee)
      : channel_(std::move(channel)), guarantee_(guarantee) {}

  [[nodiscard]] const Channel& channel() const { return channel_; }

  [[nodiscard]] std::size_t outcome_count() const override { return channel_.outcome_count(); }
  [[nodiscard]] Privacy guarantee() const override { return guarantee_; }
  void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                   std::span<std::uint32_t> released) const override;
  [[nodiscard]] Law law(const ScoredOutcomes& p) const override;

  /// ln of the greatest ratio of two entries of one column. O(k).
  [[nodiscard]] double epsilon_realised_up() const override;
  [[nodiscard]] bool guarantee_holds() const override;
  void for_each_public_integer(const std::function<void(uint128)>& take) const override;

 private:
  Channel channel_;
  Privacy guarantee_;
};

extern template class ChannelSampler<MatrixChannel>;
extern template class ChannelSampler<RandomizedResponse>;
extern template class ChannelSampler<MixtureChannel>;
extern template class ChannelSampler<StaircaseChannel>;

// -----------------------------------------------------------------------------------------------
// The law of one release over public points, from a scorer's estimate.

/// Writes what the kernel takes, p / h up to a factor: the scorer's estimate from `rows` at its
/// points, divided by `densities` (h at each; empty where h is the same at all) unless it is a
/// ratio already. Throws InvalidInput only for shapes, which are public: one score and one density
/// for each point.
void score_against_reference(const Scorer& scorer, const MixedPoints& rows,
                             std::span<const float> densities, std::span<float> scores);

/// The projection of p / h on a band over points drawn from h (candidates), or of p itself over the
/// cells of a grid, whose reference the band knows (docs/theory/band.md).
///
/// The scorer is free to be wrong: whatever it returns, `table` is inside the band, so draws from
/// it are epsilon-LDP (core/table.h). Remade for each unit without allocating; 12 bytes an
/// outcome. It holds private data and refers to its band, which must outlive it.
class ScoredTable {
 public:
  explicit ScoredTable(const Band& band);
  explicit ScoredTable(Band&&) = delete;

  /// Remakes the table from the estimate that a unit's rows give at the points that the scorer was
  /// made for, one for each outcome of the band; `densities` is h at each, or empty where h is the
  /// same at all. Without rows the table is the reference. Throws InvalidInput only if there is not
  /// one density for each outcome.
  void assign(const Scorer& scorer, const MixedPoints& rows, std::span<const float> densities = {});

  [[nodiscard]] const Table& table() const noexcept { return table_; }

 private:
  Table table_;
  std::vector<float> scores_;
};

// -----------------------------------------------------------------------------------------------
// Where to put the band, told from public examples.

/// How far **public** example units are from their own laws, for each of several bands on one
/// reference. No band is best for all: on a class of Gaussian mixtures at epsilon = 0.1 the minimax
/// band has a larger mean divergence than the relative one, and at epsilon = 2 a smaller.
class BandTuning {
 public:
  struct Result {
    DivergenceReport mean;   ///< over the units
    DivergenceReport worst;  ///< of any unit, each divergence for itself
  };

  /// Bands with constants `floors` over `outcome_count` outcomes; `reference` as in BandSpec.
  /// Throws InvalidInput where Band::make does. O(floors k).
  BandTuning(std::span<const double> floors, std::size_t outcome_count,
             std::span<const double> reference, double epsilon);

  /// One more unit: its estimate at each outcome, as a table takes it, p / h for candidates and p
  /// for the cells of a grid. A unit without any weight is left out. O(floors k).
  void add(std::span<const float> scores);

  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
  /// One for each floor; zeros without units.
  [[nodiscard]] std::vector<Result> results() const;

 private:
  std::deque<Band> bands_;
  std::deque<Table> tables_;
  std::vector<Result> sums_;  // `mean` holds a sum
  std::vector<double> p_;
  std::vector<double> q_;
  std::uint64_t units_ = 0;
};

}  // namespace mollify
