#include "formats/domain_yaml.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/json.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/possible.h"
#include "domain/rules.h"
#include "domain/same_value.h"
#include "formats/text_files.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A YAML document as plain nodes that know their lines.

namespace {

/// The text as sentences call it: a program's text has no name.
std::string called(const std::string& name) { return name.empty() ? "the domain" : name; }

/// A line of it; nobody wrote the lines of a program's text.
std::string place_words(const std::string& name, std::int64_t line) {
  return name.empty() ? called(name) : fmt::format("{} line {}", name, line);
}

constexpr std::size_t kMaxDepth = 16;

// yaml-cpp holds the tokens of a whole flow collection, more than 100 bytes for each.
constexpr std::ptrdiff_t kMaxFlowIndicators = std::ptrdiff_t{1} << 22U;

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({Setting::Kind::kScalar, false, true, line(mark), "null"}, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "must not use aliases (*name)");
  }

  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    refuse(mark, "must not use anchors (&name)");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    require_no_tag(mark, tag);
    add({Setting::Kind::kScalar, tag == "!", false, line(mark), text}, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    require_no_tag(mark, tag);
    open(Setting::Kind::kSequence, mark);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    require_no_tag(mark, tag);
    open(Setting::Kind::kMapping, mark);
  }

  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  [[nodiscard]] Setting take() { return std::move(root_); }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view what) const {
    refuse_input("malformed-file", Concern::in_file(name_, line(mark)), "{} {}",
                 place_words(name_, line(mark)), what);
  }

 private:
  /// A key that is there already: of `columns` it is a column's name.
  [[noreturn]] void refuse_repeated(const YAML::Mark& mark, const std::string& key) const {
    const bool names_column = open_.size() == 2 && open_.front().node.items.size() % 2 == 1 &&
                              open_.front().node.items.back().text == "columns";
    Concern concern = Concern::in_file(name_, line(mark));
    if (names_column) {
      concern.column = key;
      refuse_input("duplicate-column", concern, "{} must not repeat the column \"{}\"",
                   place_words(name_, line(mark)), key);
    }
    concern.parameter = key;
    refuse_input("duplicate-key", concern, {WayOut::leave(key)},
                 "{} must not repeat the key \"{}\"", place_words(name_, line(mark)), key);
  }

  /// Texts without a name have no lines.
  [[nodiscard]] std::uint32_t line(const YAML::Mark& mark) const {
    if (name_.empty()) return 0;
    return mark.line < 0 ? 1 : static_cast<std::uint32_t>(mark.line) + 1;
  }

  void require_no_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "?" && tag != "!" && !tag.empty()) refuse(mark, "must not use tags (!name)");
  }

  void open(Setting::Kind kind, const YAML::Mark& mark) {
    if (open_.size() >= kMaxDepth) {
      refuse(mark, fmt::format("must not be nested more than {} deep", kMaxDepth));
    }
    if (expects_key()) refuse(mark, "must have plain text as the keys of a mapping");
    open_.push_back({Setting{kind, false, false, line(mark)}, {}});
  }

  void close() {
    Setting node = std::move(open_.back().node);
    open_.pop_back();
    place(std::move(node));
  }

  void add(Setting node, const YAML::Mark& mark) {
    if (node.text.find('\0') != node.text.npos) {
      refuse(mark, fmt::format("must hold no NUL, but holds {}", in_quotes(node.text)));
    }
    if (expects_key()) {
      StringIndex& keys = open_.back().keys;
      if (keys.find(node.text) != StringIndex::kAbsent) refuse_repeated(mark, node.text);
      keys.insert(node.text);
    }
    place(std::move(node));
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == Setting::Kind::kMapping &&
           open_.back().node.items.size() % 2 == 0;
  }

  void place(Setting node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    std::vector<Setting>& items = open_.back().node.items;
    if (node.kind == Setting::Kind::kMapping && items.size() % 2 == 1)
      node.line = items.back().line;
    items.push_back(std::move(node));
  }

  struct Open {
    Setting node;
    StringIndex keys;
  };

  const std::string& name_;
  std::vector<Open> open_;
  Setting root_;
};

