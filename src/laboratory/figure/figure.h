// Figures as data, SVG, PNG and pages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Figures as data: what is drawn, and what is compared with what was published.

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

// -----------------------------------------------------------------------------------------------
// The files of figures: numbers as CSV, pictures as SVG, and a page that shows them all.

/// A file to be written, its name without a folder.
struct FigureFile {
  std::string name;
  std::string text;
};

/// The files of one figure: ID.csv with what its curves, bars and rows are (chart, series, x or
/// group, y, spread, published), ID-panels.csv with the rows of its rasters if it has some (a row
/// of pixels a line, from below), ID-published.csv with its comparisons if it has some, and ID.svg
/// if it has charts.
[[nodiscard]] std::vector<FigureFile> files_of(const Figure& figure);

/// A word of the page and what it means.
struct PageWord {
  std::string_view word;
  std::string_view meaning;
};

/// index.html: all figures with their texts, their pictures inside the page, and tables of what was
/// published, what is expected and what came out. `notice` stands at its head, then the words that
/// the figures need.
[[nodiscard]] std::string figure_page(const std::vector<Figure>& figures, const std::string& notice,
                                      std::span<const PageWord> words = {});

// -----------------------------------------------------------------------------------------------
// Figures as SVG.

/// The charts of a figure, side by side in rows under its title, with axes, labels and legends: one
/// picture that needs nothing else, on a ground of its own. Points that are not finite are left
/// out.
[[nodiscard]] std::string svg(const Figure& figure);

/// A text in XML or HTML: the characters that mean something there are written as references.
[[nodiscard]] std::string escaped(const std::string& text);

// -----------------------------------------------------------------------------------------------
// Small pictures as PNG, for pages that hold them.

using Colour = std::array<std::uint8_t, 3>;

/// 256 colours from dark blue over green to yellow, each lighter than the one before.
[[nodiscard]] std::array<Colour, 256> heat_colours();

/// A PNG file of `width` times `height` pixels, rows from the top, each pixel the number of its
/// colour. Stored without compression: 1 byte a pixel and some. Requires as many pixels.
[[nodiscard]] std::string png(std::size_t width, std::size_t height,
                              std::span<const std::uint8_t> pixels,
                              const std::array<Colour, 256>& colours);

/// A file's bytes as an address that holds them, for HTML and SVG.
[[nodiscard]] std::string data_address(std::string_view media_type, std::string_view bytes);

}  // namespace mollify
