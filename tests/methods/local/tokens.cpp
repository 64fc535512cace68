#include "methods/local/tokens.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "every_lanes.h"
#include "kernel/logits_lanes.h"
#include "kernel/search.h"
#include "methods/local/bands.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

// -----------------------------------------------------------------------------------------------
// The passes.

TEST(LogitLanes, ExponentialsAreExactToSinglePrecision) {
  std::vector<float> logits;
  for (float x = 0; x >= detail::kLeastExponent; x -= 0.00137F) logits.push_back(x);
  logits.insert(logits.end(), {detail::kLeastExponent, -155.1F, -1e9F, -kInfiniteFloat, kNanFloat});
  std::vector<float> baseline(logits.size());
  detail::LogitLanes::kBaseline.exponentials(logits.data(), logits.size(), 0,
                                             detail::kLeastExponent, false, baseline.data());
  double worst = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double exact =
        logits[i] >= detail::kLeastExponent
            ? std::ldexp(std::exp(static_cast<double>(logits[i])), detail::kExponentialScale)
            : 0;
    if (exact == 0) {
      ASSERT_EQ(baseline[i], 0) << logits[i];
    } else {
      worst = std::max(worst, std::abs(static_cast<double>(baseline[i]) / exact - 1));
    }
  }
  EXPECT_LT(worst, 3e-7);
}

TEST(LogitLanes, InstructionSetsAgree) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal(0, 30);
  const detail::LogitLanes& baseline = detail::LogitLanes::kBaseline;
  for (const auto& [name, lanes] : test::every_lanes<detail::LogitLanes>()) {
    for (std::size_t size = 1; size < 70; ++size) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(size));
      std::vector<float> logits(size), expected(size), found(size);
      for (float& logit : logits) logit = normal(random);
      if (size % 3 == 0) logits[size / 2] = kNanFloat;
      if (size % 5 == 0) logits[size / 3] = -kInfiniteFloat;
      const detail::LogitRange range = baseline.range(logits.data(), size);
      const detail::LogitRange other = lanes.range(logits.data(), size);
      ASSERT_EQ(range.greatest, other.greatest);
      ASSERT_EQ(range.least, other.least);
      ASSERT_EQ(range.has_nan, other.has_nan);
      ASSERT_EQ(range.has_nan, std::ranges::any_of(logits, [](float x) { return std::isnan(x); }));
      for (const bool keeps_less : {false, true}) {
        baseline.exponentials(logits.data(), size, range.greatest, -40, keeps_less,
                              expected.data());
        lanes.exponentials(logits.data(), size, range.greatest, -40, keeps_less, found.data());
        ASSERT_EQ(expected, found);
        std::vector<float> in_place = logits;
        lanes.exponentials(in_place.data(), size, range.greatest, -40, keeps_less, in_place.data());
        ASSERT_EQ(expected, in_place);
      }
    }
  }
}

/// Every pass, at another place and in its own, keeps the very logits of a comparison each.
TEST(LogitLanes, KeepsTheLogitsThatAreAsked) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal;
  for (const auto& [name, lanes] : test::every_lanes<detail::LogitLanes>()) {
    for (std::size_t size = 0; size < 70; ++size) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(size));
      std::vector<float> logits(size + detail::kRoomBeyond, 77), others(logits);
      for (std::size_t i = 0; i < size; ++i) {
        logits[i] = std::round(4 * normal(random)) / 4;
        others[i] = normal(random);
      }
      const float least = -0.25F, greatest = size % 4 == 0 ? least : 0.5F;
      std::vector<float> between, kept, kept_others;
      std::vector<std::uint32_t> kept_places;
      std::size_t above = 0;
      for (std::size_t i = 0; i < size; ++i) {
        above += logits[i] > greatest ? 1U : 0U;
        if (logits[i] >= least && logits[i] <= greatest) between.push_back(logits[i]);
        if (logits[i] < least) continue;
        kept.push_back(logits[i]);
        kept_others.push_back(others[i]);
        kept_places.push_back(static_cast<std::uint32_t>(100 + i));
      }
      std::vector<float> to = logits;
      const detail::Between found = lanes.between(to.data(), size, least, greatest, to.data());
      ASSERT_EQ(found.above, above);
      ASSERT_EQ(std::vector(to.data(), to.data() + found.copied), between);
      std::vector<std::uint32_t> places(size + detail::kRoomBeyond);
      std::vector<float> other = others;
      to = logits;
      const std::size_t count = lanes.select(to.data(), other.data(), size, least, 100,
                                             places.data(), to.data(), other.data());
      ASSERT_EQ(std::vector(to.data(), to.data() + count), kept);
      ASSERT_EQ(std::vector(other.data(), other.data() + count), kept_others);
      ASSERT_EQ(std::vector(places.data(), places.data() + count), kept_places);
      for (std::size_t i = size; i < logits.size(); ++i) {
        ASSERT_EQ(to[i], 77) << "what follows stays as it is";
        ASSERT_EQ(other[i], 77);
      }
    }
  }
}

