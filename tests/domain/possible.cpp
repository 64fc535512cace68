// What can occur under rules is what enumeration of all values finds, and drawn values keep them.
#include "domain/possible.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/column.h"

namespace mollify {
namespace {

Column words(const std::string& name, const std::vector<std::string>& values, bool null = true,
             bool ordered = false) {
  Mapping mapping;
  mapping.null_is_category = null;
  if (!null) mapping.null_value = values.front();
  return Column::make(name, Categories::make(values, ordered), mapping);
}

Column integers(const std::string& name, std::int64_t min, std::int64_t max,
                std::optional<std::uint64_t> bins = {}, bool null = true) {
  Mapping mapping;
  mapping.null_is_category = null;
  if (!null) mapping.null_value = std::to_string(min);
  return Column::make(name, IntegerCells::make(min, max, bins), mapping);
}

Column days(const std::string& name, const std::string& min, const std::string& max,
            const std::string& bins, bool null = true) {
  DateCells::Declaration declared{.min = min, .max = max};
  if (!bins.empty()) declared.cut_by(bins);
  Mapping mapping;
  mapping.null_is_category = null;
  if (!null) mapping.null_value = min;
  return Column::make(name, DateCells::make(declared), mapping);
}

std::vector<RuleDeclaration> texts(const std::vector<std::string>& rules) {
  std::vector<RuleDeclaration> declared;
  for (const std::string& rule : rules) declared.push_back({.text = rule});
  return declared;
}

/// Calls `take` with the digits of each record of cells.
template <class Take>
void for_each_record(const std::vector<Column>& columns, const Take& take) {
  std::vector<std::uint32_t> digits(columns.size());
  for (;;) {
    take(digits);
    std::size_t i = columns.size();
    while (i > 0 && ++digits[i - 1] == columns[i - 1].size()) digits[--i] = 0;
    if (i == 0) return;
  }
}

std::vector<FieldValue> values_at(const std::vector<Column>& columns,
                                  const std::vector<std::uint32_t>& digits,
                                  const std::vector<std::uint64_t>& points) {
  std::vector<FieldValue> record;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    record.push_back(field_value(columns[i], columns[i].value(digits[i], points[i])));
  }
  return record;
}

bool keeps(const PossibleRecords& possible, const std::vector<Column>& columns,
           const std::vector<FieldValue>& record) {
  return std::all_of(possible.rules().begin(), possible.rules().end(), [&](const DomainRule& rule) {
    return truth_of(rule, columns, record) != Truth::kFalse;
  });
}

/// By trying all values.
bool can_occur(const PossibleRecords& possible, const std::vector<Column>& columns,
               const std::vector<std::uint32_t>& digits) {
  std::vector<std::uint64_t> points(columns.size());
  for (;;) {
    if (keeps(possible, columns, values_at(columns, digits, points))) return true;
    std::size_t i = columns.size();
    while (i > 0 && ++points[i - 1] == columns[i - 1].points(digits[i - 1])) points[--i] = 0;
    if (i == 0) return false;
  }
}

struct Counter {
  std::mt19937_64 engine{7};
  std::uint64_t below(std::uint64_t bound) { return engine() % bound; }
};

/// A null becomes a value only where no null and no other word of another column helps, and then the
/// middle one, or the first word, if that is possible.
void check_nulls(const std::vector<Column>& columns, const PossibleRecords& possible,
                 const std::vector<std::uint32_t>& digits,
                 const std::vector<std::uint32_t>& mapped) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) changed += mapped[i] != digits[i] ? 1U : 0U;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint32_t values = columns[i].cell_count();
    if (digits[i] < values || mapped[i] >= values || changed > 2) continue;
    if (possible.follows(i)) continue;
    if (!possible.is_compared(i)) {
      std::vector<std::uint32_t> other = mapped;
      other[i] = is_ordered(columns[i].cells()) ? (values - 1) / 2 : 0;
      EXPECT_TRUE(other == mapped || !possible.has(other)) << columns[i].name();
    }
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (j == i || possible.follows(j)) continue;
      const bool of_words = std::holds_alternative<Categories>(columns[j].cells());
      const std::uint32_t end = of_words ? columns[j].cell_count() : 0;
      std::vector<std::uint32_t> other = digits;
      for (other[j] = 0; other[j] < columns[j].size(); ++other[j]) {
        const bool is_word = other[j] < end && digits[j] < columns[j].cell_count();
        const bool is_null =
            columns[j].mapping().null_is_category && other[j] + 1 == columns[j].size();
        if (!is_word && !is_null) continue;
        EXPECT_FALSE(possible.has(other));
      }
    }
  }
}

