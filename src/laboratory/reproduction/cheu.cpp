#include "laboratory/reproduction/cheu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/learners.h"
#include "laboratory/contender/contenders.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "laboratory/reproduction/reproduction.h"
#include "methods/divergence/f_divergence.h"
#include "release/plan.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// [Cheu, Nayak 2024], Tables 1 to 3.

namespace {

constexpr double kBudgetEpsilon = 1;
/// Below one over every number of records that is found, as a release demands.
constexpr double kBudgetDelta = 1e-10;
constexpr double kBudgetRho = 0.5;
constexpr double kTarget = 0.1;
constexpr std::uint64_t kManyOutputs = 100;
constexpr std::size_t kDimension = 5;
constexpr double kMeanBound = 10;

/// One sample, many whose every law is near, many whose joint law is near.
struct Task {
  const char* name;
  std::uint64_t outputs;
  bool strong;
};
constexpr Task kTasks[] = {{"one sample", 1, false},
                           {"weak, 100 samples", kManyOutputs, false},
                           {"strong, 100 samples", kManyOutputs, true}};

struct Budget {
  std::string name;
  Privacy privacy;
};

std::string count_text(std::optional<double> count) {
  return count ? fmt::format("{:.0f}", *count) : "-";
}

/// How records grow, as a theorem has it, without what it leaves out: constants and logarithms.
struct PublishedOrder {
  std::string formula;
  double value = 0;
};

/// One row of a table before it is text.
struct Cells {
  Task task;
  Budget budget;
  PublishedOrder order;
  std::optional<double> ours, papers, of_single_runs;
  std::string bound;
};

void add_cells(TextTable& table, const Cells& cells) {
  table.columns = {"task",
                   "privacy",
                   "published order",
                   "mollify needs",
                   "times the order",
                   "the papers' parameters need",
                   "times the order",
                   "baseline: m single samplers",
                   "lower bound"};
  const auto times = [&](const std::optional<double>& records) {
    return records ? fmt::format("{:.2g}", *records / cells.order.value) : "-";
  };
  table.rows.push_back({cells.task.name, cells.budget.name,
                        fmt::format("{} = {:.0f}", cells.order.formula, cells.order.value),
                        count_text(cells.ours), times(cells.ours), count_text(cells.papers),
                        times(cells.papers), count_text(cells.of_single_runs), cells.bound});
}

/// How many times the records of one sample m of them need: by the orders, and by each of two
/// columns.
void add_growth(Figure& figure, const std::vector<Cells>& rows, const std::string& why) {
  for (const Cells& row : rows) {
    if (row.task.outputs == 1) continue;
    const Cells& one = *std::find_if(rows.begin(), rows.end(), [&](const Cells& other) {
      return other.task.outputs == 1 && other.budget.name == row.budget.name;
    });
    const double published = row.order.value / one.order.value;
    for (const auto& [whose, many, single] :
         {std::tuple{"mollify", row.ours, one.ours},
          std::tuple{"the papers' parameters", row.papers, one.papers}}) {
      if (!many || !single) continue;
      figure.comparisons.push_back({fmt::format("{}, {}: times the records of one, {}",
                                                row.task.name, row.budget.name, whose),
                                    published, std::nullopt, *many / *single, why});
    }
  }
}

std::optional<double> whole(const std::optional<std::uint64_t>& count) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count);
}

const char* const kLegend =
    "The printed tables hold orders of growth: no constants, and no logarithms of 1/alpha, the "
    "dimension and the records. So the value of an order is no number of records; it is there to "
    "be divided by, and to see what grows how (last table). Numbers of records are: the least n "
    "for which mollify promises the accuracy; what the papers' own parameters need; and m runs of "
    "a "
    "single sampler on disjoint parts (Lemma 8), each at alpha/m for a joint law within alpha "
    "(Lemma 9). Weak: the law of each sample is within alpha. Strong: that of all samples together "
    "is.";

std::optional<double> least_records(PlanQuestion question) {
  question.unknowns = {PlanUnknown::kRecords};
  try {
    const PlanAnswer answer = plan(question).answers.front();
    return answer.best ? answer.ways[*answer.best].value : std::nullopt;
  } catch (const InvalidInput&) {
    return std::nullopt;  // a budget that this sampler does not spend
  }
}

