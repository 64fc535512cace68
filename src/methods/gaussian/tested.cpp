#include "methods/gaussian/tested.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

#include "accounting/gaussian.h"
#include "accounting/lattice.h"
#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "kernel/clipped_sums.h"
#include "kernel/coins.h"
#include "kernel/noise.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Propose, test, release: the promise of a run's integers.

namespace {

/// s^2 of the proof, in cells: the part of the covariance that hides the lattice.
constexpr std::uint64_t kHidingVariance = 4;
constexpr std::uint64_t kGreatestMoment = std::uint64_t{1} << 62;
constexpr std::uint64_t kMostRunRecords = std::uint64_t{1} << 39;
/// Of p^2.
constexpr double kLeastSquare = 1e-14, kGreatestSquare = 1e2;

double wide_down(uint128 value) { return std::nextafter(static_cast<double>(value), 0.0); }

/// N, at most 2^62.
std::uint64_t greatest_move(const TestedRun& run) {
  return 4 * run.radius * run.radius * (run.records - 1);
}

double scale_up(Ratio scale) {
  return div_up(integer_up(scale.numerator), integer_down(scale.denominator));
}
double scale_down(Ratio scale) {
  return div_down(integer_down(scale.numerator), integer_up(scale.denominator));
}

/// P(Z >= j) = e^(-j/b)/(1 + e^(-1/b)), j >= 1.
double noise_tail_up(Ratio scale, double j) {
  const double least_scale = scale_down(scale), greatest_scale = scale_up(scale);
  return div_up(exp_up(-div_down(j, greatest_scale)),
                1 + exp_down(-div_up(1, least_scale)) * (1 - 0x1p-50));
}

/// An integer j of P(Z >= j) <= delta, the least up to rounding.
double noise_reach_up(Ratio scale, double delta) {
  const double rest = (1 + exp_down(-div_up(1, scale_down(scale)))) * (1 - 0x1p-50);
  const double logarithm = ln_up(div_up(1, -mul_up(-delta, rest)));
  return std::max(1.0, std::ceil(mul_up(scale_up(scale), std::max(0.0, logarithm))));
}

/// ceil(N/U)/b.
double test_epsilon_up(const TestedRun& run) {
  const std::uint64_t unit = run.unit();
  const std::uint64_t steps = (greatest_move(run) + unit - 1) / unit;
  return div_up(static_cast<double>(steps), scale_down(run.scale));
}

/// p^2; none if the test lets through what has none.
std::optional<double> spread_up(const TestedRun& run, double delta) {
  const double reach = noise_reach_up(run.scale, delta);
  if (!(reach < 0x1p62) || run.threshold + 1 <= static_cast<std::uint64_t>(reach)) {
    return std::nullopt;
  }
  const uint128 passed =
      static_cast<uint128>(run.threshold + 1 - static_cast<std::uint64_t>(reach)) * run.unit();
  const uint128 taken =
      greatest_move(run) + static_cast<uint128>(kHidingVariance) * run.records * run.records;
  if (passed <= taken) return std::nullopt;
  return div_up(integer_up(greatest_move(run)), wide_down(passed - taken));
}

/// 2 d ln((1 + eta)/(1 - eta)), twice ln r.
double lattice_loss_up(std::size_t dimension) {
  return 4.1 * static_cast<double>(dimension) *
         lattice_ripple_up(static_cast<double>(kHidingVariance));
}

/// Epsilon that neither the test nor e1 is.
double other_epsilon_up(std::size_t dimension, std::uint64_t records, double square) {
  const double narrower = 0.5 * std::log1p(square) * (1 + 0x1p-48);
  const double shift = div_up(0.5, integer_down(records - 1));
  return add_up(add_up(narrower, shift), lattice_loss_up(dimension));
}

/// Whether the release keeps delta where all of the release has this epsilon.
bool release_keeps(std::size_t dimension, std::uint64_t records, double square, double epsilon,
                   double delta) {
  if (!(square <= kGreatestSquare)) return false;
  square = std::max(square, kLeastSquare);  // no smaller one is worse
  const double left = -add_up(other_epsilon_up(dimension, records, square), -epsilon);
  if (!(left >= 0)) return false;
  const double factor = 1 + 2 * lattice_loss_up(dimension) + 0x1p-50;
  return mul_up(wider_gaussian_excess_up(square, records, left), factor) <= delta;
}

}  // namespace

std::uint64_t TestedRun::unit() const { return (greatest_move(*this) + kSteps - 1) / kSteps; }

