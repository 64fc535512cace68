#include "io/covariance_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/scratch.h"

namespace mollify {
namespace {

RealColumns two_columns() {
  return RealColumns(Domain::make(
      {Column::make("a", NumberCells::make(0, 1)), Column::make("b", NumberCells::make(0, 1))}));
}

std::string covariance_refusal(const std::string& content) {
  const test::Scratch scratch;
  return test::refusal(
      scratch, [&] { (void)read_covariance(scratch.write("c.csv", content), two_columns()); });
}

TEST(CovarianceFile, IsReadInTheOrderOfTheColumns) {
  const test::Scratch scratch;
  const auto covariance = [&](const std::string& content) {
    return read_covariance(scratch.write("c.csv", content), two_columns());
  };
  EXPECT_EQ(covariance("b,c,a\n1,2,3\n2,9,4\n3,4,7\n"), (std::vector<double>{7, 3, 3, 1}));
  EXPECT_EQ(covariance(",a,b\na,7,-3e0\nb,-3,1\n"), (std::vector<double>{7, -3, -3, 1}));
}

TEST(CovarianceFile, RefusesInOneSentence) {
  EXPECT_EQ(covariance_refusal("a,c\n1,2\n3,4\n"),
            "c.csv has no column \"b\", whose covariance is needed");
  EXPECT_EQ(covariance_refusal("a,b\n1,2\n"), "c.csv must have 2 rows like its columns, but has 1");
  EXPECT_EQ(covariance_refusal("a,b\n1,2\n1,2\n1,2\n"),
            "c.csv must have 2 rows like its columns, but has more");
  EXPECT_EQ(covariance_refusal("a,b\n1,2\n1\n"),
            "c.csv line 3 must have 2 fields like the header, but has 1");
  EXPECT_EQ(covariance_refusal("a,b\n1,x\n1,2\n"),
            "c.csv line 2 must hold a finite number in column \"b\", but it is \"x\"");
  EXPECT_EQ(covariance_refusal("a,b\n1,0\n0,inf\n"),
            "c.csv line 3 must hold a finite number in column \"b\", but it is \"inf\"");
  EXPECT_EQ(covariance_refusal(",a,b\nb,1,0\na,0,1\n"),
            "c.csv line 2 must be labelled \"a\" like the header, but is \"b\"");
}

}  // namespace
}  // namespace mollify
