// Releases that need of their records nothing but sums of integers over all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/core/secure_random.h"
#include "records/sink.h"
#include "records/source.h"
#include "release/release.h"

namespace mollify {

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

}  // namespace mollify