float of_float16(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const auto fraction = static_cast<float>(half & 1023);
  const float size = exponent == 31  ? (fraction == 0 ? kInfiniteFloat : kNanFloat)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(1024 + fraction, exponent - 25);
  return half >> 15 != 0 ? -size : size;
}

template <class Integer>
void widens(detail::WidenIntegers<Integer> widen) {
  using Limits = std::numeric_limits<Integer>;
  std::mt19937_64 random(8);
  for (std::size_t size = 0; size < 50; ++size) {
    std::vector<Integer> integers(size);
    for (Integer& one : integers) one = static_cast<Integer>(random() % 1000);
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    if (size > 1)
      integers[random() % size] =
          static_cast<Integer>(std::min<std::uint64_t>(Limits::max(), kMost - 1));
    if (size > 1 && Limits::is_signed) {
      integers[random() % size] = static_cast<Integer>(
          std::max<std::int64_t>(static_cast<std::int64_t>(Limits::min()), -kMost));
    }
    std::vector<float> to(size);
    ASSERT_TRUE(widen(integers.data(), size, to.data()));
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(static_cast<double>(to[i]), static_cast<double>(integers[i]));
    }
    if (sizeof(Integer) < sizeof(float) || size == 0) continue;
    Integer& one = integers[random() % size];
    for (const Integer wide : {Limits::max(), Limits::min(), static_cast<Integer>(kMost + 1)}) {
      if (wide == 0) continue;
      one = wide;
      ASSERT_FALSE(widen(integers.data(), size, to.data())) << +wide;
    }
  }
}

TEST(LogitLanes, IntegersAreWidenedIfTheyAreFloats) {
  for (const auto& [name, lanes] : test::every_lanes<detail::LogitLanes>()) {
    SCOPED_TRACE(name);
    widens(lanes.widen_int8);
    widens(lanes.widen_int16);
    widens(lanes.widen_int32);
    widens(lanes.widen_int64);
    widens(lanes.widen_uint8);
    widens(lanes.widen_uint16);
    widens(lanes.widen_uint32);
    widens(lanes.widen_uint64);
  }
}

TEST(LogitLanes, EveryHalfIsWidenedExactly) {
  std::vector<std::uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  std::vector<float> wide(halves.size());
  for (const auto& [name, lanes] : test::every_lanes<detail::LogitLanes>()) {
    lanes.widen_float16(halves.data(), halves.size(), wide.data());
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const float expected = of_float16(halves[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(wide[i])) << name << " " << i;
      } else {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(expected), std::bit_cast<std::uint32_t>(wide[i]))
            << name << " " << i;
      }
    }
    lanes.widen_bfloat16(halves.data(), halves.size(), wide.data());
    for (std::size_t i = 0; i < wide.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), i << 16) << name;
    }
  }
}

// -----------------------------------------------------------------------------------------------
// The law, against its definition by sorting, one exponential at a time, and a new band and table.

template <class Real>
LogitRow row_of(const std::vector<Real>& logits) {
  constexpr LogitKind kKind =
      std::is_same_v<Real, double> ? LogitKind::kFloat64 : LogitKind::kFloat32;
  return {kKind, logits.data(), logits.size()};
}

double exponential(double x, double least, bool keeps_less) {
  return x >= least ? std::exp(x) : keeps_less ? std::exp(least) : 0;
}
float exponential(float x, float least, bool keeps_less) {
  float power = 0;
  detail::LogitLanes::kBaseline.exponentials(&x, 1, 0, least, keeps_less, &power);
  return power;
}

template <class Real>
std::vector<std::uint32_t> defined_tokens(const std::vector<Real>& open, std::size_t top) {
  std::vector<std::uint32_t> tokens;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (std::isfinite(open[i])) tokens.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::stable_sort(tokens, [&](auto a, auto b) { return open[a] > open[b]; });
  if (top != 0 && top < tokens.size()) tokens.resize(top);
  std::ranges::sort(tokens);
  return tokens;
}

