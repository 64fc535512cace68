// Any bytes as a band and scores: the theorems of Table, SparseTable and AliasTable
// must hold. Any bytes as scales and decisions of noise: quick brackets must agree with wide
// integers. Any bytes as terms of a choice: one look must agree with wide integers. Any bytes as
// vectors of a clipped sum: they must stay in the ball. Any bytes as the moments of a tested run:
// its exact test must agree with minors, and a point is always drawn.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "core/band.h"
#include "core/invalid_input.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "kernel/clipped_sums.h"
#include "kernel/coins.h"
#include "kernel/noise.h"
#include "kernel/search.h"
#include "methods/gaussian/tested.h"

namespace {

/// The digits of two words and then zeros, `bits` at a time: of a fraction that does not depend on
/// how they are read.
template <unsigned bits>
struct Digits {
  std::uint64_t words[2];
  unsigned used = 0;

  std::uint64_t word() {
    const unsigned at = used++ * bits;
    return at < 128 ? words[at / 64] << (at % 64) : 0;
  }
};

}  // namespace

template <unsigned bits>
inline constexpr unsigned mollify::detail::kWordBits<Digits<bits>> = bits;

namespace {

using mollify::Band;
using mollify::uint128;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Hands out the input as values, and zeros when it has run out.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  template <class Value>
  Value next() {
    Value value{};
    const std::size_t size = left_ < sizeof value ? left_ : sizeof value;
    std::memcpy(&value, data_, size);
    data_ += size;
    left_ -= size;
    return value;
  }
  bool is_empty() const { return left_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

std::optional<Band> band_of(Input& input) {
  const auto flags = input.next<std::uint8_t>();
  const std::size_t k = 1 + input.next<std::uint8_t>() % 64;
  // Epsilons from 1e-6 to 30, floors from e^-epsilon to 1: most of these bands can be made.
  const double epsilon = std::exp(-13.8 + 17.2 * input.next<std::uint8_t>() / 255);
  const double floor = std::exp(-epsilon * (0.05 + 0.9 * input.next<std::uint8_t>() / 255));
  std::uint64_t total = Band::kGreatestTotal;
  if ((flags & 1) != 0) total = 1 + input.next<std::uint16_t>();
  if ((flags & 2) != 0) total = 1 + input.next<std::uint64_t>() / 4;
  try {
    if ((flags & 12) == 0) {
      return mollify::make_band(
          {.outcome_count = k, .floor = floor, .epsilon = epsilon, .total = total});
    }
    static std::vector<double> reference;
    reference.clear();
    const std::uint64_t zero_bits = (flags & 4) != 0 ? input.next<std::uint64_t>() : 0;
    for (std::size_t i = 0; i < k; ++i) {
      if ((flags & 8) == 0) {
        reference.push_back(1);
      } else {
        reference.push_back(std::ldexp(1, input.next<std::uint8_t>() % 64));
      }
    }
    const Band all = mollify::make_band(
        {.reference = reference, .floor = floor, .epsilon = epsilon, .total = total});
    // Some outcomes never occur; the others' bounds stand, so that the whole may not be reached.
    std::vector<std::uint64_t> lowers;
    for (std::size_t i = 0; i < k; ++i) {
      lowers.push_back((zero_bits >> i & 1) != 0 ? 0 : all.lower(i));
    }
    return Band::make(lowers, mollify::ExpBound(epsilon), total);
  } catch (const mollify::InvalidInput&) {
    return std::nullopt;
  }
}

void check_table(const mollify::Table& table) {
  const Band& band = table.band();
  const std::span<const std::uint64_t> n = table.numerators();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    require(band.lower(i) <= n[i] && n[i] <= band.upper(i), "a numerator leaves its bounds");
    require(band.bound().allows(n[i], band.lower(i)), "a numerator exceeds Ebar times the least");
    if (n[i] > 0) {
      require(table.outcome_at(sum) == i, "a run begins elsewhere");
      require(table.outcome_at(sum + n[i] - 1) == i, "a run ends elsewhere");
    }
    require(n[i] <= band.total() - sum, "the sum exceeds the total");
    sum += n[i];
  }
  require(sum == band.total(), "the sum is not the total");
}

void check_alias(const mollify::Table& table) {
  const mollify::AliasTable alias(table);
  const std::uint64_t total = table.band().total();
  const std::size_t k = table.numerators().size();
  static std::vector<uint128> parts;
  parts.assign(k, 0);
  for (std::size_t column = 0; column < k; ++column) {
    std::uint64_t low = 0, high = total;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (alias.outcome_at(column, middle) == column) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    parts[column] += low;
    if (low < total) parts[alias.outcome_at(column, low)] += total - low;
  }
  for (std::size_t i = 0; i < k; ++i) {
    require(parts[i] == static_cast<uint128>(table.numerators()[i]) * k,
            "the alias table has other parts");
  }
}

void check_sparse(const mollify::SparseTable& table) {
  const Band& band = table.band();
  const std::uint64_t all_lower = band.lower_before(band.outcome_count());
  std::uint64_t sum = 0, scored_lower = 0;
  for (std::size_t j = 0; j < table.outcomes().size(); ++j) {
    const std::uint32_t i = table.outcomes()[j];
    const std::uint64_t n = table.numerators()[j];
    require(i < band.outcome_count() && (j == 0 || table.outcomes()[j - 1] < i),
            "the outcomes are not ascending");
    require(band.lower(i) <= n && n <= band.upper(i), "a sparse numerator leaves its bounds");
    if (n > 0) require(table.outcome_at(sum, 0) == i, "a sparse run begins elsewhere");
    require(n <= band.total() - sum, "the sparse sum exceeds the total");
    sum += n;
    scored_lower += band.lower(i);
  }
  const std::uint64_t rest = table.numerators().back(), unscored = table.unscored_lower();
  require(unscored == all_lower - scored_lower, "C is not the sum of the unscored lower bounds");
  require(rest >= unscored && band.bound().allows(rest, unscored),
          "the unscored outcomes leave their bounds");
  require(rest == band.total() - sum, "the sparse sum is not the total");
  if (unscored == 0) return;
  for (const std::uint64_t position : {std::uint64_t{0}, unscored / 2, unscored - 1}) {
    const std::size_t i = table.outcome_at(band.total() - 1, position);
    require(i < band.outcome_count() && band.lower(i) > 0, "an impossible outcome is drawn");
    for (const std::uint32_t scored : table.outcomes()) {
      require(scored != i, "a scored outcome is drawn as an unscored one");
    }
  }
}

template <class Score>
void check_scores(const Band& band, Input& input) {
  static std::vector<Score> scores;
  mollify::Table table(band);
  scores.assign(band.outcome_count(), Score{});
  for (Score& score : scores) score = input.next<Score>();
  mollify::project(table, scores);
  check_table(table);
  if (band.outcome_count() <= 8) check_alias(table);
}

/// Answers the questions of an algorithm for noise from the input, and checks the brackets of two
/// coins, whichever the input says: wide integers are so slow that few inputs would be tried if
/// they checked them all.
class CheckedDecisions {
 public:
  explicit CheckedDecisions(Input& input)
      : input_(input), checked_(input.next<std::uint8_t>() % 32) {}