void require_text(std::string_view yaml, const std::string& name) {
  const auto is_binary = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (!is_utf8(yaml) || std::any_of(yaml.begin(), yaml.end(), is_binary)) {
    refuse_input("malformed-file", Concern::in_file(name),
                 "{} must be a YAML file in UTF-8, but holds other bytes", called(name));
  }
  const auto flow_indicators = std::count_if(yaml.begin(), yaml.end(), [](char c) {
    return std::string_view("[]{},").find(c) != std::string_view::npos;
  });
  if (flow_indicators > kMaxFlowIndicators) {
    refuse_input("malformed-file", Concern::in_file(name),
                 "{} must have at most {} brackets, braces and commas, but has {}", called(name),
                 kMaxFlowIndicators, flow_indicators);
  }
}

/// The place where the text stops being YAML. A brace or bracket that is never closed is at fault
/// on its own line, not where the file ends.
[[noreturn]] void refuse_broken(std::string_view yaml, const std::string& name,
                                const YAML::Exception& error) {
  const bool unclosed =
      error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  const auto end = static_cast<std::size_t>(std::max(error.mark.pos, 0));
  std::vector<std::size_t> open;
  char quote = '\0';
  for (std::size_t at = 0; unclosed && at < std::min(end, yaml.size()); ++at) {
    const char letter = yaml[at];
    if (quote != '\0') {
      if (letter == quote) quote = '\0';
    } else if (letter == '#' && (at == 0 || yaml[at - 1] == ' ' || yaml[at - 1] == '\n')) {
      at = std::min(yaml.find('\n', at), yaml.size()) - 1;
    } else if ((letter == '\'' || letter == '"') && at > 0 &&
               std::string_view(" [{,:").find(yaml[at - 1]) != std::string_view::npos) {
      quote = letter;
    } else if (letter == '{' || letter == '[') {
      open.push_back(at);
    } else if ((letter == '}' || letter == ']') && !open.empty()) {
      open.pop_back();
    }
  }
  if (open.empty()) {
    refuse_input(
        "malformed-file",
        Concern::in_file(name, static_cast<std::uint64_t>(std::max(error.mark.line, 0)) + 1),
        "{} must be valid YAML, but here the parser found: {}",
        place_words(name, std::max(error.mark.line, 0) + 1), error.msg);
  }
  const std::string_view before = yaml.substr(0, open.back());
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  refuse_input("malformed-file", Concern::in_file(name, static_cast<std::uint64_t>(line)),
               "{}: the {} is never closed", place_words(name, line),
               yaml[open.back()] == '{' ? "brace {" : "bracket [");
}

}  // namespace

Setting parse_yaml(std::string_view yaml, const std::string& name) {
  require_text(yaml, name);
  TreeBuilder builder(name);
  std::istringstream stream{std::string(yaml)};
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      refuse_input("empty-input", Concern::in_file(name), "{} must declare columns, but is empty",
                   called(name));
    }
    Setting root = builder.take();
    TreeBuilder rest(name);
    if (parser.HandleNextDocument(rest)) {
      refuse_input("malformed-file", Concern::in_file(name),
                   "{} must hold one YAML document, but holds more", called(name));
    }
    return root;
  } catch (const YAML::Exception& error) {
    refuse_broken(yaml, name, error);
  }
}

// -----------------------------------------------------------------------------------------------
// Domain files.

namespace {

// Reads one document. Every refusal names the file and the line it is about.
class DomainParser {
 public:
  explicit DomainParser(const std::string& name) : name_(name) {}

