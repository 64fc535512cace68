// Random domains and small sources of integers for tests. What RapidCheck's templates make of them
// is compiled once.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <string>

#include "domain/domain.h"
#include "domain/settings.h"

namespace mollify::test {

/// A column of any kind or of one, up to about twenty outcomes, with any mapping of other
/// values.
rc::Gen<Column> column(std::string name, const ColumnKind* kind = nullptr);

/// One to four columns with names that trouble readers.
rc::Gen<Domain> domain();

/// A source of integers for decode, seeded by RapidCheck (splitmix64; the bias does not matter).
class Integers {
 public:
  explicit Integers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()(std::uint64_t bound) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31U)) % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace mollify::test
