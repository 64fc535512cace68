// The schema in the repository, held against what is read and written.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "methods/central/samplers.h"
#include "methods/local/mechanism.h"
#include "release/spec.h"

namespace mollify {
namespace {

using Schema2020 = nlohmann::json;

const Schema2020& schema() {
  static const Schema2020 read = [] {
    std::ifstream file(MOLLIFY_SCHEMA);
    return Schema2020::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  }();
  return read;
}

bool is_of_type(const Schema2020& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  EXPECT_EQ(type, "number");
  return value.is_number();
}

/// Whether a value is valid by the keywords that our schema uses; any other fails the test.
bool is_valid(const Schema2020& value, const Schema2020& by) {
  if (by.is_boolean()) return by;
  for (const auto& [keyword, rule] : by.items()) {
    bool valid = true;
    if (keyword == "$ref") {
      valid = is_valid(value, schema()["$defs"][rule.get<std::string>().substr(8)]);
    } else if (keyword == "type") {
      valid = is_of_type(value, rule);
    } else if (keyword == "const") {
      valid = value == rule;
    } else if (keyword == "enum") {
      valid = std::find(rule.begin(), rule.end(), value) != rule.end();
    } else if (keyword == "minimum") {
      valid = !value.is_number() || value >= rule;
    } else if (keyword == "maximum") {
      valid = !value.is_number() || value <= rule;
    } else if (keyword == "pattern") {
      static std::map<std::string, std::regex> known;
      const auto pattern = rule.get<std::string>();
      const auto& [_, regex] = *known.try_emplace(pattern, pattern).first;
      valid = !value.is_string() || std::regex_search(value.get<std::string>(), regex);
    } else if (keyword == "oneOf") {
      valid = std::count_if(rule.begin(), rule.end(),
                            [&](const Schema2020& one) { return is_valid(value, one); }) == 1;
    } else if (keyword == "anyOf" || keyword == "allOf") {
      const auto holds = [&](const Schema2020& one) { return is_valid(value, one); };
      valid = keyword == "anyOf" ? std::any_of(rule.begin(), rule.end(), holds)
                                 : std::all_of(rule.begin(), rule.end(), holds);
    } else if (keyword == "not") {
      valid = !is_valid(value, rule);
    } else if (keyword == "dependentRequired") {
      for (const auto& [key, needed] : rule.items()) {
        if (value.contains(key)) valid = valid && is_valid(value, {{"required", needed}});
      }
    } else if (keyword == "required") {
      valid = std::all_of(rule.begin(), rule.end(),
                          [&](const std::string key) { return value.contains(key); });
    } else if (keyword == "items") {
      valid = std::all_of(value.begin(), value.end(), [&, &items = rule](const Schema2020& item) {
        return is_valid(item, items);
      });
    } else if (keyword == "properties") {
      for (const auto& [key, member] : value.items()) {
        if (rule.contains(key)) valid = valid && is_valid(member, rule[key]);
      }
    } else if (keyword == "additionalProperties") {
      EXPECT_EQ(rule, false);
      for (const auto& [key, member] : value.items()) {
        valid = valid && by["properties"].contains(key);
      }
    } else {
      EXPECT_TRUE(keyword == "title" || keyword == "description" || keyword == "$schema" ||
                  keyword == "$defs")
          << keyword;
    }
    if (!valid) return false;
  }
  return true;
}

/// Specs with every part there is, by hand, and what breaks them.
std::vector<Schema2020> specs_with_every_part() {
  const Schema2020 domain = {{"file", "d.yaml"}, {"sha256", "00"}};
  const Schema2020 file = {{"file", "f.csv"}};
  const Schema2020 base = {{"format", "mollify release 1"}, {"domain", domain}, {"count", 3}};
  std::vector<Schema2020> specs(4, base);
  specs[0].update({{"method", "local"},
                   {"unit", "id"},
                   {"roster", file},
                   {"units_column", "who"},
                   {"privacy", {{"epsilon", "1e-1"}}},
                   {"mechanism", "class"},
                   {"c1", 0.5},
                   {"c2", 2},
                   {"gamma", 2.5},
                   {"reference", file},
                   {"space",
                    {{"kind", "candidates"},
                     {"cells", 9},
                     {"candidates", 4},
                     {"fresh", true},
                     {"list", file},
                     {"scorer", "mbde"}}}});
  specs[1].update({{"method", "integral"}, {"privacy", {{"mu", 1}}}, {"band", "location=0.5"}});
  specs[2].update({{"method", "central"},
                   {"privacy", {{"epsilon", "1"}, {"delta", "1e-6"}}},
                   {"mechanism", "poisson-rr"},
                   {"support", "width=3"},
                   {"accept_large_delta", true},
                   {"accept_error", true}});
  specs[3].update({{"method", "gaussian"},
                   {"privacy", {{"rho", "0.5"}}},
                   {"covariance", file},
                   {"covariance_bound", 2},
                   {"mean_bound", 3},
                   {"logarithms", {"a"}},
                   {"paper_variance", true}});
  specs.push_back(specs[3]);
  for (const char* other : {"covariance", "covariance_bound", "mean_bound", "paper_variance"}) {
    specs.back().erase(other);
  }
  specs.back()["method"] = "gaussian-model";
  specs.push_back(specs.back());
  specs.back().erase("logarithms");
  specs.back().update({{"method", "marginals"}, {"neighbours", "add-remove"}, {"reference", file}});
  specs.push_back(specs.back());
  specs.back().erase("reference");
  specs.back()["copula"] = true;
  specs.push_back(base);
  specs.back().update({{"method", "integral-model"},
                       {"privacy", {{"epsilon", 2}}},
                       {"band", "relative"},
                       {"space", {{"candidates", 40}, {"trees", true}}}});
  specs.push_back(specs[2]);
  specs.back().erase("count");
  specs.back()["rate"] = 0.5;
  return specs;
}

bool is_read(const Schema2020& spec) {
  try {
    static_cast<void>(parse_spec(spec.dump(), "spec"));
  } catch (const InvalidInput&) {
    return false;
  }
  return true;
}

TEST(Schema, KnowsEveryPartAndNoOther) {
  std::set<std::string> seen;
  for (const Schema2020& spec : specs_with_every_part()) {
    EXPECT_TRUE(is_valid(spec, schema())) << spec;
    ASSERT_TRUE(is_read(spec)) << spec;
    EXPECT_TRUE(is_valid(Schema2020::parse(spec_text(parse_spec(spec.dump(), "spec"))), schema()));
    for (const Part& part : spec_parts()) {
      const Schema2020::json_pointer place(part.place);
      if (!spec.contains(place)) continue;
      seen.insert(part.place);
      Schema2020 broken = spec;
      broken[place] = Schema2020::array({nullptr});
      EXPECT_FALSE(is_valid(broken, schema())) << part.place;
      EXPECT_FALSE(is_read(broken)) << part.place;
    }
    Schema2020 more = spec;
    more["colour"] = 1;
    EXPECT_FALSE(is_valid(more, schema()));
    EXPECT_FALSE(is_read(more));
  }
  for (const Part& part : spec_parts()) EXPECT_TRUE(seen.contains(part.place)) << part.place;
}

/// Which parts go together is one question for the schema and for a release: asked of every spec
/// above, and of each without one of its parts, or with one of another's.
TEST(Schema, TakesTheCombinationsThatAReleaseTakes) {
  std::vector<Schema2020> specs = specs_with_every_part();
  const std::size_t given = specs.size();
  for (std::size_t i = 0; i < given; ++i) {
    for (const char* other : {"copula", "paper_variance"}) {
      if (!specs[i].contains(other)) continue;
      specs.push_back(specs[i]);
      specs.back()[other] = false;
    }
  }
  for (const char* method : {"integral", "integral-model"}) {
    specs.push_back({{"method", method},
                     {"domain", specs[0]["domain"]},
                     {"count", 3},
                     {"privacy", {{"epsilon", 1}}},
                     {"band", "typical"}});
  }
  std::size_t asked = 0;
  std::size_t taken = 0;
  const auto ask = [&](const Schema2020& spec) {
    const bool read = is_read(spec);
    EXPECT_EQ(is_valid(spec, schema()), read) << spec;
    ++asked;
    taken += read ? 1 : 0;
  };
  std::set<std::pair<std::string, Schema2020>> parts;
  for (const Schema2020& spec : specs) {
    for (const auto& [key, value] : spec.items()) parts.emplace(key, value);
  }
  for (const Schema2020& spec : specs) {
    ask(spec);
    for (const auto& [key, value] : spec.items()) {
      Schema2020 fewer = spec;
      fewer.erase(key);
      ask(fewer);
    }
    for (const auto& [key, value] : parts) {
      Schema2020 other = spec;
      other[key] = value;
      ask(other);
    }
  }
  std::printf("%zu of %zu specs are taken\n", taken, asked);
  EXPECT_GT(taken, asked / 10);
  EXPECT_LT(taken, asked / 2);
}

TEST(Schema, NamesEveryMechanism) {
  const auto allowed = [](Method method) {
    const auto place = static_cast<std::size_t>(method);
    return schema()["oneOf"][place]["properties"]["mechanism"]["enum"].get<std::set<std::string>>();
  };
  std::set<std::string> local;
  for (const auto& known : names<Mechanism>()) local.insert(std::string(known.name));
  local.erase("location");
  for (const Method method : {Method::kLocal, Method::kIntegral, Method::kIntegralModel}) {
    EXPECT_EQ(allowed(method), local);
  }
  std::set<std::string> central = {"auto"};
  for (const auto& known : names<CentralMechanism>()) central.insert(std::string(known.name));
  EXPECT_EQ(allowed(Method::kCentral), central);
}

}  // namespace
}  // namespace mollify
