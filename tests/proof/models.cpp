// Compares the core with its proved models (proof/) on equal bounds, proposals and words.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/band.h"
#include "core/invalid_input.h"
#include "core/numerators.h"
#include "core/random.h"
#include "core/table.h"
#include "proof/cases.h"
#include "replay.h"

namespace mollify {
namespace {

using test::bits_of;
using test::Edges;
using test::hexadecimal;
using test::Models;
using test::Words;

Words lowers_of(const Band& band) {
  Words lowers(band.outcome_count());
  for (std::size_t i = 0; i < lowers.size(); ++i) lowers[i] = band.lower(i);
  return lowers;
}

/// The double that Granules rounds (numerators_lanes.cpp). t is a power of two, so that fused
/// multiplication changes nothing.
double lifted(const Band& band, double score, double t) {
  const std::uint64_t room = band.upper(0) - band.lower(0);
  const int bits = 64 - __builtin_clzll(room | 1);
  const double per_part = std::ldexp(1.0, bits > 51 ? 51 - bits : 0);
  volatile const double product = score * (t * per_part);
  return product + (0x1p52 - static_cast<double>(band.lower(0)) * per_part);
}

struct Fitted {
  Words outcomes, blocks;
};

void send_fit(Models& models, const Band& band, const std::vector<double>& scores, double t,
              Fitted& to) {
  const Bounds bounds(band);
  const std::size_t k = bounds.size;
  to.outcomes.assign(k, 0xdead);
  to.blocks.assign((k + kBlock - 1) / kBlock, 0xbeef);
  const Numerators numerators{to.outcomes, to.blocks};
  const uint128 sum = detail::round(bounds, scores.data(), {t, 0}, numerators);
  const Fitted rounded = to;
  detail::settle(bounds, sum, numerators);
  Words xs(k), ys(k);
  const char* kind = !std::isinf(t) ? "p" : band.is_uniform() ? "s" : "b";
  for (std::size_t i = 0; i < k; ++i) {
    if (*kind == 'p') {
      xs[i] = bits_of(scores[i] * t);
      ys[i] = bits_of(lifted(band, scores[i], t));
    } else {
      xs[i] = *kind == 's' ? bits_of(scores[i]) : std::uint64_t{scores[i] > kLeastScore};
    }
  }
  models << "fit" << band.bound() << uint128{band.total()} << uint128{band.is_uniform()} << kind
         << uint128{k} << lowers_of(band) << xs << ys << "=" << rounded.outcomes << rounded.blocks
         << sum << to.outcomes << to.blocks << uint128{0};
  models.send();
}

/// A case of Band::make, which may refuse.
template <class Make>
void send_made(Models& models, const Make& make, std::span<const std::uint64_t> lowers) {
  models << "=";
  try {
    const Band band = make();
    models << uint128{1};
    for (std::size_t i = 0; i < lowers.size(); ++i) models << uint128{band.upper(i)};
  } catch (const InvalidInput&) {
    models << uint128{0};
  }
  models.send();
}

/// Lower bounds that leave room for the total, or nearly.
Words random_lowers(Edges& edges, std::size_t k, std::uint64_t total) {
  Words lowers(k);
  std::uint64_t left = total;
  for (std::uint64_t& lower : lowers) {
    lower = edges.below(3) == 0 ? left / k : std::min(left, edges.between(0, total / k + 1));
    left -= lower;
  }
  return lowers;
}

std::uint64_t random_total(Edges& edges) {
  const std::uint64_t which = edges.below(4);
  return which == 0 ? Band::kGreatestTotal - edges.below(3)
                    : std::clamp<std::uint64_t>(edges.edge(), 1, Band::kGreatestTotal);
}

TEST(ProvedModels, EbarOfEveryRange) {
  Models models;
  Edges edges(1);
  for (std::size_t i = 0; i < test::times(400); ++i) {
    const double epsilon = edges.epsilon();
    const ExpBound bound(epsilon);
    int exponent = 0;
    const auto mantissa =
        static_cast<std::uint64_t>(std::ldexp(std::frexp(epsilon, &exponent), 53));
    const std::string sign = exponent < 0 ? "-" : "";
    models << "exp" << uint128{mantissa}
           << (sign + hexadecimal(static_cast<uint128>(std::abs(exponent)))).c_str() << "="
           << bound;
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedModels, MachineIntegersOf128Bits) {
  Models models;
  Edges edges(2);
  for (std::size_t i = 0; i < test::times(5000); ++i) {
    const ExpBound bound(edges.epsilon());
    const std::uint64_t x = edges.edge();
    const std::uint64_t cap = edges.edge();
    models << "times" << bound << uint128{x} << uint128{cap} << "="
           << uint128{bound.times_floor(x, cap)};
    models.send();
    const uint128 smaller = (uint128{edges.edge()} << edges.below(65)) | edges.edge();
    const uint128 near =
        static_cast<uint128>(static_cast<std::uint64_t>(smaller >> 70)) * bound.mantissa() >>
        bound.shift() << 70;
    const uint128 larger =
        edges.below(2) == 0 ? near + edges.edge() : (uint128{edges.edge()} << 64) | edges.edge();
    models << "allows" << bound << larger << smaller << "="
           << uint128{bound.allows(larger, smaller)};
    models.send();
    // The greatest integer that is allowed, by halves, and the next one.
    uint128 low = 0, high = ~uint128{0};
    while (low < high) {
      const uint128 middle = low + (high - low) / 2 + 1;
      if (bound.allows(middle, smaller)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    for (const uint128 end : {low, low + 1}) {
      models << "allows" << bound << end << smaller << "=" << uint128{bound.allows(end, smaller)};
      models.send();
    }
    const uint128 a = uint128{edges.edge()} << edges.below(64) >> 1;
    const uint128 b = ((uint128{edges.edge()} << 63) | edges.edge()) >> 1;
    models << "times127" << a << b << "=" << times_127(a, b);
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedModels, IntegersBelowABound) {
  Models models;
  Edges edges(3);
  for (std::size_t i = 0; i < test::times(20000); ++i) {
    const std::uint64_t bound = std::max<std::uint64_t>(edges.edge(), 1);
    Words words(6);
    for (std::uint64_t& word : words) word = edges.edge();
    words.back() = ~std::uint64_t{0};  // never drawn anew
    test::FrozenRandom random(1, words);
    const std::uint64_t value = random.below(bound);
    models << "below" << uint128{bound} << words << "=" << uint128{value} << uint128{random.used()};
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedModels, EverySmallBandAndProposal) {
  Models models;
  Fitted fitted;
  for (const double epsilon : {0.3, 2.0}) {
    const ExpBound bound(epsilon);
    for (std::size_t k = 1; k <= 4; ++k) {
      for (std::uint64_t total = 1; total <= (k < 3 ? 12U : k == 3 ? 6U : 4U); ++total) {
        std::vector<std::uint64_t> digits(k, 0);
        const auto next = [&](std::uint64_t most) {
          std::size_t i = 0;
          while (i < k && digits[i] == most) digits[i++] = 0;
          if (i < k) ++digits[i];
          return i < k;
        };
        do {
          Words lowers(digits.begin(), digits.end());
          std::sort(lowers.begin(), lowers.end());
          if (!std::equal(lowers.begin(), lowers.end(), digits.begin())) continue;
          models << "make" << bound << uint128{total} << lowers;
          send_made(
              models, [&] { return Band::make(lowers, bound, total); }, lowers);
          const bool is_even = lowers.front() == lowers.back();
          if (is_even) {
            models << "uniform" << bound << uint128{total} << uint128{k} << uint128{lowers[0]};
            send_made(
                models, [&] { return Band::make(k, lowers[0], bound, total); },
                std::span(lowers).first(1));
          }
          for (const bool uniform : {false, true}) {
            if (uniform && !is_even) continue;
            std::vector<Band> bands;
            try {
              bands.push_back(uniform ? Band::make(k, lowers[0], bound, total)
                                      : Band::make(lowers, bound, total));
            } catch (const InvalidInput&) {
              continue;
            }
            const Words before = digits;
            digits.assign(k, 0);
            do {
              const std::vector<double> scores(digits.begin(), digits.end());
              send_fit(models, bands[0], scores, 1, fitted);
              if (*std::max_element(digits.begin(), digits.end()) <= 1)
                send_fit(models, bands[0], scores, HUGE_VAL, fitted);
            } while (next(total));
            digits = before;
          }
        } while (next(total / k + 1));
      }
    }
  }
  EXPECT_TRUE(models.agree());
  EXPECT_GT(models.cases(), 20000U);
}

/// Bands of every width, with scores of any bits; then draws from their tables.
void try_wide(std::uint64_t seed, std::size_t most_outcomes, std::size_t bands) {
  Models models;
  Edges edges(seed);
  Fitted fitted;
  std::size_t made = 0;
  while (made < test::times(bands)) {
    const std::size_t k = 1 + edges.below(most_outcomes);
    const std::uint64_t total = random_total(edges);
    const ExpBound bound(edges.epsilon());
    const bool uniform = edges.below(3) == 0;
    const Words lowers = uniform ? Words(k, edges.between(0, total / k + (edges.below(9) == 0)))
                                 : random_lowers(edges, k, total);
    const auto make = [&] {
      return uniform ? Band::make(k, lowers[0], bound, total) : Band::make(lowers, bound, total);
    };
    if (uniform) {
      models << "uniform" << bound << uint128{total} << uint128{k} << uint128{lowers[0]};
      send_made(models, make, std::span(lowers).first(1));
    } else {
      models << "make" << bound << uint128{total} << lowers;
      send_made(models, make, lowers);
    }
    std::vector<Band> band;
    try {
      band.push_back(make());
    } catch (const InvalidInput&) {
      continue;
    }
    ++made;
    std::vector<double> scores(k);
    for (double& score : scores) score = edges.score(total);
    static constexpr double kScales[] = {1, 0.25, 0x1p40, 0x1p-40, HUGE_VAL};
    send_fit(models, band[0], scores, kScales[edges.below(std::size(kScales))], fitted);
    const Table reference(band[0]);
    Words blocks;
    for (std::size_t i = 0; i < k; i += kBlock) {
      blocks.push_back(0);
      for (std::size_t j = i; j < std::min(k, i + kBlock); ++j) {
        blocks.back() += reference.numerators()[j];
      }
    }
    models << "reference" << bound << uint128{total} << uint128{uniform} << lowers << "="
           << reference.numerators() << blocks;
    models.send();
    Words positions = {0, fitted.blocks[0] - 1, fitted.blocks[0], total / 2, total - 1};
    for (int draws = 0; draws < 3; ++draws) positions.push_back(edges.between(0, total - 1));
    for (const std::uint64_t position : positions) {
      if (position >= total) continue;
      models << "place" << uint128{position} << uint128{k} << fitted.outcomes << fitted.blocks
             << "=" << uint128{detail::run_at(fitted.outcomes, fitted.blocks, position)};
      models.send();
    }
    const Words words = {edges.edge(), edges.edge(), ~std::uint64_t{0}};
    test::FrozenRandom random(1, words);
    const std::size_t drawn = reference.draw(random);
    models << "draw" << uint128{total} << uint128{k} << uint128{blocks.size()}
           << reference.numerators() << blocks << words << "=" << uint128{drawn}
           << uint128{random.used()};
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedModels, WideBandsOfFewOutcomes) { try_wide(4, 12, 400); }
TEST(ProvedModels, BlocksOfMoreThan256) { try_wide(5, 700, 4); }

}  // namespace
}  // namespace mollify
