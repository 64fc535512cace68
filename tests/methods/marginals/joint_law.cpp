// The joint law of choices and measurements, exactly, for all neighbours of small tables.
//
// An asker measures a column, chooses a table by what came out, measures it for a part of the
// budget that depends on that, chooses once more and spends all that is left: on a table, or on how
// far rows that depend on the choice are from the table. Whatever it asks next
// depends on noisy counts through their classes alone, below 1, 1, 2 and above, so the sum over all
// paths of integers that noise can give is one over paths of classes, each weighed by all integers
// of its class: the law of everything that is seen, except for a tail of noise that is below 10^-30
// of each sum. Of Laplace noise nothing is left out, because the ratio of two tables' probabilities
// is constant beyond both counts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include <gtest/gtest.h>

#include "methods/marginals/noisy_answers.h"
#include "printed.h"
#include "sanitized.h"

namespace mollify {

namespace {

constexpr std::size_t kClasses = 4;
constexpr long double kJointOrders[] = {1.5L, 5};

long double ratio_value(Ratio ratio) {
  return static_cast<long double>(ratio.numerator) / static_cast<long double>(ratio.denominator);
}

std::size_t class_of(std::int64_t count) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kClasses - 1));
}

/// The sum over a path: of rho sum p^a q^(1 - a), of epsilon the greatest ln p/q.
struct Told {
  bool pure;
  long double order;

  [[nodiscard]] long double none() const { return pure ? -HUGE_VALL : 0; }
  [[nodiscard]] long double one() const { return pure ? 0 : 1; }
  [[nodiscard]] long double together(long double a, long double b) const {
    return pure ? std::max(a, b) : a + b;
  }
  [[nodiscard]] long double then(long double a, long double b) const {
    return pure ? a + b : a * b;
  }
  /// Of one outcome.
  [[nodiscard]] long double of(long double log_p, long double log_q) const {
    return pure ? log_p - log_q : std::exp(order * log_p + (1 - order) * log_q);
  }
};

/// A count with noise in each class, on two tables.
std::vector<long double> noisy_classes(const Told& told, Ratio noise, std::int64_t left,
                                       std::int64_t right) {
  const long double scale = ratio_value(noise);
  const std::int64_t by = std::abs(left - right);
  const auto reach = static_cast<std::int64_t>(told.pure ? 3 : 12 * std::sqrt(scale) + 20 * by + 2);
  const auto log_weight = [&](std::int64_t z) {
    const auto x = static_cast<long double>(z);
    return told.pure ? -std::abs(x) / scale : -x * x / (2 * scale);
  };
  long double all = 1;
  if (!told.pure) {
    all = 0;
    for (std::int64_t z = -reach; z <= reach; ++z) all += std::exp(log_weight(z));
  }
  std::vector<long double> classes(kClasses, told.none());
  const std::int64_t first = std::min({left, right, std::int64_t{0}}) - reach;
  const std::int64_t last = std::max({left, right, std::int64_t{kClasses}}) + reach;
  for (std::int64_t count = first; count <= last; ++count) {
    long double& of_class = classes[class_of(count)];
    of_class = told.together(of_class, told.of(log_weight(count - left) - std::log(all),
                                               log_weight(count - right) - std::log(all)));
  }
  return classes;
}

/// An answer: a candidate's index, or the classes of noisy counts.
using Outputs = std::vector<std::size_t>;
using History = std::vector<Outputs>;

struct Question {
  std::vector<MarginalCandidate> candidates;  ///< of a choice
  MarginalTable table;                        ///< of a measurement
  std::uint32_t parts;
  bool is_last = false;
  std::optional<PairCounts> rows{};  ///< where the question is how far these are
};

