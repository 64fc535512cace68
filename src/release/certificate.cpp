#include "release/certificate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernel/core/band.h"
#include "kernel/core/invalid_input.h"
#include "marginals/marginal_error.h"
#include "marginals/private_bins.h"
#include "release/json_syntax.h"
#include "release/models_release.h"
#include "release/spec_json.h"
#include "space/string_index.h"

namespace mollify {
namespace {

constexpr const char* kFormat = "mollify certificate 2";
constexpr int kDoubleDigits = std::numeric_limits<double>::digits;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Integers as texts: programs that read JSON numbers as doubles would lose digits.
Json ratio_json(const Ratio& ratio) {
  return {{"numerator", std::to_string(ratio.numerator)},
          {"denominator", std::to_string(ratio.denominator)}};
}

/// A positive number as mantissa / 2^shift, exactly: in integers.
Json dyadic_json(double value) {
  int exponent = 0;
  const auto mantissa =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), kDoubleDigits));
  return {{"mantissa", std::to_string(mantissa)}, {"shift", kDoubleDigits - exponent}};
}

// In the order of the enumeration.
constexpr std::array<const char*, 4> kNotions = {"pure", "approximate", "concentrated", "gaussian"};

Json privacy_json(const Privacy& privacy) {
  Json json{{"notion", kNotions[static_cast<std::size_t>(privacy.notion)]},
            {parameter_name(privacy.notion), privacy.parameter()}};
  if (privacy.notion == PrivacyNotion::kApproximate) json["delta"] = privacy.delta;
  return json;
}

Json facts_json(const PublicFacts& facts) {
  Json json = Json::object();
  if (facts.records) json["records"] = *facts.records;
  if (facts.units) json["units"] = *facts.units;
  if (facts.outcomes > 0) json["outcomes"] = facts.outcomes;
  if (!facts.list_sha256.empty()) json["list_sha256"] = facts.list_sha256;
  if (facts.reference) json["reference"] = *facts.reference;
  if (facts.lower_bounds) json["lower_bounds"] = *facts.lower_bounds;
  if (facts.location) json["location"] = *facts.location;
  if (facts.kept) json["kept"] = std::to_string(*facts.kept);
  if (facts.amount) json["amount"] = dyadic_json(*facts.amount);
  for (const WhitenedRange& range : facts.mean_ranges) {
    json["mean_ranges"].push_back({range.low, range.high});
  }
  return json;
}

/// How the reference follows from its records.
const char* masses_text(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::kCategories:
      return "(records + 1) / (all records + outcomes)";
    case SpaceKind::kGrid:
      return "the mean of their histograms of 1, 2, 4, ... parts an axis";
    case SpaceKind::kCandidates:
      break;
    case SpaceKind::kModels:
      return "one for each model, which were drawn around its records";
  }
  return "one for each candidate, which were drawn after its records";
}

Json design_json(const LocalDesign& design, const LocalSpec& spec) {
  Json json{{"space", name_of(design.space)}, {"scorer", name_of(design.scorer)}};
  if (design.list) json["list"] = name_of(*design.list);
  json["reference"] = spec.reference ? masses_text(design.space) : "uniform";
  if (spec.band && !spec.band->file.empty()) json["reference"] = "lower bounds / floor";
  if (design.c1) json["c1"] = *design.c1;
  if (design.floor) {
    json["floor"] = *design.floor;
    json["floor_integers"] = dyadic_json(*design.floor);
    json["N"] = std::to_string(Band::kGreatestTotal);
  }
  if (design.bound) json["bound_integers"] = dyadic_json(design.bound->value());
  json["integers_of"] = design.floor ? "band" : "matrix";
  json["integers_sha256"] = design.integers_sha256;
  return json;
}

Json design_json(const FiniteDesign& design) {
  // Of the pure mechanisms it follows from the guarantee and is not told.
  const CentralMechanism mechanism = design.design.mechanism;
  const bool shuffled = mechanism == CentralMechanism::kSubsetRr ||
                        mechanism == CentralMechanism::kShuffledRr ||
                        mechanism == CentralMechanism::kPoissonRr;
  Json json{{"epsilon0", shuffled ? or_null(design.design.epsilon0) : Json(nullptr)},
            {"rate", design.design.rate},
            {"runs", design.design.runs},
            {"hint", design.hint ? privacy_json(*design.hint) : Json(nullptr)}};
  json["why"] = design.design.why;
  return json;
}

