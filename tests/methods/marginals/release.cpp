// A release by marginals is drawn once more, by hand, from the same words: its cuts, its counts
// with their weights, and each step's price.
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "domain/column.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "release/design.h"
#include "release/prepared.h"
#include "release/public_inputs.h"
#include "replay.h"

namespace mollify {
namespace {

using test::FrozenRandom;
using test::Scratch;

constexpr std::uint64_t kWhole = 1024;  // a unit's rows' weight together

struct TableCase {
  bool units = false;
  bool roster = false;
  bool private_bins = false;
  bool reference = false;
  bool copula = false;
  Neighbours neighbours = Neighbours::kReplace;
  bool weights = false;  ///< of 0 to 3, in steps of a tenth
  bool questions = false;

  [[nodiscard]] std::uint64_t weight() const { return weights ? 30 : units ? kWhole : 1; }
  [[nodiscard]] std::string domain() const {
    return std::string("columns:\n  sex: {type: categorical, values: [f, m") +
           (copula ? "], null: f}\n" : ", x]}\n") +
           "  age: {type: integer, min: 0, max: 99, bins: " +
           (private_bins ? "private, null: category}\n" : "10}\n") +
           "  ill: {type: boolean, null: false}\n";
  }
};

/// What each person's rows hold, as digits of the domain, end to end.
using People = std::vector<std::vector<std::uint32_t>>;

struct SmallTable {
  std::string csv = "id,sex,age,ill,w\n";
  std::string roster = "id\n";
  People people;
  std::vector<std::vector<std::uint64_t>> weights;  ///< of each person's rows, in steps
};

/// Weights as a table may write them, with their steps. Some are too great, and some are no weights.
std::pair<std::string, std::uint64_t> weight_of(unsigned i) {
  if (i % 11 == 3) return {"", 5};
  if (i % 11 == 4) return {"-1", 5};
  if (i % 11 == 5) return {"many", 5};
  if (i % 11 == 6) return {"17.5", 30};
  const unsigned steps = i * 7 % 31;
  return {std::to_string(steps / 10) + "." + std::to_string(steps % 10), steps};
}

/// 40 people of 1 to 5 rows; every eighth is in the roster alone, and there is a stranger in the
/// data. Without units every row is a person.
SmallTable small_table(const TableCase& tested, const Domain& domain) {
  SmallTable table;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string id = "p" + std::to_string(i);
    table.roster += id + "\n";
    const unsigned rows = tested.units ? (i % 8 == 5 ? 0 : 1 + i % 5) : 1;
    if (rows > 0 || tested.roster) {
      table.people.emplace_back();
      table.weights.emplace_back();
    }
    for (unsigned row = 0; row < rows; ++row) {
      const std::string age = i % 9 == 1 ? "" : std::to_string((i * i + 7 * row) % 100);
      const std::array<std::string, 3> fields = {(i + row) % 3 == 0 ? "f" : "m", age,
                                                 i % 4 == 0 ? "true" : "false"};
      const auto [weight, steps] = weight_of(3 * i + row);
      table.csv += id + "," + fields[0] + "," + fields[1] + "," + fields[2] + "," + weight + "\n";
      table.weights.back().push_back(steps);
      std::vector<std::uint32_t> digits(3);
      domain.encode_digits(std::array<std::string_view, 3>{fields[0], fields[1], fields[2]},
                           digits);
      table.people.back().insert(table.people.back().end(), digits.begin(), digits.end());
    }
  }
  if (tested.roster) table.csv += "stranger,f,50,true,3\n";
  return table;
}

constexpr const char* kPublicRows = "sex,age,ill\nf,10,true\nm,50,false\nm,51,false\nf,90,true\n";

/// `weights` of each person's rows, or none: then all rows of one weigh `weight`, alike.
PairCounts weighed(const People& people, const std::vector<CellGroups>& bins, std::uint64_t weight,
                   const std::vector<std::vector<std::uint64_t>>& weights = {}) {
  std::vector<std::uint32_t> sizes;
  for (const CellGroups& column : bins) sizes.push_back(column.count);
  PairCounts counts(sizes, {{0, 1, 2}});
  for (std::size_t person = 0; person < people.size(); ++person) {
    const std::vector<std::uint32_t>& rows = people[person];
    const std::uint64_t number = rows.size() / 3;
    std::uint64_t sum = 0, before = 0;
    if (!weights.empty()) {
      sum = std::accumulate(weights[person].begin(), weights[person].end(), std::uint64_t{0});
    }
    for (std::uint64_t row = 0; row < number; ++row) {
      std::array<std::uint32_t, 3> record{};
      for (std::size_t i = 0; i < 3; ++i) record[i] = bins[i].of[rows[3 * row + i]];
      if (weights.empty()) {
        counts.add(record, weight / number + (row < weight % number ? 1 : 0));
        continue;
      }
      // Its share of the person's weight, cut to the greatest.
      const std::uint64_t after = before + weights[person][row];
      const auto cut = [&](std::uint64_t part) {
        return sum > weight ? part * weight / sum : part;
      };
      counts.add(record, cut(after) - cut(before));
      before = after;
    }
  }
  return counts;
}

/// Writes down each answer, for the model's file.
class NotedAnswers final : public MarginalAnswers {
 public:
  NotedAnswers(PrivateMarginals& answers, const MarginalBudget& budget, const Domain& domain,
               std::vector<std::size_t> columns, std::vector<CellGroups> bins)
      : answers_(answers),
        budget_(budget),
        domain_(domain),
        columns_(std::move(columns)),
        bins_(std::move(bins)) {}

  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  [[nodiscard]] std::span<const Triple> triples() const override { return answers_.triples(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    const std::vector<double> counts = answers_.measure(table, parts);
    Json names = Json::array(), at = Json::array(), groups = Json::array(), whole = Json::array();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::size_t column = columns_[table.columns[i]];
      at.push_back(column);
      names.push_back(domain_.columns()[column].name());
      // Of the domain's cells, whose bins are asked about.
      Json runs = Json::array();
      bool are_single = true;
      std::uint32_t cell = 0;
      for (const std::uint32_t bin : bins_[table.columns[i]].of) {
        const std::uint32_t group = table.groups[i].of[bin];
        are_single = are_single && group == cell++;
        if (runs.empty() || runs.back()[0] != group) runs.push_back({group, 0});
        runs.back()[1] = runs.back()[1].get<int>() + 1;
      }
      groups.push_back(are_single ? Json(nullptr) : runs);
    }
    for (const double count : counts) whole.push_back(std::llround(count));
    const double deviation = budget_.deviation(parts);
    tables.push_back({{"columns", names},
                      {"at", at},
                      {"groups", groups},
                      {"counts", whole},
                      {"variance", deviation * deviation},
                      {"parts", parts}});
    return counts;
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    const std::vector<double> sums = answers_.products(scores, parts);
    Json of_cells = Json::array(), whole = Json::array();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      of_cells.push_back(Json::array());
      for (const std::uint32_t bin : bins_[i].of) of_cells.back().push_back(scores.columns[i][bin]);
    }
    for (const double sum : sums) whole.push_back(std::llround(sum));
    const double deviation =
        budget_.deviation_of(budget_.product_noise(parts, columns_.size(), scores.steps));
    said_of_products = {{"scores", of_cells},
                        {"sums", whole},
                        {"variance", deviation * deviation},
                        {"parts", parts}};
    return sums;
  }
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    return answers_.choose(candidates, parts);
  }

  Json tables = Json::array();
  Json said_of_products;

 private:
  PrivateMarginals& answers_;
  const MarginalBudget& budget_;
  const Domain& domain_;
  std::vector<std::size_t> columns_;  ///< of the domain
  std::vector<CellGroups> bins_;      ///< of their cells
};

