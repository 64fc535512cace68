// What the front costs: 10^4 draws over 100 outcomes through it, and by the sampler inside; and
// what a release's key costs: draws for units of few and of many records, by entropy and by a key;
// randomized response; and rows of scores, and next tokens, each next to the kernel alone.
// benchmarks/python_speed.py prints Python's times next to these.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "kernel/search.h"
#include "methods/local/bands.h"
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

/// Rows of k scores: through the front in batches or one at a time, and by the kernel alone, whose
/// table and band are there already.
enum RowsBy { kBatches, kOneByOne, kKernel };

template <class Score, RowsBy kBy>
void Rows(benchmark::State& state) {
  const auto k = static_cast<std::size_t>(state.range(0));
  const std::size_t count = std::clamp<std::size_t>((std::size_t{1} << 20) / k, 4, 1000);
  std::mt19937_64 words(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Score> rows(count * k);
  for (Score& score : rows) score = static_cast<Score>(uniform(words));
  const std::span<const Score> scores(rows);
  const mollify::front::Sampler sampler({.outcomes = k, .epsilon = 2});
  const mollify::Band band =
      mollify::make_band({.outcome_count = k, .floor = mollify::minimax_floor(k, 2), .epsilon = 2});
  mollify::Table table(band);
  mollify::SecureRandom random;
  std::vector<std::uint32_t> released(count);
  for (auto _ : state) {
    if (kBy == kBatches) sampler.draw(scores, released);
    for (std::size_t row = 0; kBy != kBatches && row < count; ++row) {
      const auto one = scores.subspan(row * k, k);
      if (kBy == kOneByOne) {
        released[row] = sampler.draw(one);
      } else {
        mollify::project(table, one);
        released[row] = static_cast<std::uint32_t>(table.draw(random));
      }
    }
  }
  if (std::ranges::any_of(released, [&](std::uint32_t outcome) { return outcome >= k; })) {
    state.SkipWithError("not outcomes");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

/// Next tokens of 131 072, each with a reference of its own: through the front from logits as a
/// model gives them, or by the kernel from exponentials that are there already, in kept memory.
enum TokensBy { kFloat32, kBfloat16, kTop1000, kKernelAlone };

template <TokensBy kBy>
void Tokens(benchmark::State& state) {
  constexpr std::size_t kVocabulary = 131'072;
  const auto batch = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 words(12);
  std::normal_distribution<float> normal;
  std::vector<float> open(batch * kVocabulary), secret(open.size());
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
  const mollify::front::TokenSampler sampler(4, kBy == kTop1000 ? 1000 : 0);
  using mollify::front::Logits;
  const auto logits = [&](const auto& floats, const auto& halves) {
    return kBy == kBfloat16 ? Logits{Logits::Kind::kBfloat16, halves.data(), batch, kVocabulary}
                            : Logits{Logits::Kind::kFloat32, floats.data(), batch, kVocabulary};
  };
  std::vector<float> masses(open), scores(secret);
  for (float& mass : masses) mass = std::exp(mass);
  for (float& score : scores) score = std::exp(score);
  std::optional<mollify::Table> table;
  std::vector<std::uint64_t> memory;
  mollify::SecureRandom random;
  std::vector<std::uint32_t> released(batch);
  for (auto _ : state) {
    if (kBy != kKernelAlone) {
      sampler.draw(logits(secret, secret_halves), logits(open, open_halves), released);
      continue;
    }
    for (std::size_t row = 0; row < batch; ++row) {
      const auto part = [&](const std::vector<float>& all) {
        return std::span(all).subspan(row * kVocabulary, kVocabulary);
      };
      mollify::Band band = mollify::make_band(
          {.float_reference = part(masses), .floor = mollify::relative_floor(4), .epsilon = 4},
          std::move(memory));
      if (!table) table.emplace(band);
      mollify::project(*table, band, part(scores));
      released[row] = static_cast<std::uint32_t>(table->draw(random));
      memory = std::move(band).take_lowers();
    }
  }
  if (std::ranges::any_of(released, [](std::uint32_t token) { return token >= kVocabulary; })) {
    state.SkipWithError("not tokens");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
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

void Sizes(benchmark::internal::Benchmark* rows) {
  for (const int k : {2, 10, 100, 1000, 10'000, 65'536, 131'072}) rows->Arg(k);
  rows->Unit(benchmark::kMicrosecond);
}
BENCHMARK_TEMPLATE(Rows, double, kBatches)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, double, kOneByOne)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, double, kKernel)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, float, kBatches)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, float, kOneByOne)->Apply(Sizes);
BENCHMARK_TEMPLATE(Rows, float, kKernel)->Apply(Sizes);
BENCHMARK_TEMPLATE(Tokens, kKernelAlone)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Tokens, kFloat32)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Tokens, kBfloat16)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Tokens, kTop1000)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
