// What --help and a release print fits a terminal of 80 columns.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void expect_fits(const std::string& text, std::size_t most_lines, const std::string& what) {
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_LE(lines.size(), most_lines) << what << "\n" << text;
  for (const std::string& line : lines) EXPECT_LE(columns_of(line), 80U) << what << "\n" << line;
}

constexpr const char* kCommands[] = {
    "sample",  "generate", "verify", "ledger", "advise", "plan",       "amplify",   "risk", "law",
    "compare", "estimate", "answer", "check",  "domain", "candidates", "reference", "tune"};

TEST(Help, FitsFortyLinesOfEightyColumns) {
  const CommandLine command;
  const std::string whole = command.run({"--help"}).shown_out;
  expect_fits(whole, 40, "mollify");
  for (const char* name : kCommands) {
    EXPECT_THAT(whole, HasSubstr(std::string("\n  ") + name + " "));
    const Ended help = command.run({name, "--help"});
    EXPECT_EQ(help.status, 0) << help.err;
    expect_fits(help.shown_out, 40, name);
    EXPECT_THAT(help.out, HasSubstr(std::string("\nUsage: mollify ") + name)) << name;
    EXPECT_THAT(help.out, HasSubstr(std::string("mollify --manual ") + name)) << name;
  }
  for (const char* name : {"sample", "plan", "compare"}) {
    for (const std::string& method : name_list<Method>()) {
      const std::string help = command.run({name, method, "--help"}).shown_out;
      expect_fits(help, 40, std::string(name) + " " + method);
      EXPECT_THAT(help,
                  HasSubstr(std::string("\nUsage: mollify ") + name + " " + method + " [FLAGS]\n"));
    }
  }
}

// What help leaves out is in the manual.
TEST(Help, NamesEveryFlagThatTheMethodHas) {
  const CommandLine command;
  const std::string help = command.run({"sample", "local", "--help"}).shown_out;
  const std::string manual = command.run({"--manual", "sample"}).out;
  for (const char* flag : {"--epsilon", "--mu", "--c1", "--gamma", "--counts-column", "--no-total",
                           "--candidates-file", "--explain"}) {
    EXPECT_THAT(help, HasSubstr(flag));
    std::string roff;
    for (const char letter : std::string(flag))
      roff += letter == '-' ? "\\-" : std::string(1, letter);
    EXPECT_THAT(manual, HasSubstr(roff));
  }
  EXPECT_THAT(help, Not(HasSubstr("--neighbours")));
  EXPECT_THAT(help, Not(HasSubstr("From 0.001 to 20 for each draw")));
  EXPECT_THAT(manual, HasSubstr("From 0.001 to 20 for each draw"));
}

