#include "accounting/counted.h"

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(Counted, IsOneOrMany) {
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2, "public unit"), "2 public units");
}

}  // namespace
}  // namespace mollify
