// The figures of Husain et al..
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "accounting/gaussian.h"
#include "domain/candidates.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/learners.h"
#include "laboratory/contender/contenders.h"
#include "laboratory/measure/measure.h"
#include "laboratory/mollifier/mollifier.h"
#include "laboratory/reproduction/cheu.h"
#include "laboratory/reproduction/reproduction.h"
#include "methods/local/mechanism.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// [Husain et al.

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

// -----------------------------------------------------------------------------------------------
// [Husain et al.

namespace {

/// Points of the plane, end to end, in units of [-span, span]^2.
std::vector<double> in_the_box(const Points& points, double span) {
  std::vector<double> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      places.push_back((static_cast<double>(points.values(axis)[i]) + span) / (2 * span));
    }
  }
  return places;
}

/// -E_P ln of the kernel density of a sample, estimated at points of P; its width is
/// cross-validated.
double kernel_nll(const Points& sample, const Points& truth, double span) {
  const double width = 2 * span * cross_validated_width(in_the_box(sample, span), 2);
  const double factor = -1 / (2 * width * width);
  const double peak = 1 / (2 * std::acos(-1.0) * width * width);
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    double density = 0;
    for (std::size_t j = 0; j < sample.size(); ++j) {
      const auto x = static_cast<double>(truth.values(0)[i] - sample.values(0)[j]);
      const auto y = static_cast<double>(truth.values(1)[i] - sample.values(1)[j]);
      density += std::exp(factor * (x * x + y * y));
    }
    density *= peak / static_cast<double>(sample.size());
    sum -= std::log(std::max(density, std::numeric_limits<double>::min()));
  }
  return sum / static_cast<double>(truth.size());
}

/// How many components have 1 % of the points within 3 deviations.
std::size_t modes_hit(const Points& points, const GaussianMixtureSpec& spec) {
  std::size_t hit = 0;
  for (std::size_t mode = 0; mode < spec.means.size(); ++mode) {
    std::size_t near = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = static_cast<double>(points.values(0)[i]) - spec.means[mode][0];
      const double y = static_cast<double>(points.values(1)[i]) - spec.means[mode][1];
      near += x * x + y * y < 9 * spec.variances[mode][0] ? 1U : 0U;
    }
    hit += 100 * near >= points.size() ? 1U : 0U;
  }
  return hit;
}

/// How many points each pixel holds.
HeatMap scatter_map(const Points& points, const std::string& title, double span) {
  constexpr std::size_t kPixels = 125;
  HeatMap map{fmt::format("{}, {} points", title, points.size()), -span, span, kPixels, {}, 0, 0};
  map.unit = fmt::format("points in a square of side {:g}", 2 * span / kPixels);
  map.values.assign(kPixels * kPixels, 0);
  const std::vector<double> places = in_the_box(points, span);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double column = std::floor(places[2 * i] * kPixels);
    const double row = std::floor(places[2 * i + 1] * kPixels);
    if (!(column >= 0 && column < kPixels && row >= 0 && row < kPixels)) continue;
    map.values[static_cast<std::size_t>(row) * kPixels + static_cast<std::size_t>(column)] += 1;
  }
  return map;
}

}  // namespace

