#include "methods/answers/answers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_rows.h"
#include "refusal.h"

namespace mollify {

namespace {

using testing::HasSubstr;
using testing::Not;

Domain asked_people() {
  return parse_domain(
      "columns:\n"
      "  region: {type: categorical, values: [north, south, west], null: category}\n"
      "  age: {type: integer, min: 0, max: 9, null: category}\n"
      "  happy: {type: categorical, values: [no, yes], null: no}\n",
      "");
}

/// Regions 3 and ages 10 are null.
test::Rows asked_rows(std::size_t count, std::uint64_t seed = 5) {
  std::mt19937_64 random(seed);
  test::Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto region = static_cast<std::uint32_t>(random() % 10 == 0 ? 3 : random() % 3);
    const auto age =
        static_cast<std::uint32_t>(random() % 12 == 0 ? 10 : (random() % 7 + region) % 10);
    rows.push_back({region, age, random() % 10 < age ? 1U : 0U});
  }
  return rows;
}

double number(const Json& answer, const char* place) {
  return answer.at(Json::json_pointer(place)).get<double>();
}

// -----------------------------------------------------------------------------------------------
// Without noise, answers are the rows'.

TEST(Answers, WithoutNoiseAreTheRowsShares) {
  const Domain domain = asked_people();
  const test::Rows rows = asked_rows(3000);
  const Measurements exact = test::all_pairs_of(rows, domain);
  const Json answer = test::answers_to(exact, domain, "share(happy = yes) by region");
  const Json shares = test::answers_to(exact, domain, "share(region)");
  const Json table = test::answers_to(exact, domain, "table(happy, region)");
  const char* const names[] = {"north", "south", "west", "null"};
  std::vector<double> by_region;
  for (std::uint32_t region = 0; region < 4; ++region) {
    double of = 0, happy = 0;
    for (const auto& row : rows) {
      of += row[0] == region ? 1 : 0;
      happy += row[0] == region && row[2] == 1 ? 1 : 0;
    }
    const auto n = static_cast<double>(rows.size());
    EXPECT_NEAR(number(test::answer_of(shares, names[region]), "/estimate"), of / n, 1e-9);
    EXPECT_NEAR(number(test::answer_of(table, "yes", names[region]), "/estimate"), happy / n, 1e-9);
    if (region == 3) {
      EXPECT_TRUE(test::answer_of(answer, "yes", "null").is_null());
      continue;
    }
    const Json one = test::answer_of(answer, "yes", names[region]);
    by_region.push_back(happy / of);
    EXPECT_NEAR(number(one, "/estimate"), happy / of, 1e-9);
    EXPECT_NEAR(number(one, "/table/standard_error"), 0, 1e-6);
    EXPECT_NEAR(number(one, "/population/standard_error"),
                std::sqrt(happy / of * (1 - happy / of) / of), 1e-6);
    if (region == 0) continue;
    const Json less =
        test::answer_of(answer, "yes", std::string(names[region]) + " less north", "differences");
    EXPECT_NEAR(number(less, "/estimate"), by_region[region] - by_region[0], 1e-9);
  }
}

/// By two columns together, if a table has all three.
TEST(Answers, OfGroupsOfTwoColumnsAreTheRows) {
  const Domain domain = asked_people();
  const test::Rows rows = asked_rows(3000);
  Measurements exact = test::all_pairs_of(rows, domain);
  EXPECT_THAT(test::refusal_of([&] {
                static_cast<void>(test::answers_to(exact, domain, "mean(age) by region, happy"));
              }),
              HasSubstr("were not measured together"));
  exact.tables.push_back(test::table_of(
      rows, {0, 1, 2},
      {test::each_cell(domain.columns()[0].size()), test::each_cell(domain.columns()[1].size()),
       test::each_cell(domain.columns()[2].size())},
      1e-9));
  const Json means = test::answers_to(exact, domain, "mean(age) by happy, region");
  const Json shares = test::answers_to(exact, domain, "share(happy = yes) by region, age");
  const Json table = test::answers_to(exact, domain, "happy:region:age");
  EXPECT_EQ(means["answers"].size(), 2U * 3);
  EXPECT_EQ(means["differences"].size(), 2U * 3 - 1);
  EXPECT_EQ(table["answers"].size(), domain.columns()[1].size() * 2U * 4);
  const char* const regions[] = {"north", "south", "west"};
  for (std::uint32_t region = 0; region < 3; ++region) {
    double sum = 0, happy = 0, of_age_4 = 0, happy_of_age_4 = 0;
    for (const auto& row : rows) {
      if (row[0] != region) continue;
      if (row[1] < 10 && row[2] == 1) sum += row[1];
      if (row[1] < 10 && row[2] == 1) ++happy;
      if (row[1] == 4) ++of_age_4;
      if (row[1] == 4 && row[2] == 1) ++happy_of_age_4;
    }
    const std::string name = regions[region];
    EXPECT_NEAR(number(test::answer_of(means, "mean", "yes, " + name), "/estimate"), sum / happy,
                1e-9);
    EXPECT_NEAR(number(test::answer_of(shares, "yes", name + ", 4"), "/estimate"),
                happy_of_age_4 / of_age_4, 1e-9);
    EXPECT_NEAR(number(test::answer_of(table, "yes", name + ", 4"), "/estimate"),
                happy_of_age_4 / 3000, 1e-9);
  }
  const Json median = test::answers_to(exact, domain, "quantile(age, .5) by happy, region");
  EXPECT_EQ(median["answers"].size(), 6U);
}

TEST(Answers, WithoutNoiseAreTheRowsMeansAndQuantiles) {
  const Domain domain = asked_people();
  const test::Rows rows = asked_rows(3000);
  const Measurements exact = test::all_pairs_of(rows, domain);
  const Json means = test::answers_to(exact, domain, "mean(age) by happy");
  for (std::uint32_t happy = 0; happy < 2; ++happy) {
    std::vector<double> ages;
    for (const auto& row : rows) {
      if (row[1] < 10 && row[2] == happy) ages.push_back(row[1]);
    }
    std::sort(ages.begin(), ages.end());
    const auto n = static_cast<double>(ages.size());
    const double mean = std::accumulate(ages.begin(), ages.end(), 0.0) / n;
    double square = 0;
    for (const double age : ages) square += (age - mean) * (age - mean);
    const Json one = test::answer_of(means, "mean", happy == 1 ? "yes" : "no");
    EXPECT_NEAR(number(one, "/estimate"), mean, 1e-9);
    EXPECT_NEAR(number(one, "/population/standard_error"), std::sqrt(square) / n, 1e-6);
    for (const char* const quantile : {".1", ".25", ".5", ".9"}) {
      const Json of =
          test::answers_to(exact, domain, std::string("quantile(age, ") + quantile + ") by happy");
      const double real = ages[static_cast<std::size_t>(std::ceil(std::stod(quantile) * n)) - 1];
      const Json& found = of["answers"][happy];
      EXPECT_EQ(number(found, "/estimate"), real) << quantile;
      EXPECT_EQ(number(found, "/table/lower"), real);
      EXPECT_EQ(number(found, "/table/upper"), real);
      EXPECT_TRUE(found["table"]["standard_error"].is_null());
      EXPECT_LE(number(found, "/population/lower"), real);
    }
  }
}

/// Shares that are no sums of powers of two leave rounding where all rows are counted.
TEST(Answers, OfEveryQuantileHaveAnEstimate) {
  const Domain domain =
      parse_domain("columns:\n  x: {type: integer, min: 0, max: 19, null: 0}\n", "");
  test::Rows rows;
  for (std::uint32_t i = 0; i < 2000; ++i) rows.push_back({i % 20});
  const Measurements counts = test::all_pairs_of(rows, domain, 4);
  for (int percent = 3; percent < 100; percent += 2) {
    const Json answer =
        test::answers_to(counts, domain, fmt::format("quantile(x, {})", percent / 100.0));
    const Json& one = answer["answers"][0];
    ASSERT_TRUE(one["estimate"].is_number()) << percent;
    const double own = (percent - 1) / 5;
    EXPECT_LE(one["table"]["lower"], own) << percent;
    EXPECT_GE(one["table"]["upper"], own) << percent;
    EXPECT_LE(one["table"]["upper"].get<double>() - one["table"]["lower"].get<double>(), 2);
  }
}

/// Numbers of bins lie anywhere in them.
TEST(Answers, OfBinsContainWhatTheyHide) {
  const Domain domain = parse_domain(
      "columns:\n  cost: {type: integer, edges: [0, 10, 100, 1000], null: \"0\"}\n", "");
  const test::Rows rows = {{0}, {0}, {0}, {1}, {1}, {2}, {0}, {1}, {2}, {2}};
  const Measurements exact = test::all_pairs_of(rows, domain);
  const Json mean = test::answers_to(exact, domain, "mean(cost)")["answers"][0];
  EXPECT_NEAR(number(mean, "/estimate"), (4 * 4.5 + 3 * 54.5 + 3 * 550) / 10, 1e-6);
  EXPECT_NEAR(number(mean, "/table/lower"), (4 * 0 + 3 * 10 + 3 * 100) / 10.0, 1e-2);
  EXPECT_NEAR(number(mean, "/table/upper"), (4 * 9 + 3 * 99 + 3 * 1000) / 10.0, 1e-2);
  EXPECT_NEAR(number(mean, "/not_told_apart/greatest"), 333.3, 1e-6);
  const Json median = test::answers_to(exact, domain, "quantile(cost, .5)")["answers"][0];
  EXPECT_NEAR(number(median, "/table/lower"), 10, 1e-9);
  EXPECT_NEAR(number(median, "/table/upper"), 99, 1e-9);
  EXPECT_NEAR(number(median, "/estimate"), 10 + 89 / 3.0, 1e-6);
}

/// A value that was counted with few others: its interval holds what each place of these gives.
TEST(Answers, AreWidenedByRareValuesThatWereCountedTogether) {
  const Domain domain = asked_people();
  test::Rows rows = asked_rows(3000);
  std::size_t nulls = 0;
  for (auto& row : rows) {
    if (row[0] == 3 && ++nulls > 40) row[0] = 1;
  }
  Measurements exact = test::all_pairs_of(rows, domain, 1e-6);
  const Json real = test::answers_to(exact, domain, "share(happy = yes) by region");
  const Json real_mean = test::answers_to(exact, domain, "mean(age) by region");
  const CellGroups with_south{{0, 1, 2, 1}, 3};
  for (MeasuredTable& table : exact.tables) {
    if (table.columns.size() < 2 || table.columns[0] != 0) continue;
    const std::size_t other = table.columns[1];
    table = test::table_of(rows, table.columns,
                           {with_south, test::each_cell(domain.columns()[other].size())}, 1e-6);
  }
  const auto check = [](const Json& of, const Json& is, const char* name) {
    const Json one = test::answer_of(is, name, "south");
    const Json wide = test::answer_of(of, name, "south");
    EXPECT_LT(number(wide, "/table/lower"), number(one, "/estimate"));
    EXPECT_GT(number(wide, "/table/upper"), number(one, "/estimate"));
    EXPECT_GT(number(wide, "/table/upper") - number(wide, "/table/lower"), .01);
    const Json north = test::answer_of(of, name, "north");
    EXPECT_LT(number(north, "/table/upper") - number(north, "/table/lower"), 1e-3);
  };
  const Json shares = test::answers_to(exact, domain, "share(happy = yes) by region");
  check(shares, real, "yes");
  EXPECT_THAT(shares["counted_together"].dump(), HasSubstr("south, with few that are null"));
  check(test::answers_to(exact, domain, "mean(age) by region"), real_mean, "mean");
  // By itself a value is always answered for, by the column's own counts.
  const Json alone = test::answers_to(exact, domain, "share(region = null)")["answers"][0];
  EXPECT_NEAR(number(alone, "/estimate"), 40 / 3000.0, 1e-6);
  EXPECT_THAT(test::refusal_of([&] {
                static_cast<void>(test::answers_to(exact, domain, "share(region = null) by happy"));
              }),
              HasSubstr("counted together with other values"));
}

// -----------------------------------------------------------------------------------------------
// With noise.

/// Ratios of small groups: 95 of 100 intervals hold, up to what 2000 draws show with probability
/// 1 - 1e-6 (4.9 standard deviations).
TEST(Answers, HoldAsOftenAsTheySay) {
  const Domain domain = asked_people();
  const test::Rows rows = asked_rows(2000);
  const Measurements exact = test::all_pairs_of(rows, domain, 400);
  std::mt19937_64 random(8);
  constexpr int kRuns = 2000;
  const char* const questions[] = {"share(happy = yes) by region", "mean(age)",
                                   "mean(age) by happy", "share(region)", "table(happy, region)"};
  std::map<std::string, std::pair<int, double>> held;
  std::map<std::string, double> real;
  for (const char* const question : questions) {
    for (const char* const part : {"answers", "differences"}) {
      const Json found = test::answers_to(exact, domain, question);
      for (const Json& one : found[part]) {
        real[question + one.value("group", "") + "|" + one["of"].get<std::string>()] =
            number(one, "/estimate");
      }
    }
  }
  for (int run = 0; run < kRuns; ++run) {
    const Measurements noisy = test::with_noise(exact, random);
    for (const char* const question : questions) {
      for (const char* const part : {"answers", "differences"}) {
        const Json found = test::answers_to(noisy, domain, question);
        for (const Json& one : found[part]) {
          const std::string key =
              question + one.value("group", "") + "|" + one["of"].get<std::string>();
          auto& [count, sum] = held[key];
          count +=
              number(one, "/table/lower") <= real[key] && real[key] <= number(one, "/table/upper");
        }
      }
    }
  }
  const double far = 4.9 * std::sqrt(.95 * .05 * kRuns);
  for (const auto& [key, found] : held) EXPECT_NEAR(found.first, .95 * kRuns, far) << key;
}

TEST(Answers, OfAGroupThatNoiseHidesAreUnknown) {
  const Domain domain = asked_people();
  test::Rows rows = asked_rows(500);
  for (auto& row : rows) row[0] = row[0] == 2 ? 1 : row[0];
  Measurements measurements = test::all_pairs_of(rows, domain, 25);
  for (const double off : {-12.0, 0.0, 4.0}) {
    // West has no rows, and any small count.
    Measurements noisy = measurements;
    for (MeasuredTable& table : noisy.tables) {
      if (table.columns[0] == 0) table.counts[2 * table.counts.size() / 4] += off;
    }
    for (const char* const question :
         {"share(happy = yes) by region", "mean(age) by region", "quantile(age, .5) by region"}) {
      const Answer answer = answer_question(noisy, domain, parse_question(question));
      for (const Json& one : answer.json["answers"]) {
        EXPECT_EQ(one["estimate"].is_null(), one["group"] == "west") << one;
      }
      EXPECT_THAT(answer.text, Not(HasSubstr("nan")));
      EXPECT_THAT(answer.text, Not(HasSubstr("inf")));
      EXPECT_THAT(answer.text, HasSubstr("too few rows"));
    }
  }
}

TEST(Answers, OfWeightedRowsAreOfTheTableAlone) {
  const Domain domain = asked_people();
  Measurements exact = test::all_pairs_of(asked_rows(500), domain, 4);
  const Json rows = test::answers_to(exact, domain, "mean(age)")["answers"][0];
  exact.step = .5;
  for (MeasuredTable& table : exact.tables) {
    for (double& count : table.counts) count *= 2;
    table.variance *= 4;
  }
  const Json units = test::answers_to(exact, domain, "mean(age)")["answers"][0];
  EXPECT_NEAR(number(units, "/estimate"), number(rows, "/estimate"), 1e-9);
  EXPECT_NEAR(number(units, "/table/standard_error"), number(rows, "/table/standard_error"), 1e-9);
  EXPECT_FALSE(units["population"].is_null());
  exact.weighted = true;
  const Answer weighted = answer_question(exact, domain, parse_question("mean(age)"));
  EXPECT_TRUE(weighted.json["answers"][0]["population"].is_null());
  EXPECT_THAT(weighted.text, HasSubstr("weights are private"));
}

// -----------------------------------------------------------------------------------------------
// Refusals.

TEST(Answers, ThatNoCountGivesAreRefused) {
  const Domain domain = asked_people();
  Measurements exact = test::all_pairs_of(asked_rows(500), domain, 4);
  std::erase_if(exact.tables, [](const MeasuredTable& table) {
    return table.columns == std::vector<std::size_t>{0, 1};
  });
  const auto refusal = [&](const char* question) {
    const std::string sentence =
        test::refusal_of([&] { static_cast<void>(test::answers_to(exact, domain, question)); });
    EXPECT_EQ(sentence.find('\n'), std::string::npos);
    return sentence;
  };
  EXPECT_THAT(refusal("mean(age) by region"),
              HasSubstr("\"region\", \"age\" were not measured together"));
  EXPECT_THAT(refusal("happy = yes ~ age + region"), HasSubstr("age with region"));
  EXPECT_THAT(refusal("mean(region)"), HasSubstr("\"region\" has no numbers"));
  EXPECT_THAT(refusal("quantile(happy, .5) by region"), HasSubstr("\"happy\" has no numbers"));
  EXPECT_THAT(refusal("share(height)"), HasSubstr("height"));
  EXPECT_THAT(refusal("share(happy = maybe)"), HasSubstr("maybe"));
  EXPECT_THAT(refusal("share(happy) by happy"), HasSubstr("are one column"));
  EXPECT_THAT(refusal("region ~ happy"), HasSubstr("say which one the probability is of"));
  exact.tables.clear();
  EXPECT_THAT(refusal("share(happy)"), HasSubstr("no measurements"));
}

}  // namespace

}  // namespace mollify
