// Releases from the files of a test.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "formats/csv.h"
#include "formats/public_files.h"
#include "formats/scratch.h"
#include "methods/gaussian/method.h"
#include "methods/local/release.h"
#include "methods/local/space.h"
#include "methods/marginals/method.h"
#include "release/release.h"
#include "release/verification.h"

namespace mollify::test {

/// An integral release of 3 draws at epsilon 1 in all; `domain` is the content of its file.
inline ReleaseSpec integral_spec(const Scratch& scratch, const char* domain) {
  ReleaseSpec spec;
  spec.method = Method::kIntegral;
  spec.own = LocalSpec{};
  spec.domain.file = scratch.write("domain.yaml", domain);
  spec.count = 3;
  spec.privacy = ExactPrivacy::pure(Decimal(1));
  spec.accept_error = true;
  return spec;
}

/// The method whose parts these are, of those that protect rows.
inline Method row_method_of(const decltype(ReleaseSpec::own)& own) {
  if ((own.get<MarginalsSpec>() != nullptr)) return Method::kMarginals;
  const auto* gaussian = own.get<GaussianSpec>();
  if (gaussian == nullptr) return Method::kCentral;
  return gaussian->covariance || gaussian->covariance_bound ? Method::kGaussian
                                                            : Method::kGaussianModel;
}

inline LocalSpec& local_of(ReleaseSpec& spec) { return *spec.own.get<LocalSpec>(); }

/// Of the data in data.csv.
inline std::unique_ptr<const PreparedRelease> prepared(const Scratch& scratch,
                                                       const ReleaseSpec& spec) {
  const std::string data = scratch.path("data.csv");
  return prepare(spec, PublicFiles(data), public_count(spec, CsvSource(data)));
}

inline std::unique_ptr<const LocalRelease> prepared_local(const Scratch& scratch,
                                                          const ReleaseSpec& spec) {
  return prepare_local(spec, PublicFiles(scratch.path("data.csv")));
}

/// Its records, as CSV.
inline std::string drawn(const PreparedRelease& release, const Source& data,
                         std::size_t threads = 2) {
  SecureRandom random;
  std::string csv;
  CsvSink sink(csv);
  release.draw(data, random, sink, threads);
  return csv;
}

inline std::string drawn(const PreparedRelease& release, const Scratch& scratch) {
  return drawn(release, CsvSource(scratch.path("data.csv")));
}

/// The verification of its certificate's text.
inline CertificateCheck checked(const PreparedRelease& release, const Domain& domain,
                                const std::optional<Candidates>& list = std::nullopt) {
  const std::string text = certificate_text(release.certificate());
  return verify_certificate(parse_certificate(text, "certificate"), "certificate", domain,
                            {.list = list});
}

}  // namespace mollify::test
