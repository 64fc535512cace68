// The schema of a spec: made of the table of parts, and held against what is read and written.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "release/method.h"
#include "release/spec.h"

namespace mollify {
namespace {

using Schema2020 = nlohmann::json;

// -----------------------------------------------------------------------------------------------
// The schema is made of the table of parts. Every member of `properties` is a row of it.

/// The common schema of every part of a kind.
constexpr const char* kKinds = R"({
  "decimal": {
    "description": "A decimal number; in quotes it is taken exactly as it is typed.",
    "oneOf": [{"type": "number"},
              {"type": "string", "pattern": "^[0-9]*\\.?[0-9]*([eE][-+]?[0-9]+)?$"}]},
  "file": {
    "description": "A public file, and what it must be.",
    "type": "object",
    "properties": {"file": {"type": "string"}, "sha256": {"type": "string"}},
    "required": ["file"],
    "additionalProperties": false},
  "domain": {
    "description": "A file, or what a domain file holds. The hash is that of its canonical text.",
    "type": "object",
    "properties": {"file": {"type": "string"}, "text": {"type": "string"},
                   "sha256": {"type": "string"}},
    "oneOf": [{"required": ["file"]}, {"required": ["text"]}],
    "additionalProperties": false}})";

/// The schema of the part's value.
Json part_schema(const OwnPart& part) {
  Json schema = Json::object();
  std::string help = part.help;
  // The fragment that help prints, and the sentences of the manual.
  if (const std::size_t at = help.find('\n'); at != help.npos) help.replace(at, 1, ". ");
  if (const std::size_t words = help.find("{}"); words != help.npos) help.erase(0, words + 3);
  if (!help.empty()) schema["description"] = help;
  const auto of_type = [&](const char* type) { schema["type"] = type; };
  switch (part.kind) {
    case PartKind::kObject:
      of_type("object");
      schema["properties"] = Json::object();
      schema["additionalProperties"] = false;
      break;
    case PartKind::kText:
      of_type("string");
      if (part.words != nullptr) schema["enum"] = part.words();
      if (*part.pattern != '\0') schema["pattern"] = part.pattern;
      break;
    case PartKind::kWhole:
      of_type("integer");
      break;
    case PartKind::kNumber:
      of_type("number");
      break;
    case PartKind::kTruth:
      of_type("boolean");
      break;
    case PartKind::kWholes:  // of requests alone
    case PartKind::kTexts:
      of_type("array");
      schema["items"] = {{"type", "string"}};
      break;
    case PartKind::kColumns:
      schema["oneOf"] = {{{"type", "string"}},
                         {{"type", "array"},
                          {"items", {{"type", "string"}}},
                          {"minItems", 1},
                          {"uniqueItems", true}}};
      break;
    case PartKind::kDecimal:
      schema["$ref"] = "#/$defs/decimal";
      break;
    case PartKind::kFile:
      schema["$ref"] = "#/$defs/file";
      break;
    case PartKind::kDomain:
      schema["$ref"] = "#/$defs/domain";
      break;
  }
  if (std::isfinite(part.least)) {
    schema[part.is_open ? "exclusiveMinimum" : "minimum"] = part.least;
  }
  if (std::isfinite(part.below)) schema["exclusiveMaximum"] = part.below;
  return schema;
}

Json method_schema(Method method) {
  Json schema{{"title", fmt::format("method {}", name_of(method))},
              {"type", "object"},
              {"properties", Json::object()},
              {"required", {"method", "domain", "privacy"}},
              {"additionalProperties", false}};
  Json& properties = schema["properties"];
  for (const Part& part : spec_parts()) {
    if (!part.methods.has(method)) continue;
    std::string place = part.place;
    const std::size_t inner = place.find('/', 1);
    if (inner != place.npos) place.insert(inner, "/properties");
    properties[Json::json_pointer(place)] = part_schema(part_of(method, part));
  }
  properties["method"] = {{"const", name_of(method)}};
  properties["format"] = {{"const", "mollify release 1"}};
  // One budget, and delta with epsilon alone.
  Json& privacy = properties["privacy"];
  privacy["oneOf"] = Json::array();
  for (const auto& [name, budget] : privacy["properties"].items()) {
    if (name != "delta") privacy["oneOf"].push_back({{"required", {name}}});
  }
  if (privacy["properties"].contains("delta")) privacy["dependentRequired"]["delta"] = {"epsilon"};
  if (properties.contains("weights")) {
    properties["weights"]["required"] = Json::array({"column", "greatest"});
  }
  if (properties.contains("roster")) {
    schema["dependentRequired"] = {{"roster", {"unit"}}, {"units_column", {"roster"}}};
  }
  const Json rules = Json::parse(release_method(method).profile().part_rules);
  // One by default where a record is one draw.
  if (!kDrawMethods.has(method) && rules.dump().find("\"count\"") == std::string::npos) {
    schema["required"].push_back("count");
  }
  schema.update(rules);
  return schema;
}