/// Records that m runs of the single sampler need.
std::optional<double> of_single_runs(PlanQuestion question, const Task& task) {
  question.outputs = 1;
  question.strong = false;
  const auto m = static_cast<double>(task.outputs);
  if (task.strong) question.alpha /= m;
  const std::optional<double> one = least_records(question);
  if (!one) return std::nullopt;
  return m * *one;
}

/// What the papers' own parameters need: for a covariance that is known to lie between bounds,
/// under approximate privacy, m runs of propose, test, release; elsewhere as `mollify plan` says.
std::optional<double> of_the_papers(const PlanQuestion& question) {
  if (!(question.covariance_bound > 1 && question.budget.delta > 0)) {
    return whole(papers_gaussian_records(question));
  }
  const auto m = static_cast<double>(question.outputs);
  const std::optional<double> one = whole(tested_gaussian_records(
      static_cast<std::size_t>(question.dimension), *question.mean_bound, question.covariance_bound,
      question.budget.epsilon, question.budget.delta,
      question.strong ? question.alpha / m : question.alpha));
  if (!one) return std::nullopt;
  return m * *one;
}

/// For a mean of norm up to R, B = R + sqrt(K d) [Cheu, Nayak 2024, Theorems 17, 19 and 30; Ghazi
/// et al. 2023, Algorithms 1 and 2; Lemma 8 and Corollary 10]; zCDP at rho = epsilon^2/2.
PublishedOrder gaussian_order(const PlanQuestion& question, const Budget& budget) {
  const auto d = static_cast<double>(question.dimension);
  const double radius = *question.mean_bound + std::sqrt(question.covariance_bound * d);
  const auto m = static_cast<double>(question.outputs);
  const double alpha = question.alpha;
  const bool is_concentrated = budget.privacy.notion == PrivacyNotion::kConcentrated;
  const double epsilon = is_concentrated ? std::sqrt(2 * kBudgetRho) : kBudgetEpsilon;
  const double logarithm = std::log(1 / kBudgetDelta);
  PublishedOrder one;
  double grows = m;
  if (question.covariance_bound > 1 && is_concentrated) {
    one = {"sqrt(d) B^2/(alpha epsilon^2)",
           std::sqrt(d) * radius * radius / (alpha * epsilon * epsilon)};
    if (question.strong) grows = m * m;
  } else if (question.covariance_bound > 1) {
    one = {"B^2 ln(1/delta)/epsilon", radius * radius * logarithm / epsilon};
  } else if (is_concentrated) {
    one = {"B/epsilon", radius / epsilon};
  } else if (budget.privacy.delta > 0) {
    one = {"B sqrt(ln(1/delta))/epsilon", radius * std::sqrt(logarithm) / epsilon};
  } else {
    one = {"d B/(alpha epsilon)", d * radius / (alpha * epsilon)};
    if (question.strong) grows = m * m;
  }
  if (question.outputs == 1) return one;
  return {(grows == m ? "m " : "m^2 ") + one.formula, grows * one.value};
}

/// Algorithm 2 itself, as often as this, on as many records as the table says that it needs, from a
/// Gaussian whose mean is at its bound and whose variances go from one end of theirs to the other.
void add_tested_runs(Figure& figure, double covariance_bound, const ReproductionOptions& options) {
  const std::size_t runs = options.quick ? 2 : 10;
  const std::optional<std::uint64_t> needed = tested_gaussian_records(
      kDimension, kMeanBound, covariance_bound, kBudgetEpsilon, kBudgetDelta, kTarget);
  if (!needed) return;
  const TestedGaussian sampler({.dimension = kDimension,
                                .records = *needed,
                                .epsilon = kBudgetEpsilon,
                                .delta = kBudgetDelta,
                                .clip_radius = tested_clip_radius(
                                    kDimension, kMeanBound, covariance_bound, *needed, kTarget)});
  const auto variance = [&](std::size_t axis) {
    return 1 + (covariance_bound - 1) * static_cast<double>(axis) / (kDimension - 1);
  };
  SeededRandom random(options.seed);
  WordStream words(random);
  std::vector<double> distances;
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<double> rows(kDimension * *needed);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t axis = i % kDimension;
      rows[i] = (axis == 0 ? kMeanBound : 0) + std::sqrt(variance(axis)) * words.normal();
    }
    const auto draw = sampler.simulate(rows, random);
    options.tell(fmt::format("Algorithm 2, run {}", run + 1));
    if (!draw) continue;
    double distance = 0;
    for (std::size_t axis = 0; axis < kDimension; ++axis) {
      const double off = (*draw)[axis] - (axis == 0 ? kMeanBound : 0);
      distance += off * off / variance(axis);
    }
    distances.push_back(distance);
  }
  const MeanAndSpread of_draws = mean_and_spread(distances);
  figure.comparisons.push_back(
      {fmt::format("Algorithm 2, run {} times on {} records: how often it releases (expected: "
                   "always, but for alpha/4)",
                   runs, *needed),
       std::nullopt, static_cast<double>(runs), static_cast<double>(distances.size()), ""});
  figure.comparisons.push_back(
      {"Algorithm 2, squared distance of its draws from the mean, in units of the covariance "
       "(expected: the dimension)",
       std::nullopt, static_cast<double>(kDimension), of_draws.mean,
       "chance: its standard deviation is sqrt(2 d)", of_draws.deviation});
}

