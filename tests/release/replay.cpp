// Whole releases under frozen words, on a table and on its neighbour, as `sample` draws them: what
// is drawn is one draw of the certificate's design and nothing else, and a worst neighbour moves
// what is noised by nearly all that was paid for, and never by more.
#include "replay.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "accounting/gaussian.h"
#include "methods/central/method.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/method.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "methods/marginals/design.h"
#include "methods/marginals/method.h"
#include "records/source.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::FrozenRandom;
using test::Scratch;
using test::Transcript;

using NumberColumns = std::vector<std::vector<double>>;

/// Numbers in the columns a, b, ..., or texts in the column a.
class ReplayTable {
 public:
  explicit ReplayTable(NumberColumns numbers) : numbers_(std::move(numbers)) {}
  explicit ReplayTable(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  [[nodiscard]] MemorySource source() const {
    std::vector<std::string> names;
    std::vector<Values> columns;
    for (const std::vector<double>& column : numbers_) {
      names.emplace_back(1, static_cast<char>('a' + names.size()));
      columns.emplace_back(std::span<const double>(column));
    }
    if (!names.empty()) return {std::move(names), std::move(columns)};
    views_.assign(texts_.begin(), texts_.end());
    return {{"a"}, {Values(std::span<const std::string_view>(views_))}};
  }

 private:
  NumberColumns numbers_;
  std::vector<std::string> texts_;
  mutable std::vector<std::string_view> views_;
};

std::unique_ptr<const PreparedRelease> prepared_with(const Scratch& scratch,
                                                     const std::string& domain,
                                                     const ExactPrivacy& privacy,
                                                     decltype(ReleaseSpec::own) own,
                                                     std::uint64_t count, std::uint64_t records) {
  ReleaseSpec spec;
  spec.method = test::row_method_of(own);
  spec.domain.file = scratch.write("domain.yaml", domain);
  spec.own = std::move(own);
  spec.count = count;
  spec.privacy = privacy;
  spec.accept_error = spec.accept_large_delta = true;
  return prepare(spec, PublicFiles(), records);
}

const std::array kReplayedBudgets = {ExactPrivacy::pure(Decimal(1)),
                                     ExactPrivacy::concentrated(Decimal(0.1)),
                                     ExactPrivacy::approximate(Decimal(1), Decimal(1e-6))};

/// Numbers within 50 of 0.
std::string number_domain(std::size_t columns) {
  std::string domain = "columns:\n";
  for (std::size_t j = 0; j < columns; ++j) {
    domain += std::string("  ") + static_cast<char>('a' + j) +
              ": {type: number, min: -50, max: 50, null: -50}\n";
  }
  return domain;
}

constexpr std::uint64_t kReplayedRows = 4000;

/// Rows that fill a cube evenly, after a first one.
NumberColumns numbers_after(const std::vector<double>& first, std::size_t rows = kReplayedRows) {
  NumberColumns columns;
  for (const double x : first) {
    const auto step = static_cast<double>(7 + 4 * columns.size());
    std::vector<double>& column = columns.emplace_back(1, x);
    for (std::size_t i = 1; i < rows; ++i)
      column.push_back(std::sin(step * static_cast<double>(i)));
  }
  return columns;
}

std::vector<double> by_rows(const NumberColumns& columns) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    for (const auto& column : columns) rows.push_back(column[i]);
  }
  return rows;
}

std::vector<double> released_numbers(const PreparedRelease& release, const ReplayTable& table,
                                     SecureRandom& random) {
  MemorySink sink;
  release.draw(table.source(), random, sink, 1);
  std::vector<double> rows;
  for (std::size_t i = 0; i < sink.rows(); ++i) {
    for (std::size_t column = 0; column < sink.schema().size(); ++column) {
      rows.push_back(std::get<std::span<const double>>(sink.column(column).data())[i]);
    }
  }
  return rows;
}

long double spent_of(const test::ReplayedLoss& loss, PrivacyNotion notion) {
  if (notion == PrivacyNotion::kPure) return loss.epsilon;
  return notion == PrivacyNotion::kConcentrated ? loss.rho() : loss.mu_squared;
}

void expect_nearly_all(const std::string& what, const Privacy& budget, long double seen,
                       long double promised) {
  std::printf("%s, %s: %.4Lf of the promise\n", what.c_str(), budget.text().c_str(),
              seen / promised);
  EXPECT_LE(seen, promised * (1 + 1e-9L)) << what;
  EXPECT_GE(seen, promised * 0.95L) << what;
}

