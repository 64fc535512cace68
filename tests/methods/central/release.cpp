// A central release's records over a finite domain, before and after the sampler.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "methods/central/method.h"
#include "records/source.h"
#include "release/prepared.h"
#include "replay.h"

namespace mollify {
namespace {

using test::Scratch;
using RowsOfValue = std::map<std::string, std::uint64_t>;

constexpr const char* kThreeValues =
    "columns:\n  a: {type: categorical, values: [x, y, z], null: x}\n";

/// Texts in the columns "id" and "a", and how many records each row represents.
class CountedRows final : public Source {
 public:
  CountedRows(std::vector<std::string> ids, std::vector<std::string> values,
              std::vector<std::uint64_t> counts)
      : texts_{std::move(ids), std::move(values)}, counts_(std::move(counts)) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      views_[i].assign(texts_[i].begin(), texts_[i].end());
    }
    table_.emplace(std::vector<std::string>{"id", "a", "count"},
                   std::vector<Values>{Values(std::span<const std::string_view>(views_[0])),
                                       Values(std::span<const std::string_view>(views_[1])),
                                       Values(counts_.size())});
  }

  [[nodiscard]] std::string_view name() const noexcept override { return table_->name(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return table_->columns();
  }
  [[nodiscard]] std::uint64_t record_count() const override { return table_->record_count(); }
  [[nodiscard]] std::optional<std::size_t> counts_column() const noexcept override { return 2; }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override {
    std::size_t begin = 0;
    table_->visit(wanted, [&](const Block& block) {
      take({block.rows, block.columns, std::span(counts_).subspan(begin, block.rows)});
      begin += block.rows;
    });
  }

 private:
  std::array<std::vector<std::string>, 2> texts_;
  std::array<std::vector<std::string_view>, 2> views_;
  std::vector<std::uint64_t> counts_;
  std::optional<MemorySource> table_;
};

/// As many records as there are units or rows, each through randomized response: at epsilon 30 and
/// k outcomes a record is another with probability below k 1e-13.
ReleaseSpec all_records(const Scratch& scratch, const char* domain, std::uint64_t count) {
  ReleaseSpec spec = test::integral_spec(scratch, domain);
  spec.method = Method::kCentral;
  spec.own = CentralSpec{.mechanism = CentralMechanism::kSubsampledRr};
  spec.privacy = ExactPrivacy::pure(Decimal(30));
  spec.count = count;
  spec.accept_error = true;
  return spec;
}

/// Releases of units, which a public roster lists: 0, 1, ...
ReleaseSpec one_record_of_each(const Scratch& scratch, const char* domain, std::size_t units) {
  ReleaseSpec spec = all_records(scratch, domain, units);
  std::string roster = "id\n";
  for (std::size_t unit = 0; unit < units; ++unit) roster += std::to_string(unit) + "\n";
  spec.unit = "id";
  spec.roster = PublicFile{scratch.write("units.csv", roster)};
  return spec;
}

RowsOfValue released_rows(const PreparedRelease& release, const Source& data) {
  const std::string csv = test::drawn(release, data, 1);
  RowsOfValue rows;
  for (std::size_t begin = csv.find('\n') + 1; begin < csv.size();) {
    const std::size_t end = csv.find('\n', begin);
    ++rows[csv.substr(begin, end - begin)];
    begin = end + 1;
  }
  return rows;
}

std::vector<std::uint64_t> in_order(const RowsOfValue& rows) {
  std::vector<std::uint64_t> counts;
  for (const char* value : {"x", "y", "z"}) {
    counts.push_back(rows.contains(value) ? rows.at(value) : 0);
  }
  return counts;
}

// The first unit would have 2^64 records of x, and so none, and release y.
TEST(CentralRelease, AUnitsCountsNeverOverflow) {
  const Scratch scratch;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
  const CountedRows data({"0", "0", "0", "1", "1"}, {"x", "x", "y", "z", "z"},
                         {kHalf, kHalf, 1, kHalf, kHalf});
  const auto release = prepare(one_record_of_each(scratch, kThreeValues, 2), PublicFiles(), {});
  EXPECT_EQ(released_rows(*release, data), (RowsOfValue{{"x", 1}, {"z", 1}}));
}

// Each unit's counts are the greatest there are, and their sum is 2^65. All of 32 units release a
// record of the same half of the domain with probability 2^-31.
// All counts of a unit are 1.5 * 2^64. In 64 bits that is 2^63: the counts of the first third.
TEST(CentralRelease, ManyOutcomesOfTheGreatestCountAreAlike) {
  constexpr std::size_t kUnits = 32;
  constexpr std::size_t kOutcomes = 3072;
  const Scratch scratch;
  std::vector<std::string> ids;
  std::vector<std::string> values;
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    for (std::size_t value = 0; value < kOutcomes; ++value) {
      ids.push_back(std::to_string(unit));
      values.push_back(std::to_string(value));
    }
  }
  const std::vector<std::uint64_t> counts(ids.size(), std::numeric_limits<std::uint64_t>::max());
  const CountedRows data(std::move(ids), std::move(values), counts);
  const auto release =
      prepare(one_record_of_each(
                  scratch, "columns:\n  a: {type: integer, min: 0, max: 3071, null: 0}\n", kUnits),
              PublicFiles(), {});
  std::uint64_t all = 0;
  std::uint64_t low = 0;
  for (const auto& [value, rows] : released_rows(*release, data)) {
    all += rows;
    if (std::stoul(value) < kOutcomes / 2) low += rows;
  }
  EXPECT_EQ(all, kUnits);
  EXPECT_GT(low, 0U);
  EXPECT_LT(low, kUnits) << low << " of " << kUnits << " in the lower half";
}

