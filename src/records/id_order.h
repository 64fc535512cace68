// The order of ids that does not depend on records: that of their bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "space/string_index.h"

namespace mollify {

/// Which of the ids is the first in the order of their bytes, which the second, and so on.
/// O(n log n); of ids that differ within eight bytes without looking at them again.
[[nodiscard]] std::vector<std::uint32_t> in_order_of_bytes(const StringIndex& ids);

}  // namespace mollify