  std::uint64_t below(const mollify::UniformBelow& bound) {
    return input_.next<std::uint64_t>() % bound.bound();
  }
  template <class X>
  bool exp_minus(const X& x) {
    if (coin_ == checked_ || coin_ == checked_ + 1) check_bracket(x);
    ++coin_;
    if (!input_.is_empty()) return input_.next<std::uint8_t>() % 2 == 0;
    return !std::is_same_v<X, mollify::detail::KnownExponent>;  // so that it ends
  }

 private:
  template <class X>
  static void check_bracket(const X& x) {
    using mollify::Natural;
    const mollify::detail::ExpBracket bracket = x.bracket();
    const Natural scaled = x.scaled(64 + mollify::detail::kGuardBits);
    const auto is_below = [&](std::uint64_t word) {
      return mollify::detail::is_below_exp_minus(Natural(word), 64, scaled);
    };
    require(bracket.least <= bracket.last, "a bracket is empty");
    require(bracket.least == 0 || is_below(bracket.least - 1) != false,
            "a bracket begins too high");
    require(bracket.last == ~std::uint64_t{0} || is_below(bracket.last + 1) != true,
            "a bracket ends too low");
  }

  Input& input_;
  std::size_t checked_;
  std::size_t coin_ = 0;
};

template <class Law>
void check_noise(Input& input) {
  const auto numerator = input.next<std::uint64_t>() >> (input.next<std::uint8_t>() % 64);
  const auto denominator = input.next<std::uint64_t>() >> (input.next<std::uint8_t>() % 64);
  try {
    const Law law(mollify::Ratio{numerator, denominator});
    CheckedDecisions decide(input);
    while (!input.is_empty()) static_cast<void>(law.sample(decide));
  } catch (const mollify::InvalidInput&) {
    require(numerator < 1 || numerator > mollify::Ratio::kGreatest || denominator < 1 ||
                denominator > mollify::Ratio::kGreatest || numerator / denominator >= 1ULL << 60U,
            "a scale of noise that can be is refused");
  }
}

void check_euclidean_laplace(Input& input) {
  const std::size_t dimension = input.next<std::uint8_t>() % 12;
  const auto numerator = input.next<std::uint64_t>() >> (input.next<std::uint8_t>() % 64);
  const auto denominator = input.next<std::uint64_t>() >> (input.next<std::uint8_t>() % 64);
  try {
    const mollify::detail::EuclideanLaplaceTree law(dimension, {numerator, denominator});
    std::vector<mollify::detail::SignedSize> noise(dimension);
    CheckedDecisions decide(input);
    while (!input.is_empty()) law.sample(noise, decide);
  } catch (const mollify::InvalidInput&) {
    require(dimension == 0 || numerator < 1 || numerator > mollify::Ratio::kGreatest ||
                denominator < 1 || denominator > mollify::Ratio::kGreatest ||
                numerator / denominator >= 1ULL << 39U,
            "a scale of Euclidean-Laplace noise that can be is refused");
  }
}

void check_clipped_sum(Input& input) {
  const std::size_t dimension = 1 + input.next<std::uint8_t>() % 8;
  const std::uint64_t below_radius = input.next<std::uint64_t>() % (1ULL << 40U);
  mollify::ClippedSum sum(dimension, 1 + (below_radius >> (input.next<std::uint8_t>() % 40)));
  std::vector<double> scores(dimension);
  std::vector<std::uint64_t> expected(dimension);
  while (!input.is_empty()) {
    const auto weight = input.next<std::int64_t>();
    for (double& score : scores) {
      score = input.next<double>();
      // Half of them where rounding and clipping matter.
      if (std::signbit(score)) score = std::ldexp(1 + std::fmod(score, 1), 41) - 0x1p40;
    }
    uint128 square = 0;
    const std::span<const std::int64_t> point = sum.clip(scores);
    for (std::size_t j = 0; j < dimension; ++j) {
      const auto z = static_cast<mollify::int128>(point[j]);
      square += static_cast<uint128>(z * z);
      expected[j] += static_cast<std::uint64_t>(weight) * static_cast<std::uint64_t>(point[j]);
    }
    require(square <= static_cast<uint128>(sum.radius()) * sum.radius(),
            "a clipped vector leaves its ball");
    sum.add(scores, weight);
    for (std::size_t j = 0; j < dimension; ++j) {
      require(static_cast<std::uint64_t>(sum.sum()[j]) == expected[j],
              "the sum of clipped vectors is another");
    }
  }
}

/// A choice by one look at a word must be the one by wide integers and digits one after the other.
void check_choice(Input& input) {
  const mollify::Ratio rate{
      1 + (input.next<std::uint64_t>() >> (2 + input.next<std::uint8_t>() % 62)),
      1 + (input.next<std::uint64_t>() >> (2 + input.next<std::uint8_t>() % 62))};
  const std::uint64_t words[2] = {input.next<std::uint64_t>(), input.next<std::uint64_t>()};
  std::vector<mollify::ChoiceTerm> terms;
  while (!input.is_empty() && terms.size() < 8) {
    const auto count = input.next<std::uint64_t>() >> (6 + input.next<std::uint8_t>() % 58);
    terms.push_back({count, input.next<std::uint64_t>() >> input.next<std::uint8_t>() % 64});
  }
  try {
    const mollify::detail::ExponentialLevels levels(terms, rate);
    Digits<64> whole{{words[0], words[1]}};
    Digits<32> parts{{words[0], words[1]}};
    const std::size_t level = levels.draw(whole);
    require(level < levels.size(), "a choice is none of the levels");
    require(levels.draw(parts) == level, "a choice depends on how digits are read");
    const mollify::ChosenOutcome last = levels.outcome(level, levels.count(level) - 1);
    require(last.position + 1 == terms[last.term].count, "the last outcome of a level is not last");
  } catch (const mollify::InvalidInput&) {
    for (const mollify::ChoiceTerm& term : terms) {
      require(term.count == 0, "a choice that can be is refused");
    }
  }
}

/// Of one or two columns, a matrix is positive semidefinite if no principal minor is negative.
void check_tested_run(Input& input) {
  using Wide = boost::multiprecision::cpp_int;
  const std::size_t dimension = 1 + input.next<std::uint8_t>() % 2;
  const std::uint64_t records = 2 + input.next<std::uint64_t>() % ((1ULL << 39U) - 1);
  const std::uint64_t unit = 1 + (input.next<std::uint64_t>() >> (input.next<std::uint8_t>() % 64));
  const auto times = static_cast<mollify::int128>(input.next<std::int64_t>());
  std::vector<std::int64_t> entries(mollify::ClippedMoments::entry_count(dimension));
  for (std::int64_t& entry : entries) {
    entry = input.next<std::int64_t>() >> (input.next<std::uint8_t>() % 64);
  }
  const mollify::RunScatter scatter(records, dimension, entries);
  const auto minor = [&](std::size_t product, std::int64_t factor, std::size_t x, std::size_t y) {
    return Wide(records) * (entries[product] / factor) - Wide(entries[x] / 7) * (entries[y] / 7);
  };
  const Wide taken = Wide(static_cast<std::int64_t>(times)) * unit;
  bool expected = false;
  if (dimension == 1) {
    expected = minor(0, 5, 1, 1) >= taken;
  } else {
    const Wide a = minor(0, 5, 2, 2) - taken, b = minor(1, 7, 2, 4), c = minor(3, 5, 4, 4) - taken;
    expected = a >= 0 && c >= 0 && a * c >= b * b;
  }
  require(scatter.reaches(times, unit) == expected, "a least eigenvalue is misjudged");
  mollify::SecureRandom random;
  require(scatter.draw(random).size() == dimension, "no point is drawn");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const auto noise = input.next<std::uint8_t>() % 12;
  if (noise == 0) {
    check_noise<mollify::detail::LaplaceOnIntegers>(input);
    return 0;
  }
  if (noise == 1) {
    check_noise<mollify::detail::GaussianOnIntegers>(input);
    return 0;
  }
  if (noise == 2) {
    check_euclidean_laplace(input);
    return 0;
  }
  if (noise == 3) {
    check_clipped_sum(input);
    return 0;
  }
  if (noise == 7) {
    check_choice(input);
    return 0;
  }
  if (noise == 8) {
    check_tested_run(input);
    return 0;
  }
  const std::optional<Band> band = band_of(input);
  if (!band) return 0;
  const auto kind = input.next<std::uint8_t>() % 3;
  if (kind == 0) {
    check_scores<double>(*band, input);
  } else if (kind == 1) {
    check_scores<float>(*band, input);
  } else {
    static std::vector<std::uint32_t> outcomes;
    static std::vector<double> scores;
    outcomes.clear();
    scores.clear();
    while (!input.is_empty() && outcomes.size() < 64) {
      outcomes.push_back(input.next<std::uint8_t>() % 80U);  // some out of range, in any order
      scores.push_back(input.next<double>());
    }
    mollify::SparseTable table(*band);
    mollify::project(table, outcomes, scores);
    check_sparse(table);
  }
  return 0;
}
