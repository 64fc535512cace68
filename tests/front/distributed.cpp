#include "mollify/distributed.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify::front {

namespace {

using testing::HasSubstr;

PreparedRelease prepared_parts(const char* method, const char* more,
                               std::optional<std::uint64_t> records = std::nullopt) {
  const Domain domain = Domain::make({Column::declare(
      "city",
      {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}, {"null", "Ghent"}})});
  const std::string spec = std::string("{\"method\": \"") + method +
                           "\", \"count\": 2, \"privacy\": {\"epsilon\": 2" + more + "}";
  return prepare(ReleaseSpec::parse(spec, domain), records,
                 {{"units.csv", "person\nbob\nann\ndan\n"}});
}

constexpr const char* kByUnit = "}, \"unit\": \"person\", \"roster\": {\"file\": \"units.csv\"}";

/// Units, and their records of one word of 4 bytes each.
struct Rows {
  void add(const CountedRecords& counted) {
    std::uint64_t name = 0;
    std::uint64_t begin = 0;
    for (std::size_t unit = 0; unit < counted.unit_ends.size(); ++unit) {
      const std::uint64_t size = counted.record_ends[unit] - begin;
      units.push_back(counted.units.substr(name, counted.unit_ends[unit] - name));
      records.emplace_back(reinterpret_cast<const char*>(counted.records.data() + begin), 4 * size);
      counts.emplace_back(reinterpret_cast<const char*>(counted.counts.data() + begin), 8 * size);
      name = counted.unit_ends[unit];
      begin = counted.record_ends[unit];
    }
  }
  std::vector<std::string> units;
  std::vector<std::string> records;
  std::vector<std::string> counts;
};

