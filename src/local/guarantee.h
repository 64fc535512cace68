// What one draw of a local sampler promises.
#pragma once

namespace mollify {

/// A privacy notion and its parameter, for one draw.
struct Guarantee {
  enum class Notion {
    kPure,      ///< epsilon-LDP: probabilities differ by a factor of at most e^parameter
    kGaussian,  ///< parameter-Gaussian-DP: no easier to tell apart than N(0,1) from N(parameter,1)
  };
  Notion notion;
  double parameter;

  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

}  // namespace mollify
