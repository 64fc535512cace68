// The same integers come from the same words: the draws of every mechanism with frozen entropy of
// the operating system, compared with earlier ones. A change of one of these digests changes what
// users draw, or what a law's integers are: it must be meant.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "core/lanes.h"
#include "domain/domain.h"
#include "methods/central/samplers.h"
#include "methods/local/mechanism.h"
#include "methods/local/space.h"
#include "release/prepared.h"
#include "release/spec.h"

// In place of the system's, for this program alone: every generator begins with the same words.
extern "C" ssize_t getrandom(void* words, std::size_t size, unsigned /*flags*/) {
  std::fill_n(static_cast<unsigned char*>(words), size, static_cast<unsigned char>(7));
  return static_cast<ssize_t>(size);
}

namespace mollify {
namespace {

using test::Scratch;

/// Specs, each with the SHA-256 of the CSV file that it draws.
nlohmann::json golden_releases() {
  std::ifstream file(std::string(MOLLIFY_TEST_DATA) + "/golden_draws.json");
  return nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// Rows of 20 people: words, counts, numbers that are skewed, and nothing in some cells.
std::string private_rows(int count) {
  std::string csv = "id,kind,size,x,y\n";
  for (int i = 0; i < count; ++i) {
    csv += "p" + std::to_string(i % 20) + "," + std::string(1, "abcd"[i * i % 7 % 4]) + "," +
           std::to_string(1 + i * 3 % 5) + "," + std::to_string((i * 37 % 60) / 8.0) + "," +
           (i % 11 == 5 ? "" : std::to_string(i * i % 90 / 10.0)) + "\n";
  }
  return csv;
}

void write_inputs(const Scratch& scratch) {
  scratch.write("data.csv", private_rows(60));
  scratch.write("many.csv", private_rows(4000));
  scratch.write("words.yaml",
                "columns:\n  kind: {type: categorical, values: [a, b, c, d], null: a}\n"
                "  size: {type: integer, min: 1, max: 5, null: 1}\n");
  scratch.write("numbers.yaml",
                "columns:\n  x: {type: number, min: 0, max: 8, outside: clip, null: 0}\n"
                "  y: {type: number, min: 0, max: 9, outside: clip, null: 4.5}\n");
  scratch.write(
      "bins.yaml",
      "columns:\n  kind: {type: categorical, values: [a, b, c, d], null: a}\n"
      "  x: {type: number, min: 0, max: 8, outside: clip, bins: 4, null: 0}\n"
      "  y: {type: number, min: 0, max: 9, outside: clip, null: category, bins: private}\n");
  scratch.write("cells.yaml",
                "columns:\n  x: {type: number, min: 0, max: 8, outside: clip, bins: 4, null: 0}\n"
                "  y: {type: number, min: 0, max: 9, outside: clip, null: 4.5, bins: 3}\n");
  scratch.write("bits.yaml",
                "columns:\n  kind: {type: categorical, values: [a, b, c, d], null: a}\n"
                "  size: {type: integer, min: 1, max: 2, outside: clip, null: 1}\n");
  scratch.write("sizes.yaml", "columns:\n  size: {type: integer, min: 1, max: 99, null: 1}\n");
  scratch.write("roster.csv", "id\np3\np1\nnobody\np19\n");
  scratch.write("words.csv", "kind,size\na,1\nb,2\nb,3\nc,5\nd,4\na,2\n");
  scratch.write("numbers.csv", "x,y\n1,2\n3,1\n5,6\n2,2\n4,8\n");
  scratch.write("bins.csv", "kind,x,y\na,1,2\nb,3,\nc,5,6\nd,2,2\na,4,8\n");
  scratch.write("covariance.csv", ",x,y\nx,4,1\ny,1,5\n");
}

std::string drawn(const Scratch& scratch, const nlohmann::json& golden) {
  nlohmann::ordered_json spec = golden["spec"];
  spec["format"] = "mollify release 1";
  spec["domain"]["file"] = scratch.path(spec["domain"]["file"]);
  for (const char* part : {"reference", "roster", "covariance"}) {
    if (spec.contains(part)) spec[part]["file"] = scratch.path(spec[part]["file"]);
  }
  const auto release = test::prepared(scratch, spec_of(spec, "golden_draws.json"));
  Sha256 hash;
  hash.add(test::drawn(*release, CsvSource(scratch.path(golden.value("data", "data.csv"))), 1));
  return hash.hex();
}

TEST(GoldenDraws, AreDrawnFromTheSameWordsAgain) {
  const Scratch scratch;
  write_inputs(scratch);
  const auto releases = golden_releases();
  for (const auto& [name, golden] : releases.items()) {
    // Networks learn other weights where additions and multiplications are not fused.
    if (golden.value("fused", false) &&
        detail::last_instruction_set() == detail::InstructionSet::kBaseline)
      continue;
    EXPECT_EQ(drawn(scratch, golden), golden["digest"].get<std::string>()) << name;
  }
}

/// Every name that the library knows is a value of `part` in one of the specs.
template <class Names>
void expect_all(const std::set<std::string>& given, const Names& names, const char* part) {
  for (const auto& named : names) {
    EXPECT_TRUE(given.contains(std::string(named.name))) << part << " " << named.name;
  }
}

TEST(GoldenDraws, HaveEveryMechanismScorerAndSpace) {
  std::set<std::string> mechanisms;
  std::set<std::string> scorers;
  std::set<std::string> spaces;
  const auto releases = golden_releases();
  for (const auto& [name, golden] : releases.items()) {
    const auto& spec = golden["spec"];
    mechanisms.insert(spec.contains("band") ? "location" : spec.value("mechanism", ""));
    if (spec["method"] == "integral-model") {
      spaces.insert("models");
      scorers.insert("likelihood");
    }
    if (!spec.contains("space")) continue;
    scorers.insert(spec["space"].value("scorer", ""));
    spaces.insert(spec["space"].value("kind", ""));
  }
  // All bands draw alike.
  for (const auto& [mechanism, name] : names_of(Mechanism{})) {
    EXPECT_TRUE(is_band(mechanism) || mechanisms.contains(std::string(name))) << name;
  }
  EXPECT_TRUE(mechanisms.contains("minimax"));
  expect_all(mechanisms, names_of(CentralMechanism{}), "mechanism");
  expect_all(scorers, names_of(ScorerKind{}), "scorer");
  expect_all(spaces, names_of(SpaceKind{}), "space");
}

}  // namespace
}  // namespace mollify
