#include "local/law.h"

#include <functional>

#include <boost/multiprecision/cpp_int.hpp>

namespace mollify {
namespace {

using boost::multiprecision::uint256_t;

Law law_from(const uint256_t& denominator, std::size_t outcome_count,
             const std::function<uint256_t(std::size_t)>& numerator) {
  Law law;
  law.denominator = denominator.str();
  law.numerators.reserve(outcome_count);
  law.probabilities.reserve(outcome_count);
  const double whole = denominator.convert_to<double>();
  for (std::size_t j = 0; j < outcome_count; ++j) {
    const uint256_t n = numerator(j);
    law.numerators.push_back(n.str());
    law.probabilities.push_back(n.convert_to<double>() / whole);
  }
  return law;
}

uint256_t sum_of(const std::vector<std::uint64_t>& weights) {
  uint256_t sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  return sum;
}

}  // namespace

Law law_of(const Table& table) {
  return law_from(table.band().total(), table.numerators().size(),
                  [&](std::size_t j) { return uint256_t(table.numerators()[j]); });
}

Law law_of(const SparseTable& table) {
  const std::uint64_t others = table.unscored_lower();
  const uint256_t factor = others == 0 ? 1 : others;
  const std::size_t scored = table.outcomes().size();
  std::size_t next = 0;
  return law_from(factor * table.band().total(), table.band().outcome_count(),
                  [&](std::size_t j) -> uint256_t {
                    if (next < scored && table.outcomes()[next] == j) {
                      return factor * table.numerators()[next++];
                    }
                    return uint256_t(table.numerators()[scored]) * table.band().lower(j);
                  });
}

Law law_of(const RandomizedResponse& channel, const std::vector<std::uint64_t>& weights) {
  const uint256_t sum = sum_of(weights);
  return law_from(sum * channel.total(), channel.outcome_count(), [&](std::size_t j) {
    return uint256_t(sum * channel.other() +
                     uint256_t(weights[j]) * (channel.kept() - channel.other()));
  });
}

Law law_of(const MixtureChannel& channel, const std::vector<std::uint64_t>& weights) {
  const uint256_t sum = sum_of(weights);
  // Row x is its replaced entries, the same in every row, and what is kept on x itself.
  const uint256_t kept = uint256_t(channel.keep()) * channel.reference_total();
  const std::uint64_t replaced = MixtureChannel::kKeepTotal - channel.keep();
  return law_from(sum * uint256_t(channel.total()), channel.outcome_count(), [&](std::size_t j) {
    return uint256_t(sum * replaced * channel.reference(j) + weights[j] * kept);
  });
}

Law law_of(const StaircaseChannel& channel, const std::vector<std::uint64_t>& weights) {
  const std::size_t count = channel.outcome_count();
  const uint256_t sum = sum_of(weights);
  std::vector<uint256_t> numerators(count);
  uint256_t weight_before = 0;  // of the inputs below the outcome's rank
  uint256_t moved_before = 0;   // sum of weight times what each unit of g receives from them
  uint256_t rest_before = 0;    // and times what is left over for the last rank
  for (std::size_t rank = 0; rank < count; ++rank) {
    const std::size_t j = channel.outcome_at_rank(rank);
    const uint256_t weight_beyond = sum - weight_before - weights[j];
    numerators[j] = weight_beyond * uint256_t(channel.stop_entry(rank)) +
                    uint256_t(weights[j]) * uint256_t(channel.stay_entry(rank)) +
                    moved_before * channel.reference(j);
    weight_before += weights[j];
    moved_before += uint256_t(weights[j]) * uint256_t(channel.move_factor(rank));
    if (rank + 1 == count) {
      numerators[j] += rest_before;
    } else {
      rest_before += uint256_t(weights[j]) * uint256_t(channel.rest_entry(rank));
    }
  }
  return law_from(sum * uint256_t(channel.total()), count,
                  [&](std::size_t j) { return numerators[j]; });
}

Law law_of(const MatrixChannel& channel, const std::vector<std::uint64_t>& weights) {
  return law_from(sum_of(weights) * uint256_t(channel.total()), channel.outcome_count(),
                  [&](std::size_t j) {
                    uint256_t numerator = 0;
                    for (std::size_t x = 0; x < weights.size(); ++x) {
                      numerator += uint256_t(weights[x]) * uint256_t(channel.entry(x, j));
                    }
                    return numerator;
                  });
}

}  // namespace mollify
