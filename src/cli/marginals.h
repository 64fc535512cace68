// Laws over a finite domain as people look at them: levels, pairs of columns, means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.h"
#include "space/domain.h"

namespace mollify::cli {

/// A law over all outcomes of a domain, by its name: "truth".
struct NamedLaw {
  const char* name;
  std::vector<double> masses;
};

/// A level of a column as it is written; a cell of several values by its least and its greatest.
std::string level_text(const Column& column, std::uint32_t level);

/// The shares of each column's levels under each law, means of numbers, and how far the two-way
/// marginals of each are from those of the first. Requires two laws at least.
void print_marginals(const Domain& domain, std::span<const NamedLaw> laws);
Json marginals_json(const Domain& domain, std::span<const NamedLaw> laws);

}  // namespace mollify::cli
