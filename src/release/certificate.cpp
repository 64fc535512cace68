#include "release/certificate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/json.h"
#include "base/names.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/numbers.h"
#include "domain/same_value.h"
#include "methods/marginals/answers.h"
#include "methods/marginals/design.h"
#include "release/advice.h"
#include "release/local_release.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What goes out with every release.

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
    if (certificate.spec.method == Method::kIntegralModel)
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

// -----------------------------------------------------------------------------------------------
// Promises.

namespace {

/// All records of one unit, or the whole table.
std::string protected_whole(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  return unit ? fmt::format("all records of one {}", *unit)
              : std::string("all rows of the data, and so any group of them");
}

std::vector<std::string> local_promises(const Certificate& certificate) {
  const std::string whole = protected_whole(certificate);
  if (certificate.total.notion == PrivacyNotion::kGaussian) {
    return {fmt::format(
        "Telling from the output whether {} were one set of values or any other is no easier than "
        "telling one draw of N(0,1) from one of N({:.6g},1).",
        whole, certificate.total.mu)};
  }
  return {fmt::format("No event, and no decision taken later on the output, has its probability "
                      "changed by more than a factor e^{:.6g} = {:.4g} by {}, whatever they are.",
                      certificate.total.epsilon, same_exp(certificate.total.epsilon), whole),
          "This holds for any data, any prior knowledge and any later use of the output; it was "
          "decided in integers, and `mollify verify` recomputes it."};
}

/// What the promise means for a row or a unit.
std::string protection(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  const std::string record =
      unit ? fmt::format("all records of any one {}", *unit) : "any one row of the table";
  const std::string change =
      certificate.spec.hides_count()
          ? fmt::format("Taking {} out of the data, or putting it in,", record)
          : fmt::format("Replacing {} by anything else", record);
  const Privacy& total = certificate.total;
  if (total.notion == PrivacyNotion::kConcentrated) {
    return fmt::format(
        "{} changes the law of the output by a Rényi divergence of at most {:.6g} a at every order "
        "a > 1 (zCDP).",
        change, total.rho);
  }
  return fmt::format(
      "{} changes the probability of no event by more than a factor "
      "e^{:.6g} = {:.4g}{}.",
      change, total.epsilon, same_exp(total.epsilon),
      total.delta > 0 ? fmt::format(" and an addition of {:.6g}", total.delta) : "");
}

std::string finite_accuracy(const Certificate& certificate) {
  const CentralDesign& design = certificate.finite()->design;
  const std::string accuracy = fmt::format(
      "If the {} are independent draws from one distribution{}, each released record follows that "
      "distribution to within {:.6g} in total variation",
      certificate.spec.unit ? "units' records" : "rows",
      certificate.finite()->hint
          ? " and the hint holds of it, so that the interval found has all of them"
          : "",
      design.total_variation_up);
  if (!design.independent_outputs) {
    return accuracy + "; the records released together are not independent of each other.";
  }
  if (!design.outputs) return accuracy + ", independently of the others.";
  const double together = design.total_variation_up * static_cast<double>(*design.outputs);
  // At 1 nothing is promised of all together.
  if (*design.outputs == 1 || !(together < 1)) return accuracy + ".";
  return fmt::format("{}, and all {} together follow independent draws from it to within {:.6g}.",
                     accuracy, *design.outputs, together);
}

constexpr const char* kSharedNoise =
    "The released records are not independent: all share the noise of one model. Where it errs "
    "they err together, and more of them do not make it better.";

/// What noise is expected to do to rows that share it, from public numbers alone.
std::string shared_gaussian_noise(const MomentDesign& design) {
  return fmt::format(
      "By that noise alone the released records are expected to be as good as new rows of the same "
      "Gaussian but for about {} (total variation {:.3g}), {}.",
      times_words(design.expected_total_variation), design.expected_total_variation,
      spread_condition());
}

std::vector<std::string> marginals_noise(const Certificate& certificate) {
  const MarginalDesign& design = *certificate.marginals();
  const auto& records = certificate.facts.records;
  const MarginalError error = records ? marginal_error(design, *records) : noise_in_records(design);
  const std::string things = certificate.spec.unit ? "units" : "rows";
  const std::string in = records ? " in total variation" : " " + things;
  std::vector<std::string> said;
  said.push_back(
      fmt::format("Noise is expected to move a column by {:.3g}{} on average, and by "
                  "{:.3g} at worst.",
                  error.columns.mean, in, error.columns.worst));
  if (!error.seen.empty()) {
    std::string pairs;
    for (const MarginalError::Seen& one : error.seen) {
      pairs += fmt::format("{}{:.3g} in {}x{} cells", pairs.empty() ? "" : ", ", one.distance,
                           one.groups, one.groups);
    }
    said.push_back(
        fmt::format("The noise of a measured pair of columns is expected to be {}{}. "
                    "The other pairs are as the model guesses them.",
                    records ? "" : "in " + things + ", ", pairs));
  }
  if (!records) {
    said.push_back(fmt::format(
        "How many {0} there are is protected: divide by their number, or give `mollify plan` an "
        "assumed one with --n.",
        things));
  } else if (error.usual > 0) {
    said.push_back(marginals_error_words(error));
  }
  return said;
}

std::string gaussian_accuracy(const Certificate& certificate) {
  const GaussianDesign& design = *certificate.gaussian();
  const GaussianSpec& spec = *certificate.spec.gaussian();
  const GaussianRequest& request = design.request;
  const std::string covariance = spec.covariance ? "that of the file given" : "I";
  const std::string assumed =
      request.covariance_bound > 1
          ? fmt::format("a covariance between {0} and {1:g} times {0}", covariance,
                        request.covariance_bound)
          : (spec.covariance ? "the covariance of the file given" : "covariance I");
  return fmt::format(
      "If the {} are independent draws from one Gaussian with {}{}, {} each released record "
      "follows that Gaussian to within {:.6g} in total variation{}.",
      certificate.spec.unit ? "units' records" : "rows", assumed,
      spec.logarithms.empty() ? "" : " (of logarithms, in the columns that say so)",
      request.mean_bound
          ? fmt::format("whose mean lies within {:g} standard deviations of the middle of the "
                        "declared ranges,",
                        *request.mean_bound)
          : "whose mean lies in the declared ranges,",
      design.total_variation_up(),
      request.outputs == 1
          ? ""
          : fmt::format(", and all {} together follow independent draws from it to within {:.6g}",
                        request.outputs, design.strong_total_variation_up()));
}

}  // namespace

