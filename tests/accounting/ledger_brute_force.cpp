// What an account says is spent, against the exact delta of releases that have nothing but their
// promises.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/ledger.h"

namespace mollify {

namespace {

/// Outcomes of several releases: their probability on one data set, and the logarithm of its ratio
/// to that on the neighbour (infinite where the neighbour never has them).
struct LossyOutcome {
  double probability = 1;
  double loss = 0;
};

/// The outcomes with one more (epsilon, delta) release that attains its promise: with probability
/// delta it reveals which of the two it was, otherwise it is randomized response [Kairouz et al.
/// 2015].
std::vector<LossyOutcome> followed_by(const std::vector<LossyOutcome>& outcomes, double epsilon,
                                      double delta) {
  const double likely = (1 - delta) / (1 + std::exp(-epsilon));
  std::vector<LossyOutcome> all;
  for (const auto& [probability, loss] : outcomes) {
    all.push_back({probability * likely, loss + epsilon});
    all.push_back({probability * (1 - delta - likely), loss - epsilon});
    if (delta > 0) all.push_back({probability * delta, HUGE_VAL});
  }
  return all;
}

/// delta of N(0,1) from N(mu,1) at any epsilon, also below 0; mu = 0 is a release that says
/// nothing.
double gaussian_delta(double mu, double epsilon) {
  if (epsilon == -HUGE_VAL) return 1;
  if (mu == 0) return std::max(0.0, -std::expm1(epsilon));
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double left = phi(mu / 2 - epsilon / mu);
  return std::max(0.0, left - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu));
}

/// The exact delta at epsilon of all outcomes and one Gaussian release of mu.
double exact_delta_at(const std::vector<LossyOutcome>& outcomes, double mu, double epsilon) {
  return std::accumulate(
      outcomes.begin(), outcomes.end(), 0.0, [&](double sum, const LossyOutcome& outcome) {
        return sum + outcome.probability * gaussian_delta(mu, epsilon - outcome.loss);
      });
}

// Any mixture of up to eight releases: at the epsilon that is said to be spent, their delta is not
// above the total's. A release in rho is the Gaussian of mu = √(2 rho).
RC_GTEST_PROP(LedgerBruteForce, NoReleasesCostMoreThanIsSaid, ()) {
  // Ranges are drawn from whole, whatever the size that RapidCheck begins with.
  const auto whole = [](int least, int end) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, end));
  };
  const auto count = static_cast<std::size_t>(*whole(1, 9));
  const auto draws = *rc::gen::container<std::vector<std::pair<int, int>>>(
      count, rc::gen::pair(whole(0, 6), whole(1, 40)));
  const bool with_gaussian = *whole(0, 2) == 1;
  const std::string total_delta = "1e-" + std::to_string(*whole(2, 8));
  LedgerAccount account;
  std::vector<LossyOutcome> outcomes(1);
  double mu_squared = 0;
  for (const auto& [kind, size] : draws) {
    const std::string parameter = std::to_string(size) + "e-2";
    const double value = 0.01 * size;
    const Decimal decimal = Decimal::parse(parameter, "parameter");
    if (kind == 5 && with_gaussian) {
      account.add(ExactPrivacy::gaussian(decimal));
      mu_squared += value * value;
    } else if (kind == 4 && with_gaussian) {
      account.add(ExactPrivacy::concentrated(decimal));
      mu_squared += 2 * value;
    } else if (kind == 3) {
      account.add(ExactPrivacy::approximate(decimal, Decimal::parse("1e-4", "delta")));
      outcomes = followed_by(outcomes, value, 1e-4);
    } else {
      // Often the same epsilon.
      const int usual = kind == 0 ? 30 : size;
      account.add(ExactPrivacy::pure(Decimal::parse(std::to_string(usual) + "e-2", "epsilon")));
      outcomes = followed_by(outcomes, 0.01 * usual, 0);
    }
  }
  const auto spent =
      account.spent(ExactPrivacy::approximate(Decimal(10.0), Decimal::parse(total_delta, "delta")));
  if (!spent) return;  // the releases' own delta is all of the total's
  const double delta =
      exact_delta_at(outcomes, std::sqrt(mu_squared), spent->cost.parameter().up());
  RC_ASSERT(delta <= spent->cost.delta.up() * (1 + 1e-9) + 1e-14);
  RC_TAG(name_of(spent->rule));
}

// For equal pure releases the optimal composition is attained.
TEST(LedgerBruteForce, EqualReleasesAreAtTheirOptimum) {
  LedgerAccount account;
  std::vector<LossyOutcome> outcomes(1);
  for (int i = 0; i < 10; ++i) {
    account.add(ExactPrivacy::pure(Decimal::parse("0.3", "epsilon")));
    outcomes = followed_by(outcomes, 0.3, 0);
  }
  const auto spent =
      account.spent(ExactPrivacy::approximate(Decimal(3.0), Decimal::parse("0.001", "delta")));
  ASSERT_TRUE(spent);
  const double epsilon = spent->cost.parameter().up();
  EXPECT_LE(exact_delta_at(outcomes, 0, epsilon), 0.001 * (1 + 1e-12));
  EXPECT_GT(exact_delta_at(outcomes, 0, epsilon * (1 - 1e-9)), 0.001);
}

// Next to a release that takes nearly all of the total's delta, exactly as many others fit as what
// is left of it allows.
TEST(LedgerBruteForce, AsManyFitAsWhatIsLeftOfDeltaAllows) {
  const auto exact_delta_at_one = [](int releases) {
    const double likely = 1 / (1 + std::exp(-0.01));
    double delta = 0;
    for (int l = 0; l <= releases; ++l) {
      const double loss = 0.01 * (2 * l - releases);
      if (loss <= 1) continue;
      const double probability = std::exp(std::lgamma(releases + 1.0) - std::lgamma(l + 1.0) -
                                          std::lgamma(releases - l + 1.0) + l * std::log(likely) +
                                          (releases - l) * std::log1p(-likely));
      delta += probability * -std::expm1(1 - loss);
    }
    return delta;
  };
  int allowed = 0;
  while (exact_delta_at_one(allowed + 2) <= 1e-8) ++allowed;  // with the first one
  const auto decimal = [](const char* text) { return Decimal::parse(text, "number"); };
  const ExactPrivacy total = ExactPrivacy::approximate(decimal("1"), decimal("1e-6"));
  LedgerAccount account;
  account.add(ExactPrivacy::approximate(decimal("0.01"), decimal("9.9e-7")));
  int fitted = 0;
  for (LedgerAccount next = account;; ++fitted) {
    next.add(ExactPrivacy::pure(decimal("0.01")));
    if (!next.fits(total)) break;
  }
  EXPECT_EQ(fitted, allowed);
}

}  // namespace

}  // namespace mollify
