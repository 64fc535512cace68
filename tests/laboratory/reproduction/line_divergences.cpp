#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>
#include <gtest/gtest.h>

#include "laboratory/measure/measure.h"
#include "laboratory/reproduction/park.h"
#include "laboratory/reproduction/reproduction.h"

namespace mollify {
namespace {

/// Functions on [-4, 4] in more digits than doubles have, integrated between the places where they
/// may have kinks. Nothing here is the library's.
using Long = long double;
using Function = std::function<Long(Long)>;

class LongLine {
 public:
  LongLine() {
    for (int i = 0; i <= 32; ++i) places_.push_back(-4 + i / 4.0L);
  }

  /// Kinks come where this is 0.
  void add_zeros(const Function& function) {
    constexpr int kSteps = 400;
    for (int i = 0; i < kSteps; ++i) {
      Long low = -4 + 8.0L * i / kSteps;
      Long high = -4 + 8.0L * (i + 1) / kSteps;
      const bool is_above = function(low) > 0;
      if ((function(high) > 0) == is_above) continue;
      for (int halving = 0; halving < 70; ++halving) {
        const Long middle = (low + high) / 2;
        ((function(middle) > 0) == is_above ? low : high) = middle;
      }
      places_.push_back(low);
    }
    std::sort(places_.begin(), places_.end());
  }

  [[nodiscard]] Long integral(const Function& function) const {
    Long sum = 0;
    for (std::size_t i = 0; i + 1 < places_.size(); ++i) {
      if (places_[i] == places_[i + 1]) continue;
      sum +=
          boost::math::quadrature::gauss<Long, 15>::integrate(function, places_[i], places_[i + 1]);
    }
    return sum;
  }

