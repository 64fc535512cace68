#include "laboratory/figure/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "laboratory/figure/png.h"

namespace mollify {
namespace {

constexpr double kTitleHeight = 64;
constexpr double kEdge = 18;
constexpr const char* kInk = "#1f2933";
constexpr const char* kSoft = "#55626e";
constexpr const char* kRule = "#d5dade";
/// Told apart by people of any colour vision [Okabe and Ito's palette].
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
                                 "#e69f00", "#5b4fa2", "#8a6d3b", "#444444", "#b2182b"};

/// From the first to the last of an order, dark to light.
constexpr std::array kOrderedColours = {"#1b1e5a", "#44277e", "#70308f", "#9a3389", "#bf3b73",
                                        "#da4f57", "#e76e3c", "#ea8f2b", "#d9a820", "#a8a632"};

std::string colour_of(std::size_t series) { return kColours[series % kColours.size()]; }

std::string colour_of(const Curve& curve, std::size_t place) {
  if (!curve.shade) return colour_of(curve.colour.value_or(place));
  const double share = std::clamp(*curve.shade, 0.0, 1.0) * (kOrderedColours.size() - 1);
  return kOrderedColours[static_cast<std::size_t>(std::lround(share))];
}

std::string colour_of(const Bars& bars, std::size_t place) {
  return colour_of(bars.colour.value_or(place));
}

/// What is drawn, part by part.
class Canvas {
 public:
  void text(double x, double y, const std::string& words, double size, const char* anchor = "start",
            const char* colour = kInk, const std::string& more = "") {
    parts_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\"{}>{}"
        "</text>\n",
        x, y, size, colour, anchor, more.empty() ? more : fmt::format(" {}", more), escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, const std::string& colour, double width = 1,
            const char* more = "") {
    parts_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:g}\" {}/>\n",
        x1, y1, x2, y2, colour, width, more);
  }
  void rect(double x, double y, double width, double height, const std::string& fill,
            const char* more = "") {
    parts_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" {}/>\n", x,
        y, std::max(width, 0.0), std::max(height, 0.0), fill, more);
  }
  void circle(double x, double y, double radius, const std::string& fill) {
    parts_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", x, y,
                          radius, fill);
  }
  /// What was published: a diamond with a white rim.
  void mark(double x, double y) {
    parts_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f} l5 5 l-5 5 l-5 -5 Z\" fill=\"{}\" stroke=\"white\" "
        "stroke-width=\"1.2\"/>\n",
        x, y - 5, kInk);
  }
  void raw(const std::string& part) { parts_ += part; }
  [[nodiscard]] const std::string& parts() const { return parts_; }

 private:
  std::string parts_;
};

struct Size {
  double width = 0;
  double height = 0;
};

/// Where numbers lie along an axis of a chart.
struct AxisScale {
  double low = 0;
  double high = 1;
  bool is_log = false;
  double begin = 0;  ///< on the canvas
  double end = 1;

  [[nodiscard]] double at(double value) const {
    const double share =
        is_log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + share * (end - begin);
  }
};

/// Round numbers between two, about as many as asked for.
std::vector<double> ticks(const AxisScale& scale, double count) {
  std::vector<double> marks;
  if (scale.is_log) {
    const double decades = std::log10(scale.high / scale.low);
    for (double power = std::pow(10, std::floor(std::log10(scale.low)));
         power <= scale.high * 1.0001; power *= 10) {
      for (const double part : {1.0, 2.0, 5.0}) {
        if (part != 1 && decades > 2.5) continue;
        const double value = part * power;
        if (value >= scale.low * 0.9999 && value <= scale.high * 1.0001) marks.push_back(value);
      }
    }
    return marks;
  }
  const double rough = (scale.high - scale.low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double part : {5.0, 2.0, 1.0}) {
    if (part * power >= rough) step = part * power;
  }
  for (double value = std::ceil(scale.low / step - 1e-9) * step; value <= scale.high + 1e-9 * step;
       value += step) {
    marks.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
  }
  return marks;
}

