// Every type of column from a file to a release, in every model.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kEveryType =
    "columns:\n"
    "  grade: {type: ordinal, values: [low, middle, high], null: low}\n"
    "  rooms: {type: integer, edges: [0, 1, 3, 10], null: 0}\n"
    "  cost: {type: number, min: 0, max: 100, bins: 2, spikes: [0], null: \"0\"}\n"
    "  visit: {type: date, min: 2026-01-01, max: 2026-12-31, bins: quarter, null: category}\n"
    "  login: {type: datetime, min: 2026-01-01, max: 2026-01-02, bins: 2, zone: Z, null: "
    "2026-01-01}\n";
constexpr const char* kRows =
    "id,grade,rooms,cost,visit,login\n"
    "a,low,0,0,2026-01-31,2026-01-01T10:00:00+01:00\n"
    "a,middle,2,0.00,,2026-01-01 22:00\n"
    "b,high,9,12.5,2026-12-31,2026-01-01T23:00:00Z\n"
    "b,best,99,-1,2031-01-01,yesterday\n";

class Types : public CommandLine {
 public:
  Types() {
    files.write("domain.yaml", kEveryType);
    files.write("data.csv", kRows);
  }
};

TEST(ColumnTypes, AreReleasedAndVerified) {
  const Types command;
  for (const Arguments& model : {Arguments{"@integral", "--epsilon", "8"},
                                 Arguments{"@local", "--unit", "id", "--epsilon", "8"},
                                 Arguments{"@integral", "--epsilon", "8", "--score", "kernel",
                                           "--space", "candidates", "--candidates", "200"},
                                 Arguments{"@central", "--epsilon", "1", "--accept-error"}}) {
    const Ended ended =
        command.run(Arguments{"sample", "--data", "data.csv", "--domain", "domain.yaml", "--count",
                              "30", "--out", "out.csv", "--overwrite"} +
                    model + Arguments{"--mechanism"} +
                    (model[0] == "@central" ? Arguments{"histogram"} : Arguments{"relative"}));
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto lines = lines_of(command.files.read("out.csv"));
    ASSERT_GE(lines.size(), 31U);
    EXPECT_EQ(lines.front(), "grade,rooms,cost,visit,login");
    for (std::size_t i = 1; i < lines.size(); ++i) {
      EXPECT_THAT(lines[i],
                  MatchesRegex("(low|middle|high),[0-9]+,[0-9.]+,(2026-[0-9]{2}-[0-9]{2})?,"
                               "2026-01-0[12]T[0-9:]{8}Z"));
    }
    EXPECT_EQ(
        command
            .run({"verify", "--certificate", "out.csv.certificate.json", "--domain", "domain.yaml"})
            .status,
        0);
    // The release lies in the domain.
    command.files.write("released.csv", command.files.read("out.csv"));
    EXPECT_EQ(command.run({"check", "--data", "released.csv", "--domain", "domain.yaml"}).status,
              0);
  }
}

TEST(ColumnTypes, AreCheckedAndCounted) {
  const Types command;
  const Ended checked = command.run({"check", "--data", "data.csv", "--domain", "domain.yaml"});
  EXPECT_EQ(checked.status, 1);
  for (const char* line :
       {"data.csv:5: grade must be one of 3 declared values or null, but is \"best\" → low "
        "(default)\n",
        "data.csv:5: rooms must be an integer from 0 to 10 or null, but is \"99\" → from 3 to 10 "
        "(default)\n",
        "data.csv:5: cost must be a number from 0 to 100 or null, but is \"-1\" → 0.000 "
        "(default)\n",
        "but is \"2031-01-01\" → from 2026-10-01 to 2026-12-31 (default)\n",
        "but is \"yesterday\" → 2026-01-01 (default)\n",
        "grade: 1 value becomes low (default)\n"}) {
    EXPECT_THAT(checked.out, HasSubstr(line));
  }
  const Json json = Json::parse(
      command.run({"check", "--data", "data.csv", "--domain", "domain.yaml", "--json"}).out);
  EXPECT_EQ(json["mapped"].size(), 5U);
  const Json& grade = *std::find_if(json["mapped"].begin(), json["mapped"].end(),
                                    [](const Json& one) { return one["column"] == "grade"; });
  EXPECT_EQ(grade["become"], "low");
  EXPECT_EQ(grade["default"], true);
  EXPECT_EQ(json["listed"][0]["becomes"], "low");
}

