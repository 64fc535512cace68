// One value of any type.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace mollify {

/// A null, an integer, a number, a truth or a text, as a program hands it over. It stands for the
/// text that a CSV file would hold in its place, and to every column it is what that text is:
///
/// - null is the empty field;
/// - an integer is its decimal digits;
/// - a number is the shortest decimal text that reads back as it, `3` for 3.0 and `0` for both
///   zeros; NaN is `nan`, a word for null; the infinities are `inf` and `-inf`;
/// - a truth is `true` or `false`. Columns of the usual words read those (yes and no, for example);
///   to a column of other words, as [female, male], they are as unreadable as in a file, for
///   nobody declared which of the two is true;
/// - a text is itself. An empty one is a null.
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string_view>;

}  // namespace mollify
