#include "methods/gaussian/method.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "accounting/composition.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/gaussian/design.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/values.h"
#include "release/acceptance.h"
#include "release/method.h"
#include "release/public_inputs.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Where the data lie.

Whitening whitening_of(const RealColumns& columns, std::span<const double> given) {
  const std::size_t dimension = columns.size();
  std::vector<double> covariance(given.begin(), given.end());
  if (covariance.empty()) {
    covariance.resize(dimension * dimension);
    for (std::size_t i = 0; i < dimension; ++i) covariance[i * dimension + i] = 1;
  }
  std::vector<double> middle;
  for (std::size_t i = 0; i < dimension; ++i) {
    middle.push_back(columns.low(i) / 2 + columns.high(i) / 2);
  }
  return Whitening::from_covariance(dimension, covariance, middle);
}

std::vector<RealRange> mean_ranges_of(const RealColumns& columns, const Whitening& whitening) {
  std::vector<double> low;
  std::vector<double> high;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    low.push_back(columns.low(i));
    high.push_back(columns.high(i));
  }
  return whitening.ranges_of_box(low, high);
}

std::vector<Message> wide_ranges(const RealColumns& columns, std::span<const double> covariance,
                                 double covariance_bound) {
  // A mean anywhere within this many deviations is hardly ever meant.
  constexpr double kMostDeviations = 1000;
  std::vector<Message> said;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double variance =
        covariance.empty() ? covariance_bound : covariance[i * columns.size() + i];
    const double deviations = (columns.high(i) - columns.low(i)) / std::sqrt(variance);
    if (columns.is_logarithm(i) || !(deviations > kMostDeviations)) continue;
    said.push_back(
        {.code = "wide-range",
         .verdict = fmt::format(
             "the declared range of {} is {:.2g} standard deviations {} wide", columns.name(i),
             deviations,
             covariance.empty() ? "(by the bound of the covariance)" : "of the covariance"),
         .clauses = {fmt::format("is {} of logarithms ({})?",
                                 covariance.empty() ? "the bound" : "the covariance",
                                 setting_words("log", columns.name(i)))},
         .remedy = {.told = {WayOut::set("log", columns.name(i))}},
         .quantities = {{"given", deviations, "standard deviations"},
                        {"most", kMostDeviations, "standard deviations"}}});
  }
  return said;
}

// -----------------------------------------------------------------------------------------------
// The design of a Gaussian release as its certificate states it.

