// The files of figures: numbers as CSV, pictures as SVG, and a page that shows them all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laboratory/figure/figure.h"

namespace mollify {

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

}  // namespace mollify
