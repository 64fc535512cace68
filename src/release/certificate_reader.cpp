#include "release/certificate_reader.h"

#include "io/json_syntax.h"

namespace mollify {

Json certificate_object(const std::string& text, const char* format, const std::string& name) {
  require_json(text, name);
  Json json = Json::parse(text);
  if (!json.is_object()) {
    throw InvalidInput(fmt::format("{} must be a certificate, a JSON object, but is not", name));
  }
  if (CertificateReader(json, name).get<std::string>("/format", "the format") != format) {
    throw InvalidInput(fmt::format("{} must have the format \"{}\"", name, format));
  }
  return json;
}

void require_implied(const std::string& implied, const std::string& text, const std::string& name) {
  const auto changes =
      nlohmann::json::diff(nlohmann::json::parse(implied), nlohmann::json::parse(text));
  if (changes.empty()) return;
  throw InvalidInput(fmt::format("{} must hold what follows from its numbers, but does not at {}",
                                 name, changes.front().at("path").get<std::string>()));
}

}  // namespace mollify