std::vector<std::string> represented(const ReleaseSpec& spec) {
  if (!spec.unit) {
    return {
        "Shares among the released records stand for shares of rows: each row counts once, so that "
        "a person with many rows counts many times."};
  }
  std::vector<std::string> sentences = {fmt::format(
      "Shares among the released records stand for shares of units, not of rows: each {} counts "
      "once, however many rows it has.",
      *spec.unit)};
  if (!spec.roster) return sentences;
  const char* stand_in = "a uniform record";
  const char* pulled_to = "uniform shares";
  if (spec.gaussian() != nullptr) {
    stand_in = "a row in the middle of the declared ranges";
    pulled_to = "that middle";
  } else if (spec.local() != nullptr) {
    stand_in = "one distributed as the public reference";
    pulled_to = "the reference's shares";
  }
  sentences.push_back(fmt::format(
      "Each {0} of the roster without rows counts too, as {1}. If half of the roster has no rows, "
      "what is released lies halfway between the data and {2}.",
      *spec.unit, stand_in, pulled_to));
  return sentences;
}

std::string marginals_error_words(const MarginalError& error) {
  const bool is_copula = error.at_worst == 0;
  return fmt::format(
      "Expect two columns of the released rows to be usually at most {:.3g}{} in total variation "
      "from the table's, on average over pairs, if as many rows are released as the table has. "
      "Fewer rows are further off by chance. {} Other tables can be further off, and rows can "
      "break rules of the table.",
      error.usual,
      is_copula
          ? ""
          : fmt::format(", and {:.3g} if columns of many values determine others,", error.at_worst),
      is_copula ? "This held on tables of two kinds."
                : "The first held on twelve of seventeen kinds of tables, the second on all.");
}

std::vector<std::string> promises(const Certificate& certificate) {
  if (certificate.local() != nullptr) return local_promises(certificate);
  if (certificate.finite() != nullptr)
    return {protection(certificate), finite_accuracy(certificate)};
  if (certificate.marginals() != nullptr) {
    return {protection(certificate),
            "This holds for any values whatever: it rests on no assumption about the data.",
            "The released records, and any number of further ones drawn from the same model, are "
            "made of noisy counts alone: more of them cost no more."};
  }
  if (certificate.moments() != nullptr) {
    return {protection(certificate),
            "This holds for any values whatever: it rests on no assumption about the data.",
            "The released records are made of one noisy mean and one noisy covariance alone: more "
            "of them cost no more."};
  }
  return {protection(certificate),
          "This holds for any values whatever: it rests on no assumption about the data.",
          gaussian_accuracy(certificate)};
}

