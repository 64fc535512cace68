#include "boosting/mbde.h"

#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "boosting/resample.h"
#include "kernel/core/invalid_input.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

void require_usable(const Points& p, const Points& pool, const MbdeSpec& spec) {
  if (spec.iterations == 0) throw InvalidInput("there must be at least 1 iteration, but are 0");
  if (spec.sample_size == 0) throw InvalidInput("the sample size must be at least 1, but is 0");
  if (pool.size() == 0) throw InvalidInput("the pool of reference samples must not be empty");
  if (p.dimension() != pool.dimension()) {
    throw InvalidInput(fmt::format("samples of P must have the pool's {} features, but have {}",
                                   pool.dimension(), p.dimension()));
  }
}

}  // namespace

BoostedDensity boost(const Points& p, const Points& pool, const WeakLearner& learner,
                     const MbdeSpec& spec, const MbdeObserver& observer) {
  require_usable(p, pool, spec);
  BoostedDensity density(spec.boosting, pool.dimension());
  SeededRandom random(spec.seed);
  std::vector<double> pool_log_ratios(pool.size());
  std::vector<double> pool_weights(pool.size(), 1.0);
  std::vector<double> values(pool.size());
  const std::vector<double> evenly(p.size(), 1.0);
  for (std::size_t t = 1; t <= spec.iterations; ++t) {
    const bool all_of_p = p.size() <= spec.sample_size;
    // The same words are drawn in either case, so that the seed means the same for all data.
    const Points some_of_p = resampled(p, evenly, all_of_p ? 0 : spec.sample_size, random);
    const Points& sample_of_p = all_of_p ? p : some_of_p;
    const Points sample_of_q = resampled(pool, pool_weights, spec.sample_size, random);
    TrainingProgress progress;
    if (observer.training) {
      progress = [&observer, t](std::size_t epoch, std::size_t epochs, double cross_entropy) {
        observer.training(t, epoch, epochs, cross_entropy);
      };
    }
    const BoostedDensity boosted = density.boosted(std::shared_ptr<const Classifier>(
        learner.learn(sample_of_p, sample_of_q, random.word(), progress)));
    boosted.classifier_values(t, pool, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      pool_log_ratios[i] += boosted.theta(t) * values[i];
      pool_weights[i] = std::exp(pool_log_ratios[i] - boosted.log_ratio_bound());
    }
    if (observer.iteration) {
      observer.iteration(
          {.t = t, .before = density, .after = boosted, .p = sample_of_p, .q = sample_of_q});
    }
    density = boosted;
  }
  return density;
}

}  // namespace mollify