Figure husain_contenders(const ReproductionOptions& options) {
  constexpr double kSpan = 2.5;
  const std::size_t pixels = options.quick ? 61 : 241;
  const GaussianMixtureSpec spec = ring_of_eight(1, 0.1);
  const KnownDensity density = KnownDensity::against_normal(spec, options.quick);
  const BernsteinContender contender(spec, -kSpan, kSpan, options.seed, options.quick);
  const BoostedDensity boosted =
      BoostingSamples(density, options.seed, options.quick).boosted({1.0});
  const GridLaw law = law_on_grid(boosted, *density.reference, density.grid);
  Figure figure;
  figure.text = {
      "A ring of eight Gaussians, what boosting (MBDE) makes of it with epsilon 1 for everything "
      "that one output may tell about all of the data, and what the Bernstein mechanism (DPB) "
      "makes of it with epsilon 400 for each record. Published: both densities look alike, "
      "although the second epsilon is 400 times the first. So it is here: as drawn DPB is a little "
      "farther "
      "from P, and with its best K and h it is as near at an epsilon of about 400, too (table). At "
      "an equal epsilon of 1 it is much farther.",
      "Then: points made by a generative adversarial network (DPGAN) whose critic learns from "
      "clipped and noised gradients, batches of 128, 10 000 steps of the generator, delta .1. "
      "Published: its modes collapse, and DPB and MBDE are significantly better. So it is here. "
      "But the same network learns no more without any noise: with the weights' bound and the rate "
      "that are usual for it, it is the schedule that fails. With larger ones and smaller batches, "
      "the "
      "last two panels, it spreads over all modes without noise, though as a blob that tells none "
      "from another, and misses most of them with it.",
      "Its source's noise for epsilon 1 accounts for one step of the generator; the table says "
      "what all steps cost at most, where each record is in a batch by chance, as here. What no "
      "source "
      "gives is chosen here: noise of two dimensions, two hidden layers of 25, RMSProp at 5e-5, "
      "five steps of the critic, its weights bounded by .01, gradients by 1. The last two panels "
      "have 2000 records, batches of 24, 250 steps, a rate of .0015, weights bounded by .1, and "
      "noise of .5.",
      kLearnedFrom,
      kBernstein,
      "The table ends with DPB alone, in one dimension: three Gaussians in the box [-1, 2], in "
      "nats of the box scaled to [0, 1], bandwidth .01. There \"expected\" is what a reference "
      "computation gave, which is another program with other points and noise. At epsilon .1 and "
      ".01 one draw of the noise moves the likelihood by .11 "
      "and .5, so that a single number cannot be met to .01: those expected lie in the middle half "
      "of what one draw gives."};
  figure.charts.emplace_back(heat_map("P", -kSpan, kSpan, pixels, [&](double x, double y) {
    return density.truth->density(std::vector<double>{x, y});
  }));
  figure.charts.emplace_back(heat_map_of(boosted, law.log_normaliser, *density.reference,
                                         "MBDE, epsilon 1", -kSpan, kSpan, pixels));
  figure.charts.emplace_back(
      contender.map(400, options.seed, "DPB, epsilon 400 per record", pixels));
  SeededRandom random(options.seed);
  const Points records = measure_sample(*density.truth, options.quick ? 1000 : 10'000, random);
  const Points truth = measure_sample(*density.truth, 1000, random);
  PrivateGanSpec gan;
  if (options.quick) {
    gan.batch = 32;
    gan.generator_steps = 100;
  }
  constexpr double kGanDelta = 0.1;
  gan.noise = private_gan_noise(gan, records.size(), 1, kGanDelta);
  const double gan_epsilon =
      sampled_gaussian_epsilon_up(private_gan_cost(gan, records.size()), kGanDelta);
  const auto trained = [&](const PrivateGanSpec& how, const Points& from, const std::string& name) {
    Points made = private_gan_sample(from, how, from.size(), options.seed, [&](std::size_t step) {
      options.tell(fmt::format("{}, step {} of {}", name, step, how.generator_steps));
    });
    figure.charts.emplace_back(scatter_map(made, name, kSpan));
    return made;
  };
  const Points with_noise = trained(gan, records, "DPGAN");
  gan.noise = 0;
  const Points without = trained(gan, records, "without noise");
  SeededRandom of_few(options.seed);
  const Points few = measure_sample(*density.truth, 2000, of_few);
  PrivateGanSpec faster{.batch = 24, .generator_steps = 250, .rate = 1.5e-3, .weight_bound = 0.1};
  const Points faster_without = trained(faster, few, "larger rate, no noise");
  faster.noise = 0.5;
  const Points faster_with = trained(faster, few, "larger rate, noise");
  const double faster_epsilon =
      sampled_gaussian_epsilon_up(private_gan_cost(faster, few.size()), kGanDelta);
  figure.charts_in_a_row = 4;
  const double best_kernel_nll =
      kernel_nll(measure_sample(*density.truth, records.size(), random), truth, kSpan);
  const double of_boosting = fit_of(density, law.boosted).nll;
  const auto all_modes = static_cast<double>(spec.means.size());
  const char* const kGanLoses = "noise is not why: rates and bounds are not published";
  const char* const kNoiseLoses = "noise is why";
  const char* const kWhyNot400 = "K, h, box and radius are not published";
  figure.comparisons = {
      {"DPGAN, modes with 1 % of its points within 3 deviations (expected: all; published: it "
       "loses some)",
       std::nullopt, all_modes, static_cast<double>(modes_hit(with_noise, spec)), kGanLoses},
      {"the same network without noise, modes (expected: all)", std::nullopt, all_modes,
       static_cast<double>(modes_hit(without, spec)), kGanLoses},
      {"DPGAN, negative log-likelihood of a kernel density of its points (expected: as many points "
       "of P)",
       std::nullopt, best_kernel_nll, kernel_nll(with_noise, truth, kSpan), kGanLoses},
      {"the same network without noise, negative log-likelihood (expected: as many points of P)",
       std::nullopt, best_kernel_nll, kernel_nll(without, truth, kSpan), kGanLoses},
      {"the network with a larger rate and no noise, modes (expected: all)", std::nullopt,
       all_modes, static_cast<double>(modes_hit(faster_without, spec)), kNoiseLoses},
      {fmt::format(
           "the same with noise that costs epsilon {:.2g} at delta .1, modes (expected: all)",
           faster_epsilon),
       std::nullopt, all_modes, static_cast<double>(modes_hit(faster_with, spec)), kNoiseLoses},
      {"DPGAN, epsilon at delta .1 (published: its source's formula)", 1, std::nullopt, gan_epsilon,
       "the formula accounts for one step of the generator, ours for all, and is an upper bound"},
      {"MBDE, negative log-likelihood (expected: perfect classifiers)", std::nullopt,
       fit_of(density, perfectly_boosted(density.p, density.h, {1.0})).nll, of_boosting,
       "networks learn from samples"},
      {"DPB, negative log-likelihood, epsilon 400 per record", std::nullopt, std::nullopt,
       contender.fit(400, options.seed).nll, ""},
      {"DPB, negative log-likelihood, no noise at all", std::nullopt, std::nullopt,
       contender.noise_free_nll(), ""},
      {"DPB, negative log-likelihood, epsilon 1 per record", std::nullopt, std::nullopt,
       contender.fit(1, options.seed).nll, ""},
      {"DPB, K and h by an oracle: epsilon per record that brings it as near as MBDE at epsilon 1 "
       "(published: they look alike at 400)",
       400, std::nullopt, contender.oracle_epsilon(of_boosting, options.seed), kWhyNot400}};
  for (PublishedNumber& row : expected_likelihoods(options.seed, options.quick)) {
    figure.comparisons.push_back(std::move(row));
  }
  return figure;
}

// -----------------------------------------------------------------------------------------------
// [Husain et al.

namespace {

constexpr std::size_t kMollifierCells = 400;

/// Densities on [0, 1] with one, two and three modes.
double example_density(std::size_t which, double x) {
  const auto bump = [x](double mean, double deviation) {
    const double z = (x - mean) / deviation;
    return std::exp(-z * z / 2) / deviation;
  };
  if (which == 0) return bump(0.5, 0.15);
  if (which == 1) return bump(0.25, 0.08) + 0.6 * bump(0.75, 0.1);
  return bump(0.12, 0.05) + bump(0.5, 0.06) + 0.8 * bump(0.88, 0.05);
}

}  // namespace

Figure husain_cost_of_groups(const ReproductionOptions&) {
  Figure figure;
  figure.text = {
      "What does it cost to protect not one record but every group of g records? A sampler that is "
      "differentially private per record pays g times its epsilon (here epsilon is 1 for one "
      "record). A member of a mollifier is released with an epsilon that holds for groups of any "
      "size, up to the whole table; it pays for each of its k outputs instead, k times epsilon. So "
      "it is the cheaper one for groups of more than k records. Closed forms; nothing is run."};
  LineChart chart{.title = "privacy loss against the size of the group",
                  .x_label = "records in the group",
                  .y_label = "epsilon",
                  .curves = {{"private per record (DPB): g times epsilon", {}, {}},
                             {"integral privacy, 1 output", {}, {}},
                             {"integral privacy, 10 outputs", {}, {}},
                             {"integral privacy, 100 outputs", {}, {}}},
                  .stripes = {},
                  .log_x = true,
                  .log_y = true};
  // As DPB is drawn wherever it stands beside boosting.
  chart.curves.front().colour = 3;
  for (std::size_t i = 1; i < chart.curves.size(); ++i) {
    chart.curves[i].shade = 0.4 * static_cast<double>(i);
  }
  for (double group = 1; group <= 10'000.5; group *= std::pow(10, 0.25)) {
    const double costs[] = {group, 1, 10, 100};
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
      chart.curves[i].x.push_back(group);
      chart.curves[i].y.push_back(costs[i]);
    }
  }
  figure.charts.emplace_back(std::move(chart));
  return figure;
}

