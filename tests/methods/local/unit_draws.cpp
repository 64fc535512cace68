#include "methods/local/unit_draws.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "formats/csv.h"
#include "kernel/order.h"
#include "methods/local/space.h"
#include "records/source.h"
#include "records/tallies.h"
#include "release/prepared.h"

namespace mollify {
namespace {

using test::Scratch;

constexpr const char* kUnitCategories =
    "columns:\n"
    "  a: {type: categorical, values: [x, y, z], null: category}\n"
    "  b: {type: integer, min: 0, max: 9, bins: 5, null: 0}\n";
constexpr const char* kUnitNumbers =
    "columns:\n"
    "  a: {type: number, min: 0, max: 10, null: 0}\n"
    "  b: {type: number, min: 0, max: 1, null: 0}\n";
constexpr const char* kUnitRecords =
    "id,a,b\nu,x,0\nu,x,1\nu,y,9\nv,q,-5\nw,3,0.5\nw,3,0.5\nv,1,0.9\nstranger,x,1\nu,x,0\n,,\n";

ReleaseSpec unit_spec(const Scratch& scratch, const char* domain, bool with_roster) {
  ReleaseSpec spec = test::integral_spec(scratch, domain);
  scratch.write("data.csv", kUnitRecords);
  spec.method = Method::kLocal;
  spec.unit = "id";
  if (with_roster) spec.roster = PublicFile{scratch.write("units.csv", "id\nv\nabsent\nu\nw\n")};
  return spec;
}

/// Counts as columns, which the source borrows.
class CountColumns {
 public:
  void add(std::string unit, std::string record, std::int64_t count) {
    units_.push_back(std::move(unit));
    records_.push_back(std::move(record));
    counts_.emplace_back(reinterpret_cast<const char*>(&count), sizeof count);
  }
  /// A row for each unit, as they are handed on, or one for each record.
  void add(const CountedRecords& counted, bool by_unit) {
    std::uint64_t name = 0;
    std::uint64_t begin = 0;
    for (std::size_t unit = 0; unit < counted.unit_ends.size(); ++unit) {
      const std::string id = counted.units.substr(name, counted.unit_ends[unit] - name);
      const std::uint64_t step = by_unit ? counted.record_ends[unit] - begin : 1;
      for (; begin < counted.record_ends[unit]; begin += step) {
        const auto* record = reinterpret_cast<const char*>(&counted.records[begin * counted.width]);
        const auto* count = reinterpret_cast<const char*>(&counted.counts[begin]);
        units_.push_back(id);
        records_.emplace_back(record, step * counted.width * sizeof(std::uint32_t));
        counts_.emplace_back(count, step * sizeof(std::uint64_t));
      }
      name = counted.unit_ends[unit];
    }
  }
  /// Units one after the other, in an order of the test's; rows of a unit in any.
  [[nodiscard]] CountColumns ordered(const std::vector<std::string>& units,
                                     SecureRandom& random) const {
    std::vector<std::uint32_t> rows(units_.size());
    std::iota(rows.begin(), rows.end(), 0U);
    shuffle(rows, random);
    CountColumns made;
    for (const std::string& unit : units) {
      for (const std::uint32_t row : rows) {
        if (units_[row] != unit) continue;
        made.units_.push_back(unit);
        made.records_.push_back(records_[row]);
        made.counts_.push_back(counts_[row]);
      }
    }
    return made;
  }
  [[nodiscard]] std::size_t rows() const { return units_.size(); }
  /// Rows begin ... end - 1.
  template <class Take>
  void with_source(std::size_t begin, std::size_t end, Take take) const {
    const auto views = [&](const std::vector<std::string>& all) {
      return std::vector<std::string_view>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                           all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    const auto units = views(units_), records = views(records_), counts = views(counts_);
    take(MemorySource({"unit", "records", "counts"},
                      {Values(std::span<const std::string_view>(units)),
                       Values(std::span<const std::string_view>(records)),
                       Values(std::span<const std::string_view>(counts))}));
  }

 private:
  std::vector<std::string> units_;
  std::vector<std::string> records_;
  std::vector<std::string> counts_;
};

CountColumns count_columns_of(const LocalRelease& release, const Scratch& scratch,
                              bool by_unit = true) {
  RecordCounter counter(release.counting());
  counter.add(CsvSource(scratch.path("data.csv")));
  CountColumns counts;
  counts.add(counter.take(), by_unit);
  return counts;
}

struct DrawnRecords {
  std::multiset<std::string> lines;
  std::vector<std::array<std::uint64_t, 2>> places;
};

/// In parts of this many rows.
DrawnRecords drawn_in_parts(const LocalRelease& release, const ReleaseKey& key,
                            const CountColumns& counts, std::size_t rows,
                            std::optional<std::string> certificate = std::nullopt) {
  UnitDraws draws(release, key,
                  certificate ? *certificate : certificate_text(release.certificate()));
  DrawnRecords all;
  for (std::size_t begin = 0; begin <= counts.rows(); begin += rows) {
    const std::size_t end = std::min(begin + rows, counts.rows());
    std::string csv;
    CsvSink sink(csv);
    counts.with_source(begin, end, [&](const Source& part) {
      draws.draw(part, begin + rows > counts.rows(), sink);
    });
    for (std::size_t line = csv.find('\n') + 1; line < csv.size();) {
      const std::size_t line_end = csv.find('\n', line);
      all.lines.insert(csv.substr(line, line_end - line));
      line = line_end + 1;
    }
    all.places.insert(all.places.end(), draws.places().begin(), draws.places().end());
  }
  return all;
}

/// A domain and the changes of its spec.
struct SpaceCase {
  const char* name;
  const char* domain;
  void (*change)(ReleaseSpec&);
};
const SpaceCase kSpaceCases[] = {
    {"categories", kUnitCategories, [](ReleaseSpec&) {}},
    {"a channel", kUnitCategories,
     [](ReleaseSpec& spec) { test::local_of(spec).mechanism = Mechanism::kRandomizedResponse; }},
    {"a grid", kUnitNumbers, [](ReleaseSpec& spec) { test::local_of(spec).space.cells = 64; }},
    {"candidates", kUnitNumbers,
     [](ReleaseSpec& spec) { test::local_of(spec).space.candidates = 50; }},
    {"fresh candidates", kUnitNumbers,
     [](ReleaseSpec& spec) {
       test::local_of(spec).space.candidates = 50;
       test::local_of(spec).space.fresh = true;
     }},
};

TEST(UnitDraws, AreTheSameHoweverCountsComeAndByOneKeyAlone) {
  SecureRandom random;
  for (const SpaceCase& one : kSpaceCases) {
    for (const bool with_roster : {false, true}) {
      const Scratch scratch;
      ReleaseSpec spec = unit_spec(scratch, one.domain, with_roster);
      one.change(spec);
      const auto release = test::prepared_local(scratch, spec);
      CountColumns counts = count_columns_of(*release, scratch);
      CountColumns by_record = count_columns_of(*release, scratch, false);
      if (with_roster) counts.add("absent", "", 0);
      if (with_roster) by_record.add("absent", "", 0);
      const ReleaseKey key;
      std::vector<std::string> units = {"u", "v", "w", "absent", "stranger"};
      const DrawnRecords first = drawn_in_parts(*release, key, counts.ordered(units, random), 100);
      ASSERT_EQ(first.lines.size(), 12U) << one.name;  // 3 draws of each of 4 units
      const auto sorted = [](auto places) {
        std::sort(places.begin(), places.end());
        return places;
      };
      for (const std::size_t rows : {1U, 2U, 3U, 7U}) {
        std::reverse(units.begin(), units.end());
        const DrawnRecords again =
            drawn_in_parts(*release, key, by_record.ordered(units, random), rows);
        EXPECT_EQ(again.lines, first.lines) << one.name << " in parts of " << rows;
        EXPECT_EQ(sorted(again.places), sorted(first.places));
      }
      const auto places = sorted(first.places);
      EXPECT_EQ(places.size(), with_roster ? 0U : 12U);
      EXPECT_EQ(std::adjacent_find(places.begin(), places.end()), places.end());
      if (!with_roster) {
        EXPECT_NE(sorted(drawn_in_parts(*release, {}, counts.ordered(units, random), 100).places),
                  places);
      }
    }
  }
}

// What would be leaked if words did not depend on the law: two processors make other integers of
// one unit's counts, and so draw other records by the same words. Here releases represent
// processors: each pair makes other integers of the same counts, under one key and one
// certificate's text.
TEST(UnitDraws, OfOtherIntegersHaveOtherWords) {
  SecureRandom random;
  const Scratch scratch;
  const auto by_scorer = [](std::optional<ScorerKind> scorer, bool fresh) {
    return [=](ReleaseSpec& spec) {
      auto& space = test::local_of(spec).space;
      space.candidates = 50;
      space.fresh = fresh;
      space.scorer = scorer;
    };
  };
  using Change = std::function<void(ReleaseSpec&)>;
  struct Pair {
    const char* name;
    const char* domain;
    Change one;
    Change other;
  };
  const Change nothing = [](ReleaseSpec&) {};
  const Change other_privacy = [](ReleaseSpec& spec) {
    spec.privacy = ExactPrivacy::pure(Decimal(2));
  };
  const std::vector<Pair> pairs = {
      {"counts", kUnitCategories, nothing, other_privacy},
      {"candidates", kUnitNumbers, by_scorer(ScorerKind::kKernel, false),
       by_scorer(ScorerKind::kHistogram, false)},
      {"fresh candidates", kUnitNumbers, by_scorer(ScorerKind::kKernel, true),
       by_scorer(ScorerKind::kHistogram, true)},
      {"number of draws", kUnitCategories, nothing, [](ReleaseSpec& spec) { spec.count = 4; }}};
  for (const Pair& pair : pairs) {
    ReleaseSpec spec = unit_spec(scratch, pair.domain, false);
    ReleaseSpec other_spec = spec;
    pair.one(spec);
    pair.other(other_spec);
    const auto release = test::prepared_local(scratch, spec);
    const auto other = test::prepared_local(scratch, other_spec);
    const auto counts = count_columns_of(*release, scratch).ordered({"u", "v", "w"}, random);
    const ReleaseKey key;
    const auto places = drawn_in_parts(*release, key, counts, 100, "a certificate").places;
    const auto again = drawn_in_parts(*release, key, counts, 100, "a certificate").places;
    const auto others = drawn_in_parts(*other, key, counts, 100, "a certificate").places;
    EXPECT_EQ(again, places) << pair.name;
    for (const auto& place : places) {
      EXPECT_EQ(std::count(others.begin(), others.end(), place), 0) << pair.name;
    }
  }
}

// Fresh candidates are a part of the law. A unit without records has one table whatever they are:
// here they are other ones because the second domain has fewer cells.
TEST(UnitDraws, OfOtherFreshCandidatesHaveOtherWords) {
  const Scratch scratch;
  const ReleaseKey key;
  CountColumns none;
  none.add("u", "", 0);
  std::vector<std::vector<std::array<std::uint64_t, 2>>> places;
  for (const char* domain :
       {"columns:\n  a: {type: number, min: 0, max: 10, null: 0}\n",
        "columns:\n  a: {type: number, min: 0, max: 10, bins: 70000, null: 0}\n"}) {
    ReleaseSpec spec = unit_spec(scratch, domain, false);
    test::local_of(spec).space.candidates = 50;
    test::local_of(spec).space.fresh = true;
    const auto release = test::prepared_local(scratch, spec);
    places.push_back(drawn_in_parts(*release, key, none, 9, "a certificate").places);
    ASSERT_EQ(places.back().size(), 3U);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(places[0][i], places[1][i]);
}

// A unit's words depend on the release's certificate, on all of it.
TEST(UnitDraws, OfAnotherCertificateHaveOtherWords) {
  SecureRandom random;
  const Scratch scratch;
  const auto release = test::prepared_local(scratch, unit_spec(scratch, kUnitCategories, false));
  const auto counts = count_columns_of(*release, scratch).ordered({"u", "v", "w"}, random);
  const ReleaseKey key;
  const std::string text = certificate_text(release->certificate());
  const auto places = drawn_in_parts(*release, key, counts, 100, text).places;
  ASSERT_EQ(places.size(), 9U);
  EXPECT_EQ(drawn_in_parts(*release, key, counts, 100).places, places);
  for (const std::string& other : {text + " ", text.substr(1), std::string()}) {
    for (const auto& place : drawn_in_parts(*release, key, counts, 100, other).places) {
      EXPECT_EQ(std::count(places.begin(), places.end(), place), 0);
    }
  }
}

// A unit's words depend on its own counts: another record of one unit changes no other one.
TEST(UnitDraws, OfOtherCountsHaveOtherWords) {
  const Scratch scratch;
  const auto release = test::prepared_local(scratch, unit_spec(scratch, kUnitCategories, false));
  const ReleaseKey key;
  const auto places = [&](const char* records) {
    scratch.write("data.csv", records);
    SecureRandom random;
    const auto counts = count_columns_of(*release, scratch).ordered({"u", "v"}, random);
    return drawn_in_parts(*release, key, counts, 100).places;
  };
  const auto before = places("id,a,b\nu,x,0\nu,x,0\nv,y,9\n");
  ASSERT_EQ(before.size(), 6U);
  const auto after = places("id,a,b\nu,x,0\nv,y,9\n");
  ASSERT_EQ(after.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(after[i], before[i]);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(after[i], before[i]);
}

// 5000 keys, one draw each, against the law that the sampler states, and the joint law of two
// units and of one unit before and after a change against independence.
TEST(UnitDraws, FollowTheSamplersLawOverKeysAndAreIndependent) {
  constexpr std::size_t kKeys = 5'000;
  const Scratch scratch;
  ReleaseSpec spec =
      unit_spec(scratch, "columns:\n  a: {type: categorical, values: [x, y, z], null: x}\n", false);
  spec.count = 1;
  const auto release = test::prepared_local(scratch, spec);
  CountColumns counts;
  const auto record = [](std::uint32_t outcome) {
    return std::string(reinterpret_cast<const char*>(&outcome), sizeof outcome);
  };
  counts.add("u", record(0), 2);
  counts.add("u", record(1), 1);
  counts.add("v", record(0), 2);
  counts.add("v", record(1), 1);
  CountColumns changed;
  changed.add("u", record(0), 3);
  changed.add("u", record(1), 1);
  const auto law_of = [&](std::vector<double> weights) {
    const std::vector<std::uint32_t> outcomes = {0, 1};
    return release->sampler().law({outcomes, weights}).probabilities;
  };
  const std::vector<double> law = law_of({2, 1});
  const std::vector<double> law_changed = law_of({3, 1});
  std::vector<std::uint64_t> single(3);
  std::vector<std::uint64_t> of_two(9);
  std::vector<std::uint64_t> of_change(9);
  const std::string certificate = certificate_text(release->certificate());
  const auto outcome_at = [](MemorySink& sink, std::size_t row) {
    return static_cast<std::size_t>(std::get<std::string_view>(sink.column(0)[row])[0] - 'x');
  };
  for (std::size_t i = 0; i < kKeys; ++i) {
    const ReleaseKey key;
    MemorySink drawn;
    MemorySink again;
    counts.with_source(0, 4, [&](const Source& part) {
      UnitDraws(*release, key, certificate).draw(part, true, drawn);
    });
    changed.with_source(0, 2, [&](const Source& part) {
      UnitDraws(*release, key, certificate).draw(part, true, again);
    });
    const std::size_t u = outcome_at(drawn, 0);
    ++single[u];
    ++of_two[3 * u + outcome_at(drawn, 1)];
    ++of_change[3 * u + outcome_at(again, 0)];
  }
  const auto product = [](const std::vector<double>& left, const std::vector<double>& right) {
    std::vector<double> both;
    for (const double p : left) {
      for (const double q : right) both.push_back(p * q);
    }
    return both;
  };
  EXPECT_TRUE(test::follows(law, single));
  EXPECT_TRUE(test::follows(product(law, law), of_two));
  EXPECT_TRUE(test::follows(product(law, law_changed), of_change));
}

TEST(UnitDraws, AreTotalInWhatTheyRead) {
  const Scratch scratch;
  const auto release = test::prepared_local(scratch, unit_spec(scratch, kUnitCategories, false));
  CountColumns counts;
  counts.add("u", "", 1);
  counts.add("u", "abc", 1);
  counts.add("u", std::string(8, '\0'), 1);    // two records, one count
  counts.add("u", std::string(4, '\xff'), 1);  // no outcome
  counts.add("u", std::string(4, '\0'), -1);
  counts.add("\xff\xfe", std::string(4, '\0'), std::int64_t{1} << 62U);
  EXPECT_EQ(drawn_in_parts(*release, {}, counts, 2).lines.size(), 6U);
}

// Wrong records are as if they had never been counted: they change no word and no law.
TEST(UnitDraws, LeaveOutRecordsThatAreNone) {
  const auto words_of = [](std::vector<std::uint32_t> words) {
    return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
  };
  for (const SpaceCase& one : kSpaceCases) {
    const Scratch scratch;
    ReleaseSpec spec = unit_spec(scratch, one.domain, false);
    one.change(spec);
    const auto release = test::prepared_local(scratch, spec);
    const Domain& domain = release->space().domain();
    std::vector<std::vector<std::uint32_t>> none;
    std::vector<std::uint32_t> record(1);
    if (domain.is_enumerable()) {
      none = {{static_cast<std::uint32_t>(domain.size())}, {UINT32_MAX}};
    } else {
      record.assign(domain.columns().size(), 1);
      for (std::size_t column = 0; column < record.size(); ++column) {
        none.push_back(record);
        none.back()[column] = static_cast<std::uint32_t>(domain.columns()[column].size());
      }
    }
    CountColumns counts;
    counts.add("u", words_of(record), 3);
    CountColumns more = counts;
    for (const auto& garbage : none) more.add("u", words_of(garbage), 2);
    const ReleaseKey key;
    const DrawnRecords drawn = drawn_in_parts(*release, key, counts, 9);
    const DrawnRecords drawn_of_more = drawn_in_parts(*release, key, more, 9);
    EXPECT_EQ(drawn.lines.size(), 3U);
    EXPECT_EQ(drawn_of_more.lines, drawn.lines) << one.name;
    EXPECT_EQ(drawn_of_more.places, drawn.places) << one.name;
  }
}

// Of more records than are scored, some are drawn, of counts and without memory for each.
TEST(UnitDraws, KeepSomeOfManyScoredRecords) {
  const Scratch scratch;
  ReleaseSpec spec = unit_spec(scratch, kUnitNumbers, false);
  test::local_of(spec).space.cells = 64;
  const auto release = test::prepared_local(scratch, spec);
  const ReleaseKey key;
  const std::uint32_t outcome = 5;
  const std::string record(reinterpret_cast<const char*>(&outcome), sizeof outcome);
  CountColumns whole;
  whole.add("u", record, 1'000'000'000'000);
  whole.add("u", std::string(4, '\0'), 7);
  CountColumns split;
  split.add("u", std::string(4, '\0'), 7);
  split.add("u", record, 999'999'999'999);
  split.add("u", record, 1);
  EXPECT_EQ(drawn_in_parts(*release, key, whole, 9).lines,
            drawn_in_parts(*release, key, split, 1).lines);
}

// Counts of one record that add up to 2^64 are the greatest count, and not none.
TEST(UnitDraws, CountsOfARecordSaturate) {
  for (const SpaceCase& one : kSpaceCases) {
    const Scratch scratch;
    ReleaseSpec spec = unit_spec(scratch, one.domain, false);
    one.change(spec);
    const auto release = test::prepared_local(scratch, spec);
    const ReleaseKey key;
    const std::size_t bytes = release->space().domain().is_enumerable() ? 4 : 8;
    const std::string first(bytes, '\0');
    std::string second = first;
    second[0] = 1;
    CountColumns saturated;
    saturated.add("u", first, 7);
    saturated.add("u", second, std::int64_t{1} << 53U);
    CountColumns overflown;
    overflown.add("u", first, 7);
    overflown.add("u", second, std::numeric_limits<std::int64_t>::max());
    overflown.add("u", second, std::numeric_limits<std::int64_t>::max());
    overflown.add("u", second, 2);
    EXPECT_EQ(drawn_in_parts(*release, key, overflown, 9).lines,
              drawn_in_parts(*release, key, saturated, 9).lines)
        << one.name;
    EXPECT_EQ(drawn_in_parts(*release, key, overflown, 9).places,
              drawn_in_parts(*release, key, saturated, 9).places)
        << one.name;
  }
}

// 4096 records of the greatest count are 2^65 in all, of which some are scored.
TEST(UnitDraws, KeepSomeOfMoreRecordsThan64BitsCount) {
  const Scratch scratch;
  ReleaseSpec spec = unit_spec(scratch, kUnitNumbers, false);
  test::local_of(spec).space.candidates = 50;
  const auto release = test::prepared_local(scratch, spec);
  CountColumns counts;
  for (std::uint32_t digit = 0; digit < 4096; ++digit) {
    const std::uint32_t digits[2] = {digit, digit};
    counts.add("u", std::string(reinterpret_cast<const char*>(digits), sizeof digits),
               std::numeric_limits<std::int64_t>::max());
  }
  EXPECT_EQ(drawn_in_parts(*release, {}, counts, 5000).lines.size(), 3U);
}

}  // namespace
}  // namespace mollify
