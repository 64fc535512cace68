// The random words of each unit of a release by its key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "records/keyed_random.h"
#include "records/release_key.h"

namespace mollify {

/// Definition. The words of a unit with identity u and tallies T are ChaCha20's under
///   PRF(key; context, u, T),
/// which is keyed BLAKE2b of 256 bits [Aumasson et al. 2013] of an encoding that no two triples
/// share: what is hashed stands in the personalisation, each part of variable length comes after
/// its length, and T is distinct outcomes, ascending, each with its weight. So the words depend on
/// a unit's records and not on their order, and those of other records, of other units and of other
/// contexts are independent of them.
///
/// The function takes the tallies themselves, not a digest of them: nothing else has to be free of
/// collisions.
///
/// One thread at a time. O(1) memory.
class KeyedUnits {
 public:
  /// `context`: all that is public about what is drawn, or its SHA-256.
  KeyedUnits(const ReleaseKey& key, std::string_view context);
  ~KeyedUnits();
  KeyedUnits(const KeyedUnits&) = delete;
  KeyedUnits& operator=(const KeyedUnits&) = delete;

  /// The words of a unit that has so much weight of each outcome. Requires one list for what the
  /// caller calls the same records: distinct outcomes, ascending, or where an outcome is a record's
  /// digits, the distinct records, ascending, end to end. As many weights, none of which is NaN.
  /// Valid until the next call. O(outcomes).
  [[nodiscard]] SecureRandom& of_tallies(std::string_view unit,
                                         std::span<const std::uint32_t> outcomes,
                                         std::span<const double> weights);

 private:
  class Hash;
  SecureRandom& words_of(Hash& hash);

  std::unique_ptr<const Hash> begun_;  // with the key and the context
  std::optional<KeyedRandom> random_;
};

}  // namespace mollify
