// Regressions that the tables of all pairs of some columns determine.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"
#include "methods/answers/answers.h"
#include "methods/graphical/fit.h"

namespace mollify {

namespace {

/// Of the distribution over all of the formula's columns: 8 MB, and a second of time.
constexpr std::size_t kMostCells = std::size_t{1} << 20U;
/// Counts of all pairs together, whose covariances are a matrix.
constexpr std::size_t kMostStatistics = 3000;

/// The estimated tables of all pairs of some columns, over the same groups of each column.
class AllPairs {
 public:
  AllPairs(const Measurements& measurements, const Domain& domain, std::vector<AskedValues> asked)
      : columns_(std::move(asked)) {
    find_groups(measurements, domain);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = i + 1; j < columns_.size(); ++j) {
        std::vector<AskedColumn> both = {columns_[i].cells, columns_[j].cells};
        const bool is_turned = both[0].column > both[1].column;
        if (is_turned) std::swap(both[0], both[1]);
        pairs_.push_back({{i, j}, is_turned, JointEstimate(measurements, std::move(both)), size_});
        size_ += pairs_.back().joint.counts().size();
      }
    }
    refuse_if(size_ > kMostStatistics, "too-much-work", "question",
              "a formula's columns may have at most {} cells in all their pairs together, but have "
              "{}: leave a column out, or declare fewer values",
              kMostStatistics, size_);
  }

  struct Pair {
    Clique columns;
    bool is_turned;  ///< whether the estimate has them in the other order
    JointEstimate joint;
    std::size_t begin;  ///< of its cells among those of all pairs
  };

  [[nodiscard]] const std::vector<AskedValues>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t count(std::size_t column) const {
    return columns_[column].cells.groups.count;
  }
  /// The standard deviation of a count's noise in the pairs, about: the root of the mean variance.
  [[nodiscard]] double deviation(const Measurements& measurements) const {
    double sum = 0;
    for (const Pair& pair : pairs_) {
      std::vector<double> first(pair.joint.counts().size());
      first[0] = 1;
      sum += pair.joint.sum(first).variance(measurements);
    }
    return std::sqrt(sum / static_cast<double>(pairs_.size()));
  }
  /// The place of a pair's cell among those of all pairs: row-major in the formula's order.
  [[nodiscard]] std::size_t place(const Pair& pair, std::uint32_t a, std::uint32_t b) const {
    return pair.begin + a * count(pair.columns[1]) + b;
  }
  /// Numbers of all pairs' cells, of one pair, in the order of its estimate.
  [[nodiscard]] std::vector<double> of_estimate(const Pair& pair,
                                                const Eigen::VectorXd& all) const {
    return turned(pair, [&](std::uint32_t a, std::uint32_t b) {
      return all[static_cast<Eigen::Index>(place(pair, a, b))];
    });
  }
  /// Weights of shares as weights of the counts that these are shares of: a pair's sum to all rows.
  [[nodiscard]] Eigen::VectorXd of_shares(Eigen::VectorXd weights) const {
    for (const Pair& pair : pairs_) {
      const std::vector<double> of_pair = counts(pair);
      const auto sum = std::accumulate(of_pair.begin(), of_pair.end(), 0.0);
      double mean = 0;
      for (std::size_t i = 0; i < of_pair.size(); ++i) {
        mean += weights[static_cast<Eigen::Index>(pair.begin + i)] * of_pair[i] / sum;
      }
      weights
          .segment(static_cast<Eigen::Index>(pair.begin), static_cast<Eigen::Index>(of_pair.size()))
          .array() -= mean;
    }
    return weights;
  }
  /// The estimated counts of a pair's cells, in the formula's order.
  [[nodiscard]] std::vector<double> counts(const Pair& pair) const {
    if (!pair.is_turned) return pair.joint.counts();
    std::vector<double> counts;
    for (std::uint32_t a = 0; a < count(pair.columns[0]); ++a) {
      for (std::uint32_t b = 0; b < count(pair.columns[1]); ++b) {
        counts.push_back(pair.joint.counts()[b * count(pair.columns[0]) + a]);
      }
    }
    return counts;
  }