  Domain parse(Setting root) const {
    require_mapping(root,
                    "must map `columns` to the domain's columns: a domain is a YAML file, and " +
                        std::string(words_of_speech("mollify domain --public FILE.csv",
                                                    "Domain.draft(public_table)")) +
                        " drafts one from public data");
    const Settings settings(root);
    const Setting* const columns = settings.find("columns");
    std::vector<Column> made;
    const std::uint64_t seed = located(root, [&] {
      settings.require_known(std::array<std::string_view, 3>{"columns", "rules", "seed"},
                             "a domain");
      if (columns == nullptr) settings.refuse("missing-key", "columns", "is missing");
      return settings.maybe<std::uint64_t>("seed").value_or(0);
    });
    if (columns->kind == Setting::Kind::kMapping) {
      for (std::size_t i = 0; i < columns->items.size(); i += 2) {
        made.push_back(column(columns->items[i], columns->items[i + 1]));
      }
    } else if (columns->kind == Setting::Kind::kSequence) {
      for (Setting column_settings : columns->items) {
        require_mapping(column_settings, "must be the settings of a column");
        auto& items = column_settings.items;
        auto key = items.begin();
        while (key != items.end() && key->text != "name") key += 2;
        if (key == items.end()) refuse(column_settings, "must give the column a `name`");
        const Setting column_name = key[1];
        items.erase(key, key + 2);
        made.push_back(column(column_name, column_settings));
      }
    } else {
      refuse(*columns, "must map the names of columns to their settings");
    }
    const Setting* const listed = settings.find("rules");
    const std::vector<RuleDeclaration> rules =
        listed == nullptr ? std::vector<RuleDeclaration>() : declared_rules(*listed);
    return located(listed != nullptr ? *listed : *columns,
                   [&] { return Domain::make(std::move(made), seed, rules); });
  }

 private:
  [[noreturn]] void refuse(const Setting& node, std::string_view what) const {
    refuse_input("malformed-file", Concern::in_file(name_, node.line), "{} {}",
                 place_words(name_, node.line), what);
  }

  /// The sentence with its place; without lines it names a column.
  [[nodiscard]] std::string located_words(std::uint64_t line, const char* sentence) const {
    if (name_.empty()) return sentence;
    return fmt::format("{}: {}", place_words(name_, static_cast<std::int64_t>(line)), sentence);
  }

  // Adds the place to a factory's refusal.
  template <class Make>
  std::invoke_result_t<Make> located(const Setting& node, Make make) const {
    try {
      return make();
    } catch (const InvalidInput& error) {
      const std::uint64_t line = error.line() != 0 ? error.line() : node.line;
      throw InvalidInput(error, located_words(line, error.what()), Concern::in_file(name_, line));
    }
  }

  std::vector<RuleDeclaration> declared_rules(const Setting& list) const {
    if (list.kind != Setting::Kind::kSequence) {
      refuse(list,
             "must list the rules, each a text or a mapping with `rule`, or with `column`, "
             "`follows` and `map`");
    }
    std::vector<RuleDeclaration> rules;
    for (const Setting& one : list.items) {
      RuleDeclaration& rule = rules.emplace_back();
      rule.line = one.line;
      if (one.is_scalar() && !one.null) {
        rule.text = one.text;
        continue;
      }
      require_mapping(one,
                      "must have a rule as a text, or a mapping with `rule`, or with `column`, "
                      "`follows` and `map`");
      located(one, [&] {
        const Settings settings(one);
        rule.name = settings.maybe<std::string>("name").value_or("");
        // R's validate lists the lines of long expressions, and its other keys say no rule.
        if (settings.find("expr") != nullptr) {
          settings.require_known(
              std::array<std::string_view, 8>{"name", "expr", "label", "description", "created",
                                              "origin", "meta", "options"},
              "a rule");
          const bool is_long = settings.find("expr")->kind == Setting::Kind::kSequence;
          rule.text =
              !is_long ? settings.get<std::string>("expr")
                       : fmt::format(
                             "{}", fmt::join(settings.get<std::vector<std::string>>("expr"), " "));
          return;
        }
        settings.require_known(
            std::array<std::string_view, 5>{"name", "rule", "column", "follows", "map"}, "a rule");
        if (settings.has_instead("rule", {"column", "follows", "map"})) {
          rule.text = settings.get<std::string>("rule");
          return;
        }
        rule.column = settings.get<std::string>("column");
        rule.from = settings.get<std::string>("follows");
        const Setting* const map = settings.find("map");
        if (map == nullptr || map->kind != Setting::Kind::kMapping) {
          settings.refuse("wrong-type", "map", "must map each value of the other column to one");
        }
        for (std::size_t i = 0; i < map->items.size(); i += 2) {
          const Setting& to = map->items[i + 1];
          if (!to.is_scalar()) settings.refuse("wrong-type", "map", "must map values to values");
          rule.map.emplace_back(map->items[i].text, to.null ? "" : to.text);
        }
      });
    }
    return rules;
  }

