// Measurements that a release by marginals publishes, and altered ones that it cannot have made.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "domain/domain.h"
#include "methods/graphical/measurements.h"
#include "methods/marginals/design.h"
#include "methods/marginals/method.h"
#include "methods/marginals/private_bins.h"
#include "release/prepared.h"
#include "replay.h"

namespace mollify {
namespace {

/// A release of 400 rows of 200 people, and its model's measurements.
class PublishedRelease {
 public:
  PublishedRelease(const std::string& domain, const std::string& parts) {
    Json spec = Json::parse(parts);
    spec["method"] = "marginals";
    spec["count"] = 5;
    spec["accept_error"] = true;
    spec["domain"]["file"] = scratch_.write("domain.yaml", domain);
    std::string table = "id,sex,age,ill,group,w\n";
    for (unsigned i = 0; i < 400; ++i) {
      table += std::to_string(i / 2) + (i % 3 == 0 ? ",f," : ",m,") + std::to_string(i * i % 97) +
               (i % 5 == 0 ? ",true," : ",false,") + (i % 3 == 0 ? "w" : "v") + "," +
               std::to_string(i % 4) + "\n";
    }
    scratch_.write("data.csv", table);
    release_ = test::prepared(scratch_, parse_spec(spec.dump(), "spec"));
    test::FrozenRandom random(3);
    std::string csv;
    CsvSink sink(csv);
    model =
        Json::parse(release_->draw(CsvSource(scratch_.path("data.csv")), random, sink, 1).model);
    made = *released_measurements(model, this->domain(), "m");
  }

  [[nodiscard]] Domain domain() const {
    return PublicFiles().domain(release_->certificate().spec.domain);
  }
  [[nodiscard]] const MarginalDesign& design() const {
    return *release_->certificate().as<MarginalDesign>();
  }
  [[nodiscard]] MarginalBudget budget() const {
    return MarginalBudget(design().request.budget, design().request.unit, design().amount);
  }
  [[nodiscard]] bool can_have(const Measurements& other) const {
    return can_have_measured(release_->certificate(), other);
  }
  /// Whether it can have made these, altered.
  [[nodiscard]] bool can_have(const std::function<void(Measurements&)>& alter) const {
    Measurements altered = made;
    alter(altered);
    return can_have(altered);
  }

  Json model;
  Measurements made;

 private:
  test::Scratch scratch_;
  std::unique_ptr<const PreparedRelease> release_;
};

constexpr const char* kPlain =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m, x], null: f}\n"
    "  age: {type: integer, min: 0, max: 99, bins: 10, null: 0}\n"
    "  ill: {type: boolean, null: false}\n";
constexpr const char* kSearched =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m, x], null: f}\n"
    "  age: {type: integer, min: 0, max: 99, bins: private, null: category}\n";
constexpr const char* kOrdered =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m], null: f}\n"
    "  age: {type: integer, min: 0, max: 99, bins: private, null: 0}\n"
    "  ill: {type: boolean, null: false}\n";
constexpr const char* kRules =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m, x], null: f}\n"
    "  age: {type: integer, min: 0, max: 99, bins: private, null: 0}\n"
    "  ill: {type: boolean, null: false}\n"
    "  group: {type: categorical, values: [v, w], null: v}\n"
    "rules:\n"
    "  - if age < 15 then ill == false\n"
    "  - {column: group, follows: sex, map: {f: w, m: v, x: v}}\n";
constexpr const char* kSingle = "columns:\n  age: {type: integer, min: 0, max: 9, null: 0}\n";

/// By name. Budgets are great, so that pairs are chosen in rounds.
const std::map<std::string, std::unique_ptr<const PublishedRelease>>& published() {
  static const auto all = [] {
    const std::map<std::string, std::pair<const char*, const char*>> asked = {
        {"plain", {kPlain, R"({"privacy": {"epsilon": 20, "delta": 1e-6}})"}},
        {"pure", {kSearched, R"({"privacy": {"epsilon": 9}, "neighbours": "add-remove"})"}},
        {"copula", {kOrdered, R"({"privacy": {"rho": 1}, "copula": true})"}},
        {"rules", {kRules, R"({"privacy": {"rho": 5}})"}},
        {"units", {kPlain, R"({"privacy": {"rho": 5}, "unit": "id"})"}},
        {"weights", {kPlain, R"({"privacy": {"rho": 5},
          "weights": {"column": "w", "greatest": 3, "invalid": 1, "step": 0.5}})"}},
        {"single", {kSingle, R"({"privacy": {"rho": 1}})"}}};
    std::map<std::string, std::unique_ptr<const PublishedRelease>> made;
    for (const auto& [name, parts] : asked) {
      made[name] = std::make_unique<const PublishedRelease>(parts.first, parts.second);
    }
    return made;
  }();
  return all;
}