TestedRun tested_run(const GaussianDesign& design) {
  return {.dimension = design.request.dimension,
          .records = design.run_records,
          .radius = design.lattice_radius,
          .scale = design.noise,
          .threshold = design.threshold};
}

void check_tested_run(const TestedRun& run) {
  require_between({"the dimension of a tested run", "dimension"}, run.dimension, 1,
                  TestedRun::kMostDimensions);
  require_between({"the records of a tested run", "n", "records"}, run.records, 2, kMostRunRecords);
  require_between({"the radius of a tested run", ""}, run.radius, 1,
                  ClippedMoments::kGreatestRadius);
  require_between({"the threshold of a tested run", ""}, run.threshold, 1, kGreatestMoment);
  refuse_if(
      uint128{7} * run.records * run.radius * run.radius > kGreatestMoment, "out-of-range",
      "radius",
      "the moments of {} records of radius {} do not fit into 64 bits: the radius must be smaller",
      run.records, run.radius);
}

/// The ratio of densities exceeds e^epsilon outside of -h -+ w, h = 1/(p sqrt(n - 1)) and
/// w^2 = h^2 + 1/(n - 1) + (1 + 1/p^2) (ln(1 + p^2) + 2 epsilon). For ends that enclose these the
/// excess is at most P outside of the inner ones less e^epsilon Q outside of the outer ones.
double wider_gaussian_excess_up(double square, std::uint64_t records, double epsilon) {
  require_between({"the square of a spread", ""}, square, kLeastSquare, kGreatestSquare);
  require_between("epsilon", epsilon, 0, 1e6);
  const auto rest = static_cast<double>(records - 1);
  const double mean = std::sqrt(square / rest), deviation = std::sqrt(1 + square);
  const double middle = 1 / std::sqrt(square * rest);
  const double half =
      std::sqrt(middle * middle + 1 / rest + (1 + 1 / square) * (std::log1p(square) + 2 * epsilon));
  const double low = -middle - half, high = half - middle;
  const double slack = 0x1p-44 * (middle + half + mean);
  const double of_wider = add_up(normal_cdf_up((low - mean) / deviation + slack),
                                 normal_cdf_up((mean - high) / deviation + slack));
  const double of_standard = normal_cdf_down(low - slack) + normal_cdf_down(-high - slack);
  const double taken = -mul_up(-exp_down(epsilon), of_standard * (1 - 0x1p-50));
  return std::clamp(add_up(of_wider, -taken), 0.0, 1.0);
}

bool tested_run_keeps(const TestedRun& run, double epsilon, double delta) {
  const std::optional<double> square = spread_up(run, delta);
  if (!square || !(delta > 0)) return false;
  const double left = -add_up(test_epsilon_up(run), -epsilon);
  return release_keeps(run.dimension, run.records, *square, left, delta);
}

// -----------------------------------------------------------------------------------------------
// How far a run that passes is from the records' Gaussian.

/// With x = v - 1, of mean 0 and variance q = 2 (n - 1)/n^2, and x' another such number, the
/// chi-squared distance of the mixture from N(0, I) is E (1 - x x')^(-d/2) - 1. Where |x| <= t, of
/// probability at least 1 - 2 e^-y for t = (2 sqrt((n - 1) y) + 2 y)/n [Laurent, Massart 2000], the
/// power is at most 1 + (d/2) x x' + (d/4)(d/2 + 1) (1 - t^2)^(-d/2 - 2) (x x')^2. Given that, x
/// has a mean of at most sqrt(q 2 e^-y)/(1 - 2 e^-y) in size. Total variation is at most half the
/// root.
double resampled_gaussian_error_up(std::size_t dimension, std::uint64_t records) {
  const double half = static_cast<double>(dimension) / 2;
  const auto n = static_cast<double>(records);
  const double variance = 2 * (n - 1) / (n * n);
  double best = 1;
  for (const double y : {5., 10., 20., 40., 80.}) {
    const double beyond = 2 * std::exp(-y);
    const double reach = (2 * std::sqrt((n - 1) * y) + 2 * y) / n;
    if (reach >= 1) continue;
    const double mean = variance * beyond / ((1 - beyond) * (1 - beyond));
    const double square = variance / (1 - beyond);
    const double curvature =
        half * (half + 1) / 2 * std::exp(-(half + 2) * std::log1p(-reach * reach));
    best = std::min(best, beyond + std::sqrt(half * mean + curvature * square * square) / 2);
  }
  return std::min(1.0, best * (1 + 0x1p-30));
}

