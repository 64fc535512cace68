#include "accounting/lattice.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>

#include "accounting/composition.h"
#include "accounting/gaussian.h"
#include "accounting/kept_searches.h"
#include "base/directed_rounding.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What the lattice adds to a Gaussian sampler's total variation.

namespace {

// More than all the roundings of the short formulas below.
constexpr double kSlack = 1.0 + 0x1p-46;
constexpr double kPi = 3.14159265358979323846;

double positive(const Called& name, double value) {
  require_in(kPositive, name, value);
  return value;
}

double at_least_zero(const Called& name, double value) {
  require_in(kNotNegative, name, value);
  return value;
}

double positive_dimension(std::size_t dimension) {
  return positive({"the dimension", "dimension"}, static_cast<double>(dimension));
}

double checked_norm(double rounding_norm) {
  return at_least_zero({"the rounding errors' norm", ""}, rounding_norm);
}

}  // namespace

double lattice_gaussian_error_up(std::size_t dimension, double variance, double rounding_norm) {
  const double d = positive_dimension(dimension);
  positive({"the variance", "variance"}, variance);
  checked_norm(rounding_norm);
  if (variance < 0x1p-10) return 1.0;
  const double sigma = std::sqrt(variance);
  const double noise =
      std::sqrt(d) * (1.0 / (std::sqrt(32.0) * sigma) + 0.5 * lattice_ripple_up(variance));
  const double rounding = rounding_norm / (sigma * std::sqrt(2.0 * kPi));
  return std::min(1.0, (noise + rounding) * kSlack);
}

double lattice_laplace_error_up(std::size_t dimension, double scale, double public_deviation,
                                double rounding_norm) {
  const double d = positive_dimension(dimension);
  positive({"the scale", "scale"}, scale);
  at_least_zero({"the public deviation", ""}, public_deviation);
  checked_norm(rounding_norm);
  const double half_square = 0.5 * public_deviation * public_deviation / kSlack;
  if (half_square < 0x1p-10) return 1.0;
  const double exponent = (d + 1.0) * std::log(0.6753 / scale);
  // The relative error of the power is its exponent's.
  const double points = 0.3656 * d * std::exp(exponent + std::abs(exponent) * 0x1p-50);
  const double ripple = std::expm1(d * lattice_ripple_up(half_square));
  const double rounding = rounding_norm / (public_deviation * std::sqrt(2.0 * kPi));
  return std::min(1.0, (points + ripple + rounding) * kSlack);
}

// -----------------------------------------------------------------------------------------------
// What discrete Gaussian noise on Z^d promises.

namespace {

constexpr double kLeastVariance = 0x1p-10;
constexpr double kGreatestNoiseVariance = 0x1p100;

double root_down(double x) { return std::nextafter(std::sqrt(x), 0.0); }

void require_variance(double variance) {
  refuse_if(!(variance >= kLeastVariance && variance <= kGreatestNoiseVariance), "out-of-range",
            "variance", "the noise's variance must be from 2^-10 to 2^100 lattice units, but is {}",
            variance);
}

void require_sensitivity(double sensitivity) {
  refuse_if(!(sensitivity >= 0x1p-60 && sensitivity <= 0x1p50), "out-of-range", "sensitivity",
            "the sensitivity must be from 2^-60 to 2^50 lattice units, but is {}", sensitivity);
}

void require_curve(std::size_t dimension, double epsilon) {
  require_between({"the dimension", "dimension"}, dimension, 1, 1'000'000);
  require_in(kNotNegative, "epsilon", epsilon);
}

/// gaussian_delta_up on all of mu ≥ 0, epsilon ≥ 0: the curve grows with mu and falls with epsilon.
double curve_up(double mu, double epsilon) {
  if (mu > 1000.0) return 1.0;
  return gaussian_delta_up(std::max(mu, 1e-6), std::min(epsilon, 1e6));
}

}  // namespace

double lattice_ripple_up(double variance) {
  refuse_if(!(variance >= kLeastVariance), "out-of-range", "variance",
            "the variance must be at least 2^-10, but is {}", variance);
  constexpr double kTwoPiSquaredDown = 19.7392088021787;
  const double first = exp_up(mul_up(-kTwoPiSquaredDown, variance));
  // k² − 1 ≥ 3 (k − 1), so the sum is at most geometric.
  const double ratio = mul_up(first, mul_up(first, first));
  return div_up(mul_up(2.0, first), -add_up(ratio, -1.0));
}

