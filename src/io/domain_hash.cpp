#include "mollify/io/domain_hash.h"

#include <sodium.h>

#include <array>

namespace mollify {

std::string domain_hash(const Domain& domain) {
  const std::string text = domain.canonical_text();
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), hash.size());
  return digits.data();
}

}  // namespace mollify
