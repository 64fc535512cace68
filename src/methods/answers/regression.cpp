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
#include "methods/answers/questions.h"
#include "methods/graphical/fit.h"

namespace mollify {

namespace {

/// Of the distribution over all of the formula's columns: 2 MB, and a second of time.
constexpr std::size_t kMostCells = std::size_t{1} << 18U;
/// Counts of all pairs together, whose covariances are a matrix.
constexpr std::size_t kMostStatistics = 2000;

Eigen::Index index(std::size_t at) { return static_cast<Eigen::Index>(at); }

/// The estimated tables of all pairs of some columns, over the same groups of each column; of three
/// of them together in place of their pairs, if that was measured and the equations need it.
class AllPairs {
 public:
  /// `three`: the columns that are needed together, or none.
  AllPairs(const Measurements& measurements, const std::vector<AskedValues>& single,
           const Clique& three) {
    find_groups(measurements, single);
    const auto is_together = [&](std::size_t column) {
      return std::find(three.begin(), three.end(), column) != three.end();
    };
    std::vector<Clique> pairs, others;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = i + 1; j < columns_.size(); ++j) {
        pairs.push_back({i, j});
        if (!is_together(i) || !is_together(j)) others.push_back({i, j});
      }
    }
    others.push_back(three);
    has_three_ = !three.empty() && are_told_apart(measurements, three) &&
                 cells_of(others) <= kMostStatistics;
    if (has_three_) pairs = std::move(others);
    if (const std::size_t size = cells_of(pairs); size > kMostStatistics) {
      refuse_question(
          "too-much-work",
          "a formula's columns may have at most {} cells in all their pairs together, but have "
          "{}: leave a column out, or declare fewer values",
          kMostStatistics, size);
    }
    for (Clique& columns : pairs) add(measurements, std::move(columns));
  }

  /// Two columns, or three.
  struct Pair {
    Clique columns;
    JointEstimate joint;
    std::vector<std::size_t> place;  ///< of each of the estimate's cells, in the formula's order
    std::size_t begin;               ///< of its cells in the list of all pairs' cells
  };

  [[nodiscard]] const std::vector<AskedValues>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  [[nodiscard]] bool has_three() const { return has_three_; }
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
  /// Whether more rows have a null than noise could make.
  [[nodiscard]] bool has_nulls(const Measurements& measurements) const {
    constexpr double kStandsOut = 3;  // standard errors
    for (const Pair& pair : pairs_) {
      std::size_t inner = pair.joint.counts().size();
      for (const std::size_t column : pair.columns) {
        inner /= count(column);
        std::vector<double> of_nulls;
        for (const std::size_t cell : pair.place) {
          const std::size_t group = cell / inner % count(column);
          of_nulls.push_back(columns_[column].groups[group].is_null ? 1 : 0);
        }
        const NoisySum rows = pair.joint.sum(of_nulls);
        const double error = std::sqrt(rows.variance(measurements));
        if (rows.value(measurements) > kStandsOut * error) return true;
      }
    }
    return false;
  }
  /// The place of a pair's cell in the list of all pairs' cells, row-major in the formula's order.
  [[nodiscard]] std::size_t place(const Pair& pair, std::span<const std::uint32_t> groups) const {
    std::size_t at = 0;
    for (const std::size_t column : pair.columns) at = at * count(column) + groups[column];
    return pair.begin + at;
  }
  /// The estimated counts of a pair's cells, in the formula's order.
  [[nodiscard]] std::vector<double> counts(const Pair& pair) const {
    std::vector<double> counts(pair.place.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[pair.place[i]] = pair.joint.counts()[i];
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
      std::vector<double> of_estimate;
      for (const std::size_t place : pair.place) of_estimate.push_back(of_pair[index(place)]);
      noise.add(pair.joint.sum(of_estimate));
    }
    return noise.variance(measurements);
  }

 private:
  static double sum_of(const Pair& pair) {
    const std::vector<double>& counts = pair.joint.counts();
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  }

  [[nodiscard]] std::size_t cells_of(const std::vector<Clique>& tables) const {
    std::size_t sum = 0;
    for (const Clique& table : tables) {
      std::size_t cells = 1;
      for (const std::size_t column : table) cells *= count(column);
      sum += cells;
    }
    return sum;
  }