 private:
  template <class Number>
  std::vector<double> turned(const Pair& pair, const Number& number) const {
    std::vector<double> numbers;
    const std::uint32_t rows = count(pair.columns[pair.is_turned ? 1 : 0]);
    const std::uint32_t others = count(pair.columns[pair.is_turned ? 0 : 1]);
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t other = 0; other < others; ++other) {
        numbers.push_back(pair.is_turned ? number(other, row) : number(row, other));
      }
    }
    return numbers;
  }

  /// Of each column the groups that all of its pairs tell apart.
  void find_groups(const Measurements& measurements, const Domain& domain) {
    std::vector<CellGroups> groups;
    for (const AskedValues& one : columns_) groups.push_back(one.cells.groups);
    std::vector<std::string> missing;
    std::vector<std::vector<double>> inside(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = i + 1; j < columns_.size(); ++j) {
        std::vector<AskedColumn> both = {columns_[i].cells, columns_[j].cells};
        refuse_if(both[0].column == both[1].column, "contradicting-parameters", "question",
                  "\"{}\" and \"{}\" are one column, or one follows from the other: leave one of "
                  "them out",
                  columns_[i].name, columns_[j].name);
        if (both[0].column > both[1].column) std::swap(both[0], both[1]);
        const auto told = told_apart(measurements, both);
        if (!told) {
          missing.push_back(columns_[i].name + " with " + columns_[j].name);
          continue;
        }
        for (const AskedColumn& one : *told) {
          const std::size_t at = one.column == columns_[i].cells.column ? i : j;
          groups[at] = common_coarsening(groups[at], one.groups);
        }
      }
    }
    if (!missing.empty()) {
      refuse_input("not-available-here", "question", {},
                   "the formula needs all pairs of its columns, but these were not measured: {}; "
                   "release the table with the formula among its questions",
                   list_words(missing));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i] = put_together(domain, columns_[i], groups[i],
                                 shares_inside(measurements, domain, columns_[i]));
      refuse_if(count(i) < 2, "not-available-here", "question",
                "the measured pairs of \"{}\" tell none of its values apart", columns_[i].name);
    }
  }

  static std::vector<double> shares_inside(const Measurements& measurements, const Domain& domain,
                                           const AskedValues& asked) {
    const AskedValues single = asked_values(domain, domain.columns()[asked.cells.column].name());
    const auto told = told_apart(measurements, {single.cells});
    if (!told || *told != std::vector{single.cells}) return {};
    return JointEstimate(measurements, *told).counts();
  }

  std::vector<AskedValues> columns_;
  std::vector<Pair> pairs_;
  std::size_t size_ = 0;
};

/// The distribution over the columns' groups with these pairs of greatest entropy.
class PairDistribution {
 public:
  PairDistribution(const AllPairs& all, double total, double deviation)
      : all_(all), total_(total), deviation_(deviation) {
    std::size_t cells = 1;
    ColumnSizes sizes;
    for (std::size_t i = 0; i < all.columns().size(); ++i) {
      sizes.push_back(all.count(i));
      cells *= all.count(i);
      refuse_if(cells > kMostCells, "too-much-work", "question",
                "a formula's columns may have at most {} combinations of values, but have more: "
                "leave a column out, or declare fewer values",
                kMostCells);
    }
    // So few rows of uniform columns that they do not show beside noise, but keep the model finite.
    FitOptions options{
        .shrinkage = kShrinkage, .smoothness = 0, .tolerance = 1e-4, .most_steps = 5000};
    std::vector<NoisyMarginal> marginals;
    for (const AllPairs::Pair& pair : all.pairs()) {
      marginals.push_back({pair.columns, all.counts(pair), deviation});
    }
    Clique every(sizes.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    probabilities_ = fit(sizes, marginals, total, options).marginal(every);
  }

  [[nodiscard]] const std::vector<double>& probabilities() const { return probabilities_; }

  /// Each cell's groups, and the places of its pairs' cells among those of all pairs.
  template <class Visit>
  void visit(const Visit& visit) const {
    std::vector<std::uint32_t> groups(all_.columns().size());
    std::vector<std::size_t> places(all_.pairs().size());
    for (std::size_t cell = 0; cell < probabilities_.size(); ++cell) {
      std::size_t rest = cell;
      for (std::size_t i = groups.size(); i-- > 0;) {
        groups[i] = static_cast<std::uint32_t>(rest % all_.count(i));
        rest /= all_.count(i);
      }
      for (std::size_t at = 0; at < places.size(); ++at) {
        const AllPairs::Pair& pair = all_.pairs()[at];
        places[at] = all_.place(pair, groups[pair.columns[0]], groups[pair.columns[1]]);
      }
      visit(probabilities_[cell], std::span<const std::uint32_t>(groups),
            std::span<const std::size_t>(places));
    }
  }

  /// How the pairs' shares move together in a draw: their covariance.
  [[nodiscard]] Eigen::MatrixXd covariance() const {
    const auto size = static_cast<Eigen::Index>(all_.size());
    Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd means = Eigen::VectorXd::Zero(size);
    visit([&](double probability, std::span<const std::uint32_t>,
              std::span<const std::size_t> places) {
      for (const std::size_t a : places) {
        means[static_cast<Eigen::Index>(a)] += probability;
        for (const std::size_t b : places) {
          moments(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) += probability;
        }
      }
    });
    return moments - means * means.transpose();
  }

  /// What the fit adds to it (methods/graphical/fit.h).
  [[nodiscard]] double ridge() const {
    return kShrinkage * deviation_ * deviation_ / (total_ * total_);
  }

 private:
  static constexpr double kShrinkage = 1;

  const AllPairs& all_;
  double total_;
  double deviation_;
  std::vector<double> probabilities_;
};

/// The outcome and the terms of a formula in each cell.
class RegressionFormula {
 public:
  /// Of columns in the order outcome, terms.
  RegressionFormula(const Domain& domain, const AllPairs& all, const TableQuestion& question)
      : columns_(all.columns()), names_{"(all)"} {
    const AskedValues& outcome = columns_.front();
    is_logistic_ = question.value || outcome.ranges.empty();
    if (is_logistic_) find_success(domain, question);
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      const AskedValues& term = columns_[i];
      begins_.push_back(names_.size());
      if (!term.ranges.empty()) {
        names_.push_back(term.name);
        baseline_.push_back(0);
        continue;
      }
      baseline_.push_back(static_cast<std::uint32_t>(
          std::find(term.is_null.begin(), term.is_null.end(), false) - term.is_null.begin()));
      for (std::uint32_t group = 0; group < term.words.size(); ++group) {
        if (group == baseline_.back() || term.is_null[group]) continue;
        names_.push_back(term.name + " = " + term.words[group]);
      }
    }
  }

