#include "kernel/core/exp_bound.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <gtest/gtest.h>

// MPFR declares its intmax_t functions only after <cstdint>.
#include <mpfr.h>

#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {
namespace {

using test::kInfinity;

constexpr std::uint64_t kSeed = 20241121;

/// e^epsilon * (1 - 2^-bits), or e^epsilon itself for bits = 0, rounded as asked at 256 bits.
class ExactExp {
 public:
  ExactExp() {
    mpfr_init2(value_, 256);
    mpfr_init2(factor_, 256);
  }
  ExactExp(const ExactExp&) = delete;
  ExactExp& operator=(const ExactExp&) = delete;
  ~ExactExp() {
    mpfr_clear(value_);
    mpfr_clear(factor_);
  }

  mpfr_srcptr of(double epsilon, int bits, mpfr_rnd_t rounding) {
    mpfr_set_d(value_, epsilon, MPFR_RNDN);
    mpfr_exp(value_, value_, rounding);
    if (bits > 0) {
      mpfr_set_ui_2exp(factor_, 1, -bits, MPFR_RNDN);
      mpfr_ui_sub(factor_, 1, factor_, MPFR_RNDN);
      mpfr_mul(value_, value_, factor_, rounding);
    }
    return value_;
  }

  /// e^epsilon - 1, to the nearest double.
  double less_one(double epsilon) {
    mpfr_set_d(value_, epsilon, MPFR_RNDN);
    mpfr_expm1(value_, value_, MPFR_RNDN);
    return mpfr_get_d(value_, MPFR_RNDN);
  }

 private:
  mpfr_t value_;
  mpfr_t factor_;
};

/// mantissa / 2^shift <= e^epsilon, and more than e^epsilon (1 - 2^-39): safe, and hardly wasteful.
::testing::AssertionResult is_tight_and_safe(double epsilon) {
  static ExactExp exact;
  static mpfr_t bound;
  static const bool made = (mpfr_init2(bound, 64), true);
  static_cast<void>(made);
  const ExpBound ours(epsilon);
  const std::string at = "at epsilon = " + std::to_string(epsilon);
  if (ours.mantissa() >= std::uint64_t{1} << 53 || ours.shift() <= 0 || ours.shift() > 52) {
    return ::testing::AssertionFailure() << "mantissa or shift out of range " << at;
  }
  mpfr_set_ui_2exp(bound, ours.mantissa(), -ours.shift(), MPFR_RNDN);
  if (mpfr_cmp(bound, exact.of(ours.epsilon(), 0, MPFR_RNDD)) > 0) {
    return ::testing::AssertionFailure() << "above e^epsilon " << at;
  }
  if (mpfr_cmp(bound, exact.of(ours.epsilon(), 39, MPFR_RNDU)) <= 0) {
    return ::testing::AssertionFailure() << "needlessly low " << at;
  }
  if (mpfr_cmp_d(bound, ours.value()) != 0 || !(ours.value() > 1)) {
    return ::testing::AssertionFailure() << "value() differs " << at;
  }
  return ::testing::AssertionSuccess();
}

/// Ebar by its definition, found with other digits and another program: what every machine must
/// have, to the last bit. (Of 10^5 epsilons one is so near to a number of 53 digits that 110 digits
/// do not tell them apart with probability 2^-40.)
TEST(ExpBound, IsTheSameIntegerOnEveryMachine) {
  ExactExp exact;
  mpfr_t cut;
  mpfr_init2(cut, 53);
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> logarithm(std::log(1e-6), std::log(30.0));
  std::uniform_real_distribution<double> plain(1e-6, 30.0);
  for (int i = 0; i < 100'000; ++i) {
    const double epsilon = i == 0       ? 7.6008
                           : i % 2 == 0 ? plain(random)
                                        : std::exp(logarithm(random));
    const ExpBound ours(epsilon);
    mpfr_set(cut, exact.of(ours.epsilon(), 40, MPFR_RNDN), MPFR_RNDD);
    ASSERT_EQ(ours.value(), mpfr_get_d(cut, MPFR_RNDD)) << "at epsilon = " << epsilon;
    ASSERT_EQ(ours.exponential(), mpfr_get_d(exact.of(ours.epsilon(), 0, MPFR_RNDN), MPFR_RNDN));
    const double less_one = ours.exponential_less_one();
    ASSERT_EQ(less_one, exact.less_one(ours.epsilon())) << "at epsilon = " << epsilon;
  }
  mpfr_clear(cut);
}

TEST(ExpBound, IsBelowTheExponentialByMpfr) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> logarithm(std::log(1e-6), std::log(30.0));
  std::uniform_real_distribution<double> plain(1e-6, 30.0);
  for (int i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(is_tight_and_safe(std::exp(logarithm(random))));
    ASSERT_TRUE(is_tight_and_safe(plain(random)));
  }
  std::printf("100000 random epsilons from 1e-6 to 30, seed %llu\n",
              static_cast<unsigned long long>(kSeed));
}