/// Has, map and draws agree with enumeration.
void check_all(const std::vector<Column>& columns, const PossibleRecords& possible) {
  Counter random;
  std::size_t occurring = 0;
  for_each_record(columns, [&](const std::vector<std::uint32_t>& digits) {
    const bool expected = can_occur(possible, columns, digits);
    occurring += expected ? 1 : 0;
    ASSERT_EQ(possible.has(digits), expected);
    std::vector<std::uint32_t> mapped = digits;
    possible.map(mapped);
    ASSERT_TRUE(possible.has(mapped));
    check_nulls(columns, possible, digits, mapped);
    if (!expected) return;
    ASSERT_EQ(mapped, digits);
    for (int draw = 0; draw < 3; ++draw) {
      std::vector<std::uint64_t> points(columns.size());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        points[i] = random.below(columns[i].points(digits[i]));
      }
      possible.draw_points(digits, UniformIntegers(random), points);
      ASSERT_TRUE(keeps(possible, columns, values_at(columns, digits, points)));
    }
  });
  EXPECT_GT(occurring, 0U);
}

TEST(PossibleRecords, AnIfThenRule) {
  const std::vector<Column> columns = {integers("age", 0, 20), words("job", {"none", "baker"}),
                                       integers("pay", 0, 9, 3)};
  const PossibleRecords possible(columns,
                                 texts({"if age < 15 then job == none and pay is null",
                                        "pay is null exactly when job == none or job is null"}));
  check_all(columns, possible);
}

TEST(PossibleRecords, OneColumnChangesToNullWhereThatHelps) {
  const std::vector<Column> columns = {integers("age", 0, 20), integers("pay", 0, 9, 3)};
  const PossibleRecords possible(columns, texts({"if age < 15 then pay is null"}));
  std::vector<std::uint32_t> digits = {3, 1};
  possible.map(digits);
  EXPECT_EQ(digits, (std::vector<std::uint32_t>{3, 3}));
}

/// To which record one is mapped.
std::vector<std::uint32_t> mapped(const std::vector<Column>& columns,
                                  const std::vector<std::string>& rules,
                                  std::vector<std::uint32_t> digits) {
  const PossibleRecords possible(columns, texts(rules));
  check_all(columns, possible);
  possible.map(digits);
  return digits;
}

TEST(PossibleRecords, ANullThatMustBecomeAValueChangesAFlagInstead) {
  const std::vector<Column> columns = {words("job", {"no", "yes"}, false),
                                       integers("pay", 0, 19, 10)};
  EXPECT_EQ(mapped(columns, {"if job == yes then pay is not null"}, {1, 10}),
            (std::vector<std::uint32_t>{0, 10}));
  EXPECT_EQ(mapped(columns, {"pay is not null exactly when job == yes"}, {1, 10}),
            (std::vector<std::uint32_t>{0, 10}));
  EXPECT_EQ(mapped(columns, {"pay is not null exactly when job == yes"}, {0, 4}),
            (std::vector<std::uint32_t>{0, 10}));
}

