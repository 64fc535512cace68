// What every kind of column must do, asked of each that there is.
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "domain/column.h"
#include "formats/arrow.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/scratch.h"
#include "random_domain.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/source.h"

namespace mollify {

namespace {

/// Texts that columns read in different ways.
constexpr std::string_view kProbes[] = {"",
                                        "NA",
                                        "null",
                                        "nan",
                                        " ",
                                        "0",
                                        "1",
                                        "-1",
                                        "3",
                                        "3.0",
                                        "3.5",
                                        "03",
                                        "1e2",
                                        "100%",
                                        "50%",
                                        "1,234",
                                        "inf",
                                        "-inf",
                                        "1e999",
                                        "0.5",
                                        "true",
                                        "False",
                                        "yes",
                                        "No",
                                        "Y",
                                        "n",
                                        "f",
                                        "male",
                                        "FEMALE",
                                        "north",
                                        "South",
                                        "low",
                                        "a",
                                        "1.0",
                                        "9:30",
                                        "09:30:00",
                                        "9:30:00.5Z",
                                        "24:00",
                                        "2020-01-02",
                                        "2020-01-02T00:00:00Z",
                                        "2020-02-29",
                                        "2020-02-30",
                                        "2026-06-15",
                                        "2026-06-15 13:14:15",
                                        "1900-01-01",
                                        "9999-12-31",
                                        "2026-12-31T23:30:00-01:00",
                                        "2026-01-01T00:30:00.25+01:00",
                                        "0001-01-01",
                                        "10000-01-01",
                                        "2026-1-1",
                                        "15/06/2026"};

/// All that a column makes of values and writes for outcomes, as SHA-256: hashes of domains, cells
/// and written values are for ever.
std::string digest_of(const Column& column) {
  Sha256 hash;
  const auto add = [&](std::string_view text) {
    hash.add(text);
    hash.add("\n");
  };
  add(column.canonical_text());
  add(column.expectation());
  const auto add_read = [&](const Value& value) {
    const Reading reading = column.read(value);
    add(fmt::format("{} {} {}", static_cast<int>(reading.verdict), reading.cell,
                    column.encode(value)));
  };
  for (const std::string_view text : kProbes) add_read(text);
  for (const double number : {0.0, -0.0, 0.5, 1.0, 7.25, -1e300, 1e300, 0.1}) add_read(number);
  for (const std::int64_t whole : {0, 1, 2, 49, 50, 2020, -7}) add_read(whole);
  for (const bool truth : {false, true}) add_read(truth);
  add_read({});
  for (std::uint32_t cell = 0; cell < column.size(); cell += 1 + column.size() / 50) {
    const std::uint64_t points = column.points(cell);
    for (const std::uint64_t point : {std::uint64_t{0}, points / 2, points - 1}) {
      std::string text;
      column.write(cell, point, text);
      add(fmt::format("{} {}", points, text));
      EXPECT_EQ(column.encode(std::string_view(text)), cell) << text;
    }
  }
  return hash.hex().substr(0, 16);
}

/// Of each declaration that an example makes.
constexpr const char* kDigests = MOLLIFY_TEST_DATA "/column_digests.json";

/// One for each example of the kind.
std::vector<std::string> declarations_of(const ColumnKind& kind) {
  std::vector<std::string> declarations;
  for (const std::string_view example : kind.examples) {
    declarations.push_back(
        fmt::format("{{type: {}{}{}}}", kind.name, example.empty() ? "" : ", ", example));
  }
  return declarations;
}

Column declared(const std::string& settings) {
  return parse_domain("columns: {x: " + settings + "}", "d.yaml").columns()[0];
}

class EveryKind : public testing::TestWithParam<const ColumnKind*> {};

TEST_P(EveryKind, ReadsAndWritesAsEver) {
  std::ifstream file(kDigests);
  auto known = nlohmann::ordered_json::parse(file);
  for (const std::string& declaration : declarations_of(*GetParam())) {
    const std::string digest = digest_of(declared(declaration));
    // A new one is written, and one that is there stays for ever.
    if (std::getenv("MOLLIFY_WRITE") != nullptr && !known.contains(declaration)) {
      known[declaration] = digest;
      std::ofstream(kDigests) << known.dump(2) << "\n";
    }
    EXPECT_EQ(known.value(declaration, ""), digest) << declaration;
  }
}

TEST_P(EveryKind, IsWrittenAsItIsDeclared) {
  for (std::string declaration : declarations_of(*GetParam())) {
    declaration.pop_back();
    for (const char* mapping : {"}", ", null: category, outside: null}"}) {
      const Domain domain = parse_domain("columns: {x: " + declaration + mapping + "}", "d.yaml");
      const std::string yaml = domain_yaml(domain);
      EXPECT_EQ(parse_domain(yaml, "again"), domain) << yaml;
      EXPECT_EQ(domain_yaml(parse_domain(yaml, "again")), yaml);
      const std::string spelled_out = domain_yaml(domain, {}, Defaults::kSpelledOut);
      EXPECT_EQ(domain_yaml(parse_domain(spelled_out, "again")), spelled_out);
      EXPECT_EQ(parse_domain(domain_json(domain), "json"), domain) << domain_json(domain);
    }
  }
}

// A key's value counts: in the domain's hash, which the words of keyed releases are made with.
TEST_P(EveryKind, HashesEveryKey) {
  std::set<std::string_view> keys;
  std::set<std::string> texts;
  for (const std::string& declaration : declarations_of(*GetParam())) {
    const Column column = declared(declaration);
    EXPECT_TRUE(texts.insert(column.canonical_text()).second) << declaration;
    for (const ColumnKey& key : GetParam()->keys) {
      if (declaration.find(fmt::format("{}: ", key.name)) != declaration.npos)
        keys.insert(key.name);
    }
  }
  EXPECT_EQ(keys.size(), GetParam()->keys.size()) << "examples use every key";
}

// A least and a greatest value can be told if and only if the kind says so.
TEST_P(EveryKind, IsBoundedIfItSaysSo) {
  const auto declares = [](const char* key) {
    const auto& keys = GetParam()->keys;
    return std::any_of(keys.begin(), keys.end(),
                       [&](const ColumnKey& one) { return one.name == key; });
  };
  EXPECT_EQ(GetParam()->bounded, declares("min") && declares("max"));
  EXPECT_TRUE(GetParam()->ordered || !GetParam()->bounded);
}

// As CSV and as Arrow, a released value is read back into its cell.
TEST_P(EveryKind, ComesBackFromFilesAndArrow) {
  for (const std::string& declaration : declarations_of(*GetParam())) {
    const Domain domain = Domain::make({declared(declaration)});
    std::vector<std::uint32_t> outcomes;
    for (std::uint32_t cell = 0; cell < domain.size(); cell += 1 + domain.size() / 50) {
      outcomes.push_back(cell);
    }
    const auto write_to = [&](Sink& sink) {
      test::Integers integers(outcomes.size());
      RecordWriter writer(domain, sink);
      for (const std::uint32_t outcome : outcomes) writer.write_outcome(outcome, integers);
      writer.finish();
    };
    ArrowSink arrow;
    write_to(arrow);
    ArrowArrayStream stream{};
    arrow.export_to(&stream);
    const ArrowSource table(&stream);
    EXPECT_EQ(read_outcomes(table, domain), outcomes) << declaration;
    std::string text;
    CsvSink csv(text);
    write_to(csv);
    const test::Scratch scratch;
    EXPECT_EQ(read_outcomes(CsvSource(scratch.write("x.csv", text)), domain), outcomes)
        << declaration;
  }
}

TEST_P(EveryKind, IsGenerated) {
  EXPECT_TRUE(rc::check([] {
    const Column column = *test::column("x", GetParam());
    RC_ASSERT(&kind_of(column.cells()) == GetParam());
  }));
}

INSTANTIATE_TEST_SUITE_P(ColumnKinds, EveryKind,
                         testing::ValuesIn(column_kinds().begin(), column_kinds().end()),
                         [](const auto& of) { return std::string(of.param->name); });

}  // namespace

}  // namespace mollify
