// What a draw's law follows from, as integers.
#pragma once

#include <cstdint>
#include <span>

#include "band.h"

namespace mollify {

/// The private integers that, together with a sampler's public ones, are the law of its draw: two
/// draws of one sampler whose integers are equal have one law, on whatever processors. NOT PRIVATE.
///
/// A Table has its numerators; a SparseTable its outcomes, and their numerators before that of the
/// rest; a channel its inputs, and the sums of the weights before each and of all.
struct LawIntegers {
  std::span<const std::uint32_t> outcomes{};  ///< what the numerators belong to; none: 0, 1, 2, ...
  std::span<const std::uint64_t> numerators{};
  /// Of a Table: most of the numerators are this band's lower bounds.
  const Band* band = nullptr;
};

}  // namespace mollify
