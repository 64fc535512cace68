#include "space/space_kind.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

Column number(const std::string& name) { return Column::make(name, NumberCells::make(0, 1)); }
Column integer_column(const std::string& name, std::int64_t count) {
  return Column::make(name, IntegerCells::make(0, count - 1));
}
Column word(const std::string& name) { return Column::make(name, Categories::make({"a", "b"})); }

TEST(SpaceKind, FollowsTheDomain) {
  const auto chosen = [](std::vector<Column> columns) {
    return chosen_space(Domain::make(std::move(columns)));
  };
  EXPECT_EQ(chosen({word("w"), integer_column("i", 100)}), SpaceKind::kCategories);
  EXPECT_EQ(chosen({Column::make("n", NumberCells::make(0, 1, 10))}), SpaceKind::kCategories);
  EXPECT_EQ(chosen({integer_column("i", 1 << 20)}), SpaceKind::kCategories);
  EXPECT_EQ(chosen({integer_column("i", (1 << 20) + 1)}), SpaceKind::kGrid);
  EXPECT_EQ(chosen({number("x")}), SpaceKind::kGrid);
  EXPECT_EQ(chosen({number("x"), integer_column("i", 10), number("y")}), SpaceKind::kGrid);
  EXPECT_EQ(chosen({number("x"), number("y"), number("z"), number("u")}), SpaceKind::kCandidates);
  EXPECT_EQ(chosen({number("x"), word("w")}), SpaceKind::kCandidates);
  EXPECT_EQ(chosen({Column::make("n", NumberCells::make(0, 1), {.null_is_category = true})}),
            SpaceKind::kCandidates);
}

TEST(SpaceKind, IsRefusedWhereTheDomainCannotHaveIt) {
  const auto refusal = [](std::vector<Column> columns, SpaceKind kind) {
    return test::refusal_of([&] { require_space(Domain::make(std::move(columns)), kind); });
  };
  EXPECT_EQ(refusal({number("x"), word("w")}, SpaceKind::kCandidates), "accepted");
  EXPECT_EQ(refusal({word("w")}, SpaceKind::kCategories), "accepted");
  EXPECT_EQ(refusal({number("x"), number("y")}, SpaceKind::kCategories),
            "space categories needs a domain of at most 16777216 outcomes, but the product of its "
            "columns is 1099511627776; declare fewer bins or fewer columns");
  EXPECT_EQ(refusal({number("x"), number("y"), number("z"), number("u")}, SpaceKind::kGrid),
            "space grid needs at most 3 columns, but the domain has 4");
  EXPECT_EQ(refusal({number("x"), word("w")}, SpaceKind::kGrid),
            "space grid needs columns of numbers or integers without a null category, but column "
            "\"w\" is not one");
}

TEST(SpaceKind, HasNames) {
  for (const SpaceKind kind : {SpaceKind::kCategories, SpaceKind::kGrid, SpaceKind::kCandidates}) {
    EXPECT_EQ(named<SpaceKind>(name_of(kind)), kind);
  }
  EXPECT_FALSE(named<SpaceKind>("sphere"));
}

}  // namespace
}  // namespace mollify