std::string number_text(double value) {
  if (value != 0 && (std::abs(value) >= 1e5 || std::abs(value) < 1e-3)) {
    const int power = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    return fmt::format("{:g}e{}", std::round(value / std::pow(10, power) * 10) / 10, power);
  }
  return fmt::format("{:.6g}", value);
}

/// The least and the greatest finite value, widened so that something can be drawn.
class Range {
 public:
  void take(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  [[nodiscard]] std::pair<double, double> ends() const {
    if (low_ > high_) return {0, 1};
    if (low_ == high_) {
      const double room = low_ == 0 ? 1 : 0.1 * std::abs(low_);
      return {low_ - room, high_ + room};
    }
    return {low_, high_};
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

struct Entry {
  std::string name;
  std::string colour;
  enum class Sign { kLine, kDashes, kPoint, kBar, kMark, kStripe } sign;
};

double words_width(const std::string& words, double size) {
  double letters = 0;
  for (const char letter : words) letters += (static_cast<unsigned char>(letter) & 0xC0) != 0x80;
  return letters * size * 0.54;
}

/// Below a chart, as many entries in a row as there is room for. Returns the height taken.
double draw_legend(Canvas& canvas, double x, double y, double width,
                   const std::vector<Entry>& entries) {
  double left = x;
  double top = y;
  for (const Entry& entry : entries) {
    const double needed = 40 + words_width(entry.name, 12);
    if (left > x && left + needed > x + width) {
      left = x;
      top += 18;
    }
    const double middle = top - 4;
    switch (entry.sign) {
      case Entry::Sign::kLine:
        canvas.line(left, middle, left + 20, middle, entry.colour, 2.4);
        break;
      case Entry::Sign::kDashes:
        canvas.line(left, middle, left + 20, middle, entry.colour, 2.2,
                    "stroke-dasharray=\"5 4\" ");
        break;
      case Entry::Sign::kPoint:
        canvas.circle(left + 10, middle, 4, entry.colour);
        break;
      case Entry::Sign::kBar:
        canvas.rect(left + 4, middle - 6, 12, 12, entry.colour);
        break;
      case Entry::Sign::kStripe:
        canvas.rect(left, middle - 6, 20, 12, entry.colour);
        break;
      case Entry::Sign::kMark:
        canvas.mark(left + 10, middle);
        break;
    }
    canvas.text(left + 26, top, entry.name, 12, "start", kSoft);
    left += needed;
  }
  return entries.empty() ? 0 : top - y + 18;
}

std::size_t legend_rows(double width, const std::vector<Entry>& entries) {
  Canvas nowhere;
  return static_cast<std::size_t>(draw_legend(nowhere, 0, 0, width, entries) / 18);
}

constexpr double kAxisLeft = 58;
constexpr double kPlotHeight = 230;
constexpr double kChartTop = 30;
constexpr double kAxisBottom = 50;

/// Title, frame, ticks and labels; the x axis only if it has numbers.
void draw_frame(Canvas& canvas, const std::string& title, const std::string& x_label,
                const std::string& y_label, const AxisScale& x, const AxisScale& y,
                bool has_numbers) {
  canvas.text((x.begin + x.end) / 2, y.end - 12, title, 14, "middle", kInk, "font-weight=\"600\"");
  for (const double tick : ticks(y, 7)) {
    canvas.line(x.begin, y.at(tick), x.end, y.at(tick), kRule);
    canvas.text(x.begin - 6, y.at(tick) + 4, number_text(tick), 11, "end", kSoft);
  }
  if (has_numbers) {
    for (const double tick : ticks(x, 6)) {
      canvas.line(x.at(tick), y.begin, x.at(tick), y.begin + 5, kSoft);
      canvas.text(x.at(tick), y.begin + 18, number_text(tick), 11, "middle", kSoft);
    }
  }
  canvas.line(x.begin, y.begin, x.end, y.begin, kSoft);
  canvas.text((x.begin + x.end) / 2, y.begin + 36, x_label, 12, "middle", kInk);
  canvas.text(
      x.begin - 44, (y.begin + y.end) / 2, y_label, 12, "middle", kInk,
      fmt::format("transform=\"rotate(-90 {:.1f} {:.1f})\"", x.begin - 44, (y.begin + y.end) / 2));
}

// Each kind of chart: its legend, its size, how it is drawn.

std::vector<Entry> legend_of(const LineChart& chart) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    if (curve.name.empty()) continue;
    entries.push_back({curve.name, colour_of(curve, i),
                       curve.look == Curve::Look::kPoints   ? Entry::Sign::kPoint
                       : curve.look == Curve::Look::kDashes ? Entry::Sign::kDashes
                                                            : Entry::Sign::kLine});
  }
  for (std::size_t i = 0; i < chart.stripes.size(); ++i) {
    entries.push_back(
        {chart.stripes[i].name, i == 0 ? "#dbe7f5" : "#b3cdea", Entry::Sign::kStripe});
  }
  return entries;
}

std::vector<Entry> legend_of(const BarChart& chart) {
  std::vector<Entry> entries;
  bool has_published = false;
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    entries.push_back({chart.bars[i].name, colour_of(chart.bars[i], i), Entry::Sign::kBar});
    has_published = has_published || !chart.bars[i].published.empty();
  }
  if (has_published) entries.push_back({"published", kInk, Entry::Sign::kMark});
  return entries;
}

