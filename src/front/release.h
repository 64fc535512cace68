// Releases for programs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/domain.h"
#include "formats/public_files.h"
#include "mollify/release.h"
#include "mollify/sampler.h"
#include "records/keyed_units.h"
#include "records/sink.h"
#include "records/source.h"
#include "release/certificate.h"
#include "release/release.h"
#include "release/spec.h"

namespace mollify::front {

// -----------------------------------------------------------------------------------------------
// The key behind the front's.

namespace inside = ::mollify;

class ReleaseKeyInside {
 public:
  inside::ReleaseKey key;
};

// -----------------------------------------------------------------------------------------------
// Parts of specs and of questions, by the names of their flags.

[[nodiscard]] std::vector<SpecPart> outward(std::span<const inside::Part> all);

// -----------------------------------------------------------------------------------------------
// The inside of the front's specs, sources, sinks and releases.

namespace inside = ::mollify;

class ReleaseSpecInside {
 public:
  explicit ReleaseSpecInside(inside::ReleaseSpec asked) : spec(std::move(asked)) {}
  inside::ReleaseSpec spec;
};

class CertificateInside {
 public:
  CertificateInside(const std::string& text, const std::string& called)
      : name(called), stated(inside::parse_certificate(text, called)) {}
  std::string name;  ///< its name in sentences
  inside::StatedCertificate stated;
};

class ModelInside {
 public:
  ModelInside(std::string read, const std::string& called)
      : name(called), text(std::move(read)), file(inside::parse_model_file(text, called)) {}
  std::string name;  ///< its name in sentences
  std::string text;
  inside::ModelFile file;
};

class SourceInside {
 public:
  explicit SourceInside(std::unique_ptr<const inside::Source> made,
                        std::optional<std::string> file = std::nullopt,
                        std::shared_ptr<const SourceInside> table = nullptr)
      : counted(std::move(table)), records(std::move(made)), path(std::move(file)) {}
  std::shared_ptr<const SourceInside>
      counted;  ///< the table that `records` sees with counts, if it does
  std::unique_ptr<const inside::Source> records;
  std::optional<std::string> path;  ///< of a file: no public input may be the same
};

class SinkInside {
 public:
  SinkInside() = default;
  SinkInside(const SinkInside&) = delete;
  SinkInside& operator=(const SinkInside&) = delete;
  virtual ~SinkInside() = default;

  [[nodiscard]] virtual inside::Sink& rows() noexcept = 0;
  /// The files that it replaces.
  [[nodiscard]] virtual std::vector<std::string> files() const { return {}; }
  /// The rows are whole; their certificate's text comes before them, and is empty if they have
  /// none.
  virtual void finish(const std::string& certificate) = 0;
};

class PreparedReleaseInside {
 public:
  PreparedReleaseInside(std::unique_ptr<const inside::PreparedRelease> made, inside::Domain of)
      : release(std::move(made)),
        domain(std::move(of)),
        certificate(std::make_shared<const Certificate::Inside>(
            inside::certificate_text(release->certificate()), "the certificate")) {}
  std::unique_ptr<const inside::PreparedRelease> release;
  inside::Domain domain;
  Certificate certificate;
};

/// The parts of the release's own sink and charge.
[[nodiscard]] inside::Charging charging_of(const Charging& charging,
                                           const std::optional<std::string>& path);

/// Hands over all that was released, and returns its certificate.
Certificate finished(const PreparedRelease& prepared, inside::Released released, const Sink& sink);

}  // namespace mollify::front
