// What `sample` refuses: one sentence, exit status 2, and nothing left behind.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "command_line.h"
#include "methods/local/space.h"
#include "name_lists.h"

namespace mollify::test {
namespace {

bool is_one_sentence(const std::string& text) {
  return text.starts_with("mollify: ") && text.size() > 10 && text.ends_with("\n") &&
         text.find('\n') == text.size() - 1;
}

const Arguments kBothOutputs = {"--out", "out.csv", "--certificate", "out.json", "--overwrite"};

/// The sentence of a refusal, without "mollify: " and the line feed.
std::string refused(const Release& command, const Arguments& words) {
  const auto names = command.names();
  const Ended ended = command.run(words);
  EXPECT_EQ(ended.status, 2) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(is_one_sentence(ended.err)) << ended.err;
  EXPECT_EQ(command.names(), names) << "something was left";
  const std::string said = command.files.without_folder(ended.err);
  return said.size() > 10 ? said.substr(9, said.size() - 10) : said;
}

std::string refused_sample(const Release& command, const Arguments& options) {
  return refused(command, kSample + options + kBothOutputs);
}

TEST(Refusals, AreFieldsForAProgram) {
  const Release command;
  const auto error = [&](Arguments words) {
    words.emplace_back("--json");
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_TRUE(is_one_sentence(ended.err)) << ended.err;
    const auto said = nlohmann::json::parse(ended.out).at("error");
    EXPECT_EQ("mollify: " + said["text"].get<std::string>() + "\n", ended.err);
    return said;
  };
  const auto sampled = [&](const Arguments& options) { return error(kSample + options); };
  const auto of_flag = error({"sample", "local", "--epsilom", "1"});
  EXPECT_EQ(of_flag["code"], "unknown-flag");
  EXPECT_EQ(of_flag["parameter"], "epsilom");
  EXPECT_EQ(of_flag["ways_out"][0]["part"], "epsilon");
  EXPECT_EQ(error({"sample", "nothing"})["code"], "unknown-name");
  EXPECT_EQ(error({"sample", "local"})["code"], "missing-parameter");
  const auto of_value = sampled(kIntegral + Arguments{"--count", "1", "--epsilon", "-1"});
  EXPECT_EQ(of_value["parameter"], "epsilon");
  EXPECT_EQ(of_value["ways_out"][0]["action"], "set");
  const auto of_file = error({"check", "--domain", "none.yaml", "--data", "none.csv"});
  EXPECT_EQ(of_file["code"], "unreadable-file");
  EXPECT_EQ(of_file["file"], "none.yaml");
}

TEST(Refusals, SpeakOfASpecsKeysToWhoGivesOne) {
  const Release command;
  const std::string domain = command.files.path("wide.yaml");
  command.files.write("wide.yaml", "columns:\n  age: {type: integer, min: 0, max: 99, null: 0}\n");
  command.files.write("spec.json",
                      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 0.01},
                          "domain": {"file": ")" +
                          domain + R"("}})");
  command.files.write("ages.csv", "age\n1\n2\n");
  const Ended ended = command.run({"sample", "--spec", "spec.json", "--data", "ages.csv"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, ::testing::HasSubstr("accept_error true"));
  EXPECT_THAT(ended.err, ::testing::Not(::testing::HasSubstr("--accept-error")));
}

TEST(Refusals, OfParameters) {
  const Release command;
  const auto with = [&](const Arguments& options) {
    return refused_sample(command, kIntegral + options);
  };
  const auto epsilon = [&](const char* text) { return with({"--count", "1", "--epsilon", text}); };
  EXPECT_EQ(epsilon("-1"), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(epsilon("0"), "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(epsilon("nan"), "epsilon must be finite and positive, but is nan");
  EXPECT_EQ(epsilon("inf"), "epsilon must be finite and positive, but is inf");
  EXPECT_EQ(epsilon("abc"), "epsilon must be a number, but is \"abc\"");
  EXPECT_EQ(epsilon("1e-9"), "epsilon must be at least 1e-6, but is 1e-9");
  EXPECT_EQ(epsilon(""), "epsilon must be a number, but is \"\"");
  EXPECT_EQ(epsilon("1,5"), "epsilon must be a number, but is \"1,5\"; write 1.5, or one number");
  EXPECT_EQ(
      epsilon("1e400"),
      "epsilon must be a number of at most 1.79769e+308 and at least 2.22507e-308, or 0, but is "
      "\"1e400\"");
  EXPECT_EQ(with({"--count", "1000", "--epsilon", "1e-4"}),
            "epsilon must be at least 1e-6 for each of 1000 draws, but is 0.0001 for all of them");
  EXPECT_EQ(with({"--mu", "-1", "--count", "1"}), "mu must be finite and positive, but is -1");
  EXPECT_EQ(with({"--mu", "nan", "--count", "1"}), "mu must be finite and positive, but is nan");

  const auto count = [&](const char* text) { return with({"--epsilon", "1", "--count", text}); };
  EXPECT_EQ(count("0"), "count must be from 1 to 100000000, but is 0");
  EXPECT_EQ(count("-1"),
            "count must be a whole number from 0 to 18446744073709551615, but is \"-1\"");
  EXPECT_EQ(count("1.5"), "count must be a whole number, but is \"1.5\"");
  EXPECT_EQ(count("100000001"), "count must be from 1 to 100000000, but is 100000001");
  EXPECT_EQ(count("99999999999999999999"),
            "count must be a whole number of at most 18446744073709551615, but is "
            "\"99999999999999999999\"");
}

TEST(Refusals, OfThreads) {
  const Release command;
  const auto threads = [&](const char* text) {
    return refused_sample(command, kIntegral + kOneDraw + Arguments{"--threads", text});
  };
  EXPECT_EQ(threads("0"), "threads must be from 1 to 1024, but is 0");
  EXPECT_EQ(threads("-1"),
            "threads must be a whole number from 0 to 18446744073709551615, but is \"-1\"");
  EXPECT_EQ(threads(""), "threads must be a whole number, but is \"\"");
}

TEST(Refusals, OfOptionsThatAreMissing) {
  const Release command;
  EXPECT_EQ(refused_sample(command, kIntegral + Arguments{"--count", "1"}),
            "the budget is missing: give --epsilon or --mu");
  EXPECT_EQ(refused_sample(command, Arguments{"@central", "--epsilon", "1"}),
            "--count is missing: how many records to release");
  EXPECT_EQ(refused(command, Arguments{"sample", "--domain", "domain.yaml"} + kIntegral + kOneDraw),
            "--data is missing: the private CSV file");
  EXPECT_EQ(refused(command, Arguments{"sample", "--data", "data.csv"} + kIntegral + kOneDraw),
            "--domain is missing: the public domain, YAML");
}

TEST(Refusals, OfTheCommandLine) {
  const Release command;
  EXPECT_EQ(refused(command, {}), "a command is missing, such as sample; see mollify --help");
  EXPECT_EQ(refused(command, {"release"}), "there is no command \"release\"; see mollify --help");
  EXPECT_EQ(refused_sample(command, kIntegral + kOneDraw + Arguments{"--seed"}),
            "unknown flag --seed: a release takes no seed, because anyone who guessed it could "
            "subtract the noise. Rows of a released model do: mollify generate --seed; see mollify "
            "sample integral --help");
  refused_sample(command, kIntegral + kOneDraw + Arguments{"--epsilon", "2"});
  refused_sample(command, kIntegral + kOneDraw + Arguments{"extra"});
  refused_sample(command, kIntegral + kOneDraw + Arguments{"--reference"});
  refused(command, {"sample", "verify"});
  EXPECT_EQ(refused(command, {"--epsilon", "1"}), "unknown flag --epsilon; see mollify --help");
}

TEST(Refusals, NameTheFlagThatIsForAnotherModel) {
  const Release command;
  for (const Arguments& flag :
       {Arguments{"--candidates", "10"}, Arguments{"--fresh"}, Arguments{"--cells", "9"},
        Arguments{"--space", "grid"}, Arguments{"--score", "kernel"},
        Arguments{"--candidates-file", "list"}, Arguments{"--trees"}}) {
    for (const char* method : {"central", "gaussian"}) {
      EXPECT_THAT(
          refused_sample(command, Arguments{"@" + std::string(method)} + kOneDraw + flag),
          ::testing::MatchesRegex(flag.front() + " is for method[-a-z, ]* integral.*, but " +
                                  "the method is " + method));
    }
  }
  EXPECT_EQ(refused_sample(command, Arguments{"@central"} + kOneDraw +
                                        Arguments{"--reference", "reference.csv"}),
            "--reference is for " + kDrawMethods.with(Method::kMarginals).text() +
                ", but the method is central");
}

TEST(Refusals, OfASpecThatWouldNameOtherFiles) {
  const Release command;
  for (const Arguments& names :
       {Arguments{"--domain", "d\xff.yaml"},
        Arguments{"--domain", "domain.yaml", "--reference", "r\xc3.csv"}}) {
    EXPECT_EQ(refused(command, Arguments{"sample", "--print-spec"} + kIntegral + kOneDraw + names),
              "a spec holds names in UTF-8, but one of this release's names is not");
  }
}

TEST(Refusals, OfAMethodToCompare) {
  const Release command;
  EXPECT_THAT(refused(command, {"compare", "nonsense", "--data", "data.csv"}),
              ::testing::StartsWith("the method must be " + all_names<Method>(" or ") +
                                    ", but is \"nonsense\""));
  const std::string help = command.run({"compare", "integral", "--help"}).out;
  EXPECT_NE(help.find("(default: 1)"), std::string::npos) << help;
}

TEST(Refusals, OfMethodsAndUnits) {
  const Release command;
  EXPECT_EQ(
      refused_sample(command, kOneDraw),
      "the method is missing: " + all_names<Method>(" or ") + "; mollify advise helps to choose");
  EXPECT_EQ(refused_sample(command, kIntegral + Arguments{"--unit", "id"} + kOneDraw),
            "--unit is for " + kUnitMethods.text() +
                ", but the method is integral, which protects the whole table: leave it out");
  EXPECT_EQ(refused_sample(command, Arguments{"@local", "--units", "units.csv"} + kOneDraw),
            "--unit is missing: --units needs it");
  EXPECT_EQ(refused_sample(command, Arguments{"@local", "--unit", "nobody"} + kOneDraw),
            "data.csv has no column \"nobody\", which names the unit of a record; it has \"id\", "
            "\"sex\", \"age\", \"note\", \"smoker\", \"weight\"");
  EXPECT_EQ(refused_sample(command, Arguments{"@local", "--unit", "sex"} + kOneDraw),
            "the unit column must not be a column of the domain, but \"sex\" is: remove it there");
  command.files.write("units.csv", "id\nann\nbob\nann\n");
  EXPECT_EQ(refused_sample(command, kRostered + kOneDraw),
            "units.csv line 4 must name a new unit, but \"ann\" is already listed");
  command.files.write("units.csv", "id\n");
  EXPECT_EQ(refused_sample(command, kRostered + kOneDraw),
            "units.csv must list units, but lists none");
  command.files.write("units.csv", "name,age\nann,3\n");
  EXPECT_EQ(refused_sample(command, kRostered + kOneDraw),
            "units.csv has no column \"id\", which names the units (its first line must be a "
            "header; --units-column names another column); it has \"name\", \"age\"");
  EXPECT_EQ(refused_sample(command, kLocal + Arguments{"--units", "nobody.csv"} + kOneDraw),
            "nobody.csv cannot be opened: there is no such file in ");
}

TEST(Refusals, OfMechanismsAndTheirParameters) {
  const Release command;
  const auto with = [&](const Arguments& options) {
    return refused_sample(command, kIntegral + Arguments{"--count", "1"} + options);
  };
  EXPECT_EQ(with({"--mechanism", "laplace", "--epsilon", "1"}),
            "mechanism must be " + local_mechanism_names() + ", but is \"laplace\"");
  EXPECT_EQ(with({"--mechanism", "minimax", "--mu", "1"}),
            "--epsilon is missing: mechanism minimax needs it");
  EXPECT_EQ(with({"--epsilon", "1", "--mu", "1"}), "give --mu or --epsilon, not both");
  EXPECT_EQ(with({"--mechanism", "gaussian-curve", "--epsilon", "1"}),
            "--mu is missing: mechanism gaussian-curve needs it");
  EXPECT_EQ(with({"--epsilon", "1", "--c1", "0"}), "--c2 is missing: mechanism class needs it");
  EXPECT_EQ(with({"--epsilon", "1", "--c2", "2"}), "--c1 is missing: mechanism class needs it");
  EXPECT_EQ(with({"--epsilon", "1", "--c1", "1", "--c2", "2"}),
            "c1 must be at least 0 and below 1, but is 1");
  EXPECT_EQ(with({"--epsilon", "1", "--c1", "0", "--c2", "1"}),
            "c2 must be finite and above 1, but is 1");
  EXPECT_EQ(with({"--epsilon", "1", "--c1", "nan", "--c2", "2"}),
            "c1 must be at least 0 and below 1, but is nan");
  EXPECT_EQ(with({"--mechanism", "minimax", "--epsilon", "1", "--c1", "0"}),
            "mechanism minimax takes no c1: leave it out, or name another mechanism");
  EXPECT_EQ(with({"--epsilon", "1", "--gamma", "1"}), "gamma must be finite and above 1, but is 1");
  EXPECT_EQ(with({"--mechanism", "neighbourhood", "--epsilon", "1"}),
            "--gamma is missing: mechanism neighbourhood needs it");
  EXPECT_EQ(with({"--mechanism", "relative", "--epsilon", "1", "--gamma", "2"}),
            "mechanism relative takes no gamma: leave it out, or name another mechanism");
  EXPECT_EQ(with({"--mechanism", "randomized-response", "--epsilon", "1", "--reference",
                  "reference.csv"}),
            "mechanism randomized-response takes no reference: leave it out, or name another "
            "mechanism");
  EXPECT_EQ(with({"--mechanism", "public-kernel", "--epsilon", "1"}),
            "--reference is missing: mechanism public-kernel needs the public distribution that "
            "it keeps in place");
}

TEST(Refusals, OfThePrivateFileByWhatIsNotPrivate) {
  const Release command;
  const auto with_data = [&](const std::string& data) {
    command.files.write("data.csv", data);
    return refused_sample(command, kIntegral + kOneDraw);
  };
  EXPECT_EQ(with_data("id,sex,age,smoker\nann,f,20,true\n"),
            "data.csv has no column \"weight\", which the domain declares; it has \"id\", \"sex\", "
            "\"age\", "
            "\"smoker\"");
  EXPECT_EQ(with_data("sex,sex,age,smoker,weight\n"),
            "data.csv has more than one column \"sex\", which the domain declares");
  EXPECT_EQ(with_data(""), "data.csv must start with a header, but is empty");
  EXPECT_EQ(with_data("\nsex,age,smoker,weight\n"),
            "data.csv must start with a header, but its first line is empty");
  // A file without a header starts with a private record, which is not told.
  EXPECT_EQ(with_data("secret,77,hidden\n"),
            "data.csv has no column \"sex\", which the domain declares; mollify check prints its "
            "first line, which must be a header");
  EXPECT_EQ(with_data("\"sex,secret\n").find("secret"), std::string::npos);

  std::filesystem::remove(command.files.path("data.csv"));
  EXPECT_EQ(refused_sample(command, kIntegral + kOneDraw),
            "data.csv cannot be opened: there is no such file in ");
  std::filesystem::create_directory(command.files.path("data.csv"));
  EXPECT_EQ(refused_sample(command, kIntegral + kOneDraw),
            "data.csv must be a file, but is a directory");
  std::filesystem::remove(command.files.path("data.csv"));
  ASSERT_EQ(::mkfifo(command.files.path("data.csv").c_str(), 0600), 0);
  EXPECT_EQ(refused_sample(command, kIntegral + kOneDraw),
            "the private data must be a file that can be read twice, but data.csv is a pipe or a "
            "device");
}

TEST(Refusals, OfDomains) {
  const Release command;
  const auto with_domain = [&](const std::string& yaml) {
    command.files.write("domain.yaml", yaml);
    return refused_sample(command, kIntegral + kOneDraw);
  };
  EXPECT_EQ(with_domain("columns: {sex: {type: categorical, values: [a]}, sex: {type: boolean}}"),
            "domain.yaml line 1 must not repeat the column \"sex\"");
  for (const char* yaml : {"",
                           "columns:",
                           "columns: []",
                           "columns: {}",
                           "columns: 7",
                           "[1, 2]",
                           "\t- x",
                           "{",
                           "a: b: c",
                           "columns: {sex: {type: colour}}",
                           "columns: {sex: {type: categorical}}",
                           "columns: {sex: {type: categorical, values: []}}",
                           "columns: {age: {type: integer, min: 5}}",
                           "columns: {age: {type: integer, min: 5, max: 4}}",
                           "columns: {age: {type: number, min: 0, max: .inf, bins: 2}}",
                           "columns: {age: &a {type: boolean}, b: *a}",
                           "columns: {a: {type: boolean}}\ncolour: 3",
                           "columns: {a: {type: boolean, bins: 3}}",
                           "columns: {a: {type: boolean}}\n---\ncolumns: {}",
                           "columns: {a: {type: !!str boolean}}",
                           "\xff\xfe",
                           "columns: {a: {type: boolean, outside: maybe}}"}) {
    EXPECT_TRUE(with_domain(yaml).starts_with("domain.yaml ")) << yaml;
  }
  std::string deep = "columns: ";
  for (int i = 0; i < 10'000; ++i) deep += "[";
  with_domain(deep);
  std::filesystem::remove(command.files.path("domain.yaml"));
  EXPECT_EQ(refused_sample(command, kIntegral + kOneDraw),
            "domain.yaml cannot be read: there is no such file in ");
  std::filesystem::create_directory(command.files.path("domain.yaml"));
  refused_sample(command, kIntegral + kOneDraw);
}

TEST(Refusals, OfSpacesAndScorers) {
  const Release command;
  const auto with = [&](const Arguments& options) {
    return refused_sample(command, kIntegral + kOneDraw + options);
  };
  EXPECT_EQ(
      with({"--space", "sphere"}),
      "space must be " + names_without<SpaceKind>({SpaceKind::kModels}) + ", but is \"sphere\"");
  EXPECT_EQ(with({"--score", "guess"}), "score must be " +
                                            names_without<ScorerKind>({ScorerKind::kLikelihood}) +
                                            ", but is \"guess\"");
  EXPECT_EQ(with({"--band", "middle"}),
            "band must be minimax, relative, location=B with B between 0 and 1, typical, "
            "typical=STRENGTH,RECORDS with both above 0, or file=F, but is "
            "\"middle\"");
  EXPECT_EQ(with({"--band", "relative", "--mechanism", "relative"}),
            "give --band or --mechanism, not both");
  EXPECT_EQ(with({"--band", "location=0.1"}),
            "band location must lie between e^-epsilon = 0.367879 and 1, but is 0.1");
  EXPECT_EQ(with({"--band", "relative", "--c2", "3"}),
            "mechanism relative takes no c2: leave it out, or name another mechanism");
  EXPECT_THAT(with({"--space", "grid"}),
              testing::StartsWith("space grid needs at most 3 columns, but the domain has 4 (\""));
  EXPECT_EQ(with({"--space", "categories", "--cells", "9"}),
            "cells belongs to space grid, but the space is categories");
  EXPECT_EQ(with({"--space", "categories", "--fresh"}),
            "a fresh list belongs to space candidates, but the space is categories");
  EXPECT_EQ(with({"--candidates", "0"}),
            "the number of candidates must be from 1 to 16777216, but is 0");
  EXPECT_EQ(with({"--candidates", "16777217", "--fresh"}),
            "the number of candidates must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(with({"--candidates-file", "list", "--fresh"}),
            "a file of candidates holds the list, so it cannot be a fresh list as well");
  EXPECT_EQ(with({"--candidates-file", "list", "--candidates", "5"}),
            "a file of candidates holds the list, so it cannot be told how many candidates there "
            "are");
  EXPECT_EQ(with({"--candidates-file", "list"}),
            "list cannot be opened: there is no such file in ");
  EXPECT_EQ(with({"--candidates-file", "reference.csv"}),
            "reference.csv line 1 must be \"mollify candidates 1\"");
  EXPECT_EQ(with({"--candidates-file", "data.csv"}),
            "the list of candidates must be public, but data.csv is the private file itself");
  std::vector<Mechanism> sized;
  for (const auto& known : names<Mechanism>()) {
    if (!row_of(known.value).is_for_any_space) sized.push_back(known.value);
  }
  for (const std::string mechanism : {"minimax", "mixture"}) {
    EXPECT_EQ(with({"--candidates", "9", "--mechanism", mechanism}),
              "space candidates needs a band that does not depend on its size (" +
                  names_without(sized) + "), but the mechanism is " + mechanism);
  }
  EXPECT_EQ(with({"--candidates", "9", "--band", "minimax"}),
            "--c2 is missing: the minimax band over candidates needs the greatest density "
            "against the reference");
  EXPECT_EQ(with({"--score", "kernel", "--mechanism", "mixture"}),
            "scorer kernel needs a band, but mechanism mixture has none");
  command.files.write("domain.yaml", kManyNumbers);
  EXPECT_EQ(with({"--space", "categories"}),
            "space categories needs a domain of at most 16777216 outcomes, but this one has "
            "879610141081600; the widest columns are \"weight\" 1048577, \"note\" 1048576, \"age\" "
            "100, \"sex\" 4, \"smoker\" 2: declare fewer bins there (`bins: 143` in each with more "
            "would do), "
            "or leave out the 2 widest");
  EXPECT_EQ(refused(command, {"plan", "local", "--domain", "domain.yaml", "--epsilon", "1",
                              "--region", "a=1"}),
            "--region does not work with candidates: give the region's reference mass and --k "
            "instead");
}

TEST(Refusals, OfPublicFilesThatAreThePrivateOne) {
  const Release command;
  const Arguments reference = kIntegral + kOneDraw + Arguments{"--reference"};
  const auto expected = [&](const std::string& name) {
    return "the reference must be public, but " + name + " is the private file itself";
  };
  EXPECT_EQ(refused_sample(command, reference + Arguments{"data.csv"}), expected("data.csv"));
  EXPECT_EQ(refused_sample(command, reference + Arguments{"./data.csv"}), expected("./data.csv"));
  std::filesystem::create_hard_link(command.files.path("data.csv"), command.files.path("hard.csv"));
  EXPECT_EQ(refused_sample(command, reference + Arguments{"hard.csv"}), expected("hard.csv"));
  std::filesystem::create_symlink("data.csv", command.files.path("soft.csv"));
  EXPECT_EQ(refused_sample(command, reference + Arguments{"soft.csv"}), expected("soft.csv"));
  command.files.write("copy.csv", kClean);
  EXPECT_EQ(refused_sample(command, reference + Arguments{"copy.csv"}), expected("copy.csv"));
  EXPECT_EQ(refused_sample(command, kLocal + kOneDraw + Arguments{"--units", "copy.csv"}),
            "the roster must be public, but copy.csv is the private file itself");
  command.files.write("reference.csv", "sex,age,smoker,weight\nf,3,true,50\nf,300,true,50\n");
  EXPECT_EQ(
      refused_sample(command, reference + Arguments{"reference.csv"}),
      "reference.csv line 3 column \"age\" must be an integer from 0 to 99 or null, but is \"300\" "
      "(outside: clip is for private values)");
}

TEST(Refusals, OfOutputs) {
  const Release command;
  const auto with = [&](const Arguments& options) {
    return refused(command, kSample + kIntegral + kOneDraw + options);
  };
  EXPECT_EQ(with({"--out", "data.csv"}), "--out must not overwrite the file of --data, data.csv");
  EXPECT_EQ(with({"--out", "./data.csv"}), "--out must not overwrite the file of --data, data.csv");
  EXPECT_EQ(with({"--certificate", "domain.yaml"}),
            "--certificate must not overwrite the file of --domain, domain.yaml");
  EXPECT_EQ(with({"--out", "reference.csv", "--reference", "reference.csv"}),
            "--out must not overwrite the file of --reference, reference.csv");
  EXPECT_EQ(with({"--out", "a", "--certificate", "a"}),
            "--out and --certificate must differ, but both are a");
  EXPECT_EQ(with({"--out", "a", "--certificate", "./a"}),
            "--out and --certificate must differ, but both are a");
  EXPECT_EQ(with({"--out", "nowhere/a"}),
            "nowhere/a cannot be written: make the folder nowhere first (mkdir -p nowhere)");
  EXPECT_EQ(with({"--out", "a", "--certificate", "nowhere/a"}),
            "nowhere/a cannot be written: make the folder nowhere first (mkdir -p nowhere)");
  EXPECT_EQ(with({"--out", "data.csv/a"}), "data.csv/a cannot be written: Not a directory");
  EXPECT_TRUE(with({"--out", "."}).ends_with(" cannot be written: Is a directory"));
  EXPECT_EQ(with({"--out", ""}), "a file to write must have a name, but its name is empty");
  EXPECT_EQ(with({"--certificate", ""}), "a file to write must have a name, but its name is empty");
  const std::string longest(255, 'a');
  EXPECT_EQ(with({"--out", longest + "a"}), longest + "a cannot be written: File name too long");
  EXPECT_EQ(with({"--out", longest}),
            longest + ".certificate.json cannot be written: File name too long");
  const Release lasting;
  EXPECT_EQ(
      lasting.run(kSample + kIntegral + kOneDraw + Arguments{"--certificate", longest}).status, 0);
  std::filesystem::create_directory(command.files.path("sealed"));
  std::filesystem::permissions(command.files.path("sealed"), std::filesystem::perms::owner_read);
  if (::geteuid() != 0) {  // the superuser writes everywhere
    EXPECT_EQ(with({"--out", "sealed/a"}), "sealed/a cannot be written: Permission denied");
  }
  EXPECT_EQ(command.files.read("data.csv"), kClean);
}

TEST(Refusals, OfNumbersOfOutcomesAndOtherCommands) {
  const Release command;
  const auto sentence = [&](const Arguments& words) { return refused(command, words); };
  for (const char* name : {"verify", "risk"}) {
    for (const char* k : {"0", "16777217", "99999999999"}) {
      EXPECT_EQ(sentence({name, "--epsilon", "1", "--k", k}),
                std::string("--k must be from 1 to 16777216, but is ") + k);
    }
    EXPECT_EQ(sentence({name, "--epsilon", "1"}), "--k is missing: number of possible records");
    EXPECT_EQ(sentence({name, "--k", "3"}), "the budget is missing: give --epsilon or --mu");
  }
  for (const char* mechanism : {"relative", "randomized-response", "mixture", "public-kernel"}) {
    for (const char* k : {"0", "16777217"}) {
      sentence({"verify", "--epsilon", "1", "--mechanism", mechanism, "--k", k});
      sentence({"risk", "--epsilon", "1", "--mechanism", mechanism, "--k", k});
    }
  }
  for (const char* k : {"0", "16777217"}) {
    sentence({"verify", "--mu", "1", "--k", k});
    sentence({"risk", "--mu", "1", "--k", k});
    sentence({"plan", "local", "--epsilon", "1", "--k", k});
  }
  EXPECT_EQ(sentence({"plan", "local", "--epsilon", "1"}),
            "give --domain or --k, or --alpha to find the greatest k");
  EXPECT_EQ(sentence({"plan", "local", "--k", "3", "--epsilon", "1", "--count", "0"}),
            "count must be from 1 to 100000000, but is 0");
  EXPECT_EQ(sentence({"plan", "local", "--k", "3", "--epsilon", "-1"}),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(sentence({"plan", "local", "--k", "3", "--mu", "-1"}),
            "mu must be finite and positive, but is -1");
  EXPECT_EQ(sentence({"law", "--epsilon", "1"}),
            "--p is missing: the distribution: a JSON array, or CSV (outcome, p)");
  EXPECT_EQ(sentence({"check", "--data", "data.csv"}),
            "--domain is missing: the public domain, YAML");
  EXPECT_EQ(sentence({"domain"}), "--public is missing: a public CSV file");
  EXPECT_EQ(sentence({"compare", "integral", "--domain", "domain.yaml", "--epsilon", "1"}),
            "--data is missing: the private CSV file");
  EXPECT_EQ(sentence({"compare", "integral", "--domain", "domain.yaml", "--data", "data.csv",
                      "--units", "units.csv", "--epsilon", "1"}),
            "--unit is missing: column that names the unit of each row, or several");
}

TEST(Refusals, AreWrappedAndEscapeLineBreaks) {
  const Release command;
  const Ended ended =
      command.run(kSample + kLocal + Arguments{"--epsilon", "1", "--mechanism", "min\nmax"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("but is \"min\\x0amax\""), std::string::npos) << ended.err;
  const auto lines = lines_of(ended.shown_err);
  EXPECT_GT(lines.size(), 2U);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_TRUE(ended.shown_err.ends_with("[unknown-name]\n")) << ended.shown_err;
}

TEST(Refusals, NameTheBudgetThatIsMissing) {
  const Release command;
  EXPECT_EQ(
      command.run(kSample + kIntegral + Arguments{"--count", "1", "--mechanism", "gaussian-curve"})
          .err,
      "mollify: --mu is missing: Gaussian-DP budget, instead of epsilon\n");
  EXPECT_EQ(command.run({"risk", "--k", "3", "--mechanism", "gaussian-curve"}).err,
            "mollify: --mu is missing: Gaussian-DP budget, instead of epsilon\n");
  EXPECT_EQ(
      command.run({"plan", "local", "--k", "5", "--epsilon", "1", "--mechanism", "gaussian-curve"})
          .err,
      "mollify: --mu is missing: mechanism gaussian-curve needs it\n");
  EXPECT_EQ(
      command.run({"plan", "local", "--k", "5", "--domain", "domain.yaml", "--epsilon", "1"}).err,
      "mollify: give --k or --domain, not both: the domain declares what --k says\n");
}

}  // namespace
}  // namespace mollify::test
