// Regressions of answers: against the rows', and against the model of greatest entropy.
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_rows.h"
#include "methods/answers/answers.h"
#include "refusal.h"

namespace mollify {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Domain regressed() {
  return parse_domain(
      "columns:\n"
      "  x: {type: integer, min: 0, max: 4, null: \"0\"}\n"
      "  team: {type: categorical, values: [red, green, blue], null: red}\n"
      "  y: {type: integer, min: 0, max: 9, null: category}\n"
      "  won: {type: categorical, values: [no, yes], null: no}\n",
      "");
}

test::Rows regressed_rows(std::size_t count, bool with_nulls, std::uint64_t seed = 11) {
  std::mt19937_64 random(seed);
  test::Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<std::uint32_t>(random() % 5);
    const auto team = static_cast<std::uint32_t>((random() % 4 + x) % 3);
    const auto y = static_cast<std::uint32_t>(x + team + random() % 4);
    const auto won = random() % 12 < 2 + x + (team == 2 ? 3 : 0) ? 1U : 0U;
    rows.push_back({x, team, with_nulls && random() % 9 == 0 ? 10U : y, won});
  }
  return rows;
}

/// x, team = green, team = blue after the one of all rows.
Eigen::MatrixXd terms_of(const test::Rows& rows) {
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(rows.size()), 4);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    terms.row(static_cast<Eigen::Index>(i)) << 1, rows[i][0], rows[i][1] == 1 ? 1 : 0,
        rows[i][1] == 2 ? 1 : 0;
  }
  return terms;
}

Eigen::VectorXd column_of(const test::Rows& rows, std::size_t column) {
  Eigen::VectorXd made(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    made[static_cast<Eigen::Index>(i)] = rows[i][column];
  return made;
}

std::vector<double> values_of(const Regression& found) {
  std::vector<double> values;
  for (const Estimated& one : found.coefficients) values.push_back(one.value.value_or(NAN));
  return values;
}

Regression regression(const Measurements& measurements, const char* question) {
  return regression_of(measurements, regressed(), parse_question(question));
}

/// Coefficients and the standard errors that do not suppose one variance for all rows [White 1980].
TEST(AnsweredRegression, LinearWithoutNoiseIsTheRowsLeastSquares) {
  const test::Rows rows = regressed_rows(4000, false);
  const Regression found = regression(test::all_pairs_of(rows, regressed()), "y ~ x + team");
  EXPECT_FALSE(found.is_logistic);
  const Eigen::MatrixXd terms = terms_of(rows);
  const Eigen::VectorXd y = column_of(rows, 2);
  const Eigen::MatrixXd inverse = (terms.transpose() * terms).inverse();
  const Eigen::VectorXd beta = inverse * terms.transpose() * y;
  const Eigen::VectorXd residuals = y - terms * beta;
  const Eigen::MatrixXd sandwich =
      inverse * terms.transpose() * residuals.cwiseAbs2().asDiagonal() * terms * inverse;
  const char* const names[] = {"(all)", "x", "team = green", "team = blue"};
  ASSERT_EQ(found.coefficients.size(), 4U);
  for (Eigen::Index k = 0; k < 4; ++k) {
    const Estimated& one = found.coefficients[static_cast<std::size_t>(k)];
    EXPECT_EQ(one.of, names[k]);
    EXPECT_NEAR(*one.value, beta[k], 1e-8);
    EXPECT_NEAR(*one.table->standard_error, 0, 1e-5);
    // The sandwich needs three columns together, which come from the model of pairs.
    const double error = std::sqrt(sandwich(k, k));
    EXPECT_NEAR(*one.population->standard_error, error, .1 * error);
  }
}

/// A formula of one term needs one pair, which is its joint: nothing is modelled.
TEST(AnsweredRegression, LogisticOfOneTermIsTheRows) {
  const test::Rows rows = regressed_rows(4000, false);
  const Measurements exact = test::all_pairs_of(rows, regressed(), 1);
  const Regression found = regression(exact, "won = yes ~ x");
  Eigen::MatrixXd terms = terms_of(rows).leftCols(2);
  const Eigen::VectorXd won = column_of(rows, 3);
  Eigen::Vector2d beta(0, 0);
  Eigen::Matrix2d information;
  for (int step = 0; step < 50; ++step) {
    const Eigen::VectorXd mean = (1 + (-(terms * beta)).array().exp()).inverse();
    information =
        terms.transpose() * (mean.array() * (1 - mean.array())).matrix().asDiagonal() * terms;
    beta += information.inverse() * terms.transpose() * (won - mean);
  }
  const Eigen::VectorXd mean = (1 + (-(terms * beta)).array().exp()).inverse();
  const Eigen::Matrix2d inverse = information.inverse();
  const Eigen::Matrix2d sandwich =
      inverse * terms.transpose() * (won - mean).cwiseAbs2().asDiagonal() * terms * inverse;
  EXPECT_TRUE(found.is_logistic);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const Estimated& one = found.coefficients[static_cast<std::size_t>(k)];
    EXPECT_NEAR(*one.value, beta[k], 1e-5);
    const double own = std::sqrt(sandwich(k, k));
    const double noise = *one.table->standard_error;
    EXPECT_NEAR(*one.population->standard_error, std::sqrt(own * own + noise * noise), 1e-3 * own);
  }
}