TEST(ColumnTypes, AreDraftedWithWhatBecomesOfAValue) {
  const Types command;
  command.files.write("public.csv", "name,day,size\nann,2026-01-01,1\nbob,2026-02-01,2\n");
  const Ended draft = command.run({"domain", "--public", "public.csv", "--out", "draft.yaml"});
  EXPECT_EQ(draft.status, 0) << draft.err;
  const Ended again = command.run({"domain", "--public", "public.csv", "--out", "draft.yaml"});
  EXPECT_EQ(again.status, 2);
  EXPECT_EQ(again.err,
            "mollify: draft.yaml exists: add --overwrite to replace it, or give another name to "
            "--out\n");
  const std::string yaml = command.files.read("draft.yaml");
  EXPECT_THAT(yaml, HasSubstr("# Column \"name\" is left out: it may tell who somebody is"));
  EXPECT_THAT(yaml,
              HasSubstr("type: date\n    min: 2026-01-01\n    max: 2026-02-01\n    bins: day"));
  EXPECT_THAT(yaml, HasSubstr("null: category\n    outside: clip"));
  const Ended without = command.run({"domain", "--public", "public.csv", "--exclude", "day"});
  EXPECT_EQ(without.out.find("day"), std::string::npos) << without.out;
}

// Nulls that a declared value represents are no findings, but a tenth of a column must be visible.
TEST(ColumnTypes, CountTheNullsThatBecomeAValue) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  age: {type: integer, edges: [18, 25, 65], null: 18}\n"
                      "  sex: {type: categorical, values: [f, m], null: category}\n");
  command.files.write("data.csv", "age,sex\n20,f\n,m\nNA,\n70,f\n");
  const Arguments check = {"check", "--data", "data.csv", "--domain", "d.yaml"};
  const Ended ended = command.run(check);
  EXPECT_EQ(ended.status, 1) << "70 is a finding";
  EXPECT_THAT(ended.out, HasSubstr("age: 2 nulls become 18 (declared)\n"));
  EXPECT_THAT(ended.out, HasSubstr("sex: 1 null stays null\n"));
  const Json mapped = Json::parse(command.run(check + Arguments{"--json"}).out)["mapped"];
  ASSERT_EQ(mapped.size(), 2U);
  EXPECT_EQ(mapped[0]["nulls"], true);
  EXPECT_EQ(mapped[0]["values"], 2);
  command.files.write("data.csv", "age,sex\n20,f\n,m\n");
  EXPECT_EQ(command.run(check).status, 0);
}

// Nulls stay nulls unless a value is declared for them, and are no findings.
TEST(ColumnTypes, CountNullsApartFromValues) {
  const CommandLine command;
  command.files.write("data.csv", "age,sex\n20,f\n,x\nNA,\n\n-4,f\n");
  const auto checked = [&](const std::string& age, const Arguments& more = {}) {
    command.files.write("d.yaml", "columns:\n  age: {type: integer, min: 18, max: 65" + age +
                                      "}\n  sex: {type: categorical, values: [f, m]}\n");
    return command.run(Arguments{"check", "--data", "data.csv", "--domain", "d.yaml"} + more).out;
  };
  EXPECT_THAT(checked(""), HasSubstr("\nage: 1 value becomes 18 (default)\n"
                                     "age: 3 nulls stay null\n"
                                     "sex: 1 value becomes null (default)\n"
                                     "sex: 2 nulls stay null\n"));
  EXPECT_THAT(checked(", null: 40"), HasSubstr("\nage: 1 value becomes 18 (default)\n"
                                               "age: 3 nulls become 40 (declared)\n"));
  EXPECT_THAT(checked(", outside: 40"), HasSubstr("\nage: 1 value becomes 40 (declared)\n"
                                                  "age: 3 nulls stay null\n"
                                                  "sex: 1 value becomes null (default)\n"));
  const Json mapped = Json::parse(checked(", null: 40", {"--json"}))["mapped"];
  ASSERT_EQ(mapped.size(), 3U);
  EXPECT_EQ(mapped[0]["values"], 1);
  EXPECT_EQ(mapped[0]["nulls"], false);
  EXPECT_EQ(mapped[1]["values"], 3);
  EXPECT_EQ(mapped[1]["nulls"], true);
  EXPECT_EQ(mapped[1]["declared"], true);
}

