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
    "file": null, "quantities": [{"name": "given", "value": 0}, {"name": "least", "value": 1}],
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

}  // namespace
}  // namespace mollify::test