Figure gaussian_table(double covariance_bound, const std::vector<Budget>& budgets,
                      const ReproductionOptions& options) {
  Figure figure;
  figure.text = {
      fmt::format("Records needed for samples within total variation {:g} of a Gaussian in {} "
                  "dimensions whose mean has norm at most {:g}, {}. Budgets: epsilon {:g}; rho "
                  "{:g}; epsilon {:g} with delta {:g}.",
                  kTarget, kDimension, kMeanBound,
                  covariance_bound > 1
                      ? fmt::format("with a covariance between I and {:g} I", covariance_bound)
                      : "with known covariance",
                  kBudgetEpsilon, kBudgetRho, kBudgetEpsilon, kBudgetDelta),
      "Orders are those for a bounded mean: d dimensions, B = R + sqrt(K d) with R the mean's "
      "bound and K that of the covariance, and epsilon = sqrt(2 rho) under zero-concentrated "
      "privacy. "
      "Published: m weak samples need m times the records of one, in every way; strong ones need "
      "as many where one sample's records grow with the logarithm of 1/alpha only, and m^2 times "
      "as many where they grow with 1/alpha.",
      kLegend};
  if (covariance_bound > 1) {
    figure.text.emplace_back(
        "Under approximate privacy the papers' way is propose, test, release [Ghazi et al. 2023, "
        "Algorithm 2], with constants of our own: it needs records in proportion to 1/epsilon, "
        "where adding noise (mollify, and the papers' way under rho) needs them in proportion to "
        "1/epsilon^2. mollify does not release with it, because its noise is continuous; it is run "
        "here on simulated records (last rows).");
  }
  std::vector<Cells> rows;
  for (const Task& task : kTasks) {
    for (const Budget& budget : budgets) {
      const PlanQuestion question{.model = Model::kCentral,
                                  .family = Family::kGaussian,
                                  .dimension = kDimension,
                                  .outputs = task.outputs,
                                  .budget = budget.privacy,
                                  .alpha = kTarget,
                                  .strong = task.strong,
                                  .mean_bound = kMeanBound,
                                  .covariance_bound = covariance_bound};
      // One of many outputs is a single sample within alpha, too.
      PlanQuestion one = question;
      one.outputs = 1;
      one.strong = false;
      const double bound =
          std::max(gaussian_records_lower_bound(question), gaussian_records_lower_bound(one));
      rows.push_back({task, budget, gaussian_order(question, budget), least_records(question),
                      of_the_papers(question), of_single_runs(question, task),
                      count_text(std::ceil(bound))});
      add_cells(figure.table, rows.back());
      options.tell(fmt::format("{}, {}", task.name, budget.name));
    }
  }
  add_growth(figure, rows,
             covariance_bound > 1
                 ? "logarithms; mollify under approximate privacy adds noise, whose records grow "
                   "with 1/alpha"
                 : "logarithms; under pure privacy the shape's total variation, computed exactly, "
                   "falls faster with n than the theorem needs, mollify's own as 1/n^4; for one "
                   "sample that "
                   "noise serves approximate privacy too, with half of the records");
  return figure;
}

