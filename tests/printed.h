// How failures print the parameters of tests: as what they are, and not as bytes.
#pragma once

#include <ostream>
#include <type_traits>

#include "base/names.h"

namespace mollify {

/// A value of an enumeration that has names, by its name. GoogleTest finds this beside the type.
template <class Enumeration>
requires std::is_enum_v<Enumeration> && requires(Enumeration value) { names_of(value); }
std::ostream& operator<<(std::ostream& out, Enumeration value) { return out << name_of(value); }

}  // namespace mollify
