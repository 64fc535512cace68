// The tables of docs/measured/boosting.md: what boosting reaches, what one learned density ratio
// through the kernel's band reaches, and what any member of the band could.
//
// Domains and Q0 = N(0, I) are those of [Husain et al. 2020, Section 5]. P is known here, so that
// negative log-likelihoods, coverages, projections and perfect classifiers are exact on a grid;
// whatever learns sees samples alone. About three minutes on one core.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "domain/candidates.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "scores/boosting.h"
#include "scores/learners.h"
#include "scores/network.h"

namespace {

using namespace mollify;

constexpr std::array kEpsilons = {0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0};
constexpr std::array kBoundings = {Bounding::kProbability, Bounding::kLogit, Bounding::kSign};
constexpr std::uint64_t kSeeds = 4;
constexpr std::size_t kIterations = 3;
constexpr std::size_t kSamples = 10'000;
constexpr std::size_t kPool = 65'536;

double uniform(SeededRandom& random) { return WordStream(random).unit(); }

GaussianMixtureSpec three_gaussians() {
  return {.means = {{0.3}, {0.5}, {0.7}},
          .weights = {1, 1, 1},
          .variances = {{0.01}, {0.1}, {0.1}},
          .box = {}};
}

GaussianMixtureSpec ring_of_eight() {
  GaussianMixtureSpec spec;
  for (int i = 0; i < 8; ++i) {
    const double angle = i * std::atan(1.0);
    spec.means.push_back({std::cos(angle), std::sin(angle)});
    spec.weights.push_back(1);
    spec.variances.push_back({0.01, 0.01});
  }
  return spec;
}

/// One to ten Gaussians of variance .01 with means uniform in the unit cube.
GaussianMixtureSpec random_gaussians(std::size_t dimension, std::uint64_t seed) {
  SeededRandom random(seed);
  GaussianMixtureSpec spec;
  const int components = 1 + static_cast<int>(10 * uniform(random));
  for (int i = 0; i < components; ++i) {
    std::vector<double>& mean = spec.means.emplace_back();
    for (std::size_t axis = 0; axis < dimension; ++axis) mean.push_back(uniform(random));
    spec.weights.push_back(1);
    spec.variances.emplace_back(dimension, 0.01);
  }
  return spec;
}

/// Of 2^14 cells, or of 512 along each axis, narrow ones where P is.
std::vector<double> edges(std::size_t dimension) {
  if (dimension == 1) return equal_width_edges({-7.5, 7.5}, 1 << 14);
  std::vector<double> all = equal_width_edges({-7.5, -2}, 56);
  for (const std::vector<double>& more :
       {equal_width_edges({-2, 2}, 400), equal_width_edges({2, 7.5}, 56)}) {
    all.insert(all.end(), more.begin() + 1, more.end());
  }
  return all;
}

/// All that the laws of one P are measured with.
struct Problem {
  explicit Problem(const GaussianMixtureSpec& spec)
      : truth(spec),
        reference(single_gaussian(std::vector<double>(spec.means[0].size()), 1)),
        grid(std::vector<std::vector<double>>(truth.dimension(), edges(truth.dimension()))),
        p(grid.cell_count()),
        h(grid.cell_count()),
        volumes(cell_volumes(grid)),
        centres(cell_centres(grid)) {
    truth.cell_masses(grid, p);
    reference.cell_masses(grid, h);
  }

  GaussianMixture truth;
  GaussianMixture reference;
  Grid grid;
  std::vector<double> p;
  std::vector<double> h;
  std::vector<double> volumes;
  Points centres;
};

struct Fit {
  double nll = 0;
  double coverage = 0;
};

Fit fit_of(const Problem& problem, const std::vector<double>& law) {
  return {negative_log_likelihood(problem.p, law, problem.volumes),
          mode_coverage(problem.p, law, problem.volumes)};
}

/// The member of [b h, b e^epsilon h] nearest to p.
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

/// P and Q0 with cells of nearly the same P/Q0 put together, which changes no projection's
/// divergence by much.
struct Ladder {
  std::vector<double> p;
  std::vector<double> h;
};

Ladder ladder_of(const Problem& problem) {
  constexpr double kRung = 0x1p-12;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < problem.p.size(); ++i) ratios.push_back(problem.p[i] / problem.h[i]);
  std::vector<std::size_t> order(ratios.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ratios[a] < ratios[b]; });
  Ladder ladder;
  double filled = kRung;
  for (const std::size_t cell : order) {
    if (filled >= kRung) {
      ladder.p.push_back(0);
      ladder.h.push_back(0);
      filled = 0;
    }
    ladder.p.back() += problem.p[cell];
    ladder.h.back() += problem.h[cell];
    filled += (problem.p[cell] + problem.h[cell]) / 2;
  }
  return ladder;
}

