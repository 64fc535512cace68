#include "io/yaml_tree.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "kernel/core/invalid_input.h"
#include "kernel/core/whole_text.h"
#include "space/field_text.h"
#include "space/string_index.h"

namespace mollify {
namespace {

constexpr std::size_t kMaxDepth = 16;

// yaml-cpp holds the tokens of a whole flow collection, more than 100 bytes for each.
constexpr std::ptrdiff_t kMaxFlowIndicators = std::ptrdiff_t{1} << 22U;

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({YamlNode::Kind::kScalar, false, true, line(mark), "null"}, mark);
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
    add({YamlNode::Kind::kScalar, tag == "!", false, line(mark), text}, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    require_no_tag(mark, tag);
    open(YamlNode::Kind::kSequence, mark);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    require_no_tag(mark, tag);
    open(YamlNode::Kind::kMapping, mark);
  }

  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  [[nodiscard]] YamlNode take() { return std::move(root_); }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view what) const {
    throw InvalidInput(fmt::format("{} line {} {}", name_, line(mark), what));
  }

 private:
  static std::uint32_t line(const YAML::Mark& mark) {
    return mark.line < 0 ? 1 : static_cast<std::uint32_t>(mark.line) + 1;
  }

  void require_no_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "?" && tag != "!" && !tag.empty()) refuse(mark, "must not use tags (!name)");
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark) {
    if (open_.size() >= kMaxDepth) {
      refuse(mark, fmt::format("must not be nested more than {} deep", kMaxDepth));
    }
    if (expects_key()) refuse(mark, "must have plain text as the keys of a mapping");
    open_.push_back({YamlNode{kind, false, false, line(mark)}, {}});
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    place(std::move(node));
  }

  void add(YamlNode node, const YAML::Mark& mark) {
    if (node.text.find('\0') != node.text.npos) {
      refuse(mark, fmt::format("must hold no NUL, but holds \"{}\"", with_visible_nul(node.text)));
    }
    if (expects_key()) {
      StringIndex& keys = open_.back().keys;
      if (keys.find(node.text) != StringIndex::kAbsent) {
        refuse(mark, fmt::format("must not repeat the key \"{}\"", node.text));
      }
      keys.insert(node.text);
    }
    place(std::move(node));
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMapping &&
           open_.back().node.items.size() % 2 == 0;
  }

  void place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().node.items.push_back(std::move(node));
    }
  }

  struct Open {
    YamlNode node;
    StringIndex keys;
  };

  const std::string& name_;
  std::vector<Open> open_;
  YamlNode root_;
};

void require_text(std::string_view yaml, const std::string& name) {
  const auto is_binary = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (!is_utf8(yaml) || std::any_of(yaml.begin(), yaml.end(), is_binary)) {
    throw InvalidInput(fmt::format("{} must be a YAML file in UTF-8, but holds other bytes", name));
  }
  const auto flow_indicators = std::count_if(yaml.begin(), yaml.end(), [](char c) {
    return std::string_view("[]{},").find(c) != std::string_view::npos;
  });
  if (flow_indicators > kMaxFlowIndicators) {
    throw InvalidInput(
        fmt::format("{} must have at most {} brackets, braces and commas, but has {}", name,
                    kMaxFlowIndicators, flow_indicators));
  }
}

}  // namespace

YamlNode parse_yaml(std::string_view yaml, const std::string& name) {
  require_text(yaml, name);
  TreeBuilder builder(name);
  std::istringstream stream{std::string(yaml)};
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw InvalidInput(fmt::format("{} must declare columns, but is empty", name));
    }
    YamlNode root = builder.take();
    TreeBuilder rest(name);
    if (parser.HandleNextDocument(rest)) {
      throw InvalidInput(fmt::format("{} must hold one YAML document, but holds more", name));
    }
    return root;
  } catch (const YAML::Exception& error) {
    builder.refuse(error.mark, fmt::format("must be valid YAML, but there is this: {}", error.msg));
  }
}

}  // namespace mollify
