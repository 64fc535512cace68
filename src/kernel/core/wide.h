// 128-bit integers, the widest the kernel's inequalities need in a register.
#pragma once

namespace mollify {

// An extension of all supported compilers, hence the spelling.
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

/// Of a public matrix: the greatest and the least numerator that one outcome has under any input.
/// Their ratio bounds what the outcome tells.
struct Extremes {
  uint128 greatest;
  uint128 least;
};

}  // namespace mollify
