#include "methods/local/bands.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "core/band.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The constant b.

namespace {

/// So wide a class that b rounds to one leaves the narrowest band there is, not none.
double below_one(double floor) { return std::min(floor, 1 - 0x1p-53); }

}  // namespace

double class_floor(double c1, double c2, double epsilon) {
  require_in_range(&MechanismNumbers::c1, c1);
  require_in_range(&MechanismNumbers::c2, c2);
  const double width = c2 - c1;
  return below_one(width / (exponential_less_one_of(epsilon) * (1 - c1) + width));
}

double neighbourhood_floor(double gamma, double epsilon) {
  require_in_range(&MechanismNumbers::gamma, gamma);
  return below_one((gamma + 1) / (gamma + exponential_of(epsilon)));
}

double location_floor(double location, double epsilon) {
  const double least = 1 / exponential_of(epsilon);
  refuse_outside({.least = least, .most = 1, .is_open = true, .is_open_above = true}, location,
                 "band", "band location must lie between e^-epsilon = {:.6g} and 1, but is {:.6g}",
                 least, location);
  return location;
}

// -----------------------------------------------------------------------------------------------
// A band as --band places it.

namespace {

/// "STRENGTH" or "STRENGTH,RECORDS", both positive.
std::optional<DirichletPrior> parse_prior(std::string_view text) {
  const auto read = [](std::string_view number, auto& value) {
    const char* const end = number.data() + number.size();
    const auto result = std::from_chars(number.data(), end, value);
    return result.ec == std::errc{} && result.ptr == end && value > 0;
  };
  const std::size_t comma = text.find(',');
  double strength = 0;
  if (!read(text.substr(0, comma), strength) || !std::isfinite(strength)) return std::nullopt;
  DirichletPrior prior{.strength = strength};
  if (comma == std::string_view::npos) return prior;
  std::uint64_t records = 0;
  if (!read(text.substr(comma + 1), records)) return std::nullopt;
  prior.records = records;
  return prior;
}

}  // namespace

namespace {

/// `is_fixed`: a refusal lists what says itself where the band lies.
PlacedBand band_of(std::string_view text, bool is_fixed) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view given = equals == text.npos ? "" : text.substr(equals + 1);
  if (text == name_of(Mechanism::kMinimax) || text == name_of(Mechanism::kRelative)) {
    return {*named<Mechanism>(text)};
  }
  PlacedBand band{.mechanism = Mechanism::kLocation};
  if (text == "typical") {
    band.typical.emplace();
    return band;
  }
  if (name == name_of(Mechanism::kLocation)) {
    double location = 0;
    const char* const end = given.data() + given.size();
    const auto read = std::from_chars(given.data(), end, location);
    if (read.ec == std::errc{} && read.ptr == end) {
      refuse_outside(kInsideOne, location, "band",
                     "band location must lie between 0 and 1, but is {}", given);
      band.location = location;
      return band;
    }
  } else if (name == "typical") {
    band.typical = parse_prior(given);
    if (band.typical) return band;
  } else if (name == "file" && !given.empty()) {
    band.file = given;
    return band;
  }
  std::vector<std::string> known{"minimax", "relative", "location"};
  if (is_fixed)
    refuse_name("band", "minimax, relative or location=B with B between 0 and 1", text, known);
  known.insert(known.end(), {"typical", "file"});
  refuse_name(
      "band",
      "minimax, relative, location=B with B between 0 and 1, typical, typical=STRENGTH,RECORDS "
      "with both above 0, or file=F",
      text, known);
}

}  // namespace

PlacedBand parse_band(std::string_view text) { return band_of(text, false); }

PlacedBand parse_fixed_band(std::string_view text) {
  PlacedBand band = band_of(text, true);
  refuse_if(
      band.mechanism == Mechanism::kLocation && !band.location, "not-for-this-release", "band",
      "band {} is found when a release is prepared; here say where it lies, location=B", text);
  return band;
}

std::string location_band(double location) {
  return to_text(PlacedBand{Mechanism::kLocation, location});
}

std::string to_text(const PlacedBand& band) {
  if (!band.file.empty()) return "file=" + band.file;
  if (band.typical) {
    const auto& [strength, records] = *band.typical;
    if (!strength) return "typical";
    return records ? fmt::format("typical={},{}", *strength, *records)
                   : fmt::format("typical={}", *strength);
  }
  const std::string name(name_of(band.mechanism));
  return band.location ? fmt::format("{}={}", name, *band.location) : name;
}

}  // namespace mollify
