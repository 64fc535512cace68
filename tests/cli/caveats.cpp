// The command's sentences about values that become others, and about whose shares are released.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// 8 persons of 1 or 3 rows; in rating 3 empty fields and a 7, in dept a typing error.
class Answers : public CommandLine {
 public:
  Answers() {
    files.write("open.yaml",
                "columns:\n  dept: {type: categorical, values: [Sales, Legal]}\n"
                "  rating: {type: integer, min: 1, max: 5}\n");
    files.write("declared.yaml",
                "columns:\n  dept: {type: categorical, values: [Sales, Legal], outside: Legal}\n"
                "  rating: {type: integer, min: 1, max: 5, outside: clip, null: 3}\n");
    files.write("t.csv",
                "who,dept,rating\na,Legal,\na,Legal,\na,Legal,\nb,legal,7\nc,Sales,1\nd,Sales,2\n"
                "e,Legal,3\nf,Legal,4\ng,Legal,5\nh,Legal,5\n");
    files.write("roster.csv", "who\na\nb\nc\nd\ne\nf\ng\nh\ni\n");
  }

  [[nodiscard]] Ended on(const char* command, const char* domain, const Arguments& more) const {
    const Ended ended = run(Arguments{command, "--domain", domain} + more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended;
  }
};

const Arguments kAnswersWhole = {"@integral", "--epsilon", "1"};
const Arguments kAnswerTable = {"--data", "t.csv"};
const Arguments kAnswerRoster = {"--unit", "who", "--units", "roster.csv"};

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Caveats, AWorstCaseOverDeclaredDataSaysSo) {
  const Answers command;
  const std::string near = "if data are as declared";
  for (const Arguments& declared :
       {Arguments{}, Arguments{"--gamma", "2"}, Arguments{"--c1", "0.5", "--c2", "2"}}) {
    testing::Matcher<std::string> says = HasSubstr(near);
    if (declared.empty()) says = Not(says);
    const Arguments whole = kAnswersWhole + declared;
    EXPECT_THAT(command.on("plan", "declared.yaml", whole).out, says);
    const Arguments data = whole + kAnswerTable;
    // Lines are broken at 80 columns.
    std::string notes = command.on("sample", "declared.yaml", data + Arguments{"--count", "1"}).err;
    for (std::size_t at; (at = notes.find("\n  ")) != std::string::npos;) notes.replace(at, 3, " ");
    EXPECT_THAT(notes, says);
    EXPECT_THAT(command.on("compare", "declared.yaml", data).out, says);
  }
}

// A unit has few records, and over candidates its data lie on few of them.
TEST(Caveats, ReleasesFromManyCandidatesAreMostlyNoiseForSparseData) {
  const Answers command;
  command.files.write("wide.yaml",
                      "columns:\n  rating: {type: number, min: 1, max: 5, outside: clip, null: 3}\n"
                      "  other: {type: number, min: 0, max: 9, outside: clip, null: 3}\n");
  command.files.write("wide.csv", "who,rating,other\na,1,2\nb,3,8\nc,4,4\n");
  command.files.write("all.csv", "who\na\nb\nc\n");
  const std::string verdict =
      "the release is mostly noise if the data lie on few of 65536 outcomes";
  for (const Arguments& method :
       {Arguments{"@local", "--unit", "who", "--units", "all.csv"}, Arguments{"@integral"}}) {
    const Arguments sample =
        method + Arguments{"--data", "wide.csv", "--epsilon", "4", "--out", "o.csv", "--overwrite"};
    const Arguments candidates = {"--space", "candidates"};
    const std::string brief = command.on("sample", "wide.yaml", sample + candidates).err;
    std::string notes = brief;
    for (std::size_t at; (at = notes.find("\n  ")) != std::string::npos;) notes.replace(at, 3, " ");
    EXPECT_THAT(notes,
                testing::ContainsRegex("WARNING: " + verdict +
                                       "; [0-9]+ outcomes would do \\[noise-if-sparse\\]\n"));
    EXPECT_THAT(
        notes,
        HasSubstr("\ngreatest error of a record: 0.9999 in total variation, plus smoothing\n"));
    EXPECT_LE(occurrences(brief, "\n"), 6) << brief;
    const std::string whole = verdict + ": the expected error of a record is 0.9";
    EXPECT_THAT(command.on("sample", "wide.yaml", sample + candidates + Arguments{"--explain"}).err,
                HasSubstr(whole));
    const Arguments certificate = {"--certificate", "o.csv.certificate.json"};
    EXPECT_THAT(command.on("verify", "wide.yaml", certificate).out, HasSubstr(whole));
    EXPECT_THAT(
        command.on("sample", "wide.yaml", sample + Arguments{"--space", "grid", "--cells", "2"})
            .err,
        Not(HasSubstr("few of")));
  }
}

