#include "laboratory/figure/figure_files.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "laboratory/figure/svg.h"

namespace mollify {
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

}  // namespace mollify
