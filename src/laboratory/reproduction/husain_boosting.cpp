// [Husain et al. 2020], Figures 3 to 5 and 1 of the appendix, and [Husain et al. 2019], Figure 8:
// what boosting (MBDE) and the Bernstein mechanism (DPB) find of a known P.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "laboratory/boosting/grid_law.h"
#include "laboratory/boosting/perfect_boosting.h"
#include "laboratory/measure/word_stream.h"
#include "laboratory/reproduction/bernstein_contender.h"
#include "laboratory/reproduction/figures_of_sources.h"
#include "laboratory/reproduction/known_density.h"
#include "local/band_floor.h"
#include "space/seeded_random.h"

namespace mollify::detail {
namespace {

constexpr std::size_t kRepeats = 4;

std::vector<double> law_of(const BoostedDensity& boosted, const KnownDensity& density) {
  return law_on_grid(boosted, *density.reference, density.grid).boosted;
}

/// NLL and coverage of a domain against epsilon.
struct FitCurves {
  LineChart nll, coverage;
};

FitCurves fit_curves(const std::string& name, const GaussianMixtureSpec& spec,
                     const std::vector<double>& epsilons, const ReproductionOptions& options) {
  const KnownDensity density = KnownDensity::against_normal(spec, options.quick);
  const std::size_t repeats = options.quick ? 1 : kRepeats;
  std::vector<std::vector<DensityFit>> fits(epsilons.size());
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const BoostingSamples samples(density, options.seed + repeat, options.quick);
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      fits[e].push_back(fit_of(density, law_of(samples.boosted({epsilons[e]}), density)));
    }
    options.tell(fmt::format("{}, repeat {}", name, repeat + 1));
  }
  FitCurves result{{.title = name + ": negative log-likelihood",
                    .x_label = "epsilon",
                    .y_label = "nats (less is better)",
                    .curves = {},
                    .stripes = {},
                    .log_x = true},
                   {.title = name + ": mode coverage",
                    .x_label = "epsilon",
                    .y_label = "share of P covered",
                    .curves = {},
                    .stripes = {},
                    .log_x = true,
                    .y_reaches = {0, 1}}};
  const auto curve = [&](const char* label, Curve::Look look, auto&& fit_at) {
    Curve nll{label, epsilons, {}, {}, look};
    Curve coverage{label, epsilons, {}, {}, look};
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      const auto [nlls, coverages] = fit_at(e);
      nll.y.push_back(nlls.mean);
      nll.spread.push_back(nlls.deviation);
      coverage.y.push_back(coverages.mean);
      coverage.spread.push_back(coverages.deviation);
    }
    result.nll.curves.push_back(std::move(nll));
    result.coverage.curves.push_back(std::move(coverage));
  };
  const auto exactly = [&](const std::vector<double>& law) {
    const DensityFit fit = fit_of(density, law);
    return std::pair{MeanAndSpread{fit.nll, 0}, MeanAndSpread{fit.coverage, 0}};
  };
  curve("MBDE, learned", Curve::Look::kLine, [&](std::size_t e) {
    std::vector<double> nlls;
    std::vector<double> coverages;
    for (const DensityFit& fit : fits[e]) {
      nlls.push_back(fit.nll);
      coverages.push_back(fit.coverage);
    }
    return std::pair{mean_and_spread(nlls), mean_and_spread(coverages)};
  });
  curve("MBDE, perfect classifiers", Curve::Look::kDashes, [&](std::size_t e) {
    return exactly(perfectly_boosted(density.p, density.h, {epsilons[e]}));
  });
  curve("best law for this epsilon", Curve::Look::kDashes, [&](std::size_t e) {
    return exactly(projected(density.p, density.h, relative_floor(epsilons[e]), epsilons[e]));
  });
  return result;
}

/// How a curve falls, and how much of that it rises again.
struct Dip {
  double fall = 0;
  double won_back = 0;
};

Dip dip_of(const std::vector<double>& curve) {
  Dip dip;
  for (auto low = curve.begin(); low != curve.end(); ++low) {
    const double fall = *std::max_element(curve.begin(), low + 1) - *low;
    dip.fall = std::max(dip.fall, fall);
    dip.won_back =
        std::max(dip.won_back, std::min(fall, *std::max_element(low, curve.end()) - *low));
  }
  return dip;
}

/// The interval that is taken for the public box of every one-dimensional P.
constexpr double kBoxLow = -1;
constexpr double kBoxHigh = 2;

