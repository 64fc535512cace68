#include "laboratory/figure/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The files of figures.

namespace {

/// A field of CSV.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + "\"";
}

void add_rows(std::string& csv, const LineChart& chart) {
  for (const Curve& curve : chart.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      csv += fmt::format("{},{},{:.10g},{:.10g},{},\n", field(chart.title), field(curve.name),
                         curve.x[i], curve.y[i],
                         curve.spread.empty() ? "" : fmt::format("{:.4g}", curve.spread[i]));
    }
  }
}

void add_rows(std::string& csv, const BarChart& chart) {
  for (const Bars& bars : chart.bars) {
    for (std::size_t i = 0; i < chart.groups.size(); ++i) {
      csv += fmt::format("{},{},{},{:.17g},,{}\n", field(chart.title), field(bars.name),
                         field(chart.groups[i]), bars.values[i],
                         i < bars.published.size() && std::isfinite(bars.published[i])
                             ? fmt::format("{:.10g}", bars.published[i])
                             : "");
    }
  }
}

void add_rows(std::string&, const HeatMap&) {}

std::string panels_csv(const Figure& figure) {
  std::string csv;
  for (const Chart& chart : figure.charts) {
    const auto* map = std::get_if<HeatMap>(&chart);
    if (map == nullptr) continue;
    const double step = (map->high - map->low) / static_cast<double>(map->pixels);
    const auto middle = [&](std::size_t i) {
      return map->low + (static_cast<double>(i) + 0.5) * step;
    };
    csv += "panel,y";
    for (std::size_t i = 0; i < map->pixels; ++i) csv += fmt::format(",x={:.5g}", middle(i));
    csv += '\n';
    for (std::size_t row = 0; row < map->pixels; ++row) {
      csv += fmt::format("{},{:.5g}", field(map->title), middle(row));
      for (std::size_t i = 0; i < map->pixels; ++i) {
        csv += fmt::format(",{:.4g}", map->values[row * map->pixels + i]);
      }
      csv += '\n';
    }
  }
  return csv;
}

std::string number_or_nothing(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", *value) : "";
}

std::string published_csv(const Figure& figure) {
  std::string csv = "what,published,expected,ours,spread,why\n";
  for (const PublishedNumber& row : figure.comparisons) {
    csv += fmt::format("{},{},{},{},{},{}\n", field(row.what), number_or_nothing(row.published),
                       number_or_nothing(row.expected), number_or_nothing(row.ours),
                       number_or_nothing(row.spread), field(row.why));
  }
  return csv;
}

/// Many digits in threes.
std::string grouped(const std::string& digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += "&#8239;";
    text += digits[i];
  }
  return text;
}

/// Five digits, and no powers of ten above one.
std::string number_html(double value) {
  if (!(value >= 1e5 && value < 1e15)) return fmt::format("{:.5g}", value);
  const double last = std::pow(10, std::floor(std::log10(value)) - 4);
  return grouped(fmt::format("{:.0f}", std::round(value / last) * last));
}

std::string cell(const std::optional<double>& value, const std::optional<double>& spread = {}) {
  return fmt::format("<td class=\"n\">{}{}</td>", value ? number_html(*value) : "-",
                     value && spread ? fmt::format(" &#177; {:.2g}", *spread) : "");
}

std::string comparisons_html(const std::vector<PublishedNumber>& comparisons) {
  if (comparisons.empty()) return "";
  std::string html =
      "<table>\n<tr><th>number</th><th>published</th><th>expected</th><th>here</th><th>why they "
      "differ</th></tr>\n";
  for (const PublishedNumber& row : comparisons) {
    html += fmt::format("<tr><td>{}</td>{}{}{}<td>{}</td></tr>\n", escaped(row.what),
                        cell(row.published), cell(row.expected), cell(row.ours, row.spread),
                        escaped(row.why));
  }
  html += "</table>\n";
  // A long one is for who asks for it.
  constexpr std::size_t kFew = 15;
  if (comparisons.size() <= kFew) return html;
  return fmt::format("<details>\n<summary>{} numbers, one by one</summary>\n{}</details>\n",
                     comparisons.size(), html);
}