double width_of(const LineChart&) { return 400; }
double width_of(const BarChart& chart) {
  const auto bars = static_cast<double>(chart.groups.size() * chart.bars.size());
  return std::max(360.0, kAxisLeft + 30 + bars * 22);
}

template <class Kind>
Size size_of(const Kind& chart) {
  const double width = width_of(chart);
  const auto rows = static_cast<double>(legend_rows(width - kAxisLeft, legend_of(chart)));
  return {width, kChartTop + kPlotHeight + kAxisBottom + 18 * rows + 10};
}

constexpr double kMapSide = 250;
Size size_of(const HeatMap&) { return {300, kChartTop + kMapSide + 76}; }

void draw(Canvas& canvas, const LineChart& chart, double left, double top) {
  Range xs;
  Range ys;
  for (const Curve& curve : chart.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const double spread = curve.spread.empty() ? 0 : curve.spread[i];
      if (!std::isfinite(curve.y[i])) continue;
      xs.take(curve.x[i]);
      ys.take(curve.y[i] + spread);
      if (!chart.log_y || curve.y[i] > spread) ys.take(curve.y[i] - spread);
    }
  }
  for (const Stripe& stripe : chart.stripes) {
    ys.take(stripe.low);
    ys.take(stripe.high);
  }
  for (const double value : chart.y_reaches) ys.take(value);
  auto [x_low, x_high] = xs.ends();
  auto [y_low, y_high] = ys.ends();
  if (!chart.log_x) {
    // An end that all but is a round number becomes one.
    const double round = (x_high - x_low) / 100;
    for (double* end : {&x_low, &x_high}) {
      const double unit = std::pow(10, std::floor(std::log10(x_high - x_low)));
      if (std::abs(*end - std::round(*end / unit) * unit) < round) {
        *end = std::round(*end / unit) * unit;
      }
    }
  }
  if (chart.log_y) {
    y_low /= 1.15;
    y_high *= 1.15;
  } else {
    const double room = 0.05 * (y_high - y_low);
    y_low = y_low >= 0 && y_low < 2 * room ? 0 : y_low - room;
    y_high += room;
  }
  const AxisScale x{x_low, x_high, chart.log_x, left + kAxisLeft, left + width_of(chart) - 12};
  const AxisScale y{y_low, y_high, chart.log_y, top + kChartTop + kPlotHeight, top + kChartTop};
  for (std::size_t i = 0; i < chart.stripes.size(); ++i) {
    const Stripe& stripe = chart.stripes[i];
    canvas.rect(x.begin, y.at(stripe.high), x.end - x.begin, y.at(stripe.low) - y.at(stripe.high),
                i == 0 ? "#dbe7f5" : "#b3cdea");
  }
  draw_frame(canvas, chart.title, chart.x_label, chart.y_label, x, y, true);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    const std::string colour = colour_of(curve, i);
    std::string path;
    for (std::size_t j = 0; j < curve.x.size(); ++j) {
      if (!std::isfinite(curve.x[j]) || !std::isfinite(curve.y[j])) continue;
      const double px = x.at(curve.x[j]);
      const double py = y.at(curve.y[j]);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", px, py);
      if (!curve.spread.empty() && curve.spread[j] > 0) {
        const double below = curve.y[j] - curve.spread[j];
        canvas.line(px, y.at(chart.log_y ? std::max(below, y_low) : below), px,
                    y.at(curve.y[j] + curve.spread[j]), colour, 1.2);
      }
      if (curve.look == Curve::Look::kPoints) {
        canvas.circle(px, py, curve.x.size() > 200 ? 1.1 : 3, colour);
      } else if (curve.x.size() <= 30) {
        canvas.circle(px, py, 2.6, colour);
      }
    }
    if (curve.look == Curve::Look::kPoints) continue;
    canvas.raw(fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                           path, colour,
                           curve.look == Curve::Look::kDashes ? " stroke-dasharray=\"5 4\"" : ""));
  }
  draw_legend(canvas, left + kAxisLeft, y.begin + kAxisBottom + 8, width_of(chart) - kAxisLeft,
              legend_of(chart));
}