  /// The columns and their groups, ascending by the domain's columns.
  [[nodiscard]] std::vector<AskedColumn> asked(const Clique& columns) const {
    std::vector<AskedColumn> asked;
    for (const std::size_t column : columns) asked.push_back(columns_[column].cells);
    std::sort(asked.begin(), asked.end(),
              [](const AskedColumn& a, const AskedColumn& b) { return a.column < b.column; });
    return asked;
  }

  [[nodiscard]] bool are_told_apart(const Measurements& measurements, const Clique& three) const {
    const std::vector<AskedColumn> wanted = asked(three);
    const auto told = told_apart(measurements, wanted);
    return told && std::equal(told->begin(), told->end(), wanted.begin(),
                              [](const AskedColumn& a, const AskedColumn& b) {
                                return a.groups.count == b.groups.count;
                              });
  }

  void add(const Measurements& measurements, Clique columns) {
    JointEstimate joint(measurements, asked(columns));
    // Steps from one cell to the next, in the formula's order.
    std::vector<std::size_t> steps(columns.size(), 1);
    for (std::size_t i = columns.size() - 1; i-- > 0;)
      steps[i] = steps[i + 1] * count(columns[i + 1]);
    std::vector<std::size_t> places = {0};
    for (const AskedColumn& one : joint.asked()) {
      std::size_t own = 0;
      while (columns_[columns[own]].cells.column != one.column) ++own;
      std::vector<std::size_t> more;
      for (const std::size_t place : places) {
        for (std::size_t group = 0; group < one.groups.count; ++group) {
          more.push_back(place + group * steps[own]);
        }
      }
      places = std::move(more);
    }
    const std::size_t cells = places.size();
    pairs_.push_back({std::move(columns), std::move(joint), std::move(places), size_});
    size_ += cells;
  }

  /// Of each column the groups that all of its pairs tell apart.
  void find_groups(const Measurements& measurements, const std::vector<AskedValues>& single) {
    std::vector<CellGroups> groups;
    for (const AskedValues& one : single) groups.push_back(one.cells.groups);
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < single.size(); ++i) {
      for (std::size_t j = i + 1; j < single.size(); ++j) {
        std::vector<AskedColumn> both = {single[i].cells, single[j].cells};
        if (both[0].column == both[1].column) {
          refuse_question(
              "contradicting-parameters",
              "\"{}\" and \"{}\" are one column, or one follows from the other: leave one of "
              "them out",
              single[i].name, single[j].name);
        }
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
      refuse_question(
          "not-available-here",
          "the formula needs all pairs of its columns, but these were not measured: {}; "
          "release the table with the question among its questions",
          list_words(missing));
    }
    for (std::size_t i = 1; i < single.size(); ++i) {
      if (!single[i].has_numbers) {
        join_rare(measurements, single[i], {single[0].cells.column, groups[0]}, groups[i]);
      }
    }
    for (std::size_t i = 0; i < single.size(); ++i) {
      columns_.push_back(put_together(measurements, single[i], groups[i]));
      if (count(i) < 2) {
        refuse_question("not-available-here",
                        "the measured pairs of \"{}\" tell none of its values apart",
                        single[i].name);
      }
      for (const AskedValues::Group& group : columns_.back().groups) {
        if (std::isinf(group.others)) {
          refuse_question(
              "not-available-here",
              "nulls of \"{}\" were counted together with its numbers, so nothing says how "
              "many there are",
              single[i].name);
        }
      }
    }
  }

