#include "io/column_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "space/field_text.h"

namespace mollify {
namespace {

template <std::size_t kSize>
bool is_one_of(std::string_view column, const std::array<std::string_view, kSize>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return equal_ignoring_case(column, name); });
}

/// Whether a part of it reads so.
bool holds(std::string_view column, std::string_view part) {
  for (std::size_t at = 0; at + part.size() <= column.size(); ++at) {
    if (equal_ignoring_case(column.substr(at, part.size()), part)) return true;
  }
  return false;
}

/// "id", or ends in it: "user_id", "user-id", "user id".
bool is_an_id(std::string_view column) {
  constexpr std::array<std::string_view, 3> kEnds = {"_id", "-id", " id"};
  return equal_ignoring_case(column, "id") ||
         (column.size() > 3 && is_one_of(column.substr(column.size() - 3), kEnds));
}

}  // namespace

bool names_somebody(std::string_view column) {
  constexpr std::array<std::string_view, 9> kParts = {
      "name",     "address",         "street", "email",  "phone",
      "passport", "social_security", "birth",  "comment"};
  constexpr std::array<std::string_view, 3> kWhole = {"ssn", "note", "notes"};
  return is_an_id(column) || is_one_of(column, kWhole) ||
         std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return holds(column, part); });
}

bool names_a_unit(std::string_view column) {
  constexpr std::array<std::string_view, 16> kWhole = {
      "uid",    "userid",  "user",        "person", "patient",  "customer",  "client", "subject",
      "member", "student", "participant", "pupil",  "employee", "household", "device", "school"};
  return is_an_id(column) || is_one_of(column, kWhole);
}

}  // namespace mollify
