#include "laboratory/reproduction/reproduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "domain/candidates.h"
#include "laboratory/boosting/chains.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/learners.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "scores/network.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Every figure and table of the sources that is computed here, by name.

std::span<const Reproduction> reproductions() {
  static constexpr std::array kAll = {
      Reproduction{"husain-contenders", "Husain et al. 2020, Figure 1 right; 2019, Figure 1",
                   "Boosting and its contenders on a ring", detail::husain_contenders},
      Reproduction{"husain-groups", "Husain et al. 2019, Figure 1 left",
                   "What it costs to protect groups", detail::husain_cost_of_groups},
      Reproduction{"husain-mollifiers", "Husain et al. 2020, Figure 2 left; 2019, Figure 3 left",
                   "Members of two mollifiers", detail::husain_mollifiers},
      Reproduction{"husain-ring", "Husain et al. 2020, Figure 3; 2019, Figure 4",
                   "A ring of eight Gaussians, found by DPB and by boosting",
                   detail::husain_ring_contours},
      Reproduction{"husain-fit", "Husain et al. 2020, Figure 4; 2019, Figure 5",
                   "How well boosting finds P", detail::husain_fit},
      Reproduction{"husain-random-coverage", "Husain et al. 2020, Figure 5; 2019, Figure 6",
                   "Mode coverage of random Gaussians", detail::husain_coverage_of_random},
      Reproduction{"husain-random-likelihood",
                   "Husain et al. 2020, appendix, Figure 1; 2019, Figure 7",
                   "Likelihood of random Gaussians", detail::husain_likelihood_of_random},
      Reproduction{"husain-random-plane", "Husain et al. 2019, Figure 8",
                   "Random Gaussians in the plane", detail::husain_plane_contours},
      Reproduction{"park-1", "Park et al. 2024, Figure 1",
                   "A ring of three Gaussians and two private laws", detail::park_ring},
      Reproduction{"park-2", "Park et al. 2024, Figure 2", "Five outcomes, released",
                   detail::park_five_outcomes},
      Reproduction{"park-3", "Park et al. 2024, Figure 3", "The worst case on 10 outcomes",
                   detail::park_worst_of_10},
      Reproduction{"park-4", "Park et al. 2024, Figure 4",
                   "The worst of 100 clients with Gaussian mixtures", detail::park_clients},
      Reproduction{"park-5", "Park et al. 2024, Figure 5", "The worst case on 5 outcomes",
                   detail::park_worst_of_5},
      Reproduction{"park-6", "Park et al. 2024, Figure 6", "The worst case on 20 outcomes",
                   detail::park_worst_of_20},
      Reproduction{"park-7", "Park et al. 2024, Figure 7", "The worst case on 100 outcomes",
                   detail::park_worst_of_100},
      Reproduction{"cheu-table-1", "Cheu, Nayak 2024, Table 1", "Records for samples of k outcomes",
                   detail::cheu_finite},
      Reproduction{"cheu-table-2", "Cheu, Nayak 2024, Table 2",
                   "Records for Gaussian samples, covariance known", detail::cheu_known_covariance},
      Reproduction{"cheu-table-3", "Cheu, Nayak 2024, Table 3",
                   "Records for Gaussian samples, covariance bounded",
                   detail::cheu_bounded_covariance}};
  return kAll;
}

