// Record and replay: a release's draws are made again on a neighbouring table, with the same words,
// and the change is compared with the priced one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "kernel/naturals.h"

namespace mollify::test {

// An explicit instantiation may name private members, so the library opens nothing for tests.
auto& state_of(const SecureRandom& random);
auto& fork_count(const SecureRandom& random);
template <auto state, auto count>
struct OpenedRandom {
  friend auto& state_of(const SecureRandom& random) { return random.*state; }
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
    state.alive = fork_count(*this);
    begin_with(first);
  }

  /// Hands out these words next, at most a thousand.
  void begin_with(std::span<const std::uint64_t> first) {
    auto& state = *state_of(*this);
    std::copy(first.rbegin(), first.rend(), std::rbegin(state.stream));
    state.position = begin_ = std::size(state.stream) - first.size();
  }
  /// How many of these were used.
  [[nodiscard]] std::size_t used() const { return state_of(*this)->position - begin_; }

 private:
  std::size_t begin_ = 0;
};

/// Outcomes and their probabilities.
template <class Outcome>
using DrawnLaw = std::map<Outcome, long double>;

/// The exact law of a draw that few words decide, by all ways that it can take: a run of words that
/// end alike is one way. Two words end alike if the draw releases the same and uses as many words
/// after both, for each of some further strings of words. Runs are sought between a few words that
/// are evenly spaced, so that none is missed of an integer below 3 or 4, or where outcomes have a
/// run each. Ways of less than 1e-17 are left out.
template <class Draw>
class DrawnWays {
 public:
  using Outcome = std::invoke_result_t<const Draw&, SecureRandom&>;

  explicit DrawnWays(const Draw& draw) : draw_(draw) {
    // Half of the tails have words from both ends alone, after which rare ways are taken too.
    for (std::size_t tail = 0; tail < kTails; ++tail) {
      for (std::uint64_t& word : tails_[tail]) {
        word = random_.word();
        if (tail % 2 == 1) word = (word & 1U) == 0 ? word >> 7U : ~(word >> 7U);
      }
    }
    follow(1);
  }

  [[nodiscard]] DrawnLaw<Outcome> law() && {
    EXPECT_LT(left_out_, 1e-14L);
    return std::move(law_);
  }

 private:
  static constexpr std::size_t kTails = 32;
  static constexpr std::size_t kTail = 48;  // words
  static constexpr std::size_t kLongest = 64;
  static constexpr std::uint64_t kLooks = 12;
  static constexpr std::uint64_t kLast = ~std::uint64_t{0};

  struct Ending {
    Outcome outcome;
    std::size_t used;
  };

  using Endings = std::array<Ending, kTails>;

  Ending ending(std::size_t tail) {
    words_ = way_;
    words_.insert(words_.end(), tails_[tail].begin(), tails_[tail].end());
    random_.begin_with(words_);
    Outcome outcome = draw_(random_);
    return {std::move(outcome), random_.used()};
  }
  Endings endings() {
    Endings all;
    for (std::size_t tail = 0; tail < kTails; ++tail) all[tail] = ending(tail);
    return all;
  }
  /// Whether the way ends like that, except for some more words.
  bool ends_like(const Endings& known, std::size_t more) {
    std::size_t tail = 0;
    while (tail < kTails) {
      const Ending seen = ending(tail);
      if (seen.outcome != known[tail].outcome || seen.used != known[tail].used + more) break;
      ++tail;
    }
    return tail == kTails;
  }

  void follow(long double weight) {
    if (weight < 1e-17L) {
      left_out_ += weight;
      return;
    }
    ASSERT_LT(way_.size(), kLongest) << "a way without end";
    Ending known = ending(0);
    ASSERT_LE(known.used, way_.size() + kTail) << "more words than a way has";
    if (known.used <= way_.size()) {
      law_[std::move(known.outcome)] += weight;
      return;
    }
    // A word that is drawn anew counts as the next one that is not.
    const Endings anew = endings();
    way_.push_back(0);
    const auto go_to = [&](std::uint64_t word) {
      way_.back() = word;
      while (ends_like(anew, 1)) ++way_.back();
    };
    std::uint64_t run = 0;
    std::uint64_t begin = 0;
    go_to(begin);
    Endings here = endings();
    const auto is_like = [&](std::uint64_t word) {
      go_to(word);
      return ends_like(here, 0);
    };
    const auto take = [&](std::uint64_t last) {
      go_to(run + (last - run) / 2);
      follow(weight * (static_cast<long double>(last - run) + 1) * 0x1p-64L);
    };
    for (std::uint64_t look = 1; look <= kLooks; ++look) {
      const std::uint64_t end = look == kLooks ? kLast : look * (kLast / kLooks);
      while (!is_like(end)) {
        std::uint64_t low = begin;  // ends like `begin`; `high` ends otherwise
        std::uint64_t high = end;
        while (high - low > 1) {
          const std::uint64_t middle = low + (high - low) / 2;
          (is_like(middle) ? low : high) = middle;
        }
        take(low);
        run = begin = high;
        go_to(begin);
        here = endings();
      }
      begin = end;
    }
    take(kLast);
    way_.pop_back();
  }

  const Draw& draw_;
  FrozenRandom random_{1};
  std::array<std::array<std::uint64_t, kTail>, kTails> tails_{};
  std::vector<std::uint64_t> way_;    // the words that were chosen
  std::vector<std::uint64_t> words_;  // these and what follows
  DrawnLaw<Outcome> law_;
  long double left_out_ = 0;
};

template <class Draw>
DrawnLaw<typename DrawnWays<Draw>::Outcome> drawn_law(const Draw& draw) {
  return DrawnWays<Draw>(draw).law();
}

/// The greatest |ln p/q|; infinite where one of the two laws alone has an outcome.
template <class Outcome>
long double greatest_log_ratio(const DrawnLaw<Outcome>& p, const DrawnLaw<Outcome>& q) {
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