TEST(Caveats, VerifyWarnsOfADomainThatDoesNotDeclareAll) {
  const Answers command;
  const Ended sampled =
      command.on("sample", "open.yaml", kAnswersWhole + kAnswerTable + Arguments{"--out", "o.csv"});
  EXPECT_THAT(sampled.err,
              HasSubstr("WARNING: the domain declares no outside for column \"rating\""));
  const Arguments certificate = {"--certificate", "o.csv.certificate.json"};
  const std::string text = command.on("verify", "open.yaml", certificate).out;
  EXPECT_THAT(text, HasSubstr("WARNING: the domain declares no outside for column \"rating\""));
  const Json json =
      Json::parse(command.on("verify", "open.yaml", certificate + Arguments{"--json"}).out);
  EXPECT_THAT(json["warnings"].dump(), HasSubstr("a value beyond a bound becomes the nearest one"));
}

TEST(Caveats, VerifyPrintsWarningsWholeAndForNothing) {
  const Answers command;
  const std::string cut =
      command
          .on("sample", "declared.yaml",
              Arguments{"@marginals", "--epsilon", "2", "--delta", "1e-6", "--neighbours",
                        "add-remove", "--count", "10", "--out", "o.csv"} +
                  kAnswerTable)
          .err;
  EXPECT_THAT(cut, Not(HasSubstr("...")));
  const Arguments certificate = {"--certificate", "o.csv.certificate.json"};
  const std::string whole = command.on("verify", "declared.yaml", certificate).out;
  EXPECT_THAT(cut, HasSubstr(" more warning"));
  EXPECT_EQ(occurrences(whole, "WARNING: "), occurrences(cut, "WARNING: ") + 1);
  EXPECT_THAT(whole, HasSubstr("cannot be told apart from public noise if it has fewer than"));
  EXPECT_THAT(whole, Not(HasSubstr(" ...")));
}

// A column's name may hold any words of a warning: what is shown is chosen by code and severity.
TEST(Caveats, AColumnsNameDecidesNothing) {
  const Answers command;
  for (const char* name : {"the noise level", "my method local", "odds: a; b from c by d",
                           "a name that fills the line up to its end, or"}) {
    command.files.write("named.yaml", "columns:\n  \"" + std::string(name) +
                                          "\": {type: integer, min: 1, max: 2}\n");
    command.files.write("named.csv", "\"" + std::string(name) + "\"\n1\n2\n1\n");
    const Ended shown =
        command.on("sample", "named.yaml", {"@integral", "--epsilon", "12", "--data", "named.csv"});
    EXPECT_THAT(shown.err, HasSubstr("WARNING: epsilon 12 allows that the output multiplies the "
                                     "odds of a guess by up to 1.628e+05"))
        << name;
    EXPECT_LE(occurrences(shown.shown_err, "\n"), 6) << name;
    // However long the name is that a warning quotes, its code is there.
    EXPECT_EQ(occurrences(shown.shown_err, "WARNING: "), occurrences(shown.shown_err, "]\n"))
        << shown.shown_err;
    const Json json =
        Json::parse(command
                        .on("sample", "named.yaml",
                            {"@integral", "--epsilon", "12", "--data", "named.csv", "--json"})
                        .out);
    EXPECT_EQ(json["warnings"][0]["code"], "large-epsilon") << name;
    EXPECT_EQ(json["warnings"][1]["code"], "undeclared-values") << name;
    EXPECT_THAT(json["warnings"][1]["text"].get<std::string>(), HasSubstr(name));
  }
}