Json centre_json(const CentreDesign& centre) {
  Json json{{"records", centre.request.records}, {"cell_exponent", centre.cell_exponent},
            {"rate", ratio_json(centre.rate)},   {"deviations", centre.deviations},
            {"radius", centre.radius},           {"histogram", nullptr}};
  if (const auto& histogram = centre.histogram) {
    json["histogram"] = {{"epsilon", histogram->epsilon},
                         {"delta", histogram->delta},
                         {"threshold", std::to_string(histogram->threshold)},
                         {"coarse_bits", histogram->coarse_bits},
                         {"deviations", histogram->deviations}};
  }
  return json;
}

Json design_json(const GaussianDesign& design) {
  const GaussianWeights& weights = design.weights;
  const bool pure = design.guarantee.notion == PrivacyNotion::kPure;
  return {{"centre", design.centre ? centre_json(*design.centre) : Json(nullptr)},
          {"run_records", design.run_records},
          {"mean_radius", design.mean_radius},
          {"clip_radius", design.clip_radius},
          {"lattice_step_exponent", design.step_exponent},
          {"lattice_radius", design.lattice_radius},
          {"noise", pure ? "euclidean-laplace" : "discrete-gaussian"},
          {pure ? "scale" : "variance", ratio_json(design.noise)},
          {"public_variance", design.public_variance},
          {"weights",
           {{"plus_records", weights.plus_records},
            {"minus_records", weights.minus_records},
            {"divisor", weights.divisor}}},
          {"why", design.why}};
}

Json design_json(const MomentDesign& design) {
  const bool pure = design.guarantee.notion == PrivacyNotion::kPure;
  Json rounds = Json::array();
  for (const MomentRound& round : design.rounds) {
    rounds.push_back(
        {{"parts", round.parts}, {pure ? "scale" : "variance", ratio_json(round.noise)}});
  }
  return {{"clip_radius", design.clip_radius},
          {"lattice_radius", design.lattice_radius},
          {"offset", design.offset},
          {"noise", pure ? "euclidean-laplace" : "discrete-gaussian"},
          {"parts", MomentDesign::kParts},
          {"rounds", rounds},
          {"amount", design.amount},
          {"why", design.why}};
}

Json design_json(const MarginalDesign& design) {
  const MarginalRequest& request = design.request;
  const bool pure = design.guarantee.notion == PrivacyNotion::kPure;
  Json columns = Json::array();
  for (const MarginalColumn& column : request.columns) {
    Json one{{"cells", column.size}, {"ordered", column.ordered}};
    if (column.private_bins) one["private_bins"] = counted_cells(column);
    columns.push_back(std::move(one));
  }
  Json json{{"columns", columns},
            {"neighbours", name_of(request.unit.neighbours)},
            {"unit_weight", request.unit.weight},
            {"parts",
             {{"all", MarginalBudget::kParts},
              {"each_cut", design.cut_parts},
              {"each_column", design.column_parts},
              {"each_tree_choice", design.tree_choice_parts},
              {"tree", design.tree_parts},
              {"each_choice", design.choice_parts},
              {"each_round", design.round_parts}}},
            {"amount", design.amount},
            {"noise", pure ? "discrete-laplace" : "discrete-gaussian"},
            {pure ? "column_scale" : "column_variance", ratio_json(design.column_noise)},
            {"model_cells", design.model_cells},
            {"why", design.why}};
  if (request.copula) {
    json["parts"]["products"] = design.product_parts;
    json["score_steps"] = design.score_steps;
  }
  return json;
}

Json accuracy_json(const FiniteDesign& design) {
  return {{"total_variation", design.design.total_variation_up},
          {"independent", design.design.independent_outputs}};
}

Json accuracy_json(const GaussianDesign& design) {
  const GaussianTotalVariation& parts = design.total_variation;
  return {{"total_variation", design.total_variation_up()},
          {"total_variation_together", design.strong_total_variation_up()},
          {"clip", parts.clip},
          {"shape", parts.shape},
          {"lattice", parts.lattice},
          {"centre", parts.centre}};
}

Json accuracy_json(const MomentDesign& design) {
  return {{"mean_error", design.mean_error},
          {"covariance_error", design.covariance_error},
          {"expected_total_variation", design.expected_total_variation},
          {"errors", moment_errors_json(design)}};
}

Json noise_json(const MarginalDistance& distance) {
  return {{"mean", distance.mean}, {"worst", distance.worst}};
}

/// Where the number of records is protected, noise is in records.
Json accuracy_json(const MarginalDesign& design, const std::optional<std::uint64_t>& records) {
  const MarginalError error = records ? marginal_error(design, *records) : noise_in_records(design);
  Json pairs = Json::array();
  for (const MarginalError::Seen& one : error.seen) {
    pairs.push_back({{"groups", one.groups}, {"noise", one.distance}});
  }
  Json noise{{"in", records ? "total variation" : "records"},
             {"one_way", noise_json(error.columns)}};
  if (!pairs.empty()) noise["measured_pair"] = std::move(pairs);
  Json json{{"expected_noise", std::move(noise)}};
  if (records && design.request.columns.size() > 1) {
    json["two_way"] = two_way_json(error);
  }
  return json;
}

