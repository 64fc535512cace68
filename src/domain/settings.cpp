#include "domain/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Public values as a file or a program writes them.

Setting Setting::word(std::string text) { return {.text = std::move(text)}; }
Setting Setting::value(std::string text) { return {.quoted = true, .text = std::move(text)}; }

// -----------------------------------------------------------------------------------------------
// Reads the settings of one column.

namespace {

[[noreturn]] void refuse_setting(Code code, const Setting& setting, const Called& name,
                                 std::string_view what, std::vector<WayOut> ways_out = {},
                                 std::vector<Quantity> quantities = {}) {
  Concern concern(name.parameter);
  concern.line = setting.line;
  if (ways_out.empty() && !concern.parameter.empty())
    ways_out.push_back(WayOut::declare(concern.parameter));
  refuse_input(code, concern, std::move(ways_out), std::move(quantities), "{} {}", name.words,
               what);
}

void read(const Setting& setting, const Called& name, std::string& text) {
  if (!setting.is_scalar()) {
    refuse_setting("wrong-type", setting, name,
                   fmt::format("must be one text, but is a {}",
                               setting.kind == Setting::Kind::kSequence ? "list" : "mapping"));
  }
  if (setting.null) {
    refuse_setting("wrong-type", setting, name,
                   "must be a text, but is null (in quotes it is a word)");
  }
  text = setting.text;
}

void read(const Setting& setting, const Called& name, bool& value) {
  std::string word;
  read(setting, name, word);
  value = word == "true";
  if (value || word == "false") return;
  refuse_setting("wrong-type", setting, name,
                 fmt::format("must be true or false, but is {}", in_quotes(word)));
}

/// Infinity as YAML writes it; `read_number` knows all others.
std::optional<double> read_yaml_number(std::string_view digits) {
  const std::string_view bare = digits.substr(digits.starts_with('-') || digits.starts_with('+'));
  if (equal_ignoring_case(bare, ".inf")) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return digits.starts_with('-') ? -kInfinity : kInfinity;
  }
  return read_number(digits);
}

template <class Integer>
requires std::is_integral_v<Integer>
void read(const Setting& setting, const Called& name, Integer& value) {
  std::string digits;
  read(setting, name, digits);
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec == std::errc{} && result.ptr == end) return;
  // A whole number beyond these is out of range, and so is infinity.
  constexpr Range kRange{.least = static_cast<double>(std::numeric_limits<Integer>::lowest()),
                         .most = static_cast<double>(std::numeric_limits<Integer>::max()),
                         .is_open_above = true};
  const auto number = read_yaml_number(digits);
  const bool is_outside =
      number && !kRange.has(*number) && (!std::isfinite(*number) || *number == std::floor(*number));
  refuse_setting(is_outside ? Code("out-of-range") : Code("wrong-type"), setting, name,
                 fmt::format("must be an integer {}, but is {}",
                             std::is_signed_v<Integer> ? "of 64 bits" : "from 0 to 2^64 - 1",
                             in_quotes(digits)),
                 {}, is_outside ? quantities_of(*number, kRange) : std::vector<Quantity>());
}

void read(const Setting& setting, const Called& name, double& value) {
  std::string digits;
  read(setting, name, digits);
  const auto number = read_yaml_number(digits);
  value = number.value_or(0);
  if (number && std::isfinite(value)) return;
  refuse_setting(number ? Code("out-of-range") : Code("wrong-type"), setting, name,
                 fmt::format("must be a finite number, but is {}", in_quotes(digits)), {},
                 number ? quantities_of(value, kDoubles) : std::vector<Quantity>());
}

template <class Item>
void read(const Setting& setting, const Called& name, std::vector<Item>& items) {
  if (setting.kind != Setting::Kind::kSequence) {
    refuse_setting("wrong-type", setting, name, "must be a list, but is not");
  }
  items.resize(setting.items.size());
  const std::string each = fmt::format("an item of {}", name.words);
  for (std::size_t i = 0; i < items.size(); ++i) {
    read(setting.items[i], {each, name.parameter}, items[i]);
  }
}

/// The key that was meant, or that the one typed is to go.
WayOut nearest_key(const std::string& typed, const std::vector<std::string>& known) {
  const std::string meant = nearest_name(typed, known);
  return meant.empty() ? WayOut::leave(typed) : WayOut::declare(meant);
}

}  // namespace

void Settings::require_known(std::span<const std::string_view> known,
                             std::string_view owner) const {
  for (std::size_t i = 0; i < mapping_.items.size(); i += 2) {
    const Setting& key = mapping_.items[i];
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    Concern concern(key.text);
    concern.line = key.line;
    refuse_input("unknown-key", concern, {nearest_key(key.text, names)},
                 "it must not hold the key \"{}\": {} has {}{}", key.text, owner,
                 fmt::join(known, ", "), did_you_mean(key.text, names));
  }
}

const Setting* Settings::find(std::string_view key) const noexcept {
  for (std::size_t i = 0; i + 1 < mapping_.items.size(); i += 2) {
    if (mapping_.items[i].text == key) return &mapping_.items[i + 1];
  }
  return nullptr;
}

bool Settings::is(std::string_view key, std::string_view word) const noexcept {
  const Setting* const setting = find(key);
  return setting != nullptr && setting->is_scalar() && setting->text == word;
}

bool Settings::has_instead(std::string_view key,
                           std::initializer_list<std::string_view> others) const {
  if (!has(key)) return false;
  for (const std::string_view other : others) {
    if (!has(other)) continue;
    refuse("contradicting-parameters", other, fmt::format("must not be given with {}", key),
           {WayOut::leave(other)});
  }
  return true;
}

template <class T>
T Settings::get(std::string_view key) const {
  const Setting* const setting = find(key);
  if (setting == nullptr) refuse_setting("missing-key", mapping_, {key, key}, "is missing");
  T value{};
  read(*setting, {key, key}, value);
  return value;
}
template std::string Settings::get(std::string_view) const;
template bool Settings::get(std::string_view) const;
template std::int64_t Settings::get(std::string_view) const;
template std::uint64_t Settings::get(std::string_view) const;
template double Settings::get(std::string_view) const;
template std::vector<std::string> Settings::get(std::string_view) const;
template std::vector<std::int64_t> Settings::get(std::string_view) const;
template std::vector<double> Settings::get(std::string_view) const;

void Settings::refuse(Code code, std::string_view key, std::string_view what,
                      std::vector<WayOut> ways_out) const {
  const Setting* const setting = find(key);
  refuse_setting(code, setting != nullptr ? *setting : mapping_, {key, key}, what,
                 std::move(ways_out));
}

}  // namespace mollify
