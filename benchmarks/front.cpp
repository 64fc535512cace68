// What draws cost a program that includes <mollify/sampler.h>, and nothing else of mollify: rows of
// scores, next tokens, randomized response, and what a release's key costs: draws for units of few
// and of many records, by entropy and by a key. benchmarks/python_speed.py prints Python's times
// next to these and to the kernel's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "mollify/sampler.h"

namespace {

constexpr std::size_t kRows = 10'000;

/// Rows of k scores, by batches or one at a time: as many as the kernel's benchmark of the same
/// scores has.
template <class Score, bool kByBatches>
void Rows(benchmark::State& state) {
  const auto k = static_cast<std::size_t>(state.range(0));
  const std::size_t count = k < 1000 ? 256 : 4;
  std::mt19937_64 words(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Score> rows(count * k);
  for (Score& score : rows) score = static_cast<Score>(uniform(words));
  const std::span<const Score> scores(rows);
  const mollify::Sampler sampler({.k = k, .epsilon = 2});
  std::vector<std::uint32_t> released(count);
  for (auto _ : state) {
    if (kByBatches) sampler.draw(scores, released);
    for (std::size_t row = 0; !kByBatches && row < count; ++row) {
      released[row] = sampler.draw(scores.subspan(row * k, k));
    }
  }
  if (std::ranges::any_of(released, [&](std::uint32_t outcome) { return outcome >= k; })) {
    state.SkipWithError("not outcomes");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

/// Next tokens of 131 072, each with a reference of its own, from logits as a model gives them.
enum TokensBy { kFloat32, kBfloat16, kTop1000 };

template <TokensBy kBy>
void Tokens(benchmark::State& state) {
  constexpr std::size_t kVocabulary = 131'072;
  constexpr std::size_t kTokens = 4;  // take turns, by batches of all that there are at most
  const auto batch = static_cast<std::size_t>(state.range(0));
  const std::size_t there = std::max(batch, kTokens);
  std::mt19937_64 words(12);
  std::normal_distribution<float> normal;
  std::vector<float> open(there * kVocabulary), secret(open.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i] = 3 * normal(words);
    secret[i] = open[i] + normal(words);
  }
  std::vector<std::uint16_t> open_halves, secret_halves;
  for (const float logit : open) {
    open_halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(logit) >> 16));
  }
  for (const float logit : secret) {
    secret_halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(logit) >> 16));
  }
  const mollify::TokenSampler sampler(4, kBy == kTop1000 ? 1000 : 0);
  using mollify::Numbers;
  std::size_t first = 0;
  const auto logits = [&](const auto& floats, const auto& halves) {
    const std::size_t place = first * kVocabulary;
    return kBy == kBfloat16
               ? Numbers{Numbers::Kind::kBfloat16, halves.data() + place, batch, kVocabulary}
               : Numbers{Numbers::Kind::kFloat32, floats.data() + place, batch, kVocabulary};
  };
  std::vector<std::uint32_t> released(batch);
  for (auto _ : state) {
    sampler.draw(logits(secret, secret_halves), logits(open, open_halves), released);
    first = (first + batch) % there;
  }
  if (std::ranges::any_of(released, [](std::uint32_t token) { return token >= kVocabulary; })) {
    state.SkipWithError("not tokens");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}

/// 10^4 units of `state.range(0)` distinct outcomes each, of a thousand times as many.
void Units(benchmark::State& state, bool by_key) {
  const auto each = static_cast<std::size_t>(state.range(0));
  const mollify::Sampler sampler({.k = 1000 * each, .epsilon = 1});
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
  const mollify::ReleaseKey key;
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
  std::vector<std::uint32_t> last;
  for (auto _ : state) {
    std::vector<std::uint32_t> released(kValues);
    response.draw(values, released);
    last = std::move(released);
  }
  if (*std::max_element(last.begin(), last.end()) != outcomes - 1) {
    state.SkipWithError("not all outcomes, or others");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kValues));
}

BENCHMARK(Responses)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void Sizes(benchmark::internal::Benchmark* rows) {
  for (const int k : {2, 10, 100, 1000, 10'000, 65'536, 131'072}) rows->Arg(k);
  rows->Unit(benchmark::kMicrosecond);
}
BENCHMARK_TEMPLATE(Rows, double, true)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, double, false)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, float, true)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, float, false)->Apply(Sizes);
BENCHMARK_TEMPLATE(Tokens, kFloat32)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Tokens, kBfloat16)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Tokens, kTop1000)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