TEST(PossibleRecords, ANullThatMustBecomeAValueBecomesTheMiddleOne) {
  const std::vector<Column> pay = {integers("pay", 0, 19, 10)};
  EXPECT_EQ(mapped(pay, {"pay is not null"}, {10}), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(mapped(pay, {"pay is not null and pay >= 4"}, {10}), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(mapped(pay, {"pay is not null and pay >= 12"}, {10}), (std::vector<std::uint32_t>{7}));
  // No other number is changed, but it may become null.
  const std::string rule = "if age >= 4 then pay is not null";
  EXPECT_EQ(mapped({integers("age", 0, 9, {}, false), pay.front()}, {rule}, {8, 10}),
            (std::vector<std::uint32_t>{8, 4}));
  EXPECT_EQ(mapped({integers("age", 0, 9), pay.front()}, {rule}, {8, 10}),
            (std::vector<std::uint32_t>{10, 10}));
  // The nearest to the middle of several kinds.
  EXPECT_EQ(
      mapped({integers("age", 0, 9), words("w", {"x", "y"})},
             {"age is not null", "if age >= 8 then w == x", "if age < 2 then w == y"}, {10, 0}),
      (std::vector<std::uint32_t>{4, 0}));
  EXPECT_EQ(mapped({words("w", {"x", "y", "z"}, true, true)}, {"w is not null"}, {3}),
            (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(mapped({words("w", {"x", "y", "z"})}, {"w is not null"}, {3}),
            (std::vector<std::uint32_t>{0}));
}

TEST(PossibleRecords, ANullThatMustBecomeAValueBecomesAMissingCodeIfThereIsOne) {
  Mapping mapping;
  mapping.null_is_category = true;
  mapping.missing = {{"-9", "refused"}};
  const std::vector<Column> columns = {Column::make("pay", IntegerCells::make(0, 9, 4), mapping),
                                       words("job", {"no", "yes"})};
  EXPECT_EQ(mapped(columns, {"pay is not null"}, {5, 1}), (std::vector<std::uint32_t>{4, 1}));
}

TEST(PossibleRecords, OrdersOfDaysAndMonths) {
  const std::vector<Column> columns = {days("birth", "2000-01-28", "2000-03-02", "", false),
                                       days("hired", "2000-02-27", "2000-04-02", "week"),
                                       words("left", {"yes", "no"})};
  const PossibleRecords possible(
      columns, texts({"if left == yes then hired >= birth + 1 month", "hired <= birth + 50 days"}));
  check_all(columns, possible);
}

TEST(PossibleRecords, TimesAndDays) {
  DateCells::Declaration times{.grain = Grain::kSecond,
                               .min = "2000-01-01T00:00:00",
                               .max = "2000-01-01T00:00:20",
                               .bins = 4};
  const std::vector<Column> columns = {days("day", "1999-12-31", "2000-01-02", "", false),
                                       Column::make("time", DateCells::make(times), {})};
  check_all(
      columns,
      PossibleRecords(columns, texts({"time >= day + 10 seconds", "time <= 2000-01-01T00:00:17"})));
}

TEST(PossibleRecords, SumsOfParts) {
  const std::vector<Column> columns = {integers("total", 0, 12, 4), integers("rent", 0, 6, 3),
                                       integers("fees", 0, 6, 2, false)};
  check_all(columns, PossibleRecords(columns, texts({"total == rent + fees"})));
  check_all(columns, PossibleRecords(columns, texts({"rent + fees <= 5", "total != 3"})));
}

TEST(PossibleRecords, NumbersBesideTimesInOneRule) {
  DateCells::Declaration times{.grain = Grain::kSecond,
                               .min = "2000-01-01T00:00:00",
                               .max = "2000-01-01T00:00:08",
                               .bins = 3};
  const std::vector<Column> columns = {integers("pay", 0, 9, 3),
                                       Column::make("begin", DateCells::make(times), {}),
                                       Column::make("end", DateCells::make(times), {})};
  check_all(columns,
            PossibleRecords(columns, texts({"if pay <= 4 then end >= begin + 2 seconds"})));
}

TEST(PossibleRecords, SumsThatDiffer) {
  const std::vector<Column> columns = {integers("a", 0, 6, 3), integers("b", 0, 6, 2)};
  check_all(columns, PossibleRecords(columns, texts({"a + b != 5"})));
}

TEST(PossibleRecords, SumsOfDecimals) {
  const auto numbers = [](const std::string& name, double max) {
    return Column::make(name, NumberCells::make({.min = 0, .max = max, .bins = 3, .step = 0.1}),
                        {});
  };
  const std::vector<Column> columns = {numbers("total", 0.9), numbers("rent", 0.6),
                                       numbers("fees", 0.6)};
  check_all(columns, PossibleRecords(columns, texts({"total == rent + fees"})));
}

TEST(PossibleRecords, AColumnThatFollows) {
  const std::vector<Column> columns = {words("city", {"Lyon", "Metz", "Nice"}),
                                       words("region", {"south", "east"}), integers("age", 0, 5)};
  std::vector<RuleDeclaration> rules = texts({"if region == south then age > 2"});
  rules.push_back({.column = "region",
                   .from = "city",
                   .map = {{"Lyon", "south"}, {"Metz", "east"}, {"Nice", "south"}}});
  const PossibleRecords possible(columns, rules);
  check_all(columns, possible);
  EXPECT_TRUE(possible.follows(1));
}

TEST(PossibleRecords, MissingCodesAreNoNumbers) {
  Mapping mapping;
  mapping.missing = {{"-9", "refused"}, {"-8", ""}};
  const std::vector<Column> columns = {Column::make("pay", IntegerCells::make(0, 9, 4), mapping),
                                       integers("tax", 0, 9, 3)};
  check_all(columns, PossibleRecords(columns, texts({"tax <= pay", "if pay == -9 then tax is null",
                                                     "pay in [-9, -8, 3, 4, 5, 6]"})));
}

TEST(PossibleRecords, ANullThatHelpsOneRuleWakesNoOther) {
  const std::vector<Column> columns = {integers("c", 0, 6), integers("d", 0, 6, {}, false),
                                       integers("a", 0, 6, {}, false),
                                       integers("b", 0, 6, {}, false)};
  const std::string waking = "if c is null then a <= b - 6", other = "c <= d - 5";
  check_all(columns, PossibleRecords(columns, texts({waking, other})));
  check_all(columns, PossibleRecords(columns, texts({other, waking})));
}

TEST(PossibleRecords, RandomRulesAgreeWithEnumeration) {
  std::mt19937_64 random(20261130);
  const auto one_of = [&](const std::vector<std::string>& list) {
    return list[random() % list.size()];
  };
  int made = 0, refused = 0;
  while (made < 150) {
    const bool nulls = random() % 2 == 0;
    const std::vector<Column> columns = {integers("a", 0, 7, 1 + random() % 8, nulls),
                                         integers("b", 2, 9, 1 + random() % 8),
                                         integers("c", 0, 5, 1 + random() % 6, random() % 2 == 0),
                                         words("w", {"x", "y", "z"}, random() % 2 == 0, true)};
    const auto number = [&] { return std::to_string(random() % 9); };
    const auto sign = [&] { return one_of({"<", "<=", ">", ">=", "==", "!="}); };
    const auto atom = [&]() -> std::string {
      switch (random() % 8) {
        case 0:
          return one_of({"a", "b", "c"}) + " is null";
        case 1:
          return "w " + one_of({"==", "!=", "<", ">="}) + " " + one_of({"x", "y", "z"});
        case 2:
          return "w in [x, " + one_of({"y", "z"}) + "]";
        case 3:
          return one_of({"a", "c"}) + " in [" + number().substr(0, 1) + "]";
        case 4:
        case 5:
          return one_of({"a", "b", "c"}) + " " + one_of({"<", "<=", ">", ">="}) + " " + number();
        case 6:
          return "a " + sign() + " b - " + number();
        default:
          return one_of({"b", "a"}) + " " + one_of({"<", "<=", ">="}) + " c + " + number();
      }
    };
    std::vector<std::string> rules;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
      switch (random() % 5) {
        case 0:
          rules.push_back(atom());
          break;
        case 1:
          rules.push_back("if " + atom() + " then " + atom());
          break;
        case 2:
          rules.push_back(atom() + " or not (" + atom() + " and " + atom() + ")");
          break;
        case 3:
          rules.push_back(atom() + " unless " + atom());
          break;
        default:
          rules.push_back(atom() + " exactly when " + atom());
          break;
      }
    }
    try {
      const PossibleRecords possible(columns, texts(rules));
      SCOPED_TRACE(rules.front() + "; " + rules.back());
      check_all(columns, possible);
      if (testing::Test::HasFatalFailure()) return;
      ++made;
    } catch (const InvalidInput& error) {
      const auto code = error.code();
      EXPECT_TRUE(code == Code("contradictory-rules") || code == Code("idle-rule") ||
                  code == Code("unknown-value") || code == Code("duplicate-value"))
          << error.what();
      ++refused;
    }
  }
  EXPECT_LT(refused, 600);
}

TEST(PossibleRecords, GroupsOfCellsAreFilled) {
  const std::vector<Column> columns = {integers("a", 0, 11, 6), integers("b", 0, 11, 4),
                                       integers("c", 0, 11, 3), words("w", {"x", "y"})};
  const PossibleRecords possible(columns, texts({"a + 2 <= b", "b < c", "if w == x then c >= 7"}));
  CellLists groups(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::uint32_t cell = 0; cell < columns[i].size(); ++cell) {
      const bool joins = cell % 2 == 1 && cell < columns[i].cell_count() &&
                         possible.classes(i)[cell] == possible.classes(i)[cell - 1];
      if (!joins) groups[i].emplace_back();
      groups[i].back().push_back(cell);
    }
  }
  const std::vector<PossibleRecords::Table> tables = possible.tables(groups);
  Counter random;
  std::vector<Column> of_groups;
  std::size_t filled = 0, refused = 0;
  std::vector<std::size_t> group(columns.size());
  for (;;) {
    bool all = true;
    for (const PossibleRecords::Table& table : tables) {
      std::size_t place = 0;
      for (const std::size_t i : table.columns) place = place * groups[i].size() + group[i];
      all = all && table.possible[place] == 1;
    }
    bool any = false;
    for_each_record(columns, [&](const std::vector<std::uint32_t>& digits) {
      bool inside = true;
      for (std::size_t i = 0; i < digits.size(); ++i) {
        const auto& list = groups[i][group[i]];
        inside = inside && std::find(list.begin(), list.end(), digits[i]) != list.end();
      }
      any = any || (inside && possible.has(digits));
    });
    ASSERT_EQ(all, any);
    (all ? filled : refused) += 1;
    for (int draw = 0; all && draw < 20; ++draw) {
      std::vector<std::vector<double>> sums;
      std::vector<PossibleRecords::Candidates> candidates;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        std::vector<double>& one = sums.emplace_back();
        for (std::size_t k = 0; k < groups[i][group[i]].size(); ++k) {
          one.push_back(static_cast<double>(k + 1));
        }
      }
      std::vector<std::uint32_t> digits;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        candidates.push_back({groups[i][group[i]], sums[i]});
        digits.push_back(groups[i][group[i]].front());
      }
      std::vector<std::uint64_t> points(columns.size());
      ASSERT_TRUE(possible.fill(candidates, UniformIntegers(random), digits, points));
      ASSERT_TRUE(keeps(possible, columns, values_at(columns, digits, points)));
    }
    std::size_t i = columns.size();
    while (i > 0 && ++group[i - 1] == groups[i - 1].size()) group[--i] = 0;
    if (i == 0) break;
  }
  EXPECT_GT(filled, 50U);
  EXPECT_GT(refused, 40U);
}