template <class Real>
std::vector<std::uint64_t> defined_numerators(const std::vector<Real>& secret,
                                              const std::vector<Real>& open,
                                              const std::vector<std::uint32_t>& tokens,
                                              double epsilon) {
  const Real public_most = *std::ranges::max_element(open);
  Real most = -static_cast<Real>(kInfiniteFloat);
  for (const auto token : tokens) most = secret[token] > most ? secret[token] : most;
  std::vector<Real> masses, scores;
  for (const auto token : tokens) {
    const Real y = secret[token];
    masses.push_back(exponential(open[token] - public_most, Real{-40}, true));
    const Real least = std::is_same_v<Real, double> ? Real(-1e300) : Real(detail::kLeastExponent);
    scores.push_back(std::isfinite(most)     ? exponential(y - most, least, false)
                     : y == most && most > 0 ? Real{1}
                                             : Real{0});
  }
  BandSpec spec{.floor = relative_floor(epsilon), .epsilon = epsilon};
  if constexpr (std::is_same_v<Real, double>) {
    spec.reference = masses;
  } else {
    spec.float_reference = masses;
  }
  const Band band = make_band(spec);
  const Table table = projected(band, std::span<const Real>(scores));
  return {table.numerators().begin(), table.numerators().end()};
}

/// Rows with ties, impossible tokens and, in private, anything.
template <class Real>
void random_rows(std::mt19937_64& random, std::vector<Real>& secret, std::vector<Real>& open) {
  std::normal_distribution<double> normal;
  const double spread = std::array{0.01, 1.0, 8.0, 60.0}[random() % 4];
  const bool is_coarse = random() % 3 == 0;
  const bool has_impossible = random() % 2 == 0;
  const std::size_t wild = random() % 4;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const double x = spread * normal(random);
    open[i] = static_cast<Real>(is_coarse ? std::round(x) : x);
    secret[i] = static_cast<Real>(x + spread * normal(random));
    if (has_impossible && i != 0 && random() % 5 == 0) open[i] = -static_cast<Real>(kInfiniteFloat);
    if (wild == 1 && random() % 6 == 0) secret[i] = static_cast<Real>(kNanFloat);
    if (wild >= 2 && random() % 6 == 0) secret[i] = -static_cast<Real>(kInfiniteFloat);
    if (wild == 3 && random() % 50 == 0) secret[i] = static_cast<Real>(kInfiniteFloat);
  }
  if (random() % 20 == 0) std::ranges::fill(secret, -static_cast<Real>(kInfiniteFloat));
  if (random() % 20 == 0) std::ranges::fill(secret, static_cast<Real>(kNanFloat));
}

template <class Real>
void keeps_definition(std::uint64_t seed, std::size_t rounds, std::size_t most) {
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round < rounds; ++round) {
    const double epsilon = std::array{0.01, 1.0, 4.0, 12.0}[random() % 4];
    const std::size_t top = random() % 3 == 0 ? 0 : 1 + random() % most;
    TokenDraw draws(epsilon, top);
    for (int token = 0; token < 4; ++token) {  // in one memory, of any size
      const std::size_t size = 1 + random() % most;
      std::vector<Real> secret(size), open(size);
      random_rows(random, secret, open);
      const std::vector<std::uint32_t> tokens = defined_tokens(open, top);
      ASSERT_NO_THROW(draws.require_public(row_of(open)));
      const Table& table = draws.table(row_of(secret), row_of(open));
      const auto allowed = draws.allowed();
      if (allowed.empty()) {
        ASSERT_EQ(tokens.size(), size);
      } else {
        ASSERT_EQ(std::vector(allowed.begin(), allowed.end()), tokens);
      }
      const std::vector<std::uint64_t> numerators(table.numerators().begin(),
                                                  table.numerators().end());
      ASSERT_EQ(numerators, defined_numerators(secret, open, tokens, epsilon))
          << round << " of " << size << " tokens, top " << top;
      if (size > 600) continue;
      std::uint64_t begin = 0;
      for (std::size_t i = 0; i < numerators.size(); ++i) {
        ASSERT_EQ(table.outcome_at(begin), i);
        begin += numerators[i];
        ASSERT_EQ(table.outcome_at(begin - 1), i);
      }
    }
  }
}

