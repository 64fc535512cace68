#include "records/numeric_rows.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/csv_source.h"
#include "io/pipe.h"
#include "io/scratch.h"
#include "kernel/core/secure_random.h"

namespace mollify {
namespace {

Domain one_number() {
  return Domain::make({Column::make("x", NumberCells::make(0, 5000), {.null_value = "500"})});
}

std::vector<double> all_rows(const NumericTable& table) {
  std::vector<double> all;
  table.visit(
      [&](std::span<const double> rows) { all.insert(all.end(), rows.begin(), rows.end()); });
  return all;
}

TEST(NumericRows, TakesEachLineForARow) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  const CsvSource csv(scratch.write("d.csv", "y,x\na,1\n\nb,nan\nc\nd,\"7\n,-1,8\n,12"));
  const NumericRows file(csv, columns);
  EXPECT_EQ(file.record_count(), 7U);
  const std::vector<double> rows{1, 500, 500, 500, 7, 0, 12};
  EXPECT_EQ(all_rows(file), rows);
  EXPECT_EQ(all_rows(file), rows) << "a second time";
}

TEST(NumericRows, StreamsManyBlocks) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  std::string text = "x\n";
  for (int row = 0; row < 5000; ++row) text += std::to_string(row) + "\n";
  const CsvSource csv(scratch.write("d.csv", text));
  const NumericRows file(csv, columns);
  EXPECT_EQ(file.record_count(), 5000U);
  const std::vector<double> rows = all_rows(file);
  ASSERT_EQ(rows.size(), 5000U);
  for (std::size_t row = 0; row < rows.size(); ++row) EXPECT_EQ(rows[row], row);
}

TEST(NumericRows, RefusesWhatIsWrongInPublic) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  const auto refusal = [&](const std::string& name) {
    return test::refusal(scratch, [&] {
      const CsvSource csv(name);
      const NumericRows file(csv, columns);
    });
  };
  const test::Pipe pipe("x\n1\n");
  EXPECT_EQ(refusal(pipe.path()),
            pipe.path() + " is read more than once, so it must be a regular file, but is not");
  EXPECT_EQ(
      refusal(scratch.write("d.csv", "y\n1\n")),
      "d.csv has no column \"x\", which the domain declares; mollify check names those it has");
  EXPECT_EQ(refusal(scratch.write("d.csv", "")), "d.csv must start with a header, but is empty");
}

TEST(UnitPoints, TakeOneRowOfEach) {
  const test::Scratch scratch;
  const Domain domain = one_number();
  const RealColumns columns(domain);
  const std::string path = scratch.write("d.csv", "id,x\na,1\nb,2\na,3\n,4\n");
  SecureRandom random;
  int ones = 0;
  constexpr int kRepeats = 400;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto points = read_unit_points(CsvSource(path), columns, "id", std::nullopt, random);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_TRUE(points[0] == 1 || points[0] == 3);
    EXPECT_EQ(points[1], 2);
    ones += static_cast<int>(points[0] == 1);
  }
  std::printf("the first row %d times of %d\n", ones, kRepeats);
  EXPECT_NEAR(ones, kRepeats / 2, 50);  // 5 standard deviations: 6e-7

  const std::string moved = scratch.write("m.csv", "id,x\nb,2\n,4\na,1\n");
  EXPECT_EQ(read_unit_points(CsvSource(moved), columns, "id", std::nullopt, random),
            (std::vector<double>{1, 2}))
      << "in the order of the ids, not of the file";

  Roster roster;
  for (const char* id : {"c", "b"}) roster.insert(id);
  EXPECT_EQ(read_unit_points(CsvSource(path), columns, "id", roster, random),
            (std::vector<double>{2500, 2}));
}

}  // namespace
}  // namespace mollify