Json accuracy_json(const ModelsOutlook& outlook) {
  return {{"best_models", outlook.best}, {"best_models_probability", outlook.probability}};
}

using WholeNumbers = std::vector<std::vector<std::uint64_t>>;

/// Reads one member of a certificate, or says which one is not as it must be.
class StatedReader {
 public:
  StatedReader(const Json& json, const std::string& name) : json_(json), name_(name) {}

  template <class Value>
  Value get(const char* place, const char* expected) const {
    try {
      const Json& member = json_.at(Json::json_pointer(place));
      // Any other number would be cast, which is not defined for all of them.
      if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, WholeNumbers>) {
        if (!is_whole(member)) refuse(place, expected);
      }
      return member.template get<Value>();
    } catch (const Json::exception&) {
      refuse(place, expected);
    }
  }

  template <class Value>
  std::optional<Value> find(const char* place, const char* expected) const {
    if (!json_.contains(Json::json_pointer(place))) return std::nullopt;
    return get<Value>(place, expected);
  }

  /// An integer that is written as text.
  std::optional<std::uint64_t> find_text(const char* place) const {
    constexpr const char* kExpected = "a whole number as text";
    const auto text = find<std::string>(place, kExpected);
    if (!text) return std::nullopt;
    std::uint64_t value = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
    if (read.ec != std::errc{} || read.ptr != text->data() + text->size()) {
      refuse(place, kExpected);
    }
    return value;
  }

  [[noreturn]] void refuse(const char* place, const char* expected) const {
    throw InvalidInput(fmt::format("{} must have {} at {}", name_, expected, place));
  }

 private:
  /// A whole number of at most 64 bits, an outcome where it is the first of a pair, or a list.
  static bool is_whole(const Json& json) {
    if (!json.is_array()) return json.is_number_unsigned();
    return std::all_of(json.begin(), json.end(), is_whole);
  }

  const Json& json_;
  const std::string& name_;
};

/// Every digest that there is must be one: 64 hexadecimal digits.
void require_digests(const Json& json, const StatedReader& reader) {
  const Json flat = json.flatten();
  for (const auto& [place, value] : flat.items()) {
    if (!place.ends_with("sha256")) continue;
    const auto* const text = value.get_ptr<const std::string*>();
    if (text == nullptr || text->size() != 64 ||
        text->find_first_not_of("0123456789abcdef") != std::string::npos) {
      reader.refuse(place.c_str(), "a SHA-256, 64 hexadecimal digits,");
    }
  }
}

PublicFacts parse_facts(const StatedReader& reader) {
  PublicFacts facts;
  facts.records = reader.find<std::uint64_t>("/facts/records", "a whole number");
  facts.units = reader.find<std::uint64_t>("/facts/units", "a whole number");
  if (facts.units && (*facts.units < 1 || *facts.units > StringIndex::kAbsent)) {
    reader.refuse("/facts/units", "from 1 to 4294967295 units");
  }
  facts.outcomes = reader.find<std::uint64_t>("/facts/outcomes", "a whole number").value_or(0);
  if (facts.outcomes > Band::kMostOutcomes) reader.refuse("/facts/outcomes", "at most 16777216");
  facts.list_sha256 = reader.find<std::string>("/facts/list_sha256", "a hash").value_or("");
  // Pairs are read whole, so that none of their numbers is cast to fewer bits.
  if (const auto pairs = reader.find<WholeNumbers>("/facts/reference",
                                                   "pairs of an outcome and a number of records")) {
    facts.reference.emplace();
    for (const auto& pair : *pairs) {
      if (pair.size() != 2 || pair[0] > std::numeric_limits<std::uint32_t>::max()) {
        reader.refuse("/facts/reference", "pairs of an outcome and a number of records");
      }
      facts.reference->emplace_back(static_cast<std::uint32_t>(pair[0]), pair[1]);
    }
  }
  facts.lower_bounds = reader.find<std::vector<double>>("/facts/lower_bounds", "a list of numbers");
  facts.location = reader.find<double>("/facts/location", "a number");
  facts.kept = reader.find_text("/facts/kept");
  if (const auto mantissa = reader.find_text("/facts/amount/mantissa")) {
    const auto shift = reader.get<std::uint64_t>("/facts/amount/shift", "a whole number");
    if (*mantissa < 1 || *mantissa >> kDoubleDigits != 0 || shift > 1000) {
      reader.refuse("/facts/amount", "a mantissa from 1 to 2^53 - 1 and a shift up to 1000");
    }
    facts.amount = std::ldexp(static_cast<double>(*mantissa), -static_cast<int>(shift));
  }
  if (const auto ranges = reader.find<std::vector<std::vector<double>>>("/facts/mean_ranges",
                                                                        "a list of intervals")) {
    for (const auto& ends : *ranges) {
      if (ends.size() != 2) reader.refuse("/facts/mean_ranges", "a list of intervals");
      facts.mean_ranges.push_back({ends[0], ends[1]});
    }
  }
  return facts;
}

