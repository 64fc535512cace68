#include "marginals/marginal_budget.h"

#include <stdexcept>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "accounting/adaptive_gaussian.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

using Exact = boost::multiprecision::cpp_rational;

Exact exact(Ratio ratio) { return Exact(ratio.numerator) / Exact(ratio.denominator); }

/// What k parts may spend, exactly.
Exact share(const MarginalBudget& budget, std::uint32_t parts) {
  return Exact(budget.amount()) * parts / MarginalBudget::kParts;
}

const std::vector<UnitWeight> kUnits = {{1, Neighbours::kReplace},
                                        {1, Neighbours::kAddRemove},
                                        {1024, Neighbours::kReplace},
                                        {1024, Neighbours::kAddRemove}};
const std::vector<std::uint32_t> kSomeParts = {1, 3, 777, 9830, 65536};

TEST(MarginalBudget, NoiseKeepsEachPartInExactArithmetic) {
  for (const UnitWeight& unit : kUnits) {
    const Exact sum = unit.sum();
    const Exact square = unit.square();
    for (const std::uint32_t parts : kSomeParts) {
      for (const double epsilon : {0.05, 1.0, 10.0}) {
        const MarginalBudget pure(Privacy::pure(epsilon), unit);
        EXPECT_LE(sum / exact(pure.noise(parts)), share(pure, parts));
        EXPECT_LE(2 * sum * exact(pure.choice_rate(parts)), share(pure, parts));
        EXPECT_GE(2 * sum * exact(pure.choice_rate(parts)), share(pure, parts) * 999999 / 1000000);

        const MarginalBudget rho(Privacy::concentrated(epsilon), unit);
        EXPECT_LE(square / (2 * exact(rho.noise(parts))), share(rho, parts));
        const Exact eta = exact(rho.choice_rate(parts));
        EXPECT_LE(sum * sum * eta * eta / 2, share(rho, parts));
        EXPECT_GE(sum * sum * eta * eta / 2, share(rho, parts) * 999999 / 1000000);

        const MarginalBudget delta(Privacy::approximate(epsilon, 1e-6), unit);
        EXPECT_LE(square / (exact(delta.noise(parts)) - Exact(kLatticePart)), share(delta, parts));
        const Exact range = 2 * sum * exact(delta.choice_rate(parts));
        const Exact pi_up = Exact(31415926535897933) / Exact(10000000000000000);
        EXPECT_LE(pi_up / 8 * range * range, share(delta, parts));
        EXPECT_GE(pi_up / 8 * range * range, share(delta, parts) * 999999 / 1000000);
      }
    }
  }
}

TEST(MarginalBudget, IsNeverOverspent) {
  PartsLeft parts;
  EXPECT_THROW(parts.take(0), std::logic_error);
  EXPECT_EQ(parts.take(MarginalBudget::kParts - 1), MarginalBudget::kParts - 1);
  EXPECT_THROW(parts.take(2), std::logic_error);
  EXPECT_EQ(parts.left(), 1U);
  EXPECT_EQ(parts.take(1), 1U);
  EXPECT_THROW(parts.take(1), std::logic_error);
}

TEST(MarginalBudget, RefusesBudgetsThatNoNoiseKeeps) {
  const UnitWeight row{1, Neighbours::kReplace};
  EXPECT_THROW(MarginalBudget(Privacy::gaussian(1), row), InvalidInput);
  EXPECT_EQ(test::refusal_of([&] { MarginalBudget(Privacy::pure(1e-15), row); }),
            "a budget of family marginals must be one whose parts have noise that can be drawn, "
            "about epsilon 0.001 to 1000, but is epsilon 1e-15");
}

}  // namespace
}  // namespace mollify
