#include "base/names.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify {

namespace {

TEST(NearestName, FindsWhatWasMistyped) {
  const std::vector<std::string> flags = {"--epsilon", "--delta", "--data", "--domain"};
  EXPECT_EQ(nearest_name("--epsilo", flags), "--epsilon");
  EXPECT_EQ(nearest_name("--espilon", flags), "--epsilon") << "neighbours swapped";
  EXPECT_EQ(nearest_name("--DELTA", flags), "--delta");
  EXPECT_EQ(nearest_name("--dat", flags), "--data") << "the first of equals is near enough";
  EXPECT_EQ(nearest_name("--colour-of-the-sky", flags), "");
  EXPECT_EQ(nearest_name("--seed", flags), "");
  EXPECT_EQ(nearest_name("--eps", flags), "--epsilon") << "its beginning";
  EXPECT_EQ(nearest_name("--acc", {{"--accept-large-delta", "--accept-error"}}), "--accept-error");
  EXPECT_EQ(nearest_name("--e", flags), "") << "too little of it";
  EXPECT_EQ(nearest_name("bin", {{"min", "bins", "max"}}), "bins") << "not one as near as it";
  EXPECT_EQ(nearest_name("--outcomes", {{"--n", "--k"}}), "--k") << "its former name";
  EXPECT_EQ(nearest_name("x", flags), "");
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  EXPECT_EQ(nearest_name("csh", shells), "") << "another word, not a mistyped one";
  EXPECT_EQ(nearest_name("zhs", shells), "zsh");
  EXPECT_EQ(nearest_name("bsh", shells), "bash");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'x'), flags), "");
  EXPECT_EQ(did_you_mean("--domian", flags), " (did you mean \"--domain\"?)");
  EXPECT_EQ(did_you_mean("", flags), "");
  EXPECT_EQ(did_you_mean("--data", flags), "") << "what is wrong with it is something else";
}

TEST(NearestName, KnowsWhatOtherProgramsCallIt) {
  const std::vector<std::string> types = {"categorical", "integer", "number", "boolean"};
  EXPECT_EQ(nearest_name("str", types), "categorical");
  EXPECT_EQ(nearest_name("category", types), "categorical");
  EXPECT_EQ(nearest_name("float", types), "number");
  EXPECT_EQ(nearest_name("int", types), "integer");
  EXPECT_EQ(nearest_name("user", {{"person", "row"}}), "person");
  EXPECT_EQ(did_you_mean("user", {{"person", "user"}}), "") << "a name itself";
}

TEST(NearestName, IsToldWithTheRefusal) {
  const std::vector<std::string> known = {"row", "unit", "table"};
  EXPECT_EQ(test::refusal_of([&] { refuse_name("scope", "tabel", known); }),
            "scope must be row, unit or table, but is \"tabel\" (did you mean \"table\"?)");
  EXPECT_EQ(test::refusal_of([&] { refuse_name("scope", "row or unit=C", "unti=ward", known); }),
            "scope must be row or unit=C, but is \"unti=ward\" (did you mean \"unit\"?)");
  EXPECT_EQ(test::refusal_of([&] { refuse_name("scope", "row or unit=C", "unit", known); }),
            "scope must be row or unit=C, but is \"unit\"");
}

}  // namespace

}  // namespace mollify
