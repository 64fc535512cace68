// The names that users give to the values of an enumeration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mollify {

/// An enumeration with one table of values and names next to it, which everything below reads:
///
///     constexpr std::array names_of(Fruit) { return std::array{Named{Fruit::kApple, "apple"}}; }
template <class Enumeration>
struct Named {
  Enumeration value;
  std::string_view name;
};
template <class Enumeration>
Named(Enumeration, const char*) -> Named<Enumeration>;

template <class Enumeration>
[[nodiscard]] constexpr auto names() {
  return names_of(Enumeration{});
}

template <class Enumeration>
requires requires { names_of(Enumeration{}); }
[[nodiscard]] constexpr std::string_view name_of(Enumeration value) noexcept {
  for (const auto& known : names<Enumeration>()) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// The value of that name, if there is one.
template <class Enumeration>
[[nodiscard]] constexpr std::optional<Enumeration> named(std::string_view name) noexcept {
  for (const auto& known : names<Enumeration>()) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

/// "one, two, three", in the order of the table, or "one, two or three".
template <class Enumeration>
[[nodiscard]] std::string all_names(std::string_view before_last = ", ") {
  std::string text;
  const auto known = names<Enumeration>();
  for (const auto& one : known) {
    if (!text.empty()) text += &one == &known.back() ? before_last : ", ";
    text += one.name;
  }
  return text;
}

/// The names of an enumeration's values, in the order of its table.
template <class Enumeration>
[[nodiscard]] std::vector<std::string> name_list() {
  std::vector<std::string> known;
  for (const auto& one : names<Enumeration>()) known.emplace_back(one.name);
  return known;
}

}  // namespace mollify
