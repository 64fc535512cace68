// [Park et al. 2024], Figures 2, 3, 5, 6 and 7: finite outcomes, all in closed form.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "divergence/band_projection.h"
#include "divergence/worst_case_risk.h"
#include "laboratory/reproduction/figures_of_sources.h"
#include "local/mechanism.h"

namespace mollify::detail {
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