std::vector<std::string> non_promises(const Certificate& certificate) {
  const auto& unit = certificate.spec.unit;
  const bool roster = certificate.spec.roster.has_value();
  std::vector<std::string> limits;
  if (certificate.gaussian() != nullptr) {
    limits.emplace_back(
        "How near the released records are to the data rests on the data being Gaussian, as "
        "assumed: of other data they keep the mean, roughly, and the covariance that was given.");
    limits.emplace_back(
        "Values beyond the ranges that the domain declares are taken at their bounds before all "
        "else, which the accuracy above leaves out; released records may lie beyond them.");
  }
  if (certificate.moments() != nullptr) {
    limits.emplace_back(kSharedNoise);
    limits.push_back(shared_gaussian_noise(*certificate.moments()));
    limits.emplace_back(
        "How near the released records are to the data rests on the data being Gaussian: of other "
        "data they keep each column's mean and each pair's covariance, as well as the noise "
        "allows, and nothing else (method marginals --copula keeps each column's own law, "
        "however skewed). Values beyond the ranges that the domain declares are taken at "
        "their bounds, rows far from all others are moved nearer, and released records are cut to "
        "the ranges.");
  }
  if (certificate.marginals() != nullptr) {
    limits.emplace_back(kSharedNoise);
    for (std::string& words : marginals_noise(certificate)) limits.push_back(std::move(words));
    limits.emplace_back(
        certificate.marginals()->request.copula
            ? "How near the model is to the data is not promised: it keeps each column and the "
              "rank correlation of each pair, as well as noise allows; dependence of another kind "
              "than a Gaussian copula's is not kept."
            : "How near the model is to the data is not promised: it keeps each column and the "
              "pairs that depend most on each other, each as well as its noise allows; what three "
              "columns have in common only together is not kept.");
  }
  if (certificate.spec.method == Method::kIntegralModel) {
    limits.emplace_back(
        "The released records all come from one model, which was chosen among public ones: they "
        "tell no more about the table than which model it was, and more of them tell no more.");
    const ModelsOutlook outlook = models_outlook(certificate);
    limits.push_back(fmt::format(
        "Where the table tells models apart, this one is among the {} likeliest of {} with "
        "probability {:.4g} at least.",
        outlook.best, certificate.facts.outcomes, outlook.probability));
    limits.push_back(fmt::format(
        "How near the model is to the table is not promised: no model among them may be near, and "
        "columns are independent in {}.",
        certificate.spec.local()->space.trees ? "every second one" : "each"));
  }
  if (certificate.local() != nullptr) {
    if (unit && !roster) {
      limits.emplace_back(
          "Who is in the data, and how many units there are, is not protected: no roster was "
          "given.");
    }
    if (unit) {
      limits.push_back(fmt::format(
          "What many units have in common is learned, and is meant to be: each {} is protected, "
          "not what is true of all.",
          *unit));
    }
  } else {
    if (certificate.facts.records) {
      limits.push_back(fmt::format("The number of {}, {}, is public and not protected.",
                                   unit ? "units" : "rows", *certificate.facts.records));
    } else {
      limits.emplace_back(
          "What replacing one by another changes may cost twice this epsilon: to replace is to "
          "take out and to put in. A ledger is charged for that.");
    }
    limits.emplace_back(
        "Each line of the file is one row: a value with a line break in it is two of them.");
    if (unit && !roster && !certificate.spec.hides_count()) {
      limits.emplace_back("Who is in the data is not protected: no roster was given.");
    }
    if (!unit) {
      limits.emplace_back(
          "A person with several rows is protected less: give --unit for the whole person.");
    }
    limits.emplace_back(
        "What many records have in common is learned, and is meant to be: no single one can change "
        "much, but a group can.");
  }
  limits.emplace_back(
      "Time and memory used while releasing, and other releases from the same data, are outside "
      "this promise; budgets of further releases add to this one.");
  return limits;
}

// -----------------------------------------------------------------------------------------------
// Which pairs of columns a release by marginals measured, and which it dropped.

