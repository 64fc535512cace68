#include "records/tallies.h"

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "domain/column.h"
#include "domain/words.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/scratch.h"
#include "random_domain.h"
#include "records/private_table.h"
#include "records/source.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Counted table.

namespace {

// Read back, every row is the outcome that was counted, in any domain.
RC_GTEST_PROP(CountedTable, HoldsTheOutcomesThatWereCounted, ()) {
  const Domain domain = *test::domain();
  CountedRecords counted;
  counted.records = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::inRange<std::uint32_t>(0, domain.size()));
  for (std::size_t row = 0; row < counted.records.size(); ++row) counted.counts.push_back(row + 1);
  const auto held = counted_table(domain, counted);
  const Source& table = *held;
  RC_ASSERT(table.columns().size() == domain.columns().size() + 1);
  RecordEncoder encoder(domain);
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> counts;
  std::vector<std::size_t> wanted = wanted_columns(table, domain.names());
  wanted.push_back(table.columns().size() - 1);
  table.visit(wanted, [&](const Block& block) {
    encoder.encode(block);
    const auto read = encoder.outcomes();
    outcomes.insert(outcomes.end(), read.begin(), read.end());
    for (std::size_t row = 0; row < block.rows; ++row) {
      counts.push_back(
          static_cast<std::uint64_t>(std::get<std::int64_t>(block.columns.back()[row])));
    }
  });
  RC_ASSERT(outcomes == counted.records);
  RC_ASSERT(counts == counted.counts);
}

TEST(CountedTable, NamesItsCountsLikeNoColumn) {
  const Domain domain = Domain::make({Column::make("count", Categories::make({"a", "b"}), {}),
                                      Column::make("count_", Categories::make({"a", "b"}), {})});
  EXPECT_EQ(counted_table(domain, {})->columns().back(), "count__");
  CountedRecords counted;
  counted.records = {7};  // there are four
  counted.counts = {1};
  EXPECT_EQ(counted_table(domain, counted)->record_count(), 1U);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Empirical.

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Empirical, WithoutRecordsIsEmpty) {
  const Empirical empty;
  EXPECT_EQ(empty.total(), 0U);
  EXPECT_THAT(empty.outcomes(), IsEmpty());
  Tally<std::uint32_t> tally;
  EXPECT_EQ(Empirical(tally.take()).total(), 0U);
}

TEST(Empirical, CountsOutcomes) {
  Tally<std::uint32_t> tally;
  for (const std::uint32_t outcome : {7U, 3U, 7U, 16777215U, 7U, 3U}) tally.add(outcome);
  const Empirical empirical(tally.take());
  EXPECT_THAT(empirical.outcomes(), ElementsAre(3U, 7U, 16777215U));
  EXPECT_THAT(empirical.counts(), ElementsAre(2U, 3U, 1U));
  EXPECT_THAT(empirical.weights(), ElementsAre(2.0, 3.0, 1.0));
  EXPECT_EQ(empirical.total(), 6U);
}

TEST(Tally, AgreesWithAMapBeyondItsBuffer) {
  // Three times the buffer, so that counts are merged, with old and new keys interleaved.
  Tally<std::uint64_t> tally;
  std::map<std::uint64_t, std::uint64_t> expected;
  std::uint64_t state = 1;
  for (int i = 0; i < 800000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t key = (state >> 33U) % (1U << 17U);
    tally.add(key);
    ++expected[key];
  }
  const auto counts = tally.take();
  ASSERT_EQ(counts.keys.size(), expected.size());
  std::size_t i = 0;
  for (const auto& [key, count] : expected) {
    ASSERT_EQ(counts.keys[i], key);
    ASSERT_EQ(counts.counts[i], count);
    ++i;
  }
  EXPECT_TRUE(tally.take().keys.empty());
}

