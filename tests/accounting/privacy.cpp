#include "accounting/privacy.h"

#include <gtest/gtest.h>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Protection scope.

namespace {

TEST(ProtectionScope, ReadsWhatItWrites) {
  for (const ProtectionScope& scope :
       {ProtectionScope::row(), ProtectionScope::table(), ProtectionScope::of_unit("id"),
        ProtectionScope::of_unit("unit=row")}) {
    EXPECT_EQ(ProtectionScope::parse(scope.text()), scope);
  }
  for (const char* text : {"", "unit", "unit=", "Row", "tables"}) {
    EXPECT_EQ(ProtectionScope::parse(text), std::nullopt) << text;
  }
}

// Two tables that differ in a row differ in its unit; two that differ in a unit differ as tables.
TEST(ProtectionScope, WhatProtectsMoreProtectsLess) {
  const ProtectionScope row = ProtectionScope::row();
  const ProtectionScope person = ProtectionScope::of_unit("person");
  const ProtectionScope household = ProtectionScope::of_unit("household");
  const ProtectionScope table = ProtectionScope::table();
  for (const ProtectionScope& scope : {row, person, household, table}) {
    EXPECT_TRUE(protects(scope, scope));
    EXPECT_TRUE(protects(table, scope));
    EXPECT_TRUE(protects(scope, row));
    EXPECT_EQ(protects(scope, table), scope == table);
    EXPECT_EQ(protects(row, scope), scope == row);
  }
  EXPECT_FALSE(protects(person, household));
}

}  // namespace

}  // namespace mollify
