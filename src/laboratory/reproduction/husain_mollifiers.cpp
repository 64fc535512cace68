// [Husain et al. 2020], Figure 2 left, and [Husain et al. 2019], Figure 1 left: closed forms.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "laboratory/mollifier/scale_and_shift.h"
#include "laboratory/reproduction/figures_of_sources.h"

namespace mollify::detail {
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