TEST(PublishedMeasurements, AreReadAsTheyWereWritten) {
  for (const auto& [name, release] : published()) {
    EXPECT_EQ(measurements_json(release->made, release->domain()), release->model["measurements"])
        << name;
    EXPECT_TRUE(release->can_have(release->made)) << name;
    EXPECT_FALSE(release->made.tables.empty()) << name;
  }
}

// A count is in rows, units or weight, as step says, and all pairs are measured or listed.
TEST(PublishedMeasurements, AddUpToTheTable) {
  const std::map<std::string, double> totals = {{"plain", 400}, {"pure", 400},  {"copula", 400},
                                                {"rules", 400}, {"units", 200}, {"single", 400}};
  for (const auto& [name, total] : totals) {
    const Measurements& made = published().at(name)->made;
    for (const MeasuredTable& table : made.tables) {
      double sum = 0;
      for (const double count : table.counts) sum += count * made.step;
      const double deviation =
          made.step * std::sqrt(table.variance * static_cast<double>(table.counts.size()));
      EXPECT_NEAR(sum, total, 7 * deviation) << name;
    }
    EXPECT_EQ(made.records, name == "pure" ? std::nullopt : std::optional(total)) << name;
  }
  EXPECT_EQ(published().at("units")->made.step, 1.0 / 1024);
  EXPECT_EQ(published().at("weights")->made.step, 0.5);
  const Measurements& plain = published().at("plain")->made;
  std::size_t pairs = plain.not_measured(3).size();
  for (const auto& pair : {std::vector<std::size_t>{0, 1}, {0, 2}, {1, 2}}) {
    const auto has_pair = [&](const MeasuredTable& table) { return table.columns == pair; };
    if (std::any_of(plain.tables.begin(), plain.tables.end(), has_pair)) ++pairs;
  }
  EXPECT_EQ(pairs, 3U);
  EXPECT_TRUE(published().at("copula")->made.not_measured(3).empty()) << "products are of all";
  // A column that follows is not counted.
  EXPECT_EQ(published().at("rules")->model["measurements"]["not_measured"].back(),
            (Json{"ill", "group"}));
}

