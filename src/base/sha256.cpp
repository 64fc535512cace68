#include "base/sha256.h"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

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

// By hand, because libraries differ: fmt 10.1 writes 0.0 by {:a} as 0x0p-1022 (9.1: 0x0p+0), and
// std::to_chars of libstdc++ 16 the least denormal as 1p-1074 (12: 0.0000000000001p-1022).
std::string hexadecimal(double number) {
  constexpr unsigned kFractionBits = 52;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const int biased = static_cast<int>((bits >> kFractionBits) & 0x7ffU);
  const bool is_zero = biased == 0 && fraction == 0;
  std::string digits = fmt::format("{:013x}", fraction);
  digits.erase(digits.find_last_not_of('0') + 1);
  return fmt::format("{}0x{}{}{}p{:+d}", std::signbit(number) ? "-" : "", biased == 0 ? 0 : 1,
                     digits.empty() ? "" : ".", digits, is_zero ? 0 : std::max(biased, 1) - 1023);
}

}  // namespace mollify
