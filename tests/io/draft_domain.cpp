#include "io/draft_domain.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/check.h"
#include "io/domain_yaml.h"
#include "io/scratch.h"

namespace mollify {
namespace {

TEST(DraftDomain, InfersTypes) {
  const test::Scratch scratch;
  const std::string path = scratch.write("pub.csv",
                                         "flag,small,large,num,word,zip,none,odd\n"
                                         "True,3,-1000,0.5,x,01234,,t\n"
                                         "False,1,20,1.25,a,10000,NA,u\n"
                                         "True,5,7,,b,00001,,t\n");
  const DomainDraft draft = draft_domain(path);
  EXPECT_EQ(draft.domain.canonical_text(),
            "mollify-domain 1 seed 0\n"
            "boolean 4:flag 5:False 4:True\n"
            "integer 5:small 1 5 5\n"
            "integer 5:large -1000 20 10\n"
            "number 3:num 0x1p-1 0x1.4p+0 10 null 10\n"
            "categorical 4:word 1:a 1:b 1:x\n"
            "categorical 3:zip 5:00001 5:01234 5:10000\n"
            "categorical 3:odd 1:t 1:u\n");
  ASSERT_EQ(draft.notes.size(), 3U);
  EXPECT_EQ(draft.notes[2], "Column \"none\" is left out: it holds nulls only.");
  EXPECT_THAT(domain_yaml(draft.domain, draft.notes),
              testing::StartsWith("# Drafted from the public file "));
  // Everything it was drafted from lies in it.
  const CheckCounts counts = check_table(path, draft.domain, std::nullopt, std::nullopt,
                                         [](const Finding&) { ADD_FAILURE(); });
  EXPECT_EQ(counts.records, 3U);
}

TEST(DraftDomain, SelectsColumns) {
  const test::Scratch scratch;
  const DomainDraft draft = draft_domain(scratch.write("pub.csv", "a,b,c\n1,2,3\n"), {"c", "a"});
  EXPECT_EQ(draft.domain.canonical_text(),
            "mollify-domain 1 seed 0\ninteger 1:c 3 3 1\ninteger 1:a 1 1 1\n");
}

TEST(DraftDomain, HandlesExtremes) {
  const test::Scratch scratch;
  const auto text = [&](const std::string& content) {
    return draft_domain(scratch.write("pub.csv", content)).domain.columns()[0].canonical_text();
  };
  EXPECT_EQ(text("a\n1.5\n1.5\n"), "categorical 1:a 3:1.5");
  EXPECT_EQ(text("a\n0\n63\n"), "integer 1:a 0 63 64");
  EXPECT_EQ(text("a\n0\n64\n"), "integer 1:a 0 64 10");
  EXPECT_EQ(text("a\ninf\n1\n"), "categorical 1:a 1:1 3:inf");
  EXPECT_EQ(text("a\n-0\n1\n"), "integer 1:a 0 1 2");
  EXPECT_EQ(text("a\nno\nYES\n"), "boolean 1:a 2:no 3:YES");
  EXPECT_EQ(text("a\nno\nno\n"), "categorical 1:a 2:no");
}

TEST(DraftDomain, LeavesNumbersWholeWhereBinsMakeTooManyOutcomes) {
  const test::Scratch scratch;
  const auto draft = [&](int columns) {
    std::string header, low, high;
    for (int i = 0; i < columns; ++i) {
      const char* comma = i + 1 < columns ? "," : "\n";
      header += "x" + std::to_string(i) + comma;
      low += std::string("0.5") + comma;
      high += std::string("99.5") + comma;
    }
    return draft_domain(scratch.write("pub.csv", header + low + high));
  };
  EXPECT_EQ(draft(6).domain.size(), 1'000'000U);
  EXPECT_EQ(draft(6).notes.size(), 2U);
  const DomainDraft wide = draft(7);
  EXPECT_FALSE(wide.domain.is_enumerable());
  EXPECT_EQ(wide.domain.columns()[6].canonical_text(),
            "number 2:x6 0x1p-1 0x1.8ep+6 1048576 unbinned");
  EXPECT_EQ(wide.notes.back(),
            "Numbers are not cut into bins, for there would be too many outcomes: a release "
            "chooses from a grid or from candidates.");
}

TEST(DraftDomain, RefusesInOneSentence) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] { (void)draft_domain(scratch.write("pub.csv", content)); });
  };
  std::string names = "name\n";
  for (int i = 0; i < 1001; ++i) names += "n" + std::to_string(i) + "\n";
  EXPECT_EQ(refusal(names),
            "pub.csv column \"name\": a categorical column must have at most 1000 values, but has "
            "more: leave it out");
  EXPECT_EQ(refusal("a\n"), "pub.csv must hold values to draft a domain from, but holds none");
  EXPECT_EQ(refusal("a,b\n1\n"), "pub.csv line 2 must have 2 fields like the header, but has 1");
  EXPECT_EQ(refusal("a\n\"1\n"),
            "pub.csv line 2 must have closed quotes, but holds a misplaced quote");
  EXPECT_EQ(refusal("a,a\n1,2\n"), "pub.csv has more than one column \"a\", to draft from");
}

}  // namespace
}  // namespace mollify
