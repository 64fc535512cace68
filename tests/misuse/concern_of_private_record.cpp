// A refusal concerns a parameter, a column or a place of a public file, never a record.
// expected: Concern
#include <cstdint>
#include <span>

#include "core/invalid_input.h"

inline mollify::Concern concern_of(std::span<const std::uint32_t> record) {
#if defined(MISUSE)
  return mollify::Concern(record);
#else
  static_cast<void>(record);
  return mollify::Concern("epsilon");
#endif
}