double lattice_curve_up(double mu, double part, double dimension, double epsilon) {
  const double eta = lattice_ripple_up(part);
  if (!(eta < 0.5)) return 1.0;
  // ln(1 + η) ≤ η; −ln(1 − η) ≤ η/(1 − η).
  const double loss = mul_up(dimension, add_up(mul_up(2.0, eta), div_up(eta, -add_up(eta, -1.0))));
  const double factor = exp_up(mul_up(dimension, eta));
  const double reduced = -add_up(-epsilon, loss);
  const double delta = reduced >= 0.0 ? curve_up(mu, reduced)
                                      : add_up(curve_up(mu, 0.0), add_up(1.0, -exp_down(reduced)));
  return std::min(1.0, mul_up(factor, delta));
}

double lattice_gaussian_rho_up(double variance, double sensitivity) {
  require_variance(variance);
  require_sensitivity(sensitivity);
  return div_up(mul_up(sensitivity, sensitivity), 2.0 * variance);
}

double lattice_gaussian_delta_up(double variance, double sensitivity, std::size_t dimension,
                                 double epsilon) {
  require_variance(variance);
  require_sensitivity(sensitivity);
  require_curve(dimension, epsilon);
  const auto d = static_cast<double>(dimension);
  double least =
      std::min(1.0, concentrated_delta_up(lattice_gaussian_rho_up(variance, sensitivity), epsilon));
  for (const double part : {0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.5, 9.0}) {
    const double rest = -add_up(-variance, part);  // σ² − s², rounded down
    if (!(rest > 0.0)) continue;
    const double mu = div_up(sensitivity, root_down(rest));
    least = std::min(least, lattice_curve_up(mu, part, d, epsilon));
  }
  return least;
}

// -----------------------------------------------------------------------------------------------
// How likely it is that a Gaussian record lies outside the ball it is clipped to.

namespace {

constexpr double kStatedClipError = 1e-9;
constexpr double kLeastStated = 1e-300;
constexpr double kGreatestArgument = 1e6;

using Quietly = boost::math::policies::policy<
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;

/// P(χ² of `freedom` degrees > square).
double chi_squared_tail(double freedom, double square) {
  // Below one hundredth of the mean lies less than (0.01 e^0.99)^(freedom/2) < 1e−39, which the
  // library's series would overflow on.
  if (freedom > 50.0 && square < 0.01 * freedom) return 1.0;
  return square > 0.0 ? boost::math::gamma_q(0.5 * freedom, 0.5 * square, Quietly()) : 1.0;
}

double normal_tail(double z) { return 0.5 * std::erfc(z * std::sqrt(0.5)); }

/// The integral over |R + z| ≤ B of φ(z)·P(χ² of d−1 degrees > B² − (R+z)²), as a function of the
/// distance e = B − R − z from the sphere.
class InsideTail {
 public:
  InsideTail(double d, double mean, double radius) : d_(d), mean_(mean), radius_(radius) {}

  double integral() const {
    // Beyond |z| = 40 nothing is left: φ is below 1e−347 there, and for z < −40 either |R+z| ≤ R,
    // where the integrand is at most φ(z)·P(χ² > B² − R²), or z < −2R.
    constexpr double kReach = 40.0;
    const double nearest = std::max(0.0, radius_ - mean_ - kReach);
    const double farthest = std::min(2.0 * radius_, radius_ - mean_ + kReach);
    // Near the sphere the tail probability may change over any scale, so panels double from there;
    // further away over about one.
    std::vector<double> ends{nearest};
    constexpr double kWidest = 1.0;
    double width = std::min(kWidest, nearest > 0.0 ? kWidest : 0x1p-44 * (1.0 + radius_));
    while (ends.back() + width < farthest) {
      ends.push_back(ends.back() + width);
      width = std::min(kWidest, width * 2.0);
    }
    ends.push_back(farthest);
    // The other end of the diameter, where the same happens when it is within reach.
    if (farthest == 2.0 * radius_) {
      for (double w = 0.25; w > 0x1p-44 * (1.0 + radius_); w *= 0.5) {
        if (farthest - w > nearest) ends.push_back(farthest - w);
      }
      std::sort(ends.begin(), ends.end());
    }
    // About what each panel holds: the integrand is smooth at its scale.
    const auto function = [this](double e) { return integrand(e); };
    std::vector<double> weights;
    double height = function(ends[0]);
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const double before = std::exchange(height, function(ends[i]));
      weights.push_back(std::max(before, height) * (ends[i] - ends[i - 1]));
    }
    const double least = 1e-18 * *std::max_element(weights.begin(), weights.end());
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] < least) continue;
      sum += boost::math::quadrature::gauss<double, 20>::integrate(function, ends[i], ends[i + 1]);
    }
    return sum;
  }

 private:
  double integrand(double e) const {
    const double z = radius_ - mean_ - e;
    constexpr double kNormaliser = 0.39894228040143267794;
    return kNormaliser * std::exp(-0.5 * z * z) *
           chi_squared_tail(d_ - 1.0, e * (2.0 * radius_ - e));
  }

  double d_;
  double mean_;
  double radius_;
};