/// Rows of a log-linear model of pairs, in which a logistic regression is exact.
TEST(AnsweredRegression, LogisticOfAPairwiseModelIsTheRows) {
  test::Rows rows;
  for (std::uint32_t x = 0; x < 5; ++x) {
    for (std::uint32_t team = 0; team < 3; ++team) {
      for (std::uint32_t won = 0; won < 2; ++won) {
        const double linear = .1 * x * team - .2 * x + won * (-1 + .4 * x + (team == 2 ? .7 : 0));
        const auto count = static_cast<std::size_t>(std::lround(20000 * std::exp(linear)));
        for (std::size_t i = 0; i < count; ++i) rows.push_back({x, team, 0, won});
      }
    }
  }
  const Measurements exact = test::all_pairs_of(rows, regressed(), 100);
  const std::vector<double> found = values_of(regression(exact, "won = yes ~ x + team"));
  const double expected[] = {-1, .4, 0, .7};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-3) << k;
}

/// The greatest likelihood of rows, of 0 and 1 outcomes.
Eigen::VectorXd likeliest(const Eigen::MatrixXd& terms, const Eigen::VectorXd& outcome) {
  Eigen::VectorXd beta = Eigen::VectorXd::Zero(terms.cols());
  for (int step = 0; step < 50; ++step) {
    const Eigen::VectorXd mean = (1 + (-(terms * beta)).array().exp()).inverse();
    const Eigen::MatrixXd information =
        terms.transpose() * (mean.array() * (1 - mean.array())).matrix().asDiagonal() * terms;
    beta += information.ldlt().solve(terms.transpose() * (outcome - mean));
  }
  return beta;
}

Domain with_flags(const char* null) {
  return parse_domain(std::string("columns:\n  won: {type: boolean, null: false}\n") +
                          "  a: {type: boolean, null: false}\n  b: {type: boolean, null: " + null +
                          "}\n  c: {type: boolean, null: false}\n",
                      "");
}

/// Three terms that depend on each other only together, so that no pair shows it.
test::Rows rows_of_flags(std::size_t count, bool with_nulls) {
  std::mt19937_64 random(29);
  test::Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % 2);
    const auto b = static_cast<std::uint32_t>(random() % 2);
    const auto c = random() % 10 < 9 ? a ^ b : 1 - (a ^ b);
    const std::uint64_t odds = 1 + 3 * a + 2 * b * c + (a & c) * 2;
    const auto won = random() % 10 < odds ? 1U : 0U;
    // A null tells of the others together.
    const bool is_null = with_nulls && random() % 4 == 0 && a == won;
    rows.push_back({won, a, is_null ? 2U : b, c});
  }
  return rows;
}

