#include "kernel/noise/bernoulli_exp.h"

#include "kernel/core/invalid_input.h"

namespace mollify {

BernoulliExp::BernoulliExp(std::uint64_t numerator, std::uint64_t denominator)
    : exponent_{numerator, denominator} {
  if (denominator == 0) throw InvalidInput("the denominator of an exponent must not be 0");
}

}  // namespace mollify
