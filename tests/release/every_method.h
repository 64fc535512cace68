// A certificate of every kind that a method has, to be changed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/ranges.h"
#include "domain/domain.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "release/certificate.h"
#include "release/release.h"
#include "release/spec.h"
#include "release/verification.h"

namespace mollify::test {

/// A release, by its public inputs alone.
struct AskedRelease {
  const char* name;
  const char* domain;  ///< YAML
  const char* spec;    ///< JSON without the domain
  std::optional<std::uint64_t> records{};
  std::map<std::string, std::string> texts{};  ///< files that the spec names
  const char* measured = nullptr;              ///< JSON of what such a release measures
};

/// Every method, every kind of noise and of budget, and every part that brings facts of its own.
inline std::vector<AskedRelease> asked_releases() {
  static constexpr const char* kWords =
      "columns:\n  a: {type: categorical, values: [x, y, z], null: x}\n";
  static constexpr const char* kIntegers =
      "columns:\n  a: {type: integer, min: 0, max: 999, null: 0}\n";
  static constexpr const char* kNumbers =
      "columns:\n  a: {type: number, min: -4, max: 4, null: -4}\n  b: {type: number, min: -4, max: "
      "4, null: -4}\n";
  static constexpr const char* kPositive =
      "columns:\n  a: {type: number, min: 1, max: 100, outside: \"7\", null: \"7\"}\n"
      "  b: {type: number, min: 1, max: 100, outside: \"7\", null: \"7\"}\n";
  static constexpr const char* kFar =
      "columns:\n  a: {type: number, min: -1000000000000, max: 1000000000000, null: "
      "-1000000000000}\n"
      "  b: {type: number, min: -1000000000000, max: 1000000000000, null: -1000000000000}\n";
  static constexpr const char* kMixed =
      "columns:\n  a: {type: integer, min: 0, max: 6, null: 0}\n  b: {type: boolean, null: false}\n"
      "  c: {type: ordinal, values: [x, y, z], null: x}\n";
  static constexpr const char* kPrivateBins =
      "columns:\n  a: {type: number, min: 0, max: 100, bins: private, null: 0}\n  b: {type: "
      "boolean, null: false}\n";
  const auto of_words = std::map<std::string, std::string>{
      {"units.csv", "id\n1\n2\n3\n"},
      {"reference.csv", "a\nx\nx\ny\n"},
      {"band.json", R"({"format": "mollify band 1", "epsilon": 1, "lower": [0.2, 0.2, 0.2]})"},
      {"channel.json", "[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]"}};
  const auto of_numbers =
      std::map<std::string, std::string>{{"covariance.csv", ",a,b\na,2,1\nb,1,3\n"}};
  return {
      {"local with a roster",
       kWords,
       R"({"method": "local", "unit": "id", "roster": {"file": "units.csv"}, "count": 2,
           "privacy": {"epsilon": 2}})",
       {},
       of_words},
      {"local with a reference",
       kWords,
       R"({"method": "local", "reference": {"file": "reference.csv"}, "privacy": {"epsilon": 1}})",
       {},
       of_words},
      {"local with a band of a file",
       kWords,
       R"({"method": "local", "band": "file=band.json", "privacy": {"epsilon": 1}})",
       {},
       of_words},
      {"local with a band for a prior", kWords,
       R"({"method": "local", "band": "typical=3,20", "privacy": {"epsilon": 1}})"},
      {"local with a channel",
       kWords,
       R"({"method": "local", "mechanism": "naive", "channel": {"file": "channel.json"},
           "privacy": {"epsilon": 1}})",
       {},
       of_words},
      {"local with a matrix", kWords,
       R"({"method": "local", "mechanism": "mixture", "privacy": {"epsilon": 1}})"},
      {"integral on a grid", kNumbers,
       R"({"method": "integral", "space": {"cells": 256}, "privacy": {"epsilon": 3}})"},
      {"integral of candidates", kNumbers,
       R"({"method": "integral", "space": {"candidates": 500}, "privacy": {"epsilon": 3}})"},
      {"integral of fresh candidates", kNumbers,
       R"({"method": "integral", "space": {"candidates": 500, "fresh": true},
           "privacy": {"epsilon": 3}})"},
      {"integral in mu", kWords, R"({"method": "integral", "privacy": {"mu": 1}})"},
      {"integral-model", kMixed,
       R"({"method": "integral-model", "count": 9, "space": {"candidates": 100, "trees": true},
           "privacy": {"epsilon": 3}})"},
      {"central", kWords, R"({"method": "central", "count": 9, "privacy": {"epsilon": 1}})", 4000},
      {"central subset-rr", kWords,
       R"({"method": "central", "count": 9, "mechanism": "subset-rr",
           "privacy": {"epsilon": 1, "delta": 1e-6}})",
       4000},
      {"central poisson-rr at a rate", kWords,
       R"({"method": "central", "rate": 0.01, "privacy": {"epsilon": 1, "delta": 1e-6}})", 4000},
      {"central ds-roo", kWords,
       R"({"method": "central", "count": 2, "mechanism": "ds-roo", "privacy": {"epsilon": 1}})",
       4000},
      {"central product",
       "columns:\n  a: {type: boolean, null: false}\n  b: {type: boolean, null: false}\n",
       R"({"method": "central", "count": 2, "mechanism": "product", "privacy": {"rho": 0.1}})",
       4000},
      {"central histogram", kWords,
       R"({"method": "central", "count": 2, "mechanism": "histogram", "privacy": {"epsilon": 1}})",
       4000},
      {"central with a hint",
       kIntegers,
       R"({"method": "central", "count": 2, "support": "bounded",
           "privacy": {"epsilon": 1, "delta": 1e-6}})",
       40'000,
       {},
       R"({"words": "", "support": {"first": 8, "last": 15, "k": 8, "at": [8, 15]},
           "accuracy": {"draw": 0.1}})"},
      {"gaussian of epsilon", kNumbers,
       R"({"method": "gaussian", "count": 2,
           "covariance": {"file": "covariance.csv"}, "mean_bound": 3, "privacy": {"epsilon": 0.5}})",
       20'000, of_numbers},
      {"gaussian of epsilon with a centre", kNumbers,
       R"({"method": "gaussian", "count": 2,
           "covariance": {"file": "covariance.csv"}, "privacy": {"epsilon": 0.5}})",
       20'000, of_numbers},
      {"gaussian of rho", kNumbers,
       R"({"method": "gaussian", "count": 2,
           "covariance": {"file": "covariance.csv"}, "mean_bound": 3, "privacy": {"rho": 0.05}})",
       20'000, of_numbers},
      {"gaussian of rho with a bound", kNumbers,
       R"({"method": "gaussian", "count": 2, "covariance_bound": 2.5, "privacy": {"rho": 0.05}})",
       20'000},
      {"gaussian with a test", kNumbers,
       R"({"method": "gaussian", "count": 2, "covariance_bound": 2.5, "mean_bound": 3,
           "privacy": {"epsilon": 0.5, "delta": 1e-6}})",
       20'000},
      {"gaussian with a histogram", kFar,
       R"({"method": "gaussian", "count": 2,
           "covariance": {"file": "covariance.csv"}, "privacy": {"epsilon": 0.5, "delta": 1e-6}})",
       20'000, of_numbers},
      {"gaussian of a logarithm", kPositive,
       R"({"method": "gaussian", "count": 2, "covariance_bound": 2.5, "logarithms": ["a"],
           "privacy": {"rho": 0.05}})",
       20'000},
      {"gaussian-model", kNumbers,
       R"({"method": "gaussian-model", "count": 2, "privacy": {"epsilon": 0.5, "delta": 1e-6}})",
       20'000},
      {"gaussian-model of epsilon", kNumbers,
       R"({"method": "gaussian-model", "count": 2, "privacy": {"epsilon": 0.5}})", 20'000},
      {"marginals",
       kMixed,
       R"({"method": "marginals", "count": 9, "privacy": {"epsilon": 1, "delta": 1e-6}})",
       20'000,
       {},
       R"({"model_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})"},
      {"marginals of epsilon, and hidden", kPrivateBins,
       R"({"method": "marginals", "count": 9, "neighbours": "add-remove",
           "privacy": {"epsilon": 1}})"},
      {"marginals as a copula", kMixed,
       R"({"method": "marginals", "count": 9, "copula": true, "privacy": {"rho": 0.1}})", 20'000},
  };
}

/// Its certificate, and the domain that it is verified with.
struct MadeCertificate {
  explicit MadeCertificate(const AskedRelease& asked) : domain(parse_domain(asked.domain, "d")) {
    Json spec = Json::parse(asked.spec);
    spec["domain"]["text"] = asked.domain;
    spec["accept_error"] = true;
    const PublicFiles files(std::nullopt, std::nullopt, asked.texts);
    const auto release = prepare(parse_spec(spec.dump(), asked.name), files, asked.records);
    json = Json::parse(certificate_text(release->certificate()));
    if (asked.measured != nullptr) json["measured"] = Json::parse(asked.measured);
  }

  [[nodiscard]] CertificateCheck check(const Json& changed) const {
    const StatedCertificate stated = parse_certificate(changed.dump(), "it");
    return verify_certificate(stated, "it", domain,
                              known_inputs(stated, domain, PublicFiles(), {}, {}));
  }

  Domain domain;
  Json json;
};

}  // namespace mollify::test
