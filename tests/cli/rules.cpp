// Rules of a domain, from its file to released rows that keep them.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "domain/column.h"
#include "domain/possible.h"
#include "formats/domain_yaml.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPersons = R"(columns:
  age: {type: integer, min: 0, max: 20, bins: 7, null: "0", outside: clip}
  job: {type: categorical, values: [none, baker, smith], null: none}
  trade: {type: categorical, values: [food, iron], null: category}
  pay: {type: integer, min: 0, max: 90, bins: 5, null: category, outside: clip}
rules:
  - if age < 15 then job == none
  - {name: paid, rule: pay is null exactly when job == none}
  - {column: trade, follows: job, map: {none: null, baker: food, smith: iron}}
)";

constexpr const char* kStaff = R"(columns:
  birth: {type: date, min: 1950-01-01, max: 2005-12-31, bins: year, null: 1950-01-01, outside: clip}
  hired: {type: date, min: 1970-01-01, max: 2024-12-31, bins: 40, null: category, outside: clip}
  left: {type: date, min: 1970-01-01, max: 2024-12-31, bins: quarter, null: category, outside: clip}
  base: {type: integer, min: 1000, max: 9000, bins: 20, outside: clip, null: "1000"}
  bonus: {type: integer, min: 0, max: 5000, bins: 10, spikes: [0], outside: clip, null: "0"}
  total: {type: integer, min: 1000, max: 14000, bins: 20, outside: clip, null: "1000"}
rules:
  - hired >= birth + 16 years
  - left >= hired + 30 days
  - total == base + bonus
)";

class Rules : public CommandLine, public testing::Test {
 public:
  Rules() {
    files.write("persons.yaml", kPersons);
    files.write("staff.yaml", kStaff);
    std::string persons = "id,age,job,trade,pay\n", staff = "birth,hired,left,base,bonus,total\n";
    for (int row = 0; row < 900; ++row) {
      const int age = row % 21;
      const int job = age < 15 ? 0 : row / 21 % 3;
      persons += fmt::format("{},{},{}\n", row, age,
                             job == 0   ? std::string("none,,")
                             : job == 1 ? fmt::format("baker,food,{}", row % 91)
                                        : fmt::format("smith,iron,{}", row % 91));
      const int base = 1000 + row * 7, bonus = row % 2 * row;
      staff += fmt::format("{}-05-17,{}-11-03,{},{},{},{}\n", 1950 + row % 50, 1970 + row % 50,
                           row % 3 == 0 ? std::string() : fmt::format("{}-01-31", 1975 + row % 50),
                           base, bonus, base + bonus);
    }
    files.write("persons.csv", persons);
    files.write("staff.csv", staff);
  }

  /// How many of the released rows break a rule.
  [[nodiscard]] std::size_t broken(const std::string& domain_file,
                                   std::size_t* rows = nullptr) const {
    const Domain domain = parse_domain(files.read(domain_file), domain_file);
    const std::vector<std::string> lines = lines_of(files.read("out.csv"));
    const std::size_t before = lines.front().starts_with("id,") ? 1 : 0;
    std::size_t found = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::vector<std::string> fields = fields_of(lines[i]);
      std::vector<FieldValue> record;
      for (std::size_t c = 0; c < domain.columns().size(); ++c) {
        const std::string& field = fields.at(c + before);
        record.push_back(field_value(domain.columns()[c], Value(std::string_view(field))));
      }
      const auto& rules = domain.possible()->rules();
      found += std::any_of(rules.begin(), rules.end(), [&](const DomainRule& rule) {
        return truth_of(rule, domain.columns(), record) == Truth::kFalse;
      });
    }
    if (rows != nullptr) *rows = lines.size() - 1;
    return found;
  }

  [[nodiscard]] Ended sample(const std::string& table, const Arguments& options) const {
    return run(Arguments{"sample"} + options +
               Arguments{"--data", table + ".csv", "--domain", table + ".yaml", "--out", "out.csv",
                         "--overwrite", "--accept-error"});
  }

  [[nodiscard]] Ended verify(const std::string& domain, const Arguments& options = {}) const {
    return run(Arguments{"verify", "--certificate", "out.csv.certificate.json", "--domain", domain,
                         "--released", "out.csv"} +
               options);
  }
};

