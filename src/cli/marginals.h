// Laws over a domain as people look at them: levels, pairs of columns, means.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/compare.h"
#include "cli/main.h"
#include "domain/domain.h"
#include "methods/marginals/counts.h"
#include "release/central_method.h"

namespace mollify::cli {

/// A law by its name, "truth", and its shares of the levels of two columns together, i < j, those
/// of j running fastest; of one column where they are the same.
struct NamedLaw {
  const char* name;
  std::function<std::vector<double>(std::size_t i, std::size_t j)> shares;
};

/// A law over all outcomes of a domain; both must outlive what is returned.
NamedLaw law_over_outcomes(const char* name, const Domain& domain, std::span<const double> masses);
/// The shares of counts, which must outlive what is returned and have some weight.
NamedLaw law_of_counts(const char* name, const PairCounts& counts);
/// Each column as it is under a law, and all of them independent.
NamedLaw law_of_independent_columns(const char* name, const NamedLaw& law);

/// How far two-way marginals are from each other in total variation: on average, and at worst.
struct PairDistances {
  double mean = 0;
  double worst = 0;
  std::string where{};  ///< the names of the columns of the worst
};
PairDistances pair_distances(const Domain& domain, const NamedLaw& truth, const NamedLaw& other);

/// A level of a column as it is written; a cell of several values by its least and its greatest.
std::string level_text(const Column& column, std::uint32_t level);

/// What a level counts as in a mean, the middle of a cell; none of what is no number.
std::optional<double> number_of_level(const Column& column, std::uint32_t level);

/// Throws InvalidInput if the columns' pairs have more cells than can be counted.
void require_countable_pairs(const Domain& domain);

/// The shares of each column's levels under each law, means of numbers, those of the table's own
/// numbers beside them (`own`, of each column; `of_second` those of the second law's table, where
/// it is one), and how far the two-way marginals of each are from those of the first. Requires two
/// laws at least.
void print_marginals(const Domain& domain, std::span<const NamedLaw> laws,
                     std::span<const std::optional<OwnMean>> own,
                     std::span<const std::optional<OwnMean>> of_second = {});
Json marginals_json(const Domain& domain, std::span<const NamedLaw> laws,
                    std::span<const std::optional<OwnMean>> own,
                    std::span<const std::optional<OwnMean>> of_second = {});

}  // namespace mollify::cli
