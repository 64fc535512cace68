// Rows without an id, in every method with units: the release does not read them, and a unit's
// promise covers them.
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/csv.h"
#include "formats/public_files.h"
#include "formats/scratch.h"
#include "methods/marginals/method.h"
#include "records/private_table.h"
#include "records/source.h"
#include "release/prepared.h"
#include "release/release.h"
#include "replay.h"

namespace mollify {
namespace {

using test::FrozenRandom;
using test::Scratch;

constexpr const char* kWordsOfUnits =
    "columns:\n"
    "  a: {type: categorical, values: [x, y, z], null: x}\n"
    "  b: {type: integer, min: 0, max: 3, null: 0}\n";
constexpr const char* kNumbersOfUnits =
    "columns:\n"
    "  a: {type: number, min: 0, max: 10, null: 0}\n"
    "  b: {type: number, min: 0, max: 10, null: 0}\n";

/// A release of units that two columns name, or one, with the least that it needs.
struct AskedOfUnits {
  const char* name;
  const char* domain;
  const char* spec;
};

constexpr AskedOfUnits kOfUnits[] = {
    {"local", kWordsOfUnits, R"({"method": "local", "privacy": {"epsilon": 2}})"},
    {"local, scored", kWordsOfUnits,
     R"({"method": "local", "space": {"kind": "categories", "scorer": "kernel"},
         "mechanism": "relative", "privacy": {"epsilon": 2}})"},
    {"local, fresh candidates", kWordsOfUnits,
     R"({"method": "local", "space": {"candidates": 30, "fresh": true},
         "privacy": {"epsilon": 2}})"},
    {"central", kWordsOfUnits, R"({"method": "central", "count": 5, "privacy": {"epsilon": 20}})"},
    {"marginals", kWordsOfUnits,
     R"({"method": "marginals", "count": 5, "privacy": {"epsilon": 20}})"},
    {"marginals, hidden number", kWordsOfUnits,
     R"({"method": "marginals", "count": 5, "neighbours": "add-remove",
         "privacy": {"epsilon": 20}})"},
    {"gaussian", kNumbersOfUnits,
     R"({"method": "gaussian", "count": 5, "covariance_bound": 1, "mean_bound": 20,
         "privacy": {"epsilon": 20}})"},
    {"gaussian-model", kNumbersOfUnits,
     R"({"method": "gaussian-model", "count": 5, "privacy": {"epsilon": 20}})"},
};

/// Rows "household,person,a,b", some of them without one id or the other.
std::string rows_of_units(bool with_the_others) {
  static constexpr std::array<const char*, 4> kMissing = {",1", "NA,1", "h1,", "h2,nan"};
  std::string rows = "household,person,a,b\n";
  for (std::size_t row = 0; row < 3000; ++row) {
    const bool is_word = row % 7 != 0;
    const std::string values = fmt::format("{},{}\n", row % 3, is_word ? row % 4 : 3);
    if (with_the_others) rows += std::string(kMissing[row % 4]) + ",2,1\n";
    rows += fmt::format("h{},{},{}", row / 4, row % 2, values);
  }
  return rows;
}

Json spec_of_units(const AskedOfUnits& asked, bool by_two) {
  Json spec = Json::parse(asked.spec);
  spec["domain"]["text"] = asked.domain;
  spec["unit"] = by_two ? Json({"household", "person"}) : Json("household");
  spec["accept_error"] = true;
  return spec;
}

std::unique_ptr<const PreparedRelease> release_of_units(const AskedOfUnits& asked,
                                                        const std::optional<std::string>& roster,
                                                        const Source& data) {
  Json json = spec_of_units(asked, true);
  if (roster) json["roster"]["file"] = *roster;
  const ReleaseSpec spec = parse_spec(json.dump(), asked.name);
  return prepare(spec, PublicFiles(), public_count(spec, data));
}

