// Regressions that the tables of all pairs of some columns determine.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
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
constexpr std::size_t kMostStatistics = 2000;

Eigen::Index index(std::size_t at) { return static_cast<Eigen::Index>(at); }

/// The estimated tables of all pairs of some columns, over the same groups of each column.
class AllPairs {
 public:
  AllPairs(const Measurements& measurements, const std::vector<AskedValues>& single) {
    find_groups(measurements, single);
    std::size_t size = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = i + 1; j < columns_.size(); ++j)
        size += std::size_t{count(i)} * count(j);
    }
    refuse_if(size > kMostStatistics, "too-much-work", "question",
              "a formula's columns may have at most {} cells in all their pairs together, but have "
              "{}: leave a column out, or declare fewer values",
              kMostStatistics, size);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = i + 1; j < columns_.size(); ++j) {
        std::vector<AskedColumn> both = {columns_[i].cells, columns_[j].cells};
        const bool is_turned = both[0].column > both[1].column;
        if (is_turned) std::swap(both[0], both[1]);
        pairs_.push_back({{i, j}, is_turned, JointEstimate(measurements, std::move(both)), size_});
        size_ += pairs_.back().joint.counts().size();
      }
    }
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
  /// How many rows there are.
  [[nodiscard]] double total() const { return sum_of(pairs_.front()); }
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
  /// The shares of all pairs' cells; each pair's sum to 1.
  [[nodiscard]] Eigen::VectorXd shares() const {
    Eigen::VectorXd all(index(size_));
    for (const Pair& pair : pairs_) {
      const std::vector<double> of_pair = counts(pair);
      const double sum = sum_of(pair);
      for (std::size_t i = 0; i < of_pair.size(); ++i) {
        all[index(pair.begin + i)] = of_pair[i] / sum;
      }
    }
    return all;
  }
  /// The noise of a weighted sum of shares.
  [[nodiscard]] double noise_variance(const Measurements& measurements,
                                      const Eigen::VectorXd& weights) const {
    const Eigen::VectorXd shares_now = shares();
    NoisySum noise;
    for (const Pair& pair : pairs_) {
      const auto cells = index(pair.joint.counts().size());
      Eigen::VectorXd of_pair = weights.segment(index(pair.begin), cells);
      // A share is a count over the pair's sum.
      of_pair.array() -= of_pair.dot(shares_now.segment(index(pair.begin), cells));
      of_pair /= sum_of(pair);
      noise.add(pair.joint.sum(in_order_of_estimate(pair, of_pair)));
    }
    return noise.variance(measurements);
  }

 private:
  static double sum_of(const Pair& pair) {
    const std::vector<double>& counts = pair.joint.counts();
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  }

  [[nodiscard]] std::vector<double> in_order_of_estimate(const Pair& pair,
                                                         const Eigen::VectorXd& numbers) const {
    if (!pair.is_turned) return {numbers.begin(), numbers.end()};
    std::vector<double> made;
    for (std::uint32_t b = 0; b < count(pair.columns[1]); ++b) {
      for (std::uint32_t a = 0; a < count(pair.columns[0]); ++a) {
        made.push_back(numbers[index(std::size_t{a} * count(pair.columns[1]) + b)]);
      }
    }
    return made;
  }

  /// Of each column the groups that all of its pairs tell apart.
  void find_groups(const Measurements& measurements, const std::vector<AskedValues>& single) {
    std::vector<CellGroups> groups;
    for (const AskedValues& one : single) groups.push_back(one.cells.groups);
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < single.size(); ++i) {
      for (std::size_t j = i + 1; j < single.size(); ++j) {
        std::vector<AskedColumn> both = {single[i].cells, single[j].cells};
        refuse_if(both[0].column == both[1].column, "contradicting-parameters", "question",
                  "\"{}\" and \"{}\" are one column, or one follows from the other: leave one of "
                  "them out",
                  single[i].name, single[j].name);
        if (both[0].column > both[1].column) std::swap(both[0], both[1]);
        const auto told = told_apart(measurements, both);
        if (!told) {
          missing.push_back(single[i].name + " with " + single[j].name);
          continue;
        }
        for (const AskedColumn& one : *told) {
          const std::size_t at = one.column == single[i].cells.column ? i : j;
          groups[at] = common_coarsening(groups[at], one.groups);
        }
      }
    }
    if (!missing.empty()) {
      refuse_input("not-available-here", "question", {},
                   "the formula needs all pairs of its columns, but these were not measured: {}; "
                   "release the table with the question among its questions",
                   list_words(missing));
    }
    for (std::size_t i = 0; i < single.size(); ++i) {
      columns_.push_back(put_together(measurements, single[i], groups[i]));
      refuse_if(count(i) < 2, "not-available-here", "question",
                "the measured pairs of \"{}\" tell none of its values apart", single[i].name);
      for (const AskedValues::Group& group : columns_.back().groups) {
        refuse_if(std::isinf(group.others), "not-available-here", "question",
                  "nulls of \"{}\" were counted together with its numbers, so nothing says how "
                  "many there are",
                  single[i].name);
      }
    }
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

  /// How the pairs' shares move together in a draw: their means and their covariance.
  [[nodiscard]] std::pair<Eigen::VectorXd, Eigen::MatrixXd> moments() const {
    const Eigen::Index size = index(all_.size());
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd means = Eigen::VectorXd::Zero(size);
    visit([&](double probability, std::span<const std::uint32_t>,
              std::span<const std::size_t> places) {
      for (const std::size_t a : places) {
        means[index(a)] += probability;
        for (const std::size_t b : places) products(index(a), index(b)) += probability;
      }
    });
    return {means, products - means * means.transpose()};
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

/// The outcome and the terms of a formula in each cell. Numbers are moved and scaled to -1 to 1.
class RegressionFormula {
 public:
  /// Of columns in the order outcome, terms.
  RegressionFormula(const Domain& domain, const AllPairs& all,
                    const std::vector<AskedValues>& single, const TableQuestion& question)
      : columns_(all.columns()), terms_{{0, "(all)", {}, 0, 1}} {
    const AskedValues& outcome = columns_.front();
    is_logistic_ = question.value || !outcome.has_numbers;
    if (is_logistic_) find_success(domain, single.front(), question);
    for (const AskedValues::Group& group : outcome.groups) {
      const auto at = static_cast<std::uint32_t>(outcome_.size());
      outcome_.push_back(is_logistic_ ? (at == success_ ? 1 : 0) : group.range.middle);
    }
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (columns_[i].has_numbers) {
        add_numbers(i);
      } else {
        add_values(i);
      }
    }
  }

  /// A coefficient's column, and its value in each of the column's groups.
  struct Term {
    std::size_t column;  ///< 0 for the one of all rows
    std::string name;
    std::vector<double> values;
    double middle;  ///< values are (number - middle) / scale
    double scale;
  };

  [[nodiscard]] bool is_logistic() const { return is_logistic_; }
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
  /// By the outcome's groups.
  [[nodiscard]] const std::vector<double>& outcomes() const { return outcome_; }

  /// Whether rows with a null have to be left out.
  [[nodiscard]] bool has_nulls() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const AskedValues& column) {
      return std::any_of(column.groups.begin(), column.groups.end(),
                         [](const AskedValues::Group& group) { return group.is_null; });
    });
  }
  /// Whether no column is null.
  [[nodiscard]] bool is_used(std::span<const std::uint32_t> groups) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (columns_[i].groups[groups[i]].is_null) return false;
    }
    return true;
  }
  [[nodiscard]] double outcome(std::span<const std::uint32_t> groups) const {
    return outcome_[groups[0]];
  }
  void fill(std::span<const std::uint32_t> groups, Eigen::VectorXd& x) const {
    x[0] = 1;
    for (std::size_t k = 1; k < terms_.size(); ++k) {
      x[index(k)] = terms_[k].values[groups[terms_[k].column]];
    }
  }
  /// Coefficients of the columns' own numbers, from those of the scaled ones.
  [[nodiscard]] Eigen::MatrixXd to_own_scale() const {
    const Eigen::Index size = index(terms_.size());
    Eigen::MatrixXd map = Eigen::MatrixXd::Identity(size, size);
    for (std::size_t k = 1; k < terms_.size(); ++k) {
      map(index(k), index(k)) = 1 / terms_[k].scale;
      map(0, index(k)) = -terms_[k].middle / terms_[k].scale;
    }
    return map;
  }

 private:
  void add_numbers(std::size_t column) {
    const std::vector<AskedValues::Group>& groups = columns_[column].groups;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const AskedValues::Group& group : groups) {
      if (group.is_null) continue;
      low = std::min(low, group.range.middle);
      high = std::max(high, group.range.middle);
    }
    refuse_if(!(low < high), "not-available-here", "question",
              "the measured pairs of \"{}\" tell none of its values apart", columns_[column].name);
    Term term{column, columns_[column].name, {}, (low + high) / 2, (high - low) / 2};
    for (const AskedValues::Group& group : groups) {
      term.values.push_back((group.range.middle - term.middle) / term.scale);
    }
    terms_.push_back(std::move(term));
  }

  /// Differences from the first value.
  void add_values(std::size_t column) {
    const std::vector<AskedValues::Group>& groups = columns_[column].groups;
    bool is_first = true;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (groups[group].is_null) continue;
      if (!std::exchange(is_first, false)) {
        Term term{column, columns_[column].name + " = " + groups[group].words, {}, 0, 1};
        term.values.resize(groups.size());
        term.values[group] = 1;
        terms_.push_back(std::move(term));
      }
    }
  }

  void find_success(const Domain& domain, const AskedValues& single,
                    const TableQuestion& question) {
    const AskedValues& outcome = columns_.front();
    if (question.value) {
      success_ = group_for(outcome, single, group_of(domain, single, *question.value));
      return;
    }
    std::vector<std::uint32_t> values;
    for (std::uint32_t group = 0; group < outcome.groups.size(); ++group) {
      if (!outcome.groups[group].is_null) values.push_back(group);
    }
    refuse_if(values.size() != 2, "missing-parameter", "question",
              "\"{}\" has {} values: say which one the probability is of, such as \"{} = {} ~ "
              "...\"",
              outcome.name, values.size(), outcome.name,
              values.empty() ? "" : outcome.groups[values.back()].words);
    success_ = values.back();
  }

  const std::vector<AskedValues>& columns_;
  bool is_logistic_ = false;
  std::uint32_t success_ = 0;
  std::vector<double> outcome_;
  std::vector<Term> terms_;
};

