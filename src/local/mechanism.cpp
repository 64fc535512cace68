#include "local/mechanism.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "kernel/search/band_spec.h"
#include "kernel/search/positive_masses.h"
#include "local/band_floor.h"
#include "local/band_sampler.h"
#include "local/channel_sampler.h"
#include "local/gaussian_curve.h"

namespace mollify {
namespace {

void require(const MechanismParameters& parameters, const std::optional<double>& value,
             std::string_view name) {
  if (value) return;
  throw InvalidInput(
      fmt::format("mechanism {} needs {}, but none is given", name_of(parameters.mechanism), name));
}

void refuse(const MechanismParameters& parameters, bool given, std::string_view name) {
  if (!given) return;
  throw InvalidInput(
      fmt::format("mechanism {} has no {}, but one is given", name_of(parameters.mechanism), name));
}

/// Band and the channels refuse the same; here before anything is computed or allocated from it.
void validate_space(const MechanismParameters& parameters) {
  const std::size_t count = parameters.outcome_count;
  require_between("the number of outcomes", count, 1, Band::kMostOutcomes);
  if (parameters.reference.empty()) return;
  if (parameters.reference.size() != count) {
    throw InvalidInput(
        fmt::format("the reference must have one mass for each of the {} outcomes, but has {}",
                    count, parameters.reference.size()));
  }
  static_cast<void>(detail::validated_mass_sum(parameters.reference));
}

double least_share(std::span<const double> masses) {
  return *std::min_element(masses.begin(), masses.end()) / detail::validated_mass_sum(masses);
}

}  // namespace

bool is_band(Mechanism mechanism) {
  return mechanism == Mechanism::kMinimax || mechanism == Mechanism::kRelative ||
         mechanism == Mechanism::kClass || mechanism == Mechanism::kNeighbourhood ||
         mechanism == Mechanism::kLocation;
}

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

PlacedBand parse_band(std::string_view text) {
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
    if (read.ec == std::errc{} && read.ptr == end && location > 0 && location < 1) {
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
  refuse_name(
      "band",
      "minimax, relative, location=B with B between 0 and 1, typical, typical=STRENGTH,RECORDS "
      "with both above 0, or file=F",
      text, std::vector<std::string>{"minimax", "relative", "location", "typical", "file"});
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

std::vector<double> MechanismParameters::masses() const {
  if (reference.empty()) return std::vector<double>(outcome_count, 1.0);
  return {reference.begin(), reference.end()};
}

void validate_parameters(const MechanismParameters& parameters) {
  const Mechanism mechanism = parameters.mechanism;
  const bool curve = mechanism == Mechanism::kGaussianCurve;
  if (curve) {
    require(parameters, parameters.mu, "mu");
    refuse(parameters, parameters.epsilon.has_value(), "epsilon (its parameter is mu)");
  } else {
    require(parameters, parameters.epsilon, "epsilon");
    refuse(parameters, parameters.mu.has_value(), "mu");
  }
  if (mechanism == Mechanism::kClass) {
    require(parameters, parameters.c1, "c1");
    require(parameters, parameters.c2, "c2");
  } else {
    refuse(parameters, parameters.c1.has_value(), "c1");
    refuse(parameters, parameters.c2.has_value(), "c2");
  }
  if (mechanism == Mechanism::kNeighbourhood) {
    require(parameters, parameters.gamma, "gamma");
  } else {
    refuse(parameters, parameters.gamma.has_value(), "gamma");
  }
  if (mechanism == Mechanism::kLocation) {
    require(parameters, parameters.location, "a band location");
  } else {
    refuse(parameters, parameters.location.has_value(), "band location");
  }
  refuse(parameters, parameters.kept && !curve, "parts that keep the value");
  if (mechanism == Mechanism::kRandomizedResponse) {
    refuse(parameters, !parameters.reference.empty(), "reference");
  }
  if (mechanism == Mechanism::kPublicKernel && parameters.reference.empty()) {
    throw InvalidInput(
        "mechanism public-kernel needs a reference, the public distribution that it keeps in "
        "place, but none is given");
  }
  validate_space(parameters);
}

double band_floor_of(const MechanismParameters& parameters) {
  validate_parameters(parameters);
  const double epsilon = parameters.epsilon.value_or(0);  // the Gaussian curve has none
  switch (parameters.mechanism) {
    case Mechanism::kMinimax: {
      if (parameters.reference.empty()) return minimax_floor(parameters.outcome_count, epsilon);
      if (parameters.outcome_count == 1) return minimax_floor(1, epsilon);
      // All distributions: the class with c1 = 0 and c2 = 1 / h_min; the integers see no less
      // than 2^-62.
      return class_floor(0, std::min(1 / least_share(parameters.reference), 0x1p62), epsilon);
    }
    case Mechanism::kRelative:
      return relative_floor(epsilon);
    case Mechanism::kClass:
      return class_floor(*parameters.c1, *parameters.c2, epsilon);
    case Mechanism::kNeighbourhood:
      return neighbourhood_floor(*parameters.gamma, epsilon);
    case Mechanism::kLocation:
      return location_floor(*parameters.location, epsilon);
    default:
      throw InvalidInput(fmt::format("mechanism {} has no band", name_of(parameters.mechanism)));
  }
}

namespace {

std::unique_ptr<LocalSampler> sampler_for(const MechanismParameters& parameters) {
  switch (parameters.mechanism) {
    case Mechanism::kRandomizedResponse: {
      RandomizedResponse channel(parameters.outcome_count, *parameters.epsilon);
      const Privacy guarantee = Privacy::pure(channel.epsilon());
      return std::make_unique<ChannelSampler<RandomizedResponse>>(channel, guarantee);
    }
    case Mechanism::kMixture: {
      const ExpBound bound(*parameters.epsilon);
      MixtureChannel channel = MixtureChannel::pure(parameters.masses(), bound.epsilon());
      return std::make_unique<ChannelSampler<MixtureChannel>>(std::move(channel),
                                                              Privacy::pure(bound.epsilon()));
    }
    case Mechanism::kPublicKernel: {
      const double epsilon = ExpBound(*parameters.epsilon).epsilon();
      return std::make_unique<ChannelSampler<StaircaseChannel>>(
          StaircaseChannel::make(parameters.reference, epsilon), Privacy::pure(epsilon));
    }
    case Mechanism::kGaussianCurve: {
      return std::make_unique<ChannelSampler<MixtureChannel>>(
          parameters.kept ? MixtureChannel::with_kept(parameters.masses(), *parameters.kept)
                          : gaussian_curve_channel(parameters.masses(), *parameters.mu),
          Privacy::gaussian(*parameters.mu));
    }
    default:
      break;
  }
  return std::make_unique<BandSampler>(make_band({.outcome_count = parameters.outcome_count,
                                                  .reference = parameters.reference,
                                                  .floor = band_floor_of(parameters),
                                                  .epsilon = *parameters.epsilon}));
}

}  // namespace

std::unique_ptr<LocalSampler> make_sampler(const MechanismParameters& parameters) {
  validate_parameters(parameters);
  std::unique_ptr<LocalSampler> sampler = sampler_for(parameters);
  if (!sampler->guarantee_holds()) {
    throw InvalidInput(
        fmt::format("the integers of mechanism {} over {} outcomes do not keep what it promises",
                    name_of(parameters.mechanism), parameters.outcome_count));
  }
  return sampler;
}

}  // namespace mollify
