// Draws that may be repeated: one secret for all workers of one release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mollify/handle.h"
#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// 32 bytes of the operating system's entropy, made once for a release; nobody chooses, prints or
/// stores them. The words of a unit's draw follow from the key, the unit's identity, all of its
/// records, whatever their order, and the integers that they become, by a pseudorandom function.
///
/// So a draw that is computed again has the same result, anywhere and at any time, on machines that
/// make equal integers of equal records: it is the same release and costs nothing more. Other
/// integers, other records, another unit and another sampler have independent words, and two
/// releases cost what two releases cost. Take a new key for each release. Proofs:
/// docs/theory/release-keys.md.
///
/// Cheap to copy, and safe to share between threads; the bytes are wiped with the last copy.
class ReleaseKey : public Handle<const class ReleaseKeyInside> {
 public:
  using Handle::Handle;

  /// A new one.
  ReleaseKey();

  /// What a worker needs to draw for the same release: the key between a mark and a check.
  ///
  /// WARNING. Whoever has these bytes and the released records can test guesses of the private
  /// records as if nothing protected them. Hand them to the workers of this release alone, in the
  /// way that the private records take, and keep them nowhere.
  [[nodiscard]] std::vector<std::uint8_t> bytes_for_workers() const;

  /// The reverse. Throws InvalidInput for any other bytes: nobody chooses a key.
  [[nodiscard]] static ReleaseKey of_worker_bytes(std::span<const std::uint8_t> bytes);
};

}  // namespace MOLLIFY_NAMESPACE
