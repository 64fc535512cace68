// The empirical distribution of records over a domain's outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "records/tally.h"

namespace mollify {

/// How often each outcome occurred: a sparse measure, private unless its records are public.
///
/// Its total may be zero (a unit without records); what that means is up to the sampler.
class Empirical {
 public:
  /// No records.
  Empirical() = default;

  /// Takes the counts of a tally of outcomes.
  explicit Empirical(Tally<std::uint32_t>::Counts counts);

  /// The distinct outcomes, ascending.
  [[nodiscard]] std::span<const std::uint32_t> outcomes() const noexcept { return outcomes_; }
  /// The number of records of each outcome, from 1 to kGreatestCount.
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  /// The counts as doubles, for the kernel; not normalised.
  [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
  /// The number of records; 2^64 - 1 of more.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

 private:
  std::vector<std::uint32_t> outcomes_;
  std::vector<std::uint64_t> counts_;
  std::vector<double> weights_;
  std::uint64_t total_ = 0;
};

}  // namespace mollify
