// A table's numerators cannot be changed but through the projection.
// expected: (read-only|const)
#include "core/table.h"

std::uint64_t raise(mollify::Table& table) {
#if defined(MISUSE)
  table.numerators()[0] += 1;
#endif
  return table.numerators()[0];
}
