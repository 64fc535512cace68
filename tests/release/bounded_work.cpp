// Public numbers drive no loop and no allocation without a bound. Each number of each method's
// certificate is driven to extremes, and its check has to end soon and in little memory; so do the
// plans that took longest before they were bounded.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "release/every_method.h"
#include "release/plan.h"
#include "sanitized.h"

namespace mollify {
namespace {

/// Of one check, in seconds of the processor.
constexpr double kMostSeconds = test::whole_or_sanitized(3.0, 60.0);
/// Of all of one certificate's.
constexpr unsigned kMostSecondsInAll = test::whole_or_sanitized(150U, 1500U);
/// Beyond what the program has. Sanitizers take any amount of addresses.
constexpr rlim_t kMostBytes = rlim_t{1} << 30U;

double seconds_of_processor() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

/// Other numbers: small ones (exponents are small), powers of two up to the last, and neighbours.
std::vector<Json> other_numbers(const Json& number) {
  std::vector<Json> others = {0, 1, 3, -1, 1e-300, 1e300, 0.5};
  for (const int small : {24, 26, 28, 45, 60, 1000}) {
    others.emplace_back(small);
    others.emplace_back(-small);
  }
  for (const unsigned bits : {16U, 24U, 32U, 40U, 53U, 62U}) {
    others.emplace_back(std::uint64_t{1} << bits);
  }
  others.emplace_back(~std::uint64_t{0});
  const double value = number.get<double>();
  for (const double times : {1e-6, 1 - 1e-9, 1 + 1e-9, 2.0, 1e3, 1e6}) {
    const double near = value * times;
    if (number.is_number_float()) others.emplace_back(near);
    if (!number.is_number_float() && near >= 0 && near < 0x1p63) {
      others.emplace_back(static_cast<std::uint64_t>(near));
    }
  }
  return others;
}

/// The other values of a member: none of texts that are no numbers.
std::vector<Json> other_values(const Json& value) {
  if (value.is_number()) return other_numbers(value);
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return {};
  std::vector<Json> others;
  for (const Json& other : other_numbers(Json(number))) others.emplace_back(other.dump());
  return others;
}

/// Checks every change, and says on the standard error which one takes too long: 1 if one does.
int check_all(const test::AskedRelease& asked) {
  const test::MadeCertificate made(asked);
  int status = 0;
  const Json flat = made.json.flatten();
  for (const auto& member : flat.items()) {
    const std::string& place = member.key();
    for (const Json& other : other_values(member.value())) {
      Json changed = made.json;
      changed[Json::json_pointer(place)] = other;
      const double begun = seconds_of_processor();
      const auto tell = [&](const char* what) {
        std::fprintf(stderr, "%s: %s = %s: %s after %.1f s\n", asked.name, place.c_str(),
                     other.dump().c_str(), what, seconds_of_processor() - begun);
        status = 1;
      };
      try {
        static_cast<void>(made.check(changed));
      } catch (const InvalidInput&) {
      } catch (const std::bad_alloc&) {
        tell("out of memory");
      } catch (const std::exception& error) {
        tell(error.what());
      }
      if (seconds_of_processor() - begun > kMostSeconds) tell("too long");
    }
  }
  return status;
}

rlim_t bytes_of_addresses() {
  unsigned long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file != nullptr) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// The end of an action in a process of its own, whose time and memory are limited.
template <class Action>
int status_of(unsigned seconds, const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit time{seconds, seconds};
    ::setrlimit(RLIMIT_CPU, &time);
    if (test::whole_or_sanitized(true, false)) {
      const rlim_t bytes = bytes_of_addresses() + kMostBytes;
      const rlimit memory{bytes, bytes};
      ::setrlimit(RLIMIT_AS, &memory);
    }
    int status = 1;
    try {
      status = action();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::_Exit(status);
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child ? status : -1;
}

class DrivenCertificate : public testing::TestWithParam<std::size_t> {};

TEST_P(DrivenCertificate, IsCheckedSoonAndInLittleMemory) {
  const test::AskedRelease asked = test::asked_releases()[GetParam()];
  EXPECT_EQ(status_of(kMostSecondsInAll, [&] { return check_all(asked); }), 0) << asked.name;
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, DrivenCertificate,
                         testing::Range(std::size_t{0}, test::asked_releases().size()),
                         [](const testing::TestParamInfo<std::size_t>& one) {
                           std::string name = test::asked_releases()[one.param].name;
                           for (char& letter : name) {
                             if (std::isalnum(static_cast<unsigned char>(letter)) == 0)
                               letter = '_';
                           }
                           return name;
                         });

/// A number as a text that is far from this one; nothing for other texts.
std::string far_number(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool is_whole = read.ec == std::errc() && read.ptr == end && number < (1ULL << 62U);
  return is_whole ? std::to_string(2 * number + 1) : "";
}

/// Another value of the member that may be as good, and no other way of writing this one: numbers
/// of Gaussian designs are compared to six digits, and cells of a grid by their root.
Json another(const Json& value) {
  if (value.is_null()) return 1;
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() * 2 + 1;
  if (value.is_number_integer()) return value.get<std::int64_t>() * 2 + 1;
  if (value.is_number()) return value.get<double>() * 1.5 + 0.01;
  if (!value.is_string()) return value;
  auto text = value.get<std::string>();
  if (text.empty()) return "x";
  if (const std::string number = far_number(text); !number.empty()) return number;
  text.back() = text.back() == '1' ? '2' : '1';
  return text;
}

// verify lists each part that it does not check. With any other part changed, it does not hold. A
// sentence in other words is listed, and one in these words is not.
TEST(EveryCertificate, ListsWhatIsAsDeclared) {
  for (const test::AskedRelease& asked : test::asked_releases()) {
    const test::MadeCertificate made(asked);
    Json genuine = made.json;
    genuine.erase("measured");
    const auto is_listed = [](const Json& json, const CertificateCheck& check,
                              const std::string& place) {
      const StatedCertificate stated = parse_certificate(json.dump(), "it");
      const Json places = check_answer(stated, check, "it").json["as_declared"];
      return std::any_of(places.begin(), places.end(), [&](const Json& one) {
        return place.starts_with(one.get<std::string>());
      });
    };
    EXPECT_FALSE(is_listed(genuine, made.check(genuine), "/design/why")) << asked.name;
    const Json flat = genuine.flatten();
    for (const auto& [place, value] : flat.items()) {
      Json changed = genuine;
      changed[Json::json_pointer(place)] = another(value);
      CertificateCheck check;
      try {
        check = made.check(changed);
      } catch (const InvalidInput&) {
      }
      const bool holds = check.holds();
      EXPECT_TRUE(!holds || is_listed(changed, check, place)) << asked.name << ": " << place;
      EXPECT_TRUE(holds || place != "/design/why") << asked.name;
    }
  }
}

// A fact that another method states is no fact of this one.
TEST(EveryCertificate, RefusesTheFactsOfOthers) {
  Json all = Json::object();
  for (const test::AskedRelease& asked : test::asked_releases()) {
    const test::MadeCertificate made(asked);
    for (const auto& [fact, value] : made.json["facts"].items()) all[fact] = value;
  }
  for (const char* fact : {"kept", "channel", "location", "lower_bounds", "mean_ranges"}) {
    EXPECT_TRUE(all.contains(fact)) << fact;
  }
  for (const test::AskedRelease& asked : test::asked_releases()) {
    const test::MadeCertificate made(asked);
    for (const auto& [fact, value] : all.items()) {
      Json forged = made.json;
      forged.erase("measured");
      // How many records there were is as declared, where it is a fact.
      if (forged["facts"].contains(fact) || fact == "records" || fact == "units") continue;
      forged["facts"][fact] = value;
      bool holds = false;
      try {
        holds = made.check(forged).holds();
      } catch (const InvalidInput&) {
      }
      EXPECT_FALSE(holds) << asked.name << ": " << fact;
    }
  }
}

// Unchanged certificates hold, so verify reads each of them to its end.
TEST(EveryCertificate, Holds) {
  for (const test::AskedRelease& asked : test::asked_releases()) {
    const test::MadeCertificate made(asked);
    Json genuine = made.json;
    genuine.erase("measured");
    EXPECT_TRUE(made.check(genuine).holds()) << asked.name;
  }
}

// -----------------------------------------------------------------------------------------------
// Plans.

/// Answered or refused, which takes at most this long.
int plan_of(const std::string& question) {
  try {
    static_cast<void>(plan(parse_plan_question(question, "it"), PublicFiles()));
  } catch (const InvalidInput&) {
  }
  return 0;
}

TEST(EveryPlan, EndsSoonAndInLittleMemory) {
  const std::string wide = "columns:\n  a: {type: integer, min: 1, max: 520000, null: 1}\n";
  const std::string widest = "columns:\n  a: {type: integer, min: 1, max: 16777216, null: 1}\n";
  const auto of_models = [](const std::string& domain, const char* models) {
    return Json{{"method", "integral-model"},
                {"privacy", {{"epsilon", 3}}},
                {"space", {{"candidates", std::stoi(models)}}},
                {"domain", {{"text", domain}}}}
        .dump();
  };
  // How many candidates there are is all that a plan needs of them.
  std::string many = "columns:\n";
  for (int i = 0; i < 60; ++i) {
    many += "  c" + std::to_string(i) + ": {type: number, min: 0, max: 9, bins: 10, null: 0}\n";
  }
  const std::string of_candidates = Json{
      {"method", "local"},
      {"privacy", {{"epsilon", 1}}},
      {"space", {{"candidates", 1U << 24U}}},
      {"domain", {{"text", many}}}}.dump();
  constexpr unsigned kSeconds = test::whole_or_sanitized(10U, 200U);
  // It shows its progress. Half a minute is twice what it takes.
  constexpr unsigned kLong = test::whole_or_sanitized(30U, 600U);
  const std::string longest = R"({"method": "gaussian", "dimension": 30, "alpha": 0.1,
               "covariance_bound": 5, "privacy": {"epsilon": 0.01, "delta": 1e-9}})";
  for (const std::string& question : {
           longest,
           of_candidates,
           of_models(wide, "1000"),
           of_models(wide, "20000"),
           of_models(widest, "30"),
           std::string(R"({"method": "central", "k": 2, "n": 500000000000, "count": 1,
               "mechanism": "ds-roo", "privacy": {"epsilon": 1e-6}})"),
       }) {
    const unsigned most = question == longest ? kLong : kSeconds;
    EXPECT_EQ(status_of(most, [&] { return plan_of(question); }), 0) << question;
  }
}

}  // namespace
}  // namespace mollify