  void require_mapping(const Setting& node, std::string_view expectation) const {
    if (node.kind != Setting::Kind::kMapping) refuse(node, expectation);
  }

  Column column(const Setting& key, const Setting& settings) const {
    if (!key.is_scalar() || key.null) {
      refuse(key, "must have a text as a column's name (in quotes null is one)");
    }
    if (settings.kind != Setting::Kind::kMapping) {
      refuse(key, fmt::format("must map column {} to its settings", in_quotes(key.text)));
    }
    return located(key, [&] { return Column::declare(key.text, settings); });
  }

  const std::string& name_;
};

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;

bool is_word_of_format(std::string_view text) { return text == "category" || text == "clip"; }

// A text that is read back as this one, and never as a word of the format. JSON's quoted strings
// are YAML's; yaml-cpp's emitter would replace some rare characters.
std::string scalar(std::string_view text) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
  const bool plain = !unsigned_text.empty() && is_alphanumeric(unsigned_text.front()) &&
                     std::all_of(unsigned_text.begin(), unsigned_text.end(), [&](char c) {
                       return is_alphanumeric(c) || c == '.' || c == '-' || c == '+';
                     });
  const bool word = is_word_of_format(text) || equal_ignoring_case(text, "null");
  return plain && !word ? std::string(text) : nlohmann::json(text).dump();
}

std::string yaml_of(const Setting& setting) {
  if (setting.kind == Setting::Kind::kScalar) {
    return setting.quoted ? scalar(setting.text) : setting.text;
  }
  const bool is_mapping = setting.kind == Setting::Kind::kMapping;
  std::string text;
  for (std::size_t i = 0; i < setting.items.size(); ++i) {
    const bool is_label = is_mapping && i % 2 == 1;
    text += (i == 0 ? "" : is_label ? ": " : ", ") + yaml_of(setting.items[i]);
  }
  return is_mapping ? "{" + text + "}" : "[" + text + "]";
}

std::string yaml_of_rule(const RuleDeclaration& rule) {
  std::string text = rule.name.empty() ? "" : "name: " + scalar(rule.name) + ", ";
  if (!rule.text.empty()) return text + "rule: " + Json(rule.text).dump();
  text += fmt::format("column: {}, follows: {}, map: {{", scalar(rule.column), scalar(rule.from));
  for (std::size_t i = 0; i < rule.map.size(); ++i) {
    const auto& [from, to] = rule.map[i];
    const std::string key = scalar(from);
    constexpr std::size_t kMostPlain = 1000;  // letters of a key that YAML reads without its mark
    text += fmt::format("{}{}{}: {}", i == 0 ? "" : ", ", key.size() > kMostPlain ? "? " : "", key,
                        to.empty() ? "null" : scalar(to));
  }
  return text + "}";
}

Json json_of_rule(const RuleDeclaration& rule) {
  if (rule.name.empty() && !rule.text.empty()) return rule.text;
  Json made = Json::object();
  if (!rule.name.empty()) made["name"] = rule.name;
  if (!rule.text.empty()) {
    made["rule"] = rule.text;
    return made;
  }
  made["column"] = rule.column;
  made["follows"] = rule.from;
  made["map"] = Json::object();
  for (const auto& [from, to] : rule.map) made["map"][from] = to.empty() ? Json() : Json(to);
  return made;
}

