#include "methods/gaussian/design.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "base/directed_rounding.h"
#include "core/invalid_input.h"
#include "kernel/clipped_sums.h"
#include "methods/gaussian/sampler.h"
#include "methods/gaussian/tested.h"
#include "scores/linear_algebra.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How far two Gaussians are from each other.

double simulated_total_variation(const SharedGaussian& p, const SharedGaussian& q,
                                 std::size_t draws, SecureRandom& random) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const auto d = static_cast<Eigen::Index>(p.mean.size());
  const auto mean = [d](const SharedGaussian& of) {
    return Eigen::Map<const VectorXd>(of.mean.data(), d);
  };
  const auto factor = [d](const SharedGaussian& of) {
    return cholesky_factor(Eigen::Map<const MatrixXd>(of.covariance.data(), d, d));
  };
  const std::optional<MatrixXd> of_p = factor(p);
  const std::optional<MatrixXd> of_q = factor(q);
  if (!of_p || !of_q) return 1;
  // The place of q's standard coordinates in p's: y = turn z + shift.
  const MatrixXd turn = solve_lower(*of_q, *of_p);
  const VectorXd shift = solve_lower(*of_q, mean(p) - mean(q));
  const double log_determinant = turn.diagonal().array().log().sum();
  PublicNormals normals(random);
  VectorXd z(d);
  double sum = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (double& coordinate : z) coordinate = normals.draw();
    const VectorXd y = turn * z + shift;
    sum += std::max(0.0, -std::expm1(log_determinant + (z.squaredNorm() - y.squaredNorm()) / 2));
  }
  const double distance = sum / static_cast<double>(draws);
  return std::isfinite(distance) ? distance : 1;
}

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a Gaussian sampler.