/// With rows that name nobody among them, the same words make the same release, and no word more is
/// used. Threads of method local have words of their own, so the next test is about it.
TEST(RowsWithoutAnId, ChangeNoRelease) {
  const Scratch scratch;
  const CsvSource some(scratch.write("some.csv", rows_of_units(false)));
  const CsvSource all(scratch.write("all.csv", rows_of_units(true)));
  const std::string roster =
      scratch.write("units.csv", "household,person\nh1,0\nh1,1\nh9,0\nq,1\n");
  std::size_t tried = 0;
  for (const AskedOfUnits& asked : kOfUnits) {
    const std::string_view name = asked.name;
    if (name.starts_with("local")) continue;
    for (const auto& listed : {std::optional<std::string>(), std::optional(roster)}) {
      if (listed && name != "marginals") continue;  // four units are enough for this method alone
      const auto release = release_of_units(asked, listed, some);
      EXPECT_EQ(certificate_text(release_of_units(asked, listed, all)->certificate()),
                certificate_text(release->certificate()))
          << name;
      const auto drawn = [&](const Source& data, std::uint64_t& next) {
        FrozenRandom random(7);
        std::string csv;
        CsvSink sink(csv);
        const Drawn more = release->draw(data, random, sink, 1);
        next = random.word();
        return more.model + csv;
      };
      std::uint64_t after_some = 0;
      std::uint64_t after_all = 0;
      EXPECT_EQ(drawn(some, after_some), drawn(all, after_all)) << name;
      EXPECT_EQ(after_some, after_all) << name << ": other words were used";
      ++tried;
    }
  }
  EXPECT_EQ(tried, 6U);
}

/// All that method local draws from, in this process and on workers, is what it is without them.
TEST(RowsWithoutAnId, ChangeNothingThatMethodLocalReads) {
  const Scratch scratch;
  const CsvSource some(scratch.write("some.csv", rows_of_units(false)));
  const CsvSource all(scratch.write("all.csv", rows_of_units(true)));
  const std::string file = scratch.write("units.csv", "household,person\nh1,0\nh1,1\nh9,0\nq,1\n");
  for (const AskedOfUnits& asked : kOfUnits) {
    if (!std::string_view(asked.name).starts_with("local")) continue;
    for (const auto& listed : {std::optional<std::string>(), std::optional(file)}) {
      const auto release = release_of_units(asked, listed, some);
      const RecordCounting counting = release->counting();
      ASSERT_EQ(counting.unit.size(), 2U);
      const auto counted = [&](const Source& data) {
        RecordCounter counter(counting);
        counter.add(data);
        const CountedRecords found = counter.take();
        return std::tuple(found.units, found.unit_ends, found.record_ends, found.records,
                          found.counts);
      };
      EXPECT_EQ(counted(some), counted(all)) << asked.name;
      EXPECT_FALSE(std::get<0>(counted(all)).empty());
      std::optional<Roster> roster;
      if (listed) roster = read_roster(*listed, counting.unit);
      const auto tallied = [&](const Source& data) {
        const UnitTable units = read_units(data, *counting.domain, counting.unit, roster);
        std::vector<std::tuple<std::string, std::vector<std::uint32_t>, std::vector<double>>> each;
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
          const auto outcomes = units.outcomes(unit);
          const auto weights = units.weights(unit);
          each.emplace_back(units.id(unit), std::vector(outcomes.begin(), outcomes.end()),
                            std::vector<double>(weights.begin(), weights.end()));
        }
        return each;
      };
      EXPECT_EQ(tallied(some), tallied(all)) << asked.name;
      const auto digits = [&](const Source& data) {
        FrozenRandom random(1);
        const UnitRecords units =
            read_unit_digits(data, *counting.domain, counting.unit, roster, 1000, random);
        std::vector<std::vector<std::uint32_t>> each;
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
          each.emplace_back(units.digits(unit).begin(), units.digits(unit).end());
        }
        return each;
      };
      EXPECT_EQ(digits(some), digits(all)) << asked.name;
    }
  }
}

/// Where one column names the unit, rows of a household without a person count.
TEST(RowsWithoutAnId, AreThoseOfTheColumnsThatNameUnits) {
  const Scratch scratch;
  const CsvSource all(scratch.write("all.csv", rows_of_units(true)));
  for (const AskedOfUnits& asked : kOfUnits) {
    const ReleaseSpec by_one = parse_spec(spec_of_units(asked, false).dump(), asked.name);
    const ReleaseSpec by_two = parse_spec(spec_of_units(asked, true).dump(), asked.name);
    if (const auto count = public_count(by_one, all)) {
      EXPECT_EQ(*count, 750U) << asked.name;
      EXPECT_EQ(public_count(by_two, all), 1500U) << asked.name;
    }
  }
}

// -----------------------------------------------------------------------------------------------
// The promise for a unit, by exact enumeration.

