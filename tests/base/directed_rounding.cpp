// MPFR declares its intmax_t functions only after <cstdint>.
#include "base/directed_rounding.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "not_finite.h"
#include "sanitized.h"

namespace mollify {

namespace {

using test::kInfinity;
constexpr std::uint64_t kSeed = 20240607;
constexpr int kRandomInputs = test::whole_or_sanitized(200'000, 20'000);

/// A number of MPFR's, precise enough that its own rounding cannot matter.
class Exact {
 public:
  explicit Exact(double value = 0.0) {
    mpfr_init2(value_, 400);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  explicit Exact(uint128 value) : Exact(0.0) {
    mpfr_set_uj(value_, static_cast<std::uint64_t>(value >> 64), MPFR_RNDN);
    mpfr_mul_2ui(value_, value_, 64, MPFR_RNDN);
    Exact low(0.0);
    mpfr_set_uj(low.value_, static_cast<std::uint64_t>(value), MPFR_RNDN);
    mpfr_add(value_, value_, low.value_, MPFR_RNDN);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  int compare(double other) { return mpfr_cmp_d(value_, other); }
  double nearest() { return mpfr_get_d(value_, MPFR_RNDN); }
  double up() { return mpfr_get_d(value_, MPFR_RNDU); }
  double down() { return mpfr_get_d(value_, MPFR_RNDD); }

 private:
  mpfr_t value_;
};

/// How many doubles lie between the bound and the tightest bound there is.
std::int64_t steps_between(double a, double b) {
  std::int64_t steps = 0;
  for (; a != b && steps < 100; ++steps) a = std::nextafter(a, b);
  return steps;
}

struct Slack {
  std::int64_t up = 0;
  std::int64_t down = 0;
};

void expect_brackets(double down, Exact& truth, double up, Slack& worst) {
  ASSERT_GE(-truth.compare(up), 0) << up << " is below the truth " << truth.nearest();
  ASSERT_LE(-truth.compare(down), 0) << down << " is above the truth " << truth.nearest();
  worst.up = std::max(worst.up, steps_between(truth.up(), up));
  worst.down = std::max(worst.down, steps_between(truth.down(), down));
}

std::vector<double> edges() {
  std::vector<double> values;
  for (const double value : {0.0,
                             5e-324,
                             1e-320,
                             2.2250738585072014e-308,
                             1e-300,
                             1e-160,
                             1e-17,
                             1.1102230246251565e-16,
                             1e-12,
                             1e-6,
                             0.1,
                             0.25,
                             0.5,
                             0.6931471805599453,
                             0.9999999999999999,
                             1.0,
                             1.0000000000000002,
                             1.5,
                             2.0,
                             2.718281828459045,
                             3.0,
                             20.0,
                             30.0,
                             700.0,
                             709.782712893384,
                             709.7827128933841,
                             745.1332191019411,
                             745.1332191019412,
                             1e3,
                             1e160,
                             1e300,
                             1.7976931348623157e308}) {
    values.push_back(value);
    values.push_back(-value);
  }
  return values;
}

class DirectedRounding : public ::testing::Test {
 protected:
  void TearDown() override {
    std::printf("seed %llu, furthest from the tightest bound: up %lld, down %lld\n",
                static_cast<unsigned long long>(kSeed), static_cast<long long>(worst_.up),
                static_cast<long long>(worst_.down));
  }
  void check_exp(double x) {
    Exact truth(x);
    mpfr_exp(truth.get(), truth.get(), MPFR_RNDN);
    ASSERT_NO_FATAL_FAILURE(expect_brackets(exp_down(x), truth, exp_up(x), worst_)) << "exp " << x;
  }
  void check_ln(double x) {
    Exact truth(x);
    mpfr_log(truth.get(), truth.get(), MPFR_RNDN);
    ASSERT_NO_FATAL_FAILURE(expect_brackets(ln_down(x), truth, ln_up(x), worst_)) << "ln " << x;
  }
  void check_division(double a, double b) {
    Exact truth(a);
    Exact divisor(b);
    mpfr_div(truth.get(), truth.get(), divisor.get(), MPFR_RNDN);
    ASSERT_NO_FATAL_FAILURE(expect_brackets(div_down(a, b), truth, div_up(a, b), worst_))
        << a << " / " << b;
  }
  void check_product(double a, double b) {
    Exact truth(a);
    Exact factor(b);
    mpfr_mul(truth.get(), truth.get(), factor.get(), MPFR_RNDN);
    ASSERT_NO_FATAL_FAILURE(expect_brackets(-mul_up(-a, b), truth, mul_up(a, b), worst_))
        << a << " * " << b;
  }
  void check_ratio(uint128 numerator, uint128 denominator) {
    Exact truth(numerator);
    Exact divisor(denominator);
    mpfr_div(truth.get(), truth.get(), divisor.get(), MPFR_RNDN);
    mpfr_log(truth.get(), truth.get(), MPFR_RNDN);
    const double up = ln_ratio_up(numerator, denominator);
    ASSERT_GE(-truth.compare(up), 0) << up << " is below " << truth.nearest();
    worst_.up = std::max(worst_.up, steps_between(truth.up(), up));
  }

  Slack worst_;
  std::mt19937_64 random_{kSeed};
};

/// A double with every exponent from `lowest` to `highest` equally likely.
double any_double(std::mt19937_64& random, int lowest, int highest) {
  const double fraction = 0.5 + 0.5 * std::generate_canonical<double, 53>(random);
  const double magnitude =
      std::ldexp(fraction, std::uniform_int_distribution<int>(lowest, highest)(random));
  return (random() & 1U) != 0 ? magnitude : -magnitude;
}

TEST_F(DirectedRounding, Exp) {
  for (const double x : edges()) ASSERT_NO_FATAL_FAILURE(check_exp(x));
  std::uniform_real_distribution<double> wide(-750.0, 715.0);
  for (int i = 0; i < kRandomInputs; ++i) {
    ASSERT_NO_FATAL_FAILURE(check_exp(wide(random_)));
    ASSERT_NO_FATAL_FAILURE(check_exp(any_double(random_, -60, 6)));
  }
  EXPECT_LE(worst_.up, 3);
  EXPECT_LE(worst_.down, 3);
  EXPECT_EQ(exp_up(0.0), 1.0);
  EXPECT_EQ(exp_down(0.0), 1.0);
  EXPECT_EQ(exp_up(-kInfinity), 0.0);
  EXPECT_EQ(exp_down(kInfinity), kInfinity);
  EXPECT_LT(exp_down(1e9), kInfinity);
  EXPECT_GT(exp_up(-1e9), 0.0);
  EXPECT_TRUE(std::isnan(exp_up(std::nan(""))));
}

TEST_F(DirectedRounding, Ln) {
  for (const double x : edges()) {
    if (x > 0.0) {
      ASSERT_NO_FATAL_FAILURE(check_ln(x));
    }
  }
  for (int i = 0; i < kRandomInputs; ++i) {
    ASSERT_NO_FATAL_FAILURE(check_ln(std::abs(any_double(random_, -1000, 1000))));
    ASSERT_NO_FATAL_FAILURE(check_ln(1.0 + any_double(random_, -52, -1)));
  }
  EXPECT_LE(worst_.up, 3);
  EXPECT_LE(worst_.down, 3);
  EXPECT_EQ(ln_up(1.0), 0.0);
  EXPECT_EQ(ln_down(1.0), 0.0);
  EXPECT_EQ(ln_up(0.0), -kInfinity);
  EXPECT_EQ(ln_down(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(ln_up(-1.0)));
}

// Products and quotients are the tightest bounds wherever the error itself can be represented.
TEST_F(DirectedRounding, ProductsAndQuotients) {
  for (int i = 0; i < kRandomInputs; ++i) {
    const double a = any_double(random_, -400, 400);
    const double b = any_double(random_, -400, 400);
    ASSERT_NO_FATAL_FAILURE(check_division(a, b));
    ASSERT_NO_FATAL_FAILURE(check_product(a, b));
    const double whole = static_cast<double>(random_() >> 40) + 1.0;
    ASSERT_NO_FATAL_FAILURE(check_division(a, whole));
  }
  EXPECT_EQ(worst_.up, 0);
  EXPECT_EQ(worst_.down, 0);
}

/// a + b rounded up by MPFR; a sum of doubles is never between two subnormal ones.
double sum_up(double a, double b) {
  mpfr_t sum;
  mpfr_init2(sum, 53);
  mpfr_set_d(sum, a, MPFR_RNDN);
  mpfr_add_d(sum, sum, b, MPFR_RNDU);
  const double up = mpfr_get_d(sum, MPFR_RNDU);
  mpfr_clear(sum);
  return up;
}

TEST_F(DirectedRounding, RootsAreTheTightestButBelowTheLeastErrors) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < kRandomInputs; ++i) {
    const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52,
                                static_cast<int>(random() % 2000) - 1000);
    Exact truth(x);
    mpfr_sqrt(truth.get(), truth.get(), MPFR_RNDN);
    ASSERT_GE(sqrt_up(x), truth.up()) << x;
    ASSERT_LE(sqrt_down(x), truth.down()) << x;
    if (x < 0x1p-960) continue;
    ASSERT_EQ(sqrt_up(x), truth.up()) << x;
    ASSERT_EQ(sqrt_down(x), truth.down()) << x;
  }
  for (const double exact : {0.0, 1.0, 4.0, 0x1p-900, kInfinity}) {
    EXPECT_EQ(sqrt_up(exact), std::sqrt(exact));
    EXPECT_EQ(sqrt_down(exact), std::sqrt(exact));
  }
}

TEST_F(DirectedRounding, SumsAreTheTightest) {
  for (const double a : edges()) {
    for (const double b : edges()) ASSERT_EQ(add_up(a, b), sum_up(a, b)) << a << " + " << b;
  }
  for (int i = 0; i < kRandomInputs; ++i) {
    const double a = any_double(random_, -60, 60);
    const double b = any_double(random_, -60, 60);
    ASSERT_EQ(add_up(a, b), sum_up(a, b)) << a << " + " << b;
    const double tiny = any_double(random_, -1073, -1000);
    const double other = any_double(random_, -1073, -960);
    ASSERT_EQ(add_up(tiny, other), sum_up(tiny, other)) << tiny << " + " << other;
  }
}

TEST_F(DirectedRounding, ProductsAndQuotientsAtTheEdges) {
  for (const double a : edges()) {
    for (const double b : edges()) {
      ASSERT_NO_FATAL_FAILURE(check_product(a, b));
      if (b != 0.0) {
        ASSERT_NO_FATAL_FAILURE(check_division(a, b));
      }
    }
  }
  for (int i = 0; i < kRandomInputs; ++i) {
    const double a = any_double(random_, -1073, 1023);
    const double b = any_double(random_, -1073, 1023);
    ASSERT_NO_FATAL_FAILURE(check_division(a, b));
    ASSERT_NO_FATAL_FAILURE(check_product(a, b));
  }
  EXPECT_LE(worst_.up, 1);
  EXPECT_LE(worst_.down, 1);
}

uint128 any_integer(std::mt19937_64& random, int bits) {
  const uint128 both = (static_cast<uint128>(random()) << 64) | random();
  return (both >> (128 - bits)) | 1U;
}

TEST_F(DirectedRounding, LnRatio) {
  const uint128 most = ~static_cast<uint128>(0);
  ASSERT_NO_FATAL_FAILURE(check_ratio(most, 1));
  ASSERT_NO_FATAL_FAILURE(check_ratio(1, most));
  ASSERT_NO_FATAL_FAILURE(check_ratio(most, most - 1));
  ASSERT_NO_FATAL_FAILURE(check_ratio(most - 1, most));
  ASSERT_NO_FATAL_FAILURE(check_ratio(3, 2));
  ASSERT_NO_FATAL_FAILURE(check_ratio(1, 2));
  EXPECT_EQ(ln_ratio_up(most, most), 0.0);
  EXPECT_EQ(ln_ratio_up(0, 5), -kInfinity);
  EXPECT_EQ(ln_ratio_up(5, 0), kInfinity);
  std::uniform_int_distribution<int> bits(1, 128);
  for (int i = 0; i < kRandomInputs; ++i) {
    ASSERT_NO_FATAL_FAILURE(
        check_ratio(any_integer(random_, bits(random_)), any_integer(random_, bits(random_))));
    // Ratios 1 ± 2^−j for every j.
    const uint128 base = any_integer(random_, 127);
    const uint128 step = base >> (bits(random_) - 1) >> 1;
    ASSERT_NO_FATAL_FAILURE(check_ratio(base + step + 1, base));
    ASSERT_NO_FATAL_FAILURE(check_ratio(base - step, base));
  }
  EXPECT_LE(worst_.up, 4);
}

// A table at epsilon = 0.1 must not be reported above 0.1, and tiny epsilon must keep its digits.
TEST_F(DirectedRounding, LnRatioAtRealEpsilons) {
  for (const double epsilon : {1e-12, 1e-6, 1e-3, 0.1, 0.5, 1.0, 5.0, 20.0, 30.0}) {
    const uint128 low = static_cast<uint128>(1) << 62;
    // The largest integer n with n/2^62 ≤ e^epsilon, in two halves.
    Exact scaled(epsilon);
    mpfr_exp(scaled.get(), scaled.get(), MPFR_RNDD);
    mpfr_mul_2ui(scaled.get(), scaled.get(), 62, MPFR_RNDD);
    Exact top;
    mpfr_div_2ui(top.get(), scaled.get(), 64, MPFR_RNDN);
    mpfr_floor(top.get(), top.get());
    const std::uint64_t high_half = mpfr_get_uj(top.get(), MPFR_RNDZ);
    mpfr_mul_2ui(top.get(), top.get(), 64, MPFR_RNDN);
    mpfr_sub(scaled.get(), scaled.get(), top.get(), MPFR_RNDD);
    const uint128 numerator =
        (static_cast<uint128>(high_half) << 64) | mpfr_get_uj(scaled.get(), MPFR_RNDZ);
    ASSERT_NO_FATAL_FAILURE(check_ratio(numerator, low));
    EXPECT_LE(ln_ratio_up(numerator, low), epsilon * (1.0 + 1e-15)) << epsilon;
  }
  const uint128 million = 1'000'000;
  EXPECT_NEAR(ln_ratio_up(million + 1, million), 9.99999500000333e-07, 1e-20);
  EXPECT_NEAR(ln_ratio_up(million * million + 1, million * million), 9.999999999995e-13, 1e-26);
  EXPECT_LE(worst_.up, 4);
}

// Also of integers that no double is.
TEST_F(DirectedRounding, SharesAreNeverBelow) {
  std::uniform_int_distribution<int> bits(1, 128);
  const auto check_share = [](uint128 part, uint128 whole) {
    Exact truth(part);
    Exact divisor(whole);
    mpfr_div(truth.get(), truth.get(), divisor.get(), MPFR_RNDN);
    const double share = share_up(part, whole);
    ASSERT_LE(truth.compare(share), 0) << truth.nearest();
    ASSERT_GE(truth.compare(share * (1 - 0x1p-50)), 0) << truth.nearest();
  };
  for (int i = 0; i < kRandomInputs; ++i) {
    const uint128 one = any_integer(random_, bits(random_));
    const uint128 other = any_integer(random_, bits(random_));
    ASSERT_NO_FATAL_FAILURE(check_share(std::min(one, other), std::max(one, other)));
  }
  EXPECT_EQ(share_up(0, 5), 0.0);
  EXPECT_EQ(share_up(5, 5), 1.0);
}

TEST(IntegerRounding, StaysOnItsSide) {
  std::mt19937_64 generator(kSeed);
  std::vector<std::uint64_t> values{0, 1, (1ULL << 53U) - 1, 1ULL << 53U, (1ULL << 53U) + 1, ~0ULL};
  for (int i = 0; i < 10'000; ++i) values.push_back(generator() >> (generator() % 64));
  for (const std::uint64_t value : values) {
    const double up = integer_up(value);
    const double down = integer_down(value);
    EXPECT_TRUE(up >= 0x1p64 || static_cast<std::uint64_t>(up) >= value) << value;
    EXPECT_LE(static_cast<std::uint64_t>(down), value);
    EXPECT_LE(up, std::nextafter(down, kInfinity)) << value;
    if (value <= 1ULL << 53U) {
      EXPECT_EQ(up, down);
    }
  }
}

struct Fall {
  const char* name;
  double (*value)(double);
  int most;  // steps
};

TEST(Narrow, EndsOnBothSidesOfACrossing) {
  constexpr double kTarget = 1e-6;
  const Fall falls[] = {
      {"smooth", [](double x) { return std::exp(-x); }, 11},
      {"steep", [](double x) { return std::exp(-40 * x * x); }, 17},
      {"flat", [](double x) { return 1e-6 * (1 + 1e-3 * (7 - x)); }, 11},
      {"from infinity to 0", [](double x) { return x < 1    ? HUGE_VAL
                                                   : x > 99 ? 0
                                                            : std::exp(-x); },
       26},
      {"a jump", [](double x) { return x < std::numbers::pi ? 1.0 : 1e-9; }, 45},
      {"a jump from 0", [](double x) { return x < std::numbers::pi ? 1.0 : 0.0; }, 45},
      {"noisy", [](double x) { return std::exp(-x) * (1 + 1e-4 * std::sin(1e7 * x)); }, 18},
  };
  for (const Fall& fall : falls) {
    for (const bool mirrored : {false, true}) {
      int steps = 0;
      const auto value = [&](double x) {
        ++steps;
        return fall.value(mirrored ? 100 - x : x);
      };
      const Crossing found = narrow(mirrored ? Crossing{0, 100} : Crossing{100, 0}, kTarget, value);
      EXPECT_LE(steps, fall.most) << fall.name << mirrored;
      EXPECT_LE(value(found.at_most), kTarget) << fall.name;
      EXPECT_GT(value(found.above), kTarget) << fall.name;
      EXPECT_LE(std::abs(found.at_most - found.above), 1e-9 * std::max(found.at_most, found.above))
          << fall.name;
    }
  }
}

TEST(Halving, EndsWhereItSays) {
  const auto below = [](double edge) { return [edge](double x) { return x <= edge; }; };
  const Ends nearest = halve({.serves = 0, .fails = 1}, {}, below(0.3));
  EXPECT_EQ(nearest.serves, 0.3);
  EXPECT_EQ(nearest.fails, std::nextafter(0.3, 1.0));
  // Three halvings of a unit end at eighths, in either direction.
  EXPECT_EQ(halve({.serves = 0, .fails = 1}, {.most = 3}, below(0.3)).serves, 0.25);
  const auto above = [](double x) { return x > 0.3; };
  EXPECT_EQ(halve({.serves = 1, .fails = 0}, {.most = 3}, above).serves, 0.375);
  const Ends near = halve({.serves = 0, .fails = 1}, {.share = 0.01}, below(0.3));
  EXPECT_LE(near.fails - near.serves, 0.01 * near.fails);
  EXPECT_GT(near.fails - near.serves, 0.005 * near.serves);
  const double ratio = halve_ratio({.serves = 1e-12, .fails = 50}, 1.01, below(0.3));
  EXPECT_LE(ratio, 0.3);
  EXPECT_GT(ratio, 0.3 / 1.01);
}

TEST(Halving, FindsTheWholeNumberNextToOneThatFails) {
  for (std::uint64_t edge = 0; edge < 100; ++edge) {
    const auto most = [edge](std::uint64_t n) { return n <= edge; };
    const auto least = [edge](std::uint64_t n) { return n >= edge; };
    EXPECT_EQ(halve_whole(0, 100, most), edge);
    if (edge == 0) continue;
    EXPECT_EQ(halve_whole(100, 0, least), edge);
    EXPECT_EQ(least_whole(1, 99, least), edge);
    if (edge > 1) {
      EXPECT_EQ(least_whole(1, edge - 1, least), std::nullopt);
    }
  }
}

}  // namespace

}  // namespace mollify