  /// Puts values of a term together until each group has more rows than the noise of its pair with
  /// the outcome could make: otherwise noise leaves no coefficient.
  static void join_rare(const Measurements& measurements, const AskedValues& single,
                        const AskedColumn& outcome, CellGroups& groups) {
    constexpr double kStandsOut = 5;  // standard errors
    for (;;) {
      const AskedColumn own{single.cells.column, groups};
      std::vector<AskedColumn> both = {outcome, own};
      const bool is_first = own.column < outcome.column;
      if (is_first) std::swap(both[0], both[1]);
      const JointEstimate joint(measurements, std::move(both));
      struct Group {
        std::uint32_t place;
        double rows;
        double error;
      };
      std::vector<Group> of_values;
      for (std::uint32_t group = 0; group < groups.count; ++group) {
        if (is_of_nulls(single, groups, group)) continue;
        std::vector<double> weights(joint.counts().size());
        double rows = 0;
        for (std::size_t cell = 0; cell < weights.size(); ++cell) {
          const std::size_t of = is_first ? cell / outcome.groups.count : cell % groups.count;
          if (of != group) continue;
          weights[cell] = 1;
          rows += joint.counts()[cell];
        }
        of_values.push_back({group, rows, std::sqrt(joint.sum(weights).variance(measurements))});
      }
      std::sort(of_values.begin(), of_values.end(),
                [](const Group& a, const Group& b) { return a.rows < b.rows; });
      const auto rare = static_cast<std::size_t>(
          std::find_if(of_values.begin(), of_values.end(),
                       [](const Group& one) { return one.rows >= kStandsOut * one.error; }) -
          of_values.begin());
      if (rare == 0 || of_values.size() < 2) return;
      const std::size_t joined = std::min(std::max(rare, std::size_t{2}), of_values.size());
      std::vector<std::uint32_t> name(groups.count);
      std::iota(name.begin(), name.end(), 0U);
      for (std::size_t i = 1; i < joined; ++i) name[of_values[i].place] = of_values[0].place;
      CellGroups renamed = groups;
      for (std::uint32_t& group : renamed.of) group = name[group];
      groups = common_coarsening(groups, renamed);
    }
  }

  static bool is_of_nulls(const AskedValues& single, const CellGroups& groups,
                          std::uint32_t group) {
    for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
      if (groups.of[cell] == group && !single.groups[single.cells.groups.of[cell]].is_null) {
        return false;
      }
    }
    return true;
  }

  std::vector<AskedValues> columns_;
  std::vector<Pair> pairs_;
  std::size_t size_ = 0;
  bool has_three_ = false;
};

/// The distribution over the columns' groups with these pairs of greatest entropy.
class PairDistribution {
 public:
  PairDistribution(const AllPairs& all, double total, double deviation) : all_(all) {
    std::size_t cells = 1;
    ColumnSizes sizes;
    for (std::size_t i = 0; i < all.columns().size(); ++i) {
      sizes.push_back(all.count(i));
      cells *= all.count(i);
      if (cells > kMostCells) {
        refuse_question(
            "too-much-work",
            "a formula's columns may have at most {} combinations of values, but have more: "
            "leave a column out, or declare fewer values",
            kMostCells);
      }
    }
    // A row of uniform columns changes less than noise does, and keeps the model finite.
    constexpr double kShrinkage = 1;
    const FitOptions options{
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

  /// Each cell's groups, and the places of its pairs' cells in the list of all pairs' cells.
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
        places[at] = all_.place(all_.pairs()[at], groups);
      }
      visit(probabilities_[cell], std::span<const std::uint32_t>(groups),
            std::span<const std::size_t>(places));
    }
  }

 private:
  const AllPairs& all_;
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
  /// The term of a column's numbers.
  [[nodiscard]] std::size_t term_of(std::size_t column) const {
    return static_cast<std::size_t>(
        std::find_if(terms_.begin() + 1, terms_.end(),
                     [&](const Term& term) { return term.column == column; }) -
        terms_.begin());
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
  /// Maps coefficients of scaled numbers to coefficients of the columns' own numbers.
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
    if (!(low < high)) {
      refuse_question("not-available-here",
                      "the measured pairs of \"{}\" tell none of its values apart",
                      columns_[column].name);
    }
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
    if (values.size() != 2) {
      refuse_question(
          "missing-parameter",
          "\"{}\" has {} values: say which one the probability is of, such as \"{} = {} ~ "
          "...\"",
          outcome.name, values.size(), outcome.name,
          values.empty() ? "" : outcome.groups[values.back()].words);
    }
    success_ = values.back();
  }

  const std::vector<AskedValues>& columns_;
  bool is_logistic_ = false;
  std::uint32_t success_ = 0;
  std::vector<double> outcome_;
  std::vector<Term> terms_;
};

/// Unbiased means over rows of functions of a row's cell, as far as pairs tell. A function is
/// nearly a sum h of functions of pairs. The mean of h is a weighted sum of the pairs' estimated
/// shares. The mean of the rest, which is small, is taken from the distribution.
///
/// The rest is nearly orthogonal to all functions of pairs under the distribution, so noise moves its
/// mean little, and its part of the noise is left out. A small part of all cells alike lets h follow
/// the function in cells that the distribution gives no probability, whose noisy counts may be
/// negative.
class PairMeans {
 public:
  PairMeans(const AllPairs& all, const PairDistribution& distribution)
      : all_(all), distribution_(distribution), off_(all.shares()) {
    constexpr double kEverywhere = 1e-3;
    constexpr double kRidge =
        1e-11;  // pairs share columns, so their cells' sums depend on each other
    even_ = kEverywhere / static_cast<double>(distribution.probabilities().size());
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(index(all.size()), index(all.size()));
    distribution.visit([&](double probability, std::span<const std::uint32_t>,
                           std::span<const std::size_t> places) {
      for (const std::size_t a : places) {
        off_[index(a)] -= probability;
        for (const std::size_t b : places) products(index(a), index(b)) += probability + even_;
      }
    });
    products.diagonal().array() += kRidge;
    solver_.compute(products);
  }

