// What one release key draws on this processor: for each way to draw, a line for each unit with the
// SHA-256 of the law's integers that its words were asked for, the words that followed those it
// drew by, and the records. scripts/compare_processors.sh runs it on two processors.
//
// The linker puts functions of this file in the place of KeyedUnits::of_law and of make_scorer:
// the one looks at the integers that a release really hashes, the other makes smaller networks.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/sha256.h"
#include "domain/column.h"
#include "methods/local/space.h"
#include "mollify/mollify.h"
#include "records/keyed_units.h"
#include "release/spec.h"
#include "scores/boosting.h"
#include "scores/network.h"

#define MOLLIFY_OF_LAW "_ZN7mollify10KeyedUnits6of_lawERKNS_11LawIntegersEm"
#define MOLLIFY_MAKE_SCORER "_ZN7mollify11make_scorerENS_10ScorerKindERKNS_11MixedPointsEd"

namespace mollify {

SecureRandom& real_of_law(KeyedUnits*, const LawIntegers&,
                          std::size_t) __asm__("__real_" MOLLIFY_OF_LAW);
SecureRandom& seen_of_law(KeyedUnits*, const LawIntegers&,
                          std::size_t) __asm__("__wrap_" MOLLIFY_OF_LAW);
std::unique_ptr<Scorer> real_make_scorer(ScorerKind, const MixedPoints&,
                                         double) __asm__("__real_" MOLLIFY_MAKE_SCORER);
std::unique_ptr<Scorer> sized_make_scorer(ScorerKind, const MixedPoints&,
                                          double) __asm__("__wrap_" MOLLIFY_MAKE_SCORER);

namespace {

std::string seen_law;              ///< SHA-256 of the integers of the last law; "": none
bool with_small_networks = false;  ///< whether the next scorers learn from so few samples
constexpr std::size_t kFewSamples = 64;

template <class Integer>
void add_all(std::span<const Integer> integers, Sha256& hash) {
  const std::uint64_t size = integers.size();
  hash.add(std::span(reinterpret_cast<const unsigned char*>(&size), sizeof size));
  hash.add(
      std::span(reinterpret_cast<const unsigned char*>(integers.data()), integers.size_bytes()));
}

/// The network of a release, and its schedule in fewer steps.
std::shared_ptr<const WeakLearner> few_steps() {
  NetworkOptions options = release_network();
  options.minibatches = 2;
  return std::make_shared<NetworkLearner>(options);
}

}  // namespace

SecureRandom& seen_of_law(KeyedUnits* units, const LawIntegers& law, std::size_t draws) {
  Sha256 hash;
  add_all(law.outcomes, hash);
  add_all(law.numerators, hash);
  seen_law = hash.hex();
  return real_of_law(units, law, draws);
}

std::unique_ptr<Scorer> sized_make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                          double epsilon) {
  if (!with_small_networks) return real_make_scorer(kind, candidates, epsilon);
  if (kind == ScorerKind::kRatio) {
    return std::make_unique<RatioScorer>(candidates, few_steps(), kFewSamples);
  }
  return std::make_unique<BoostedScorer>(candidates, epsilon, few_steps(), kFewSamples);
}

}  // namespace mollify