/// P(|N(mu, I)| > B), |mu| = R.
double tail(double d, double mean, double radius) {
  keep_going();
  // P(|x| > B) <= P(|z| > B - R), and P(|z| > sqrt(d) + t) <= e^(-t^2/2) for z ~ N(0, I): below
  // 1e-347 here. Greater radii would have more panels than memory.
  constexpr double kFarthest = 40.0;
  if (radius - mean > std::sqrt(d) + kFarthest) return kLeastStated;
  double probability = 0.0;
  if (mean == 0.0) {
    probability = chi_squared_tail(d, radius * radius);
  } else {
    probability = normal_tail(radius - mean) + normal_tail(radius + mean);
    if (d > 1.0) probability += InsideTail(d, mean, radius).integral();
  }
  return std::clamp(probability * (1.0 + kStatedClipError), kLeastStated, 1.0);
}

void require_records(const WhitenedRecords& records) {
  require_between({"the dimension", "dimension"}, records.dimension, 1, 1'000'000);
  require_between({"the bound on the mean's norm", "mean-bound"}, records.mean_norm, 0,
                  kGreatestArgument);
  require_between({"the covariance bound", "covariance-bound"}, records.covariance_bound, 1, 1e12);
}

void require_count_and_beta(std::uint64_t count, double beta) {
  require_in({.least = 1}, {"the number of records", "n", "records"}, count);
  refuse_if(!(beta < 1.0 && beta / static_cast<double>(count) >= 1e-290), "out-of-range", "beta",
            "the probability of clipping anything must be below 1 and at least 1e-290 for each "
            "record, but is {}",
            beta);
}

}  // namespace

double clip_probability_up(const WhitenedRecords& records, double radius) {
  require_records(records);
  require_in(kPositive, {"the clipping radius", "radius"}, radius);
  const auto d = static_cast<double>(records.dimension);
  if (records.covariance_bound == 1.0) return tail(d, records.mean_norm, radius);
  const double deviation = std::sqrt(records.covariance_bound);
  const double by_triangle =
      radius > records.mean_norm ? tail(d, 0.0, (radius - records.mean_norm) / deviation) : 1.0;
  const double by_symmetry = 2.0 * tail(d, records.mean_norm / deviation, radius / deviation);
  return std::min(by_triangle, by_symmetry);
}

double clip_probability_up(std::size_t dimension, double mean_norm, double radius) {
  return clip_probability_up(WhitenedRecords{dimension, mean_norm, 1.0}, radius);
}

double any_clip_probability_up(const WhitenedRecords& records, std::uint64_t count, double radius) {
  require_in({.least = 1}, {"the number of records", "n", "records"}, count);
  const double all = add_up(static_cast<double>(count), 1.0);  // the conversion rounds to nearest
  const double each = clip_probability_up(records, radius);
  return std::min(1.0, mul_up(count < (1ULL << 53) ? static_cast<double>(count) : all, each));
}

namespace {

double searched_clip_radius_up(const WhitenedRecords& records, std::uint64_t count, double beta) {
  const double paper = paper_clip_radius_up(records, count, beta);
  const auto excess = [&](double radius) {
    const double probability = any_clip_probability_up(records, count, radius);
    return std::log(std::max(probability, 1e-320)) - std::log(beta);
  };
  // The logarithm of a tail is close to a parabola, so that false position with halving of the
  // retained end needs few steps.
  double low = records.mean_norm;
  double high = paper;
  double at_low = -std::log(beta);
  double at_high = excess(high);
  while (at_high > 0.0) {  // the papers' radius does, except for rounding
    high += 1e-9 * (1.0 + high);
    at_high = excess(high);
  }
  const double precision = 1e-6 * (paper - records.mean_norm);
  for (int i = 0; i < 60 && high - low > precision; ++i) {
    double middle = high - at_high * (high - low) / (at_high - at_low) + 0.25 * precision;
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    const double value = excess(middle);
    if (value > 0.0) {
      low = middle;
      at_low = value;
      at_high *= 0.5;
    } else {
      high = middle;
      at_high = value;
      at_low *= 0.5;
    }
  }
  return high;
}

}  // namespace

