#include "accounting/kept_searches.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(KeptSearches, SearchOnceForEachQuestion) {
  KeptSearches<2> kept;
  int searches = 0;
  const auto answer = [&](double first, double second) {
    return kept.get({first, second}, [&] {
      ++searches;
      return first - second;
    });
  };
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(answer(5, 2), 3);
    EXPECT_EQ(answer(2, 5), -3);
  }
  EXPECT_EQ(searches, 2);
}

TEST(KeptSearches, ForgetAllWhenTheyAreMany) {
  KeptSearches<1> kept;
  int searches = 0;
  const auto ask = [&](int question) {
    return kept.get({static_cast<double>(question)}, [&] {
      ++searches;
      return 2.0 * question;
    });
  };
  for (int question = 0; question < 3000; ++question) EXPECT_EQ(ask(question), 2.0 * question);
  EXPECT_EQ(searches, 3000);
  EXPECT_EQ(ask(2999), 5998);
  EXPECT_EQ(searches, 3000);
  EXPECT_EQ(ask(0), 0);
  EXPECT_EQ(searches, 3001);
}

TEST(KeptSearches, KeepNothingOfASearchThatThrows) {
  KeptSearches<1> kept;
  EXPECT_THROW(kept.get({1}, []() -> double { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(kept.get({1}, [] { return 7.0; }), 7);
}

}  // namespace
}  // namespace mollify
