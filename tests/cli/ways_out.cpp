// Refusals as a program reads them: code, parameter, file, line and ways out.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

const char* const kNumbersWithNulls =
    "columns:\n  ses: {type: number, min: -3, max: 3, null: -3}\n"
    "  math: {type: number, min: 1, max: 25, null: 9, outside: 9}\n";

/// Some files, and a command that is refused.
class WaysOut : public testing::Test {
 protected:
  WaysOut() {
    for (const char* name : {"schools.csv", "schools_roster.csv", "schools.yaml"}) {
      std::filesystem::copy_file(std::filesystem::path(MOLLIFY_TEST_DATA) / "../../data" / name,
                                 command.files.path(name));
    }
    command.files.write("numbers.yaml", kNumbersWithNulls);
    command.files.write("covariance.csv", ",ses,math\nses,1,0\nmath,0,1\n");
  }

  /// The facts of a refusal: "CODE parameter=P file=F line=L: set epsilon 0.5, leave rho".
  [[nodiscard]] std::string facts(const std::string& call) const {
    std::istringstream stream(call + " --json");
    Arguments words;
    for (std::string word; stream >> word;) words.push_back(word);
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 2) << call << ended.err;
    const auto json = nlohmann::json::parse(ended.out, nullptr, false);
    if (!json.is_object() || !json.contains("error")) return "accepted";
    const auto& error = json["error"];
    std::string text = error["code"];
    for (const char* fact : {"parameter", "column", "file"}) {
      if (error[fact].is_string())
        text += std::string(" ") + fact + "=" + error[fact].get<std::string>();
    }
    if (error["line"].is_number()) text += " line=" + error["line"].dump();
    const char* before = ": ";
    for (const auto& way : error["ways_out"]) {
      text += std::exchange(before, ", ") + way["action"].get<std::string>() + " " +
              way["part"].get<std::string>();
      if (way["value"] != "") text += " " + way["value"].get<std::string>();
    }
    return command.files.without_folder(text);
  }

  [[nodiscard]] std::string said(const Arguments& words) const {
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 2) << ended.err;
    return command.files.without_folder(ended.err);
  }

  CommandLine command;
};

constexpr const char* kRosterSample =
    "sample local --data schools.csv --domain schools.yaml --unit school --units "
    "schools_roster.csv --epsilon 1 ";

TEST_F(WaysOut, NameAMethodOnlyIfItAnswers) {
  const std::string records =
      "advise --purpose records --protect person --n 1000 --domain numbers.yaml ";
  const std::string table = "advise --purpose table --protect row --n 100000 ";
  EXPECT_EQ(facts(records + "--method local --covariance covariance.csv"),
            "not-for-this-method parameter=covariance: leave covariance");
  EXPECT_EQ(facts(records + "--covariance covariance.csv"),
            "not-for-this-method parameter=covariance: leave covariance");
  EXPECT_EQ(facts(records + "--delta 1e-7"), "not-for-this-method parameter=delta: leave delta");
  EXPECT_EQ(facts(records + "--accept-large-delta"),
            "not-for-this-method parameter=accept-large-delta: leave accept-large-delta");
  // What would be left out of every way to a table, or of the one that is asked for.
  EXPECT_EQ(facts(table + "--domain numbers.yaml --covariance covariance.csv"),
            "not-for-this-method parameter=covariance: leave covariance");
  EXPECT_EQ(said({"advise", "--purpose", "sample", "--protect", "row", "--n", "10000", "--count",
                  "20", "--domain", "numbers.yaml", "--covariance", "covariance.csv"}),
            "mollify: --covariance is for method gaussian, which advise does not choose here: "
            "leave it out, or use method gaussian\n");
  EXPECT_EQ(facts(table + "--domain numbers.yaml --method marginals --log math"),
            "not-for-this-method parameter=log: leave log, use gaussian-model");
  EXPECT_EQ(facts("advise --purpose estimates --method integral --n 9 --count 1 --columns 3"),
            "not-for-this-method parameter=method: use local, use central");
  EXPECT_EQ(facts("advise --purpose records --protect person --n 9 --columns 3 --count 0"),
            "out-of-range parameter=count: set count");
}

TEST_F(WaysOut, TellAWrongTextFromAnUnknownName) {
  const std::string plan = "plan local --epsilon 1 ";
  EXPECT_EQ(facts(plan + "--domain schools.yaml --region sexx=female"),
            "unknown-column parameter=region column=sexx: set region sex=female");
  EXPECT_EQ(facts(plan + "--domain schools.yaml --region sex"),
            "malformed-text parameter=region: set region");
  EXPECT_EQ(facts(plan + "--k 4 --region sex=female"),
            "wrong-type parameter=region: set region, set domain");
  EXPECT_EQ(facts(plan + "--k 4 --region 2"),
            "out-of-range parameter=region: set region, set domain");
  EXPECT_EQ(facts("sample central --data schools.csv --domain schools.yaml --count 9 --epsilon 1 "
                  "--support width=x"),
            "malformed-text parameter=support: set support");
  EXPECT_EQ(facts("sample --data schools.csv local"),
            "missing-parameter parameter=method: set method local");
}