/// Coefficients of scaled terms, and how each moves with the shares of all pairs' cells.
struct ByShares {
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd moved;  ///< a column for each coefficient
  bool is_found = true;   ///< false if noise leaves no solution
};

/// Linear coefficients by the pairs' own moments.
ByShares linear_by_moments(const AllPairs& all, const RegressionFormula& formula) {
  const std::vector<RegressionFormula::Term>& terms = formula.terms();
  const Eigen::VectorXd shares = all.shares();
  /// Adds to weights of shares, of which the mean product of two columns' numbers is a sum.
  const auto add = [&](std::size_t i, std::vector<double> u, std::size_t j, std::vector<double> w,
                       double times, Eigen::Ref<Eigen::VectorXd> weights) {
    if (i > j) {
      std::swap(i, j);
      std::swap(u, w);
    }
    if (u.empty()) u.assign(all.count(i), 1);
    if (w.empty()) w.assign(all.count(j), 1);
    if (i == j) {  // in a pair with the outcome, or with the first term
      for (std::size_t group = 0; group < u.size(); ++group) u[group] *= w[group];
      w = u;
      (i == 0 ? w : u).assign(all.count(i == 0 ? 1 : 0), 1);
      i == 0 ? j = 1 : i = 0;
    }
    const auto pair = std::find_if(
        all.pairs().begin(), all.pairs().end(),
        [&](const AllPairs::Pair& one) { return one.columns[0] == i && one.columns[1] == j; });
    for (std::uint32_t a = 0; a < u.size(); ++a) {
      for (std::uint32_t b = 0; b < w.size(); ++b) {
        weights[index(all.place(*pair, a, b))] += times * u[a] * w[b];
      }
    }
  };
  const Eigen::Index size = index(terms.size());
  Eigen::MatrixXd products(size, size);
  Eigen::VectorXd with_outcome(size);
  Eigen::VectorXd weights(index(all.size()));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    weights.setZero();
    add(0, formula.outcomes(), terms[k].column, terms[k].values, 1, weights);
    with_outcome[index(k)] = weights.dot(shares);
    for (std::size_t l = 0; l <= k; ++l) {
      weights.setZero();
      add(terms[k].column, terms[k].values, terms[l].column, terms[l].values, 1, weights);
      products(index(k), index(l)) = products(index(l), index(k)) = weights.dot(shares);
    }
  }
  const Eigen::LDLT<Eigen::MatrixXd> solver(products);
  ByShares made{solver.solve(with_outcome), Eigen::MatrixXd::Zero(index(all.size()), size),
                solver.isPositive() && solver.rcond() > 1e-12};
  Eigen::MatrixXd residuals = Eigen::MatrixXd::Zero(index(all.size()), size);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    auto residual = residuals.col(index(k));
    add(0, formula.outcomes(), terms[k].column, terms[k].values, 1, residual);
    for (std::size_t l = 0; l < terms.size(); ++l) {
      add(terms[k].column, terms[k].values, terms[l].column, terms[l].values,
          -made.coefficients[index(l)], residual);
    }
  }
  made.moved = solver.solve(residuals.transpose()).transpose();
  return made;
}