namespace {

/// The root of S/n's least eigenvalue, in deviations, is below 1 - this with probability at most
/// e^(-t^2/2) for n Gaussian records [Davidson, Szarek 2001].
double eigenvalue_root_down(std::size_t dimension, std::uint64_t records, double t) {
  const auto n = static_cast<double>(records);
  return (std::sqrt(n - 1) - std::sqrt(static_cast<double>(dimension)) - t) / std::sqrt(n) *
         (1 - 0x1p-40);
}

/// t of that theorem: the test's failures are bounded by the best of them.
constexpr std::array<double, 12> kTails = {1, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 8, 12};

/// Rounding to the lattice takes sqrt(d)/2 cells of the root at most.
double rounded_root_down(const GaussianDesign& design, double root) {
  return std::ldexp(root, -design.step_exponent) -
         std::sqrt(static_cast<double>(design.request.dimension)) / 2;
}

/// What rounding and smoothing add. Proof: docs/theory/gaussian-proofs.md.
double tested_lattice_error_up(const GaussianDesign& design) {
  constexpr double kTail = 8;
  constexpr double kSmoothing = 2;  // the variance of the public noise, in cells
  const auto d = static_cast<double>(design.request.dimension);
  const auto n = static_cast<double>(design.run_records);
  const double cells = std::ldexp(1, -design.step_exponent);  // in a deviation
  const double root = eigenvalue_root_down(design.request.dimension, design.run_records, kTail);
  const double least = root * cells, rounded = rounded_root_down(design, root);
  if (!(rounded >= 4 && least >= 2 * std::sqrt(d))) return 1;
  const double mean = std::sqrt(d / (4 * n)) / (least * std::sqrt(2 * std::numbers::pi));
  const double moved =
      d * cells * std::sqrt(design.request.covariance_bound / n) * (1 + 1 / std::sqrt(n)) + d / 4;
  const double wider = std::sqrt(d) / 2 * kSmoothing / (rounded * rounded);
  const double ripple = lattice_ripple_up(1 / (1 / kSmoothing + 1 / (rounded * rounded)));
  const double sum = std::exp(-kTail * kTail / 2) + mean + moved / (2 * least * least) + wider +
                     std::expm1(3 * d * ripple);
  return std::min(1.0, sum * (1 + 0x1p-30));
}

}  // namespace

double test_failure_up(const GaussianDesign& design) {
  const TestedRun run = tested_run(design);
  const auto n = static_cast<double>(run.records);
  double least = 1;
  for (const double t : kTails) {
    const double rounded =
        rounded_root_down(design, eigenvalue_root_down(run.dimension, run.records, t));
    if (!(rounded > 0)) continue;
    const double eigenvalue =
        std::floor(n * n * rounded * rounded / static_cast<double>(run.unit()) * (1 - 0x1p-40));
    const double above = eigenvalue - static_cast<double>(run.threshold) + 1;
    if (!(above >= 1)) continue;
    least = std::min(least, std::exp(-t * t / 2) * (1 + 0x1p-40) + noise_tail_up(run.scale, above));
  }
  return least;
}

bool settle_tested_run(GaussianDesign& design) {
  if (design.step_exponent > -4 || design.run_records < 2) return false;
  design.public_variance = std::ldexp(2, 2 * design.step_exponent);
  design.total_variation.shape = std::min(
      1.0, add_up(test_failure_up(design),
                  resampled_gaussian_error_up(design.request.dimension, design.run_records)));
  design.total_variation.lattice = tested_lattice_error_up(design);
  return true;
}

// -----------------------------------------------------------------------------------------------
// Test and draw, exactly.