/// One sample of the certificate's design, whose guarantee is the budget, with a centre and
/// without.
TEST(ReleaseReplay, AGaussianReleaseIsOneDrawOfItsDesign) {
  const Scratch scratch;
  const auto columns = numbers_after({40, 0});
  for (const ExactPrivacy& privacy : kReplayedBudgets) {
    for (const bool has_centre : {false, true}) {
      GaussianSpec spec{.covariance_bound = 1};
      if (!has_centre) spec.mean_bound = 1;
      const auto release =
          prepared_with(scratch, number_domain(2), privacy, spec, 2, kReplayedRows);
      const GaussianDesign& design = *release->certificate().as<GaussianDesign>();
      EXPECT_EQ(design.request.budget, release->certificate().spec.budget());
      EXPECT_EQ(design.centre.has_value(), has_centre);
      const GaussianSampler sampler(design, Whitening::identity(2));
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        FrozenRandom random(seed);
        FrozenRandom again(seed);
        EXPECT_EQ(released_numbers(*release, ReplayTable(columns), random),
                  sampler.draw(MemoryTable(2, by_rows(columns)), again));
        EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
      }
    }
  }
}

/// Releases of a table and of one whose first row lies at the other end, in cells.
TEST(ReleaseReplay, AGaussianReleaseTellsWhatItPaid) {
  const Scratch scratch;
  for (const ExactPrivacy& privacy : kReplayedBudgets) {
    const auto release =
        prepared_with(scratch, number_domain(2), privacy,
                      GaussianSpec{.covariance_bound = 1, .mean_bound = 1}, 2, kReplayedRows);
    const GaussianDesign& design = *release->certificate().as<GaussianDesign>();
    const PrivacyNotion notion = design.guarantee.notion;
    const long double cell =
        std::ldexp(1.0L / static_cast<long double>(design.weights.divisor), design.step_exponent);
    long double most = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto loss = test::replayed_loss(
          [&](const ReplayTable& table, SecureRandom& random) {
            std::vector<long double> values;
            for (const double x : released_numbers(*release, table, random)) {
              values.push_back(static_cast<long double>(x) / cell);
            }
            EXPECT_EQ(values.size(), 4U);
            return Transcript{{std::move(values),
                               notion == PrivacyNotion::kPure ? test::Noise::kEuclideanLaplace
                                                              : test::Noise::kGaussian,
                               test::value_of_ratio(design.noise)}};
          },
          ReplayTable(numbers_after({40, 0})), ReplayTable(numbers_after({-40, 0})), seed);
      most = std::max(most, spent_of(loss, notion));
    }
    // Of (epsilon, delta) a square of mu, which the whole noise was made for.
    const long double promised = notion != PrivacyNotion::kApproximate
                                     ? static_cast<long double>(design.guarantee.parameter())
                                     : 4 * static_cast<long double>(design.lattice_radius) *
                                           static_cast<long double>(design.lattice_radius) /
                                           test::value_of_ratio(design.noise);
    expect_nearly_all("a Gaussian release", design.guarantee, most, promised);
  }
}

