// What the names of columns tell of people.
#pragma once

#include <string_view>

namespace mollify {

/// Whether the name says that the column tells who somebody is: "email", "birth_date", "user_id".
[[nodiscard]] bool names_somebody(std::string_view column);

/// Whether the name says that the column names whom rows belong to: "person", "school", "user_id".
[[nodiscard]] bool names_a_unit(std::string_view column);

}  // namespace mollify