Figure husain_mollifiers(const ReproductionOptions&) {
  Figure figure;
  figure.text = {
      "Members of two mollifiers on [0, 1], the sets of densities that may stand for private ones: "
      "three densities with one, two and three modes, scaled and shifted until they fit epsilon 1 "
      "(solid) and epsilon 0.2 (dashed). Modes stay where they are; gradients shrink.",
      "For epsilon 0.2, the pale stripe is where every member of any mollifier of densities on "
      "[0, 1] must lie, from e^-0.2 to e^0.2. To lie in the darker one, from e^-0.1 to e^0.1, is "
      "enough."};
  LineChart chart{
      .title = "densities that may be sampled from",
      .x_label = "x",
      .y_label = "density",
      .curves = {},
      .stripes = {{std::exp(-0.2), std::exp(0.2), "necessary at epsilon 0.2: e^-0.2 to e^0.2"},
                  {std::exp(-0.1), std::exp(0.1), "sufficient at epsilon 0.2: e^-0.1 to e^0.1"}}};
  const std::vector<double> uniform(kMollifierCells, 1.0 / kMollifierCells);
  for (const double epsilon : {1.0, 0.2}) {
    double least = 2;
    double greatest = 0;
    for (std::size_t which = 0; which < 3; ++which) {
      std::vector<double> masses;
      double whole = 0;
      for (std::size_t i = 0; i < kMollifierCells; ++i) {
        masses.push_back(example_density(which, (static_cast<double>(i) + 0.5) / kMollifierCells));
        whole += masses.back();
      }
      for (double& mass : masses) mass /= whole;
      scale_and_shift(masses, uniform, epsilon);
      Curve curve{fmt::format("epsilon {:g}, {} mode{}", epsilon, which + 1, which == 0 ? "" : "s"),
                  {},
                  {},
                  {},
                  epsilon == 1 ? Curve::Look::kLine : Curve::Look::kDashes,
                  which};
      for (std::size_t i = 0; i < kMollifierCells; ++i) {
        curve.x.push_back((static_cast<double>(i) + 0.5) / kMollifierCells);
        curve.y.push_back(masses[i] * kMollifierCells);
        least = std::min(least, curve.y.back());
        greatest = std::max(greatest, curve.y.back());
      }
      chart.curves.push_back(std::move(curve));
    }
    figure.comparisons.push_back(
        {fmt::format("least density, epsilon {:g} (expected: the bound)", epsilon), std::nullopt,
         std::exp(-epsilon / 2), least, "only one of the two bounds has to be reached"});
    figure.comparisons.push_back(
        {fmt::format("greatest density, epsilon {:g} (expected: the bound)", epsilon), std::nullopt,
         std::exp(epsilon / 2), greatest, ""});
  }
  figure.charts.emplace_back(std::move(chart));
  figure.charts_in_a_row = 1;
  return figure;
}

}  // namespace mollify::detail