std::span<const PageWord> words_of_reproductions() {
  static constexpr std::array kWords = {
      PageWord{"P, Q, Q0",
               "P is the private distribution. Q is what one samples from instead. Q0 is a public "
               "distribution to start from."},
      PageWord{"epsilon",
               "Whatever the private data are, no output becomes more than e^epsilon times as "
               "likely: the less, the more private. It protects everybody's data together, unless "
               "\"per record\" is said: then all n records together have n times as much."},
      PageWord{"mollifier",
               "A set of distributions no two of which differ anywhere by more than a factor of "
               "e^epsilon. To draw one point from whichever member is nearest to P is private."},
      PageWord{"MBDE",
               "Mollified boosted density estimation: classifiers learn to tell samples of "
               "P from those of Q, and Q is bent by what they learn, within a mollifier "
               "about Q0."},
      PageWord{"DPB",
               "The differentially private Bernstein mechanism: a density made of "
               "polynomials with noise on their coefficients, epsilon per record."},
      PageWord{"DPGAN", "A generative adversarial network that learns from noisy gradients."},
      PageWord{"minimax",
               "The mechanism whose worst case over all P is the least that there can "
               "be at this epsilon."},
      PageWord{"negative log-likelihood",
               "-E_P ln Q in nats. Less is better; the least, the entropy of P, is reached by Q = "
               "P."},
      PageWord{"mode coverage", "How much of P lies where Q has its densest 95 %."},
      PageWord{
          "divergences",
          "Kullback-Leibler (KL, in nats), total variation and squared Hellinger (both at most "
          "1): how far Q is from P. 0: not at all."},
      PageWord{
          "published, expected, here",
          "In tables: what a source prints or its code computes; what is to come out by a closed "
          "form or an integral, or else by what the row names; what this run gave, with the "
          "standard deviation of one "
          "repeat after \u00b1. Where they differ by more than rounding, it is said why."}};
  return kWords;
}

Figure reproduced(const Reproduction& reproduction, const ReproductionOptions& options) {
  Figure figure = reproduction.make(options);
  figure.id = reproduction.id;
  figure.source = reproduction.source;
  figure.title = reproduction.title;
  return figure;
}

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// The densities of the sources' experiments, and all that laws on them are measured with.

namespace {

constexpr double kCut = 7.5;

/// Cells along an axis, four fifths of them between -inner and inner.
std::vector<double> edges_of_axis(double inner, std::size_t cells) {
  const std::size_t outer = cells / 10;
  std::vector<double> all = equal_width_edges({-kCut, -inner}, outer);
  for (const std::vector<double>& more : {equal_width_edges({-inner, inner}, cells - 2 * outer),
                                          equal_width_edges({inner, kCut}, outer)}) {
    all.insert(all.end(), more.begin() + 1, more.end());
  }
  return all;
}

}  // namespace

GaussianMixtureSpec ring_of_eight(double radius, double deviation) {
  GaussianMixtureSpec spec;
  for (int i = 0; i < 8; ++i) {
    const double angle = i * std::numbers::pi / 4;
    spec.means.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    spec.weights.push_back(1);
    spec.variances.push_back({deviation * deviation, deviation * deviation});
  }
  return spec;
}

GaussianMixtureSpec three_gaussians() {
  return {.means = {{0.3}, {0.5}, {0.7}},
          .weights = {1, 1, 1},
          .variances = {{0.01}, {0.1}, {0.1}},
          .box = {}};
}

GaussianMixtureSpec random_gaussians(std::size_t components, std::uint64_t seed) {
  SeededRandom random(seed);
  GaussianMixtureSpec spec;
  for (std::size_t i = 0; i < components; ++i) {
    spec.means.push_back({WordStream(random).unit()});
    spec.weights.push_back(1);
    spec.variances.push_back({0.01});
  }
  return spec;
}

KnownDensity::KnownDensity(std::shared_ptr<const Measure> truth_measure,
                           std::shared_ptr<const Measure> reference_measure, Grid cells)
    : truth(std::move(truth_measure)),
      reference(std::move(reference_measure)),
      grid(std::move(cells)),
      p(grid.cell_count()),
      h(grid.cell_count()),
      volumes(cell_volumes(grid)) {
  truth->cell_masses(grid, p);
  reference->cell_masses(grid, h);
}

KnownDensity KnownDensity::against_normal(const GaussianMixtureSpec& spec, bool quick) {
  auto truth = std::make_shared<GaussianMixture>(spec);
  const std::size_t dimension = truth->dimension();
  double inner = 1;
  for (const Interval& interval : truth->central_box()) {
    inner = std::max({inner, -interval.low, interval.high});
  }
  const std::size_t cells = dimension == 1 ? (quick ? 1000 : 8000) : (quick ? 120 : 384);
  return {std::move(truth),
          std::make_shared<GaussianMixture>(single_gaussian(std::vector<double>(dimension), 1)),
          Grid(std::vector<std::vector<double>>(dimension,
                                                edges_of_axis(std::min(inner, 6.0), cells)))};
}