/// The b of the band whose nearest member to P is the nearest of all bands': the divergence is
/// convex in b, as {(q, b): b h <= q <= b e^epsilon h} is convex.
double best_floor(const Ladder& ladder, double epsilon) {
  const std::vector<double> alike(ladder.p.size(), 1.0);
  const auto loss = [&](double floor) {
    return negative_log_likelihood(ladder.p, projected(ladder.p, ladder.h, floor, epsilon), alike);
  };
  double low = std::exp(-epsilon) * (1 + 1e-9);
  double high = 1 - 1e-9;
  while (high > low * (1 + 1e-4)) {
    // Thirds in the logarithm, in which a convex function keeps its one minimum.
    const double step = std::cbrt(high / low);
    const double left = low * step;
    const double right = high / step;
    (loss(left) < loss(right) ? high : low) = loss(left) < loss(right) ? right : left;
  }
  return std::sqrt(low * high);
}

/// As many points, each as often as the others but for one time.
Points repeated(const Points& points, std::size_t count) {
  Points all(points.dimension(), count);
  for (std::size_t feature = 0; feature < points.dimension(); ++feature) {
    for (std::size_t i = 0; i < count; ++i) {
      all.values(feature)[i] = points.values(feature)[i % points.size()];
    }
  }
  return all;
}

/// What RatioScorer makes of these rows: P's masses as one network believes them to be.
std::vector<double> learned_masses(const Problem& problem, const Points& rows, const Points& pool) {
  const auto classifier = release_learner()->learn(repeated(rows, RatioScorer::kSamples),
                                                   repeated(pool, RatioScorer::kSamples), 0);
  std::vector<float> logits(problem.centres.size());
  classifier->logits(problem.centres, logits);
  std::vector<double> masses = problem.h;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    masses[i] *= std::exp(static_cast<double>(logits[i]));
  }
  return masses;
}

/// Mean and spread (standard deviation) over seeds.
class Seeds {
 public:
  void add(double value) { values_.push_back(value); }
  double mean() const {
    return std::accumulate(values_.begin(), values_.end(), 0.0) /
           static_cast<double>(values_.size());
  }
  double spread() const {
    double squares = 0;
    for (const double value : values_) squares += (value - mean()) * (value - mean());
    return std::sqrt(squares / static_cast<double>(values_.size() - 1));
  }

 private:
  std::vector<double> values_;
};

struct Method {
  const char* name;
  Seeds nll{};
  Seeds coverage{};
};

/// One row of each table: one domain, one epsilon, all seeds.
struct Row {
  std::array<Method, 11> methods = {{{"Q0"},
                                     {"MBDE, probability"},
                                     {"MBDE, logit"},
                                     {"MBDE, sign"},
                                     {"perfect, probability"},
                                     {"perfect, logit"},
                                     {"perfect, sign"},
                                     {"ratio, relative"},
                                     {"limit, relative"},
                                     {"ratio, best"},
                                     {"limit, best"}}};
  Seeds floor{};
  /// Shares of drops in negative log-likelihood: each of the first of the other.
  struct Share {
    const char* name;
    std::size_t method;
    std::size_t limit;
    Seeds value{};
  };
  std::array<Share, 8> shares = {{{"ratio, relative band", 7, 8},
                                  {"ratio, best band", 9, 10},
                                  {"MBDE: probability", 1, 8},
                                  {"logit", 2, 8},
                                  {"sign", 3, 8},
                                  {"of perfect classifiers: probability", 1, 4},
                                  {"logit", 2, 5},
                                  {"sign", 3, 6}}};
};

/// One P and one set of samples, all values of epsilon.
class Repeat {
 public:
  Repeat(const GaussianMixtureSpec& spec, std::uint64_t seed)
      : problem_(spec),
        seed_(seed),
        random_(seed),
        rows_(measure_sample(problem_.truth, kSamples, random_)),
        pool_(measure_sample(problem_.reference, kPool, random_)),
        ladder_(ladder_of(problem_)),
        learned_(learned_masses(problem_, rows_, pool_)) {}

