#include "accounting/radial_total_variation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

constexpr double kStatedError = 1e-9;
constexpr double kGreatestDimension = 1e6;
constexpr double kGreatestScale = 1e3;
constexpr double kGreatestVariance = 1e6;

/// e^x − 1 − x.
double exp_minus_line(double x) {
  if (std::abs(x) > 0.5) return std::expm1(x) - x;
  double term = 0.5 * x * x;
  double sum = term;
  for (int k = 3; std::abs(term) > 1e-18 * std::abs(sum); ++k) {
    term *= x / k;
    sum += term;
  }
  return sum;
}

/// The law of x = s − 1 as weighted points, and its mean in closed form.
struct Excess {
  struct Point {
    double x;
    double weight;
    double log1p_minus_x;  // ln(1+x) − x
  };
  std::vector<Point> points;
  double mean;
  bool small;  // whether taking the linear part out gains precision
};

/// Trapezoids in ln y for x = offset + bbar²·(y² − d − 1), y² being chi-squared: the integrand is
/// analytic and bounded within ±π/4 of the real line, and falls exponentially at both ends.
Excess excess_law(double d, double bbar, double mean) {
  Excess law{{}, mean, false};
  const auto add = [&law](double x, double weight) {
    law.points.push_back({x, weight, x > -1.0 ? boost::math::log1pmx(x) : 0.0});
  };
  const double scale = bbar * bbar;
  if (scale == 0.0) {
    add(mean, 1.0);
  } else {
    constexpr double kLowestLog = -75.0;
    const double freedom = d + 1.0;
    const double step = std::min(0.11, 0.42 / std::sqrt(2.0 * freedom));
    double total = 0.0;
    for (const int side : {-1, 1}) {
      for (int i = side < 0 ? 1 : 0;; ++i) {
        // With y² = (d+1)·e^{2t} the density of t falls from its peak at 0 by this logarithm.
        const double t = side * i * step;
        const double fallen = freedom * (t - 0.5 * std::expm1(2.0 * t));
        if (fallen < kLowestLog) break;
        const double weight = std::exp(fallen);
        add(mean + scale * freedom * std::expm1(2.0 * t), weight);
        total += weight;
      }
    }
    for (Excess::Point& point : law.points) point.weight /= total;
  }
  double square = 0.0;
  for (const Excess::Point& point : law.points) square += point.weight * point.x * point.x;
  law.small = square < 0.0625;
  return law;
}

class DensityRatio {
 public:
  DensityRatio(double d, Excess law) : d_(d), law_(std::move(law)) {}

  /// The ratio of the densities less one at q = r².
  double excess(double q) const {
    double sum = law_.small ? 0.5 * (q - d_) * law_.mean : 0.0;
    for (const Excess::Point& point : law_.points) {
      const double x = point.x;
      if (!(x > -1.0)) {  // s = 0: all mass at the centre, none at q > 0
        sum -= point.weight;
        continue;
      }
      // ψ − (q−d)/2·x, of second order.
      const double bend = -0.5 * d_ * point.log1p_minus_x - 0.5 * q * x * x / (1.0 + x);
      const double psi = bend + 0.5 * (q - d_) * x;
      sum += point.weight * (law_.small ? exp_minus_line(psi) + bend : std::expm1(psi));
    }
    return sum;
  }

  /// The derivative of `excess`, which increases.
  double slope(double q) const {
    double sum = law_.small ? 0.5 * law_.mean : 0.0;
    for (const Excess::Point& point : law_.points) {
      const double x = point.x;
      if (!(x > -1.0)) continue;
      const double factor = 0.5 * x / (1.0 + x);
      const double psi =
          -0.5 * d_ * point.log1p_minus_x - 0.5 * q * x * x / (1.0 + x) + 0.5 * (q - d_) * x;
      sum += point.weight *
             (law_.small ? factor * std::expm1(psi) - factor * x : factor * std::exp(psi));
    }
    return sum;
  }

 private:
  double d_;
  Excess law_;
};

