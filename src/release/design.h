// The design of a release.
#pragma once

#include <any>

#include "release/certificate.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// From what is public about a release to what it draws by.

/// A certificate, and the sampler that it speaks of.
struct DesignedRelease {
  Certificate certificate;
  std::any sampler{};  ///< what its method draws by, of a type that only the method knows
};

/// Everything that follows from the spec, the facts and the domain, and keeps what it promises.
/// Throws InvalidInput, in one sentence, for what contradicts itself and for what no mechanism can
/// serve.
[[nodiscard]] DesignedRelease design_release(const ReleaseSpec& spec, const PublicFacts& facts,
                                             const Domain& domain);

/// The same for a certificate's spec and facts, to be compared with the rest of it: equal on every
/// machine. What a search in doubles found is taken as the certificate states it, and whether it
/// keeps what is promised is not looked at.
[[nodiscard]] DesignedRelease stated_release(const StatedCertificate& stated, const Domain& domain);

}  // namespace mollify