  struct Found {
    Eigen::VectorXd means;
    Eigen::MatrixXd weights;  ///< of the pairs' shares, a column for each function
  };
  /// `function` sets `functions` numbers, given a cell's groups.
  template <class Function>
  [[nodiscard]] Found of(std::size_t functions, const Function& function) const {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(index(functions), index(all_.size()));
    Found found{Eigen::VectorXd::Zero(index(functions)), {}};
    Eigen::VectorXd values(index(functions));
    distribution_.visit([&](double probability, std::span<const std::uint32_t> groups,
                            std::span<const std::size_t> places) {
      function(groups, values);
      found.means += probability * values;
      for (const std::size_t place : places)
        sums.col(index(place)) += (probability + even_) * values;
    });
    found.weights = solver_.solve(sums.transpose());
    found.means += found.weights.transpose() * off_;
    return found;
  }

 private:
  const AllPairs& all_;
  const PairDistribution& distribution_;
  Eigen::VectorXd off_;  // estimated shares less the distribution's
  double even_ = 0;
  Eigen::LDLT<Eigen::MatrixXd> solver_;
};

/// The equations whose solution are the coefficients: the mean over rows of score is 0, and of
/// information is its derivative.
class Equations {
 public:
  explicit Equations(const RegressionFormula& formula)
      : formula_(formula), x_(Eigen::VectorXd::Zero(index(formula.terms().size()))) {}

  [[nodiscard]] std::size_t size() const { return formula_.terms().size(); }
  /// Looks at a row's cell. False if a column is null, so that the row counts nowhere.
  bool look(std::span<const std::uint32_t> groups, const Eigen::VectorXd& beta) {
    if (!formula_.is_used(groups)) return false;
    formula_.fill(groups, x_);
    const double linear = x_.dot(beta);
    const double mean = formula_.is_logistic() ? 1 / (1 + std::exp(-linear)) : linear;
    residual_ = formula_.outcome(groups) - mean;
    curvature_ = formula_.is_logistic() ? mean * (1 - mean) : 1;
    return true;
  }
  [[nodiscard]] const Eigen::VectorXd& x() const { return x_; }
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] double curvature() const { return curvature_; }

  [[nodiscard]] PairMeans::Found scores(const PairMeans& means, const Eigen::VectorXd& beta) {
    return means.of(size(), [&](std::span<const std::uint32_t> groups, Eigen::VectorXd& values) {
      values.setZero();
      if (look(groups, beta)) values = residual_ * x_;
    });
  }
  /// Column-major.
  [[nodiscard]] PairMeans::Found information(const PairMeans& means, const Eigen::VectorXd& beta) {
    return means.of(size() * size(),
                    [&](std::span<const std::uint32_t> groups, Eigen::VectorXd& values) {
                      values.setZero();
                      if (!look(groups, beta)) return;
                      for (Eigen::Index k = 0; k < x_.size(); ++k) {
                        values.segment(k * x_.size(), x_.size()) = curvature_ * x_[k] * x_;
                      }
                    });
  }

 private:
  const RegressionFormula& formula_;
  Eigen::VectorXd x_;
  double residual_ = 0;
  double curvature_ = 0;
};

/// The solution for the scaled terms, and the means there.
struct Solution {
  Eigen::VectorXd beta;
  PairMeans::Found scores, information;
  Eigen::MatrixXd inverse;  ///< of the information
};

