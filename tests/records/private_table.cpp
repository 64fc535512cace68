#include "records/private_table.h"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "chi_square.h"
#include "core/random.h"
#include "domain/column.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/pipe.h"
#include "formats/public_files.h"
#include "formats/scratch.h"
#include "random_domain.h"
#include "records/weights.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Numeric rows.

namespace {

Domain one_number() {
  return Domain::make({Column::make("x", NumberCells::make(0, 5000), {.null_value = "500"})});
}

std::vector<double> all_rows(const NumericTable& table) {
  std::vector<double> all;
  table.visit(
      [&](std::span<const double> rows) { all.insert(all.end(), rows.begin(), rows.end()); });
  return all;
}

TEST(NumericRows, TakesEachLineForARow) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  const CsvSource csv(scratch.write("d.csv", "y,x\na,1\n\nb,nan\nc\nd,\"7\n,-1,8\n,12"));
  const NumericRows file(csv, columns);
  EXPECT_EQ(file.record_count(), 7U);
  const std::vector<double> rows{1, 500, 500, 500, 7, 0, 12};
  EXPECT_EQ(all_rows(file), rows);
  EXPECT_EQ(all_rows(file), rows) << "a second time";
}

TEST(NumericRows, StreamsManyBlocks) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  std::string text = "x\n";
  for (int row = 0; row < 5000; ++row) text += std::to_string(row) + "\n";
  const CsvSource csv(scratch.write("d.csv", text));
  const NumericRows file(csv, columns);
  EXPECT_EQ(file.record_count(), 5000U);
  const std::vector<double> rows = all_rows(file);
  ASSERT_EQ(rows.size(), 5000U);
  for (std::size_t row = 0; row < rows.size(); ++row) EXPECT_EQ(rows[row], row);
}

TEST(NumericRows, RefusesWhatIsWrongInPublic) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  const auto refusal = [&](const std::string& name) {
    return test::refusal(scratch, [&] {
      const CsvSource csv(name);
      const NumericRows file(csv, columns);
    });
  };
  const test::Pipe pipe("x\n1\n");
  EXPECT_EQ(refusal(pipe.path()),
            pipe.path() + " is read more than once, so it must be a regular file, but is not");
  EXPECT_EQ(
      refusal(scratch.write("d.csv", "y\n1\n")),
      "d.csv has no column \"x\", which the domain declares; mollify check prints its first line, "
      "which must be a header");
  EXPECT_EQ(refusal(scratch.write("d.csv", "")), "d.csv must start with a header, but is empty");
}

TEST(UnitPoints, TakeOneRowOfEach) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  const std::string path = scratch.write("d.csv", "id,x\na,1\nb,2\na,3\n,4\n");
  SecureRandom random;
  int ones = 0;
  constexpr int kRepeats = 400;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto points = read_unit_points(CsvSource(path), columns, "id", std::nullopt, random);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_TRUE(points[0] == 1 || points[0] == 3);
    EXPECT_EQ(points[1], 2);
    ones += static_cast<int>(points[0] == 1);
  }
  std::printf("the first row %d times of %d\n", ones, kRepeats);
  EXPECT_NEAR(ones, kRepeats / 2, 50);  // 5 standard deviations: 6e-7

  const std::string moved = scratch.write("m.csv", "id,x\nb,2\n,4\na,1\n");
  EXPECT_EQ(read_unit_points(CsvSource(moved), columns, "id", std::nullopt, random),
            (std::vector<double>{1, 2}))
      << "in the order of the ids, not of the file";

  Roster roster;
  for (const char* id : {"c", "b"}) roster.insert(id);
  EXPECT_EQ(read_unit_points(CsvSource(path), columns, "id", roster, random),
            (std::vector<double>{2500, 2}));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Private table.

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Domain small_domain() {
  return parse_domain(
      "columns:\n"
      "  color: {type: categorical, values: [red, green], null: category}\n"
      "  n: {type: integer, min: 0, max: 9, null: 0}\n",
      "domain.yaml");
}

