#include "laboratory/boosting/diagnostics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "core/invalid_input.h"
#include "laboratory/boosting/likelihood.h"
#include "methods/divergence/f_divergence.h"
#include "scores/boosting.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How the log-normaliser of a boosted density is found.

namespace {

double clamped(double value, const BoostedDensity& density) {
  const double bound = density.log_ratio_bound();
  return std::clamp(value, -bound, bound);
}

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// The 2^-40 of mass outside the central box is taken to be like the rest.
double over_grid(const BoostedDensity& density, const Measure& reference, std::size_t cells_along) {
  const Grid grid = equal_width_grid(reference, power(cells_along, reference.dimension()));
  return clamped(law_on_grid(density, reference, grid).log_normaliser, density);
}

}  // namespace

LogNormaliser log_normaliser_by_cubature(const BoostedDensity& density, const Measure& reference,
                                         std::size_t cells) {
  if (reference.dimension() != density.dimension()) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}",
                    density.dimension(), reference.dimension()));
  }
  const std::size_t along = cells_along_each_axis(cells, reference.dimension());
  if (along < 4) {
    throw InvalidInput(
        fmt::format("cubature needs at least 4 cells along each axis, but has {}", along));
  }
  const double value = over_grid(density, reference, along);
  return {.value = value,
          .error = std::abs(value - over_grid(density, reference, along / 2)),
          .method = LogNormaliser::Method::kCubature,
          .points = power(along, reference.dimension())};
}

LogNormaliser log_normaliser_by_sampling(const BoostedDensity& density,
                                         const Points& reference_draws) {
  const std::size_t count = reference_draws.size();
  if (count < 2) {
    throw InvalidInput(
        fmt::format("a normaliser needs at least 2 draws from the reference, but has {}", count));
  }
  std::vector<double> ratios(count);
  density.log_ratio(reference_draws, ratios);
  CompensatedSum sum;
  const double bound = density.log_ratio_bound();
  for (double& ratio : ratios) {
    ratio = std::exp(ratio - bound);
    sum += ratio;
  }
  const double n = static_cast<double>(count);
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  return {.value = clamped(bound + std::log(mean), density),
          .error = std::sqrt(squares.value() / (n - 1) / n) / mean,
          .method = LogNormaliser::Method::kImportanceSampling,
          .points = count};
}

// -----------------------------------------------------------------------------------------------
// A boosted density on the cells of a grid.

GridLaw law_on_grid(const BoostedDensity& density, const Measure& reference, const Grid& grid) {
  if (reference.dimension() != grid.dimension()) {
    throw InvalidInput(fmt::format("the grid must have the reference's {} dimensions, but has {}",
                                   reference.dimension(), grid.dimension()));
  }
  const std::size_t cells = grid.cell_count();
  GridLaw law{.reference = std::vector<double>(cells),
              .boosted = std::vector<double>(cells),
              .log_normaliser = 0};
  reference.cell_masses(grid, law.reference);
  density.log_ratio(cell_centres(grid), law.boosted);
  const double bound = density.log_ratio_bound();
  CompensatedSum of_reference;
  CompensatedSum of_boosted;
  for (std::size_t i = 0; i < cells; ++i) {
    law.boosted[i] = law.reference[i] * std::exp(law.boosted[i] - bound);
    of_reference += law.reference[i];
    of_boosted += law.boosted[i];
  }
  for (std::size_t i = 0; i < cells; ++i) {
    law.reference[i] /= of_reference.value();
    law.boosted[i] /= of_boosted.value();
  }
  law.log_normaliser = bound + std::log(of_boosted.value() / of_reference.value());
  return law;
}

std::vector<unsigned char> cells_inside(const Grid& grid, const Box& box) {
  if (box.size() != grid.dimension()) {
    throw InvalidInput(fmt::format("a region must have the grid's {} dimensions, but has {}",
                                   grid.dimension(), box.size()));
  }
  std::vector<unsigned char> inside(grid.cell_count(), 1);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const Box cell = grid.cell(i);
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      if (!box[axis].contains(cell[axis].low + cell[axis].width() / 2)) inside[i] = 0;
    }
  }
  return inside;
}

std::vector<double> cell_volumes(const Grid& grid) {
  std::vector<double> volumes(grid.cell_count(), 1.0);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    for (const Interval& interval : grid.cell(i)) volumes[i] *= interval.width();
  }
  return volumes;
}

// -----------------------------------------------------------------------------------------------
// Points at which boosting is measured.

Evaluation evaluation_on_grid(const Measure& p, const Measure& reference, const Grid& grid) {
  if (p.dimension() != reference.dimension()) {
    throw InvalidInput("the reference must have the density's dimensions, but has others");
  }
  const Points centres = cell_centres(grid);
  Evaluation evaluation{centres, std::vector<double>(grid.cell_count()), centres,
                        std::vector<double>(grid.cell_count())};
  p.cell_masses(grid, evaluation.masses_p);
  reference.cell_masses(grid, evaluation.masses_reference);
  return evaluation;
}

