// Record and replay: what a release draws is drawn again on a neighbouring table, with the same
// words, and what changed is compared with what was paid for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/secure_random.h"
#include "kernel/core/wide.h"
#include "kernel/noise/ratio.h"

namespace mollify::test {

// An explicit instantiation may name private members, so the library opens nothing for tests.
auto& state_of(SecureRandom& random);
auto& fork_count(const SecureRandom& random);
template <auto state, auto count>
struct OpenedRandom {
  friend auto& state_of(SecureRandom& random) { return random.*state; }
  friend auto& fork_count(const SecureRandom& /*random*/) { return *count; }
};

}  // namespace mollify::test

template struct mollify::test::OpenedRandom<&mollify::SecureRandom::state_,
                                            &mollify::SecureRandom::fork_count_>;

namespace mollify::test {

/// Words that a test knows: given ones first, then the words of a fixed key. NOT PRIVATE: two
/// generators with equal seeds and first words hand out the same words.
class FrozenRandom : public SecureRandom {
 public:
  explicit FrozenRandom(std::uint64_t seed, std::span<const std::uint64_t> first = {}) {
    auto& state = *state_of(*this);
    constexpr std::size_t kOfKey = 4;  // words that key the next refill
    std::fill_n(state.stream, kOfKey, seed);
    std::copy(first.rbegin(), first.rend(), std::rbegin(state.stream));
    state.position = std::size(state.stream) - first.size();
    state.alive = fork_count(*this);
  }
};

/// Outcomes and their probabilities.
using WordLaw = std::map<std::uint64_t, long double>;

/// The exact law of a draw that a few words decide. Word i is used below a divisor of parts[i]. The
/// one word with parts of 0 gives an integer below `bound`, or all of its 64 bits if that is 0;
/// each outcome has one run of these integers, and bisection finds where the runs end.
template <class OutcomeOf>
WordLaw exact_word_law(const OutcomeOf& outcome_of, const std::vector<std::uint64_t>& parts,
                       std::uint64_t bound) {
  const std::uint64_t last = bound - 1;
  const std::uint64_t rejected = bound == 0 ? 0 : -bound % bound;  // see uniform_below
  std::vector<std::uint64_t> digits(parts.size());
  std::vector<std::uint64_t> words(parts.size());
  long double weight = 1 / (static_cast<long double>(last) + 1);
  for (const std::uint64_t part : parts) weight /= part > 0 ? static_cast<long double>(part) : 1;
  const auto place =
      static_cast<std::size_t>(std::find(parts.begin(), parts.end(), 0U) - parts.begin());
  const auto at = [&](std::uint64_t integer) {
    const uint128 first = (static_cast<uint128>(integer) << 64) + rejected + last;
    words[place] = bound == 0 ? integer : static_cast<std::uint64_t>(first / bound);
    FrozenRandom random(1, words);
    return static_cast<std::uint64_t>(outcome_of(random));
  };
  WordLaw law;
  for (;;) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::uint64_t part = ~std::uint64_t{0} / std::max<std::uint64_t>(parts[i], 1);
      words[i] = digits[i] * part + part / 2;
    }
    const std::uint64_t of_last = at(last);
    for (std::uint64_t begin = 0;;) {
      const std::uint64_t outcome = at(begin);
      if (outcome == of_last) {
        law[outcome] += weight * (static_cast<long double>(last - begin) + 1);
        break;
      }
      std::uint64_t low = begin;  // has the outcome; `high` has another one
      std::uint64_t high = last;
      while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (at(middle) == outcome ? low : high) = middle;
      }
      law[outcome] += weight * static_cast<long double>(high - begin);
      begin = high;
    }
    std::size_t i = 0;
    while (i < parts.size() && (parts[i] == 0 || ++digits[i] == parts[i])) digits[i++] = 0;
    if (i == parts.size()) return law;
  }
}

/// The greatest |ln p/q|; infinite where one of the two laws alone has an outcome.
inline long double greatest_log_ratio(const WordLaw& p, const WordLaw& q) {
  long double greatest = p.size() == q.size() ? 0 : HUGE_VALL;
  for (const auto& [outcome, share] : p) {
    const auto found = q.find(outcome);
    const long double other = found == q.end() ? 0 : found->second;
    greatest = std::max(greatest, std::abs(std::log(share / other)));
  }
  return greatest;
}

/// What noise was added to.
enum class Noise { kLaplace, kGaussian, kEuclideanLaplace };

/// Numbers with noise, as they leave the kernel, in its integers.
struct NoisedStatistic {
  std::vector<long double> values;
  Noise noise = Noise::kLaplace;
  long double scale = 1;  ///< of Laplace noise; of Gaussian noise the variance
};
using Transcript = std::vector<NoisedStatistic>;

inline long double value_of_ratio(Ratio ratio) {
  return static_cast<long double>(ratio.numerator) / static_cast<long double>(ratio.denominator);
}

/// What two neighbours' transcripts under the same words differ by, in units of the noise.
struct ReplayedLoss {
  long double epsilon = 0;     ///< of Laplace noise: sensitivity over scale, added up
  long double mu_squared = 0;  ///< of Gaussian noise: sensitivity squared over variance, added up

  [[nodiscard]] long double rho() const { return mu_squared / 2; }
};

/// `release` gives the transcript of a table under a generator. The noise does not depend on the
/// table, so what changes is the statistic. `release(one)` runs first.
template <class Release, class Table>
ReplayedLoss replayed_loss(const Release& release, const Table& one, const Table& other,
                           std::uint64_t seed) {
  FrozenRandom words(seed);
  FrozenRandom again(seed);
  const Transcript left = release(one, words);
  const Transcript right = release(other, again);
  ReplayedLoss loss;
  EXPECT_EQ(left.size(), right.size());
  for (std::size_t step = 0; step < std::min(left.size(), right.size()); ++step) {
    EXPECT_EQ(left[step].scale, right[step].scale) << "noise depends on the table";
    EXPECT_EQ(left[step].values.size(), right[step].values.size());
    long double sum = 0;
    long double square = 0;
    for (std::size_t i = 0; i < left[step].values.size(); ++i) {
      const long double moved = std::abs(left[step].values[i] - right[step].values[i]);
      sum += moved;
      square += moved * moved;
    }
    switch (left[step].noise) {
      case Noise::kLaplace:
        loss.epsilon += sum / left[step].scale;
        break;
      case Noise::kEuclideanLaplace:
        loss.epsilon += std::sqrt(square) / left[step].scale;
        break;
      case Noise::kGaussian:
        loss.mu_squared += square / left[step].scale;
    }
  }
  return loss;
}

}  // namespace mollify::test
