// What the front costs: 10^4 draws over 100 outcomes through it, and by the sampler inside; and
// what a release's key costs: draws for units of few and of many records, by entropy and by a key;
// and randomized response. benchmarks/python_speed.py shows its own times beside these.
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "kernel/channels.h"
#include "methods/local/mechanism.h"
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

/// 10^4 units of `state.range(0)` distinct outcomes each, of a thousand times as many.
void Units(benchmark::State& state, bool by_key) {
  const auto each = static_cast<std::size_t>(state.range(0));
  const mollify::front::Sampler sampler({.outcomes = 1000 * each, .epsilon = 1});
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string> names;
  for (std::size_t unit = 0; unit < kRows; ++unit) {
    for (std::size_t i = 0; i < each; ++i) {
      outcomes.push_back(static_cast<std::uint32_t>(unit % 1000 + 1000 * i));
    }
    offsets.push_back(outcomes.size());
    names.push_back(std::to_string(unit));
  }
  const std::vector<std::string_view> units(names.begin(), names.end());
  const mollify::front::ReleaseKey key;
  std::vector<std::uint32_t> released(kRows);
  const auto draw = [&] {
    if (by_key) {
      sampler.draw_units(outcomes, offsets, {}, released, key, units);
    } else {
      sampler.draw_units(outcomes, offsets, {}, released);
    }
  };
  draw();
  const std::vector<std::uint32_t> first = released;
  draw();
  if ((released == first) != by_key) state.SkipWithError("repeated without a key, or not by one");
  for (auto _ : state) draw();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void UnitsByEntropy(benchmark::State& state) { Units(state, false); }
void UnitsByKey(benchmark::State& state) { Units(state, true); }

BENCHMARK(UnitsByEntropy)->Arg(1)->Arg(4)->Arg(5)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(UnitsByKey)->Arg(1)->Arg(4)->Arg(5)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

/// 10^7 values, into new memory.
void Responses(benchmark::State& state) {
  constexpr std::size_t kValues = 10'000'000;
  const auto outcomes = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 words(1);
  std::uniform_int_distribution<std::int64_t> uniform(0, state.range(0) - 1);
  std::vector<std::int64_t> values(kValues);
  for (std::int64_t& value : values) value = uniform(words);
  const mollify::RandomizedResponse response(outcomes, 2);
  mollify::SecureRandom random;
  std::vector<std::uint32_t> last;
  for (auto _ : state) {
    std::vector<std::uint32_t> released(kValues);
    for (std::size_t i = 0; i < kValues; ++i) {
      released[i] =
          static_cast<std::uint32_t>(response.draw(static_cast<std::size_t>(values[i]), random));
    }
    last = std::move(released);
  }
  if (*std::max_element(last.begin(), last.end()) != outcomes - 1) {
    state.SkipWithError("not all outcomes, or others");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kValues));
}

BENCHMARK(Responses)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(Front<double>)->Unit(benchmark::kMillisecond);
BENCHMARK(Inside<double>)->Unit(benchmark::kMillisecond);
BENCHMARK(Front<float>)->Unit(benchmark::kMillisecond);
BENCHMARK(Inside<float>)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