namespace {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

/// The lower half of a symmetric matrix, by rows.
using LowerHalf = std::vector<std::vector<Integer>>;

/// Step k of elimination without fractions: each entry becomes a minor, and every division is exact
/// (Bareiss 1968). `before` is the pivot before.
void eliminate(LowerHalf& matrix, std::size_t k, const Integer& before) {
  for (std::size_t i = k + 1; i < matrix.size(); ++i) {
    for (std::size_t j = k + 1; j <= i; ++j) {
      matrix[i][j] = (matrix[i][j] * matrix[k][k] - matrix[i][k] * matrix[j][k]) / before;
    }
  }
}

/// Below a pivot of 0 a positive semidefinite matrix has zeros alone.
bool is_zero_below(const LowerHalf& matrix, std::size_t k) {
  return std::all_of(matrix.begin() + static_cast<std::ptrdiff_t>(k), matrix.end(),
                     [k](const std::vector<Integer>& row) { return row[k].is_zero(); });
}

Natural natural_of(const Integer& value) {
  constexpr unsigned kDigits = 64;
  Natural result;
  const std::size_t length = value.is_zero() ? 0 : msb(value) / kDigits + 1;
  for (std::size_t i = length; i-- > 0;) {
    const auto digits = static_cast<std::uint64_t>((value >> (kDigits * i)) &
                                                   std::numeric_limits<std::uint64_t>::max());
    result = (result << kDigits) + Natural(digits);
  }
  return result;
}

/// A ratio as the exponent of a coin (kernel/coins.h).
struct LongFraction {
  Integer numerator;
  Integer denominator;

  [[nodiscard]] detail::ExpBracket bracket() const {
    const Integer scaled_down = (numerator << 64) / denominator;
    const Integer whole = scaled_down >> 64;
    if (whole >= detail::kFirstEmptyWhole) return {0, 0};
    return detail::exp_minus(
        {static_cast<std::uint64_t>(whole),
         static_cast<std::uint64_t>(scaled_down & std::numeric_limits<std::uint64_t>::max()), 1});
  }
  [[nodiscard]] Natural scaled(std::size_t bits) const {
    return natural_of((numerator << bits) / denominator);
  }
};

/// floor(value / divisor) for divisor > 0.
Integer floor_divided(const Integer& value, const Integer& divisor) {
  const Integer quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1 : quotient;
}

/// An integer z with P(z) proportional to e^(-(z - c)^2/(2 v)), c = centre/unit, v =
/// variance/unit^2, unit and variance positive.
///
/// Proof. Let c = k + f with the nearest integer k and t a natural number. A candidate x has P(x)
/// proportional to e^(-|x|/t) and is kept with probability e^-E,
///
///     E = (|x| - v/t - f sgn x)^2/(2 v) + (|f| - f sgn x)/t >= 0,
///
/// and |x|/t + E = (x - f)^2/(2 v) + v/(2 t^2) + |f|/t, whatever x is. So k + x has the law. With
/// F = f unit and everything over 2 variance unit^2 t^2 both are integers. t near sqrt(v) keeps
/// most candidates; every t gives the law. If v <= 1 it keeps few, and t = 1 with
///
///     E = (x^2 - 2 x f)/(2 v) - |x| + 1
///
/// replaces it. That is at least 0, because x^2 - 2 x f >= m (m - 1) for m = |x|, and
/// m (m - 1)/(2 v) - m + 1 = (m - 1) (m/(2 v) - 1). QED
Integer discrete_gaussian(const Integer& centre, const Integer& unit, const Integer& variance,
                          SecureRandom& random) {
  const Integer nearest = floor_divided(2 * centre + unit, 2 * unit);
  const Integer off = centre - nearest * unit;
  const bool is_narrow = variance <= unit * unit;
  const Integer root = is_narrow ? Integer(1) : Integer(sqrt(variance / (unit * unit)) + 1);
  const auto t = static_cast<std::uint64_t>(std::min(root, Integer(std::uint64_t{1} << 39)));
  const DiscreteLaplace candidates(Ratio{t, 1});
  const Integer unit_t = unit * t;
  LongFraction excess{0, is_narrow ? Integer(2 * variance) : 2 * variance * unit_t * unit_t};
  for (;;) {
    const int128 candidate = candidates.draw_exact(random);
    const Integer x(candidate);
    const Integer size = abs(x), aligned = candidate < 0 ? Integer(-off) : off;
    if (is_narrow) {
      excess.numerator = size * unit * (size * unit - 2 * aligned) + 2 * variance * (1 - size);
    } else {
      const Integer distance = size * unit * unit_t - variance - aligned * unit_t;
      excess.numerator = distance * distance + 2 * variance * unit_t * (abs(off) - aligned);
    }
    if (detail::is_below_exp_minus(excess, random)) return nearest + x;
  }
}

/// A point's coordinate, cut to 64 bits; records of any size stay far within them.
std::int64_t in_64_bits(const Integer& value) {
  const Integer limit(kGreatestMoment);
  return static_cast<std::int64_t>(std::clamp(value, Integer(-limit), limit));
}

}  // namespace