/// [Cheu, Nayak 2024, Theorems 2, 11 and 14; Lemma 8, Corollary 10].
PublishedOrder finite_order(const PlanQuestion& question) {
  const double one =
      static_cast<double>(question.outcomes) / (question.alpha * question.budget.epsilon);
  if (question.outputs == 1) return {"k/(alpha epsilon)", one};
  const auto m = static_cast<double>(question.outputs);
  if (question.budget.delta == 0) {
    return question.strong ? PublishedOrder{"m^2 k/(alpha epsilon)", m * m * one}
                           : PublishedOrder{"m k/(alpha epsilon)", m * one};
  }
  const double shuffled = one * std::log(1 / question.budget.delta) / question.budget.epsilon;
  return question.strong ? PublishedOrder{"m + m k ln(1/delta)/(alpha epsilon^2)", m + m * shuffled}
                         : PublishedOrder{"m + k ln(1/delta)/(alpha epsilon^2)", m + shuffled};
}

}  // namespace

Figure cheu_finite(const ReproductionOptions& options) {
  constexpr std::uint64_t kOutcomes = 20;
  Figure figure;
  figure.text = {
      fmt::format("Records needed for samples within total variation {:g} of a distribution on {} "
                  "outcomes. Budgets: epsilon {:g}, and with delta {:g}. Published: of order "
                  "k/(alpha epsilon) for one sample, with a constant of 1, where an earlier paper "
                  "has 2; m times that for weak samples under pure privacy; m^2 times that for "
                  "strong ones; under approximate privacy shuffling saves a factor of m.",
                  kTarget, kOutcomes, kBudgetEpsilon, kBudgetDelta),
      kLegend,
      "The lower bound is published as an order, too: whatever the sampler, one sample needs at "
      "least c k/(alpha epsilon) records, c being some constant that no source gives. It stands as "
      "c times a number. As mollify's sampler does with fewer than k/(alpha epsilon), c is below "
      "1: at most the first of its \"times the order\". For a joint law within alpha, single "
      "samples "
      "have to be within about 1.25 alpha/sqrt(m) (Theorem 21, computed), which asks for more "
      "records."};
  std::vector<Cells> rows;
  for (const Task& task : kTasks) {
    for (const Budget& budget :
         {Budget{"pure", Privacy::pure(kBudgetEpsilon)},
          Budget{"approximate", Privacy::approximate(kBudgetEpsilon, kBudgetDelta)}}) {
      const PlanQuestion question{.model = Model::kCentral,
                                  .outcomes = kOutcomes,
                                  .outputs = task.outputs,
                                  .budget = budget.privacy,
                                  .alpha = kTarget,
                                  .strong = task.strong};
      const std::optional<double> papers = budget.privacy.delta > 0 && task.outputs > 1
                                               ? whole(papers_shuffled_records(question))
                                               : papers_subsampled_records(question);
      // By the joint law, outputs are single samples within less: that needs records, too.
      PlanQuestion one = question;
      one.outputs = 1;
      one.strong = false;
      if (task.strong) one.alpha = single_total_variation_most(task.outputs, kTarget);
      rows.push_back({task, budget, finite_order(question), least_records(question), papers,
                      of_single_runs(question, task),
                      fmt::format("c times {}", count_text(records_lower_bound_order(one)))});
      add_cells(figure.table, rows.back());
      options.tell(fmt::format("{}, {}", task.name, budget.name));
    }
  }
  figure.comparisons = {
      {"one sample, pure: records over k/(alpha epsilon), mollify", 1, std::nullopt,
       *rows.front().ours / rows.front().order.value,
       "e^epsilon - 1 in place of epsilon, and k fewer"},
      {"one sample, pure: records over k/(alpha epsilon), the papers' parameters", 1, std::nullopt,
       *rows.front().papers / rows.front().order.value, "k - 1 in place of k"}};
  add_growth(figure, rows,
             "one sample needs no shuffling and grows with 1/epsilon, many with constants of the "
             "shuffling and 1/epsilon^2; mollify's has smaller ones");
  return figure;
}

Figure cheu_known_covariance(const ReproductionOptions& options) {
  return gaussian_table(1,
                        {{"pure", Privacy::pure(kBudgetEpsilon)},
                         {"zero-concentrated", Privacy::concentrated(kBudgetRho)},
                         {"approximate", Privacy::approximate(kBudgetEpsilon, kBudgetDelta)}},
                        options);
}