namespace {

/// A tested run's points have the run's own covariance.
constexpr const char* kTestedNoise = "tested-covariance";

/// Throws unless a condition of a stated design holds.
void require_stated(bool hold) {
  refuse_if(!hold, "internal-error", {},
            "a Gaussian design must have the numbers of one, but has others");
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
  // With delta, noise of pure privacy may be better, and so may a centre without ranges.
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
  const bool tested = json.at("noise") == kTestedNoise;
  design.noise = ratio_of(json.at(pure || tested ? "scale" : "variance"));
  if (tested) design.threshold = part_of_ratio(json.at("threshold"));
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

// -----------------------------------------------------------------------------------------------
// What certificates and reports say of Gaussians.

Json moment_errors_json(const MomentDesign& design) {
  Json errors = Json::array();
  for (const double deviations : kStatedDeviations) {
    errors.push_back({{"deviations", deviations},
                      {"total_variation", expected_error(design, deviations).total_variation}});
  }
  return errors;
}

// A range of w that reaches from 3 to 5 deviations to both sides has one of w/10 to w/6, and a mean
// of 3/8 to 5/8 of it.
std::string supposed_spread(const RealColumns& columns) {
  constexpr std::size_t kMostNamed = 3;
  constexpr double kLeast = kLeastDeviations, kMost = kStatedDeviations.back();
  const auto told = [](double value) {
    return detail::shortest(std::stod(fmt::format("{:.3g}", value)));
  };
  std::string named;
  for (std::size_t i = 0; i < std::min(columns.size(), kMostNamed); ++i) {
    const double low = columns.low(i), width = columns.high(i) - low;
    named += fmt::format("{}{}{} with a mean from {} to {} and a standard deviation from {} to {}",
                         i == 0 ? "" : ", ", columns.is_logarithm(i) ? "the logarithm of " : "",
                         in_quotes(columns.name(i)), told(low + kLeast / (kLeast + kMost) * width),
                         told(low + kMost / (kLeast + kMost) * width), told(width / (2 * kMost)),
                         told(width / (2 * kLeast)));
  }
  if (columns.size() > kMostNamed) {
    named += fmt::format(", and {} more", counted(columns.size() - kMostNamed, "column"));
  }
  return fmt::format("the declared ranges say which Gaussian data that error is for: {}", named);
}

ReleaseError moment_error(const MomentDesign& design) {
  return model_error(design.expected_total_variation,
                     {.error = design.least_total_variation,
                      .reference = 1,
                      .kind = fmt::format(
                          "the expected error of the shared model, if every column's range reaches "
                          "{:g} of its standard deviations to both sides of its mean,",
                          kLeastDeviations),
                      .of_reference = ""});
}

std::string cut_words(double clip_radius) {
  return fmt::format(
      "a row farther than {:.3g} standard deviations from the others is moved nearer: a few large "
      "values, and the spread that they make, are lost",
      clip_radius);
}

namespace {

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

Json gaussian_json(const GaussianDesign& design) {
  const GaussianWeights& weights = design.weights;
  const bool pure = design.guarantee.notion == PrivacyNotion::kPure, tested = design.threshold > 0;
  Json json{{"centre", design.centre ? centre_json(*design.centre) : Json(nullptr)},
            {"run_records", design.run_records},
            {"mean_radius", design.mean_radius},
            {"clip_radius", design.clip_radius},
            {"lattice_step_exponent", design.step_exponent},
            {"lattice_radius", design.lattice_radius},
            {"noise", tested ? kTestedNoise
                      : pure ? "euclidean-laplace"
                             : "discrete-gaussian"},
            {pure || tested ? "scale" : "variance", ratio_json(design.noise)}};
  if (tested) json["threshold"] = std::to_string(design.threshold);
  json["public_variance"] = design.public_variance;
  json["weights"] = {{"plus_records", weights.plus_records},
                     {"minus_records", weights.minus_records},
                     {"divisor", weights.divisor}};
  json["why"] = design.why;
  return json;
}

Json moments_json(const MomentDesign& design) {
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

std::string gaussian_accuracy(const Certificate& certificate) {
  const GaussianDesign& design = *certificate.as<GaussianDesign>();
  const GaussianSpec& spec = *certificate.spec.own.get<GaussianSpec>();
  const GaussianRequest& request = design.request;
  const std::string covariance = spec.covariance ? "that of the file given" : "I";
  const std::string assumed =
      request.covariance_bound > 1
          ? fmt::format("a covariance between {0} and {1:g} times {0}", covariance,
                        request.covariance_bound)
          : (spec.covariance ? "the covariance of the file given" : "covariance I");
  const std::string more = fmt::format(
      " with {}{}, {}", assumed,
      spec.logarithms.empty() ? "" : " (of logarithms, in the columns that say so)",
      request.mean_bound
          ? fmt::format("whose mean lies within {:g} standard deviations of the middle of the "
                        "declared ranges",
                        *request.mean_bound)
          : "whose mean lies in the declared ranges");
  return accuracy_words(certificate, "Gaussian", more, design.total_variation_up()) +
         (request.outputs == 1
              ? ""
              : together_words(request.outputs, design.strong_total_variation_up())) +
         ".";
}

}  // namespace

// Two Gaussians of one covariance whose means are d deviations apart are erf(d / sqrt 8) from each
// other. A covariance that is only bounded may be anything, and then the reference may be, too.
ReleaseError gaussian_error(const GaussianDesign& design) {
  return gaussian_error(design.request, design.total_variation_up());
}

ReleaseError gaussian_error(const GaussianRequest& request, double total_variation) {
  double reference = 1;
  if (!(request.covariance_bound > 1)) {
    double distance = request.mean_bound.value_or(0);
    for (const RealRange& range : request.ranges) {
      distance = std::max(distance, 0.5 * (range.high - range.low));
    }
    reference = std::erf(distance / std::sqrt(8.0));
  }
  return {total_variation, reference, kWorstCaseError};
}

namespace {

/// Whether the ranges of the mean follow from the domain. Processors may round differently.
bool ranges_match(const GaussianSpec& spec, const std::vector<RealRange>& stated,
                  const Domain& domain) {
  const RealColumns columns(domain, spec.logarithms);
  const auto implied = mean_ranges_of(columns, whitening_of(columns));
  bool match = implied.size() == stated.size();
  for (std::size_t i = 0; match && i < implied.size(); ++i) {
    // Ends less their middle are off by what the ends are off by.
    const double off = 1e-12 * std::max(std::abs(columns.low(i)), std::abs(columns.high(i)));
    match = std::abs(implied[i].low - stated[i].low) <= off &&
            std::abs(implied[i].high - stated[i].high) <= off;
  }
  return match;
}

std::string gaussian_summary(const GaussianDesign& design) {
  const GaussianTotalVariation& parts = design.total_variation;
  const std::string together =
      design.request.outputs > 1 && design.strong_total_variation_up() < 1
          ? fmt::format(", {:.4g} for all {} together (strong)", design.strong_total_variation_up(),
                        design.request.outputs)
          : "";
  return fmt::format(
      "how: {}\n"
      "total variation: {:.4g} for each record (weak){}\n"
      "of which: clipping {:.3g}, shape of the noise {:.3g}, lattice {:.3g}, centre {:.3g}\n",
      design.why, design.total_variation_up(), together, parts.clip, parts.shape, parts.lattice,
      parts.centre);
}

using enum PartKind;

constexpr OwnPart kLogarithms = {"/logarithms", "--log", kTexts,
                                 "columns whose logarithms are Gaussian", "COLUMN,..."};
constexpr OwnPart kDimension = {"/dimension", "--dimension", kWhole,
                                "number of coordinates d, 1 to 1024"};

constexpr OwnPart kGaussianParts[] = {
    {"/covariance", "--covariance", kFile,
     "public CSV of the covariance matrix, with a header\nThe header names the columns; of a "
     "column of --log it is the covariance of its logarithm"},
    {.place = "/covariance_bound",
     .flag = "--covariance-bound",
     .kind = kNumber,
     .help = "the covariance is at most this many times --covariance\nAnd at least once. Without "
             "--covariance that is 1 for each column, independent. Needs --rho or --delta",
     .least = 1},
    {.place = "/mean_bound",
     .flag = "--mean-bound",
     .kind = kNumber,
     .help = "the mean is this many deviations from the middle, at most\nThe middle of the "
             "declared ranges. By default a part of the rows finds the mean first",
     .least = 0},
    kLogarithms,
    {"/paper_variance", "--paper-variance", kTruth,
     "use the published variance of the noise\nNot the corrected one; with --epsilon alone"},
};
constexpr OwnPart kGaussianQuestions[] = {
    kDimension,
    {"/count", "--count", kWhole},
    {"/privacy/rho", "--rho", kDecimal},
    {"/strong", "--strong", kTruth},
    {"/mean_bound", "--mean-bound", kNumber},
    {"/mean_range", "--mean-range", kNumber,
     "width of the range of each mean, in standard deviations\nA part of the records finds where "
     "in it the mean lies"},
    {"/covariance_bound", "--covariance-bound", kNumber},
    {"/paper_variance", "--paper-variance", kTruth},
    {"/logarithms", "--log", kTexts},
    {"/covariance", "--covariance", kFile},
};
constexpr OwnPart kGaussianModelQuestions[] = {
    kDimension,
    {"/privacy/rho", "--rho", kDecimal},
    kLogarithms,
};

constexpr MethodProfile kPointProfile{
    .word = Method::kGaussian,
    .help =
        "rows of numbers, each with noise; protects each row or unit\n"
        "Every column is a number. Each record is a draw of a Gaussian of public covariance, "
        "with noise of its own. Accuracy depends on the data being Gaussian; privacy holds for "
        "any data.",
    .plan_help =
        "Give all but one of --n, --dimension (or --domain), the budget (--epsilon and --delta, "
        "or --rho), --alpha and, in method gaussian, --count. Coordinates are measured in standard "
        "deviations of the data. Accuracy depends on the data being Gaussian as declared; privacy "
        "holds for any data.",
    .parts = kGaussianParts,
    .part_rules =
        R"({"anyOf": [{"required": ["covariance"]}, {"required": ["covariance_bound"]}]})",
    .question_parts = kGaussianQuestions,
    .stand_in = {"a row in the middle of the declared ranges", "that middle"}};
constexpr MethodProfile kPointModelProfile{
    .word = Method::kGaussianModel,
    .help =
        "rows of one noisy Gaussian; protects each row or unit\n"
        "Every column is a number. A noisy mean and covariance are learned, and then any "
        "number of rows of that Gaussian is free.",
    .plan_help = kPointProfile.plan_help,
    .parts = {&kLogarithms, 1},
    .question_parts = kGaussianModelQuestions,
    .stand_in = kPointProfile.stand_in};

/// Both Gaussian methods: records are points, and their number is public.
class PointMethod : public ReleaseMethod {
 public:
  using ReleaseMethod::ReleaseMethod;

  void visit_files(ReleaseSpec& spec,
                   const std::function<void(std::optional<PublicFile>&)>& visit) const override {
    visit(spec.own.get<GaussianSpec>()->covariance);
  }

  Held read(const PartReader& reader) const override {
    return GaussianSpec{reader.texts("/logarithms"), reader.find_file("/covariance"),
                        reader.find<double>("/covariance_bound"),
                        reader.find<double>("/mean_bound"),
                        reader.find<bool>("/paper_variance").value_or(false)};
  }

  void write(const ReleaseSpec& spec, SpecWriter& writer) const override {
    const GaussianSpec& own = *spec.own.get<GaussianSpec>();
    writer.put("/covariance", own.covariance);
    writer.put("/covariance_bound", own.covariance_bound);
    writer.put("/mean_bound", own.mean_bound);
    if (!own.logarithms.empty()) writer.put("/logarithms", own.logarithms);
    writer.put_truth("/paper_variance", own.paper_variance);
  }

  void design(const Domain& domain, const StatedCertificate* stated,
              DesignedRelease& made) const override {
    const PublicFacts& facts = made.certificate.facts;
    require_facts(facts.records && facts == PublicFacts{.records = facts.records,
                                                        .amount = facts.amount,
                                                        .mean_ranges = facts.mean_ranges});
    made.certificate.draw = made.certificate.total = design_points(domain, stated, made);
    if (stated == nullptr) check_design(made.certificate);
  }

  KeptPromise keeps_promise(const DesignedRelease& made) const override {
    return kept_if_accepted([&] { check_design(made.certificate); });
  }

  ReleaseReport report(const Certificate& certificate, const ReleaseError& error,
                       const Domain& domain) const override {
    return {.total_variation = error.error,
            .supposition = ", if data are Gaussian",
            .why = why(certificate),
            .notes = notes(certificate, domain)};
  }

  PlanQuantities read_question(const PartReader& reader, PlanQuestion& question) const override {
    auto& own = own_of<GaussianQuestion>(question);
    if (const auto dimension = reader.find<std::uint64_t>("/dimension")) {
      require_between({reader.called("/dimension"), "dimension", "coordinates"}, *dimension, 1,
                      kMostGaussianDimensions);
    }
    own.mean_bound = reader.find<double>("/mean_bound");
    const auto mean_range = reader.find<double>("/mean_range");
    if (own.mean_bound && mean_range) {
      refuse_input("contradicting-parameters", "mean-bound",
                   {WayOut::leave("mean-bound"), WayOut::leave("mean-range")},
                   "give {} or {}, not both", reader.called("/mean_bound"),
                   reader.called("/mean_range"));
    }
    if (mean_range) {
      require_in(kPositive, {reader.called("/mean_range"), "mean-range"}, *mean_range);
      own.mean_ranges = {{-0.5 * *mean_range, 0.5 * *mean_range}};
    }
    own.covariance_bound = reader.find<double>("/covariance_bound").value_or(1);
    own.paper_variance = reader.find<bool>("/paper_variance").value_or(false);
    own.logarithms = reader.texts("/logarithms");
    own.covariance = reader.find_file("/covariance");
    if (!question.domain && (own.covariance || !own.logarithms.empty())) {
      refuse_missing(reader.called("/domain"),
                     reader.called(own.covariance ? "/covariance" : "/logarithms") + " needs it",
                     "domain");
    }
    using enum PlanUnknown;
    const bool epsilon = reader.has("/privacy/epsilon");
    return {{{kRecords, reader.has("/n")},
             {kDimension, reader.has("/dimension") || question.domain},
             {kEpsilon, epsilon || reader.has("/privacy/rho")},
             {kAlpha, reader.has("/alpha")}},
            {{kDelta, !epsilon || reader.has("/privacy/delta")}},
            true};
  }

 protected:
  /// Returns what each draw promises.
  [[nodiscard]] virtual Privacy design_points(const Domain& domain, const StatedCertificate* stated,
                                              DesignedRelease& made) const = 0;
  /// Throws InvalidInput unless its integers keep what is promised.
  virtual void check_design(const Certificate& certificate) const = 0;
  [[nodiscard]] virtual std::string why(const Certificate& certificate) const = 0;
  [[nodiscard]] virtual std::vector<std::string> notes(const Certificate& certificate,
                                                       const Domain& domain) const = 0;

  /// The sentences about logarithms.
  static void add_logarithm_notes(const Certificate& certificate, const Domain& domain,
                                  std::vector<std::string>& notes) {
    const std::vector<std::string>& logarithms =
        certificate.spec.own.get<GaussianSpec>()->logarithms;
    for (const Column& column : domain.columns()) {
      if (std::count(logarithms.begin(), logarithms.end(), column.name()) == 0) continue;
      const Mapping& mapping = column.mapping();
      notes.push_back(
          fmt::format("before the logarithm of {} is taken, a zero and whatever else is outside "
                      "its range becomes {}, and a null becomes {}",
                      column.name(), *mapping.outside_value, *mapping.null_value));
    }
  }
};

class GaussianMethod final : public PointMethod {
 public:
  GaussianMethod() : PointMethod(kPointProfile) {}

  const MethodAdvice& advice() const override { return gaussian_advice(); }

  ReleaseSummary summary(const Certificate& certificate, const Domain&,
                         const std::string& to) const override {
    return {released_words(certificate, to, "a Gaussian sampler"),
            gaussian_summary(*certificate.as<GaussianDesign>())};
  }

  void validate(const ReleaseSpec& spec) const override {
    const auto& own = own_of<GaussianSpec>(spec);
    if (own.covariance || own.covariance_bound) return;
    refuse_input(
        "missing-parameter", "covariance",
        {WayOut::set("covariance"), WayOut::set("covariance-bound"), WayOut::use("gaussian-model")},
        "the covariance is missing: give {} or {}, or use {}, which learns it",
        flag_words("covariance"), flag_words("covariance-bound"), method_words("gaussian-model"));
  }

  std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs,
      std::optional<std::uint64_t> records) const override {
    Domain domain = complete_spec(spec, inputs);
    const GaussianSpec& gaussian = *spec.own.get<GaussianSpec>();
    RealColumns columns(domain, gaussian.logarithms);
    const std::vector<double> covariance =
        gaussian.covariance ? inputs.covariance(gaussian.covariance->name, columns)
                            : std::vector<double>();
    Whitening whitening = whitening_of(columns, covariance);
    PublicFacts facts;
    auto roster = count_records(spec, inputs, records, facts);
    if (!gaussian.mean_bound) facts.mean_ranges = mean_ranges_of(columns, whitening);
    DesignedRelease made = design_release(spec, facts, domain);
    std::vector<Message> wide =
        wide_ranges(columns, covariance, gaussian.covariance_bound.value_or(1));
    return make_gaussian_release(std::move(made), std::move(domain), std::move(columns),
                                 std::move(whitening), std::move(roster), std::move(wide));
  }

  void look_at_space(const StatedCertificate& stated, const Domain& domain, const KnownInputs&,
                     CertificateCheck& check) const override {
    const GaussianSpec& own = *stated.spec.own.get<GaussianSpec>();
    if (own.covariance || own.mean_bound) return;
    check.ranges_match = ranges_match(own, stated.facts.mean_ranges, domain);
  }

  Json design_json(const Certificate& certificate) const override {
    return gaussian_json(*certificate.as<GaussianDesign>());
  }

  Json accuracy_json(const Certificate& certificate) const override {
    const GaussianDesign& design = *certificate.as<GaussianDesign>();
    const GaussianTotalVariation& parts = design.total_variation;
    return {{"total_variation", design.total_variation_up()},
            {"total_variation_together", design.strong_total_variation_up()},
            {"clip", parts.clip},
            {"shape", parts.shape},
            {"lattice", parts.lattice},
            {"centre", parts.centre}};
  }

  Pledge pledge(const Certificate& certificate) const override {
    const bool known = !(certificate.as<GaussianDesign>()->request.covariance_bound > 1);
    Pledge pledge = ReleaseMethod::pledge(certificate);
    pledge.promises.push_back(gaussian_accuracy(certificate));
    pledge.limits = {
        fmt::format("How near the released records are to the data depends on the data being "
                    "Gaussian, as assumed: of other data they keep the mean, roughly, and {}.",
                    known ? "the covariance that was given" : "the covariance"),
        "Values beyond the ranges that the domain declares are taken at their bounds before all "
        "else, which the accuracy above leaves out; released records may lie beyond them."};
    return pledge;
  }

  ReleaseError error(const Certificate& certificate, const Domain&) const override {
    return gaussian_error(*certificate.as<GaussianDesign>());
  }

  PlanQuantities read_question(const PartReader& reader, PlanQuestion& question) const override {
    PlanQuantities found = PointMethod::read_question(reader, question);
    found.others.insert(found.others.begin(), {PlanUnknown::kOutputs, reader.has("/count")});
    return found;
  }

  std::unique_ptr<const PlanModel> plan_model(PlanQuestion& question,
                                              const PublicInputs* inputs) const override {
    if (question.domain) {
      auto& own = own_of<GaussianQuestion>(question);
      const RealColumns columns(inputs->domain(*question.domain), own.logarithms);
      question.dimension = columns.size();
      const std::vector<double> covariance = own.covariance
                                                 ? inputs->covariance(own.covariance->name, columns)
                                                 : std::vector<double>();
      if (!own.mean_bound) {
        own.mean_ranges = mean_ranges_of(columns, whitening_of(columns, covariance));
      }
      question.warnings = wide_ranges(columns, covariance, own.covariance_bound);
    }
    return gaussian_plan_model();
  }

  void ask(const Certificate& certificate, const Domain&, PlanQuestion& question) const override {
    const GaussianRequest& request = certificate.as<GaussianDesign>()->request;
    question.dimension = request.dimension;
    question.own = GaussianQuestion{.mean_bound = request.mean_bound,
                                    .mean_ranges = certificate.facts.mean_ranges,
                                    .covariance_bound = request.covariance_bound,
                                    .paper_variance = request.paper_variance};
  }

 protected:
  Privacy design_points(const Domain& domain, const StatedCertificate* stated,
                        DesignedRelease& made) const override {
    Certificate& certificate = made.certificate;
    const PublicFacts& facts = certificate.facts;
    const GaussianSpec& gaussian = *certificate.spec.own.get<GaussianSpec>();
    require_facts(!facts.amount && facts.mean_ranges.empty() == gaussian.mean_bound.has_value());
    const GaussianRequest request{.records = *facts.records,
                                  .dimension = RealColumns(domain, gaussian.logarithms).size(),
                                  .outputs = *certificate.spec.count,
                                  .budget = certificate.spec.budget(),
                                  .covariance_bound = gaussian.covariance_bound.value_or(1),
                                  .mean_bound = gaussian.mean_bound,
                                  .ranges = facts.mean_ranges,
                                  .paper_variance = gaussian.paper_variance};
    certificate.design =
        stated != nullptr
            ? stated_gaussian_design(request, *stated)
            : design_gaussian(request, certificate.spec.accept_error ? 1 : kUsualError);
    return certificate.as<GaussianDesign>()->guarantee;
  }

  void check_design(const Certificate& certificate) const override {
    check_gaussian_design(*certificate.as<GaussianDesign>());
  }

  std::string why(const Certificate& certificate) const override {
    return certificate.as<GaussianDesign>()->why;
  }

  std::vector<std::string> notes(const Certificate& certificate,
                                 const Domain& domain) const override {
    std::vector<std::string> notes = {
        "accuracy depends on the data being Gaussian as declared; privacy does not"};
    add_logarithm_notes(certificate, domain, notes);
    return notes;
  }
};

class GaussianModelMethod final : public PointMethod {
 public:
  GaussianModelMethod() : PointMethod(kPointModelProfile) {}

  const MethodAdvice& advice() const override { return gaussian_model_advice(); }

  ReleaseSummary summary(const Certificate& certificate, const Domain&,
                         const std::string& to) const override {
    return {released_words(certificate, to, "one mean and one covariance"),
            fmt::format("how: {}\n", why(certificate))};
  }

  void validate(const ReleaseSpec& spec) const override {
    const auto& own = own_of<GaussianSpec>(spec);
    if (!own.covariance && !own.covariance_bound && !own.mean_bound && !own.paper_variance) return;
    refuse_input("superfluous-parameter", "covariance", {WayOut::leave("covariance")},
                 "{} learns its mean and covariance from the ranges alone, but a covariance, a "
                 "bound or the paper's variance is given",
                 method_words("gaussian-model"));
  }

  std::unique_ptr<const PreparedRelease> prepare(
      ReleaseSpec spec, const PublicInputs& inputs,
      std::optional<std::uint64_t> records) const override {
    Domain domain = complete_spec(spec, inputs);
    RealColumns columns(domain, spec.own.get<GaussianSpec>()->logarithms);
    PublicFacts facts;
    auto roster = count_records(spec, inputs, records, facts);
    DesignedRelease made = design_release(spec, facts, domain);
    return make_gaussian_model_release(std::move(made), std::move(domain), std::move(columns),
                                       std::move(roster));
  }

  std::string mechanism(const Certificate&) const override { return "shared-gaussian"; }

  Json design_json(const Certificate& certificate) const override {
    return moments_json(*certificate.as<MomentDesign>());
  }

  Json accuracy_json(const Certificate& certificate) const override {
    const MomentDesign& design = *certificate.as<MomentDesign>();
    return {{"mean_error", design.mean_error},
            {"covariance_error", design.covariance_error},
            {"expected_total_variation", design.expected_total_variation},
            {"errors", moment_errors_json(design)}};
  }

  Pledge pledge(const Certificate& certificate) const override {
    Pledge pledge = ReleaseMethod::pledge(certificate);
    pledge.promises.emplace_back(
        "The released records are made of one noisy mean and one noisy covariance alone: more of "
        "them cost no more.");
    pledge.limits = {
        kSharedNoise,
        "How near the released records are to the data is unknown before their holder compares: "
        "it depends on the data being Gaussian. Of other "
        "data they keep each column's mean and each pair's covariance, as well as the noise "
        "allows, and nothing else (" +
            method_words("marginals", "copula") +
            " keeps each column's own law, however skewed). Values beyond the ranges that the "
            "domain declares are taken at their bounds, rows far from all others are moved nearer, "
            "and released records are cut to the ranges."};
    return pledge;
  }

  ReleaseError error(const Certificate& certificate, const Domain&) const override {
    const MomentDesign& design = *certificate.as<MomentDesign>();
    return moment_error(design);
  }

  std::optional<Message> error_warning(const ReleaseError& error) const override {
    if (error.error <= kUsualError) return std::nullopt;
    return Message{
        .code = "large-error",
        .verdict = fmt::format("the noise is expected to take the model about {:.3g} from the "
                               "data's Gaussian in total variation",
                               error.error),
        .reason = fmt::format("{}. All records share it", spread_condition()),
        .clauses = {"more records or a larger budget lessen it"},
        .remedy = {.told = {WayOut::have("records", ""), WayOut::set("epsilon")}},
        .quantities = error.quantities()};
  }

  std::unique_ptr<const PlanModel> plan_model(PlanQuestion& question,
                                              const PublicInputs* inputs) const override {
    if (!question.domain) return shared_gaussian_plan_model("");
    const RealColumns columns(inputs->domain(*question.domain),
                              own_of<GaussianQuestion>(question).logarithms);
    question.dimension = columns.size();
    return shared_gaussian_plan_model(supposed_spread(columns));
  }

  void ask(const Certificate& certificate, const Domain&, PlanQuestion& question) const override {
    question.dimension = certificate.as<MomentDesign>()->request.dimension;
  }

 protected:
  Privacy design_points(const Domain& domain, const StatedCertificate*,
                        DesignedRelease& made) const override {
    Certificate& certificate = made.certificate;
    require_facts(certificate.facts.mean_ranges.empty());
    const Privacy budget = certificate.spec.budget();
    certificate.design = design_moments(
        {.records = *certificate.facts.records,
         .dimension =
             RealColumns(domain, certificate.spec.own.get<GaussianSpec>()->logarithms).size(),
         .budget = budget},
        steps_amount(budget, "gaussian", certificate.facts));
    return certificate.as<MomentDesign>()->guarantee;
  }

  void check_design(const Certificate& certificate) const override {
    check_moment_design(*certificate.as<MomentDesign>());
  }

  std::string why(const Certificate& certificate) const override {
    return certificate.as<MomentDesign>()->why;
  }

  std::vector<std::string> notes(const Certificate& certificate,
                                 const Domain& domain) const override {
    std::vector<std::string> notes;
    add_logarithm_notes(certificate, domain, notes);
    notes.push_back("the error is stated " + spread_condition());
    notes.push_back(
        supposed_spread(RealColumns(domain, own_of<GaussianSpec>(certificate.spec).logarithms)));
    notes.push_back(cut_words(certificate.as<MomentDesign>()->clip_radius));
    notes.emplace_back(kSharedNoiseNote);
    return notes;
  }
};

}  // namespace

const ReleaseMethod& gaussian_method() {
  static const GaussianMethod method;
  return method;
}

const ReleaseMethod& gaussian_model_method() {
  static const GaussianModelMethod method;
  return method;
}

}  // namespace mollify