DensityFit fit_of(const KnownDensity& density, const std::vector<double>& law) {
  return {negative_log_likelihood(density.p, law, density.volumes),
          mode_coverage(density.p, law, density.volumes)};
}

MeanAndSpread mean_and_spread(const std::vector<double>& values) {
  MeanAndSpread result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  if (values.size() < 2) return result;
  for (const double value : values) {
    result.deviation += (value - result.mean) * (value - result.mean) / (count - 1);
  }
  result.deviation = std::sqrt(result.deviation);
  if (result.deviation < 1e-12 * std::abs(result.mean)) result.deviation = 0;  // rounding
  return result;
}

std::vector<double> projected(const std::vector<double>& p, const std::vector<double>& h,
                              double floor, double epsilon) {
  std::vector<double> lower;
  std::vector<double> upper;
  for (const double mass : h) {
    lower.push_back(floor * mass);
    upper.push_back(floor * std::exp(epsilon) * mass);
  }
  return project_on_band(p, lower, upper).law;
}

std::vector<double> minimax_law(const KnownDensity& on_envelope, double epsilon) {
  return projected(on_envelope.p, on_envelope.h,
                   class_floor(0, on_envelope.reference->class_bound(), epsilon), epsilon);
}

BoostingSamples::BoostingSamples(const KnownDensity& density, std::uint64_t seed, bool quick)
    : seed_(seed), p_(1, 0), pool_(1, 0) {
  SeededRandom random(seed);
  p_ = measure_sample(*density.truth, quick ? 1000 : 10'000, random);
  pool_ = measure_sample(*density.reference, quick ? 4000 : 65'536, random);
  NetworkOptions network = release_network();
  if (quick) network.epochs = 6;
  learner_ = std::make_shared<FirstOnceLearner>(network);
}

BoostedDensity BoostingSamples::boosted(const BoostingSpec& spec) const {
  return boost(p_, pool_, *learner_,
               {.boosting = spec, .iterations = 3, .sample_size = p_.size(), .seed = seed_});
}

HeatMap heat_map_of(const BoostedDensity& boosted, double log_normaliser, const Measure& reference,
                    std::string title, double low, double high, std::size_t pixels) {
  HeatMap map = heat_map(std::move(title), low, high, pixels, [&](double x, double y) {
    return reference.density(std::vector<double>{x, y});
  });
  Points points(2, map.values.size());
  const double step = (high - low) / static_cast<double>(pixels);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    points.values(0)[i] = static_cast<float>(low + (static_cast<double>(i % pixels) + 0.5) * step);
    points.values(1)[i] = static_cast<float>(low + (static_cast<double>(i / pixels) + 0.5) * step);
  }
  std::vector<double> ratios(map.values.size());
  boosted.log_ratio(points, ratios);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    map.values[i] *= std::exp(ratios[i] - log_normaliser);
  }
  return map;
}

// -----------------------------------------------------------------------------------------------
// Divergences of laws on an interval, by quadrature that finds their kinks.

namespace {

constexpr std::size_t kSteps = 16;
constexpr std::size_t kNodes = kSteps + 1;
constexpr std::size_t kFirstPanels = 64;
/// Narrower panels would have nodes that doubles cannot tell apart, and add nothing.
constexpr double kNarrowest = 1e-11;

/// A place from 0 to 1, its weight, and the share of its weight that the rule within does not have.
struct Node {
  double place, weight, unshared;
};

/// The k-th weight of Clenshaw and Curtis' rule of n + 1 points, n even, for an interval of length
/// 1.
double weight_of(std::size_t k, std::size_t n) {
  const auto steps = static_cast<double>(n);
  double sum = 1;
  for (std::size_t j = 1; j <= n / 2; ++j) {
    const auto frequency = static_cast<double>(2 * j);
    sum -= (2 * j == n ? 1 : 2) / (frequency * frequency - 1) *
           std::cos(frequency * static_cast<double>(k) * std::numbers::pi / steps);
  }
  return (k == 0 || k == n ? 0.5 : 1) * sum / steps;
}

std::array<Node, kNodes> nodes() {
  std::array<Node, kNodes> result{};
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double angle = static_cast<double>(k) * std::numbers::pi / kSteps;
    const double weight = weight_of(k, kSteps);
    const double within = k % 2 == 0 ? weight_of(k / 2, kSteps / 2) : 0;
    result[k] = {0.5 - 0.5 * std::cos(angle), weight, 1 - within / weight};
  }
  return result;
}

