#include "domain/domain.h"

#include <rapidcheck.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "core/invalid_input.h"
#include "core/random.h"
#include "domain/rules.h"
#include "formats/domain_yaml.h"
#include "message_texts.h"
#include "random_domain.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Domain.

namespace {

using testing::ElementsAre;

Column integer(const std::string& name, std::int64_t count) {
  return test::without_nulls(name, IntegerCells::make(0, count - 1));
}

TEST(Domain, NamesColumnsWhoseNumbersAreClippedUndeclared) {
  const auto words = [](std::vector<Mapping> mappings) {
    std::vector<Column> columns = {test::without_nulls("word", Categories::make({"a", "b"})),
                                   test::without_nulls("truth", BooleanWords::make())};
    for (Mapping& mapping : mappings) {
      columns.push_back(Column::make("c" + std::to_string(columns.size()), IntegerCells::make(0, 4),
                                     std::move(mapping)));
    }
    const auto said = test::texts_of(Domain::make(std::move(columns)).warnings());
    return said.empty() ? "" : said.front();
  };
  const std::string becomes =
      "a value beyond a bound becomes the nearest one; write outside: clip if it may, or outside: "
      "null or VALUE";
  EXPECT_EQ(words({}), "") << "a word that is not declared becomes null";
  EXPECT_EQ(words({{}}), "the domain declares no outside for column \"c2\": " + becomes);
  EXPECT_EQ(words({{.clips = true}, {.outside_value = "1"}}), "");
  EXPECT_EQ(words({{.null_value = "1"}, {.null_is_category = true}}),
            "the domain declares no outside for columns \"c2\", \"c3\": " + becomes);
  EXPECT_EQ(
      words(std::vector<Mapping>(12)),
      "the domain declares no outside for 12 columns: \"c2\", \"c3\", \"c4\", \"c5\", \"c6\", "
      "\"c7\", \"c8\", \"c9\", \"c10\", \"c11\" and 2 more: " +
          becomes);
}

TEST(Domain, NamesColumnsWhoseIntegersAreCutIntoCells) {
  const auto said = [](IntegerCells cells) {
    return test::texts_of(
        Domain::make({Column::make("v", std::move(cells), {.null_value = "0", .clips = true})})
            .warnings());
  };
  EXPECT_THAT(
      said(IntegerCells::make(0, 99'999'999)),
      ElementsAre("column \"v\" has 100000000 integers, which are cut into 8388608 cells of 12 "
                  "or so; declare bins or a smaller range if these are not the ones you "
                  "want"));
  EXPECT_THAT(said(IntegerCells::make(0, 99'999'999, 1000)), testing::IsEmpty());
  EXPECT_THAT(said(IntegerCells::make(0, 9'999'999)), testing::IsEmpty());
}

TEST(Domain, FirstColumnIsTheMostSignificantDigit) {
  const Domain domain = Domain::make({integer("a", 3), integer("b", 4), integer("c", 5)}, 9);
  EXPECT_EQ(domain.size(), 60U);
  EXPECT_EQ(domain.seed(), 9U);
  const std::array<std::string_view, 3> fields = {"2", "1", "4"};
  EXPECT_EQ(domain.encode(fields), 2U * 20 + 1 * 5 + 4);
  EXPECT_EQ(domain.digit(49, 0), 2U);
  EXPECT_EQ(domain.digit(49, 1), 1U);
  EXPECT_EQ(domain.digit(49, 2), 4U);
}

TEST(Domain, MissingFieldsAreNullsAndFurtherOnesAreIgnored) {
  const Domain domain = Domain::make(
      {integer("a", 3), Column::make("b", BooleanWords::make(), {.null_is_category = true})});
  const std::array<std::string_view, 4> fields = {"1", "true", "x", "y"};
  EXPECT_EQ(domain.encode(fields), 1U * 3 + 1);
  EXPECT_EQ(domain.encode(std::span(fields).first(1)), 1U * 3 + 2);
  EXPECT_EQ(domain.encode({}), 2U);
}

TEST(Domain, IsEnumerableUpTo2To24Outcomes) {
  EXPECT_EQ(Domain::make({integer("a", 1 << 12), integer("b", 1 << 12)}).size(), 1U << 24U);
  EXPECT_EQ(Domain::make({integer("a", 1)}).size(), 1U);
  const Domain large = Domain::make({integer("a", 1 << 12), integer("b", (1 << 12) + 1)});
  EXPECT_FALSE(large.is_enumerable());
  EXPECT_EQ(large.product(), 16781312);
  const auto refusal = [](std::vector<Column> columns) {
    return test::refusal_of([&] { (void)Domain::make(std::move(columns)); });
  };
  EXPECT_EQ(refusal({}), "a domain must have at least one column, but has none");
  EXPECT_EQ(refusal({integer("a", 2), integer("b", 2), integer("a", 3)}),
            "column names must be distinct, but \"a\" is declared twice");
  EXPECT_EQ(test::refusal_of([] {
              Domain::make({integer("a", 1 << 24), integer("b", 1 << 24), integer("c", 1 << 24)})
                  .require_enumerable("this");
            }),
            "this needs a domain of at most 16777216 outcomes, but this one has "
            "4.72236648286965e+21; the widest columns are \"a\" 16777216, \"b\" 16777216, \"c\" "
            "16777216: declare fewer bins there (`bins: 256` in each with more would do), or leave "
            "out the 2 "
            "widest");
}

TEST(Domain, OfAnySizeReadsAndWritesDigits) {
  std::vector<Column> columns;
  for (int i = 0; i < 100; ++i) {
    columns.push_back(Column::make("n" + std::to_string(i), NumberCells::make(-1, 1),
                                   {.null_is_category = true}));
  }
  const Domain domain = Domain::make(std::move(columns));
  EXPECT_FALSE(domain.is_enumerable());
  std::vector<std::uint32_t> digits(100);
  for (std::uint32_t i = 0; i < 100; ++i) digits[i] = (1U << 20U) - i;
  SecureRandom random;
  std::vector<std::string> fields;
  domain.write_digits(digits, random, fields);
  EXPECT_EQ(fields[0], "");
  const std::vector<std::string_view> views(fields.begin(), fields.end());
  std::vector<std::uint32_t> read(100);
  domain.encode_digits(views, read);
  EXPECT_EQ(read, digits);
  domain.encode_digits({}, read);
  EXPECT_EQ(read, std::vector<std::uint32_t>(100, 1U << 20U));
}

TEST(Domain, DrawsWithTheSecureSource) {
  const Domain domain = Domain::make({test::without_nulls("n", NumberCells::make(0, 1, 4))});
  SecureRandom random;
  std::vector<std::string> fields;
  domain.decode(2, random, fields);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_GE(std::stod(fields[0]), 0.5);
  EXPECT_LT(std::stod(fields[0]), 0.75);
}

TEST(Domain, DrawsUniformlyInsideACell) {
  // 100 000 draws into 25 equal parts of a cell of 50 000 lattice points: chi-square with 24
  // degrees of freedom, false alarm rate 1e-6 at 72.3.
  const Domain domain = Domain::make({test::without_nulls("n", NumberCells::make(0, 1, 2))});
  ASSERT_EQ(domain.columns()[0].points(1), 50001U) << "the last cell is closed";
  SecureRandom random;
  std::array<double, 25> seen{};
  std::vector<std::string> fields;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    domain.decode(0, random, fields);
    ++seen[static_cast<std::size_t>(std::stod(fields[0]) * 50 + 1e-9)];
  }
  double statistic = 0;
  const double expected = kDraws / 25.0;
  for (const double count : seen) statistic += (count - expected) * (count - expected) / expected;
  std::printf("draws %d, expected per part %.0f, chi-square %.1f, limit 72.3\n", kDraws, expected,
              statistic);
  EXPECT_LT(statistic, 72.3);
}