  [[nodiscard]] bool is_logistic() const { return is_logistic_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// "region: north": what a column's coefficients are differences from.
  [[nodiscard]] std::string baseline(std::size_t column) const {
    const AskedValues& of = columns_[column];
    return of.ranges.empty() ? of.words[baseline_[column - 1]] : "";
  }

  /// Whether no column is null.
  [[nodiscard]] bool is_used(std::span<const std::uint32_t> groups) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (columns_[i].is_null[groups[i]]) return false;
    }
    return true;
  }
  [[nodiscard]] double outcome(std::span<const std::uint32_t> groups) const {
    if (is_logistic_) return groups[0] == success_ ? 1 : 0;
    return columns_.front().ranges[groups[0]].middle;
  }
  void terms(std::span<const std::uint32_t> groups, Eigen::VectorXd& x) const {
    x.setZero();
    x[0] = 1;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      const AskedValues& term = columns_[i];
      const std::size_t begin = begins_[i - 1];
      if (!term.ranges.empty()) {
        x[static_cast<Eigen::Index>(begin)] = term.ranges[groups[i]].middle;
        continue;
      }
      if (groups[i] == baseline_[i - 1]) continue;
      std::size_t at = begin;
      for (std::uint32_t group = 0; group < groups[i]; ++group) {
        if (group != baseline_[i - 1] && !term.is_null[group]) ++at;
      }
      x[static_cast<Eigen::Index>(at)] = 1;
    }
  }

 private:
  void find_success(const Domain& domain, const TableQuestion& question) {
    const AskedValues& outcome = columns_.front();
    if (question.value) {
      success_ = group_of(domain, outcome, *question.value);
      const AskedValues single = asked_values(domain, outcome.name);
      const std::string wanted = single.words[group_of(domain, single, *question.value)];
      refuse_if(outcome.words[success_] != wanted, "not-available-here", "question",
                "\"{}\" of \"{}\" was counted together with other values: {}", *question.value,
                outcome.name, outcome.words[success_]);
      return;
    }
    std::vector<std::uint32_t> values;
    for (std::uint32_t group = 0; group < outcome.words.size(); ++group) {
      if (!outcome.is_null[group]) values.push_back(group);
    }
    refuse_if(
        values.size() != 2, "missing-parameter", "question",
        "\"{}\" has {} values: say which one the probability is of, such as \"{} = {} ~ ...\"",
        outcome.name, values.size(), outcome.name, outcome.words[values.back()]);
    success_ = values.back();
  }

  const std::vector<AskedValues>& columns_;
  bool is_logistic_ = false;
  std::uint32_t success_ = 0;
  std::vector<std::string> names_;
  std::vector<std::size_t> begins_;      // of each term's coefficients
  std::vector<std::uint32_t> baseline_;  // of each term
};

