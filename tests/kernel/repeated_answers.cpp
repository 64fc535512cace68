// Theorems of docs/theory/repeated-answers.md by enumeration: every history of a device, every
// sequence of reports, in integers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "kernel/channels.h"

namespace mollify::test {

namespace {

using Whole = boost::multiprecision::cpp_int;
using Days = std::vector<std::size_t>;  // a history of values, or the reports of these days

/// Randomized response over k values, as odds.
struct Odds {
  std::size_t k;
  Whole kept, other;

  [[nodiscard]] Whole of(std::size_t value, std::size_t report) const {
    return value == report ? kept : other;
  }
  [[nodiscard]] Whole total() const { return kept + (k - 1) * other; }
};

Odds odds_of(const RandomizedResponse& response) {
  return {response.outcome_count(), response.kept(), response.other()};
}

std::vector<Days> all_of(std::size_t k, std::size_t days) {
  std::vector<Days> found{{}};
  for (std::size_t day = 0; day < days; ++day) {
    std::vector<Days> longer;
    for (const Days& one : found) {
      for (std::size_t value = 0; value < k; ++value) {
        longer.push_back(one);
        longer.back().push_back(value);
      }
    }
    found = std::move(longer);
  }
  return found;
}

std::size_t changes_of(const Days& history) {
  std::size_t changes = 0;
  for (std::size_t day = 1; day < history.size(); ++day)
    changes += history[day] != history[day - 1] ? 1U : 0U;
  return changes;
}

/// The weights of reports, all over the same total.
using ReportLaw = std::map<Days, Whole>;

/// A device that draws on some days and repeats its last report on the others.
ReportLaw drawing_law(const Odds& odds, const Days& history,
                      const std::function<bool(std::size_t)>& is_drawn) {
  ReportLaw law{{{}, 1}};
  for (std::size_t day = 0; day < history.size(); ++day) {
    ReportLaw longer;
    for (const auto& [reports, weight] : law) {
      for (std::size_t report = 0; report < odds.k; ++report) {
        const Whole factor = is_drawn(day)              ? odds.of(history[day], report)
                             : reports.back() == report ? odds.total()
                                                        : Whole(0);
        if (factor == 0) continue;
        Days next = reports;
        next.push_back(report);
        longer[next] += weight * factor;
      }
    }
    law = std::move(longer);
  }
  return law;
}

/// A device that keeps a report for each value, and sends it through a second noise each day.
ReportLaw memo_law(const Odds& kept, const Odds& noise, const Days& history) {
  ReportLaw law;
  for (const Days& reports : all_of(kept.k, history.size())) {
    Whole weight = 1;
    for (std::size_t value = 0; value < kept.k; ++value) {
      Whole of_value = 0;
      for (std::size_t memo = 0; memo < kept.k; ++memo) {
        Whole of_memo = kept.of(value, memo);
        for (std::size_t day = 0; day < history.size(); ++day) {
          if (history[day] == value) of_memo *= noise.of(memo, reports[day]);
        }
        of_value += of_memo;
      }
      weight *= of_value;
    }
    law[reports] = weight;
  }
  return law;
}

/// The greatest quotient of two laws' weights, as a fraction; over 0 if it is infinite.
struct Ratio {
  Whole above, below;