constexpr std::string_view kSchemaOfDomain = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "A domain of mollify",
  "description": "What a record can be: public, and declared before any data is opened. A domain file is YAML of this form; docs/reference/domain.md explains each key.",
  "type": "object",
  "properties": {
    "seed": {
      "description": "Fixes the public candidates of releases that use them.",
      "type": "integer", "minimum": 0},
    "columns": {
      "description": "By name, in the order in which records have them; or a list of columns that have a name.",
      "oneOf": [{"type": "object", "additionalProperties": {"$ref": "#/$defs/column"}},
                {"type": "array", "items": {"$ref": "#/$defs/column"}}]},
    "rules": {
      "description": "Which combinations of values can occur; docs/reference/rules.md explains them.",
      "type": "array", "items": {"$ref": "#/$defs/rule"}}},
  "required": ["columns"],
  "additionalProperties": false,
  "$defs": {
    "value": {
      "description": "A value as a field would write it.", "type": ["string", "number", "boolean"]},
    "null": {
      "description": "What a null becomes: category (a value of its own) or a value of the column. Default: category.",
      "$ref": "#/$defs/value"},
    "outside": {
      "description": "What all else becomes: clip (numbers, days and times beyond a bound to the nearest, the rest as nulls), a value of the column, or null where null is category. Default: clip.",
      "anyOf": [{"$ref": "#/$defs/value"}, {"type": "null"}]},
    "missing": {
      "description": "Codes that stand for a reason why there is no value: a list, which become null, or each with its label, a value of its own.",
      "oneOf": [{"type": "array", "items": {"$ref": "#/$defs/value"}},
                {"type": "object", "additionalProperties": {"type": "string"}}]},
    "rule": {
      "description": "A formula about the columns of a record, or a column whose value follows from another's.",
      "examples": ["if age < 15 then income is null", {"name": "adults", "rule": "hired >= birth + 16 years"}, {"column": "region", "follows": "city", "map": {"Lyon": "south", "Metz": "east"}}],
      "oneOf": [{"type": "string"},
                {"type": "object", "properties": {"name": {"type": "string"}, "rule": {"type": "string"}},
                 "required": ["rule"], "additionalProperties": false},
                {"description": "A rule of R's package validate, whose other keys are ignored.", "type": "object",
                 "properties": {"name": {"type": "string"}, "expr": {"type": "string"}, "label": {}, "description": {}, "created": {}, "origin": {}, "meta": {}, "options": {}},
                 "required": ["expr"], "additionalProperties": false},
                {"type": "object",
                 "properties": {"name": {"type": "string"}, "column": {"type": "string"}, "follows": {"type": "string"},
                                "map": {"description": "The value for each value of the other column, or null.",
                                        "type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/value"}, {"type": "null"}]}}},
                 "required": ["column", "follows", "map"], "additionalProperties": false}]},
    "column": {"oneOf": []}}})";

Json json_of(const Setting& setting, bool words) {
  if (setting.null) return nullptr;
  if (setting.kind == Setting::Kind::kSequence) {
    Json list = Json::array();
    for (const Setting& item : setting.items) list.push_back(json_of(item, false));
    return list;
  }
  if (setting.kind == Setting::Kind::kMapping) {
    Json mapping = Json::object();
    for (std::size_t i = 0; i < setting.items.size(); i += 2) {
      mapping[setting.items[i].text] = json_of(setting.items[i + 1], words);
    }
    return mapping;
  }
  if (setting.quoted) {
    return words && is_word_of_format(setting.text) ? Json{{"value", setting.text}}
                                                    : Json(setting.text);
  }
  Json typed = Json::parse(setting.text, nullptr, false);
  return typed.is_number() || typed.is_boolean() ? typed : Json(setting.text);
}

}  // namespace

Domain parse_domain(std::string_view yaml, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (yaml.starts_with(kByteOrderMark)) yaml.remove_prefix(kByteOrderMark.size());
  return DomainParser(name).parse(parse_yaml(yaml, name));
}

Domain read_domain(const std::string& path) {
  return parse_domain(read_text_file(path, kMaxFileBytes), path);
}