 private:
  std::vector<Long> places_;
};

Long mass_of_normal(Long mean) {
  const Long root = std::sqrt(2.0L);
  return (std::erf((4 - mean) / root) + std::erf((4 + mean) / root)) / 2;
}
Function normal_on_line(Long mean) {
  return [=, scale = 1 / (std::sqrt(2 * std::numbers::pi_v<Long>) * mass_of_normal(mean))](Long x) {
    return scale * std::exp(-(x - mean) * (x - mean) / 2);
  };
}

struct LongDivergences {
  Long kl, tv, hellinger2;
};

LongDivergences apart(LongLine line, const Function& p, const Function& q) {
  line.add_zeros([&](Long x) { return p(x) - q(x); });
  return {line.integral([&](Long x) { return p(x) * std::log(p(x) / q(x)); }),
          line.integral([&](Long x) { return std::abs(p(x) - q(x)) / 2; }),
          line.integral([&](Long x) {
            const Long root = std::sqrt(p(x)) - std::sqrt(q(x));
            return root * root / 2;
          })};
}

/// clip(p/r, low h, high h) for the r at which it integrates to one.
LongDivergences of_projection(const Function& p, const Function& h, Long low, Long high) {
  Long least = 0.01L;
  Long most = 100;
  const auto law = [&](Long r) -> Function {
    return [&p, &h, low, high, r](Long x) { return std::clamp(p(x) / r, low * h(x), high * h(x)); };
  };
  const auto line_of = [&](Long r) {
    LongLine line;
    line.add_zeros([&](Long x) { return p(x) / h(x) - r * low; });
    line.add_zeros([&](Long x) { return p(x) / h(x) - r * high; });
    return line;
  };
  for (int halving = 0; halving < 70; ++halving) {
    const Long r = (least + most) / 2;
    (line_of(r).integral(law(r)) > 1 ? least : most) = r;
  }
  return apart(line_of(least), p, law(least));
}

LongDivergences of_boosting(const Function& p, const Function& start, Long epsilon, bool sigmoid) {
  LongLine line;
  Function q = start;
  const Long bound = sigmoid ? 1 : std::log(2.0L);
  for (int t = 1; t <= 3; ++t) {
    const Long theta = std::pow(epsilon / (epsilon + 4 * bound), static_cast<Long>(t));
    if (!sigmoid) {
      for (const Long end : {-bound, bound}) {
        line.add_zeros([&](Long x) { return std::log(p(x) / q(x)) - end; });
      }
    }
    const Function bent = [=](Long x) {
      const Long before = q(x);
      const Long logit = std::log(p(x) / before);
      const Long c = sigmoid ? 1 / (1 + std::exp(-logit)) : std::clamp(logit, -bound, bound);
      return before * std::exp(theta * c);
    };
    q = [bent, whole = line.integral(bent)](Long x) { return bent(x) / whole; };
  }
  return apart(line, p, q);
}

// The bars of [Park et al. 2024, Figure 4] that nothing is learned for: one Gaussian of variance 1
// on [-4, 4], the worst client at each epsilon.
TEST(LineDivergences, OfTheWorstClientsAreExact) {
  const detail::ParkClients clients(false);
  // The envelope: 1 up to 1 and half a bell beyond; c2 is its mass when each component is
  // normalised on [-4, 4], and at its centre an end of [-1, 1] the normaliser is least.
  const Function shape = [](Long x) {
    const Long beyond = std::max(std::abs(x) - 1, 0.0L);
    return std::exp(-beyond * beyond / 2);
  };
  const Long shape_mass = LongLine().integral(shape);
  const Long c2 = shape_mass / (std::sqrt(2 * std::numbers::pi_v<Long>) * mass_of_normal(1));
  const Function envelope = [&](Long x) { return shape(x) / shape_mass; };
  Long furthest = 0;
  for (std::size_t e = 0; e < detail::kClientEpsilons.size(); ++e) {
    const double mean = detail::kWorstClientMeans[e];
    const double epsilon = detail::kClientEpsilons[e];
    const detail::ClientDivergences ours =
        clients.divergences(detail::client_of_one_gaussian(mean), epsilon);
    const Function p = normal_on_line(mean);
    const Function normal = normal_on_line(0);
    const Long half = std::exp(static_cast<Long>(epsilon) / 2);
    const Long floor = 1 / (1 + (half * half - 1) / c2);
    const LongDivergences exact[] = {of_projection(p, envelope, floor, floor * half * half),
                                     of_boosting(p, normal, epsilon, true),
                                     of_boosting(p, normal, epsilon, false),
                                     of_projection(p, normal, 1 / half, half)};
    for (std::size_t law = 0; law < ours.size(); ++law) {
      for (const auto& [here, there] :
           {std::pair{ours[law].kl, exact[law].kl}, std::pair{ours[law].tv, exact[law].tv},
            std::pair{ours[law].hellinger2, exact[law].hellinger2}}) {
        EXPECT_NEAR(here, static_cast<double>(there), 1e-13)
            << detail::kClientLaws[law] << ", epsilon " << epsilon;
        furthest = std::max(furthest, std::abs(here - there) / there);
      }
    }
  }
  std::printf("60 bars, the furthest off by %.1e of itself\n", static_cast<double>(furthest));
  EXPECT_LT(furthest, 1e-11L);
}

// A law that is P itself, and one with a step, whose divergences are known.
TEST(LineDivergences, OfStepsAreKnown) {
  const UniformMeasure uniform(Box{{0, 1}});
  const DivergenceReport none = detail::line_divergences(
      uniform, uniform, {0, 1}, [](const Masses& p, const Masses&) { return p; }, 1e-12);
  EXPECT_EQ(none.kl, 0);
  EXPECT_EQ(none.tv, 0);
  // Two thirds of the outcomes, taken in order, get 1/2 of their mass, the others twice.
  const DivergenceReport step = detail::line_divergences(
      uniform, uniform, {0, 1},
      [](const Masses& p, const Masses&) {
        Masses q;
        double before = 0;
        for (const double mass : p) {
          q.push_back(mass * (before + mass / 2 < 2.0 / 3 ? 0.5 : 2));
          before += mass;
        }
        return q;
      },
      1e-12);
  EXPECT_NEAR(step.tv, 1.0 / 3, 1e-10);
  EXPECT_NEAR(step.kl, std::numbers::ln2 / 3, 1e-10);
}

}  // namespace
}  // namespace mollify