namespace {

using namespace mollify::front;

/// The key in a file, which is made if it is not there: toy data alone are drawn by it.
ReleaseKey key_of(const std::string& path) {
  if (std::ifstream file(path, std::ios::binary); file) {
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    return ReleaseKey::of_worker_bytes(
        {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  }
  const ReleaseKey key;
  const auto bytes = key.bytes_for_workers();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return key;
}

/// Rows of units of 1 to 24 rows each: two numbers that go together, and a word.
struct Rows {
  explicit Rows(std::size_t units) {
    const std::vector<std::string_view> words = {"red", "green", "blue", "white"};
    std::mt19937_64 random(33);
    for (std::size_t unit = 0; unit < units; ++unit) {
      const std::uint64_t middle = random() % 700;
      for (std::size_t row = 0; row < 1 + unit % 24; ++row) {
        names.push_back(std::to_string(unit));
        const std::uint64_t place = middle + random() % 300;
        x.push_back(static_cast<double>(place) / 1000);
        y.push_back(static_cast<double>(place + random() % 500) / 1500);
        colours.push_back(words[(middle + random() % 2) % words.size()]);
      }
    }
    for (const std::string& name : names) views.push_back(name);
  }
  [[nodiscard]] Source source() const {
    return Source::memory({{"unit", std::span<const std::string_view>(views)},
                           {"x", std::span<const double>(x)},
                           {"y", std::span<const double>(y)},
                           {"colour", std::span<const std::string_view>(colours)}});
  }

  std::vector<std::string> names;
  std::vector<std::string_view> views, colours;
  std::vector<double> x, y;
};

Domain domain_of(std::optional<std::uint64_t> bins, bool with_colour = true) {
  Settings number = {{"type", "number"}, {"min", 0}, {"max", 1}};
  if (bins) number.emplace_back("bins", *bins);
  std::vector<Column> columns = {Column::declare("x", number), Column::declare("y", number)};
  if (with_colour)
    columns.push_back(Column::declare(
        "colour", {{"type", "categorical"}, {"values", {"red", "green", "blue", "white"}}}));
  return Domain::make(columns);
}

constexpr const char* kReference =
    "x,y,colour\n.1,.2,red\n.3,.3,blue\n.3,.4,blue\n.8,.9,white\n.5,.1,green\n";

/// A draw, and the parts of its spec.
struct Way {
  std::string name;
  Domain domain;
  std::string parts;
  bool small_networks = false;
  std::size_t share = 1;  ///< factor of fewer units
};

std::vector<Way> ways() {
  const Domain few = domain_of(8);
  const Domain many = domain_of(64);
  const Domain fine = domain_of(std::nullopt);
  std::vector<Way> all = {
      {"counts", few, R"("mechanism": "minimax", "privacy": {"epsilon": 2})"},
      {"sparse-counts", many, R"("mechanism": "minimax", "privacy": {"epsilon": 2})"},
      {"relative", few, R"("mechanism": "relative", "privacy": {"epsilon": 2})"},
      {"mixture", few, R"("mechanism": "mixture", "privacy": {"epsilon": 2})"},
      {"gaussian-curve", few, R"("mechanism": "gaussian-curve", "privacy": {"mu": 1})"},
      {"randomized-response", few,
       R"("mechanism": "randomized-response", "privacy": {"epsilon": 2})"},
      {"public-kernel", few,
       R"("mechanism": "public-kernel", "privacy": {"epsilon": 2}, "reference": {"file": "reference.csv"})"},
      {"fresh-kernel", fine,
       R"("privacy": {"epsilon": 2}, "space": {"candidates": 100, "fresh": true})"}};
  for (const auto& scorer : mollify::names<mollify::ScorerKind>()) {
    if (scorer.value == mollify::ScorerKind::kLikelihood) continue;  // releases models, by no key
    const std::string privacy = R"("privacy": {"epsilon": 2}, "space": )";
    all.push_back(
        {fmt::format("candidates-{}", scorer.name), fine,
         fmt::format(R"({}{{"candidates": 100, "scorer": "{}"}})", privacy, scorer.name)});
    if (mollify::row_of(scorer.value).needs_candidates) {
      all.push_back(all.back());
      all.back().name += "-as-released";
      all.back().share = 500;  // training takes half a minute a unit under an emulator
      all[all.size() - 2].small_networks = true;
      continue;
    }
    all.push_back({fmt::format("grid-{}", scorer.name), domain_of(std::nullopt, false),
                   fmt::format(R"({}{{"cells": 256, "scorer": "{}"}})", privacy, scorer.name)});
  }
  return all;
}

std::string text_of(const ReleasedColumn& column, std::size_t row) {
  return std::visit([&](const auto& values) { return fmt::format("{}", values[row]); },
                    column.values);
}

void draw_units(const Way& way, const ReleaseKey& key, const Rows& rows) {
  const std::string spec = fmt::format(
      R"({{"method": "local", "count": 2, "unit": "unit", "accept_error": true, {}}})", way.parts);
  mollify::with_small_networks = way.small_networks;
  const PreparedRelease prepared =
      prepare(ReleaseSpec::parse(spec, way.domain), std::nullopt, {{"reference.csv", kReference}});
  RecordCounter counter(prepared);
  counter.add(rows.source());
  const CountedRecords counted = counter.take();
  UnitDraws draws(prepared, key, prepared.certificate().json());
  std::uint64_t name = 0;
  std::uint64_t begin = 0;
  for (std::size_t unit = 0; unit < counted.unit_ends.size(); ++unit) {
    const std::uint64_t count = counted.record_ends[unit] - begin;
    const auto* records = &counted.records[begin * counted.width];
    const std::vector<std::string_view> names = {
        std::string_view(counted.units).substr(name, counted.unit_ends[unit] - name)};
    const std::vector<std::string_view> words = {
        {reinterpret_cast<const char*>(records), count * counted.width * sizeof *records}};
    const std::vector<std::string_view> counts = {
        {reinterpret_cast<const char*>(&counted.counts[begin]), count * sizeof counted.counts[0]}};
    std::vector<ReleasedColumn> released;
    mollify::seen_law.clear();
    draws.draw(Source::memory({{"unit", std::span<const std::string_view>(names)},
                               {"records", std::span<const std::string_view>(words)},
                               {"counts", std::span<const std::string_view>(counts)}}),
               true, Sink::memory(released));
    if (mollify::seen_law.empty()) throw std::logic_error("no law was seen");
    std::string line = fmt::format("{} {} {} ", way.name, names[0], mollify::seen_law);
    for (const auto& [one, two] : draws.places()) line += fmt::format("{:016x}{:016x}", one, two);
    for (std::size_t row = 0; row < draws.places().size(); ++row) {
      for (const ReleasedColumn& column : released)
        line += fmt::format(" {}", text_of(column, row));
    }
    std::puts(line.c_str());
    name = counted.unit_ends[unit];
    begin = counted.record_ends[unit];
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: keyed_records KEY_FILE UNITS [WAY...]\n", stderr);
    return 2;
  }
  const ReleaseKey key = key_of(arguments[1]);
  const std::size_t units = std::stoul(arguments[2]);
  const std::vector<std::string_view> asked(arguments + 3, arguments + count);
  for (const Way& way : ways()) {
    if (asked.empty() || std::find(asked.begin(), asked.end(), way.name) != asked.end()) {
      draw_units(way, key, Rows(std::max<std::size_t>(1, units / way.share)));
    }
  }
  return 0;
}