TEST(CentralRelease, AUnitReleasesOneOfItsRecordsEachAlike) {
  constexpr std::size_t kUnits = 3000;
  const Scratch scratch;
  std::vector<std::string> ids;
  std::vector<std::string> values;
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    for (const char* value : {"z", "x", "z", "y", "z"}) {
      ids.push_back(std::to_string(unit));
      values.emplace_back(value);
    }
  }
  const std::vector<std::uint64_t> counts(ids.size(), 1);
  const CountedRows data(std::move(ids), std::move(values), counts);
  const auto release =
      prepare(one_record_of_each(scratch, kThreeValues, kUnits), PublicFiles(), {});
  const std::array<double, 3> expected = {.2, .2, .6};
  EXPECT_TRUE(test::follows(expected, in_order(released_rows(*release, data))));
}

// Half of them are not in the data, and half have rows of no records.
TEST(CentralRelease, AUnitWithoutRecordsReleasesAnyOutcomeEachAlike) {
  constexpr std::size_t kUnits = 3000;
  const Scratch scratch;
  std::vector<std::string> ids;
  for (std::size_t unit = 0; unit < kUnits; unit += 2) ids.push_back(std::to_string(unit));
  const std::vector<std::string> values(ids.size(), "y");
  const std::vector<std::uint64_t> counts(ids.size(), 0);
  const CountedRows data(std::move(ids), values, counts);
  const auto release =
      prepare(one_record_of_each(scratch, kThreeValues, kUnits), PublicFiles(), {});
  const std::array<double, 3> expected = {1. / 3, 1. / 3, 1. / 3};
  EXPECT_TRUE(test::follows(expected, in_order(released_rows(*release, data))));
}

