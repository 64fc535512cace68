#include "release/guarantee_json.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

using Notion = Privacy::Notion;

const char* name_of_notion(Notion notion) {
  switch (notion) {
    case Notion::kPure:
      return "pure";
    case Notion::kApproximate:
      return "approximate";
    case Notion::kConcentrated:
      return "concentrated";
    case Notion::kGaussian:
      break;
  }
  return "gaussian";
}

}  // namespace

Json privacy_json(const Privacy& guarantee) {
  Json json{{"notion", name_of_notion(guarantee.notion)}};
  if (guarantee.notion == Notion::kConcentrated) {
    json["rho"] = guarantee.rho;
  } else {
    json["epsilon"] = guarantee.epsilon;
    json["delta"] = guarantee.delta;
  }
  return json;
}

Privacy parse_guarantee(const CertificateReader& reader, const std::string& place,
                        const std::string& name) {
  const auto number = [&](const char* member) {
    return reader.get<double>((place + member).c_str(), "a number");
  };
  const auto notion = reader.get<std::string>((place + "/notion").c_str(), "a privacy notion");
  Privacy guarantee;
  if (notion == "concentrated") {
    guarantee.notion = Notion::kConcentrated;
    guarantee.rho = number("/rho");
    return guarantee;
  }
  if (notion != "pure" && notion != "approximate") {
    throw InvalidInput(fmt::format(
        "{} must have \"pure\", \"approximate\" or \"concentrated\" at {}/notion", name, place));
  }
  guarantee.notion = notion == "pure" ? Notion::kPure : Notion::kApproximate;
  guarantee.epsilon = number("/epsilon");
  guarantee.delta = number("/delta");
  return guarantee;
}

}  // namespace mollify
