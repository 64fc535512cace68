// The commands around a release: check, plan, domain, compare, and their help.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kNotice =
    "NOT PRIVATE: this is computed from the data without protection, for the data holder only";

TEST(Check, NamesLineColumnAndValue) {
  const Release command;
  command.files.write("data.csv",
                      "id,sex,age,note,smoker,weight\n"
                      "ann,f,20,a,true,55.5\n"
                      "bob,q,300,,maybe,\n"
                      "eve,m,3,b,true\n"
                      ",\xff,20,b,true,50\n"
                      "ann,\"f,20,a,true,50\n");
  command.files.write(
      "open.yaml",
      "columns:\n  sex: {type: categorical, values: [f, m, x], null: category}\n"
      "  age: {type: integer, min: 0, max: 99, bins: 5, null: 0}\n"
      "  smoker: {type: boolean, null: \"false\"}\n"
      "  weight: {type: number, min: 40, max: 130, bins: 3, outside: 80, null: 80}\n");
  const Arguments words = {"check",  "--data", "data.csv", "--domain", "open.yaml",
                           "--unit", "id",     "--units",  "units.csv"};
  const Ended ended = command.run(words);
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(lines_of(ended.err).size(), 1U) << "of what the domain leaves open\n" << ended.err;
  const std::vector<std::string> lines = lines_of(ended.out);
  EXPECT_EQ(lines.front(), kNotice);
  for (const char* finding :
       {"data.csv:3: sex must be one of 3 declared values or null, but is \"q\" → null (default)",
        "data.csv:3: age must be an integer from 0 to 99 or null, but is \"300\" → from 80 to 99 "
        "(default)",
        "data.csv:3: smoker must be false or true or null, but is \"maybe\" → false (default)",
        "data.csv:4: must have 6 fields like the header, not 5",
        "data.csv:4: id must be a unit of the roster, but is \"eve\"",
        "data.csv:5: must be UTF-8 text: if its encoding is Latin-1, `iconv -f LATIN1 -t UTF-8 "
        "FILE` converts it",
        "data.csv:5: id must name a unit, but is \"\"",
        "data.csv:6: must have closed quotes, but a field holds a line break or lacks its closing "
        "quote: a record is one line, so take line breaks out of fields, or give a data frame or a "
        "Parquet file, in Python"}) {
    EXPECT_NE(std::find(lines.begin(), lines.end(), finding), lines.end()) << finding << '\n'
                                                                           << ended.out;
  }
  const Json json = Json::parse(command.run(words + Arguments{"--json"}).out);
  EXPECT_EQ(json["notice"], kNotice);
  EXPECT_EQ(json["records"], 5);
  EXPECT_EQ(json["records_with_findings"], 4);
  EXPECT_EQ(json["listed"].size(), json["findings"]);
  EXPECT_EQ(json["listed"][0]["line"], 3);
  EXPECT_EQ(json["listed"][0]["column"], "sex");
  EXPECT_EQ(json["listed"][0]["value"], "q");
  const Json few = Json::parse(command.run(words + Arguments{"--json", "--most", "2"}).out);
  EXPECT_EQ(few["listed"].size(), 2U);
  EXPECT_EQ(few["findings"], json["findings"]);
}

TEST(Check, ReadsDomainsOfAnySize) {
  const Release command;
  command.files.write("domain.yaml", kManyNumbers);
  const Ended ended = command.run({"check", "--data", "data.csv", "--domain", "domain.yaml"});
  EXPECT_EQ(ended.status, 1);
  const std::vector<std::string> lines = lines_of(ended.out);
  EXPECT_EQ(lines[1], "sex: 1 null stays null");
  EXPECT_EQ(lines[2], "note: 5 values become -1 (default)") << "sums come before examples";
  EXPECT_EQ(lines[3],
            "data.csv:2: note must be a number from -1 to 1 or null, but is \"a\" → -1 (default)");
  EXPECT_EQ(lines.back(), "5 records, 5 of them with something to mend, 5 findings");
}