/// The model with the answers, from which all of it is made.
std::string with_answers(const std::string& model, const Json& tables, const Json& products,
                         const Json& error, const TableCase& tested, bool is_pure,
                         const std::optional<std::uint64_t>& records) {
  Json measurements{{"noise", is_pure ? "discrete-laplace" : "discrete-gaussian"},
                    {"step", tested.weights ? 0.1 : 1.0 / static_cast<double>(tested.weight())}};
  if (tested.weights) measurements["weighted"] = true;
  if (records) measurements["records"] = static_cast<double>(*records);
  measurements["tables"] = tables;
  if (!products.is_null()) measurements["products"] = products;
  measurements.update(error);
  std::set<Json> measured;
  const std::array<Json, 3> pairs = {Json{"sex", "age"}, Json{"sex", "ill"}, Json{"age", "ill"}};
  for (const Json& table : tables) {
    measured.insert(table["columns"]);
    if (table["columns"].size() == 3) measured.insert(pairs.begin(), pairs.end());
  }
  Json others = Json::array();
  for (const Json& pair : pairs) {
    if (products.is_null() && !measured.contains(pair)) others.push_back(pair);
  }
  measurements["not_measured"] = others;
  Json json = Json::parse(model);
  json["measurements"] = measurements;
  return json.dump() + "\n";
}