  [[nodiscard]] bool is_over(const Ratio& other) const {
    return above * other.below > other.above * below;
  }
};

Ratio ratio_of(const ReportLaw& one, const ReportLaw& other) {
  Ratio most{0, 1};
  for (const auto& [reports, weight] : one) {
    const auto found = other.find(reports);
    if (found == other.end()) return {1, 0};
    if (const Ratio here{weight, found->second}; here.is_over(most)) most = here;
  }
  return most;
}

/// Over all pairs of the histories.
Ratio greatest_ratio(const std::vector<ReportLaw>& laws) {
  Ratio most{0, 1};
  for (const auto& [reports, weight] : laws.front()) {
    Whole greatest = weight, least = weight;
    for (const ReportLaw& law : laws) {
      greatest = std::max(greatest, law.at(reports));
      least = std::min(least, law.at(reports));
    }
    if (const Ratio here{greatest, least}; here.is_over(most)) most = here;
  }
  return most;
}

Whole power(const Whole& base, std::size_t exponent) {
  return boost::multiprecision::pow(base, static_cast<unsigned>(exponent));
}

TEST(RepeatedAnswers, CostEpsilonForEachDrawOnWhichHistoriesDiffer) {
  constexpr std::size_t kDays = 4;
  for (const std::size_t k : {2u, 3u}) {
    const Odds odds = odds_of(RandomizedResponse(k, 1));
    for (unsigned drawn = 1; drawn < 1u << kDays; drawn += 2) {  // always on the first day
      const auto is_drawn = [&](std::size_t day) { return (drawn >> day & 1) != 0; };
      const std::vector<Days> histories = all_of(k, kDays);
      std::map<Days, ReportLaw> laws;
      for (const Days& one : histories) laws[one] = drawing_law(odds, one, is_drawn);
      for (const Days& one : histories) {
        for (const Days& other : histories) {
          std::size_t differ = 0;
          for (std::size_t day = 0; day < kDays; ++day)
            differ += is_drawn(day) && one[day] != other[day] ? 1U : 0U;
          const Ratio most = ratio_of(laws[one], laws[other]);
          ASSERT_EQ(most.above * power(odds.other, differ), most.below * power(odds.kept, differ));
        }
      }
    }
  }
}

TEST(RepeatedAnswers, ThatFollowChangesOfTheDataHaveNoEpsilon) {
  const Odds odds = odds_of(RandomizedResponse(2, 1));
  const Days same{0, 0}, changed{0, 1};
  const auto follows = [](const Days& history) {
    return [history](std::size_t day) { return day == 0 || history[day] != history[day - 1]; };
  };
  const ReportLaw calm = drawing_law(odds, same, follows(same));
  const ReportLaw moved = drawing_law(odds, changed, follows(changed));
  EXPECT_EQ(ratio_of(moved, calm).below, 0);
  Whole seen = 0;
  for (const auto& [reports, weight] : moved) seen += calm.contains(reports) ? Whole(0) : weight;
  // p² + (1 − p)² with p = e/(e + 1): so often a change is seen with certainty.
  EXPECT_NEAR(static_cast<double>(seen) / std::pow(static_cast<double>(odds.total()), 2), 0.6068,
              1e-4);
}

TEST(RepeatedAnswers, UnderASecondNoiseAreWithinTheirBounds) {
  for (const std::size_t k : {2u, 3u}) {
    const std::size_t days = k == 2 ? 5 : 3;
    for (const auto& [kept, noise] : {std::pair{1.0, 1.0}, std::pair{2.0, 0.5}, {0.5, 2.0}}) {
      const Odds memo = odds_of(RandomizedResponse(k, kept));
      const Odds second = odds_of(RandomizedResponse(k, noise));
      const std::vector<Days> histories = all_of(k, days);
      std::map<Days, ReportLaw> laws;
      for (const Days& one : histories) laws[one] = memo_law(memo, second, one);
      Days names(k);
      for (std::size_t i = 0; i < k; ++i) names[i] = i;
      do {  // every way to give the values other names
        for (const Days& one : histories) {
          std::set<std::size_t> renamed;
          for (const std::size_t value : one) {
            if (names[value] != value) renamed.insert(value);
          }
          for (const Days& other : histories) {
            std::size_t differ = 0;
            for (std::size_t day = 0; day < days; ++day)
              differ += names[one[day]] != other[day] ? 1U : 0U;
            // First the renamed values change their memos, then days change their value.
            const Ratio bound{power(memo.kept, renamed.size()) * power(second.kept, differ),
                              power(memo.other, renamed.size()) * power(second.other, differ)};
            ASSERT_FALSE(ratio_of(laws[one], laws[other]).is_over(bound));
          }
        }
      } while (std::next_permutation(names.begin(), names.end()));
    }
  }
}

/// Both odds 3 : 1, so that a single report has odds 5 : 3.
TEST(RepeatedAnswers, UnderASecondNoiseShowAChangeTheMoreTheLongerItLasts) {
  const Odds three{2, 3, 1};
  for (std::size_t days = 1; days <= 8; ++days) {
    std::vector<ReportLaw> laws;
    for (const Days& one : all_of(2, days)) {
      if (changes_of(one) <= 1) laws.push_back(memo_law(three, three, one));
    }
    const Ratio most = greatest_ratio(laws);
    // epsilon for each memo would be odds of 9 for both values together, however many days.
    EXPECT_EQ(most.is_over({9, 1}), days >= 5) << days;
    // Answers drawn anew each day, with the same error, have odds of (5/3)^days.
    EXPECT_EQ(most.is_over({power(5, days), power(3, days)}), days >= 8) << days;
    if (days % 2 != 0) continue;
    const std::size_t half = days / 2;
    Days changed(days, 0), reports(days, 0);
    for (std::size_t day = half; day < days; ++day) changed[day] = reports[day] = 1;
    const Ratio seen{memo_law(three, three, changed).at(reports),
                     memo_law(three, three, Days(days, 0)).at(reports)};
    // (p r^h)² over (r(1 − r))^h, so at least (3/4)²·3^h.
    EXPECT_FALSE(Ratio({9 * power(3, half), 16}).is_over(seen)) << days;
  }
}

TEST(RepeatedAnswers, AreNotHiddenByAShuffle) {
  // Three devices keep their reports. All send on the first day, and all but the first on the
  // second, so the collector subtracts.
  const Odds odds = odds_of(RandomizedResponse(2, 1));
  const auto law_of = [&](const Days& values) {
    ReportLaw law;
    for (const Days& reports : all_of(2, 3)) {
      Whole weight = 1;
      for (std::size_t i = 0; i < 3; ++i) weight *= odds.of(values[i], reports[i]);
      const std::size_t ones = reports[0] + reports[1] + reports[2];
      law[{ones, ones - reports[0]}] += weight;
    }
    return law;
  };
  for (const Days& values : all_of(2, 3)) {
    Days other = values;
    other[0] = 1 - other[0];
    const Ratio most = ratio_of(law_of(values), law_of(other));
    EXPECT_EQ(most.above * odds.other, most.below * odds.kept);  // all of epsilon
  }
}

}  // namespace

}  // namespace mollify::test
