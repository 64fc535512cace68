// Compares public matrices, shuffles and subsets with their proved models (proof/channels,
// proof/order) on equal bounds, integers and words.
#include "kernel/channels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "kernel/order.h"
#include "kernel/search.h"
#include "methods/central/samplers.h"
#include "proof/cases.h"
#include "replay.h"

namespace mollify {
namespace {

using test::Edges;
using test::FrozenRandom;
using test::Models;
using test::Words;

/// Words for `draws` integers. No bound draws the last words anew.
Words some_words(Edges& edges, std::size_t draws) {
  Words words(2 * draws);
  for (std::uint64_t& word : words) word = edges.edge();
  words.resize(3 * draws, ~std::uint64_t{0});
  return words;
}

/// Sends a draw's outcome and its number of used words.
template <class Draw>
void send_drawn(Models& models, std::span<const std::uint64_t> words, const Draw& draw) {
  FrozenRandom random(1, words);
  models << words << "=";
  models << uint128{draw(random)} << uint128{random.used()};
  models.send();
}

std::optional<RandomizedResponse> made_response(Models& models, std::size_t count, double epsilon,
                                                std::uint64_t records, std::uint64_t chosen) {
  models << "response" << ExpBound(epsilon) << uint128{count} << uint128{records} << uint128{chosen}
         << "=";
  std::optional<RandomizedResponse> response;
  try {
    response.emplace(count, epsilon, records, chosen);
    models << uint128{1} << uint128{response->kept()} << uint128{response->other()}
           << uint128{response->total()} << uint128{response->satisfies(response->bound())};
  } catch (const InvalidInput&) {
    models << uint128{0};
  }
  models.send();
  return response;
}

/// A value, perhaps the first that is not an outcome, or any other word.
std::uint64_t any_value(Edges& edges, std::uint64_t count) {
  const std::uint64_t which = edges.below(12);
  if (which == 0) return count;
  return which == 1 ? edges.edge() : edges.below(count);
}

void send_report(Models& models, const RandomizedResponse& response, std::uint64_t records,
                 std::uint64_t chosen, Edges& edges) {
  const std::uint64_t count = response.outcome_count();
  const std::uint64_t value = any_value(edges, count);
  const std::uint64_t position = edges.between(0, response.total() - 1);
  const std::uint64_t other = count > 1 ? edges.between(0, count - 2) : 0;
  const auto begin = [&](const char* kind) -> Models& {
    return models << kind << response.bound() << uint128{count} << uint128{records}
                  << uint128{chosen} << uint128{value};
  };
  for (const std::uint64_t at : {position, response.kept() - 1, response.kept()}) {
    begin("outcome") << uint128{at} << uint128{other} << "="
                     << uint128{response.outcome_at(value, at, other)};
    models.send();
  }
  begin("report");
  send_drawn(models, some_words(edges, 2),
             [&](SecureRandom& random) { return response.draw(value, random); });
}

TEST(ProvedChannels, ResponsesOfEveryRange) {
  Models models;
  Edges edges(11);
  for (std::size_t i = 0; i < test::times(1500); ++i) {
    const std::size_t count = std::min<std::uint64_t>(edges.edge(), (1U << 24U) + edges.below(3));
    const std::uint64_t records = std::min(edges.edge(), RandomizedResponse::kMostRecords + 1);
    const bool is_one = edges.below(2) == 0;
    const std::uint64_t n = is_one ? 1 : records;
    const std::uint64_t m = is_one ? 1 : edges.between(0, std::min(n, n / 2 + 3));
    const auto response = made_response(models, count, edges.epsilon(), n, m);
    if (response) send_report(models, *response, n, m, edges);
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedChannels, EverySmallResponse) {
  Models models;
  Edges edges(12);
  for (const double epsilon : {1e-6, 0.3, 2.0, 30.0}) {
    for (std::size_t count = 0; count <= 4; ++count) {
      for (std::uint64_t records = 0; records <= 6; ++records) {
        for (std::uint64_t chosen = 0; chosen <= 7; ++chosen) {
          const auto response = made_response(models, count, epsilon, records, chosen);
          if (!response) continue;
          send_report(models, *response, records, chosen, edges);
          for (const double other : {1e-6, 0.1, 0.3, 0.5, 2.0, 30.0}) {
            models << "holds" << response->bound() << uint128{count} << uint128{records}
                   << uint128{chosen} << ExpBound(other) << "="
                   << uint128{response->satisfies(ExpBound(other))};
            models.send();
          }
        }
      }
    }
  }
  EXPECT_TRUE(models.agree());
}

/// Positive masses; some are much smaller than the others.
std::vector<double> random_masses(Edges& edges, std::size_t count) {
  std::vector<double> masses(count);
  for (double& mass : masses) {
    mass = std::exp2(-static_cast<double>(edges.below(edges.below(4) == 0 ? 70 : 4))) *
           (1 + static_cast<double>(edges.below(8)));
  }
  return masses;
}

TEST(ProvedChannels, Mixtures) {
  Models models;
  Edges edges(13);
  for (std::size_t i = 0; i < test::times(150); ++i) {
    const std::size_t count = 1 + edges.below(6);
    const std::vector<double> masses = random_masses(edges, count);
    const double sum = detail::validated_mass_sum(masses);
    Words shares(count);
    for (std::size_t j = 0; j < count; ++j) {
      shares[j] = static_cast<std::uint64_t>(std::floor(masses[j] / sum * 0x1p62));
    }
    const double epsilon = edges.epsilon();
    const ExpBound bound(epsilon);
    const MixtureChannel pure = MixtureChannel::pure(masses, epsilon);
    models << "mixture" << bound << shares << "=" << uint128{pure.keep()};
    for (std::size_t j = 0; j < count; ++j) {
      const Extremes column = pure.column(j);
      models << uint128{pure.reference(j)} << column.greatest << column.least;
    }
    models << uint128{pure.satisfies(bound)};
    models.send();
    const MixtureChannel any =
        MixtureChannel::with_kept(masses, edges.between(0, MixtureChannel::kKeepTotal));
    const ExpBound other(edges.epsilon());
    models << "allowed" << uint128{any.keep()} << other << shares << "="
           << uint128{any.satisfies(other)};
    models.send();
    for (const MixtureChannel* channel : {&pure, &any}) {
      const std::uint64_t value = any_value(edges, count);
      models << "mixed" << uint128{channel->keep()} << uint128{value} << uint128{count} << shares;
      send_drawn(models, some_words(edges, 2),
                 [&](SecureRandom& random) { return channel->draw(value, random); });
    }
  }
  EXPECT_TRUE(models.agree());
}

/// The integers that the doubles of MatrixChannel::make come to.
Words parts_of(std::span<const double> rows, std::size_t count, const ExpBound& bound) {
  const std::size_t row_count = rows.size() / count;
  std::vector<double> sums, mean(count);
  for (std::size_t x = 0; x < row_count; ++x) {
    sums.push_back(detail::validated_mass_sum(rows.subspan(x * count, count)));
    for (std::size_t j = 0; j < count; ++j) {
      mean[j] += rows[x * count + j] / sums[x] / static_cast<double>(row_count);
    }
  }
  const double pull = 0x1p-38 / (1 - 1 / bound.value());
  Words parts(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double share = rows[i] / sums[i / count];
    parts[i] = static_cast<std::uint64_t>((share + pull * (mean[i % count] - share)) * 0x1p62);
  }
  return parts;
}

TEST(ProvedChannels, RowsOfAMatrix) {
  Models models;
  Edges edges(14);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < test::times(1000); ++i) {
    const std::size_t count = 1 + edges.below(5), row_count = 1 + edges.below(4);
    const double epsilon = edges.epsilon();
    const ExpBound bound(epsilon);
    std::vector<double> rows = random_masses(edges, count * row_count);
    if (edges.below(4) != 0) {  // rows that are near each other, or at e^epsilon
      const double most = edges.below(2) == 0 ? std::exp(epsilon) : bound.value();
      for (std::size_t j = 0; j < rows.size(); ++j) rows[j] = edges.below(2) == 0 ? 1 : most;
      if (count == 2) {
        for (std::size_t x = 0; x < row_count; ++x) {
          const bool is_first = edges.below(2) == 0;
          rows[2 * x] = is_first ? most : 1;
          rows[2 * x + 1] = is_first ? 1 : most;
        }
      }
    }
    const Words parts = parts_of(rows, count, bound);
    models << "matrix" << bound << uint128{count} << parts << "=";
    std::optional<MatrixChannel> channel;
    try {
      channel.emplace(MatrixChannel::make(rows, count, epsilon));
      models << uint128{1};
      for (std::size_t x = 0; x < row_count; ++x) {
        for (std::size_t j = 0; j < count; ++j) models << channel->entry(x, j);
      }
    } catch (const InvalidInput&) {
      models << uint128{0};
    }
    models.send();
    if (!channel) continue;
    ++accepted;
    const std::uint64_t row = any_value(edges, row_count);
    models << "row" << bound << uint128{count} << uint128{row} << uint128{parts.size()} << parts;
    send_drawn(models, some_words(edges, 1),
               [&](SecureRandom& random) { return channel->draw(row, random); });
  }
  EXPECT_TRUE(models.agree());
  EXPECT_GT(accepted, 200U);
}

TEST(ProvedChannels, AliasTables) {
  Models models;
  Edges edges(15);
  for (std::size_t i = 0; i < test::times(400); ++i) {
    const std::size_t count = 1 + edges.below(9);
    const std::uint64_t total =
        std::clamp<std::uint64_t>(edges.edge(), count, Band::kGreatestTotal);
    Words lowers(count, edges.between(0, total / count));
    const auto bands = [&]() -> std::vector<Band> {
      try {
        return {Band::make(lowers, ExpBound(edges.epsilon()), total)};
      } catch (const InvalidInput&) {
        return {Band::make(Words(count, total / count), ExpBound(30), total)};
      }
    }();
    std::vector<double> scores(count);
    for (double& score : scores) score = edges.score(total);
    const Table table = projected(bands[0], std::span<const double>(scores));
    const AliasTable alias(table);
    for (int look = 0; look < 8; ++look) {
      const std::uint64_t column = edges.below(count);
      const std::uint64_t height =
          look < 4 ? edges.between(0, total - 1)
                   : std::min(total - 1, table.numerators()[edges.below(count)] - edges.below(2));
      models << "alias" << uint128{total} << uint128{column} << uint128{height}
             << table.numerators() << "=" << uint128{alias.outcome_at(column, height)};
      models.send();
    }
    models << "aliased" << uint128{total} << uint128{count} << table.numerators();
    send_drawn(models, some_words(edges, 2),
               [&](SecureRandom& random) { return alias.draw(random); });
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedOrder, IntegersBelowABoundThatIsUsedAgain) {
  Models models;
  Edges edges(16);
  for (std::size_t i = 0; i < test::times(20000); ++i) {
    const std::uint64_t bound = std::max<std::uint64_t>(edges.edge(), 1);
    const UniformBelow below(bound);
    models << "again" << uint128{bound};
    send_drawn(models, some_words(edges, 1), [&](SecureRandom& random) { return below(random); });
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedOrder, Shuffles) {
  Models models;
  Edges edges(17);
  for (std::size_t i = 0; i < test::times(3000); ++i) {
    const std::size_t count = edges.below(i % 16 == 0 ? 90 : 7);
    std::vector<std::uint32_t> values(count);
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(edges.below(2 * count));
    const Words before(values.begin(), values.end());
    const Words words = some_words(edges, count);
    FrozenRandom random(1, words);
    shuffle(values, random);
    models << "shuffle" << uint128{count} << before << words << "="
           << Words(values.begin(), values.end()) << uint128{random.used()};
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedOrder, RecordsTakenOneByOne) {
  Models models;
  Edges edges(18);
  for (std::size_t i = 0; i < test::times(1500); ++i) {
    const std::size_t count = 1 + edges.below(i % 8 == 0 ? 40 : 6);
    const bool are_few = edges.below(2) == 0;
    Words counts(count);
    for (std::uint64_t& c : counts) c = are_few ? edges.below(4) : edges.edge() >> 8U;
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    RecordsLeft left(counts);
    Words positions, values;
    for (std::uint64_t taken = 0; taken < std::min<std::uint64_t>(all, 12); ++taken) {
      positions.push_back(edges.between(0, left.size() - 1));
      values.push_back(left.take_at(positions.back()));
    }
    models << "take" << uint128{are_few} << uint128{count} << counts << positions << "=" << values
           << uint128{left.size()};
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedOrder, ReportsOfChosenRecords) {
  Models models;
  Edges edges(19);
  for (std::size_t i = 0; i < test::times(1000); ++i) {
    const std::size_t count = 1 + edges.below(5), records = 1 + edges.below(7);
    const std::size_t chosen = 1 + edges.below(records);
    const RandomizedResponse response(count, edges.epsilon(), records, chosen);
    const SubsetSampler sampler(response, records, chosen, {});
    std::vector<std::uint32_t> values(records);
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(edges.below(count));
    std::sort(values.begin(), values.end());
    const Words words = some_words(edges, 3 * chosen);
    FrozenRandom random(1, words);
    const std::vector<std::uint32_t> reports = sampler.draw(values, random);
    models << "chosen" << response.bound() << uint128{count} << uint128{records} << uint128{chosen}
           << Words(values.begin(), values.end()) << words << "="
           << Words(reports.begin(), reports.end()) << uint128{random.used()};
    models.send();
  }
  EXPECT_TRUE(models.agree());
}

}  // namespace
}  // namespace mollify
