#include "accounting/ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/composition.h"
#include "accounting/gaussian.h"
#include "base/decimals.h"
#include "base/directed_rounding.h"
#include "core/invalid_input.h"

namespace mollify {

namespace {

// The thresholds to try: some of the values and the largest ones, as one large release is best
// added.
constexpr std::size_t kSomeThresholds = 32;
constexpr std::size_t kLargestThresholds = 8;

Decimal half() { return Decimal(0.5); }

/// rho of this many epsilon-DP releases.
Decimal rho_of(const Decimal& epsilon, std::uint64_t times) {
  return half() * epsilon * epsilon * Decimal(static_cast<double>(times));
}

}  // namespace

/// One valid way to compose: `added` by Σ epsilon, the rest as `rule` has it, whose curve is one of
/// these.
struct LedgerAccount::Conversion {
  CompositionRule rule;
  Decimal added;
  double parameter = 0;        // rho, epsilon of each, or mu; rounded up
  std::uint64_t releases = 1;  // of kOptimal

  double delta_up(double epsilon) const {
    switch (rule) {
      case CompositionRule::kConcentrated:
        return concentrated_delta_up(parameter, epsilon);
      case CompositionRule::kOptimal:
        return OptimalComposition(parameter, releases).delta_up(epsilon);
      case CompositionRule::kGaussian:
        return gaussian_delta_up(parameter, std::min(epsilon, 1e6));
      case CompositionRule::kBasic:
        break;  // a sum, which has no curve
    }
    return 1;
  }
  double epsilon_up(double delta) const {
    switch (rule) {
      case CompositionRule::kConcentrated:
        return concentrated_epsilon_up(parameter, delta);
      case CompositionRule::kOptimal:
        return OptimalComposition(parameter, releases).epsilon_up(delta);
      case CompositionRule::kGaussian:
        return gaussian_epsilon_up(parameter, delta);
      case CompositionRule::kBasic:
        break;
    }
    return std::numeric_limits<double>::infinity();
  }
};

void LedgerAccount::add(const ExactPrivacy& cost) {
  ++releases_;
  switch (cost.notion) {
    case ExactPrivacy::Notion::kApproximate:
      if (cost.delta > Decimal(1.0)) {
        throw InvalidInput("out-of-range",
                           "delta must be at most 1, but is " + words_of(cost.delta), "delta");
      }
      delta_ = delta_ + cost.delta;
      [[fallthrough]];
    case ExactPrivacy::Notion::kPure:
      epsilon_ = epsilon_ + cost.epsilon;
      ++epsilons_[cost.epsilon];
      return;
    case ExactPrivacy::Notion::kConcentrated:
      rho_ = rho_ + cost.rho;
      return;
    case ExactPrivacy::Notion::kGaussian:
      mu_squared_ = mu_squared_ + cost.mu * cost.mu;
  }
}

LedgerAccount LedgerAccount::with(const ExactPrivacy& cost) const {
  LedgerAccount more = *this;
  more.add(cost);
  return more;
}

Decimal LedgerAccount::rho_of_all() const {
  Decimal rho = rho_ + half() * mu_squared_;
  for (const auto& [epsilon, count] : epsilons_) rho = rho + rho_of(epsilon, count);
  return rho;
}

/// Visits every conversion that may keep an (epsilon, delta) total with some epsilon left for it.
template <class Visit>
void LedgerAccount::for_each_conversion(const ExactPrivacy& total, Visit visit) const {
  if (delta_ >= total.delta) return;
  const bool pure_only = rho_.is_zero() && mu_squared_.is_zero();
  const std::size_t step = 1 + epsilons_.size() / kSomeThresholds;
  Decimal rho = rho_ + half() * mu_squared_;
  Decimal added = epsilon_;  // of those above the threshold
  std::uint64_t count = 0;   // of those up to it
  const auto convert = [&]() {
    const double rho_up = rho.up();
    if (std::isfinite(rho_up)) {
      visit(Conversion{CompositionRule::kConcentrated, added, rho_up, 1});
    }
  };
  const auto compose = [&](const Decimal& epsilon, std::uint64_t releases, const Decimal& others) {
    if (epsilon.is_zero() || epsilon > Decimal(700.0) || releases > std::uint64_t{1} << 20U) return;
    visit(Conversion{CompositionRule::kOptimal, others, epsilon.up(), releases});
  };
  if (!pure_only) convert();
  std::size_t left = epsilons_.size();
  for (const auto& [epsilon, times] : epsilons_) {
    const Decimal together = epsilon * Decimal(static_cast<double>(times));
    rho = rho + rho_of(epsilon, times);
    added = minus_or_zero(added, together);
    count += times;
    if (left % step == 0 || left <= kLargestThresholds) {
      convert();
      if (pure_only) {
        compose(epsilon, count, added);
        if (times != count) compose(epsilon, times, minus_or_zero(epsilon_, together));
      }
    }
    --left;
  }
  // √ of a double is within half a unit in the last place.
  const double mu = std::nextafter(std::sqrt(mu_squared_.up()), 2000.0);
  if (rho_.is_zero() && mu >= 1e-6 && mu <= 1000) {
    visit(Conversion{CompositionRule::kGaussian, epsilon_, mu, 1});
  }
}

bool LedgerAccount::fits(const ExactPrivacy& total) const {
  if (releases_ == 0) return true;
  const bool pure_only = rho_.is_zero() && mu_squared_.is_zero();
  switch (total.notion) {
    case ExactPrivacy::Notion::kPure:
      return pure_only && delta_.is_zero() && epsilon_ <= total.parameter();
    case ExactPrivacy::Notion::kConcentrated:
      return delta_.is_zero() && rho_of_all() <= total.parameter();
    case ExactPrivacy::Notion::kApproximate:
    case ExactPrivacy::Notion::kGaussian:
      break;
  }
  if (pure_only && epsilon_ <= total.parameter() && delta_ <= total.delta) return true;
  bool found = false;
  const double delta = minus_or_zero(total.delta, delta_).down();
  for_each_conversion(total, [&](const Conversion& way) {
    if (found || way.added > total.parameter()) return;
    found = way.delta_up(minus_or_zero(total.parameter(), way.added).down()) <= delta;
  });
  return found;
}

std::optional<Spending> LedgerAccount::spent(const ExactPrivacy& total) const {
  const bool pure_only = rho_.is_zero() && mu_squared_.is_zero();
  switch (total.notion) {
    case ExactPrivacy::Notion::kPure:
      if (!pure_only || !delta_.is_zero()) return std::nullopt;
      return Spending{ExactPrivacy::pure(epsilon_), CompositionRule::kBasic};
    case ExactPrivacy::Notion::kConcentrated:
      if (!delta_.is_zero()) return std::nullopt;
      return Spending{ExactPrivacy::concentrated(rho_of_all()), CompositionRule::kBasic};
    case ExactPrivacy::Notion::kApproximate:
    case ExactPrivacy::Notion::kGaussian:
      break;
  }
  std::optional<Spending> best;
  if (pure_only) {
    best = Spending{ExactPrivacy::approximate(epsilon_, delta_), CompositionRule::kBasic};
    if (releases_ == 0) return best;
  }
  const double delta = minus_or_zero(total.delta, delta_).down();
  for_each_conversion(total, [&](const Conversion& way) {
    double epsilon = way.epsilon_up(delta);
    if (way.added <= total.parameter()) {
      // A sum that fits is never reported as more than the total.
      const double room = minus_or_zero(total.parameter(), way.added).down();
      if (epsilon > room && way.delta_up(room) <= delta) epsilon = room;
    }
    if (!std::isfinite(epsilon)) return;
    const Decimal sum = way.added + Decimal(epsilon);
    const bool better = !best || sum < best->cost.parameter() || best->cost.delta > total.delta;
    if (better) best = Spending{ExactPrivacy::approximate(sum, total.delta), way.rule};
  });
  return best;
}

std::optional<ExactPrivacy> LedgerAccount::plain_sum() const {
  if (rho_.is_zero() && mu_squared_.is_zero()) return ExactPrivacy::approximate(epsilon_, delta_);
  if (!delta_.is_zero()) return std::nullopt;
  return spent(ExactPrivacy::concentrated({}))->cost;
}

Decimal LedgerAccount::remaining(const ExactPrivacy& total) const {
  if (!fits(total)) return {};
  if (total.notion == ExactPrivacy::Notion::kPure)
    return minus_or_zero(total.parameter(), epsilon_);
  if (total.notion == ExactPrivacy::Notion::kConcentrated) {
    return minus_or_zero(total.parameter(), spent(total)->cost.parameter());
  }
  const auto fits_too = [&](const Decimal& epsilon) {
    return with(ExactPrivacy::pure(epsilon)).fits(total);
  };
  Decimal exact = minus_or_zero(total.parameter(), epsilon_);
  if (!exact.is_zero() && !fits_too(exact)) exact = {};
  constexpr int kDigits = 6;
  const auto rounded_down = [](double value) { return Decimal(value).with_digits_down(kDigits); };
  const Ends ends{.serves = exact.down(), .fails = 2 * total.parameter().up() + 1};
  const Decimal rounded =
      rounded_down(halve(ends, {.most = 40, .share = 1e-7}, [&](double epsilon) {
                     return fits_too(rounded_down(epsilon));
                   }).serves);
  return rounded > exact && fits_too(rounded) ? rounded : exact;
}

}  // namespace mollify
