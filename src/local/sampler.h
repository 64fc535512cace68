// The one shape of every local sampler.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "accounting/privacy.h"
#include "kernel/core/band.h"
#include "kernel/core/law_integers.h"
#include "kernel/core/secure_random.h"
#include "local/law.h"

namespace mollify {

/// A view of m outcomes, ascending, and their weights; outcomes not listed have weight zero.
///
/// Weights need not be normalised, nor make sense: NaN and negative ones count as zero, and no
/// weight at all means that nothing is known, which releases the reference. Samplers accept
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
/// what is private comes in through `draw`. Every implementation passes the same conformance test
/// (tests/local/sampler.cpp): it draws what `law` says, its laws satisfy `guarantee` in exact
/// arithmetic for every pair of inputs tried, it is total, and without any weight it releases its
/// reference.
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

  /// The same by words that may depend on the law's integers, and depend on nothing else that is
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

  /// An upper bound, from the sampler's public integers and rounded up, on ln of the ratio of any
  /// outcome's probabilities under any two inputs. What `guarantee` claims, recomputed.
  [[nodiscard]] virtual double epsilon_realised_up() const = 0;

  /// Whether the public integers satisfy `guarantee`, decided anew.
  [[nodiscard]] virtual bool guarantee_holds() const = 0;

  /// Calls `take` with every integer that decides privacy, in a fixed order, for hashing.
  virtual void for_each_public_integer(const std::function<void(uint128)>& take) const = 0;
};

}  // namespace mollify
