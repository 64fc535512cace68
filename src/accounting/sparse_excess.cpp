#include "accounting/sparse_excess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mollify {
namespace {

/// What the doubles given may be off by, as a factor, and as much again for the roundings of a
/// step.
constexpr double kStep = 0x1p-49;
/// What all counts beyond a cut may have of the probability.
constexpr double kBeyond = 1e-16;
/// Weights of states without the likely value grow with this many expected others, as e^this.
constexpr double kMostExpected = 500;
/// Below, products lose digits; larger weights are as good for an upper bound.
constexpr double kSmallestWeight = 1e-290;

struct RareAtom {
  double value;
  MeanExcess probability;  // both sides
  std::uint64_t most;      // counts beyond are left out
};

/// P(Bin(n, p) >= count), from above: Chernoff's bound for the Poisson law of that mean, which
/// holds for the binomial one; 1 up to the mean.
double tail_up(double mean, double count) {
  if (count <= mean * (1 + 0x1p-40)) return 1;
  return std::exp(-(count * std::log(count / mean) - count + mean) * (1 - 0x1p-40)) * (1 + 0x1p-40);
}

class SparseStates {
 public:
  /// `value` is the likely one.
  SparseStates(double value, std::uint64_t terms, std::vector<RareAtom> rare, MeanExcess likely)
      : value_(value), terms_(terms), rare_(std::move(rare)) {
    std::uint64_t others = 0;
    for (const RareAtom& atom : rare_) others += atom.most;
    // powers_[i]: of so many terms less than all having the likely value.
    for (std::uint64_t i = 0; i <= std::min(others, terms_); ++i) {
      const auto left = static_cast<double>(terms_ - i);
      const double low =
          likely.lower > 0 ? left * std::log(likely.lower) * (1 + 0x1p-48) : -HUGE_VAL;
      const double high = left * std::log(likely.upper) * (1 - 0x1p-48);
      powers_.push_back({left > 0 ? std::exp(low) * (1 - 0x1p-48) : 1,
                         left > 0 ? std::min(1.0, std::exp(high) * (1 + 0x1p-48)) : 1});
    }
    visit(0, terms_, 0, 0, {1, 1});
  }

  /// Of at most 2^24 summands, none of them negative.
  [[nodiscard]] MeanExcess result() const {
    return {lower_ * (1 - 0x1p-28), upper_ * (1 + 0x1p-28)};
  }

 private:
  void visit(std::size_t atom, std::uint64_t left, double value, double size, MeanExcess weight) {
    if (atom == rare_.size()) {
      const double rest = static_cast<double>(left) * value_;
      const double error = (size - rest) * 0x1p-46;
      const MeanExcess& power = powers_[terms_ - left];
      const double sum = value + rest;
      if (sum + error <= 0) return;
      upper_ +=
          (sum + error) * (1 + 0x1p-44) * std::max(kSmallestWeight, weight.upper * power.upper);
      const double product = weight.lower * power.lower;
      if (product >= kSmallestWeight)
        lower_ += std::max(0.0, sum - error) * (1 - 0x1p-44) * product;
      return;
    }
    const RareAtom& here = rare_[atom];
    const std::uint64_t most = std::min(left, here.most);
    for (std::uint64_t n = 0; n <= most; ++n) {
      const double times = static_cast<double>(n);
      // Without a gain nothing is above 0.
      if (atom > 0 || n > 0) {
        visit(atom + 1, left - n, value + times * here.value, size + times * std::abs(here.value),
              weight);
      }
      const double part = static_cast<double>(left - n) / static_cast<double>(n + 1);
      weight.lower *= part * here.probability.lower * (1 - kStep);
      weight.upper *= part * here.probability.upper * (1 + kStep);
      weight.upper = std::max(weight.upper, kSmallestWeight);
    }
  }

  double value_;
  std::uint64_t terms_;
  std::vector<RareAtom> rare_;  // the gain first
  std::vector<MeanExcess> powers_;
  double lower_ = 0;
  double upper_ = 0;
};

}  // namespace

std::optional<MeanExcess> sparse_excess(const Atom& gain, std::span<const Atom> losses,
                                        std::uint64_t terms, double most_states) {
  double given = gain.probability;
  for (const Atom& loss : losses) given += loss.probability;
  // What the doubles given are off by, and two roundings of numbers up to 1.
  const double off = given * 0x1p-47 + 0x1p-51;
  const MeanExcess zero{std::max(0.0, 1 - given - off), std::clamp(1 - given + off, 0.0, 1.0)};
  // The likely value: 0, or a loss.
  double value = 0;
  MeanExcess likely = zero;
  const Atom* heaviest = nullptr;
  for (const Atom& loss : losses) {
    if (loss.probability > likely.upper) {
      heaviest = &loss;
      value = loss.value;
      likely = {loss.probability * (1 - 0x1p-49), std::min(1.0, loss.probability * (1 + 0x1p-49))};
    }
  }
  if (gain.probability > likely.lower) return std::nullopt;
  const auto n = static_cast<double>(terms);
  std::vector<RareAtom> rare{{gain.value, {gain.probability, gain.probability}, 0}};
  for (const Atom& loss : losses) {
    if (&loss != heaviest && loss.probability > 0) {
      rare.push_back({loss.value, {loss.probability, loss.probability}, 0});
    }
  }
  if (heaviest != nullptr && zero.upper > 0) rare.push_back({0, zero, 0});
  double states = 1;
  double beyond = 0;
  double expected = 0;
  for (RareAtom& atom : rare) {
    const double mean = n * atom.probability.upper * (1 + 0x1p-40);
    expected += mean;
    double count = std::ceil(mean);
    while (tail_up(mean, count + 1) > kBeyond) count += std::max(1.0, 0.05 * count);
    count = std::min(std::ceil(count), n);
    atom.most = static_cast<std::uint64_t>(count);
    states *= count + 1;
    if (states > most_states || expected > kMostExpected) return std::nullopt;
    // Given one gain, of which there are n p: its others are one fewer.
    const bool all = atom.most == terms;
    beyond += all ? 0 : tail_up(mean, &atom == &rare.front() ? count : count + 1);
  }
  const MeanExcess found = SparseStates(value, terms, rare, likely).result();
  const double left_out = gain.value * n * gain.probability * beyond * (1 + 0x1p-40);
  return MeanExcess{found.lower, found.upper + left_out};
}

}  // namespace mollify
