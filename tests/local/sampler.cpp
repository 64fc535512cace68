// The conformance test of LocalSampler: whatever it is, every sampler passes all of this.
#include "local/sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/exp_bound.h"
#include "laboratory/law/privacy_divergence.h"
#include "laboratory/mollifier/convex_mollifier.h"
#include "local/band_sampler.h"
#include "local/channel_sampler.h"
#include "local/gaussian_curve.h"
#include "local/mechanism.h"
#include "local/private_inputs.h"
#include "sanitized.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

using boost::multiprecision::cpp_int;
using test::PrivateInput;
using Masses = std::vector<double>;

// A release with a seed must not compile.
template <class Random>
concept DrawsWith = requires(const LocalSampler& sampler, const ScoredOutcomes& p, Random& random,
                             std::span<std::uint32_t> released) {
  sampler.draw(p, random, released);
};
static_assert(DrawsWith<SecureRandom>);
static_assert(!DrawsWith<SeededRandom>);

/// A law in integers.
struct ExactLaw {
  cpp_int denominator;
  std::vector<cpp_int> numerators;
};

ExactLaw exact(const Law& law) {
  ExactLaw result{cpp_int(law.denominator), {}};
  result.numerators.reserve(law.numerators.size());
  for (const std::string& numerator : law.numerators) result.numerators.emplace_back(numerator);
  return result;
}

/// One sampler of a mechanism, and the law that it must have when nothing is known.
struct Instance {
  std::string name;
  std::unique_ptr<LocalSampler> sampler;
  Masses reference;
};

Masses falling(std::size_t k) {
  Masses masses(k);
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum += masses[i] = 1 / static_cast<double>(i + 1);
  for (double& mass : masses) mass /= sum;
  return masses;
}

/// Rows e^epsilon apart: k of randomized response, or three for large k.
std::unique_ptr<LocalSampler> convex_sampler(std::size_t k, double epsilon) {
  const std::size_t m = std::min<std::size_t>(k, k > 100 ? 3 : k);
  Masses rows(m * k, 1);
  for (std::size_t x = 0; x < m; ++x) rows[x * k + x] = std::exp(epsilon);
  return std::make_unique<ConvexMollifierSampler>(MatrixChannel::make(rows, k, epsilon), epsilon);
}

constexpr std::string_view kConvex = "convex-mollifier";

struct Setting {
  std::size_t k;
  bool uniform;
  double epsilon;
};

/// The Gaussian curve's parameter where others have epsilon.
double mu_for(const Setting& setting) { return std::clamp(setting.epsilon, 0.001, 20.0); }

Instance make_instance(std::string_view name, const Setting& setting) {
  const auto [k, uniform, epsilon] = setting;
  Instance instance{std::string(name) + " k " + std::to_string(k) +
                        (uniform ? " uniform" : " falling") + " epsilon " + std::to_string(epsilon),
                    nullptr, uniform ? Masses(k, 1 / static_cast<double>(k)) : falling(k)};
  if (name == kConvex) {
    instance.sampler = convex_sampler(k, epsilon);
    const std::size_t m = std::min<std::size_t>(k, k > 100 ? 3 : k);
    const double total = std::exp(epsilon) + static_cast<double>(k) - 1;
    const double peak = std::expm1(epsilon) / static_cast<double>(m);
    for (std::size_t i = 0; i < k; ++i) instance.reference[i] = (1 + (i < m ? peak : 0)) / total;
    return instance;
  }
  MechanismParameters parameters{.mechanism = *named<Mechanism>(name), .outcome_count = k};
  if (!uniform || parameters.mechanism == Mechanism::kPublicKernel) {
    parameters.reference = instance.reference;
  }
  if (parameters.mechanism == Mechanism::kRandomizedResponse) {
    parameters.reference = {};
    instance.reference.assign(k, 1 / static_cast<double>(k));
  }
  if (parameters.mechanism == Mechanism::kGaussianCurve) {
    parameters.mu = mu_for(setting);
  } else {
    parameters.epsilon = epsilon;
  }
  if (parameters.mechanism == Mechanism::kClass) {
    parameters.c1 = 0.25;
    parameters.c2 = 3;
  }
  if (parameters.mechanism == Mechanism::kNeighbourhood) parameters.gamma = 2;
  if (parameters.mechanism == Mechanism::kLocation) parameters.location = std::exp(-epsilon / 4);
  instance.sampler = make_sampler(parameters);
  return instance;
}

