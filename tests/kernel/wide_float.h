// MPFR's arithmetic as the second opinion on brackets.
#pragma once

#include <mpfr.h>

#include <cstddef>
#include <cstdint>

#include "kernel/naturals.h"

namespace mollify::test {

/// A number of 1000 binary digits.
class WideFloat {
 public:
  static constexpr mpfr_prec_t kPrecision = 1000;

  WideFloat() {
    mpfr_init2(value_, kPrecision);
    mpfr_set_zero(value_, 1);
  }
  explicit WideFloat(const Natural& value) : WideFloat() {
    for (std::size_t word = value.bit_length() / 64 + 1; word-- > 0;) {
      mpfr_mul_2ui(value_, value_, 64, MPFR_RNDN);
      mpfr_add_ui(value_, value_, (value >> (64 * word)).low_word(), MPFR_RNDN);
    }
  }
  explicit WideFloat(uint128 value) : WideFloat(Natural(value)) {}
  WideFloat(const WideFloat& other) : WideFloat() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  WideFloat& operator=(const WideFloat& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~WideFloat() { mpfr_clear(value_); }

  WideFloat operator+(const WideFloat& other) const { return with(mpfr_add, other); }
  WideFloat operator-(const WideFloat& other) const { return with(mpfr_sub, other); }
  WideFloat operator*(const WideFloat& other) const { return with(mpfr_mul, other); }
  WideFloat operator/(const WideFloat& other) const { return with(mpfr_div, other); }
  WideFloat times_power_of_two(long exponent) const {
    WideFloat result;
    mpfr_mul_2si(result.value_, value_, exponent, MPFR_RNDN);
    return result;
  }
  /// e^-value.
  WideFloat exp_minus() const {
    WideFloat result;
    mpfr_neg(result.value_, value_, MPFR_RNDN);
    mpfr_exp(result.value_, result.value_, MPFR_RNDN);
    return result;
  }
  WideFloat square_root() const {
    WideFloat result;
    mpfr_sqrt(result.value_, value_, MPFR_RNDN);
    return result;
  }
  double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

  friend bool operator<=(const WideFloat& a, const WideFloat& b) {
    return mpfr_lessequal_p(a.value_, b.value_) != 0;
  }
  friend bool operator<(const WideFloat& a, const WideFloat& b) {
    return mpfr_less_p(a.value_, b.value_) != 0;
  }

 private:
  template <class Operation>
  WideFloat with(Operation operation, const WideFloat& other) const {
    WideFloat result;
    operation(result.value_, value_, other.value_, MPFR_RNDN);
    return result;
  }

  mpfr_t value_;
};

}  // namespace mollify::test
