// All decisions that an algorithm for noise can take, and the exact law that they give.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "kernel/noise.h"
#include "kernel/short_words.h"

namespace mollify::test {

/// The law of an algorithm whose entropy is exhausted: every value of each uniform integer, and for
/// each coin all strings of eight words of three binary digits.
///
/// An algorithm that begins anew draws its first uniform integer once more; nothing it did before
/// matters then. So the law is that of one attempt, divided by the mass of attempts that do not
/// begin anew.
class DecisionTree {
 public:
  /// The mass of all decisions that end in each outcome, and of those left undecided: strings of
  /// coins that are too short, and ways of less than 1e-17.
  template <class Algorithm>
  explicit DecisionTree(const Algorithm& algorithm) {
    double again = 0, undecided = 0;
    do {
      position_ = 0;
      mass_ = 1;
      attempts_ = 0;
      try {
        const std::int64_t outcome = algorithm.sample(*this).wrapped();
        masses_[outcome] += mass_;
      } catch (const Again&) {
        again += mass_;
      } catch (const Undecided&) {
        undecided += mass_;
      }
    } while (advance());
    double sum = again + undecided;
    for (auto& [outcome, mass] : masses_) {
      sum += mass;
      mass /= 1 - again;
    }
    undecided_ = undecided / (1 - again);
    EXPECT_NEAR(sum, 1, 1e-12);
  }

  double undecided() const { return undecided_; }
  double mass(std::int64_t outcome) const {
    const auto found = masses_.find(outcome);
    return found == masses_.end() ? 0 : found->second;
  }

  // What the algorithm asks.
  std::uint64_t below(const UniformBelow& bound) {
    if (attempts_++ > 0) throw Again();
    mass_ /= static_cast<double>(bound.bound());
    return choose(bound.bound());
  }
  template <class X>
  bool exp_minus(const X& x) {
    constexpr unsigned kBits = 3;
    constexpr std::size_t kLength = 8;
    const Bracket key{x.bracket().least, x.bracket().last};
    auto found = coins_.find(key);
    if (found == coins_.end()) {
      const StringCounts counts = exhaust<kBits>(x, kLength);
      const double all = std::ldexp(1, kBits * kLength);
      const double heads = static_cast<double>(counts.heads.low_word()) / all;
      const double open = static_cast<double>(counts.undecided) / all;
      found = coins_.emplace(key, Coin{heads, open}).first;
    }
    const Coin& coin = found->second;
    const std::uint64_t side = choose(3);
    mass_ *= side == 0 ? coin.heads : side == 1 ? 1 - coin.heads - coin.undecided : coin.undecided;
    if (side == 2 || mass_ < 1e-17) throw Undecided();
    return side == 0;
  }

 private:
  struct Again {};
  struct Undecided {};
  struct Coin {
    double heads;
    double undecided;
  };
  using Bracket = std::pair<std::uint64_t, std::uint64_t>;
  struct Choice {
    std::uint64_t taken;
    std::uint64_t count;
  };

  std::uint64_t choose(std::uint64_t count) {
    if (position_ == way_.size()) way_.push_back({0, count});
    return way_[position_++].taken;
  }

  /// The next way through the tree; false after the last.
  bool advance() {
    way_.resize(position_);
    while (!way_.empty() && way_.back().taken + 1 == way_.back().count) way_.pop_back();
    if (way_.empty()) return false;
    ++way_.back().taken;
    return true;
  }

  std::vector<Choice> way_;
  std::size_t position_ = 0;
  int attempts_ = 0;
  double mass_ = 1;
  std::map<Bracket, Coin> coins_;
  std::map<std::int64_t, double> masses_;
  double undecided_ = 0;
};

}  // namespace mollify::test