TEST(Domain, CanonicalTextIsStable) {
  const Domain domain =
      Domain::make({test::without_nulls("c", Categories::make({"x y", ""})),
                    Column::make("b", BooleanWords::make(), {.null_is_category = true}),
                    Column::make("i", IntegerCells::make(-1, 9, 3), {.null_value = "9"}),
                    Column::make("n", NumberCells::make(-0.0, 0.5, 7), {.outside_value = "0.25"})},
                   12);
  EXPECT_EQ(domain.canonical_text(),
            "mollify-domain 1 seed 12\n"
            "categorical 1:c 3:x y 0: null 0 outside 0\n"
            "boolean 1:b 5:false 4:true null 2 outside 2\n"
            "integer 1:i -1 9 3 null 2\n"
            "number 1:n 0x0p+0 0x1p-1 7 null 7 outside 3\n");
}

RC_GTEST_PROP(Domain, EveryOutcomeSurvivesDecodeAndEncode, ()) {
  const Domain domain = *test::domain();
  test::Integers integers(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::string> fields;
  const std::uint32_t step = 1 + domain.size() / 2000;
  const std::uint32_t start = *rc::gen::inRange<std::uint32_t>(0, step);
  for (std::uint32_t outcome = start; outcome < domain.size(); outcome += step) {
    domain.decode(outcome, integers, fields);
    const std::vector<std::string_view> views(fields.begin(), fields.end());
    RC_ASSERT(domain.encode(views) == outcome);
  }
}

// Whatever the column: each text that is written for an outcome, and none between two of them.
RC_GTEST_PROP(Domain, WrittenValuesAreKnownAsWritten, ()) {
  const Domain domain = *test::domain();
  test::Integers integers(*rc::gen::arbitrary<std::uint64_t>());
  for (const Column& column : domain.columns()) {
    for (std::uint32_t outcome = 0; outcome < column.size(); ++outcome) {
      const std::uint64_t points = column.points(outcome);
      for (const std::uint64_t point : {std::uint64_t{0}, integers(points), points - 1}) {
        std::string text;
        column.write(outcome, point, text);
        RC_ASSERT(is_written(column, Value(std::string_view(text))));
        RC_ASSERT(is_written(column, column.value(outcome, point)));
      }
    }
    RC_ASSERT(is_written(column, Value()) == column.mapping().null_is_category ||
              column.read(Value()).verdict == Verdict::kValue);
  }
}

TEST(Domain, OtherValuesAreNotWritten) {
  const auto never = [](const char* declared, std::initializer_list<const char*> texts) {
    const Domain domain = parse_domain(std::string("columns:\n  c: {") + declared + "}\n", "d");
    for (const char* const text : texts) {
      EXPECT_FALSE(is_written(domain.columns().front(), Value(std::string_view(text))))
          << declared << ": " << text;
    }
  };
  never("type: integer, min: 0, max: 9", {"-1", "10", "1.5", "x"});
  never("type: integer, min: 0, max: 90, step: 10", {"5", "91"});
  never("type: integer, min: 0, max: 9, null: 3", {"", "NA"});
  never("type: integer, min: 0, max: 9, missing: [-1]", {"-1", "-2"});
  never("type: number, min: 0, max: 1, step: 0.01", {"0.005", "1.01", "-0.01"});
  never("type: number, min: 0, max: 1, bins: 10", {"0.123456", "1.1"});
  never("type: number, values: [0.5, 1, 2]", {"0.6", "1.5"});
  never("type: date, min: 2020-01-01, max: 2020-12-31", {"2021-01-01", "2020-02-30"});
  never("type: datetime, min: 2020-01-01, max: 2020-12-31, step: minute", {"2020-03-01T10:00:30"});
  never("type: categorical, values: [a, b]", {"c", "A"});
}

RC_GTEST_PROP(Domain, DigitsAreThoseOfTheOutcome, (const std::vector<std::string>& record)) {
  const Domain domain = *test::domain();
  const std::vector<std::string_view> views(record.begin(), record.end());
  std::vector<std::uint32_t> digits(domain.columns().size());
  domain.encode_digits(views, digits);
  const std::uint32_t outcome = domain.encode(views);
  for (std::size_t i = 0; i < digits.size(); ++i) RC_ASSERT(digits[i] == domain.digit(outcome, i));
}

RC_GTEST_PROP(Domain, EncodeIsTotal, (const std::vector<std::string>& record)) {
  const Domain domain = *test::domain();
  const std::vector<std::string_view> views(record.begin(), record.end());
  RC_ASSERT(domain.encode(views) < domain.size());
}

// What decides where a cell lies decides the hash that a certificate names the domain by.
TEST(Domain, HashCoversEdgesSpikesStepsAndZones) {
  const auto of_numbers = [](const NumberCells::Declaration& declared) {
    return Domain::make({test::without_nulls("x", NumberCells::make(declared))}).hash();
  };
  const auto of_times = [](std::optional<std::string> zone) {
    return Domain::make({test::without_nulls("t", DateCells::make({.grain = Grain::kSecond,
                                                                   .min = "2026-01-01T00:00:00",
                                                                   .max = "2026-01-02T00:00:00",
                                                                   .bins = 4,
                                                                   .zone = std::move(zone)}))})
        .hash();
  };
  // As many cells from as far to as far each time.
  const std::vector<std::string> hashes = {of_numbers({.edges = {0, 2, 5, 10}}),
                                           of_numbers({.edges = {0, 2, 6, 10}}),
                                           of_numbers({.edges = {0, 1, 5, 10}}),
                                           of_numbers({.edges = {0, 2, 5, 10}, .spikes = {3}}),
                                           of_numbers({.edges = {0, 2, 5, 10}, .spikes = {4}}),
                                           of_numbers({.edges = {0, 2, 5, 10}, .step = 0.5}),
                                           of_numbers({.edges = {0, 2, 5, 10}, .step = 0.25}),
                                           of_numbers({.values = {0, 2, 5, 10}}),
                                           of_numbers({.values = {0, 2, 6, 10}}),
                                           of_times(std::nullopt),
                                           of_times("Z"),
                                           of_times("+01:00")};
  EXPECT_EQ(hashes.front(), of_numbers({.edges = {0, 2, 5, 10}}));
  EXPECT_EQ(std::set<std::string>(hashes.begin(), hashes.end()).size(), hashes.size());
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Real columns.

namespace {

Domain age_and_income() {
  return Domain::make({Column::make("age", NumberCells::make(0, 100), {.null_value = "40"}),
                       Column::make("income", NumberCells::make(1, 1e6),
                                    {.null_value = "3", .outside_value = "2"})});
}

std::array<double, 2> point_of(const RealColumns& columns, std::string_view age,
                               std::string_view income) {
  std::array<double, 2> point{};
  columns.read(std::array{age, income}, point);
  return point;
}

std::string refusal_of(const Domain& domain, const std::vector<std::string>& logarithms = {}) {
  return test::refusal_of([&] { const RealColumns columns(domain, logarithms); });
}

TEST(RealColumns, ReadFieldsAsTheDomainDeclares) {
  const RealColumns columns(age_and_income());
  using Point = std::array<double, 2>;
  EXPECT_EQ(point_of(columns, "33.25", " +1e3 "), (Point{33.25, 1000}));
  EXPECT_EQ(point_of(columns, "-1", "0.5"), (Point{0, 2}));         // clip, and a value
  EXPECT_EQ(point_of(columns, "1e999", "1e999"), (Point{100, 2}));  // infinities are outside
  EXPECT_EQ(point_of(columns, "-inf", "-inf"), (Point{0, 2}));
  EXPECT_EQ(point_of(columns, "nan", "NA"), (Point{40, 3}));  // nulls
  EXPECT_EQ(point_of(columns, "", ""), (Point{40, 3}));
  EXPECT_EQ(point_of(columns, "young", "\xff\xfe"), (Point{40, 2}));  // unreadable
}

TEST(RealColumns, AgreeWithTheCellsOfTheDomain) {
  const Domain domain = age_and_income();
  const RealColumns columns(domain);
  for (const char* text : {"0", "5", "99.99", "100", "101", "-3", "x", "", "null", "1e-300"}) {
    const auto point = point_of(columns, text, text);
    for (std::size_t i = 0; i < 2; ++i) {
      const Column& column = domain.columns()[i];
      EXPECT_EQ(column.encode(text), column.encode(std::to_string(point[i]))) << text;
    }
  }
}

TEST(RealColumns, ReadPercentsAndTruthsAsTheCellsDo) {
  const Domain domain =
      Domain::make({Column::make("a", NumberCells::make(0, 1), {.null_value = "25%"}),
                    Column::make("b", NumberCells::make(0, 2000),
                                 {.null_value = "1,250", .outside_value = "1,250"})});
  const RealColumns columns(domain);
  using Point = std::array<double, 2>;
  EXPECT_EQ(point_of(columns, "", ""), (Point{0.25, 1250}));
  EXPECT_EQ(point_of(columns, "50%", "50%"), (Point{0.5, 50}));
  EXPECT_EQ(point_of(columns, "yes", "yes"), (Point{1, 1250}));
  EXPECT_EQ(columns.read(0, true), 1);
  EXPECT_EQ(columns.read(0, false), 0);
  EXPECT_EQ(columns.read(1, true), 1250);
}

TEST(RealColumns, TakeLogarithmsAndGiveThemBack) {
  const std::vector<std::string> logarithms{"income"};
  const RealColumns columns(age_and_income(), logarithms);
  EXPECT_FALSE(columns.is_logarithm(0));
  EXPECT_TRUE(columns.is_logarithm(1));
  EXPECT_EQ(columns.low(1), 0);
  EXPECT_EQ(columns.high(1), std::log(1e6));
  const auto point = point_of(columns, "1", "2500");
  EXPECT_EQ(point[1], std::log(2500));
  EXPECT_EQ(point_of(columns, "1", "-4")[1], std::log(2));
  std::vector<std::string> fields;
  columns.write(point, fields);
  EXPECT_EQ(fields[0], "1");
  EXPECT_NEAR(std::stod(fields[1]), 2500, 1e-9);
}

TEST(RealColumns, WriteAnyPointAsNumbers) {
  const std::vector<std::string> logarithms{"income"};
  const RealColumns columns(age_and_income(), logarithms);
  std::vector<std::string> fields;
  columns.write(std::array{-7.125, 1e5}, fields);
  EXPECT_EQ(fields[0], "-7.125");
  EXPECT_EQ(std::stod(fields[1]), std::numeric_limits<double>::max());
}

TEST(RealColumns, RefuseWhatIsNoCoordinate) {
  EXPECT_EQ(
      refusal_of(Domain::make({test::without_nulls("sex", Categories::make({"f", "m"}))})),
      "Gaussian rows need columns of type number, but column \"sex\" is categorical: leave it out "
      "of the domain, or use method marginals");
  EXPECT_EQ(
      refusal_of(
          Domain::make({Column::make("x", NumberCells::make(0, 1), {.null_is_category = true})})),
      "Gaussian rows have no nulls, but the domain declares no number that a null of column \"x\" "
      "becomes: write null: VALUE, such as 0, into the domain, or use method marginals");
  EXPECT_EQ(refusal_of(age_and_income(), {"age"}),
            "column \"age\" must have a min above 0, because 0 has no logarithm, but its min is "
            "0: set min to the smallest value that counts, and write outside: VALUE for zeros");
  for (const bool clips : {false, true}) {
    const Domain domain = Domain::make(
        {Column::make("x", NumberCells::make(1, 9), {.null_value = "2", .clips = clips})});
    EXPECT_EQ(refusal_of(domain, {"x"}),
              "column \"x\" must declare what a zero becomes to have logarithms: as min, 1, zeros "
              "widen the spread of all others. Write outside: VALUE, a usual value of the column, "
              "into the domain");
  }
  // At an end of its range a declared value is what clip would make of a zero.
  const auto declared = [](const std::string& null, const std::string& outside) {
    return refusal_of(Domain::make({Column::make("x", NumberCells::make(1, 9),
                                                 {.null_value = null, .outside_value = outside})}),
                      {"x"});
  };
  EXPECT_EQ(
      declared("2", "1.0"),
      "column \"x\" must declare a usual value for zeros to have logarithms, but outside: 1 is "
      "its min, where zeros widen the spread of all others. Write outside: VALUE, above min "
      "and below max, into the domain");
  EXPECT_THAT(declared("2", "9"), testing::HasSubstr("but outside: 9 is its max"));
  EXPECT_EQ(
      declared("1", "3"),
      "column \"x\" must declare a usual value for nulls to have logarithms, but null: 1 is its "
      "min, where nulls widen the spread of all others. Write null: VALUE, above min and below "
      "max, into the domain");
  EXPECT_EQ(declared("1.5", "8.5"), "accepted");
  EXPECT_EQ(refusal_of(age_and_income(), {"height"}),
            "the domain has no column \"height\", whose logarithm is asked for; it has \"age\", "
            "\"income\"");
  EXPECT_EQ(refusal_of(age_and_income(), {"income", "income"}),
            "column \"income\" must be named once for logarithms, but is named 2 times");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Recut domain.

namespace {

Domain numbers(int columns) {
  std::vector<Column> made;
  for (int i = 0; i < columns; ++i) {
    made.push_back(Column::make("x" + std::to_string(i), NumberCells::make(-2, 2),
                                {.null_value = "0", .outside_value = "1"}));
  }
  return Domain::make(std::move(made), 7);
}

TEST(RecutDomain, GivesEachColumnItsShareOfTheCells) {
  EXPECT_EQ(recut_domain(numbers(1)).size(), 65'536U);
  EXPECT_EQ(recut_domain(numbers(2)).size(), 256U * 256);
  EXPECT_EQ(recut_domain(numbers(3)).size(), 40U * 40 * 40);
  EXPECT_EQ(recut_domain(numbers(1), 1U << 24U).size(), 1U << 24U);
  EXPECT_EQ(recut_domain(numbers(2), 1U << 24U).size(), 1U << 24U);
  EXPECT_EQ(recut_domain(numbers(3), 1U << 24U).size(), 1U << 24U);
  EXPECT_EQ(recut_domain(numbers(3), 26).size(), 8U);
  EXPECT_EQ(recut_domain(numbers(3), 27).size(), 27U);
  EXPECT_EQ(recut_domain(numbers(2), 1).size(), 1U);
}

TEST(RecutDomain, KeepsEverythingElse) {
  const Domain grid = recut_domain(numbers(2), 100);
  EXPECT_EQ(grid.seed(), 7U);
  EXPECT_EQ(grid.columns()[1].name(), "x1");
  EXPECT_EQ(grid.columns()[0].encode("-2"), 0U);
  EXPECT_EQ(grid.columns()[0].encode("NA"), 5U);
  EXPECT_EQ(grid.columns()[0].encode("9"), 7U);
}

TEST(RecutDomain, NeverCutsAnInteger) {
  const Domain domain = Domain::make({test::without_nulls("i", IntegerCells::make(1, 10)),
                                      test::without_nulls("j", IntegerCells::make(0, 1 << 30))});
  const Domain grid = recut_domain(domain, 10'000);
  EXPECT_EQ(grid.columns()[0].size(), 10U);
  EXPECT_EQ(grid.columns()[1].size(), 100U);
}

TEST(RecutDomain, RefusesImpossibleNumbersOfCells) {
  for (const std::uint64_t cells : {std::uint64_t{0}, (std::uint64_t{1} << 24U) + 1}) {
    EXPECT_THROW((void)recut_domain(numbers(1), cells), InvalidInput);
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Space kind.

namespace {

Column number(const std::string& name) {
  return test::without_nulls(name, NumberCells::make(0, 1));
}
Column integer_column(const std::string& name, std::int64_t count) {
  return test::without_nulls(name, IntegerCells::make(0, count - 1));
}
Column word(const std::string& name) {
  return test::without_nulls(name, Categories::make({"a", "b"}));
}

TEST(SpaceKind, FollowsTheDomain) {
  const auto chosen = [](std::vector<Column> columns) {
    return chosen_space(Domain::make(std::move(columns)));
  };
  EXPECT_EQ(chosen({word("w"), integer_column("i", 100)}), SpaceKind::kCategories);
  EXPECT_EQ(chosen({test::without_nulls("n", NumberCells::make(0, 1, 10))}),
            SpaceKind::kCategories);
  EXPECT_EQ(chosen({integer_column("i", 1 << 20)}), SpaceKind::kCategories);
  EXPECT_EQ(chosen({integer_column("i", (1 << 20) + 1)}), SpaceKind::kGrid);
  EXPECT_EQ(chosen({number("x")}), SpaceKind::kGrid);
  EXPECT_EQ(chosen({number("x"), integer_column("i", 10), number("y")}), SpaceKind::kGrid);
  EXPECT_EQ(chosen({number("x"), number("y"), number("z"), number("u")}), SpaceKind::kCandidates);
  EXPECT_EQ(chosen({number("x"), word("w")}), SpaceKind::kCandidates);
  EXPECT_EQ(chosen({Column::make("n", NumberCells::make(0, 1), {.null_is_category = true})}),
            SpaceKind::kCandidates);
}

TEST(SpaceKind, IsRefusedWhereTheDomainCannotHaveIt) {
  const auto refusal = [](std::vector<Column> columns, SpaceKind kind) {
    return test::refusal_of([&] { require_space(Domain::make(std::move(columns)), kind); });
  };
  EXPECT_EQ(refusal({number("x"), word("w")}, SpaceKind::kCandidates), "accepted");
  EXPECT_EQ(refusal({word("w")}, SpaceKind::kCategories), "accepted");
  EXPECT_EQ(
      refusal({number("x"), number("y")}, SpaceKind::kCategories),
      "space categories needs a domain of at most 16777216 outcomes, but this one has "
      "1099511627776; the widest columns are \"x\" 1048576, \"y\" 1048576: declare fewer bins "
      "there (`bins: 4096` in each with more would do), or leave out the widest");
  EXPECT_EQ(
      refusal({number("x"), number("y"), number("z"), number("u")}, SpaceKind::kGrid),
      "space grid needs at most 3 columns, but the domain has 4 (\"x\" 1048576, \"y\" 1048576, "
      "\"z\" 1048576, \"u\" 1048576): leave columns out of the domain, or take --space "
      "candidates");
  EXPECT_EQ(
      refusal({number("x"), word("w")}, SpaceKind::kGrid),
      "space grid needs columns of numbers or integers without spikes, values or missing codes, "
      "but column \"w\" is not one: leave it out of the domain, or take --space candidates");
  EXPECT_EQ(refusal({number("x"), Column::make("y", NumberCells::make(0, 1))}, SpaceKind::kGrid),
            "space grid has no cell for nulls, but the domain declares no number that a null of "
            "column \"y\" becomes: write null: VALUE into the domain, or take --space candidates");
}

TEST(SpaceKind, HasNames) {
  for (const SpaceKind kind : {SpaceKind::kCategories, SpaceKind::kGrid, SpaceKind::kCandidates}) {
    EXPECT_EQ(named<SpaceKind>(name_of(kind)), kind);
  }
  EXPECT_FALSE(named<SpaceKind>("sphere"));
}

}  // namespace

}  // namespace mollify
