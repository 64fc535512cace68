#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laboratory/figure/figure.h"

namespace mollify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Figure figure_of_every_kind() {
  Figure figure{.id = "all", .source = "A & B", .title = "1 < 2", .text = {"It says \"so\"."}};
  figure.charts.emplace_back(
      LineChart{.title = "lines",
                .x_label = "x",
                .y_label = "y",
                .curves = {{"rising", {0, 1, 2}, {1, std::nan(""), 3}, {0.1, 0.1, 0.1}}},
                .stripes = {{1, 2, "between"}},
                .log_x = false});
  figure.charts.emplace_back(
      BarChart{.title = "bars",
               .x_label = "x",
               .y_label = "y",
               .groups = {"first", "second"},
               .bars = {{"ours", {1, 2}, {1.5, std::nan("")}}, {"theirs", {0.5, 0}, {}}}});
  figure.charts.emplace_back(HeatMap{"panel", -1, 1, 2, {0, 1, 2, 3}, 0, 0});
  figure.comparisons = {{"a, b", 1.5, std::nullopt, 1.25, "rounding", 0.5},
                        {"many", std::nullopt, std::nullopt, 1234567.0, ""}};
  return figure;
}

/// Whether every element that is opened is closed in turn.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t place = xml.find('<'); place != std::string::npos;
       place = xml.find('<', place + 1)) {
    const std::size_t end = xml.find('>', place);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(place + 1, end - place - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Svg, DrawsEveryKindOfChart) {
  const std::string picture = svg(figure_of_every_kind());
  expect_well_formed(picture);
  for (const char* words :
       {"lines", "bars", "panel", "rising", "between", "ours", "theirs", "published", "first",
        "density", ">3</text>", "1 &lt; 2", "A &amp; B", "NOT PRIVATE"}) {
    EXPECT_THAT(picture, HasSubstr(words));
  }
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
  EXPECT_THAT(picture, HasSubstr("data:image/png;base64,iVBORw0KGgo"));
}

// What is drawn lies where its numbers say: the bar of 2 is twice as high as that of 1.
TEST(Svg, BarsAreInProportion) {
  const std::string picture = svg(figure_of_every_kind());
  std::vector<double> heights;
  for (std::size_t place = picture.find("height=\""); place != std::string::npos;
       place = picture.find("height=\"", place + 1)) {
    const std::size_t fill = picture.find("fill=\"#0072b2\"", place);
    if (fill == std::string::npos || fill - place > 24) continue;
    heights.push_back(std::stod(picture.substr(place + 8)));
  }
  ASSERT_EQ(heights.size(), 3U) << "two bars and the legend";
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.11);
}

// Curves in an order go from dark to light; a bar that nobody would see is told in words.
TEST(Svg, ShadesWhatIsOrderedAndTellsLowBars) {
  Figure figure{.id = "x", .source = "", .title = "", .text = {}};
  Curve first{"first", {0, 1}, {0, 1}};
  Curve last{"last", {0, 1}, {1, 2}};
  first.shade = 0;
  last.shade = 1;
  figure.charts.emplace_back(
      LineChart{.title = "", .x_label = "", .y_label = "", .curves = {first, last}});
  figure.charts.emplace_back(BarChart{.title = "",
                                      .x_label = "",
                                      .y_label = "",
                                      .groups = {"g"},
                                      .bars = {{"high", {1000}, {}, 8}, {"low", {1.5}, {}}}});
  const std::string picture = svg(figure);
  expect_well_formed(picture);
  for (const char* words : {"#1b1e5a", "#a8a632", "#444444", ">1.5</text>"}) {
    EXPECT_THAT(picture, HasSubstr(words));
  }
  EXPECT_THAT(picture, Not(HasSubstr("#0072b2")));
}

TEST(Svg, DrawsWhatIsEmptyOrConstant) {
  Figure figure{.id = "x", .source = "", .title = "", .text = {}};
  figure.charts.emplace_back(LineChart{.title = "", .x_label = "", .y_label = "", .curves = {}});
  figure.charts.emplace_back(
      LineChart{.title = "", .x_label = "", .y_label = "", .curves = {{"one point", {1}, {5}}}});
  expect_well_formed(svg(figure));
  EXPECT_THAT(svg(figure), Not(HasSubstr("nan")));
}

TEST(FigureFiles, AreTheNumbersThePictureAndThePage) {
  const Figure figure = figure_of_every_kind();
  const std::vector<FigureFile> files = files_of(figure);
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[0].name, "all.csv");
  EXPECT_THAT(files[0].text,
              HasSubstr("chart,series,x,y,spread,published\nlines,rising,0,1,0.1,\n"));
  EXPECT_THAT(files[0].text, HasSubstr("bars,ours,first,1,,1.5\nbars,ours,second,2,,\n"));
  EXPECT_EQ(files[1].name, "all-panels.csv");
  EXPECT_EQ(files[1].text, "panel,y,x=-0.5,x=0.5\npanel,-0.5,0,1\npanel,0.5,2,3\n");
  EXPECT_EQ(files[2].name, "all-published.csv");
  EXPECT_EQ(files[2].text,
            "what,published,expected,ours,spread,why\n\"a, "
            "b\",1.5,,1.25,0.5,rounding\nmany,,,1234567,,\n");
  EXPECT_EQ(files[3].name, "all.svg");
  const std::array meanings = {PageWord{"Q", "what is < P"}};
  const std::string page = figure_page({figure}, "NOT PRIVATE <at all>", meanings);
  for (const char* words :
       {"NOT PRIVATE &lt;at all&gt;", "href=\"#all\"", "id=\"all\"", "It says &quot;so&quot;.",
        "href=\"all.csv\"", "<td class=\"n\">1.25 &#177; 0.5</td>",
        "<td class=\"n\">1&#8239;234&#8239;600</td>", "<dt>Q</dt><dd>what is &lt; P</dd>"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  Figure table{.id = "t", .source = "", .title = "", .text = {}};
  table.table = {{"a", "b"}, {{"1", "x,y"}}};
  ASSERT_EQ(files_of(table).size(), 1U);
  EXPECT_EQ(files_of(table)[0].text, "a,b\n1,\"x,y\"\n");
}

}  // namespace
}  // namespace mollify