TEST(ExpBound, IsBelowTheExponentialAtEdges) {
  // Where the exponential crosses a power of two the exact dyadic changes its shift.
  for (int power = 1; power <= 43; ++power) {
    double below = power * std::log(2.0);
    double above = below;
    for (int step = 0; step < 50; ++step) {
      EXPECT_TRUE(is_tight_and_safe(below));
      EXPECT_TRUE(is_tight_and_safe(above));
      below = std::nextafter(below, 0.0);
      above = std::nextafter(above, 100.0);
    }
  }
  for (const double epsilon : {1e-6, std::nextafter(1e-6, 1.0), 0.1, 1.0, 20.0,
                               std::nextafter(30.0, 0.0), 30.0, 31.0, 1e300}) {
    EXPECT_TRUE(is_tight_and_safe(epsilon));
  }
}

TEST(ExpBound, CountsMoreThanThirtyAsThirty) {
  EXPECT_EQ(ExpBound(30.0).epsilon(), 30.0);
  EXPECT_EQ(ExpBound(30.5).epsilon(), 30.0);
  EXPECT_EQ(ExpBound(1e300).mantissa(), ExpBound(30).mantissa());
  EXPECT_EQ(ExpBound(29.5).epsilon(), 29.5);
}

std::string refusal(double epsilon) {
  return test::refusal_of([&] { ExpBound{epsilon}; });
}

TEST(ExpBound, RefusesWhatIsNoEpsilon) {
  EXPECT_EQ(refusal(-1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(refusal(0), "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(refusal(kInfinity), "epsilon must be finite and positive, but is inf");
  EXPECT_EQ(refusal(-kInfinity), "epsilon must be finite and positive, but is -inf");
  EXPECT_EQ(refusal(std::nan("")), "epsilon must be finite and positive, but is nan");
  EXPECT_EQ(refusal(9e-7), "epsilon of one draw must be at least 1e-06, but is 9e-07");
  EXPECT_EQ(refusal(1e-6), "accepted");
}

/// Exact integer arithmetic of another make.
class Integer {
 public:
  Integer() { mpz_init(value_); }
  explicit Integer(uint128 value) : Integer() {
    mpz_set_ui(value_, static_cast<unsigned long>(value >> 64));
    mpz_mul_2exp(value_, value_, 64);
    mpz_add_ui(value_, value_, static_cast<unsigned long>(value));
  }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(value_); }
  mpz_ptr get() { return value_; }

 private:
  mpz_t value_;
};

uint128 random_wide(std::mt19937_64& random) {
  const uint128 word = (static_cast<uint128>(random()) << 64) | random();
  return word >> (random() % 128);
}

TEST(ExpBound, MultipliesAndComparesAsGmpDoes) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> logarithm(std::log(1e-6), std::log(30.0));
  for (int i = 0; i < 100'000; ++i) {
    const ExpBound bound(std::exp(logarithm(random)));
    const auto x = static_cast<std::uint64_t>(random_wide(random));
    const std::uint64_t cap = random() >> (random() % 64);
    Integer product(x);
    mpz_mul_ui(product.get(), product.get(), bound.mantissa());
    mpz_fdiv_q_2exp(product.get(), product.get(), static_cast<mp_bitcnt_t>(bound.shift()));
    const bool capped = mpz_cmp_ui(product.get(), cap) >= 0;
    ASSERT_EQ(bound.times_floor(x, cap), capped ? cap : mpz_get_ui(product.get()));

    const uint128 smaller = random_wide(random);
    // Close to the boundary half of the time: floor(smaller Ebar) and its neighbours.
    uint128 larger = random_wide(random);
    if (i % 2 == 0 && smaller < uint128{1} << 62) {
      larger = ((smaller * bound.mantissa()) >> bound.shift()) + random() % 3;
      if (larger > 0) --larger;
    }
    Integer left(larger), right(smaller);
    mpz_mul_2exp(left.get(), left.get(), static_cast<mp_bitcnt_t>(bound.shift()));
    mpz_mul_ui(right.get(), right.get(), bound.mantissa());
    ASSERT_EQ(bound.allows(larger, smaller), mpz_cmp(left.get(), right.get()) <= 0);
  }
}

// What never happens under one input must not happen under another.
TEST(ExpBound, AllowsNothingBesideNothing) {
  EXPECT_FALSE(ExpBound(30).allows(1, 0));
  EXPECT_TRUE(ExpBound(30).allows(0, 0));
  EXPECT_TRUE(ExpBound(1).allows(2, 1));
  EXPECT_FALSE(ExpBound(1).allows(3, 1));
}

}  // namespace
}  // namespace mollify