TEST(Check, FindsNothingInACleanTable) {
  const Release command;
  const Ended ended = command.run({"check", "--data", "data.csv", "--domain", "domain.yaml"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_EQ(lines_of(ended.out).back(), "5 records, 0 of them with something to mend, 0 findings");
}

// Columns come in the domain's order, v2 before v10, and nulls that stay null are counted, too.
TEST(Check, CountsValuesAndNullsInTheOrderOfTheDomain) {
  const Release command;
  std::string domain = "columns:\n", header, record, nulls;
  for (const char* const name : {"v2", "v10", "v1"}) {
    domain += std::string("  ") + name + ": {type: integer, min: 0, max: 9}\n";
    header += (header.empty() ? "" : ",") + std::string(name);
    record += record.empty() ? "20" : ",20";
    nulls += nulls.empty() ? "" : ",";
  }
  command.files.write("order.yaml", domain);
  command.files.write("order.csv", header + "\n" + record + "\n" + nulls + "\n" + nulls + "\n");
  const Arguments check = {"check", "--data", "order.csv", "--domain", "order.yaml"};
  const Ended ended = command.run(check);
  const std::vector<std::string> lines = lines_of(ended.out);
  ASSERT_GT(lines.size(), 7U) << ended.out;
  EXPECT_EQ(lines[1], "v2: 1 value becomes 9 (default)");
  EXPECT_EQ(lines[2], "v2: 2 nulls stay null");
  EXPECT_EQ(lines[3], "v10: 1 value becomes 9 (default)");
  EXPECT_EQ(lines[5], "v1: 1 value becomes 9 (default)");
  const Json facts = Json::parse(command.run(check + Arguments{"--json"}).out);
  EXPECT_EQ(facts["mapped"].size(), 3U);
  EXPECT_EQ(facts["nulls"][1], Json({{"column", "v10"}, {"nulls", 2}}));
}

// A release does not look at other columns, whatever bytes they hold.
TEST(Check, FindsNothingInColumnsThatTheDomainLacks) {
  const Release command;
  command.files.write("open.yaml", "columns:\n  v: {type: integer, min: 0, max: 9}\n");
  command.files.write("open.csv", "v,raw\n1,\xff\xfe\n2,\x80\n");
  const Ended ended = command.run({"check", "--data", "open.csv", "--domain", "open.yaml"});
  EXPECT_EQ(ended.status, 0) << ended.out;
}

// Three schools with hundreds of rows each are groups; hundreds of pupils are units.
TEST(Check, TakesFewValuesForNoUnits) {
  const Release command;
  command.files.write("open.yaml", "columns:\n  v: {type: integer, min: 0, max: 9}\n");
  std::string csv = "v,school,pupil\n";
  for (int row = 0; row < 600; ++row) csv += fmt::format("1,{},{}\n", row % 3, row % 150);
  command.files.write("open.csv", csv);
  const Ended ended = command.run({"check", "--data", "open.csv", "--domain", "open.yaml"});
  EXPECT_THAT(ended.out, HasSubstr("column pupil has 150 different values in 600 rows"));
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("column school")));
}

TEST(Check, WarnsOfAReferenceThatIsNearlyTheData) {
  const Release command;
  const auto told = [&](const std::string& header, const std::string& domain) {
    std::string csv = header, near;
    for (int i = 0; i < 40; ++i) {
      near = csv;
      csv += i % 2 == 0 ? "f,0" : "m,1";
      csv += header == "sex,a\n" ? "\n" : "," + std::to_string(i) + ".5\n";
    }
    command.files.write("secret.csv", csv);
    command.files.write("near.csv", near);
    command.files.write("of_two.yaml", domain);
    return command
        .run(
            {"check", "--data", "secret.csv", "--domain", "of_two.yaml", "--reference", "near.csv"})
        .out;
  };
  const std::string words =
      "columns: {sex: {type: categorical, values: [f, m], null: f}, a: {type: integer, min: 0, "
      "max: 1, null: 0}";
  const std::string number = ", x: {type: number, min: 0, max: 100";
  const std::string warning = "near.csv was made from the data, and then it is not public";
  // Four records are possible, and so two tables of 40 share most.
  const std::string few = told("sex,a\n", words + "}");
  EXPECT_THAT(few, HasSubstr("there are 4 possible records only, so that two tables share most"));
  EXPECT_THAT(few, Not(HasSubstr("WARNING")));
  // A column that is not the domain's, a grid that cannot be enumerated, and bins of many values.
  for (const std::string& domain :
       {words + "}", words + number + "}}", words + number + ", bins: 2}}"}) {
    const std::string out = told("sex,a,x\n", domain);
    EXPECT_THAT(out, HasSubstr("near.csv: 39 of its 39 records are in the data too")) << domain;
    EXPECT_THAT(out, HasSubstr("WARNING: unless records have few possible values, " + warning))
        << domain;
    EXPECT_THAT(out, Not(HasSubstr("possible records only"))) << domain;
  }
}

