#include "accounting/enumerated_excess.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace mollify {
namespace {

constexpr double kMostWays = 20'000;
/// What the doubles given, and no more than 2^7 roundings on the way to a weight, may do to it.
constexpr double kOff = 0x1p-50;
constexpr double kRounding = 0x1p-44;
/// Below, products lose digits; larger weights are as good for an upper bound.
constexpr double kLeastWeight = 1e-270;

/// The ways in which `terms` things can fall on `atoms` places.
double ways(std::uint64_t terms, std::size_t atoms) {
  double count = 1;
  for (std::size_t i = 1; i < atoms; ++i) {
    count *= static_cast<double>(terms + i) / static_cast<double>(i);
    if (count > 4 * kMostWays) break;
  }
  return count;
}

/// Visits all ways, atom after atom; what is left over is of value 0.
class Enumeration {
 public:
  Enumeration(const Atom& gain, std::span<const Atom> losses, std::uint64_t terms) {
    atoms_[count_++] = gain;
    for (const Atom& loss : losses) {
      if (loss.probability > 0) atoms_[count_++] = loss;
    }
    double all = 0;
    for (std::size_t i = 0; i < count_; ++i) all += atoms_[i].probability;
    const double error = all * (kOff + 0x1p-48);
    zeros_.assign(terms + 1, {1, 1});
    const double most = std::min(1.0, std::max(0.0, 1 - all + error));
    const double least = std::max(0.0, 1 - all - error);
    for (std::size_t i = 1; i <= terms; ++i) {
      zeros_[i] = {zeros_[i - 1].lower * least, zeros_[i - 1].upper * most};
    }
    visit(0, terms, 0, 0, {1, 1});
  }

  /// Of at most 2^17 summands, none of them negative.
  MeanExcess result() const { return {lower_ * (1 - 0x1p-34), upper_ * (1 + 0x1p-34)}; }

 private:
  void visit(std::size_t atom, std::uint64_t left, double value, double size, MeanExcess weight) {
    if (atom == count_) {
      const double error = size * 0x1p-46;
      upper_ += std::max(0.0, value + error) * (1 + kRounding) *
                std::max(kLeastWeight, weight.upper * zeros_[left].upper);
      const double product = weight.lower * zeros_[left].lower;
      if (product >= kLeastWeight) {
        lower_ += std::max(0.0, value - error) * (1 - kRounding) * product;
      }
      return;
    }
    const Atom& here = atoms_[atom];
    for (std::uint64_t n = 0; n <= left; ++n) {
      const double times = static_cast<double>(n);
      visit(atom + 1, left - n, value + times * here.value,
            size + times * (here.value < 0 ? -here.value : here.value), weight);
      const double part = static_cast<double>(left - n) / static_cast<double>(n + 1);
      weight.lower *= part * here.probability * (1 - 2 * kOff);
      weight.upper *= part * here.probability * (1 + 2 * kOff);
      weight.upper = std::max(weight.upper, kLeastWeight);
    }
  }

  std::array<Atom, 5> atoms_{};
  std::size_t count_ = 0;
  std::vector<MeanExcess> zeros_;  // how likely so many zeros are
  double lower_ = 0;
  double upper_ = 0;
};

}  // namespace

std::optional<MeanExcess> enumerated_excess(const Atom& gain, std::span<const Atom> losses,
                                            std::uint64_t terms) {
  const auto atoms = static_cast<std::size_t>(
      2 + std::count_if(losses.begin(), losses.end(),
                        [](const Atom& loss) { return loss.probability > 0; }));
  if (ways(terms, atoms) > kMostWays) return std::nullopt;
  return Enumeration(gain, losses, terms).result();
}

}  // namespace mollify
