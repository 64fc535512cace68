// The secret of one release whose draws may be repeated.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mollify {

/// 32 bytes of the operating system's entropy, made once for a release. Nobody chooses them, and
/// nothing prints, logs or stores them. Copies share the bytes, which are wiped when the last one
/// ends, and lie where the system leaves them out of core dumps if it can.
///
/// A draw by a key can be made again, in any order and by any worker that makes equal integers of
/// equal records, with the same result: it is the same release, and costs nothing more
/// (docs/theory/release-keys.md). A key is for one
/// release. If it is used for another all the same, the words are other ones (KeyedUnits), and the
/// two cost what two releases cost.
///
/// Copies may be used by several threads at once.
class ReleaseKey {
 public:
  static constexpr std::size_t kBytes = 32;

  /// A new one. If the operating system gives no entropy or no memory, the program stops.
  ReleaseKey();

  /// What a worker needs to draw for the same release: the key between a mark and a check.
  ///
  /// WARNING. Whoever has these bytes and the released records can test guesses of the private
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

}  // namespace mollify
