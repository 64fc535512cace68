// Certificates of releases that are never drawn.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "formats/domain_yaml.h"
#include "methods/local/release.h"
#include "release/release.h"

namespace mollify::test {

/// The certificate of a spec, given as JSON without its domain, with these public inputs.
inline StatedCertificate certificate_of(const std::string& spec, const GivenInputs& inputs,
                                        const std::string& domain,
                                        std::optional<std::uint64_t> records = std::nullopt) {
  auto json = nlohmann::json::parse(spec);
  json["domain"] = {{"text", domain}};
  if (json["method"] == "central") json["accept_error"] = true;
  const auto made = prepare(parse_spec(json.dump(), "the spec"), inputs, records);
  return parse_certificate(certificate_text(made->certificate()), "c.json");
}

}  // namespace mollify::test
