#include "io/roster.h"

#include <string>

#include <gtest/gtest.h>

#include "io/scratch.h"

namespace mollify {
namespace {

TEST(ReadRoster, KeepsTheFilesOrder) {
  const test::Scratch scratch;
  const Roster units =
      read_roster(scratch.write("r.csv", "name,id\nx,b\ny,\"a,1\"\n\nz,c\n"), "id");
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0], "b");
  EXPECT_EQ(units[1], "a,1");
  EXPECT_EQ(units[2], "c");
}

TEST(ReadRoster, IsStrict) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch,
                         [&] { (void)read_roster(scratch.write("r.csv", content), "id"); });
  };
  EXPECT_EQ(refusal("id\n"), "r.csv must list units, but lists none");
  // A roster without a header would lose its first unit.
  for (const auto& [content, columns] :
       {std::pair{"a,b\n1,2\n", "a, b"}, std::pair{"ann\nbob\n", "ann"}}) {
    EXPECT_EQ(refusal(content),
              std::string("r.csv has no column \"id\", which names the units (its first line must "
                          "be a header; --units-column names another column); it has ") +
                  columns);
  }
  EXPECT_EQ(refusal("id,x\n1,2\n,3\n"), "r.csv line 3 must name a unit, but its id is empty");
  EXPECT_EQ(refusal("id\n1\n\n2\n1\n"),
            "r.csv line 5 must name a new unit, but \"1\" is already listed");
  EXPECT_EQ(refusal("id,x\n1\n"), "r.csv line 2 must have 2 fields like the header, but has 1");
  EXPECT_EQ(refusal("id\n\"1\n"),
            "r.csv line 2 must have closed quotes, but holds a misplaced quote");
  EXPECT_EQ(refusal("id\n" + std::string(2U << 20U, 'x')),
            "r.csv line 2 must have at most 1048576 bytes, but is longer");
}

}  // namespace
}  // namespace mollify
