// How the certificates of all models are read and held against what they say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/core/invalid_input.h"

namespace mollify {

using Json = nlohmann::ordered_json;

/// Outcomes, and how many records each has.
using OutcomeCounts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The object that a certificate's text is. Throws InvalidInput, naming `name`, for any other text
/// and for one of another format.
Json certificate_object(const std::string& text, const char* format, const std::string& name);

/// A certificate is its numbers: whatever else it says must be what `implied` makes of them, so
/// that nobody reads a promise that `verify` has not seen. Throws InvalidInput where `text`
/// differs.
void require_implied(const std::string& implied, const std::string& text, const std::string& name);

/// Reads one member of a certificate, or says which one is not as it must be.
class CertificateReader {
 public:
  CertificateReader(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  template <class Value>
  Value get(const char* pointer, const char* expected) const {
    const Json::json_pointer place(pointer);
    try {
      const Json& member = json_.at(place);
      // Any other number would be cast, which is not defined for all of them.
      if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, OutcomeCounts>) {
        if (!is_whole(member)) refuse(pointer, expected);
      }
      return member.template get<Value>();
    } catch (const Json::exception&) {
      refuse(pointer, expected);
    }
  }

  template <class Value>
  std::optional<Value> find(const char* pointer, const char* expected) const {
    const Json::json_pointer place(pointer);
    if (!json_.contains(place) || json_.at(place).is_null()) return std::nullopt;
    return get<Value>(pointer, expected);
  }

 private:
  /// A whole number of at most 64 bits, or an array of such.
  static bool is_whole(const Json& json) {
    return json.is_array() ? std::all_of(json.begin(), json.end(), is_whole)
                           : json.is_number_unsigned();
  }

  [[noreturn]] void refuse(const char* pointer, const char* expected) const {
    throw InvalidInput(fmt::format("{} must have {} at {}", name_, expected, pointer));
  }

  const Json& json_;
  std::string name_;
};

}  // namespace mollify
