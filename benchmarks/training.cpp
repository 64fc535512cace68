// The speed of training the papers' network: two features, three hidden layers of 25, 10000 + 10000
// samples, two minibatches. It first proves that training learns, then times it. Run it alone on a
// quiet machine: taskset -c 0 benchmark_training

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "scores/network.h"

namespace {

using mollify::Classifier;
using mollify::NetworkClassifier;
using mollify::NetworkLearner;
using mollify::Optimiser;
using mollify::Points;

constexpr std::size_t kSamples = 10000;

#if defined(__x86_64__)
/// Multiply-adds that wait for nothing but their own sums, of which there are enough to keep the
/// processor busy.
__attribute__((target("avx2,fma"))) void multiply_and_add(std::size_t times, const float* lanes,
                                                          float* to) {
  const __m256 factor = _mm256_set1_ps(0.5F);
  __m256 sums[10];
#pragma GCC unroll 10
  for (__m256& sum : sums) sum = _mm256_loadu_ps(lanes++);  // different, lest one do for all
  for (std::size_t time = 0; time < times; ++time) {
#pragma GCC unroll 10
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, factor);
  }
  __m256 total = _mm256_setzero_ps();
#pragma GCC unroll 10
  for (const __m256& sum : sums) total = _mm256_add_ps(total, sum);
  _mm256_storeu_ps(to, total);
}
#endif

/// Multiply-adds in single precision that one core does in a second: the best of some tries. 0
/// where this is not known how to measure.
double peak() {
  double best = 0;
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
  constexpr std::size_t kTimes = 1000000;
  for (int attempt = 0; attempt < 20; ++attempt) {
    float lanes[18] = {};
    std::iota(std::begin(lanes), std::end(lanes), 1.0F);
    float total[8];
    benchmark::DoNotOptimize(lanes);
    const auto start = std::chrono::steady_clock::now();
    multiply_and_add(kTimes, lanes, total);
    benchmark::DoNotOptimize(total);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, kTimes * 10 * 8 / time.count());
  }
#endif
  return best;
}

/// Eight Gaussians of deviation .1 on the unit circle.
class Ring {
 public:
  static Points samples(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Points result(2, kSamples);
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double angle = angle_of(random() % 8);
      result.values(0)[i] = static_cast<float>(std::cos(angle) + kDeviation * normal(random));
      result.values(1)[i] = static_cast<float>(std::sin(angle) + kDeviation * normal(random));
    }
    return result;
  }

  /// The logarithm of its density over that of N(0, I).
  static double log_ratio(double x, double y) {
    double sum = 0;
    for (std::size_t mode = 0; mode < 8; ++mode) {
      const double dx = x - std::cos(angle_of(mode));
      const double dy = y - std::sin(angle_of(mode));
      sum += std::exp(-(dx * dx + dy * dy) / (2 * kDeviation * kDeviation));
    }
    return std::log(sum / 8 / (kDeviation * kDeviation)) + (x * x + y * y) / 2;
  }

 private:
  static constexpr double kDeviation = 0.1;

  static double angle_of(std::size_t mode) {
    return std::numbers::pi / 4 * static_cast<double>(mode);
  }
};

Points normal_samples(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  Points result(2, kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (std::size_t f = 0; f < 2; ++f) result.values(f)[i] = normal(random);
  }
  return result;
}

double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::abs(x))); }

/// Cross-entropies of a classifier and of the true log ratio.
struct Losses {
  double learned;
  double true_ratio;
};

Losses losses_of(const Classifier& classifier, const Points& p, const Points& q) {
  Losses result{0, 0};
  for (const Points* samples : {&p, &q}) {
    const double sign = samples == &p ? -1 : 1;
    std::vector<float> logits(samples->size());
    classifier.logits(*samples, logits);
    for (std::size_t i = 0; i < samples->size(); ++i) {
      const double x = static_cast<double>(samples->values(0)[i]);
      const double y = static_cast<double>(samples->values(1)[i]);
      result.learned += softplus(sign * static_cast<double>(logits[i])) / (2 * kSamples);
      result.true_ratio += softplus(sign * Ring::log_ratio(x, y)) / (2 * kSamples);
    }
  }
  return result;
}

/// Items are samples that went forward and backward.
void network(benchmark::State& state) {
  const Points p = Ring::samples(1);
  const Points q = normal_samples(2);
  // The papers' rate takes thousands of passes to learn the ring; what is proved is that the same
  // passes with a quicker optimiser come near the best classifier there is.
  const NetworkLearner quick(
      {.optimiser = Optimiser::kAdam, .rate = 0.01, .epochs = 30, .minibatches = 20});
  const std::unique_ptr<Classifier> classifier = quick.learn(p, q, 3);
  const Losses losses = losses_of(*classifier, p, q);
  state.counters["cross_entropy"] = losses.learned;
  state.counters["of_true_ratio"] = losses.true_ratio;
  if (!(std::abs(losses.learned - losses.true_ratio) < 0.01)) {
    state.SkipWithError("training did not learn");
    return;
  }
  constexpr std::size_t kEpochs = 50;
  const NetworkLearner learner({.epochs = kEpochs});
  const std::clock_t start = std::clock();
  for (auto _ : state) benchmark::DoNotOptimize(learner.learn(p, q, 3));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  // Forward each weight takes part once, backward twice: in the weights' gradient and, behind the
  // first layer, in the slopes'.
  const std::vector<std::size_t>& sizes =
      dynamic_cast<const NetworkClassifier&>(*classifier).sizes();
  double multiply_adds = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    multiply_adds += static_cast<double>(sizes[l] * sizes[l + 1] * (l == 0 ? 2 : 3));
  }
  const auto passes = static_cast<double>(state.iterations()) * kEpochs * 2 * kSamples;
  state.SetItemsProcessed(static_cast<std::int64_t>(passes));
  state.counters["multiply_adds_per_second"] = passes * multiply_adds / seconds;
  const double most = peak();
  if (most > 0) {
    state.counters["peak"] = most;
    state.counters["share_of_peak"] = passes * multiply_adds / seconds / most;
  }
}
BENCHMARK(network)->Unit(benchmark::kMillisecond);

/// Items are points that went forward.
void logits(benchmark::State& state) {
  const Points p = Ring::samples(1);
  const Points q = normal_samples(2);
  const std::unique_ptr<Classifier> classifier = NetworkLearner({.epochs = 1}).learn(p, q, 3);
  std::vector<float> logits(kSamples);
  for (auto _ : state) {
    classifier->logits(q, logits);
    benchmark::DoNotOptimize(logits.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSamples));
}
BENCHMARK(logits)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
