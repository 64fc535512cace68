#include "central/moment_design.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "accounting/adaptive_gaussian.h"
#include "kernel/core/invalid_input.h"
#include "kernel/noise/clipped_moments.h"
#include "not_finite.h"

namespace mollify {
namespace {

using Moments = std::vector<std::int64_t>;

bool is_kept(const MomentDesign& design) {
  try {
    check_moment_design(design);
    return true;
  } catch (const InvalidInput&) {
    return false;
  }
}

std::string moment_refusal(const MomentRequest& request) {
  try {
    static_cast<void>(design_moments(request));
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "";
}

/// What the moments of all tables of two rows differ by, if they differ in one.
std::set<Moments> moment_differences(const MomentDesign& design) {
  const std::size_t d = design.request.dimension;
  std::vector<double> values = {test::kNan, test::kInfinity};
  const auto reach = static_cast<int>(design.lattice_radius);
  for (int z = -reach; z <= reach; ++z) values.push_back(z);
  std::set<Moments> tables;
  std::vector<double> record(d);
  const auto add = [&] {
    ClippedMoments moments(d, design.lattice_radius, design.offset);
    moments.add(std::vector<double>(d, 1));
    moments.add(record);
    tables.insert(moments.entries());
  };
  for (const double x : values) {
    record[0] = x;
    if (d == 1) {
      add();
      continue;
    }
    for (const double y : values) {
      record[1] = y;
      add();
    }
  }
  std::set<Moments> differences;
  for (const Moments& one : tables) {
    for (const Moments& other : tables) {
      Moments difference(one);
      for (std::size_t i = 0; i < one.size(); ++i) difference[i] -= other[i];
      differences.insert(difference);
    }
  }
  return differences;
}

/// A design of one round on a small lattice that claims just what its integers give.
MomentDesign small_moment_design(std::size_t dimension, std::uint64_t radius, Ratio noise,
                                 const Privacy& claimed) {
  MomentDesign design;
  design.request = {2, dimension, claimed};
  design.guarantee = claimed;
  design.amount = claimed.parameter();
  design.lattice_radius = radius;
  design.offset = 1;
  design.rounds = {{MomentDesign::kParts, noise}};
  return design;
}

/// The Rényi divergence of a discrete Gaussian and itself moved, summed to a tail below 1e-30.
long double moved_renyi(std::int64_t by, long double variance, long double order) {
  const auto reach = static_cast<std::int64_t>(12 * std::sqrt(variance) +
                                               static_cast<long double>(20 * std::abs(by)) + 2);
  const auto x2 = [&](std::int64_t z) {
    return static_cast<long double>(z) * static_cast<long double>(z) / (2 * variance);
  };
  // The greatest term of sum P^a Q^(1-a) lies at (1 - a) by, where it is e^(a (a-1) by^2 / (2 v)).
  const long double top = order * (order - 1) * x2(by);
  long double sum = 0;
  long double all = 0;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    all += std::exp(-x2(z));
    sum += std::exp(-order * x2(z) - (1 - order) * x2(z - by) - top);
  }
  return (std::log(sum / all) + top) / (order - 1);
}

TEST(MomentPrivacy, TheJointNoisesRenyiCurveIsBelowTheClaimAtEveryOrder) {
  for (const auto& [dimension, radius] : {std::pair{1U, 1U}, {1U, 3U}, {2U, 1U}, {2U, 3U}}) {
    const auto square = static_cast<double>(ClippedMoments::square_sensitivity(radius, 1));
    for (const std::uint64_t variance : {40U, 400U}) {
      const double rho = square / (2 * static_cast<double>(variance)) * (1 + 1e-14);
      const MomentDesign design =
          small_moment_design(dimension, radius, {variance, 1}, Privacy::concentrated(rho));
      ASSERT_TRUE(is_kept(design));
      long double share = 0;
      std::map<std::pair<std::int64_t, long double>, long double> known;
      for (const Moments& moved : moment_differences(design)) {
        for (const long double order : {1.5L, 2.0L, 4.0L, 16.0L}) {
          long double divergence = 0;
          for (const std::int64_t by : moved) {
            if (by == 0) continue;
            const auto [found, is_new] = known.try_emplace({std::abs(by), order});
            if (is_new) {
              found->second = moved_renyi(std::abs(by), static_cast<long double>(variance), order);
            }
            divergence += found->second;
          }
          const long double claimed = order * static_cast<long double>(rho);
          EXPECT_LE(divergence, claimed * (1 + 1e-12L));
          share = std::max(share, divergence / claimed);
        }
      }
      std::printf("d = %u, L = %u, variance %u: %.4Lf of the claim\n", dimension, radius,
                  static_cast<unsigned>(variance), share);
      EXPECT_GT(share, dimension == 1 ? 0.2L : 0.5L) << "what is claimed is not felt";
    }
  }
}

TEST(MomentPrivacy, NoRatioOfEuclideanLaplaceNoiseIsAboveEpsilon) {
  constexpr double kScale = 3.5;
  const double sensitivity =
      std::sqrt(static_cast<double>(ClippedMoments::square_sensitivity(2, 1)));
  const double epsilon = sensitivity / kScale * (1 + 1e-14);
  const MomentDesign design = small_moment_design(1, 2, {7, 2}, Privacy::pure(epsilon));
  ASSERT_TRUE(is_kept(design));
  double worst = 0;
  for (const Moments& moved : moment_differences(design)) {
    for (std::int64_t x = -80; x <= 80; ++x) {
      for (std::int64_t y = -80; y <= 80; ++y) {
        const double before = std::hypot(x, y);
        const double after = std::hypot(x - moved[0], y - moved[1]);
        worst = std::max(worst, (after - before) / kScale);
      }
    }
  }
  std::printf("%.4f of the claim\n", worst / epsilon);
  EXPECT_LE(worst, epsilon);
  EXPECT_GT(worst, 0.5 * epsilon);
}

TEST(MomentDesign, KeepsEveryBudgetAndNearlySpendsIt) {
  for (const std::uint64_t records :
       {std::uint64_t{1}, std::uint64_t{2505}, std::uint64_t{1} << 39}) {
    for (const std::size_t dimension : {1U, 3U, 43U}) {
      for (const Privacy& budget :
           {Privacy::pure(1e-3), Privacy::pure(1), Privacy::pure(40), Privacy::concentrated(1e-6),
            Privacy::concentrated(0.5), Privacy::concentrated(100), Privacy::approximate(0.1, 1e-9),
            Privacy::approximate(3, 1e-6)}) {
        const MomentDesign design = design_moments({records, dimension, budget});
        EXPECT_TRUE(is_kept(design)) << budget.text();
        EXPECT_EQ(design, design_moments(design.request));
        // Less noise, or less of a budget, is noticed in any round.
        for (std::size_t k = 0; k < design.rounds.size(); ++k) {
          MomentDesign changed = design;
          changed.rounds[k].noise.numerator -= changed.rounds[k].noise.numerator / 64 + 1;
          EXPECT_FALSE(is_kept(changed)) << budget.text() << ", round " << k;
        }
        MomentDesign wider = design;
        wider.lattice_radius *= 2;
        EXPECT_FALSE(is_kept(wider));
        wider = design;
        wider.rounds.push_back(design.rounds.front());
        EXPECT_FALSE(is_kept(wider));
      }
    }
  }
}

TEST(MomentDesign, IsMoreAccurateWithMoreRecordsAndBudgetAndLessWithMoreColumns) {
  const auto error = [](std::uint64_t records, std::size_t dimension, double rho) {
    return design_moments({records, dimension, Privacy::concentrated(rho)})
        .expected_total_variation;
  };
  EXPECT_LT(error(20000, 3, 0.1), 0.6 * error(10000, 3, 0.1));
  EXPECT_LT(error(10000, 3, 0.4), 0.6 * error(10000, 3, 0.1));
  EXPECT_GT(error(10000, 6, 0.1), 2 * error(10000, 3, 0.1));
}

TEST(MomentDesign, RefusesWhatItCannotServe) {
  const Privacy pure = Privacy::pure(1);
  EXPECT_EQ(moment_refusal({10, 44, pure}),
            "a shared Gaussian takes from 1 to 43 columns under pure epsilon (256 with a delta or "
            "rho), but there are 44");
  EXPECT_EQ(moment_refusal({10, 257, Privacy::concentrated(1)}),
            "a shared Gaussian takes from 1 to 256 columns, but there are 257");
  EXPECT_EQ(moment_refusal({0, 1, pure}),
            "the number of records must be from 1 to 549755813888, but is 0");
  EXPECT_EQ(moment_refusal({10, 1, Privacy::gaussian(1)}),
            "family gaussian has a budget of epsilon, of epsilon and delta or of rho, but it is of "
            "mu");
  EXPECT_EQ(moment_refusal({10, 1, Privacy::concentrated(1e-30)}),
            "a budget of a shared Gaussian must be one whose noise can be drawn, about epsilon "
            "1e-6 to 1e6, but is rho 1e-30");
}

}  // namespace
}  // namespace mollify
