// Answers with error bars, from the noisy counts that a synthetic table was made of.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

/// A number, its standard error if it has one, and an interval that holds the real number in 95 of
/// 100 releases.
struct ErrorBar {
  std::optional<double> standard_error{};
  double lower = 0;
  double upper = 0;
};

/// A number that noisy counts say, and how far it may be off.
struct Estimated {
  std::string of{};               ///< its name, such as "very"
  std::string group{};            ///< among whom; empty for all
  std::optional<double> value{};  ///< none where noise leaves nothing of the rows that it is about
  std::optional<ErrorBar> table{};       ///< of the table's number
  std::optional<ErrorBar> population{};  ///< none where the weight of a row is not known
  /// What no count tells apart lets the number lie between these, without noise: the numbers of a
  /// bin, values that were counted together. Intervals contain it. Equal to value where there is
  /// nothing of the kind.
  double least = 0;
  double greatest = 0;
};

/// The variance of a - r b, for any r.
struct Variances {
  double above = 0;
  double both = 0;
  double below = 0;

  [[nodiscard]] double at(double r) const { return above - 2 * r * both + r * r * below; }
  [[nodiscard]] Variances plus(const Variances& more) const {
    return {above + more.above, both + more.both, below + more.below};
  }
  [[nodiscard]] Variances over(double count) const {
    return {above / count, both / count, below / count};
  }
};

/// A number that solves a - r b = 0, with Fieller's intervals. Variances are of (a - (value + r) b)
/// / b; `hidden` is how far the number may be moved by what no count tells apart.
[[nodiscard]] Estimated with_errors(double value, double hidden, const Variances& noise,
                                    const std::optional<Variances>& sampling);

/// Rows of unknown kinds among those that a ratio counts: from 0 to `most`, each with a number
/// between `low` and `high` in the sum above, and `weight` in the sum below.
struct Stray {
  double most = 0;
  double low = 0;
  double high = 0;
  double weight = 1;  ///< 1, 0, or -1 for rows that are missing
};

/// A sum over the cells of some columns together over another one. `low` and `high` are the sum
/// above with what bins leave open.
struct CountRatio {
  std::vector<double> above, low, high, below;
  std::vector<Stray> strays{};
};

/// The ratio as counts say, with Fieller's interval [Fieller 1954]: the numbers r that the noisy
/// sum of a - r b does not rule out. The noise of that sum has a known variance, and a sample of
/// rows adds the sum over cells of (a - r b)^2 times count. Strays and bins widen it.
[[nodiscard]] Estimated ratio_of(const Measurements& measurements, const JointEstimate& joint,
                                 const CountRatio& ratio);

/// One ratio less another of the same table, by both intervals and the correlation of their noise
/// [Zou, Donner 2008].
[[nodiscard]] Estimated difference_of(const Measurements& measurements, const JointEstimate& joint,
                                      const CountRatio& one, const CountRatio& other);

// -----------------------------------------------------------------------------------------------
// Answers.

/// The regression of a question (regression.cpp): coefficients, "(all)" first, that all pairs of
/// the formula's columns determine. Linear if the outcome is a number, else logistic. A number
/// counts as the middle of its cell, and intervals contain what groups of cells hide, in first
/// order. Rows with a null in one of the columns are left out.
///
/// Their equations are means over rows of functions of the formula's columns. Functions of two
/// columns have unbiased means, because their pairs were measured. So linear coefficients, and
/// logistic ones of at most two terms, are the rows' own, if nothing is null. For what is left of
/// other functions the rows are supposed to be of the distribution of greatest entropy that has the
/// pairs' tables [Jaynes 1957], in which a logistic regression on values is exact. Then the
/// coefficients are those that the pairs determine. The table's own stray from these by chance, as
/// rows of that distribution do, which is a part of their error. A sample's part is the variance of
/// the rows' influences under it.
struct Regression {
  bool is_logistic = false;
  std::vector<Estimated> coefficients{};
  std::vector<std::string> together{};  ///< values that were counted together, in words
  /// Whether they estimate the rows' own coefficients, and not those that the pairs determine.
  bool is_of_rows = true;
};
[[nodiscard]] Regression regression_of(const Measurements& measurements, const Domain& domain,
                                       const TableQuestion& question);

/// Answers a question from measurements alone. Throws InvalidInput where the pairs that it needs
/// were not measured, naming them.
[[nodiscard]] Answer answer_question(const Measurements& measurements, const Domain& domain,
                                     const TableQuestion& question);

/// Answers to questions in their order, from the measurements of the model called `name`. If one of
/// several needs counts that were not measured, its answer says so: {"question", "refused"}. Throws
/// InvalidInput for other questions without an answer, for one alone, and without measurements.
[[nodiscard]] std::vector<Answer> answer_questions(const std::optional<Measurements>& measurements,
                                                   const Domain& domain,
                                                   const std::vector<TableQuestion>& questions,
                                                   const std::string& name);

/// Whether a sample's part of an error is known: a weighted row's depends on the weights, which are
/// private. A unit's rows count as at most one row.
[[nodiscard]] bool has_population(const Measurements& measurements);

}  // namespace mollify
