// A table that outlives its band would read freed bounds.
// expected: deleted
#include "kernel/core/sparse_table.h"

std::uint64_t first_numerator(const mollify::BandSpec& spec) {
#if defined(MISUSE)
  const mollify::SparseTable table(mollify::Band::make(spec));
#else
  const mollify::Band band = mollify::Band::make(spec);
  const mollify::SparseTable table(band);
#endif
  return table.numerators()[0];
}
