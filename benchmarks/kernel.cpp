// The privacy kernel's speed. Each benchmark first proves that its answer is right, then times it.
// Run it alone on a quiet machine: taskset -c 0 benchmark_kernel --benchmark_repetitions=5

#include <sodium.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/band.h"
#include "core/random.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "kernel/clipped_sums.h"
#include "kernel/naturals.h"
#include "kernel/noise.h"
#include "kernel/order.h"
#include "kernel/search.h"

namespace {

using mollify::Band;
using mollify::SecureRandom;
using mollify::SparseTable;
using mollify::Table;
using mollify::uint128;

enum Shape { kUniform, kExponential, kHeavyTail };
constexpr std::array<const char*, 3> kShapeNames = {"uniform", "exponential", "heavy-tailed"};

/// Independent scores: uniform on (0, 1), exponential, or Pareto of index 1/2 (no mean).
template <class Score>
std::vector<std::vector<Score>> score_vectors(Shape shape, std::size_t size, std::size_t count) {
  std::mt19937_64 random(size);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::vector<Score>> vectors(count, std::vector<Score>(size));
  for (std::vector<Score>& scores : vectors) {
    for (Score& score : scores) {
      const double u = 1 - unit(random);
      score = static_cast<Score>(shape == kUniform       ? u
                                 : shape == kExponential ? -std::log(u)
                                                         : 1 / (u * u));
    }
  }
  return vectors;
}

enum Floor { kMinimax, kRelative };

/// A uniform band: the minimax one leaves few outcomes above their lower bounds, the relative
/// mollifier's many.
Band uniform_band(Floor floor, std::size_t size, double epsilon) {
  const auto k = static_cast<double>(size);
  return mollify::make_band(
      {.outcome_count = size,
       .floor = floor == kMinimax ? k / (std::expm1(epsilon) + k) : std::exp(-epsilon / 2),
       .epsilon = epsilon});
}

/// The band of the benchmarks of units: epsilon 1, and a uniform reference or an uneven one.
Band unit_band(std::size_t size, bool is_uneven) {
  std::vector<double> reference(is_uneven ? size : 0);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (double& mass : reference) mass = 0.01 + unit(random);
  return mollify::make_band(
      {.outcome_count = size, .reference = reference, .floor = std::exp(-0.5), .epsilon = 1});
}

std::string unit_label(bool is_uneven) {
  return is_uneven ? "uneven reference" : "uniform reference";
}

bool keeps_contract(const Table& table) {
  uint128 sum = 0;
  for (std::size_t i = 0; i < table.numerators().size(); ++i) {
    const std::uint64_t n = table.numerators()[i];
    if (n < table.band().lower(i) || n > table.band().upper(i)) return false;
    sum += n;
  }
  return sum == table.band().total();
}

/// The peer: clip(t w, lower, upper) by fifty halvings in doubles, as the papers' code does it.
template <class Score>
void bisected_law(const Band& band, std::span<const Score> scores, std::vector<double>& law) {
  const auto lower = static_cast<double>(band.lower(0));
  const auto upper = static_cast<double>(band.upper(0));
  const auto total = static_cast<double>(band.total());
  const auto fill = [&](double t) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      law[i] = std::min(std::max(t * static_cast<double>(scores[i]), lower), upper);
      sum += law[i];
    }
    return sum;
  };
  double greatest = 0;
  double least = static_cast<double>(scores[0]);
  for (const Score score : scores) {
    greatest = std::max(greatest, static_cast<double>(score));
    least = std::min(least, static_cast<double>(score));
  }
  double below = lower / greatest;
  double above = upper / least;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = std::sqrt(below * above);
    (fill(middle) < total ? below : above) = middle;
  }
  fill(below);
}

/// Whether n follows clip(t w, lower, upper) for one t, but for two parts: what lies above its
/// lower bound says that t is at least n / w, what lies below its upper one that t is at most that.
template <class Score>
bool is_projection(const Table& table, std::span<const Score> scores) {
  constexpr double kRelative = 1e-6;
  constexpr double kParts = 2;
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto n = static_cast<double>(table.numerators()[i]);
    const auto score = static_cast<double>(scores[i]);
    const auto lower = static_cast<double>(table.band().lower(i));
    const auto upper = static_cast<double>(table.band().upper(i));
    if (n > lower * (1 + kRelative) + kParts) least = std::max(least, (n - kParts) / score);
    if (n < upper * (1 - kRelative) - kParts) most = std::min(most, (n + kParts) / score);
  }
  return least <= most * (1 + kRelative);
}