namespace {

using Notion = Privacy::Notion;

constexpr std::uint64_t kMostGaussianRecords = std::uint64_t{1} << 39;
constexpr double kGreatestEpsilon = 100, kGreatestRho = 1000;

void validate(const GaussianRequest& request) {
  require_between("the number of outputs", request.outputs, 1, kMostGaussianOutputs);
  require_between("the number of records", request.records, 1, kMostGaussianRecords);
  require_between("the number of dimensions", request.dimension, 1, kMostGaussianDimensions);
  const Privacy& budget = request.budget;
  require_central_budget(budget);
  if (budget.notion == Notion::kConcentrated) {
    require_between("rho", budget.rho, 1e-12, kGreatestRho);
  } else {
    require_between("epsilon", budget.epsilon, 1e-6, kGreatestEpsilon);
    if (budget.delta != 0) require_between("delta", budget.delta, 1e-100, 0.5);
  }
  require_between("the bound on the covariance", request.covariance_bound, 1, 1e6);
  const bool is_pure = budget.notion == Notion::kPure;
  if (request.covariance_bound > 1 && is_pure) {
    throw InvalidInput(
        "a covariance that is only bounded is served under rho or epsilon and delta, not under "
        "pure epsilon, which needs the covariance itself");
  }
  if (request.paper_variance && !is_pure) {
    throw InvalidInput("the paper's variance is a choice under pure epsilon alone");
  }
  if (request.mean_bound) {
    if (!request.ranges.empty()) {
      throw InvalidInput("the mean has either a bound or ranges, but both are given");
    }
    require_between("the bound on the mean", *request.mean_bound, 0, 1e6);
  } else if (request.ranges.empty() && budget.delta == 0) {
    throw InvalidInput(
        "without delta the mean needs a bound on its norm, or a range for each coordinate");
  }
}

// Centre.

std::optional<CentreDesign> centre_of(const GaussianRequest& request, std::uint64_t records,
                                      double failure) {
  try {
    return design_centre(centre_request(request, records, failure));
  } catch (const InvalidInput&) {
    return std::nullopt;  // too few records
  }
}

/// Whether runs of this many records are enough for a known mean: no centre makes it easier.
bool serves_without_centre(const GaussianRequest& request, std::uint64_t each, double most) {
  GaussianDesign design;
  design.request = request;
  design.run_records = each;
  return design_run(design, most);
}

/// The best of some sizes of the centre's part and probabilities that it fails, or with `most`
/// below 1 the first that is within it.
std::optional<GaussianDesign> best_with_centre(const GaussianRequest& request, double most) {
  std::optional<GaussianDesign> best;
  std::vector<std::uint64_t> parts;
  for (const std::uint64_t part : {32U, 8U, 4U, 2U}) {
    const std::uint64_t wanted = request.records / part;
    const std::uint64_t each = (request.records - wanted) / request.outputs;
    if (wanted < 1 || each < 2) continue;
    if (most == 1 || serves_without_centre(request, each, most)) parts.push_back(part);
  }
  for (const double failure : {1e-9, 1e-5, 1e-3, 1e-2}) {
    if (best && (most < 1 || best->total_variation_up() <= 2 * failure)) break;
    for (const std::uint64_t part : parts) {
      const std::uint64_t each = (request.records - request.records / part) / request.outputs;
      GaussianDesign design;
      design.request = request;
      // The runs' remainder is the centre's too.
      design.centre = centre_of(request, request.records - each * request.outputs, failure);
      if (!design.centre) continue;
      design.run_records = each;
      design.mean_radius = design.centre->radius;
      design.total_variation.centre = design.centre->failure_up;
      if (design_run(design, most) &&
          (!best || design.total_variation_up() < best->total_variation_up())) {
        best = std::move(design);
      }
    }
  }
  return best;
}

/// The best under this budget, with the mean where the request says; with `most` below 1 any that
/// is within it.
std::optional<GaussianDesign> best_as_asked(const GaussianRequest& request, double most = 1) {
  if (!request.mean_bound) return best_with_centre(request, most);
  GaussianDesign design;
  design.request = request;
  design.run_records = request.records / request.outputs;
  design.mean_radius = *request.mean_bound;
  if (design.run_records == 0 || !design_run(design, most)) return std::nullopt;
  return design;
}

/// Requests that may be better than the given one, and keep its promise: with delta a centre can be
/// found without ranges, and noise of pure privacy, which needs no delta, distorts less where
/// records are few.
std::vector<GaussianRequest> other_ways(const GaussianRequest& request) {
  std::vector<GaussianRequest> ways;
  if (request.budget.delta == 0) return ways;
  if (!request.ranges.empty()) {
    ways.push_back(request);
    ways.back().ranges.clear();
  }
  if (request.covariance_bound == 1 && (request.mean_bound || !request.ranges.empty())) {
    ways.push_back(request);
    ways.back().budget = Privacy::pure(request.budget.epsilon);
  }
  return ways;
}

/// Noise of pure privacy spends all of epsilon, Gaussian noise often less: it must be worth that.
constexpr double kNoticeable = 1e-3;

bool is_better(const GaussianDesign& other, const GaussianDesign& one) {
  const bool spends_more = other.request.budget.notion != one.request.budget.notion;
  return other.total_variation_up() + (spends_more ? kNoticeable : 0) < one.total_variation_up();
}

/// Whether find_gaussian_design keeps each output within `most` of the data's law in total
/// variation. The best design costs a hundred times as much.
bool is_within(double most, const GaussianRequest& request) {
  if (best_as_asked(request, most)) return true;
  const double of_others = most - kNoticeable;  // then others are taken for certain
  const std::vector<GaussianRequest> others = other_ways(request);
  return std::any_of(others.begin(), others.end(), [&](const GaussianRequest& way) {
    return best_as_asked(way, of_others).has_value();
  });
}

/// n, or the next number of three digits and zeros.
std::uint64_t three_digits_up(std::uint64_t n) {
  std::uint64_t unit = 1;
  while (n / unit >= 1000) unit *= 10;
  return (n + unit - 1) / unit * unit;
}

/// The least n of three digits and zeros that is enough; none up to the limit. Total variation
/// falls with n except for small steps.
std::optional<std::uint64_t> least_records(GaussianRequest request, double most) {
  auto serves = [&, request](std::uint64_t n) mutable {
    request.records = n;
    return is_within(most, request);
  };
  std::uint64_t low = request.records;
  std::uint64_t high = three_digits_up(2 * low);
  for (; !serves(high); high = three_digits_up(2 * low)) {
    low = high;
    if (2 * low > kMostGaussianRecords) return std::nullopt;
  }
  for (;;) {
    std::uint64_t middle = three_digits_up(low + (high - low + 1) / 2);
    if (middle >= high) middle = three_digits_up(low + 1);
    if (middle >= high) return high;
    (serves(middle) ? high : low) = middle;
  }
}

/// An epsilon or rho that is enough, within a hundredth of the least; none up to the limit.
std::optional<double> least_budget(GaussianRequest request, double most) {
  const bool is_rho = request.budget.notion == Notion::kConcentrated;
  double& spent = is_rho ? request.budget.rho : request.budget.epsilon;
  const double limit = is_rho ? kGreatestRho : kGreatestEpsilon;
  double low = spent, high = limit;
  spent = high;
  if (!is_within(most, request)) return std::nullopt;
  while (high > low * 1.005) {
    spent = std::sqrt(low * high);
    (is_within(most, request) ? high : low) = spent;
  }
  // Three digits, upwards.
  const double unit = std::pow(10, std::floor(std::log10(high)) - 2);
  return std::min(limit, std::ceil(high / unit) * unit);
}

}  // namespace

