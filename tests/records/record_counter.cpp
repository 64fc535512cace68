#include "records/record_counter.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/csv_source.h"
#include "io/domain_yaml.h"
#include "io/scratch.h"
#include "records/memory_table.h"
#include "records/private_table.h"

namespace mollify {
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

/// The rows in parts of so many each, taken after each second part.
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
}  // namespace mollify
