// Releases in the central model: from finite domains, and Gaussian samples.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "central/whitening.h"
#include "release/release.h"
#include "space/real_columns.h"

namespace mollify {

/// Requires a spec of model central, for a finite domain. Records are rows, or units that each give
/// one of their rows, drawn evenly; a unit of the roster without rows gives a uniform outcome.
/// 12 bytes of memory for each distinct outcome, or with units for each that a unit has.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_finite(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

/// Requires a spec of model central, family gaussian, shared or not. Rows are streamed: memory is 4
/// bytes a row, whatever its columns, and none of a shared one's; with units it is theirs, one row
/// each.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_gaussian(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

/// Fills in the number of records; returns the roster that they are of, if there is one.
[[nodiscard]] std::optional<Roster> count_records(const ReleaseSpec& spec,
                                                  const PublicInputs& inputs,
                                                  std::optional<std::uint64_t> records,
                                                  PublicFacts& facts);

/// What a Gaussian release whitens by: c0 is the middle of the declared ranges, and an empty
/// covariance is I.
[[nodiscard]] Whitening whitening_of(const RealColumns& columns,
                                     std::span<const double> covariance = {});

/// Where the mean lies if it lies in the declared ranges, in whitened coordinates.
[[nodiscard]] std::vector<WhitenedRange> mean_ranges_of(const RealColumns& columns,
                                                        const Whitening& whitening);

/// Of each column, not taken in logarithms, whose declared range is more than 1000 standard
/// deviations wide, a sentence that asks whether it should be: with dollars and a covariance of
/// their logarithms what is released is nothing. An empty covariance is at most the bound. Public
/// facts alone.
[[nodiscard]] std::vector<std::string> wide_ranges(const RealColumns& columns,
                                                   std::span<const double> covariance,
                                                   double covariance_bound);

/// Refuses (InvalidInput) a domain of too many outcomes for independent records, and names the
/// families that have no such limit.
void require_countable(const Domain& domain);

}  // namespace mollify