TEST(PossibleRecords, DrawsValuesByTheirCellsShapesUnderARule) {
  const std::vector<Column> columns = {integers("a", 0, 19, 2, false),
                                       integers("b", 0, 19, {}, false)};
  const PossibleRecords possible(columns, texts({"a <= b"}));
  const ColumnShapes shapes = {{0, {2, 10}, {1, 2}}, {1, {4, 8, 10}, {6, 7, 8}}};
  const std::vector<std::uint32_t> cells = {0, 1}, fourteen = {14};
  const std::vector<double> sums = {1, 4}, whole = {1};
  // Of the second cell 10 to 13 have six parts of eight, and 14 a quarter of one.
  std::vector<double> expected;
  for (int value = 0; value < 2; ++value) expected.push_back(0.5 / 2);
  for (int value = 2; value < 10; ++value) expected.push_back(0.5 / 8);
  for (int value = 10; value < 14; ++value) expected.push_back(3.0 * 6 / 8 / 4);
  expected.push_back(3.0 / 8 / 4);
  const double all = 1 + 3.0 * 6.25 / 8;
  constexpr int kDraws = 40'000;
  std::mt19937_64 random(3);
  auto below = [&](std::uint64_t bound) { return random() % bound; };
  std::vector<int> counts(expected.size());
  for (int i = 0; i < kDraws; ++i) {
    std::vector<std::uint32_t> digits = {0, 14};
    std::vector<std::uint64_t> points(2);
    const std::vector<PossibleRecords::Candidates> candidates = {{cells, sums, shapes},
                                                                 {fourteen, whole}};
    ASSERT_TRUE(possible.fill(candidates, below, digits, points));
    ++counts.at(digits[0] * 10 + points[0]);
  }
  for (std::size_t value = 0; value < counts.size(); ++value) {
    const double mean = kDraws * expected[value] / all;
    // 15 counts, each beyond six deviations with probability below 1e-8.
    EXPECT_NEAR(counts[value], mean, 6 * std::sqrt(mean)) << value;
  }
}

