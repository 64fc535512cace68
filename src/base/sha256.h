// The fingerprint of public bytes, and the text of numbers in it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mollify {

/// SHA-256 (FIPS 180-4) of bytes that come in parts.
class Sha256 {
 public:
  Sha256();

  void add(std::span<const unsigned char> bytes);
  void add(std::string_view text);

  /// The digest of all parts as 64 hexadecimal digits. To be called once.
  [[nodiscard]] std::string hex();

 private:
  // crypto_hash_sha256_state of libsodium, which callers of this header do not have to know.
  static constexpr std::size_t kStateBytes = 104;
  alignas(8) std::array<unsigned char, kStateBytes> state_{};
};

/// A finite number's exact text in hexadecimal digits, as C's %a writes it: digests are made of it.
/// It is the same in every locale and from every library.
[[nodiscard]] std::string hexadecimal(double number);

}  // namespace mollify
