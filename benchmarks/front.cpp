// What the front costs: 10^4 draws over 100 outcomes through it, and by the sampler inside.
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernel/core/secure_random.h"
#include "local/mechanism.h"
#include "mollify/sampler.h"

namespace {

constexpr std::size_t kRows = 10'000;
constexpr std::size_t kOutcomes = 100;

template <class Score>
std::vector<Score> scores() {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> exponential(1);
  std::vector<Score> rows(kRows * kOutcomes);
  for (Score& score : rows) score = static_cast<Score>(exponential(random));
  return rows;
}

/// Whether all are outcomes, and more than one of them came.
bool plausible(const std::vector<std::uint32_t>& released) {
  std::vector<bool> seen(kOutcomes);
  for (const std::uint32_t outcome : released) {
    if (outcome >= kOutcomes) return false;
    seen[outcome] = true;
  }
  return !seen.empty() && std::vector<bool>(kOutcomes) != seen;
}

template <class Score, class Draw>
void run(benchmark::State& state, const Draw& draw) {
  const std::vector<Score> rows = scores<Score>();
  std::vector<std::uint32_t> released(kRows);
  draw(std::span<const Score>(rows), std::span(released));
  if (!plausible(released)) state.SkipWithError("not outcomes");
  for (auto _ : state) draw(std::span<const Score>(rows), std::span(released));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

template <class Score>
void Front(benchmark::State& state) {
  const mollify::front::Sampler sampler({.outcomes = kOutcomes, .epsilon = 1});
  run<Score>(state, [&](auto rows, auto released) { sampler.draw(rows, released); });
}

template <class Score>
void Inside(benchmark::State& state) {
  const auto sampler = mollify::make_sampler({.outcome_count = kOutcomes, .epsilon = 1});
  mollify::SecureRandom random;
  run<Score>(state, [&](auto rows, auto released) { sampler->draw_rows(rows, random, released); });
}

BENCHMARK(Front<double>)->Unit(benchmark::kMillisecond);
BENCHMARK(Inside<double>)->Unit(benchmark::kMillisecond);
BENCHMARK(Front<float>)->Unit(benchmark::kMillisecond);
BENCHMARK(Inside<float>)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
