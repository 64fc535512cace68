#include "mollify/sampler.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "front/sampler.h"
#include "methods/local/complete_parameters.h"
#include "methods/local/mechanism.h"
#include "methods/local/private_inputs.h"
#include "refusal.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

constexpr std::size_t kOutcomes = 5;

SamplerParameters parameters_of(std::string_view mechanism, std::size_t outcomes = kOutcomes) {
  const auto of_name = *inside::named<inside::Mechanism>(mechanism);
  const auto complete = inside::test::complete_parameters(of_name, outcomes, 1.5);
  SamplerParameters parameters{.mechanism = std::string(mechanism),
                               .k = outcomes,
                               .epsilon = complete.epsilon,
                               .mu = complete.mu};
  if (inside::row_of(of_name).reference == inside::ReferenceUse::kNeeded) {
    parameters.reference.assign(outcomes, 1);
  }
  for (const auto& number : inside::mechanism_numbers()) {
    const auto& value = complete.numbers.*number.value;
    if (value) parameters.numbers[std::string(number.name)] = *value;
  }
  return parameters;
}

/// The probabilities of one draw for k weights, of the sampler inside.
std::vector<double> law(const SamplerParameters& parameters, std::vector<double> weights) {
  std::vector<std::uint32_t> outcomes(weights.size());
  std::iota(outcomes.begin(), outcomes.end(), 0U);
  const auto sampler = inside::make_sampler(inward(parameters));
  return sampler->law({outcomes, weights}).probabilities;
}

std::vector<std::uint64_t> counted(const std::vector<std::uint32_t>& released,
                                   std::size_t outcomes) {
  std::vector<std::uint64_t> counts(outcomes);
  for (const std::uint32_t outcome : released) ++counts.at(outcome);
  return counts;
}

class FrontSampler : public testing::TestWithParam<std::string_view> {
 protected:
  static const inside::MechanismRow& row() {
    return inside::row_of(*inside::named<inside::Mechanism>(GetParam()));
  }
  /// A channel has a mass for every pair of outcomes.
  static std::size_t many_outcomes() { return row().has_channel ? 100 : 5000; }
  static constexpr std::size_t kDraws = 100000;
  static constexpr std::size_t kKeyedDraws = 30000;
  const SamplerParameters parameters = parameters_of(GetParam());
  const Sampler sampler{parameters};
  const std::vector<double> scores{0, 8, 0.5, 1, 3};
  const std::vector<double> expected = law(parameters, scores);
};

TEST_P(FrontSampler, TellsItsPromise) {
  EXPECT_EQ(sampler.k(), kOutcomes);
  const auto guarantee = sampler.guarantee();
  if (GetParam() == "gaussian-curve") {
    EXPECT_EQ(guarantee, Privacy::gaussian(1.5));
  } else {
    EXPECT_EQ(guarantee, Privacy::pure(1.5));
    EXPECT_LE(sampler.epsilon_realised_up(), 1.5 + 1e-9);
    EXPECT_GT(sampler.epsilon_realised_up(), 0);
  }
}

TEST_P(FrontSampler, RowsOfDoublesFollowTheLaw) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < kDraws; ++i) rows.insert(rows.end(), scores.begin(), scores.end());
  std::vector<std::uint32_t> released(kDraws);
  sampler.draw(rows, released);
  EXPECT_TRUE(inside::test::follows(expected, counted(released, kOutcomes)));
}

TEST_P(FrontSampler, RowsOfFloatsFollowTheLaw) {
  std::vector<float> rows;
  for (std::size_t i = 0; i < kDraws; ++i) rows.insert(rows.end(), scores.begin(), scores.end());
  std::vector<std::uint32_t> released(kDraws);
  sampler.draw(rows, released);
  EXPECT_TRUE(inside::test::follows(expected, counted(released, kOutcomes)));
}

