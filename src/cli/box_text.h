// Boxes as users write them: low:high for each axis, with commas between them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "laboratory/measure/grid.h"

namespace mollify::cli {

/// Reads "-1:1,0:2.5". Throws InvalidInput, naming `option`, unless there is an interval of finite
/// ends for each axis.
Box box_from(std::string_view option, const std::string& text, std::size_t dimension);

}  // namespace mollify::cli