TEST_F(WaysOut, NameTheParameterAndTheFile) {
  EXPECT_EQ(facts("tune --public-units schools.csv --data schools.csv --domain schools.yaml --unit "
                  "school --epsilon 1"),
            "public-is-private parameter=public-units file=schools.csv: set public-units");
  const std::string sample = "sample local --data schools.csv --domain schools.yaml --unit school ";
  EXPECT_EQ(facts(sample + "--units schools.csv --epsilon 1"),
            "public-is-private parameter=units file=schools.csv: set units");
  command.files.write("half.csv", "sex\nfemale\n");
  EXPECT_EQ(
      facts(kRosterSample + std::string("--reference half.csv")),
      "missing-column parameter=reference column=minority file=half.csv line=1: set reference");
  for (const auto& [text, expected] :
       {std::pair{"{\"format\":\n \"mollify band 1\",",
                  "malformed-file parameter=band file=f.json line=2: set band"},
        std::pair{"{\"format\": \"mollify band 1\"}",
                  "malformed-file parameter=band file=f.json: set band"}}) {
    command.files.write("f.json", text);
    EXPECT_EQ(facts(kRosterSample + std::string("--band file=f.json")), expected);
  }
  command.files.write("f.json", "[[1, 2]]");
  EXPECT_EQ(facts(kRosterSample + std::string("--channel f.json")),
            "wrong-shape parameter=channel file=f.json: set channel");
  command.files.write("f.json", "{}");
  EXPECT_EQ(facts("verify --certificate f.json --domain schools.yaml"),
            "wrong-kind-of-file parameter=certificate file=f.json: set certificate");
  command.files.write("f.json", R"({"format": "mollify certificate 2", "spec": {}})");
  EXPECT_EQ(facts("verify --certificate f.json --domain schools.yaml"),
            "malformed-file parameter=certificate file=f.json: set certificate");
  command.files.write("f.csv", "outcome,p\na,x\n");
  EXPECT_EQ(facts("law --mechanism minimax --epsilon 1 --p f.csv"),
            "wrong-type parameter=p column=p file=f.csv line=2: set p");
}

TEST_F(WaysOut, KnowWhatASpecMeant) {
  const auto spec = [&](const std::string& parts) {
    command.files.write("s.json", R"({"method": "local", "domain": {"file": "schools.yaml"},)" +
                                      std::string("\n ") + parts + "}");
    return "sample --spec s.json --data schools.csv";
  };
  EXPECT_EQ(facts(spec(R"("cuont": 1)")),
            "unknown-key parameter=cuont file=s.json: set count, leave cuont");
  EXPECT_EQ(facts(spec(R"("epsilon": 1)")),
            "unknown-key parameter=epsilon file=s.json: set privacy/epsilon, leave epsilon");
  EXPECT_EQ(facts(spec(R"("units": 1)")),
            "unknown-key parameter=units file=s.json: set roster, leave units");
  EXPECT_EQ(facts(spec(R"("space": {"cels": 1})")),
            "unknown-key parameter=space/cels file=s.json: set space/cells, leave space/cels");
  EXPECT_EQ(facts(spec(R"("colour": 1)")),
            "unknown-key parameter=colour file=s.json: leave colour");
  EXPECT_EQ(facts(spec(R"("mechanism": "minmax", "privacy": {"epsilon": 1})")),
            "unknown-name parameter=mechanism file=s.json: set mechanism minimax");
  EXPECT_EQ(facts(spec(R"("count" 1)")),
            "malformed-file parameter=spec file=s.json line=2: set spec");
  static_cast<void>(spec(R"("count": 1.5)"));
  const Arguments call{"sample", "--spec", "s.json", "--data", "schools.csv"};
  EXPECT_EQ(said(call), "mollify: count in s.json must be a whole number, but is 1.5\n");
  static_cast<void>(spec(R"("privacy": {"epsilo": 1})"));
  EXPECT_EQ(said(call),
            "mollify: privacy/epsilo in s.json is no part of a release's spec (did you mean "
            "\"privacy/epsilon\"?)\n");
}

