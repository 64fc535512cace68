#include "laboratory/reproduction/bernstein_contender.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "laboratory/boosting/fit.h"
#include "laboratory/boosting/grid_law.h"
#include "laboratory/measure/grid.h"
#include "space/seeded_random.h"

namespace mollify::detail {
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