/// A logistic regression with three terms is the rows' own if these were counted together.
TEST(AnsweredRegression, LogisticOfThreeTermsNeedsTheirJoint) {
  const test::Rows rows = rows_of_flags(20000, false);
  const Domain domain = with_flags("false");
  Measurements exact = test::all_pairs_of(rows, domain);
  const TableQuestion question = parse_question("won = true ~ c + a + b");
  const Regression of_pairs = regression_of(exact, domain, question);
  EXPECT_FALSE(of_pairs.is_of_rows);
  exact.tables.push_back(test::table_of(
      rows, {1, 2, 3}, {test::each_cell(2), test::each_cell(2), test::each_cell(2)}, 1e-9));
  const Regression joint = regression_of(exact, domain, question);
  EXPECT_TRUE(joint.is_of_rows);
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(rows.size()), 4);
  terms << Eigen::VectorXd::Ones(terms.rows()), column_of(rows, 3), column_of(rows, 1),
      column_of(rows, 2);
  const Eigen::VectorXd own = likeliest(terms, column_of(rows, 0));
  double worst = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(values_of(joint)[k], own[static_cast<Eigen::Index>(k)], 1e-6) << k;
    worst = std::max(worst, std::abs(values_of(of_pairs)[k] - own[static_cast<Eigen::Index>(k)]));
  }
  EXPECT_GT(worst, .01) << "or the joint was not needed";
  EXPECT_EQ(test::answers_to(exact, domain, question.text)["target"], "rows");
  exact.tables.pop_back();
  EXPECT_EQ(test::answers_to(exact, domain, question.text)["target"], "pairs");
  EXPECT_THAT(answer_question(exact, domain, question).text,
              HasSubstr("those that the pairs of these columns"));
}

/// Rows with a null in any column are left out, which is a fact about all three together.
TEST(AnsweredRegression, OfThreeColumnsWithNullsNeedsTheirJoint) {
  const test::Rows rows = rows_of_flags(20000, true);
  const Domain domain = with_flags("category");
  Measurements exact = test::all_pairs_of(rows, domain);
  const TableQuestion question = parse_question("won = true ~ b + a");
  EXPECT_FALSE(regression_of(exact, domain, question).is_of_rows);
  exact.tables.push_back(test::table_of(
      rows, {0, 1, 2}, {test::each_cell(2), test::each_cell(2), test::each_cell(3)}, 1e-9));
  const Regression joint = regression_of(exact, domain, question);
  EXPECT_TRUE(joint.is_of_rows);
  test::Rows whole;
  for (const auto& row : rows) {
    if (row[2] != 2) whole.push_back(row);
  }
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(whole.size()), 3);
  terms << Eigen::VectorXd::Ones(terms.rows()), column_of(whole, 2), column_of(whole, 1);
  const Eigen::VectorXd own = likeliest(terms, column_of(whole, 0));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(values_of(joint)[k], own[static_cast<Eigen::Index>(k)], 1e-6) << k;
  }
}

/// The noise of a joint is in the standard errors. The seed is fixed; another one fails once in
/// 10^6 times.
TEST(AnsweredRegression, StatesTheNoiseOfAJoint) {
  const test::Rows rows = rows_of_flags(4000, false);
  const Domain domain = with_flags("false");
  Measurements exact = test::all_pairs_of(rows, domain, 400);
  exact.tables.push_back(test::table_of(
      rows, {1, 2, 3}, {test::each_cell(2), test::each_cell(2), test::each_cell(2)}, 400));
  const TableQuestion question = parse_question("won = true ~ c + a + b");
  const std::vector<double> own = values_of(regression_of(exact, domain, question));
  std::mt19937_64 random(31);
  std::vector<double> squares(4);
  constexpr int kDraws = 200;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Regression one = regression_of(test::with_noise(exact, random), domain, question);
    for (std::size_t k = 0; k < 4; ++k) {
      const Estimated& found = one.coefficients[k];
      ASSERT_TRUE(found.value);
      const double off = (*found.value - own[k]) / *found.table->standard_error;
      squares[k] += off * off / kDraws;
    }
  }
  // A mean of 200 squares of a standard normal has a deviation of .1: five of them.
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(squares[k], 1, .5) << k;
  }
}

