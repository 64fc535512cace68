// Figures as SVG.
#pragma once

#include <string>

#include "laboratory/figure/figure.h"

namespace mollify {

/// The charts of a figure, side by side in rows under its title, with axes, labels and legends: one
/// picture that needs nothing else, on a ground of its own. Points that are not finite are left
/// out.
[[nodiscard]] std::string svg(const Figure& figure);

/// A text in XML or HTML: the characters that mean something there are written as references.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace mollify