RunScatter::RunScatter(std::uint64_t records, std::size_t dimension,
                       std::span<const std::int64_t> entries)
    : records_(records), sums_(dimension), scatter_(dimension * dimension) {
  // (0, 0), (0, 1), ..., (0, d), (1, 1), ...: squares five times, products and sums seven times.
  std::size_t entry = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = i; j < dimension; ++j) {
      const std::int64_t product = entries[entry++] / (i == j ? 5 : 7);
      scatter_[i * dimension + j] = static_cast<int128>(records) * product;
    }
    sums_[i] = entries[entry++] / 7;
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = i; j < dimension; ++j) {
      scatter_[i * dimension + j] -= static_cast<int128>(sums_[i]) * sums_[j];
      scatter_[j * dimension + i] = scatter_[i * dimension + j];
    }
  }
}

namespace {

LowerHalf lower_half(std::span<const int128> matrix, std::size_t dimension) {
  LowerHalf half(dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = 0; j <= i; ++j) half[i].emplace_back(matrix[i * dimension + j]);
  }
  return half;
}

}  // namespace

/// A matrix is positive semidefinite if and only if elimination without exchanges meets no negative
/// pivot, and zeros alone below each pivot of 0, which it then leaves out.
bool RunScatter::reaches(int128 times, std::uint64_t unit) const {
  LowerHalf matrix = lower_half(scatter_, sums_.size());
  const Integer taken = Integer(times) * unit;
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i][i] -= taken;
  Integer before = 1;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    if (matrix[k][k] < 0) return false;
    if (matrix[k][k].is_zero()) {
      if (!is_zero_below(matrix, k)) return false;
      continue;
    }
    eliminate(matrix, k, before);
    before = matrix[k][k];
  }
  return true;
}

/// Let y = n z - s, of covariance A, p_k the leading minors of A (p_0 = 1), and b_ik the entries of
/// column k when it is eliminated. Elimination takes a column y along: it becomes
///
///     w_i = p_(i-1) (y_i - the mean of y_i given those before it),
///
/// which is found for y_i = 0 before y_i is drawn: that is -p_(i-1) times the mean, an integer. So
/// given the coordinates before it z_i has the mean (s_i p_(i-1) - w_i)/(n p_(i-1)) and, the
/// variance of y_i being p_i/p_(i-1), the variance p_i p_(i-1)/(n p_(i-1))^2.
std::vector<std::int64_t> RunScatter::draw(SecureRandom& random) const {
  const std::size_t d = sums_.size();
  LowerHalf matrix = lower_half(scatter_, d);
  std::vector<Integer> column(d);
  std::vector<std::int64_t> point(d);
  Integer before = 1;
  for (std::size_t k = 0; k < d; ++k) {
    const Integer pivot = matrix[k][k];
    const Integer unit = before * records_, centre = before * sums_[k] - column[k];
    if (pivot <= 0) {
      point[k] = in_64_bits(floor_divided(2 * centre + unit, 2 * unit));
      continue;
    }
    const Integer z = discrete_gaussian(centre, unit, pivot * before, random);
    point[k] = in_64_bits(z);
    const Integer drawn = column[k] + before * (z * records_ - sums_[k]);
    eliminate(matrix, k, before);
    for (std::size_t i = k + 1; i < d; ++i) {
      column[i] = (column[i] * pivot - matrix[i][k] * drawn) / before;
    }
    before = pivot;
  }
  return point;
}

std::optional<std::vector<std::int64_t>> draw_tested_run(const TestedRun& run,
                                                         std::span<const std::int64_t> entries,
                                                         SecureRandom& random) {
  const RunScatter scatter(run.records, run.dimension, entries);
  const int128 noise = DiscreteLaplace(run.scale).draw_exact(random);
  if (!scatter.reaches(static_cast<int128>(run.threshold) - noise, run.unit())) return std::nullopt;
  return scatter.draw(random);
}

// -----------------------------------------------------------------------------------------------
// The design of a run that is tested.