void draw(Canvas& canvas, const BarChart& chart, double left, double top) {
  Range ys;
  ys.take(0);
  for (const Bars& bars : chart.bars) {
    for (const double value : bars.values) ys.take(value);
    for (const double value : bars.published) ys.take(value);
  }
  const auto [y_low, y_high] = ys.ends();
  const AxisScale x{0, static_cast<double>(chart.groups.size()), false, left + kAxisLeft,
                    left + width_of(chart) - 12};
  const AxisScale y{y_low, y_high + 0.05 * (y_high - y_low), false, top + kChartTop + kPlotHeight,
                    top + kChartTop};
  draw_frame(canvas, chart.title, chart.x_label, chart.y_label, x, y, false);
  const double group = x.at(1) - x.at(0);
  const double bar = 0.8 * group / static_cast<double>(chart.bars.size());
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    canvas.text(x.at(static_cast<double>(g) + 0.5), y.begin + 18, chart.groups[g], 11, "middle",
                kSoft);
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
      const Bars& bars = chart.bars[i];
      const double px = x.at(static_cast<double>(g)) + 0.1 * group + static_cast<double>(i) * bar;
      const bool has_mark = g < bars.published.size() && std::isfinite(bars.published[g]);
      if (std::isfinite(bars.values[g])) {
        const double height = y.begin - y.at(bars.values[g]);
        canvas.rect(px + 1, y.begin - height, bar - 2, height, colour_of(bars, i));
        // A bar that is too low to be seen is told in words.
        constexpr double kSeen = 3;
        if (height < kSeen) {
          const double words_x = px + bar / 2 + 3;
          const double words_y = y.begin - (has_mark ? 9 : 5);
          canvas.text(words_x, words_y, fmt::format("{:.2g}", bars.values[g]), 10, "start", kInk,
                      fmt::format("transform=\"rotate(-90 {:.1f} {:.1f})\"", words_x, words_y));
        }
      }
      if (has_mark) canvas.mark(px + bar / 2, y.at(bars.published[g]));
    }
  }
  draw_legend(canvas, left + kAxisLeft, y.begin + kAxisBottom + 8, width_of(chart) - kAxisLeft,
              legend_of(chart));
}

/// The number of the colour of a value that is this share of the greatest.
std::uint8_t colour_at(const HeatMap& chart, double share) {
  share = std::clamp(share, 0.0, 1.0);
  const auto steps = static_cast<double>(chart.steps);
  if (chart.steps > 1) share = std::min(std::floor(share * steps), steps - 1) / (steps - 1);
  return static_cast<std::uint8_t>(std::lround(255 * share));
}

