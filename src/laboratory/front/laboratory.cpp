// The laboratory for programs.
#include "mollify/laboratory.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/names.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "formats/public_files.h"
#include "front/domain.h"
#include "front/release.h"
#include "front/sampler.h"
#include "laboratory/law/density_law.h"
#include "laboratory/law/discrete_law.h"
#include "measures/grid.h"
#include "measures/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mollifiers.h"
#include "methods/local/release.h"
#include "records/private_table.h"
#include "scores/boosting.h"
#include "scores/network.h"
#include "scores/points.h"
#include "scores/records.h"
#include "scores/references.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

/// How many points these numbers are.
std::size_t count_of(std::size_t numbers, std::size_t dimension) {
  refuse_if(dimension == 0 || numbers % dimension != 0, "wrong-shape", "points",
            "{} numbers are not points of {} coordinates: give a multiple", numbers, dimension);
  return numbers / dimension;
}

inside::Points points_of(std::span<const float> numbers, std::size_t dimension) {
  inside::Points points(dimension, count_of(numbers.size(), dimension));
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    const std::span<float> values = points.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = numbers[i * dimension + axis];
  }
  return points;
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Measures.

class SeededNumbersInside {
 public:
  explicit SeededNumbersInside(std::uint64_t seed) : random(seed) {}
  inside::SeededRandom random;
};

SeededNumbers::SeededNumbers(std::uint64_t seed) : Handle(std::make_shared<Inside>(seed)) {}

std::uint64_t SeededNumbers::word() { return inside_->random.word(); }

std::vector<double> SeededNumbers::uniforms(std::size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers) number = inside::uniform_of_unit_interval(inside_->random);
  return numbers;
}

std::vector<double> SeededNumbers::normals(std::size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers) number = inside::normal_number(inside_->random);
  return numbers;
}

class KnownMeasureInside {
 public:
  std::shared_ptr<const inside::Measure> measure;
};

KnownMeasure::KnownMeasure(std::string_view json, std::string_view name)
    : Handle(std::make_shared<Inside>(Inside{inside::measure_from_json(json, std::string(name))})) {
}

std::size_t KnownMeasure::dimension() const noexcept { return inside_->measure->dimension(); }

std::vector<double> KnownMeasure::central_box() const {
  std::vector<double> ends;
  for (const inside::Interval& axis : inside_->measure->central_box()) {
    ends.insert(ends.end(), {axis.low, axis.high});
  }
  return ends;
}

double KnownMeasure::class_bound() const { return inside_->measure->class_bound(); }