TEST(ReadTable, CountsRecordsInTheDomainsColumns) {
  const test::Scratch scratch;
  const CsvSource file(scratch.write(
      "data.csv", "n,extra,color\n3,x,green\n3,,green\n0,y,red\n\n99,z,blue\n1,,\n2\n"));
  const Empirical table = read_table(file, small_domain());
  EXPECT_THAT(table.outcomes(), ElementsAre(0U, 13U, 20U, 21U, 22U, 29U));
  EXPECT_THAT(table.counts(), ElementsAre(1U, 2U, 1U, 1U, 1U, 1U)) << "an empty line is a record";
  EXPECT_EQ(table.total(), 7U);
}

TEST(ReadTableDigits, KeepsEveryRecordOfAShortFile) {
  const test::Scratch scratch;
  SecureRandom random;
  const std::string path = scratch.write("data.csv", "n,color\n3,green\n,\nx\n");
  EXPECT_THAT(read_table_digits(CsvSource(path), small_domain(), 3, random).digits,
              ElementsAre(1, 3, 2, 0, 2, 0));
  EXPECT_THAT(read_table_digits(CsvSource(scratch.write("data.csv", "n,color\n")), small_domain(),
                                3, random)
                  .digits,
              IsEmpty());
}

// Each of ten records is kept with probability 3/10: chi-square of 4000 files, false-alarm rate
// below 1e-6 (those kept of one file exclude each other, which makes the statistic smaller).
TEST(ReadTableDigits, KeepsAnEvenSampleOfALongFile) {
  const test::Scratch scratch;
  const std::string path =
      scratch.write("data.csv", "color,n\n,0\n,1\n,2\n,3\n,4\n,5\n,6\n,7\n,8\n,9\n");
  SecureRandom random;
  std::vector<std::uint64_t> kept(10);
  for (int trial = 0; trial < 4000; ++trial) {
    const auto digits = read_table_digits(CsvSource(path), small_domain(), 3, random).digits;
    ASSERT_EQ(digits.size(), 6U);
    for (std::size_t i = 1; i < digits.size(); i += 2) ++kept[digits[i]];
  }
  EXPECT_TRUE(test::follows(std::vector<double>(10, 0.1), kept));
}

/// Each weight stays with its record, also where more records come than are kept.
TEST(ReadTableDigits, KeepsTheWeightOfEachRecord) {
  const test::Scratch scratch;
  SecureRandom random;
  std::string text = "color,n,w\n";
  for (int row = 0; row < 200; ++row) {
    text += "," + std::to_string(row % 8) + "," + std::to_string(row % 8 + 1) + "\n";
  }
  const CsvSource csv(scratch.write("data.csv", text));
  const WeightedSource weighted(csv, {.column = "w", .greatest = Decimal(10), .step = Decimal(1)});
  for (const std::size_t most : {std::size_t{50}, std::size_t{500}}) {
    const auto [digits, weights] = read_table_digits(weighted, small_domain(), most, random);
    ASSERT_EQ(weights.size(), std::min<std::size_t>(most, 200));
    ASSERT_EQ(digits.size(), 2 * weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_EQ(weights[i], digits[2 * i + 1] + 1);
  }
}

TEST(ReadUnitDigits, GathersEachUnitsRecords) {
  SecureRandom random;
  const test::Scratch scratch;
  const std::string path =
      scratch.write("data.csv", "id,n,color\nu,1,red\nv,2,\nu,3,green\n,4,red\nw,5,red\n");
  Roster roster;
  for (const char* id : {"v", "none", "u"}) roster.insert(id);
  const UnitRecords listed =
      read_unit_digits(CsvSource(path), small_domain(), "id", roster, 100, random);
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_THAT(listed.digits(0), ElementsAre(2, 2));
  EXPECT_THAT(listed.digits(1), IsEmpty());
  EXPECT_THAT(listed.digits(2), ElementsAre(0, 1, 1, 3));
  EXPECT_EQ(
      read_unit_digits(CsvSource(path), small_domain(), "id", std::nullopt, 100, random).size(),
      3U);
}

TEST(ReadTable, AcceptsAFileWithoutRecords) {
  const test::Scratch scratch;
  EXPECT_EQ(read_table(CsvSource(scratch.write("data.csv", "n,color")), small_domain()).total(),
            0U);
}

TEST(ReadTable, RefusesWhatIsVisibleWithoutPrivateValues) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] {
      (void)read_table(CsvSource(scratch.write("data.csv", content)), small_domain());
    });
  };
  EXPECT_EQ(refusal("n,colour\n1,red\n"),
            "data.csv has no column \"color\", which the domain declares; mollify check prints its "
            "first line, which must be a header");
  // That may be the first record of a file without a header, with a name of the domain as a value.
  EXPECT_THAT(refusal("n,secret\n1,red\n"), testing::Not(testing::HasSubstr("secret")));
  EXPECT_THAT(refusal("n; secret\n1; red\n"), testing::Not(testing::HasSubstr("semicolons")));
  EXPECT_EQ(refusal("n,color,n\n1,red,2\n"),
            "data.csv has more than one column \"n\", which the domain declares");
  EXPECT_EQ(refusal(""), "data.csv must start with a header, but is empty");
}

