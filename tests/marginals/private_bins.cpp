#include "marginals/private_bins.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "marginals/marginal_learner.h"

namespace mollify {
namespace {

long double rate_value(Ratio rate) {
  return static_cast<long double>(rate.numerator) / static_cast<long double>(rate.denominator);
}

/// The logarithms of the probabilities of a run's cuts.
std::vector<long double> log_cut_law(std::span<const std::uint64_t> run, std::size_t level,
                                     Ratio rate) {
  const std::vector<std::uint64_t> distances =
      cut_distances(run, level + 1 < kBinLevels ? CutBy::kMedian : CutBy::kUnevenness);
  const std::uint64_t least = *std::min_element(distances.begin(), distances.end());
  std::vector<long double> logs;
  long double all = 0;
  for (const std::uint64_t distance : distances) {
    logs.push_back(-static_cast<long double>(distance - least) * rate_value(rate));
    all += std::exp(logs.back());
  }
  for (long double& log : logs) log -= std::log(all);
  return logs;
}

/// The laws of all cuts of a column together on two tables of counts: every path of cuts with its
/// two log-probabilities.
struct TwoLaws {
  std::vector<long double> p;
  std::vector<long double> q;
};

void follow(std::span<const std::uint64_t> one, std::span<const std::uint64_t> two,
            std::vector<CellRun> runs, std::vector<CellRun> next, std::size_t level, Ratio rate,
            long double log_p, long double log_q, TwoLaws& laws) {
  if (runs.empty()) {
    if (level + 1 == kBinLevels) {
      laws.p.push_back(log_p);
      laws.q.push_back(log_q);
      return;
    }
    return follow(one, two, std::move(next), {}, level + 1, rate, log_p, log_q, laws);
  }
  const auto [first, end] = runs.back();
  runs.pop_back();
  if (end - first < 2) {
    next.emplace_back(first, end);
    return follow(one, two, std::move(runs), std::move(next), level, rate, log_p, log_q, laws);
  }
  const auto p = log_cut_law(one.subspan(first, end - first), level, rate);
  const auto q = log_cut_law(two.subspan(first, end - first), level, rate);
  for (std::uint32_t cut = 0; cut < p.size(); ++cut) {
    std::vector<CellRun> halves = next;
    halves.emplace_back(first, first + cut + 1);
    halves.emplace_back(first + cut + 1, end);
    follow(one, two, runs, std::move(halves), level, rate, log_p + p[cut], log_q + q[cut], laws);
  }
}

long double renyi_divergence(const TwoLaws& laws, long double order) {
  long double sum = 0;
  for (std::size_t i = 0; i < laws.p.size(); ++i) {
    sum += std::exp(order * laws.p[i] + (1 - order) * laws.q[i]);
  }
  return std::log(sum) / (order - 1);
}

using CellCounts = std::vector<std::uint64_t>;

/// A unit's weight, in all ways to share it out among so many cells.
std::vector<CellCounts> all_shares(std::size_t cells, std::uint64_t weight) {
  if (cells == 1) return {{weight}};
  std::vector<CellCounts> all;
  for (std::uint64_t first = 0; first <= weight; ++first) {
    for (CellCounts rest : all_shares(cells - 1, weight - first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// The exact joint law of all four levels of cuts of a column of five cells, on every table of few
/// units and every neighbour: epsilon and the Renyi curve are never above what the levels take.
TEST(PrivateBins, TheJointLawOfAllCutsKeepsWhatTheyTake) {
  constexpr std::size_t kCells = 5;
  const CellRun whole{0, kCells};
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{3}}) {
    const std::vector<CellCounts> units = all_shares(kCells, weight);
    for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
      const UnitWeight unit{weight, neighbours};
      for (const Privacy& budget : {Privacy::pure(3), Privacy::concentrated(1)}) {
        const MarginalBudget parts(budget, unit);
        const std::uint32_t each = MarginalBudget::kParts / kBinLevels;
        const Ratio rate = parts.choice_rate(each);
        long double share = 0;
        std::size_t pairs = 0;
        for (std::size_t fixed = 0; fixed < units.size(); fixed += weight == 1 ? 1 : 7) {
          for (const CellCounts& last : units) {
            CellCounts one(kCells);
            for (std::size_t i = 0; i < kCells; ++i) one[i] = 2 * units[fixed][i] + last[i];
            for (const CellCounts& other : units) {
              if (weight > 1 && (pairs++ % 5) != 0) continue;
              CellCounts two(kCells);
              const bool replaced = neighbours == Neighbours::kReplace;
              for (std::size_t i = 0; i < kCells; ++i) {
                two[i] = 2 * units[fixed][i] + (replaced ? other[i] : 0);
              }
              TwoLaws laws;
              follow(one, two, {whole}, {}, 0, rate, 0, 0, laws);
              if (budget.notion == PrivacyNotion::kPure) {
                for (std::size_t i = 0; i < laws.p.size(); ++i) {
                  share = std::max(share, std::abs(laws.p[i] - laws.q[i]) / budget.epsilon);
                }
              } else {
                for (const long double order : {1.5L, 2.0L, 8.0L}) {
                  share = std::max(share, renyi_divergence(laws, order) /
                                              (order * static_cast<long double>(budget.rho)));
                }
              }
              if (!replaced) break;
            }
          }
        }
        std::printf("weight %u, %s, %s: %.3Lf of the promise at most\n",
                    static_cast<unsigned>(weight), name_of(neighbours).data(),
                    budget.text().c_str(), share);
        EXPECT_LE(share, 1 + 1e-9L);
        EXPECT_GT(share, 0.02) << "what is spent is not felt";
      }
    }
  }
}

TEST(PrivateBins, AreOfAboutEqualMassWithCellsApart) {
  MarginalColumn column{1000, true, true, {300, 999}};
  CellCounts counts(1000);
  for (std::size_t i = 0; i < 1000; ++i) counts[i] = 20 + (i < 100 ? 400 : 0);
  counts[300] = 100'000;
  const MarginalBudget budget(Privacy::concentrated(1), {1, Neighbours::kAddRemove});
  SecureRandom random;
  PartsLeft parts;
  const CellGroups bins =
      private_bins(column, counts, budget, MarginalBudget::kParts / 8, parts, random);
  EXPECT_EQ(parts.left(), MarginalBudget::kParts / 2);
  EXPECT_EQ(bins.count, counted_cells(column));
  EXPECT_EQ(bins.count, 34U);
  EXPECT_TRUE(std::is_sorted(bins.of.begin(), bins.of.end()));
  CellCounts masses(bins.count);
  for (std::size_t i = 0; i < 1000; ++i) masses[bins.of[i]] += counts[i];
  EXPECT_EQ(masses[bins.of[300]], 100'000U);
  EXPECT_EQ(masses[bins.of[999]], 20U);
  // Cells before and after the spike: 46 000 and 13 960, in eight bins each, which are cut once
  // more. A cut is off by 100 with probability below 700 e^-100 eta, eta = sqrt(2 / 8): no run of
  // this test is.
  for (std::uint32_t bin = 0; bin < bins.count; ++bin) {
    if (bin == bins.of[300] || bin == bins.of[999]) continue;
    const double most = bin < bins.of[300] ? 46'000.0 / 8 + 3 * 420 : 13'960.0 / 8 + 250;
    EXPECT_LE(static_cast<double>(masses[bin]), most) << bin;
  }
}

/// All weight in one cell of many: it has a bin of its own, or nearly.
TEST(PrivateBins, TellFrequentCellsFromEmptyOnes) {
  CellCounts counts(2000);
  counts[700] = 50'000;
  const MarginalBudget budget(Privacy::concentrated(1), {1, Neighbours::kAddRemove});
  SecureRandom random;
  PartsLeft parts;
  const CellGroups bins = private_bins({2000, true, true, {}}, counts, budget,
                                       MarginalBudget::kParts / 8, parts, random);
  const auto width = std::count(bins.of.begin(), bins.of.end(), bins.of[700]);
  std::printf("a cell's bin has %ld cells\n", static_cast<long>(width));
  EXPECT_LE(width, 1000);
}

TEST(PrivateBins, AreTotal) {
  const MarginalBudget budget(Privacy::pure(0.5), {1, Neighbours::kReplace});
  SecureRandom random;
  for (const CellCounts& counts :
       {CellCounts(5), CellCounts{0, 0, std::uint64_t{1} << 62U, 0, std::uint64_t{1} << 62U},
        CellCounts{7}, CellCounts{1, 0}}) {
    MarginalColumn column{static_cast<std::uint32_t>(counts.size()), true, true, {}};
    PartsLeft parts;
    const CellGroups bins = private_bins(column, counts, budget, 100, parts, random);
    EXPECT_EQ(bins.of.size(), counts.size());
    EXPECT_EQ(bins.of.back() + 1, bins.count);
    EXPECT_EQ(bins.count, counts.size()) << "four levels cut five cells apart";
  }
}

TEST(PrivateBins, AModelOverThemIsOneOverTheirCells) {
  const std::vector<CellGroups> bins = {{{0, 0, 0, 1}, 2}, single_cells(2)};
  const MarginalModel coarse({{single_cells(2), {0.25, 0.75}}, {CellGroups{{0, 0}, 1}, {0.5, 0.5}}},
                             GraphicalModel::uniform({2, 1}, 10));
  const MarginalModel fine = without_bins(coarse, bins, {{0, 0, 0, 0}, {0, 0}});
  EXPECT_EQ(fine.columns()[0].groups, bins[0]);
  EXPECT_EQ(fine.columns()[0].shares, (std::vector<double>{0.25 / 3, 0.25 / 3, 0.25 / 3, 0.75}));
  EXPECT_EQ(fine.columns()[1].shares, coarse.columns()[1].shares);
  const MarginalModel public_inside = without_bins(coarse, bins, {{5, 0, 0, 9}, {0, 1}});
  EXPECT_NEAR(public_inside.columns()[0].shares[0], 0.25 * 16 / 18, 1e-15);
  EXPECT_NEAR(public_inside.columns()[0].shares[2], 0.25 / 18, 1e-15);
  EXPECT_EQ(public_inside.columns()[0].shares[3], 0.75);
}

}  // namespace
}  // namespace mollify