// Sentence, parameter and ways out have one spelling: the place in the spec.
TEST_F(WaysOut, OfASpecAreItsPlaces) {
  const auto spec = [&](const std::string& parts) {
    command.files.write("s.json", R"({"method": "local", "domain": {"file": "schools.yaml"},)" +
                                      std::string(R"( "unit": "school", )") + parts + "}");
    return "sample --spec s.json --data schools.csv";
  };
  const Arguments call{"sample", "--spec", "s.json", "--data", "schools.csv"};
  EXPECT_EQ(facts(spec(R"("privacy": {"epsilon": -1})")),
            "out-of-range parameter=privacy/epsilon file=s.json: set privacy/epsilon");
  EXPECT_EQ(said(call),
            "mollify: privacy/epsilon in s.json must be finite and positive, but is -1\n");
  EXPECT_EQ(facts(spec(R"("epsilom": 1)")),
            "unknown-key parameter=epsilom file=s.json: set privacy/epsilon, leave epsilom");
  EXPECT_EQ(said(call),
            "mollify: epsilom in s.json is no part of a release's spec (did you mean "
            "\"privacy/epsilon\"?)\n");
  EXPECT_EQ(facts(spec(R"("privacy": {})")),
            "missing-parameter parameter=privacy/epsilon file=s.json: set privacy/epsilon, set "
            "privacy/mu");
  EXPECT_EQ(
      facts(spec(R"("privacy": {"epsilon": 0.01})")),
      "indistinct-from-noise parameter=privacy/epsilon file=s.json: set privacy/epsilon 1.91, set "
      "mechanism randomized-response, run estimate, set accept_error true");
  EXPECT_THAT(said(call), testing::EndsWith("or add accept_error true to release anyway\n"));
  EXPECT_EQ(facts(spec(R"("roster": {"file": "nosuch.csv"}, "privacy": {"epsilon": 1})")),
            "unreadable-file parameter=roster file=nosuch.csv: set roster");
  EXPECT_EQ(facts(std::string(spec(R"("privacy": {"epsilon": 1})")) + " --data-set x"),
            "missing-parameter parameter=ledger: set ledger")
      << "no part of a spec is a flag still";
}

TEST_F(WaysOut, NameTheColumnThatWasMeant) {
  const std::string sample = "sample local --data schools.csv --domain schools.yaml --epsilon 1 ";
  EXPECT_EQ(facts(sample + "--unit schol"),
            "missing-column parameter=unit column=schol file=schools.csv line=1: set unit school");
  EXPECT_EQ(facts("sample central --data schools.csv --domain schools.yaml --epsilon 1 --count 5 "
                  "--unit schol"),
            "missing-column parameter=unit column=schol file=schools.csv line=1: set unit school");
  EXPECT_EQ(facts(sample + "--unit school --counts-column mat"),
            "missing-column parameter=counts-column column=mat file=schools.csv line=1: set "
            "counts-column math");
  EXPECT_EQ(facts(sample + "--unit school --units schools_roster.csv --units-column schol"),
            "missing-column parameter=units-column column=schol file=schools_roster.csv line=1: "
            "set units-column school");
  EXPECT_EQ(facts("domain --public schools.csv --columns sx"),
            "missing-column parameter=columns column=sx file=schools.csv line=1: set columns sex");
  EXPECT_EQ(facts("sample gaussian-model --data schools.csv --domain numbers.yaml --epsilon 1 "
                  "--delta 1e-6 --count 1 --log mth"),
            "unknown-column parameter=log column=mth: set log math");
  // The first line of a file without a header is a record.
  command.files.write("no_header.csv", "1224,female,false,0,5\n1225,male,false,0,5\n");
  EXPECT_EQ(
      facts("sample local --data no_header.csv --domain schools.yaml --epsilon 1 --unit 1225"),
      "missing-column parameter=data column=sex file=no_header.csv line=1: set data");
  EXPECT_THAT(said({"sample", "local", "--data", "no_header.csv", "--domain", "schools.yaml",
                    "--epsilon", "1", "--unit", "school", "--counts-column", "122"}),
              testing::Not(testing::HasSubstr("1224")));
}

TEST_F(WaysOut, OfAPartThatNeedsAnother) {
  const std::string check = "check --data schools.csv --domain schools.yaml ";
  const std::string needs_units =
      "missing-parameter parameter=units: set units, leave units-column";
  EXPECT_EQ(facts(check + "--units-column school"), needs_units);
  EXPECT_EQ(facts(check + "--units schools_roster.csv"),
            "missing-parameter parameter=unit: set unit, leave units");
  EXPECT_EQ(facts("compare --released schools.csv --data schools.csv --domain schools.yaml "
                  "--units-column school"),
            needs_units);
  EXPECT_EQ(facts("sample local --data schools.csv --domain schools.yaml --epsilon 1 --unit school "
                  "--units-column school"),
            needs_units);
  EXPECT_EQ(facts("tune --public-units schools.csv --domain schools.yaml --unit school --epsilon 1 "
                  "--out band.json"),
            "missing-parameter parameter=best: add best, leave out");
}