/// The coefficients of a distribution, and how each moves with the probability of a cell.
class Coefficients {
 public:
  Coefficients(const PairDistribution& distribution, const RegressionFormula& formula)
      : distribution_(distribution),
        formula_(formula),
        beta_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(formula.terms().size()))) {
    constexpr int kMostSteps = 100;
    constexpr double kEnough = 1e-10;
    constexpr double kLongest = 4;  // of a step, from where the curvature says little
    for (int step = 0; step < kMostSteps; ++step) {
      keep_going();
      Eigen::VectorXd move = newton();
      const double length = move.cwiseAbs().maxCoeff();
      if (formula.is_logistic() && length > kLongest) move *= kLongest / length;
      beta_ += move;
      if (!formula.is_logistic() || !(length > kEnough) || !is_found()) break;
    }
    static_cast<void>(newton());
  }

  /// Values that are separated have no logistic coefficients: then these grow without end.
  [[nodiscard]] bool is_found() const {
    constexpr double kFarthest = 30;
    return beta_.allFinite() && information_.isPositive() &&
           (!formula_.is_logistic() || beta_.cwiseAbs().maxCoeff() < kFarthest);
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
      formula_.fill(groups, x);
      const Eigen::VectorXd moved =
          information_.solve(x) * (probability * (formula_.outcome(groups) - mean(x)));
      for (const std::size_t place : places) {
        sums.row(static_cast<Eigen::Index>(place)) += moved.transpose();
      }
    });
    return sums;
  }

 private:
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
      formula_.fill(groups, x);
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

