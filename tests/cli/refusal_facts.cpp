// Many refusals, each with the facts that its code promises. Every refused call of the other tests of the command is
// held to the same (command_line.h).
#include "cli/refusal_facts.h"

#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

Json error_of(const char* text) { return Json::parse(text); }

TEST(RefusalFacts, LackWhatTheirCodePromises) {
  const Json whole = error_of(R"({"code": "out-of-range", "parameter": "k", "column": null,
    "file": null, "quantities": [{"name": "given", "value": 0, "unit": "outcomes"},
                                 {"name": "least", "value": 1, "unit": "outcomes"}],
    "ways_out": [{"action": "set", "part": "k"}]})");
  EXPECT_EQ(lacking_facts(whole), "");
  const auto without = [&](const char* part, Json value) {
    Json poor = whole;
    poor[part] = std::move(value);
    return lacking_facts(poor);
  };
  EXPECT_EQ(without("parameter", nullptr), "a parameter");
  EXPECT_EQ(without("ways_out", Json::array()), "a way out");
  EXPECT_EQ(without("quantities", Json::array()), "the number given, a limit");
  Json inside = whole["quantities"];
  inside[0]["value"] = 2;
  EXPECT_EQ(without("quantities", inside), "a limit that the number passes");
  inside[0]["value"] = nullptr;
  EXPECT_EQ(without("quantities", inside), "the value of the number given");
  inside = whole["quantities"];
  inside[0]["unit"] = nullptr;
  EXPECT_EQ(without("quantities", inside), "a unit");
  Json of_file = whole;
  of_file["file"] = "k.json";
  of_file["parameter"] = nullptr;
  EXPECT_EQ(lacking_facts(of_file), "a parameter, the parameter of the file");
  EXPECT_EQ(without("code", "unknown-column"), "a column");
  EXPECT_EQ(without("code", "unreadable-file"), "a file");
  EXPECT_EQ(without("code", "superfluous-parameter"), "the way to leave it out");
  EXPECT_EQ(without("code", "budget-exceeded"), "the way to a higher total");
}