namespace {

using Pair = std::vector<std::size_t>;

std::uint64_t measured_cells(const Measurement& measurement) {
  return std::uint64_t{measurement.cells[0]} * measurement.cells[1];
}

/// The noise of each measured pair, in records.
std::map<Pair, double> noise_of_pairs(const std::vector<Measurement>& measured,
                                      const MarginalDesign& design) {
  std::map<Pair, std::uint64_t> finest;
  for (const Measurement& one : measured) {
    std::uint64_t& cells = finest[one.columns];
    cells = std::max(cells, measured_cells(one));
  }
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  std::map<Pair, double> precisions;
  for (const Measurement& one : measured) {
    if (measured_cells(one) < finest[one.columns]) continue;
    const double noise =
        counts_noise(design, budget.deviation(one.parts), static_cast<double>(measured_cells(one)));
    precisions[one.columns] += 1 / (noise * noise);
  }
  for (auto& [pair, value] : precisions) value = 1 / std::sqrt(value);
  return precisions;
}

[[noreturn]] void refuse_measured(const std::string& name) {
  throw InvalidInput(fmt::format(
      "{} was altered: what it says at /measured does not follow from its numbers", name));
}

/// Names may hold any bytes, and JSON holds text without NUL.
Json name_in_json(std::string name) {
  std::replace(name.begin(), name.end(), '\0', '?');
  return Json::parse(Json(std::move(name)).dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool is_between(const nlohmann::json& json, std::uint64_t least, std::uint64_t most) {
  return json.is_number_unsigned() && json >= least && json <= most;
}

/// Throws a JSON exception for anything of another form.
Measurement measurement_of(const nlohmann::json& json, const MarginalDesign& design,
                           const std::string& name) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  Measurement one;
  for (const std::size_t side : {0U, 1U}) {
    const nlohmann::json& column = json.at("at").at(side);
    const std::uint64_t least = side == 0 ? 0 : one.columns[0] + 1;
    if (!is_between(column, least, columns.size() - 1)) refuse_measured(name);
    one.columns.push_back(column.get<std::size_t>());
    const nlohmann::json& cells = json.at("cells").at(side);
    if (!is_between(cells, 1, counted_cells(columns[one.columns[side]]))) refuse_measured(name);
    one.cells.push_back(cells.get<std::uint32_t>());
  }
  const nlohmann::json& parts = json.at("parts");
  if (!is_between(parts, 1, MarginalBudget::kParts)) refuse_measured(name);
  one.parts = parts.get<std::uint32_t>();
  return one;
}

}  // namespace

std::string with_measured_pairs(const std::string& certificate, const Json& measured) {
  if (measured.empty()) return certificate;
  Json json = Json::parse(certificate);
  json["measured"] = measured;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json measured_pairs_json(const std::vector<Measurement>& measured, const Certificate& certificate,
                         const Domain& domain) {
  const MarginalDesign& design = *certificate.marginals();
  if (design.request.copula || design.request.columns.size() < 2) return Json::object();
  std::vector<Measurement> of_pairs;
  std::copy_if(measured.begin(), measured.end(), std::back_inserter(of_pairs),
               [](const Measurement& one) { return one.columns.size() == 2; });
  const std::map<Pair, double> noises = noise_of_pairs(of_pairs, design);
  double mean = 0;
  for (const auto& [pair, noise] : noises) mean += noise / static_cast<double>(noises.size());
  const auto names = [&](const Pair& pair) {
    Json both = Json::array();
    for (const std::size_t at : pair) both.push_back(name_in_json(domain.columns()[at].name()));
    return both;
  };
  Json pairs = Json::array();
  for (const Measurement& one : of_pairs) {
    pairs.push_back({{"columns", names(one.columns)},
                     {"at", one.columns},
                     {"cells", one.cells},
                     {"parts", one.parts}});
  }
  Json others = Json::array();
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    for (std::size_t j = i + 1; j < domain.columns().size(); ++j) {
      if (!noises.contains({i, j})) others.push_back(names({i, j}));
    }
  }
  const auto& records = certificate.facts.records;
  const std::string amount =
      records ? fmt::format("{:.3g} in total variation", mean / static_cast<double>(*records))
              : fmt::format("{:.3g} {}", mean, certificate.spec.unit ? "units" : "rows");
  Json noise{{"records", mean}};
  if (records) noise["total_variation"] = mean / static_cast<double>(*records);
  const std::string words = noises.empty()
                                ? "no pair was measured"
                                : fmt::format("noise of the {}, on average {}",
                                              counted(noises.size(), "measured pair"), amount);
  return {{"words", words},
          {"noise", noise},
          {"pairs", pairs},
          {"not_measured", {{"count", others.size()}, {"pairs", others}}}};
}

nlohmann::json implied_measured_pairs(const nlohmann::json& stated, const Certificate& certificate,
                                      const Domain& domain, const std::string& name) {
  if (certificate.marginals() == nullptr) refuse_measured(name);
  std::vector<Measurement> measured;
  std::uint64_t parts = 0;
  try {
    for (const nlohmann::json& one : stated.at("pairs")) {
      measured.push_back(measurement_of(one, *certificate.marginals(), name));
      parts += measured.back().parts;
    }
  } catch (const nlohmann::json::exception&) {
    refuse_measured(name);
  }
  if (parts > MarginalBudget::kParts) refuse_measured(name);
  return measured_pairs_json(measured, certificate, domain);
}

}  // namespace mollify
