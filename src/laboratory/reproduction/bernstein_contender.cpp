#include "laboratory/reproduction/bernstein_contender.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "laboratory/boosting/fit.h"
#include "laboratory/boosting/grid_law.h"
#include "laboratory/measure/grid.h"
#include "space/seeded_random.h"

namespace mollify::detail {
namespace {

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

BernsteinSpec BernsteinContender::spec(double epsilon) const {
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

double BernsteinContender::oracle_nll(double epsilon, std::uint64_t seed) const {
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t lattice : {10U, 20U, 40U, 80U}) {
    for (const std::size_t order : {1U, 4U}) {
      BernsteinSpec other = spec(epsilon);
      other.lattice = lattice;
      other.order = order;
      best = std::min(best, negative_log_likelihood(p_, masses(other, seed, along_), volumes_));
    }
  }
  return best;
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

}  // namespace mollify::detail