// The number of records is public: a release has as many however its data changed since.
TEST(CentralRelease, DataThatChangedSinceTheyWereCountedAreAsManyRecords) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
  const Scratch scratch;
  const auto release = prepare(all_records(scratch, kThreeValues, 6), PublicFiles(), 6);
  struct Case {
    std::array<std::uint64_t, 3> records;
    RowsOfValue released;
  };
  const Case cases[] = {
      {{1, 2, 3}, {{"x", 1}, {"y", 2}, {"z", 3}}},
      {{0, 0, 0}, {{"x", 6}}},
      {{0, 2, 2}, {{"x", 2}, {"y", 2}, {"z", 2}}},
      {{1, 0, 2}, {{"x", 4}, {"z", 2}}},
      {{0, 5, 4}, {{"y", 5}, {"z", 1}}},
      {{4, 5, 6}, {{"x", 4}, {"y", 2}}},
      {{0, kHalf, kHalf}, {{"y", 6}}},
  };
  for (const Case& one : cases) {
    const CountedRows data({"", "", ""}, {"x", "y", "z"}, {one.records.begin(), one.records.end()});
    EXPECT_EQ(released_rows(*release, data), one.released)
        << one.records[0] << " " << one.records[1] << " " << one.records[2];
  }
}

/// Rows, or units of at most the greatest weight, as the sampler of the design has them.
TEST(CentralRelease, DrawsFromSumsOfBoundedWeights) {
  const Scratch scratch;
  scratch.write("data.csv",
                "id,a,w\n0,x,1.5\n0,y,0.5\n1,z,4\n1,x,4\n2,y,9\n3,z,\n3,z,-2\n4,x,0\n,y,3\n");
  struct Case {
    bool units;
    OutcomeHistogram weights;
  };
  // In steps of a half, up to 5; an invalid weight is 1.
  const Case cases[] = {{false, {{0, 1, 2}, {11, 17, 12}}},
                        {true, {{0, 1, 2}, {3 + 5, 1 + 10, 5 + 4}}}};
  for (const Case& tested : cases) {
    ReleaseSpec spec = all_records(scratch, kThreeValues, 40);
    spec.own = CentralSpec{};
    spec.privacy = ExactPrivacy::pure(Decimal(2));
    if (tested.units) spec.unit = "id";
    spec.weights = WeightColumn{
        .column = "w", .greatest = Decimal(5), .step = Decimal(0.5), .invalid = Decimal(1)};
    const auto release = test::prepared(scratch, spec);
    EXPECT_EQ(release->certificate().mechanism(), "histogram");
    const HistogramSampler sampler(3, 1, 40, 2, 10);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::string csv;
      CsvSink sink(csv);
      test::FrozenRandom random(seed), again(seed);
      static_cast<void>(release->draw(CsvSource(scratch.path("data.csv")), random, sink, 1));
      std::string expected = "a\n";
      for (const std::uint32_t outcome : sampler.draw(tested.weights, again)) {
        expected += std::string(1, static_cast<char>('x' + outcome)) + "\n";
      }
      EXPECT_EQ(csv, expected) << tested.units;
    }
  }
}

// Of epsilon 2 the support takes 1, and randomized response over its three outcomes has the other:
// the value itself is e times as likely as another one.
TEST(CentralRelease, TheDrawWithinAFoundSupportHasHalfOfTheBudget) {
  constexpr std::uint64_t kRecords = 3000;
  const Scratch scratch;
  ReleaseSpec spec =
      all_records(scratch, "columns:\n  a: {type: integer, min: 0, max: 99, null: 0}\n", kRecords);
  spec.own.get<CentralSpec>()->support = SupportHint{SupportKind::kWidth, 1};
  spec.privacy = ExactPrivacy::approximate(Decimal(2), Decimal(1e-6));
  const auto release = prepare(spec, PublicFiles(), kRecords);
  const CountedRows data({""}, {"50"}, {kRecords});
  const RowsOfValue rows = released_rows(*release, data);
  std::vector<std::uint64_t> observed;
  std::uint64_t inside = 0;
  for (const char* value : {"49", "50", "51"}) {
    observed.push_back(rows.contains(value) ? rows.at(value) : 0);
    inside += observed.back();
  }
  EXPECT_EQ(inside, kRecords);
  const double e = std::exp(1);
  const std::array<double, 3> expected = {1 / (e + 2), e / (e + 2), 1 / (e + 2)};
  EXPECT_TRUE(test::follows(expected, observed));
}

}  // namespace
}  // namespace mollify
