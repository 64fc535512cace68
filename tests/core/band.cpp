#include "core/band.h"

#include <mpfr.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "kernel/bands.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Band.

namespace {

using test::band_with_zeros;

using Lowers = std::vector<std::uint64_t>;

template <class... Arguments>
std::string refusal_of_band(const Arguments&... arguments) {
  return test::refusal_of([&] { static_cast<void>(Band::make(arguments...)); });
}

TEST(Band, UpperBoundsAreTheGreatestThatEbarAllows) {
  const ExpBound bound(1.5);
  const Band band = Band::make(Lowers{63, 126, 313}, bound, 1000);
  EXPECT_FALSE(band.is_uniform());
  EXPECT_TRUE(test::keeps_promises(band));
  EXPECT_EQ(band.upper(0), 282u);  // 63 e^1.5 = 282.35
  EXPECT_EQ(band.upper(1), 564u);  // 126 e^1.5 = 564.69
  EXPECT_EQ(band.upper(2), 1000u);
  const Band same = Band::make(3, 100, bound, 1000);
  EXPECT_TRUE(same.is_uniform());
  EXPECT_TRUE(test::keeps_promises(same));
  EXPECT_EQ(same.upper(2), 448u);
}

TEST(Band, OneOutcomeThatCanOccurIsAlwaysReleased) {
  for (std::size_t only = 0; only < 3; ++only) {
    std::vector<double> masses(3, 0.0);
    masses[only] = 2;
    const Band band = band_with_zeros(masses, 0.9, 0.1);
    EXPECT_TRUE(test::keeps_promises(band));
    EXPECT_EQ(band.lower(only), band.total());
    EXPECT_EQ(band.upper((only + 1) % 3), 0u);
  }
}

TEST(Band, SumsAndPlacesAreThoseOfAWalkOverTheLowerBounds) {
  std::mt19937_64 random(3);
  for (const std::size_t k : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U}) {
    Lowers lowers(k);
    for (std::uint64_t& lower : lowers) lower = random() % 3 == 0 ? 0 : 1 + random() % 5;
    lowers[random() % k] += 7;
    const std::uint64_t sum = std::accumulate(lowers.begin(), lowers.end(), std::uint64_t{0});
    const Band band = Band::make(lowers, ExpBound(2), sum + sum / 2);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < k; ++i) {
      ASSERT_EQ(band.lower_before(i), before) << k;
      for (std::uint64_t part = 0; part < lowers[i]; ++part) {
        ASSERT_EQ(band.outcome_at(before + part), i) << k;
      }
      before += lowers[i];
    }
    ASSERT_EQ(band.lower_before(k), sum);
  }
}

TEST(Band, OutcomesWithLowerBoundZeroHaveNoParts) {
  const std::vector<double> even = {0, 1, 1, 0, 0, 1}, uneven = {0, 0.5, 0.25, 0, 0, 0.25};
  const Band uniform = band_with_zeros(even, 0.8, 1, 300);
  const Band weighted = band_with_zeros(uneven, 0.8, 1, 300);
  for (const Band* band : {&uniform, &weighted}) {
    EXPECT_TRUE(test::keeps_promises(*band));
    for (const std::size_t i : {0u, 3u, 4u}) {
      EXPECT_EQ(band->lower(i), 0u);
      EXPECT_EQ(band->upper(i), 0u);
    }
    for (std::uint64_t p = 0; p < band->lower_before(6); ++p) {
      const std::size_t i = band->outcome_at(p);
      EXPECT_LE(band->lower_before(i), p);
      EXPECT_LT(p, band->lower_before(i + 1));
    }
  }
  EXPECT_EQ(uniform.lower(1), 81u);    // a hair above 80
  EXPECT_EQ(weighted.lower(1), 121u);  // and above 120
}

TEST(Band, RefusesIntegersInOneSentence) {
  const ExpBound bound(1);
  EXPECT_EQ(refusal_of_band(Lowers{}, bound),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(refusal_of_band(Band::kMostOutcomes + 1, std::uint64_t{1}, bound),
            "the number of outcomes must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(refusal_of_band(Lowers{1}, bound, std::uint64_t{0}),
            "the total must be from 1 to 2^62, but is 0");
  EXPECT_EQ(refusal_of_band(Lowers{1}, bound, Band::kGreatestTotal + 1),
            "the total must be from 1 to 2^62, but is 4611686018427387905");
  const std::string above =
      "no table of 9 parts fits a band of 2 outcomes at epsilon = 1: the lower bounds sum to more "
      "than the whole";
  EXPECT_EQ(refusal_of_band(Lowers{4, 6}, bound, std::uint64_t{9}), above);
  EXPECT_EQ(refusal_of_band(std::size_t{2}, std::uint64_t{5}, bound, std::uint64_t{9}), above);
  // The sums of these are 2^64 and its double, which 64 bits would take for 0.
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(refusal_of_band(Lowers{half, half}, bound, std::uint64_t{9}), above);
  EXPECT_EQ(refusal_of_band(std::size_t{2}, half, bound, std::uint64_t{9}), above);
  EXPECT_EQ(refusal_of_band(Lowers{1, 2}, bound, std::uint64_t{9}),
            "no table of 9 parts fits a band of 2 outcomes at epsilon = 1: the upper bounds sum to "
            "less than the whole");
  EXPECT_EQ(refusal_of_band(std::size_t{2}, std::uint64_t{0}, bound, std::uint64_t{9}),
            "no table of 9 parts fits a band of 2 outcomes at epsilon = 1: the upper bounds sum to "
            "less than the whole");
}

/// Whatever the integers, a band is refused or keeps its promises.
RC_GTEST_PROP(Band, AnyIntegersAreRefusedOrKeepTheirPromises, ()) {
  const auto total = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto lowers = *rc::gen::container<Lowers>(rc::gen::inRange<std::uint64_t>(0, 200));
  const ExpBound bound(std::exp(*rc::gen::inRange(-1300, 340) * 0.01));
  const bool refused = refusal_of_band(lowers, bound, total) != "accepted";
  RC_CLASSIFY(refused);
  if (!refused) {
    const ::testing::AssertionResult result =
        test::keeps_promises(Band::make(lowers, bound, total));
    if (!result) RC_FAIL(result.message());
  }
}

// A table reads its band's bounds and total for as long as it lives.
static_assert(!std::is_copy_assignable_v<Band> && !std::is_move_assignable_v<Band>);

}  // namespace

// -----------------------------------------------------------------------------------------------
// MPFR declares its intmax_t functions only after <cstdint>.

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
    // And so have the nearest doubles to e^epsilon and to e^epsilon - 1.
    const auto [digits, scale] = cut_exp(ours.epsilon());
    ASSERT_EQ(std::ldexp(static_cast<double>(digits), -scale),
              mpfr_get_d(exact.of(ours.epsilon(), 0, MPFR_RNDN), MPFR_RNDN));
    ASSERT_EQ(std::ldexp(static_cast<double>(digits - (uint128{1} << scale)), -scale),
              exact.less_one(ours.epsilon()))
        << "at epsilon = " << epsilon;
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
  // At powers of two of the exponential the exact dyadic changes its shift.
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
  EXPECT_EQ(refusal(9e-7), "epsilon of one draw must be at least 1e-6, but is 9e-7");
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
