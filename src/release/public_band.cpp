#include "release/public_band.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/core/band.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "release/json_syntax.h"

namespace mollify {
namespace {

constexpr const char* kBandFormat = "mollify band 1";

}  // namespace

std::string public_band_text(const PublicBand& band) {
  const nlohmann::ordered_json json{{"format", kBandFormat},
                                    {"epsilon", band.epsilon},
                                    {"outcomes", band.lower.size()},
                                    {"lower", band.lower}};
  return json.dump(1) + "\n";
}

PublicBand parse_public_band(const std::string& text, const std::string& name) {
  require_json(text, name);
  const auto json = nlohmann::json::parse(text);
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw InvalidInput(fmt::format("{} must be a band: {}", name, what));
  };
  require(json.is_object() && json.value("format", nlohmann::json()) == kBandFormat,
          "a JSON object of format \"mollify band 1\"");
  require(json.contains("epsilon") && json["epsilon"].is_number(), "with a number as epsilon");
  require(json.contains("lower") && json["lower"].is_array() && !json["lower"].empty() &&
              json["lower"].size() <= Band::kMostOutcomes,
          "with a list of lower bounds");
  const auto& lower = json["lower"];
  require(std::all_of(lower.begin(), lower.end(),
                      [](const auto& bound) {
                        return bound.is_number() && bound.template get<double>() >= 0x1p-62;
                      }),
          "with lower bounds of at least 2^-62");
  require(!json.contains("outcomes") || json["outcomes"] == lower.size(),
          "with as many lower bounds as it has outcomes");
  PublicBand band{json["epsilon"].get<double>(), lower.get<std::vector<double>>()};
  const double sum = std::accumulate(band.lower.begin(), band.lower.end(), 0.0);
  const double e = std::exp(ExpBound(band.epsilon).epsilon());
  require(sum < 1 && sum * e > 1,
          "with lower bounds that sum to less than 1, and with e^epsilon times that above 1");
  return band;
}

void require_band_fits(const PublicBand& band, const std::string& name, double epsilon,
                       std::uint64_t outcomes) {
  if (band.lower.size() != outcomes) {
    throw InvalidInput(
        fmt::format("{} must have one lower bound for each of the {} outcomes, but "
                    "has {}",
                    name, outcomes, band.lower.size()));
  }
  // Budgets are decimals, and shared by draws with rounding.
  if (!(std::abs(band.epsilon - epsilon) <= 1e-6 * epsilon)) {
    throw InvalidInput(fmt::format("{} is a band for epsilon {:g} a draw, but a draw has {:g}",
                                   name, band.epsilon, epsilon));
  }
}

}  // namespace mollify
