#include "records/source.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/scratch.h"
#include "records/private_table.h"
#include "refusal.h"

namespace mollify {

namespace {

using ::testing::ElementsAre;

Domain counted_domain() {
  return parse_domain("columns:\n  color: {type: categorical, values: [red, green, blue]}\n",
                      "domain.yaml");
}

/// The counts that a source of these values has.
std::vector<std::uint64_t> counts_in(const Values& said) {
  const MemorySource table({"n"}, {said});
  const CountedSource counted(table, "n");
  std::vector<std::uint64_t> counts;
  counted.visit({}, [&](const Block& block) {
    EXPECT_TRUE(block.columns.empty());
    EXPECT_EQ(block.counts.size(), block.rows);
    counts.insert(counts.end(), block.counts.begin(), block.counts.end());
  });
  return counts;
}

TEST(CountedSource, ReadsWholeNumbersOfEveryType) {
  const std::vector<std::int64_t> integers{
      3, 0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
      7};
  const std::vector<std::uint8_t> valid{1, 1, 1, 1, 1, 0};
  constexpr std::uint64_t kMost = CountedSource::kMostOfARow;
  EXPECT_THAT(counts_in(Values(std::span(integers), valid)), ElementsAre(3, 0, 0, 0, kMost, 0));
  const std::vector<double> numbers{2,
                                    2.5,
                                    -1,
                                    std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN(),
                                    1e300};
  EXPECT_THAT(counts_in(Values(std::span(numbers))), ElementsAre(2, 0, 0, kMost, 0, kMost));
  const std::vector<std::string_view> texts{"12",  "1e3", "",      "x",       "-4",   "5 ",  "0.5",
                                            "2.0", "02",  "1,000", "1,000.0", "1,00", "50%", "+2"};
  EXPECT_THAT(counts_in(Values(std::span(texts))),
              ElementsAre(12, 1000, 0, 0, 0, 5, 0, 2, 2, 1000, 1000, 0, 0, 2));
  EXPECT_THAT(counts_in(Values(std::size_t{2})), ElementsAre(0, 0));
}

TEST(CountedSource, CountsWhatItsRowsStandFor) {
  const test::Scratch scratch;
  const CsvSource table(scratch.write("counted.csv",
                                      "n,who,color\n3,ann,red\n2,bob,blue\n0,cis,red\n"
                                      "5000000000,ann,blue\nx,bob,red\n1,ann,red\n"));
  const CountedSource counted(table, "n");
  EXPECT_EQ(counted.record_count(), 5'000'000'006U);
  const OutcomeHistogram all = read_counts(counted, counted_domain());
  EXPECT_THAT(all.keys, ElementsAre(0, 2));
  EXPECT_THAT(all.counts, ElementsAre(4, 5'000'000'002));
  EXPECT_EQ(read_table(counted, counted_domain()).total(), 5'000'000'006U);

  const UnitTable units = read_units(counted, counted_domain(), "who");
  ASSERT_EQ(units.size(), 3U) << "a row of no records names its unit";
  EXPECT_THAT(units.outcomes(0), ElementsAre(0, 2));
  EXPECT_THAT(units.weights(0), ElementsAre(4, 5e9));
  EXPECT_THAT(units.outcomes(1), ElementsAre(2));
  EXPECT_TRUE(units.outcomes(2).empty());
}

// A counted table and the same with a row for each record are one histogram.
TEST(CountedSource, IsTheTableOfWhichEachRowIsARecord) {
  const test::Scratch scratch;
  std::string counted = "color,n\n";
  std::string rows = "color\n";
  const char* const colors[] = {"red", "green", "blue", "none"};
  for (int i = 0; i < 3000; ++i) {
    const int times = i * i % 7;
    counted += std::string(colors[i % 4]) + "," + std::to_string(times) + "\n";
    for (int j = 0; j < times; ++j) rows += std::string(colors[i % 4]) + "\n";
  }
  const CsvSource table(scratch.write("counted.csv", counted));
  const CsvSource plain(scratch.write("rows.csv", rows));
  const CountedSource source(table, "n");
  EXPECT_EQ(source.record_count(), plain.record_count());
  const OutcomeHistogram ours = read_counts(source, counted_domain());
  const OutcomeHistogram theirs = read_counts(plain, counted_domain());
  EXPECT_EQ(ours.keys, theirs.keys);
  EXPECT_EQ(ours.counts, theirs.counts);
}

TEST(CountedSource, RefusesAColumnThatIsMissing) {
  const MemorySource table({"n"}, {Values(std::size_t{1})});
  EXPECT_EQ(test::refusal_of([&] { const CountedSource counted(table, "m"); }),
            test::refusal_of([&] {
              static_cast<void>(table.position("m", "with how many records a row counts as"));
            }));
}

TEST(CountedSource, CountsNeitherADomainsColumnNorTheUnits) {
  const MemorySource table({"color", "who", "n"}, {Values(std::size_t{1}), Values(std::size_t{1}),
                                                   Values(std::size_t{1})});
  const auto refused = [&](const std::string& counts) {
    const CountedSource counted(table, counts);
    return test::refusal_of([&] { require_columns(counted, counted_domain(), "who"); });
  };
  EXPECT_EQ(refused("n"), "accepted");
  EXPECT_EQ(
      refused("color"),
      "the counts column must not be a column of the domain, but \"color\" is: remove it there");
  EXPECT_EQ(refused("who"), "the counts column must not be the unit column, but \"who\" is both");
}

// Whatever the container, and before anything is counted.
TEST(RecordEncoder, MakesRecordsThatBreakARulePossible) {
  const Domain domain = parse_domain(
      "columns:\n  job: {type: categorical, values: [baker, none]}\n"
      "  pay: {type: integer, min: 0, max: 3}\nrules: [if job == none then pay is null]\n",
      "domain.yaml");
  const test::Scratch scratch;
  const CsvSource file(scratch.write("table.csv", "job,pay\nnone,2\nbaker,2\nnone,\n"));
  const std::vector<std::string_view> jobs{"none", "baker", "none"};
  const std::vector<std::int64_t> pays{2, 2, 2};
  const std::vector<std::uint8_t> known{1, 1, 0};
  const MemorySource memory({"job", "pay"},
                            {Values(std::span(jobs)), Values(std::span(pays), known)});
  constexpr std::uint32_t kNull = 4;
  for (const Source* const source :
       {static_cast<const Source*>(&file), static_cast<const Source*>(&memory)}) {
    RecordEncoder encoder(domain);
    const std::vector<std::size_t> places{0, 1};
    source->visit(places, [&](const Block& block) {
      encoder.encode(block);
      EXPECT_THAT(encoder.digits(0), ElementsAre(1, 0, 1));
      EXPECT_THAT(encoder.digits(1), ElementsAre(kNull, 2, kNull));
    });
  }
}

}  // namespace

}  // namespace mollify