/// The table's weight by all that was counted of it.
std::uint64_t weight_by(const Json& tables) {
  double sum = 0, weights = 0;
  for (const Json& table : tables) {
    const auto counts = table["counts"].get<std::vector<double>>();
    const double weight =
        1 / (static_cast<double>(counts.size()) * table["variance"].get<double>());
    sum += weight * std::accumulate(counts.begin(), counts.end(), 0.0);
    weights += weight;
  }
  return static_cast<std::uint64_t>(std::max(1.0, std::round(sum / weights)));
}

/// The last question, about the rows in a file: the total variation of all three pairs.
/// "error" and "independent".
Json error_by_hand(const std::string& csv, const Domain& domain,
                   const std::vector<CellGroups>& groups, std::uint64_t weight,
                   const MarginalBudget& budget, const MarginalDesign& design,
                   PrivateMarginals& answers) {
  std::vector<std::uint32_t> sizes;
  for (const CellGroups& column : groups) sizes.push_back(column.count);
  PairCounts rows(sizes);
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  std::uint64_t count = 0;
  for (; std::getline(lines, line); ++count) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    const std::string_view text = line;
    const std::array<std::string_view, 3> fields = {
        text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
    std::vector<std::uint32_t> digits(3);
    domain.encode_digits(fields, digits);
    for (std::size_t i = 0; i < 3; ++i) digits[i] = groups[i].of[digits[i]];
    rows.add(digits, 1);
  }
  const std::array<std::size_t, 3> all = {0, 1, 2};
  const bool is_pure = budget.notion() == PrivacyNotion::kPure;
  const std::array<Json, 3> pairs = {Json{"sex", "age"}, Json{"sex", "ill"}, Json{"age", "ill"}};
  Json both;
  for (const char* const of : {"error", "independent"}) {
    const bool is_error = of == std::string_view("error");
    const std::uint32_t third = design.error_parts / 3;
    const std::uint32_t parts = is_error ? design.error_parts - third : third;
    PairCounts compared = rows;
    std::uint64_t many = count;
    if (!is_error) {
      many = count * count;
      for (const auto& [i, j] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 2U}}) {
        const auto cells = compared.pair(i, j);
        for (std::uint32_t a = 0, cell = 0; a < sizes[i]; ++a) {
          for (std::uint32_t b = 0; b < sizes[j]; ++b, ++cell)
            cells[cell] = rows.column(i)[a] * rows.column(j)[b];
        }
      }
    }
    const std::vector<double> sums = answers.distances({compared, many, weight}, all, parts);
    EXPECT_EQ(sums.size(), is_pure ? 1U : 3U);
    const double deviation = budget.deviation_of(budget.distance_noise(parts, 3));
    const MeasuredDistances found{{0, 1, 2}, many, weight, sums, deviation * deviation, parts};
    const auto [mean, least, most] = found.mean(is_pure);
    Json json{{"two_way", mean}, {"interval", {least, most}}};
    const std::vector<double> greatest = found.greatest(is_pure);
    for (std::size_t pair = 0; is_error && pair < greatest.size(); ++pair) {
      json["pairs"].push_back({{"columns", pairs[pair]}, {"at_most", greatest[pair]}});
    }
    Json whole = Json::array();
    for (const double sum : sums) whole.push_back(std::llround(sum));
    json.update({{"at", {0, 1, 2}},
                 {"rows", many},
                 {"weight", weight},
                 {"distances", whole},
                 {"variance", deviation * deviation},
                 {"parts", parts}});
    both[of] = json;
  }
  return both;
}

