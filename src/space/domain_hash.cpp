#include "space/domain_hash.h"

#include "space/sha256.h"

namespace mollify {

std::string domain_hash(const Domain& domain) {
  Sha256 hash;
  hash.add(domain.canonical_text());
  return hash.hex();
}

}  // namespace mollify