std::string why_of(const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  std::string text = fmt::format(
      "each released record is made of {} of the table's, each cut to at most {:.4g} standard "
      "deviations from {}",
      design.run_records, design.clip_radius,
      design.centre ? "a centre that is found first" : "the middle of the declared ranges");
  if (request.budget.notion == Notion::kPure) {
    text +=
        request.paper_variance
            ? ", with Euclidean-Laplace noise on top of the paper's Gaussian variance"
            : ": a closer cut would distort more, a wider one need more noise; that noise is not "
              "Gaussian, and Gaussian noise beside it gives the record its full variance";
  } else if (design.threshold > 0) {
    text += fmt::format(
        ": a closer cut would distort more, a wider one need more records. These give the record "
        "their own mean and covariance, after a private test that they vary enough in every "
        "direction; it fails with probability {:.2g} at most, and then the record is a public draw",
        test_failure_up(design));
  } else if (request.covariance_bound > 1) {
    text += fmt::format(
        ": a closer cut would distort more, a wider one need more noise; {} of them are added, {} "
        "subtracted and the sum divided by {}, which gives it about a record's covariance, "
        "whatever that is",
        design.weights.plus_records, design.weights.minus_records, design.weights.divisor);
  } else if (design.total_variation.clip > kNegligibleClipping) {
    text +=
        ", as far as the budget allows; the noise is Gaussian with just the variance that is "
        "missing";
  } else {
    text +=
        ", where practically every record lies already, so less than the budget would do, though "
        "all of it counts; the noise is Gaussian with just the variance that is missing";
  }
  if (design.centre) {
    text += fmt::format("; {} other records find the centre", design.centre->request.records);
  }
  return text;
}

double GaussianDesign::total_variation_up() const {
  const auto& [clip, shape, lattice, off_centre] = total_variation;
  return std::min(1.0, add_up(add_up(clip, shape), add_up(lattice, off_centre)));
}

double GaussianDesign::strong_total_variation_up() const {
  const auto& [clip, shape, lattice, off_centre] = total_variation;
  const double each = add_up(add_up(clip, shape), lattice);
  return std::min(1.0, add_up(mul_up(integer_up(request.outputs), each), off_centre));
}