TEST(Caveats, AWarningNamesTheWordsToWriteOnce) {
  const Answers command;
  for (const auto& [name, more] :
       {std::pair{"sample", kAnswersWhole + kAnswerTable + Arguments{"--count", "1", "--explain"}},
        {"plan", kAnswersWhole},
        {"compare", kAnswersWhole + kAnswerTable},
        {"advise",
         Arguments{"--purpose", "sample", "--protect", "row", "--n", "9999", "--count", "10"}}}) {
    const std::string open = command.on(name, "open.yaml", more).err;
    EXPECT_EQ(occurrences(open, "the domain declares no outside for column \"rating\""), 1) << name;
    EXPECT_THAT(open, HasSubstr("write outside: clip if it may, or outside: null or VALUE"));
    EXPECT_THAT(command.on(name, "declared.yaml", more).err, Not(HasSubstr("the domain declares")));
  }
  EXPECT_EQ(occurrences(command.run({"check", "--domain", "open.yaml", "--data", "t.csv"}).err,
                        "WARNING"),
            1);
}

TEST(Caveats, CompareRepeatsAboveItsVerdictWhatBecameOfValues) {
  const Answers command;
  for (const Arguments& release :
       {kAnswersWhole, Arguments{"@local", "--unit", "who", "--epsilon", "1"},
        Arguments{"@central", "--epsilon", "1", "--delta", "1e-3", "--accept-error"},
        Arguments{"@marginals", "--epsilon", "1", "--accept-error"}}) {
    const std::string open = command.on("compare", "open.yaml", kAnswerTable + release).out;
    const std::size_t told = open.find(
        "In the data, before anything is compared:\n"
        "dept: 1 value becomes null (default)\n"
        "rating: 1 value becomes 5 (default)\n");
    ASSERT_NE(told, std::string::npos) << open;
    EXPECT_LT(told, open.rfind("but for ")) << open;
    EXPECT_THAT(command.on("compare", "declared.yaml", kAnswerTable + release).out,
                HasSubstr("dept: 1 value becomes Legal\n"
                          "rating: 3 nulls become 3 (declared)\n"
                          "rating: 1 value becomes 5 (declared)\n"));
    const Json json = Json::parse(
        command.on("compare", "open.yaml", kAnswerTable + release + Arguments{"--json"}).out);
    EXPECT_EQ(json["mapped"].size(), 2U);
    EXPECT_EQ(json["represents"].size(), 1U);
  }
}

TEST(Caveats, CompareAndCertificateSayWhoseSharesTheyAre) {
  const Answers command;
  const auto represented = [&](const Arguments& release) {
    const std::string told =
        command.on("compare", "declared.yaml", kAnswerTable + release + Arguments{"--accept-error"})
            .out;
    const Json certificate = Json::parse(
        command
            .on("sample", "declared.yaml",
                kAnswerTable + release + Arguments{"--count", "1", "--accept-error", "--json"})
            .out)["certificate"];
    std::string sentences;
    for (const Json& sentence : certificate["represents"]) {
      EXPECT_THAT(told, HasSubstr(sentence.get<std::string>()));
      sentences += sentence.get<std::string>() + "\n";
    }
    return sentences;
  };
  const Arguments central = {"@central", "--epsilon", "1", "--delta", "1e-3"};
  EXPECT_EQ(represented(central),
            "Shares among the released records are shares of rows: each row counts once, so "
            "that a person with many rows counts many times.\n");
  const std::string units =
      "Shares among the released records are shares of units, not of rows: each who counts "
      "once, however many rows it has.\n";
  EXPECT_EQ(represented(central + Arguments{"--unit", "who"}), units);
  EXPECT_EQ(represented(central + kAnswerRoster),
            units +
                "Each who of the roster without rows counts too, as a uniform record. If half of "
                "the roster has no rows, the release lies halfway between the data and uniform "
                "shares.\n");
}