/// Refused calls.
constexpr const char* kRefused[] = {
    "sample --spec key.json --data schools.csv",
    "sample --spec low.json --data schools.csv",
    "sample --spec noise.json --data schools.csv",
    "sample --spec delta.json --data schools.csv",
    "sample --spec count.json --data schools.csv",
    "sample --spec name.json --data schools.csv",
    "sample --spec nosuch.json --data schools.csv",
    "sample --spec low.json",
    "compare --data schools.csv",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 "
    "--counts-column foo",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 "
    "--counts-column school",
    "sample local --data schools.csv --domain schools.yaml --unit sex --epsilon 1",
    "sample local --data schools.csv --domain schools.yaml --unit schol --epsilon 1",
    "sample central --data schools.csv --domain schools.yaml --unit schol --epsilon 1 --count 5",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --units "
    "schools_roster.csv --units-column foo",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --units "
    "duplicate.csv",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --units "
    "empty.csv",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --units "
    "nosuch.csv",
    "sample local --data nosuch.csv --domain schools.yaml --unit school --epsilon 1",
    "sample local --data schools.csv --domain nosuch.yaml --unit school --epsilon 1",
    "sample local --data twice.csv --domain schools.yaml --unit school --epsilon 1",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --threads 0",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --mechanism "
    "neighbourhood --gamma 0.5",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --mechanism "
    "class --c1 2 --c2 3",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --mechanism "
    "class --c1 0.5 --c2 0.5",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --mechanism "
    "minmax",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 1 --ledger "
    "nosuch.db --data-set a --out o.csv",
    "sample local --data schools.csv --domain schools.yaml --unit school --epsilon 3 --ledger l.db "
    "--data-set a --out o.csv",
    "sample central --data schools.csv --domain schools.yaml --count 9 --epsilon 1 --delta 0.5",
    "sample central --data schools.csv --domain schools.yaml --count 9 --epsilon 1 --delta 2",
    "sample central --data schools.csv --domain schools.yaml --count 0 --epsilon 1",
    "sample central --data schools.csv --domain schools.yaml --count 9 --epsilon 1 --support "
    "width=0",
    "sample central --data schools.csv --domain schools.yaml --count 9 --epsilon 0",
    "sample central --data schools.csv --domain schools.yaml --count 9 --epsilon 1e400",
    "sample marginals --data schools.csv --domain schools.yaml --count 9 --epsilon 1 --neighbours "
    "x",
    "sample gaussian-model --data schools.csv --domain numbers.yaml --epsilon 1 --count 1 --log "
    "mth",
    "domain --public schools.csv --columns foo",
    "domain --public schools.csv --exclude mth",
    "domain --public nosuch.csv",
    "ledger --ledger nosuch.db",
    "ledger --ledger l.db --data-set ab",
    "ledger --ledger schools.csv",
    "ledger --ledger l.db --declare --data-set b --epsilon 0",
    "ledger --ledger l.db --declare --data-set b --epsilon 1 --delta 1",
    "estimate --released schools.csv --certificate model.json",
    "estimate --released schools.csv --certificate text.json",
    "estimate --released schools.csv --certificate nosuch.json",
    "verify --certificate model.json --domain schools.yaml",
    "verify --certificate nosuch.json --domain schools.yaml",
    "verify --k 5 --epsilon 1 --inputs 9999999999",
    "verify --k 0 --epsilon 1",
    "verify --k 3",
    "generate --model schools.yaml --count 3",
    "generate --model model.json --count 3 --seed -1",
    "generate --model nosuch.json --count 3",
    "plan local --k 5",
    "plan local --epsilon 1",
    "plan local --domain outside.yaml --epsilon 1",
    "plan local --domain null.yaml --epsilon 1",
    "plan local --domain key.yaml --epsilon 1",
    "plan local --domain schools.yaml --epsilon 1 --region sx=f",
    "plan local --domain schools.yaml --epsilon 1 --region sex=f",
    "plan local --k 5 --epsilon 1 --alpha 2",
    "plan central --n 0 --k 3 --epsilon 1",
    "plan central --k 3 --epsilon 1",
    "plan local --k 5 --domain schools.yaml --epsilon 1",
    "advise --purpose records --protect person --n 100 --columns 3,x",
    "advise --purpose table --protect row --n 1000 --columns 0",
    "check --data schools.csv --domain schools.yaml --unit schol",
    "check --data schools.csv --domain schools.yaml --unit school --units duplicate.csv",
    "check --data nosuch.csv --domain schools.yaml",
    "compare --released nosuch.csv --data schools.csv --domain schools.yaml",
    "tune --public-units schools.csv --unit schol --domain schools.yaml --epsilon 1",
    "tune --public-units nosuch.csv --unit school --domain schools.yaml --epsilon 1",
    "law --p nosuch.csv --epsilon 1",
    "risk --k 4 --epsilon 0",
    "risk --k 4 --epsilon 1 --mechanism neighbourhood --gamma 0.5",
    "amplify --k 0 --n 9 --epsilon0 1 --delta 1e-6",
    "amplify --k 3 --n 9 --epsilon0 -1 --delta 1e-6",
    "candidates --domain numbers.yaml --count 0",
    "reference --domain numbers.yaml --public schools.csv --components 0",
};

