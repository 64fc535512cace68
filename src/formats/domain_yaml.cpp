#include "formats/domain_yaml.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/names.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A YAML document as plain nodes that know their lines.

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
      refuse(mark, fmt::format("must hold no NUL, but holds \"{}\"", node.text));
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

// -----------------------------------------------------------------------------------------------
// Domain files.

namespace {

constexpr std::string_view kNullWord = "category";
constexpr std::string_view kOutsideWord = "clip";
constexpr std::string_view kPrivateWord = "private";

// Reads one document. Every refusal names the file and the line it is about.
class DomainParser {
 public:
  explicit DomainParser(const std::string& name) : name_(name) {}

  Domain parse(const YamlNode& root) {
    require_mapping(root, "must map `columns` to the domain's columns");
    require_known(root, {"columns", "seed"}, "a domain");
    const YamlNode* columns = find(root, "columns");
    if (columns == nullptr) refuse(root, "must declare `columns`");
    std::uint64_t seed = 0;
    if (const YamlNode* node = find(root, "seed")) seed = unsigned_integer(*node, "seed");
    std::vector<Column> made;
    if (columns->kind == YamlNode::Kind::kMapping) {
      for (std::size_t i = 0; i < columns->items.size(); i += 2) {
        made.push_back(column(columns->items[i], columns->items[i + 1], false));
      }
    } else if (columns->kind == YamlNode::Kind::kSequence) {
      for (const YamlNode& settings : columns->items) {
        require_mapping(settings, "must be the settings of a column");
        const YamlNode* column_name = find(settings, "name");
        if (column_name == nullptr) refuse(settings, "must give the column a `name`");
        made.push_back(column(*column_name, settings, true));
      }
    } else {
      refuse(*columns, "must map the names of columns to their settings");
    }
    return located(*columns, [&] { return Domain::make(std::move(made), seed); });
  }

 private:
  [[noreturn]] void refuse(const YamlNode& node, std::string_view what) const {
    throw InvalidInput(fmt::format("{} line {} {}", name_, node.line, what));
  }

  // Adds the place to what a factory refuses.
  template <class Make>
  std::invoke_result_t<Make> located(const YamlNode& node, Make make,
                                     std::string_view subject = {}) const {
    try {
      return make();
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("{} line {}: {}{}", name_, node.line, subject, error.what()));
    }
  }

  static const YamlNode* find(const YamlNode& mapping, std::string_view key) {
    for (std::size_t i = 0; i < mapping.items.size(); i += 2) {
      if (mapping.items[i].text == key) return &mapping.items[i + 1];
    }
    return nullptr;
  }

  void require_mapping(const YamlNode& node, std::string_view expectation) const {
    if (node.kind != YamlNode::Kind::kMapping) refuse(node, expectation);
  }

  void require_known(const YamlNode& mapping, const std::vector<std::string_view>& known,
                     std::string_view owner) const {
    for (std::size_t i = 0; i < mapping.items.size(); i += 2) {
      const YamlNode& key = mapping.items[i];
      if (std::find(known.begin(), known.end(), key.text) == known.end()) {
        const std::vector<std::string> names(known.begin(), known.end());
        refuse(key,
               fmt::format("must not hold the key \"{}\", which {} does not have (it has {}){}",
                           key.text, owner, fmt::join(known, ", "), did_you_mean(key.text, names)));
      }
    }
  }

  const std::string& text(const YamlNode& node, std::string_view key) const {
    if (!node.is_scalar()) {
      refuse(node, fmt::format("must give {} as one text, but gives a {}", key,
                               node.kind == YamlNode::Kind::kSequence ? "list" : "mapping"));
    }
    if (node.null) {
      refuse(node,
             fmt::format("must have a text as {}, but has null (in quotes it is a word)", key));
    }
    return node.text;
  }

