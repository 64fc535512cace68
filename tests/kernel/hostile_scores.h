// Scores as bad as a scorer can make them, and the honest shapes beside them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

namespace mollify::test {

enum class Shape {
  kUniform,
  kExponential,
  kHeavyTail,
  kNearTies,
  kGeometric,
  kPointMass,
  kFewPositive,
  kAllEqual,
  kAllZero,
  kDenormal,
  kHuge,
  kSomeInfinite,
  kSomeNan,
  kNegative,
  kWideRange,
  kAnyExponent,
};
inline constexpr int kShapes = 16;

/// `count` scores of a shape; the same for the same state of `random`.
template <class Score>
std::vector<Score> scores_of(Shape shape, std::size_t count, std::mt19937_64& random) {
  using Limits = std::numeric_limits<Score>;
  const auto unit = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  const std::size_t favourite = random() % count;
  std::vector<Score> scores(count);
  for (std::size_t i = 0; i < count; ++i) {
    double score = 0;
    switch (shape) {
      case Shape::kUniform:
        score = unit();
        break;
      case Shape::kExponential:
        score = -std::log1p(-unit());
        break;
      case Shape::kHeavyTail:
        score = std::pow(1 - unit(), -2.0);
        break;
      case Shape::kNearTies:
        score = 1 + unit() * 0x1p-20;
        break;
      case Shape::kGeometric:
        score = std::pow(0.7, static_cast<double>(i % 200));
        break;
      case Shape::kPointMass:
        score = i == favourite ? 1 : 0;
        break;
      case Shape::kFewPositive:
        score = unit() < 0.02 || i == favourite ? unit() : 0;
        break;
      case Shape::kAllEqual:
        score = 0.1;
        break;
      case Shape::kAllZero:
        break;
      case Shape::kDenormal:
        score = static_cast<double>(Limits::denorm_min()) * std::floor(unit() * 1000);
        break;
      case Shape::kHuge:
        score = static_cast<double>(Limits::max()) * unit();
        break;
      case Shape::kSomeInfinite:
        score = unit() < 0.1 ? std::numeric_limits<double>::infinity() : unit();
        break;
      case Shape::kSomeNan:
        score = unit() < 0.5 ? std::numeric_limits<double>::quiet_NaN() : unit();
        break;
      case Shape::kNegative:
        score = unit() - 0.7;
        break;
      case Shape::kWideRange:
        // Within 2^-500 of the greatest, the range in which no score may be lost.
        score =
            std::ldexp(1 + unit(), static_cast<int>(random() % (sizeof(Score) == 4 ? 270 : 498)) -
                                       (sizeof(Score) == 4 ? 145 : 249));
        break;
      case Shape::kAnyExponent:
        score = std::ldexp(1 + unit(),
                           Limits::max_exponent - 1 -
                               static_cast<int>(random() % (sizeof(Score) == 4 ? 277 : 2098)));
        if (random() % 8 == 0) score = -score;
        break;
    }
    scores[i] = static_cast<Score>(score);
  }
  return scores;
}

/// Numbers that exhaust the kinds there are; products of them with themselves are small enough to
/// try all.
template <class Score>
std::vector<Score> score_grid() {
  using Limits = std::numeric_limits<Score>;
  return {Score{0},           Limits::denorm_min(), Limits::quiet_NaN(),
          Limits::infinity(), -Limits::infinity(),  Score{-1},
          Score{1e-30F},      Score{1e-3F},         Score{0.4F},
          Score{1},           Score{2.5F},          Limits::max()};
}

}  // namespace mollify::test
