#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"
#include "core/invalid_input.h"

namespace mollify {

namespace {

constexpr std::size_t kMostDepth = 64;

/// Hears the parts of a text as they come and stops at the first that may not be.
class Listener final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Listener(std::string_view text) : text_(text) {}

  /// The fault, after "NAME must be".
  std::string expected = "JSON, but is not";
  Code code = "malformed-file";
  Concern concern{};

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& text) override { return is_whole(text); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (!is_whole(key)) return false;
    if (keys_.back().insert(key).second) return true;
    expected = fmt::format("JSON without repeated keys, but repeats {}", in_quotes(key));
    code = "duplicate-key";
    concern.parameter = key;
    return false;
  }
  bool parse_error(std::size_t read, const std::string&,
                   const nlohmann::detail::exception&) override {
    const std::string_view before = text_.substr(0, read == 0 ? 0 : read - 1);
    const std::size_t begin = before.rfind('\n') + 1;  // 0 if missing
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    concern.line = static_cast<std::uint64_t>(line);
    expected = read > text_.size() ? "JSON, but ends too early"
                                   : fmt::format("JSON, but is not at line {} column {}", line,
                                                 1 + before.size() - begin);
    return false;
  }

 private:
  /// A NUL would end a name of a file, and a sentence, before its end.
  bool is_whole(const std::string& text) {
    if (text.find('\0') == text.npos) return true;
    expected = fmt::format("JSON without NUL in its texts, but has {}", in_quotes(text));
    return false;
  }
  bool open() {
    keys_.emplace_back();
    if (keys_.size() <= kMostDepth) return true;
    expected = fmt::format("JSON nested at most {} deep, but is deeper", kMostDepth);
    return false;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

void require_json(std::string_view text, const std::string& name) {
  if (text.empty())
    throw InvalidInput("empty-input", fmt::format("{} must be JSON, but is empty", name));
  Listener listener(text);
  // The parser ends the text at a NUL, whatever follows.
  if (text.find('\0') == text.npos &&
      nlohmann::json::sax_parse(text.begin(), text.end(), &listener))
    return;
  std::vector<WayOut> ways;
  if (!listener.concern.parameter.empty())
    ways.push_back(WayOut::leave(listener.concern.parameter));
  throw InvalidInput(listener.code, fmt::format("{} must be {}", name, listener.expected),
                     listener.concern, std::move(ways));
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "not a number";
  return value > 0 ? "infinity" : "-infinity";
}

}  // namespace mollify
