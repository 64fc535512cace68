// Equal words give equal integers here and on the server. Alone, because every generator of this
// program begins with equal words.
#include <sys/types.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/decimals.h"
#include "core/ranges.h"
#include "kernel/channels.h"
#include "methods/local/mechanism.h"
#include "mollify/device.h"

namespace {
bool has_entropy = true;
}

// In place of the system's, for this program alone.
extern "C" ssize_t getrandom(void* words, std::size_t size, unsigned /*flags*/) {
  if (!has_entropy) return -1;
  std::fill_n(static_cast<unsigned char*>(words), size, static_cast<unsigned char>(7));
  return static_cast<ssize_t>(size);
}

namespace mollify {

namespace {

double epsilon_of(const std::string& text) { return Decimal::parse(text, "epsilon").down(); }

TEST(SameAsServer, RandomizedResponse) {
  std::mt19937_64 random(1);
  for (const std::uint32_t k : {1U, 2U, 14U, 1000U, 1U << 24}) {
    for (const char* epsilon : {"1e-6", "0.1", "2", "12.34", "31"}) {
      const RandomizedResponse servers(k, epsilon_of(epsilon));
      mollify_device_response* response = nullptr;
      ASSERT_EQ(mollify_device_new_response(k, epsilon, &response), MOLLIFY_DEVICE_OK);
      EXPECT_EQ(mollify_device_response_kept(response), servers.kept());
      EXPECT_EQ(mollify_device_response_other(response), servers.other());
      EXPECT_EQ(mollify_device_response_total(response), servers.total());
      EXPECT_EQ(mollify_device_response_epsilon(response), servers.epsilon());
      std::vector<std::uint32_t> values(3000), released(values.size());
      for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random() % (k + 2));
      ASSERT_EQ(mollify_device_respond(response, values.data(), values.size(), released.data()),
                MOLLIFY_DEVICE_OK);
      SecureRandom words;
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(released[i], servers.draw(values[i], words));
      }
      mollify_device_free_response(response);
    }
  }
}

struct Parameters {
  Mechanism mechanism;
  const char* band;
  double location;
  std::uint32_t k;
  const char* epsilon;
  bool has_reference;
};