/// DPB's likelihoods beside MBDE's.
void add_contender(LineChart& chart, const GaussianMixtureSpec& spec,
                   const ReproductionOptions& options) {
  const std::vector<double> epsilons = chart.curves.front().x;
  const std::size_t repeats = options.quick ? 1 : kRepeats;
  Curve fixed{"DPB, epsilon per record", epsilons, {}, {}};
  Curve oracle{"DPB, K and h by an oracle", epsilons, {}, {}, Curve::Look::kDashes};
  std::vector<BernsteinContender> contenders;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    contenders.emplace_back(spec, kBoxLow, kBoxHigh, options.seed + repeat, options.quick);
  }
  for (const double epsilon : epsilons) {
    std::vector<double> nlls;
    std::vector<double> bests;
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      nlls.push_back(contenders[repeat].fit(epsilon, options.seed + repeat).nll);
      bests.push_back(contenders[repeat].oracle_nll(epsilon, options.seed + repeat));
    }
    for (const auto& [curve, values] : {std::pair{&fixed, &nlls}, std::pair{&oracle, &bests}}) {
      const MeanAndSpread of_values = mean_and_spread(*values);
      curve->y.push_back(of_values.mean);
      curve->spread.push_back(of_values.deviation);
    }
  }
  chart.curves.push_back(std::move(fixed));
  chart.curves.push_back(std::move(oracle));
}

// Runs on m random Gaussians, which two figures show.

struct RandomRuns {
  std::vector<double> epsilons;
  std::vector<std::size_t> components;
  /// Of components and epsilons.
  std::vector<std::vector<MeanAndSpread>> nll, coverage, contender_nll;
};

const RandomRuns& random_runs(const ReproductionOptions& options) {
  static std::map<std::pair<bool, std::uint64_t>, RandomRuns> done;
  const auto [place, is_new] = done.try_emplace({options.quick, options.seed});
  RandomRuns& runs = place->second;
  if (!is_new) return runs;
  runs.epsilons =
      options.quick ? std::vector<double>{0.5, 2} : std::vector<double>{0.05, 0.25, 0.5, 1, 1.5, 2};
  runs.components = options.quick ? std::vector<std::size_t>{1, 10}
                                  : std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::size_t repeats = options.quick ? 2 : kRepeats;
  for (const std::size_t components : runs.components) {
    std::vector<std::vector<double>> nlls(runs.epsilons.size());
    std::vector<std::vector<double>> coverages(runs.epsilons.size());
    std::vector<std::vector<double>> contender_nlls(runs.epsilons.size());
    const GaussianMixtureSpec spec = random_gaussians(components, options.seed + components);
    const KnownDensity density = KnownDensity::against_normal(spec, options.quick);
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      const std::uint64_t seed = options.seed + 100 * components + repeat;
      const BoostingSamples samples(density, seed, options.quick);
      const BernsteinContender contender(spec, kBoxLow, kBoxHigh, seed, options.quick);
      for (std::size_t e = 0; e < runs.epsilons.size(); ++e) {
        const DensityFit fit =
            fit_of(density, law_of(samples.boosted({runs.epsilons[e]}), density));
        nlls[e].push_back(fit.nll);
        coverages[e].push_back(fit.coverage);
        contender_nlls[e].push_back(contender.fit(runs.epsilons[e], seed).nll);
      }
      options.tell(fmt::format("{} random Gaussians, repeat {}", components, repeat + 1));
    }
    for (const auto& [all, of_epsilons] :
         {std::pair{&runs.nll, &nlls}, std::pair{&runs.coverage, &coverages},
          std::pair{&runs.contender_nll, &contender_nlls}}) {
      all->emplace_back();
      for (const std::vector<double>& values : *of_epsilons) {
        all->back().push_back(mean_and_spread(values));
      }
    }
  }
  return runs;
}

/// Says in the title where all curves lie on each other as one level line, which would look like a
/// mistake.
void tell_if_flat(LineChart& chart) {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const Curve& curve : chart.curves) {
    const auto [low, high] = std::minmax_element(curve.y.begin(), curve.y.end());
    least = std::min(least, *low);
    greatest = std::max(greatest, *high);
  }
  if (greatest - least < 1e-4) chart.title += fmt::format(" (every line at {:.4g})", greatest);
}