std::string domain_yaml(const Domain& domain, const std::vector<std::string>& notes,
                        Defaults defaults) {
  std::string yaml;
  for (std::string note : notes) {
    // A note may name a file whose name is not text: it must not end the comment or the encoding.
    const bool is_text = is_utf8(note);
    std::replace_if(
        note.begin(), note.end(),
        [is_text](char c) {
          const auto byte = static_cast<unsigned char>(c);
          return byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_text);
        },
        '?');
    yaml += fmt::format("# {}\n", note);
  }
  if (domain.seed() != 0) yaml += fmt::format("seed: {}\n", domain.seed());
  yaml += "columns:\n";
  for (const Column& column : domain.columns()) {
    yaml += fmt::format("  {}:\n", scalar(column.name()));
    for (const auto& [key, setting] : column.settings(defaults == Defaults::kSpelledOut)) {
      yaml += fmt::format("    {}: {}\n", key, yaml_of(setting));
    }
  }
  const std::vector<RuleDeclaration> rules = domain.rules();
  if (!rules.empty()) yaml += "rules:\n";
  for (const RuleDeclaration& rule : rules) {
    if (rule.name.empty() && !rule.text.empty()) {
      yaml += fmt::format("  - {}\n", Json(rule.text).dump());
      continue;
    }
    yaml += fmt::format("  - {{{}}}\n", yaml_of_rule(rule));
  }
  return yaml;
}

std::string rules_for_validate(const Domain& domain) {
  const std::vector<RuleDeclaration> declared = domain.rules();
  refuse_if(declared.empty(), "empty-input", Concern("rules"),
            "the domain must have rules to write, but has none");
  std::string yaml, missing;
  for (const DomainRule& rule : domain.possible()->rules()) {
    const std::vector<std::string> made = rule_in_r(rule, domain.columns());
    if (made.empty()) missing += fmt::format("# R cannot say: {}\n", Json(rule.name).dump());
    for (std::size_t i = 0; i < made.size(); ++i) {
      yaml += fmt::format("- expr: {}\n", Json(made[i]).dump());
      if (!rule.declared.name.empty()) {
        const std::string number = made.size() == 1 ? "" : fmt::format(" {}", i + 1);
        yaml += fmt::format("  name: {}\n", Json(rule.name + number).dump());
      }
      yaml += fmt::format("  description: {}\n",
                          Json(rule.declared.text.empty() ? rule.name : rule.declared.text).dump());
    }
  }
  return missing + (yaml.empty() ? "rules: []\n" : "rules:\n" + yaml);
}

std::string domain_json(const Domain& domain) {
  Json json = Json::object();
  if (domain.seed() != 0) json["seed"] = domain.seed();
  for (const Column& column : domain.columns()) {
    Json one{{"name", column.name()}};
    for (const auto& [key, setting] : column.settings())
      one[std::string(key)] = json_of(setting, key != "missing");
    json["columns"].push_back(std::move(one));
  }
  for (const RuleDeclaration& rule : domain.rules()) json["rules"].push_back(json_of_rule(rule));
  return json.dump();
}

std::string domain_schema() {
  Json schema = Json::parse(kSchemaOfDomain);
  for (const ColumnKind* const kind : column_kinds()) {
    Json properties{{"name", {{"type", "string"}}}, {"type", {{"const", kind->name}}}};
    Json required = {"type"};
    for (const ColumnKey& key : kind->keys) {
      properties[std::string(key.name)] = Json::parse(key.schema);
      if (key.required) required.push_back(key.name);
    }
    Json examples = Json::array();
    for (const std::string_view example : kind->examples) {
      const std::string settings =
          fmt::format("{{type: {}{}{}}}", kind->name, example.empty() ? "" : ", ", example);
      examples.push_back(json_of(parse_yaml(settings, "an example"), true));
    }
    for (const char* key : {"missing", "null", "outside"}) {
      if (kind->bounded || key != std::string_view("missing"))
        properties[key] = {{"$ref", fmt::format("#/$defs/{}", key)}};
    }
    schema["$defs"]["column"]["oneOf"].push_back({{"title", kind->title},
                                                  {"examples", std::move(examples)},
                                                  {"type", "object"},
                                                  {"properties", std::move(properties)},
                                                  {"required", std::move(required)},
                                                  {"additionalProperties", false}});
  }
  return schema.dump(2) + "\n";
}

}  // namespace mollify
