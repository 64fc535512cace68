// Candidates that look like public records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "density/record_layout.h"
#include "kernel/core/secure_random.h"
#include "reference/smoothed_records.h"
#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

/// Draws candidates from the smoothed records of a **public** file (smoothed_records.h) instead of
/// evenly. Where the private records are like the public ones, far fewer candidates do.
class ReferenceCandidates {
 public:
  /// So many records are smoothed at most: of more, as many at equal distances in the file.
  static constexpr std::size_t kMostRecords = std::size_t{1} << 17U;

  /// `digits` are those of public records, a record after the other. `domain` is kept.
  ReferenceCandidates(Domain domain, const std::vector<std::uint32_t>& digits);

  /// The list of the domain's seed: the same wherever the mathematical library rounds alike, so a
  /// list that many machines share should be a file.
  [[nodiscard]] Candidates seeded(std::uint64_t count) const;

  /// New ones that nobody has seen.
  [[nodiscard]] Candidates fresh(std::uint64_t count, SecureRandom& random) const;

 private:
  template <class Random>
  [[nodiscard]] Candidates draw(std::uint64_t count, Random& random) const;

  Domain domain_;
  RecordLayout layout_;
  SmoothedRecords records_;
};

}  // namespace mollify
