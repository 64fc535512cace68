#include "laboratory/boosting/diagnostics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
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
  result.limit = 2 * reference.log_ratio_bound();
  double gamma_p = 1;
  double gamma_q = 1;
  bool all_high = !iterations.empty();
  for (const IterationDiagnostics& iteration : iterations) {
    result.delta += iteration.drop;
    result.guaranteed += iteration.guaranteed;
    gamma_p = std::min(gamma_p, iteration.gamma_p);
    gamma_q = std::min(gamma_q, iteration.gamma_q);
    all_high = all_high && iteration.regime == BoostingRegime::kHigh;
  }
  if (all_high) {
    result.claimed =
        spec.epsilon / 2 * (gamma_p + gamma_q) / 2 * (1 - reference.theta(iterations.size()));
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
                           .claimed = std::nullopt};
  const double without_delta = (1 + run.limit) * result.mass_p - run.limit - result.kl_inside;
  result.guaranteed = without_delta + run.delta;
  if (run.claimed) result.claimed = without_delta + *run.claimed;
  return result;
}

LogRatioRange log_ratio_range(const BoostedDensity& density, const Points& points) {
  if (points.size() == 0) throw InvalidInput("a range needs at least 1 point, but has 0");
  std::vector<double> ratios(points.size());
  density.log_density_ratio(points, ratios);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return {.least = *least, .greatest = *most, .limit = 2 * density.log_ratio_bound()};
}

}  // namespace mollify
