#include "base/sha256.h"

#include <charconv>
#include <cmath>

#include <sodium.h>

namespace mollify {

namespace {

crypto_hash_sha256_state* state_in(unsigned char* bytes) {
  return reinterpret_cast<crypto_hash_sha256_state*>(bytes);
}

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(crypto_hash_sha256_state) == kStateBytes);
  crypto_hash_sha256_init(state_in(state_.data()));
}

void Sha256::add(std::span<const unsigned char> bytes) {
  crypto_hash_sha256_update(state_in(state_.data()), bytes.data(), bytes.size());
}

void Sha256::add(std::string_view text) {
  add({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

std::string Sha256::hex() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(state_in(state_.data()), digest.data());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), digest.data(), digest.size());
  return digits.data();
}

std::string hexadecimal(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(number),
                                 std::chars_format::hex);
  return std::string(std::signbit(number) ? "-0x" : "0x").append(digits.data(), end.ptr);
}

}  // namespace mollify