/// Mean and deviation as two charts, a curve for each number of components; their axes reach these
/// values.
void add_random_charts(Figure& figure, const RandomRuns& runs,
                       const std::vector<std::vector<MeanAndSpread>>& values,
                       const std::string& of_what, std::vector<double> mean_reaches,
                       std::vector<double> deviation_reaches) {
  LineChart mean{.title = of_what + ": mean of the repeats",
                 .x_label = "epsilon",
                 .y_label = of_what,
                 .curves = {},
                 .y_reaches = std::move(mean_reaches)};
  LineChart deviation{.title = of_what + ": standard deviation",
                      .x_label = "epsilon",
                      .y_label = "deviation",
                      .curves = {},
                      .y_reaches = std::move(deviation_reaches)};
  for (std::size_t i = 0; i < runs.components.size(); ++i) {
    Curve of_mean{fmt::format("m = {}", runs.components[i]), runs.epsilons, {}};
    of_mean.shade = static_cast<double>(i) / static_cast<double>(runs.components.size() - 1);
    Curve of_deviation = of_mean;
    for (const MeanAndSpread& value : values[i]) {
      of_mean.y.push_back(value.mean);
      of_deviation.y.push_back(value.deviation);
    }
    mean.curves.push_back(std::move(of_mean));
    deviation.curves.push_back(std::move(of_deviation));
  }
  for (LineChart* chart : {&mean, &deviation}) tell_if_flat(*chart);
  figure.charts.emplace_back(std::move(mean));
  figure.charts.emplace_back(std::move(deviation));
  figure.charts_in_a_row = 2;
}

/// The laws of one P for several epsilons as contour maps, rows of four: P and three of DPB, the
/// start and three of MBDE.
void add_contours(Figure& figure, const GaussianMixtureSpec& spec, const std::string& name,
                  double span, const std::vector<double>& epsilons,
                  const ReproductionOptions& options) {
  constexpr std::size_t kSteps = 12;
  constexpr std::size_t kInARow = 3;
  const std::size_t pixels = options.quick ? 61 : 241;
  const KnownDensity density = KnownDensity::against_normal(spec, options.quick);
  const auto add = [&](HeatMap map) {
    map.steps = kSteps;
    figure.charts.emplace_back(std::move(map));
  };
  const auto add_measure = [&](const Measure& measure, const std::string& title) {
    add(heat_map(title, -span, span, pixels, [&](double x, double y) {
      return measure.density(std::vector<double>{x, y});
    }));
  };
  const BoostingSamples samples(density, options.seed, options.quick);
  const BernsteinContender contender(spec, -span, span, options.seed, options.quick);
  for (std::size_t begin = 0; begin < epsilons.size(); begin += kInARow) {
    const std::size_t end = std::min(epsilons.size(), begin + kInARow);
    add_measure(*density.truth, name + ": P");
    for (std::size_t e = begin; e < end; ++e) {
      add(contender.map(epsilons[e], options.seed,
                        fmt::format("DPB, epsilon {:g} per record", epsilons[e]), pixels));
    }
    add_measure(*density.reference, "start: N(0, I)");
    for (std::size_t e = begin; e < end; ++e) {
      const double epsilon = epsilons[e];
      const BoostedDensity boosted = samples.boosted({epsilon});
      const GridLaw law = law_on_grid(boosted, *density.reference, density.grid);
      add(heat_map_of(boosted, law.log_normaliser, *density.reference,
                      fmt::format("MBDE, epsilon {:g}", epsilon), -span, span, pixels));
      figure.comparisons.push_back(
          {fmt::format("{}, MBDE, negative log-likelihood, epsilon {:g} (expected: perfect "
                       "classifiers)",
                       name, epsilon),
           std::nullopt, fit_of(density, perfectly_boosted(density.p, density.h, {epsilon})).nll,
           fit_of(density, law.boosted).nll, "networks learn from samples"});
      figure.comparisons.push_back(
          {fmt::format("{}, DPB, negative log-likelihood, epsilon {:g} per record", name, epsilon),
           std::nullopt, std::nullopt, contender.fit(epsilon, options.seed).nll, ""});
      options.tell(fmt::format("{}, epsilon {:g}", name, epsilon));
    }
  }
  figure.charts_in_a_row = std::min(kInARow, epsilons.size()) + 1;
}

}  // namespace