std::string made_schema() {
  Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "A release of mollify"},
      {"description",
       "What `mollify sample --spec` takes and `--print-spec` writes; certificates hold one."},
      {"oneOf", Json::array()},
      {"$defs", Json::parse(kKinds)}};
  for (const auto& [method, name] : names<Method>()) {
    schema["oneOf"].push_back(method_schema(method));
  }
  return schema.dump(2) + "\n";
}

const Schema2020& schema() {
  static const Schema2020 made = Schema2020::parse(made_schema());
  return made;
}

TEST(Schema, InTheRepositoryIsWhatThePartsMake) {
  if (std::getenv("MOLLIFY_WRITE") != nullptr) std::ofstream(MOLLIFY_SCHEMA) << made_schema();
  std::ifstream file(MOLLIFY_SCHEMA);
  const std::string written(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(written == made_schema()) << "the parts have changed; write the schema anew by\n  "
                                           "MOLLIFY_WRITE=1 ctest --preset dev -R "
                                           "Schema.InTheRepository";
}

TEST(Parts, SayWhatTheyAreInHelpOfEveryMethod) {
  for (const auto parts : {spec_parts(), plan_parts()}) {
    for (const Part& part : parts) {
      for (const auto& [method, name] : names<Method>()) {
        if (*part.flag == '\0' || !part.methods.has(method)) continue;
        const OwnPart& own = part_of(method, part);
        EXPECT_NE(std::string_view(own.help), "") << part.place << " of method " << name;
        const bool names_words = std::string_view(own.help).find("{}") != std::string_view::npos;
        EXPECT_TRUE(!names_words || own.words != nullptr) << part.place;
        EXPECT_TRUE(own.kind != PartKind::kText || *own.value != '\0') << part.place;
      }
    }
  }
}

// -----------------------------------------------------------------------------------------------
// The schema, held against what is read and written.

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
    } else if (keyword == "exclusiveMinimum") {
      valid = !value.is_number() || value > rule;
    } else if (keyword == "exclusiveMaximum") {
      valid = !value.is_number() || value < rule;
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
    } else if (keyword == "minItems") {
      valid = !value.is_array() || value.size() >= rule;
    } else if (keyword == "uniqueItems") {
      valid = !value.is_array() ||
              std::set<Schema2020>(value.begin(), value.end()).size() == value.size();
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

/// Specs with every part there is, by hand, and changes that break them.
std::vector<Schema2020> specs_with_every_part() {
  const Schema2020 domain = {{"file", "d.yaml"}, {"sha256", "00"}};
  const Schema2020 file = {{"file", "f.csv"}};
  const Schema2020 base = {{"format", "mollify release 1"}, {"domain", domain}, {"count", 3}};
  std::vector<Schema2020> specs(4, base);
  specs[0].update(
      {{"method", "local"},
       {"unit", Schema2020::array({"household", "person"})},
       {"roster", file},
       {"units_column", Schema2020::array({"home", "who"})},
       {"weights",
        {{"column", "w"}, {"greatest", "20"}, {"step", 0.01}, {"invalid", "1"}, {"mean", "2.5"}}},
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
  specs[1].update({{"method", "integral"},
                   {"privacy", {{"mu", 1}}},
                   {"band", "location=0.5"},
                   {"channel", file}});
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
  specs.back().update({{"method", "marginals"},
                       {"neighbours", "add-remove"},
                       {"reference", file},
                       {"questions", {"x:y"}}});
  specs.push_back(specs.back());
  specs.back().erase("reference");
  specs.back().erase("questions");
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

}  // namespace
}  // namespace mollify
