// Prints the parameters of tests by name, where GoogleTest would print bytes.
#pragma once

#include <ostream>
#include <type_traits>

#include "base/named.h"

namespace mollify {

/// For every enumeration with names, in whose namespace GoogleTest looks.
template <class Enumeration>
requires std::is_enum_v<Enumeration> && requires(Enumeration value) { names_of(value); }
std::ostream& operator<<(std::ostream& out, Enumeration value) { return out << name_of(value); }

}  // namespace mollify
