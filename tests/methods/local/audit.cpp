// A tight audit of every local mechanism: the exact laws of hostile inputs differ by nearly all
// that is promised, and never by more. Draws of bands and of randomized response are found word by
// word.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "methods/local/complete_parameters.h"
#include "methods/local/mechanism.h"
#include "methods/local/mollifiers.h"
#include "methods/local/private_inputs.h"
#include "methods/local/sampler.h"
#include "replay.h"

namespace mollify {

namespace {

using test::PrivateInput;
using Probabilities = std::vector<long double>;

/// The fractions of a law in integers, each to the last place of a long double.
Probabilities exact_probabilities(const Law& law) {
  using boost::multiprecision::cpp_int;
  Probabilities probabilities;
  const auto denominator = cpp_int(law.denominator).convert_to<long double>();
  for (const std::string& numerator : law.numerators) {
    probabilities.push_back(cpp_int(numerator).convert_to<long double>() / denominator);
  }
  return probabilities;
}

/// The x with Phi(x) = p, by bisection.
long double normal_quantile(long double p) {
  long double low = -40;
  long double high = 40;
  for (int i = 0; i < 80; ++i) {
    const long double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0L)) / 2 < p ? low : high) = middle;
  }
  return low;
}

/// What an observer who knows both laws tells apart: the greatest epsilon, or under a Gaussian
/// curve the greatest mu of any event.
long double told_apart(const Probabilities& p, const Probabilities& q, PrivacyNotion notion) {
  long double most = 0;
  if (notion == PrivacyNotion::kPure) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] > 0 || q[i] > 0) most = std::max(most, std::log(p[i] / q[i]));
    }
    return most;
  }
  for (std::size_t event = 1; event + 1 < std::size_t{1} << p.size(); ++event) {
    long double inside = 0;
    long double other = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if ((event >> i & 1U) == 0) continue;
      inside += p[i];
      other += q[i];
    }
    most = std::max(most, normal_quantile(inside) - normal_quantile(other));
  }
  return most;
}

struct Audited {
  std::string name;
  std::unique_ptr<LocalSampler> sampler;
};

std::vector<Audited> audited_samplers(std::size_t k, double budget,
                                      std::span<const double> masses) {
  std::vector<Audited> samplers;
  std::vector<double> rows(k * k, 1);
  for (std::size_t x = 0; x < k; ++x) rows[x * k + x] = std::exp(budget);
  for (const auto& [mechanism, name] : names_of(Mechanism{})) {
    MechanismParameters parameters = test::complete_parameters(mechanism, k, budget);
    if (row_of(mechanism).has_channel) parameters.channel = rows;
    // Of an even reference, where the band of all distributions nearly is.
    if (mechanism == Mechanism::kClass) parameters.numbers = {.c1 = 0.3, .c2 = 3};
    // An outcome is filled to its upper bound only where its share of the reference is small.
    const bool is_even =
        mechanism == Mechanism::kMinimax || row_of(mechanism).reference == ReferenceUse::kNone;
    const bool is_either = mechanism == Mechanism::kRelative || mechanism == Mechanism::kClass ||
                           mechanism == Mechanism::kMixture ||
                           mechanism == Mechanism::kGaussianCurve;
    for (const bool uneven : {false, true}) {
      if (uneven ? is_even : !is_even && !is_either) continue;
      if (uneven) parameters.reference = masses;
      samplers.push_back(
          {std::string(name) + (uneven ? ", uneven reference" : ""), make_sampler(parameters)});
    }
  }
  return samplers;
}

TEST(LocalAudit, WorstInputsMeetThePromise) {
  constexpr std::size_t kOutcomes = 4;
  const std::vector<double> masses = {0.6, 0.3, 0.09, 0.01};
  for (const double budget : {0.5, 2.0}) {
    for (const auto& [name, sampler] : audited_samplers(kOutcomes, budget, masses)) {
      std::vector<Probabilities> laws;
      for (std::size_t x = 0; x < kOutcomes; ++x) {
        laws.push_back(exact_probabilities(sampler->law(test::point_mass(x).view())));
      }
      for (const PrivateInput& input : test::private_inputs(kOutcomes)) {
        laws.push_back(exact_probabilities(sampler->law(input.view())));
      }
      long double most = 0;
      for (const Probabilities& p : laws) {
        for (const Probabilities& q : laws) {
          most = std::max(most, told_apart(p, q, sampler->guarantee().notion));
        }
      }
      std::printf("%s, %s: %.4Lf of the promise\n", name.c_str(),
                  sampler->guarantee().text().c_str(), most / budget);
      EXPECT_LE(most, budget * (1 + 1e-15L)) << name;
      EXPECT_GE(most, budget * 0.95L) << name;
    }
  }
}

/// Every position of the word that decides a draw: its law is the law in integers.
TEST(LocalAudit, DrawsHaveTheLawInIntegers) {
  constexpr std::size_t kOutcomes = 4;
  const std::vector<double> masses = {0.6, 0.3, 0.09, 0.01};
  std::size_t looked_at = 0;
  for (const Audited& audited : audited_samplers(kOutcomes, 1.5, masses)) {
    const LocalSampler& sampler = *audited.sampler;
    const bool is_response =
        dynamic_cast<const ChannelSampler<RandomizedResponse>*>(&sampler) != nullptr;
    if (!is_response && sampler.band() == nullptr) continue;
    ++looked_at;
    for (std::size_t x = 0; x < kOutcomes; ++x) {
      const PrivateInput input = test::point_mass(x);
      const auto law = test::drawn_law([&](SecureRandom& random) {
        std::uint32_t released = 0;
        sampler.draw(input.view(), random, {&released, 1});
        return released;
      });
      const Probabilities exact = exact_probabilities(sampler.law(input.view()));
      for (std::uint32_t y = 0; y < kOutcomes; ++y) {
        EXPECT_NEAR(static_cast<double>(law.at(y) / exact[y]), 1, 1e-15) << audited.name;
      }
    }
  }
  EXPECT_GE(looked_at, 8U);
}

}  // namespace

}  // namespace mollify