TEST(Help, SaysWhatCountIsByDefault) {
  const Release command;
  const Ended help = command.run({"--manual", "sample"});
  EXPECT_THAT(help.out,
              HasSubstr("By default one in methods local, integral and integral\\-model"));
  for (const char* method : {"local", "integral", "integral-model"}) {
    const Ended ended =
        command.run({"sample", method, "--data", "data.csv", "--domain", "domain.yaml", "--epsilon",
                     "1", "--accept-error", "--print-spec"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(Json::parse(ended.out)["count"], 1) << method;
  }
}

/// A release by each method, with warnings.
std::vector<Arguments> releases() {
  const Arguments numbers = {"--domain", "numbers.yaml", "--count", "2"};
  const Arguments cells = {"--domain", "domain.yaml"};
  return {{Arguments{"local", "--unit", "id", "--units", "units.csv", "--epsilon", "1"} + cells},
          {Arguments{"local", "--epsilon", "12", "--mechanism", "randomized-response"} + cells},
          {Arguments{"integral", "--epsilon", "20", "--count", "2"} + cells},
          {Arguments{"integral-model", "--epsilon", "1", "--count", "3"} + cells},
          {Arguments{"central", "--epsilon", "1", "--delta", "0.01", "--count", "2"} + cells},
          {Arguments{"central", "--unit", "id", "--epsilon", "15", "--count", "2"} + cells},
          {Arguments{"gaussian", "--rho", "0.5", "--covariance-bound", "2"} + numbers},
          {Arguments{"gaussian-model", "--epsilon", "1", "--delta", "0.001"} + numbers},
          {Arguments{"marginals", "--epsilon", "1", "--delta", "0.001", "--count", "4"} + cells},
          {Arguments{"marginals", "--rho", "0.1", "--neighbours", "add-remove", "--count", "4"} +
           cells}};
}

TEST(Help, NotesOfAReleaseFitSixLines) {
  const Release command;
  command.files.write("numbers.yaml",
                      "columns:\n  age: {type: number, min: 0, max: 99, null: 0}\n"
                      "  weight: {type: number, min: 40, max: 130, null: 40}\n");
  std::string rows = "age,weight\n";
  for (int i = 0; i < 200; ++i)
    rows += std::to_string(i % 90) + "," + std::to_string(50 + i % 60) + "\n";
  command.files.write("numbers.csv", rows);
  std::set<std::string> seen;
  for (const Arguments& release : releases()) {
    const Arguments sample =
        Arguments{"sample"} + release +
        Arguments{
            "--data",         release.front().starts_with("gaussian") ? "numbers.csv" : "data.csv",
            "--accept-error", "--out",
            "o.csv",          "--overwrite"};
    const Ended ended = command.run(sample);
    ASSERT_EQ(ended.status, 0) << release.front() << ended.err;
    expect_fits(ended.shown_err, 6, release.front());
    EXPECT_THAT(ended.err, HasSubstr("--explain"));
    seen.insert(release.front());
    const Ended charged =
        command.run(sample + Arguments{"--ledger", "l.db", "--data-set", "people", "--no-total"});
    ASSERT_EQ(charged.status, 0) << release.front() << charged.err;
    expect_fits(charged.shown_err, 6, release.front());
    EXPECT_THAT(charged.err, HasSubstr("\ncharged: "));
    const std::string whole = command.run(sample + Arguments{"--explain"}).err;
    for (const char* part :
         {"\npromised: ", "\nnot promised: ", "\ncertificate: o.csv", "\nnext: "}) {
      EXPECT_THAT(whole, HasSubstr(part)) << release.front();
    }
  }
  EXPECT_EQ(seen.size(), name_list<Method>().size());
}

// Commands that are printed to be run go on after a backslash.
TEST(Help, AdviceAndPlansFitEightyColumns) {
  const Release command;
  command.files.write("numbers.yaml",
                      "columns:\n  age: {type: number, min: 0, max: 99, null: 0}\n"
                      "  weight: {type: number, min: 40, max: 130, null: 40}\n");
  const Arguments domain = {"--domain", "domain.yaml"};
  const Arguments table = {"--n", "5000", "--epsilon", "0.3"};
  const Arguments delta = {"--delta", "1e-6"};
  const Arguments numbers = {"--domain", "numbers.yaml"};
  const std::vector<Arguments> questions = {
      Arguments{"advise", "--purpose", "records", "--protect", "person", "--unit", "id"} + domain,
      Arguments{"advise", "--purpose", "estimates", "--protect", "person"} + domain + table,
      Arguments{"advise", "--purpose", "table", "--protect", "row"} + domain + table,
      Arguments{"advise", "--purpose", "table", "--protect", "row", "--n", "40"} + domain,
      Arguments{"advise", "--purpose", "records", "--protect", "table", "--n", "9"} + domain,
      Arguments{"plan", "local", "--epsilon", "0.5,1,2"} + domain,
      Arguments{"plan", "local", "--epsilon", "1", "--mechanism", "all"} + domain,
      Arguments{"plan", "integral", "--alpha", "0.3", "--k", "16", "--mechanism", "all"},
      Arguments{"plan", "integral-model", "--epsilon", "1"} + domain,
      Arguments{"plan", "central", "--count", "10"} + domain + table + delta,
      Arguments{"plan", "central", "--count", "10", "--mechanism", "all"} + domain + table + delta,
      Arguments{"plan", "gaussian", "--count", "10"} + numbers + table + delta,
      Arguments{"plan", "gaussian-model"} + numbers + table + delta,
      Arguments{"plan", "marginals"} + domain + table + delta};
  for (const Arguments& question : questions) {
    const Ended ended = command.run(question);
    EXPECT_NE(ended.status, 2) << ended.err;
    expect_fits(ended.shown_out, 80, question[0] + " " + question[1] + " " + question[2]);
  }
}

TEST(Help, WhatCommandsPrintFitsEightyColumns) {
  const Release command;
  const Arguments in = {"--data", "data.csv", "--domain", "domain.yaml"};
  const Arguments central = {"central", "--epsilon", "1", "--delta", "0.001", "--count", "2"};
  const Ended explained =
      command.run(Arguments{"sample"} + central + in +
                  Arguments{"--accept-error", "--out", "o.csv", "--ledger", "l.db", "--data-set",
                            "people", "--no-total", "--explain"});
  ASSERT_EQ(explained.status, 0) << explained.err;
  expect_fits(explained.shown_err, 200, "sample --explain");
  for (const Arguments& words :
       {Arguments{"verify", "--certificate", "o.csv.certificate.json", "--domain", "domain.yaml"},
        Arguments{"compare", "--released", "o.csv"} + in, Arguments{"compare"} + central + in,
        Arguments{"compare", "local", "--epsilon", "1,2,4", "--mechanism", "all"} + in,
        Arguments{"compare", "marginals", "--epsilon", "1", "--delta", "0.001"} + in,
        Arguments{"check"} + in, Arguments{"ledger", "--ledger", "l.db"},
        Arguments{"plan", "local", "--domain", "domain.yaml", "--epsilon", "0.25,0.5,1,2,4"}}) {
    const Ended ended = command.run(words);
    EXPECT_NE(ended.status, 2) << words[0] << ended.err;
    expect_fits(ended.shown_out, 200, words[0] + " " + words[1]);
    expect_fits(ended.shown_err, 200, words[0] + " " + words[1]);
  }
}

// The beginning of a warning is never lost.
TEST(Help, NotesWarnOfEveryDanger) {
  const Release command;
  const Ended ended =
      command.run({"sample", "integral", "--data", "data.csv", "--domain", "domain.yaml",
                   "--epsilon", "12", "--accept-error", "--out", "o.csv"});
  EXPECT_THAT(ended.err, HasSubstr("\nWARNING: epsilon 12 "));
}

}  // namespace
}  // namespace mollify::test