/// Each round asks once, and a worst neighbour moves its sums by what the round was paid for.
/// Rows come from these sums, the noise of each round's design and public normals alone.
TEST(ReleaseReplay, ASharedGaussianReleaseTellsWhatItPaid) {
  constexpr std::size_t kMany = 20'000;
  const Scratch scratch;
  // Corners of the domain, nearly at a right angle when they are lifted.
  const auto one = numbers_after({50, 50, 50}, kMany);
  const auto other = numbers_after({-50, -50, 50}, kMany);
  for (const ExactPrivacy& privacy :
       {ExactPrivacy::pure(Decimal(3)), ExactPrivacy::concentrated(Decimal(1)),
        ExactPrivacy::approximate(Decimal(3), Decimal(1e-6))}) {
    const auto release =
        prepared_with(scratch, number_domain(3), privacy, GaussianSpec{}, 3, kMany);
    const MomentDesign& design = *release->certificate().as<MomentDesign>();
    EXPECT_EQ(design.guarantee, release->certificate().spec.budget());
    EXPECT_GT(design.rounds.size(), 1U);
    const auto& summed = dynamic_cast<const SummedRelease&>(*release);
    const auto sums_of = [&](const std::string& pass, const ReplayTable& table) {
      const auto part = summed.part(pass, 0);
      part->add(table.source());
      return part->take().sums;
    };
    std::vector<std::string> asked;
    FrozenRandom of_sums(3);
    MemorySink sink;
    summed.draw_by(
        [&](const std::string& pass) {
          asked.push_back(pass);
          return sums_of(pass, ReplayTable(one));
        },
        of_sums, sink);
    FrozenRandom random(3);
    const std::vector<double> rows = released_numbers(*release, ReplayTable(one), random);
    ASSERT_EQ(sink.rows(), 3U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(std::get<std::span<const double>>(sink.column(i % 3).data())[i / 3], rows[i]);
    }
    const MomentSampler sampler(design, {-50, -50, -50}, {50, 50, 50});
    FrozenRandom again(3);
    std::vector<double> by_hand;
    sampler.measure(MemoryTable(3, by_rows(one)), again)
        .draw(3, sampler.low(), sampler.high(), again, [&](std::span<const double> point) {
          by_hand.insert(by_hand.end(), point.begin(), point.end());
        });
    EXPECT_EQ(rows, by_hand);
    const std::uint64_t next = again.word();
    EXPECT_EQ(random.word(), next) << "words were drawn that pay for nothing";
    EXPECT_EQ(of_sums.word(), next);

    ASSERT_EQ(asked.size(), design.rounds.size());
    test::ReplayedLoss loss;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const auto before = sums_of(asked[k], ReplayTable(one));
      const auto after = sums_of(asked[k], ReplayTable(other));
      long double square = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        const auto moved = static_cast<long double>(before[i] - after[i]);
        square += moved * moved;
      }
      long double scale = test::value_of_ratio(design.rounds[k].noise);
      if (privacy.notion == PrivacyNotion::kApproximate) {
        scale -= static_cast<long double>(kLatticePart);
      }
      loss.epsilon += std::sqrt(square) / scale;
      loss.mu_squared += square / scale;
    }
    expect_nearly_all("a shared Gaussian release", design.guarantee,
                      spent_of(loss, design.guarantee.notion), design.amount);
  }
}

std::vector<std::uint32_t> released_outcomes(const PreparedRelease& release,
                                             const ReplayTable& table, SecureRandom& random) {
  MemorySink sink;
  release.draw(table.source(), random, sink, 1);
  std::vector<std::uint32_t> outcomes;
  for (std::size_t i = 0; i < sink.rows(); ++i) {
    const Value value = sink.column(0)[i];
    const auto* const text = std::get_if<std::string_view>(&value);
    outcomes.push_back(static_cast<std::uint32_t>(text != nullptr ? text->front() - 'a'
                                                                  : std::get<std::int64_t>(value)));
  }
  return outcomes;
}

/// The law of the whole release of a table, word by word, on all tables of four records.
TEST(ReleaseReplay, AFiniteReleaseTellsWhatItPaid) {
  const Scratch scratch;
  for (const CentralMechanism mechanism :
       {CentralMechanism::kSubsampledRr, CentralMechanism::kDsRoo}) {
    const auto release =
        prepared_with(scratch, "columns:\n  a: {type: categorical, values: [a, b, c], null: a}\n",
                      ExactPrivacy::pure(Decimal(0.7)), CentralSpec{.mechanism = mechanism}, 1, 3);
    std::map<std::array<std::size_t, 3>, test::DrawnLaw<std::vector<std::uint32_t>>> laws;
    for (std::size_t code = 0; code < 10; ++code) {
      const std::array<const char*, 10> tables = {"aaa", "aab", "aac", "abb", "abc",
                                                  "acc", "bbb", "bbc", "bcc", "ccc"};
      std::vector<std::string> texts;
      std::array<std::size_t, 3> counts{};
      for (const char letter : std::string(tables[code])) {
        texts.emplace_back(1, letter);
        ++counts[static_cast<std::size_t>(letter - 'a')];
      }
      const ReplayTable table(texts);
      laws[counts] = test::drawn_law(
          [&](SecureRandom& random) { return released_outcomes(*release, table, random); });
    }
    long double told = 0;
    for (const auto& [counts, law] : laws) {
      for (std::size_t from = 0; from < 3; ++from) {
        for (std::size_t to = 0; to < 3; ++to) {
          auto moved = counts;
          if (from == to || moved[from]-- == 0) continue;
          ++moved[to];
          told = std::max(told, test::greatest_log_ratio(law, laws.at(moved)));
        }
      }
    }
    expect_nearly_all(std::string(name_of(mechanism)), release->certificate().total, told, 0.7);
  }
}

