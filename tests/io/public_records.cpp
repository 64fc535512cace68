#include "io/public_records.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/domain_yaml.h"
#include "io/scratch.h"

namespace mollify {
namespace {

using testing::ElementsAre;

TEST(ReadPublicRecords, IsStrict) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(
      "columns: {age: {type: integer, min: 0, max: 100}, sex: {type: categorical, values: [f, m]}}",
      "");
  const auto read = [&](const std::string& content) {
    return read_public_records(scratch.write("ref.csv", content), domain);
  };
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)read(content); });
  };
  const Empirical records = read("sex,age\nf,3\nm,3\nf,3\n");
  EXPECT_THAT(records.outcomes(), ElementsAre(6U, 7U));
  EXPECT_THAT(records.counts(), ElementsAre(2U, 1U));
  EXPECT_EQ(refusal("sex,age\nf,3\nm,abc\n"),
            "ref.csv line 3 column \"age\" must be an integer from 0 to 100, but is \"abc\"");
  EXPECT_EQ(refusal("sex,age\nf,101\n"),
            "ref.csv line 2 column \"age\" must be an integer from 0 to 100, but is \"101\" "
            "(outside: clip is for private values)");
  EXPECT_EQ(refusal("sex,age\nf,1\nsex,age\nf,1\n"),
            "ref.csv line 3 is the header again: keep only the first one, as of files that were "
            "joined");
  EXPECT_EQ(refusal("sex,age\nx,3\n"),
            "ref.csv line 2 column \"sex\" must be one of 2 declared values, but is \"x\"");
  EXPECT_EQ(refusal("sex,age\nf\n"), "ref.csv line 2 must have 2 fields like the header, not 1");
}

TEST(SameFileOrContent, SeesLinksAndCopies) {
  const test::Scratch scratch;
  std::string content(100000, 'x');
  const std::string original = scratch.write("a", content);
  const std::string copy = scratch.write("b", content);
  content.back() = 'y';
  const std::string other = scratch.write("c", content);
  const std::string shorter = scratch.write("d", "x");
  std::filesystem::create_symlink("c", scratch.path("e"));
  std::filesystem::create_hard_link(other, scratch.path("f"));
  EXPECT_TRUE(same_file_or_content(original, original));
  EXPECT_TRUE(same_file_or_content(original, copy));
  EXPECT_FALSE(same_file_or_content(original, other));
  EXPECT_FALSE(same_file_or_content(original, shorter));
  EXPECT_TRUE(same_file_or_content(other, scratch.path("e")));
  EXPECT_TRUE(same_file_or_content(other, scratch.path("f")));
  EXPECT_FALSE(same_file_or_content(original, scratch.path("none")));
  EXPECT_FALSE(same_file_or_content(scratch.path("none"), scratch.path("none")));
}

}  // namespace
}  // namespace mollify