// Scores of every kind, from a person's records to numbers without a meaning.
TEST(SameAsServer, Samplers) {
  std::mt19937_64 random(2);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Parameters& given : {Parameters{Mechanism::kMinimax, "minimax", 0, 1, "1", false},
                                  {Mechanism::kMinimax, "minimax", 0, 2, "0.5", false},
                                  {Mechanism::kMinimax, "minimax", 0, 12, "2", false},
                                  {Mechanism::kRelative, "relative", 0, 12, "2", true},
                                  {Mechanism::kLocation, "location", 0.25, 56, "4", true},
                                  {Mechanism::kRelative, "relative", 0, 4096, "1", true},
                                  {Mechanism::kMinimax, "minimax", 0, 9000, "3", false},
                                  {Mechanism::kRelative, "relative", 0, 9000, "0.01", true}}) {
    std::vector<double> reference(given.has_reference ? given.k : 0);
    for (double& mass : reference) mass = 1 + static_cast<double>(random() % 50) / 8;
    MechanismParameters parameters{.mechanism = given.mechanism,
                                   .outcome_count = given.k,
                                   .reference = reference,
                                   .epsilon = epsilon_of(given.epsilon)};
    if (given.mechanism == Mechanism::kLocation) parameters.numbers.location = given.location;
    const auto servers = make_sampler(parameters);
    mollify_device_sampler* sampler = nullptr;
    ASSERT_EQ(mollify_device_new_sampler(given.k, given.epsilon, given.band, given.location,
                                         reference.empty() ? nullptr : reference.data(), &sampler),
              MOLLIFY_DEVICE_OK)
        << mollify_device_last_error();
    EXPECT_EQ(mollify_device_sampler_k(sampler), given.k);
    EXPECT_EQ(mollify_device_sampler_epsilon(sampler), *parameters.epsilon);
    SecureRandom words;
    const std::size_t rows = 20;
    std::vector<double> scores(rows * given.k);
    for (double& score : scores) {
      const auto some = static_cast<double>(random() % 1000);
      switch (random() % 16) {
        case 0:
          score = infinity;
          break;
        case 1:
          score = -some;
          break;
        case 2:
          score = std::nan("");
          break;
        case 3:
          score = std::ldexp(some, static_cast<int>(random() % 2000) - 1060);
          break;
        default:
          score = random() % 3 == 0 ? some : 0;
      }
    }
    // Rows of plain scores too: an infinite one hides what is next to it.
    for (std::size_t i = 0; i < scores.size() / 2; ++i) {
      if (!std::isfinite(scores[i])) scores[i] = 1;
    }
    std::vector<std::uint32_t> released(rows), expected(rows);
    ASSERT_EQ(mollify_device_draw(sampler, scores.data(), rows, released.data()),
              MOLLIFY_DEVICE_OK);
    servers->draw_rows(std::span<const double>(scores), words, expected);
    EXPECT_EQ(released, expected) << given.band << " " << given.k;
    const std::vector<float> narrow(scores.begin(), scores.end());
    ASSERT_EQ(mollify_device_draw_float(sampler, narrow.data(), rows, released.data()),
              MOLLIFY_DEVICE_OK);
    servers->draw_rows(std::span<const float>(narrow), words, expected);
    EXPECT_EQ(released, expected) << given.band << " " << given.k;
    for (const std::size_t count : {0U, 1U, 7U, 300U}) {
      std::vector<std::uint32_t> outcomes(count);
      for (std::uint32_t& outcome : outcomes) {
        outcome = static_cast<std::uint32_t>(random() % (given.k + 3));
      }
      const std::vector<double> ones(count, 1.0);
      ASSERT_EQ(mollify_device_draw_outcomes(sampler, outcomes.data(), nullptr, count, rows,
                                             released.data()),
                MOLLIFY_DEVICE_OK);
      servers->draw({outcomes, ones}, words, expected);
      EXPECT_EQ(released, expected) << given.band << " " << given.k;
    }
    mollify_device_free_sampler(sampler);
  }
}

TEST(SameAsServer, WithoutEntropyNothingIsReleased) {
  mollify_device_response* response = nullptr;
  mollify_device_sampler* sampler = nullptr;
  ASSERT_EQ(mollify_device_new_response(3, "1", &response), MOLLIFY_DEVICE_OK);
  ASSERT_EQ(mollify_device_new_sampler(3, "1", "minimax", 0, nullptr, &sampler), MOLLIFY_DEVICE_OK);
  const std::uint32_t value = 1;
  const double scores[3] = {1, 2, 3};
  const float narrow[3] = {1, 2, 3};
  std::uint32_t released = 99;
  has_entropy = false;
  EXPECT_EQ(mollify_device_respond(response, &value, 1, &released), MOLLIFY_DEVICE_NO_ENTROPY);
  EXPECT_EQ(mollify_device_draw(sampler, scores, 1, &released), MOLLIFY_DEVICE_NO_ENTROPY);
  EXPECT_EQ(mollify_device_draw_float(sampler, narrow, 1, &released), MOLLIFY_DEVICE_NO_ENTROPY);
  EXPECT_EQ(mollify_device_draw_outcomes(sampler, &value, nullptr, 1, 1, &released),
            MOLLIFY_DEVICE_NO_ENTROPY);
  EXPECT_STREQ(mollify_device_last_error(),
               "the operating system gives no entropy, so nothing was released");
  EXPECT_STREQ(mollify_device_last_error_code(), "no-entropy");
  EXPECT_EQ(released, 99u);
  has_entropy = true;
  EXPECT_EQ(mollify_device_respond(response, &value, 1, &released), MOLLIFY_DEVICE_OK);
  EXPECT_LT(released, 3u);
  mollify_device_free_response(response);
  mollify_device_free_sampler(sampler);
}

}  // namespace

}  // namespace mollify