class Asker {
 public:
  explicit Asker(const std::vector<std::uint32_t>& sizes) : sizes_(sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      tables_.push_back({{i}, {single_cells(sizes[i])}});
      for (std::size_t j = i + 1; j < sizes.size(); ++j) {
        // The second column's values but the first are put together.
        CellGroups coarse{std::vector<std::uint32_t>(sizes[j], 1), 2};
        coarse.of[0] = 0;
        tables_.push_back({{i, j}, {single_cells(sizes[i]), coarse}});
      }
    }
    if (sizes.size() < 3) return;
    tables_.push_back(
        {{0, 1, 2}, {single_cells(sizes[0]), single_cells(sizes[1]), single_cells(sizes[2])}});
  }

  [[nodiscard]] std::optional<Question> next(const History& history) const {
    constexpr std::uint32_t kParts = MarginalBudget::kParts;
    // The first answers decide the worth of the middle.
    const std::uint32_t middle = history.empty() || history[0][0] < 2 ? kParts / 4 : kParts / 8;
    switch (history.size()) {
      case 0:
        return Question{{}, tables_[0], kParts / 4};
      case 1:
        return Question{candidates(history[0]), {}, kParts / 4};
      case 2:
        return Question{{}, tables_[history[1][0]], middle};
      case 3:
        return Question{candidates(history[2]), {}, kParts / 8};
      case 4: {
        Question last{{},
                      tables_[history[3][0]],
                      kParts - kParts / 4 - kParts / 4 - middle - kParts / 8,
                      true};
        if (history[3][0] % 2 == 1) last.rows = rows(history[3][0]);
        return last;
      }
      default:
        return std::nullopt;
    }
  }

  /// All that what is asked from here on depends on.
  [[nodiscard]] static std::vector<std::size_t> state(const History& history) {
    std::vector<std::size_t> state;
    if (!history.empty()) state = history.back();
    state.push_back(history.size());
    state.push_back(!history.empty() && history[0][0] < 2 ? 1 : 0);
    return state;
  }

 private:
  [[nodiscard]] std::vector<MarginalCandidate> candidates(const Outputs& seen) const {
    std::vector<MarginalCandidate> found;
    for (const MarginalTable& table : tables_) {
      MarginalCandidate& one = found.emplace_back(MarginalCandidate{table, {}, table.cells()});
      for (std::size_t i = 0; i < table.cells(); ++i) {
        one.expected.push_back(seen[i % seen.size()]);
      }
    }
    return found;
  }

  /// One or two rows of each value, by what was chosen.
  [[nodiscard]] PairCounts rows(std::size_t chosen) const {
    PairCounts counts(sizes_);
    for (std::uint32_t value = 0; value < 2; ++value) {
      counts.add(std::vector<std::uint32_t>(sizes_.size(), value), 1 + (value + chosen / 2) % 2);
    }
    return counts;
  }

  std::vector<std::uint32_t> sizes_;
  std::vector<MarginalTable> tables_;
};

/// The joint law on two tables, as `told` adds it up.
class JointLaw {
 public:
  JointLaw(const Asker& asker, const MarginalBudget& budget, const PairCounts& left,
           const PairCounts& right, Told told)
      : asker_(asker), budget_(budget), left_(left), right_(right), told_(told) {}

  [[nodiscard]] long double after(History& history) {
    const std::optional<Question> question = asker_.next(history);
    if (!question) return told_.one();
    const std::vector<std::size_t> state = Asker::state(history);
    const auto known = known_.find(state);
    if (known != known_.end()) return known->second;
    const long double found =
        question->candidates.empty() ? measured(*question, history) : chosen(*question, history);
    known_[state] = found;
    return found;
  }

 private:
  [[nodiscard]] long double chosen(const Question& question, History& history) {
    const std::vector<long double> p = log_choice(left_, question);
    const std::vector<long double> q = log_choice(right_, question);
    long double sum = told_.none();
    for (std::size_t i = 0; i < p.size(); ++i) {
      history.push_back({i});
      sum = told_.together(sum, told_.then(told_.of(p[i], q[i]), after(history)));
      history.pop_back();
    }
    return sum;
  }

  [[nodiscard]] std::vector<long double> log_choice(const PairCounts& counts,
                                                    const Question& question) const {
    const long double eta = ratio_value(budget_.choice_rate(question.parts));
    std::vector<std::uint64_t> distances;
    for (const MarginalCandidate& one : question.candidates) {
      distances.push_back(exact_distance(counts, one));
    }
    const std::uint64_t least = *std::min_element(distances.begin(), distances.end());
    std::vector<long double> logs;
    long double all = 0;
    for (const std::uint64_t distance : distances) {
      logs.push_back(-eta * static_cast<long double>(distance - least));
      all += std::exp(logs.back());
    }
    for (long double& log : logs) log -= std::log(all);
    return logs;
  }