  template <class Integer>
  Integer whole(const YamlNode& node, std::string_view key, std::string_view kind) const {
    const std::string& digits = text(node, key);
    Integer value = 0;
    const char* const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end) {
      refuse(node, fmt::format("must have {} as {}, but has \"{}\"", kind, key, digits));
    }
    return value;
  }

  std::int64_t integer(const YamlNode& node, std::string_view key) const {
    return whole<std::int64_t>(node, key, "an integer of 64 bits");
  }

  std::uint64_t unsigned_integer(const YamlNode& node, std::string_view key) const {
    return whole<std::uint64_t>(node, key, "an integer from 0 to 2^64 - 1");
  }

  static bool is_private(const YamlNode* bins) {
    return bins != nullptr && bins->is_scalar() && bins->text == kPrivateWord;
  }

  std::uint64_t number_of_bins(const YamlNode& node) const {
    return whole<std::uint64_t>(node, "bins", "private or an integer from 0 to 2^64 - 1");
  }

  double number(const YamlNode& node, std::string_view key) const {
    const auto value = read_number(text(node, key));
    if (!value || !std::isfinite(*value)) {
      refuse(node, fmt::format("must have a finite number as {}, but has \"{}\"", key, node.text));
    }
    return *value;
  }

  const YamlNode& required(const YamlNode& key, const YamlNode& settings,
                           std::string_view setting) const {
    const YamlNode* node = find(settings, setting);
    if (node == nullptr) {
      refuse(key, fmt::format("must give column \"{}\" the key `{}`", key.text, setting));
    }
    return *node;
  }

  std::vector<std::string> values(const YamlNode& node) const {
    if (node.kind != YamlNode::Kind::kSequence) refuse(node, "must have a list as `values`");
    std::vector<std::string> list;
    list.reserve(node.items.size());
    for (const YamlNode& item : node.items) list.push_back(text(item, "a value"));
    return list;
  }

  Cells cells(const YamlNode& key, const YamlNode& settings, const std::string& type) const {
    const std::string subject = fmt::format("column \"{}\": ", key.text);
    if (type == "categorical" || type == "ordinal") {
      const auto words = values(required(key, settings, "values"));
      return located(
          key, [&] { return Categories::make(words, type == "ordinal"); }, subject);
    }
    if (type == "date" || type == "datetime") return dates(key, settings, type);
    if (type == "boolean") {
      const YamlNode* node = find(settings, "values");
      if (node == nullptr) return BooleanWords::make();
      const auto words = values(*node);
      if (words.size() != 2) {
        refuse(*node, fmt::format("must list the words for false and for true, but lists {} words",
                                  words.size()));
      }
      return located(
          key, [&] { return BooleanWords::make(words[0], words[1]); }, subject);
    }
    const YamlNode* edges = find(settings, "edges");
    if (edges != nullptr) {
      for (const char* other : {"min", "max", "bins"}) {
        const YamlNode* node = find(settings, other);
        if (node != nullptr) refuse(*node, fmt::format("must not hold {} beside edges", other));
      }
    }
    if (type == "integer" && edges != nullptr) {
      const auto starts = list<std::int64_t>(
          *edges, "edges", [&](const YamlNode& node) { return integer(node, "an edge"); });
      return located(
          key, [&] { return IntegerCells::with_edges(starts); }, subject);
    }
    if (type == "integer") {
      const std::int64_t min = integer(required(key, settings, "min"), "min");
      const std::int64_t max = integer(required(key, settings, "max"), "max");
      if (is_private(find(settings, "bins"))) {
        return located(
            key, [&] { return IntegerCells::with_private_bins(min, max); }, subject);
      }
      std::optional<std::uint64_t> bins;
      if (const YamlNode* node = find(settings, "bins")) bins = number_of_bins(*node);
      return located(
          key, [&] { return IntegerCells::make(min, max, bins); }, subject);
    }
    std::optional<double> spike;
    if (const YamlNode* node = find(settings, "spike")) spike = number(*node, "spike");
    if (edges != nullptr) {
      const auto numbers = list<double>(
          *edges, "edges", [&](const YamlNode& node) { return number(node, "an edge"); });
      return located(
          key, [&] { return NumberCells::with_edges(numbers, spike); }, subject);
    }
    const double min = number(required(key, settings, "min"), "min");
    const double max = number(required(key, settings, "max"), "max");
    if (is_private(find(settings, "bins"))) {
      return located(
          key, [&] { return NumberCells::with_private_bins(min, max, spike); }, subject);
    }
    std::optional<std::uint64_t> bins;
    if (const YamlNode* node = find(settings, "bins")) bins = number_of_bins(*node);
    if (spike && !bins) refuse(key, "must give bins or edges beside a spike");
    return located(
        key,
        [&] {
          return spike ? NumberCells::with_spike(min, max, *bins, *spike)
                       : NumberCells::make(min, max, bins);
        },
        subject);
  }

  template <class Item, class Read>
  std::vector<Item> list(const YamlNode& node, std::string_view key, Read read) const {
    if (node.kind != YamlNode::Kind::kSequence) {
      refuse(node, fmt::format("must have a list as `{}`", key));
    }
    std::vector<Item> items;
    for (const YamlNode& item : node.items) items.push_back(read(item));
    return items;
  }

  Cells dates(const YamlNode& key, const YamlNode& settings, const std::string& type) const {
    DateCells::Declaration declared;
    declared.grain = type == "date" ? Grain::kDay : Grain::kSecond;
    declared.min = text(required(key, settings, "min"), "min");
    declared.max = text(required(key, settings, "max"), "max");
    if (const YamlNode* node = find(settings, "zone")) declared.zone = text(*node, "zone");
    const YamlNode* bins = find(settings, "bins");
    return located(
        key,
        [&]() -> Cells {
          if (bins != nullptr) declared.cut_by(text(*bins, "bins"));
          return DateCells::make(declared);
        },
        fmt::format("column \"{}\": ", key.text));
  }

  /// In quotes a word of the format is a value, if the column has it.
  static bool is_word(const YamlNode& node, std::string_view word, const Cells& cells) {
    if (node.is_word(word)) return true;
    const auto verdict = std::visit(
        [&](const auto& declared) { return declared.read(std::string_view(node.text)).verdict; },
        cells);
    return node.text == word && verdict != Verdict::kValue;
  }

  Mapping mapping(const YamlNode& settings, const Cells& cells) const {
    Mapping declared;
    if (const YamlNode* node = find(settings, "null")) {
      const std::string& value = text(*node, "null");
      declared.null_is_category = is_word(*node, kNullWord, cells);
      if (!declared.null_is_category) declared.null_value = value;
    }
    if (const YamlNode* node = find(settings, "outside")) {
      if (node->null) {
        declared.outside_value = "";  // as a field would write it
      } else if (const std::string& value = text(*node, "outside");
                 !is_word(*node, kOutsideWord, cells)) {
        declared.outside_value = value;
      } else {
        declared.clips = true;
      }
    }
    return declared;
  }

  Column column(const YamlNode& key, const YamlNode& settings, bool named_inside) {
    text(key, "a column's name");
    if (settings.kind != YamlNode::Kind::kMapping) {
      refuse(key, fmt::format("must map column \"{}\" to its settings", key.text));
    }
    const YamlNode& type_node = required(key, settings, "type");
    const std::string& type = text(type_node, "type");
    std::vector<std::string_view> known;
    if (type == "categorical" || type == "ordinal" || type == "boolean") {
      known = {"type", "values", "null", "outside"};
    } else if (type == "integer") {
      known = {"type", "min", "max", "bins", "edges", "null", "outside"};
    } else if (type == "number") {
      known = {"type", "min", "max", "bins", "edges", "spike", "null", "outside"};
    } else if (type == "date") {
      known = {"type", "min", "max", "bins", "null", "outside"};
    } else if (type == "datetime") {
      known = {"type", "min", "max", "bins", "zone", "null", "outside"};
    } else {
      const std::vector<std::string> types = {"categorical", "ordinal", "boolean", "integer",
                                              "number",      "date",    "datetime"};
      refuse(type_node, fmt::format("must have {} as type, but has \"{}\"{}",
                                    fmt::join(types, ", "), type, did_you_mean(type, types)));
    }
    if (named_inside) known.emplace_back("name");
    require_known(settings, known, fmt::format("a column of type {}", type));
    Cells declared = cells(key, settings, type);
    Mapping declared_mapping = mapping(settings, declared);
    return located(key, [&] {
      return Column::make(key.text, std::move(declared), std::move(declared_mapping));
    });
  }

  const std::string& name_;
};

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 20U;

