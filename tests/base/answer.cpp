#include "base/answer.h"

#include <array>

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(Answer, ShowsTheFactsOfRowsInATable) {
  const Json rows = {{{"name", "one"}, {"mean", {{"kl", 0.125}}}, {"note", "  (here)"}},
                     {{"name", "two"}, {"mean", {{"kl", nullptr}}}},
                     {{"name", "three"}}};
  const std::array columns = {TableColumn{"", -6, "/name"},
                              TableColumn{"mean KL", 10, "/mean/kl", ".2f"},
                              TableColumn{"a long heading", 5}, TableColumn{"", 0, "/note"}};
  EXPECT_EQ(table_text(columns, rows),
            "         mean KL a long heading\n"
            "one         0.12       (here)\n"
            "two            -\n"
            "three\n");
}

TEST(Answer, HasEachFactInBothForms) {
  Answer answer;
  answer.add("tv", 0.5, "so far: 0.50\n");
  answer.add("records", 3);
  answer.say("for people\n");
  EXPECT_EQ(answer.json, Json({{"tv", 0.5}, {"records", 3}}));
  EXPECT_EQ(answer.text, "so far: 0.50\nfor people\n");
}

}  // namespace
}  // namespace mollify
