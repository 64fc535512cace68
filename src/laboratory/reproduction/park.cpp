#include "laboratory/reproduction/park.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/learners.h"
#include "laboratory/measure/gaussian_envelope.h"
#include "laboratory/reproduction/reproduction.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "scores/boosting.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// The clients of [Park et al.

namespace {

constexpr Interval kLine{-4, 4};

}  // namespace

GaussianMixtureSpec client_of_one_gaussian(double mean) {
  return single_gaussian({mean}, 1, Box{kLine});
}

ParkClients::ParkClients(bool quick)
    : envelope_(std::make_shared<GaussianEnvelope>(1.0, 1.0, 1, Box{kLine})),
      normal_(std::make_shared<GaussianMixture>(client_of_one_gaussian(0))),
      grid_({equal_width_edges(kLine, quick ? 1000 : 4000)}),
      tolerance_(quick ? 1e-7 : 1e-16) {}

ClientDivergences ParkClients::divergences(const GaussianMixtureSpec& client,
                                           double epsilon) const {
  const GaussianMixture truth(client);
  using Masses = std::vector<double>;
  const auto from = [&](const Measure& reference, const LawOfMasses& law) {
    return line_divergences(truth, reference, kLine, law, tolerance_);
  };
  const auto projection = [&](double floor) {
    return [=](const Masses& p, const Masses& h) { return projected(p, h, floor, epsilon); };
  };
  const auto boosting = [&](Bounding bounding) {
    return [=](const Masses& p, const Masses& h) {
      return perfectly_boosted(p, h, {epsilon, bounding});
    };
  };
  return {from(*envelope_, projection(class_floor(0, envelope_->class_bound(), epsilon))),
          from(*normal_, boosting(Bounding::kSigmoid)), from(*normal_, boosting(Bounding::kLogit)),
          from(*normal_, projection(relative_floor(epsilon)))};
}

KnownDensity ParkClients::against_normal(const GaussianMixtureSpec& client) const {
  return {std::make_shared<GaussianMixture>(client), normal_, grid_};
}

// -----------------------------------------------------------------------------------------------
// [Park et al.

namespace {

constexpr const char* kLearned = "the network learns from samples";

struct PublishedClients {
  const char* name;
  const char* axis;
  double DivergenceReport::*value;
  std::array<double, 5> minimax;
  std::array<double, 5> baseline;
};

constexpr std::array kPublishedClients = {
    PublishedClients{"KL divergence",
                     "nats, worst of 100 clients",
                     &DivergenceReport::kl,
                     {0.2947, 0.1939, 0.1058, 0.0221, 0.0001},
                     {0.4610, 0.4556, 0.4331, 0.3476, 0.2859}},
    PublishedClients{"total variation",
                     "worst of 100 clients",
                     &DivergenceReport::tv,
                     {0.3119, 0.2323, 0.1504, 0.0366, 0.0003},
                     {0.3694, 0.3667, 0.3574, 0.3212, 0.2903}},
    PublishedClients{"squared Hellinger",
                     "worst of 100 clients",
                     &DivergenceReport::hellinger2,
                     {0.0967, 0.0648, 0.0358, 0.0075, 0},
                     {0.1091, 0.1079, 0.1028, 0.0833, 0.0690}}};

}  // namespace

