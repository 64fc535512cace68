// Certificates on machines whose C libraries find other last digits. This program's own exp, log,
// ... are the C library's, moved by up to one unit in the last place: by none on the first machine,
// and by others on each further one.
#include <dlfcn.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/domain_yaml.h"
#include "methods/central/method.h"
#include "methods/gaussian/method.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "release/design.h"
#include "release/verification.h"

namespace {

/// Which machine this is; 0 finds what the C library does.
std::uint64_t machine = 0;

double moved(double found, double argument) {
  if (machine == 0 || !std::isfinite(found) || found == std::rint(found)) return found;
  std::uint64_t hash = (std::bit_cast<std::uint64_t>(argument) + machine) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29U)) * 0xbf58476d1ce4e5b9;
  const double far = std::numeric_limits<double>::infinity();
  switch ((hash >> 32U) % 3) {
    case 0:
      return std::nextafter(found, far);
    case 1:
      return std::nextafter(found, -far);
    default:
      return found;
  }
}

using Function = double (*)(double);

Function library(const char* name) { return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name)); }

}  // namespace

extern "C" {
double exp(double x) noexcept {
  static const Function found = library("exp");
  return moved(found(x), x);
}
double expm1(double x) noexcept {
  static const Function found = library("expm1");
  return moved(found(x), x);
}
double log(double x) noexcept {
  static const Function found = library("log");
  return moved(found(x), x);
}
double log2(double x) noexcept {
  static const Function found = library("log2");
  return moved(found(x), x);
}
double log1p(double x) noexcept {
  static const Function found = library("log1p");
  return moved(found(x), x);
}
double cbrt(double x) noexcept {
  static const Function found = library("cbrt");
  return moved(found(x), x);
}
double erfc(double x) noexcept {
  static const Function found = library("erfc");
  return moved(found(x), x);
}
}