/// Small spaces in full, and one beyond BandSampler::kDense.
std::vector<Setting> settings() {
  static_assert(BandSampler::kDense < 5000);
  std::vector<Setting> all;
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0}) {
    for (const std::size_t k : {1U, 2U, 3U, 5U, 20U}) {
      all.push_back({k, true, epsilon});
      all.push_back({k, false, epsilon});
    }
  }
  all.push_back({5000, true, 0.1});
  all.push_back({5000, false, 1});
  return all;
}

class LocalSamplerConformance : public ::testing::TestWithParam<std::string> {
 protected:
  static void for_each_instance(const std::function<void(const Instance&)>& examine) {
    for (const Setting& setting : settings()) {
      const Instance instance = make_instance(GetParam(), setting);
      SCOPED_TRACE(instance.name);
      examine(instance);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(LocalSamplerConformance, HasTheShapeItSays) {
  for (const Setting& setting : settings()) {
    const Instance instance = make_instance(GetParam(), setting);
    SCOPED_TRACE(instance.name);
    const LocalSampler& sampler = *instance.sampler;
    EXPECT_EQ(sampler.outcome_count(), setting.k);
    EXPECT_TRUE(sampler.guarantee_holds());
    const double claimed = sampler.guarantee().parameter();
    EXPECT_EQ(sampler.guarantee().notion,
              GetParam() == "gaussian-curve" ? Privacy::Notion::kGaussian : Privacy::Notion::kPure);
    EXPECT_EQ(claimed, GetParam() == "gaussian-curve" ? mu_for(setting) : setting.epsilon);
    if (sampler.guarantee().notion == Privacy::Notion::kPure) {
      EXPECT_LE(sampler.epsilon_realised_up(), claimed);
    }
    if (GetParam() == "minimax" && setting.k > 1) {
      EXPECT_NEAR(sampler.epsilon_realised_up(), claimed, 2e-12 + (claimed > 10 ? 1e-5 : 0));
    }
    std::size_t integers = 0;
    sampler.for_each_public_integer([&](uint128) { ++integers; });
    EXPECT_GT(integers, 0U);
  }
}

TEST_P(LocalSamplerConformance, LawsAreExact) {
  for_each_instance([](const Instance& instance) {
    const std::size_t k = instance.sampler->outcome_count();
    for (const PrivateInput& input : test::private_inputs(k)) {
      SCOPED_TRACE(input.name);
      const Law law = instance.sampler->law(input.view());
      const ExactLaw integers = exact(law);
      ASSERT_EQ(integers.numerators.size(), k);
      ASSERT_EQ(law.probabilities.size(), k);
      cpp_int sum = 0;
      for (const cpp_int& numerator : integers.numerators) sum += numerator;
      ASSERT_EQ(sum, integers.denominator);
      for (std::size_t i = 0; i < k; ++i) {
        const double expected =
            integers.numerators[i].convert_to<double>() / integers.denominator.convert_to<double>();
        ASSERT_NEAR(law.probabilities[i], expected, 1e-15 * expected);
        ASSERT_GT(integers.numerators[i], 0) << "an outcome that some input excludes tells all";
      }
    }
  });
}

// For all pairs of inputs and every outcome, in integers: the greatest probability is at most Ebar
// times the least. That is epsilon-LDP itself.
TEST_P(LocalSamplerConformance, PureGuaranteeHoldsForAllPairs) {
  for_each_instance([](const Instance& instance) {
    if (instance.sampler->guarantee().notion != Privacy::Notion::kPure) return;
    const ExpBound bound(instance.sampler->guarantee().parameter());
    const std::size_t k = instance.sampler->outcome_count();
    std::vector<ExactLaw> laws;
    for (const PrivateInput& input : test::private_inputs(k)) {
      laws.push_back(exact(instance.sampler->law(input.view())));
    }
    double greatest_realised = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const auto less = [&](const ExactLaw& a, const ExactLaw& b) {
        return a.numerators[i] * b.denominator < b.numerators[i] * a.denominator;
      };
      const auto [least, most] = std::minmax_element(laws.begin(), laws.end(), less);
      const cpp_int left = most->numerators[i] * least->denominator << bound.shift();
      const cpp_int right = least->numerators[i] * most->denominator * bound.mantissa();
      ASSERT_LE(left, right) << "outcome " << i;
      greatest_realised = std::max(
          greatest_realised,
          std::log(left.convert_to<double>() / right.convert_to<double>() * bound.value()));
    }
    EXPECT_LE(greatest_realised, instance.sampler->epsilon_realised_up() + 1e-14);
  });
}

// For all pairs of inputs, in both directions: the hockey-stick divergence of every order stays
// under the Gaussian curve.
TEST_P(LocalSamplerConformance, GaussianGuaranteeHoldsForAllPairs) {
  for_each_instance([](const Instance& instance) {
    if (instance.sampler->guarantee().notion != Privacy::Notion::kGaussian) return;
    const double mu = instance.sampler->guarantee().parameter();
    const std::size_t k = instance.sampler->outcome_count();
    std::vector<Masses> laws;
    for (const PrivateInput& input : test::private_inputs(k)) {
      laws.push_back(instance.sampler->law(input.view()).probabilities);
    }
    const int steps = k > 100 ? 20 : 100;
    for (int step = 0; step <= steps; ++step) {
      const double b = 3 * (mu + mu * mu) * step / steps;
      const double allowed = gaussian_curve(mu, b);
      if (std::exp(b) > 1e15) break;  // beyond, doubles cannot tell the law from zero
      for (const Masses& p : laws) {
        for (const Masses& q : laws) {
          ASSERT_LE(hockey_stick(std::exp(b), p, q), allowed + 1e-15) << "B = " << b;
        }
      }
    }
  });
}

TEST_P(LocalSamplerConformance, ReleasesTheReferenceWhereNothingIsKnown) {
  for (const Setting& setting : settings()) {
    const Instance instance = make_instance(GetParam(), setting);
    SCOPED_TRACE(instance.name);
    // From epsilon = 20 on, 2^62 parts make some lower bounds coarse (docs/theory/band.md).
    const double tolerance = setting.epsilon < 20 ? 1e-9 : 1e-4;
    const auto last = static_cast<std::uint32_t>(setting.k);
    for (const PrivateInput& input :
         {PrivateInput{"nothing", {}, {}}, PrivateInput{"zero", {0}, {0}},
          PrivateInput{"NaN", {0}, {std::nan("")}}, PrivateInput{"out of range", {last}, {1}}}) {
      const Law law = instance.sampler->law(input.view());
      for (std::size_t i = 0; i < setting.k; ++i) {
        ASSERT_NEAR(law.probabilities[i], instance.reference[i], tolerance * instance.reference[i])
            << input.name << " at " << i;
      }
    }
  }
}

// Chi-square at 1e-6, nine times for each sampler.
TEST_P(LocalSamplerConformance, DrawsFollowTheLaw) {
  SecureRandom random;
  for (const std::size_t k : {3U, 20U, 5000U}) {
    const Instance instance = make_instance(GetParam(), {k, false, 1});
    SCOPED_TRACE(instance.name);
    const auto last = static_cast<std::uint32_t>(k - 1);
    for (const PrivateInput& input :
         {PrivateInput{"records", {0, 1, last}, {7, 2, 4}},
          PrivateInput{"garbage", {last, 0, 1, 1}, {2, std::nan(""), 0.3, -1}},
          PrivateInput{"nothing", {}, {}}}) {
      std::printf("%s, %s: ", instance.name.c_str(), input.name.c_str());
      // Both ways of asking: one draw at a time, and many at once.
      std::vector<std::uint32_t> released(k > 100 ? test::whole_or_sanitized(400'000, 40'000)
                                                  : test::whole_or_sanitized(40'000, 4'000));
      const std::size_t singles = k > 100 ? 1000 : test::whole_or_sanitized(10'000, 1'000);
      for (std::size_t i = 0; i < singles; ++i) {
        instance.sampler->draw(input.view(), random, std::span(released).subspan(i, 1));
      }
      instance.sampler->draw(input.view(), random, std::span(released).subspan(singles));
      std::vector<std::uint64_t> observed(k);
      for (const std::uint32_t outcome : released) {
        ASSERT_LT(outcome, k);
        ++observed[outcome];
      }
      EXPECT_TRUE(test::follows(instance.sampler->law(input.view()).probabilities, observed));
    }
  }
}

/// What `draw_by_law` says that the law's integers are.
struct SaidIntegers {
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> numerators;
  friend bool operator==(const SaidIntegers&, const SaidIntegers&) = default;
};

// Words by the integers of the law are words by the law: inputs whose integers are equal have one
// law. They are asked for once a draw, before the first word, and no others are drawn.
TEST_P(LocalSamplerConformance, DrawsByWordsForTheLawsIntegers) {
  for_each_instance([](const Instance& instance) {
    const LocalSampler& sampler = *instance.sampler;
    std::vector<std::pair<SaidIntegers, Law>> seen;
    for (const PrivateInput& input : test::private_inputs(sampler.outcome_count())) {
      SCOPED_TRACE(input.name);
      SaidIntegers said;
      std::size_t asked = 0;
      const std::unique_ptr<SecureRandom> random = std::make_unique<SecureRandom>();
      const auto words = [&](const LawIntegers& law) -> SecureRandom& {
        said = {{law.outcomes.begin(), law.outcomes.end()},
                {law.numerators.begin(), law.numerators.end()}};
        if (law.band != nullptr) {
          EXPECT_EQ(law.band, sampler.band());
          EXPECT_EQ(law.numerators.size(), sampler.outcome_count());
        }
        ++asked;
        return *random;
      };
      std::vector<std::uint32_t> released(2);
      sampler.draw_by_law(input.view(), words, released);
      ASSERT_EQ(asked, 1U);
      const Law law = sampler.law(input.view());
      for (const auto& [integers, other] : seen) {
        ASSERT_TRUE(integers != said || other.numerators == law.numerators);
      }
      seen.emplace_back(said, law);
    }
  });
}

/// All that `for_each_public_integer` gives, one after the other.
class PublicIntegers {
 public:
  explicit PublicIntegers(const LocalSampler& sampler) {
    sampler.for_each_public_integer([&](uint128 integer) { integers_.push_back(integer); });
  }
  uint128 next() { return integers_.at(taken_++); }
  [[nodiscard]] bool empty() const { return taken_ == integers_.size(); }

 private:
  std::vector<uint128> integers_;
  std::size_t taken_ = 0;
};

/// A channel's matrix made of such integers again.
std::vector<uint128> matrix_of(const RandomizedResponse& channel, PublicIntegers& integers) {
  const auto k = static_cast<std::size_t>(integers.next());
  const uint128 kept = integers.next();
  std::vector<uint128> matrix(k * k, integers.next());
  for (std::size_t x = 0; x < channel.outcome_count(); ++x) matrix[x * k + x] = kept;
  return matrix;
}
std::vector<uint128> matrix_of(const MixtureChannel& channel, PublicIntegers& integers) {
  const std::size_t k = channel.outcome_count();
  const uint128 keep = integers.next();
  std::vector<uint128> reference(k);
  uint128 sum = 0;
  for (uint128& mass : reference) sum += mass = integers.next();
  std::vector<uint128> matrix;
  for (std::size_t x = 0; x < k; ++x) {
    for (std::size_t j = 0; j < k; ++j) {
      matrix.push_back((MixtureChannel::kKeepTotal - keep) * reference[j] +
                       (x == j ? keep * sum : 0));
    }
  }
  return matrix;
}
std::vector<uint128> matrix_of(const StaircaseChannel& channel, PublicIntegers& integers) {
  const std::size_t k = channel.outcome_count();
  std::vector<std::size_t> order(k);
  std::vector<uint128> weight(k), stop(k), stay(k), move(k);
  for (std::size_t rank = 0; rank < k; ++rank) {
    order[rank] = static_cast<std::size_t>(integers.next());
    weight[rank] = integers.next();
    stop[rank] = integers.next();
    stay[rank] = integers.next();
    move[rank] = integers.next();
  }
  std::vector<uint128> matrix(k * k);
  for (std::size_t x = 0; x < k; ++x) {
    uint128 left = channel.total();
    for (std::size_t j = 0; j < x; ++j) left -= matrix[order[x] * k + order[j]] = stop[j];
    left -= matrix[order[x] * k + order[x]] = stay[x];
    for (std::size_t j = x + 1; j < k; ++j) {
      left -= matrix[order[x] * k + order[j]] = move[x] * weight[j];
    }
    matrix[order[x] * k + order[k - 1]] += left;
  }
  return matrix;
}

uint128 entry_of(const RandomizedResponse& channel, std::size_t x, std::size_t j) {
  return x == j ? channel.kept() : channel.other();
}
template <class Channel>
uint128 entry_of(const Channel& channel, std::size_t x, std::size_t j) {
  return channel.entry(x, j);
}

template <class Channel>
bool makes_its_matrix(const LocalSampler& sampler, PublicIntegers& integers) {
  const auto* of_channel = dynamic_cast<const ChannelSampler<Channel>*>(&sampler);
  if (of_channel == nullptr) return false;
  const Channel& channel = of_channel->channel();
  const std::vector<uint128> matrix = matrix_of(channel, integers);
  const std::size_t k = channel.outcome_count();
  EXPECT_EQ(matrix.size(), k * k);
  for (std::size_t x = 0; x < k; ++x) {
    for (std::size_t j = 0; j < k; ++j) EXPECT_TRUE(matrix[x * k + j] == entry_of(channel, x, j));
  }
  return true;
}

// A digest of the public integers is one of the band or the matrix: these can be made of them
// again.
TEST_P(LocalSamplerConformance, ItsPublicIntegersAreAllThereIs) {
  for_each_instance([](const Instance& instance) {
    const LocalSampler& sampler = *instance.sampler;
    const std::size_t k = sampler.outcome_count();
    if (GetParam() == kConvex || (k > 100 && sampler.band() == nullptr)) return;
    PublicIntegers integers(sampler);
    if (const Band* band = sampler.band()) {
      ASSERT_TRUE(integers.next() == band->total());
      for (std::size_t i = 0; i < k; ++i) {
        const uint128 bounds = integers.next();
        ASSERT_EQ(static_cast<std::uint64_t>(bounds), band->lower(i));
        ASSERT_EQ(static_cast<std::uint64_t>(bounds >> 64), band->upper(i));
      }
    } else {
      ASSERT_TRUE(makes_its_matrix<RandomizedResponse>(sampler, integers) ||
                  makes_its_matrix<MixtureChannel>(sampler, integers) ||
                  makes_its_matrix<StaircaseChannel>(sampler, integers));
    }
    EXPECT_TRUE(integers.empty());
  });
}

// Rows of scores, each another one's: all draws of a row follow that row's law. Chi-square at 1e-6
// for each of three rows, doubles and floats.
TEST_P(LocalSamplerConformance, DrawsEachRowByItsOwnLaw) {
  constexpr std::size_t kRows = 3;
  constexpr std::size_t kDraws = 2'000;
  const Instance instance = make_instance(GetParam(), {3, false, 2});
  const std::vector<double> of_each = {9, 1, 0, 0, 0, 4, 0, 7, 2};
  std::vector<double> weights;
  for (std::size_t i = 0; i < kDraws; ++i) {
    weights.insert(weights.end(), of_each.begin(), of_each.end());
  }
  const std::vector<float> narrow(weights.begin(), weights.end());
  SecureRandom random;
  const auto examine = [&](const auto& rows) {
    std::vector<std::uint32_t> released(kRows * kDraws);
    instance.sampler->draw_rows(std::span(rows), random, released);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::vector<std::uint64_t> observed(3);
      for (std::size_t i = row; i < released.size(); i += kRows) ++observed[released[i]];
      const std::vector<std::uint32_t> outcomes = {0, 1, 2};
      const Law law = instance.sampler->law({outcomes, std::span(of_each).subspan(3 * row, 3)});
      EXPECT_TRUE(test::follows(law.probabilities, observed)) << "row " << row;
    }
  };
  examine(weights);
  examine(narrow);
}

TEST_P(LocalSamplerConformance, DrawsForAnythingAtAll) {
  for_each_instance([random = std::make_shared<SecureRandom>()](const Instance& instance) {
    const std::size_t k = instance.sampler->outcome_count();
    for (const PrivateInput& input : test::private_inputs(k)) {
      SCOPED_TRACE(input.name);
      std::vector<std::uint32_t> released(25, 4'000'000'000U);
      ASSERT_NO_THROW((void)instance.sampler->draw(input.view(), *random, released));
      for (const std::uint32_t outcome : released) ASSERT_LT(outcome, k);
      ASSERT_NO_THROW((void)instance.sampler->draw(input.view(), *random, {}));
    }
  });
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> all;
  for (const auto& known : names<Mechanism>()) all.emplace_back(known.name);
  all.emplace_back(kConvex);
  return all;
}

std::string identifier(const ::testing::TestParamInfo<std::string>& name) {
  std::string words = name.param;
  std::replace(words.begin(), words.end(), '-', '_');
  return words;
}

INSTANTIATE_TEST_SUITE_P(Every, LocalSamplerConformance, ::testing::ValuesIn(sampler_names()),
                         identifier);

}  // namespace
}  // namespace mollify