TEST(RefusalFacts, AreThereInEveryRefusal) {
  const CommandLine command;
  for (const char* name : {"schools.csv", "schools_roster.csv", "schools.yaml"}) {
    std::filesystem::copy_file(std::filesystem::path(MOLLIFY_TEST_DATA) / "../../data" / name,
                               command.files.path(name));
  }
  const auto words_of = [](const char* call) {
    std::istringstream stream(call);
    Arguments words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  };
  command.files.write("numbers.yaml",
                      "columns:\n  ses: {type: number, min: -3, max: 3}\n"
                      "  math: {type: number, min: 1, max: 25, null: 9, outside: 9}\n");
  command.files.write("outside.yaml",
                      "columns:\n  x: {type: integer, min: 0, max: 9, outside: \"x\"}\n");
  command.files.write("null.yaml", "columns:\n  x: {type: categorical, values: [a], null: 3}\n");
  command.files.write("key.yaml", "columns:\n  x: {type: boolean, outsid: clip}\n");
  command.files.write("duplicate.csv", "school\n1224\n1224\n");
  command.files.write("empty.csv", "school,x\n1224,1\n,2\n");
  command.files.write("twice.csv", "sex,sex\nf,m\n");
  command.files.write("model.json", "{\"format\": \"mollify model 1\"}\n");
  command.files.write("text.json", "x");
  for (const auto& [name, method, parts] :
       {std::tuple{"key.json", "local", R"("unit": "school", "epsilom": 1)"},
        std::tuple{"low.json", "local", R"("unit": "school", "privacy": {"epsilon": -1})"},
        std::tuple{"noise.json", "local", R"("unit": "school", "privacy": {"epsilon": 0.01})"},
        std::tuple{"delta.json", "central",
                   R"("count": 5, "privacy": {"epsilon": 1, "delta": 0.5})"},
        std::tuple{"count.json", "central", R"("privacy": {"epsilon": 1})"},
        std::tuple{"name.json", "local",
                   R"("unit": "school", "mechanism": "minmax", "privacy": {"epsilon": 1})"}}) {
    command.files.write(name, R"({"method": ")" + std::string(method) +
                                  R"(", "domain": {"file": "schools.yaml"}, )" + parts + "}");
  }
  ASSERT_EQ(command.run(words_of("ledger --ledger l.db --declare --data-set a --epsilon 1")).status,
            0);
  for (const char* call : kRefused) {
    const Ended ended = command.run(words_of(call));
    EXPECT_EQ(ended.status, 2) << call << "\n" << ended.err;
    EXPECT_NE(ended.code, "") << call;
  }
}

/// A refusal's facts in one line: "code parameter column: set part value, leave part".
std::string facts_of(const Json& error) {
  std::string text = error["code"];
  for (const char* part : {"parameter", "column"}) {
    if (error[part].is_string()) text += " " + error[part].get<std::string>();
  }
  std::string before = ": ";
  for (const auto& way : error["ways_out"]) {
    text += before + way["action"].get<std::string>();
    for (const char* part : {"part", "value"}) {
      if (way[part] != "") text += " " + way[part].get<std::string>();
    }
    before = ", ";
  }
  return text;
}