void draw(Canvas& canvas, const HeatMap& chart, double left, double top) {
  double most = chart.most;
  if (most == 0) {
    for (const double value : chart.values) {
      if (std::isfinite(value)) most = std::max(most, value);
    }
  }
  std::vector<std::uint8_t> pixels(chart.values.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const double value = chart.values[i];
    const std::size_t row = chart.pixels - 1 - i / chart.pixels;
    pixels[row * chart.pixels + i % chart.pixels] =
        colour_at(chart, most > 0 && std::isfinite(value) ? value / most : 0);
  }
  std::vector<std::uint8_t> bar(256);
  for (std::size_t i = 0; i < bar.size(); ++i) {
    bar[i] = colour_at(chart, static_cast<double>(i) / 255);
  }
  const AxisScale x{chart.low, chart.high, false, left + 36, left + 36 + kMapSide};
  const AxisScale y{chart.low, chart.high, false, top + kChartTop + kMapSide, top + kChartTop};
  canvas.text((x.begin + x.end) / 2, y.end - 10, chart.title, 14, "middle", kInk,
              "font-weight=\"600\"");
  const auto image = [&](double image_top, double height, const std::string& bytes) {
    canvas.raw(
        fmt::format("<image x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:g}\" "
                    "preserveAspectRatio=\"none\" href=\"{}\"/>\n",
                    x.begin, image_top, kMapSide, height, data_address("image/png", bytes)));
  };
  image(y.end, kMapSide, png(chart.pixels, chart.pixels, pixels, heat_colours()));
  for (const double tick : ticks(x, 5)) {
    canvas.line(x.at(tick), y.begin, x.at(tick), y.begin + 4, kSoft);
    canvas.text(x.at(tick), y.begin + 17, number_text(tick), 11, "middle", kSoft);
    canvas.line(x.begin - 4, y.at(tick), x.begin, y.at(tick), kSoft);
    canvas.text(x.begin - 7, y.at(tick) + 4, number_text(tick), 11, "end", kSoft);
  }
  canvas.text((x.begin + x.end) / 2, y.begin + 31, "x", 12, "middle");
  canvas.text(x.begin - 28, (y.begin + y.end) / 2 + 4, "y", 12, "middle");
  image(y.begin + 40, 8, png(bar.size(), 1, bar, heat_colours()));
  canvas.text(x.begin, y.begin + 61, "0", 11, "start", kSoft);
  canvas.text((x.begin + x.end) / 2, y.begin + 61, chart.unit, 11, "middle", kSoft);
  canvas.text(x.end, y.begin + 61, fmt::format("{:.3g}", most), 11, "end", kSoft);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::string svg(const Figure& figure) {
  Canvas canvas;
  double top = kTitleHeight;
  double width = 0;
  for (std::size_t begin = 0; begin < figure.charts.size(); begin += figure.charts_in_a_row) {
    const std::size_t end = std::min(figure.charts.size(), begin + figure.charts_in_a_row);
    double left = kEdge;
    double height = 0;
    for (std::size_t i = begin; i < end; ++i) {
      std::visit(
          [&](const auto& chart) {
            const Size size = size_of(chart);
            draw(canvas, chart, left, top);
            left += size.width + 20;
            height = std::max(height, size.height);
          },
          figure.charts[i]);
    }
    width = std::max(width, left);
    top += height + 8;
  }
  const std::string source = figure.source + " - computed by mollify reproduce, NOT PRIVATE";
  width = std::max(
      {width, kEdge * 2 + words_width(figure.title, 19), kEdge * 2 + words_width(source, 12)});
  Canvas whole;
  whole.raw(fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" font-family=\"Inter, 'Segoe UI', "
      "Helvetica, Arial, sans-serif\">\n<title>{2}</title>\n",
      width, top + 8, escaped(figure.title)));
  whole.rect(0, 0, width, top + 8, "#fffefb");
  whole.text(kEdge, 28, figure.title, 18, "start", kInk, "font-weight=\"700\"");
  whole.text(kEdge, 48, source, 12, "start", kSoft);
  return whole.parts() + canvas.parts() + "</svg>\n";
}

}  // namespace mollify
