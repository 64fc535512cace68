// Messages for people who mistype, or whose file is another one than they think.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Words, SayWhatMayHaveBeenMeant) {
  const Release command;
  command.files.write("p.json", "[0.5, 0.5]");
  const Arguments in = {"--data", "data.csv", "--domain", "domain.yaml"};
  const Arguments local = Arguments{"sample"} + in + kLocal + kOneDraw;
  const Arguments central = Arguments{"sample", "central"} + in + kOneDraw;
  for (const auto& [words, meant] : std::vector<std::pair<Arguments, std::string>>{
           {{"smple"}, "sample"},
           {{"--manual", "smple"}, "sample"},
           {{"--completion", "bsh"}, "bash"},
           {local + Arguments{"--oot", "x"}, "--out"},
           {Arguments{"sample", "locl"} + in + kOneDraw, "local"},
           {local + Arguments{"--mechanism", "minmax"}, "minimax"},
           {local + Arguments{"--score", "kernl"}, "kernel"},
           {local + Arguments{"--space", "candidate"}, "candidates"},
           {local + Arguments{"--band", "locatoin=0.5"}, "location"},
           {central + Arguments{"--mechanism", "subset_rr"}, "subset-rr"},
           {central + Arguments{"--support", "heavyy"}, "heavy"},
           {{"plan", "gausian", "--n", "3"}, "gaussian"},
           {central + Arguments{"@marginals", "--neighbours", "add-remve"}, "add-remove"},
           {{"plan", "local", "--k", "5", "--epsilon", "1", "--mechanism", "relativ"}, "relative"},
           {{"plan", "local", "--domain", "domain.yaml", "--epsilon", "1", "--region",
             "smokr=true"},
            "smoker"},
           {{"risk", "--k", "5", "--epsilon", "1", "--mechanism", "mixtur"}, "mixture"},
           {{"law", "--p", "p.json", "--epsilon", "1", "--mechanism", "mixtur"}, "mixture"},
           {{"advise", "--purpose", "record", "--protect", "row"}, "records"},
           {{"advise", "--purpose", "records", "--protect", "persn"}, "person"},
           {Arguments{"check", "--data", "data.csv", "--domain", "domain.yaml", "--unit", "idd"},
            "id"},
           {{"ledger", "--ledger", "l", "--declare", "--data", "data.csv", "--epsilon", "1",
             "--scope", "rwo"},
            "row"},
           {Arguments{"tune", "--public-units", "data.csv", "--unit", "id", "--domain",
                      "domain.yaml", "--epsilon", "1", "--divergence", "hellinger"},
            "hellinger2"}}) {
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(" (did you mean \"" + meant + "\"?)"));
  }
  EXPECT_THAT(command.run({"colour"}).err, Not(HasSubstr("did you mean")));
}

TEST(Words, SayWhatMayHaveBeenMeantInFiles) {
  const CommandLine command;
  command.files.write("t.csv", "sex,day\nfemal,2026-01-03\n");
  const auto checked = [&](const std::string& sex, const std::string& day) {
    command.files.write("d.yaml", "columns:\n  sex: {" + sex + "}\n  day: {" + day + "}\n");
    const Ended ended = command.run({"check", "--data", "t.csv", "--domain", "d.yaml"});
    return ended.out + ended.err;
  };
  const std::string sex = "type: categorical, values: [female, male]";
  const std::string day = "type: date, min: 2026-01-01, max: 2026-12-31";
  const auto meant = [](const std::string& word) {
    return HasSubstr("(did you mean \"" + word + "\"?)");
  };
  EXPECT_THAT(checked(sex, day), meant("female")) << "a value";
  EXPECT_THAT(checked("type: categoricl, values: [a]", day), meant("categorical"));
  EXPECT_THAT(checked(sex + ", outside: clipp", day), meant("clip"));
  EXPECT_THAT(checked(sex + ", null: categry", day), meant("category"));
  EXPECT_THAT(checked(sex, day + ", bins: mnth"), meant("month"));
  EXPECT_THAT(checked(sex + ", outsde: clip", day), meant("outside")) << "a key";
  // Quoted keywords are keywords.
  EXPECT_THAT(checked(sex + ", \"outside\": \"clip\", null: \"category\"", day),
              HasSubstr("1 record, 1 of them with something to mend"));
}

