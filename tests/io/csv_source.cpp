#include "io/csv_source.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/pipe.h"
#include "io/scratch.h"
#include "records/numeric_rows.h"
#include "records/private_table.h"
#include "refusal.h"
#include "space/domain.h"
#include "space/real_columns.h"

namespace mollify {
namespace {

using ::testing::ElementsAre;

/// The fields of the wanted columns, row after row, and how many blocks they came in.
struct Visited {
  std::vector<std::string> fields;
  std::vector<std::size_t> blocks;
};

Visited visited(const Source& source, const std::vector<std::size_t>& wanted) {
  Visited all;
  source.visit(wanted, [&](const Block& block) {
    EXPECT_EQ(block.columns.size(), wanted.size());
    for (std::size_t row = 0; row < block.rows; ++row) {
      for (const Values& column : block.columns) {
        EXPECT_EQ(column.size(), block.rows);
        all.fields.emplace_back(std::get<std::string_view>(column[row]));
      }
    }
    all.blocks.push_back(block.rows);
  });
  return all;
}

TEST(CsvSource, GivesTheWantedColumnsOfEveryLine) {
  const test::Scratch scratch;
  const CsvSource csv(scratch.write("d.csv", "a,b,c\n1,2,3\n\n4\n\"x,\"\"y\",,\"open,\n"));
  EXPECT_THAT(csv.columns(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(csv.name(), scratch.path("d.csv"));
  const std::vector<std::string> fields = {"3", "1", "", "", "", "4", "open,", "x,\"y"};
  EXPECT_EQ(visited(csv, {2, 0}).fields, fields);
  EXPECT_EQ(visited(csv, {2, 0}).fields, fields) << "a second time";
  EXPECT_THAT(visited(csv, {}).blocks, ElementsAre(4U));
  EXPECT_EQ(csv.record_count(), 4U);
}

TEST(CsvSource, TakesLinesOfAnyLengthAndNumber) {
  const test::Scratch scratch;
  std::string text = "a,b\n";
  std::vector<std::string> fields;
  const auto add = [&](std::size_t length) {
    fields.push_back(std::string(length, 'x') + std::to_string(fields.size()));
    text += fields.back() + ",-\n";
  };
  for (std::size_t row = 0; row < 5000; ++row) add(row % 7);
  for (const std::size_t length : {1U << 17U, 3U, (1U << 20U) - 9, 1U << 16U, 1U << 16U, 5U}) {
    add(length);
  }
  const CsvSource csv(scratch.write("d.csv", text));
  EXPECT_EQ(visited(csv, {0}).fields, fields);
  EXPECT_EQ(csv.record_count(), fields.size());
}

/// Adds up what it takes, and notes in which order and by how many workers at a time.
class Noting final : public BlockWorker {
 public:
  struct Notes {
    std::vector<std::string> fields;
    std::atomic<int> taking = 0;
    bool one_at_a_time = true;
  };
  explicit Noting(Notes& notes) : notes_(notes) {}

  void work(const Block& block) override {
    fields_.clear();
    for (std::size_t row = 0; row < block.rows; ++row) {
      fields_.emplace_back(std::get<std::string_view>(block.columns[0][row]));
    }
  }
  void take(const Block& block) override {
    if (++notes_.taking != 1 || block.rows != fields_.size()) notes_.one_at_a_time = false;
    notes_.fields.insert(notes_.fields.end(), fields_.begin(), fields_.end());
    --notes_.taking;
  }

 private:
  Notes& notes_;
  std::vector<std::string> fields_;
};

TEST(CsvSource, GivesTheSameRowsInTheSameOrderToAnyNumberOfThreads) {
  const test::Scratch scratch;
  std::string text = "a,b\n";
  std::vector<std::string> fields;
  std::mt19937_64 random(5);
  for (std::size_t row = 0; row < 60'000; ++row) {
    const std::size_t length = random() % 1000 == 0 ? random() % 300'000 : random() % 9;
    fields.push_back(std::to_string(row) + std::string(length, 'x'));
    text += row % 50 == 0 ? "\"" + fields.back() + "\",-\n" : fields.back() + ",-\n";
  }
  const std::string path = scratch.write("d.csv", text);
  const std::vector<std::size_t> wanted = {0};
  for (const std::size_t threads : {1U, 2U, 5U}) {
    const CsvSource csv(path, std::nullopt, threads);
    Noting::Notes notes;
    std::size_t made = 0;
    csv.visit_by(wanted, [&] {
      ++made;
      return std::make_unique<Noting>(notes);
    });
    EXPECT_EQ(made, threads);
    EXPECT_TRUE(notes.one_at_a_time);
    EXPECT_TRUE(notes.fields == fields) << threads << " threads";
  }
}

/// Counts rows, and takes nothing. The first of all to work waits until another has, so that this
/// ends where nobody waits for turns.
class Counting final : public BlockWorker {
 public:
  struct Counts {
    std::atomic<std::size_t> rows = 0;
    std::atomic<std::size_t> blocks = 0;
  };
  explicit Counting(Counts& counts) : counts_(counts) {}

  void work(const Block& block) override {
    counts_.rows += block.rows;
    if (counts_.blocks++ > 0) return;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (counts_.blocks < 10 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    EXPECT_GE(counts_.blocks, 10U) << "the other thread waits for this one";
  }
  [[nodiscard]] bool takes() const noexcept override { return false; }
  void take(const Block& /*block*/) override { ADD_FAILURE() << "it takes nothing"; }

 private:
  Counts& counts_;
};

TEST(CsvSource, WhoeverOnlyCountsDoesNotWaitForTheirTurn) {
  const test::Scratch scratch;
  std::string text = "a\n";
  for (std::size_t row = 0; row < 60'000; ++row) text += std::to_string(row) + "\n";
  const CsvSource csv(scratch.write("d.csv", text), std::nullopt, 2);
  Counting::Counts counts;
  const std::vector<std::size_t> wanted = {0};
  csv.visit_by(wanted, [&] { return std::make_unique<Counting>(counts); });
  EXPECT_EQ(counts.rows, 60'000U);
}

TEST(CsvSource, WhatIsReadDoesNotDependOnThreads) {
  const test::Scratch scratch;
  std::mt19937_64 random(6);
  std::string text = "id,n,x\n";
  for (std::size_t row = 0; row < 20'000; ++row) {
    text += std::to_string(random() % 500) + ',' + std::to_string(random() % 12) + ',' +
            std::to_string(static_cast<double>(random() % 1000) / 100) + '\n';
  }
  const std::string path = scratch.write("d.csv", text);
  const Domain domain = Domain::make({Column::make("n", IntegerCells::make(0, 9)),
                                      Column::make("x", NumberCells::make(0, 10, 7))});
  const RealColumns reals(Domain::make({Column::make("x", NumberCells::make(0, 10))}), {});
  const CsvSource one(path);
  const auto outcomes = read_outcomes(one, domain);
  const UnitTable units = read_units(one, domain, "id");
  std::vector<double> numbers;
  NumericRows(one, reals).visit([&](std::span<const double> rows) {
    numbers.insert(numbers.end(), rows.begin(), rows.end());
  });
  ASSERT_EQ(outcomes.size(), 20'000U);
  ASSERT_EQ(numbers.size(), 20'000U);
  ASSERT_EQ(units.size(), 500U);
  for (const std::size_t threads : {2U, 4U}) {
    const CsvSource csv(path, std::nullopt, threads);
    EXPECT_TRUE(read_outcomes(csv, domain) == outcomes);
    const UnitTable again = read_units(csv, domain, "id");
    ASSERT_EQ(again.size(), units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      EXPECT_EQ(again.id(unit), units.id(unit));
      EXPECT_TRUE(std::ranges::equal(again.outcomes(unit), units.outcomes(unit)));
      EXPECT_TRUE(std::ranges::equal(again.weights(unit), units.weights(unit)));
    }
    std::size_t place = 0;
    NumericRows(csv, reals).visit([&](std::span<const double> rows) {
      for (const double number : rows) EXPECT_EQ(number, numbers[place++]);
    });
    EXPECT_EQ(place, numbers.size());
  }
}

TEST(CsvSource, PassesOnWhatAThreadThrows) {
  const test::Scratch scratch;
  std::string text = "a\n";
  for (std::size_t row = 0; row < 50'000; ++row) text += std::to_string(row) + '\n';
  const std::string path = scratch.write("d.csv", text);
  const std::vector<std::size_t> wanted = {0};
  for (const std::size_t threads : {1U, 4U}) {
    const CsvSource csv(path, std::nullopt, threads);
    std::size_t rows = 0;
    EXPECT_THROW(csv.visit(wanted,
                           [&](const Block& block) {
                             rows += block.rows;
                             if (rows > 10'000) throw std::runtime_error("enough");
                           }),
                 std::runtime_error);
    EXPECT_LT(rows, 10'001 + kRowsPerBlock);
  }
}

TEST(CsvSource, ReadsAPipeOnce) {
  const test::Pipe pipe("a\n1\n2\n");
  const CsvSource csv(pipe.path());
  const std::string twice =
      pipe.path() + " is read more than once, so it must be a regular file, but is not";
  EXPECT_EQ(test::refusal_of([&] { (void)csv.record_count(); }), twice);
  EXPECT_EQ(test::refusal_of([&] { csv.require_repeatable(); }), twice);
  EXPECT_THAT(visited(csv, {0}).fields, ElementsAre("1", "2"));
  EXPECT_EQ(test::refusal_of([&] { (void)visited(csv, {0}); }), twice);
}

TEST(CsvSource, RefusesAFileThatChanges) {
  const test::Scratch scratch;
  const CsvSource csv(scratch.write("d.csv", "a,b\n1,2\n"));
  EXPECT_THAT(visited(csv, {0}).fields, ElementsAre("1"));
  (void)scratch.write("d.csv", "b,a\n1,2\n");
  EXPECT_EQ(test::refusal(scratch, [&] { (void)visited(csv, {0}); }),
            "d.csv must not change while it is read, but has another header");
}

TEST(CsvSource, NamesAColumnThatIsMissingOrRepeatedButNoOther) {
  const test::Scratch scratch;
  const CsvSource csv(scratch.write("data.csv", "secret,b,b\n"));
  const auto refusal = [&](const char* name) {
    return test::refusal(scratch, [&] { (void)csv.position(name, "for a test"); });
  };
  EXPECT_EQ(csv.position("secret", "for a test"), 0U);
  EXPECT_EQ(refusal("c"),
            "data.csv has no column \"c\", for a test; mollify check names those it has");
  EXPECT_EQ(refusal("b"), "data.csv has more than one column \"b\", for a test");
}

TEST(CsvSource, KnowsItsFile) {
  const test::Scratch scratch;
  const std::string path = scratch.write("d.csv", "abc");
  const auto provenance = CsvSource(path).provenance();
  ASSERT_TRUE(provenance);
  EXPECT_EQ(provenance->name, path);
  EXPECT_EQ(provenance->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace mollify
