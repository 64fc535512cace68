#include "methods/local/law.h"

#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/random.h"

namespace mollify {

namespace {

/// Unsigned integers of 256 bits: no numerator has more than 190.
class Wide {
 public:
  Wide(uint128 value = 0)
      : limbs_{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64U)} {}

  Wide& operator+=(const Wide& other) {
    uint128 carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      carry += uint128{limbs_[i]} + other.limbs_[i];
      limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64U;
    }
    return *this;
  }
  friend Wide operator+(Wide a, const Wide& b) { return a += b; }

  friend Wide operator*(Wide a, std::uint64_t factor) {
    uint128 carry = 0;
    for (std::uint64_t& limb : a.limbs_) {
      carry += uint128{limb} * factor;
      limb = static_cast<std::uint64_t>(carry);
      carry >>= 64U;
    }
    return a;
  }

  [[nodiscard]] std::string decimal() const {
    constexpr std::uint64_t kEighteenDigits = 1'000'000'000'000'000'000;
    std::array<std::uint64_t, 4> left = limbs_;
    std::string digits;
    for (;;) {
      uint128 rest = 0;
      for (std::size_t i = left.size(); i-- > 0;) {
        rest = (rest << 64U) + left[i];
        left[i] = static_cast<std::uint64_t>(rest / kEighteenDigits);
        rest %= kEighteenDigits;
      }
      const auto last = static_cast<std::uint64_t>(rest);
      if (left == std::array<std::uint64_t, 4>{}) return fmt::format("{}{}", last, digits);
      digits = fmt::format("{:018}{}", last, digits);
    }
  }

  [[nodiscard]] double as_double() const {
    double value = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      value += std::ldexp(static_cast<double>(limbs_[i]), static_cast<int>(64 * i));
    }
    return value;
  }

 private:
  std::array<std::uint64_t, 4> limbs_;  // the least first
};

Law law_from(const Wide& denominator, std::size_t outcome_count,
             const std::function<Wide(std::size_t)>& numerator) {
  Law law;
  law.denominator = denominator.decimal();
  law.numerators.reserve(outcome_count);
  law.probabilities.reserve(outcome_count);
  const double whole = denominator.as_double();
  for (std::size_t j = 0; j < outcome_count; ++j) {
    const Wide n = numerator(j);
    law.numerators.push_back(n.decimal());
    law.probabilities.push_back(n.as_double() / whole);
  }
  return law;
}

/// Below 2^62.
std::uint64_t sum_of(const std::vector<std::uint64_t>& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
}

}  // namespace

Law law_of(const Table& table) {
  return law_from(table.band().total(), table.numerators().size(),
                  [&](std::size_t j) { return Wide(table.numerators()[j]); });
}

Law law_of(const SparseTable& table) {
  const std::uint64_t others = table.unscored_lower();
  const uint128 factor = others == 0 ? 1 : others;
  const std::size_t scored = table.outcomes().size();
  std::size_t next = 0;
  return law_from(factor * table.band().total(), table.band().outcome_count(),
                  [&](std::size_t j) -> Wide {
                    if (next < scored && table.outcomes()[next] == j) {
                      return factor * table.numerators()[next++];
                    }
                    return uint128{table.numerators()[scored]} * table.band().lower(j);
                  });
}

Law law_of(const RandomizedResponse& channel, const std::vector<std::uint64_t>& weights) {
  const uint128 sum = sum_of(weights);
  return law_from(sum * channel.total(), channel.outcome_count(), [&](std::size_t j) {
    return Wide(sum * channel.other() + uint128{weights[j]} * (channel.kept() - channel.other()));
  });
}

Law law_of(const MixtureChannel& channel, const std::vector<std::uint64_t>& weights) {
  const std::uint64_t sum = sum_of(weights);
  // Row x is its replaced entries, the same in every row, and the kept part on x itself.
  const uint128 kept = uint128{channel.keep()} * channel.reference_total();
  const uint128 replaced = MixtureChannel::kKeepTotal - channel.keep();
  return law_from(Wide(channel.total()) * sum, channel.outcome_count(), [&](std::size_t j) {
    return Wide(replaced * channel.reference(j)) * sum + Wide(kept) * weights[j];
  });
}

Law law_of(const StaircaseChannel& channel, const std::vector<std::uint64_t>& weights) {
  const std::size_t count = channel.outcome_count();
  const std::uint64_t sum = sum_of(weights);
  std::vector<Wide> numerators(count);
  std::uint64_t weight_beyond = sum;  // of the inputs beyond the outcome's rank
  Wide moved_before;  // of those before it, sum of weight times what each unit of g receives from
                      // them
  Wide rest_before;   // and times what is left over for the last rank
  for (std::size_t rank = 0; rank < count; ++rank) {
    const std::size_t j = channel.outcome_at_rank(rank);
    weight_beyond -= weights[j];
    numerators[j] = Wide(channel.stop_entry(rank)) * weight_beyond +
                    Wide(channel.stay_entry(rank)) * weights[j] +
                    moved_before * channel.reference(j);
    moved_before += Wide(channel.move_factor(rank)) * weights[j];
    if (rank + 1 == count) {
      numerators[j] += rest_before;
    } else {
      rest_before += Wide(channel.rest_entry(rank)) * weights[j];
    }
  }
  return law_from(Wide(channel.total()) * sum, count, [&](std::size_t j) { return numerators[j]; });
}

Law law_of(const MatrixChannel& channel, const std::vector<std::uint64_t>& weights) {
  return law_from(Wide(channel.total()) * sum_of(weights), channel.outcome_count(),
                  [&](std::size_t j) {
                    Wide numerator;
                    for (std::size_t x = 0; x < weights.size(); ++x) {
                      numerator += Wide(channel.entry(x, j)) * weights[x];
                    }
                    return numerator;
                  });
}

}  // namespace mollify
