// The design of a release.
#pragma once

#include <any>

#include "release/certificate.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// From the public side of a release to its sampler.

/// A certificate, and the sampler that it speaks of.
struct DesignedRelease {
  Certificate certificate;
  std::any sampler{};  ///< the method's design, of a type that only the method knows
};

/// Everything that follows from the spec, the facts and the domain, and keeps what it promises.
/// Throws InvalidInput, in one sentence, for contradictions, and for requests that no mechanism can
/// meet.
[[nodiscard]] DesignedRelease design_release(const ReleaseSpec& spec, const PublicFacts& facts,
                                             const Domain& domain);

/// The design of a certificate's spec and facts, to compare with the rest of it: equal on every
/// machine. The result of a search in doubles is taken as the certificate states it. Whether it
/// keeps the promise is not looked at.
[[nodiscard]] DesignedRelease stated_release(const StatedCertificate& stated, const Domain& domain);

}  // namespace mollify
