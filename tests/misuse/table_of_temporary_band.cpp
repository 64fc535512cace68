// A table that outlives its band would read freed bounds.
// expected: deleted
#include "core/table.h"
#include "kernel/search.h"

std::uint64_t first_numerator(const mollify::BandSpec& spec) {
#if defined(MISUSE)
  const mollify::Table table(mollify::make_band(spec));
#else
  const mollify::Band band = mollify::make_band(spec);
  const mollify::Table table(band);
#endif
  return table.numerators()[0];
}