Figure park_ring(const ReproductionOptions& options) {
  constexpr double kEpsilon = 0.5;
  const double span = 3;
  const std::size_t pixels = options.quick ? 60 : 500;
  GaussianMixtureSpec spec;
  for (const double turn : {0.0, 1.0, 2.0}) {
    const double angle = turn * 2 * std::acos(-1.0) / 3;
    spec.means.push_back({std::cos(angle), std::sin(angle)});
    spec.weights.push_back(1);
    spec.variances.push_back({0.5, 0.5});
  }
  const auto truth = std::make_shared<GaussianMixture>(spec);
  const auto envelope = std::make_shared<GaussianEnvelope>(1.0, 0.5, 2);
  const KnownDensity on_envelope(truth, envelope,
                                 equal_width_grid(*envelope, options.quick ? 14'400 : 360'000));
  const std::vector<double> minimax = minimax_law(on_envelope, kEpsilon);
  const DivergenceReport report = divergence_report(on_envelope.p, minimax);
  options.tell("minimax");

  const KnownDensity on_normal = KnownDensity::against_normal(spec, options.quick);
  const BoostedDensity boosted =
      published_baseline(on_normal, 7.5, kEpsilon, options.seed, options.quick);
  const GridLaw learned = law_on_grid(boosted, *on_normal.reference, on_normal.grid);
  const DivergenceReport of_learned = divergence_report(on_normal.p, learned.boosted);
  const DivergenceReport of_perfect = divergence_report(
      on_normal.p, perfectly_boosted(on_normal.p, on_normal.h, {kEpsilon, Bounding::kSigmoid}));
  options.tell("baseline");

  Figure figure;
  figure.text = {
      "A mixture of three Gaussians of variance 1/2 on the unit circle, and two laws from which "
      "one point can be released with epsilon 0.5, whatever the private distribution is. Left: "
      "the private distribution. Middle: the baseline, boosting from N(0, I) with sigmoids as "
      "classifiers, which leaves half of epsilon unspent. Right: the minimax mechanism, whose "
      "reference is the envelope of all Gaussian mixtures with means in the unit disc.",
      "All three panels have the same colours. The baseline learns as its published code does, "
      "from the ends of 10 000 Markov chains."};
  figure.charts.emplace_back(heat_map("private P", -span, span, pixels, [&](double x, double y) {
    return truth->density(std::vector<double>{x, y});
  }));
  figure.charts.emplace_back(heat_map_of(boosted, learned.log_normaliser, *on_normal.reference,
                                         "baseline (boosting)", -span, span, pixels));
  figure.charts.emplace_back(
      heat_map("minimax mechanism", -span, span, pixels, [&](double x, double y) {
        const std::vector<double> point{x, y};
        const std::size_t cell = on_envelope.grid.cell_of(point);
        return minimax[cell] / on_envelope.h[cell] * envelope->density(point);
      }));
  double most = 0;
  for (const Chart& chart : figure.charts) {
    for (const double value : std::get<HeatMap>(chart).values) most = std::max(most, value);
  }
  for (Chart& chart : figure.charts) std::get<HeatMap>(chart).most = most;
  const char* grid = "masses of cells are a little nearer than densities";
  figure.comparisons = {{"minimax, KL divergence (expected: polar quadrature)", std::nullopt,
                         0.0293405563, report.kl, grid},
                        {"minimax, total variation (expected: polar quadrature)", std::nullopt,
                         0.0850612619, report.tv, grid},
                        {"minimax, squared Hellinger (expected: polar quadrature)", std::nullopt,
                         0.0082348064, report.hellinger2, grid},
                        {"baseline, KL divergence (expected: perfect classifiers)", std::nullopt,
                         of_perfect.kl, of_learned.kl, kLearned},
                        {"baseline, total variation (expected: perfect classifiers)", std::nullopt,
                         of_perfect.tv, of_learned.tv, kLearned},
                        {"baseline, squared Hellinger (expected: perfect classifiers)",
                         std::nullopt, of_perfect.hellinger2, of_learned.hellinger2, kLearned}};
  return figure;
}

