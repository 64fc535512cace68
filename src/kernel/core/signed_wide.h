// 128-bit signed integers, for sums that must not wrap.
#pragma once

namespace mollify {

/// Signed 128-bit integer (an extension of both supported compilers, hence the spelling).
__extension__ using int128 = __int128;

}  // namespace mollify