/// Calls, each with its facts.
constexpr std::pair<const char*, const char*> kFacts[] = {
    // Two budgets are refused first, and alike.
    {"verify --k 3 --epsilon 1 --mu 20", "contradicting-parameters mu: leave mu, leave epsilon"},
    {"risk --k 3 --epsilon 1 --mu 20", "contradicting-parameters mu: leave mu, leave epsilon"},
    {"plan local --k 3 --epsilon 1 --mu 2", "contradicting-parameters mu: leave mu, leave epsilon"},
    {"verify --k 3 --mechanism relative --epsilon 1 --mu 2",
     "contradicting-parameters mu: leave mu"},
    {"sample local --data d.csv --domain d.yaml --epsilon 1 --mu 2",
     "contradicting-parameters mu: leave mu, leave epsilon"},
    // Parameters are the caller's.
    {"plan local --domain d.yaml --epsilon 1 --cells 4",
     "not-for-this-domain cells sex: leave cells"},
    {"plan local --domain d.yaml --epsilon 1 --space grid",
     "not-for-this-domain space sex: set space candidates"},
    {"plan local --k 5 --epsilon 1 --cells 3", "missing-parameter domain: set domain, leave cells"},
    {"reference --domain d.yaml --public d.csv", "not-for-this-domain domain sex: set domain"},
    {"domain --public d.csv --columns sex --exclude sex",
     "contradicting-parameters exclude sex: leave exclude, set columns"},
    {"ledger --ledger l.db --data nope.csv",
     "unknown-data-set data: set data, set data-set ab, run ledger --declare"},
    {"ledger --ledger l.db --data-set abb",
     "unknown-data-set data-set: set data-set ab, run ledger --declare"},
    {"check --data none.csv --domain d.yaml --reference none.csv",
     "empty-input reference: set reference"},
    {"estimate --released nope.csv --certificate nope.csv",
     "unreadable-file certificate: set certificate"},
    // Names that are allowed at this place alone.
    {"compare local --data d.csv --domain d.yaml --epsilon 1 --mechanism al",
     "unknown-name mechanism: set mechanism all"},
    {"verify --k 3 --epsilon 1 --band typicl", "unknown-name band: set band"},
    {"verify --k 3 --epsilon 1 --band location=2", "out-of-range band: set band"},
    // One mistake, one code.
    {"ledger --ledger l.db --declare --data-set b --epsilon -1",
     "out-of-range epsilon: set epsilon"},
    {"ledger --ledger l.db --declare --data-set b --rho x", "malformed-text rho: set rho"},
    {"plan local --domain inf.yaml --epsilon 1", "out-of-range max x: declare max"},
    {"plan local --domain long.yaml --epsilon 1", "out-of-range max x: declare max"},
    // Files.
    {"plan local --domain none.csv --epsilon 1", "empty-input domain: set domain"},
    {"verify --certificate none.csv --domain d.yaml", "empty-input certificate: set certificate"},
    {"plan local --domain columns.yaml --epsilon 1", "duplicate-column domain x: set domain"},
    {"plan local --domain keys.yaml --epsilon 1", "duplicate-key min: leave min"},
    {"domain --public d.csv --out d.yaml", "file-exists out: add overwrite, set out"},
    {"domain --public d.csv --out d.csv", "same-file out: set out"},
    {"domain --public d.csv --out d.parquet", "wrong-kind-of-file out: set out d.csv"},
    // Keys of a domain are declared.
    {"plan local --domain order.yaml --epsilon 1", "not-ascending min x: declare min"},
    {"plan local --domain codes.yaml --epsilon 1",
     "empty-input missing x: declare missing, leave missing"},
    {"plan local --domain step.yaml --epsilon 1", "unknown-value null x: declare null 10"},
    {"plan marginals --domain many.yaml --epsilon 1 --n 100",
     "too-many-outcomes domain: declare bins, declare edges"},
    // Near names.
    {"plan local --domain d.yaml --epsilon 1 --region sex=femal",
     "unknown-value region sex: set region sex=female"},
    {"plan local --domain d.yaml --epsilon 1 --region sx=male",
     "unknown-column region sx: set region sex=male"},
    // Columns of a unit.
    {"check --data d.csv --domain d.yaml --unit ,", "malformed-text unit: set unit"},
    {"advise --purpose records --protect person --n 100 --columns 3 --unit ''",
     "malformed-text unit: set unit"},
};