TEST_P(FrontSampler, UnitsFollowTheLaw) {
  // In any order, with repetitions and with a number that is not an outcome.
  const std::vector<std::uint32_t> unit{4, 1, 3, 2, 1, 99};
  const std::vector<double> weight{3, 5, 1, 0.5, 3, 7};
  std::vector<std::uint32_t> outcomes;
  std::vector<double> weights;
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < kDraws; ++i) {
    outcomes.insert(outcomes.end(), unit.begin(), unit.end());
    weights.insert(weights.end(), weight.begin(), weight.end());
    offsets.push_back(outcomes.size());
  }
  std::vector<std::uint32_t> released(kDraws);
  sampler.draw_units(outcomes, offsets, weights, released);
  EXPECT_TRUE(inside::test::follows(expected, counted(released, kOutcomes)));
}

TEST_P(FrontSampler, RecordsWithoutWeightsCountOneEach) {
  const std::vector<std::uint32_t> unit{1, 1, 1, 4, 1};
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < kDraws; ++i) {
    outcomes.insert(outcomes.end(), unit.begin(), unit.end());
    offsets.push_back(outcomes.size());
  }
  std::vector<std::uint32_t> released(kDraws);
  sampler.draw_units(outcomes, offsets, {}, released);
  EXPECT_TRUE(
      inside::test::follows(law(parameters, {0, 4, 0, 0, 1}), counted(released, kOutcomes)));
}

TEST_P(FrontSampler, NoScoresAndNoOffsetsEverThrow) {
  for (const std::size_t k : {std::size_t{1}, std::size_t{7}, many_outcomes()}) {
    const Sampler any(parameters_of(GetParam(), k));
    for (const inside::test::PrivateInput& input : inside::test::private_inputs(k)) {
      std::vector<double> row(k);
      for (std::size_t j = 0; j < std::min(input.outcomes.size(), input.weights.size()); ++j) {
        if (input.outcomes[j] < k) row[input.outcomes[j]] = input.weights[j];
      }
      EXPECT_LT(any.draw(row), k) << input.name;
      const std::vector<float> narrow(row.begin(), row.end());
      EXPECT_LT(any.draw(narrow), k) << input.name;
    }
    const std::vector<std::uint32_t> outcomes{0, 3, 1};
    const std::vector<std::uint64_t> offsets{2, 0, UINT64_MAX, 1, 3, 9};
    std::vector<std::uint32_t> released(5, UINT32_MAX);
    any.draw_units(outcomes, offsets, {}, released);
    for (const std::uint32_t outcome : released) EXPECT_LT(outcome, k);
  }
}

