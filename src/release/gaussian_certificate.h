// What goes out with Gaussian samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "central/gaussian_design.h"
#include "release/guarantee_words.h"
#include "space/domain.h"

namespace mollify {

/// The certificate of a Gaussian release. Made of the flags, the domain, the covariance, the roster
/// and the number of records, all public, and of what follows from them.
struct GaussianCertificate {
  std::string version;                    ///< of mollify
  std::optional<std::string> unit;        ///< the unit column; none: each row is a record
  std::optional<std::string> roster;      ///< the public list of units, as it was given
  std::vector<std::string> columns;       ///< the coordinates, in the domain's order
  std::vector<std::string> logarithms;    ///< those taken in logarithms
  std::optional<std::string> covariance;  ///< the public file, as it was given; none: identity
  std::string covariance_sha256;          ///< of its bytes; empty without it
  std::string domain_sha256;
  GaussianDesign design;
};

/// Pretty-printed JSON, ending in a line feed, with the promise and its limits in words.
std::string gaussian_certificate_json(const GaussianCertificate& certificate);

/// Whether a text says that it is a certificate of Gaussian samples. Throws InvalidInput, naming
/// `name`, for what is not JSON.
bool is_gaussian_certificate(const std::string& text, const std::string& name);

/// What is promised, as sentences for people.
std::vector<std::string> promises(const GaussianCertificate& certificate);
std::vector<std::string> non_promises(const GaussianCertificate& certificate);

/// What checking a certificate found.
struct GaussianCertificateCheck {
  Privacy stated;                 ///< what it says that it promises
  bool domain_matches = false;    ///< the domain's hash and its columns
  bool design_holds = false;      ///< the sampler, designed anew, has the stated integers and
                                  ///< promises what is stated
  bool accuracy_matches = false;  ///< and is as accurate as stated
  bool holds() const { return domain_matches && design_holds && accuracy_matches; }
};

/// Designs the sampler anew from the public numbers of the certificate's request, and compares.
/// What it says in words must follow from its numbers. Throws InvalidInput, one sentence naming
/// `name`, for anything that is not a certificate of this format.
GaussianCertificateCheck check_gaussian_certificate(const std::string& text,
                                                    const std::string& name, const Domain& domain);

}  // namespace mollify
