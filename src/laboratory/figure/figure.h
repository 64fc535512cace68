// Figures as data: what is drawn, and what is compared with what was published.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mollify {

/// Points of one curve, in order.
struct Curve {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  /// Half of the bar drawn about each point; empty: none.
  std::vector<double> spread{};
  enum class Look { kLine, kDashes, kPoints } look = Look::kLine;
  /// Which of the colours; if there is none, that of its place among the curves.
  std::optional<std::size_t> colour = std::nullopt;
  /// For curves that are in an order, from 0, the first, to 1: dark to light, in place of a colour.
  std::optional<double> shade = std::nullopt;
};

/// A horizontal stripe behind the curves.
struct Stripe {
  double low = 0;
  double high = 0;
  std::string name;
};

struct LineChart {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  std::vector<Stripe> stripes{};
  bool log_x = false;
  bool log_y = false;
  /// Values that the axis of y reaches, whatever the curves do.
  std::vector<double> y_reaches{};
};

/// One bar in each group.
struct Bars {
  std::string name;
  std::vector<double> values;
  /// What was published for each group, drawn as a mark; empty: nothing.
  std::vector<double> published{};
  /// Which of the colours; if there is none, that of its place among the bars.
  std::optional<std::size_t> colour = std::nullopt;
};

struct BarChart {
  std::string title, x_label, y_label;
  std::vector<std::string> groups;
  std::vector<Bars> bars;
};

/// Values on a raster of the plane with axes x and y; its colours begin at 0.
struct HeatMap {
  std::string title;
  double low = -1;  ///< both axes begin here
  double high = 1;
  std::size_t pixels = 0;  ///< along each axis
  /// pixels * pixels, x fastest, both ascending.
  std::vector<double> values;
  /// The value of the last colour; the greatest of the values if it is 0.
  double most = 0;
  /// Colours in so few steps that their borders are contours; 0: as many as there are.
  std::size_t steps = 0;
  /// What the values are, below the bar of colours.
  std::string unit = "density";
};

using Chart = std::variant<LineChart, BarChart, HeatMap>;

/// A number that a source gives, what it is expected to be, and what came out here.
struct PublishedNumber {
  std::string what;
  std::optional<double> published{};
  /// By a closed form, an integral, perfect classifiers or another program; `what` says which.
  std::optional<double> expected{};
  std::optional<double> ours{};
  /// Why they differ, where it is by more than rounding.
  std::string why{};
  /// Standard deviation of one repeat, where ours is a mean.
  std::optional<double> spread{};
};

/// Rows of text, for what is no chart.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A figure or a table of a source.
struct Figure {
  std::string id;      ///< as the command and its files name it
  std::string source;  ///< "Park et al. 2024, Figure 3"
  std::string title;
  /// What is seen, how it was made and how it compares: paragraphs that need no paper.
  std::vector<std::string> text;
  std::vector<Chart> charts{};
  std::size_t charts_in_a_row = 3;
  std::vector<PublishedNumber> comparisons{};
  TextTable table{};
};

}  // namespace mollify