TEST_F(Rules, AreKeptByEveryReleasedRow) {
  const std::vector<Arguments> methods = {
      {"marginals", "--epsilon", ".5", "--count", "3000"},
      {"marginals", "--epsilon", "20", "--count", "3000"},
      {"central", "--epsilon", "1", "--delta", "1e-6", "--count", "100"},
      {"central", "--epsilon", "1", "--count", "100"},
      {"local", "--epsilon", "1", "--unit", "id"},
      {"local", "--epsilon", "1", "--unit", "id", "--candidates", "300"},
      {"integral", "--epsilon", "20", "--count", "100"},
      {"integral-model", "--epsilon", "20", "--count", "1000"}};
  for (const Arguments& method : methods) {
    const Ended ended = sample("persons", method);
    ASSERT_EQ(ended.status, 0) << ended.err;
    std::size_t rows = 0;
    EXPECT_EQ(broken("persons.yaml", &rows), 0U) << method.front();
    EXPECT_GE(rows, 100U);
    const Ended tested = verify("persons.yaml");
    EXPECT_EQ(tested.status, 0) << method.front() << tested.out;
  }
}

// Rows that somebody changed, cut or mended after their release.
TEST_F(Rules, AreTestedOnReleasedRows) {
  ASSERT_EQ(sample("persons", {"marginals", "--epsilon", "20", "--count", "300"}).status, 0);
  const std::string released = files.read("out.csv");
  const Json facts = Json::parse(verify("persons.yaml", {"--json"}).out);
  EXPECT_EQ(facts["rows_match"], true);
  EXPECT_EQ(facts["values_match"], true);
  EXPECT_EQ(facts["rules_hold"], true);
  EXPECT_EQ(facts["released"]["rows"], 300);
  EXPECT_EQ(facts["released"]["certified"], 300);
  EXPECT_TRUE(facts["released"]["faults"].empty());

  const std::string header = "age,job,trade,pay\n";
  ASSERT_TRUE(released.starts_with(header));
  files.write("out.csv", header + "3,baker,food,5\n21,none,,\n16,thief,,\n16,none\n" +
                             released.substr(header.size()));
  const Ended failed = verify("persons.yaml");
  EXPECT_EQ(failed.status, 1);
  for (const char* const said :
       {"out.csv has 304 rows, but the certificate is of 300", "DOES NOT HOLD",
        "rule \"if age < 15 then job == none\": 1 row; out.csv line 2 breaks it",
        "column \"age\": 1 row; out.csv line 3 must be an integer from 0 to 20",
        "column \"job\": 1 row; out.csv line 4 must be one of 3 declared values, as a release "
        "writes it, but is \"thief\"",
        "lines: 1 row; out.csv line 5 must have 4 fields like the header, but has 2"}) {
    EXPECT_THAT(unwrapped(failed.out), HasSubstr(said));
  }
  const Json found = Json::parse(verify("persons.yaml", {"--json"}).out);
  EXPECT_EQ(found["holds"], false);
  EXPECT_EQ(found["guarantee_holds"], true);
  EXPECT_EQ(found["rules_hold"], false);
  const Json age = found["released"]["faults"][1];
  EXPECT_EQ(age["column"], "age");
  EXPECT_EQ(age["rows"], 1);
  EXPECT_EQ(age["line"], 3);
  EXPECT_EQ(age["value"], "21");

  files.write("out.csv", "age,job,trade,pay,name\n16,none,,,Ann\n");
  const Ended refused = verify("persons.yaml");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("that release has no column \"name\""));
  EXPECT_THAT(run({"verify", "--released", "out.csv", "--k", "3"}).err,
              HasSubstr("--certificate is missing: --released needs it"));
}