/// The release once more: its steps in their order, each with a budget that is made here.
std::string drawn_by_hand(const TableCase& tested, const Privacy& privacy, const Domain& domain,
                          const SmallTable& table, std::uint64_t rows, SecureRandom& random) {
  People people = table.people;
  const auto weights = tested.weights ? table.weights : std::vector<std::vector<std::uint64_t>>();
  const UnitWeight unit{tested.weight(), tested.neighbours};
  MarginalRequest request{marginal_columns(domain), privacy, unit, {}, tested.copula};
  if (tested.neighbours == Neighbours::kReplace && !tested.weights) {
    request.records = people.size();
  }
  if (tested.questions) {
    request.questions = {{0}, {0, 2}, {1, 2}};
    request.question_weights = {2, 1, 4};
  }
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget budget(privacy, unit);
  for (std::vector<std::uint32_t>& person : people) {
    if (!person.empty() || tested.weights) continue;
    for (const Column& column : domain.columns()) {
      person.push_back(static_cast<std::uint32_t>(random.below(column.size())));
    }
  }
  std::vector<FoundBins> bins;
  std::vector<CellGroups> groups;
  for (const Column& column : domain.columns()) {
    bins.push_back(without_search(column.size()));
    groups.push_back(bins.back().groups);
  }
  PartsLeft parts;
  Json tables = Json::array();
  if (tested.private_bins) {
    const PairCounts fine = weighed(people, groups, tested.weight(), weights);
    PairCounts ages({domain.columns()[1].size()});
    for (std::uint32_t cell = 0; cell < ages.sizes()[0]; ++cell) {
      ages.add(std::array{cell}, fine.column(1)[cell]);
    }
    PrivateMarginals of_ages(ages, budget, random, parts);
    NotedAnswers noted(of_ages, budget, domain, {1}, {single_cells(domain.columns()[1].size())});
    bins[1] = find_bins(design.request.columns[1], noted, budget, design.cut_parts);
    tables = noted.tables;
    groups[1] = bins[1].groups;
    parts = of_ages.rest();
    EXPECT_EQ(parts.left(), MarginalBudget::kParts - 4 * design.cut_parts);
    EXPECT_GT(design.cut_parts, 0U);
  }
  const PairCounts counts = weighed(people, groups, tested.weight(), weights);
  EXPECT_GT(design.error_parts, 0U);
  PartsLeft of_error = parts.set_apart(design.error_parts);
  PrivateMarginals answers(counts, budget, random, parts);
  NotedAnswers noted(answers, budget, domain, {0, 1, 2}, groups);
  std::vector<std::vector<double>> shares;
  for (const Column& column : domain.columns()) shares.emplace_back(column.size());
  People known;
  if (tested.reference) {
    const std::array<std::array<std::string_view, 3>, 4> records = {
        {{"f", "10", "true"}, {"m", "50", "false"}, {"m", "51", "false"}, {"f", "90", "true"}}};
    for (const auto& fields : records) {
      std::vector<std::uint32_t> digits(3);
      domain.encode_digits(fields, digits);
      for (std::size_t i = 0; i < 3; ++i) ++shares[i][digits[i]];
      known.push_back(digits);
    }
  }
  const PairCounts reference = weighed(known, groups, 1);
  std::vector<ColumnAxis> axes;
  for (const Column& column : domain.columns()) axes.push_back(axis_of(column));
  const MarginalModel model = with_shapes(
      without_bins(learn_marginals(with_bins(design, bins), noted,
                                   tested.reference ? &reference : nullptr, nullptr, &axes),
                   bins, shares),
      domain.columns(), budget.deviation(design.column_parts));
  std::string csv;
  CsvSink sink(csv);
  RecordWriter writer(domain, sink);
  write_rows(model, rows, {}, random, writer);
  writer.finish();
  tables.insert(tables.end(), noted.tables.begin(), noted.tables.end());
  const std::uint64_t weight =
      request.records ? *request.records * tested.weight() : weight_by(tables);
  PrivateMarginals last(counts, budget, random, of_error);
  const Json error = error_by_hand(csv, domain, groups, weight, budget, design, last);
  return with_answers(released_model_text(model, domain, privacy), tables, noted.said_of_products,
                      error, tested, privacy.notion == PrivacyNotion::kPure, request.records) +
         csv;
}

