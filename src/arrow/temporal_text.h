// Dates and times as text.
#pragma once

#include <cstdint>
#include <string>

namespace mollify {

/// Appends the day as ISO 8601 writes it, `2024-02-29`, so many days after 1970-01-01. Years beyond
/// 9999 have more digits, those before 0 a minus sign.
void append_date(std::int64_t days, std::string& text);

/// Appends the time as ISO 8601 writes it, `2024-02-29T12:34:56`, so many units after the beginning
/// of 1970, of which `per_second` (1, 10^3, 10^6 or 10^9) make a second. What is left of a second
/// follows in six digits, in nine if six do not do, and not at all if it is zero: so the text does
/// not depend on the unit.
void append_time(std::int64_t count, std::int64_t per_second, std::string& text);

}  // namespace mollify