TEST_F(Rules, OfDaysAndSumsAreKeptInsideBins) {
  for (const char* const epsilon : {".3", "3", "30"}) {
    const Ended ended = sample(
        "staff", {"marginals", "--epsilon", epsilon, "--count", "3000", "--model-out", "m.json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(broken("staff.yaml"), 0U);
    EXPECT_EQ(verify("staff.yaml").status, 0);
  }
  const Ended drawn = run({"generate", "--model", "m.json", "--given", "hired=1975-02-01", "--seed",
                           "7", "--count", "2000", "--out", "out.csv", "--overwrite"});
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(broken("staff.yaml"), 0U);
}

TEST_F(Rules, TheBudgetIsNotSpentOnColumnsThatFollow) {
  ASSERT_EQ(sample("persons", {"marginals", "--epsilon", "1", "--count", "10"}).status, 0);
  const Json columns = Json::parse(files.read("out.csv.certificate.json"))["design"]["columns"];
  EXPECT_TRUE(columns[2].value("follows", false)) << columns;
  EXPECT_EQ(columns[2]["cells"], 1);
}

TEST_F(Rules, GivenValuesMustBePossibleTogether) {
  ASSERT_EQ(
      sample("persons", {"marginals", "--epsilon", "5", "--count", "10", "--model-out", "m.json"})
          .status,
      0);
  const Ended refused = run({"generate", "--model", "m.json", "--given", "age=3", "--given",
                             "trade=food", "--count", "10", "--out", "none.csv"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("the given values must keep the domain's rules together"));
  EXPECT_FALSE(names().contains("none.csv"));
  const Ended drawn = run({"generate", "--model", "m.json", "--given", "trade=food", "--count",
                           "500", "--out", "out.csv", "--overwrite"});
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(broken("persons.yaml"), 0U);
  for (const std::string& line : lines_of(files.read("out.csv"))) {
    EXPECT_TRUE(line.starts_with("age") || line.find(",baker,food,") != line.npos) << line;
  }
}

// By trying all pairs of values, of columns that follow too.
TEST_F(Rules, TwoGivenValuesAreKeptOrRefused) {
  files.write("towns.yaml",
              "columns:\n"
              "  town: {type: categorical, values: [a, b, c, d], null: category}\n"
              "  county: {type: categorical, values: [k, l], null: category}\n"
              "  state: {type: categorical, values: [s, t], null: category}\n"
              "  port: {type: boolean, null: category}\n"
              "  size: {type: integer, min: 0, max: 3, outside: clip, null: category}\n"
              "rules:\n"
              "  - {column: county, follows: town, map: {a: k, b: k, c: l, d: null}}\n"
              "  - {column: state, follows: county, map: {k: s, l: t}}\n"
              "  - if state == s then port\n"
              "  - if port then size > 1\n");
  std::string rows = "town,county,state,port,size\n";
  for (int row = 0; row < 300; ++row) rows += row % 2 == 0 ? "a,k,s,true,2\n" : "c,l,t,false,1\n";
  files.write("towns.csv", rows);
  const Ended made =
      sample("towns", {"marginals", "--epsilon", "20", "--count", "10", "--model-out", "m.json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const Domain domain = parse_domain(files.read("towns.yaml"), "towns.yaml");
  const std::vector<Column>& columns = domain.columns();
  std::vector<std::vector<std::uint32_t>> occurring;
  std::vector<std::uint32_t> digits(columns.size());
  for (std::size_t i = columns.size(); i > 0;) {
    if (domain.possible()->has(digits)) occurring.push_back(digits);
    i = columns.size();
    while (i > 0 && ++digits[i - 1] == columns[i - 1].size()) digits[--i] = 0;
  }
  const auto text_of = [&](std::size_t column, std::uint32_t cell) {
    std::string text;
    if (cell < columns[column].cell_count()) columns[column].write(cell, 0, text);
    return text;
  };
  std::size_t drawn = 0, refused = 0;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b) {
      if (a == b) continue;
      for (std::uint32_t one = 0; one < columns[a].size(); ++one) {
        for (std::uint32_t other = 0; other < columns[b].size(); ++other) {
          const std::string first = columns[a].name() + "=" + text_of(a, one);
          const std::string second = columns[b].name() + "=" + text_of(b, other);
          SCOPED_TRACE(first + " " + second);
          const bool is_possible =
              std::any_of(occurring.begin(), occurring.end(),
                          [&](const auto& each) { return each[a] == one && each[b] == other; });
          const Ended ended =
              run({"generate", "--model", "m.json", "--given", first, "--given", second, "--count",
                   "2", "--seed", "1", "--out", "out.csv", "--overwrite"});
          ASSERT_EQ(ended.status, is_possible ? 0 : 2) << ended.err;
          (is_possible ? drawn : refused) += 1;
          if (!is_possible) {
            EXPECT_EQ(ended.code, "contradictory-rules");
            continue;
          }
          const auto fields = fields_of(lines_of(files.read("out.csv")).at(1));
          EXPECT_EQ(fields.at(a), text_of(a, one));
          EXPECT_EQ(fields.at(b), text_of(b, other));
          EXPECT_EQ(broken("towns.yaml"), 0U);
        }
      }
    }
  }
  EXPECT_GT(drawn, 50U);
  EXPECT_GT(refused, 50U);
}

TEST_F(Rules, ANullThatMustBecomeAValueMovesNoMean) {
  files.write("jobs.yaml",
              "columns:\n"
              "  job: {type: boolean, null: \"false\"}\n"
              "  pay: {type: integer, min: 0, max: 99, bins: 20, outside: clip, null: category}\n"
              "rules:\n  - if job then pay is not null\n");
  files.write("jobs.csv", "job,pay\ntrue,3\ntrue,\nfalse,\n");
  const auto checked = [&] {
    return run({"check", "--data", "jobs.csv", "--domain", "jobs.yaml"}).out;
  };
  EXPECT_THAT(checked(), HasSubstr("jobs.csv:3: must keep the rule \"if job then pay is not "
                                   "null\", but does not → job false"));
  std::string text = files.read("jobs.yaml");
  files.write("jobs.yaml", text.substr(0, text.find("if job")) + "pay is not null\n");
  EXPECT_THAT(checked(), HasSubstr("but does not → pay from 45 to 49"));
  const Ended planned =
      run({"plan", "marginals", "--domain", "jobs.yaml", "--epsilon", "1", "--n", "900"});
  EXPECT_THAT(planned.err, HasSubstr("where a null must become a value, a word of another column "
                                     "changes instead, or the null becomes the middle value"));
  EXPECT_THAT(planned.out, HasSubstr("break rules that the domain does not declare"));
}

TEST_F(Rules, AnswersSayThatRowsWereChanged) {
  const std::string said =
      "The table's number is the one after rows that break a rule were changed.";
  for (const bool has_rules : {true, false}) {
    if (!has_rules) {
      const std::string text = files.read("persons.yaml");
      files.write("persons.yaml", text.substr(0, text.find("rules:")));
    }
    const Ended made = sample(
        "persons", {"marginals", "--epsilon", "20", "--count", "10", "--model-out", "m.json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const Ended answered = run({"answer", "--model", "m.json", "mean(age)"});
    EXPECT_EQ(unwrapped(answered.out).find(said) != std::string::npos, has_rules) << answered.out;
    const Json facts = Json::parse(run({"answer", "--model", "m.json", "mean(age)", "--json"}).out);
    EXPECT_EQ(facts[0].value("after_rules", false), has_rules);
  }
}

TEST_F(Rules, ThatJoinTooManyBinsAreRefusedWithWhatHelps) {
  const auto planned = [&](const char* bins, const char* null, bool is_chain = false) {
    std::string text = "columns:\n";
    for (int i = 0; i < 5; ++i) {
      text += fmt::format(
          "  d{}: {{type: integer, min: 0, max: 999, bins: {}, null: {}, "
          "outside: clip}}\n",
          i, bins, null);
    }
    text += "rules:\n";
    if (is_chain) {
      for (int i = 0; i < 4; ++i) text += fmt::format("  - d{} <= d{}\n", i, i + 1);
    } else {
      text += "  - d0 + d1 + d2 + d3 <= d4\n";
    }
    files.write("chain.yaml", text);
    return run({"plan", "marginals", "--domain", "chain.yaml", "--epsilon", "1", "--n", "900"});
  };
  const Ended refused = planned("8", "category");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.code, "too-much-work");
  EXPECT_THAT(refused.err, HasSubstr("to 59049 combinations"));
  EXPECT_THAT(refused.err, HasSubstr("marginals takes 50000 at most: declare fewer bins for these "
                                     "columns, declare what their nulls become, name fewer"));
  EXPECT_EQ(planned("7", "category").status, 0);
  EXPECT_EQ(planned("8", "\"0\"").status, 0);
  EXPECT_EQ(planned("20", "category", true).status, 0) << "orders of two columns each";

  std::string pairs = "columns:\n", rule = "rules:\n  - ";
  for (int i = 0; i < 16; ++i) {
    pairs += fmt::format("  b{}: {{type: boolean, null: \"false\"}}\n", i);
    if (i % 2 == 0) rule += fmt::format("{}b{} and b{}", i == 0 ? "" : " or ", i, i + 1);
  }
  files.write("chain.yaml", pairs + rule + "\n");
  const Ended booleans =
      run({"plan", "marginals", "--domain", "chain.yaml", "--epsilon", "1", "--n", "900"});
  EXPECT_THAT(booleans.err, HasSubstr("to 65536 combinations"));
  EXPECT_THAT(booleans.err, HasSubstr("50000 at most: name fewer columns in a rule"));
}

TEST_F(Rules, PrivateRecordsThatBreakOneAreCountedAsOthers) {
  std::string table = files.read("persons.csv") + "900,3,baker,food,5\n901,16,smith,food,\n";
  files.write("persons.csv", table);
  const Ended checked = run({"check", "--data", "persons.csv", "--domain", "persons.yaml"});
  EXPECT_EQ(checked.status, 1) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("rule \"if age < 15 then job == none\": 1 record breaks it"));
  EXPECT_THAT(checked.out, HasSubstr("rule \"paid\": 1 record breaks it"));
  EXPECT_THAT(checked.out, HasSubstr("rule \"trade follows from job\": 1 record breaks it"));
  const Ended released = sample("persons", {"marginals", "--epsilon", "1", "--count", "500"});
  EXPECT_EQ(released.status, 0);
  EXPECT_EQ(broken("persons.yaml"), 0U);
  const Ended planned =
      run({"plan", "marginals", "--domain", "persons.yaml", "--epsilon", "1", "--n", "900"});
  EXPECT_THAT(planned.err,
              HasSubstr("a record that breaks a rule is counted as one that keeps it"));
}

TEST_F(Rules, PublicRecordsMustKeepThem) {
  files.write("public.csv", "age,job,trade,pay\n3,baker,food,5\n");
  const Ended refused = sample(
      "persons", {"marginals", "--epsilon", "1", "--count", "10", "--reference", "public.csv"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("public.csv line 2"));
  EXPECT_THAT(refused.err, HasSubstr("if age < 15 then job == none"));
}

TEST_F(Rules, MethodsThatCannotKeepThemRefuse) {
  EXPECT_THAT(sample("staff", {"marginals", "--copula", "--epsilon", "1", "--count", "10"}).err,
              HasSubstr("a copula joins columns by their ranks alone and keeps no rule"));
  files.write(
      "numbers.yaml",
      "columns:\n  a: {type: number, min: 0, max: 1, null: \"0\", outside: clip}\n"
      "  b: {type: number, min: 0, max: 1, null: \"0\", outside: clip}\nrules:\n  - a <= b\n");
  files.write("numbers.csv", "a,b\n.1,.2\n");
  EXPECT_THAT(
      sample("numbers", {"gaussian-model", "--epsilon", "1", "--delta", "1e-6", "--count", "10"})
          .err,
      HasSubstr("Gaussian rows keep no rules"));
}

TEST_F(Rules, WrongOnesAreRefusedByNameAndLine) {
  const auto refusal = [&](const std::string& rules) {
    std::string text = kPersons;
    text = text.substr(0, text.find("rules:")) + rules;
    files.write("wrong.yaml", text);
    const Ended ended = run({"sample", "marginals", "--epsilon", "1", "--count", "10", "--data",
                             "persons.csv", "--domain", "wrong.yaml", "--out", "none.csv"});
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_FALSE(names().contains("none.csv"));
    std::string line = ended.err;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  };
  EXPECT_THAT(refusal("rules:\n  - age < 5\n  - age > 10\n"),
              HasSubstr("rule \"age > 10\" contradicts rule \"age < 5\""));
  EXPECT_THAT(refusal("rules:\n  - age <= 20\n"), HasSubstr("rule \"age <= 20\" says nothing"));
  EXPECT_THAT(refusal("rules:\n  - age < 5 and\n"), HasSubstr("wrong.yaml line 7"));
  EXPECT_THAT(refusal("rules:\n  - job == bakr\n"), HasSubstr("baker"));
  EXPECT_THAT(refusal("rules:\n  - jobb == baker\n"), HasSubstr("job"));
  EXPECT_THAT(refusal("rules: yes\n"), HasSubstr("must list the rules"));
  EXPECT_THAT(refusal("rules:\n  - {column: trade, follows: job, map: {none: null}}\n"),
              HasSubstr("does not map \"baker\""));
}

TEST_F(Rules, GoToValidateAndComeBack) {
  const Ended ended = run({"domain", "--rules-of", "persons.yaml", "--out", "rules.yaml"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::string rules = files.read("rules.yaml");
  EXPECT_THAT(rules, HasSubstr("- expr: \"age >= 15 | job == \\\"none\\\"\"\n"));
  EXPECT_THAT(rules, HasSubstr("  name: \"paid\"\n"));
  std::string text = kPersons;
  text = text.substr(0, text.find("rules:")) + rules;
  const std::size_t end = text.find("  name: \"paid\"\n");
  text.insert(end, "  label: ''\n  created: 2026-11-30 08:59:57\n  meta:\n    severity: error\n");
  files.write("again.yaml", text);
  const Ended again = sample("persons", {"marginals", "--epsilon", "1", "--count", "300"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(broken("again.yaml"), 0U);

  EXPECT_THAT(run({"domain", "--rules-of", "staff.yaml"}).out,
              HasSubstr("# R cannot say: \"hired >= birth + 16 years\"\nrules:\n"));
  EXPECT_THAT(run({"domain", "--rules-of", "staff.yaml", "--public", "staff.csv"}).err,
              HasSubstr("leave out --public, --columns and --exclude"));
  const std::string listed = "  - expr:\n    - age > 3 |\n    - age == 0\n";
  files.write("listed.yaml", std::string(kPersons) + listed);
  EXPECT_THAT(run({"domain", "--rules-of", "listed.yaml"}).out,
              HasSubstr("- expr: \"age > 3 | age == 0\"\n"));
  text.insert(end, "  rule: age > 3\n");
  files.write("again.yaml", text);
  EXPECT_THAT(run({"domain", "--rules-of", "again.yaml"}).err,
              HasSubstr("must not hold the key \"rule\""));
}

}  // namespace
}  // namespace mollify::test
