#include "release/stated_design.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "central/gaussian_run.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// Throws unless a condition of a stated design holds.
void require_stated(bool hold) {
  if (!hold) throw InvalidInput("a Gaussian design must have the numbers of one, but has others");
}

std::uint64_t whole_member(const nlohmann::json& json) {
  require_stated(json.is_number_unsigned());
  return json.get<std::uint64_t>();
}

int exponent_of(const nlohmann::json& json) {
  require_stated(json.is_number_integer() && std::abs(json.get<double>()) <= 1000);
  return json.get<int>();
}

/// A finite number of at least 0.
double size_of(const nlohmann::json& json) {
  require_stated(json.is_number() && json.get<double>() >= 0 && json.get<double>() < HUGE_VAL);
  return json.get<double>();
}

/// An integer from 1 to 2^62 that is written as text.
std::uint64_t part_of_ratio(const nlohmann::json& json) {
  require_stated(json.is_string());
  const auto& text = json.get_ref<const std::string&>();
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  require_stated(read.ec == std::errc{} && read.ptr == text.data() + text.size() && value >= 1 &&
                 value <= Ratio::kGreatest);
  return value;
}

Ratio ratio_of(const nlohmann::json& json) {
  return {part_of_ratio(json.at("numerator")), part_of_ratio(json.at("denominator"))};
}

CentreDesign stated_centre(const GaussianRequest& request, const nlohmann::json& json,
                           double failure) {
  CentreDesign centre;
  centre.request = centre_request(request, whole_member(json.at("records")), failure);
  centre.cell_exponent = exponent_of(json.at("cell_exponent"));
  centre.rate = ratio_of(json.at("rate"));
  centre.deviations = size_of(json.at("deviations"));
  if (const auto& histogram = json.at("histogram"); !histogram.is_null()) {
    centre.histogram = {
        .epsilon = size_of(histogram.at("epsilon")),
        .delta = size_of(histogram.at("delta")),
        .threshold = static_cast<std::int64_t>(part_of_ratio(histogram.at("threshold"))),
        .coarse_bits = static_cast<unsigned>(exponent_of(histogram.at("coarse_bits"))),
        .deviations = size_of(histogram.at("deviations"))};
  }
  centre.guarantee = centre.request.budget;
  return centre;
}

/// A bound as stated, if that is nearly what is found here: by more than libraries' last digits can
/// make, and by far less than anybody would notice.
void take_bound(double& found, const nlohmann::json& json) {
  const double stated = size_of(json);
  if (std::abs(stated - found) <= std::max(1e-12, 1e-6 * found)) found = stated;
}

GaussianDesign design_in(GaussianRequest request, const nlohmann::json& said) {
  const nlohmann::json& json = said.at("design");
  const nlohmann::json& accuracy = said.at("accuracy");
  const bool pure = json.at("noise") == "euclidean-laplace";
  // With delta, noise of pure privacy may serve better, and so may a centre without ranges.
  if (pure && request.budget.notion == PrivacyNotion::kApproximate) {
    request.budget = Privacy::pure(request.budget.epsilon);
  }
  const nlohmann::json& centre = json.at("centre");
  require_stated(centre.is_null() == request.mean_bound.has_value());
  GaussianDesign design;
  if (!centre.is_null()) {
    if (!centre.at("histogram").is_null()) request.ranges.clear();
    design.centre = stated_centre(request, centre, size_of(accuracy.at("centre")));
  }
  design.request = std::move(request);
  design.run_records = whole_member(json.at("run_records"));
  design.step_exponent = exponent_of(json.at("lattice_step_exponent"));
  design.lattice_radius = whole_member(json.at("lattice_radius"));
  design.noise = ratio_of(json.at(pure ? "scale" : "variance"));
  const nlohmann::json& weights = json.at("weights");
  design.weights = {.plus_records = whole_member(weights.at("plus_records")),
                    .minus_records = whole_member(weights.at("minus_records")),
                    .divisor = whole_member(weights.at("divisor"))};
  auto found = settled(std::move(design));
  require_stated(found.has_value());
  take_bound(found->total_variation.clip, accuracy.at("clip"));
  take_bound(found->total_variation.shape, accuracy.at("shape"));
  take_bound(found->total_variation.lattice, accuracy.at("lattice"));
  take_bound(found->total_variation.centre, accuracy.at("centre"));
  require_stated(found->total_variation_up() < 1);
  found->why = why_of(*found);
  return *std::move(found);
}

}  // namespace

GaussianDesign stated_gaussian_design(GaussianRequest request, const StatedCertificate& stated) {
  try {
    GaussianDesign design = design_in(std::move(request), nlohmann::json::parse(stated.text));
    design.guarantee = stated.total;
    require_stated(is_within(design.guarantee, design.request.budget));
    return design;
  } catch (const nlohmann::json::exception&) {
    require_stated(false);
    throw;
  }
}

}  // namespace mollify