/// The coefficients, and how each moves with the probability of a cell.
class Coefficients {
 public:
  Coefficients(const PairDistribution& distribution, const RegressionFormula& formula)
      : distribution_(distribution),
        formula_(formula),
        beta_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(formula.names().size()))) {
    constexpr int kMostSteps = 100;
    constexpr double kEnough = 1e-10;
    for (int step = 0; step < kMostSteps; ++step) {
      keep_going();
      const Eigen::VectorXd move = newton();
      // Separated values have no logistic coefficients: they stop at 30, e^30 to one.
      beta_ = (beta_ + move).cwiseMax(-kFarthest).cwiseMin(kFarthest);
      if (!formula.is_logistic() || move.cwiseAbs().maxCoeff() < kEnough) break;
    }
    static_cast<void>(newton());
  }

  [[nodiscard]] const Eigen::VectorXd& beta() const { return beta_; }

  /// The sum over cells of probability times derivative times the cell's pairs, of each coefficient
  /// a column: derivatives by the logarithms of the pairs' potentials.
  [[nodiscard]] Eigen::MatrixXd by_pairs(std::size_t size) const {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(size), beta_.size());
    Eigen::VectorXd x(beta_.size());
    distribution_.visit([&](double probability, std::span<const std::uint32_t> groups,
                            std::span<const std::size_t> places) {
      if (!formula_.is_used(groups)) return;
      formula_.terms(groups, x);
      const Eigen::VectorXd moved =
          information_.solve(x) * (probability * (formula_.outcome(groups) - mean(x)));
      for (const std::size_t place : places) {
        sums.row(static_cast<Eigen::Index>(place)) += moved.transpose();
      }
    });
    return sums;
  }

 private:
  static constexpr double kFarthest = 1e12;

  double mean(const Eigen::VectorXd& x) const {
    const double linear = x.dot(beta_);
    return formula_.is_logistic() ? 1 / (1 + std::exp(-linear)) : linear;
  }

  /// A step of Newton's, with the information at the coefficients now.
  Eigen::VectorXd newton() {
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(beta_.size(), beta_.size());
    Eigen::VectorXd score = Eigen::VectorXd::Zero(beta_.size());
    Eigen::VectorXd x(beta_.size());
    distribution_.visit([&](double probability, std::span<const std::uint32_t> groups,
                            std::span<const std::size_t>) {
      if (!formula_.is_used(groups)) return;
      formula_.terms(groups, x);
      const double expected = mean(x);
      const double weight = formula_.is_logistic() ? expected * (1 - expected) : 1;
      information += (probability * weight) * x * x.transpose();
      score += probability * (formula_.outcome(groups) - expected) * x;
    });
    information_.compute(information);
    return information_.solve(score);
  }

  const PairDistribution& distribution_;
  const RegressionFormula& formula_;
  Eigen::VectorXd beta_;
  Eigen::LDLT<Eigen::MatrixXd> information_;
};

}  // namespace

Regression regression_of(const Measurements& measurements, const Domain& domain,
                         const TableQuestion& question) {
  std::vector<AskedValues> asked = {asked_values(domain, question.column)};
  for (const std::string& term : question.terms) asked.push_back(asked_values(domain, term));
  const AllPairs all(measurements, domain, std::move(asked));
  const std::vector<double>& first = all.pairs().front().joint.counts();
  const double total = std::accumulate(first.begin(), first.end(), 0.0);
  const double deviation = all.deviation(measurements);
  const PairDistribution distribution(all, total, deviation);
  const RegressionFormula formula(domain, all, question);
  const Coefficients coefficients(distribution, formula);

  // The implicit function theorem: of potentials t and shares y of pairs, M(t) + ridge t = y.
  Eigen::MatrixXd curvature = distribution.covariance();
  const Eigen::MatrixXd covariance = curvature;
  curvature.diagonal().array() += distribution.ridge();
  const Eigen::MatrixXd moved =
      Eigen::LDLT<Eigen::MatrixXd>(curvature).solve(coefficients.by_pairs(all.size()));

  const bool has_rows = measurements.records.has_value() || measurements.step == 1;
  Regression made{.is_logistic = formula.is_logistic()};
  for (std::size_t k = 0; k < formula.names().size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const Eigen::VectorXd by_count = all.of_shares(moved.col(column)) / total;
    NoisySum noise;
    for (const AllPairs::Pair& pair : all.pairs()) {
      noise.add(pair.joint.sum(all.of_estimate(pair, by_count)));
    }
    Estimated one;
    one.of = formula.names()[k];
    one.value = one.least = one.greatest = coefficients.beta()[column];
    one.noise_variance = noise.variance(measurements);
    if (has_rows) {
      one.sampling_variance = moved.col(column).dot(covariance * moved.col(column)) / total;
    }
    made.coefficients.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < all.columns().size(); ++i) {
    const AskedValues& column = all.columns()[i];
    const AskedValues single = asked_values(domain, column.name);
    for (const std::string& words : column.words) {
      if (std::find(single.words.begin(), single.words.end(), words) == single.words.end()) {
        made.together.push_back(fmt::format("{}: {}", column.name, words));
      }
    }
  }
  return made;
}

}  // namespace mollify
