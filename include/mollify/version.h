// The version of this library. CMakeLists.txt reads it from here.
#pragma once

namespace mollify {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace mollify