TEST(Words, SayWhichColumnsThereAreAndWhatAFileLooksLike) {
  const Release command;
  const auto checked = [&](const std::string& bytes) {
    command.files.write("t.csv", bytes);
    const Ended ended = command.run({"check", "--data", "t.csv", "--domain", "domain.yaml"});
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(
      checked("sex,aeg,smoker,weight\n"),
      HasSubstr("t.csv has no column \"age\", which the domain declares; it has \"sex\", \"aeg\", "
                "\"smoker\", \"weight\" (did you mean \"aeg\"?)"));
  EXPECT_THAT(checked("sex;age;smoker;weight\n"),
              HasSubstr("its first line has semicolons and no comma, but commas separate fields"));
  EXPECT_THAT(checked("\x1f\x8b\x08 and so on"), HasSubstr("looks compressed by gzip"));
}

TEST(Words, SayWhatLimitsAPlan) {
  const CommandLine command;
  const Ended none = command.run({"plan", "local", "--k", "1000", "--alpha", "1e-15"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("no epsilon up to 30 gives a total variation of 1e-15"));
  const Ended no_count = command.run({"plan", "central", "--k", "8", "--n", "1000", "--epsilon",
                                      "0.5", "--delta", "1e-9", "--alpha", "1e-4"});
  EXPECT_EQ(no_count.status, 1);
  EXPECT_THAT(no_count.out, HasSubstr("(one output has a total variation of 0.0"));
  EXPECT_THAT(no_count.out, HasSubstr(" already)\n"));
  EXPECT_THAT(no_count.out, Not(HasSubstr("* the best"))) << "nothing has a star";
  command.files.write("wide.yaml",
                      "columns:\n  a: {type: integer, min: 0, max: 99999, null: 0}\n"
                      "  b: {type: integer, min: 0, max: 99999, null: 0}\n");
  EXPECT_EQ(
      command.run({"plan", "central", "--n", "9", "--domain", "wide.yaml", "--epsilon", "1"}).err,
      "mollify: method central needs a domain of at most 16777216 outcomes, but this one "
      "has 10000000000; the widest columns are \"a\" 100000, \"b\" 100000: declare fewer bins "
      "there (`bins: 4096` in each with more would do), or leave out the widest, or release rows "
      "of one "
      "noisy "
      "model (method marginals)\n");
}

TEST(Words, AskForWhatIsMissingAndListOptionsUnderOneName) {
  const CommandLine command;
  EXPECT_EQ(command.run({"verify"}).err, "mollify: --certificate or --k is missing\n");
  for (const char* name : {"candidates", "tune", "reference", "sample"}) {
    const std::string help = command.run({name, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("\nOptions:\n")) << name;
    EXPECT_THAT(help, Not(HasSubstr("OPTIONS:"))) << name;
  }
}

TEST(Words, PointOutInADraftWhatMayTellWhoSomebodyIs) {
  const CommandLine command;
  std::string rows = "mail,kind,word\n";
  for (int i = 0; i < 1100; ++i) {
    rows += "a" + std::to_string(i) + "@x.org," + (i % 2 == 0 ? "a" : "b") + ",w" +
            std::to_string(i) + "\n";
  }
  command.files.write("public.csv", rows);
  const Ended draft = command.run({"domain", "--public", "public.csv"});
  EXPECT_EQ(draft.status, 0) << draft.err;
  EXPECT_THAT(draft.out, HasSubstr("# Column \"mail\" is left out: it has more than 1000 values"));
  EXPECT_THAT(draft.out, HasSubstr("# Column \"word\" is left out: it has more than 1000 values"));
  EXPECT_THAT(draft.out, HasSubstr("  kind:\n    type: categorical")) << "it goes on";
  EXPECT_EQ(command.run({"domain", "--public", "public.csv", "--exclude", "mial"}).err,
            "mollify: public.csv has no column \"mial\", to be left out; it has \"mail\", "
            "\"kind\", \"word\" "
            "(did you mean \"mail\"?)\n");
}

// A release states the numbers asked for before any data is opened, by the same names.
TEST(Words, SayTheSameInAPlanAndAtARelease) {
  const Release command;
  const auto json = [&](const Arguments& words) {
    const Ended ended = command.run(words + Arguments{"--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? Json::parse(ended.out) : Json();
  };
  const Arguments budget = {"--epsilon", "4", "--count", "2"};
  for (const char* mechanism : {"minimax", "relative", "randomized-response", "mixture"}) {
    const Arguments named = budget + Arguments{"--mechanism", mechanism};
    const Json planned = json(Arguments{"plan", "local", "--domain", "domain.yaml"} + named);
    for (const Arguments& model : {kLocal, kIntegral}) {
      const Json released = json(kSample + model + named);
      EXPECT_EQ(planned["mechanism"], released["certificate"]["mechanism"]);
      EXPECT_NEAR(planned["alpha"], released["draw"]["total_variation"].get<double>(), 1e-9)
          << mechanism;
    }
  }
  std::string rows = "sex,age,smoker,weight\n";
  for (int i = 0; i < 400; ++i) rows += "f,20,true,50\n";
  command.files.write("data.csv", rows);
  const Arguments central = {"@central", "--domain", "domain.yaml", "--epsilon", "1",
                             "--delta",  "1e-6",     "--count",     "5"};
  const Json planned = json(Arguments{"plan", "--n", "400"} + central);
  const Arguments sample = Arguments{"sample", "--data", "data.csv", "--accept-error"} + central;
  const auto stated = [&](const Json& certificate) {
    return certificate["accuracy"]["total_variation"].get<double>();
  };
  const Json best = json(sample)["certificate"];
  EXPECT_EQ(planned["best"], best["mechanism"]);
  EXPECT_NEAR(planned["alpha"], stated(best), 1e-9);
  int compared = 0;
  for (const Json& row : planned["mechanisms"]) {
    if (!row.contains("alpha")) continue;
    const std::string mechanism = row["mechanism"];
    const Json released = json(sample + Arguments{"--mechanism", mechanism})["certificate"];
    EXPECT_EQ(released["mechanism"], mechanism);
    EXPECT_NEAR(row["alpha"], stated(released), 1e-9) << mechanism;
    ++compared;
  }
  EXPECT_GE(compared, 3);
}

}  // namespace
}  // namespace mollify::test