std::vector<double> KnownMeasure::densities(std::span<const double> points) const {
  std::vector<double> found(count_of(points.size(), dimension()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = inside_->measure->density(points.subspan(i * dimension(), dimension()));
  }
  return found;
}

std::vector<double> KnownMeasure::cell_masses(std::span<const double> edges,
                                              std::span<const std::size_t> edge_counts) const {
  std::vector<std::vector<double>> of_axes;
  for (const std::size_t count : edge_counts) {
    if (count > edges.size()) break;
    of_axes.emplace_back(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(count));
    edges = edges.subspan(count);
  }
  refuse_if(
      of_axes.size() != edge_counts.size() || !edges.empty() || of_axes.size() != dimension(),
      "wrong-shape", "edges",
      "a grid needs ascending edges along each of the measure's {} axes, as many as are counted",
      dimension());
  const inside::Grid grid(std::move(of_axes));
  std::vector<double> masses(grid.cell_count());
  inside_->measure->cell_masses(grid, masses);
  return masses;
}

std::vector<double> KnownMeasure::sample(std::size_t count, SeededNumbers& numbers) const {
  std::vector<double> points(count * dimension());
  for (std::size_t i = 0; i < count; ++i) {
    inside_->measure->simulate(numbers.inside().random,
                               std::span(points).subspan(i * dimension(), dimension()));
  }
  return points;
}

// -----------------------------------------------------------------------------------------------
// Exact laws and how near they are.

std::vector<double> projected_on_band(std::span<const double> p, std::span<const double> lower,
                                      std::span<const double> upper) {
  return inside::project_on_band(p, lower, upper).law;
}

std::vector<double> scaled_and_shifted(std::span<const double> p, std::span<const double> reference,
                                       double epsilon) {
  std::vector<double> masses(p.begin(), p.end());
  inside::scale_and_shift(masses, reference, epsilon);
  return masses;
}

Answer law(const SamplerParameters& parameters, std::span<const double> p,
           const LawQuestion& question) {
  const inside::MechanismParameters asked = inward(parameters);
  const auto sampler = inside::make_sampler(asked);
  const auto require_masses = [&](std::string_view flag, std::size_t count) {
    if (count == sampler->outcome_count()) return;
    refuse_input("wrong-shape", flag,
                 "there must be a mass for each of {} outcomes, but there are {}",
                 sampler->outcome_count(), count);
  };
  require_masses("p", p.size());
  const std::string name(inside::name_of(asked.mechanism));
  if (question.other) {
    require_masses("other", question.other->size());
    if (!inside::is_band(asked.mechanism)) {
      refuse_input("not-for-this-mechanism", "other", {WayOut::leave("other")},
                   "other is for the laws of bands, but {} is not a band", name);
    }
  }
  std::vector<std::string> outcomes;
  for (std::size_t i = 0; i < p.size(); ++i) outcomes.push_back(std::to_string(i));
  const inside::Answer found =
      inside::discrete_law({.p = p,
                            .outcomes = outcomes,
                            .parameters = asked,
                            .name = name,
                            .sampler = *sampler,
                            .is_projection = inside::is_band(asked.mechanism),
                            .scores = {p.begin(), p.end()},
                            .other = question.other,
                            .more = {question.renyi, question.hockey_stick}});
  return {found.facts(), found.text, {}};
}

Answer law_of_density(const DensityLawQuestion& question) {
  inside::DensityLawQuestion asked{.p = question.p.inside().measure,
                                   .reference = question.reference.inside().measure};
  if (question.other) asked.other = question.other->inside().measure;
  asked.epsilon = ExpBound(question.epsilon).epsilon();
  if (question.band) asked.band = inside::parse_fixed_band(*question.band);
  asked.c1 = question.c1;
  asked.c2 = question.c2;
  asked.cells = question.cells;
  asked.candidates = question.candidates;
  asked.points = question.points;
  for (const std::string& text : question.regions) {
    asked.regions.push_back({text, inside::box_from("region", text, question.p.dimension())});
  }
  asked.more = {question.renyi, question.hockey_stick};
  const inside::Answer found = inside::law_of_density(asked).answer;
  return {found.facts(), found.text, {}};
}

LawFit law_fit(std::span<const double> p, std::span<const double> q,
               std::span<const double> volumes) {
  return {inside::negative_log_likelihood(p, q, volumes), inside::mode_coverage(p, q, volumes)};
}

// -----------------------------------------------------------------------------------------------
// What boosting learns with.

namespace {

std::vector<float> numbers_of(const inside::Points& points) {
  std::vector<float> numbers(points.size() * points.dimension());
  for (std::size_t axis = 0; axis < points.dimension(); ++axis) {
    const std::span<const float> values = points.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
      numbers[i * points.dimension() + axis] = values[i];
    }
  }
  return numbers;
}

Features features_of(const inside::Domain& domain, std::span<const std::uint32_t> digits) {
  const inside::RecordLayout layout(domain);
  const inside::FeatureEncoding encoding(layout.columns());
  const inside::Points points = encoding.features(layout.points(digits));
  return {points.dimension(), numbers_of(points)};
}

inside::NetworkOptions inward(const NetworkOptions& asked) {
  constexpr double kHeldOut = 0.2;
  if (asked.schedule != "fast" && asked.schedule != "papers") {
    inside::refuse_name("schedule", asked.schedule, std::vector<std::string>{"fast", "papers"});
  }
  inside::NetworkOptions options =
      asked.schedule == "papers" ? inside::NetworkOptions{} : inside::release_network();
  options.width = asked.width.value_or(options.width);
  options.depth = asked.depth.value_or(options.depth);
  options.epochs = asked.epochs.value_or(options.epochs);
  options.minibatches = asked.minibatches.value_or(options.minibatches);
  options.rate = asked.rate.value_or(options.rate);
  if (asked.patience) {
    options.held_out = kHeldOut;
    options.patience = *asked.patience;
  }
  if (asked.optimiser) {
    if (*asked.optimiser != "nesterov" && *asked.optimiser != "adam") {
      inside::refuse_name("optimiser", *asked.optimiser,
                          std::vector<std::string>{"nesterov", "adam"});
    }
    options.optimiser =
        *asked.optimiser == "adam" ? inside::Optimiser::kAdam : inside::Optimiser::kNesterov;
  }
  return options;
}

}  // namespace