double clip_radius_up(const WhitenedRecords& records, std::uint64_t count, double beta) {
  require_records(records);  // NaN would be equal to all that is kept
  require_count_and_beta(count, beta);
  static KeptSearches<6> kept;
  return kept.get(
      {static_cast<double>(records.dimension), records.mean_norm, records.covariance_bound,
       static_cast<double>(count >> 32U), static_cast<double>(count & 0xFFFFFFFFU), beta},
      [&] { return searched_clip_radius_up(records, count, beta); });
}

double paper_clip_radius_up(const WhitenedRecords& records, std::uint64_t count, double beta) {
  require_records(records);
  require_count_and_beta(count, beta);
  const double ratio = div_up(add_up(static_cast<double>(count), 0.0), beta);
  const auto root_up = [](double x) { return std::nextafter(std::sqrt(x), 2.0 * x + 1.0); };
  const double tail_part = root_up(mul_up(2.0, ln_up(ratio)));
  const double spread = add_up(root_up(static_cast<double>(records.dimension)), tail_part);
  const double deviation =
      records.covariance_bound == 1.0 ? 1.0 : root_up(records.covariance_bound);
  return add_up(records.mean_norm, mul_up(deviation, spread));
}

// -----------------------------------------------------------------------------------------------
// How far the output laws of the Gaussian samplers are from the Gaussian they represent.

namespace {

constexpr double kStatedError = 1e-9;
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

/// The place where an increasing `function` changes its sign, to 45 halvings.
template <class Function>
double crossing(double low, double high, Function&& function) {
  const Ends found = halve({.serves = low, .fails = high}, {.most = 45},
                           [&](double place) { return function(place) < 0.0; });
  return 0.5 * (found.serves + found.fails);
}

double total_variation(double d, double bbar, double mean) {
  keep_going();
  const DensityRatio ratio(d, excess_law(d, bbar, mean));
  // The radius of N(0, I) is within 14 of sqrt(d) except for a probability below e^(−90).
  constexpr double kReach = 14.0;
  const double root = std::sqrt(d);
  const double least = std::max(0.0, root - kReach);
  const double greatest = root + kReach;
  const double bottom =
      crossing(least * least, greatest * greatest, [&](double q) { return ratio.slope(q); });
  if (!(ratio.excess(bottom) < 0.0)) return 0.0;
  // If the difference does not change its sign on a side, the crossing found is that side's end.
  const double left =
      std::sqrt(crossing(least * least, bottom, [&](double q) { return -ratio.excess(q); }));
  const double right =
      std::sqrt(crossing(bottom, greatest * greatest, [&](double q) { return ratio.excess(q); }));
  const auto difference = [&](double r) {
    const double q = r * r;
    return -r * boost::math::gamma_p_derivative(0.5 * d, 0.5 * q, Quietly()) * ratio.excess(q);
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
  require_between({"the dimension", "dimension", "coordinates"}, dimension, 1, 1000000);
  return d;
}

double checked_scale(double bbar) {
  require_between({"the noise's scale over n", ""}, bbar, 0.0, kGreatestScale);
  return bbar;
}

double checked_variance(double variance) {
  require_between({"the variance", "variance"}, variance, 0, kGreatestVariance);
  return variance;
}

}  // namespace

double gaussian_laplace_total_variation(std::size_t dimension, double bbar, double rest) {
  const double d = checked_dimension(dimension);
  refuse_if(checked_scale(bbar) == 0.0 && checked_variance(rest) == 0.0, "out-of-range", "variance",
            "a law of variance 0 has no density, but both scales are 0");
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
    refuse_input("out-of-range", "bbar",
                 "(d + 1) bbar^2 must be at most 1 for the second moment to be matched, but is {}",
                 (d + 1.0) * bbar * bbar);
  }
  return total_variation(d, bbar, 0.0);
}

double scaled_gaussian_total_variation(std::size_t dimension, double variance) {
  const double d = checked_dimension(dimension);
  if (variance > kGreatestVariance) return 1.0;
  if (checked_variance(variance) == 0.0) return 1.0;
  return total_variation(d, 0.0, variance - 1.0);
}

// -----------------------------------------------------------------------------------------------
// How far apart two laws can be that a budget keeps close.

double total_variation_of_close_laws_up(double epsilon, double delta) {
  if (!(epsilon >= 0)) {  // infinity is one
    refuse_input("out-of-range", "epsilon", {}, {{"given", epsilon}, {"least", 0}},
                 "epsilon must not be negative, but is {}", epsilon);
  }
  require_between("delta", delta, 0, 1);
  // 1 - 2 (1 - delta)/(E + 1), which grows with E and delta.
  const double one_less_delta_down = -add_up(delta, -1);
  const double overlap_down = 2 * div_down(one_less_delta_down, add_up(exp_up(epsilon), 1));
  return std::fmin(1, add_up(1, -overlap_down));
}

}  // namespace mollify
