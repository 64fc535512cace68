// A public reference on finitely many outcomes, as far as risks and plans depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mollify {

/// The masses h of a public reference distribution: uniform on any number of outcomes without
/// storing them, or given one by one. Immutable.
class ReferenceMasses {
 public:
  /// Uniform on 1 to 2^53 outcomes; InvalidInput otherwise.
  [[nodiscard]] static ReferenceMasses uniform(std::uint64_t outcomes);

  /// Given masses: finite, not negative, summing to one within 1e-9 (then normalised); InvalidInput
  /// otherwise. Outcomes of mass zero are left out: no law of a band ever reaches them. Equal
  /// masses are recognised as uniform.
  [[nodiscard]] static ReferenceMasses given(std::span<const double> masses);

  /// Number of outcomes of positive mass.
  [[nodiscard]] std::uint64_t outcomes() const { return outcomes_; }
  [[nodiscard]] bool is_uniform() const { return masses_.empty(); }
  /// Mass of one outcome, index below outcomes().
  [[nodiscard]] double mass(std::size_t outcome) const;
  [[nodiscard]] double smallest_mass() const;

  /// The reference of a coarser domain: outcomes 2i and 2i+1 become one.
  [[nodiscard]] ReferenceMasses merged_in_pairs() const;

 private:
  ReferenceMasses(std::uint64_t outcomes, std::vector<double> masses);

  std::uint64_t outcomes_;
  std::vector<double> masses_;  // empty when uniform
};

}  // namespace mollify