  /// Without noise: of distances their sum if pure.
  [[nodiscard]] std::vector<std::uint64_t> exact_answer(const PairCounts& counts,
                                                        const Question& question) const {
    if (!question.rows) return exact_counts(counts, question.table);
    std::vector<std::size_t> columns(counts.sizes().size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    auto distances = exact_pair_distances(counts, {*question.rows, 3, 4}, columns);
    if (told_.pure) {
      distances = {std::accumulate(distances.begin(), distances.end(), std::uint64_t{0})};
    }
    return distances;
  }

  [[nodiscard]] long double measured(const Question& question, History& history) {
    const auto left = exact_answer(left_, question);
    const auto right = exact_answer(right_, question);
    const std::uint64_t columns = left_.sizes().size();
    const Ratio noise = question.rows
                            ? budget_.distance_noise(question.parts, columns * (columns - 1) / 2)
                            : budget_.noise(question.parts);
    std::vector<std::vector<long double>> cells;
    for (std::size_t i = 0; i < left.size(); ++i) {
      cells.push_back(noisy_classes(told_, noise, static_cast<std::int64_t>(left[i]),
                                    static_cast<std::int64_t>(right[i])));
    }
    if (question.is_last) {
      // Nothing depends on it.
      long double product = told_.one();
      for (const auto& classes : cells) {
        long double sum = told_.none();
        for (const long double one : classes) sum = told_.together(sum, one);
        product = told_.then(product, sum);
      }
      return product;
    }
    history.emplace_back(cells.size());
    const long double sum = over_classes(cells, 0, history);
    history.pop_back();
    return sum;
  }

  [[nodiscard]] long double over_classes(const std::vector<std::vector<long double>>& cells,
                                         std::size_t cell, History& history) {
    if (cell == cells.size()) return after(history);
    long double sum = told_.none();
    for (std::size_t one = 0; one < kClasses; ++one) {
      history.back()[cell] = one;
      sum =
          told_.together(sum, told_.then(cells[cell][one], over_classes(cells, cell + 1, history)));
    }
    return sum;
  }

  const Asker& asker_;
  const MarginalBudget& budget_;
  const PairCounts& left_;
  const PairCounts& right_;
  Told told_;
  std::map<std::vector<std::size_t>, long double> known_;
};

/// All tables of n records, as how often each record occurs.
std::vector<std::vector<std::uint64_t>> all_tables(std::size_t records, std::uint64_t n) {
  if (records == 1) return {{n}};
  std::vector<std::vector<std::uint64_t>> tables;
  for (std::uint64_t first = 0; first <= n; ++first) {
    for (auto rest : all_tables(records - 1, n - first)) {
      rest.insert(rest.begin(), first);
      tables.push_back(std::move(rest));
    }
  }
  return tables;
}

PairCounts counted(const std::vector<std::uint32_t>& sizes,
                   const std::vector<std::uint64_t>& table) {
  std::vector<Triple> triples;
  if (sizes.size() > 2) triples.push_back({0, 1, 2});
  PairCounts counts(sizes, triples);
  for (std::size_t record = 0; record < table.size(); ++record) {
    std::vector<std::uint32_t> digits(sizes.size());
    std::size_t rest = record;
    for (std::size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) {
      digits[i] = static_cast<std::uint32_t>(rest % sizes[i]);
    }
    counts.add(digits, table[record]);
  }
  return counts;
}

class JointMarginals : public testing::TestWithParam<Neighbours> {};

TEST_P(JointMarginals, NoPairOfNeighboursIsToldApartByMoreThanIsPromised) {
  const struct {
    std::vector<std::uint32_t> sizes;
    std::size_t records;
    std::uint64_t n;
    std::size_t each;  ///< after this many pairs
  } cases[] = {{{2, 2}, 4, 1, 1},  {{2, 2}, 4, 2, 5},  {{2, 2}, 4, 6, 61},
               {{2, 3}, 6, 2, 23}, {{3, 2}, 6, 3, 97}, {{2, 2, 2}, 8, 2, 67}};
  const bool replace = GetParam() == Neighbours::kReplace;
  for (const auto& one : std::span(cases).first(test::whole_or_sanitized(6, 3))) {
    const std::size_t each = one.each * test::whole_or_sanitized<std::size_t>(1, 12);
    const Asker asker(one.sizes);
    for (const Privacy& budget : {Privacy::pure(1), Privacy::pure(8), Privacy::concentrated(0.1),
                                  Privacy::concentrated(3)}) {
      const MarginalBudget parts(budget, {1, GetParam()});
      const bool pure = budget.notion == PrivacyNotion::kPure;
      long double share = 0;
      std::size_t pairs = 0;
      std::size_t seen = 0;
      const auto look = [&](const PairCounts& left, const PairCounts& right) {
        ++seen;
        for (const long double order : kJointOrders) {
          History history;
          const long double sum = JointLaw(asker, parts, left, right, {pure, order}).after(history);
          const long double found = pure ? sum : std::log(sum) / (order - 1);
          const long double promised = pure ? static_cast<long double>(budget.epsilon)
                                            : order * static_cast<long double>(budget.rho);
          EXPECT_LE(found, promised * (1 + 1e-12L));
          share = std::max(share, found / promised);
          if (pure) break;  // no order in it
        }
      };
      for (const auto& table : all_tables(one.records, one.n)) {
        const PairCounts left = counted(one.sizes, table);
        for (std::size_t out = 0; out < table.size(); ++out) {
          if (table[out] == 0) continue;
          for (std::size_t in = 0; in < (replace ? table.size() : 1); ++in) {
            if (replace && in == out) continue;
            if (pairs++ % each != 0) continue;
            auto other = table;
            --other[out];
            if (replace) ++other[in];
            const PairCounts right = counted(one.sizes, other);
            look(left, right);
            look(right, left);
          }
        }
      }
      std::printf("%s, %zu columns, %zu records, n = %zu, %s: %zu pairs, %.4Lf of the promise\n",
                  name_of(GetParam()).data(), one.sizes.size(), one.records,
                  static_cast<std::size_t>(one.n), budget.text().c_str(), seen, share);
      EXPECT_GT(seen, 0U);
      EXPECT_GT(share, 0.3) << "what is spent is not felt";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointMarginals,
                         testing::Values(Neighbours::kReplace, Neighbours::kAddRemove),
                         [](const auto& tested) {
                           return tested.param == Neighbours::kReplace ? "Replace" : "AddRemove";
                         });

}  // namespace

}  // namespace mollify
