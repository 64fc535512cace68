// A certificate's promises and their limits, in words: all that weakens a promise is said.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "methods/marginals/method.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::Scratch;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Words {
  std::vector<std::string> promised, not_promised;
};

/// Of a release by marginals of 400 rows of 200 units.
Words words_of(bool unit, bool roster, Neighbours neighbours, double delta) {
  const Scratch scratch;
  std::string data = "id,a\n", units = "id\n";
  for (int row = 0; row < 400; ++row) {
    data += std::to_string(row / 2) + "," + std::to_string(row % 4) + "\n";
    if (row % 2 == 0) units += std::to_string(row / 2) + "\n";
  }
  scratch.write("data.csv", data);
  ReleaseSpec spec =
      test::integral_spec(scratch, "columns:\n  a: {type: integer, min: 0, max: 3}\n");
  spec.method = Method::kMarginals;
  spec.own = MarginalsSpec{.neighbours = neighbours};
  spec.privacy = ExactPrivacy::approximate(Decimal(1), Decimal(delta));
  if (unit) spec.unit = "id";
  if (roster) spec.roster = PublicFile{scratch.write("units.csv", units)};
  const auto release = test::prepared(scratch, spec);
  return {promises(release->certificate()), non_promises(release->certificate())};
}

TEST(Promises, NameTheRelation) {
  EXPECT_THAT(words_of(false, false, Neighbours::kReplace, 0).promised,
              Contains(HasSubstr("Replacing any one row of the table by anything else")));
  const Words taken = words_of(false, false, Neighbours::kAddRemove, 0);
  EXPECT_THAT(taken.promised,
              Contains(HasSubstr("Taking any one row of the table out of the data, or putting it "
                                 "in,")));
  EXPECT_THAT(taken.promised, Not(Contains(HasSubstr("Replacing"))));
  EXPECT_THAT(taken.not_promised, Contains(HasSubstr("may cost twice this epsilon")));
}

TEST(Promises, NameDelta) {
  EXPECT_THAT(words_of(false, false, Neighbours::kReplace, 1e-6).promised,
              Contains(HasSubstr(" and an addition of 1e-06")));
  EXPECT_THAT(words_of(false, false, Neighbours::kReplace, 0).promised,
              Not(Contains(HasSubstr("addition"))));
}

TEST(Promises, SayThatAPersonWithSeveralRowsIsProtectedLess) {
  const auto several = Contains(HasSubstr("A person with several rows is protected less"));
  EXPECT_THAT(words_of(false, false, Neighbours::kReplace, 0).not_promised, several);
  EXPECT_THAT(words_of(true, false, Neighbours::kReplace, 0).not_promised, Not(several));
}

TEST(Promises, SayThatWhoIsInTheDataIsNotProtectedWithoutARoster) {
  const auto who = Contains("Who is in the data is not protected: no roster was given.");
  EXPECT_THAT(words_of(true, false, Neighbours::kReplace, 0).not_promised, who);
  EXPECT_THAT(words_of(true, true, Neighbours::kReplace, 0).not_promised, Not(who));
  EXPECT_THAT(words_of(true, false, Neighbours::kAddRemove, 0).not_promised, Not(who));
  EXPECT_THAT(words_of(false, false, Neighbours::kReplace, 0).not_promised, Not(who));
}

}  // namespace
}  // namespace mollify