TEST(ReadUnits, GroupsRecordsInTheOrderOfIds) {
  const test::Scratch scratch;
  const std::string path =
      scratch.write("data.csv", "id,n,color\nz,1,red\na,2,green\n,5,red\nz,1,red\nZ,0,red\n");
  const UnitTable units = read_units(CsvSource(path), small_domain(), "id");
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units.id(0), "Z");
  EXPECT_EQ(units.id(1), "a");
  EXPECT_EQ(units.id(2), "z");
  EXPECT_THAT(units.outcomes(1), ElementsAre(12U));
  EXPECT_THAT(units.outcomes(2), ElementsAre(1U));
  EXPECT_THAT(units.weights(2), ElementsAre(2.0));
}

TEST(ReadUnits, FollowsTheRoster) {
  const test::Scratch scratch;
  const std::string path =
      scratch.write("data.csv", "id,n,color\nz,1,red\na,2,green\n,5,red\nstranger,1,red\n");
  const Roster roster = read_roster(scratch.write("roster.csv", "id\nz\nabsent\na\n"), "id");
  const UnitTable units = read_units(CsvSource(path), small_domain(), "id", roster);
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units.id(1), "absent");
  EXPECT_THAT(units.outcomes(0), ElementsAre(1U));
  EXPECT_THAT(units.outcomes(1), IsEmpty());
  EXPECT_THAT(units.outcomes(2), ElementsAre(12U));
}

TEST(ReadUnits, RefusesAUnitColumnThatIsMissingOrDeclared) {
  const test::Scratch scratch;
  const std::string path = scratch.write("data.csv", "id,n,color\n");
  const auto refusal = [&](const std::string& unit) {
    return test::refusal(scratch, [&] { (void)read_units(CsvSource(path), small_domain(), unit); });
  };
  EXPECT_EQ(
      refusal("user"),
      "data.csv has no column \"user\", which names the unit of a record; it has \"id\", \"n\", "
      "\"color\"");
  EXPECT_EQ(refusal("n"),
            "the unit column must not be a column of the domain, but \"n\" is: remove it there");
}

TEST(ReadUnits, OneUnitsLinesNeverChangeAnotherUnit) {
  const test::Scratch scratch;
  const Domain domain = small_domain();
  const Roster roster = read_roster(scratch.write("roster.csv", "id\na\nb\n"), "id");
  const auto outcomes_of_b = [&](const std::string& lines_of_a) {
    const std::string path =
        scratch.write("data.csv", "id,n,color\n" + lines_of_a + "\nb,4,\"green\"\n");
    const UnitTable units = read_units(CsvSource(path), domain, "id", roster);
    return std::vector<std::uint32_t>(units.outcomes(1).begin(), units.outcomes(1).end());
  };
  for (const std::string& lines :
       {std::string("a,1,red"), std::string("a,1,\"red"), std::string("\"a,1,red"),
        std::string("a,\"\"\",red"), std::string("\""), std::string("a,1\r,red\r"),
        std::string("a\0,1", 4), "a," + std::string(3U << 20U, '"'),
        "\"" + std::string(1U << 20U, ',')}) {
    EXPECT_THAT(outcomes_of_b(lines), ElementsAre(14U)) << lines.substr(0, 40);
  }
}

