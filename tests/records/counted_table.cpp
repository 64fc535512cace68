#include "records/counted_table.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_domain.h"
#include "records/record_encoder.h"

namespace mollify {
namespace {

// Read back, every row is the outcome that was counted, in any domain.
RC_GTEST_PROP(CountedTable, HoldsTheOutcomesThatWereCounted, ()) {
  const Domain domain = *test::domain();
  CountedRecords counted;
  counted.records = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::inRange<std::uint32_t>(0, domain.size()));
  for (std::size_t row = 0; row < counted.records.size(); ++row) counted.counts.push_back(row + 1);
  const CountedTable table(domain, counted);
  RC_ASSERT(table.columns().size() == domain.columns().size() + 1);
  RecordEncoder encoder(domain);
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> counts;
  std::vector<std::size_t> wanted = wanted_columns(table, domain.names());
  wanted.push_back(table.position(table.count_column(), "of counts"));
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
  EXPECT_EQ(CountedTable(domain, {}).count_column(), "count__");
  CountedRecords counted;
  counted.records = {7};  // there are four
  counted.counts = {1};
  EXPECT_EQ(CountedTable(domain, counted).record_count(), 1U);
}

}  // namespace
}  // namespace mollify