Figure park_clients(const ReproductionOptions& options) {
  const ParkClients clients(options.quick);
  Figure figure;
  figure.charts_in_a_row = 2;
  figure.text = {
      "100 clients for each epsilon, each with a private mixture of Gaussians on [-4, 4] (1 + "
      "Poisson(2) of them, at most 10, means uniform in [-1, 1], Dirichlet weights). Bars: the "
      "divergence of the worst client from the law that its point is released from. Diamonds: what "
      "was published, for the same clients. They are those that the authors' published code draws "
      "from its seeds 1 to 5; the worst of each hundred, by every divergence, is a single Gaussian "
      "with its mean near one end.",
      "The published baseline has sigmoids for classifiers and so leaves half of epsilon unspent. "
      "With the classifiers that its paper asks for (logits clipped at log 2) boosting is much "
      "nearer, and the exact projection on the same mollifier is nearer still: at epsilon 5 the "
      "published .286 becomes .08, and then less than .001.",
      "\"Perfect\" classifiers know P. The learned baseline is trained for the worst client as the "
      "published code does it, on the ends of 10 000 Markov chains. All other bars are "
      "integrals, " +
          std::string(options.quick ? "here to 5 decimals, as --quick asks."
                                    : "exact to 13 decimals.")};
  std::array<ClientDivergences, kClientEpsilons.size()> worst;
  std::array<DivergenceReport, kClientEpsilons.size()> learned;
  for (std::size_t e = 0; e < kClientEpsilons.size(); ++e) {
    const GaussianMixtureSpec client = client_of_one_gaussian(kWorstClientMeans[e]);
    worst[e] = clients.divergences(client, kClientEpsilons[e]);
    const KnownDensity density = clients.against_normal(client);
    const BoostedDensity boosted =
        published_baseline(density, 4, kClientEpsilons[e], options.seed, options.quick);
    learned[e] = divergence_report(density.p,
                                   law_on_grid(boosted, *density.reference, density.grid).boosted);
    options.tell(fmt::format("worst client, epsilon {:g}", kClientEpsilons[e]));
  }
  for (const PublishedClients& published : kPublishedClients) {
    BarChart chart{.title = published.name,
                   .x_label = "epsilon",
                   .y_label = published.axis,
                   .groups = {},
                   .bars = {}};
    for (const char* law : kClientLaws) chart.bars.push_back({law, {}, {}});
    chart.bars.push_back({"baseline, learned", {}, {}});
    // The baseline is drawn as in the other figures.
    chart.bars.back().colour = 1;
    chart.bars[1].colour = 5;
    chart.bars.front().published.assign(published.minimax.begin(), published.minimax.end());
    chart.bars.back().published.assign(published.baseline.begin(), published.baseline.end());
    for (std::size_t e = 0; e < kClientEpsilons.size(); ++e) {
      chart.groups.push_back(fmt::format("{:g}", kClientEpsilons[e]));
      const auto row_of = [&](const char* law, double value) {
        return PublishedNumber{
            fmt::format("{}, {}, epsilon {:g}", published.name, law, kClientEpsilons[e]),
            std::nullopt, std::nullopt, value, ""};
      };
      for (std::size_t law = 0; law < kClientLaws.size(); ++law) {
        const double value = worst[e][law].*published.value;
        chart.bars[law].values.push_back(value);
        figure.comparisons.push_back(row_of(kClientLaws[law], value));
        if (law == 0) figure.comparisons.back().published = published.minimax[e];
        if (law == 1) {
          figure.comparisons.back().published = published.baseline[e];
          figure.comparisons.back().why = "published: networks that learned";
        }
      }
      const double value = learned[e].*published.value;
      chart.bars.back().values.push_back(value);
      PublishedNumber row = row_of("baseline, learned (expected: perfect sigmoids)", value);
      row.published = published.baseline[e];
      row.expected = worst[e][1].*published.value;
      row.why = "other starting weights and chains";
      figure.comparisons.push_back(std::move(row));
    }
    // Beside what it would be if it learned perfectly.
    std::rotate(chart.bars.begin() + 1, chart.bars.end() - 1, chart.bars.end());
    figure.charts.emplace_back(std::move(chart));
  }
  return figure;
}

// -----------------------------------------------------------------------------------------------
// [Park et al.

namespace {

/// Its number among the colours of figures.
constexpr std::size_t kGrey = 8;

constexpr std::array kParkEpsilons = {0.1, 0.5, 1.0, 2.0, 5.0};

/// By the closed form alone: a point mass keeps m of itself.
double kept_by_minimax(double k, double epsilon) {
  return std::exp(epsilon) / (std::exp(epsilon) + k - 1);
}
double kept_by_relative(double k, double epsilon) {
  return std::min(std::exp(epsilon / 2) / k, 1 - (k - 1) * std::exp(-epsilon / 2) / k);
}

/// The two mechanisms' worst divergences over all P on k outcomes.
Figure worst_cases(std::uint64_t k, const std::vector<double>& published_proposed,
                   const std::vector<double>& published_baseline) {
  Figure figure;
  figure.text = {
      fmt::format(
          "Whatever P on {} outcomes is private: how far is the law that is released from "
          "it, at worst? The worst P is a point mass. The proposed mechanism is the minimax "
          "band; the baseline is the projection on the relative mollifier of the uniform "
          "distribution, the laws that lie within e^(epsilon/2) of it.{}",
          k,
          published_proposed.empty() ? " The source prints no numbers for this figure."
                                     : " Diamonds: the numbers that were published."),
      "Bars are closed forms of the worst case; the column \"expected\" is the textbook formula m "
      "f(1/m) + (1 - m) f(0) evaluated plainly, m being what a point mass keeps."};
  const ReferenceMasses uniform = ReferenceMasses::uniform(k);
  struct Kind {
    const char* name;
    const char* axis;
    double DivergenceReport::*value;
    double (*of)(double m);
  };
  const std::array kinds = {
      Kind{"KL divergence", "nats, at worst", &DivergenceReport::kl,
           [](double m) { return -std::log(m); }},
      Kind{"total variation", "distance, at worst", &DivergenceReport::tv,
           [](double m) { return 1 - m; }},
      Kind{"squared Hellinger", "distance, at worst", &DivergenceReport::hellinger2,
           [](double m) { return 1 - std::sqrt(m); }}};
  for (const Kind& kind : kinds) {
    const bool has_published = kind.value == &DivergenceReport::kl && !published_proposed.empty();
    BarChart chart{.title = kind.name,
                   .x_label = "epsilon",
                   .y_label = kind.axis,
                   .groups = {},
                   .bars = {{"proposed (minimax)", {}, {}}, {"baseline (relative)", {}, {}}}};
    if (has_published) {
      chart.bars[0].published = published_proposed;
      chart.bars[1].published = published_baseline;
    }
    for (std::size_t e = 0; e < kParkEpsilons.size(); ++e) {
      const double epsilon = kParkEpsilons[e];
      chart.groups.push_back(fmt::format("{:g}", epsilon));
      const std::array ours = {minimax_risk(uniform, epsilon).risk.*kind.value,
                               relative_risk(uniform, epsilon).risk.*kind.value};
      const std::array kept = {kept_by_minimax(static_cast<double>(k), epsilon),
                               kept_by_relative(static_cast<double>(k), epsilon)};
      for (std::size_t i = 0; i < 2; ++i) {
        chart.bars[i].values.push_back(ours[i]);
        PublishedNumber row{fmt::format("{}, {}, epsilon {:g}", kind.name,
                                        i == 0 ? "proposed" : "baseline", epsilon),
                            std::nullopt, kind.of(kept[i]), ours[i], ""};
        if (has_published) row.published = chart.bars[i].published[e];
        figure.comparisons.push_back(std::move(row));
      }
    }
    figure.charts.emplace_back(std::move(chart));
  }
  return figure;
}

}  // namespace

