// Public units as distributions over outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mollify {

/// Distributions P_u over k outcomes, each by the outcomes that it has mass on: 12 bytes for each
/// of these.
class UnitMasses {
 public:
  explicit UnitMasses(std::size_t outcome_count) : outcome_count_(outcome_count) {}

  /// One more unit, with these weights of all outcomes; what is not positive and finite counts as
  /// nothing, and a unit without any weight is left out.
  void add(std::span<const double> weights);
  void add(std::span<const float> weights);

  [[nodiscard]] std::size_t outcome_count() const noexcept { return outcome_count_; }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  struct Unit {
    std::span<const std::uint32_t> outcomes;  ///< ascending
    std::span<const double> masses;           ///< positive, summing to one
  };
  [[nodiscard]] Unit operator[](std::size_t unit) const noexcept;

  /// The units of which `part` (of `parts`, by their place) is left out, and those that it is.
  [[nodiscard]] UnitMasses without(std::size_t part, std::size_t parts) const;
  [[nodiscard]] UnitMasses only(std::size_t part, std::size_t parts) const;

  /// The mean of the units' distributions.
  [[nodiscard]] std::vector<double> mean() const;

 private:
  template <class Weight>
  void add_weights(std::span<const Weight> weights);
  [[nodiscard]] UnitMasses selected(std::size_t part, std::size_t parts, bool inside) const;

  std::size_t outcome_count_;
  std::vector<std::size_t> ends_;  // one past each unit's masses
  std::vector<std::uint32_t> outcomes_;
  std::vector<double> masses_;
};

}  // namespace mollify
