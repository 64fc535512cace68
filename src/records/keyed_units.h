// The words of a unit under a release's key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "kernel/channels.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The secret of one release whose draws may be repeated.

/// 32 bytes of the operating system's entropy, made once for a release. Nobody chooses them, and
/// nothing prints, logs or stores them. Copies share the bytes, which are wiped when the last one
/// ends, and lie where the system leaves them out of core dumps if it can.
///
/// A draw by a key can be made again, in any order and by any worker that makes equal integers of
/// equal records, with the same result: it is the same release, and costs nothing more
/// (docs/theory/release-keys.md). A key is for one release. If it is used for
/// another release, the words differ (KeyedUnits), and the two cost as much as two
/// releases.
///
/// Copies may be used by several threads at once.
class ReleaseKey {
 public:
  static constexpr std::size_t kBytes = 32;

  /// A new one. If the operating system gives no entropy or no memory, the program stops.
  ReleaseKey();

  /// What a worker needs to draw for the same release: the key between a mark and a check.
  ///
  /// WARNING. Anyone who has these bytes and the released records can test guesses of the private
  /// records as if nothing protected them. Hand them to the workers of this release alone, in the
  /// way that the private records take, and keep them nowhere.
  [[nodiscard]] std::vector<unsigned char> bytes_for_workers() const;

  /// The key of such bytes. None if they are not what `bytes_for_workers` gave: bytes that somebody
  /// chose make no key.
  [[nodiscard]] static std::optional<ReleaseKey> of_worker_bytes(
      std::span<const unsigned char> bytes);

 private:
  friend class KeyedUnits;
  struct Secret;
  explicit ReleaseKey(std::shared_ptr<Secret> secret) noexcept;

  /// Memory for one, of zeros.
  static std::shared_ptr<Secret> empty_secret();
  [[nodiscard]] std::span<const unsigned char, kBytes> bytes() const noexcept;

  std::shared_ptr<const Secret> secret_;
};

// -----------------------------------------------------------------------------------------------
// The random words of each unit of a release by its key.

/// Definition. The words of a unit with identity u and tallies T, whose draws have a law with the
/// integers n, are ChaCha20's under
///   PRF(key; context, u, T, n), which is keyed BLAKE2b of 256 bits [Aumasson et al. 2013] of
///   an encoding that no two of these share: the personalisation names the hashed text, each
///   part of variable length comes after its length or last, and T is distinct outcomes,
///   ascending, each with its weight. So the words depend on a unit's records and not on
///   their order, and words of other records, units, contexts and laws are independent of
///   them. Processors that make other integers of the same records never draw by the same
///   words.
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

  /// From here on words belong to a unit with this weight of each outcome. Requires one list for
  /// records that the caller calls equal: distinct outcomes, ascending, or where an outcome is a
  /// record's digits, the distinct records, ascending, end to end. A weight for each, never NaN.
  /// O(outcomes).
  void begin(std::string_view unit, std::span<const std::uint32_t> outcomes,
             std::span<const double> weights);

  /// The words for choices for the unit before its law is known, which are equal on every processor
  /// or depend on no private value: which records are scored, and at which points. Valid until the
  /// next call.
  [[nodiscard]] SecureRandom& before_law();

  /// The words of `draws` draws from a law, and of the values written for them. Valid until the
  /// next call. O(integers).
  [[nodiscard]] SecureRandom& of_law(const LawIntegers& law, std::size_t draws);

 private:
  class Hash;
  class Pairs;
  SecureRandom& words_of(Hash& hash);

  std::unique_ptr<const Hash> begun_;  // with the key and the context
  std::unique_ptr<Hash> of_unit_;      // and the unit and its tallies
  SecureRandom random_;
};

}  // namespace mollify