Features record_features(const Domain& domain, const Source& records) {
  const inside::Domain& of = domain.inside().domain;
  inside::SecureRandom random;
  return features_of(
      of, inside::read_table_digits(*records.inside().records, of, inside::kMostScoredRows, random)
              .digits);
}

Features candidate_features(const Domain& domain, std::uint64_t count,
                            const std::optional<std::string>& file,
                            std::optional<std::string_view> text) {
  const inside::Domain& of = domain.inside().domain;
  return features_of(of, inside::listed_candidates(of, count, file, text).digits());
}

CandidateFile candidates(const Domain& domain, std::uint64_t count,
                         const std::optional<std::string>& reference,
                         std::optional<std::string_view> text) {
  const inside::Domain& of = domain.inside().domain;
  const inside::Candidates list = inside::listed_candidates(of, count, reference, text);
  CandidateFile file{.candidates = list.size()};
  inside::write_candidates(list, of, [&](std::string_view part) { file.text += part; });
  return file;
}

ReferenceFile fitted_reference(const Domain& domain, std::uint64_t components,
                               const std::string& records, std::optional<std::string_view> text) {
  inside::FittedReference fitted =
      inside::fitted_to_file(domain.inside().domain, components, records, text);
  return {fitted.components, std::move(fitted.json)};
}

std::vector<double> boosted_log_ratios(std::span<const float> p, std::span<const float> pool,
                                       std::size_t dimension, double epsilon,
                                       std::size_t iterations, std::size_t samples,
                                       std::uint64_t seed) {
  const inside::Points reference = points_of(pool, dimension);
  std::vector<double> ratios(reference.size());
  inside::boost(points_of(p, dimension), reference, *inside::release_learner(),
                {epsilon, iterations, samples, seed})
      .log_ratio(reference, ratios);
  return ratios;
}

class NetworkInside {
 public:
  explicit NetworkInside(inside::NetworkParameters parameters, double last_cross_entropy)
      : classifier(std::move(parameters)), cross_entropy(last_cross_entropy) {}

  inside::NetworkClassifier classifier;
  double cross_entropy;
};

Network::Network(std::vector<float> centres, std::vector<float> factors,
                 std::vector<std::vector<float>> layers)
    : Handle(std::make_shared<Inside>(
          inside::NetworkParameters{std::move(centres), std::move(factors), std::move(layers)},
          std::numeric_limits<double>::quiet_NaN())) {}

Network Network::learn(std::span<const float> p, std::span<const float> q, std::size_t dimension,
                       std::uint64_t seed, const NetworkOptions& options) {
  double last = std::numeric_limits<double>::quiet_NaN();
  const auto learned = inside::NetworkLearner(inward(options))
                           .learn(points_of(p, dimension), points_of(q, dimension), seed,
                                  [&last](std::size_t, std::size_t, double loss) { last = loss; });
  return Network(std::make_shared<Inside>(
      dynamic_cast<const inside::NetworkClassifier&>(*learned).parameters(), last));
}

const std::vector<float>& Network::centres() const noexcept {
  return inside_->classifier.parameters().centres;
}
const std::vector<float>& Network::factors() const noexcept {
  return inside_->classifier.parameters().factors;
}
const std::vector<std::vector<float>>& Network::layers() const noexcept {
  return inside_->classifier.parameters().layers;
}
double Network::cross_entropy() const noexcept { return inside_->cross_entropy; }

std::vector<float> Network::logits(std::span<const float> points) const {
  const inside::Points features = points_of(points, inside_->classifier.dimension());
  std::vector<float> found(features.size());
  inside_->classifier.logits(features, found);
  return found;
}

}  // namespace mollify::front
