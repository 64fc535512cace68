#include "io/column_names.h"

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(ColumnNames, TellOfPeople) {
  for (const char* const name : {"id", "ID", "User_Id", "school id", "ticket-id"}) {
    EXPECT_TRUE(names_somebody(name)) << name;
    EXPECT_TRUE(names_a_unit(name)) << name;
  }
  for (const char* const name : {"eMail", "birth_date", "Surname", "notes", "ssn"}) {
    EXPECT_TRUE(names_somebody(name)) << name;
    EXPECT_FALSE(names_a_unit(name)) << name;
  }
  for (const char* const name : {"person", "School", "DEVICE", "uid"}) {
    EXPECT_TRUE(names_a_unit(name)) << name;
    EXPECT_FALSE(names_somebody(name)) << name;
  }
  for (const char* const name : {"", "d", "paid", "math", "visits"}) {
    EXPECT_FALSE(names_somebody(name)) << name;
    EXPECT_FALSE(names_a_unit(name)) << name;
  }
}

}  // namespace
}  // namespace mollify
