#include "mollify/verify.h"

#include "front/domain.h"
#include "front/release.h"
#include "io/public_files.h"
#include "release/verification.h"

namespace mollify::front {
namespace {

/// What of the files the release was made with.
inside::KnownInputs known_inputs(const inside::StatedCertificate& stated,
                                 const inside::Domain& domain, const ReleaseFiles& files) {
  const inside::PublicFiles given(std::nullopt, std::nullopt, files.texts);
  const inside::LocalSpec* local = stated.spec.local();
  inside::KnownInputs known;
  if (local != nullptr && stated.facts.list_sha256.empty()) return known;
  if (local != nullptr && local->space.list) {
    if (files.list) known.list = given.candidates(*files.list, domain);
  } else if (files.reference && stated.spec.reference()) {
    known.reference = given.records(*files.reference, domain);
    known.reference_sha256 = given.sha256(*files.reference);
  }
  return known;
}

}  // namespace

Verification verify(const Certificate& certificate, const Domain& domain,
                    const ReleaseFiles& files) {
  const auto& [name, stated] = certificate.inside();
  const inside::CertificateCheck check = inside::verify_certificate(
      stated, name, domain.inside().domain, known_inputs(stated, domain.inside().domain, files));
  const auto seen = [&](bool held) {
    return check.is_designed ? std::optional<bool>(held) : std::nullopt;
  };
  return {.domain_matches = check.domain_matches,
          .list_matches = check.list_matches,
          .ranges_match = check.ranges_match,
          .design_matches = seen(check.design_matches),
          .guarantee_holds = seen(check.guarantee_holds),
          .total_holds = seen(check.total_holds),
          .accuracy_matches = seen(check.accuracy_matches),
          .epsilon_realised_up = check.epsilon_realised_up,
          .verdict = check.verdict()};
}

}  // namespace mollify::front
