#include "laboratory/boosting/logistic_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "boosting/classifier.h"
#include "boosting/standardisation.h"
#include "kernel/core/invalid_input.h"
#include "linear_algebra/symmetric.h"

namespace mollify {
namespace {

using detail::Standardisation;

constexpr std::size_t kChunk = 256;

/// Columns are samples.
using Terms = Eigen::MatrixXd;

std::size_t term_count(std::size_t dimension, bool has_products) {
  return 1 + dimension + (has_products ? dimension * (dimension + 1) / 2 : 0);
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// The terms of `count` points from `begin` on.
Terms terms_of(const Points& points, std::size_t begin, std::size_t count,
               const Standardisation& standardisation, bool has_products) {
  const std::size_t dimension = points.dimension();
  Terms terms(index(term_count(dimension, has_products)), index(count));
  terms.row(0).setOnes();
  std::vector<float> values(count);
  for (std::size_t f = 0; f < dimension; ++f) {
    detail::standardise(points.values(f).subspan(begin, count), standardisation.centres[f],
                        standardisation.factors[f], values.data());
    for (std::size_t i = 0; i < count; ++i) {
      terms(index(1 + f), index(i)) = static_cast<double>(values[i]);
    }
  }
  if (!has_products) return terms;
  Eigen::Index row = index(1 + dimension);
  for (std::size_t f = 0; f < dimension; ++f) {
    for (std::size_t g = f; g < dimension; ++g, ++row) {
      terms.row(row) = terms.row(index(1 + f)).cwiseProduct(terms.row(index(1 + g)));
    }
  }
  return terms;
}

/// The objective at some coefficients, with its derivatives.
struct Objective {
  double value = 0;
  double cross_entropy = 0;
  Eigen::VectorXd gradient{};
  Eigen::MatrixXd hessian{};
};

/// Adds the mean over samples of one distribution, times one half.
void add_samples(const Points& samples, double target, const Eigen::VectorXd& coefficients,
                 const Standardisation& standardisation, bool has_products, Objective& objective) {
  const double weight = 0.5 / static_cast<double>(samples.size());
  for (std::size_t begin = 0; begin < samples.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, samples.size() - begin);
    Terms terms = terms_of(samples, begin, count, standardisation, has_products);
    Eigen::VectorXd residuals = terms.transpose() * coefficients;
    Eigen::VectorXd roots(residuals.size());
    for (Eigen::Index i = 0; i < residuals.size(); ++i) {
      const double logit = residuals[i];
      const double sigmoid = 1 / (1 + std::exp(-logit));
      const double against = target > 0 ? -logit : logit;
      objective.cross_entropy +=
          weight * (std::fmax(against, 0.0) + std::log1p(std::exp(-std::abs(against))));
      residuals[i] = weight * (sigmoid - target);
      roots[i] = std::sqrt(weight * sigmoid * (1 - sigmoid));
    }
    objective.gradient += terms * residuals;
    terms = terms * roots.asDiagonal();
    objective.hessian.selfadjointView<Eigen::Lower>().rankUpdate(terms);
  }
}

Objective objective_at(const Points& p, const Points& q, const Eigen::VectorXd& coefficients,
                       const Standardisation& standardisation, const LogisticOptions& options) {
  const Eigen::Index terms = coefficients.size();
  Objective result;
  result.gradient = options.ridge * coefficients;
  result.gradient[0] = 0;
  result.hessian = options.ridge * Eigen::MatrixXd::Identity(terms, terms);
  // Only for a factorisation should all samples be certain: the intercept has no ridge.
  result.hessian(0, 0) = std::numeric_limits<double>::epsilon();
  add_samples(p, 1, coefficients, standardisation, options.has_products, result);
  add_samples(q, 0, coefficients, standardisation, options.has_products, result);
  result.value =
      result.cross_entropy + options.ridge / 2 * coefficients.tail(terms - 1).squaredNorm();
  return result;
}

std::vector<double> vector_of(const Eigen::VectorXd& coefficients) {
  return {coefficients.data(), coefficients.data() + coefficients.size()};
}

}  // namespace

LogisticClassifier::LogisticClassifier(LogisticParameters parameters)
    : parameters_(std::move(parameters)) {
  const std::size_t dimension = parameters_.centres.size();
  if (dimension == 0) {
    throw InvalidInput("a logistic model must read at least 1 feature, but reads 0");
  }
  if (parameters_.factors.size() != dimension) {
    throw InvalidInput(
        fmt::format("a logistic model of {} features must have as many factors, but has {}",
                    dimension, parameters_.factors.size()));
  }
  const std::size_t terms = term_count(dimension, parameters_.has_products);
  if (parameters_.coefficients.size() != terms) {
    throw InvalidInput(
        fmt::format("a logistic model of {} terms must have as many coefficients, "
                    "but has {}",
                    terms, parameters_.coefficients.size()));
  }
}

void LogisticClassifier::logits(const Points& points, std::span<float> logits) const {
  detail::check_points(*this, points, logits);
  constexpr double kMost = std::numeric_limits<float>::max();
  const Eigen::Map<const Eigen::VectorXd> coefficients(parameters_.coefficients.data(),
                                                       index(parameters_.coefficients.size()));
  const Standardisation standardisation{parameters_.centres, parameters_.factors};
  for (std::size_t begin = 0; begin < points.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, points.size() - begin);
    const Terms terms = terms_of(points, begin, count, standardisation, parameters_.has_products);
    const Eigen::VectorXd result = terms.transpose() * coefficients;
    for (std::size_t i = 0; i < count; ++i) {
      logits[begin + i] = static_cast<float>(std::clamp(result[index(i)], -kMost, kMost));
    }
  }
}

LogisticLearner::LogisticLearner(const LogisticOptions& options) : options_(options) {
  if (!(options.ridge > 0 && std::isfinite(options.ridge))) {
    throw InvalidInput(
        fmt::format("the ridge of a logistic model must be finite and positive, but "
                    "is {:g}",
                    options.ridge));
  }
  if (options.passes == 0) {
    throw InvalidInput("a logistic model must be fitted in at least 1 pass, but is to have 0");
  }
}

std::unique_ptr<Classifier> LogisticLearner::learn(const Points& p, const Points& q,
                                                   std::uint64_t /*seed*/,
                                                   const TrainingProgress& progress) const {
  detail::check_samples(p, q);
  Standardisation standardisation = detail::standardisation_of(p, q);
  Eigen::VectorXd best =
      Eigen::VectorXd::Zero(index(term_count(p.dimension(), options_.has_products)));
  if (p.size() > 0 && q.size() > 0) {
    double least = std::numeric_limits<double>::infinity();
    Eigen::VectorXd step = Eigen::VectorXd::Zero(best.size());
    for (std::size_t pass = 1; pass <= options_.passes; ++pass) {
      const Eigen::VectorXd tried = best + step;
      const Objective objective = objective_at(p, q, tried, standardisation, options_);
      if (progress) progress(pass, options_.passes, objective.cross_entropy);
      if (objective.value < least) {
        least = objective.value;
        best = tried;
        step = -solve_symmetric(objective.hessian, objective.gradient);
      } else {
        step /= 2;
      }
    }
  }
  return std::make_unique<LogisticClassifier>(
      LogisticParameters{std::move(standardisation.centres), std::move(standardisation.factors),
                         options_.has_products, vector_of(best)});
}

}  // namespace mollify