// Sums of counts saturate, so that they are the same in whatever order and parts they are added.
TEST(Tally, CountsSaturate) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> added = {{1, kAll},
                                                                      {1, 2},
                                                                      {2, kGreatestCount - 1},
                                                                      {2, 1},
                                                                      {3, kGreatestCount},
                                                                      {3, 1},
                                                                      {4, kAll / 2 + 1},
                                                                      {4, kAll / 2 + 1},
                                                                      {5, 0},
                                                                      {6, kGreatestCount - 1}};
  const auto expect_saturated = [](const OutcomeHistogram& counts) {
    EXPECT_THAT(counts.keys, ElementsAre(1U, 2U, 3U, 4U, 6U));
    EXPECT_THAT(counts.counts, ElementsAre(kGreatestCount, kGreatestCount, kGreatestCount,
                                           kGreatestCount, kGreatestCount - 1));
  };
  Tally<std::uint32_t> forth;
  for (const auto& [key, count] : added) forth.add(key, count);
  expect_saturated(forth.take());
  Tally<std::uint32_t> back;
  Tally<std::uint32_t> other;
  for (std::size_t i = added.size(); i-- > 0;) {
    (i % 2 == 0 ? back : other).add(added[i].first, added[i].second);
  }
  expect_saturated(merged(back.take(), other.take()));
}