TEST(Caveats, DeclaredValuesArePrintedAsTheDomainWritesThem) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  income: {type: number, min: 0, max: 1e5, bins: 10, null: 0, "
                      "outside: 25000}\n");
  command.files.write("t.csv", "income,n\n-1,2.0\n2e5,\"1,000\"\n,02\nNA,x\n7,1\n");
  const Arguments asked = {"--data", "t.csv", "--domain", "d.yaml"};
  const std::string lines =
      "income: 2 nulls become 0 (declared)\nincome: 2 values become 25000 (declared)\n";
  const Ended check = command.run(Arguments{"check", "--counts-column", "n"} + asked);
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.out,
              HasSubstr(lines + "n: 1 value becomes 0\n" +
                        "t.csv:5: n must be a whole number from 0 to 1099511627776, but is \"x\" → "
                        "0\n"));
  EXPECT_THAT(command.run(Arguments{"compare", "integral", "--epsilon", "1"} + asked).out,
              HasSubstr(lines));
}

TEST(Caveats, LogarithmsNeedADomainThatSaysWhatAZeroIs) {
  const Answers command;
  command.files.write("dose.csv", "dose\n0\n5\n20\n");
  for (const std::string outside : {"", ", outside: clip"}) {
    command.files.write("d.yaml", "columns:\n  dose: {type: number, min: 0.01, max: 1000, null: 5" +
                                      outside + "}\n");
    const Ended ended =
        command.run({"sample", "gaussian-model", "--log", "dose", "--domain", "d.yaml", "--data",
                     "dose.csv", "--epsilon", "1", "--count", "1"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(
        ended.err,
        "mollify: column \"dose\" must declare what a zero becomes to have logarithms: as min, "
        "0.01, zeros widen the spread of all others. Write outside: VALUE, a usual value of "
        "the column, into the domain\n");
  }
  const auto with = [&](const std::string& declared) {
    command.files.write("d.yaml",
                        "columns:\n  dose: {type: number, min: 0.01, max: 1000" + declared + "}\n");
    return command.run({"sample", "gaussian-model", "--log", "dose", "--domain", "d.yaml", "--data",
                        "dose.csv", "--epsilon", "1", "--count", "1", "--accept-error"});
  };
  EXPECT_THAT(with(", outside: 0.01, null: 5").err,
              HasSubstr("zeros to have logarithms, but outside: 0.01"));
  EXPECT_THAT(with(", outside: 5, null: 0.01").err,
              HasSubstr("nulls to have logarithms, but null: 0.01 is its min"));
}

// More integers than a column can have cells are cut into ranges, which is said.
TEST(Caveats, TellOfIntegersThatAreCutIntoCells) {
  const CommandLine command;
  command.files.write("data.csv", "id\n5\n100000000\n");
  const auto said = [&](const char* column) {
    command.files.write("domain.yaml", std::string("columns:\n  id: {type: integer, ") + column);
    const Ended ended = command.run(
        kSample + kIntegral +
        Arguments{"--space", "grid", "--cells", "16", "--epsilon", "8", "--count", "1"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.err;
  };
  EXPECT_NE(
      said("min: 0, max: 100000000, null: 0}\n")
          .find("column \"id\" has 100000001 integers, which are cut into 8388608 cells of 12 "
                "or so"),
      std::string::npos);
  EXPECT_EQ(said("min: 0, max: 100000000, bins: 1000, null: 0}\n").find("are cut into"),
            std::string::npos);
  EXPECT_EQ(said("min: 0, max: 1000, null: 0}\n").find("are cut into"), std::string::npos);
  (void)said("min: 0, max: 100000000, null: 0}\n");
  const Arguments domain = {"--domain", "domain.yaml"};
  for (const Arguments& other :
       {Arguments{"check", "--data", "data.csv"},
        Arguments{"plan", "central", "--epsilon", "1", "--n", "50", "--count", "1"}}) {
    EXPECT_THAT(command.run(other + domain).err, HasSubstr("which are cut into 8388608 cells"));
  }
}

}  // namespace
}  // namespace mollify::test
