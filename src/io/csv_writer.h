// Writes records as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mollify {

/// Appends one record and a line feed, quoted as RFC 4180 says where a field needs it (commas,
/// quotes, line breaks, outer spaces). A record of one empty field is written as `""`, so that
/// its line is not empty and no reader skips it.
void append_csv_record(std::span<const std::string> fields, std::string& csv);

}  // namespace mollify
