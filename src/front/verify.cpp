#include "mollify/verify.h"

#include "front/domain.h"
#include "front/release.h"
#include "io/public_files.h"
#include "reference/reference_candidates.h"
#include "release/verification.h"

namespace mollify::front {
namespace {

/// The list of the release, where a file says what it was.
std::optional<inside::Candidates> known_list(const inside::StatedCertificate& stated,
                                             const inside::Domain& domain,
                                             const CandidateFiles& files) {
  const inside::PublicFiles given(std::nullopt, std::nullopt, files.texts);
  const inside::LocalSpec* local = stated.spec.local();
  if (local == nullptr || stated.facts.list_sha256.empty()) return std::nullopt;
  if (local->space.list) {
    if (!files.list) return std::nullopt;
    return given.candidates(*files.list, domain);
  }
  if (!local->reference || !files.reference || local->space.fresh) return std::nullopt;
  return inside::ReferenceCandidates(domain, given.records(*files.reference, domain))
      .seeded(stated.facts.outcomes);
}

}  // namespace

Verification verify(const Certificate& certificate, const Domain& domain,
                    const CandidateFiles& files) {
  const auto& [name, stated] = certificate.inside();
  const inside::CertificateCheck check = inside::verify_certificate(
      stated, name, domain.inside().domain, known_list(stated, domain.inside().domain, files));
  return {.domain_matches = check.domain_matches,
          .list_matches = check.list_matches,
          .ranges_match = check.ranges_match,
          .design_matches = check.design_matches,
          .guarantee_holds = check.guarantee_holds,
          .total_holds = check.total_holds,
          .accuracy_matches = check.accuracy_matches,
          .epsilon_realised_up = check.epsilon_realised_up};
}

}  // namespace mollify::front
