// What goes out with a release in the central model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "central/central_design.h"
#include "central/support_hint.h"
#include "release/guarantee_words.h"
#include "space/domain.h"

namespace mollify {

/// A part of the budget spent on finding where in the domain the records lie.
struct CertifiedHint {
  SupportHint support;
  double epsilon = 0;
  double delta = 0;
};

/// The certificate of a central release. Made of the flags, the domain, the roster and the number
/// of records, all public, and of what follows from them.
struct CentralCertificate {
  std::string version;                ///< of mollify
  std::optional<std::string> unit;    ///< the unit column; none: each row is a record
  std::optional<std::string> roster;  ///< the public list of units, as it was given
  /// What the records are drawn by, with n, k, m, and its part of the budget. With a hint it is
  /// made for the interval that is found; this one is for the whole domain, which is the worst.
  CentralDesign design;
  std::optional<CertifiedHint> hint;
  std::string domain_sha256;
};

/// What the hint and the draw promise together, rounded up.
Privacy total_guarantee(const CentralCertificate& certificate);

/// Pretty-printed JSON, ending in a line feed, with the promise and its limits in words.
std::string central_certificate_json(const CentralCertificate& certificate);

/// Whether a text says that it is a certificate of the central model. Throws InvalidInput, naming
/// `name`, for what is not JSON.
bool is_central_certificate(const std::string& text, const std::string& name);

/// The reverse of central_certificate_json. Throws InvalidInput, one sentence naming `name`, for
/// anything that is not a certificate of this format; also where its words say something else than
/// its numbers.
CentralCertificate parse_central_certificate(const std::string& text, const std::string& name);

/// What is promised, as sentences for people: what the output tells of any one record, and how near
/// it is to fresh draws.
std::vector<std::string> promises(const CentralCertificate& certificate);
std::vector<std::string> non_promises(const CentralCertificate& certificate);

/// What checking a certificate found.
struct CentralCertificateCheck {
  bool domain_matches = false;    ///< the domain's hash and number of outcomes
  bool design_holds = false;      ///< the mechanism, rebuilt, promises what is stated
  bool accuracy_matches = false;  ///< and is as accurate as stated
  bool holds() const { return domain_matches && design_holds && accuracy_matches; }
};

/// Rebuilds the mechanism from its public parameters, which checks its integers and its accounting,
/// and compares. n up to 10^9 takes seconds.
CentralCertificateCheck check_central_certificate(const CentralCertificate& certificate,
                                                  const Domain& domain);

}  // namespace mollify
