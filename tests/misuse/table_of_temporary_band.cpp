// A table that outlives its band would read freed bounds.
// expected: deleted
#include "kernel/core/table.h"

std::uint64_t first_numerator(const mollify::BandSpec& spec) {
#if defined(MISUSE)
  const mollify::Table table(mollify::Band::make(spec));
#else
  const mollify::Band band = mollify::Band::make(spec);
  const mollify::Table table(band);
#endif
  return table.numerators()[0];
}
