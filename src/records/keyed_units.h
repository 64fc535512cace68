// The random words of each unit of a release by its key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "kernel/core/law_integers.h"
#include "records/keyed_random.h"
#include "records/release_key.h"

namespace mollify {

/// Definition. The words of a unit with identity u and tallies T, whose draws have a law with the
/// integers n, are ChaCha20's under
///   PRF(key; context, u, T, n),
/// which is keyed BLAKE2b of 256 bits [Aumasson et al. 2013] of an encoding that no two of these
/// share: what is hashed stands in the personalisation, each part of variable length comes after
/// its length or last, and T is distinct outcomes, ascending, each with its weight. So the words
/// depend on a unit's records and not on their order, and those of other records, of other units,
/// of other contexts and of other laws are independent of them. Processors that make other integers
/// of the same records never draw by the same words.
///
/// The function takes tallies and integers themselves, not a digest of them: nothing else has to be
/// free of collisions.
///
/// One thread at a time. O(1) memory.
class KeyedUnits {
 public:
  /// `context`: all that is public about what is drawn, or its SHA-256.
  KeyedUnits(const ReleaseKey& key, std::string_view context);
  ~KeyedUnits();
  KeyedUnits(const KeyedUnits&) = delete;
  KeyedUnits& operator=(const KeyedUnits&) = delete;

  /// From here on words are those of a unit that has so much weight of each outcome. Requires one
  /// list for what the caller calls the same records: distinct outcomes, ascending, or where an
  /// outcome is a record's digits, the distinct records, ascending, end to end. As many weights,
  /// none of which is NaN. O(outcomes).
  void begin(std::string_view unit, std::span<const std::uint32_t> outcomes,
             std::span<const double> weights);

  /// The words for what is chosen for the unit before its law is known, and which is the same on
  /// every processor or depends on no private value: which records are scored, and at which points.
  /// Valid until the next call.
  [[nodiscard]] SecureRandom& before_law();

  /// The words of so many draws from a law, and of what is written for them. Valid until the next
  /// call. O(integers).
  [[nodiscard]] SecureRandom& of_law(const LawIntegers& law, std::size_t draws);

 private:
  class Hash;
  class Pairs;
  SecureRandom& words_of(Hash& hash);

  std::unique_ptr<const Hash> begun_;  // with the key and the context
  std::unique_ptr<Hash> of_unit_;      // and the unit and its tallies
  std::optional<KeyedRandom> random_;
};

}  // namespace mollify
