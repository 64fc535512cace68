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

PreparedRelease prepared_parts(const char* model, const char* more,
                               std::optional<std::uint64_t> records = std::nullopt) {
  const Domain domain = Domain::make({Column::categorical("city", {"Ghent", "Lille", "Trier"})});
  const std::string spec = std::string("{\"model\": \"") + model +
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

TEST(FrontDistributed, RefusesWhatWorkersCannotDo) {
  const PreparedRelease integral = prepared_parts("integral", "}");
  EXPECT_FALSE(roster_counts(integral));
  EXPECT_EQ(test::refusal_of([&] { UnitDraws(integral, {}, integral.certificate().json()); }),
            "only a release of model local is drawn unit by unit");
  const PreparedRelease local = prepared_parts("local", kByUnit);
  EXPECT_THAT(test::refusal_of([&] { UnitDraws(local, {}, "another"); }),
              HasSubstr("its certificate is another one"));
  const PreparedRelease central =
      prepared_parts("central", ", \"delta\": 1e-9}, \"unit\": \"person\"", 100'000'000);
  EXPECT_THAT(test::refusal_of([&] { RecordCounter{central}; }),
              HasSubstr("model central with a unit"));
}

}  // namespace
}  // namespace mollify::front