namespace mollify {
namespace {

constexpr int kMachines = 3;

// Through a pointer: the compiler knows that exp does not depend on anything but x.
TEST(LastDigits, AreOthersOnOtherMachines) {
  const volatile Function asked = ::exp;
  int others = 0;
  for (int i = 1; i <= 300; ++i) {
    machine = 0;
    const double here = asked(0.01 * i);
    machine = 1;
    others += here == asked(0.01 * i) ? 0 : 1;
  }
  machine = 0;
  std::printf("%d of 300 exponentials are others\n", others);
  EXPECT_GT(others, 150);
  EXPECT_LT(others, 250);
}

Domain domain_of(const char* type) {
  std::string yaml = "columns:\n";
  for (const char* name : {"a", "b"}) {
    yaml += std::string("  ") + name + ": {type: " + type + "}\n";
  }
  return parse_domain(yaml, "domain.yaml");
}

/// The method whose parts these are.
Method row_method_of(const decltype(ReleaseSpec::own)& own) {
  if ((own.get<MarginalsSpec>() != nullptr)) return Method::kMarginals;
  const auto* gaussian = own.get<GaussianSpec>();
  if (gaussian == nullptr) return Method::kCentral;
  return gaussian->covariance_bound ? Method::kGaussian : Method::kGaussianModel;
}

/// How many certificates of a spec, made on each machine, another one finds not to hold.
int refused(ReleaseSpec spec, const PublicFacts& facts, const Domain& domain) {
  spec.method = row_method_of(spec.own);
  spec.domain.file = "domain.yaml";
  spec.domain.sha256 = domain.hash();
  spec.accept_error = true;
  std::array<std::string, kMachines> texts;
  for (int i = 0; i < kMachines; ++i) {
    machine = static_cast<std::uint64_t>(i);
    texts[static_cast<std::size_t>(i)] =
        certificate_text(design_release(spec, facts, domain).certificate);
  }
  int count = 0;
  for (int i = 0; i < kMachines; ++i) {
    machine = static_cast<std::uint64_t>(i);
    for (const std::string& text : texts) {
      const CertificateCheck check =
          verify_certificate(parse_certificate(text, "it"), "it", domain);
      if (!check.holds()) ++count;
    }
  }
  machine = 0;
  return count;
}

const std::array kBudgets = {ExactPrivacy::pure(Decimal(2.37)),
                             ExactPrivacy::concentrated(Decimal(0.3)),
                             ExactPrivacy::approximate(Decimal(0.7), Decimal(1e-6)),
                             ExactPrivacy::approximate(Decimal(4.1), Decimal(1e-9)),
                             ExactPrivacy::approximate(Decimal(0.061), Decimal(1e-5))};

TEST(LastDigits, RefuseNoGaussianSample) {
  const Domain domain = domain_of("number, min: -4, max: 4, null: 0");
  for (const ExactPrivacy& budget : kBudgets) {
    for (const double bound : {1.0, 2.5}) {
      for (const bool found : {false, true}) {
        if (bound > 1 && budget.notion == PrivacyNotion::kPure) continue;
        GaussianSpec gaussian;
        gaussian.covariance_bound = bound;
        // Runs of a bounded covariance are tested, or added up with signs.
        PublicFacts facts{.records = bound > 1 ? 200'011U : 20'011U};
        if (found) {
          facts.mean_ranges = {{-4, 4}, {-4, 4}};
        } else {
          gaussian.mean_bound = 3;
        }
        ReleaseSpec spec;
        spec.own = gaussian;
        spec.count = 2;
        spec.privacy = budget;
        EXPECT_EQ(refused(spec, facts, domain), 0) << bound << found;
      }
    }
  }
}

/// More budgets, because few of these end in other last digits.
std::vector<ExactPrivacy> many_budgets() {
  std::vector<ExactPrivacy> budgets(kBudgets.begin(), kBudgets.end());
  for (int i = 1; i <= 40; ++i) {
    budgets.push_back(
        ExactPrivacy::approximate(Decimal(0.11 * i), Decimal(i % 2 == 0 ? 1e-6 : 1e-9)));
  }
  return budgets;
}

TEST(LastDigits, RefuseNoSharedGaussian) {
  const Domain domain = domain_of("number, min: -4, max: 4, null: 0");
  for (const ExactPrivacy& budget : many_budgets()) {
    ReleaseSpec spec;
    spec.own = GaussianSpec{};
    spec.count = 2;
    spec.privacy = budget;
    EXPECT_EQ(refused(spec, {.records = 20'011}, domain), 0);
  }
}

TEST(LastDigits, RefuseNoMarginals) {
  const Domain domain = domain_of("integer, min: 0, max: 6");
  for (const ExactPrivacy& budget : many_budgets()) {
    for (const bool copula : {false, true}) {
      ReleaseSpec spec;
      spec.own = MarginalsSpec{.copula = copula};
      spec.count = 2;
      spec.privacy = budget;
      EXPECT_EQ(refused(spec, {.records = 20'011}, domain), 0);
    }
  }
}

// Equal shares of parts that they divide are whole, so that a last digit would decide their floors.
TEST(LastDigits, GiveAForestOfMarginalsEqualParts) {
  for (std::uint64_t size = 4; size < 400; ++size) {
    for (std::size_t pairs = 1; pairs <= 7; ++pairs) {
      const std::vector<std::uint64_t> cells(pairs, size);
      const auto here = forest_parts(9 * 5 * 7 * 64, cells);
      for (machine = 1; machine < kMachines; ++machine) {
        EXPECT_EQ(forest_parts(9 * 5 * 7 * 64, cells), here) << size << " x " << pairs;
      }
      machine = 0;
    }
  }
}

TEST(LastDigits, RefuseNoFiniteSample) {
  const Domain domain = domain_of("boolean, null: false");
  for (const auto& [mechanism, budget] : {std::pair{CentralMechanism::kSubsetRr, kBudgets[2]},
                                          {CentralMechanism::kPoissonRr, kBudgets[2]},
                                          {CentralMechanism::kProduct, kBudgets[1]},
                                          {CentralMechanism::kProduct, kBudgets[0]},
                                          {CentralMechanism::kDsRoo, kBudgets[0]}}) {
    ReleaseSpec spec;
    spec.own = CentralSpec{.mechanism = mechanism};
    spec.count = 2;
    spec.privacy = budget;
    EXPECT_EQ(refused(spec, {.records = 2'011, .outcomes = 4}, domain), 0) << name_of(mechanism);
  }
}

}  // namespace
}  // namespace mollify
