// The table of docs/evidence/single-records.md: how far the law of a release by N candidates is
// from the optimum.
//
// Candidates x_1, ..., x_N are drawn from h; candidate i is released with probability c_i / N,
// c_i = clip(w(x_i) t, b, bE) with w = p/h and t such that the c_i sum to N. The optimum has
// density clip(w t*, b, bE) against h. Two errors:
//   fresh lists   the law averaged over lists has density E[c(x) | x is on the list] against h;
//                 its total variation from the optimum
//   one list      the expected total variation, on the list, between c_i / N and the optimum's
//                 density at x_i, over N: the part that all clients of one list share
// Both depend on the space only through the distribution of w under h, which is computed here
// first, so that dimensions cost nothing and no error of sampling the space enters.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "domain/candidates.h"
#include "measures/measure.h"

namespace {

constexpr double kEpsilon = 1;

struct Edges {
  double lower;
  double upper;
  double clip(double value) const { return std::clamp(value, lower, upper); }
};

/// Mass on the points w_j = exp(first + j step): the distribution of w under h.
struct Lattice {
  double first = 0;
  double step = 0;
  std::vector<double> mass;

  double value(std::size_t j) const { return std::exp(first + static_cast<double>(j) * step); }
};

/// Sums of mass and of mass times w over the points below each.
class Sums {
 public:
  Sums(const Lattice& points, const std::vector<double>& mass) : points_(&points) {
    mass_before_.push_back(0);
    moment_before_.push_back(0);
    for (std::size_t j = 0; j < mass.size(); ++j) {
      mass_before_.push_back(mass_before_.back() + mass[j]);
      moment_before_.push_back(moment_before_.back() + mass[j] * points.value(j));
    }
  }

  double whole() const { return mass_before_.back(); }

  /// Sum of mass times clip(w t).
  double clipped(double t, const Edges& edges) const {
    const std::size_t low = first_from(edges.lower / t);
    const std::size_t high = std::max(low, first_from(edges.upper / t));
    return edges.lower * mass_before_[low] + t * (moment_before_[high] - moment_before_[low]) +
           edges.upper * (whole() - mass_before_[high]);
  }

 private:
  std::size_t first_from(double w) const {
    const double place = std::ceil((std::log(w) - points_->first) / points_->step);
    return static_cast<std::size_t>(
        std::clamp(place, 0.0, static_cast<double>(mass_before_.size() - 1)));
  }

