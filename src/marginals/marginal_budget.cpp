#include "marginals/marginal_budget.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "accounting/adaptive_gaussian.h"
#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"
#include "kernel/noise/discrete_gaussian.h"
#include "kernel/noise/discrete_laplace.h"

namespace mollify {

MarginalBudget::MarginalBudget(const Privacy& budget, UnitWeight unit, std::optional<double> amount)
    : notion_(budget.notion),
      amount_(amount ? *amount : adaptive_amount_down(budget, "marginals")),
      unit_(unit) {
  try {
    if (!(amount_ > 0) || std::isinf(amount_)) throw InvalidInput("no such budget");
    // The least part has the most noise, the whole the least.
    for (const std::uint32_t parts : {std::uint32_t{1}, kParts}) {
      const Ratio most = noise(parts);
      if (notion_ == PrivacyNotion::kPure) {
        static_cast<void>(DiscreteLaplace(most));
      } else {
        static_cast<void>(DiscreteGaussian(most));
      }
      static_cast<void>(choice_rate(parts));
    }
  } catch (const InvalidInput&) {
    throw InvalidInput(
        fmt::format("a budget of family marginals must be one whose parts have noise that can be "
                    "drawn, about epsilon 0.001 to 1000, but is {}",
                    budget.text()));
  }
}

double MarginalBudget::part_down(std::uint32_t parts) const {
  // kParts is a power of two, so only the product is rounded.
  const double product = amount_ * parts;
  const double down =
      std::fma(amount_, parts, -product) < 0 ? std::nextafter(product, 0.0) : product;
  return down / kParts;
}

Ratio MarginalBudget::noise(std::uint32_t parts) const {
  return noise_of(parts, unit_.sum(), unit_.square(), 1);
}

Ratio MarginalBudget::product_noise(std::uint32_t parts, std::size_t columns,
                                    std::uint64_t steps) const {
  const ProductWeight product{unit_, columns};
  const Ratio noise = noise_of(parts, product.sum(), product.square(), steps * steps);
  if (notion_ == PrivacyNotion::kPure) {
    static_cast<void>(DiscreteLaplace(noise));
  } else {
    static_cast<void>(DiscreteGaussian(noise));
  }
  return noise;
}

/// Sensitivities times `scale`, a power of two, which rounds nothing.
Ratio MarginalBudget::noise_of(std::uint32_t parts, std::uint64_t sum, std::uint64_t square,
                               std::uint64_t scale) const {
  const double part = part_down(parts);
  const auto times = static_cast<double>(scale);
  switch (notion_) {
    case PrivacyNotion::kPure:
      return Ratio::at_least("scale", times * div_up(integer_up(sum), part));
    case PrivacyNotion::kConcentrated:
      return Ratio::at_least("variance", times * times * div_up(integer_up(square), 2 * part));
    default:
      return Ratio::at_least(
          "variance", add_up(times * times * div_up(integer_up(square), part), kLatticePart));
  }
}

Ratio MarginalBudget::choice_rate(std::uint32_t parts) const {
  constexpr double kPiUp = 3.1415926535897936;
  const double part = part_down(parts);
  const double distance = integer_up(unit_.sum());
  // 1/eta, rounded up: turned over, it is eta rounded down.
  const double inverse = [&] {
    switch (notion_) {
      case PrivacyNotion::kPure:
        return div_up(2 * distance, part);
      case PrivacyNotion::kConcentrated:
        return div_up(distance, sqrt_down(2 * part));
      default:
        // (pi/8) (2 Delta eta)^2 = (pi/2) Delta^2 eta^2.
        return div_up(distance, sqrt_down(div_down(2 * part, kPiUp)));
    }
  }();
  const Ratio turned = Ratio::at_least("the inverse of a rate", inverse);
  return {turned.denominator, turned.numerator};
}

double MarginalBudget::deviation_of(Ratio ratio) const {
  const double value =
      static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
  return notion_ == PrivacyNotion::kPure ? std::sqrt(2.0) * value : std::sqrt(value);
}

std::uint32_t PartsLeft::take(std::uint32_t parts) {
  if (parts < 1 || parts > left_) {
    throw std::logic_error("a step of a private mechanism was not paid for");
  }
  left_ -= parts;
  return parts;
}

}  // namespace mollify