// A scalar that is read back as this text, and, if a value, never as a word of the format. JSON's
// quoted strings are YAML's; yaml-cpp's emitter would replace some rare characters.
std::string scalar(std::string_view text) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
  const bool plain = !unsigned_text.empty() && is_alphanumeric(unsigned_text.front()) &&
                     std::all_of(unsigned_text.begin(), unsigned_text.end(), [&](char c) {
                       return is_alphanumeric(c) || c == '.' || c == '-' || c == '+';
                     });
  const bool word = text == kNullWord || text == kOutsideWord || equal_ignoring_case(text, "null");
  return plain && !word ? std::string(text) : nlohmann::json(text).dump();
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string settings_of(const Cells& cells) {
  const auto list = [](std::uint32_t count, const auto& value) {
    std::string text = "    values: [";
    for (std::uint32_t cell = 0; cell < count; ++cell) {
      text += (cell == 0 ? "" : ", ") + scalar(value(cell));
    }
    return text + "]\n";
  };
  const auto range = [](const auto& values, bool binned) {
    return fmt::format("    min: {}\n    max: {}\n", values.min(), values.max()) +
           (values.has_private_bins() ? fmt::format("    bins: {}\n", kPrivateWord)
            : binned                  ? fmt::format("    bins: {}\n", values.size())
                                      : "");
  };
  return std::visit(
      Overloaded{[&](const Categories& categories) {
                   return list(categories.size(),
                               [&](std::uint32_t cell) { return categories.value(cell); });
                 },
                 [&](const BooleanWords& words) {
                   if (words.word(0) == "false" && words.word(1) == "true") return std::string();
                   return list(2, [&](std::uint32_t cell) { return words.word(cell); });
                 },
                 [&](const DateCells& dates) {
                   const DateCells::Declaration& declared = dates.declared();
                   std::string text = fmt::format("    min: {}\n    max: {}\n",
                                                  scalar(declared.min), scalar(declared.max));
                   if (declared.period) {
                     text += fmt::format("    bins: {}\n", name_of(*declared.period));
                   }
                   if (declared.bins) text += fmt::format("    bins: {}\n", *declared.bins);
                   if (declared.zone) text += fmt::format("    zone: {}\n", scalar(*declared.zone));
                   return text;
                 },
                 [&](const IntegerCells& integers) {
                   const auto edges = integers.declared_edges();
                   if (edges.empty()) return range(integers, integers.declares_bins());
                   return fmt::format("    edges: [{}]\n", fmt::join(edges, ", "));
                 },
                 [&](const NumberCells& numbers) {
                   const auto& edges = numbers.declared_edges();
                   std::string text =
                       edges.empty()
                           ? fmt::format("    min: {}\n    max: {}\n", numbers.min(), numbers.max())
                           : fmt::format("    edges: [{}]\n", fmt::join(edges, ", "));
                   if (numbers.has_private_bins()) {
                     text += fmt::format("    bins: {}\n", kPrivateWord);
                   } else if (edges.empty() && numbers.declares_bins()) {
                     text += fmt::format("    bins: {}\n", numbers.declared_bins());
                   }
                   if (numbers.spike()) text += fmt::format("    spike: {}\n", *numbers.spike());
                   return text;
                 }},
      cells);
}

}  // namespace