/// Rows with a null in a column are left out: of one pair as in the rows.
TEST(AnsweredRegression, LeavesNullsOut) {
  const test::Rows rows = regressed_rows(4000, true);
  const std::vector<double> found =
      values_of(regression(test::all_pairs_of(rows, regressed(), 1), "y ~ x"));
  test::Rows used;
  for (const auto& row : rows) {
    if (row[2] < 10) used.push_back(row);
  }
  const Eigen::MatrixXd terms = terms_of(used).leftCols(2);
  const Eigen::VectorXd beta =
      (terms.transpose() * terms).inverse() * terms.transpose() * column_of(used, 2);
  EXPECT_NEAR(found[0], beta[0], 1e-5);
  EXPECT_NEAR(found[1], beta[1], 1e-5);
}

/// The stated variance adds up small changes of each count, which move coefficients as the
/// derivative says.
TEST(AnsweredRegression, StatesTheVarianceOfItsNoise) {
  const test::Rows rows = regressed_rows(20000, true);
  // With nulls and two terms a part of the equations is the distribution's, which noise in cells
  // without rows moves in one direction only: then the stated error is the greater one.
  const std::pair<const char*, double> cases[] = {
      {"won = yes ~ x + team", 1.01}, {"y ~ x", 1.01}, {"y ~ x + team", 1.06}};
  for (const auto& [question, most] : cases) {
    const Measurements exact = test::all_pairs_of(rows, regressed(), 9);
    const Regression found = regression(exact, question);
    const Regression without_noise = regression(test::all_pairs_of(rows, regressed()), question);
    std::vector<double> variances(found.coefficients.size());
    for (std::size_t at = 0; at < exact.tables.size(); ++at) {
      for (std::size_t cell = 0; cell < exact.tables[at].counts.size(); ++cell) {
        constexpr double kMoved = 4;
        std::vector<double> ends[2];
        for (const int sign : {0, 1}) {
          Measurements moved = exact;
          moved.tables[at].counts[cell] += sign == 1 ? kMoved : -kMoved;
          ends[sign] = values_of(regression(moved, question));
        }
        for (std::size_t k = 0; k < variances.size(); ++k) {
          const double by_count = (ends[1][k] - ends[0][k]) / (2 * kMoved);
          variances[k] += by_count * by_count * exact.tables[at].variance;
        }
      }
    }
    for (std::size_t k = 0; k < variances.size(); ++k) {
      const double error =
          std::sqrt(std::pow(*found.coefficients[k].table->standard_error, 2) -
                    std::pow(*without_noise.coefficients[k].table->standard_error, 2));
      EXPECT_GE(error, .99 * std::sqrt(variances[k])) << question << " " << k;
      EXPECT_LE(error, most * std::sqrt(variances[k])) << question << " " << k;
    }
  }
}

TEST(AnsweredRegression, SaysWhetherItIsOfPairs) {
  const Measurements exact = test::all_pairs_of(regressed_rows(4000, true), regressed());
  const std::pair<const char*, bool> cases[] = {{"y ~ x", false},
                                                {"won = yes ~ x + team", false},
                                                {"x ~ team + won", false},
                                                {"y ~ x + team", true},
                                                {"won = yes ~ x + y", true}};
  for (const auto& [question, is_of_pairs] : cases) {
    EXPECT_EQ(regression(exact, question).is_of_rows, !is_of_pairs) << question;
    const Answer answer = answer_question(exact, regressed(), parse_question(question));
    EXPECT_EQ(answer.json.at("target"), is_of_pairs ? "pairs" : "rows") << question;
    EXPECT_EQ(answer.text.find("determine.") != std::string::npos, is_of_pairs) << question;
  }
  const Measurements full = test::all_pairs_of(regressed_rows(4000, false), regressed());
  EXPECT_FALSE(regression(full, "won = yes ~ x + team + y").is_of_rows);
}

