#include "records/unit_columns.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The columns.

UnitColumns::UnitColumns(std::vector<std::string> columns) : names_(std::move(columns)) {
  refuse_if(names_.empty(), "empty-input", "unit",
            "{} must name a column, or several, but names none", flag_words("unit"));
  const bool has_name = std::any_of(names_.begin(), names_.end(),
                                    [](const std::string& name) { return !name.empty(); });
  refuse_if(names_.size() > 1 && !has_name, "malformed-text", "unit",
            "{} must name a column, or several with commas between them, but has commas alone",
            flag_words("unit"));
  for (auto name = names_.begin(); name != names_.end(); ++name) {
    if (std::find(name + 1, names_.end(), *name) == names_.end()) continue;
    refuse_input("duplicate-column", "unit", {WayOut::set("unit")},
                 "{} must name each column once, but has \"{}\" twice", flag_words("unit"), *name);
  }
}

UnitColumns UnitColumns::parse(std::string_view text) {
  std::vector<std::string> names(1);
  bool is_quoted = false;
  bool is_begin = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (is_quoted) {
      if (letter != '"') {
        names.back() += letter;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        names.back() += text[++at];
      } else {
        is_quoted = false;
      }
    } else if (letter == ',') {
      names.emplace_back();
      is_begin = true;
      continue;
    } else if (letter == '"' && is_begin) {
      is_quoted = true;
    } else {
      names.back() += letter;
    }
    is_begin = false;
  }
  return UnitColumns(std::move(names));
}

UnitColumns UnitColumns::of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  return UnitColumns(json.get<std::vector<std::string>>());
}

bool UnitColumns::has(std::string_view column) const noexcept {
  return std::find(names_.begin(), names_.end(), column) != names_.end();
}

std::string UnitColumns::words() const {
  if (names_.size() == 1) return names_.front();
  return fmt::format("({})", fmt::join(names_, ", "));
}

std::string UnitColumns::text() const {
  std::string all;
  for (const std::string& name : names_) {
    if (&name != &names_.front()) all += ',';
    if (name.find(',') == std::string::npos && !name.starts_with('"')) {
      all += name;
      continue;
    }
    all += '"';
    for (const char letter : name) all.append(letter == '"' ? 2 : 1, letter);
    all += '"';
  }
  return all;
}

Json UnitColumns::json() const {
  if (names_.size() == 1) return names_.front();
  return names_;
}

// -----------------------------------------------------------------------------------------------
// What an id of the data, a text or a number, names.

bool is_missing_id(std::string_view text) noexcept { return is_null_word(text); }

std::string_view id_text(std::string_view text, TextBuffer& buffer) noexcept {
  if (text.find('.') == std::string_view::npos) return text;
  const auto integer = read_integer(text);
  return integer ? text_of(*integer, buffer) : text;
}

void append_id(std::string_view id, std::string& joint) {
  joint += std::to_string(id.size());
  joint += ':';
  joint += id;
}

std::vector<std::string_view> ids_in(std::string_view joint) {
  std::vector<std::string_view> ids;
  while (!joint.empty()) {
    std::size_t size = 0;
    const char* const end = joint.data() + joint.size();
    const auto [colon, error] = std::from_chars(joint.data(), end, size);
    if (error != std::errc() || colon == end) break;
    joint.remove_prefix(static_cast<std::size_t>(colon - joint.data()) + 1);
    ids.push_back(joint.substr(0, size));
    joint.remove_prefix(ids.back().size());
  }
  return ids;
}

std::string_view unit_text(std::span<const std::string_view> ids, std::string& joint,
                           TextBuffer& buffer) {
  if (ids.size() == 1) return id_text(ids.front(), buffer);
  joint.clear();
  for (const std::string_view id : ids) append_id(id_text(id, buffer), joint);
  return joint;
}

}  // namespace mollify