Figure husain_ring_contours(const ReproductionOptions& options) {
  const std::vector<double> epsilons =
      options.quick ? std::vector<double>{1, 10} : std::vector<double>{0.1, 0.5, 1, 2, 5, 10};
  Figure figure;
  figure.text = {
      "Eight Gaussians on a circle, and contours of what is made of them. Rows in turns: the "
      "Bernstein mechanism (DPB), epsilon for each record, and below it boosting from N(0, I) "
      "(MBDE), epsilon for all of the data together, first a ring, then its modes. Each panel has "
      "its own colours, from 0 to its greatest density. Published: MBDE is smoother.",
      "No paper gives the ring's radius. Radius 1 with deviation .1 lies where N(0, I) has its "
      "mass, and is drawn on [-2.5, 2.5]^2 so that it can be seen; radius 3 with deviation .3 "
      "fills the published picture's [-6, 6]^2 and lies where N(0, I) has little, so that modes "
      "are "
      "found only at large epsilon.",
      kLearnedFrom, kBernstein};
  add_contours(figure, ring_of_eight(1, 0.1), "radius 1", 2.5, epsilons, options);
  add_contours(figure, ring_of_eight(3, 0.3), "radius 3", 6, epsilons, options);
  return figure;
}

Figure husain_fit(const ReproductionOptions& options) {
  const std::vector<double> epsilons =
      options.quick ? std::vector<double>{0.5, 5}
                    : std::vector<double>{0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10};
  Figure figure;
  figure.text = {
      "How well boosting finds P as epsilon grows: the negative log-likelihood -E_P ln Q (left) "
      "and the share of P that lies where Q has its densest 95 % (right), means and deviations of "
      "four repeats. \"Perfect classifiers\" know P; the \"best law\" is the member of the same "
      "mollifier that is nearest to P, which no boosting can pass.",
      "Published: the likelihood falls all the way, sharply below epsilon 2, and coverage falls "
      "until epsilon 1 before it rises; DPB is flat from epsilon 1 on, and MBDE still gains beyond "
      "5.",
      "Here the likelihood falls on every domain, DPB is flat from epsilon 1 on, and MBDE gains "
      "beyond 5. DPB is the nearer one on the three Gaussians at every epsilon, but its epsilon "
      "protects one record and that of MBDE all of them. \"By an oracle\": the best of K in {10, "
      "20, 40, 80} and h in {1, 4}, chosen by looking at P. DPB's likelihoods are of P within its "
      "box, [-1, 2].",
      "Coverage: a ring of radius 1 lies where N(0, I) is dense and is covered at every epsilon; a "
      "ring of radius 3 is covered little by N(0, I), and more with every epsilon; of the three "
      "Gaussians all but 1 in 80 000 is covered at epsilon .05, and a little less with every "
      "epsilon, all but 1 in 1000 at 10. So the published dip, a fall until epsilon 1 and a rise "
      "after it, is seen on no domain, neither with perfect classifiers nor with networks that "
      "learned: where coverage falls it does not rise again (last two rows of each domain). The "
      "best law for a large epsilon covers less than boosting does: it comes nearer to P itself, "
      "whose own densest 95 % hold 95 % of it.",
      kLearnedFrom,
      kBernstein};
  struct Domain {
    const char* name;
    GaussianMixtureSpec spec;
  };
  const std::array domains = {Domain{"ring, radius 1", ring_of_eight(1, 0.1)},
                              Domain{"ring, radius 3", ring_of_eight(3, 0.3)},
                              Domain{"three Gaussians", three_gaussians()}};
  for (const Domain& domain : domains) {
    FitCurves curves = fit_curves(domain.name, domain.spec, epsilons, options);
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      for (const LineChart* chart : {&curves.nll, &curves.coverage}) {
        figure.comparisons.push_back(
            {fmt::format("{}, epsilon {:g} (expected: perfect classifiers)", chart->title,
                         epsilons[e]),
             std::nullopt, chart->curves[1].y[e], chart->curves[0].y[e],
             "networks learn from samples", chart->curves[0].spread[e]});
      }
    }
    if (domain.spec.means.front().size() == 1) add_contender(curves.nll, domain.spec, options);
    const Dip learned = dip_of(curves.coverage.curves[0].y);
    const Dip perfect = dip_of(curves.coverage.curves[1].y);
    for (const auto& [what, part] : {std::pair{"greatest fall", &Dip::fall},
                                     std::pair{"won back after a fall", &Dip::won_back}}) {
      figure.comparisons.push_back(
          {fmt::format("{}: mode coverage, {} (expected: perfect classifiers)", domain.name, what),
           std::nullopt, perfect.*part, learned.*part, "networks learn from samples"});
    }
    figure.charts.emplace_back(std::move(curves.nll));
    figure.charts.emplace_back(std::move(curves.coverage));
  }
  figure.charts_in_a_row = 2;
  return figure;
}