/// Whether the two rules differ by more than the tolerance, for one panel's masses.
bool is_rough(std::span<const double> p, std::span<const double> q,
              const std::array<Node, kNodes>& rule, double tolerance) {
  std::array<double, 4> apart{};
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double difference = p[i] - q[i];
    apart[0] += rule[i].unshared * q[i];
    apart[1] += rule[i].unshared * std::abs(difference);
    apart[2] += rule[i].unshared * relative_entropy_term(p[i], q[i], difference);
    apart[3] += rule[i].unshared * squared_hellinger_term(p[i], q[i], difference);
  }
  return std::any_of(apart.begin(), apart.end(),
                     [&](double sum) { return std::abs(sum) > tolerance; });
}

}  // namespace

DivergenceReport line_divergences(const Measure& truth, const Measure& reference,
                                  const Interval& interval, const LawOfMasses& law,
                                  double tolerance) {
  const std::array<Node, kNodes> rule = nodes();
  std::vector<double> edges = equal_width_edges(interval, kFirstPanels);
  for (;;) {
    std::vector<double> p;
    std::vector<double> h;
    for (std::size_t panel = 0; panel + 1 < edges.size(); ++panel) {
      const double width = edges[panel + 1] - edges[panel];
      for (const Node& node : rule) {
        const std::array point = {std::min(edges[panel] + width * node.place, edges[panel + 1])};
        p.push_back(width * node.weight * truth.density(point));
        h.push_back(width * node.weight * reference.density(point));
      }
    }
    const std::vector<double> q = law(p, h);
    std::vector<double> finer = {edges.front()};
    for (std::size_t panel = 0; panel + 1 < edges.size(); ++panel) {
      const double width = edges[panel + 1] - edges[panel];
      const auto of_panel = [&](const std::vector<double>& masses) {
        return std::span(masses).subspan(panel * kNodes, kNodes);
      };
      if (width > kNarrowest && is_rough(of_panel(p), of_panel(q), rule, tolerance)) {
        finer.push_back(edges[panel] + 0.5 * width);
      }
      finer.push_back(edges[panel + 1]);
    }
    if (finer.size() == edges.size()) return divergence_report(p, q);
    edges = std::move(finer);
  }
}

// -----------------------------------------------------------------------------------------------
// The baseline of [Park et al.

namespace {

constexpr std::size_t kBoostingSteps = 3;

/// Numbers at the nodes of an even grid on [-span, span]^d, d = 1 or 2, and between them by linear
/// interpolation.
class NodeTable {
 public:
  NodeTable(std::size_t dimension, double span)
      : dimension_(dimension),
        span_(span),
        along_(dimension == 1 ? 4096 : 600),
        values_(dimension == 1 ? along_ + 1 : (along_ + 1) * (along_ + 1)) {}

  [[nodiscard]] std::span<double> values() { return values_; }

  /// Where the values are, the last axis fastest.
  [[nodiscard]] std::vector<double> node(std::size_t index) const {
    std::vector<double> point(dimension_);
    for (std::size_t axis = dimension_; axis-- > 0; index /= along_ + 1) {
      const auto place = static_cast<double>(index % (along_ + 1));
      point[axis] = span_ * (2 * place / static_cast<double>(along_) - 1);
    }
    return point;
  }