std::string table_html(const TextTable& table) {
  if (table.columns.empty()) return "";
  std::string html = "<table>\n<tr>";
  for (const std::string& column : table.columns) {
    html += fmt::format("<th>{}</th>", escaped(column));
  }
  html += "</tr>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const std::string& entry : row) {
      const bool is_count = entry.find_first_not_of("0123456789") == std::string::npos;
      html += fmt::format("<td{}>{}</td>", is_count ? " class=\"n\"" : "",
                          is_count ? grouped(entry) : escaped(entry));
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The sources' figures and tables</title>
<style>
body { font: 16px/1.5 Inter, "Segoe UI", Helvetica, Arial, sans-serif; color: #1f2933; background: #f4f5f2;
       margin: 0 auto; max-width: 1180px; padding: 24px; }
section { background: #fffefb; border: 1px solid #d5dade; border-radius: 14px; padding: 8px 24px 20px; margin: 24px 0; }
h1 { font-size: 28px; margin-bottom: 4px; } h2 { font-size: 21px; margin: 14px 0 0; }
.source { color: #55626e; margin: 0 0 8px; } nav .source { font-size: 14px; } .notice { background: #fdeee3; border-left: 5px solid #b4470b; padding: 8px 14px; }
svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: 12px 0; font-size: 14px; } th { text-align: left; border-bottom: 2px solid #94a0ab; }
td, th { padding: 3px 12px 3px 0; vertical-align: top; } tr + tr td { border-bottom: 1px solid #e6e9eb; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; } nav ol { columns: 2; column-gap: 32px; margin: 0; }
nav li { break-inside: avoid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 8px 0; } dt { font-weight: 600; } dd { margin: 0; }
summary { cursor: pointer; color: #2255b5; margin: 8px 0; }
</style>
</head>
<body>
)";

}  // namespace

std::vector<FigureFile> files_of(const Figure& figure) {
  std::vector<FigureFile> files;
  std::string csv;
  if (figure.table.columns.empty()) {
    csv = "chart,series,x,y,spread,published\n";
    const std::size_t head = csv.size();
    for (const Chart& chart : figure.charts) {
      std::visit([&csv](const auto& kind) { add_rows(csv, kind); }, chart);
    }
    if (csv.size() == head) csv.clear();
  } else {
    const auto add_line = [&csv](const std::vector<std::string>& row) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) csv += ',';
        csv += field(row[i]);
      }
      csv += '\n';
    };
    add_line(figure.table.columns);
    for (const auto& row : figure.table.rows) add_line(row);
  }
  if (!csv.empty()) files.push_back({figure.id + ".csv", csv});
  if (std::string panels = panels_csv(figure); !panels.empty()) {
    files.push_back({figure.id + "-panels.csv", std::move(panels)});
  }
  if (!figure.comparisons.empty()) {
    files.push_back({figure.id + "-published.csv", published_csv(figure)});
  }
  if (!figure.charts.empty()) files.push_back({figure.id + ".svg", svg(figure)});
  return files;
}

std::string figure_page(const std::vector<Figure>& figures, const std::string& notice,
                        std::span<const PageWord> words) {
  std::string html = kHead;
  html += fmt::format("<h1>The sources' figures and tables</h1>\n<p class=\"notice\">{}</p>\n",
                      escaped(notice));
  html += "<nav>\n<ol>\n";
  for (const Figure& figure : figures) {
    html += fmt::format("<li><a href=\"#{}\">{}</a> <span class=\"source\">{}</span></li>\n",
                        figure.id, escaped(figure.title), escaped(figure.source));
  }
  html += "</ol>\n</nav>\n";
  if (!words.empty()) {
    html += "<section>\n<h2>Words</h2>\n<dl>\n";
    for (const PageWord& word : words) {
      html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(std::string(word.word)),
                          escaped(std::string(word.meaning)));
    }
    html += "</dl>\n</section>\n";
  }
  for (const Figure& figure : figures) {
    html += fmt::format(
        "<section id=\"{0}\">\n<h2>{1}</h2>\n<p class=\"source\">{2} &#183; mollify "
        "reproduce {0}</p>\n",
        figure.id, escaped(figure.title), escaped(figure.source));
    for (const std::string& paragraph : figure.text) {
      html += fmt::format("<p>{}</p>\n", escaped(paragraph));
    }
    if (!figure.charts.empty()) html += svg(figure);
    html += table_html(figure.table) + comparisons_html(figure.comparisons);
    html += "<p class=\"source\">";
    for (const FigureFile& file : files_of(figure)) {
      html += fmt::format("<a href=\"{0}\">{0}</a> ", file.name);
    }
    html += "</p>\n</section>\n";
  }
  return html + "</body>\n</html>\n";
}

