// Answers with error bars, from the noisy counts that a synthetic table was made of.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/answer.h"
#include "domain/domain.h"
#include "methods/answers/asked_values.h"
#include "methods/answers/noisy_estimates.h"
#include "methods/answers/questions.h"
#include "methods/graphical/measurements.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Numbers with error bars.

/// A number that noisy counts say, and how far it may be off.
struct Estimated {
  std::string of{};     ///< what it is, such as "very"
  std::string group{};  ///< among whom; empty for all
  double value = 0;
  /// The variance of the noise, and what a sample of as many rows from a population adds; none where
  /// the weight of a row is not known.
  double noise_variance = 0;
  std::optional<double> sampling_variance{};
  /// What no count tells apart lets the number lie between these, without noise: the numbers of a
  /// bin, values that were counted together. Equal to value where there is nothing of the kind.
  double least = 0;
  double greatest = 0;
  /// Of a quantile, whose interval has no standard error: the ends of the population's.
  std::optional<double> population_least{}, population_greatest{};

  /// 95 of 100 such intervals hold the number of the table, or of the population that it was drawn
  /// from.
  struct Interval {
    double standard_error = 0;
    double lower = 0;
    double upper = 0;
  };
  [[nodiscard]] Interval of_table() const { return interval(noise_variance); }
  [[nodiscard]] std::optional<Interval> of_population() const;

 private:
  [[nodiscard]] Interval interval(double variance) const;
};

/// A sum over the cells of some columns together over another one, as counts say: the delta method
/// for a ratio of two unbiased estimates.
///
/// Its noise has the variance of the sum over cells of (a - ratio b) / (sum of b) times count. A
/// sample of n rows adds the sum over cells of the square of that times count.
[[nodiscard]] Estimated ratio_of(const Measurements& measurements, const JointEstimate& joint,
                                 std::span<const double> numerator,
                                 std::span<const double> denominator, bool has_rows);

// -----------------------------------------------------------------------------------------------
// Answers.

/// The regression of a question (regression.cpp): coefficients, "(all)" first, that all pairs
/// of the formula's columns determine. Linear if the outcome is a number, else logistic.
///
/// They are those of the distribution of greatest entropy that has the pairs' tables [Jaynes 1957],
/// in which a logistic regression on values is exact. Noise comes in through the pairs' estimates by
/// the implicit function theorem, and a sample's part is that of the pairs' counts. Rows with a null
/// in one of the columns are left out where nulls are told apart.
struct Regression {
  bool is_logistic = false;
  std::vector<Estimated> coefficients{};
  std::vector<std::string> together{};  ///< values that were counted together, in words
};
[[nodiscard]] Regression regression_of(const Measurements& measurements, const Domain& domain,
                                       const TableQuestion& question);

/// Answers a question from measurements alone. Throws InvalidInput where the pairs that it needs
/// were not measured, naming them.
[[nodiscard]] Answer answer_question(const Measurements& measurements, const Domain& domain,
                                     const TableQuestion& question);

/// The columns put together as far as they were measured together, with their estimate. Throws
/// InvalidInput for columns that no table has together.
struct MeasuredColumns {
  std::vector<AskedValues> columns;  ///< in the order of the question
  JointEstimate joint;               ///< over the columns in ascending order
  std::vector<std::size_t> places;   ///< of each of the question's columns in `joint`

  /// The group of one of the question's columns in a cell of the joint.
  [[nodiscard]] std::uint32_t group_in(std::size_t cell, std::size_t column) const;
};
[[nodiscard]] MeasuredColumns measured_columns(const Measurements& measurements,
                                               const Domain& domain,
                                               std::vector<AskedValues> asked);

}  // namespace mollify