TEST_F(WaysOut, OfWhatIsGivenTooMuchOrTooLittle) {
  EXPECT_EQ(facts("plan central --k 4 --n 10"),
            "missing-parameter parameter=epsilon: set epsilon, set alpha");
  EXPECT_EQ(facts("amplify --k 4 --n 10"),
            "missing-parameter: set epsilon0, set epsilon, set delta");
  EXPECT_EQ(facts("sample local --spec s.json --data schools.csv"),
            "superfluous-parameter parameter=method: leave method, leave spec");
  EXPECT_EQ(facts("compare local --released schools.csv --data schools.csv --domain schools.yaml"),
            "superfluous-parameter parameter=method: leave method, leave released");
  EXPECT_EQ(facts("verify"), "missing-parameter parameter=certificate: set certificate, set k");
  EXPECT_EQ(facts("sample central --data schools.csv --domain schools.yaml --count 9 --rho 1"),
            "not-for-this-budget parameter=rho: set mechanism product, set epsilon, use gaussian, "
            "use gaussian-model, use marginals");
}

TEST_F(WaysOut, OfALedger) {
  ASSERT_EQ(command
                .run({"ledger", "--ledger", "l.db", "--declare", "--data-set", "my data",
                      "--epsilon", "0.5"})
                .status,
            0);
  const Arguments release = {"sample",       "central", "--data", "schools.csv", "--domain",
                             "schools.yaml", "--count", "9",      "--epsilon",   "1",
                             "--ledger",     "l.db",    "--out",  "out.csv"};
  EXPECT_EQ(said(release + Arguments{"--data-set", "my data"}),
            "mollify: the total of \"my data\" in l.db is epsilon 0.5: epsilon 0.5 remains, and "
            "this release costs epsilon 1; release with what remains, or declare a higher total "
            "(mollify ledger --replace)\n");
  const auto ways = [&](const char* data_set) {
    const Ended ended = command.run(release + Arguments{"--data-set", data_set, "--json"});
    std::string text;
    const auto found = nlohmann::json::parse(ended.out);
    for (const auto& way : found["error"]["ways_out"]) {
      text += way["action"].get<std::string>() + " " + way["part"].get<std::string>() + " " +
              way["value"].get<std::string>() + "\n";
    }
    return text;
  };
  EXPECT_EQ(ways("my data"), "set epsilon 0.5\nrun ledger --replace \n");
  EXPECT_EQ(ways("no such"), "run ledger --declare \nadd no-total \n");
}

TEST_F(WaysOut, OfNumbersThatDoNotFit) {
  const std::string table = "advise --purpose table --protect row --n 1000 --columns ";
  // One more would be cast to 0.
  EXPECT_EQ(facts(table + "4294967296"), "out-of-range parameter=columns: set columns");
  EXPECT_EQ(facts(table + "3,x"), "wrong-type parameter=columns: set columns");
  EXPECT_EQ(facts(table + "4294967295"),
            "too-many-outcomes parameter=domain: declare bins, declare edges");
}

/// Runs a command whose data begin like a file and then hold zeros without an end.
Ended with_endless_line(const CommandLine& command, const std::string& beginning,
                        const Arguments& words) {
  const std::string path = command.files.path("pipe");
  if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
  const pid_t writer = ::fork();
  if (writer == 0) {
    std::FILE* const pipe = std::fopen(path.c_str(), "w");
    std::fputs(beginning.c_str(), pipe);
    const std::string zeros(1U << 16U, '\0');
    while (std::fwrite(zeros.data(), 1, zeros.size(), pipe) == zeros.size()) {
    }
    ::_exit(0);
  }
  const Ended ended = command.run(words);
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  ::unlink(path.c_str());
  return ended;
}

// Without a bound none of these would end.
TEST_F(WaysOut, OfALineWithoutAnEnd) {
  const std::string data = command.files.read("schools.csv");
  const std::string first = data.substr(0, data.find('\n') + 1);
  for (const Arguments& words : {Arguments{"check", "--data", "pipe", "--domain", "schools.yaml"},
                                 Arguments{"compare", "local", "--data", "pipe", "--domain",
                                           "schools.yaml", "--unit", "school", "--epsilon", "1"}}) {
    const Ended ended = with_endless_line(command, first, words);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(command.files.without_folder(ended.err),
              "mollify: pipe line 2 must end within 1073741824 bytes, but does not\n");
  }
  // Of a header the beginning is enough.
  for (const char* call :
       {"check --data /dev/zero --domain schools.yaml",
        "compare --released schools.csv --data /dev/zero --domain schools.yaml"}) {
    EXPECT_EQ(facts(call), "malformed-file parameter=data file=/dev/zero: set data");
  }
}

}  // namespace
}  // namespace mollify::test