/// Nothing where noise leaves no solution: values that are separated have logistic coefficients
/// that grow without end.
std::optional<Solution> solved(Equations& equations, const PairMeans& means, bool is_logistic) {
  constexpr int kMostSteps = 60;
  constexpr double kEnough = 1e-9;
  constexpr double kLongest = 2;  // of a step, from where the curvature says little
  constexpr double kFarthest = 30;
  const Eigen::Index size = index(equations.size());
  Solution found;
  found.beta.setZero(size);
  for (int step = 0; step < kMostSteps; ++step) {
    keep_going();
    found.scores = equations.scores(means, found.beta);
    found.information = equations.information(means, found.beta);
    const Eigen::LDLT<Eigen::MatrixXd> solver(
        Eigen::Map<const Eigen::MatrixXd>(found.information.means.data(), size, size));
    if (solver.info() != Eigen::Success || !solver.isPositive()) return std::nullopt;
    Eigen::VectorXd move = solver.solve(found.scores.means);
    const double length = move.cwiseAbs().maxCoeff();
    if (!std::isfinite(length)) return std::nullopt;
    if (length <= kEnough * (1 + found.beta.cwiseAbs().maxCoeff())) {
      found.inverse = solver.solve(Eigen::MatrixXd::Identity(size, size));
      return found;
    }
    if (is_logistic && length > kLongest) move *= kLongest / length;
    found.beta += move;
    if (is_logistic && found.beta.cwiseAbs().maxCoeff() > kFarthest) return std::nullopt;
  }
  return std::nullopt;
}

/// A row's part in a coefficient, and in its part of the information: variances in a draw, and what
/// of these no pair tells. And how far the coefficient may be moved by what no count tells apart: the
/// numbers of a group, and rows that were counted with a value that they do not have.
struct OfRows {
  Variances variances;
  Variances rest;
  double hidden = 0;
};

/// The variances of two numbers of a row, of moments under a distribution.
class RowMoments {
 public:
  void add(double probability, double one, double other) {
    mean_ += probability * one;
    other_mean_ += probability * other;
    square_ += probability * one * one;
    other_square_ += probability * other * other;
    product_ += probability * one * other;
  }
  [[nodiscard]] Variances variances() const {
    return {square_ - mean_ * mean_, product_ - mean_ * other_mean_,
            other_square_ - other_mean_ * other_mean_};
  }

 private:
  double mean_ = 0, square_ = 0, other_mean_ = 0, other_square_ = 0, product_ = 0;
};

/// `influence` and `information` are of a row in the cell looked at; zero for rows left out.
/// `slope` is the influence's derivative by a column's number. `told` and `told_information` are what
/// pairs tell of both, as weights of the pairs' cells.
template <class Influence, class Information, class Slope>
OfRows of_rows(const AllPairs& all, const PairDistribution& distribution, double total,
               const Influence& influence, const Information& information, const Slope& slope,
               const Eigen::VectorXd& told, const Eigen::VectorXd& told_information) {
  RowMoments whole, rest;
  double least = 0, greatest = 0, spread = 0;
  std::vector<std::vector<double>> greatest_of;
  for (const AskedValues& column : all.columns()) {
    greatest_of.emplace_back(column.groups.size());
  }
  distribution.visit([&](double probability, std::span<const std::uint32_t> groups,
                         std::span<const std::size_t> places) {
    if (!(probability > 0)) return;
    const double one = influence(groups), other = information(groups);
    whole.add(probability, one, other);
    double one_left = one, other_left = other;
    for (const std::size_t place : places) {
      one_left -= told[index(place)];
      other_left -= told_information[index(place)];
    }
    rest.add(probability, one_left, other_left);
    least = std::min(least, one);
    greatest = std::max(greatest, one);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      double& most = greatest_of[i][groups[i]];
      most = std::max(most, std::abs(one));
      const double off = all.columns()[i].groups[groups[i]].spread;
      if (off > 0) spread += probability * off * std::abs(slope(groups, i));
    }
  });
  OfRows made{whole.variances(), rest.variances(), spread};
  for (std::size_t i = 0; i < greatest_of.size(); ++i) {
    for (std::size_t group = 0; group < greatest_of[i].size(); ++group) {
      // A row with another value of a term is a row less; one with another outcome, another row.
      made.hidden += all.columns()[i].groups[group].others *
                     (i == 0 ? greatest - least : greatest_of[i][group]) / total;
    }
  }
  return made;
}

bool has_nulls(const std::vector<AskedValues>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const AskedValues& column) {
    return std::any_of(column.groups.begin(), column.groups.end(),
                       [](const AskedValues::Group& group) { return group.is_null; });
  });
}

