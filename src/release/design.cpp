#include "release/design.h"

#include "mollify/version.h"
#include "release/method.h"

namespace mollify {

namespace {

DesignedRelease designed(const ReleaseSpec& spec, const PublicFacts& facts, const Domain& domain,
                         const StatedCertificate* stated) {
  validate_spec(spec);
  DesignedRelease made;
  made.certificate.version = kVersion;
  made.certificate.spec = spec;
  made.certificate.facts = facts;
  release_method(spec.method).design(domain, stated, made);
  return made;
}

}  // namespace

DesignedRelease design_release(const ReleaseSpec& spec, const PublicFacts& facts,
                               const Domain& domain) {
  return designed(spec, facts, domain, nullptr);
}

DesignedRelease stated_release(const StatedCertificate& stated, const Domain& domain) {
  DesignedRelease made = designed(stated.spec, stated.facts, domain, &stated);
  made.certificate.version = stated.version;
  return made;
}

}  // namespace mollify
