// The exact output law of one release. NOT PRIVATE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/table.h"
#include "kernel/channels.h"

namespace mollify {

/// Probabilities as fractions with one denominator. NOT PRIVATE: it reveals the private input.
///
/// `denominator` and `numerators` are decimal integers (they reach 190 bits), and the numerators
/// sum to the denominator exactly. `probabilities` are the same fractions as doubles.
struct Law {
  std::string denominator;
  std::vector<std::string> numerators;
  std::vector<double> probabilities;
};

/// Over the table's N.
[[nodiscard]] Law law_of(const Table& table);
/// Over N times the unscored outcomes' C, or over N where every outcome is scored.
[[nodiscard]] Law law_of(const SparseTable& table);

/// The mixture of a channel's rows: input x has integer weight weights[x] (below 2^62 in all; one
/// weight for each input). Over the sum of the weights times the channel's total. O(k), for a
/// MatrixChannel O(m k).
[[nodiscard]] Law law_of(const RandomizedResponse& channel,
                         const std::vector<std::uint64_t>& weights);
[[nodiscard]] Law law_of(const MixtureChannel& channel, const std::vector<std::uint64_t>& weights);
[[nodiscard]] Law law_of(const StaircaseChannel& channel,
                         const std::vector<std::uint64_t>& weights);
[[nodiscard]] Law law_of(const MatrixChannel& channel, const std::vector<std::uint64_t>& weights);

}  // namespace mollify
