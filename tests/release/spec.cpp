// The JSON form of specs, and its refusals.
#include "release/spec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "methods/gaussian/method.h"
#include "methods/local/space.h"
#include "refusal.h"

namespace mollify {
namespace {

using nlohmann::json;

json integral() {
  return {{"method", "integral"},
          {"domain", {{"file", "d.yaml"}}},
          {"count", 2},
          {"privacy", {{"epsilon", "0.1"}}}};
}

json central() {
  json spec = integral();
  spec["method"] = "central";
  spec["privacy"]["delta"] = "0.000001";
  return spec;
}

json gaussian() {
  json spec = central();
  spec["method"] = "gaussian";
  spec["covariance_bound"] = 2.5;
  return spec;
}

std::string refused(const json& spec) {
  return test::refusal_of([&] { static_cast<void>(parse_spec(spec.dump(), "s.json")); });
}

TEST(ReleaseSpec, IsReadAsItIsWritten) {
  json local = integral();
  local.update({{"method", "local"},
                {"unit", "id"},
                {"roster", {{"file", "u.csv"}, {"sha256", "ab"}}},
                {"band", "location=0.25"},
                {"c1", 0.1},
                {"c2", 3},
                {"gamma", 2},
                {"reference", {{"file", "r.csv"}}},
                {"space",
                 {{"kind", "candidates"},
                  {"candidates", 9},
                  {"fresh", true},
                  {"scorer", "gaussian-mixture"}}}});
  json other = integral();
  other.update({{"mechanism", "gaussian-curve"},
                {"privacy", {{"mu", "0.5"}}},
                {"space", {{"cells", 7}, {"list", {{"file", "list"}}}}}});
  json text = integral();
  text["domain"] = {{"text", "columns: {a: {type: boolean}}\n"}, {"sha256", "cd"}};
  json finite = central();
  finite.update({{"mechanism", "subset-rr"}, {"support", "width=10"}});
  json rated = central();
  rated.erase("count");
  rated["rate"] = 0.25;
  json bits = integral();
  bits.update({{"method", "central"}, {"privacy", {{"rho", "0.5"}}}, {"mechanism", "product"}});
  json normal = gaussian();
  normal.update({{"covariance", {{"file", "c.csv"}}},
                 {"mean_bound", 4},
                 {"logarithms", {"a", "b"}},
                 {"paper_variance", true}});
  json shared = gaussian();
  shared.erase("covariance_bound");
  shared["method"] = "gaussian-model";
  for (const json& spec : {integral(), local, other, text, finite, rated, bits, normal, shared}) {
    const ReleaseSpec read = parse_spec(spec.dump(), "s.json");
    const std::string written = spec_text(read);
    EXPECT_EQ(parse_spec(written, "s.json"), read) << written;
    json told = json::parse(written);
    told.erase("format");
    EXPECT_EQ(told, spec);
  }
}

TEST(ReleaseSpec, TakesDecimalsAsTheyAreTyped) {
  const ReleaseSpec typed = parse_spec(integral().dump(), "s.json");
  EXPECT_EQ(typed.privacy.epsilon, Decimal::parse("0.1", "epsilon"));
  EXPECT_LE(Decimal(typed.budget().epsilon), typed.privacy.epsilon);
  json number = integral();
  number["privacy"]["epsilon"] = 0.1;
  EXPECT_EQ(parse_spec(number.dump(), "s.json"), typed);
}

TEST(ReleaseSpec, RefusesWhatIsNone) {
  const auto with = [](json spec, const char* place, const json& value) {
    spec[json::json_pointer(place)] = value;
    return refused(spec);
  };
  EXPECT_EQ(refused(json::array()), "s.json must be a release's spec, a JSON object, but is []");
  EXPECT_EQ(with(integral(), "/colour", 3), "colour in s.json is no part of a release's spec");
  EXPECT_EQ(with(integral(), "/privacy/colour", 3),
            "privacy/colour in s.json is no part of a release's spec");
  EXPECT_EQ(with(integral(), "/space/colour", 3),
            "space/colour in s.json is no part of a release's spec");
  EXPECT_EQ(with(integral(), "/domain/colour", "x"),
            "domain in s.json must be a file or a text, and at most its sha256, but is an object");
  EXPECT_EQ(with(integral(), "/domain/text", "x"),
            "domain in s.json must be a file or a text, and at most its sha256, but is an object");
  EXPECT_EQ(with(integral(), "/count", 1.5), "count in s.json must be a whole number, but is 1.5");
  EXPECT_EQ(with(integral(), "/count", -1),
            "count in s.json must be from 1 to 100000000, but is -1");
  EXPECT_EQ(with(integral(), "/count", nullptr),
            "count in s.json must be a whole number, but is null");
  EXPECT_EQ(with(integral(), "/count", 0), "s.json: count must be from 1 to 100000000, but is 0");
  EXPECT_EQ(with(integral(), "/method", "centrl"),
            "s.json: method must be " + all_names<Method>(" or ") +
                ", but is \"centrl\" (did you mean \"central\"?)");
  EXPECT_EQ(with(integral(), "/format", "mollify release 9"),
            "s.json must have the format \"mollify release 1\", but has \"mollify release 9\"");
  EXPECT_EQ(with(integral(), "/privacy/epsilon", "-1"),
            "privacy/epsilon in s.json must be finite and positive, but is -1");
  EXPECT_EQ(with(integral(), "/privacy/epsilon", "abc"),
            "privacy/epsilon in s.json must be a number, but is \"abc\"");
  EXPECT_EQ(with(integral(), "/privacy/epsilon", true),
            "privacy/epsilon in s.json must be a number, or one in quotes, but is true");
  EXPECT_EQ(with(integral(), "/privacy", json::object()),
            "the budget is missing: give privacy/epsilon in s.json or privacy/mu in s.json");
  EXPECT_EQ(with(integral(), "/privacy/mu", "1"), "s.json: give --mu or --epsilon, not both");
  EXPECT_EQ(with(integral(), "/reference", "r.csv"),
            "reference in s.json must be a file, and at most its sha256, but is \"r.csv\"");
  EXPECT_EQ(with(integral(), "/c2", "3"), "c2 in s.json must be a number, but is \"3\"");
  EXPECT_EQ(with(gaussian(), "/logarithms", "a"),
            "logarithms in s.json must be a list of texts, but is \"a\"");
  json missing = integral();
  missing.erase("domain");
  EXPECT_EQ(refused(missing), "domain in s.json is missing: the public domain, YAML");
  EXPECT_EQ(refused(integral()), "accepted");
}

TEST(ReleaseSpec, RefusesThePartsOfOthers) {
  const auto with = [](json spec, const char* place, const json& value) {
    spec[json::json_pointer(place)] = value;
    return refused(spec);
  };
  EXPECT_EQ(with(central(), "/c2", 3),
            "c2 in s.json is for " + kDrawMethods.text() + ", but the method is central");
  EXPECT_EQ(with(central(), "/space/cells", 3),
            "space in s.json is for " + kDrawMethods.text() + ", but the method is central");
  EXPECT_EQ(with(integral(), "/rate", 0.5),
            "rate in s.json is for method central, but the method is integral");
  EXPECT_EQ(with(integral(), "/unit", "id"),
            "unit in s.json is for " + kUnitMethods.text() +
                ", but the method is integral, which protects the whole table: leave it out");
  EXPECT_EQ(with(gaussian(), "/support", "bounded"),
            "support in s.json is for method central, but the method is gaussian");
  EXPECT_EQ(with(central(), "/mean_bound", 3),
            "mean_bound in s.json is for method gaussian, but the method is central");
}

// Text refuses the parts of others before; a spec that a program fills in says the method twice.
TEST(ReleaseSpec, OfAProgramAgreesWithItsMethod) {
  const auto refused = [](ReleaseSpec spec, const auto& change) {
    change(spec);
    return test::refusal_of([&] { validate_spec(spec); });
  };
  const auto of = [](const json& spec) { return parse_spec(spec.dump(), "s.json"); };
  json models = integral();
  models["method"] = "integral-model";
  json shared = gaussian();
  shared.erase("covariance_bound");
  shared["method"] = "gaussian-model";
  EXPECT_EQ(refused(of(models), [](ReleaseSpec& spec) { spec.own.get<LocalSpec>()->space = {}; }),
            "method integral-model must choose among models, but does not");
  EXPECT_EQ(refused(of(integral()),
                    [](ReleaseSpec& spec) {
                      spec.own.get<LocalSpec>()->space.kind = SpaceKind::kModels;
                    }),
            "method integral must choose among outcomes, but does not");
  EXPECT_EQ(
      refused(of(shared), [](ReleaseSpec& spec) { spec.own.get<GaussianSpec>()->mean_bound = 3; }),
      "method gaussian-model learns its mean and covariance from the ranges alone, but a "
      "covariance, a bound or the paper's variance is given");
  EXPECT_EQ(refused(of(integral()), [](ReleaseSpec& spec) { spec.method = Method::kMarginals; }),
            "method marginals must have the parts of its own, but has others");
}

}  // namespace
}  // namespace mollify