TEST(Check, TellsWhatFollowsTheLastLineFeed) {
  const Release command;
  command.files.write("one.yaml", "columns: {sex: {type: categorical, values: [f, m], null: f}}");
  command.files.write("data.csv", "sex\nf");
  const Ended ended = command.run({"check", "--data", "data.csv", "--domain", "one.yaml"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("0 records, 0 of them with something to mend, 1 finding\n"));
}

// Values that a domain cannot read are mostly days in the format of another program.
TEST(Check, ProposesTheFormatOfUnreadDays) {
  const Release command;
  command.files.write("times.yaml",
                      "columns:\n"
                      "  born: {type: date, min: 2000-01-01, max: 2026-12-31, bins: month}\n"
                      "  seen: {type: date, min: 2000-01-01, max: 2026-12-31, bins: month}\n"
                      "  left: {type: date, min: 2000-01-01, max: 2026-12-31, bins: month}\n"
                      "  note: {type: categorical, values: [a]}\n");
  command.files.write("times.csv",
                      "born,seen,left,note\n"
                      "31.12.2021,02/03/2021,31.12.2021,31.12.2021\n"
                      "11.12.2021,2021-05-06,soon,31.12.2021\n"
                      "01.01.1901,04/03/2021,1.1.2020,\n");
  const Ended ended = command.run({"check", "--data", "times.csv", "--domain", "times.yaml"});
  EXPECT_NE(ended.out.find("note: column born has 3 values that its domain cannot read, and all "
                           "have the format \"%d.%m.%Y\": declare format: \"%d.%m.%Y\"\n"),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("note: column seen has 2 values that its domain cannot read, and all "
                           "have the format \"%d/%m/%Y\" or \"%m/%d/%Y\": declare format: "
                           "\"%d/%m/%Y\", or the other: nothing shows whether the day or the "
                           "month comes first\n"),
            std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.out.find("column left"), std::string::npos) << "not all are days";
  EXPECT_EQ(ended.out.find("column note"), std::string::npos) << "words";
}

TEST(Check, PrintsNoControlCharactersOfTheData) {
  const Release command;
  command.files.write("data.csv", "sex,age,smoker,weight\n\x1b[2J\x07,1,true,50\n");
  const Ended ended = command.run({"check", "--data", "data.csv", "--domain", "domain.yaml"});
  EXPECT_NE(ended.out.find("but is \"\\x1b[2J\\x07\""), std::string::npos) << ended.out;
}

TEST(Check, PrintsTheBeginningOfALongValue) {
  const Release command;
  std::string letters;
  for (int i = 0; i < 60; ++i) letters += "é";
  command.files.write("data.csv", "sex,age,smoker,weight\nx" + std::string(1 << 19, 'y') +
                                      ",1,true,50\nx" + letters + ",1,true,50\n");
  const Ended ended = command.run({"check", "--data", "data.csv", "--domain", "domain.yaml"});
  EXPECT_NE(ended.out.find("but is \"x" + std::string(99, 'y') + "... (524289 bytes)\""),
            std::string::npos);
  EXPECT_NE(ended.out.find("é... (121 bytes)\""), std::string::npos) << "no letter is cut";
  EXPECT_LT(ended.out.size(), 2000U);
}

TEST(Plan, BoundsRegionsBeforeAnyData) {
  const Release command;
  const Json plan =
      Json::parse(command
                      .run({"plan", "--json", "@local", "--domain", "domain.yaml", "--epsilon", "2",
                            "--count", "2", "--region", "sex=f,m", "--region", "smoker=true"})
                      .out);
  EXPECT_EQ(plan["k"], 120);
  EXPECT_EQ(plan["epsilon_per_draw"], 1);
  EXPECT_NEAR(plan["region"]["reference_mass"], 0.25, 1e-12);
  EXPECT_LE(plan["region"]["at_most"], 0.25 * plan["largest_lift"].get<double>());
  EXPECT_LE(plan["region"]["at_least"], 0.25);
  EXPECT_EQ(plan["table"].size(), 4U);
  EXPECT_EQ(plan["table"][1]["change"], "epsilon doubled");
  EXPECT_LT(plan["table"][1]["tv"], plan["table"][0]["tv"]);
  const Ended ended = command.run({"plan", "local", "--k", "10", "--epsilon", "1"});
  EXPECT_EQ(ended.status, 0);
  const std::string words = unwrapped(ended.out);
  EXPECT_NE(words.find("promised: Changing the data in any way changes the probability of any "
                       "output, and of any later decision, by at most a factor e^1 = 2.718.\n"),
            std::string::npos)
      << words;
  EXPECT_NE(
      words.find(
          "not promised: who is in the data, unless a public roster lists all units; timing\n"),
      std::string::npos);
  const Ended whole = command.run({"plan", "integral", "--k", "10", "--epsilon", "1"});
  EXPECT_NE(whole.out.find("not promised: timing\n"), std::string::npos) << whole.out;
  EXPECT_TRUE(whole.out.starts_with("the worst-case total variation alpha: 0.768031, "));
  const Ended shared = command.run({"plan", "gaussian-model", "--dimension", "3", "--n", "5000",
                                    "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_TRUE(shared.out.starts_with("the total variation alpha by noise alone: 0.")) << shared.out;
}

TEST(DraftedDomain, HasTimesAndSaysWhyAColumnIsLeftOut) {
  const Release command;
  command.files.write("public.csv", "t\n2024-01-01T10:30:00\n2025-01-05T10:30:00\n");
  const Ended drafted = command.run({"domain", "--public", "public.csv"});
  EXPECT_EQ(drafted.status, 0) << drafted.err;
  EXPECT_THAT(drafted.out, HasSubstr("    type: datetime\n    min: \"2024-01-01T10:30:00\"\n"
                                     "    max: \"2025-01-05T10:30:00\"\n    bins: month\n"));
  command.files.write("public.csv", "t\nNA\n");
  const Ended refused = command.run({"domain", "--public", "public.csv"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: public.csv must have a column to draft a domain from, but none is left: "
            "\"t\": it holds nulls only\n");
}

TEST(Plan, CountsOneInWords) {
  const Release command;
  EXPECT_THAT(command.run({"plan", "local", "--k", "1", "--epsilon", "1"}).out,
              HasSubstr("minimax over 1 outcome, epsilon 1"));
}

TEST(Plan, RefusesRegionsThatAreNone) {
  const Release command;
  for (const char* region : {"sex", "colour=red", "sex=q", "age=300", "sex=", "=f", "0.5"}) {
    const Ended ended = command.run(
        {"plan", "local", "--domain", "domain.yaml", "--epsilon", "1", "--region", region});
    // A null category is a value of its own, written as an empty field.
    EXPECT_EQ(ended.status, region == std::string("sex=") ? 0 : 2) << region << ended.err;
  }
  for (const char* region : {"-0.1", "1.1", "nan", "sex=f"}) {
    EXPECT_EQ(
        command.run({"plan", "local", "--k", "3", "--epsilon", "1", "--region", region}).status, 2)
        << region;
  }
}

TEST(Draft, IsADomainThatReleases) {
  const Release command;
  const Ended drafted = command.run({"domain", "--public", "data.csv", "--columns",
                                     "sex,age,smoker,weight", "--out", "draft.yaml"});
  ASSERT_EQ(drafted.status, 0) << drafted.err;
  EXPECT_EQ(drafted.out, "");
  const Ended checked = command.run({"check", "--data", "data.csv", "--domain", "draft.yaml"});
  EXPECT_EQ(checked.status, 0) << checked.out;
  const Ended released =
      command.run({"sample", "integral", "--data", "data.csv", "--domain", "draft.yaml",
                   "--epsilon", "1", "--count", "3", "--accept-error"});
  EXPECT_EQ(released.status, 0) << released.err;
  EXPECT_EQ(lines_of(released.out).size(), 4U);
  const Json json = Json::parse(
      command.run({"domain", "--public", "data.csv", "--columns", "sex", "--json"}).out);
  EXPECT_EQ(json["k"], 4);
  EXPECT_TRUE(json["yaml"].get<std::string>().starts_with("# Drafted from data.csv"));
}

TEST(Draft, OfManyNumbersKeepsTheirBins) {
  const Release command;
  std::string header = "x0";
  std::string low = "0.5";
  for (int i = 1; i < 8; ++i) {
    header += ",x" + std::to_string(i);
    low += ",0.5";
  }
  std::string high = low;
  std::replace(high.begin(), high.end(), '0', '7');
  command.files.write("public.csv", header + "\n" + low + "\n" + high + "\n");
  const Ended ended = command.run(
      {"domain", "--public", "public.csv", "--out", "domain.yaml", "--overwrite", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["k"], 214'358'881) << "of ten cells and null each";
  command.files.write("data.csv", header + "\n1,2,3,4,5,6,7,7\n");
  const Ended released = command.run(
      kSample + kIntegral + Arguments{"--epsilon", "1", "--count", "3", "--candidates", "100"});
  EXPECT_EQ(released.status, 0) << released.err;
  EXPECT_EQ(lines_of(released.out).size(), 4U);
  const Ended table =
      command.run({"sample", "marginals", "--data", "data.csv", "--domain", "domain.yaml",
                   "--epsilon", "1", "--count", "3", "--accept-error"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(lines_of(table.out).size(), 4U);
}

TEST(Compare, SaysThatItIsNotPrivate) {
  const Release command;
  const Arguments words = {"compare",  "local",       "--data",    "data.csv",
                           "--domain", "domain.yaml", "--epsilon", "8"};
  for (const Arguments& unit : {Arguments{}, Arguments{"--unit", "id"},
                                Arguments{"--unit", "id", "--units", "units.csv"}}) {
    const Ended ended = command.run(words + unit);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(lines_of(ended.out).front(), kNotice);
    const Json json = Json::parse(command.run(words + unit + Arguments{"--json"}).out);
    EXPECT_EQ(json["notice"], kNotice);
    EXPECT_LT(json["mean_unit_tv"]["law"], json["mean_unit_tv"]["reference"]);
    double sum = 0;
    for (const Json& row : json["outcomes"]) sum += row["law"].get<double>();
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Compare, TakesEveryMechanism) {
  const Release command;
  for (const Arguments& mechanism : kMechanisms) {
    const Ended ended = command.run(
        Arguments{"compare", "integral", "--data", "data.csv", "--domain", "domain.yaml"} +
        mechanism);
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
}

TEST(Compare, TakesABandLikeAMechanism) {
  const Release command;
  for (const char* band : {"relative", "minimax", "location=0.5"}) {
    for (const Arguments& words :
         {Arguments{"compare", "integral", "--data", "data.csv"}, Arguments{"plan", "local"}}) {
      const Ended ended = command.run(
          words + Arguments{"--domain", "domain.yaml", "--epsilon", "2", "--band", band});
      EXPECT_EQ(ended.status, 0) << ended.err;
    }
  }
}

TEST(Help, OfEveryCommandFitsAndNamesItsOptions) {
  const CommandLine command;
  const Ended all = command.run({"--help"});
  EXPECT_EQ(all.status, 0);
  for (const char* name : {"sample", "verify", "plan", "amplify", "risk", "law", "compare", "check",
                           "domain", "candidates", "tune"}) {
    EXPECT_NE(all.out.find(std::string("\n  ") + name + " "), std::string::npos) << all.out;
    const Ended help = command.run({name, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("--json"), std::string::npos) << name;
    EXPECT_NE(help.out.find(std::string("mollify ") + name), std::string::npos) << help.out;
  }
  const std::string local = command.run({"sample", "local", "--help"}).out;
  for (const char* option :
       {"--data",      "--domain",          "--epsilon", "--count", "--unit",  "--units",
        "--mechanism", "--reference",       "--c1",      "--c2",    "--gamma", "--mu",
        "--out",       "--certificate",     "--band",    "--space", "--cells", "--candidates",
        "--fresh",     "--candidates-file", "--score"}) {
    EXPECT_NE(local.find(std::string(" ") + option), std::string::npos) << option;
  }
  for (const char* option : {"--trees", "--delta", "--neighbours", "--covariance", "--spec"}) {
    EXPECT_EQ(local.find(std::string(" ") + option + " "), std::string::npos) << option;
  }
}

}  // namespace
}  // namespace mollify::test