Privacy parse_privacy(const StatedReader& reader) {
  const auto notion = reader.get<std::string>("/privacy/notion", "a privacy notion");
  const auto* const known = std::find(kNotions.begin(), kNotions.end(), notion);
  if (known == kNotions.end()) reader.refuse("/privacy/notion", "a privacy notion");
  const auto number = [&](const std::string& part) {
    return reader.get<double>(("/privacy/" + part).c_str(), "a number");
  };
  const auto which = static_cast<PrivacyNotion>(known - kNotions.begin());
  return Privacy::of(which, number(parameter_name(which)),
                     which == PrivacyNotion::kApproximate ? number("delta") : 0);
}

}  // namespace

Json two_way_json(const MarginalError& error) {
  Json json{{"usual", error.usual}};
  if (error.at_worst > 0) json["at_worst"] = error.at_worst;
  return json;
}

Json moment_errors_json(const MomentDesign& design) {
  Json errors = Json::array();
  for (const double deviations : kStatedDeviations) {
    errors.push_back({{"deviations", deviations},
                      {"total_variation", expected_error(design, deviations).total_variation}});
  }
  return errors;
}

std::string Certificate::mechanism() const {
  if (const LocalDesign* drawn = local()) return std::string(name_of(drawn->mechanism));
  if (const FiniteDesign* drawn = finite()) return std::string(name_of(drawn->design.mechanism));
  if (moments() != nullptr) return "shared-gaussian";
  return marginals() != nullptr ? "marginals" : "gaussian";
}

std::string certificate_text(const Certificate& certificate) {
  Json json;
  json["format"] = kFormat;
  json["version"] = certificate.version;
  json["spec"] = spec_json(certificate.spec);
  json["facts"] = facts_json(certificate.facts);
  json["privacy"] = privacy_json(certificate.total);
  json["draw"] = privacy_json(certificate.draw);
  json["mechanism"] = certificate.mechanism();
  if (const LocalDesign* local = certificate.local()) {
    json["design"] = design_json(*local, *certificate.spec.local());
    if (certificate.spec.shares_model())
      json["accuracy"] = accuracy_json(models_outlook(certificate));
  }
  if (const FiniteDesign* finite = certificate.finite()) {
    json["design"] = design_json(*finite);
    json["accuracy"] = accuracy_json(*finite);
  }
  if (const GaussianDesign* gaussian = certificate.gaussian()) {
    json["design"] = design_json(*gaussian);
    json["accuracy"] = accuracy_json(*gaussian);
  }
  if (const MomentDesign* moments = certificate.moments()) {
    json["design"] = design_json(*moments);
    json["accuracy"] = accuracy_json(*moments);
  }
  if (const MarginalDesign* marginals = certificate.marginals()) {
    json["design"] = design_json(*marginals);
    json["accuracy"] = accuracy_json(*marginals, certificate.facts.records);
  }
  json["represents"] = represented(certificate.spec);
  json["promised"] = promises(certificate);
  json["not_promised"] = non_promises(certificate);
  // Names of files and columns may hold any bytes; JSON holds text.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

StatedCertificate parse_certificate(const std::string& text, const std::string& name) {
  require_json(text, name);
  const Json json = Json::parse(text);
  if (!json.is_object()) {
    throw InvalidInput(fmt::format("{} must be a certificate, a JSON object, but is not", name));
  }
  if (!json.contains("format")) {
    throw InvalidInput(fmt::format("{} has no format, so it is no certificate", name));
  }
  const StatedReader reader(json, name);
  if (reader.get<std::string>("/format", "the format") != kFormat) {
    throw InvalidInput(fmt::format("{} must have the format \"{}\"", name, kFormat));
  }
  if (!json.contains("spec")) reader.refuse("/spec", "a spec");
  require_digests(json, reader);
  const auto version = reader.get<std::string>("/version", "a version");
  if (version.empty() || version.size() > 64 ||
      version.find_first_not_of(
          "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-") !=
          std::string::npos) {
    reader.refuse("/version", "a version of letters, digits, points, plus and minus signs");
  }
  return {.version = version,
          .spec = spec_of(json["spec"], name),
          .facts = parse_facts(reader),
          .total = parse_privacy(reader),
          .text = text};
}

}  // namespace mollify