// -----------------------------------------------------------------------------------------------
// Figures as SVG.

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

// -----------------------------------------------------------------------------------------------
// Small pictures as PNG, for pages that hold them.

namespace {

void add_big_endian(std::string& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) == 0 ? 0 : 0xedb88320);
  }
  return ~crc;
}

void add_chunk(std::string& file, std::string_view type, std::string_view content) {
  add_big_endian(file, static_cast<std::uint32_t>(content.size()));
  std::string checked(type);
  checked += content;
  file += checked;
  add_big_endian(file, checksum(checked));
}

/// The zlib stream of bytes in stored blocks.
std::string stored(std::string_view bytes) {
  constexpr std::size_t kMost = 65'535;
  std::string stream("\x78\x01", 2);
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kMost) {
    const std::string_view block = bytes.substr(begin, kMost);
    const auto size = static_cast<std::uint32_t>(block.size());
    stream += static_cast<char>(begin + kMost >= bytes.size() ? 1 : 0);
    for (const std::uint32_t length : {size, ~size}) {
      stream += static_cast<char>(length & 0xff);
      stream += static_cast<char>(length >> 8 & 0xff);
    }
    stream += block;
    for (const char byte : block) {
      a = (a + static_cast<unsigned char>(byte)) % 65'521;
      b = (b + a) % 65'521;
    }
  }
  add_big_endian(stream, b << 16 | a);
  return stream;
}

}  // namespace

std::array<Colour, 256> heat_colours() {
  constexpr std::array<Colour, 6> kStops{{{{13, 20, 60}},
                                          {{38, 68, 134}},
                                          {{33, 122, 140}},
                                          {{62, 170, 112}},
                                          {{170, 208, 64}},
                                          {{253, 240, 150}}}};
  std::array<Colour, 256> colours{};
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double place = static_cast<double>(i) / 255 * (kStops.size() - 1);
    const std::size_t below = std::min<std::size_t>(static_cast<std::size_t>(place), 4);
    const double share = place - static_cast<double>(below);
    for (std::size_t part = 0; part < 3; ++part) {
      colours[i][part] = static_cast<std::uint8_t>(
          std::lround((1 - share) * kStops[below][part] + share * kStops[below + 1][part]));
    }
  }
  return colours;
}

std::string png(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                const std::array<Colour, 256>& colours) {
  std::string header;
  add_big_endian(header, static_cast<std::uint32_t>(width));
  add_big_endian(header, static_cast<std::uint32_t>(height));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits a pixel, a palette
  std::string palette;
  for (const Colour& colour : colours) {
    for (const std::uint8_t part : colour) palette += static_cast<char>(part);
  }
  std::string rows;
  rows.reserve(height * (width + 1));
  for (std::size_t row = 0; row < height; ++row) {
    rows += '\0';  // as it is
    for (const std::uint8_t pixel : pixels.subspan(row * width, width)) {
      rows += static_cast<char>(pixel);
    }
  }
  std::string file("\x89PNG\r\n\x1a\n", 8);
  add_chunk(file, "IHDR", header);
  add_chunk(file, "PLTE", palette);
  add_chunk(file, "IDAT", stored(rows));
  add_chunk(file, "IEND", "");
  return file;
}

std::string data_address(std::string_view media_type, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "data:";
  text += media_type;
  text += ";base64,";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

}  // namespace mollify