TEST(FrontDistributed, WorkersCountAndDrawForAllUnitsOfTheRoster) {
  const PreparedRelease on_driver = prepared_parts("local", kByUnit);
  RecordCounter counter(prepared_parts("local", kByUnit));
  const std::vector<std::string_view> people = {"ann", "bob", "ann", "eve"};
  const std::vector<std::string_view> cities = {"Lille", "nowhere", "Lille", "Trier"};
  counter.add(Source::memory({{"person", people}, {"city", cities}}));
  EXPECT_FALSE(counter.is_full());
  const CountedRecords counted = counter.take();
  EXPECT_EQ(counted.units, "bobann") << "eve is none of them";
  EXPECT_EQ(counted.record_ends, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(counted.counts, (std::vector<std::uint64_t>{1, 2}));
  const CountedRecords roster = roster_counts(on_driver).value();
  EXPECT_EQ(roster.units, "bobanndan");
  EXPECT_EQ(roster.record_ends, (std::vector<std::uint64_t>{0, 0, 0}));
  Rows rows;
  rows.add(counted);
  rows.add({.units = "dan", .unit_ends = {3}, .record_ends = {0}});

  const ReleaseKey key;
  const std::vector<std::string_view> units(rows.units.begin(), rows.units.end());
  const std::vector<std::string_view> records(rows.records.begin(), rows.records.end());
  const std::vector<std::string_view> counts(rows.counts.begin(), rows.counts.end());
  const auto drawn = [&] {
    UnitDraws draws(prepared_parts("local", kByUnit),
                    ReleaseKey::of_worker_bytes(key.bytes_for_workers()),
                    on_driver.certificate().json());
    std::vector<ReleasedColumn> table;
    draws.draw(Source::memory({{"unit", units}, {"records", records}, {"counts", counts}}), true,
               Sink::memory(table));
    EXPECT_TRUE(draws.places().empty());
    return table;
  };
  const auto table = drawn();
  EXPECT_EQ(std::get<std::vector<std::string>>(table[0].values),
            (std::vector<std::string>{"bob", "bob", "ann", "ann", "dan", "dan"}));
  EXPECT_EQ(std::get<std::vector<std::string>>(drawn()[1].values),
            std::get<std::vector<std::string>>(table[1].values));
}

/// A release of two numbers around 3 and -20, 4000 rows of them.
PreparedRelease prepared_numbers(const std::string& method, const char* more = "") {
  const Domain domain = Domain::make(
      {Column::declare("x",
                       {{"type", "number"}, {"min", 0}, {"max", 10}, {"bins", 10}, {"null", 0}}),
       Column::declare(
           "y", {{"type", "number"}, {"min", -50}, {"max", 50}, {"bins", 20}, {"null", -50}})});
  return prepare(ReleaseSpec::parse("{\"count\": 5, \"method\": " + method +
                                        ", \"privacy\": {\"rho\": 50}" + more + "}",
                                    domain),
                 4000, {});
}

struct Numbers {
  std::vector<double> x;
  std::vector<double> y;
};

/// The sum of the parts of a table, each of them in a process of its own that has read the release
/// anew, and once more that is lost.
std::vector<std::int64_t> added_up(const PreparedRelease& prepared,
                                   const std::vector<Numbers>& parts, const std::string& pass) {
  std::vector<std::int64_t> all;
  for (std::size_t number = 0; number < parts.size(); ++number) {
    RecordSums::Sums found;
    for (int i = 0; i < 2; ++i) {
      RecordSums part(prepared, pass, number);
      part.add(Source::memory({{"y", parts[number].y}, {"x", parts[number].x}}));
      found = part.take();
    }
    if (all.size() < found.begin + found.sums.size()) all.resize(found.begin + found.sums.size());
    for (std::size_t i = 0; i < found.sums.size(); ++i) all[found.begin + i] += found.sums[i];
  }
  return all;
}

TEST(FrontDistributed, DrawsFromSumsOfParts) {
  std::vector<Numbers> parts(3);
  for (std::size_t i = 0; i < 4000; ++i) {
    Numbers& part = parts[i < 10 ? 0 : 2];
    part.x.push_back(3 + (static_cast<double>(i % 7) - 3) / 2);
    part.y.push_back(-20 + static_cast<double>(i % 5) - 2);
  }
  for (const bool is_shared : {false, true}) {
    const PreparedRelease prepared =
        is_shared ? prepared_numbers("\"gaussian-model\"")
                  : prepared_numbers("\"gaussian\"", ", \"covariance_bound\": 4");
    ASSERT_TRUE(is_summed(prepared));
    EXPECT_EQ(needs_order(prepared), !is_shared);
    std::vector<ReleasedColumn> table;
    std::size_t passes = 0;
    const Certificate certificate = release_by_sums(
        prepared,
        [&](const std::string& pass) {
          ++passes;
          return added_up(prepared, parts, pass);
        },
        Sink::memory(table));
    EXPECT_EQ(certificate.json(), prepared.certificate().json());
    EXPECT_EQ(passes, is_shared ? 4U : 3U);
    // Columns have standard deviations of 1 to 2: 9 are hardly ever exceeded.
    for (const double x : std::get<std::vector<double>>(table[0].values)) EXPECT_NEAR(x, 3, 18);
    for (const double y : std::get<std::vector<double>>(table[1].values)) EXPECT_NEAR(y, -20, 18);
  }
}

TEST(FrontDistributed, DrawsFromCountsOfPairs) {
  const PreparedRelease prepared = prepared_numbers("\"marginals\"");
  ASSERT_TRUE(is_summed(prepared));
  EXPECT_FALSE(needs_order(prepared));
  std::vector<Numbers> parts(2);
  parts[0] = {std::vector<double>(1000, 3.), std::vector<double>(1000, -20.)};
  parts[1] = {std::vector<double>(3000, 3.), std::vector<double>(3000, -20.)};
  std::vector<ReleasedColumn> table;
  std::string model;
  const Certificate certificate = release_by_sums(
      prepared, [&](const std::string& pass) { return added_up(prepared, parts, pass); },
      Sink::memory(table).with_model(model));
  EXPECT_THAT(model, HasSubstr("\"format\":\"mollify model "));
  EXPECT_THAT(certificate.json(), HasSubstr("\n  \"measured\": {\n    \"model_sha256\": \""));
  // All rows are alike, and noise is one row: another cell is drawn once in a thousand.
  int alike = 0;
  for (const double x : std::get<std::vector<double>>(table[0].values)) alike += x >= 3 && x <= 4;
  EXPECT_GE(alike, 4);
  EXPECT_EQ(test::refusal_of([&] { RecordSums(prepared_numbers("\"gaussian-model\""), "x", 0); }),
            "a pass over parts of a table is none that this version knows");
}

TEST(FrontDistributed, RefusesWhatWorkersCannotDo) {
  const PreparedRelease integral = prepared_parts("integral", "}");
  EXPECT_FALSE(roster_counts(integral));
  EXPECT_EQ(test::refusal_of([&] { UnitDraws(integral, {}, integral.certificate().json()); }),
            "only a release of method local is drawn unit by unit");
  const PreparedRelease local = prepared_parts("local", kByUnit);
  EXPECT_THAT(test::refusal_of([&] { UnitDraws(local, {}, "another"); }),
              HasSubstr("its certificate is another one"));
  const PreparedRelease central =
      prepared_parts("central", ", \"delta\": 1e-9}, \"unit\": \"person\"", 100'000'000);
  EXPECT_THAT(test::refusal_of([&] { RecordCounter{central}; }),
              HasSubstr("method central with a unit"));
  EXPECT_FALSE(is_summed(central));
  EXPECT_EQ(test::refusal_of([&] { RecordSums(central, "", 0); }),
            "only Gaussian samples and marginals are drawn from sums over all records");
  EXPECT_THAT(
      test::refusal_of([&] {
        static_cast<void>(is_summed(prepared_numbers("\"marginals\"", ", \"unit\": \"person\"")));
      }),
      HasSubstr("method marginals with a unit"));
  const Domain cut = Domain::parse(
      "columns:\n  x: {type: number, min: 0, max: 10, bins: private, null: 0}\n"
      "  y: {type: number, min: -50, max: 50, bins: 20, null: -50}\n");
  const PreparedRelease binned =
      prepare(ReleaseSpec::parse("{\"method\": \"marginals\", \"count\": 5, "
                                 "\"privacy\": {\"rho\": 50}}",
                                 cut),
              4000, {});
  const char* const why =
      "private bins are found by a pass before the counts, so such a release is made where the "
      "table is";
  EXPECT_EQ(test::refusal_of([&] { static_cast<void>(is_summed(binned)); }), why);
  EXPECT_EQ(test::refusal_of([&] {
              std::vector<ReleasedColumn> table;
              release_by_sums(
                  binned,
                  [](const std::string&) -> std::vector<std::int64_t> {
                    ADD_FAILURE() << "a pass was asked for";
                    return {};
                  },
                  Sink::memory(table));
            }),
            why);
}

}  // namespace
}  // namespace mollify::front
