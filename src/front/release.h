// Releases for programs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/domain.h"
#include "mollify/release.h"
#include "mollify/release_key.h"
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
// What stands behind the front's specs, sources, sinks and releases.

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
  std::string name;  ///< what sentences call it
  inside::StatedCertificate stated;
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

/// What it takes as a model is the text of the model's file.
class SinkInside : public inside::Sink {
 public:
  /// Before the table is whole.
  virtual void certify(const std::string& /*certificate*/) {}
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

/// What the release's own sink and charge are made of.
[[nodiscard]] inside::Charging charging_of(const Charging& charging,
                                           const std::optional<std::string>& path);

/// Passes a release on, and its model as a file that holds the domain too.
class WithModelFile final : public inside::Sink {
 public:
  /// Both must outlive it.
  WithModelFile(front::Sink::Inside& sink, const inside::Domain& domain)
      : sink_(sink), domain_(domain) {}

  void begin(const inside::Schema& schema) override { sink_.begin(schema); }
  void write(const inside::Block& block) override { sink_.write(block); }
  void take_model(const std::string& json) override;
  void finish() override { sink_.finish(); }

 private:
  front::Sink::Inside& sink_;
  const inside::Domain& domain_;
};

}  // namespace mollify::front