/// By the distribution of greatest entropy, and a step more from its shares to the estimated ones,
/// which takes back what the fit's shrinkage moved.
ByShares by_distribution(const AllPairs& all, const PairDistribution& distribution,
                         const RegressionFormula& formula) {
  const Coefficients coefficients(distribution, formula);
  if (!coefficients.is_found()) return {coefficients.beta(), {}, false};
  // The implicit function theorem: of potentials t and shares y of pairs, M(t) + ridge t = y.
  auto [means, curvature] = distribution.moments();
  curvature.diagonal().array() += distribution.ridge();
  const Eigen::LDLT<Eigen::MatrixXd> solver(curvature);
  const Eigen::MatrixXd once = solver.solve(coefficients.by_pairs(all.size()));
  return {coefficients.beta() + once.transpose() * (all.shares() - means),
          once + distribution.ridge() * solver.solve(once)};
}

/// What a row of each kind adds to coefficients: its variance, and the greatest sizes among rows
/// that were counted with a value that they do not have.
struct Influences {
  Eigen::VectorXd variance;
  Eigen::VectorXd strays;  ///< the sum over groups of others times greatest size
};

Influences influences_of(const AllPairs& all, const PairDistribution& distribution,
                         const Eigen::MatrixXd& moved) {
  const Eigen::Index size = moved.cols();
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(size), square = mean, of_row(size);
  Eigen::VectorXd least = Eigen::VectorXd::Constant(size, std::numeric_limits<double>::infinity());
  Eigen::VectorXd greatest = -least;
  std::vector<std::vector<Eigen::VectorXd>> greatest_of(all.columns().size());
  const auto visit = [&](const auto& see) {
    distribution.visit([&](double probability, std::span<const std::uint32_t> groups,
                           std::span<const std::size_t> places) {
      of_row.setZero();
      for (const std::size_t place : places) of_row += moved.row(index(place)).transpose();
      see(probability, groups);
    });
  };
  visit([&](double probability, std::span<const std::uint32_t>) {
    mean += probability * of_row;
    square += probability * of_row.cwiseAbs2();
  });
  Influences made{(square - mean.cwiseAbs2()).cwiseMax(0), Eigen::VectorXd::Zero(size)};
  bool has_strays = false;
  for (std::size_t i = 0; i < greatest_of.size(); ++i) {
    for (const AskedValues::Group& group : all.columns()[i].groups) {
      greatest_of[i].push_back(Eigen::VectorXd::Zero(size));
      has_strays = has_strays || group.others > 0;
    }
  }
  if (!has_strays) return made;
  visit([&](double probability, std::span<const std::uint32_t> groups) {
    if (!(probability > 0)) return;
    least = least.cwiseMin(of_row);
    greatest = greatest.cwiseMax(of_row);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      Eigen::VectorXd& most = greatest_of[i][groups[i]];
      most = most.cwiseMax((of_row - mean).cwiseAbs());
    }
  });
  for (std::size_t i = 0; i < greatest_of.size(); ++i) {
    for (std::size_t group = 0; group < greatest_of[i].size(); ++group) {
      // A row with another value of a term is a row less; one with another outcome, another row.
      made.strays += all.columns()[i].groups[group].others *
                     (i == 0 ? Eigen::VectorXd(greatest - least) : greatest_of[i][group]);
    }
  }
  return made;
}

}  // namespace