Domain parse_domain(std::string_view yaml, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (yaml.starts_with(kByteOrderMark)) yaml.remove_prefix(kByteOrderMark.size());
  return DomainParser(name).parse(parse_yaml(yaml, name));
}

Domain read_domain(const std::string& path) {
  require_without_nul("a path", path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InvalidInput(fmt::format("{} must be a file, but is a directory", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InvalidInput(
        fmt::format("{} cannot be opened: {}", path, std::generic_category().message(errno)));
  }
  // Read up to one byte more than is allowed, whatever the file system says of its size.
  std::string yaml;
  std::vector<char> block(std::size_t{1} << 16U);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    yaml.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (yaml.size() > kMaxFileBytes) {
      throw InvalidInput(
          fmt::format("{} must have at most {} bytes, but is larger", path, kMaxFileBytes));
    }
  }
  return parse_domain(yaml, path);
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
    yaml += fmt::format("  {}:\n    type: {}\n", scalar(column.name()), type_name(column.cells()));
    yaml += settings_of(column.cells());
    const Mapping& mapping = column.mapping();
    if (mapping.null_is_category) yaml += fmt::format("    null: {}\n", kNullWord);
    if (mapping.null_value) yaml += fmt::format("    null: {}\n", scalar(*mapping.null_value));
    if (defaults == Defaults::kSpelledOut && !column.declares_nulls()) {
      std::string value;
      const std::uint32_t cell = column.encode(std::string_view());
      const auto* numbers = std::get_if<NumberCells>(&column.cells());
      if (numbers != nullptr && cell == 0) {
        value = fmt::format("{}", numbers->min());  // as it stands beside `min`
      } else {
        column.write(cell, 0, value);
      }
      yaml += fmt::format("    null: {}\n", scalar(value));
    }
    if (mapping.outside_value) {
      const bool is_null = mapping.null_is_category && mapping.outside_value->empty();
      yaml += fmt::format("    outside: {}\n", is_null ? "null" : scalar(*mapping.outside_value));
    } else if (mapping.clips || defaults == Defaults::kSpelledOut) {
      yaml += fmt::format("    outside: {}\n", kOutsideWord);
    }
  }
  return yaml;
}

}  // namespace mollify