namespace {

/// How epsilon is split, and the greatest p^2 that the release's part allows.
struct Split {
  double of_test;
  double square;
};

std::vector<Split> splits(const GaussianRequest& request, std::uint64_t records, double delta) {
  constexpr double kEasy = 1e-12;
  std::vector<Split> found;
  for (const double share : {.2, .3, .4, .45, .5, .55, .6, .65, .7, .75, .8, .85, .9}) {
    const double of_release = (1 - share) * request.budget.epsilon;
    const auto keeps = [&](double square) {
      return release_keeps(request.dimension, records, square, of_release, delta);
    };
    if (!keeps(kEasy)) continue;
    found.push_back({share * request.budget.epsilon,
                     halve_ratio({.serves = kEasy, .fails = 50}, 1 + 0x1p-20, keeps)});
  }
  return found;
}

/// How likely the test is to fail, about, for B in deviations.
double failure_at(const GaussianDesign& design, const Split& split, double radius, double delta) {
  const double move = 4 * radius * radius / static_cast<double>(design.run_records);
  const double scale = move / split.of_test;
  const double threshold = move / split.square + move + scale * std::log(1 / (2 * delta));
  double least = 1;
  for (const double t : kTails) {
    const double root = eigenvalue_root_down(design.request.dimension, design.run_records, t);
    const double above = root * root - threshold;
    if (root > 0 && above > 0) {
      least = std::min(least, std::exp(-t * t / 2) + std::exp(-above / scale) / 2);
    }
  }
  return least;
}

}  // namespace

bool design_tested_run(GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  const auto n = static_cast<double>(design.run_records);
  if (request.dimension > TestedRun::kMostDimensions || design.run_records < 2) return false;
  const WhitenedRecords records{request.dimension, design.mean_radius, request.covariance_bound};
  const double least = clip_radius_up(records, design.run_records, 0.5);
  if (!(4 * least * least / n < 0.5)) return false;
  const double greatest = clip_radius_up(records, design.run_records, 1e-12);

  const double delta = request.budget.delta * kRoomForRounding;
  const std::vector<Split> all = splits(request, design.run_records, delta);
  double total = 1, radius = 0;
  const Split* split = nullptr;
  constexpr int kParts = 10;
  std::pair<double, double> range = {least, greatest};
  for (int round = 0; round < 3; ++round) {
    const double factor = std::pow(range.second / range.first, 1. / kParts);
    double at = range.first;
    for (int i = 0; i <= kParts; ++i, at *= factor) {
      std::vector<double> failures(all.size());
      std::transform(all.begin(), all.end(), failures.begin(),
                     [&](const Split& one) { return failure_at(design, one, at, delta); });
      const auto is_less = [&](double failure) { return failure < total; };
      if (std::none_of(failures.begin(), failures.end(), is_less)) continue;
      const double clip = any_clip_probability_up(records, design.run_records, at);  // costs most
      for (std::size_t j = 0; j < all.size(); ++j) {
        const double found = clip + failures[j];
        if (found >= total) continue;
        total = found;
        radius = at;
        split = &all[j];
      }
    }
    range = {radius / factor, radius * factor};
    if (split == nullptr) return false;
  }

  const double half_diagonal = std::sqrt(static_cast<double>(request.dimension)) / 2;
  const double cells = std::floor(
      std::min(static_cast<double>(ClippedMoments::kGreatestRadius),
               std::sqrt(static_cast<double>(kGreatestMoment) / (7 * n)) * (1 - 0x1p-40)));
  if (!(cells > half_diagonal + 2)) return false;
  design.weights = {design.run_records, 0, design.run_records};
  design.step_exponent =
      static_cast<int>(std::ceil(std::log2(radius / (cells - half_diagonal - 1))));
  design.lattice_radius = static_cast<std::uint64_t>(
      std::ceil(std::ldexp(radius, -design.step_exponent) + half_diagonal));
  const double scale = div_up(static_cast<double>(TestedRun::kSteps), split->of_test);
  if (scale > DiscreteLaplace::kGreatestScale / 2) return false;
  design.noise = Ratio::at_least({"the scale of the test's noise", "scale"}, scale);

  // f U - N - 4 n^2 >= N/p^2, and the reach of the noise on top.
  TestedRun run = tested_run(design);
  const auto move = static_cast<double>(greatest_move(run));
  const double passed =
      (move / split->square + move + kHidingVariance * n * n) / static_cast<double>(run.unit());
  double threshold = std::ceil(passed) + noise_reach_up(run.scale, delta) - 1;
  for (int i = 0; i < 30; ++i) {  // beyond what rounding can be off
    if (!(threshold >= 1 && threshold < 0x1p61)) return false;
    design.threshold = run.threshold = static_cast<std::uint64_t>(threshold);
    if (tested_run_keeps(run, request.budget.epsilon, delta)) return true;
    threshold += 1 + std::ldexp(threshold, i - 45);
  }
  return false;
}

}  // namespace mollify