struct PreparedTable {
  PreparedTable(const TableCase& tested, const ExactPrivacy& privacy) {
    ReleaseSpec spec;
    spec.method = Method::kMarginals;
    spec.domain.file = scratch.write("domain.yaml", tested.domain());
    spec.count = 20;
    spec.privacy = privacy;
    spec.accept_large_delta = spec.accept_error = true;
    MarginalsSpec marginals{.neighbours = tested.neighbours, .copula = tested.copula};
    if (tested.reference) {
      marginals.reference = PublicFile{scratch.write("public.csv", kPublicRows)};
    }
    if (tested.questions)
      marginals.questions = {"share(sex) weight 2", "share(ill = true) by sex", "ill:age weight 4"};
    spec.own = marginals;
    const Domain domain = PublicFiles().domain(spec.domain);
    table = small_table(tested, domain);
    scratch.write("data.csv", table.csv);
    if (tested.units) spec.unit = "id";
    if (tested.weights) {
      spec.weights = WeightColumn{.column = "w",
                                  .greatest = Decimal(3),
                                  .step = Decimal::parse("0.1", "step"),
                                  .invalid = Decimal(0.5)};
    }
    if (tested.roster) spec.roster = PublicFile{scratch.write("roster.csv", table.roster)};
    release = test::prepared(scratch, spec);
  }

  [[nodiscard]] CsvSource data() const { return CsvSource(scratch.path("data.csv")); }
  [[nodiscard]] Domain domain() const {
    return PublicFiles().domain(release->certificate().spec.domain);
  }

  Scratch scratch;
  SmallTable table;
  std::unique_ptr<const PreparedRelease> release;
};

TEST(MarginalsRelease, DrawsWhatItsPartsPayFor) {
  std::vector<TableCase> cases;
  for (const bool private_bins : {false, true}) {
    for (const bool reference : {false, true}) {
      for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
        for (const bool units : {false, true}) {
          cases.push_back({units, false, private_bins, reference, false, neighbours});
        }
      }
      cases.push_back({true, true, private_bins, reference, false, Neighbours::kReplace});
    }
    for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
      cases.push_back({true, false, private_bins, false, true, neighbours});
      for (const bool units : {false, true}) {
        cases.push_back({units, false, private_bins, false, false, neighbours, true});
      }
    }
    cases.push_back({true, true, private_bins, true, false, Neighbours::kReplace, true});
    cases.push_back({true, false, private_bins, false, true, Neighbours::kReplace, true});
    for (const bool reference : {false, true}) {
      cases.push_back(
          {reference, false, private_bins, reference, false, Neighbours::kReplace, false, true});
    }
    cases.push_back({true, false, private_bins, false, false, Neighbours::kAddRemove, true, true});
  }
  const std::array budgets = {ExactPrivacy::pure(Decimal(2)),
                              ExactPrivacy::concentrated(Decimal(0.5)),
                              ExactPrivacy::approximate(Decimal(2), Decimal(0.001))};
  std::size_t number = 0;
  for (const TableCase& tested : cases) {
    const ExactPrivacy& budget = budgets[number++ % budgets.size()];
    const PreparedTable prepared(tested, budget);
    const Domain domain = prepared.domain();
    ASSERT_EQ(marginal_columns(domain)[1].private_bins, tested.private_bins);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      std::string csv;
      CsvSink sink(csv);
      FrozenRandom random(seed);
      const Drawn drawn = prepared.release->draw(prepared.data(), random, sink, 1);
      FrozenRandom again(seed);
      EXPECT_EQ(drawn.model + csv,
                drawn_by_hand(tested, prepared.release->certificate().spec.budget(), domain,
                              prepared.table, 20, again))
          << "units " << tested.units << ", roster " << tested.roster << ", private bins "
          << tested.private_bins << ", reference " << tested.reference << ", copula "
          << tested.copula << ", weights " << tested.weights << ", questions " << tested.questions
          << ", " << name_of(tested.neighbours);
      EXPECT_EQ(random.word(), again.word());
    }
  }
}

