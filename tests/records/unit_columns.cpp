#include "records/unit_columns.h"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

using ColumnNames = std::vector<std::string>;

// -----------------------------------------------------------------------------------------------
// The columns.

TEST(UnitColumns, AreReadFromAFlag) {
  const auto names = [](const char* text) { return UnitColumns::parse(text).names(); };
  EXPECT_EQ(names("school"), ColumnNames{"school"});
  EXPECT_EQ(names("household,person"), (ColumnNames{"household", "person"}));
  EXPECT_EQ(names("\"a,b\",c"), (ColumnNames{"a,b", "c"}));
  EXPECT_EQ(names("\"he said \"\"no\"\"\""), ColumnNames{"he said \"no\""});
  EXPECT_EQ(names("5\" disc"), ColumnNames{"5\" disc"});
  EXPECT_EQ(names(""), ColumnNames{""}) << "the name of an index in many files";
}

// Two lists have two texts, whatever the names hold: a ledger compares texts.
RC_GTEST_PROP(UnitColumns, AreTheirTextAndTheirJson, ()) {
  const auto letters = rc::gen::container<std::string>(rc::gen::element('a', ',', '"', ' '));
  const auto given = *rc::gen::unique<ColumnNames>(letters);
  RC_PRE(!given.empty());
  const UnitColumns columns(given);
  RC_ASSERT(UnitColumns::parse(columns.text()) == columns);
  RC_ASSERT(UnitColumns::of(Json::parse(columns.json().dump())) == columns);
}

TEST(UnitColumns, NameEachColumnOnce) {
  EXPECT_EQ(test::refusal_of([] {
              (void)UnitColumns(ColumnNames{"a", "b", "a"});
            }),
            "--unit must name each column once, but has \"a\" twice");
  EXPECT_EQ(test::refusal_of([] { (void)UnitColumns(ColumnNames{}); }),
            "--unit must name a column, or several, but names none");
}

TEST(UnitColumns, HaveWordsForSentences) {
  EXPECT_EQ(UnitColumns("school").words(), "school");
  EXPECT_EQ(UnitColumns(ColumnNames{"household", "person"}).words(), "(household, person)");
  EXPECT_FALSE(UnitColumns());
}

// -----------------------------------------------------------------------------------------------
// Ids.

TEST(MissingId, IsAnEmptyTextOrAWordForANull) {
  for (const char* text : {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}) {
    EXPECT_TRUE(is_missing_id(text)) << text;
  }
  for (const char* text : {"0", "na", "Nan", "none", "-", " ", "NA1"}) {
    EXPECT_FALSE(is_missing_id(text)) << text;
  }
}

/// All texts of at most three of the letters that an encoding could take for its own.
std::vector<std::string> short_ids() {
  std::vector<std::string> texts = {""};
  for (std::size_t begin = 0, length = 1; length <= 3; ++length) {
    const std::size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const char letter : {'1', '2', ':', '\0'}) texts.push_back(texts[begin] + letter);
    }
  }
  return texts;
}

TEST(JointIds, OfTwoListsAreTwoTexts) {
  const std::vector<std::string> texts = short_ids();
  std::set<std::string> seen;
  for (const std::string& first : texts) {
    for (const std::string& second : texts) {
      std::string joint;
      append_id(first, joint);
      append_id(second, joint);
      EXPECT_TRUE(seen.insert(joint).second) << joint;
      EXPECT_THAT(ids_in(joint), testing::ElementsAre(first, second));
    }
  }
  EXPECT_EQ(seen.size(), texts.size() * texts.size());
}

RC_GTEST_PROP(JointIds, AreReadAgain, (const ColumnNames& ids)) {
  std::string joint;
  for (const std::string& id : ids) append_id(id, joint);
  const std::vector<std::string_view> read = ids_in(joint);
  RC_ASSERT(ColumnNames(read.begin(), read.end()) == ids);
}

TEST(UnitText, OfOneIdIsTheId) {
  std::string joint;
  TextBuffer buffer;
  const std::array<std::string_view, 1> one = {"7.0"};
  EXPECT_EQ(unit_text(one, joint, buffer), "7");
  const std::array<std::string_view, 2> two = {"7.0", "ann"};
  EXPECT_EQ(unit_text(two, joint, buffer), "1:73:ann");
}

}  // namespace
}  // namespace mollify
