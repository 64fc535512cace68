// A number known from samples.
#pragma once

namespace mollify {

/// An estimate and its standard error, in the same units.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

}  // namespace mollify