/// A table of two units with at most one row each, and at most one row of nobody: in each of them a
/// value of three, or no row.
struct TinyTable {
  std::array<int, 3> values;  // -1: no row
  [[nodiscard]] std::string csv() const {
    std::string rows = "id,a,b\n";
    for (std::size_t unit = 0; unit < values.size(); ++unit) {
      if (values[unit] < 0) continue;
      rows += std::array{"u", "v", "NA"}[unit] + std::string(",") +
              static_cast<char>('a' + values[unit]) + ",true\n";
    }
    return rows;
  }
  friend auto operator<=>(const TinyTable&, const TinyTable&) = default;
};

std::vector<TinyTable> tiny_tables() {
  std::vector<TinyTable> tables;
  for (int u = -1; u < 3; ++u) {
    for (int v = -1; v < 3; ++v) {
      for (int nobody = -1; nobody < 3; ++nobody) tables.push_back({{u, v, nobody}});
    }
  }
  return tables;
}

/// Whether the tables differ in the rows of one unit, and perhaps in those of nobody.
bool are_neighbours(const TinyTable& one, const TinyTable& other) {
  return (one.values[0] != other.values[0]) + (one.values[1] != other.values[1]) == 1;
}

/// The exact law of a whole release, word by word: it does not depend on the row of nobody, and
/// replacing a unit's row changes it by what was paid, whatever nobody's row becomes meanwhile.
TEST(RowsWithoutAnId, AreCoveredByThePromiseForAUnit) {
  const Scratch scratch;
  Json json = Json::parse(
      R"({"method": "central", "mechanism": "subsampled-rr", "count": 1, "unit": "id",
          "roster": {"file": "units.csv"}, "accept_error": true, "privacy": {"epsilon": 0.7}})");
  json["domain"]["text"] = "columns:\n  a: {type: categorical, values: [a, b, c], null: a}\n";
  const PublicFiles files({}, {}, {{"units.csv", "id\nu\nv\n"}});
  const auto release = prepare(parse_spec(json.dump(), "it"), files, std::nullopt);
  std::map<TinyTable, test::DrawnLaw<std::string>> laws;
  for (const TinyTable& table : tiny_tables()) {
    const CsvSource data("it.csv", table.csv());
    laws[table] = test::drawn_law([&](SecureRandom& random) {
      std::string csv;
      CsvSink sink(csv);
      release->draw(data, random, sink, 1);
      return csv;
    });
  }
  long double most = 0;
  for (const auto& [table, law] : laws) {
    const TinyTable without{{table.values[0], table.values[1], -1}};
    EXPECT_LE(test::greatest_log_ratio(law, laws.at(without)), 1e-15L);
    for (const auto& [other, its] : laws) {
      if (are_neighbours(table, other)) {
        most = std::max(most, test::greatest_log_ratio(law, its));
      }
    }
  }
  EXPECT_LE(most, 0.7L * (1 + 1e-9L));
  EXPECT_GE(most, 0.7L * 0.95L);
}

/// Counts move by a unit's weight where the unit comes or goes, and by nothing for rows of nobody.
TEST(RowsWithoutAnId, MoveNoCountsOfAddAndRemove) {
  SpecDomain declared;
  declared.text =
      "columns:\n  a: {type: categorical, values: [a, b, c], null: a}\n  b: {type: boolean, null: "
      "false}\n";
  const Domain domain = PublicFiles().domain(declared);
  std::map<TinyTable, std::vector<std::uint64_t>> counts;
  for (const TinyTable& table : tiny_tables()) {
    FrozenRandom random(1);
    const PairCounts counted =
        exact_pair_counts(CsvSource("it.csv", table.csv()), domain, "id", std::nullopt, random);
    const auto column = counted.column(0);
    counts[table].assign(column.begin(), column.end());
  }
  std::uint64_t most = 0;
  for (const auto& [one, its] : counts) {
    for (const auto& [other, others] : counts) {
      std::uint64_t moved = 0;
      for (std::size_t i = 0; i < its.size(); ++i) {
        moved += std::max(its[i], others[i]) - std::min(its[i], others[i]);
      }
      if (one.values[0] == other.values[0] && one.values[1] == other.values[1]) {
        EXPECT_EQ(moved, 0U) << "nobody's row counts";
      }
      const bool comes = one.values[0] < 0 && other.values[0] >= 0;
      if (comes && one.values[1] == other.values[1]) most = std::max(most, moved);
    }
  }
  EXPECT_EQ(most, kUnitWeight);
}

}  // namespace
}  // namespace mollify
