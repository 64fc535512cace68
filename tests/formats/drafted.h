// A draft of one public column.
#pragma once

#include <string>
#include <vector>

#include "domain/column.h"
#include "formats/draft_domain.h"
#include "formats/scratch.h"

namespace mollify::test {

/// The values of a public column, drafted; each comes five times.
inline Column drafted(const std::vector<std::string>& values) {
  const Scratch scratch;
  std::string csv = "x\n";
  for (int i = 0; i < 5; ++i) {
    for (const std::string& value : values) csv += value + "\n";
  }
  return draft_domain(scratch.write("pub.csv", csv), {"x"}).domain.columns()[0];
}

}  // namespace mollify::test