std::string label(Shape shape, double epsilon, Floor floor) {
  std::ostringstream text;
  text << kShapeNames[shape] << " scores, epsilon " << epsilon
       << (floor == kMinimax ? "" : ", relative floor");
  return text.str();
}

/// How many score vectors take turns, so that no branch predictor learns one of them by heart.
std::size_t vector_count(std::size_t size) { return size < 1000 ? 256 : 4; }

/// A table from new scores, and one draw from it.
template <class Score>
void table_and_draw(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto shape = static_cast<Shape>(state.range(1));
  const double epsilon = static_cast<double>(state.range(2)) / 10;
  const std::vector<std::vector<Score>> scores =
      score_vectors<Score>(shape, size, vector_count(size));
  const auto floor = static_cast<Floor>(state.range(3));
  const Band band = uniform_band(floor, size, epsilon);
  Table table(band);
  for (std::size_t v = 0; v < std::min<std::size_t>(scores.size(), 4); ++v) {
    mollify::project(table, scores[v]);
    if (!keeps_contract(table) || !is_projection<Score>(table, scores[v])) {
      state.SkipWithError("the table is wrong");
      return;
    }
  }
  SecureRandom random;
  std::size_t v = 0;
  for (auto _ : state) {
    mollify::project(table, scores[v]);
    benchmark::DoNotOptimize(table.draw(random));
    v = v + 1 < scores.size() ? v + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(label(shape, epsilon, floor));
}
BENCHMARK_TEMPLATE(table_and_draw, double)
    ->ArgsProduct(
        {{100}, {kUniform, kExponential, kHeavyTail}, {1, 10, 50}, {kMinimax, kRelative}});
BENCHMARK_TEMPLATE(table_and_draw, float)
    ->ArgsProduct(
        {{131072}, {kUniform, kExponential, kHeavyTail}, {1, 10, 50}, {kMinimax, kRelative}})
    ->Unit(benchmark::kMicrosecond);
// The scores of Rows in front.cpp.
BENCHMARK_TEMPLATE(table_and_draw, double)
    ->ArgsProduct({{2, 10, 100, 1000, 10'000, 65'536, 131'072}, {kUniform}, {20}, {kMinimax}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(table_and_draw, float)
    ->ArgsProduct({{2, 10, 100, 1000, 10'000, 65'536, 131'072}, {kUniform}, {20}, {kMinimax}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(table_and_draw, float)
    ->Args({1 << 20, kUniform, 10, kMinimax})
    ->Unit(benchmark::kMicrosecond);

/// The peer's law and a draw from its cumulative sum, with neither the contract nor exactness.
template <class Score>
void bisection_and_draw(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::vector<std::vector<Score>> scores =
      score_vectors<Score>(kUniform, size, vector_count(size));
  const Band band = uniform_band(kMinimax, size, 1);
  std::vector<double> law(size);
  bisected_law<Score>(band, scores[0], law);
  double sum = 0;
  for (const double mass : law) sum += mass;
  if (std::abs(sum / static_cast<double>(band.total()) - 1) > 1e-9) {
    state.SkipWithError("the law is wrong");
    return;
  }
  SecureRandom random;
  std::size_t v = 0;
  for (auto _ : state) {
    bisected_law<Score>(band, scores[v], law);
    auto position = static_cast<double>(random.below(band.total()));
    std::size_t i = 0;
    while (i + 1 < size && position >= law[i]) position -= law[i++];
    benchmark::DoNotOptimize(i);
    v = v + 1 < scores.size() ? v + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(label(kUniform, 1, kMinimax));
}
BENCHMARK_TEMPLATE(bisection_and_draw, double)->Arg(100);
BENCHMARK_TEMPLATE(bisection_and_draw, float)->Arg(131072)->Unit(benchmark::kMicrosecond);

/// A unit with a score for every outcome: a table made for it alone, and one draw.
void dense_unit(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const bool is_uneven = state.range(1) != 0;
  const Band band = unit_band(size, is_uneven);
  const std::vector<std::vector<double>> units =
      score_vectors<double>(kExponential, size, vector_count(size));
  for (const std::vector<double>& scores : units) {
    const Table table = mollify::projected(band, scores);
    if (!keeps_contract(table) || !is_projection<double>(table, scores)) {
      state.SkipWithError("the table is wrong");
      return;
    }
  }
  SecureRandom random;
  std::size_t u = 0;
  for (auto _ : state) {
    const Table table = mollify::projected(band, units[u]);
    benchmark::DoNotOptimize(table.draw(random));
    u = u + 1 < units.size() ? u + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(unit_label(is_uneven));
}
BENCHMARK(dense_unit)->ArgsProduct({{100, 1000, 4096}, {0, 1}});

/// A private next token: the public model's law over the vocabulary is the reference of a band of
/// its own, the private model's law are the scores, both in single precision. The memory of a token
/// is kept for the next one. Parts: the band alone, table and draw alone, or all of it.
enum TokenPart { kBandAlone, kTableAlone, kWholeToken };

void next_token(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto part = static_cast<TokenPart>(state.range(1));
  constexpr std::size_t kTokens = 4;
  std::mt19937_64 random(12);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> references(kTokens), laws(kTokens);
  for (std::size_t token = 0; token < kTokens; ++token) {
    for (std::size_t i = 0; i < size; ++i) {
      const float logit = 3 * normal(random);
      references[token].push_back(std::exp(logit));
      laws[token].push_back(std::exp(logit + normal(random)));
    }
  }
  const double epsilon = 4;
  std::vector<std::uint64_t> memory;
  const auto band_of = [&](std::size_t token) {
    return mollify::make_band(
        {.float_reference = references[token], .floor = std::exp(-epsilon / 2), .epsilon = epsilon},
        std::move(memory));
  };
  const Band first = band_of(0);
  Table table(first);
  for (std::size_t token = 0; token < kTokens; ++token) {
    const Band band = band_of(token);
    const Table made = mollify::projected(band, std::span<const float>(laws[token]));
    if (!keeps_contract(made) || !is_projection<float>(made, laws[token])) {
      state.SkipWithError("the table is wrong");
      return;
    }
  }
  SecureRandom secure;
  std::size_t token = 0;
  for (auto _ : state) {
    if (part == kTableAlone) {
      mollify::project(table, std::span<const float>(laws[token]));
      benchmark::DoNotOptimize(table.draw(secure));
    } else {
      Band band = band_of(token);
      if (part == kBandAlone) {
        benchmark::DoNotOptimize(band.upper(size / 2));
      } else {
        mollify::project(table, band, std::span<const float>(laws[token]));
        benchmark::DoNotOptimize(table.draw(secure));
      }
      memory = std::move(band).take_lowers();
    }
    token = (token + 1) % kTokens;
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(part == kBandAlone ? "band" : part == kTableAlone ? "table and draw" : "all");
}
BENCHMARK(next_token)
    ->ArgsProduct({{131072}, {kBandAlone, kTableAlone, kWholeToken}})
    ->Unit(benchmark::kMicrosecond);

/// Ten thousand units of a hundred rows each over 2^20 outcomes: a table and a draw for each.
void ten_thousand_sparse_units(benchmark::State& state) {
  constexpr std::size_t kSize = std::size_t{1} << 20;
  constexpr std::size_t kUnits = 10'000, kRows = 100;
  const bool is_uneven = state.range(0) != 0;
  const Band band = unit_band(kSize, is_uneven);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  struct Unit {
    std::vector<std::uint32_t> outcomes;
    std::vector<double> counts;
  };
  std::vector<Unit> units(kUnits);
  for (Unit& one : units) {
    std::vector<std::uint32_t> rows(kRows);
    for (std::uint32_t& row : rows) {
      row = static_cast<std::uint32_t>(unit(random) * unit(random) * static_cast<double>(kSize));
    }
    std::sort(rows.begin(), rows.end());
    for (const std::uint32_t row : rows) {
      if (one.outcomes.empty() || one.outcomes.back() != row) {
        one.outcomes.push_back(row);
        one.counts.push_back(0);
      }
      one.counts.back() += 1;
    }
  }
  SparseTable table(band);
  for (std::size_t u = 0; u < kUnits; u += 100) {
    mollify::project(table, units[u].outcomes, units[u].counts);
    uint128 sum = table.numerators().back();
    bool right = band.bound().allows(sum, table.unscored_lower()) && sum >= table.unscored_lower();
    for (std::size_t j = 0; j < table.outcomes().size(); ++j) {
      const std::uint64_t n = table.numerators()[j];
      right = right && n >= band.lower(table.outcomes()[j]) && n <= band.upper(table.outcomes()[j]);
      sum += n;
    }
    if (!right || sum != band.total()) {
      state.SkipWithError("the sparse table is wrong");
      return;
    }
  }
  SecureRandom secure;
  for (auto _ : state) {
    for (const Unit& one : units) {
      mollify::project(table, one.outcomes, one.counts);
      benchmark::DoNotOptimize(table.draw(secure));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kUnits));
  state.SetLabel(unit_label(is_uneven));
}
BENCHMARK(ten_thousand_sparse_units)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void randomized_response(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const mollify::RandomizedResponse response(size, 1);
  if (!response.bound().allows(response.kept(), response.other()) ||
      response.kept() + (size - 1) * response.other() != response.total()) {
    state.SkipWithError("the probabilities are wrong");
    return;
  }
  SecureRandom random;
  std::size_t value = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(response.draw(value, random));
    value = value + 1 < size ? value + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(randomized_response)->Arg(2)->Arg(100)->Arg(1 << 20);

void alias_draw(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Band band = uniform_band(kMinimax, size, 1);
  const Table table = mollify::projected(band, score_vectors<double>(kUniform, size, 1)[0]);
  const mollify::AliasTable alias(table);
  if (!keeps_contract(table)) {
    state.SkipWithError("the table is wrong");
    return;
  }
  SecureRandom random;
  for (auto _ : state) benchmark::DoNotOptimize(alias.draw(random));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(alias_draw)->Arg(100)->Arg(131072);

/// Vectors of noise. `variance` is the law's, `spread` the standard deviation of (z^2 / variance).
template <class Noise>
void noise_vectors(benchmark::State& state, const Noise& noise, double variance, double spread) {
  SecureRandom random;
  std::vector<std::int64_t> values(200'000);
  noise.draw(values, random);
  double mean = 0, square = 0;
  for (const std::int64_t z : values) {
    mean += static_cast<double>(z);
    square += static_cast<double>(z) * static_cast<double>(z) / variance;
  }
  const auto count = static_cast<double>(values.size());
  if (std::abs(mean / count) > 6 * std::sqrt(variance / count) ||
      std::abs(square / count - 1) > 6 * spread / std::sqrt(count)) {
    state.SkipWithError("the noise has other moments");
    return;
  }
  for (auto _ : state) {
    noise.draw(values, random);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}

void discrete_laplace(benchmark::State& state, double scale) {
  const double root = 2 * std::sinh(0.5 / scale);
  const double variance = 2 / (root * root);
  // The fourth moment is variance + 6 variance^2.
  noise_vectors(state, mollify::DiscreteLaplace::at_least(scale), variance,
                std::sqrt(5 + 1 / variance));
}
BENCHMARK_CAPTURE(discrete_laplace, scale_1, 1.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_laplace, scale_a_third, 1.0 / 3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_laplace, scale_1e6, 1e6)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_laplace, scale_1e6_and_a_tenth, 1e6 + 0.1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_laplace, scale_1e9, 1e9)->Unit(benchmark::kMillisecond);

void discrete_gaussian(benchmark::State& state, double sigma) {
  // From sigma 1 on the moments are those of the continuous law to 1e-7.
  noise_vectors(state, mollify::DiscreteGaussian::at_least(sigma * sigma), sigma * sigma,
                std::sqrt(2));
}
BENCHMARK_CAPTURE(discrete_gaussian, sigma_1, 1.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_gaussian, sigma_1e3_and_a_third, 1e3 + 1.0 / 3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_gaussian, sigma_1e6, 1e6)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(discrete_gaussian, sigma_1e9, 1e9)->Unit(benchmark::kMillisecond);

/// Whether radii are about Gamma(d, b), and no direction is preferred: means within six standard
/// deviations.
bool is_euclidean_laplace(const std::vector<std::vector<std::int64_t>>& draws, double scale) {
  const auto d = static_cast<double>(draws[0].size());
  double radii = 0, firsts = 0;
  for (const std::vector<std::int64_t>& y : draws) {
    double square = 0;
    for (const std::int64_t z : y) square += static_cast<double>(z) * static_cast<double>(z);
    radii += std::sqrt(square) / scale;
    firsts += static_cast<double>(y[0]) * static_cast<double>(y[0]) / (scale * scale);
  }
  // E y_1^2 = (d + 1) b^2, and E y_1^4 = 3 (d + 1)(d + 3) b^4.
  const auto count = static_cast<double>(draws.size());
  const double square_spread = std::sqrt(3 * (d + 1) * (d + 3) - (d + 1) * (d + 1));
  return std::abs(radii / count - d) <= 6 * std::sqrt(d / count) &&
         std::abs(firsts / count - (d + 1)) <= 6 * square_spread / std::sqrt(count);
}

constexpr double kEuclideanScale = 1e6;

void euclidean_laplace(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const auto noise = mollify::EuclideanLaplace::at_least(d, kEuclideanScale);
  SecureRandom random;
  std::vector<std::vector<std::int64_t>> draws(200'000 / (d * d) + 100,
                                               std::vector<std::int64_t>(d));
  for (std::vector<std::int64_t>& y : draws) noise.draw(y, random);
  if (!is_euclidean_laplace(draws, kEuclideanScale)) {
    state.SkipWithError("the noise has other moments");
    return;
  }
  for (auto _ : state) {
    noise.draw(draws[0], random);
    benchmark::DoNotOptimize(draws[0].data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(euclidean_laplace)->Arg(1)->Arg(3)->Arg(10)->Arg(20)->Arg(100)->Arg(1000);

/// The peer: independent coordinates of scale b sqrt(d), kept with probability e^-x for
/// x = (|y|_2 - |y|_1 / sqrt(d)) / b, in doubles, which is neither exact nor private.
void euclidean_laplace_by_plain_rejection(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const double root = std::sqrt(static_cast<double>(d));
  const auto coordinates = mollify::DiscreteLaplace::at_least(kEuclideanScale * root);
  SecureRandom random;
  std::uint64_t tries = 0;
  const auto draw = [&](std::vector<std::int64_t>& y) {
    for (;;) {
      ++tries;
      coordinates.draw(y, random);
      double square = 0, sum = 0;
      for (const std::int64_t z : y) {
        square += static_cast<double>(z) * static_cast<double>(z);
        sum += std::abs(static_cast<double>(z));
      }
      const double x = (std::sqrt(square) - sum / root) / kEuclideanScale;
      if (static_cast<double>(random.word()) * 0x1p-64 < std::exp(-x)) return;
    }
  };
  std::vector<std::vector<std::int64_t>> draws(20'000 / (d * d) + 100,
                                               std::vector<std::int64_t>(d));
  for (std::vector<std::int64_t>& y : draws) draw(y);
  if (!is_euclidean_laplace(draws, kEuclideanScale)) {
    state.SkipWithError("the noise has other moments");
    return;
  }
  tries = 0;
  for (auto _ : state) {
    draw(draws[0]);
    benchmark::DoNotOptimize(draws[0].data());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["kept"] = static_cast<double>(state.iterations()) / static_cast<double>(tries);
}
BENCHMARK(euclidean_laplace_by_plain_rejection)->Arg(1)->Arg(3)->Arg(10)->Arg(20);

/// A thousand vectors of 100 coordinates, over and over: items are coordinates, and 100 million of
/// them are a table of 100 columns and a million rows. All inside the ball, or all outside.
void clipped_sum(benchmark::State& state, std::uint64_t radius) {
  constexpr std::size_t kDimension = 100, kRows = 1000;
  std::mt19937_64 source(kRows);
  std::normal_distribution<double> normal(0, 1e7);
  std::vector<double> rows(kDimension * kRows);
  for (double& score : rows) score = normal(source);
  mollify::ClippedSum sum(kDimension, radius);
  std::vector<std::int64_t> expected(kDimension);
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::span<const double> row(rows.data() + i * kDimension, kDimension);
    sum.add(row);
    uint128 square = 0;
    for (const double score : row) {
      const auto z = static_cast<mollify::int128>(std::llrint(score));
      square += static_cast<uint128>(z * z);
    }
    const bool is_clipped = square > static_cast<uint128>(radius) * radius;
    const auto norm = static_cast<std::int64_t>(mollify::detail::ceil_sqrt(square));
    for (std::size_t j = 0; j < kDimension; ++j) {
      const auto z = static_cast<mollify::int128>(std::llrint(row[j]));
      const auto shrunk = z * static_cast<std::int64_t>(radius) / norm;
      expected[j] += static_cast<std::int64_t>(is_clipped ? shrunk : z);
    }
  }
  if (!std::equal(expected.begin(), expected.end(), sum.sum().begin())) {
    state.SkipWithError("the sum is another");
    return;
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < kRows; ++i) {
      sum.add(std::span<const double>(rows.data() + i * kDimension, kDimension));
    }
    benchmark::DoNotOptimize(sum.sum().data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.size()));
}
BENCHMARK_CAPTURE(clipped_sum, all_inside, std::uint64_t{1} << 28);
BENCHMARK_CAPTURE(clipped_sum, all_clipped, std::uint64_t{1} << 20);

void shuffle_and_thin(benchmark::State& state) {
  std::vector<std::uint32_t> values(1'000'000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
  const std::vector<std::uint64_t> counts(values.size(), 1);
  SecureRandom random;
  const mollify::PoissonSubsample tenth(0.1);
  mollify::shuffle(values, random);
  const std::size_t kept = tenth.draw(counts, random).size();
  std::vector<std::uint32_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  bool right = kept > 98'000 && kept < 102'000;  // within six standard deviations
  for (std::uint32_t i = 0; i < sorted.size(); ++i) right = right && sorted[i] == i;
  if (!right) {
    state.SkipWithError("values were lost, or too many or too few kept");
    return;
  }
  for (auto _ : state) {
    mollify::shuffle(values, random);
    benchmark::DoNotOptimize(tenth.draw(counts, random).data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}
BENCHMARK(shuffle_and_thin)->Unit(benchmark::kMillisecond);

/// Bits of a million words: as many ones as zeros, to six standard deviations.
template <class NextWord>
bool looks_random(NextWord next_word) {
  constexpr int kWords = 1'000'000;
  std::int64_t ones = 0;
  for (int i = 0; i < kWords; ++i) ones += __builtin_popcountll(next_word());
  return std::abs(static_cast<double>(ones) - 32.0 * kWords) < 6 * 4 * std::sqrt(kWords);
}

/// Words from a source that fills a page at a time.
template <class Fill>
void words_by_page(benchmark::State& state, Fill fill) {
  std::array<std::uint64_t, 512> page{};
  std::size_t position = page.size();
  const auto next_word = [&] {
    if (position == page.size()) {
      fill(page.data(), sizeof page);
      position = 0;
    }
    return page[position++];
  };
  if (!looks_random(next_word)) {
    state.SkipWithError("the words are not random");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(next_word());
  state.SetItemsProcessed(state.iterations());
}

void random_words(benchmark::State& state) {
  SecureRandom random;
  if (!looks_random([&] { return random.word(); })) {
    state.SkipWithError("the words are not random");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(random.word());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(random_words);

void random_words_of_libsodium(benchmark::State& state) {
  if (sodium_init() < 0) {
    state.SkipWithError("libsodium does not start");
    return;
  }
  words_by_page(state, [](void* to, std::size_t size) { randombytes_buf(to, size); });
}
BENCHMARK(random_words_of_libsodium);

void random_words_of_the_operating_system(benchmark::State& state) {
  words_by_page(state, [](void* to, std::size_t size) {
    if (getrandom(to, size, 0) != static_cast<ssize_t>(size)) std::abort();
  });
}
BENCHMARK(random_words_of_the_operating_system);

}  // namespace

BENCHMARK_MAIN();
