// A public interval for one whitened coordinate.
#pragma once

namespace mollify {

/// Where one coordinate of a mean is said to lie: low < high, both finite, in whitened coordinates.
struct WhitenedRange {
  double low = 0;
  double high = 0;

  friend bool operator==(const WhitenedRange&, const WhitenedRange&) = default;
};

}  // namespace mollify
