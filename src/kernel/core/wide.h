// 128-bit unsigned integers, the widest the kernel's inequalities need in a register.
#pragma once

namespace mollify {

/// Unsigned 128-bit integer (an extension of both supported compilers, hence the spelling).
__extension__ using uint128 = unsigned __int128;

}  // namespace mollify
