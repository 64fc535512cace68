// What a column makes of a field's text.
#pragma once

#include <cstdint>

namespace mollify {

/// How far a field's text is from what its column declares.
enum class Verdict : std::uint8_t {
  kValue,       ///< a value of the domain
  kNull,        ///< a word for "no value"
  kOutside,     ///< of the column's type, but not in its domain: a number beyond a bound, an
                ///< undeclared category
  kUnreadable,  ///< not of the column's type
};

/// A verdict, and the cell of the domain that lies nearest: the value's own cell, the cell of the
/// nearest bound, or cell 0 (the first declared value) where nothing is near.
struct Reading {
  Verdict verdict;
  std::uint32_t cell;
};

}  // namespace mollify
