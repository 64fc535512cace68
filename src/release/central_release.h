// Releases of a whole table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "domain/domain.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "methods/marginals/counts.h"
#include "records/sink.h"
#include "records/source.h"
#include "records/units.h"
#include "release/release.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Releases that need of their records nothing but sums of integers over all of them.

/// Integers that are to be added modulo 2^64 to those of the same places; all others are 0.
/// Private.
struct PartSums {
  std::uint64_t begin = 0;  ///< the place of the first
  std::vector<std::int64_t> sums{};
};

/// What one worker sums up of a pass, over one part of the table. Total in the records.
class SummedPart {
 public:
  SummedPart() = default;
  SummedPart(const SummedPart&) = delete;
  SummedPart& operator=(const SummedPart&) = delete;
  virtual ~SummedPart() = default;

  /// Throws InvalidInput for a column that is missing, or there twice.
  virtual void add(const Source& records) = 0;
  /// Once, of all that was added.
  [[nodiscard]] virtual PartSums take() = 0;
};

/// A release that is drawn in passes over a table that lies in parts. Sums do not depend on the
/// order in which they are added, so workers may compute each part as often as they like, and one
/// process adds the noise, once.
class SummedRelease {
 public:
  SummedRelease() = default;
  SummedRelease(const SummedRelease&) = delete;
  SummedRelease& operator=(const SummedRelease&) = delete;
  virtual ~SummedRelease() = default;

  /// Throws InvalidInput, in one sentence, where sums are not enough after all.
  virtual void require_sums() const = 0;

  /// Whether parts must be the same in all passes, their rows in an order that follows from these
  /// alone: otherwise any parts do that have each record once.
  [[nodiscard]] virtual bool needs_order() const noexcept { return false; }

  /// For a worker: the pass as `draw_by` describes it, of the part of this number. Throws
  /// InvalidInput for what is no pass of the release. It points into the release.
  [[nodiscard]] virtual std::unique_ptr<SummedPart> part(const std::string& pass,
                                                         std::uint64_t number) const = 0;

  /// The sums of all parts of a pass, which is described in bytes. Secret as the records are.
  using SumUp = std::function<std::vector<std::int64_t>(const std::string& pass)>;

  /// As PreparedRelease::draw, from the sums of as many passes as it asks for. Total: sums that
  /// lack count as 0. Requires require_sums().
  virtual void draw_by(const SumUp& sum_up, SecureRandom& random, Sink& sink) const = 0;
};

/// As `release`, from sums over a table that lies elsewhere. Requires a SummedRelease; throws
/// whatever `sum_up` throws too.
void release_by_sums(const PreparedRelease& prepared, const SummedRelease::SumUp& sum_up,
                     Sink& sink, const Certify& certify,
                     const std::optional<Charging>& charging = std::nullopt);

// -----------------------------------------------------------------------------------------------
// Passes over points: how workers are told of them, and what they make of their parts.

/// In bytes; secret with the key.
[[nodiscard]] std::string pass_bytes(const GaussianPass& pass, const ReleaseKey& key);
[[nodiscard]] std::string pass_bytes(const MomentMeasure& measure);

/// A worker's part of such a pass. Throws InvalidInput for other bytes. Sampler, design and columns
/// must outlive it.
[[nodiscard]] std::unique_ptr<SummedPart> gaussian_part(const GaussianSampler& sampler,
                                                        const RealColumns& columns,
                                                        const std::string& bytes,
                                                        std::uint64_t number);
[[nodiscard]] std::unique_ptr<SummedPart> moment_part(const MomentDesign& design,
                                                      const RealColumns& columns,
                                                      const std::string& bytes);

// -----------------------------------------------------------------------------------------------
// Releases in the central model: from finite domains, and Gaussian samples.

/// Requires a spec of method central, for a finite domain. Records are rows, or units that each
/// give one of their rows, drawn evenly; a unit of the roster without rows gives a uniform outcome.
/// 12 bytes of memory for each distinct outcome, or with units for each that a unit has.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_finite(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

/// Requires a spec of method gaussian or gaussian-model. Rows are streamed: memory is
/// 4 bytes a row, whatever its columns, and none of a shared one's; with units it is theirs, one
/// row each.
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
/// methods that have no such limit.
void require_countable(const Domain& domain);

// -----------------------------------------------------------------------------------------------
// Releases in the central model from one private model of a whole table.

/// Requires a spec of method marginals. Records are rows, or units: all of a unit's
/// rows, which weigh as much together as any other unit's; a unit of the roster without rows is one
/// uniform record. Hands the model to the sink.
///
/// One pass over the data, two where bins are private. Memory is that of the cells of all pairs of
/// columns; with units 4 bytes a value and 8 a unit more.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_marginals(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

/// What such a release counts: rows of weight 1, or units of weight kUnitWeight, those of the
/// roster where there is one. NOT PRIVATE.
[[nodiscard]] PairCounts exact_pair_counts(const Source& data, const Domain& domain,
                                           const std::optional<std::string>& unit,
                                           const std::optional<Roster>& roster,
                                           SecureRandom& random);

}  // namespace mollify