/// Three columns that the equations need together: all of them because of nulls, or the terms of a
/// logistic regression.
Clique needed_together(const std::vector<AskedValues>& single, const TableQuestion& question) {
  if (single.size() == 3 && has_nulls(single)) return {0, 1, 2};
  const bool is_logistic = question.value || !single.front().has_numbers;
  if (single.size() == 4 && is_logistic && !has_nulls(single)) return {1, 2, 3};
  return {};
}

/// Whether the equations' functions of a row are sums of functions of the measured tables, so that
/// the coefficients are the rows' own.
bool is_of_rows(const AllPairs& all, const RegressionFormula& formula,
                const Measurements& measurements) {
  if (all.has_three() || all.columns().size() == 2) return true;
  if (all.has_nulls(measurements)) return false;
  return !formula.is_logistic() || all.columns().size() == 3;
}

}  // namespace

Regression regression_of(const Measurements& measurements, const Domain& domain,
                         const TableQuestion& question) {
  std::vector<AskedValues> single = {asked_values(domain, question.column)};
  for (const std::string& term : question.terms) single.push_back(asked_values(domain, term));
  const AllPairs all(measurements, single, needed_together(single, question));
  const RegressionFormula formula(domain, all, single, question);
  Regression made{.is_logistic = formula.is_logistic(),
                  .is_of_rows = is_of_rows(all, formula, measurements)};
  for (const AskedValues& column : all.columns()) {
    for (std::string& words : column.together()) made.together.push_back(std::move(words));
  }
  for (const RegressionFormula::Term& term : formula.terms()) {
    made.coefficients.emplace_back().of = term.name;
  }
  const double total = all.total();
  if (!(total > 0)) return made;
  const PairDistribution distribution(all, total, all.deviation(measurements));
  const PairMeans means(all, distribution);
  Equations equations(formula);
  const std::optional<Solution> found = solved(equations, means, formula.is_logistic());
  if (!found) return made;
  // Of the columns' own numbers: coefficients, and a row's score times `by_score` is its influence.
  const Eigen::MatrixXd own = formula.to_own_scale();
  const Eigen::VectorXd beta = own * found->beta;
  const Eigen::MatrixXd by_score = found->inverse * own.transpose();
  for (std::size_t k = 0; k < made.coefficients.size(); ++k) {
    const Eigen::VectorXd of_score = by_score.col(index(k));
    const double information = 1 / own.row(index(k)).dot(of_score);
    const Eigen::VectorXd direction = of_score * information;
    const Eigen::VectorXd moved = found->scores.weights * of_score;
    const Eigen::MatrixXd outer = direction * direction.transpose() / information;
    const Eigen::VectorXd stretched =
        found->information.weights * Eigen::Map<const Eigen::VectorXd>(outer.data(), outer.size());
    Variances noise{all.noise_variance(measurements, moved), 0,
                    all.noise_variance(measurements, stretched)};
    noise.both =
        (all.noise_variance(measurements, moved + stretched) - noise.above - noise.below) / 2;
    const OfRows rows = of_rows(
        all, distribution, total,
        [&](std::span<const std::uint32_t> groups) {
          return equations.look(groups, found->beta)
                     ? equations.residual() * equations.x().dot(of_score)
                     : 0;
        },
        [&](std::span<const std::uint32_t> groups) {
          if (!equations.look(groups, found->beta)) return 0.0;
          const double along = equations.x().dot(direction);
          return equations.curvature() * along * along / information;
        },
        [&](std::span<const std::uint32_t> groups, std::size_t column) {
          if (!equations.look(groups, found->beta)) return 0.0;
          const double row = equations.x().dot(of_score);
          if (column == 0) return formula.is_logistic() ? 0.0 : row;
          const std::size_t term = formula.term_of(column);
          return (of_score[index(term)] * equations.residual() -
                  row * equations.curvature() * found->beta[index(term)]) /
                 formula.terms()[term].scale;
        },
        moved, stretched);
    std::optional<Variances> sampling;
    if (has_population(measurements)) {
      // The table's rows stray by chance from what their pairs tell.
      const Variances rest = made.is_of_rows ? Variances{} : rows.rest;
      noise = noise.plus(rest.over(total));
      sampling = rows.variances.plus(rest.over(-1)).over(total);
    }
    std::string name = std::move(made.coefficients[k].of);
    made.coefficients[k] = with_errors(beta[index(k)], rows.hidden, noise, sampling);
    made.coefficients[k].of = std::move(name);
  }
  return made;
}

}  // namespace mollify