TEST(RefusalFacts, AreTheCallers) {
  const CommandLine command;
  command.files.write("d.csv", "sex,age\nmale,3\nfemale,4\n");
  command.files.write("d.yaml",
                      "columns:\n  sex: {type: categorical, values: [female, male]}\n"
                      "  age: {type: integer, min: 0, max: 9}\n");
  command.files.write("none.csv", "");
  for (const auto& [name, column] :
       {std::pair{"inf.yaml", "{type: number, min: 0, max: .inf}"},
        std::pair{"long.yaml", "{type: integer, min: 0, max: 9223372036854775808}"},
        std::pair{"columns.yaml", "{type: boolean}\n  x: {type: boolean}"},
        std::pair{"keys.yaml", "{type: integer, min: 0, min: 1, max: 3}"},
        std::pair{"order.yaml", "{type: integer, min: 5, max: 3}"},
        std::pair{"codes.yaml", "{type: integer, min: 0, max: 3, missing: []}"},
        std::pair{"step.yaml", "{type: integer, min: 0, max: 90, step: 10, null: 5}"},
        std::pair{"many.yaml", "{type: number, min: 0, max: 1}"}}) {
    command.files.write(name, "columns:\n  x: " + std::string(column) + "\n");
  }
  const auto run = [&](const std::string& call) {
    Arguments words;
    std::istringstream stream(call);
    for (std::string word; stream >> word;) words.push_back(word == "''" ? "" : word);
    return command.run(words);
  };
  ASSERT_EQ(run("ledger --ledger l.db --declare --data-set ab --epsilon 1").status, 0);
  for (const auto& [call, facts] : kFacts) {
    const Ended ended = run(std::string(call) + " --json");
    EXPECT_EQ(ended.status, 2) << call << "\n" << ended.err;
    const Json json = Json::parse(ended.out, nullptr, false);
    ASSERT_TRUE(json.is_object() && json.contains("error")) << call << "\n" << ended.out;
    EXPECT_EQ(facts_of(json["error"]), facts) << call << "\n" << ended.err;
    // No warning comes before the refusal.
    EXPECT_EQ(ended.err.rfind("mollify: ", 0), 0U) << call << "\n" << ended.err;
  }
}

TEST(RefusalFacts, OfASpecNameItsFile) {
  const CommandLine command;
  command.files.write("d.csv", "sex\nmale\n");
  command.files.write("d.yaml", "columns:\n  sex: {type: boolean, values: [female, male]}\n");
  for (const auto& [part, begin] :
       {std::pair{R"("count": 0)", "s.json: count must be from 1"},
        std::pair{R"("mechanism": "x")", "s.json: mechanism must be minimax"},
        std::pair{R"("privacy": {"epsilon": -1})", "privacy/epsilon in s.json must be"},
        std::pair{R"("privacy": {"epsilon": 1, "mu": 1})", "s.json: give privacy/mu or"},
        std::pair{R"("c1": 0.5, "c2": 0.5)", "s.json: c2 must be"}}) {
    const std::string budget =
        std::string(part).starts_with("\"privacy") ? "" : R"(, "privacy": {"epsilon": 1})";
    command.files.write("s.json", R"({"method": "local", "domain": {"file": "d.yaml"}, )" +
                                      std::string(part) + budget + "}");
    const Ended ended = command.run({"sample", "--spec", "s.json", "--data", "d.csv", "--json"});
    EXPECT_EQ(ended.err.rfind("mollify: " + std::string(begin), 0), 0U) << ended.err;
    EXPECT_EQ(Json::parse(ended.out)["error"]["file"], "s.json") << ended.out;
  }
}

TEST(RefusalFacts, HaveNumbersAsTheyWereTyped) {
  const CommandLine command;
  const auto given = [&](const std::string& epsilon) {
    const Ended ended = command.run({"plan", "local", "--k", "3", "--epsilon", epsilon, "--json"});
    return Json::parse(ended.out)["error"]["quantities"][0]["value"].dump();
  };
  EXPECT_EQ(given("1e-9"), "1e-09");
  EXPECT_EQ(given("3e-7"), "3e-07");
  EXPECT_EQ(given("-0.3"), "-0.3");
  EXPECT_EQ(given("inf"), "\"infinity\"");
  EXPECT_EQ(given("nan"), "\"not a number\"");
}

TEST(RefusalFacts, QuoteNamesThatHoldQuotes) {
  const CommandLine command;
  command.files.write("d.yaml", "columns:\n  a\"b: {type: integer, min: 3, max: 1}\n");
  EXPECT_EQ(
      command.run({"plan", "local", "--domain", "d.yaml", "--epsilon", "1"}).err,
      "mollify: d.yaml line 2: column \"a\"\"b\": min must be at most max, but they are 3 and "
      "1\n");
  EXPECT_EQ(command.run({"plan", "local", "--k", "3", "--epsilon", "1\"2"}).err,
            "mollify: epsilon must be a number, but is \"1\"\"2\"\n");
}

}  // namespace
}  // namespace mollify::test
