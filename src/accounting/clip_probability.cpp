#include "accounting/clip_probability.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

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
    constexpr double kWidest = 0.5;
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
    std::vector<double> heights(ends.size());
    std::transform(ends.begin(), ends.end(), heights.begin(),
                   [this](double e) { return integrand(e); });
    const double highest = *std::max_element(heights.begin(), heights.end());
    const auto function = [this](double e) { return integrand(e); };
    double sum = 0.0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      // A panel whose ends are this low holds nothing: the integrand is smooth at that scale.
      if (std::max(heights[i], heights[i + 1]) < 1e-18 * highest) continue;
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
  require_between("the dimension", records.dimension, 1, 1'000'000);
  if (!(records.mean_norm >= 0.0 && records.mean_norm <= kGreatestArgument)) {
    throw InvalidInput(fmt::format("the bound on the mean's norm must be from 0 to 1e6, but is {}",
                                   records.mean_norm));
  }
  if (!(records.covariance_bound >= 1.0 && records.covariance_bound <= 1e12)) {
    throw InvalidInput(fmt::format("the covariance bound must be from 1 to 1e12, but is {}",
                                   records.covariance_bound));
  }
}

void require_count_and_beta(std::uint64_t count, double beta) {
  if (count == 0) throw InvalidInput("the number of records must be at least 1, but is 0");
  if (!(beta < 1.0 && beta / static_cast<double>(count) >= 1e-290)) {
    throw InvalidInput(fmt::format(
        "the probability of clipping anything must be below 1 and at least 1e-290 for each record, "
        "but is {}",
        beta));
  }
}

}  // namespace

double clip_probability_up(const WhitenedRecords& records, double radius) {
  require_records(records);
  if (!(radius > 0.0) || std::isinf(radius)) {
    throw InvalidInput(
        fmt::format("the clipping radius must be finite and positive, but is {}", radius));
  }
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
  if (count == 0) throw InvalidInput("the number of records must be at least 1, but is 0");
  const double all = add_up(static_cast<double>(count), 1.0);  // the conversion rounds to nearest
  const double each = clip_probability_up(records, radius);
  return std::min(1.0, mul_up(count < (1ULL << 53) ? static_cast<double>(count) : all, each));
}

double clip_radius_up(const WhitenedRecords& records, std::uint64_t count, double beta) {
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
  while (at_high > 0.0) {  // the papers' radius does, but for rounding
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

}  // namespace mollify
