#include "methods/local/verification.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/directed_rounding.h"
#include "core/table.h"
#include "domain/candidates.h"
#include "kernel/search.h"

namespace mollify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double unit_interval(SeededRandom& random) {
  return static_cast<double>(random.word() >> 11) * 0x1p-53;
}

/// The number-th adversarial input over `count` outcomes.
std::vector<double> adversarial_scores(std::uint64_t number, std::size_t count) {
  SeededRandom random(number);
  std::vector<double> scores(count);
  const auto at = [&](double share) {
    return static_cast<std::size_t>(share * static_cast<double>(count - 1));
  };
  switch (number % 12) {
    case 0:  // a point mass, at another place each time
      scores[number == 0 ? 0 : random.below(count)] = 1;
      break;
    case 1:
      scores[count - 1] = 1e300;
      break;
    case 2:
      std::fill(scores.begin(), scores.end(), 1.0);
      break;
    case 3:  // near-ties
      for (std::size_t i = 0; i < count; ++i) {
        scores[i] = 1 + static_cast<double>(random.below(3)) * 0x1p-52;
      }
      break;
    case 4:  // heavy tail
      for (std::size_t i = 0; i < count; ++i) scores[i] = 1 / (static_cast<double>(i) + 1);
      break;
    case 5:  // down through the denormals to zero
      for (std::size_t i = 0; i < count; ++i) {
        scores[i] = std::scalbn(1.0, -static_cast<int>(std::min<std::size_t>(i, 1100)));
      }
      break;
    case 6:
      for (double& score : scores) score = unit_interval(random);
      break;
    case 7: {  // garbage
      const double garbage[] = {kNaN, kInfinity, -kInfinity, -1,  0,
                                -0.0, 5e-324,    1.7e308,    1.0, 1e-308};
      for (double& score : scores) score = garbage[random.below(10)];
      break;
    }
    case 8:  // nothing
      break;
    case 9:
      std::fill(scores.begin(), scores.end(), kInfinity);
      break;
    case 10:
      for (std::size_t i = 0; i < count; ++i) scores[i] = i % 2 == 0 ? 1.7e308 : 5e-324;
      break;
    default:  // two outcomes and a speck
      scores[at(0.25)] = 1;
      scores[at(0.75)] = unit_interval(random);
      scores[at(0.5)] = 1e-200;
      break;
  }
  return scores;
}

/// Tables of one band, each checked against the bounds and compared with all others.
class BandTrial {
 public:
  explicit BandTrial(const Band& band)
      : band_(band),
        dense_(band),
        sparse_(band),
        least_(band.outcome_count(), std::numeric_limits<std::uint64_t>::max()),
        greatest_(band.outcome_count(), 0) {}

  void try_input(const std::vector<double>& scores) {
    project(dense_, scores);
    look_at_dense();
    const std::vector<float> singles = [&] {
      std::vector<float> converted(scores.size());
      std::transform(scores.begin(), scores.end(), converted.begin(), [](double score) {
        return std::abs(score) > 3e38 ? std::copysign(std::numeric_limits<float>::infinity(),
                                                      static_cast<float>(std::copysign(1, score)))
                                      : static_cast<float>(score);
      });
      return converted;
    }();
    project(dense_, singles);
    look_at_dense();
    std::vector<std::uint32_t> outcomes;
    std::vector<double> weights;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] == 0) continue;
      outcomes.push_back(static_cast<std::uint32_t>(i));
      weights.push_back(scores[i]);
    }
    project(sparse_, outcomes, weights);
    look_at_sparse();
  }

  bool holds() const { return holds_; }

  double epsilon_observed_up() const {
    std::uint64_t most = 1;
    std::uint64_t over = 1;
    for (std::size_t i = 0; i < least_.size(); ++i) {
      if (greatest_[i] == 0) continue;
      if (static_cast<uint128>(greatest_[i]) * over > static_cast<uint128>(most) * least_[i]) {
        most = greatest_[i];
        over = least_[i];
      }
    }
    return ln_ratio_up(most, over);
  }

 private:
  void look_at_dense() {
    holds_ = holds_ && is_inside(band_, dense_.numerators());
    for (std::size_t i = 0; i < least_.size(); ++i) {
      least_[i] = std::min(least_[i], dense_.numerators()[i]);
      greatest_[i] = std::max(greatest_[i], dense_.numerators()[i]);
    }
  }

  void look_at_sparse() {
    uint128 sum = 0;
    for (std::size_t j = 0; j < sparse_.outcomes().size(); ++j) {
      const std::uint64_t n = sparse_.numerators()[j];
      const std::size_t i = sparse_.outcomes()[j];
      holds_ = holds_ && band_.lower(i) <= n && n <= band_.upper(i);
      sum += n;
    }
    const std::uint64_t others = sparse_.numerators().back();
    holds_ = holds_ && sparse_.unscored_lower() <= others &&
             band_.bound().allows(others, sparse_.unscored_lower());
    holds_ = holds_ && sum + others == band_.total();
  }

  const Band& band_;
  Table dense_;
  SparseTable sparse_;
  std::vector<std::uint64_t> least_;
  std::vector<std::uint64_t> greatest_;
  bool holds_ = true;
};

}  // namespace

bool is_inside(const Band& band, std::span<const std::uint64_t> numerators) {
  uint128 sum = 0;
  bool is_bounded = numerators.size() == band.outcome_count();
  for (std::size_t i = 0; is_bounded && i < numerators.size(); ++i) {
    is_bounded = band.lower(i) <= numerators[i] && numerators[i] <= band.upper(i);
    sum += numerators[i];
  }
  return is_bounded && sum == band.total();
}

Verification verify_sampler(const LocalSampler& sampler, std::uint64_t inputs,
                            const std::function<void(std::uint64_t)>& tried) {
  Verification result;
  result.claimed = sampler.guarantee();
  result.epsilon_realised_up = sampler.epsilon_realised_up();
  result.holds = sampler.guarantee_holds();
  if (const Band* band = sampler.bounds()) {
    BandTrial trial(*band);
    for (std::uint64_t number = 0; number < inputs; ++number) {
      trial.try_input(adversarial_scores(number, sampler.outcome_count()));
      if (tried) tried(number + 1);
    }
    result.inputs = inputs;
    result.epsilon_observed_up = trial.epsilon_observed_up();
    result.holds = result.holds && trial.holds();
  } else {
    // A matrix's laws are mixtures of its rows, and its columns' extremes are attained by rows:
    // every one of them has been looked at.
    result.inputs = sampler.outcome_count();
    result.epsilon_observed_up = result.epsilon_realised_up;
  }
  return result;
}

}  // namespace mollify
