#include "formats/check.h"

#include <rapidcheck.h>

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/scratch.h"
#include "random_domain.h"

namespace mollify {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> findings_of(const test::Scratch& scratch, const std::string& content,
                                     const UnitColumns& unit = {},
                                     const std::optional<Roster>& roster = std::nullopt) {
  const Domain domain = parse_domain(
      "columns:\n"
      "  age: {type: integer, min: 0, max: 100}\n"
      "  sex: {type: categorical, values: [f, m], null: category}\n",
      "");
  std::vector<std::string> findings;
  const CheckCounts counts = check_table(
      scratch.write("data.csv", content), domain, unit, roster, [&](const Finding& finding) {
        findings.push_back(std::to_string(finding.line) + "|" + std::string(finding.column) + "|" +
                           std::string(finding.value) + "|" + std::string(finding.expectation));
      });
  EXPECT_EQ(counts.findings, findings.size());
  return findings;
}

TEST(CheckTable, IsSilentAboutCleanData) {
  const test::Scratch scratch;
  EXPECT_THAT(findings_of(scratch, "age,sex,note\n1,f,\n100,m,\"x, \xc3\xa9\"\n+3,,\n4.0,NA,\n"),
              IsEmpty());
}

TEST(CheckTable, NamesEveryPlace) {
  const test::Scratch scratch;
  constexpr const char* kAge = "must be an integer from 0 to 100 or null";
  constexpr const char* kSex = "must be one of 2 declared values or null";
  EXPECT_THAT(findings_of(scratch, "age,sex\n101,f\n3,x\nabc,m\n2.5,f\n,f\n1\n1,f,2\n"),
              ElementsAre("2|age|101|" + std::string(kAge), "3|sex|x|" + std::string(kSex),
                          "4|age|abc|" + std::string(kAge), "5|age|2.5|" + std::string(kAge),
                          "7|||must have 2 fields like the header, not 1",
                          "8|||must have 2 fields like the header, not 3"));
  EXPECT_THAT(findings_of(scratch, "age,sex\n1,\"f\n"),
              ElementsAre(std::string("2|||must have ") + CsvReader::kOpenField));
  EXPECT_THAT(
      findings_of(scratch, "age,sex\n1,f\"\n1,\xff\n"),
      ElementsAre("2|||must have a closing quote for each opening one in the same line, "
                  "and two quotes for one inside a field",
                  "2|sex|f\"|" + std::string(kSex), "3|||" + std::string(CsvReader::kNotUtf8),
                  "3|sex|\xff|" + std::string(kSex)));
  EXPECT_THAT(
      findings_of(scratch, "note,age,sex\n1,1,f\n" + std::string(2U << 20U, 'x') + ",1,f\n"),
      testing::Contains("3|||must have at most 1048576 bytes"));
  EXPECT_THAT(findings_of(scratch, "age,sex\n1,f\n\r\n"),
              ElementsAre("3|||must not be empty: it is taken for a record of nulls"));
}

TEST(CheckTable, SaysWhatEachValueBecomes) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(
      "columns:\n"
      "  sex: {type: categorical, values: [female, male], null: male}\n"
      "  age: {type: integer, min: 0, max: 99, bins: 10, outside: 45}\n"
      "  day: {type: date, min: 2026-01-01, max: 2026-12-31, bins: month, null: category}\n",
      "");
  std::vector<std::string> becomes;
  static_cast<void>(check_table(
      scratch.write("data.csv", "sex,age,day\nfemal,5,2026-02-03\n,old,2027-01-01\nmale,,soon\n"),
      domain, {}, std::nullopt, [&](const Finding& finding) {
        becomes.push_back(std::string(finding.value) + ">" + finding.becomes +
                          (finding.by_default ? " (default)" : ""));
      }));
  EXPECT_THAT(becomes, ElementsAre("femal>male (default)", "old>45",
                                   "2027-01-01>from 2026-12-01 to 2026-12-31 (default)",
                                   "soon>null (default)"));
}

TEST(CheckTable, SaysWhatBecomesNull) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(
      "columns:\n"
      "  sex: {type: categorical, values: [female, male], null: category, outside: null}\n"
      "  age: {type: integer, min: 0, max: 99, bins: 10, null: category, outside: null}\n",
      "");
  std::vector<std::string> becomes;
  static_cast<void>(check_table(scratch.write("data.csv", "sex,age\nfemal,old\n,\nmale,120\n"),
                                domain, {}, std::nullopt, [&](const Finding& finding) {
                                  becomes.push_back(std::string(finding.value) + ">" +
                                                    finding.becomes +
                                                    (finding.by_default ? " (default)" : "") +
                                                    (finding.is_declared ? " (declared)" : ""));
                                }));
  EXPECT_THAT(becomes, ElementsAre("femal>null", "old>null", "120>null (declared)"));
}

TEST(CheckTable, NamesCountsThatAreNone) {
  const test::Scratch scratch;
  const Domain domain = parse_domain("columns: {a: {type: boolean, null: n}}", "");
  std::vector<std::string> found;
  const std::string path = scratch.write(
      "data.csv",
      "n,a\n2.0,0\n2e0,\n\"1,000\",0\n02,0\n,0\n-1,0\nx,0\n1.5,0\n1e13,0\n1099511627776,0\n");
  const CheckCounts counts =
      check_table(path, domain, {}, std::nullopt,
                  [&](const Finding& finding) {
                    EXPECT_EQ(finding.column, "n");
                    EXPECT_EQ(finding.expectation,
                              std::string("must be a whole number from 0 to 1099511627776") +
                                  (finding.value == "1.5"
                                       ? " (for weights give --weights instead of --counts-column)"
                                       : ""));
                    found.push_back(std::to_string(finding.line) + "|" +
                                    std::string(finding.value) + ">" + finding.becomes);
                  },
                  {.counts = "n"});
  EXPECT_THAT(found, ElementsAre("6|>0", "7|-1>0", "8|x>0", "9|1.5>0", "10|1e13>1099511627776"));
  EXPECT_EQ(counts.findings, 5U);
  EXPECT_EQ(counts.records_with_findings, 5U);
}