/// Sums over a table that lies elsewhere give the very same release.
TEST(MarginalsRelease, BySumsIsTheSameRelease) {
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    const PreparedTable prepared({.neighbours = neighbours}, ExactPrivacy::pure(Decimal(2)));
    const auto& summed = dynamic_cast<const SummedRelease&>(*prepared.release);
    std::string csv;
    CsvSink sink(csv);
    FrozenRandom random(5);
    const Drawn drawn = prepared.release->draw(prepared.data(), random, sink, 1);
    std::string csv_of_sums;
    CsvSink of_sums(csv_of_sums);
    FrozenRandom again(5);
    const Drawn by_sums = summed.draw_by(
        [&](const std::string& pass) {
          const auto part = summed.part(pass, 0);
          part->add(prepared.data());
          return part->take().sums;
        },
        again, of_sums);
    EXPECT_EQ(drawn.model + csv, by_sums.model + csv_of_sums);
    EXPECT_EQ(random.word(), again.word());
  }
}

/// Every unit weighs 1024 in every column and pair, whether it has no rows, one or more than that
/// weight; a row without units weighs 1. A replaced unit moves a column by twice its weight, in
/// the worst case and at most.
TEST(MarginalsRelease, EveryUnitHasTheWeightThatNoiseIsMadeFor) {
  const TableCase tested{.units = true, .roster = true};
  const Scratch scratch;
  SpecDomain file;
  file.file = scratch.write("domain.yaml", tested.domain());
  const Domain domain = PublicFiles().domain(file);
  Roster roster;
  for (const char* id : {"a", "b", "c"}) roster.insert(id);
  const auto counted = [&](const std::string& rows, bool has_units) {
    const CsvSource data(scratch.write("data.csv", "id,sex,age,ill\n" + rows));
    FrozenRandom random(3);
    if (!has_units) return exact_pair_counts(data, domain, {}, {}, random);
    return exact_pair_counts(data, domain, "id", roster, random);
  };
  std::string many;
  for (int row = 0; row < 1500; ++row) many += "a,m,99,false\n";
  const std::array<std::string, 5> rows = {"", "a,f,5,true\n", "a,f,5,true\na,m,99,false\n",
                                           "a,f,5,true\na,f,6,true\na,m,5,true\n", many};
  std::vector<PairCounts> counts;
  const auto total = [](std::span<const std::uint64_t> cells) {
    return std::accumulate(cells.begin(), cells.end(), std::uint64_t{0});
  };
  for (const std::string& of_a : rows) {
    counts.push_back(
        counted("b,f,1,true\nb,f,2,true\nc,m,1,true\nstranger,m,1,true\n" + of_a, true));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(total(counts.back().column(i)), 3 * kWhole);
      for (std::size_t j = i + 1; j < 3; ++j) {
        EXPECT_EQ(total(counts.back().pair(i, j)), 3 * kWhole);
      }
    }
  }
  std::uint64_t most = 0;
  for (const PairCounts& one : counts) {
    for (const PairCounts& other : counts) {
      std::uint64_t moved = 0;
      for (std::size_t cell = 0; cell < one.pair(0, 1).size(); ++cell) {
        const std::uint64_t a = one.pair(0, 1)[cell];
        const std::uint64_t b = other.pair(0, 1)[cell];
        moved += a > b ? a - b : b - a;
      }
      most = std::max(most, moved);
    }
  }
  EXPECT_EQ(most, 2 * kWhole);
  EXPECT_EQ(total(counted(rows[3], false).column(0)), 3U);
}

}  // namespace
}  // namespace mollify