// A number beyond a bound is nothing to mend where the domain says what it becomes; a word may be a
// typing error even so.
TEST(ColumnTypes, CountWhatADeclaredBoundTakesIn) {
  const CommandLine command;
  const Arguments check = {"check", "--data", "data.csv", "--domain", "d.yaml"};
  command.files.write("data.csv", "age,sex,id\n120,f,1\n-3,m,2\nold,x,2\n130,f,3\n");
  const auto checked = [&](const std::string& outside) {
    command.files.write("d.yaml", "columns:\n  age: {type: integer, min: 0, max: 99, bins: 10" +
                                      outside + "}\n  sex: {type: categorical, values: [f, m]" +
                                      outside + "}\n");
    return command.run(check);
  };
  const Ended declared = checked(", outside: clip");
  EXPECT_EQ(declared.status, 1);
  EXPECT_THAT(declared.out, HasSubstr("age: 1 value becomes 0 (declared)\n"));
  EXPECT_THAT(declared.out, HasSubstr("age: 2 values become 99 (declared)\n"));
  EXPECT_THAT(declared.out, ::testing::Not(HasSubstr("\"120\"")));
  EXPECT_THAT(declared.out, HasSubstr("but is \"old\""));
  EXPECT_THAT(declared.out, HasSubstr("sex: 1 value becomes null\n"));
  EXPECT_THAT(declared.out, HasSubstr("\n4 records, 1 of them with something to mend, 2 findings"));
  const Ended left_open = checked("");
  EXPECT_THAT(left_open.out, HasSubstr("but is \"120\" → from 90 to 99 (default)\n"));
  EXPECT_THAT(left_open.out, HasSubstr("age: 2 values become from 90 to 99 (default)\n"));
  EXPECT_THAT(left_open.out,
              HasSubstr("\n4 records, 4 of them with something to mend, 5 findings"));
  // Rows that seem to be of the same persons.
  EXPECT_THAT(left_open.out,
              HasSubstr("\nnote: column id has 3 different values in 4 rows: if it names whom the "
                        "rows belong to, --unit id of sample protects all rows of one; without it "
                        "a single row is protected\n"));
  EXPECT_THAT(command.run(check + Arguments{"--unit", "id"}).out,
              ::testing::Not(HasSubstr("note: column id")));
  std::string many = "age,sex\n";
  for (int i = 0; i < 60; ++i) many += "old,f\n";
  command.files.write("data.csv", many);
  const Ended capped = command.run(check);
  EXPECT_THAT(capped.out, HasSubstr("\n... and 20 more (see --most)\n"));
  EXPECT_EQ(Json::parse(command.run(check + Arguments{"--json"}).out)["listed"].size(), 60U);
  // Every line of these columns.
  command.files.write("data.csv", "age,sex\nold,x\n120,x\n7,x\n");
  const Ended one = command.run(check + Arguments{"--most", "1"});
  EXPECT_THAT(one.out, HasSubstr("age: "));
  EXPECT_THAT(one.out, HasSubstr("\n... and 1 more column (see --most)\n"));
  EXPECT_THAT(one.out, ::testing::Not(HasSubstr("sex: ")));
  const Ended whole = command.run(check + Arguments{"--most", "1", "--json"});
  EXPECT_THAT(Json::parse(whole.out)["mapped"].dump(), HasSubstr("\"sex\""));
}

TEST(ColumnTypes, NameWhatKeepsAColumnFromBeingNumbers) {
  const CommandLine command;
  std::string rows = "cost,day,kind\n";
  for (int i = 0; i < 1200; ++i) {
    rows += (i == 300 ? std::string("\"1.234,50\"") : std::to_string(i) + ".5") + "," +
            (i % 30 == 7 ? "soon" : "2026-01-" + std::to_string(10 + i % 20)) + ",a\n";
  }
  command.files.write("public.csv", rows);
  const Ended draft = command.run({"domain", "--public", "public.csv"});
  EXPECT_EQ(draft.status, 0) << draft.err;
  EXPECT_THAT(draft.out, HasSubstr("# Column \"cost\" is left out: all but 1 value are numbers; "
                                   "line 302 is \"1.234,50\"."));
  EXPECT_THAT(draft.out,
              HasSubstr("# Column \"day\" is left out: all but 40 values are days, "
                        "and these are \"soon\", as line 9 is; if nothing is known "
                        "there, leave such fields empty; without them it is {type: date, "));
}

TEST(ColumnTypes, NeedMassesThatSumToOne) {
  const CommandLine command;
  command.files.write("p.json", "[0.5, 0.6]");
  const Arguments law = {"law", "--p", "p.json", "--epsilon", "1"};
  EXPECT_EQ(command.run(law).err,
            "mollify: the masses of p.json must sum to 1 within 1e-9, but sum to 1.1; --normalise "
            "divides by their sum\n");
  EXPECT_EQ(command.run(law + Arguments{"--normalise"}).status, 0);
}

}  // namespace
}  // namespace mollify::test
