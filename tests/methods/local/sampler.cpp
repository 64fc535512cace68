#include "methods/local/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "kernel/search.h"
#include "laboratory/law/law.h"
#include "methods/local/bands.h"
#include "methods/local/complete_parameters.h"
#include "methods/local/mechanism.h"
#include "methods/local/mollifiers.h"
#include "methods/local/private_inputs.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Band tuning.

namespace {

// The full minimax band on three outcomes gives a point mass E/(E + 2) on its outcome.
TEST(BandTuning, GivesTheClosedFormOfPointMasses) {
  const std::vector<double> floors = {minimax_floor(3, 1), relative_floor(1)};
  BandTuning tuning(floors, 3, {}, 1);
  tuning.add(std::vector<float>{0, 5, 0});
  tuning.add(std::vector<float>{1, 1, 1});
  EXPECT_EQ(tuning.units(), 2U);
  const double e = std::exp(1.0);
  const auto results = tuning.results();
  EXPECT_NEAR(results[0].worst.tv, 1 - e / (e + 2), 1e-9);
  EXPECT_NEAR(results[0].mean.tv, (1 - e / (e + 2)) / 2, 1e-9);
  EXPECT_NEAR(results[0].worst.kl, std::log((e + 2) / e), 1e-9);
  EXPECT_NEAR(results[1].worst.tv, 1 - std::exp(0.5) / 3, 1e-9);
}

TEST(BandTuning, LeavesOutUnitsWithoutWeight) {
  const std::vector<double> floors = {0.5};
  BandTuning tuning(floors, 2, {}, 2);
  tuning.add(std::vector<float>{0, 0});
  tuning.add(std::vector<float>{std::nanf(""), -1});
  EXPECT_EQ(tuning.units(), 0U);
  EXPECT_EQ(tuning.results()[0].mean.kl, 0);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Channel sampler.

namespace {

// A sampler decides anew whether it keeps what it was said to.
TEST(ChannelSampler, SeesAGuaranteeThatItsIntegersDoNotKeep) {
  const std::vector<double> masses = {0.5, 0.3, 0.2};
  const auto curve = gaussian_curve_channel(masses, 1);
  EXPECT_TRUE(ChannelSampler<MixtureChannel>(curve, Privacy::gaussian(1)).guarantee_holds());
  EXPECT_FALSE(ChannelSampler<MixtureChannel>(curve, Privacy::gaussian(0.99)).guarantee_holds());
  const auto mixture = MixtureChannel::pure(masses, 1);
  EXPECT_TRUE(ChannelSampler<MixtureChannel>(mixture, Privacy::pure(1)).guarantee_holds());
  EXPECT_FALSE(ChannelSampler<MixtureChannel>(mixture, Privacy::pure(0.999)).guarantee_holds());
  const RandomizedResponse response(4, 1);
  EXPECT_TRUE(ChannelSampler<RandomizedResponse>(response, Privacy::pure(1)).guarantee_holds());
  EXPECT_FALSE(
      ChannelSampler<RandomizedResponse>(response, Privacy::pure(0.999)).guarantee_holds());
  const auto staircase = StaircaseChannel::make(masses, 1);
  EXPECT_TRUE(ChannelSampler<StaircaseChannel>(staircase, Privacy::pure(1)).guarantee_holds());
  EXPECT_FALSE(ChannelSampler<StaircaseChannel>(staircase, Privacy::pure(0.999)).guarantee_holds());
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// The conformance test of LocalSampler.

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
Masses channel_rows(std::size_t k, double epsilon) {
  const std::size_t m = k > 100 ? 3 : k;
  Masses rows(m * k, 1);
  for (std::size_t x = 0; x < m; ++x) rows[x * k + x] = std::exp(epsilon);
  return rows;
}

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
  const Mechanism mechanism = *named<Mechanism>(name);
  MechanismParameters parameters =
      test::complete_parameters(mechanism, k, row_of(mechanism).in_mu ? mu_for(setting) : epsilon);
  if (!uniform || parameters.mechanism == Mechanism::kPublicKernel) {
    parameters.reference = instance.reference;
  }
  if (row_of(mechanism).reference == ReferenceUse::kNone) {
    parameters.reference = {};
    instance.reference.assign(k, 1 / static_cast<double>(k));
  }
  Masses rows;
  if (row_of(mechanism).has_channel && (mechanism == Mechanism::kConvex || k <= 100)) {
    parameters.channel = rows = channel_rows(k, epsilon);
    const std::size_t m = rows.size() / k;
    const double total = std::exp(epsilon) + static_cast<double>(k) - 1;
    const double peak = std::expm1(epsilon) / static_cast<double>(m);
    for (std::size_t i = 0; i < k; ++i) instance.reference[i] = (1 + (i < m ? peak : 0)) / total;
  }
  instance.sampler = make_sampler(parameters);
  return instance;
}

/// Small spaces in full, and one beyond BandSampler::kDense.
std::vector<Setting> settings(std::string_view name) {
  static_assert(BandSampler::kDense < 5000);
  std::vector<Setting> all;
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0}) {
    for (const std::size_t k : {1U, 2U, 3U, 5U, 20U}) {
      all.push_back({k, true, epsilon});
      all.push_back({k, false, epsilon});
    }
  }
  if (name == "naive") return all;  // a matrix of all pairs of outcomes
  all.push_back({5000, true, 0.1});
  all.push_back({5000, false, 1});
  return all;
}

class LocalSamplerConformance : public ::testing::TestWithParam<std::string> {
 protected:
  static void for_each_instance(const std::function<void(const Instance&)>& examine) {
    for (const Setting& setting : settings(GetParam())) {
      const Instance instance = make_instance(GetParam(), setting);
      SCOPED_TRACE(instance.name);
      examine(instance);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(LocalSamplerConformance, HasTheShapeItSays) {
  for (const Setting& setting : settings(GetParam())) {
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
      if (std::exp(b) > 1e15) break;  // beyond, doubles cannot distinguish the law from zero
      for (const Masses& p : laws) {
        for (const Masses& q : laws) {
          ASSERT_LE(hockey_stick(std::exp(b), p, q), allowed + 1e-15) << "B = " << b;
        }
      }
    }
  });
}

TEST_P(LocalSamplerConformance, ReleasesTheReferenceWhereNothingIsKnown) {
  for (const Setting& setting : settings(GetParam())) {
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
    if (k > 100 && GetParam() == "naive") continue;
    const Instance instance = make_instance(GetParam(), {k, false, 1});
    SCOPED_TRACE(instance.name);
    const auto last = static_cast<std::uint32_t>(k - 1);
    for (const PrivateInput& input :
         {PrivateInput{"records", {0, 1, last}, {7, 2, 4}},
          PrivateInput{"garbage", {last, 0, 1, 1}, {2, std::nan(""), 0.3, -1}},
          PrivateInput{"nothing", {}, {}}}) {
      std::printf("%s, %s: ", instance.name.c_str(), input.name.c_str());
      // Both ways of asking: one draw at a time, and many at once.
      std::vector<std::uint32_t> released(
          k > 100 ? test::whole_or_sanitized<std::size_t>(400'000, 40'000)
                  : test::whole_or_sanitized<std::size_t>(40'000, 4'000));
      const std::size_t singles =
          k > 100 ? 1000 : test::whole_or_sanitized<std::size_t>(10'000, 1'000);
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
          EXPECT_EQ(law.band, sampler.bounds());
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
    if (GetParam() == "convex" || GetParam() == "naive" || (k > 100 && sampler.bounds() == nullptr))
      return;
    PublicIntegers integers(sampler);
    if (const Band* band = sampler.bounds()) {
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

// -----------------------------------------------------------------------------------------------
// The law over points is inside the band whatever the scorer says.

namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

MixedPoints points(std::size_t count) { return {{{Scale::kNumber, 0}}, count}; }

/// Returns the given scores, however absurd.
class Oracle final : public Scorer {
 public:
  explicit Oracle(std::size_t count, bool ratios = false)
      : Scorer(points(count)), ratios_(ratios), scores_(count) {}

  void tell(std::vector<float> scores) { scores_ = std::move(scores); }
  bool scores_are_ratios() const noexcept override { return ratios_; }

 private:
  void score_rows(const MixedPoints&, std::span<float> scores) const override {
    std::copy(scores_.begin(), scores_.end(), scores.begin());
  }

  bool ratios_;
  std::vector<float> scores_;
};

// Four candidates that each get every score and every density of a list of absurd ones: all laws of
// one band, compared in integers. The greatest numerator of an outcome is at most Ebar times the
// least of any law, which is epsilon-LDP itself.
TEST(ScoredTable, KeepsEpsilonForEveryScoreAndDensity) {
  const std::vector<float> absurd = {0, 1, 1e30F, kInfiniteFloat, kNanFloat, -1, 1e-40F};
  const std::vector<std::vector<float>> densities = {
      {}, {1, 1e-30F, 7, 1e30F}, {0, kNanFloat, kInfiniteFloat, -2}};
  const MixedPoints one_row = points(1);
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    const Band band =
        make_band({.outcome_count = 4, .floor = minimax_floor(4, epsilon), .epsilon = epsilon});
    ScoredTable table(band);
    std::array<std::uint64_t, 4> least;
    least.fill(band.total());
    std::array<std::uint64_t, 4> greatest{};
    Oracle oracle(4);
    const std::size_t count = absurd.size();
    for (std::size_t code = 0; code < count * count * count * count; ++code) {
      oracle.tell({absurd[code % count], absurd[code / count % count],
                   absurd[code / count / count % count], absurd[code / count / count / count]});
      for (const auto& density : densities) {
        table.assign(oracle, one_row, density);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          const std::uint64_t n = table.table().numerators()[i];
          least[i] = std::min(least[i], n);
          greatest[i] = std::max(greatest[i], n);
          sum += n;
        }
        ASSERT_EQ(sum, band.total());
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(band.bound().allows(greatest[i], least[i])) << i << " at " << epsilon;
      EXPECT_NEAR(std::log(static_cast<double>(greatest[i]) / static_cast<double>(least[i])),
                  epsilon, 1e-9)
          << "and nothing of the budget is lost";
    }
  }
}

TEST(ScoredTable, DividesDensitiesByTheReferenceAndLeavesRatios) {
  const Band band = make_band({.outcome_count = 3, .floor = 0.2, .epsilon = 3});
  const MixedPoints one_row = points(1);
  const std::vector<float> densities = {2, 1, 0.5F};
  Oracle density(3);
  density.tell({2, 3, 4});
  Oracle ratio(3, true);
  ratio.tell({1, 3, 8});
  ScoredTable left(band);
  ScoredTable right(band);
  left.assign(density, one_row, densities);
  right.assign(ratio, one_row, densities);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(left.table().numerators()[i], right.table().numerators()[i]);
  }
  EXPECT_THROW(left.assign(density, one_row, std::span(densities).first(2)), InvalidInput);
}

TEST(ScoredTable, IsTheReferenceWithoutRows) {
  const std::vector<double> masses = {0.5, 0.3, 0.2};
  const Band band = make_band({.reference = masses, .floor = 0.4, .epsilon = 2});
  Oracle oracle(3);
  oracle.tell({1, 100, 0});
  ScoredTable table(band);
  table.assign(oracle, points(1));
  table.assign(oracle, points(0));
  const double total = static_cast<double>(band.total());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(table.table().numerators()[i]) / total, masses[i], 1e-9);
  }
}

TEST(ScoredTable, IsDrawnFromAsItSays) {
  const Band band = make_band({.outcome_count = 5, .floor = 0.3, .epsilon = 2});
  Oracle oracle(5);
  oracle.tell({1, 5, 0, 2, 2});
  ScoredTable table(band);
  table.assign(oracle, points(1));
  SecureRandom random;
  std::vector<std::uint64_t> observed(5);
  for (const std::size_t draws : {std::size_t{3}, std::size_t{20'000}}) {
    for (std::size_t repetition = 0; repetition < 20'000 / draws; ++repetition) {
      std::vector<std::uint32_t> released(draws);
      draw_all(table.table(), random, released);
      for (const std::uint32_t outcome : released) ++observed[outcome];
    }
  }
  EXPECT_TRUE(test::follows(test::probabilities_of(table.table().numerators()), observed));
}

}  // namespace

}  // namespace mollify