Figure husain_coverage_of_random(const ReproductionOptions& options) {
  const RandomRuns& runs = random_runs(options);
  Figure figure;
  figure.text = {
      "One to ten Gaussians of variance .01 with means uniform on [0, 1]: how much of P lies where "
      "the boosted density has its densest 95 %. Four repeats: for each number m of Gaussians they "
      "are the same in all; samples and learning differ.",
      "Here all of P is covered, by every law: it lies within the densest 95 % of N(0, 1), from "
      "-1.96 to 1.96, and boosting only adds to it; so all lines lie on each other. Published: "
      "deviations are tiny for epsilon above .25 or m above 1, and coverage that dips; neither "
      "domain nor formula gives a dip.",
      kLearnedFrom};
  add_random_charts(figure, runs, runs.coverage, "mode coverage", {0, 1}, {0, 0.1});
  double greatest = 0;
  for (std::size_t i = 0; i < runs.components.size(); ++i) {
    for (std::size_t e = 0; e < runs.epsilons.size(); ++e) {
      if (runs.epsilons[e] > 0.25 || runs.components[i] > 1) {
        greatest = std::max(greatest, runs.coverage[i][e].deviation);
      }
    }
  }
  figure.comparisons = {{"greatest deviation for epsilon > .25 or m > 1 (published: tiny)",
                         std::nullopt, std::nullopt, greatest, ""}};
  return figure;
}

Figure husain_likelihood_of_random(const ReproductionOptions& options) {
  const RandomRuns& runs = random_runs(options);
  Figure figure;
  figure.text = {
      "The same runs: the negative log-likelihood of boosting (MBDE, above) and of the Bernstein "
      "mechanism (DPB, below, epsilon for each record). For each m the Gaussians are the same in "
      "all repeats; samples, learning and noise differ.",
      "Published: MBDE falls with epsilon, DPB does not, and its deviation is about 100 times as "
      "large. Here DPB hardly falls from epsilon .5 on, and its deviation is as many times larger "
      "only at small epsilon: it is that of the noise, which shrinks as 1/epsilon, while that of "
      "MBDE, which is of samples and learning, grows.",
      kLearnedFrom, kBernstein};
  add_random_charts(figure, runs, runs.nll, "MBDE, negative log-likelihood", {}, {0});
  add_random_charts(figure, runs, runs.contender_nll, "DPB, negative log-likelihood", {}, {0});
  for (std::size_t e = 0; e < runs.epsilons.size(); ++e) {
    double of_boosting = 0;
    double of_contender = 0;
    for (std::size_t i = 0; i < runs.components.size(); ++i) {
      of_boosting += runs.nll[i][e].deviation;
      of_contender += runs.contender_nll[i][e].deviation;
    }
    figure.comparisons.push_back(
        {fmt::format("deviation of DPB over that of MBDE, mean over m, epsilon {:g}",
                     runs.epsilons[e]),
         100, std::nullopt, of_contender / of_boosting, "K, h and box are not published"});
  }
  return figure;
}

Figure husain_plane_contours(const ReproductionOptions& options) {
  SeededRandom random(options.seed);
  GaussianMixtureSpec spec;
  for (int i = 0; i < 5; ++i) {
    std::vector<double>& mean = spec.means.emplace_back();
    for (int axis = 0; axis < 2; ++axis) mean.push_back(6 * WordStream(random).unit() - 3);
    const double variance = 0.1 + 0.4 * WordStream(random).unit();
    spec.weights.push_back(1);
    spec.variances.push_back({variance, variance});
  }
  Figure figure;
  figure.text = {
      "Five Gaussians with means uniform in [-3, 3]^2 and variances from .1 to .5: a P that N(0, "
      "I) is no good start for. Rows in turns: the Bernstein mechanism (DPB), epsilon for each "
      "record, and below it boosting (MBDE), epsilon for all of the data together. Each panel has "
      "its own colours, from 0 to its greatest density.",
      "Published: MBDE is better. It is smoother here, too; but by its likelihood DPB is nearer to "
      "P at each of these epsilon, which for it protect one record of 10 000. No member of the "
      "mollifier is near to P before epsilon is large: Q0 has too little mass where P lies.",
      kLearnedFrom, kBernstein};
  add_contours(figure, spec, "random Gaussians", 5,
               options.quick ? std::vector<double>{5} : std::vector<double>{0.5, 1, 2, 4, 7, 10},
               options);
  return figure;
}

}  // namespace mollify::detail