// 4096 of the greatest count are 2^65, which 64 bits would take for none.
TEST(Empirical, TotalsDoNotOverflow) {
  OutcomeHistogram counts;
  for (std::uint32_t outcome = 0; outcome < 4096; ++outcome) {
    counts.keys.push_back(outcome);
    counts.counts.push_back(kGreatestCount);
  }
  EXPECT_TRUE(record_count(counts) == uint128{1} << 65U);
  EXPECT_EQ(Empirical(counts).total(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Record counter.

namespace {

constexpr const char* kCounterDomain =
    "columns:\n"
    "  color: {type: categorical, values: [red, green], null: category}\n"
    "  n: {type: integer, min: 0, max: 9}\n";
constexpr const char* kCounterHeader = "id,n,color\n";
const std::vector<std::string>& hostile_rows() {
  static const std::vector<std::string> rows = {
      "u,3,green\n", "u,3,green\n", "\"u\",nan,\xff\xfe\n", ",3,red\n",       "\n",
      "v,-1e999,\n", "w,9,red\n",   "u,3,green\n",          "v\"x,2,red,7\n", "nobody,1,red\n"};
  return rows;
}

/// Sums of counts, by unit and record.
using Sums = std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::uint64_t>;

void add_to(Sums& sums, const CountedRecords& counted) {
  ASSERT_EQ(counted.records.size(), counted.counts.size() * counted.width);
  ASSERT_EQ(counted.record_ends.size(), counted.unit_ends.size());
  std::uint64_t begin = 0;
  std::size_t unit = 0;
  std::string name;
  std::set<std::string> names;
  for (std::size_t i = 0; i < counted.counts.size(); ++i) {
    if (unit < counted.record_ends.size() && (i == 0 || counted.record_ends[unit - 1] == i)) {
      name = counted.units.substr(begin, counted.unit_ends[unit] - begin);
      begin = counted.unit_ends[unit++];
      EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    }
    const auto record = counted.records.begin() + static_cast<std::ptrdiff_t>(i * counted.width);
    sums[{name, std::vector<std::uint32_t>(record,
                                           record + static_cast<std::ptrdiff_t>(counted.width))}] +=
        counted.counts[i];
  }
  EXPECT_EQ(unit, counted.unit_ends.size());
  EXPECT_TRUE(unit == 0 || counted.record_ends.back() == counted.counts.size());
}

/// The rows in parts of this size, taken after each second part.
Sums counted_in_parts(const RecordCounting& counting, std::size_t rows_of_part) {
  const test::Scratch scratch;
  RecordCounter counter(counting);
  Sums sums;
  const auto& rows = hostile_rows();
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_of_part) {
    std::string text = kCounterHeader;
    for (std::size_t i = begin; i < std::min(begin + rows_of_part, rows.size()); ++i) {
      text += rows[i];
    }
    counter.add(CsvSource(scratch.write("part.csv", text)));
    if (begin / rows_of_part % 2 == 1) add_to(sums, counter.take());
  }
  add_to(sums, counter.take());
  return sums;
}

TEST(RecordCounter, CountsAsTheWholeTableDoesHoweverItIsCut) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(kCounterDomain, "domain.yaml");
  std::string text = kCounterHeader;
  for (const std::string& row : hostile_rows()) text += row;
  const CsvSource whole(scratch.write("data.csv", text));
  std::optional<Roster> roster(std::in_place);
  for (const char* id : {"w", "u", "absent"}) roster->insert(id);
  for (const auto& units : {std::optional<Roster>(), roster}) {
    const UnitTable table = read_units(whole, domain, "id", units);
    Sums expected;
    for (std::size_t unit = 0; unit < table.size(); ++unit) {
      for (std::size_t i = 0; i < table.outcomes(unit).size(); ++i) {
        expected[{std::string(table.id(unit)), {table.outcomes(unit)[i]}}] =
            static_cast<std::uint64_t>(table.weights(unit)[i]);
      }
    }
    for (std::size_t rows = 1; rows <= hostile_rows().size(); ++rows) {
      EXPECT_EQ(counted_in_parts({&domain, true, "id", units ? &*units : nullptr}, rows), expected);
    }
  }
  Sums records;
  const Empirical counts = read_table(whole, domain);
  for (std::size_t i = 0; i < counts.outcomes().size(); ++i) {
    records[{"", {counts.outcomes()[i]}}] = counts.counts()[i];
  }
  for (std::size_t rows = 1; rows <= hostile_rows().size(); ++rows) {
    EXPECT_EQ(counted_in_parts({&domain}, rows), records);
  }
}

TEST(RecordCounter, KeepsDigitsWhereThereAreNoOutcomes) {
  const Domain domain = parse_domain(kCounterDomain, "domain.yaml");
  const Sums outcomes = counted_in_parts({&domain, true, "id"}, 3);
  Sums expected;
  for (const auto& [key, count] : outcomes) {
    const std::uint32_t outcome = key.second.front();
    expected[{key.first, {domain.digit(outcome, 0), domain.digit(outcome, 1)}}] = count;
  }
  for (std::size_t rows = 1; rows <= hostile_rows().size(); ++rows) {
    EXPECT_EQ(counted_in_parts({&domain, false, "id"}, rows), expected);
  }
}

TEST(RecordCounter, ForgetsAListOfWordsWithItsPart) {
  const Domain domain = parse_domain(kCounterDomain, "domain.yaml");
  RecordCounter counter({&domain, true, "id"});
  const std::vector<std::uint32_t> places = {0, 0};
  const std::vector<std::int64_t> numbers = {1, 1};
  std::vector<std::string_view> words;
  const Values list = [&] {
    words = {"u"};
    return Values(std::span<const std::string_view>(words));
  }();
  for (const char* id : {"u", "v"}) {
    words[0] = id;  // at the same address
    counter.add(MemorySource(
        {"id", "n", "color"},
        {Values(Dictionary{places, &list}), Values(std::span(numbers)), Values(std::size_t{2})}));
  }
  Sums sums;
  add_to(sums, counter.take());
  ASSERT_EQ(sums.size(), 2U);
  for (const auto& [key, count] : sums) EXPECT_EQ(count, 2U) << key.first;
}

TEST(RecordCounter, IsFullBeforeMemoryIs) {
  const Domain domain = parse_domain(kCounterDomain, "domain.yaml");
  RecordCounter counter({&domain, true, "id"});
  const std::string long_id(1U << 20U, 'x');
  std::vector<std::string_view> ids = {long_id};
  const std::vector<std::int64_t> numbers = {1};
  std::size_t parts = 0;
  std::string id = long_id;
  for (; !counter.is_full(); ++parts) {
    id[parts] = 'y';
    ids[0] = id;
    counter.add(
        MemorySource({"id", "n", "color"}, {Values(std::span<const std::string_view>(ids)),
                                            Values(std::span(numbers)), Values(std::size_t{1})}));
  }
  EXPECT_EQ(parts, 64U);
  EXPECT_EQ(counter.take().unit_ends.size(), parts);
  EXPECT_FALSE(counter.is_full());
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Unit table.

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StringIndex index_of(const std::vector<std::string>& ids) {
  StringIndex index;
  for (const std::string& id : ids) index.insert(id);
  return index;
}

UnitTable table_of(UnitTable::Builder& records, const StringIndex& ids, bool same_units) {
  const UnitTable::Part part{&records, &ids};
  return UnitTable::of({&part, 1}, same_units);
}

TEST(UnitTable, KeepsUnitsWithoutRecords) {
  UnitTable::Builder builder;
  builder.add(2, 9);
  builder.add(2, 4);
  builder.add(2, 9);
  builder.add(1, 5);
  UnitTable::Builder same = builder;
  const StringIndex ids = index_of({"d", "c", "b", "a"});
  const UnitTable table = table_of(builder, ids, true);
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table.id(1), "c");
  EXPECT_THAT(table.outcomes(0), IsEmpty());
  EXPECT_THAT(table.outcomes(1), ElementsAre(5U));
  EXPECT_THAT(table.outcomes(2), ElementsAre(4U, 9U));
  EXPECT_THAT(table.weights(2), ElementsAre(1.0, 2.0));
  EXPECT_THAT(table.outcomes(3), IsEmpty());

  const UnitTable sorted = table_of(same, ids, false);
  EXPECT_EQ(sorted.id(0), "a");
  EXPECT_EQ(sorted.id(3), "d");
  EXPECT_THAT(sorted.outcomes(0), IsEmpty());
  EXPECT_THAT(sorted.outcomes(1), ElementsAre(4U, 9U));
  EXPECT_THAT(sorted.weights(1), ElementsAre(1.0, 2.0));
  EXPECT_THAT(sorted.outcomes(2), ElementsAre(5U));
}

TEST(UnitTable, MayHaveNoUnits) {
  for (const bool same_units : {false, true}) {
    UnitTable::Builder builder;
    EXPECT_EQ(table_of(builder, StringIndex(), same_units).size(), 0U);
  }
}

// The parts' counts of a unit are added up, and saturate as each part's do.
TEST(UnitTable, CountsOfPartsSaturate) {
  for (const bool same_units : {false, true}) {
    std::array<UnitTable::Builder, 2> records;
    for (UnitTable::Builder& one : records) {
      one.add(0, 7, std::uint64_t{1} << 63U);
      one.add(0, 8, 1);
      one.add(0, 9, kGreatestCount / 2);
      one.add(0, 10, 0);
    }
    const StringIndex ids = index_of({"a"});
    const std::array<UnitTable::Part, 2> parts = {{{&records[0], &ids}, {&records[1], &ids}}};
    const UnitTable table = UnitTable::of(parts, same_units);
    ASSERT_EQ(table.size(), 1U);
    EXPECT_THAT(table.outcomes(0), ElementsAre(7U, 8U, 9U));
    EXPECT_THAT(table.weights(0), ElementsAre(0x1p53, 2.0, 0x1p53));
  }
}

// Three parts with ids of their own, in orders of their own, some of them the same.
RC_GTEST_PROP(UnitTable, AgreesWithAMap, ()) {
  struct Own {
    StringIndex ids{};
    UnitTable::Builder records{};
  };
  const bool same_units = *rc::gen::arbitrary<bool>();
  const auto unit_count = *rc::gen::inRange<std::uint32_t>(1, 200);
  const auto rows = *rc::gen::container<
      std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>>(
      rc::gen::tuple(rc::gen::inRange(0U, 3U), rc::gen::inRange(0U, unit_count),
                     rc::gen::inRange(0U, 1U << 24U), rc::gen::inRange(0U, 4U)));
  std::array<Own, 3> owns;
  StringIndex all;
  if (same_units) {
    for (std::uint32_t unit = unit_count; unit-- > 0;) all.insert(std::to_string(unit));
    for (Own& own : owns) own.ids = all;
  }
  std::map<std::string, std::map<std::uint32_t, double>> expected;
  for (const auto& [part, unit, outcome, count] : rows) {
    const std::string id = std::to_string(unit);
    owns.at(part).records.add(owns.at(part).ids.insert(id), outcome, count);
    auto& records = expected[id];
    if (count > 0) records[outcome] += count;
  }
  std::vector<UnitTable::Part> parts;
  for (Own& own : owns) parts.push_back({&own.records, &own.ids});
  const UnitTable table = UnitTable::of(parts, same_units);
  RC_ASSERT(table.size() == (same_units ? unit_count : expected.size()));
  for (std::size_t unit = 0; unit < table.size(); ++unit) {
    if (same_units) {
      RC_ASSERT(table.id(unit) == all[unit]);
    } else if (unit > 0) {
      RC_ASSERT(table.id(unit - 1) < table.id(unit));
    }
    std::map<std::uint32_t, double> seen;
    const auto outcomes = table.outcomes(unit);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (i > 0) RC_ASSERT(outcomes[i - 1] < outcomes[i]);
      seen[outcomes[i]] = table.weights(unit)[i];
    }
    RC_ASSERT(seen == expected[std::string(table.id(unit))]);
  }
}

}  // namespace

}  // namespace mollify