IterationDiagnostics diagnose(const BoostedDensity& before, const BoostedDensity& after,
                              const Evaluation& evaluation) {
  std::vector<double> weights(evaluation.reference.size());
  before.log_ratio(evaluation.reference, weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double mass = evaluation.is_exact() ? evaluation.masses_reference[i] : 1.0;
    weights[i] = mass * std::exp(weights[i]);
  }
  IterationDiagnostics found = diagnose(
      classifier_moments(after, evaluation.p, evaluation.masses_p, evaluation.reference, weights),
      after.theta(after.iterations()));
  if (after.spec().outputs > 1) found.claimed.reset();  // the papers shrink no classifier
  return found;
}

Estimate boosting_gain(const BoostedDensity& density, const Evaluation& evaluation) {
  std::vector<double> ratios(evaluation.p.size());
  density.log_density_ratio(evaluation.p, ratios);
  Estimate gain;
  if (evaluation.is_exact()) {
    for (std::size_t i = 0; i < ratios.size(); ++i)
      gain.value += evaluation.masses_p[i] * ratios[i];
    gain.value /= std::accumulate(evaluation.masses_p.begin(), evaluation.masses_p.end(), 0.0);
    return gain;
  }
  const auto count = static_cast<double>(ratios.size());
  if (ratios.empty()) return gain;
  gain.value = std::accumulate(ratios.begin(), ratios.end(), 0.0) / count;
  if (ratios.size() < 2) return gain;
  double squares = 0;
  for (const double ratio : ratios) squares += (ratio - gain.value) * (ratio - gain.value);
  gain.standard_error =
      std::sqrt(squares / (count - 1) / count + std::pow(density.log_normaliser()->error, 2));
  return gain;
}

// -----------------------------------------------------------------------------------------------
// Diagnostics.

namespace {

void require_same(std::size_t values, std::size_t weights) {
  if (weights == 0 || weights == values) return;
  throw InvalidInput(fmt::format("there must be a weight for each of {} values, but there are {}",
                                 values, weights));
}

/// The mean of f(value) with weights; 0 without any weight.
template <class Function>
double mean(std::span<const double> values, std::span<const double> weights,
            const Function& function) {
  CompensatedSum sum;
  CompensatedSum whole;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (!(weight > 0)) continue;  // so that nothing infinite is multiplied by zero
    sum += weight * function(values[i]);
    whole += weight;
  }
  return whole.value() > 0 ? sum.value() / whole.value() : 0;
}

double greatest(std::span<const double> values, std::span<const double> weights) {
  double result = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights.empty() || weights[i] > 0) result = std::max(result, std::abs(values[i]));
  }
  return result;
}

BoostingRegime regime_of(double gamma_p, double gamma_q) {
  if (!(gamma_p > 0) || !(gamma_q > 0)) return BoostingRegime::kNone;
  return gamma_q < 1.0 / 3 ? BoostingRegime::kLow : BoostingRegime::kHigh;
}

/// With the least alpha for which the region is large enough.
std::optional<double> theorem_seven(const RegionDiagnostics& region, const RunDiagnostics& run) {
  const double epsilon = 4 * run.reach;
  const auto h = [epsilon](double x) { return epsilon + 2 * x; };
  const double t = static_cast<double>(run.iterations);
  const double needed_times_h_alpha = epsilon * h((2 - run.gamma_p - run.gamma_q) * t) / h(t);
  // M_B(P) h(alpha) >= that.
  if (!(region.mass_p * h(1) >= needed_times_h_alpha)) return std::nullopt;
  const double alpha = std::clamp((needed_times_h_alpha / region.mass_p - epsilon) / 2, 0.0, 1.0);
  return (1 - alpha) * region.mass_p - region.kl_inside;
}

}  // namespace

std::string_view name_of(BoostingRegime regime) noexcept {
  constexpr std::array<std::string_view, 3> kRegimeNames{"none", "low", "high"};
  return kRegimeNames[static_cast<std::size_t>(regime)];
}

ClassifierMoments classifier_moments(std::span<const double> at_p,
                                     std::span<const double> weights_p,
                                     std::span<const double> at_q,
                                     std::span<const double> weights_q, double theta) {
  require_same(at_p.size(), weights_p.size());
  require_same(at_q.size(), weights_q.size());
  const auto same = [](double c) { return c; };
  const auto grown = [theta](double c) { return std::expm1(theta * c); };
  return {.mean_p = mean(at_p, weights_p, same),
          .mean_q = mean(at_q, weights_q, same),
          .mean_exp_q = 1 + mean(at_q, weights_q, grown),
          .greatest = std::max(greatest(at_p, weights_p), greatest(at_q, weights_q))};
}