TEST_P(FrontSampler, IsSharedByThreads) {
  constexpr std::size_t kThreads = 4;
  std::vector<std::vector<std::uint32_t>> released(kThreads,
                                                   std::vector<std::uint32_t>(kDraws / kThreads));
  std::vector<std::thread> threads;
  for (auto& own : released) {
    threads.emplace_back([&] {
      for (std::uint32_t& outcome : own) outcome = sampler.draw(scores);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::uint32_t> all;
  for (const auto& own : released) {
    all.insert(all.end(), own.begin(), own.end());
    EXPECT_TRUE(&own == released.data() || own != released.front()) << "two threads drew alike";
  }
  EXPECT_TRUE(inside::test::follows(expected, counted(all, kOutcomes)));
}

/// Units 0, 1, ... by name, all with the same records.
struct SameUnits {
  std::vector<std::string> names;
  std::vector<std::string_view> views;
  std::vector<std::uint32_t> outcomes;
  std::vector<std::uint64_t> offsets{0};

  SameUnits(std::size_t count, const std::vector<std::uint32_t>& records) {
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(std::to_string(i));
      outcomes.insert(outcomes.end(), records.begin(), records.end());
      offsets.push_back(outcomes.size());
    }
    views.assign(names.begin(), names.end());
  }

  [[nodiscard]] std::vector<std::uint32_t> draw(const Sampler& sampler,
                                                const ReleaseKey& key) const {
    std::vector<std::uint32_t> released(names.size());
    sampler.draw_units(outcomes, offsets, {}, released, key, views);
    return released;
  }
};

TEST_P(FrontSampler, KeyedUnitsFollowTheLawInOneRelease) {
  EXPECT_TRUE(inside::test::follows(
      law(parameters, {0, 4, 0, 0, 1}),
      counted(SameUnits(kKeyedDraws, {1, 1, 4, 1, 1}).draw(sampler, {}), kOutcomes)));
}

TEST_P(FrontSampler, AKeyedUnitFollowsTheLawOverReleases) {
  const SameUnits one(1, {1, 1, 4, 1, 1});
  std::vector<std::uint32_t> released;
  for (std::size_t i = 0; i < 2000; ++i) released.push_back(one.draw(sampler, {})[0]);
  EXPECT_TRUE(
      inside::test::follows(law(parameters, {0, 4, 0, 0, 1}), counted(released, kOutcomes)));
}

// Of the same units with other records, both outputs together follow the product of the two laws.
TEST_P(FrontSampler, KeyedDrawsOfOtherRecordsAreIndependent) {
  const ReleaseKey key;
  const auto before = SameUnits(kKeyedDraws, {1, 1, 4, 1, 1}).draw(sampler, key);
  const auto after = SameUnits(kKeyedDraws, {1, 4, 4, 1, 1}).draw(sampler, key);
  const std::vector<double> law_before = law(parameters, {0, 4, 0, 0, 1});
  const std::vector<double> law_after = law(parameters, {0, 3, 0, 0, 2});
  std::vector<double> product;
  for (const double one : law_before) {
    for (const double two : law_after) product.push_back(one * two);
  }
  std::vector<std::uint64_t> pairs(kOutcomes * kOutcomes);
  for (std::size_t i = 0; i < kKeyedDraws; ++i) ++pairs[before[i] * kOutcomes + after[i]];
  EXPECT_TRUE(inside::test::follows(product, pairs));
}

// Keyed draws of 100 units without records, of which the law is the reference whatever the other
// parameters are: so all are the same if their words are. 100 independent ones are with probability
// 5^-100.
TEST_P(FrontSampler, EachParameterOfAKeyedDrawCounts) {
  const SameUnits units(100, {});
  const ReleaseKey key;
  const auto drawn = [&](const SamplerParameters& by) { return units.draw(Sampler(by), key); };
  const std::vector<std::uint32_t> released = drawn(parameters);
  EXPECT_EQ(drawn(parameters), released);
  std::size_t changes = 0;
  for (const auto part : {&SamplerParameters::epsilon, &SamplerParameters::mu}) {
    SamplerParameters changed = parameters;
    if (!(changed.*part)) continue;
    *(changed.*part) *= 1.0001;
    ++changes;
    EXPECT_NE(drawn(changed), released) << "parameter " << changes;
  }
  for (const auto& [name, value] : parameters.numbers) {
    SamplerParameters changed = parameters;
    changed.numbers[name] = value * 1.0001;
    EXPECT_NE(drawn(changed), released) << name;
  }
  EXPECT_GE(changes, 1U);
  if (row().reference != inside::ReferenceUse::kNone) {
    SamplerParameters uneven = parameters;
    uneven.reference = {1, 1, 1, 1, 1.000001};
    EXPECT_NE(drawn(uneven), released);
  }
  SamplerParameters more = parameters_of(GetParam(), kOutcomes + 1);
  const std::vector<std::uint32_t> of_more = drawn(more);
  // Were the words the same, six outcomes' draws would follow the five outcomes' in order.
  std::size_t out_of_order = 0;
  for (std::size_t i = 0; i < of_more.size(); ++i) {
    if (of_more[i] != released[i] && of_more[i] != released[i] + 1) ++out_of_order;
  }
  EXPECT_GE(out_of_order, 10U);
}

TEST_P(FrontSampler, AKeyedDrawIsTheSameHoweverRecordsAreListed) {
  for (const std::size_t k : {kOutcomes, many_outcomes()}) {
    const Sampler any(parameters_of(GetParam(), k));
    const ReleaseKey key;
    const std::vector<std::string_view> names{"ann", "bob", ""};
    std::vector<std::uint32_t> sorted(3);
    std::vector<std::uint32_t> mixed(3);
    std::vector<std::uint32_t> weighted(3);
    const std::vector<std::uint32_t> ascending{1, 1, 3, 4, 2, 2};
    any.draw_units(ascending, std::vector<std::uint64_t>{0, 4, 4, 6}, {}, sorted, key, names);
    const std::vector<std::uint32_t> shuffled{4, 1, 9'000'000, 3, 1, 2, 2};
    any.draw_units(shuffled, std::vector<std::uint64_t>{0, 5, 5, 7}, {}, mixed, key, names);
    EXPECT_EQ(mixed, sorted);
    const std::vector<std::uint32_t> counted{4, 3, 1, 0, 0, 2};
    const std::vector<double> weights{1, 1, 2, 0, -1, 2};
    any.draw_units(counted, std::vector<std::uint64_t>{0, 4, 5, 6}, weights, weighted, key, names);
    EXPECT_EQ(weighted, sorted);
    const ReleaseKey worker = ReleaseKey::of_worker_bytes(key.bytes_for_workers());
    for (std::size_t unit = 0; unit < 3; ++unit) {  // each alone, on a worker of its own
      const auto begin = std::vector<std::uint64_t>{0, 4, 4, 6};
      std::uint32_t alone = 0;
      any.draw_units(std::span(ascending).subspan(begin[unit], begin[unit + 1] - begin[unit]),
                     std::vector<std::uint64_t>{0, begin[unit + 1] - begin[unit]}, {}, {&alone, 1},
                     worker, std::span(names).subspan(unit, 1));
      EXPECT_EQ(alone, sorted[unit]);
    }
  }
}

// One worker may read the ids as numbers, because one is missing there, and another as texts. Were
// they other units, the two lists of 100 draws would be the same with probability below 1e-6.
TEST_P(FrontSampler, AKeyedUnitIsTheSameHoweverItsIdIsWritten) {
  const SameUnits units(100, {1, 1, 4, 1, 1});
  const ReleaseKey key;
  SameUnits numbers = units;
  for (std::string& name : numbers.names) name += ".0";
  numbers.views.assign(numbers.names.begin(), numbers.names.end());
  EXPECT_EQ(numbers.draw(sampler, key), units.draw(sampler, key));
}

TEST_P(FrontSampler, AKeyedDrawIsTheSameByAnyNumberOfThreads) {
  const SameUnits units(5000, {1, 1, 4, 1, 1});
  const ReleaseKey key;
  const std::vector<std::uint32_t> alone = units.draw(sampler, key);
  for (const std::size_t threads : {2U, 3U, 16U, 0U}) {
    std::vector<std::uint32_t> released(alone.size());
    sampler.draw_units(units.outcomes, units.offsets, {}, released, key, units.views, threads);
    EXPECT_EQ(released, alone);
  }
}

// By threads each unit follows the law, and what two threads drew are independent.
TEST_P(FrontSampler, UnitsOfSeveralThreadsFollowTheLaw) {
  const SameUnits units(kKeyedDraws, {1, 1, 4, 1, 1});
  std::vector<std::uint32_t> released(kKeyedDraws);
  sampler.draw_units(units.outcomes, units.offsets, {}, released, 4);
  const std::vector<double> one = law(parameters, {0, 4, 0, 0, 1});
  EXPECT_TRUE(inside::test::follows(one, counted(released, kOutcomes)));
  std::vector<double> product;
  for (const double first : one) {
    for (const double second : one) product.push_back(first * second);
  }
  std::vector<std::uint64_t> pairs(kOutcomes * kOutcomes);
  for (std::size_t i = 0; i < kKeyedDraws / 2; ++i) {
    ++pairs[released[i] * kOutcomes + released[kKeyedDraws / 2 + i]];
  }
  EXPECT_TRUE(inside::test::follows(product, pairs));
}

std::vector<std::string_view> every_name() {
  std::vector<std::string_view> names;
  for (const auto& known : inside::names<inside::Mechanism>()) names.push_back(known.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, FrontSampler, testing::ValuesIn(every_name()),
                         [](const auto& mechanism) {
                           std::string name(mechanism.param);
                           std::erase(name, '-');
                           return name;
                         });

// A sampler's integers are hashed: two names of one band are one sampler.
TEST(FrontSamplerIntegers, OfOneBandAreOneSampler) {
  const double floor = inside::band_floor_of(
      {.mechanism = inside::Mechanism::kMinimax, .outcome_count = kOutcomes, .epsilon = 1.5});
  SamplerParameters located = parameters_of("location");
  located.numbers["location"] = floor;
  const SameUnits units(100, {1, 1, 4});
  const ReleaseKey key;
  const auto drawn = units.draw(Sampler(parameters_of("minimax")), key);
  EXPECT_EQ(units.draw(Sampler(located), key), drawn);
}

TEST(FrontSamplerShapes, AreRefused) {
  const Sampler sampler(parameters_of("minimax"));
  const std::vector<double> scores(12);
  std::vector<std::uint32_t> two(2);
  EXPECT_EQ(test::refusal_of([&] { (void)sampler.draw(scores, two); }),
            "2 draws over 5 outcomes need as many rows of scores, but there are 12 scores");
  EXPECT_EQ(test::refusal_of([&] { (void)sampler.draw(scores); }),
            "1 draws over 5 outcomes need as many rows of scores, but there are 12 scores");
  const std::vector<std::uint32_t> outcomes{1, 2};
  const std::vector<std::uint64_t> offsets{0, 1};
  EXPECT_EQ(test::refusal_of([&] { sampler.draw_units(outcomes, offsets, {}, two); }),
            "2 units need one offset more, but there are 2 offsets");
  std::vector<std::uint32_t> one(1);
  EXPECT_EQ(test::refusal_of([&] { sampler.draw_units(outcomes, offsets, scores, one); }),
            "2 outcomes need as many weights, but there are 12");
  EXPECT_EQ(
      test::refusal_of([&] { sampler.draw_units(outcomes, offsets, {}, one, ReleaseKey(), {}); }),
      "1 units need as many identities, but there are 0");
  const std::vector<std::string_view> same{"ann", "ann"};
  const std::vector<std::uint64_t> each{0, 1, 2};
  EXPECT_EQ(
      test::refusal_of([&] { sampler.draw_units(outcomes, each, {}, two, ReleaseKey(), same); }),
      "the identities of units must be distinct, but of 2 only 1 are");
  const std::vector<std::string_view> as_number{"7", "7.0"};
  EXPECT_EQ(test::refusal_of(
                [&] { sampler.draw_units(outcomes, each, {}, two, ReleaseKey(), as_number); }),
            "the identities of units must be distinct, but of 2 only 1 are");
  EXPECT_EQ(test::refusal_of([&] { (void)ReleaseKey::of_worker_bytes({}); }),
            "a release key must be the bytes that another one gave for its workers, unchanged, "
            "but is not");
  EXPECT_EQ(
      test::refusal_of([] { Sampler({.mechanism = "best", .k = 2, .epsilon = 1}); }).substr(0, 53),
      "mechanism must be minimax, relative, class, neighbour");
  EXPECT_EQ(test::refusal_of([] { Sampler({.k = 2, .epsilon = -1}); }), test::refusal_of([] {
              (void)inside::make_sampler({.outcome_count = 2, .epsilon = -1});
            }));
}

template <class Value>
std::vector<std::uint64_t> counts_of_reports(const RandomizedResponse& response, Value value) {
  const std::vector<Value> values(100'000, value);
  std::vector<std::uint32_t> released(values.size());
  response.draw(values, released);
  return counted(released, response.k());
}

template <class Number>
void draws_by_numbers(const Sampler& sampler, front::Numbers::Kind kind,
                      const std::vector<Number>& rows, const std::vector<std::uint32_t>& expected) {
  std::vector<std::uint32_t> released(expected.size());
  sampler.draw({kind, rows.data(), expected.size(), sampler.k()}, released);
  EXPECT_EQ(released, expected) << "kind " << static_cast<int>(kind);
}

/// At epsilon 30 the only outcome with a weight is released, except with probability 1e-12 a row.
TEST(FrontSamplerOfNumbers, ReadsEveryType) {
  const Sampler sampler({.k = 3, .epsilon = 30});
  const auto draw = [&](front::Numbers::Kind kind, auto one, auto none) {
    draws_by_numbers(sampler, kind, std::vector{one, none, none, none, none, one}, {0, 2});
  };
  using Kind = front::Numbers::Kind;
  draw(Kind::kFloat64, 1.0, -1.0);
  draw(Kind::kFloat32, 1.0F, 0.0F);
  draw(Kind::kFloat16, std::uint16_t{0x3c00}, std::uint16_t{0xbc00});
  draw(Kind::kBfloat16, std::uint16_t{0x3f80}, std::uint16_t{0xbf80});
  draw(Kind::kInt64, std::int64_t{1}, std::int64_t{-1});
  draw(Kind::kInt64, std::int64_t{1} << 60, std::int64_t{-1} << 60);
  draw(Kind::kInt32, std::int32_t{5}, std::int32_t{-5});
  draw(Kind::kInt32, std::numeric_limits<std::int32_t>::max(),
       std::numeric_limits<std::int32_t>::min());
  draw(Kind::kInt16, std::int16_t{300}, std::int16_t{-300});
  draw(Kind::kInt8, std::int8_t{100}, std::int8_t{-100});
  draw(Kind::kUint64, std::numeric_limits<std::uint64_t>::max(), std::uint64_t{0});
  draw(Kind::kUint32, std::numeric_limits<std::uint32_t>::max(), std::uint32_t{0});
  draw(Kind::kUint16, std::uint16_t{65535}, std::uint16_t{0});
  draw(Kind::kUint8, std::uint8_t{200}, std::uint8_t{0});
}

TEST(FrontSamplerOfNumbers, RefusesOtherShapes) {
  const Sampler sampler({.k = 3, .epsilon = 1});
  std::vector<std::uint32_t> released(2);
  EXPECT_EQ(test::refusal_of([&] {
              sampler.draw({front::Numbers::Kind::kUint8, nullptr, 2, 4}, released);
            }),
            "2 draws over 3 outcomes need scores of that shape, but they have the shape (2, 4)");
}

TEST(FrontTokenSampler, ReadsIntegers) {
  const std::vector<std::int16_t> secret{0, 900, 0, 0, 0, 900};
  const std::vector<std::int64_t> open{-3, 5, 0, 0, -1, std::int64_t{1} << 30};
  const TokenSampler sampler(30, 0);
  std::vector<std::uint32_t> released(2);
  sampler.draw({front::Numbers::Kind::kInt16, secret.data(), 2, 3},
               {front::Numbers::Kind::kInt64, open.data(), 2, 3}, released);
  EXPECT_EQ(released, (std::vector<std::uint32_t>{1, 2}));
}

TEST(FrontRandomizedResponse, FollowsItsIntegersForEveryTypeOfValue) {
  const RandomizedResponse response(kOutcomes, 1.5);
  EXPECT_EQ(response.k(), kOutcomes);
  EXPECT_EQ(response.epsilon(), 1.5);
  const auto law_of = [&](std::size_t value) {
    const auto total = static_cast<double>(response.total());
    std::vector<double> probabilities(kOutcomes, static_cast<double>(response.other()) / total);
    probabilities[value] = static_cast<double>(response.kept()) / total;
    return probabilities;
  };
  EXPECT_TRUE(test::follows(law_of(1), counts_of_reports(response, std::int64_t{1})));
  EXPECT_TRUE(test::follows(law_of(2), counts_of_reports(response, std::int32_t{2})));
  EXPECT_TRUE(test::follows(law_of(3), counts_of_reports(response, std::uint32_t{3})));
  EXPECT_TRUE(test::follows(law_of(4), counts_of_reports(response, std::uint8_t{4})));
  for (const std::int64_t none : {std::int64_t{-1}, std::int64_t{kOutcomes},
                                  (std::int64_t{1} << 32) + 2, std::int64_t{1} << 62}) {
    EXPECT_TRUE(test::follows(law_of(0), counts_of_reports(response, none))) << none;
  }
}

TEST(FrontRandomizedResponse, RefusesOtherShapes) {
  const RandomizedResponse response(kOutcomes, 1);
  const std::vector<std::uint8_t> values(3);
  std::vector<std::uint32_t> released(2);
  EXPECT_EQ(test::refusal_of([&] { response.draw(values, released); }),
            "2 reports need as many values, but there are 3");
}

}  // namespace
}  // namespace mollify::front