Figure park_five_outcomes(const ReproductionOptions&) {
  const std::vector<double> p = {0.3, 0.25, 0.2, 0.15, 0.1};
  const std::vector<std::pair<double, std::vector<double>>> published = {
      {1.0, {0.2809, 0.2341, 0.1873, 0.1488, 0.1488}},
      {0.5, {0.2558, 0.2131, 0.1770, 0.1770, 0.1770}},
      {0.1, {0.2165, 0.1959, 0.1959, 0.1959, 0.1959}}};
  Figure figure;
  figure.text = {
      "A P on five outcomes and what the minimax mechanism releases instead. The smaller epsilon "
      "is, the narrower the band in which the law must stay, and the flatter the law.",
      "Bars are the integer tables that mollify draws from, which come within 10^-11 of the "
      "projection that \"expected\" is. Diamonds: what was published."};
  BarChart chart{.title = "probability of each outcome",
                 .x_label = "outcome",
                 .y_label = "probability",
                 .groups = {"1", "2", "3", "4", "5"},
                 .bars = {{"P", p, {}, kGrey}}};
  std::vector<std::uint32_t> outcomes(p.size());
  std::iota(outcomes.begin(), outcomes.end(), std::uint32_t{0});
  for (const auto& [epsilon, numbers] : published) {
    MechanismParameters parameters;
    parameters.mechanism = Mechanism::kMinimax;
    parameters.outcome_count = p.size();
    parameters.epsilon = epsilon;
    const std::vector<double> law = make_sampler(parameters)->law({outcomes, p}).probabilities;
    const double floor = band_floor_of(parameters) / static_cast<double>(p.size());
    const std::vector<double> exact =
        project_on_band(p, std::vector<double>(p.size(), floor),
                        std::vector<double>(p.size(), floor * std::exp(epsilon)))
            .law;
    for (std::size_t i = 0; i < p.size(); ++i) {
      figure.comparisons.push_back({fmt::format("outcome {}, epsilon {:g}", i + 1, epsilon),
                                    numbers[i], exact[i], law[i], ""});
    }
    // Blue first, as the minimax mechanism has it everywhere.
    chart.bars.push_back({fmt::format("released, epsilon {:g}", epsilon), law, numbers,
                          chart.bars.size() == 1 ? 0 : chart.bars.size() + 2});
  }
  figure.charts.emplace_back(std::move(chart));
  return figure;
}

Figure park_worst_of_10(const ReproductionOptions&) {
  return worst_cases(10, {2.213, 1.865, 1.461, 0.797, 0.0589},
                     {2.253, 2.053, 1.803, 1.303, 0.0767});
}
Figure park_worst_of_5(const ReproductionOptions&) { return worst_cases(5, {}, {}); }
Figure park_worst_of_20(const ReproductionOptions&) { return worst_cases(20, {}, {}); }
Figure park_worst_of_100(const ReproductionOptions&) { return worst_cases(100, {}, {}); }

}  // namespace mollify::detail