// Whatever the lines hold, reading throws nothing, and the roster alone decides the table's shape.
RC_GTEST_PROP(ReadUnits, IsTotal, (const std::vector<std::string>& lines)) {
  const test::Scratch scratch;
  const Domain domain = *test::domain();
  std::vector<std::string> header = {"unit\xc2\xa7"};
  for (const Column& column : domain.columns()) header.push_back(column.name());
  std::string content;
  append_csv_record(header, content);
  for (std::string line : lines) {
    std::erase(line, '\n');
    content += line + "\n";
  }
  const std::string path = scratch.write("data.csv", content);
  const Empirical table = read_table(CsvSource(path), domain);
  RC_ASSERT(table.total() == lines.size());
  for (const std::uint32_t outcome : table.outcomes()) RC_ASSERT(outcome < domain.size());
  Roster roster;
  roster.insert("a");
  roster.insert("b");
  const UnitTable units = read_units(CsvSource(path), domain, header[0], roster);
  RC_ASSERT(units.size() == 2U);
  (void)read_units(CsvSource(path), domain, header[0]);
}

// Records drawn from outcomes and written as CSV are read as the same outcomes, in any order of the
// file's columns.
RC_GTEST_PROP(ReadTable, ReadsWhatWasWritten, ()) {
  const test::Scratch scratch;
  const Domain domain = *test::domain();
  test::Integers integers(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::string> header;
  for (const Column& column : domain.columns()) header.push_back(column.name());
  std::string content;
  append_csv_record(header, content);
  std::map<std::uint32_t, std::uint64_t> expected;
  std::vector<std::string> fields;
  for (int i = 0; i < 200; ++i) {
    const auto outcome = static_cast<std::uint32_t>(integers(domain.size()));
    ++expected[outcome];
    domain.decode(outcome, integers, fields);
    append_csv_record(fields, content);
  }
  const Empirical table = read_table(CsvSource(scratch.write("data.csv", content)), domain);
  std::map<std::uint32_t, std::uint64_t> seen;
  for (std::size_t i = 0; i < table.outcomes().size(); ++i) {
    seen[table.outcomes()[i]] = table.counts()[i];
  }
  RC_ASSERT(seen == expected);
}

void expect_same(const UnitTable& one, const UnitTable& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t unit = 0; unit < one.size(); ++unit) {
    EXPECT_EQ(one.id(unit), other.id(unit));
    EXPECT_TRUE(std::ranges::equal(one.outcomes(unit), other.outcomes(unit)));
    EXPECT_TRUE(std::ranges::equal(one.weights(unit), other.weights(unit)));
  }
}

// However many threads read a file, and whatever they find out first: the same histogram, and the
// same units with the same records in the same order, with and without a roster.
TEST(ReadUnits, AreTheSameByAnyNumberOfThreads) {
  const test::Scratch scratch;
  std::string data = "who,color,n\n";
  for (int i = 0; i < 60'000; ++i) {
    data += std::to_string(std::int64_t{i} * i % 997) +
            (i % 3 == 0   ? ",red,"
             : i % 3 == 1 ? ",green,"
                          : ",x,") +
            std::to_string(i % 11) + "\n";
  }
  const std::string path = scratch.write("data.csv", data);
  Roster roster;
  for (const char* id : {"4", "nobody", "0", "16"}) roster.insert(id);
  const Domain domain = small_domain();
  const OutcomeHistogram alone = read_counts(CsvSource(path), domain);
  const UnitTable units = read_units(CsvSource(path), domain, "who");
  const UnitTable listed = read_units(CsvSource(path), domain, "who", roster);
  EXPECT_EQ(listed.size(), 4U);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    const CsvSource shared(path, std::nullopt, threads);
    const OutcomeHistogram counts = read_counts(shared, domain);
    EXPECT_EQ(counts.keys, alone.keys);
    EXPECT_EQ(counts.counts, alone.counts);
    expect_same(read_units(shared, domain, "who"), units);
    expect_same(read_units(shared, domain, "who", roster), listed);
  }
}

}  // namespace

}  // namespace mollify