TEST(CheckTable, CountsNullsOfEmptyLines) {
  const test::Scratch scratch;
  for (const std::string null : {"", ", null: 3", ", outside: 3", ", null: category"}) {
    const Domain domain =
        parse_domain("columns: {a: {type: integer, min: 0, max: 9" + null + "}}", "");
    const CheckCounts counts = check_table(scratch.write("data.csv", "a\n1\n\nNA\n"), domain, {},
                                           std::nullopt, [](const Finding&) {});
    EXPECT_EQ(counts.nulls, std::vector<std::uint64_t>{2}) << null;
  }
}

TEST(CheckTable, NamesRecordsWithoutAUnit) {
  const test::Scratch scratch;
  Roster roster;
  roster.insert("a");
  const std::string content = "age,sex,id\n1,f,a\n1,f,\n1,f,b\n";
  EXPECT_THAT(findings_of(scratch, content, "id"), ElementsAre("3|id||must name a unit"));
  EXPECT_THAT(findings_of(scratch, content, "id", roster),
              ElementsAre("3|id||must name a unit", "4|id|b|must be a unit of the roster"));
  Roster numbers;
  numbers.insert("1");
  EXPECT_THAT(findings_of(scratch, "age,sex,id\n1,f,1.0\n1,f,01\n1,f,2.0\n", "id", numbers),
              ElementsAre("4|id|2.0|must be a unit of the roster"));
}

TEST(CheckTable, CountsRecords) {
  const test::Scratch scratch;
  const Domain domain = parse_domain("columns: {a: {type: boolean}, b: {type: boolean}}", "");
  const CheckCounts counts = check_table(scratch.write("data.csv", "a,b\n1,0\n5,6\n\n1,7\n"),
                                         domain, {}, std::nullopt, [](const Finding&) {});
  EXPECT_EQ(counts.records, 4U) << "an empty line is one";
  EXPECT_EQ(counts.records_with_findings, 3U);
  EXPECT_EQ(counts.findings, 4U) << "three values and the empty line";
}

TEST(CheckTable, RefusesCountsThatTheDomainDeclares) {
  const test::Scratch scratch;
  const Domain domain = parse_domain("columns: {a: {type: boolean}}", "");
  const std::string file = scratch.write("data.csv", "a,id\n1,x\n");
  const auto refusal = [&](const char* counts) {
    return test::refusal(scratch, [&] {
      check_table(file, domain, "id", std::nullopt, [](const Finding&) {}, {.counts = counts});
    });
  };
  EXPECT_EQ(refusal("a"),
            "the counts column must not be a column of the domain, but \"a\" is: remove it there");
  EXPECT_EQ(refusal("id"), "the counts column must not be the unit column, but \"id\" is both");
}

RC_GTEST_PROP(CheckTable, FindsNothingInWhatWasReleased, ()) {
  const test::Scratch scratch;
  const Domain domain = *test::domain();
  test::Integers integers(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::string> fields;
  for (const Column& column : domain.columns()) fields.push_back(column.name());
  std::string content;
  append_csv_record(fields, content);
  for (int i = 0; i < 100; ++i) {
    domain.decode(static_cast<std::uint32_t>(integers(domain.size())), integers, fields);
    append_csv_record(fields, content);
  }
  const CheckCounts counts = check_table(
      scratch.write("data.csv", content), domain, {}, std::nullopt, [](const Finding& finding) {
        RC_FAIL(std::string(finding.column) + ": " + std::string(finding.value) + " " +
                std::string(finding.expectation));
      });
  RC_ASSERT(counts.records == 100U);
}

TEST(CheckTable, NamesWeightsThatAReleaseMaps) {
  const test::Scratch scratch;
  const Domain domain =
      parse_domain("columns:\n  a: {type: integer, min: 0, max: 9, null: 0}\n", "d.yaml");
  std::vector<std::string> found;
  const WeightColumn weights{.column = "w", .greatest = Decimal(3), .invalid = Decimal(0.5)};
  const CheckCounts counts = check_table(
      scratch.write("data.csv", "a,w\n1,0\n2,3\n3,1.25\n4,3.01\n5,-1\n6,\n7,x\n8,inf\n"), domain,
      {}, std::nullopt,
      [&](const Finding& finding) {
        found.push_back(std::string(finding.value) + " -> " + finding.becomes);
        EXPECT_EQ(finding.column, "w");
        EXPECT_EQ(finding.expectation, "must be a weight from 0 to 3");
      },
      {.weights = weights});
  EXPECT_EQ(found, (std::vector<std::string>{"3.01 -> 3", "-1 -> 0.5", " -> 0.5", "x -> 0.5",
                                             "inf -> 0.5"}));
  EXPECT_EQ(counts.findings, 5U);
  EXPECT_EQ(counts.records_with_findings, 5U);
}

}  // namespace

}  // namespace mollify
