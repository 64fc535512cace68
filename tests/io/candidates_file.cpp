#include "io/candidates_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/domain_yaml.h"
#include "io/scratch.h"
#include "random_domain.h"
#include "space/candidates_text.h"

namespace mollify {
namespace {

constexpr const char* kDomain =
    "seed: 11\n"
    "columns:\n"
    "  x: {type: number, min: 0, max: 1}\n"
    "  s: {type: categorical, values: [a, b, c]}\n";

std::string text_of(const Candidates& list, const Domain& domain) {
  std::string text;
  write_candidates(list, domain, [&](std::string_view part) { text += part; });
  return text;
}

TEST(CandidatesFile, LooksAsDocumented) {
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  const std::string hash = domain.hash();
  EXPECT_EQ(text_of(Candidates::of(domain, {17, 1, 1048575, 2}), domain),
            "mollify candidates 1\ndomain " + hash + "\nrecords 2 columns 2\n17,1\n1048575,2\n");
  EXPECT_EQ(text_of(Candidates::of(domain, {17, 1, 1048575, 2}, {0.25F, 3}), domain),
            "mollify candidates 1\ndomain " + hash +
                "\nrecords 2 columns 2 densities\n17,1,0x1p-2\n1048575,2,0x1.8p+1\n");
}

// On every machine and in every version: certificates name lists by this.
TEST(CandidatesFile, HasTheSameHashForEver) {
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  EXPECT_EQ(candidates_hash(Candidates::seeded(domain, 65'536), domain),
            "959327dbe47ecc598accc8700791743ce494eaf8db12fa36a04ee4f221cf8efb");
}

RC_GTEST_PROP(CandidatesFile, IsReadAsItWasWritten, ()) {
  const test::Scratch scratch;
  const Domain domain = *test::domain();
  const Candidates list = Candidates::seeded(domain, *rc::gen::inRange<std::uint64_t>(1, 50));
  const std::string path = scratch.write("list", text_of(list, domain));
  const Candidates read = read_candidates(path, domain);
  RC_ASSERT(text_of(read, domain) == text_of(list, domain));
  RC_ASSERT(candidates_hash(read, domain) == candidates_hash(list, domain));
  RC_ASSERT(std::equal(read.digits().begin(), read.digits().end(), list.digits().begin(),
                       list.digits().end()));
  RC_ASSERT(std::equal(read.densities().begin(), read.densities().end(), list.densities().begin(),
                       list.densities().end()));
}

TEST(CandidatesFile, IsRefusedInOneSentence) {
  const test::Scratch scratch;
  const Domain domain = parse_domain(kDomain, "domain.yaml");
  const std::string start = "mollify candidates 1\ndomain " + domain.hash() + "\n";
  const auto refusal = [&](const std::string& text) {
    return test::refusal(scratch,
                         [&] { (void)read_candidates(scratch.write("list", text), domain); });
  };
  EXPECT_EQ(refusal(""), "list must be a list of candidates, but ends after line 0");
  EXPECT_EQ(refusal("x,s\n1,a\n"), "list line 1 must be \"mollify candidates 1\"");
  EXPECT_EQ(refusal("mollify candidates 1\ndomain " + std::string(64, '0') + "\n"),
            "list line 2 must name this domain, but the list was made for another");
  EXPECT_EQ(refusal(start + "records -1 columns 2\n"),
            "list line 3 must say how many records and columns there are");
  EXPECT_EQ(refusal(start + "records 1 columns 2 density\n"),
            "list line 3 must say how many records and columns there are");
  EXPECT_EQ(refusal(start + "records 1 columns 3\n"),
            "list line 3 must have 2 columns like the domain, but has 3");
  EXPECT_EQ(refusal(start + "records 16777217 columns 2\n"),
            "list line 3 must have from 1 to 16777216 records, but has 16777217");
  EXPECT_EQ(refusal(start + "records 2 columns 2\n1,1\n"),
            "list must have 2 records, but ends after line 4");
  for (const char* line : {"1", "1,", "1,1,1", "1;1", "-1,1", "1,1 ", "4294967296,1", "a,b", ""}) {
    EXPECT_EQ(refusal(start + "records 1 columns 2\n" + line + "\n"),
              "list line 4 must have 2 digits with commas between them")
        << line;
  }
  for (const char* line : {"1,1", "1,1,1.5", "1,1,0x", "1,1,0x1p0,"}) {
    EXPECT_EQ(refusal(start + "records 1 columns 2 densities\n" + line + "\n"),
              "list line 4 must have 2 digits and a density with commas between them")
        << line;
  }
  EXPECT_EQ(refusal(start + "records 1 columns 2\n1,1\n1,1\n"),
            "list line 5 must not be there, for there are 1 records");
  EXPECT_EQ(refusal(start + "records 1 columns 2\n1,3\n"),
            "list: candidate 0 must have a digit below 3 for column \"s\", but has 3");
  EXPECT_EQ(test::refusal(scratch, [&] { (void)read_candidates(scratch.path("no"), domain); }),
            "no cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace mollify
