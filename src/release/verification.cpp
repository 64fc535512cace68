#include "release/verification.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "domain/candidates.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/method.h"

namespace mollify {

namespace {

/// A certificate is its spec and its facts: whatever else it says must be what follows from them,
/// so that nobody reads a promise that has not been seen to hold.
void require_implied(const nlohmann::json& implied, const nlohmann::json& stated,
                     const std::string& name) {
  const auto changes = nlohmann::json::diff(implied, stated);
  if (changes.empty()) return;
  throw InvalidInput(
      fmt::format("{} was altered: what it says at {} does not follow from its numbers", name,
                  changes.front().at("path").get<std::string>()));
}

}  // namespace

CertificateCheck verify_certificate(const StatedCertificate& stated, const std::string& name,
                                    const Domain& domain, const KnownInputs& known) {
  CertificateCheck check;
  check.domain_matches = stated.spec.domain.sha256 == domain.hash();
  if (!check.domain_matches) return check;
  const ReleaseMethod& method = release_method(stated.spec.method);
  DesignedRelease made;
  const auto said = nlohmann::json::parse(stated.text);
  try {
    method.look_at_space(stated, domain, known, check);
    made = stated_release(stated, domain);
  } catch (const InvalidInput&) {
    return check;  // numbers that no release can have had
  }
  check.is_designed = true;
  // The draws keep the total because each spends its share.
  check.guarantee_holds = method.keeps_promise(made);
  check.epsilon_realised_up = method.epsilon_realised_up(made);

  auto implied = nlohmann::json::parse(certificate_text(made.certificate));
  const auto is_same = [&](const char* part) {
    return implied.contains(part) == said.contains(part) &&
           (!implied.contains(part) || implied[part] == said[part]);
  };
  check.design_matches = is_same("design") && is_same("mechanism");
  check.accuracy_matches = is_same("accuracy");
  // What was looked at is what is promised here only where it is the same promise.
  check.guarantee_holds = check.guarantee_holds && is_same("draw");
  check.total_holds = is_same("privacy");
  if (check.holds()) {
    method.require_found(stated, name);
    method.imply_outputs(said, made.certificate, domain, name, implied);
    require_implied(implied, said, name);
  }
  return check;
}

}  // namespace mollify
