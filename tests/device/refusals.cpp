// The device library refuses what the server's refuses, in equal words, before anything would throw.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/decimals.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "kernel/channels.h"
#include "methods/local/mechanism.h"
#include "mollify/device.h"

namespace mollify {

namespace {

/// The server's refusal.
InvalidInput refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidInput& refused) {
    return refused;
  }
  return {"failure", "nothing was refused"};
}

void expect_refused(mollify_device_status status, const std::function<void()>& action) {
  const InvalidInput expected = refusal_of(action);
  EXPECT_EQ(status, MOLLIFY_DEVICE_INVALID_INPUT) << expected.what();
  EXPECT_STREQ(mollify_device_last_error(), expected.what());
  EXPECT_EQ(mollify_device_last_error_code(), expected.code().name);
}

double epsilon_of(const std::string& text) { return Decimal::parse(text, "epsilon").down(); }

TEST(DeviceRefusals, OfResponsesAreTheServers) {
  auto* const untouched = reinterpret_cast<mollify_device_response*>(&expect_refused);
  mollify_device_response* made = untouched;
  for (const std::uint32_t k : {0U, (1U << 24) + 1, ~0U}) {
    expect_refused(mollify_device_new_response(k, "1", &made), [k] { RandomizedResponse(k, 1.0); });
  }
  for (const char* epsilon : {"0", "0.000", "1e-7", "9.9999e-7", "1e-1100", "", "-1", "-0", "-",
                              "nan", "inf", "-inf", "1,5", "2 ", "epsilon"}) {
    expect_refused(mollify_device_new_response(2, epsilon, &made),
                   [epsilon] { RandomizedResponse(2, epsilon_of(epsilon)); });
  }
  EXPECT_EQ(mollify_device_new_response(2, nullptr, &made), MOLLIFY_DEVICE_INVALID_INPUT);
  EXPECT_EQ(made, untouched);
}

void expect_sampler_refused(const char* band, double location, const std::vector<double>& reference,
                            const MechanismParameters& parameters) {
  mollify_device_sampler* made = nullptr;
  expect_refused(mollify_device_new_sampler(3, "2", band, location,
                                            reference.empty() ? nullptr : reference.data(), &made),
                 [&] { static_cast<void>(make_sampler(parameters)); });
  EXPECT_EQ(made, nullptr);
}

TEST(DeviceRefusals, OfSamplersAreTheServers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double location : {0.05, 0.135, 1.0, 1.5, -0.5}) {
    expect_sampler_refused("location", location, {},
                           {.mechanism = Mechanism::kLocation,
                            .outcome_count = 3,
                            .epsilon = 2,
                            .numbers = {.location = location}});
  }
  for (const std::vector<double>& reference : {std::vector<double>{1, 0, 1},
                                               {1, 2, -0.25},
                                               {nan, 1, 1},
                                               {1, infinity, 1},
                                               {1e308, 1e308, 1e308},
                                               {1, 1, 1e-7 * -1}}) {
    expect_sampler_refused("relative", 0, reference,
                           {.mechanism = Mechanism::kRelative,
                            .outcome_count = 3,
                            .reference = reference,
                            .epsilon = 2});
  }
  mollify_device_sampler* made = nullptr;
  EXPECT_EQ(mollify_device_new_sampler(3, "2", "widest", 0, nullptr, &made),
            MOLLIFY_DEVICE_INVALID_INPUT);
  EXPECT_STREQ(mollify_device_last_error(),
               "band must be minimax, relative or location, but is \"widest\"");
}

// A build without exceptions stops where the server's would throw: no parameter that passes the
// checks may come so far.
TEST(DeviceRefusals, LeaveNothingToThrow) {
  int made = 0;
  for (const std::uint32_t k : {1U, 2U, 3U, 1000U, 1U << 16, 1U << 24}) {
    for (const char* epsilon : {"1e-6", "0.001", "1", "29.9", "1e300"}) {
      const double e = std::exp(std::fmin(epsilon_of(epsilon), 30.0));
      for (const double location : {1 / e * (1 + 0x1p-35), 0.5 + 0.5 / e, 1 - 0x1p-53}) {
        for (const char* band : {"minimax", "relative", "location"}) {
          mollify_device_sampler* sampler = nullptr;
          const mollify_device_status status =
              mollify_device_new_sampler(k, epsilon, band, location, nullptr, &sampler);
          if (status == MOLLIFY_DEVICE_OK) ++made;
          mollify_device_free_sampler(sampler);
        }
      }
      mollify_device_response* response = nullptr;
      EXPECT_EQ(mollify_device_new_response(k, epsilon, &response), MOLLIFY_DEVICE_OK);
      mollify_device_free_response(response);
    }
  }
  EXPECT_GE(made, 250);
}

TEST(DeviceRefusals, PrivateValuesAreNeverRefused) {
  mollify_device_response* response = nullptr;
  ASSERT_EQ(mollify_device_new_response(3, "1", &response), MOLLIFY_DEVICE_OK);
  std::vector<std::uint32_t> values = {0, 3, ~0U}, released(3, 99);
  EXPECT_EQ(mollify_device_respond(response, values.data(), 3, released.data()), MOLLIFY_DEVICE_OK);
  for (const std::uint32_t report : released) EXPECT_LT(report, 3u);
  mollify_device_free_response(response);
  mollify_device_free_response(nullptr);
  mollify_device_free_sampler(nullptr);
}

}  // namespace

}  // namespace mollify