/// Where an increasing `function` changes its sign, to 45 halvings.
template <class Function>
double crossing(double low, double high, Function&& function) {
  for (int i = 0; i < 45; ++i) {
    const double middle = 0.5 * (low + high);
    (function(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double total_variation(double d, double bbar, double mean) {
  const DensityRatio ratio(d, excess_law(d, bbar, mean));
  // The radius of N(0, I) is within 14 of sqrt(d) but for a probability below e^(−90).
  constexpr double kReach = 14.0;
  const double root = std::sqrt(d);
  const double least = std::max(0.0, root - kReach);
  const double greatest = root + kReach;
  const double bottom =
      crossing(least * least, greatest * greatest, [&](double q) { return ratio.slope(q); });
  if (!(ratio.excess(bottom) < 0.0)) return 0.0;
  // Where the difference does not change its sign on a side, the crossing found is that side's end.
  const double left =
      std::sqrt(crossing(least * least, bottom, [&](double q) { return -ratio.excess(q); }));
  const double right =
      std::sqrt(crossing(bottom, greatest * greatest, [&](double q) { return ratio.excess(q); }));
  const auto difference = [&](double r) {
    const double q = r * r;
    return -r * boost::math::gamma_p_derivative(0.5 * d, 0.5 * q) * ratio.excess(q);
  };
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 31>;
  constexpr double kTolerance = 1e-10;
  constexpr unsigned kDepth = 10;
  const int panels = static_cast<int>(std::ceil((right - left) / 2.0));
  const double width = (right - left) / panels;
  double sum = 0.0;
  for (int i = 0; i < panels; ++i) {
    sum += Quadrature::integrate(difference, left + i * width, left + (i + 1) * width, kDepth,
                                 kTolerance);
  }
  return std::min(1.0, sum * (1.0 + kStatedError));
}

double checked_dimension(std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  if (!(d >= 1.0 && d <= kGreatestDimension)) {
    throw InvalidInput(
        fmt::format("the dimension must be from 1 to 1000000, but is {}", dimension));
  }
  return d;
}

double checked_scale(double bbar) {
  require_between("the noise's scale over n", bbar, 0.0, kGreatestScale);
  return bbar;
}

double checked_variance(double variance) {
  if (!(variance >= 0.0 && variance <= kGreatestVariance)) {
    throw InvalidInput(fmt::format("the variance must be from 0 to 1e6, but is {}", variance));
  }
  return variance;
}

}  // namespace

double gaussian_laplace_total_variation(std::size_t dimension, double bbar, double rest) {
  const double d = checked_dimension(dimension);
  if (checked_scale(bbar) == 0.0 && checked_variance(rest) == 0.0) {
    throw InvalidInput("a law of variance 0 has no density, but both scales are 0");
  }
  // rest − 1 + (d+1)·bbar², whose rounding would be all that is seen where it nearly vanishes.
  const double square = bbar * bbar;
  const double square_error = std::fma(bbar, bbar, -square);
  const double product = (d + 1.0) * square;
  const double product_error = std::fma(d + 1.0, square, -product) + (d + 1.0) * square_error;
  const double offset = checked_variance(rest) - 1.0;  // exact from one half to two
  const double sum = offset + product;
  const double part = sum - offset;
  const double sum_error = (offset - (sum - part)) + (product - part);
  return total_variation(d, bbar, sum + (sum_error + product_error));
}

double moment_matched_total_variation(std::size_t dimension, double bbar) {
  const double d = checked_dimension(dimension);
  if (!((d + 1.0) * checked_scale(bbar) * bbar <= 1.0)) {
    throw InvalidInput(
        fmt::format("(d + 1) bbar^2 must be at most 1 for the second moment to be matched, but is "
                    "{}",
                    (d + 1.0) * bbar * bbar));
  }
  return total_variation(d, bbar, 0.0);
}

double scaled_gaussian_total_variation(std::size_t dimension, double variance) {
  const double d = checked_dimension(dimension);
  if (variance > kGreatestVariance) return 1.0;
  if (checked_variance(variance) == 0.0) return 1.0;
  return total_variation(d, 0.0, variance - 1.0);
}

}  // namespace mollify