/// Half of the budget finds a support, and half of it samples from what was found.
TEST(ReleaseReplay, ASupportIsFoundForHalfOfTheBudget) {
  const Scratch scratch;
  std::vector<std::string> texts;
  std::vector<std::uint32_t> records;
  for (std::uint32_t i = 0; i < 500; ++i) {
    records.push_back(300 + i * i % 9);
    texts.push_back(std::to_string(records.back()));
  }
  const ReplayTable table(texts);
  for (const SupportHint hint :
       {SupportHint{SupportKind::kWidth, 9}, SupportHint{SupportKind::kHeavy, 0}}) {
    const auto release = prepared_with(
        scratch, "columns:\n  a: {type: integer, min: 0, max: 999, null: 0}\n",
        ExactPrivacy::approximate(Decimal(2), Decimal(1e-4)), CentralSpec{.support = hint}, 5, 500);
    const FiniteDesign& finite = *release->certificate().as<FiniteDesign>();
    const SupportFinder finder(hint, 1000, 500, 1, 5e-5);
    ASSERT_TRUE(finite.hint);
    EXPECT_EQ(*finite.hint, Privacy::approximate(1, 5e-5));
    EXPECT_LE(finite.design.guarantee.epsilon, 1);
    EXPECT_LE(finite.design.guarantee.delta, 5e-5);
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      FrozenRandom random(seed);
      FrozenRandom again(seed);
      const FoundSupport support = finder.find(counts_of(records), again);
      found += support.size() < 1000 ? 1U : 0U;
      CentralRequest request{500, support.size(), 5, Privacy::approximate(1, 5e-5)};
      const auto sampler = make_central_sampler(design_central(finite.design.mechanism, request));
      const std::vector<std::uint32_t> by_hand =
          support.map_back(sampler->draw(support.map_into(counts_of(records), again), again));
      EXPECT_EQ(released_outcomes(*release, table, random), by_hand) << to_text(hint);
      EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
    }
    EXPECT_GT(found, 10U) << to_text(hint) << " finds nothing";
  }
}

/// The counts that all noise of a release by marginals is added to move by what its budget takes a
/// record to move them by, in every column and pair. That the noise is for this, and that nothing
/// else is asked of the table: tests/methods/marginals/release.cpp.
TEST(ReleaseReplay, MarginalsMoveByWhatTheyPaidFor) {
  const Scratch scratch;
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    const auto release = prepared_with(
        scratch,
        "columns:\n  a: {type: number, min: -50, max: 50, bins: 4, null: -50}\n"
        "  b: {type: number, min: -50, max: 50, bins: 5, null: -50}\n",
        ExactPrivacy::pure(Decimal(1)), MarginalsSpec{.neighbours = neighbours}, 2, kReplayedRows);
    const MarginalRequest& request = release->certificate().as<MarginalDesign>()->request;
    EXPECT_EQ(request.budget, release->certificate().spec.budget());
    EXPECT_EQ(request.unit.weight, 1U);
    EXPECT_EQ(request.unit.neighbours, neighbours);
    const auto& summed = dynamic_cast<const SummedRelease&>(*release);
    const auto counts_of_table = [&](const NumberColumns& columns) {
      const auto part = summed.part({}, 0);
      part->add(ReplayTable(columns).source());
      const std::vector<std::int64_t> sums = part->take().sums;
      return PairCounts({4, 5}, {}, sums);
    };
    const auto one = numbers_after({40, 40});
    auto other = numbers_after({-40, -40});
    if (neighbours == Neighbours::kAddRemove) {
      for (auto& column : other) column.erase(column.begin());
    }
    const PairCounts before = counts_of_table(one);
    const PairCounts after = counts_of_table(other);
    const auto moved = [](std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
      return sum;
    };
    EXPECT_EQ(moved(before.column(0), after.column(0)), request.unit.sum());
    EXPECT_EQ(moved(before.column(1), after.column(1)), request.unit.sum());
    EXPECT_EQ(moved(before.pair(0, 1), after.pair(0, 1)), request.unit.sum());
  }
}

}  // namespace
}  // namespace mollify