TEST(PossibleRecords, DrawsColumnsOfOneCellEvenlyTogether) {
  constexpr int kMost = 29, kDraws = 30'000;
  const std::vector<Column> columns = {integers("a", 0, kMost, 1, false),
                                       integers("b", 0, kMost, 1, false),
                                       integers("c", 0, kMost, 1, false)};
  for (const bool is_sum : {false, true}) {
    const PossibleRecords possible(
        columns, is_sum ? texts({"a + b == c"}) : texts({"a <= b", "b + 3 <= c"}));
    std::array<double, 3> sums{}, squares{};
    double all = 0;
    for (int a = 0; a <= kMost; ++a) {
      for (int b = 0; b <= kMost; ++b) {
        for (int c = 0; c <= kMost; ++c) {
          if (is_sum ? a + b != c : a > b || b + 3 > c) continue;
          const std::array<int, 3> values = {a, b, c};
          for (std::size_t i = 0; i < 3; ++i) {
            sums[i] += values[i];
            squares[i] += values[i] * values[i];
          }
          all += 1;
        }
      }
    }
    std::mt19937_64 random(5);
    auto below = [&](std::uint64_t bound) { return random() % bound; };
    std::array<double, 3> drawn{};
    for (int i = 0; i < kDraws; ++i) {
      const std::vector<std::uint32_t> digits = {0, 0, 0};
      std::vector<std::uint64_t> points(3);
      possible.draw_points(digits, below, points);
      for (std::size_t k = 0; k < 3; ++k) drawn[k] += static_cast<double>(points[k]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const double mean = sums[i] / all;
      const double deviation = std::sqrt(squares[i] / all - mean * mean);
      // Six means, each beyond six deviations with probability below 1e-8. One of 16 proposals of a
      // sum is taken, which moves a mean by a twentieth of a deviation at most.
      const double bias = is_sum ? deviation / 20 : 0;
      EXPECT_NEAR(drawn[i] / kDraws, mean, bias + 6 * deviation / std::sqrt(kDraws)) << i;
    }
  }
}

TEST(PossibleRecords, AnOrderOfManyColumnsHasATableForEachPair) {
  constexpr std::size_t kColumns = 5;
  constexpr int kBins = 20;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < kColumns; ++i) {
    columns.push_back(integers("c" + std::to_string(i), 0, 39, kBins));
  }
  const PossibleRecords possible(columns, texts({"c0 <= c1", "c1 <= c2", "c2 <= c3", "c3 <= c4"}));
  ASSERT_EQ(possible.table_columns().size(), kColumns - 1);
  for (const auto& pair : possible.table_columns()) EXPECT_EQ(pair.size(), 2U);
  // Runs of bins whose neighbours are possible in pairs, and whose values together are at times.
  std::mt19937_64 random(9);
  auto below = [&](std::uint64_t bound) { return random() % bound; };
  int kept = 0, refused = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    std::vector<std::vector<std::uint32_t>> cells(kColumns);
    std::vector<std::vector<double>> sums(kColumns);
    std::vector<PossibleRecords::Candidates> candidates;
    std::vector<std::uint32_t> digits;
    std::uint32_t greatest = 0;
    bool any = true;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto first = static_cast<std::uint32_t>(below(kBins));
      const auto last = first + static_cast<std::uint32_t>(below(kBins - first));
      for (std::uint32_t cell = first; cell <= last; ++cell) {
        cells[i].push_back(cell);
        sums[i].push_back(static_cast<double>(cells[i].size()));
      }
      greatest = std::max(greatest, first);
      any = any && greatest <= last;
      digits.push_back(first);
    }
    for (std::size_t i = 0; i < kColumns; ++i) candidates.push_back({cells[i], sums[i]});
    std::vector<std::uint64_t> points(kColumns);
    ASSERT_EQ(possible.fill(candidates, below, digits, points), any);
    (any ? kept : refused) += 1;
    if (any) {
      ASSERT_TRUE(keeps(possible, columns, values_at(columns, digits, points)));
    }
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(refused, 100);
}