void check_gaussian_design(const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  validate(request);
  const GaussianWeights& weights = design.weights;
  if (weights.minus_records >= weights.plus_records ||
      weights.divisor != weights.plus_records - weights.minus_records) {
    throw InvalidInput(fmt::format("{} records less {} are not {} times one", weights.plus_records,
                                   weights.minus_records, weights.divisor));
  }
  if (design.lattice_radius < 1 || design.lattice_radius > ClippedSum::kGreatestRadius) {
    throw InvalidInput(fmt::format("the radius of clipping must be from 1 to 2^40 cells, but is {}",
                                   design.lattice_radius));
  }
  if (std::abs(design.step_exponent) > 1000 || !(design.public_variance >= 0) ||
      !(design.public_variance <= 1)) {
    throw InvalidInput("the step or the public variance of a Gaussian design is out of range");
  }
  const std::uint64_t of_centre = design.centre ? design.centre->request.records : 0;
  if (of_centre > request.records || weights.plus_records > design.run_records ||
      weights.plus_records + weights.minus_records != design.run_records ||
      design.run_records > (request.records - of_centre) / request.outputs) {
    throw InvalidInput(
        fmt::format("{} runs on {} records each and a centre on {} do not fit into {} records",
                    request.outputs, design.run_records, of_centre, request.records));
  }
  if (design.centre && design.centre->request.dimension != request.dimension) {
    throw InvalidInput(fmt::format("the centre is of {} dimensions, but the design of {}",
                                   design.centre->request.dimension, request.dimension));
  }
  if (design.centre) check_centre_design(*design.centre);
  if (design.threshold > 0) {
    check_tested_run(tested_run(design));
    if (request.budget.notion != Notion::kApproximate || weights.minus_records > 0) {
      throw InvalidInput("a run is tested under epsilon and delta, and subtracts no records");
    }
  }
  const Privacy& said = design.guarantee;
  if (said.notion != request.budget.notion || !run_keeps(design, said) ||
      (design.centre && !is_within(design.centre->guarantee, said))) {
    throw InvalidInput("the integers of the Gaussian design do not keep its guarantee");
  }
}

std::optional<GaussianDesign> settled(GaussianDesign design) {
  if (design.centre) {
    if (!settle_centre(*design.centre)) return std::nullopt;
    design.mean_radius = design.centre->radius;
    design.total_variation.centre = design.centre->failure_up;
  } else {
    design.mean_radius = *design.request.mean_bound;
    design.total_variation.centre = 0;
  }
  if (!settle_run(design)) return std::nullopt;
  return design;
}

CentreRequest centre_request(const GaussianRequest& request, std::uint64_t records,
                             double failure) {
  return {.records = std::min(records, std::uint64_t{0xffff'ffff}),
          .dimension = request.dimension,
          .budget = request.budget,
          .ranges = request.ranges,
          .deviation = std::sqrt(request.covariance_bound) * (1 + 0x1p-50),
          .failure = failure};
}

std::optional<GaussianDesign> find_gaussian_design(const GaussianRequest& request) {
  validate(request);
  std::optional<GaussianDesign> best = best_as_asked(request);
  for (const GaussianRequest& way : other_ways(request)) {
    std::optional<GaussianDesign> other = best_as_asked(way);
    if (other && (!best || is_better(*other, *best))) best = std::move(other);
  }
  if (best) best->why = why_of(*best);
  return best;
}

GaussianDesign design_gaussian(const GaussianRequest& request, double most) {
  if (std::optional<GaussianDesign> design = find_gaussian_design(request)) return *design;
  const double enough = std::min(most, 1 - 0x1p-30);
  const std::optional<std::uint64_t> records = least_records(request, enough);
  const std::optional<double> budget = least_budget(request, enough);
  if (!records && !request.mean_bound) {
    // The centre's fault then does not end with more records.
    static_cast<void>(design_centre(centre_request(request, kMostGaussianRecords, 1e-3)));
  }
  const char* spent = request.budget.notion == Notion::kConcentrated ? "rho" : "epsilon";
  std::string would_do = "no number of records up to 2^39 is enough";
  if (records) would_do = fmt::format("at least {} records", *records);
  if (budget) {
    would_do += records ? fmt::format(", or {} {:g},", spent, *budget)
                        : fmt::format(", but {} {:g} is", spent, *budget);
  }
  if (records) would_do += " are needed";
  if (most < 1 && (records || budget)) {
    would_do += fmt::format(" to be within {:g} in total variation", most);
  }
  throw InvalidInput(fmt::format(
      "{} {} for {}{} in {} dimension{}: {}", request.records,
      request.records == 1 ? "record is too few" : "records are too few", request.budget.text(),
      request.outputs > 1 ? fmt::format(" and {} outputs", request.outputs) : "", request.dimension,
      request.dimension > 1 ? "s" : "", would_do));
}

}  // namespace mollify