Regression regression_of(const Measurements& measurements, const Domain& domain,
                         const TableQuestion& question) {
  std::vector<AskedValues> single = {asked_values(domain, question.column)};
  for (const std::string& term : question.terms) single.push_back(asked_values(domain, term));
  const AllPairs all(measurements, single);
  const RegressionFormula formula(domain, all, single, question);
  Regression made{.is_logistic = formula.is_logistic()};
  for (const AskedValues& column : all.columns()) {
    for (std::string& words : column.together()) made.together.push_back(std::move(words));
  }
  for (const RegressionFormula::Term& term : formula.terms()) {
    made.coefficients.emplace_back().of = term.name;
  }
  const double total = all.total();
  if (!(total > 0)) return made;
  const PairDistribution distribution(all, total, all.deviation(measurements));
  ByShares found = formula.is_logistic() || formula.has_nulls()
                       ? by_distribution(all, distribution, formula)
                       : linear_by_moments(all, formula);
  if (!found.is_found) return made;
  const Eigen::MatrixXd own = formula.to_own_scale();
  found.coefficients = own * found.coefficients;
  found.moved = found.moved * own.transpose();
  const Influences influences = influences_of(all, distribution, found.moved);
  for (std::size_t k = 0; k < made.coefficients.size(); ++k) {
    const double value = found.coefficients[index(k)];
    const double noise = all.noise_variance(measurements, found.moved.col(index(k)));
    const double strays = influences.strays[index(k)] / total;
    if (!std::isfinite(value + noise + strays)) continue;
    std::optional<double> sampling;
    if (has_population(measurements)) sampling = influences.variance[index(k)] / total;
    std::string name = std::move(made.coefficients[k].of);
    made.coefficients[k] = with_errors(value, value - strays, value + strays, noise, sampling);
    made.coefficients[k].of = std::move(name);
  }
  return made;
}

}  // namespace mollify