ClassifierMoments classifier_moments(const BoostedDensity& density, const Points& p,
                                     std::span<const double> weights_p, const Points& q,
                                     std::span<const double> weights_q) {
  const std::size_t t = density.iterations();
  std::vector<double> at_p(p.size());
  std::vector<double> at_q(q.size());
  density.classifier_values(t, p, at_p);
  density.classifier_values(t, q, at_q);
  return classifier_moments(at_p, weights_p, at_q, weights_q, density.theta(t));
}

IterationDiagnostics diagnose(const ClassifierMoments& moments, double theta) {
  IterationDiagnostics result;
  result.theta = theta;
  result.c_star = moments.greatest;
  if (moments.greatest > 0) {
    result.gamma_p = moments.mean_p / moments.greatest;
    result.gamma_q = -moments.mean_q / moments.greatest;
  }
  result.regime = regime_of(result.gamma_p, result.gamma_q);
  result.drop = theta * moments.mean_p - std::log(moments.mean_exp_q);

  const double reach = theta * result.c_star;
  result.guaranteed =
      reach * result.gamma_p - std::log(std::cosh(reach) - result.gamma_q * std::sinh(reach));

  if (result.regime == BoostingRegime::kHigh) {
    result.claimed =
        theta * (result.c_star * result.gamma_p + std::log(4 / (5 - 3 * result.gamma_q)));
  } else if (result.regime == BoostingRegime::kLow) {
    result.claimed = theta * (result.gamma_p + result.gamma_q - result.c_star * theta / 2);
  }
  return result;
}

RunDiagnostics diagnose(std::span<const IterationDiagnostics> iterations,
                        const BoostingSpec& spec) {
  const BoostedDensity reference(spec, 1);
  RunDiagnostics result;
  result.limit = reference.log_density_ratio_bound();
  result.reach = reference.log_ratio_bound();
  bool all_high = !iterations.empty();
  result.iterations = iterations.size();
  result.normalisers_at_most_one = !iterations.empty();
  for (const IterationDiagnostics& iteration : iterations) {
    result.delta += iteration.drop;
    result.guaranteed += iteration.guaranteed;
    result.gamma_p = std::min(result.gamma_p, iteration.gamma_p);
    result.gamma_q = std::min(result.gamma_q, iteration.gamma_q);
    all_high = all_high && iteration.regime == BoostingRegime::kHigh;
    result.normalisers_at_most_one =
        result.normalisers_at_most_one &&
        iteration.gamma_q >= std::tanh(iteration.theta * iteration.c_star / 2);
  }
  if (all_high && spec.outputs == 1) {
    result.claimed = spec.epsilon / 2 * (result.gamma_p + result.gamma_q) / 2 *
                     (1 - reference.theta(iterations.size()));
  }
  return result;
}

RegionDiagnostics diagnose_region(std::span<const double> masses_p,
                                  std::span<const double> masses_reference,
                                  std::span<const double> masses_q,
                                  std::span<const unsigned char> inside,
                                  const RunDiagnostics& run) {
  if (masses_reference.size() != masses_p.size() || masses_q.size() != masses_p.size() ||
      inside.size() != masses_p.size()) {
    throw InvalidInput(fmt::format("a region needs masses of the same {} cells under P, Q0 and Q_T",
                                   masses_p.size()));
  }
  CompensatedSum p;
  CompensatedSum reference;
  CompensatedSum q;
  CompensatedSum kl;
  for (std::size_t i = 0; i < masses_p.size(); ++i) {
    if (inside[i] == 0) continue;
    p += masses_p[i];
    reference += masses_reference[i];
    q += masses_q[i];
    if (masses_p[i] > 0) kl += masses_p[i] * std::log(masses_p[i] / masses_reference[i]);
  }
  RegionDiagnostics result{.mass_p = p.value(),
                           .mass_reference = reference.value(),
                           .mass_q = q.value(),
                           .kl_inside = kl.value(),
                           .guaranteed = 0,
                           .guaranteed_by_gammas = std::nullopt,
                           .claimed = std::nullopt};
  result.guaranteed = (1 + run.limit) * result.mass_p - run.limit - result.kl_inside + run.delta;
  if (run.normalisers_at_most_one) {
    result.guaranteed_by_gammas = result.mass_p - result.kl_inside -
                                  run.reach * std::max(0.0, 1 - run.gamma_p - result.mass_p);
  }
  if (run.claimed) result.claimed = theorem_seven(result, run);
  return result;
}

LogRatioRange log_ratio_range(const BoostedDensity& density, const Points& points) {
  if (points.size() == 0) throw InvalidInput("a range needs at least 1 point, but has 0");
  std::vector<double> ratios(points.size());
  density.log_density_ratio(points, ratios);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return {.least = *least, .greatest = *most, .limit = density.log_density_ratio_bound()};
}

}  // namespace mollify