  const Lattice* points_;
  std::vector<double> mass_before_;
  std::vector<double> moment_before_;
};

/// The t at which `clipped`, increasing in t, reaches `whole`.
template <class Clipped>
double scale(Clipped clipped, double whole) {
  double low = 0x1p-40;
  double high = 0x1p40;
  while (high > low * (1 + 0x1p-48)) {
    const double middle = high > 2 * low ? std::sqrt(low * high) : (low + high) / 2;
    (clipped(middle) < whole ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// w of the product of `dimension` densities N(0.3, 0.2^2), truncated to [0, 1], under the uniform
/// h: log w is a sum of independent terms, whose distributions are convolved.
Lattice smooth_ratios(int dimension) {
  constexpr double kMean = 0.3;
  constexpr double kDeviation = 0.2;
  constexpr double kStep = 0x1p-9;
  constexpr int kPoints = 1 << 15;
  const double least = -std::pow((1 - kMean) / kDeviation, 2) / 2;
  Lattice one{.first = least, .step = kStep, .mass = {}};
  one.mass.resize(static_cast<std::size_t>(-least / kStep) + 2);
  for (int i = 0; i < kPoints; ++i) {
    const double x = (i + 0.5) / kPoints;
    const double place = (-std::pow((x - kMean) / kDeviation, 2) / 2 - least) / kStep;
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    one.mass[below] += (1 - part) / kPoints;
    one.mass[below + 1] += part / kPoints;
  }
  Lattice all = one;
  for (int d = 1; d < dimension; ++d) {
    std::vector<double> sum(all.mass.size() + one.mass.size() - 1);
    for (std::size_t i = 0; i < all.mass.size(); ++i) {
      for (std::size_t j = 0; j < one.mass.size(); ++j) sum[i + j] += all.mass[i] * one.mass[j];
    }
    all.mass = std::move(sum);
    all.first += one.first;
  }
  double mean = 0;
  for (std::size_t j = 0; j < all.mass.size(); ++j) mean += all.mass[j] * all.value(j);
  all.first -= std::log(mean);
  return all;
}

struct Errors {
  double fresh = 0;
  double deviation = 0;  ///< standard error of `fresh`
  double shared = 0;
};

/// Estimates by simulated lists. E[c(x) | x] differs from the optimum by O(1/N) under noise of
/// N^-1/2 a list; nearly all of that noise is linear in the list's own mean of clip(w t*), whose
/// expectation is one, and is taken out by regression.
Errors of_smooth(const Lattice& ratios, const Edges& edges, std::size_t count, int lists) {
  const std::size_t points = ratios.mass.size();
  const Sums all(ratios, ratios.mass);
  const double best = scale([&](double t) { return all.clipped(t, edges); }, all.whole());
  std::vector<double> values;
  for (std::size_t j = 0; j < points; ++j) values.push_back(ratios.value(j));
  std::vector<double> cumulative;
  double sum = 0;
  for (const double mass : ratios.mass) cumulative.push_back(sum += mass);

  mollify::SeededRandom random(2026);
  const auto n = static_cast<double>(count);
  std::vector<double> mean_error(points);
  std::vector<double> by_control(points);
  std::vector<double> squares(points);
  double control_mean = 0;
  double control_square = 0;
  Errors errors;
  std::vector<double> on_list(points);
  for (int list = 0; list < lists; ++list) {
    std::fill(on_list.begin(), on_list.end(), 0.0);
    for (std::size_t i = 1; i < count; ++i) {
      const double part = mollify::uniform_of_unit_interval(random) * sum;
      const auto found = std::lower_bound(cumulative.begin(), cumulative.end(), part);
      on_list[static_cast<std::size_t>(found - cumulative.begin())] += 1;
    }
    const Sums others(ratios, on_list);
    const double control = others.clipped(best, edges) / (n - 1) - 1;
    control_mean += control / lists;
    control_square += control * control / lists;
    // t depends on the candidate x by what is left to the others, which is linear to O(1/N^2).
    const auto scale_beside = [&](double own) {
      return scale([&](double t) { return others.clipped(t, edges); }, n - own);
    };
    const double beside_one = scale_beside(1);
    const double slope =
        (scale_beside(edges.upper) - scale_beside(edges.lower)) / (edges.upper - edges.lower);
    for (std::size_t j = 0; j < points; ++j) {
      if (ratios.mass[j] == 0) continue;
      const double w = values[j];
      const double t = beside_one + slope * (edges.clip(w * beside_one) - 1);
      const double error = edges.clip(w * t) - edges.clip(w * best);
      mean_error[j] += error / lists;
      by_control[j] += error * control / lists;
      squares[j] += error * error / lists;
      if (on_list[j] == 0) continue;
      const double shared = edges.clip(w * beside_one) - edges.clip(w * best);
      errors.shared += on_list[j] * std::abs(shared) / 2 / (n - 1) / lists;
    }
  }
  const double control_variance = control_square - control_mean * control_mean;
  for (std::size_t j = 0; j < points; ++j) {
    const double slope = (by_control[j] - mean_error[j] * control_mean) / control_variance;
    errors.fresh += ratios.mass[j] * std::abs(mean_error[j] - slope * control_mean) / 2;
    const double variance = squares[j] - mean_error[j] * mean_error[j];
    const double noise = std::max(variance - slope * slope * control_variance, 0.0) / lists;
    errors.deviation += ratios.mass[j] * std::sqrt(noise) / 2;
  }
  return errors;
}

/// w is 1 / alpha on a set of mass alpha and 0 elsewhere, in any dimension: sums over the number of
/// candidates in the set, which is binomial.
Errors of_extreme(double alpha, const Edges& edges, std::size_t count) {
  const auto n = static_cast<double>(count);
  const auto inside = [&](double in_set) {
    return in_set >= n ? 1 : std::min(edges.upper, (n - (n - in_set) * edges.lower) / in_set);
  };
  const auto outside = [&](double in_set) {
    return in_set <= 0 ? 1 : (n - in_set * inside(in_set)) / (n - in_set);
  };
  const double best_inside = std::min(edges.upper, (1 - (1 - alpha) * edges.lower) / alpha);
  const double best_outside = (1 - alpha * best_inside) / (1 - alpha);
  const auto binomial = [&](double trials, double successes) {
    return std::exp(std::lgamma(trials + 1) - std::lgamma(successes + 1) -
                    std::lgamma(trials - successes + 1) + successes * std::log(alpha) +
                    (trials - successes) * std::log1p(-alpha));
  };
  Errors errors;
  double averaged = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto in_set = static_cast<double>(i);
    if (i < count) averaged += binomial(n - 1, in_set) * inside(in_set + 1);
    const double inner = i > 0 ? in_set * std::abs(inside(in_set) - best_inside) : 0;
    const double outer = i < count ? (n - in_set) * std::abs(outside(in_set) - best_outside) : 0;
    errors.shared += binomial(n, in_set) * (inner + outer) / (2 * n);
  }
  errors.fresh = alpha * std::abs(averaged - best_inside);
  return errors;
}

Edges relative_band() { return {std::exp(-kEpsilon / 2), std::exp(kEpsilon / 2)}; }

Edges minimax_band(double alpha) {
  const double lower = 1 / (1 + alpha * std::expm1(kEpsilon));
  return {lower, lower * std::exp(kEpsilon)};
}

}  // namespace

int main() {
  fmt::print(
      "| P | dimensions | band | candidates | fresh lists | fresh lists times N | "
      "fresh lists times √N | one list | one list times √N "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  const auto row = [](const char* p, const char* dimensions, const char* band, std::size_t count,
                      const Errors& errors) {
    const auto n = static_cast<double>(count);
    const std::string noise =
        errors.deviation > 0 ? fmt::format(" ± {:.1g}", errors.deviation) : std::string();
    fmt::print("| {} | {} | {} | {} | {:.3g}{} | {:.3g} | {:.3g} | {:.3g} | {:.3g} |\n", p,
               dimensions, band, count, errors.fresh, noise, errors.fresh * n,
               errors.fresh * std::sqrt(n), errors.shared, errors.shared * std::sqrt(n));
    std::fflush(stdout);
  };
  constexpr std::size_t kCounts[] = {256, 1024, 4096, 16384, 65536};
  for (const int dimension : {1, 2, 5, 10}) {
    const Lattice ratios = smooth_ratios(dimension);
    for (const std::size_t count : kCounts) {
      row("smooth", std::to_string(dimension).c_str(), "relative", count,
          of_smooth(ratios, relative_band(), count, 1000));
    }
  }
  for (const double alpha : {0.25, 0.01}) {
    for (const std::size_t count : kCounts) {
      row(fmt::format("extreme, on mass {}", alpha).c_str(), "any", "minimax", count,
          of_extreme(alpha, minimax_band(alpha), count));
    }
  }
}