TEST(PublishedMeasurements, OfOtherPartsNoiseOrTablesCannotHaveBeenMade) {
  for (const auto& one : published()) {
    // Lambdas of Clang 14 hold no structured bindings.
    const auto& name = one.first;
    const auto& release = one.second;
    const MarginalBudget budget = release->budget();
    const auto refused = [&](const char* what, const std::function<void(Measurements&)>& alter) {
      EXPECT_FALSE(release->can_have(alter)) << name << ": " << what;
    };
    refused("noise", [](Measurements& made) { made.noise = "gaussian"; });
    refused("step", [](Measurements& made) { made.step *= 2; });
    refused("records", [](Measurements& made) { made.records = made.records.value_or(0) + 1; });
    refused("no table", [](Measurements& made) { made.tables.clear(); });
    refused("twice", [](Measurements& made) {
      const std::vector<MeasuredTable> once = made.tables;
      made.tables.insert(made.tables.end(), once.begin(), once.end());
    });
    refused("three columns", [](Measurements& made) {
      made.tables.push_back(made.tables.back());
      made.tables.back().columns = {0, 0, 0};
    });
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < release->made.tables.size(); ++i) {
      const auto altered = [&](const char* what, const std::function<void(MeasuredTable&)>& alter) {
        refused(what, [&](Measurements& made) { alter(made.tables[i]); });
      };
      const auto takes = [&](std::uint32_t parts) {
        return [&budget, parts](MeasuredTable& table) {
          table.parts = parts;
          const double deviation = budget.deviation(parts);
          table.variance = deviation * deviation;
        };
      };
      const std::uint32_t parts = release->made.tables[i].parts;
      altered("variance", [](MeasuredTable& table) { table.variance *= 1.001; });
      altered("parts alone", [](MeasuredTable& table) { table.parts += 9; });
      altered("no parts", [](MeasuredTable& table) { table.parts = 0; });
      altered("half a count", [](MeasuredTable& table) { table.counts.back() += 0.5; });
      if (3 * parts <= MarginalBudget::kParts) altered("more parts", takes(3 * parts));
      if (release->made.tables[i].columns.size() == 1) continue;
      ++pairs;
      altered("more cells", [&](MeasuredTable& table) { table.groups[0].count = 1000; });
    }
    const bool has_pairs = name != "copula" && name != "single";
    EXPECT_EQ(pairs > 0, has_pairs) << name;
    // Without a level or a column, whose parts are left over then.
    std::size_t first = release->design().request.asked();
    for (const MarginalColumn& column : release->design().request.columns) {
      if (column.private_bins) first += kBinLevels;
    }
    for (std::size_t i = 0; i < first; ++i) {
      refused("a column less", [&](Measurements& made) {
        made.tables.erase(made.tables.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
  }
  // A column that follows, and a product without a copula.
  EXPECT_FALSE(published().at("rules")->can_have([](Measurements& made) {
    MeasuredTable& last = made.tables.back();
    last.columns.back() = 3;
  }));
  EXPECT_FALSE(published().at("plain")->can_have(
      [](Measurements& made) { made.products = published().at("copula")->made.products; }));
}

TEST(PublishedMeasurements, HaveTheErrorOfTheReleasedRows) {
  for (const auto& one : published()) {
    const auto& name = one.first;
    const auto& release = one.second;
    const Measurements& made = release->made;
    ASSERT_EQ(made.error.has_value(), name != "single") << name;
    const auto refused = [&](const char* what, const std::function<void(Measurements&)>& alter) {
      EXPECT_FALSE(release->can_have(alter)) << name << ": " << what;
    };
    if (!made.error) {
      refused("error",
              [](Measurements& altered) { altered.error = published().at("plain")->made.error; });
      continue;
    }
    EXPECT_EQ(made.error->rows, 5U);
    EXPECT_EQ(made.error->columns, asked_columns(release->design()));
    EXPECT_EQ(made.error->columns.size(), release->design().request.asked());
    EXPECT_EQ(made.error->sums.size(), name == "pure" ? 1U : made.error->pairs());
    refused("no error", [](Measurements& altered) { altered.error.reset(); });
    EXPECT_EQ(made.independent->rows, 25U);
    EXPECT_EQ(made.independent->columns, made.error->columns);
    EXPECT_EQ(made.independent->sums.size(), made.error->sums.size());
    refused("no independent", [](Measurements& altered) { altered.independent.reset(); });
    refused("both of one", [](Measurements& altered) { altered.independent = altered.error; });
    refused("its parts", [](Measurements& altered) { ++altered.independent->parts; });
    refused("its weight", [](Measurements& altered) { altered.independent->weight += 2; });
    refused("its variance", [](Measurements& altered) { altered.independent->variance *= 1.001; });
    refused("its half", [](Measurements& altered) { altered.independent->sums.back() += 0.5; });
    refused("rows", [](Measurements& altered) { ++altered.error->rows; });
    refused("weight", [](Measurements& altered) { altered.error->weight += 2; });
    refused("parts", [](Measurements& altered) { ++altered.error->parts; });
    refused("variance", [](Measurements& altered) { altered.error->variance *= 1.001; });
    refused("half", [](Measurements& altered) { altered.error->sums.back() += 0.5; });
    refused("more sums", [](Measurements& altered) {
      const std::vector<double> once = altered.error->sums;
      altered.error->sums.insert(altered.error->sums.end(), once.begin(), once.end());
    });
    refused("a column less", [](Measurements& altered) { altered.error->columns.pop_back(); });
  }
}

TEST(PublishedMeasurements, OfACopulaHaveItsProducts) {
  const PublishedRelease& copula = *published().at("copula");
  ASSERT_TRUE(copula.made.products.has_value());
  const auto steps = static_cast<std::int64_t>(copula.design().score_steps);
  for (const auto& alter : std::vector<std::function<void(Measurements&)>>{
           [](Measurements& made) { made.products.reset(); },
           [](Measurements& made) { made.products->parts -= 1; },
           [](Measurements& made) { made.products->variance *= 1.001; },
           [](Measurements& made) { made.products->sums[1] += 0.5; },
           [&](Measurements& made) { made.products->scores[0][0] = steps + 1; },
           [&](Measurements& made) { made.products->scores[1].back() = -steps - 1; },
           [](Measurements& made) {
             made.tables.back().columns = {0, 1};
           }}) {
    EXPECT_FALSE(copula.can_have(alter));
  }
}

}  // namespace
}  // namespace mollify