  /// Minus infinity off the box.
  void operator()(std::span<const double> points, std::span<double> results) const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] =
          dimension_ == 1 ? on_line(points[i]) : in_plane(points[2 * i], points[2 * i + 1]);
    }
  }

 private:
  struct Place {
    std::size_t node;  ///< the lower one
    double part;       ///< of the way to the next
  };

  [[nodiscard]] bool is_inside(double x) const { return -span_ <= x && x <= span_; }

  [[nodiscard]] Place place_of(double x) const {
    const double steps = (x / span_ + 1) / 2 * static_cast<double>(along_);
    const std::size_t node = std::min(static_cast<std::size_t>(steps), along_ - 1);
    return {node, steps - static_cast<double>(node)};
  }

  /// Between a node and the one that is `stride` further on.
  [[nodiscard]] double between(std::size_t node, std::size_t stride, double part) const {
    return values_[node] + part * (values_[node + stride] - values_[node]);
  }

  [[nodiscard]] double on_line(double x) const {
    if (!is_inside(x)) return -std::numeric_limits<double>::infinity();
    const Place at = place_of(x);
    return between(at.node, 1, at.part);
  }

  [[nodiscard]] double in_plane(double x, double y) const {
    if (!is_inside(x) || !is_inside(y)) return -std::numeric_limits<double>::infinity();
    const Place of_x = place_of(x);
    const Place of_y = place_of(y);
    const std::size_t row = along_ + 1;
    const std::size_t corner = of_x.node * row + of_y.node;
    const double low = between(corner, 1, of_y.part);
    const double high = between(corner + row, 1, of_y.part);
    return low + of_x.part * (high - low);
  }

  std::size_t dimension_;
  double span_;
  std::size_t along_;
  std::vector<double> values_;
};

NodeTable log_density_of(const Measure& measure, double span) {
  NodeTable table(measure.dimension(), span);
  for (std::size_t i = 0; i < table.values().size(); ++i) {
    table.values()[i] = std::log(measure.density(table.node(i)));
  }
  return table;
}

/// The same of a boosted density, up to a constant, by its reference's.
NodeTable log_density_of(const BoostedDensity& boosted, const NodeTable& reference) {
  NodeTable table = reference;
  const std::span<double> values = table.values();
  Points nodes(boosted.dimension(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<double> node = table.node(i);
    for (std::size_t axis = 0; axis < node.size(); ++axis) {
      nodes.values(axis)[i] = static_cast<float>(node[axis]);
    }
  }
  std::vector<double> ratios(values.size());
  boosted.log_ratio(nodes, ratios);
  for (std::size_t i = 0; i < ratios.size(); ++i) values[i] += ratios[i];
  return table;
}

Points ends_of_chains(const NodeTable& target, std::size_t dimension, bool quick,
                      SeededRandom& random) {
  const std::size_t chains = quick ? 1000 : 10'000;
  std::vector<double> places(chains * dimension);
  walk_metropolis_hastings(target, dimension, {.steps = quick ? 101U : 1001U, .start = {}}, random,
                           places);
  Points points(dimension, chains);
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    for (std::size_t i = 0; i < chains; ++i) {
      points.values(axis)[i] = static_cast<float>(places[i * dimension + axis]);
    }
  }
  return points;
}

}  // namespace

BoostedDensity published_baseline(const KnownDensity& density, double span, double epsilon,
                                  std::uint64_t seed, bool quick) {
  NetworkOptions network;
  if (quick) network.epochs = 40;
  const NetworkLearner learner(network);
  const std::size_t dimension = density.truth->dimension();
  const NodeTable log_truth = log_density_of(*density.truth, span);
  const NodeTable log_reference = log_density_of(*density.reference, span);
  SeededRandom random(seed);
  BoostedDensity boosted({epsilon, Bounding::kSigmoid}, dimension);
  for (std::size_t t = 1; t <= kBoostingSteps; ++t) {
    const Points p = ends_of_chains(log_truth, dimension, quick, random);
    const Points q =
        ends_of_chains(log_density_of(boosted, log_reference), dimension, quick, random);
    boosted =
        boosted.boosted(std::shared_ptr<const Classifier>(learner.learn(p, q, random.word())));
  }
  return boosted;
}

}  // namespace mollify::detail