TEST(PossibleRecords, RefusesComparisonsThatNullsAloneKeep) {
  const std::vector<Column> columns = {integers("a", 0, 9, 5), integers("b", 20, 29, 5)};
  EXPECT_THROW(PossibleRecords(columns, texts({"a >= b"})), InvalidInput);
  EXPECT_NO_THROW(PossibleRecords(columns, texts({"a + 11 >= b"})));
  EXPECT_NO_THROW(PossibleRecords(columns, texts({"a >= b or a is null"})));
}

TEST(PossibleRecords, RefusesRulesThatLeaveNothingOrSayNothing) {
  const std::vector<Column> columns = {integers("a", 0, 9), integers("b", 0, 9, {}, false),
                                       words("w", {"x", "y"})};
  const auto code_of = [&](const std::vector<std::string>& rules) -> std::string {
    try {
      const PossibleRecords made(columns, texts(rules));
    } catch (const InvalidInput& error) {
      return std::string(error.code().name) + ": " + error.what();
    }
    return "";
  };
  EXPECT_EQ(code_of({"b < 3", "b > 5"}),
            "contradictory-rules: rules must leave records, but rule \"b > 5\" contradicts rule "
            "\"b < 3\"");
  EXPECT_TRUE(code_of({"a < b", "b < a"}).starts_with("contradictory-rules"))
      << code_of({"a < b", "b < a"});
  EXPECT_TRUE(code_of({"a <= 9"}).starts_with("idle-rule"));
  EXPECT_TRUE(code_of({"a <= b + 9"}).starts_with("idle-rule"));
  EXPECT_TRUE(code_of({"a is null or a < 0"}).starts_with("contradictory-rules"));
  EXPECT_TRUE(code_of({"w == z"}).starts_with("unknown-value"));
  EXPECT_TRUE(code_of({"v == x"}).starts_with("unknown-column"));
  EXPECT_TRUE(code_of({"a < "}).starts_with("malformed-text"));
  EXPECT_TRUE(code_of({"w < y"}).starts_with("wrong-type"));
  EXPECT_TRUE(code_of({"a + w > 3"}).starts_with("wrong-type"));
  EXPECT_EQ(code_of({"a < 3 and b > 2 or w == x", "a <= b"}), "");
  const std::vector<Column> numbers = {Column::make("x", NumberCells::make(0, 1, 10), {}),
                                       Column::make("y", NumberCells::make(0, 2, 10), {}),
                                       Column::make("t",
                                                    DateCells::make({.grain = Grain::kSecond,
                                                                     .min = "2000-01-01T00:00:00",
                                                                     .max = "2001-01-01T00:00:00",
                                                                     .period = Period::kMonth}),
                                                    {})};
  for (const char* const rule : {"x == y + 0.1", "t >= 2000-01-01 + 1 month", "t <= t + 1 day"}) {
    EXPECT_THROW(PossibleRecords(numbers, texts({rule})), InvalidInput) << rule;
  }
}

}  // namespace
}  // namespace mollify
