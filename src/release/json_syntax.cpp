#include "release/json_syntax.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr std::size_t kMostDepth = 64;

/// Hears the parts of a text as they come and stops at the first that may not be.
class Listener final : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// What is wrong, after "NAME must be"; empty: not JSON at all.
  std::string expected;

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
    expected = fmt::format("JSON without repeated keys, but repeats \"{}\"", key);
    return false;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  /// A NUL would end a name of a file, and a sentence, before its end.
  bool is_whole(const std::string& text) {
    if (text.find('\0') == text.npos) return true;
    expected = "JSON without NUL in its texts, but has one";
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

  std::vector<std::set<std::string>> keys_;
};

}  // namespace

void require_json(std::string_view text, const std::string& name) {
  Listener listener;
  // The parser takes a NUL for the end of the text, whatever follows.
  if (text.find('\0') == text.npos &&
      nlohmann::json::sax_parse(text.begin(), text.end(), &listener))
    return;
  throw InvalidInput(fmt::format(
      "{} must be {}", name, listener.expected.empty() ? "JSON, but is not" : listener.expected));
}

}  // namespace mollify
