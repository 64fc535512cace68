#include "local/band_choice.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "local/band_floor.h"

namespace mollify {
namespace {

constexpr std::string_view kLocationPrefix = "location=";

void refuse_bound(const std::optional<double>& bound, const char* name) {
  if (!bound) return;
  throw InvalidInput(
      fmt::format("{} belongs to the minimax band, but another band is asked for", name));
}

}  // namespace

BandChoice parse_band_choice(std::string_view text) {
  if (text == "minimax") return {.kind = BandChoice::Kind::kMinimax};
  if (text == "relative") return {.kind = BandChoice::Kind::kRelative};
  if (text.starts_with(kLocationPrefix)) {
    double location = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + kLocationPrefix.size(), end, location);
    if (read.ec == std::errc{} && read.ptr == end && location > 0 && location < 1) {
      return {.kind = BandChoice::Kind::kLocation, .location = location};
    }
  }
  throw InvalidInput(fmt::format(
      "band must be minimax, relative or location=B with B between 0 and 1, but is \"{}\"", text));
}

std::string to_text(const BandChoice& choice) {
  switch (choice.kind) {
    case BandChoice::Kind::kMinimax:
      return "minimax";
    case BandChoice::Kind::kRelative:
      return "relative";
    case BandChoice::Kind::kLocation:
      break;
  }
  return fmt::format("{}{}", kLocationPrefix, choice.location);
}

double floor_of(const BandChoice& choice, double epsilon, std::optional<double> c1,
                std::optional<double> c2) {
  if (choice.kind == BandChoice::Kind::kMinimax) {
    if (!c2) {
      throw InvalidInput(
          "the minimax band needs c2, the declared bound on the density of P against the "
          "reference, but none is given");
    }
    return class_floor(c1.value_or(0), *c2, epsilon);
  }
  refuse_bound(c1, "c1");
  refuse_bound(c2, "c2");
  if (choice.kind == BandChoice::Kind::kRelative) return relative_floor(epsilon);
  const double least = std::exp(-ExpBound(epsilon).epsilon());
  if (!(choice.location > least) || !(choice.location < 1)) {
    throw InvalidInput(
        fmt::format("band location must lie between e^-epsilon = {:.6g} and 1, but is {:.6g}",
                    least, choice.location));
  }
  return choice.location;
}

}  // namespace mollify