  void add_to(Row& row, double epsilon) const {
    std::vector<Fit> fits = {fit_of(problem_, problem_.h)};
    for (const Bounding bounding : kBoundings) {
      const BoostedDensity density = mollify::boost(rows_, pool_, learner_,
                                                    {.boosting = {epsilon, bounding},
                                                     .iterations = kIterations,
                                                     .sample_size = kSamples,
                                                     .seed = seed_});
      fits.push_back(
          fit_of(problem_, law_on_grid(density, problem_.reference, problem_.grid).boosted));
    }
    for (const Bounding bounding : kBoundings) {
      fits.push_back(
          fit_of(problem_, perfectly_boosted(problem_.p, problem_.h, {epsilon, bounding})));
    }
    const double best = best_floor(ladder_, epsilon);
    row.floor.add(best);
    for (const double floor : {relative_floor(epsilon), best}) {
      fits.push_back(fit_of(problem_, projected(learned_, problem_.h, floor, epsilon)));
      fits.push_back(fit_of(problem_, projected(problem_.p, problem_.h, floor, epsilon)));
    }
    for (std::size_t i = 0; i < fits.size(); ++i) {
      row.methods[i].nll.add(fits[i].nll);
      row.methods[i].coverage.add(fits[i].coverage);
    }
    for (Row::Share& share : row.shares) {
      share.value.add((fits[0].nll - fits[share.method].nll) /
                      (fits[0].nll - fits[share.limit].nll));
    }
  }

 private:
  Problem problem_;
  std::uint64_t seed_;
  SeededRandom random_;
  Points rows_;
  Points pool_;
  Ladder ladder_;
  std::vector<double> learned_;
  FirstOnceLearner learner_{release_network()};
};

struct Kind {
  const char* name;
  GaussianMixtureSpec (*spec)(std::uint64_t seed);
  std::array<Row, kEpsilons.size()> rows{};
};

/// A line on the terminal, while it lasts.
void show_progress(std::size_t done, std::size_t whole) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\x1b[K");
  if (done < whole) fmt::print(stderr, "{} of {} runs", done, whole);
  std::fflush(stderr);
}

/// Of a row: the column's name and what stands there.
using CellsBySize = std::vector<std::pair<std::string, std::string>>;

/// One table: a row for each domain and epsilon.
template <class CellsOfRow>
void print_table(const std::vector<Kind>& domains, CellsOfRow cells) {
  bool first = true;
  for (const Kind& domain : domains) {
    for (std::size_t e = 0; e < kEpsilons.size(); ++e) {
      const CellsBySize row = cells(domain.rows[e]);
      if (std::exchange(first, false)) {
        fmt::print("\n| domain | ε |");
        for (const auto& [name, text] : row) fmt::print(" {} |", name);
        fmt::print("\n|---|---|");
        for (std::size_t i = 0; i < row.size(); ++i) fmt::print("---|");
        fmt::print("\n");
      }
      fmt::print("| {} | {} |", domain.name, kEpsilons[e]);
      for (const auto& [name, text] : row) fmt::print(" {} |", text);
      fmt::print("\n");
    }
  }
}

std::string with_spread(const Seeds& seeds, double unit, int digits) {
  return fmt::format("{:.{}f} ± {:.{}f}", seeds.mean() * unit, digits, seeds.spread() * unit,
                     digits);
}

}  // namespace

int main() {
  std::vector<Kind> domains = {
      {"mixture of three, 1-D", [](std::uint64_t) { return three_gaussians(); }},
      {"random Gaussians, 1-D", [](std::uint64_t seed) { return random_gaussians(1, seed); }},
      {"ring of eight", [](std::uint64_t) { return ring_of_eight(); }},
      {"random Gaussians, 2-D", [](std::uint64_t seed) { return random_gaussians(2, seed); }}};
  const std::size_t runs = domains.size() * kSeeds * kEpsilons.size();
  std::size_t done = 0;
  for (Kind& domain : domains) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Repeat repeat(domain.spec(seed), seed);
      for (std::size_t e = 0; e < kEpsilons.size(); ++e) {
        repeat.add_to(domain.rows[e], kEpsilons[e]);
        show_progress(++done, runs);
      }
    }
  }

  fmt::print("Negative log-likelihood in nats: mean ± standard deviation over {} seeds\n", kSeeds);
  print_table(domains, [](const Row& row) {
    CellsBySize cells;
    for (const Method& method : row.methods) {
      cells.emplace_back(method.name, with_spread(method.nll, 1, 3));
    }
    cells.emplace_back("best b", with_spread(row.floor, 1, 3));
    return cells;
  });
  fmt::print("\nMode coverage in percent\n");
  print_table(domains, [](const Row& row) {
    CellsBySize cells;
    for (const Method& method : row.methods) {
      cells.emplace_back(method.name, with_spread(method.coverage, 100, 1));
    }
    return cells;
  });
  fmt::print(
      "\nDrop in negative log-likelihood from Q0, percent: of the limit's (MBDE: the relative\n"
      "band's), and MBDE's of its own with perfect classifiers\n");
  print_table(domains, [](const Row& row) {
    CellsBySize cells;
    for (const Row::Share& share : row.shares) {
      cells.emplace_back(share.name, with_spread(share.value, 100, 1));
    }
    return cells;
  });
}