/// If rows with nulls are left out, coefficients of the table stray by chance from what its pairs
/// determine. Here the outcome does not depend on the team, and nothing on three columns together.
/// The mean of 300 squares of errors over standard errors has a deviation of .08. A mean that is .4
/// from 1 has a probability of less than 1e-6.
TEST(AnsweredRegression, StatesHowFarRowsStrayFromTheirPairs) {
  constexpr int kTables = 300;
  double squares[2] = {0, 0};
  for (std::uint64_t seed = 0; seed < kTables; ++seed) {
    std::mt19937_64 random(seed);
    test::Rows rows, used;
    for (std::size_t i = 0; i < 1000; ++i) {
      const auto x = static_cast<std::uint32_t>(random() % 5);
      const auto team = static_cast<std::uint32_t>(random() % 3);
      const auto y = static_cast<std::uint32_t>(x + random() % 4);
      rows.push_back({x, team, random() % 3 == 0 ? 10U : y, 0});
      if (rows.back()[2] < 10) used.push_back(rows.back());
    }
    const Regression found = regression(test::all_pairs_of(rows, regressed()), "y ~ x + team");
    const Eigen::MatrixXd terms = terms_of(used);
    const Eigen::VectorXd beta =
        (terms.transpose() * terms).inverse() * terms.transpose() * column_of(used, 2);
    for (const std::size_t team : {0U, 1U}) {
      const Estimated& one = found.coefficients[team + 2];
      const double off = *one.value - beta[static_cast<Eigen::Index>(team + 2)];
      squares[team] += std::pow(off / *one.table->standard_error, 2) / kTables;
    }
  }
  for (const double one : squares) EXPECT_NEAR(one, 1, .4);
}

TEST(AnsweredRegression, SaysWhatWasCountedTogetherAndWidensForIt) {
  test::Rows rows = regressed_rows(4000, false);
  std::size_t blue = 0;
  for (auto& row : rows) {
    if (row[1] == 2 && ++blue > 30) row[1] = 0;
  }
  Measurements exact = test::all_pairs_of(rows, regressed(), 1);
  for (MeasuredTable& table : exact.tables) {
    if (table.columns.size() < 2) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (table.columns[i] == 1) table.groups[i] = {{0, 1, 1}, 2};
    }
    table = test::table_of(rows, table.columns, table.groups, 1);
  }
  const Regression found = regression(exact, "y ~ x + team");
  ASSERT_EQ(found.coefficients.size(), 3U);
  EXPECT_EQ(found.coefficients[2].of, "team = green");
  EXPECT_THAT(found.together, ElementsAre("team: green, with few that are blue"));
  test::Rows without;
  for (const auto& row : rows) {
    if (row[1] != 2) without.push_back(row);
  }
  const Eigen::MatrixXd terms = terms_of(without).leftCols(3);
  const Eigen::VectorXd beta =
      (terms.transpose() * terms).inverse() * terms.transpose() * column_of(without, 2);
  for (std::size_t k = 0; k < 3; ++k) {
    const Estimated& one = found.coefficients[k];
    EXPECT_GT(one.greatest, one.least);
    EXPECT_LE(one.least, beta[static_cast<Eigen::Index>(k)]);
    EXPECT_GE(one.greatest, beta[static_cast<Eigen::Index>(k)]);
  }
}

TEST(AnsweredRegression, WithoutASolutionIsUnknown) {
  // Blue always wins: no logistic coefficient is finite.
  test::Rows rows = regressed_rows(4000, false);
  for (auto& row : rows) row[3] = row[1] == 2 ? 1 : row[3];
  const Measurements exact = test::all_pairs_of(rows, regressed(), 1);
  const Answer answer = answer_question(exact, regressed(), parse_question("won = yes ~ team"));
  for (const Json& one : answer.json["answers"]) EXPECT_TRUE(one["estimate"].is_null()) << one;
  EXPECT_EQ(answer.text.find("nan"), std::string::npos);
}

TEST(AnsweredRegression, OfOtherColumnsIsRefused) {
  const Measurements exact = test::all_pairs_of(regressed_rows(500, false), regressed(), 1);
  const auto refusal = [&](const char* question) {
    return test::refusal_of([&] { static_cast<void>(regression(exact, question)); });
  };
  EXPECT_THAT(refusal("y ~ x + x"), HasSubstr("are one column"));
  EXPECT_THAT(refusal("team ~ x"), HasSubstr("\"team\" has 3 values"));
  EXPECT_THAT(refusal("y ~ z"), HasSubstr("no column \"z\""));
  EXPECT_THAT(refusal("won = maybe ~ x"), HasSubstr("maybe"));
}

}  // namespace

}  // namespace mollify