Figure cheu_bounded_covariance(const ReproductionOptions& options) {
  constexpr double kCovarianceBound = 4;
  Figure figure =
      gaussian_table(kCovarianceBound,
                     {{"zero-concentrated", Privacy::concentrated(kBudgetRho)},
                      {"approximate", Privacy::approximate(kBudgetEpsilon, kBudgetDelta)}},
                     options);
  add_tested_runs(figure, kCovarianceBound, options);
  return figure;
}

// -----------------------------------------------------------------------------------------------
// The Bernstein mechanism on the sources' densities.

namespace {

constexpr std::array<std::size_t, 4> kOracleLattices = {10, 20, 40, 80};
constexpr std::array<std::size_t, 2> kOracleOrders = {1, 4};

GaussianMixtureSpec restricted(GaussianMixtureSpec spec, double low, double high) {
  spec.box.assign(spec.means.front().size(), Interval{low, high});
  return spec;
}

/// Points of a measure on [low, high]^d, in units of the box.
std::vector<double> unit_points(const Measure& measure, double low, double high, std::size_t count,
                                SeededRandom& random) {
  const std::size_t dimension = measure.dimension();
  std::vector<double> points(count * dimension);
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    measure.simulate(random, std::span(points).subspan(i, dimension));
  }
  for (double& x : points) x = (x - low) / (high - low);
  return points;
}

}  // namespace

BernsteinContender::BernsteinContender(const GaussianMixtureSpec& mixture, double low, double high,
                                       std::uint64_t seed, bool quick)
    : truth_(std::make_shared<GaussianMixture>(restricted(mixture, low, high))),
      low_(low),
      high_(high),
      along_(truth_->dimension() == 1 ? 500 : (quick ? 61 : 200)) {
  SeededRandom random(seed);
  points_ = unit_points(*truth_, low, high, quick ? 2000 : 10'000, random);
  width_ = cross_validated_width(unit_points(*truth_, low, high, quick ? 300 : 2000, random),
                                 truth_->dimension());
  const Grid grid(std::vector<std::vector<double>>(truth_->dimension(),
                                                   equal_width_edges({low, high}, along_)));
  p_.resize(grid.cell_count());
  truth_->cell_masses(grid, p_);
  volumes_ = cell_volumes(grid);
}

BernsteinSpec BernsteinContender::spec(std::optional<double> epsilon) const {
  return {.dimension = truth_->dimension(),
          .lattice = 20,
          .order = 1,
          .width = width_,
          .epsilon = epsilon,
          .group = 1};
}

std::vector<double> BernsteinContender::masses(const BernsteinSpec& spec, std::uint64_t seed,
                                               std::size_t along) const {
  SeededRandom random(seed);
  return BernsteinDensity(points_, spec, random).cell_masses(along);
}

DensityFit BernsteinContender::fit(double epsilon, std::uint64_t seed) const {
  const std::vector<double> law = masses(spec(epsilon), seed, along_);
  return {negative_log_likelihood(p_, law, volumes_), mode_coverage(p_, law, volumes_)};
}

double BernsteinContender::noise_free_nll() const {
  return negative_log_likelihood(p_, masses(spec(std::nullopt), 0, along_), volumes_);
}

double BernsteinContender::oracle_nll(double epsilon, std::uint64_t seed) const {
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t lattice : kOracleLattices) {
    for (const std::size_t order : kOracleOrders) {
      BernsteinSpec other = spec(epsilon);
      other.lattice = lattice;
      other.order = order;
      best = std::min(best, negative_log_likelihood(p_, masses(other, seed, along_), volumes_));
    }
  }
  return best;
}