TEST(TokenDraw, IntegersAreThoseOfTheDefinition) {
  keeps_definition<float>(1, 300, 40);
  keeps_definition<double>(2, 300, 40);
  keeps_definition<float>(3, 5, 9000);
  keeps_definition<double>(4, 5, 9000);
  keeps_definition<float>(9, 3, 70'000);
  keeps_definition<double>(10, 3, 70'000);
}

/// What an array of each kind means, as floats.
TEST(TokenDraw, HalvesAreTheFloatsThatTheyMean) {
  std::mt19937_64 random(5);
  for (const LogitKind kind : {LogitKind::kFloat16, LogitKind::kBfloat16}) {
    for (std::size_t round = 0; round < 200; ++round) {
      const std::size_t size = 1 + random() % 300;
      std::vector<std::uint16_t> secret(size), open(size);
      std::vector<float> wide_secret(size), wide_open(size);
      const auto widened = [&](std::uint16_t half) {
        return kind == LogitKind::kFloat16 ? of_float16(half)
                                           : std::bit_cast<float>(std::uint32_t{half} << 16);
      };
      for (std::size_t i = 0; i < size; ++i) {
        secret[i] = static_cast<std::uint16_t>(random());
        do {
          open[i] = static_cast<std::uint16_t>(random());
        } while (!(widened(open[i]) < kInfiniteFloat) ||
                 (i == 0 && !std::isfinite(widened(open[i]))));
        wide_secret[i] = widened(secret[i]);
        wide_open[i] = widened(open[i]);
      }
      TokenDraw of_halves(2, round % 50), of_floats(2, round % 50);
      const auto halves =
          of_halves.table({kind, secret.data(), size}, {kind, open.data(), size}).numerators();
      const auto floats = of_floats.table(row_of(wide_secret), row_of(wide_open)).numerators();
      ASSERT_TRUE(std::ranges::equal(halves, floats)) << round;
      ASSERT_TRUE(std::ranges::equal(of_halves.allowed(), of_floats.allowed()));
      // One of two precisions.
      const auto mixed =
          of_halves.table({kind, secret.data(), size}, row_of(wide_open)).numerators();
      ASSERT_TRUE(std::ranges::equal(mixed, floats)) << round;
    }
  }
}

TEST(TokenDraw, SinglePrecisionIsNearDouble) {
  std::mt19937_64 random(6);
  std::normal_distribution<float> normal;
  const std::size_t size = 20'000;
  std::vector<float> secret(size), open(size);
  for (std::size_t i = 0; i < size; ++i) {
    open[i] = 3 * normal(random);
    secret[i] = open[i] + normal(random);
  }
  const std::vector<double> secret_double(secret.begin(), secret.end());
  const std::vector<double> open_double(open.begin(), open.end());
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    TokenDraw single(epsilon, 0), twice(epsilon, 0);
    const auto n = single.table(row_of(secret), row_of(open)).numerators();
    const auto exact = twice.table(row_of(secret_double), row_of(open_double)).numerators();
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_NEAR(static_cast<double>(n[i]) / static_cast<double>(exact[i]), 1, 1e-5) << i;
    }
  }
}

TEST(TokenDraw, PublicLogitsAreNumbersOrImpossible) {
  TokenDraw draws(1, 0);
  const auto refuses = [&](const auto& open) {
    try {
      draws.require_public(row_of(open));
      return false;
    } catch (const InvalidInput&) {
      return true;
    }
  };
  EXPECT_TRUE(refuses(std::vector<float>{}));
  EXPECT_TRUE(refuses(std::vector<float>{0, kNanFloat}));
  EXPECT_TRUE(refuses(std::vector<float>{0, kInfiniteFloat}));
  EXPECT_TRUE(refuses(std::vector<float>{-kInfiniteFloat, -kInfiniteFloat}));
  EXPECT_TRUE(refuses(std::vector<double>{0, static_cast<double>(kNanFloat)}));
  EXPECT_FALSE(refuses(std::vector<float>{-kInfiniteFloat, 0}));
  EXPECT_FALSE(refuses(std::vector<double>{-1e300, 1e300}));
  EXPECT_THROW(TokenDraw(0, 0), InvalidInput);
  EXPECT_THROW(TokenDraw(std::nan(""), 0), InvalidInput);
}

}  // namespace
}  // namespace mollify
