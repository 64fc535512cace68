// Which band serves distributions like some public examples best.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mollify/divergence/f_divergence.h"
#include "mollify/kernel/table.h"
#include "mollify/local/band_choice.h"

namespace mollify {

/// One place for the band, and how far its laws are from the examples.
struct BandTrial {
  BandChoice choice{};
  double floor = 0;          ///< b
  DivergenceReport mean{};   ///< of an example from its law, averaged over the examples
  DivergenceReport worst{};  ///< the greatest among the examples, for each divergence by itself
  /// Over all distributions between c1 h and c2 h, whatever the examples; none without c2. On a
  /// finite space an upper bound [Park, Asoodeh, Lee 2024, Theorem III.3].
  std::optional<DivergenceReport> worst_case = std::nullopt;
};

/// What is declared of the density of P against the reference; nothing: nothing.
struct DeclaredBounds {
  std::optional<double> c1 = std::nullopt;
  std::optional<double> c2 = std::nullopt;
};

/// The choices that are worth a look at epsilon: relative, b = e^(-epsilon s) for s from 0.05 to
/// 0.95, and with c2 the minimax band of the class.
std::vector<BandChoice> usual_band_choices(double epsilon, const DeclaredBounds& bounds);

/// Tries bands over k outcomes on **public** examples. The minimax band is best in the worst case,
/// which examples may never be near; where to lie in between is a question about them.
///
/// Takes one table and 32 bytes an outcome; each example costs one projection and the divergences
/// for each choice, O(k choices).
class BandTuning {
 public:
  /// `reference` has k positive masses, or is empty for a uniform one. Throws InvalidInput for what
  /// Band or floor_of refuse.
  BandTuning(std::size_t outcome_count, std::span<const double> reference, double epsilon,
             const DeclaredBounds& bounds, std::span<const BandChoice> choices);

  /// One example: its masses up to a factor. Those without any positive finite mass say nothing and
  /// are left out. Throws InvalidInput unless there are k.
  void add(std::span<const float> masses);

  /// How many examples counted.
  [[nodiscard]] std::size_t examples() const noexcept { return examples_; }

  /// The choices' trials, in their order. Requires at least one example.
  [[nodiscard]] std::vector<BandTrial> trials() const;

 private:
  std::vector<Band> bands_;
  std::vector<BandTrial> sums_;
  std::vector<double> example_;
  std::vector<double> law_;
  std::size_t examples_ = 0;
};

}  // namespace mollify