std::optional<double> BernsteinContender::oracle_epsilon(double nll, std::uint64_t seed) const {
  constexpr double kStep = 1.1;
  constexpr double kMost = 1e6;
  std::optional<double> least;
  for (const std::size_t lattice : kOracleLattices) {
    BernsteinSpec other = spec(std::nullopt);
    other.lattice = lattice;
    const NodeValues estimate = kernel_density_at_nodes(points_, other);
    for (const std::size_t order : kOracleOrders) {
      other.order = order;
      // One draw of the noise, scaled: the nearer to P the larger epsilon is.
      const auto is_near = [&](double epsilon) {
        other.epsilon = epsilon;
        SeededRandom random(seed);
        const BernsteinDensity density(estimate, other, random);
        return negative_log_likelihood(p_, density.cell_masses(along_), volumes_) <= nll;
      };
      double high = least.value_or(kMost);
      if (!is_near(high)) continue;
      for (double low = 1; high > kStep * low;) {
        const double middle = std::sqrt(low * high);
        (is_near(middle) ? high : low) = middle;
      }
      least = high;
    }
  }
  return least;
}

HeatMap BernsteinContender::map(double epsilon, std::uint64_t seed, std::string title,
                                std::size_t pixels) const {
  const std::vector<double> law = masses(spec(epsilon), seed, pixels);
  HeatMap result{std::move(title), low_, high_, pixels, {}, 0, 0};
  const double side = (high_ - low_) / static_cast<double>(pixels);
  // The map's fastest axis is x, the grid's is y.
  for (std::size_t i = 0; i < law.size(); ++i) {
    result.values.push_back(law[(i % pixels) * pixels + i / pixels] / (side * side));
  }
  return result;
}

std::vector<PublishedNumber> expected_likelihoods(std::uint64_t seed, bool quick) {
  constexpr std::size_t kCells = 200;
  constexpr double kLow = -1;
  constexpr double kHigh = 2;
  const GaussianMixture truth(restricted(three_gaussians(), kLow, kHigh));
  const GaussianMixture start(single_gaussian({0}, 1, Box{{kLow, kHigh}}));
  const Grid grid({equal_width_edges({kLow, kHigh}, kCells)});
  std::vector<double> p(kCells);
  std::vector<double> q0(kCells);
  truth.cell_masses(grid, p);
  start.cell_masses(grid, q0);
  const std::vector<double> volumes(kCells, 1.0 / kCells);
  SeededRandom of_points(seed);
  const std::vector<double> points = unit_points(truth, kLow, kHigh, 10'000, of_points);
  const NodeValues estimate = kernel_density_at_nodes(points, {});
  const auto nll_of = [&](std::optional<double> epsilon, std::uint64_t draw) {
    SeededRandom random(draw);
    const BernsteinDensity density(estimate, {.epsilon = epsilon}, random);
    return negative_log_likelihood(p, density.cell_masses(kCells), volumes);
  };
  const std::string name = "DPB on three Gaussians, unit box: ";
  std::vector<PublishedNumber> rows = {
      {name + "entropy of P (expected: a reference computation)", std::nullopt, -0.924,
       negative_log_likelihood(p, p, volumes), ""},
      {name + "N(0, 1), where boosting starts (expected: a reference computation)", std::nullopt,
       -0.207, negative_log_likelihood(p, q0, volumes), "given to three digits"},
      {name + "without noise (expected: a reference computation)", std::nullopt, -0.775,
       nll_of(std::nullopt, 0), "10 000 other points"}};
  for (const auto& [epsilon, expected] : {std::pair{10.0, -0.773}, std::pair{1.0, -0.735},
                                          std::pair{0.1, -0.44}, std::pair{0.01, -0.16}}) {
    const std::size_t draws = quick ? 500 : 2500;
    std::vector<double> nlls;
    for (std::size_t draw = 0; draw < draws; ++draw) nlls.push_back(nll_of(epsilon, seed + draw));
    std::sort(nlls.begin(), nlls.end());
    const auto below = std::lower_bound(nlls.begin(), nlls.end(), expected) - nlls.begin();
    const MeanAndSpread of_draws = mean_and_spread(nlls);
    const auto count = static_cast<double>(draws);
    rows.push_back({fmt::format("{}epsilon {:g} per record (expected: a reference computation)",
                                name, epsilon),
                    std::nullopt, expected, of_draws.mean,
                    fmt::format("mean of {} draws of the noise, error {:.1g}, median {:.3f}; "
                                "{:.0f} % of draws are below the expected number",
                                draws, of_draws.deviation / std::sqrt(count), nlls[draws / 2],
                                100 * static_cast<double>(below) / count),
                    of_draws.deviation});
  }
  return rows;
}

}  // namespace mollify::detail
